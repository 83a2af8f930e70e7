"""The laws of the design as properties, on both stores: convergence, exact undo, order independence, nothing lost, plan = apply."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from notes import items

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.curation.plan import Plan

EXAMPLES = {"sqlite": 30, "postgres": 10}  # a store behind a socket is slower, and runs the same Python
Place = Callable[[], AbstractContextManager[tuple[str, str]]]  # gives the URL and the tenant of an empty namespace
_tenants = itertools.count(1)


@pytest.fixture(scope="module", params=list(EXAMPLES))
def store(request):
    """(name, place) of each store: a file an example, or a tenant an example in one database."""
    if request.param == "sqlite":
        yield request.param, in_a_file
        return
    server = request.getfixturevalue("server")
    url = server.database()
    yield request.param, lambda: nullcontext((url, f"t{next(_tenants)}"))
    server.drop(url)


@contextmanager
def in_a_file() -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "notes.db"), "default"


def law(*given_: SearchStrategy) -> Callable:
    """A law that must hold on every store: the function gets a place to open, then what hypothesis draws."""

    def on_each(check: Callable) -> Callable:
        checks = {name: settings(max_examples=n)(given(*given_)(check)) for name, n in EXAMPLES.items()}

        def test(store) -> None:
            name, place = store
            checks[name](place)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return on_each


@contextmanager
def filled(place: Place, notes: list[dict], days: int = 0) -> Iterator[tuple[reverie.Reverie, FixedClock]]:
    """An open namespace with these notes, so many days later; and its clock."""
    clock = FixedClock()
    with (
        place() as (url, tenant),
        reverie.open(url, tenant=tenant, embedder="hashing:64", clock=clock, ids=CountingIds()) as mem,
    ):
        mem.remember_many(notes)
        clock.advance(days=days)
        yield mem, clock


def canonical(mem: reverie.Reverie) -> Counter:
    """What a store says whatever its ids: each text with its state and the text it went into."""
    rows = {m.id: m for m in mem.memories(state=None)}

    def end(m):
        while m.merged_into:
            m = rows[m.merged_into]
        return m.text

    return Counter((m.text, m.kind, m.state, end(m)) for m in rows.values())


@law(st.lists(items, max_size=25), st.sampled_from([0, 31, 100]))
def test_second_pass_changes_nothing(place, notes, days):
    with filled(place, notes, days) as (mem, _):
        first = mem.curate()
        if not first.parked:
            assert not mem.plan()
        again = mem.curate()
        assert not again.entries and not again.skipped and again.parked == first.parked
        assert again.counts["curated"] == 0


@law(st.lists(items, max_size=25), st.sampled_from([0, 31, 100]))
def test_undo_restores_the_export_exactly(place, notes, days):
    with filled(place, notes, days) as (mem, _):
        before = list(mem.export())
        run = mem.curate()
        undone = mem.undo(run.id)
        assert not undone.conflicts
        assert list(mem.export()) == before
        assert mem.check_journal()


@law(st.lists(items, max_size=25))
def test_what_was_undone_is_not_proposed_again(place, notes):
    with filled(place, notes, 100) as (mem, _):
        run = mem.curate()
        mem.undo(run.id)
        again = [p.move.to_dict() for p in mem.plan().proposals]
        assert not [e.detail["move"] for e in run.entries if e.detail["move"] in again]


@law(st.lists(items, max_size=14, unique_by=lambda i: i["text"]), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(place, notes, random):
    """One kind and one channel: the older id breaks ties between equal rows, so only which texts go together is compared."""
    notes = [{"text": n["text"]} for n in notes]
    shuffled = random.sample(notes, len(notes))
    groups = []
    for order in (notes, shuffled):
        with filled(place, order) as (mem, _):
            mem.curate()
            groups.append(grouped(mem))
    assert groups[0] == groups[1]


def grouped(mem: reverie.Reverie) -> set[frozenset[str]]:
    """Which texts ended in one row, the wordings of restatements included."""
    found = set()
    for m in [
        *mem.memories(),
        *mem.memories(state="superseded"),
    ]:  # which of two clashing notes is newer does depend on it
        history = mem.history(m.id)
        wordings = (
            {m.text}
            | {v.text for v in history.versions if v.state == "merged"}
            | {s.wording for s in history.sightings if s.wording}
        )
        found.add(frozenset(wordings))
    return found


@law(st.lists(items, max_size=25), st.sampled_from([0, 100]))
def test_every_text_written_stays_readable_and_linked(place, notes, days):
    with filled(place, notes, days) as (mem, _):
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


@law(st.lists(items, max_size=25), st.sampled_from([0, 31, 100]))
def test_apply_does_exactly_what_the_plan_says_even_after_a_round_trip_through_json(place, notes, days):
    with filled(place, notes, days) as (mem, _):
        plan = mem.plan()
        again = Plan.from_dict(plan.to_dict())
        assert again.to_dict() == plan.to_dict()
        run = mem.apply(again)
        held = {p.step for p in mem.parked()}  # a step beyond a blast cap waits whole
        planned = [p.move.to_dict() for s in plan.steps if s.step not in held for p in s.proposals]
        assert [e.detail["move"] for e in run.entries] == planned
        assert not run.skipped


@law(st.lists(items, max_size=25))
def test_merging_never_lowers_trust_importance_or_evidence_and_never_crosses_kinds(place, notes):
    with filled(place, notes) as (mem, _):
        before = {m.id: m for m in mem.memories()}
        seen = sum(len(mem.history(i).sightings) for i in before)
        run = mem.curate()
        rows = {m.id: m for m in mem.memories(state=None)}
        for entry in (e for e in run.entries if e.move == "MergeInto"):
            loser, survivor = entry.detail["ids"]
            assert rows[loser].kind == rows[survivor].kind
            assert rows[survivor].importance >= before[loser].importance
            assert not (before[loser].trust == "trusted" and rows[survivor].trust != "trusted")
            assert rows[survivor].state != "merged"
        left = [m for m in rows.values() if m.state != "merged" and m.id in before]
        assert sum(len(mem.history(m.id).sightings) for m in left) == seen
        assert sum(m.access_count for m in left) == sum(m.access_count for m in before.values())


@law(st.lists(items, max_size=20))
def test_as_of_a_moment_before_curation_finds_what_was_live_then(place, notes):
    with filled(place, notes) as (mem, clock):
        then = clock.now()
        live = {m.id for m in mem.memories()}
        clock.advance(days=200)
        mem.curate()
        for n in notes[:3]:
            found = {h.memory.id: h.memory for h in mem.recall(n["text"], 50, as_of=then)}
            assert set(found) <= live
            assert all(m.state == "live" and m.confidence == "default" for m in found.values())
            assert n["text"].rstrip(".").lower()[-9:] in " ".join(m.text.lower() for m in found.values())


def test_times_do_not_depend_on_the_machine():
    assert FixedClock().now() == datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_undoing_undoes_over_and_over_leaves_the_journal_saying_what_stands(mem):
    id_ = mem.remember("The lamp is by the door.").id
    mem.forget(id_)
    last = mem.runs(1)[0].id
    for n in range(1, 8):
        last = mem.undo(last).id
        standing = mem.journal(memory=id_)[0].undone_by is None
        assert standing == (n % 2 == 0) == (mem.get(id_).state == "archived"), n
