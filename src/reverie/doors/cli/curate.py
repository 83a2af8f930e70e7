"""Verbs of curation: plan, apply, reject, curate, undo."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from reverie.doors.cli.app import MOST, NOT_SO, Door, verb
from reverie.doors.cli.write import moment
from reverie.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from reverie.curation.executor import Run
    from reverie.curation.plan import Plan
    from reverie.memory import Reverie

CURATE = "Curate"
_LIMIT = typer.Option(20, "--limit", min=0, help="Most groups of merges to show; 0 for all.")
_NEAR = typer.Option(10, "--near", min=0, help="Most near misses to show; 0 for all.")
_CYCLE = typer.Option("tidy", "--cycle", help="Which cycle.")
_ASK = typer.Option(True, "--judge/--no-judge", help="Ask the judge, if one is set up, what code cannot decide.")


def texts_of(mem: Reverie, plan: Plan) -> dict[str, str]:
    """The texts that a plan speaks of. A memory that is gone by now has none."""
    return {i: m.text for i, m in mem.rows_of(plan).items()}


def read_plan(name: str) -> Plan:
    """A plan from the file that ``plan --out`` wrote, or from stdin. Raises InvalidInput."""
    from reverie.curation.plan import Plan

    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return Plan.from_dict(json.loads(raw))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"{name} is not a plan that `reverie plan --out` wrote ({error!r})") from None


@verb("plan", CURATE)
def plan(
    ctx: typer.Context,
    cycle: str = _CYCLE,
    out: str = typer.Option(None, "--out", metavar="FILE", help="Store the plan, for `apply FILE`."),
    waiting: bool = typer.Option(False, "--parked", help="List the plans that wait for a person."),
    limit: int = _LIMIT,
    near: int = _NEAR,
    ask: bool = _ASK,
) -> None:
    """Show what curation would do, as a diff, and what it leaves alone and why. Changes no memory."""
    door: Door = ctx.obj
    from reverie.doors import encode

    with door.open() as mem:
        if waiting:
            _parked(door, mem)
            return
        made = mem.plan(cycle, ask=ask)
        texts = texts_of(mem, made)
    document = encode.plan(made, texts)
    if out:
        Path(out).write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
    if door.json:
        door.emit(document)
    else:
        from reverie.doors.cli import diff, show

        to = show.console()
        diff.plan(to, made, texts, limit=limit, near=near)
        if out:
            to.print(f"Stored. Apply it with: reverie apply {out}", soft_wrap=True)
    if made.errors:
        raise typer.Exit(NOT_SO)


def _parked(door: Door, mem: Reverie) -> None:
    from reverie.doors import encode
    from reverie.doors.cli import show

    found = mem.parked()
    if door.json:
        door.emit([encode.parked(p) for p in found])
        return
    out = show.console()
    if not found:
        out.print("no plan is waiting")
        return
    waiting = ((p.id, p.step, show.when(p.at), p.reason) for p in found)
    out.print(show.rows("", ("plan", "step", "when", "why"), waiting))
    out.print("Approve one with: reverie apply ID; turn it down with: reverie reject ID")


@verb("apply", CURATE)
def apply(
    ctx: typer.Context,
    plan: str = typer.Argument(..., metavar="FILE|ID", help="A stored plan (- for stdin), or the id of a parked one."),
    approve: bool = typer.Option(False, "--approve", help="You have read it: the blast caps do not hold it back."),
) -> None:
    """Do exactly what a plan says. Rows that changed since are skipped, and told."""
    door: Door = ctx.obj
    stored = read_plan(plan) if plan == "-" or Path(plan).is_file() else None
    with door.open() as mem:
        if stored is None and plan not in {p.id for p in mem.parked()}:
            raise NotFound(f"{plan} is neither a file nor the id of a plan that waits; see: reverie plan --parked")
        show_run(door, mem.apply(plan if stored is None else stored, approved=approve))


@verb("curate", CURATE)
def curate(ctx: typer.Context, cycle: str = _CYCLE, limit: int = _LIMIT, near: int = _NEAR, ask: bool = _ASK) -> None:
    """Plan and apply, and show what was done. Everything is undoable, so nothing is asked."""
    door: Door = ctx.obj
    with door.open() as mem:
        made = mem.plan(cycle, ask=ask)
        if not door.json:
            from reverie.doors.cli import diff, show

            diff.plan(show.console(), made, texts_of(mem, made), limit=limit, near=near)
        show_run(door, mem.apply(made), counted=True)


def show_run(door: Door, run: Run, *, counted: bool = False) -> None:
    """What a run did; leaves with code 1 where it failed or was held back."""
    if door.json:
        from reverie.doors import encode

        door.emit(encode.run(run))
    else:
        from reverie.doors.cli import diff, show

        out = show.console()
        out.print(
            f"Run {run.id}: {run.status}, {len(run)} move{'' if len(run) == 1 else 's'} made, {len(run.skipped)} skipped"
        )
        if not counted:  # the plan above has said so
            diff.counts(out, run.counts)
            diff.errors(out, run.errors)
        for e in run.skipped[:10]:
            out.print(f"  skipped {e.move}: {show.safe(str(e.detail.get('skipped', '')))}")
        for id_ in run.parked:
            out.print(f"Held back by a blast cap: read it with `plan --parked`, then: reverie apply {id_}")
        if run.status == "parked" and not run.parked:
            out.print("Held back by a blast cap, and waiting already: see `plan --parked`")
        if len(run):
            out.print(f"Take it back with: reverie undo {run.id}")
    if run.status in {"parked", "failed"}:
        raise typer.Exit(NOT_SO)


@verb("undo", CURATE)
def undo(
    ctx: typer.Context,
    run: str = typer.Argument(None, help="The run to take back."),
    entry: int = typer.Option(None, "--entry", metavar="N", min=1, max=MOST, help="One journal entry."),
    since: str = typer.Option(None, "--since", metavar="ISO", help="Everything since a time."),
) -> None:
    """Take back a run, an entry, or everything since a time. What newer edits touched is left, and listed."""
    door: Door = ctx.obj
    targets: list[Any] = [t for t in (run, entry, moment(since, "--since")) if t is not None]
    if len(targets) != 1:
        raise InvalidInput("say one thing to take back: RUN_ID, --entry N or --since ISO")
    with door.open() as mem:
        done = mem.undo(targets[0])
    if door.json:
        from reverie.doors import encode

        door.emit(encode.undone(done))
    else:
        from reverie.doors.cli import show

        show.undone(show.console(), done)
    if done.conflicts:
        raise typer.Exit(NOT_SO)
