"""Verbs that write statements: init, remember, revise."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import typer

from reverie.doors.cli.app import Door, verb
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.intake import Remembered

WRITE = "Write"
_KINDS = "episode, fact, preference, procedure, concept or problem."
_META = typer.Option(None, "--meta", metavar="NAME=VALUE", help="Metadata; may be given again.")


def moment(given: str | None, what: str) -> datetime | None:
    """An ISO 8601 time, a naive one as UTC. Raises InvalidInput."""
    if given is None:
        return None
    from reverie.clock import as_utc

    try:
        return as_utc(datetime.fromisoformat(given.strip()))
    except (ValueError, OverflowError):
        hint = "such as 2026-01-31 or 2026-01-31T08:30Z"
        raise InvalidInput(f"{what} {given[:40]!r} is no ISO 8601 time, {hint}") from None


def said(text: str) -> str:
    """The text of an argument; ``-`` reads stdin, whose last line break is the shell's and not the text's."""
    if text != "-":
        return text
    raw = sys.stdin.buffer.read()
    try:
        got = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"stdin is not UTF-8: byte {error.start} cannot be read; convert it first") from None
    return got.removesuffix("\n").removesuffix("\r")


def _metadata(pairs: list[str] | None) -> dict[str, Any]:
    """``NAME=VALUE`` pairs; a value that is JSON is taken as JSON, any other as text."""
    found: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, raw = pair.partition("=")
        if not equals or not name.strip():
            raise InvalidInput(f"--meta takes NAME=VALUE, not {pair[:60]!r}")
        try:
            found[name.strip()] = json.loads(raw)
        except (ValueError, RecursionError):
            found[name.strip()] = raw
    return found


def _tell(door: Door, got: Remembered) -> None:
    if door.json:
        from reverie.doors import encode

        door.emit(encode.remembered(got))
        return
    from reverie.doors.cli.show import console

    word = "known already" if got.known else f"stated again ({got.how})" if got.restated else "remembered"
    notes = [f"masked: {', '.join(got.masked)}"] if got.masked else []
    notes += [f"supersedes {got.superseded}"] if got.superseded else []
    console().print(f"{got.id}  {word}" + "".join(f"; {n}" for n in notes), soft_wrap=True)


@verb("init", WRITE)
def init(ctx: typer.Context) -> None:
    """Make a store, or say what is in the one that is there."""
    door: Door = ctx.obj
    with door.open(create=True) as mem:
        stats, where, there = mem.stats(), mem.store_path, not mem.store_made
    if door.json:
        door.emit({"db": where, "made": not there, "tenant": stats["tenant"], "namespace": stats["namespace"],
                   "memories": stats["memories"], "embedder": stats["embedder"]})  # fmt: skip
        return
    from reverie.doors.cli.show import console

    live = stats["memories"].get("live", 0)
    hint = "reverie" if "://" in where else f"reverie --db {where}"  # a URL is shown without what it takes to come in
    console().print(
        f"there already: {where} holds {live:,} live memories in {stats['tenant']}/{stats['namespace']}"
        if there
        else f'made {where}; next: {hint} remember "..."',
        soft_wrap=True,
    )


@verb("remember", WRITE)
def remember(
    ctx: typer.Context,
    text: str = typer.Argument(..., help="One statement; - reads it from stdin."),
    kind: str = typer.Option(None, help=_KINDS),
    key: str = typer.Option(None, help="A stable name: a new value under it supersedes the old one."),
    external_id: str = typer.Option(None, "--id", help="The source's own id: writing it twice writes once."),
    session: str = typer.Option(None, help="The conversation that it comes from."),
    importance: float = typer.Option(None, help="0 to 1; default 0.5."),
    meta: list[str] = _META,
    occurred_at: str = typer.Option(None, metavar="ISO", help="When it happened."),
    written_at: str = typer.Option(None, metavar="ISO", help="When it was first written down; default now."),
    valid_from: str = typer.Option(None, metavar="ISO", help="From when it holds."),
    valid_to: str = typer.Option(None, metavar="ISO", help="Until when it holds."),
    experience: bool = typer.Option(False, "--experience", help="Not for good: may be retired once consolidated."),
    gist: str = typer.Option(None, help="A shorter wording, shown where room is short."),
    train: bool = typer.Option(False, "--train", help="An example of what is worth keeping: learn from it."),
) -> None:  # fmt: skip
    """Keep one statement; one that is there already is recognised and only counted."""
    door: Door = ctx.obj
    body = said(text)
    fields: dict[str, Any] = {
        "occurred_at": moment(occurred_at, "--occurred-at"), "written_at": moment(written_at, "--written-at"),
        "valid_from": moment(valid_from, "--valid-from"), "valid_to": moment(valid_to, "--valid-to"),
        "metadata": _metadata(meta),
    }  # fmt: skip
    with door.open(create=True) as mem:
        got = mem.remember(
            body, kind, key=key, external_id=external_id, session=session, importance=importance,
            durable=not experience, gist=gist, train=train, **fields,
        )  # fmt: skip
    _tell(door, got)


@verb("revise", WRITE)
def revise(
    ctx: typer.Context,
    id: str = typer.Argument(..., help="The memory to correct."),  # noqa: A002
    text: str = typer.Argument(..., help="The corrected wording; - reads it from stdin."),
    kind: str = typer.Option(None, help=_KINDS),
    importance: float = typer.Option(None, help="0 to 1."),
    key: str = typer.Option(None, help="Another stable name."),
) -> None:
    """Correct a wording: a new row supersedes the old one, which stays readable."""
    door: Door = ctx.obj
    given: dict[str, Any] = {"kind": kind, "importance": importance, "key": key}
    with door.open() as mem:
        got = mem.revise(id, said(text), **{k: v for k, v in given.items() if v is not None})
    _tell(door, got)
