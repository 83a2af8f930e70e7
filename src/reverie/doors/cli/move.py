"""Verbs that move memories between files and the store: import, export."""

from __future__ import annotations

import io
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from reverie.doors.cli.app import NOT_SO, Door, verb
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.memory import Reverie
    from reverie.transfer.sources import Source, Tally

MOVE = "Move"
_MAP = typer.Option(
    None, "--map", metavar="FIELD=PATH,...",
    help="Where in a JSON row a field stands: text=content,occurred_at=meta.date,metadata.speaker=who. "
    "An empty path: not read.",
)  # fmt: skip
_HEAD = 4096  # bytes in which an export's header shows


@verb("export", MOVE)
def export(
    ctx: typer.Context,
    file: str = typer.Argument("-", metavar="FILE", help="Where to; - writes JSON lines to stdout."),
    journal: bool = typer.Option(False, "--journal", help="With the journal, so that undo works after an import."),
    force: bool = typer.Option(False, "--force", help="Write over a file that is there."),
) -> None:
    """Write every memory, sighting and link as JSON lines, losslessly."""
    door: Door = ctx.obj
    if file != "-" and Path(file).exists() and not force:
        raise InvalidInput(f"{file} is there already; name another file, or say --force")
    with door.open() as mem:
        if file == "-":
            for record in mem.export(journal=journal):  # type: ignore[union-attr]
                typer.echo(json.dumps(record, ensure_ascii=False, sort_keys=True))
            return
        n = mem.export(file, journal=journal)
    if door.json:
        door.emit({"file": file, "records": n, "journal": journal})
    else:
        typer.echo(f"{file}: {n} records")


@verb("import", MOVE)
def import_(
    ctx: typer.Context,
    file: str = typer.Argument(..., metavar="FILE", help="What to read; - for stdin."),
    format: str = typer.Option(  # noqa: A002
        None, "--format", help="jsonl, lines or markdown (its list items). Default: told from the name or first line."
    ),
    map_: list[str] = _MAP,
    keep_rest: bool = typer.Option(False, "--keep-rest", help="Put the other fields of a row into its metadata."),
    source: str = typer.Option(
        None, "--source", metavar="LABEL", help="Names the source in the ids that it gives. Default: the file's name."
    ),
) -> None:  # fmt: skip
    """Read notes, or a lossless export into an empty namespace. Reading a file again writes nothing twice."""
    door: Door = ctx.obj
    from reverie.transfer.sources import Source, parse_map

    with _opened(file) as (stream, name, size):
        exported = format is None and _is_export(stream)
        rows = Source(
            stream, source or name, name=name, format=format, fields=parse_map(map_ or []), keep_rest=keep_rest
        )
        with door.open(create=True, channel="import") as mem:
            if exported:
                _restore(door, mem, file, stream)
            else:
                _take(door, mem, rows, size)


def _take(door: Door, mem: Reverie, rows: Source, size: int | None) -> None:
    from reverie.transfer.sources import Tally, take

    tally, start = Tally(), time.monotonic()
    try:
        with _progress(door, size, rows, tally) as tick:
            take(rows, mem.import_stream, tally, tick)
    except KeyboardInterrupt:
        if not door.json:
            typer.echo(
                f"reverie: stopped after {tally.rows:,} rows; the same command again goes on from there", err=True
            )
        raise
    seconds = time.monotonic() - start
    told: dict[str, Any] = {
        "format": rows.format, "rows": tally.rows, "written": tally.written, "restated": tally.restated,
        "known": tally.known, "refused": tally.refused, "lines_skipped": rows.skipped, "seconds": round(seconds, 3),
        "rows_per_second": round(tally.rows / seconds) if seconds else 0,
    }  # fmt: skip
    if door.json:
        door.emit(told | {"reasons": [{"line": n, "error": kind, "message": why} for n, kind, why in tally.reasons]})
    else:
        from reverie.doors.cli import show

        out = show.console()
        out.print(show.figures({k: v for k, v in told.items() if v or k in {"written", "refused"}}))
        if tally.reasons:
            out.print(show.rows("\nRefused", ("line", "why"), ((n, why) for n, _, why in tally.reasons)))
        if tally.refused > len(tally.reasons):
            out.print(f"… and {tally.refused - len(tally.reasons):,} more")
    if tally.refused:
        raise typer.Exit(NOT_SO)


def _restore(door: Door, mem: Reverie, file: str, stream: BinaryIO) -> None:
    if file == "-":
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "stdin.jsonl"
            with kept.open("wb") as to:
                shutil.copyfileobj(stream, to)
            n = mem.import_export(kept)
    else:
        n = mem.import_export(file)
    if door.json:
        door.emit({"format": "reverie-export", "records": n})
    else:
        typer.echo(f"{n} records of an export, as they were")


@contextmanager
def _opened(file: str) -> Iterator[tuple[BinaryIO, str, int | None]]:
    """The stream, the source's name, and its size where it has one."""
    if file == "-":
        stdin = sys.stdin.buffer
        yield (stdin if hasattr(stdin, "peek") else io.BufferedReader(stdin)), "stdin", None  # type: ignore[type-var,unused-ignore]
        return
    path = Path(file)
    with path.open("rb") as stream:
        yield stream, path.name, path.stat().st_size if path.is_file() else None


def _is_export(stream: Any) -> bool:
    """Whether an export's header comes next; nothing is taken from the stream."""
    from reverie.transfer.exporting import FORMAT

    first = stream.peek(_HEAD)[:_HEAD].partition(b"\n")[0]
    try:
        return bool(json.loads(first).get("type") == FORMAT)
    except (ValueError, AttributeError, RecursionError):
        return False


@contextmanager
def _progress(door: Door, size: int | None, rows: Source, tally: Tally) -> Iterator[Callable[[], None] | None]:
    """A bar on stderr by bytes, on a terminal only."""
    if door.json or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from reverie.doors.cli.show import console

    columns = (TextColumn("{task.fields[said]}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("import", total=size, said="reading")
        yield lambda: bar.update(task, completed=rows.bytes, said=f"{tally.rows:,} rows, {tally.refused:,} refused")
