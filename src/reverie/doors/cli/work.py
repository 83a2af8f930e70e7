"""Verbs that keep a store going: worker, copy."""

from __future__ import annotations

import logging
import os
import signal
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from reverie.doors.cli.app import NOT_SO, Door, verb
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.model import Scope
    from reverie.work.visit import Visit

KEEP = "Keep going"
_ONLY = typer.Option(
    None, "--only", metavar="NS", help="Only this namespace of --tenant; may be given again. Default: all."
)


@verb("worker", KEEP)
def worker(
    ctx: typer.Context,
    only: list[str] = _ONLY,
    once: bool = typer.Option(False, "--once", help="Curate what is due now, and leave."),
) -> None:
    """Curate every namespace on schedule, until SIGTERM or Ctrl-C: then finish the transaction in hand and leave.

    On PostgreSQL any number of workers share the work, on any hosts.
    """
    door: Door = ctx.obj
    if not door.db:
        raise InvalidInput("no store is named: give --db FILE or URL, or set REVERIE_DB in the environment")
    if "://" not in door.db and not Path(door.db).expanduser().is_file():
        raise InvalidInput(f"there is no store at {door.db}; make one with: reverie --db {door.db} init")
    from reverie.work.worker import Worker

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))  # nothing is in hand yet
    made = Worker(
        door.db, tenant=door.tenant, namespaces=only or None, embedder=door.embedder,
        on_visit=None if once else lambda visit: _told(door, visit),
    )  # fmt: skip
    if hasattr(os, "nice"):
        os.nice(int(made.settings.worker_nice))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: made.ask_to_stop())
    if not once:
        made.run()
        return
    made.started -= timedelta(days=1)  # a timer calls it again and again: it has been there all the time
    visits = made.tick()
    made.stop()
    if door.json:
        door.emit({"visits": [_plain(v) for v in visits]})
    else:
        for visit in visits:
            _told(door, visit)
        if not visits:
            typer.echo("nothing is due")
    if any(v.outcome == "failed" for v in visits):
        raise typer.Exit(NOT_SO)


def _told(door: Door, visit: Visit) -> None:
    """One visit of a worker that goes on: a line, or with --json a JSON document a line."""
    if visit.outcome == "known":
        return
    if door.json:
        door.emit(_plain(visit))
    else:
        why = f": {visit.why}" if visit.why else ""
        where = f"{visit.scope.tenant}/{visit.scope.namespace}"
        typer.echo(f"{where}  {visit.cycle}  {visit.outcome}, {visit.moves} moves{why}")
    sys.stdout.flush()


def _plain(visit: Visit) -> dict[str, Any]:
    return {
        "tenant": visit.scope.tenant, "namespace": visit.scope.namespace, "cycle": visit.cycle, "slot": visit.key,
        "outcome": visit.outcome, "moves": visit.moves, "run": visit.run, "why": visit.why,
    }  # fmt: skip


@verb("copy", KEEP)
def copy(
    ctx: typer.Context,
    source: str = typer.Argument(..., metavar="SRC", help="The store to read: a file or a postgresql:// URL."),
    target: str = typer.Argument(..., metavar="DST", help="The store to write; a file is made where it is missing."),
    only: list[str] = _ONLY,
) -> None:
    """Copy a store into another, whole: journal, undo, vectors, settings. Says so only when both have been compared."""
    door: Door = ctx.obj
    from reverie.opening import open_store
    from reverie.settings import load
    from reverie.transfer.copying import copy as copied

    if "://" not in source and not Path(source).expanduser().is_file():
        raise InvalidInput(f"there is no store at {source}")
    if source == target:
        raise InvalidInput("a store cannot be copied into itself")
    settings = load()
    from_ = open_store(source, settings)
    try:
        to = open_store(target, settings)
        try:
            chosen = _chosen(door, only)
            found = [_say(door, one) for one in copied(from_, to, only=chosen, progress=_progress(door))]
        finally:
            to.close()
    finally:
        from_.close()
    if door.json:
        door.emit({"scopes": found, "verified": True})
    elif not found:
        typer.echo("there is nothing to copy")
    else:
        typer.echo(f"{len(found)} namespaces copied and compared: both stores hold the same")


def _chosen(door: Door, only: list[str] | None) -> Any:
    if not only:
        return None
    wanted = {(door.tenant, name) for name in only}
    return lambda scope: (scope.tenant, scope.namespace) in wanted


def _say(door: Door, one: Any) -> dict[str, Any]:
    if not door.json:
        rows = f"{one.counts.get('memory', 0):,} memories, {one.counts.get('entry', 0):,} journal entries"
        vectors = f"{one.counts.get('vector', 0):,} vectors"
        typer.echo(f"{one.scope.tenant}/{one.scope.namespace}  {rows}, {vectors}  {one.digest[:12]}")
    return {
        "tenant": one.scope.tenant, "namespace": one.scope.namespace, "records": dict(one.counts), "sha256": one.digest,
    }  # fmt: skip


def _progress(door: Door) -> Any:
    if door.json or not sys.stderr.isatty():
        return None

    def show(scope: Scope, n: int) -> None:
        typer.echo(f"\r{scope.tenant}/{scope.namespace}: {n:,} records", err=True, nl=False)

    return show
