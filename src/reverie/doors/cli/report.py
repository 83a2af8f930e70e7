"""Verbs that report: the briefing of a day, and the activity records of curation."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import typer

from reverie.doors.cli.app import MOST, Door, verb
from reverie.doors.cli.write import moment

REPORT = "Report"
_STEPS = ("reclassified", "consolidated", "summarized", "revectorized", "stale_marked")  # the source's names [S1]


class Reader(StrEnum):
    """Who reads a briefing."""

    PEOPLE = "people"
    AGENT = "agent"


class Form(StrEnum):
    """What a briefing is printed as."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


_READER = typer.Option(Reader.PEOPLE, "--for", metavar="WHO", help="people or agent.")
_FORM = typer.Option(Form.TEXT, "--format", metavar="FORM", help="text, markdown or json.")


@verb("briefing", REPORT)
def briefing(
    ctx: typer.Context,
    day: str = typer.Option("today", "--day", metavar="YYYY-MM-DD", help="A UTC day; also: today, yesterday."),
    reader: Reader = _READER,
    form: Form = _FORM,
) -> None:
    """Tell what happened on a day, from the journal and nothing else."""
    door: Door = ctx.obj
    with door.open() as mem:
        made = mem.briefing(day, reading=reader.value)
    if door.json or form is Form.JSON:
        door.emit(made.to_dict())
        return
    from reverie.doors.cli import show

    typer.echo(show.safe(made.markdown() if form is Form.MARKDOWN else made.text()), nl=False)


@verb("activity", REPORT)
def activity(
    ctx: typer.Context,
    since: str = typer.Option(None, metavar="ISO", help="Only from this time on."),
    until: str = typer.Option(None, metavar="ISO", help="Only before this time."),
    limit: int = typer.Option(10, min=1, max=MOST, help="Most records to show."),
) -> None:
    """Show the activity records of curation, newest first. With --json every count is in them, zeros too."""
    door: Door = ctx.obj
    with door.open() as mem:
        found = mem.activity(limit, since=moment(since, "--since"), until=moment(until, "--until"))
    from reverie.doors import encode

    if door.json:
        door.emit([{k: encode.value(v) for k, v in record.items()} for record in found])
        return
    from reverie.doors.cli import show

    out = show.console()
    if not found:
        out.print("no activity was recorded")
        return
    out.print(show.rows("", ("when", "run", "did"), ((show.when(r["at"]), r["run"] or "-", _did(r)) for r in found)))


def _did(record: Mapping[str, Any]) -> str:
    counts = {name: record.get(name, 0) for name in _STEPS} | {"left over": sum(record.get("left_over", {}).values())}
    return ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in counts.items() if n) or "nothing"
