"""The laws of the design as properties: convergence, exact undo, order independence, nothing lost, plan = apply."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from notes import items

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.curation.plan import Plan

EXAMPLES = settings(max_examples=30)


def opened(folder: str, clock: FixedClock | None = None) -> reverie.Reverie:
    return reverie.open(
        Path(folder) / "notes.db", embedder="hashing:64", clock=clock or FixedClock(), ids=CountingIds()
    )


def filled(folder: str, notes: list[dict], days: int = 0) -> tuple[reverie.Reverie, FixedClock]:
    clock = FixedClock()
    mem = opened(folder, clock)
    mem.remember_many(notes)
    clock.advance(days=days)
    return mem, clock


def canonical(mem: reverie.Reverie) -> Counter:
    """What a store says whatever its ids: each text with its state and the text it went into."""
    rows = {m.id: m for m in mem.memories(state=None)}

    def end(m):
        while m.merged_into:
            m = rows[m.merged_into]
        return m.text

    return Counter((m.text, m.kind, m.state, end(m)) for m in rows.values())


@EXAMPLES
@given(st.lists(items, max_size=25), st.sampled_from([0, 31, 100]))
def test_second_pass_changes_nothing(notes, days):
    with tempfile.TemporaryDirectory() as folder:
        mem, _ = filled(folder, notes, days)
        first = mem.curate()
        if not first.parked:
            assert not mem.plan()
        again = mem.curate()
        assert not again.entries and not again.skipped and again.parked == first.parked
        assert again.counts["curated"] == 0
        mem.close()


@EXAMPLES
@given(st.lists(items, max_size=25), st.sampled_from([0, 31, 100]))
def test_undo_restores_the_export_exactly(notes, days):
    with tempfile.TemporaryDirectory() as folder:
        mem, _ = filled(folder, notes, days)
        before = list(mem.export())
        run = mem.curate()
        undone = mem.undo(run.id)
        assert not undone.conflicts
        assert list(mem.export()) == before
        assert mem.check_journal()
        mem.close()


@EXAMPLES
@given(st.lists(items, max_size=25))
def test_what_was_undone_is_not_proposed_again(notes):
    with tempfile.TemporaryDirectory() as folder:
        mem, _ = filled(folder, notes, 100)
        run = mem.curate()
        mem.undo(run.id)
        again = [p.move.to_dict() for p in mem.plan().proposals]
        assert not [e.detail["move"] for e in run.entries if e.detail["move"] in again]
        mem.close()


@EXAMPLES
@given(st.lists(items, max_size=14, unique_by=lambda i: i["text"]), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(notes, random):
    """One kind and one channel: the older id breaks ties between equal rows, so only which texts go together is compared."""
    notes = [{"text": n["text"]} for n in notes]
    shuffled = random.sample(notes, len(notes))
    groups = []
    for order in (notes, shuffled):
        with tempfile.TemporaryDirectory() as folder:
            mem, _ = filled(folder, order)
            mem.curate()
            groups.append(grouped(mem))
            mem.close()
    assert groups[0] == groups[1]


def grouped(mem: reverie.Reverie) -> set[frozenset[str]]:
    """Which texts ended in one row, the wordings of restatements included."""
    found = set()
    for m in mem.memories():
        history = mem.history(m.id)
        wordings = {m.text} | {v.text for v in history.versions} | {s.wording for s in history.sightings if s.wording}
        found.add(frozenset(wordings))
    return found


@EXAMPLES
@given(st.lists(items, max_size=25), st.sampled_from([0, 100]))
def test_every_text_written_stays_readable_and_linked(notes, days):
    with tempfile.TemporaryDirectory() as folder:
        mem, _ = filled(folder, notes, days)
        mem.curate()
        mem.curate()
        rows = {m.id: m for m in mem.memories(state=None)}
        readable = {m.text for m in rows.values()}
        for m in rows.values():
            readable |= {s.wording for s in mem.history(m.id).sightings if s.wording}
            if m.state == "merged":
                assert m.merged_into in rows
                assert any(e.relation == "merged_into" and e.target == m.merged_into for e in mem.history(m.id).links)
        assert {n["text"] for n in notes} <= readable
        mem.close()


@EXAMPLES
@given(st.lists(items, max_size=25), st.sampled_from([0, 31, 100]))
def test_apply_does_exactly_what_the_plan_says_even_after_a_round_trip_through_json(notes, days):
    with tempfile.TemporaryDirectory() as folder:
        mem, _ = filled(folder, notes, days)
        plan = mem.plan()
        again = Plan.from_dict(plan.to_dict())
        assert again.to_dict() == plan.to_dict()
        run = mem.apply(again)
        held = {p.step for p in mem.parked()}  # a step beyond a blast cap waits whole
        planned = [p.move.to_dict() for s in plan.steps if s.step not in held for p in s.proposals]
        assert [e.detail["move"] for e in run.entries] == planned
        assert not run.skipped
        mem.close()


@EXAMPLES
@given(st.lists(items, max_size=25))
def test_merging_never_lowers_trust_importance_or_evidence_and_never_crosses_kinds(notes):
    with tempfile.TemporaryDirectory() as folder:
        mem, _ = filled(folder, notes)
        before = {m.id: m for m in mem.memories()}
        seen = sum(len(mem.history(i).sightings) for i in before)
        run = mem.curate()
        rows = {m.id: m for m in mem.memories(state=None)}
        for entry in run.entries:
            loser, survivor = entry.detail["ids"]
            assert rows[loser].kind == rows[survivor].kind
            assert rows[survivor].importance >= before[loser].importance
            assert not (before[loser].trust == "trusted" and rows[survivor].trust != "trusted")
            assert rows[survivor].state == "live"
        live = [m for m in rows.values() if m.state == "live"]
        assert sum(len(mem.history(m.id).sightings) for m in live) == seen
        assert sum(m.access_count for m in live) == sum(m.access_count for m in before.values())
        mem.close()


@EXAMPLES
@given(st.lists(items, max_size=20))
def test_as_of_a_moment_before_curation_finds_what_was_live_then(notes):
    with tempfile.TemporaryDirectory() as folder:
        mem, clock = filled(folder, notes)
        then = clock.now()
        live = {m.id for m in mem.memories()}
        clock.advance(days=200)
        mem.curate()
        for n in notes[:3]:
            found = {h.memory.id: h.memory for h in mem.recall(n["text"], 50, as_of=then)}
            assert set(found) <= live
            assert all(m.state == "live" and m.confidence == "default" for m in found.values())
            assert n["text"].rstrip(".").lower()[-9:] in " ".join(m.text.lower() for m in found.values())
        mem.close()


def test_times_do_not_depend_on_the_machine():
    assert FixedClock().now() == datetime(2026, 1, 1, 12, tzinfo=UTC)
