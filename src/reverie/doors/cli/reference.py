"""The reference of the command line, from the commands themselves: ``python -m reverie.doors.cli.reference``."""

from __future__ import annotations

import sys
from typing import Any

_HEAD = """\
# The command line

This page is written by `python -m reverie.doors.cli.reference > docs/reference/cli.md`; a test keeps it up to date.

```console
$ export REVERIE_DB=notes.db
$ reverie init
$ reverie remember "Robin lives in Berlin"
$ reverie recall "where does Robin live?"
$ reverie plan --out plan.json     # look at it
$ reverie apply plan.json          # do exactly that
$ reverie undo RUN_ID              # take it back
```

The options below may stand before or after the verb. After a bare `--` everything is text, as in
`reverie remember -- --json`. Only `init`, `remember` and `import` make a store that is not there.

A person at a terminal is trusted: verbs write through the channel `person`. `import` writes through `import`, which is
provisional; `--channel person` says otherwise.

**Output.** Tables and lines for people; with `--json` one JSON document on one line of stdout and nothing else.
`export` always writes JSON lines when it writes to stdout. Stored text is shown as text: control characters are
shown by their numbers, so that a note cannot drive a terminal.

**Errors** are one line on stderr; with `--json` an object: `{"error": "InvalidInput", "message": "..."}`.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | the thing asked for is not so (below) |
| 2 | bad usage, a value that cannot be taken, a secret, or a file that cannot be read |
| 3 | refused: by policy, or because the row has changed or another one holds its text or key |
| 4 | the store failed |
| 5 | no vector could be made |
| 130 | interrupted |

Exit code 1 stands for: no such memory, run or plan; `doctor` red; a broken journal; a plan that was parked or has a
failed step; an undo with conflicts; an import with refused rows. A recall that finds nothing is 0.
"""
_TAIL = """
## What `import` reads

* **JSON lines** (`.jsonl`, `.ndjson`, `.json`, or a first line that begins with `{`). Fields of these names are read:
  `text`, `kind`, `key`, `external_id`, `session`, `importance`, `metadata`, `occurred_at`, `written_at`,
  `valid_from`, `valid_to`, `durable`, `gist`. `--map FIELD=PATH` reads one from elsewhere (dots lead into objects,
  numbers into lists), `--map FIELD=` does not read it at all, `--map metadata.NAME=PATH` puts one into the metadata.
  Other fields are ignored, or with `--keep-rest` put into the metadata. `principal`, `client` and `channel` are read
  only where they are mapped: who said something is not for a file to claim. Times are ISO 8601.
* **Markdown** (`.md`, or a first line that is a heading or a list item): each list item with its continuation lines,
  nested ones too. `metadata.heading` holds the path of headings, `metadata.under` the text of the item around it.
  Text outside of lists is skipped and counted.
* **Lines**: each line that is not blank.
* **An export of Reverie**, known by its header: read as it was, ids and all, into an empty namespace.

A bad row is refused and told with its line; the others go on. A row without an id gets one from the source's label,
its ordinal and its content, so the same command again writes nothing twice and goes on after an interruption. A row
whose id is known already is counted as `known` and nothing is written: where the ids of two files are not of one
series, let Reverie give them (`--map external_id=`).
"""
_SKIP = frozenset({"--help", "--install-completion", "--show-completion"})


def render() -> str:
    """The page, as Markdown."""
    import typer

    from reverie.doors.cli.verbs import app

    root: Any = typer.main.get_command(app)
    parts = [_HEAD, "\n## Options of every verb\n", _options(root)]
    for path, command in commands():
        usage = " ".join(["reverie", *path, *(_usage(p) for p in command.params if p.param_type_name == "argument")])
        help_ = " ".join((command.help or "").split())
        parts += [f"\n{'#' * (1 + len(path))}# {' '.join(path)}\n\n`{usage}`\n\n{help_}\n", _options(command)]
    return "\n".join(p.rstrip("\n") for p in [*parts, _TAIL]) + "\n"


def commands() -> list[tuple[tuple[str, ...], Any]]:
    """Every verb with its path, in the order of the help; a group before its own."""
    import typer

    from reverie.doors.cli.verbs import app

    root: Any = typer.main.get_command(app)
    found: list[tuple[tuple[str, ...], Any]] = []
    for name in root.list_commands(None):
        command = root.commands[name]
        found.append(((name,), command))
        found += [((name, inner), sub) for inner, sub in getattr(command, "commands", {}).items()]
    return found


def _usage(p: Any) -> str:
    name = p.metavar or p.name.upper()
    return name if p.required else f"[{name}]"


def _options(command: Any) -> str:
    rows = []
    for p in command.params:
        if _SKIP & set(p.opts):
            continue
        if p.param_type_name == "argument":
            rows.append(f"| `{p.metavar or p.name.upper()}` | {_cell(p.help)} |")
            continue
        flag = getattr(p, "is_flag", False)
        word = f"{', '.join(p.opts)}" + ("" if flag else f" {p.metavar or p.name.upper()}")
        help_ = _cell(p.help)
        if not flag and p.default not in (None, "", (), []) and "default" not in help_.lower():
            help_ += f" Default: {p.default}."
        if p.envvar:
            help_ += f" In the environment: `{p.envvar}`."
        rows.append(f"| `{word}` | {help_} |")
    return "\n| option | |\n| --- | --- |\n" + "\n".join(rows) + "\n" if rows else ""


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render())
