"""The page of the morning: what happened on a day, what waits for a person, and how things stand."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from starlette.responses import Response

from reverie.briefing import Briefing, Section
from reverie.doors.dashboard import charts
from reverie.doors.dashboard.visit import Visit
from reverie.errors import InvalidInput
from reverie.reporting import day_of

ASKED = 3  # review items that the page shows with their buttons
LOOKED_AT = 100
FORTNIGHT = 14
FIRST_YEAR = 1970
TONES = {
    "failures": "bad", "review": "doubt", "new": "good", "merged": "merge", "superseded": "change", "promoted": "good",
    "archived": "rest", "quarantined": "doubt", "contradictions": "doubt", "undone": "rest", "redone": "rest",
    "left_over": "rest",
}  # fmt: skip
QUIET = frozenset({"acts", "restated", "stale", "gists", "signals", "other", "left_over"})


def glance(stats: dict[str, Any], now: datetime) -> tuple[str, list[str]]:
    """How things stand, from what is cheap to know: a level, and its causes. The health page has the full check."""
    bad = [f"{step} failed: {why}" for step, why in stats["last_errors"].items()]
    if stats["embedder_trouble"]:
        bad.append(f"embedder: {stats['embedder_trouble']}")
    if stats["hits_not_written"]:
        bad.append(f"recall hits could not be written: {stats['hits_not_written']}")
    look = []
    if stats["parked_plans"]:
        n = stats["parked_plans"]
        look.append(f"{n} plan{'' if n == 1 else 's'} held back by a blast cap")
    if stats["without_vector"]:
        look.append(f"{stats['without_vector']:,} memories have no vector yet")
    live, at = stats["memories"]["live"], stats["last_curated"]
    if live and at is None:
        look.append("nothing was ever curated here")
    elif at is not None and stats["memories"]["uncurated"] and now - at > timedelta(days=1):
        look.append("memories wait, and no run has finished for a day")
    return ("bad" if bad else "look" if look else "good"), [*bad, *look]


def briefing(v: Visit) -> Response:
    """The briefing of a day; of today where none is named."""
    now = v.site.host.clock.now()
    day = day_of(v.request.path_params.get("day"), now.date())
    if day.year < FIRST_YEAR:
        raise InvalidInput(f"the day {day.isoformat()} is before all that a journal knows")
    told: Briefing = v.mem.briefing(day)
    stats = v.mem.stats()
    today = day == now.date()
    waits = v.mem.review(LOOKED_AT) if today and v.may("review") else []
    waits.sort(key=lambda i: i.what != "plan")  # what holds a whole pass up comes first
    since = datetime.combine(day - timedelta(days=FORTNIGHT - 1), time(), UTC)
    until = datetime.combine(day, time(), UTC) + timedelta(days=1)
    records = v.mem.activity(10_000, since=since, until=until)
    sums = charts.by_day(records, charts.SERIES)
    chart = charts.stacked(
        "Curated per day", "moves", charts.days_until(day, FORTNIGHT), sums, list(charts.SERIES), 320, 130
    )
    level, causes = glance(stats, now)
    sections = _shown(told, hide_review=bool(waits))
    return v.html(
        "briefing.html", told=told, day=day, today=today, stats=stats, waits=waits[:ASKED], more_waits=len(waits) > ASKED,
        before=day - timedelta(days=1), after=None if today else day + timedelta(days=1), level=level, causes=causes,
        main=[s for s in sections if s.name not in QUIET], aside=[s for s in sections if s.name in QUIET], tones=TONES,
        chart=chart, now=now, lead=told.headline.removeprefix("While you were away: "),
    )  # fmt: skip


def _shown(told: Briefing, *, hide_review: bool) -> list[Section]:
    """The sections, but for those that only list again what needs review."""
    listed = {i.entry for s in told.sections if s.name == "review" for i in s.items}
    found = []
    for s in told.sections:
        again = s.name in ("quarantined", "contradictions") and not s.more and not {i.entry for i in s.items} - listed
        if not again and not (hide_review and s.name == "review"):
            found.append(s)
    return found
