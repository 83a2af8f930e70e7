"""Runs: the table and its charts, one run move by move, and taking back a run or an entry."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from starlette.responses import Response

from reverie.briefing import BOOKKEEPING, CURATION, MILLION
from reverie.doors.dashboard import charts, telling
from reverie.doors.dashboard.visit import Visit
from reverie.errors import NotFound
from reverie.model import RunRecord, State

PAGE, MOST = 50, 2_000
ENTRIES = 100
RECORDS = 20_000  # activity records of a month that are added up
WHICH = {"all": "Everything", "curation": "Curation", "acts": "People and agents", "undo": "Taken back"}
_MADE = ("undone", "conflicts")


def figures(r: RunRecord) -> list[tuple[str, int]]:
    """What a run changed, in words."""
    found = []
    for name, n in r.counts.items():
        if n and (name in telling.VERBS or name in _MADE):
            found.append((telling.VERBS[name][0].lower() if name in telling.VERBS else name, n))
    return found


def _is(r: RunRecord, which: str) -> bool:
    sort = "curation" if r.cycle in CURATION else r.cycle if r.cycle in BOOKKEEPING else "acts"
    return which == "all" or sort == which


def runs(v: Visit) -> Response:
    """Runs and acts, newest first, and what came of them over a month."""
    which = v.asked("which") if v.asked("which") in WHICH else "curation"
    asked = v.asked("most") or ""
    most = min(MOST, int(asked)) if asked.isascii() and asked.isdigit() and len(asked) < 6 else PAGE
    found = [r for r in v.mem.runs(MOST) if _is(r, which or "all")]
    stats = v.mem.stats()
    states = {s.value: stats["memories"][s.value] for s in State}
    return v.html(
        "runs.html", runs=[(r, figures(r)) for r in found[:most]], more=len(found) > most, next=most + 200, which=which,
        choices=WHICH, shares=charts.shares(states), states=states, charts=month(v), now=v.site.host.clock.now(),
    )  # fmt: skip


def month(v: Visit) -> list[charts.Chart]:
    """Counts per day over 30 days; and what a judge used, where one was asked."""
    today = v.site.host.clock.now().date()
    days = charts.days_until(today)
    since = datetime.combine(days[0], time(), UTC)
    records: list[Mapping[str, Any]] = v.mem.activity(RECORDS, since=since)
    moves = charts.by_day(records, charts.SERIES)
    found = [charts.stacked("Merged, superseded, archived per day", "moves", days, moves, list(charts.SERIES))]
    tokens = charts.by_day(records, {"tokens": "judge_tokens"})
    if any(d["tokens"] for d in tokens.values()):
        found.append(charts.stacked("Tokens per day", "tokens", days, tokens, ["tokens"]))
    return found


def spent(v: Visit) -> dict[str, float]:
    """What the judge of this namespace came to, today and in 30 days."""
    now = v.site.host.clock.now()
    sums = {"today": 0.0, "month": 0.0, "tokens_today": 0.0, "tokens_month": 0.0}
    for r in v.mem.activity(RECORDS, since=now - timedelta(days=30)):
        cost, tokens = r.get("judge_cost", 0) / MILLION, r.get("judge_tokens", 0)
        sums["month"] += cost
        sums["tokens_month"] += tokens
        if r["at"].date() == now.date():
            sums["today"] += cost
            sums["tokens_today"] += tokens
    return sums


def _found(v: Visit) -> RunRecord:
    """The run of the path. Raises NotFound."""
    id_ = v.param("id")
    for r in v.mem.runs(MOST):
        if r.id == id_:
            found: RunRecord = r
            return found
    raise NotFound


def run(v: Visit) -> Response:
    """One run, move by move."""
    r = _found(v)
    most = MOST if v.asked("all") else ENTRIES
    entries = v.mem.journal(run=r.id, limit=most + 1)
    groups = telling.grouped(v.mem, entries[:most])
    standing = sum(e.status == "applied" and e.undone_by is None for e in entries)
    return v.html(
        "run.html", r=r, figures=figures(r), groups=groups, more=len(entries) > most, standing=standing,
        quiet={k: n for k, n in r.counts.items() if n and k not in telling.VERBS},
    )  # fmt: skip


def ask_undo(v: Visit) -> Response:
    """Say what taking a run back would do, before it is done."""
    v.who.need("undo")
    r = _found(v)
    entries = v.mem.journal(run=r.id, limit=MOST)
    wanted = [e for e in entries if e.status == "applied" and e.undone_by is None]
    groups = telling.grouped(v.mem, wanted[:ENTRIES])
    return v.html("undo.html", r=r, groups=groups, count=len(wanted), more=max(0, len(wanted) - ENTRIES))


def undo_run(v: Visit) -> Response:
    """Take a run back, and show what came of it."""
    return _undone(v, v.mem.undo(_found(v).id))


def undo_entry(v: Visit) -> Response:
    """Take one entry back."""
    got = v.mem.undo(int(v.param("n")))
    if not got.conflicts and v.field("memory"):
        return v.to(v.at("memories", v.field("memory")), "undone_one")
    return _undone(v, got)


def _undone(v: Visit, got: Any) -> Response:
    if not got.conflicts:
        return v.to(v.at("runs", got.id), "undone", len(got))
    texts = telling.texts_of(v.mem, (i for k in got.conflicts[:ENTRIES] for i in k.ids))
    return v.html("undone.html", status=409, got=got, kept=got.conflicts[:ENTRIES], texts=texts)
