"""The verb `settings`: every setting with its value and where it was set; overrides that a namespace keeps."""

from __future__ import annotations

import os
from typing import Any

import typer

from reverie.doors.cli.app import NOTE, Door, app
from reverie.doors.cli.check import CHECK
from reverie.errors import InvalidInput

# Read before the namespace is open, so an override kept in it would come too late to have an effect.
_OF_THE_PROCESS = frozenset({"embedder", "embedder_threads", "busy_seconds", "synchronous"})

sub = typer.Typer(help="Show every setting and where it was set; override one in this namespace.",
                  invoke_without_command=True)  # fmt: skip
app.add_typer(sub, name="settings", rich_help_panel=CHECK)


def listed(door: Door) -> list[dict[str, Any]]:
    """Every setting: name, value, where it was set, default, unit, help. Without a store: those of the process."""
    from reverie.settings import TABLE, load

    process = load()
    inside = process
    if door.db:
        with door.open() as mem:
            inside = mem.settings
    found = []
    for s in TABLE:
        given = s.name in process.given()
        where = "environment" if f"REVERIE_{s.name.upper()}" in os.environ else "file" if given else "default"
        where = "namespace" if inside[s.name] != process[s.name] else where
        found.append({"name": s.name, "value": inside[s.name], "where": where, "default": s.default, "unit": s.unit,
                      "help": s.help})  # fmt: skip
    return found


@sub.callback(epilog=NOTE)
def show_settings(ctx: typer.Context) -> None:
    """Show every setting and where it was set; override one in this namespace."""
    if ctx.invoked_subcommand is not None:
        return
    door: Door = ctx.obj
    found = listed(door)
    if door.json:
        door.emit(found)
        return
    from reverie.doors.cli import show

    show.console().print(
        show.rows("", ("setting", "value", "where", "help"),
                  ((s["name"], f"{s['value']} {s['unit']}".strip(), s["where"], s["help"]) for s in found))
    )  # fmt: skip


@sub.command("set", epilog=NOTE)
def put(
    ctx: typer.Context,
    name: str = typer.Argument(..., help="The setting."),
    value: str = typer.Argument(..., help="Its value."),
) -> None:
    """Override a setting in this namespace; the store keeps it."""
    if name in _OF_THE_PROCESS:
        raise InvalidInput(
            f"{name} is read before a namespace is open: set REVERIE_{name.upper()} or put it in reverie.toml"
        )
    _set(ctx.obj, name, value)


@sub.command("unset", epilog=NOTE)
def unset(ctx: typer.Context, name: str = typer.Argument(..., help="The setting.")) -> None:
    """Take an override of this namespace away."""
    _set(ctx.obj, name, None)


def _set(door: Door, name: str, value: str | None) -> None:
    with door.open() as mem:
        mem.set(name, value)
        now = mem.settings[name]
    if door.json:
        door.emit({"name": name, "value": now, "namespace": door.namespace})
    else:
        typer.echo(f"{name} = {now} in namespace {door.namespace}")
