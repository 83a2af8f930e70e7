"""Poisoned notes against trusted ones while the judge is the attacker: not one trusted note is lost or changed.

What holds it is checked by taking it away: with trusted notes open to a model's word, and the poison said by a person too,
the same attacks succeed.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from attacks import FALSE, FAMILIES, NOW, TARGETS, changed_pairs, echo, searching, stolen_key

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import Refused
from reverie.judge.scripted import AdversarialJudge
from reverie.memory import Reverie
from reverie.model import Memory
from reverie.states import LEAVES_WITHOUT_SURVIVOR
from reverie.text.gists import cut, faithful, sentences

OPEN_CAPS = {"blast_run_rows": 1000, "blast_run_share": 1.0, "blast_month_share": 1.0}
WIDE = {
    "candidate_similarity": 0.01,
    "collapse_cap": 1000,
    "reconcile_cap": 1000,
    "wording": "condense",
    "synchronous": "off",
}
ATTACKS = 50  # of one siege
SIEGES = {"sqlite": 9, "postgres": 2}
HOURS = (1, 1, 24, 24 * 7, 24 * 40, 24 * 100)  # between two passes
RANK = {"provisional": 0, "trusted": 1}


def same(_: Any, legal: list[Any]) -> Any:
    return legal[0]


def contradicts(_: Any, legal: list[Any]) -> Any:
    return legal[min(1, len(legal) - 1)]


def worst(n: int) -> Callable[[Any, list[Any]], Any]:
    """The n-th way to answer."""
    return (same, contradicts)[n] if n < 2 else searching(n)


@pytest.fixture(scope="module", params=list(SIEGES))
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """(name, URL); each siege has a tenant of its own."""
    if request.param == "sqlite":
        yield request.param, str(tmp_path_factory.mktemp("siege") / "notes.db")
        return
    server = request.getfixturevalue("server")
    url = server.database()
    yield request.param, url
    server.drop(url)


@dataclass
class Siege:
    """A namespace with the trusted notes, and somebody who writes against them. ``mem`` is the owner's handle."""

    mem: Reverie
    clock: FixedClock
    rng: random.Random
    before: dict[str, Memory] = field(default_factory=dict)
    tried: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    refused: int = 0

    def settle(self, examined: bool) -> None:
        """The owner's notes; ``examined``: by a pass, before anybody else comes."""
        for t in TARGETS:
            given = {"valid_from": NOW, "valid_to": NOW.replace(year=2027)} if t.valid else {}
            row = self.mem.remember(t.text, t.kind, key=t.key, **given)
            if t.pinned:
                self.mem.pin(row.id)
        if examined:
            self.mem.curate()
        self.before = {m.id: m for m in self.mem.memories()}
        assert len(self.before) == len(TARGETS) and all(m.trust == "trusted" for m in self.before.values())

    def attack(self, n: int, **given: Any) -> None:
        """So many attacks, each by a family in turn on a note by chance. ``given``: what all writes have in common."""
        notes = list(self.before.values())
        for k in range(n):
            at = self.rng.randrange(len(TARGETS))
            family = [*FAMILIES, None][k % (len(FAMILIES) + 1)]
            writes = family(self.rng, TARGETS[at], notes[at]) if family else echo(self.rng, self.mem, TARGETS[at])
            self.tried[family.__name__ if family else "echo"] += 1
            for write in writes:
                origin = {"channel": self.rng.choice(("agent", "tool", "web")), "principal": f"guest {k}"}
                self.writes += 1
                try:
                    self.mem.remember(**{**origin, **write, **given})
                except Refused:
                    self.refused += 1
            self.clock.advance(minutes=1)

    def nights(self) -> None:
        """Several passes, further and further apart; each within the caps that health announces."""
        for hours in HOURS:
            allowed, live = self.mem.doctor()["allowance"], self.mem.stats()["memories"]["live"]
            run = self.mem.curate()
            left = sum(e.move in LEAVES_WITHOUT_SURVIVOR for e in run.entries)
            assert left <= min(allowed["this_run"], allowed["in_30_days"]), (left, allowed, live)
            assert not set(run.errors) - {"judge"}, run.errors
            self.clock.advance(hours=hours)

    def check(self) -> None:
        """Nothing of the owner's has gone or changed, and nothing has got above its station."""
        rows = {m.id: m for m in self.mem.memories(state=None)}
        wrong = [f"{was.text[:60]!r}: {what}" for i, was in self.before.items() for what in changes(was, rows[i])]
        wrong += [
            f"{m.text[:60]!r} is trusted" for i, m in rows.items() if i not in self.before and m.trust != "provisional"
        ]
        for m in rows.values():
            made_of = [
                e.target for e in self.mem.history(m.id).links if e.relation == "derived_from" and e.source == m.id
            ]
            if made_of and RANK[m.trust] > min(RANK[rows[i].trust] for i in made_of):
                wrong.append(f"{m.text[:60]!r} has more trust than its sources")
        for was in self.before.values():
            if was.id not in [h.memory.id for h in self.mem.recall(was.text, log=False)]:
                wrong.append(f"{was.text[:60]!r} is not recalled for its own text")
        assert not wrong, wrong
        assert self.mem.check_journal()


