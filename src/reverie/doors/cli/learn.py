"""Verbs that tell the models what to learn: reclassify, weigh, feedback, and the signals that wait for them."""

from __future__ import annotations

import typer

from reverie.doors.cli.acts import tell
from reverie.doors.cli.app import MOST, Door, verb
from reverie.doors.cli.write import moment

LEARN = "Teach"
_ID = typer.Argument(..., help="Its id.")
_KINDS = "episode, fact, preference, procedure, concept or problem."
_TRAIN = typer.Option(True, "--train/--no-train", help="Whether the models learn from it.")


@verb("reclassify", LEARN)
def reclassify(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    kind: str = typer.Argument(..., help=_KINDS),
    train: bool = _TRAIN,
) -> None:
    """Give a memory another kind. Its text stays."""
    door: Door = ctx.obj
    with door.open() as mem:
        tell(door, f"a {kind} now", mem.reclassify(id, kind, train))


@verb("weigh", LEARN)
def weigh(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    importance: float = typer.Option(None, help="0 to 1."),
    utility: float = typer.Option(None, help="0 to 1."),
    train: bool = _TRAIN,
) -> None:
    """Set how important or useful a memory is."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.weigh(id, importance, utility, train)
        tell(door, f"importance {found.importance:g}, utility {found.utility:g}", found)


@verb("feedback", LEARN)
def feedback(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    verdict: str = typer.Argument(..., help="confirmation, rejection or correction."),
    kind: str = typer.Option(None, help="For a correction, the right kind: " + _KINDS),
) -> None:
    """Say of a memory that it is right, wrong, or of another kind. Changes nothing but what is learnt."""
    door: Door = ctx.obj
    with door.open() as mem:
        given = mem.feedback(id, verdict, kind)
    if door.json:
        from reverie.doors import encode

        door.emit(encode.signal(given))
        return
    from reverie.doors.cli import show

    show.console().print(f"noted: {given.type} of {given.memory}", soft_wrap=True)


@verb("signals", LEARN)
def signals(
    ctx: typer.Context,
    since: str = typer.Option(None, metavar="ISO", help="Only from this time on."),
    withdrawn: bool = typer.Option(False, "--all", help="Those that were withdrawn too."),
    limit: int = typer.Option(100, min=1, max=MOST, help="Most to show."),
) -> None:
    """List training signals, newest first. No text is in one."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.signals(limit, since=moment(since, "--since"), pending=not withdrawn)
    if door.json:
        from reverie.doors import encode

        door.emit([encode.signal(s) for s in found])
        return
    from reverie.doors.cli import show

    out = show.console()
    out.print(show.signals(found) if found else "no signal waits")
