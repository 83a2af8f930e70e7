"""Verbs that read the journal: journal, runs."""

from __future__ import annotations

import typer

from reverie.doors.cli.app import MOST, NOT_SO, Door, verb
from reverie.doors.cli.curate import CURATE


@verb("journal", CURATE)
def journal(
    ctx: typer.Context,
    run: str = typer.Option(None, "--run", metavar="ID", help="Only this run, in order."),
    memory: str = typer.Option(None, "--memory", metavar="ID", help="Only this memory, in order."),
    limit: int = typer.Option(100, min=1, max=MOST, help="Most entries to show."),
    check: bool = typer.Option(False, "--check", help="Verify the hash chain instead: has somebody edited it?"),
) -> None:
    """Show what was done, by whom and why, newest first; or prove that nobody edited the record."""
    door: Door = ctx.obj
    with door.open() as mem:
        if check:
            chain = mem.check_journal()
            if door.json:
                door.emit({"ok": bool(chain), "entries": chain.entries, "broken_at": chain.broken_at, "why": chain.why})
            elif chain:
                typer.echo(f"the journal is whole: {chain.entries} entries, each following the one before")
            else:
                typer.echo(f"the journal was edited: entry {chain.broken_at}: {chain.why}")
            if not chain:
                raise typer.Exit(NOT_SO)
            return
        found = mem.journal(run=run, memory=memory, limit=limit)
    if door.json:
        from reverie.doors import encode

        door.emit([encode.entry(e) for e in found])
        return
    from reverie.doors.cli import show

    out = show.console()
    out.print(show.entries(found) if found else "the journal has no such entry")


@verb("runs", CURATE)
def runs(ctx: typer.Context, limit: int = typer.Option(50, min=1, max=MOST, help="Most runs to show.")) -> None:
    """List runs and acts, newest first."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.runs(limit)
    if door.json:
        from reverie.doors import encode

        door.emit([encode.record(r) for r in found])
        return
    from reverie.doors.cli import show

    out = show.console()
    out.print(show.records(found) if found else "nothing was done yet")
