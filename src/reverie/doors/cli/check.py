"""Verbs that look after the store itself: doctor, calibrate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from reverie.doors.cli.app import NOT_SO, Door, verb
from reverie.errors import InvalidInput

CHECK = "Check"
_COLOURS = {"green": "bold green", "yellow": "bold yellow", "red": "bold red"}


@verb("doctor", CHECK)
def doctor(ctx: typer.Context) -> None:
    """Check the store, its journal and its embedder. Exit code 1 when red."""
    door: Door = ctx.obj
    with door.open() as mem:
        found: Mapping[str, Any] = mem.doctor()
    if door.json:
        door.emit(_plain(found))
    else:
        from rich.text import Text

        from reverie.doors.cli import show

        out = show.console()
        level = str(found["level"])
        out.print(Text(level, style=_COLOURS.get(level, "bold")))
        for mark, word in (("!!", "problems"), ("!", "warnings")):
            for line in found[word]:
                show.hang(out, str(line), 4, mark)
        rest = {k: v for k, v in found.items() if k not in {"ok", "level", "problems", "warnings"}}
        out.print(show.figures({k: v for k, v in rest.items() if not isinstance(v, Mapping)}))
        for name, part in rest.items():
            if isinstance(part, Mapping) and part:
                out.print(Text(f"\n{name.replace('_', ' ').title()}", style="bold"))
                out.print(show.figures(part))
    if found["level"] == "red":
        raise typer.Exit(NOT_SO)


def _plain(given: Any) -> Any:
    if isinstance(given, Mapping):
        return {str(k): _plain(v) for k, v in given.items()}
    if isinstance(given, (list, tuple)):
        return [_plain(v) for v in given]
    from reverie.doors.encode import value

    return value(given)


def pairs_of(name: str) -> list[tuple[str, str]]:
    """Restatement pairs from JSON lines (a list of two, or an object with ``a`` and ``b``) or tab-separated lines.

    Raises:
        InvalidInput: a line holds anything else; the message says which.
    """
    found = []
    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not UTF-8; convert it first") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            got = json.loads(line)
        except (ValueError, RecursionError):
            got = line.split("\t")
        pair = [got.get("a"), got.get("b")] if isinstance(got, dict) else got
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(t, str) and t.strip() for t in pair):
            raise InvalidInput(f'line {number} of {name} is no pair: write ["one text", "the same in other words"]')
        found.append((pair[0], pair[1]))
    return found


@verb("calibrate", CHECK)
def calibrate(
    ctx: typer.Context,
    pairs: str = typer.Option(None, "--pairs", metavar="FILE", help="Own restatement pairs, at least 20."),
) -> None:
    """Measure what a similarity of the embedder means, and warn of thresholds that do nothing.

    Needs no store; where one is named, the record is kept in it, and doctor reads it.
    """
    door: Door = ctx.obj
    from reverie.embed import calibration, default_embedder
    from reverie.health import THRESHOLDS
    from reverie.settings import load

    own = pairs_of(pairs) if pairs else None
    if door.db and Path(door.db).expanduser().is_file():
        with door.open() as mem:
            settings, got = mem.settings, mem.calibrate(own)
    else:
        settings = load()
        spec = door.embedder or str(settings.embedder)
        embedder = default_embedder(spec, threads=int(settings.embedder_threads))
        if embedder is None:
            raise InvalidInput("there is no embedder to calibrate: give --embedder onnx, hashing or http:MODEL@URL")
        got = calibration.calibrate(embedder, own, made_at=datetime.now(UTC).isoformat(timespec="seconds"))
    warned = calibration.warnings(got, {n: float(settings[n]) for n in THRESHOLDS}, got.model_id)
    if door.json:
        door.emit(got.to_dict() | {"warnings": warned})
        return
    from reverie.doors.cli import show

    out = show.console()
    out.print(show.figures(got.to_dict()))
    for line in warned:
        show.hang(out, line, 3, "!")
    if not warned:
        out.print("all thresholds in use mean something for this model")
