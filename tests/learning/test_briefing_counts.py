"""What a briefing counts is what the journal holds, over random histories, on each store."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from notes import items

import reverie
from reverie.briefing import CURATION, ITEMS
from reverie.clock import CountingIds, FixedClock
from reverie.errors import ReverieError


def recount(mem, day):
    """The same figures, straight from the journal."""
    begin = datetime.combine(day, datetime.min.time(), UTC)
    end = begin + timedelta(days=1)
    runs = {r.id: r for r in mem.runs(1_000_000)}
    entries = [e for e in mem.journal(limit=1_000_000) if begin <= e.at < end]
    stand = [e for e in entries if e.status == "applied" and e.undone_by is None]
    done = [e for e in stand if e.undoes is None and runs[e.run].cycle in CURATION]
    by = Counter(e.move for e in done)
    doubted = {(e.run, e.detail["ids"][0]) for e in done if e.move == "Quarantine"}
    clash = [e for e in done if e.move == "Connect" and (e.run, e.detail["ids"][0]) not in doubted]
    undos = [e for e in stand if e.undoes is not None]
    undos = [e for e in undos if e.move != "Signal" or e.detail["move"]["source"] in ("store", "curator", "feedback")]
    acts = {e.run for e in stand if e.undoes is None and runs[e.run].cycle not in {*CURATION, "write", "undo", "judge"}}
    today = [r for r in runs.values() if begin <= r.started_at < end]
    return {
        "merged": by["MergeInto"], "superseded": by["Supersede"], "archived": by["Archive"],
        "quarantined": by["Quarantine"], "stale": by["MarkStale"], "gists": by["SetGist"], "signals": by["Signal"],
        "contradictions": len(clash), "other": 0, "acts": len(acts),
        "undone": sum(not e.detail.get("again") for e in undos), "redone": sum("again" in e.detail for e in undos),
        "restated": sum(runs[e.run].cycle == "write" and e.undoes is None for e in stand),
        "skipped": sum(e.status != "applied" for e in entries), "runs": sum(r.cycle in CURATION for r in today),
        "failed": sum(r.status in ("failed", "cut off") for r in today),
    }  # fmt: skip


HISTORY = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.lists(items, min_size=1, max_size=6)),
        st.tuples(st.just("curate"), st.none()),
        st.tuples(st.just("wait"), st.sampled_from([1, 11, 24, 24 * 40, 24 * 100])),
        st.tuples(st.sampled_from(["pin", "forget", "restore", "weigh", "reclassify"]), st.integers(0, 50)),
        st.tuples(st.just("undo"), st.integers(0, 5)),
    ),
    min_size=3,
    max_size=14,
)  # fmt: skip
VERBS = {
    "pin": lambda m, i: m.pin(i),
    "forget": lambda m, i: m.forget(i, train=True),
    "restore": lambda m, i: m.restore(i),
    "weigh": lambda m, i: m.weigh(i, 0.3),
    "reclassify": lambda m, i: m.reclassify(i, "concept"),
}


def live_through(mem, clock, history):
    for what, given_ in history:
        rows, runs = mem.memories(state=None), mem.runs()
        if what == "write":
            mem.remember_many([dict(n, train=len(n["text"]) % 5 == 0) for n in given_])
        elif what == "curate":
            mem.curate()
        elif what == "wait":
            clock.advance(hours=given_)
        elif what == "undo":
            if len(runs) > given_:
                mem.undo(runs[given_].id)
        elif rows:
            try:
                VERBS[what](mem, rows[given_ % len(rows)].id)
            except ReverieError:
                continue


@pytest.mark.parametrize(("store", "examples"), [("sqlite", 40), ("postgres", 10)])
def test_counts_are_those_of_the_journal(store, examples, request):
    server = request.getfixturevalue("server") if store == "postgres" else None
    url = server.database() if server else None
    tenants = iter(range(10_000))

    @settings(max_examples=examples)
    @given(HISTORY)
    def check(history):
        clock = FixedClock()
        with tempfile.TemporaryDirectory() as folder:
            where = url or str(Path(folder) / "notes.db")
            with reverie.open(
                where,
                tenant=f"t{next(tenants)}",
                embedder="hashing:64",
                clock=clock,
                ids=CountingIds(),
                channel="person",
            ) as mem:
                live_through(mem, clock, history)
                days = {e.at.date() for e in mem.journal(limit=1_000_000)} | {
                    r.started_at.date() for r in mem.runs(10**6)
                }
                for day in sorted(days | {clock.now().date()}):
                    made = mem.briefing(day)
                    expected = recount(mem, day)
                    assert {k: made.counts[k] for k in expected} == expected
                    listed = {s.name: s for s in made.sections}
                    assert all(listed[k].count == n for k, n in expected.items() if n and k in listed)
                    assert all(len(s.items) <= ITEMS for s in made.sections)
                    assert all(i.at.date() == day for s in made.sections for i in s.items)
                    assert mem.briefing(day, reading="agent").counts == made.counts

    try:
        check()
    finally:
        if server:
            server.drop(url)
