"""A random history of every verb, against a plain model that keeps dictionaries: two namespaces, one store."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import Conflict, PolicyRefusal
from reverie.text.normalise import norm_text

WORDS = st.lists(
    st.sampled_from(["red", "blue", "gate", "key", "ana", "oslo", "port", "80", "81", "not", "the", "runs"]),
    min_size=2,
    max_size=6,
)
TEXTS = WORDS.map(" ".join)
SPACES = st.sampled_from(["one", "two"])


class History(RuleBasedStateMachine):
    """The model: for each namespace, id -> (text, state); and every text ever written."""

    memories = Bundle("memories")
    runs = Bundle("runs")

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = FixedClock()
        ids = CountingIds()
        self.mem = {
            name: reverie.open(self.folder / "h.db", name, embedder="hashing:32", clock=self.clock, ids=ids,
                               channel="person")
            for name in ("one", "two")
        }  # fmt: skip
        self.state: dict[str, dict[str, str]] = {"one": {}, "two": {}}
        self.text: dict[str, str] = {}
        self.written: dict[str, set[str]] = {"one": set(), "two": set()}

    def live_texts(self, space):
        return {norm_text(self.text[i]): i for i, s in self.state[space].items() if s == "live"}

    def read_states(self, space):
        self.state[space] = {m.id: m.state.value for m in self.mem[space].memories(state=None)}

    @rule(target=memories, space=SPACES, text=TEXTS)
    def remember(self, space, text):
        known = self.live_texts(space)
        got = self.mem[space].remember(text)
        self.written[space].add(text)
        if norm_text(text) in known:
            assert got.restated and got.id == known[norm_text(text)]
            return multiple()
        if got.restated:
            assert got.how == "guard"
            return multiple()
        self.text[got.id] = text
        self.state[space][got.id] = "live"
        return (space, got.id)

    @rule(where=memories)
    def forget(self, where):
        space, id_ = where
        if self.state[space][id_] == "live" and not self.mem[space].get(id_).pinned:
            self.mem[space].forget(id_)
            self.state[space][id_] = "archived"
        else:
            try:
                self.mem[space].forget(id_)
                raise AssertionError("forgot what is not live, or is pinned")
            except PolicyRefusal:
                pass

    @rule(where=memories)
    def restore(self, where):
        space, id_ = where
        taken = norm_text(self.text[id_]) in self.live_texts(space)
        try:
            self.mem[space].restore(id_)
            assert self.state[space][id_] in ("archived", "merged", "superseded") and not taken
            self.state[space][id_] = "live"
        except (Conflict, PolicyRefusal):
            assert taken or self.state[space][id_] == "live"

    @rule(where=memories, on=st.booleans())
    def pin(self, where, on):
        space, id_ = where
        assert self.mem[space].pin(id_, on).pinned is on

    @rule(target=memories, where=memories, text=TEXTS)
    def revise(self, where, text):
        space, id_ = where
        other = self.live_texts(space).get(norm_text(text))
        old = self.mem[space].get(id_)
        fine = old.state == "live" and not old.pinned and other in (None, id_) and text != old.text
        try:
            got = self.mem[space].revise(id_, text)
        except reverie.ReverieError:
            assert not fine
            return multiple()
        assert fine
        self.text[got.id] = text
        self.written[space].add(text)
        self.state[space] |= {id_: "superseded", got.id: "live"}
        return (space, got.id)

    @rule(target=runs, space=SPACES, days=st.sampled_from([0, 0, 40, 100]))
    def curate(self, space, days):
        self.clock.advance(days=days)
        before = dict(self.state[space])
        other = "two" if space == "one" else "one"
        untouched = list(self.mem[other].export())
        run = self.mem[space].curate()
        assert not run.errors and not run.skipped
        self.read_states(space)
        moved = {i for e in run.entries for i in e.detail["ids"][:1]}
        assert all(self.state[space][i] == s for i, s in before.items() if i not in moved)
        assert not self.mem[space].curate().entries
        assert list(self.mem[other].export()) == untouched
        return (space, run.id)

    @rule(where=consumes(runs))
    def undo(self, where):
        space, run = where
        undone = self.mem[space].undo(run)
        self.read_states(space)
        for kept in undone.conflicts:
            assert kept.why

    @rule(space=SPACES, text=TEXTS, limit=st.integers(1, 5))
    def recall(self, space, text, limit):
        hits = self.mem[space].recall(text, limit)
        assert len(hits) <= limit
        assert all(self.state[space][h.memory.id] == "live" for h in hits)
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
        exact = self.live_texts(space).get(norm_text(text))
        if exact and limit == 5:
            assert exact in {i for h in hits for i in (h.memory.id, *h.also)}

    @precondition(lambda self: any(self.state.values()))
    @rule(space=SPACES)
    def export_and_import_give_an_equal_store(self, space):
        path = self.folder / "export.jsonl"
        self.mem[space].export(path, journal=True)
        copy = self.folder / "copy"
        copy.mkdir()
        with reverie.open(copy / "c.db", space, embedder="hashing:32", clock=self.clock) as other:
            other.import_export(path)
            assert list(other.export(journal=True)) == list(self.mem[space].export(journal=True))
            assert other.check_journal()
        shutil.rmtree(copy)

    @invariant()
    def states_agree(self):
        for space, mem in self.mem.items():
            assert {m.id: m.state.value for m in mem.memories(state=None)} == self.state[space]

    @invariant()
    def nothing_written_is_lost(self):
        for space, mem in self.mem.items():
            readable = {m.text for m in mem.memories(state=None)}
            readable |= {s.wording for m in mem.memories(state=None) for s in mem.history(m.id).sightings if s.wording}
            assert self.written[space] <= readable
            assert mem.check_journal()

    def teardown(self):
        for mem in self.mem.values():
            assert mem._store.problems() == []
            mem.close()
        shutil.rmtree(self.folder)


TestHistory = History.TestCase
TestHistory.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
