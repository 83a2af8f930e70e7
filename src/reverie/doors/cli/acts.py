"""A person's verbs over one memory: forget, restore, pin, verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from reverie.doors.cli.app import Door, verb

if TYPE_CHECKING:
    from reverie.model import Memory

ACTS = "Decide"
_ID = typer.Argument(..., help="Its id.")


def tell(door: Door, word: str, m: Memory) -> None:
    """Say what became of a memory."""
    if door.json:
        from reverie.doors import encode

        door.emit(encode.memory(m))
        return
    from reverie.doors.cli import show

    out = show.console()
    out.print(f"{word}: {show.short(m.text, 80)}")
    out.print(show.about(m))


@verb("forget", ACTS)
def forget(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    reason: str = typer.Option("asked by the caller", help="Why, for the journal."),
    train: bool = typer.Option(False, "--train", help="An example of what is not worth keeping: learn from it."),
) -> None:
    """Archive a memory: out of recall, whole, restorable."""
    door: Door = ctx.obj
    with door.open() as mem:
        tell(door, "forgotten", mem.forget(id, reason, train))


@verb("restore", ACTS)
def restore(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    reason: str = typer.Option("asked by the caller", help="Why, for the journal."),
) -> None:
    """Bring a memory back to live."""
    door: Door = ctx.obj
    with door.open() as mem:
        tell(door, "restored", mem.restore(id, reason))


@verb("pin", ACTS)
def pin(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    off: bool = typer.Option(False, "--off", help="Take the pin away."),
) -> None:
    """Protect a memory from every step of curation."""
    door: Door = ctx.obj
    with door.open() as mem:
        tell(door, "unpinned" if off else "pinned", mem.pin(id, not off))


@verb("verify", ACTS)
def verify(
    ctx: typer.Context,
    id: str = _ID,  # noqa: A002
    off: bool = typer.Option(False, "--off", help="Take the confirmation back."),
) -> None:
    """Confirm a memory: it never goes stale, and nothing retires it."""
    door: Door = ctx.obj
    with door.open() as mem:
        tell(door, "no longer verified" if off else "verified", mem.verify(id, not off))
