"""The review queue: what waits for a person, the texts side by side, and buttons for the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from reverie.curation.plan import Plan
from reverie.curation.review import ReviewItem
from reverie.doors.dashboard import telling
from reverie.doors.dashboard.visit import Visit

MOST = 50
PLANNED = 100  # moves of a parked plan that are shown


@dataclass(frozen=True, slots=True)
class Shown:
    """An item with its texts compared: name of the side, memory, parts."""

    item: ReviewItem
    sides: tuple[tuple[str, Any, telling.Marked], ...]
    title: str

    @property
    def clash(self) -> bool:
        """Whether the pair is supposed to contradict itself."""
        return self.item.verdict == "contradicts"


def shown(item: ReviewItem) -> Shown:
    """An item as a page shows it."""
    ms = item.memories
    if len(ms) == 2:
        left, right = telling.compared(ms[0].text, ms[1].text)
        names = ("Held so far", "Newcomer") if item.what == "quarantine" else ("Older", "Newer")
        sides: tuple[tuple[str, Any, telling.Marked], ...] = ((names[0], ms[0], left), (names[1], ms[1], right))
    else:
        name = "Newcomer" if item.what == "quarantine" else "Memory"
        sides = tuple((name if m is ms[-1] else "Held so far", m, telling.unmarked(m.text)) for m in ms)
    titles = {"plan": "A plan that was held back", "quarantine": "A newcomer that contradicts what is trusted"}
    pair = "Do these contradict each other?" if item.verdict == "contradicts" else "Are these the same?"
    return Shown(item, sides, titles.get(item.what, pair))


def queue(v: Visit) -> Response:
    """All that waits, oldest first."""
    found = v.mem.review(MOST + 1)
    return v.html("review.html", items=[shown(i) for i in found[:MOST]], more=len(found) > MOST)


def item(v: Visit) -> Response:
    """One thing that waits; of a plan, its diff."""
    found: ReviewItem = v.mem.review_item(v.param("id"))
    plan = None
    if found.plan is not None:
        plan = telling.plan(v.mem, Plan.from_dict(found.plan.plan), PLANNED)
    return v.html("review_item.html", s=shown(found), plan=plan)


def accept(v: Visit) -> Response:
    """Do what the item proposes, or what another verdict means."""
    verdict = v.field("verdict") or None
    run = v.mem.accept(v.param("id"), verdict)
    if run is not None:
        return v.to(v.at("runs", run.id), "applied", len(run))
    return v.to(v.at("review") if v.field("back") != "morning" else v.at(), "accepted")


def reject(v: Visit) -> Response:
    """Turn it down."""
    v.mem.reject(v.param("id"))
    return v.to(v.at("review") if v.field("back") != "morning" else v.at(), "rejected")
