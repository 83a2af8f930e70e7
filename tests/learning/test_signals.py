"""What acts tell the models [S1]: given once, in the run of the act, withdrawn with it, and with no text in it."""

from __future__ import annotations

import itertools

import pytest

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import Conflict, InvalidInput, NotFound, PolicyRefusal
from reverie.model import Kind, State, Trust
from reverie.transitions import MOVES, Signal, Weigh, move_from_dict


@pytest.fixture
def me(url, clock, ids):
    """A person at work: on each store."""
    with reverie.open(url, embedder="hashing", clock=clock, ids=ids, channel="person") as opened:
        yield opened


def told(mem, *, pending=True):
    """(type, source, strength) of the signals, oldest first."""
    return [(s.type, s.source, s.strength) for s in reversed(mem.signals(pending=pending))]


def moves(mem, run):
    return [e.move for e in mem.journal(run=run)]


# what gives a signal, and what does not
def test_a_plain_write_a_recall_and_a_verification_tell_nothing(me):
    id_ = me.remember("The north gate is painted green").id
    me.recall("north gate")
    me.flush()
    me.verify(id_)
    me.verify(id_, on=False)
    me.forget(id_)
    assert me.signals(pending=False) == []


def test_each_act_tells_its_own(me):
    stored = me.remember("The north gate is painted green", train=True).id
    me.pin(stored)
    me.pin(stored, on=False)
    me.weigh(stored, importance=0.9)
    me.reclassify(stored, "preference")
    me.forget(stored, train=True)
    assert told(me) == [
        ("accept", "store", "normal"),
        ("accept", "pin", "high"),
        ("accept", "weight", "medium"),
        ("reclassify", "kind", "normal"),
        ("reject", "delete", "normal"),
    ]
    assert {s.memory for s in me.signals()} == {stored}


def test_a_signal_stands_in_the_run_of_its_act(me):
    id_ = me.remember("The north gate is painted green").id
    for act, expected in (
        (lambda: me.pin(id_), ["Pin", "Signal"]),
        (lambda: me.pin(id_, on=False), ["Pin"]),
        (lambda: me.weigh(id_, utility=0.1), ["Weigh", "Signal"]),
        (lambda: me.reclassify(id_, Kind.PREFERENCE), ["SetKind", "Signal"]),
        (lambda: me.reclassify(id_, Kind.FACT, train=False), ["SetKind"]),
        (lambda: me.feedback(id_, "confirmation"), ["Signal"]),
        (lambda: me.forget(id_, train=True), ["Archive", "Signal"]),
    ):
        act()
        run = me.runs(1)[0]
        assert moves(me, run.id) == expected
        assert run.counts == {run.cycle: 1}
    assert me.check_journal()


def test_a_trained_write_is_one_run_and_says_no_text(me):
    id_ = me.remember("The north gate is painted green", train=True).id
    (run,) = me.runs()
    assert (run.cycle, run.counts) == ("remember", {"remember": 1})
    (entry,) = me.journal()
    assert (entry.move, entry.status, entry.detail["ids"]) == ("Signal", "applied", [id_])
    assert "green" not in str(entry)
    assert not any(f in dir(me.signals()[0]) for f in ("text", "content", "content_snapshot"))


def test_a_restatement_signals_the_memory_that_is_there(me):
    first = me.remember("The north gate is painted green").id
    again = me.remember("the north gate is painted green.", train=True)
    assert again.restated and again.id == first
    assert [s.memory for s in me.signals()] == [first]


def test_many_items_take_it_one_by_one_and_one_run_tells_of_them(me):
    items = [{"text": f"Ticket {i} is about gate {i * 7}", "train": i % 2 == 0} for i in range(6)]
    got = me.remember_many([*items, {"text": "", "train": True}, {"text": "Ticket 0 is about gate 0", "train": True}])
    assert sorted(s.memory for s in me.signals()) == sorted(g.id for g in got[:6:2])
    (run,) = me.runs()
    assert run.counts == {"remember": 3} and moves(me, run.id) == ["Signal"] * 3
    assert isinstance(got[6].error, InvalidInput)
    (bad,) = me.remember_many([{"text": "a text", "train": "yes"}])
    assert isinstance(bad.error, InvalidInput)


