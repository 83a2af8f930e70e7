"""The verb that an MCP client starts: mcp."""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import typer

from reverie.doors.cli.app import Door, verb
from reverie.errors import InvalidInput

KEEP = "Keep going"
CLIENTS = ("claude-code", "claude-desktop", "cursor", "vs-code")


@verb("mcp", KEEP)
def mcp(
    ctx: typer.Context,
    read_only: bool = typer.Option(False, "--read-only", help="Offer only the tools that change nothing."),
    worker: bool = typer.Option(
        None, "--worker/--no-worker", help="Curate this namespace meanwhile. Default: yes for a file, no for a server."
    ),
    config: str = typer.Option(
        None,
        "--config",
        metavar="CLIENT",
        help=f"Print the configuration of a client, and leave: {', '.join(CLIENTS)}.",
    ),
) -> None:
    """Serve one namespace to an agent: MCP over stdin and stdout, for a client to start.

    Makes a missing file. What it writes comes through --channel, by default agent. With REVERIE_API_KEY in the environment it
    speaks as that key of the store.
    """
    door: Door = ctx.obj
    if not door.db:
        raise InvalidInput(
            "no store is named: put --db FILE into the args with which the client starts this, or set REVERIE_DB in its env"
        )
    from reverie.checks import one_of, required_name
    from reverie.model import Channel

    channel = one_of(Channel, door.channel or "agent", "channel") or Channel.AGENT
    if channel is Channel.CURATOR:
        raise InvalidInput("the channel curator is Reverie's own")
    for given, what in ((door.namespace, "the namespace"), (door.tenant, "tenant"), (door.principal, "principal")):
        required_name(given, what)
    if config is not None:
        _print(door, _entry(door, config, read_only, worker))
        return
    # Nothing but the protocol on stdout: logs go to stderr, where clients keep them.
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    try:
        from reverie.doors.mcp.wire import Wire

        with Wire() as wire:
            from reverie.doors.mcp.stdio import Wanted, run
            from reverie.settings import load

            file = "://" not in door.db
            wanted = Wanted(
                str(Path(door.db).expanduser()) if file else door.db, door.namespace, door.tenant, door.principal, channel,
                door.embedder, os.environ.get("REVERIE_API_KEY") or None, read_only, file if worker is None else worker,
            )  # fmt: skip
            run(wanted, load(), wire)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "pydantic", "anyio", "starlette"):
            raise
        raise InvalidInput("the package mcp is not installed; install it with: pip install 'reverie[mcp]'") from None


def _entry(door: Door, client: str, read_only: bool, worker: bool | None) -> dict[str, Any]:
    """What a client's file must hold, with whole paths: a client starts this without a shell, in a folder of its own."""
    if client not in CLIENTS:
        raise InvalidInput(f"there is no client {client[:40]!r}; there is {', '.join(CLIENTS)}")
    assert door.db is not None
    args, env = ["mcp"], {}
    if "://" in door.db:
        env["REVERIE_DB"] = door.db  # it may hold a password, and arguments are seen by everybody on the machine
    else:
        args += ["--db", str(Path(door.db).expanduser().absolute())]
    for option, given, usual in (
        ("--namespace", door.namespace, "default"), ("--tenant", door.tenant, "default"), ("--as", door.principal, "local"),
        ("--channel", door.channel, None), ("--embedder", door.embedder, None),
    ):  # fmt: skip
        if given is not None and given != usual:
            args += [option, given]
    args += ["--read-only"] if read_only else []
    args += [] if worker is None else ["--worker" if worker else "--no-worker"]
    beside = Path(sys.executable).with_name("reverie.exe" if os.name == "nt" else "reverie")
    entry: dict[str, Any] = {"type": "stdio"} if client == "vs-code" else {}
    entry |= {"command": str(beside) if beside.is_file() else "reverie", "args": args}
    entry |= {"env": env} if env else {}
    return {"servers" if client == "vs-code" else "mcpServers": {"reverie": entry}}


def _print(door: Door, entry: dict[str, Any]) -> None:
    if door.json:
        door.emit(entry)
    else:
        typer.echo(json.dumps(entry, indent=2))