def changes(was: Memory, now: Memory) -> list[str]:
    """What has become of a trusted note that must not."""
    fields = ("text", "text_hash", "norm_hash", "kind", "trust", "state", "key", "pinned", "durable", "metadata", "origin",
              "written_at", "occurred_at", "valid_from", "valid_to", "merged_into", "superseded_by")  # fmt: skip
    found = [f"{f} is {getattr(now, f)!r}" for f in fields if getattr(now, f) != getattr(was, f)]
    return found + ([] if own(now) else [f"its gist is {now.gist!r}"])


def own(m: Memory) -> bool:
    """Whether a gist is cut from the note, or each of its sentences is one of the note's in all that matters."""
    if m.gist is None or m.gist == cut(m.text, 200):
        return True
    told = [weight(s) for s in sentences(m.text)]
    return not FALSE.search(m.gist) and faithful(m.gist, [m.text]) and all(weight(s) in told for s in sentences(m.gist))


def weight(sentence: str) -> Counter[str]:
    """Numbers, names, and the small words that turn a sentence round."""
    return Counter(
        re.findall(r"\d[\d,.]*|\b[A-Z][a-z]+\b|\b(?:not|never|no|only|nobody|before|after|always)\b", sentence[1:])
    )


def besieged(store: tuple[str, str], tenant: str, judge: Any, examined: bool = True, **settings: Any) -> Siege:
    """A namespace of its own; close its ``mem``."""
    clock = FixedClock(NOW)
    mem = reverie.open(
        store[1], tenant=tenant, embedder="hashing", clock=clock, ids=CountingIds(), judge=judge, channel="person",
        principal="owner", settings=WIDE | settings,
    )  # fmt: skip
    siege = Siege(mem, clock, random.Random(tenant))
    siege.settle(examined)
    return siege


def besiege(store: tuple[str, str], seed: int, **settings: Any) -> Siege:
    judge = AdversarialJudge(worst(seed))
    siege = besieged(store, f"siege {seed} {settings}", judge, examined=seed % 3 == 0, **settings)
    with siege.mem:
        siege.attack(ATTACKS)
        siege.nights()
        siege.check()
        assert judge.asked, "the attacker was not asked at all"
        for plan in siege.mem.parked():  # the owner lets everything through that the caps held back
            siege.mem.apply(plan.id)
        siege.check()
        if seed % 3 == 1:
            moved = ("MergeInto", "Supersede", "Quarantine")
            siege.mem.undo(next(e.run for e in siege.mem.journal(limit=10_000) if e.move in moved))
            siege.check()
    return siege


def test_not_one_trusted_note_is_lost_or_changed(store: tuple[str, str]) -> None:
    tried: Counter[str] = Counter()
    writes = refused = 0
    for seed in range(SIEGES[store[0]]):
        acts = (
            {"retire_trusted": "act"} if seed % 5 == 4 else {}
        )  # what is left then is that trust goes over trust only
        siege = besiege(store, seed, **acts, **(OPEN_CAPS if seed % 4 != 3 else {}))
        tried += siege.tried
        writes, refused = writes + siege.writes, refused + siege.refused
    print(f"{store[0]}: {sum(tried.values())} attacks in {writes} writes, {refused} of them refused: {dict(tried)}")
    assert sum(tried.values()) >= ATTACKS * SIEGES[store[0]] and len(tried) == len(FAMILIES) + 1


def test_with_the_rule_taken_away_the_same_attacks_succeed(store: tuple[str, str]) -> None:
    """The control: said by a person too, and with trusted notes open to a model's word."""
    siege = besieged(store, "control", AdversarialJudge(contradicts), retire_trusted="act", **OPEN_CAPS)
    with siege.mem:
        for t in TARGETS:
            siege.clock.advance(minutes=1)
            siege.mem.remember(siege.rng.choice([t.lie, t.update]), t.kind)
        siege.nights()
        fallen = [m.text for m in map(siege.mem.get, siege.before) if m.state != "live"]
    assert len(fallen) > len(TARGETS) / 2, fallen


