"""Verbs of review: what waits for a person, and a person's word on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from reverie.doors.cli.app import MOST, Door, verb
from reverie.doors.cli.curate import CURATE, show_run
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.curation.review import ReviewItem

ACTIONS = ("list", "show", "accept", "reject")


@verb("review", CURATE)
def review(
    ctx: typer.Context,
    action: str = typer.Argument("list", metavar="list|show|accept|reject", help="What to do."),
    id: str = typer.Argument(None, metavar="ID", help="The item, for all but list."),  # noqa: A002
    verdict: str = typer.Option(
        None, "--verdict", metavar="VERDICT", help="With accept, of a pair: same, contradicts or unrelated."
    ),
    limit: int = typer.Option(100, "--limit", min=1, max=MOST, help="Most items to list."),
) -> None:
    """Decide what curation leaves to a person: parked plans, quarantined newcomers, pairs that nobody could tell apart."""
    door: Door = ctx.obj
    if action not in ACTIONS:
        raise InvalidInput(f"review can {', '.join(ACTIONS)}, not {action}")
    if (id is None) != (action == "list"):
        raise InvalidInput(
            "review list takes no ID" if action == "list" else f"say which item to {action}: review {action} ID"
        )
    if verdict is not None and action != "accept":
        raise InvalidInput("--verdict goes with review accept")
    if action == "list":
        with door.open() as mem:
            found = mem.review(limit)
        _list(door, found)
    elif action == "show":
        with door.open() as mem:
            item = mem.review_item(id)
        _show(door, item)
    elif action == "accept":
        with door.open() as mem:
            run = mem.accept(id, verdict)
        if run is not None:
            show_run(door, run)
        else:
            _said(door, id, "accepted")
    else:
        _reject(door, id)


@verb("reject", CURATE)
def reject(ctx: typer.Context, id: str = typer.Argument(..., help="The parked plan or review item.")) -> None:  # noqa: A002
    """Turn down what waits for review; the same as `review reject`."""
    _reject(ctx.obj, id)


def _reject(door: Door, id_: str) -> None:
    with door.open() as mem:
        mem.reject(id_)
    _said(door, id_, "rejected")


def _said(door: Door, id_: str, status: str) -> None:
    if door.json:
        door.emit({"id": id_, "status": status})
    else:
        typer.echo(f"{status}: {id_}")


def _list(door: Door, found: Sequence[ReviewItem]) -> None:
    if door.json:
        door.emit([i.to_dict() for i in found])
        return
    from reverie.doors.cli import show

    out = show.console()
    if not found:
        out.print("nothing waits for review")
        return
    body = ((i.id, i.what, show.when(i.at), _first(i)) for i in found)
    out.print(show.rows("", ("id", "what", "when", "why"), body))
    out.print("Read one with: reverie review show ID; then: reverie review accept ID, or: reverie review reject ID")


def _first(i: ReviewItem) -> str:
    from reverie.doors.cli import show

    return "\n".join((i.reason, *(f"  {show.short(m.text, 70)}" for m in i.memories)))


def _show(door: Door, item: ReviewItem) -> None:
    if door.json:
        door.emit(item.to_dict() | ({"plan": item.plan.plan} if item.plan else {}))
        return
    from rich.text import Text

    from reverie.curation.plan import Plan
    from reverie.doors.cli import diff, show
    from reverie.doors.cli.curate import texts_of

    out = show.console()
    out.print(Text(f"{item.what}: {show.safe(item.reason)}", style="bold"))
    if item.plan is not None:
        plan = Plan.from_dict(item.plan.plan)
        with door.open() as mem:
            texts = texts_of(mem, plan)
        diff.plan(out, plan, texts, limit=0)
    elif len(item.memories) == 2:
        left, right, _ = diff.words(item.memories[0].text, item.memories[1].text, ("~", "~"))
        for name, text, m in zip(("older", "newer"), (left, right), item.memories, strict=True):
            show.hang(out, text, 7, name)
            show.hang(out, show.about(m), 7)
    else:
        for m in item.memories:
            show.hang(out, m.text, 2, "·")
            show.hang(out, show.about(m), 2)
    if item.similarity:
        out.print(
            Text(
                f"similarity {item.similarity:.3f}" + (f", {item.model} says {item.verdict}" if item.model else ""),
                style="dim",
            )
        )
    show.hang(out, item.accept, 8, "accept:")
    show.hang(out, item.reject, 8, "reject:")
