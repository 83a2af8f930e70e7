"""Verbs of a server: serve, keys."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import typer

from reverie.doors.cli.app import NOTE, Door, app, verb
from reverie.doors.cli.work import KEEP
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.store.port import Store
    from reverie.store.records import ApiKey

NEW_STORE = "reverie.db"
_NAMES = typer.Option(None, "--allow-host", metavar="NAME", help="A name that it goes by; may be given again.")


@verb("serve", KEEP)
def serve(
    ctx: typer.Context,
    host: str = typer.Option(None, "--host", help="Address to listen at. Default: 127.0.0.1."),
    port: int = typer.Option(None, "--port", min=0, max=65_535, help="Port; 0 takes a free one. Default: 7373."),
    allow_host: list[str] = _NAMES,
    no_auth: bool = typer.Option(False, "--no-auth", help="Ask for no key. This machine only, and said loudly."),
    no_worker: bool = typer.Option(False, "--no-worker", help="Leave curation to others."),
    no_dashboard: bool = typer.Option(False, "--no-dashboard", help="Offer no pages."),
    no_mcp: bool = typer.Option(False, "--no-mcp", help="Offer no MCP."),
    check: bool = typer.Option(False, "--check", help="See whether it could serve, and leave."),
    verbose: bool = typer.Option(False, "--verbose", help="Log each request."),
) -> None:
    """Serve the store to agents, people and programs: HTTP, MCP and the dashboard, with the worker that curates it.

    In an empty folder it makes reverie.db and shows a first key, once. SIGTERM or Ctrl-C: what is in hand ends, then it leaves.
    """
    door: Door = ctx.obj
    try:
        from reverie.doors.http.serve import Server
        from reverie.serving.logs import to_stderr
    except ModuleNotFoundError as error:
        raise InvalidInput(f"{error.name} is missing: pip install 'reverie[serve]'") from None
    from reverie.settings import load

    to_stderr(logging.INFO if verbose else logging.WARNING)
    settings = load({k: v for k, v in (("serve_host", host), ("serve_port", port)) if v is not None})
    made = Server(
        door.db or NEW_STORE, settings, auth=not no_auth, worker=not no_worker, dashboard=not no_dashboard,
        mcp=not no_mcp, names=tuple(allow_host or ()), embedder=door.embedder, tenant=door.tenant,
    )  # fmt: skip
    if check:
        _hello(door, made)
        made.close()
        return
    made.run(lambda: _hello(door, made))


def _hello(door: Door, made: Any) -> None:
    """Where it is and how one gets in."""
    if door.json:
        door.emit({"address": made.address, "first_key": made.first_key, "auth": made.auth})
        return
    typer.echo(f"Reverie is at {made.address}  (store: {made.host.store.path}; stop with Ctrl-C)")
    if not made.auth:
        typer.echo("NO KEY IS ASKED FOR: whoever is on this machine may read, change and erase everything.", err=True)
    elif made.first_key:
        typer.echo(f"Your first key, shown this once: {made.first_key}")
        typer.echo("It may do everything. For an agent make a smaller one: reverie keys create AGENT --allow agent")


keys = typer.Typer(help="Keys of a server: who may speak with it, and what they may do.", invoke_without_command=True)
app.add_typer(keys, name="keys", rich_help_panel=KEEP)
_ALLOW = typer.Option(
    None, "--allow", metavar="RIGHT", help="Role (reader, agent, person, owner), right or verb; again for more."
)
_SPACES = typer.Option(
    None, "--for", metavar="NS", help="A namespace, or the beginning of names with a *; again for more. Default: *"
)
_LIMIT = typer.Option(
    None, "--limit", metavar="NAME=N", help="requests_per_minute, writes_per_day or bytes_per_day; again for more."
)


@keys.callback(epilog=NOTE)
def show_keys(ctx: typer.Context) -> None:
    """Keys of a server: who may speak with it, and what they may do. Without a command: as list."""
    if ctx.invoked_subcommand is None:
        list_(ctx)


@keys.command("create")
def create(
    ctx: typer.Context,
    name: str = typer.Argument(..., help="What people call it."),
    allow: list[str] = _ALLOW,
    spaces: list[str] = _SPACES,
    speaks: str = typer.Option(None, "--principal", metavar="WHO", help="In whose name it writes. Default: the key's name."),
    through: str = typer.Option("agent", "--through", metavar="CHANNEL", help="person (trusted), agent, tool, web or import."),
    limit: list[str] = _LIMIT,
    days: int = typer.Option(None, "--days", min=1, help="How long it holds. Default: until it is revoked."),
) -> None:  # fmt: skip
    """Make a key for a server. It is shown once, and kept as a hash alone."""
    door: Door = ctx.obj
    from reverie.clock import SystemClock
    from reverie.serving import keys as making

    with _Store(door, create=True) as store:
        text, key = making.create(
            store, SystemClock(), name=name, tenant=door.tenant, namespaces=spaces or ("*",), allow=allow or ("agent",),
            principal=speaks, channel=through, limits=_limits(limit), days=days,
        )  # fmt: skip
    if door.json:
        door.emit({"key": text, **_plain(key)})
        return
    typer.echo(text)
    typer.echo(f"Shown this once. {key.name} may {', '.join(key.verbs)} in {', '.join(key.namespaces)}.", err=True)


@keys.command("list")
def list_(ctx: typer.Context) -> None:
    """The tenant's keys, revoked ones too: what they may do, never what they are."""
    door: Door = ctx.obj
    with _Store(door) as store:
        found = store.keys(door.tenant)
    if door.json:
        door.emit([_plain(k) for k in found])
        return
    for k in found:
        state = "revoked" if k.revoked_at else f"until {k.expires_at:%Y-%m-%d}" if k.expires_at else "in force"
        used = f"last used {k.used_at:%Y-%m-%d %H:%M}" if k.used_at else "never used"
        typer.echo(
            f"{k.id}  {state}  {k.name}  as {k.principal} ({k.channel})  {', '.join(k.verbs)}  in {', '.join(k.namespaces)}  {used}"
        )
    if not found:
        typer.echo("there are no keys; make one with: reverie keys create NAME")


