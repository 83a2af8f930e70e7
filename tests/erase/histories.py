"""Random histories of a namespace with made-up words, by several people: all that may leave words anywhere."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

import reverie
from reverie.clock import FixedClock
from reverie.curation.acts import act
from reverie.errors import InvalidInput, Refused
from reverie.judge.questions import Composed, Condense, Relate, Verdict
from reverie.model import Kind, RunRecord, State
from reverie.store.records import JobRecord
from reverie.testing import ScriptedJudge
from reverie.text.normalise import text_hash
from reverie.transitions import Derive

CONSONANTS, VOWELS = "bdfgklmnprtv", "aiou"
ENDINGS = ("", "", "ing", "ed", "s", "ness")
PEOPLE = (("ana", "person"), ("ben", "agent"), ("dora", "agent"), ("ben", "agent"), ("dora", "agent"))


def judge() -> ScriptedJudge:
    """Says "same" of texts that share a name, and of every fifth other pair that they clash; composes from all its sources."""

    def script(question):
        if isinstance(question, Relate):
            shared = set(question.a.text.split()) & set(question.b.text.split())
            if any(w.lower().startswith("zq") for w in shared):
                return Verdict.SAME
            return (
                Verdict.CONTRADICTS
                if (question.a.text_hash[0] + question.b.text_hash[0]) % 5 == 0
                else Verdict.UNRELATED
            )
        if isinstance(question, Condense):
            return Composed(" ".join(c.text for c in question.sources)[: question.limit])
        return None

    return ScriptedJudge(script, tokens=5)


@dataclass
class History:
    """Lives through ``steps`` random acts in an open namespace; ``written`` are ids in the order of writing."""

    mem: reverie.Reverie
    clock: FixedClock
    rng: random.Random
    written: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def word(self) -> str:
        while True:
            stem = "zq" + "".join(self.rng.choice(CONSONANTS if n % 2 == 0 else VOWELS) for n in range(7))
            if stem[:8] not in self.used:
                self.used.add(stem[:8])
                word = stem + self.rng.choice(ENDINGS)
                return word.capitalize() if self.rng.random() < 0.5 else word

    def sentence(self, about: str | None = None) -> str:
        a, b, c = about or self.word(), self.word(), self.word()
        forms = (f"{a} lives in {b} by the {c}.", f"The {a} of {b} stands near {c}.", f"{a} likes {b} with {c}.")
        text = self.rng.choice(forms)
        if self.rng.random() < 0.1:
            text += " " + " ".join(f"Then {self.word()} went past the {n} trees." for n in range(18))
        return text

    def by(self) -> dict[str, str]:
        principal, channel = self.rng.choice(PEOPLE)
        return {"principal": principal, "channel": channel, "session": f"s{self.rng.randrange(3)}"}

    def remember(self, text: str, **more) -> None:
        try:
            got = self.mem.remember(text, **{**self.by(), **more})
        except Refused:
            return
        self.written.append(got.id)

    def live(self, steps: int) -> None:
        given = {
            "wording": "condense", "blast_run_rows": self.rng.choice((0, 5)), "blast_run_share": 0.0,
            "restate_similarity": self.rng.choice((0.7, 0.97)),
        }  # fmt: skip
        for name, value in given.items():
            self.mem.set(name, value)
        for _ in range(6):
            self.write()
        for _ in range(steps):
            self.clock.advance(minutes=self.rng.randrange(1, 60))
            self.rng.choice((
                self.write, self.write, self.restate, self.restate, self.reword, self.revise, self.act, self.act, self.ask,
                self.ask, self.curate, self.undo, self.derive, self.complain,
            ))()  # fmt: skip
        self.curate()
        self.ask()

    def write(self) -> None:
        more: dict = {}
        if self.rng.random() < 0.3:
            more["metadata"] = {"about": self.word(), "of": [self.word(), 3]}
        if self.rng.random() < 0.2:
            more["key"] = f"key {self.rng.randrange(3)}"
        if self.rng.random() < 0.2:
            more["external_id"] = self.word()
        if self.rng.random() < 0.2:
            more["gist"] = self.word()
        if self.rng.random() < 0.3:
            more |= {"importance": 0.1, "written_at": self.clock.now() - timedelta(days=200)}
        if self.rng.random() < 0.2:
            more["train"] = True
        self.remember(self.sentence(), **more)

    def some(self) -> str | None:
        return self.rng.choice(self.written) if self.written else None

    def text(self) -> str:
        id_ = self.some()
        return (self.mem.get(id_).text if id_ else "") or self.sentence()

    def restate(self) -> None:
        text = self.text()
        how = self.rng.choice(("{}", "Note: {}", "Note that {}", "Please note that {}", "Note: the {}!"))
        self.remember(how.format(text.upper() if self.rng.random() < 0.2 else text))

    def reword(self) -> None:
        """The same name in other words: the judge calls it the same."""
        self.remember(self.sentence(about=self.text().split()[0]))

    def revise(self) -> None:
        id_ = self.some()
        try:
            self.written.append(self.mem.revise(id_, self.sentence()).id)
        except (Refused, InvalidInput):
            return

    def act(self) -> None:
        id_ = self.some()
        acts = (
            lambda: self.mem.pin(id_, self.rng.random() < 0.5), lambda: self.mem.verify(id_, self.rng.random() < 0.5),
            lambda: self.mem.forget(id_, f"because of {self.mem.get(id_).text}", train=True), lambda: self.mem.restore(id_),
            lambda: self.mem.feedback(id_, "confirmation"), lambda: self.mem.reclassify(id_, "preference"),
            lambda: self.mem.weigh(id_, 0.2),
        )  # fmt: skip
        try:
            self.rng.choice(acts)()
        except Refused:
            return

    def ask(self) -> None:
        text = self.text()
        self.mem.recall(self.rng.choice((text, f"Where is {text.split()[0]}?", "Who lives by the river?")), 3)

    def derive(self) -> None:
        """A text composed of others, as a later step will compose it."""
        sources = [
            m for m in (self.mem.get(i) for i in sorted({self.some(), self.some()})) if m.state is not State.ERASED
        ]
        move = Derive(self.mem._ids.new(), Kind.FACT, " ".join(m.text for m in sources), tuple(m.id for m in sources))
        given = {"actor": self.mem._origin, "clock": self.clock, "ids": self.mem._ids}
        try:
            self.mem._scope.transact(lambda tx: act(tx, "derive", [move], "composed", **given))
        except Refused:
            return
        self.written.append(move.id)

    def complain(self) -> None:
        """Errors, records and remembered answers that quote a text."""
        text, now = self.text(), self.clock.now()
        run = RunRecord(
            self.mem._ids.new(), "tidy", "ana", now, now, "failed", {}, {"collapse": f"cannot take {text[:40]!r}"}
        )

        def work(tx) -> None:
            tx.start_run(run)
            tx.note_steps("rehearse", {f"step {self.rng.randrange(2)}": f"failed at {text}"}, now)
            tx.add_activity(now, "curation_cycle", run.id, {"curated": 1, "of": text})
            told = {"progress": {"step": text}, "request": {"cycle": "tidy"}, "error": f"no room for {text}"}
            job = JobRecord(run.id, "curate", "failed", "ben", now, now, **told)
            tx.add_job(job, forget_before=now - timedelta(days=1))
            if tx.begin_answer(text_hash("a" + text), b"r", now, forget_before=now - timedelta(days=1)):
                tx.finish_answer(text_hash("a" + text), now, 200, json.dumps({"text": text}))
            tx.keep_verdicts([(text_hash("q" + text), [text_hash(text)], json.dumps({"text": text}), "scripted")], now)

        self.mem._scope.transact(work)

    def curate(self) -> None:
        self.mem.curate()

    def undo(self) -> None:
        runs = [r for r in self.mem.runs(6) if r.cycle not in ("judge", "erase")]
        if runs:
            self.mem.undo(self.rng.choice(runs).id)


def tangled(mem: reverie.Reverie) -> tuple[list[str], list[str]]:
    """Memories whose survivor has a gist; principals whose memories others have restated in their own words, or merged into."""
    rows = {m.id: m for m in mem.memories(state=None)}
    merged = [m for m in rows.values() if m.merged_into]
    people = [rows[m.merged_into].origin.principal for m in merged
              if rows[m.merged_into].origin.principal != m.origin.principal]  # fmt: skip
    for m in rows.values():
        others = [
            s for s in mem.history(m.id).sightings if s.memory == m.id and s.origin.principal != m.origin.principal
        ]
        people += [m.origin.principal] if others and all(s.wording for s in others) else []
    return [m.id for m in merged if rows[m.merged_into].gist], people


def said(mem: reverie.Reverie) -> dict[str, str]:
    """By memory, all that people or models have put into words of it, as one text."""
    found = {}
    with mem._scope.read() as r:
        for m in mem.memories(state=None):
            parts = [m.text, m.gist or "", m.key or "", str(dict(m.metadata))]
            for s in r.traces().sightings(m.id):
                parts += [s.sighting.wording or "", s.sighting.external_id or ""]
            found[m.id] = "\n".join(parts)
    return found


def records(mem: reverie.Reverie) -> Iterator[tuple[str, dict]]:
    """The export's records that are of a memory, each with the memory's id."""
    for r in mem.export():
        if r["type"] == "memory":
            yield r["id"], r
        elif r["type"] == "sighting":
            yield r["memory"], r