def test_a_known_external_id_writes_nothing_and_a_revision_may_teach(me):
    first = me.remember("The north gate is painted green", external_id="x").id
    assert me.remember("The north gate is painted green", external_id="x", train=True).known
    assert me.signals() == []
    second = me.revise(first, "The north gate is painted blue", train=True).id
    assert [(s.memory, s.source) for s in me.signals()] == [(second, "store")]


def test_writing_without_it_writes_not_a_line_of_the_journal(me):
    me.remember("The north gate is painted green", train=False)
    assert me.runs() == [] and me.journal() == []


# once
def test_a_second_of_the_same_is_neither_an_error_nor_skipped(me):
    id_ = me.remember("The north gate is painted green", train=True).id
    me.remember("The north gate is painted green", train=True)
    assert len(me.runs()) == 1  # nothing new was told
    me.pin(id_)
    assert me.pin(id_).pinned
    me.feedback(id_, "rejection")
    assert me.feedback(id_, "rejection").type == "rejection"
    assert told(me) == [("accept", "store", "normal"), ("accept", "pin", "high"), ("rejection", "feedback", "normal")]
    assert {e.status for e in me.journal()} == {"applied"}


def test_a_newer_correction_takes_the_place_of_the_one_that_waits(me):
    id_ = me.remember("The north gate is painted green").id
    me.feedback(id_, "correction", "preference")
    given = me.feedback(id_, "correction", "procedure")
    assert (given.predicted, given.corrected) == (Kind.FACT, Kind.PROCEDURE)
    assert me.signals() == [given]
    me.undo(me.runs(1)[0].id)
    assert [s.corrected for s in me.signals()] == [Kind.PREFERENCE]
    me.undo(me.runs(1)[0].id)
    assert [s.corrected for s in me.signals()] == [Kind.PROCEDURE]


# undo
ACTS = {
    "pin": lambda m, i: m.pin(i),
    "forget": lambda m, i: m.forget(i, train=True),
    "reclassify": lambda m, i: m.reclassify(i, "concept"),
    "weigh": lambda m, i: m.weigh(i, 0.9, 0.8),
    "feedback": lambda m, i: m.feedback(i, "correction", "concept"),
}


@pytest.mark.parametrize("act", ACTS)
def test_undo_withdraws_the_signal_and_doing_it_again_lets_it_wait_again(me, act):
    id_ = me.remember("The north gate is painted green").id
    before = me.get(id_)
    ACTS[act](me, id_)
    after, given = me.get(id_), me.signals()
    run = me.runs(1)[0].id
    for _ in range(3):
        undone = me.undo(run)
        assert undone and not undone.conflicts
        assert me.signals() == [] and len(me.signals(pending=False)) == 1
        assert me.get(id_).kind is before.kind and me.get(id_).state is State.LIVE and not me.get(id_).pinned
        run = me.undo(undone.id).id
        assert me.signals() == given
        redone = me.get(id_)
        assert (redone.kind, redone.state, redone.pinned, redone.importance, redone.utility) == (
            after.kind, after.state, after.pinned, after.importance, after.utility,
        )  # fmt: skip
    assert me.check_journal()


def test_a_trained_write_stays_written_when_its_signal_is_withdrawn(me):
    got = me.remember("The north gate is painted green", train=True)
    me.undo(me.runs(1)[0].id)
    assert me.signals() == [] and me.get(got.id).state is State.LIVE
    me.remember("The north gate is painted green", train=True)
    assert told(me) == [("accept", "store", "normal")]
    assert len(me.signals(pending=False)) == 2


