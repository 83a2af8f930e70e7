"""Poisoned notes against trusted ones while the judge is the attacker: not one trusted note is lost or changed.

What holds it is checked by taking it away: with trusted notes open to a model's word, and the poison said by a person too,
the same attacks succeed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from attacks import FALSE, FAMILIES, NOW, TARGETS, echo, searching

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import Refused
from reverie.judge.questions import Verdict
from reverie.judge.scripted import AdversarialJudge
from reverie.memory import Reverie
from reverie.model import Memory
from reverie.states import LEAVES_WITHOUT_SURVIVOR
from reverie.text import guard
from reverie.text.gists import cut, faithful, sentences

OPEN_CAPS = {"blast_run_rows": 1000, "blast_run_share": 1.0, "blast_month_share": 1.0}
WIDE = {"candidate_similarity": 0.01, "collapse_cap": 1000, "reconcile_cap": 1000, "wording": "condense"}
ATTACKS = 50  # of one siege
SIEGES = {"sqlite": 10, "postgres": 2}
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

    def settle(self) -> None:
        """The owner's notes, examined by a pass before anybody else comes."""
        for t in TARGETS:
            given = {"valid_from": NOW, "valid_to": NOW.replace(year=2027)} if t.valid else {}
            row = self.mem.remember(t.text, t.kind, key=t.key, **given)
            if t.pinned:
                self.mem.pin(row.id)
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
        wrong += [f"{m.text[:60]!r} is trusted" for i, m in rows.items() if i not in self.before and m.trust != "provisional"]
        for m in rows.values():
            made_of = [e.target for e in self.mem.history(m.id).links if e.relation == "derived_from" and e.source == m.id]
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
    """Whether a gist is of the note's own making: cut from it, or proven sentence by sentence to stand in it."""
    if m.gist is None or m.gist == cut(m.text, 200):
        return True
    if FALSE.search(m.gist) or not faithful(m.gist, [m.text]):
        return False
    text = guard.analyse(m.text)
    for sentence in sentences(m.gist):
        ruling = guard.compare(guard.analyse(sentence), text)
        if ruling.outcome is not guard.Outcome.SAME or ruling.keeps == "a":
            return False
    return True


def besieged(store: tuple[str, str], tenant: str, judge: Any, **settings: Any) -> Siege:
    """A namespace of its own; close its ``mem``."""
    clock = FixedClock(NOW)
    mem = reverie.open(
        store[1], tenant=tenant, embedder="hashing", clock=clock, ids=CountingIds(), judge=judge, channel="person",
        principal="owner", settings=WIDE | settings,
    )  # fmt: skip
    siege = Siege(mem, clock, random.Random(tenant))
    siege.settle()
    return siege


def besiege(store: tuple[str, str], seed: int, **settings: Any) -> Siege:
    judge = AdversarialJudge(worst(seed))
    siege = besieged(store, f"siege {seed} {settings}", judge, **settings)
    with siege.mem:
        siege.attack(ATTACKS)
        siege.nights()
        siege.check()
        assert judge.asked, "the attacker was not asked at all"
    return siege


def test_not_one_trusted_note_is_lost_or_changed(store: tuple[str, str]) -> None:
    tried: Counter[str] = Counter()
    writes = refused = 0
    for seed in range(SIEGES[store[0]]):
        siege = besiege(store, seed, **(OPEN_CAPS if seed % 4 != 3 else {}))
        tried += siege.tried
        writes, refused = writes + siege.writes, refused + siege.refused
    print(f"{store[0]}: {sum(tried.values())} attacks in {writes} writes, {refused} of them refused: {dict(tried)}")
    assert sum(tried.values()) >= ATTACKS * SIEGES[store[0]] and len(tried) == 15


@pytest.mark.slow
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("seed", range(20, 110))
def test_thousands_of_attacks_more(store: tuple[str, str], seed: int) -> None:
    besiege(store, seed, **(OPEN_CAPS if seed % 4 else {}))
