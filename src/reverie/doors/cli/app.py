"""The frame of the command line: the options that every verb shares, exit codes, and errors as one line.

Exit codes: 0 done; 1 the thing asked for is not so; 2 bad usage or input; 3 refused by policy or conflict; 4 the store
failed; 5 no vector could be made; 130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperGroup

from reverie.errors import (
    Closed,
    EmbedderError,
    InvalidInput,
    NotFound,
    Refused,
    ReverieError,
    StoreError,
)

if TYPE_CHECKING:
    from reverie.memory import Reverie

DONE, NOT_SO, USAGE, REFUSED, STORE, EMBEDDER, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
_CODES: tuple[tuple[type[ReverieError], int], ...] = (
    (NotFound, NOT_SO),
    (InvalidInput, USAGE),
    (Refused, REFUSED),
    (StoreError, STORE),
    (Closed, STORE),
    (EmbedderError, EMBEDDER),
)
MOST = 1_000_000_000  # entries and rows that a number on the command line may speak of
SHARED = frozenset({"--db", "--namespace", "--tenant", "--as", "--channel", "--embedder"})
FLAGS = frozenset({"--json"})
ORDER = (  # of the help, by heading
    "init", "remember", "revise", "recall", "know", "context", "get", "list", "history", "stats", "forget", "restore", "pin",
    "verify",
    "reclassify", "weigh", "feedback", "signals", "erase",
    "plan", "apply", "review", "reject", "curate", "serve", "mcp", "keys", "worker", "undo", "journal", "runs",
    "briefing", "activity",
    "import", "export", "copy", "doctor", "calibrate",
    "settings", "demo",
)  # fmt: skip
NOTE = "Taken before or after the verb: --db, --namespace, --tenant, --as, --channel, --embedder, --json."


@dataclass(frozen=True, slots=True)
class Door:
    """What the shared options said."""

    db: str | None = None
    namespace: str = "default"
    tenant: str = "default"
    principal: str = "local"
    channel: str | None = None
    embedder: str | None = None
    json: bool = False

    def open(self, *, create: bool = False, channel: str = "person") -> Reverie:
        """Open the store that was named. Only verbs that write something new make a missing file.

        Raises:
            InvalidInput: no store was named, or there is none and the verb is not one that makes it.
        """
        if not self.db:
            raise InvalidInput("no store is named: give --db FILE, or set REVERIE_DB in the environment")
        if not create and "://" not in self.db and "\0" not in self.db and not Path(self.db).expanduser().is_file():
            # A typing error in --db must not leave an empty store behind and answer "nothing found".
            raise InvalidInput(f"there is no store at {self.db}; make one with: reverie --db {self.db} init")
        import reverie

        return reverie.open(
            self.db, self.namespace, tenant=self.tenant, principal=self.principal, channel=self.channel or channel,
            client="cli", embedder=self.embedder,
        )  # fmt: skip

    def emit(self, data: object) -> None:
        """Print one JSON document on one line."""
        utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        typer.echo(json.dumps(data, ensure_ascii=not utf8))


def hoisted(args: Sequence[str]) -> list[str]:
    """The arguments with the shared options moved to the front, so that they may stand after the verb.

    What follows a bare ``--`` is left as it is: it is text, not options. Raises InvalidInput where a value is missing.
    """
    front: list[str] = []
    rest: list[str] = []
    given = list(args)
    while given:
        arg = given.pop(0)
        if arg == "--":
            rest += [arg, *given]
            break
        if arg in FLAGS or ("=" in arg and arg.partition("=")[0] in SHARED):
            front.append(arg)
        elif arg in SHARED:
            if not given:
                raise InvalidInput(f"{arg} needs a value")
            front += [arg, *given[:1]]
            given = given[1:]
        else:
            rest.append(arg)
    return front + rest


class Verbs(TyperGroup):
    """The group of verbs: shared options anywhere, one line an error, an exit code that means something."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER))

    def main(self, args: Sequence[str] | None = None, *positional: Any, **named: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        named["standalone_mode"] = False
        as_json = "--json" in (given[: given.index("--")] if "--" in given else given)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter shows its number
        try:
            if any("\ud800" <= c <= "\udfff" for arg in given for c in arg):  # bytes that Python could not decode
                raise InvalidInput("an argument is not UTF-8")
            code = super().main(hoisted(given), *positional, **named)
            if code == INTERRUPTED:  # what a newer typer makes of Ctrl-C; an older one raises Abort
                raise KeyboardInterrupt
        except ReverieError as error:
            fail(error, as_json)
        except (KeyboardInterrupt, typer.Abort):
            _say("interrupted", "Interrupted", as_json)
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            # The reader of our output has gone. Nothing more can be said there, not even at shutdown.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(NOT_SO)
        except OSError as error:
            _say(f"{error.strerror or error}: {error.filename}" if error.filename else str(error), "OSError", as_json)
            sys.exit(USAGE)
        except Exception as error:
            told = getattr(error, "format_message", None)  # usage errors of every version of typer have it
            if told is None:
                raise
            path = getattr(getattr(error, "ctx", None), "command_path", "reverie")
            _say(f"{str(told()).rstrip('.')}; see: {path} --help", "UsageError", as_json)
            sys.exit(USAGE)
        sys.exit(code if isinstance(code, int) else DONE)


def fail(error: ReverieError, as_json: bool) -> NoReturn:
    """Say what was wrong on one line of stderr and leave with the code of its kind."""
    _say(str(error), type(error).__name__, as_json)
    sys.exit(next((code for kind, code in _CODES if isinstance(error, kind)), NOT_SO))


def _say(message: str, kind: str, as_json: bool) -> None:
    line = " ".join(message.split())
    typer.echo(json.dumps({"error": kind, "message": line}) if as_json else f"reverie: {line}", err=True)


app = typer.Typer(
    cls=Verbs, name="reverie", invoke_without_command=True, pretty_exceptions_enable=False, no_args_is_help=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)  # fmt: skip


def verb(name: str, panel: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a verb under a heading of the help."""
    return app.command(name, rich_help_panel=panel, epilog=NOTE, no_args_is_help=False)


def _version(wanted: bool) -> None:
    if wanted:
        import reverie

        typer.echo(f"reverie {reverie.__version__}")
        raise typer.Exit


@app.callback()
def shared(
    ctx: typer.Context,
    db: str = typer.Option(None, "--db", metavar="FILE", envvar="REVERIE_DB", help="The store."),
    namespace: str = typer.Option(
        "default", "--namespace", metavar="NS", envvar="REVERIE_NAMESPACE", help="Which memory in the store."
    ),
    tenant: str = typer.Option("default", "--tenant", metavar="T", envvar="REVERIE_TENANT", help="Whose namespaces."),
    principal: str = typer.Option("local", "--as", metavar="PRINCIPAL", help="Who is speaking."),
    channel: str = typer.Option(
        None, "--channel", metavar="CHANNEL",
        help="person, agent, tool, web or import. Default: person, which is trusted; for `import`: import.",
    ),
    embedder: str = typer.Option(
        None, "--embedder", metavar="SPEC", help="onnx, hashing, none or http:MODEL@URL. Default: the setting."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout, nothing else."),
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:  # fmt: skip
    """A memory that looks after itself: nothing lost, everything explained, everything undoable."""
    ctx.obj = Door(db, namespace, tenant, principal, channel, embedder, as_json)
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


__all__ = ["Door", "Verbs", "app", "fail", "hoisted", "verb"]