def test_an_act_that_stays_keeps_its_signal(me):
    id_ = me.remember("The north gate is painted green").id
    me.pin(id_)
    first = me.runs(1)[0].id
    me.pin(id_)  # newer: the first cannot be taken back any more
    undone = me.undo(first)
    assert [k.move for k in undone.conflicts] == ["Pin", "Signal"] and not undone.entries
    assert me.get(id_).pinned and told(me) == [("accept", "pin", "high")]


def test_taking_back_the_second_of_two_leaves_the_first_one_s_signal(me):
    id_ = me.remember("The north gate is painted green").id
    me.pin(id_)
    me.pin(id_)
    undone = me.undo(me.runs(1)[0].id)
    assert len(undone) == 2
    assert me.get(id_).pinned and told(me) == [("accept", "pin", "high")]


def test_a_forgotten_text_that_was_written_anew_keeps_its_rejection(me):
    id_ = me.remember("The north gate is painted green").id
    me.forget(id_, train=True)
    run = me.runs(1)[0].id
    me.remember("The north gate is painted green")
    assert [k.move for k in me.undo(run).conflicts] == ["Archive", "Signal"]
    assert told(me) == [("reject", "delete", "normal")]


def test_pin_and_undo_in_turns_never_leaves_two_that_wait(me):
    id_ = me.remember("The north gate is painted green").id
    runs = []
    for _ in range(3):
        me.pin(id_)
        runs.append(me.runs(1)[0].id)
        me.undo(runs[-1])
    assert me.signals() == [] and len(me.signals(pending=False)) == 3
    me.undo(me.runs(1)[0].id)
    assert told(me) == [("accept", "pin", "high")] and me.get(id_).pinned


# the verbs
def test_reclassify_keeps_all_but_the_kind(me):
    id_ = me.remember("The north gate is painted green", importance=0.7, key="gate").id
    before = me.get(id_)
    after = me.reclassify(id_, "preference")
    assert after.kind is Kind.PREFERENCE
    assert (after.text, after.key, after.importance, after.trust) == (before.text, "gate", 0.7, Trust.TRUSTED)
    (signal,) = me.signals()
    assert (signal.predicted, signal.corrected) == (Kind.FACT, Kind.PREFERENCE)
    runs = len(me.runs())
    assert me.reclassify(id_, Kind.PREFERENCE) == after and len(me.runs()) == runs


def test_reclassify_is_looked_at_again_by_the_curator(me):
    me.remember("Jonas Weber works at Harborlight.", "preference")
    me.remember("Jonas Weber is employed by Harborlight.", "fact")
    me.curate()
    assert len(me.memories()) == 2
    me.reclassify(me.memories(kind="fact")[0].id, "preference")
    assert me.stats()["memories"]["uncurated"] == 1
    assert me.curate().counts["MergeInto"] == 1


def test_reclassify_raises_a_conflict_where_that_text_is_live_in_that_kind(me):
    me.remember("The north gate is painted green", "preference")
    other = me.remember("The north gate is painted green", "fact").id
    with pytest.raises(Conflict):
        me.reclassify(other, "preference")
    assert me.signals() == [] and me.journal() == [] and me.get(other).kind is Kind.FACT


@pytest.mark.parametrize("protect", ["pin", "verify"])
def test_only_a_person_gives_a_protected_memory_another_kind(me, url, clock, protect):
    id_ = me.remember("The north gate is painted green").id
    getattr(me, protect)(id_)
    with reverie.open(url, embedder="hashing", clock=clock, ids=CountingIds(900), channel="agent") as agent:
        with pytest.raises(PolicyRefusal):
            agent.reclassify(id_, "concept")
        other = agent.remember("The south door is made of oak").id
        assert agent.reclassify(other, "concept").kind is Kind.CONCEPT
    assert me.reclassify(id_, "concept").kind is Kind.CONCEPT