@keys.command("revoke")
def revoke(ctx: typer.Context, id: str = typer.Argument(..., help="Its id, as `keys list` shows it.")) -> None:  # noqa: A002
    """Take a key out of force, for good. Servers that run follow within seconds."""
    door: Door = ctx.obj
    from reverie.clock import SystemClock
    from reverie.serving import keys as making

    with _Store(door) as store:
        making.revoke(store, SystemClock(), door.tenant, id)
    if door.json:
        door.emit({"revoked": id})
    else:
        typer.echo(f"key {id} is revoked")


class _Store:
    """The store that was named, open while a verb needs it."""

    def __init__(self, door: Door, *, create: bool = False) -> None:
        self._memory = door.open(create=create)

    def __enter__(self) -> Store:
        return self._memory.store

    def __exit__(self, *_: object) -> None:
        self._memory.close()


def _limits(given: list[str] | None) -> dict[str, int]:
    found = {}
    for one in given or ():
        name, equals, n = one.partition("=")
        if not equals or not n.isascii() or not n.isdigit():
            raise InvalidInput(f"--limit takes NAME=N, such as requests_per_minute=600, not {one[:60]!r}")
        found[name] = int(n)
    return found


def _plain(key: ApiKey) -> dict[str, Any]:
    from reverie.doors.encode import value

    return {
        "id": key.id, "name": key.name, "tenant": key.tenant, "namespaces": list(key.namespaces), "verbs": list(key.verbs),
        "principal": key.principal, "channel": key.channel, "limits": dict(key.limits),
        **{n: value(getattr(key, n)) for n in ("created_at", "expires_at", "revoked_at", "used_at")},
    }  # fmt: skip
