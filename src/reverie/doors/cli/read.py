"""Verbs that only read: recall, know, context, get, history, list, stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from reverie.doors.cli.app import MOST, Door, verb
from reverie.doors.cli.write import moment

if TYPE_CHECKING:
    from reverie.recall.recall import Hit

READ = "Read"
_KIND = typer.Option(None, "--kind", help="Only this kind; may be given again.")
_STATE = typer.Option(None, "--state", help="Look among these states, not the live ones; may be given again.")


@verb("recall", READ)
def recall(
    ctx: typer.Context,
    query: str = typer.Argument(..., help="What to look for."),
    limit: int = typer.Option(None, min=1, help="How many; default: the setting recall_limit."),
    kind: list[str] = _KIND,
    budget: int = typer.Option(None, metavar="TOKENS", help="Stop at about so many tokens, with gists where needed."),
    as_of: str = typer.Option(None, metavar="ISO", help="Answer as the memory stood then."),
    trusted_only: bool = typer.Option(False, "--trusted-only", help="Only trusted memories."),
    state: list[str] = _STATE,
    explain: bool = typer.Option(False, "--explain", help="Show how each score came about."),
    no_log: bool = typer.Option(False, "--no-log", help="Do not count this as a use of what is found."),
) -> None:
    """Find the memories that answer a query, best first."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.recall(
            query, limit, kinds=kind or None, budget_tokens=budget, as_of=moment(as_of, "--as-of"),
            trusted_only=trusted_only, states=state or None, log=not no_log,
        )  # fmt: skip
        trouble = mem.stats()["embedder_trouble"]
    if trouble and not door.json:
        typer.echo(f"reverie: text search only, the embedder is down: {trouble}", err=True)
    _found(door, found, explain)


def _found(door: Door, found: list[Hit], explain: bool) -> None:
    """Show hits, or give them as JSON."""
    if door.json:
        from reverie.doors import encode

        door.emit([encode.hit(h) for h in found])
        return
    from reverie.doors.cli import show

    show.hits(show.console(), found, explain=explain)


@verb("know", READ)
def know(
    ctx: typer.Context,
    query: str = typer.Argument(..., help="What to look for."),
    limit: int = typer.Option(None, min=1, help="How many; default: the setting recall_limit."),
    trusted_only: bool = typer.Option(False, "--trusted-only", help="Only trusted memories."),
    explain: bool = typer.Option(False, "--explain", help="Show how each score came about."),
) -> None:
    """Find what is known: as recall, without what merely happened (episodes)."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.know(query, limit, trusted_only=trusted_only)
    _found(door, found, explain)


@verb("context", READ)
def context(
    ctx: typer.Context,
    query: str = typer.Argument(..., help="What to look for."),
    budget: int = typer.Option(1_000, "--budget", min=1, metavar="TOKENS", help="About how many tokens it may take."),
    trusted_only: bool = typer.Option(False, "--trusted-only", help="Only trusted memories."),
    knowledge: bool = typer.Option(False, "--know", help="Knowledge only, no episodes."),
) -> None:
    """Pack what answers a query into a block for a prompt: fenced as data, within a budget of tokens."""
    door: Door = ctx.obj
    with door.open() as mem:
        made = mem.context(query, budget, trusted_only=trusted_only, know=knowledge)
    if door.json:
        ids = [h.memory.id for h in made.hits]
        door.emit({"text": made.text, "tokens": made.tokens, "memories": ids, "left_out": made.left_out})
    else:
        typer.echo(made.text or "nothing that is known answers this within the budget")


@verb("get", READ)
def get(ctx: typer.Context, id: str = typer.Argument(..., help="Its id.")) -> None:  # noqa: A002
    """Show one memory, whatever its state."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.get(id)
    if door.json:
        from reverie.doors import encode

        door.emit(encode.memory(found))
        return
    from reverie.doors.cli import show

    show.memory(show.console(), found)


@verb("history", READ)
def history(ctx: typer.Context, id: str = typer.Argument(..., help="Its id.")) -> None:  # noqa: A002
    """Show every version, source and move of a memory."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.history(id)
    if door.json:
        from reverie.doors import encode

        door.emit(encode.history(found))
        return
    from reverie.doors.cli import show

    show.history(show.console(), found)


@verb("list", READ)
def listing(
    ctx: typer.Context,
    state: str = typer.Option("live", help="live, merged, superseded, archived, quarantined, or all."),
    kind: str = typer.Option(None, help="Only this kind."),
    limit: int = typer.Option(100, min=0, max=MOST, help="Most to show; 0 for all."),
) -> None:
    """List memories in the order in which they were written."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.memories(state=None if state == "all" else state, kind=kind, limit=limit or None)
    if door.json:
        from reverie.doors import encode

        door.emit([encode.memory(m) for m in found])
        return
    from reverie.doors.cli import show

    out = show.console()
    for m in found:
        show.hang(out, m.text or "(erased)", 2, "·")
        show.hang(out, show.about(m), 2)
    if not found:
        out.print("nothing found")


@verb("stats", READ)
def stats(ctx: typer.Context) -> None:
    """Counts by state, what waits, and what is wrong."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.stats()
    from reverie.doors import encode

    if door.json:
        door.emit({k: encode.value(v) for k, v in found.items()})
        return
    from reverie.doors.cli import show

    show.console().print(show.figures(found))