def test_who_writes_a_note_first_does_not_take_its_trust(store: tuple[str, str]) -> None:
    """A page that states the owner's notes before the owner does leaves them as trusted as if it had not."""
    siege = besieged(store, "front run", AdversarialJudge(contradicts), **OPEN_CAPS)
    with siege.mem as mem:
        said = [
            f"{name} keeps the spare badge in drawer {n}."
            for n, name in enumerate(("Ivo Jansen", "Jo Klein", "Kim Lund"))
        ]
        for text in said:
            mem.remember(text, channel="web", principal="guest")
        siege.clock.advance(hours=1)
        kept = [mem.get(mem.remember(text).id) for text in said]
        assert [m.trust for m in kept] == ["trusted"] * len(said)
        siege.clock.advance(hours=1)
        for text in said:
            mem.remember(text.replace("drawer", "drawer 6000 and not"), channel="web", principal="guest")
        siege.nights()
        assert [mem.get(m.id).state for m in kept] == ["live"] * len(said)


def test_the_key_of_a_trusted_note_cannot_be_taken_from_it(store: tuple[str, str]) -> None:
    """First the note's own words under another key, then the lie under the key that has come free."""
    siege = besieged(store, "keys", AdversarialJudge(same), **OPEN_CAPS)
    with siege.mem as mem:
        for t, m in zip(TARGETS, list(siege.before.values()), strict=True):
            for write in stolen_key(siege.rng, t, m):
                with contextlib.suppress(Refused):
                    mem.remember(**write, channel="tool", principal="guest")
        keys = {m.text: m.key for m in mem.memories() if m.key}
        assert keys == {t.text: t.key for t in TARGETS if t.key}


def test_an_external_id_that_somebody_else_has_used_does_not_swallow_a_persons_words(store: tuple[str, str]) -> None:
    siege = besieged(store, "squatting", AdversarialJudge(same), **OPEN_CAPS)
    with siege.mem as mem:
        mem.remember("Nothing of note.", external_id="mail-17", channel="web", principal="guest")
        text = "The lease of the Oslo office ends on 3 May 2026."
        try:
            got = mem.get(mem.remember(text, external_id="mail-17").id)
        except Refused:
            return  # to be told is as good
        assert (got.text, got.trust) == (text, "trusted")


def test_a_copy_of_a_trusted_note_does_not_stand_in_its_place_in_recall(store: tuple[str, str]) -> None:
    """Of near copies one is shown: the trusted one, whatever importance and kind the copy gives itself."""
    siege = besieged(store, "copies", AdversarialJudge(same), **OPEN_CAPS)
    with siege.mem as mem:
        for t in TARGETS[:10]:
            mem.remember(t.text, "concept", importance=1.0, gist=t.lie[:400], channel="web", principal="guest")
        siege.nights()
        shown = {
            t.text: next(h.memory for h in mem.recall(t.text, log=False) if h.memory.text == t.text)
            for t in TARGETS[:10]
        }
        assert {text: m.trust for text, m in shown.items()} == {t.text: "trusted" for t in TARGETS[:10]}


PLACES = {"sqlite": 16, "postgres": 4}  # namespaces of 50 pairs


def unmerged(store: tuple[str, str], n: int) -> Counter[str]:
    """Fifty changed pairs before a judge that calls everything the same: what was changed in them, by kind."""
    drawn = changed_pairs(n)
    given: dict[str, Any] = {"clock": FixedClock(NOW), "ids": CountingIds(), "settings": WIDE | OPEN_CAPS}
    judge = AdversarialJudge(same)
    with reverie.open(store[1], tenant=f"pairs {n}", embedder="hashing", judge=judge, **given) as mem:
        ids = {}
        for _, a, b in drawn:
            for text in (a, b):
                got = mem.remember(text)
                assert not got.restated, (text, mem.get(got.id).text)
                ids[text] = got.id
        for _ in range(3):
            mem.curate()
        rows = {m.id: m for m in mem.memories(state=None)}

        def end(text: str) -> str:
            m = rows[ids[text]]
            while m.merged_into:
                m = rows[m.merged_into]
            return m.id

        assert not [(kind, a, b) for kind, a, b in drawn if end(a) == end(b)]
        assert len(judge.asked) > 50
    return Counter(kind for kind, _, _ in drawn)


def test_a_thousand_changed_pairs_stay_two_whatever_the_judge_says(store: tuple[str, str]) -> None:
    kinds: Counter[str] = Counter()
    for n in range(PLACES[store[0]]):
        kinds += unmerged(store, n)
    print(f"{store[0]}: {kinds.total()} pairs {dict(kinds)}")
    assert kinds.total() == 50 * PLACES[store[0]] and len(kinds) == 8


@pytest.mark.slow
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("seed", range(20, 110))
def test_thousands_of_attacks_more(store: tuple[str, str], seed: int) -> None:
    besiege(store, seed, **(OPEN_CAPS if seed % 4 else {}))