def test_verbs_refuse_what_is_not_live_or_not_there(me):
    id_ = me.remember("The north gate is painted green").id
    me.forget(id_)
    for verb in (lambda i: me.reclassify(i, "concept"), lambda i: me.weigh(i, 0.5)):
        with pytest.raises(PolicyRefusal):
            verb(id_)
        with pytest.raises(NotFound):
            verb("nobody")
    assert me.feedback(id_, "rejection").memory == id_  # a forgotten memory teaches as well
    with pytest.raises(NotFound):
        me.feedback("nobody", "rejection")


@pytest.mark.parametrize(
    "call",
    [
        lambda m, i: m.weigh(i),
        lambda m, i: m.weigh(i, 1.5),
        lambda m, i: m.weigh(i, utility=float("nan")),
        lambda m, i: m.weigh(i, 0.5, train="yes"),
        lambda m, i: m.reclassify(i, "rumour"),
        lambda m, i: m.reclassify(i, None),
        lambda m, i: m.reclassify(i, "fact", train=None),
        lambda m, i: m.feedback(i, "praise"),
        lambda m, i: m.feedback(i, ["confirmation"]),
        lambda m, i: m.feedback(i, "correction"),
        lambda m, i: m.feedback(i, "correction", "fact"),
        lambda m, i: m.feedback(i, "confirmation", "concept"),
        lambda m, i: m.forget(i, train="yes"),
        lambda m, i: m.signals(-1),
        lambda m, i: m.signals(since="2026-01-01"),
        lambda m, i: m.signals(pending=None),
        lambda m, i: m.remember("a text", train=1),
    ],
)
def test_what_cannot_be_taken_changes_nothing(me, call):
    id_ = me.remember("The north gate is painted green").id
    before = list(me.export(journal=True))
    with pytest.raises(InvalidInput):
        call(me, id_)
    assert list(me.export(journal=True)) == before


def test_signals_are_given_newest_first_since_a_time_and_up_to_a_limit(me, clock):
    ids = [g.id for g in me.remember_many([f"Ticket {i} is about gate {i * 7}" for i in range(4)])]
    for id_ in ids:
        clock.advance(minutes=1)
        me.feedback(id_, "confirmation")
    assert [s.memory for s in me.signals()] == ids[::-1]
    assert [s.memory for s in me.signals(2)] == ids[:1:-1]
    assert [s.memory for s in me.signals(since=clock.now())] == ids[3:]
    assert me.signals(0) == []


def test_signals_travel_with_an_export(me, tmp_path):
    id_ = me.remember("The north gate is painted green", train=True).id
    me.reclassify(id_, "concept")
    me.pin(id_)
    me.undo(me.runs(1)[0].id)
    me.export(tmp_path / "x.jsonl", journal=True)
    with reverie.open(tmp_path / "other.db", embedder="hashing", clock=FixedClock(), ids=CountingIds(500)) as other:
        other.import_export(tmp_path / "x.jsonl")
        assert other.signals(pending=False) == me.signals(pending=False)
        assert list(other.export(journal=True)) == list(me.export(journal=True))


# the moves
def test_moves_round_trip():
    kinds = [None, Kind.FACT, Kind.CONCEPT]
    for p, c, s in itertools.product(kinds, kinds, ("medium", "normal", "high")):
        move = Signal("a", "reclassify", "kind", p, c, s)
        assert move_from_dict(move.to_dict()) == move
    assert move_from_dict({"move": "Signal", "id": "a", "type": "accept", "source": "pin"}) == Signal(
        "a", "accept", "pin"
    )
    assert move_from_dict(Weigh("a", importance=0.5).to_dict()) == Weigh("a", None, None, 0.5)
    assert set(MOVES) >= {"Signal", "Weigh"}


def test_weigh_stays_within_its_bounds(me, clock):
    row = me.get(me.remember("The north gate is painted green").id)
    (effect,) = Weigh(row.id, 7.0, -1.0, -3.0).effects({row.id: row}, clock.now())
    assert effect.set == {"utility": 1.0, "importance": 0.0, "strength": 0.0, "strength_at": clock.now()}
    weighed = me.weigh(row.id, importance=0.2)
    assert (weighed.importance, weighed.utility) == (0.2, row.utility)
