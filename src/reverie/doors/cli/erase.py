"""The verb that destroys: look first, then confirm; receipts, and erasing again what a restored backup brought back."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from reverie.doors.cli.acts import ACTS
from reverie.doors.cli.app import MOST, NOT_SO, Door, verb
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.erasure.target import Erasure
    from reverie.memory import Reverie

_RECEIPTS = typer.Option(
    None, "--receipts", metavar="FILE", help="Again what these receipts name: after a backup was restored."
)
_KEEP = typer.Option(None, "--keep", metavar="FILE", help="Write the receipt with its key to a new file.")
SHOWN = 20  # ids that a person is shown
COUNTED = {
    "memories": "memories", "derived": "of them composed from others", "merged": "of them merged into others",
    "versions": "of them versions by the same author", "sightings": "statements",
    "kept": "memories of others that lose a statement",
    "rewritten": "others' wordings that become memories of their own", "freed": "memories that stand for themselves again",
    "links": "links", "gists": "gists", "vectors": "vectors", "journal_images": "journal entries that lose their words",
    "verdicts": "remembered verdicts", "parked_plans": "plans that were held back", "queries": "past queries",
    "logs": "records of errors and passes", "names": "runs that name the principal", "settings": "settings", "signals": "signals",
    "jobs": "jobs", "answers": "answers", "runs": "runs", "activity": "activity records",
}  # fmt: skip


@verb("erase", ACTS)
def erase(
    ctx: typer.Context,
    memory: str = typer.Option(None, "--memory", metavar="ID", help="One memory, with its versions and what was made of it."),
    principal: str = typer.Option(None, "--principal", metavar="NAME", help="All that only this principal has said."),
    everything: bool = typer.Option(False, "--everything", help="The whole namespace."),
    receipts: Path = _RECEIPTS,
    finish: bool = typer.Option(False, "--finish", help="Overwrite bytes that an earlier erasure had to leave."),
    listed: bool = typer.Option(False, "--list", help="Show the receipts of earlier erasures."),
    confirm: str = typer.Option(None, "--confirm", metavar="TOKEN", help="Do it: the token that the preview gave."),
    reason: str = typer.Option("asked by a person", "--reason", metavar="TEXT", help="Why; it stays in the receipt."),
    keep: Path = _KEEP,
    limit: int = typer.Option(100, "--limit", min=1, max=MOST, help="Most receipts to show."),
) -> None:  # fmt: skip
    """Erase for good: from tables, index, vectors, journal and files. Shows what would go, until you confirm it."""
    door: Door = ctx.obj
    asked = (memory is not None, principal is not None, everything, receipts is not None, finish, listed)
    if sum(asked) != 1:
        raise InvalidInput(
            "say one of --memory ID, --principal NAME, --everything, --receipts FILE, --finish or --list"
        )
    if keep is not None and keep.exists():
        raise InvalidInput(f"{keep} is there already: name a new file for the receipt")
    with door.open() as mem:
        if listed or finish:
            _look_after(door, mem, limit, finish=finish)
            return

        def ask(token: str | None) -> Erasure:
            if receipts is not None:
                return mem.reapply(_read(receipts), confirm=token)
            return mem.erase(memory=memory, principal=principal, everything=everything, confirm=token, reason=reason)

        found = ask(confirm)
        if not found.done and not found.empty and confirm is None and not door.json and sys.stdin.isatty():
            _preview(found)
            if not typer.confirm("Erase this for good?"):
                typer.echo("nothing was erased")
                return
            found = ask(found.token)
    if found.done and keep is not None:
        keep.write_text(json.dumps(found.to_dict()) + "\n", encoding="utf-8")
    if door.json:
        door.emit(found.to_dict())
    elif found.done:
        _done(found, keep)
    else:
        _preview(found)
        if not found.empty:
            options = {
                "memory": memory, "principal": principal, "everything": everything, "receipts": receipts, "keep": keep,
                "reason": reason if reason != "asked by a person" else None,
            }  # fmt: skip
            typer.echo(f"Nothing was changed. To erase it for good:\n  {_command(door, options, found.token)}")
    if found.done and found.wiped_at is None:
        raise typer.Exit(NOT_SO)


def _look_after(door: Door, mem: Reverie, limit: int, *, finish: bool) -> None:
    if finish:
        n = mem.finish_erasures()
        door.emit({"finished": n}) if door.json else typer.echo(
            f"{n} erasures finished: no byte is left in the store's files"
        )
        return
    found = mem.erasures(limit)
    if door.json:
        door.emit(found)
        return
    for given in found:
        r = given["receipt"]
        wiped = "wiped" if given["wiped_at"] else "bytes may linger: run reverie erase --finish"
        typer.echo(
            f"{r['id']}  {r['at'][:16]}  {r['target']['sort']}, memories: {len(r['tombstones']):,}, by {r['actor']}; {wiped}"
        )
    if not found:
        typer.echo("nothing was erased here")


def _read(path: Path) -> list[Any]:
    """Receipts from a file: one JSON document, a list of them, or one a line."""
    try:
        text = path.read_text(encoding="utf-8")
        try:
            given = json.loads(text)
        except ValueError:
            given = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} holds no receipts: {error}") from error
    return given if isinstance(given, list) else [given]


def _preview(found: Erasure) -> None:
    if found.empty:
        typer.echo("there is nothing to erase")
        return
    typer.echo("This would be erased:")
    _counts(found)
    for id_ in found.ids[:SHOWN]:
        typer.echo(f"  - {id_}")
    if len(found.ids) > SHOWN:
        typer.echo(f"  +{len(found.ids) - SHOWN} more")
    if found.also:
        typer.echo("These stay, and you should know of them:")
        for also in found.also[:SHOWN]:
            typer.echo(f"  · {also.id}: {also.why}")


def _counts(found: Erasure) -> None:
    for name, told in COUNTED.items():
        if found.counts.get(name):
            typer.echo(f"  {told}: {found.counts[name]:,}")


def _done(found: Erasure, keep: Path | None) -> None:
    typer.echo(f"Erased for good, memories: {len(found.ids):,}. The receipt is {found.id}.")
    typer.echo(
        "No byte is left in the store's files." if found.wiped_at else "Bytes may linger: run reverie erase --finish"
    )
    for beyond in found.beyond:
        typer.echo(f"{'Out of reach' if found.wiped_at else 'Why'}: {beyond}.")
    kept = f"is in {keep}" if keep else f"{found.key} is kept nowhere"
    typer.echo(f"The receipt's key {kept}: with it a restored backup is searched for these texts too.")


def _command(door: Door, options: dict[str, object], token: str) -> str:
    """What to type to do what was shown."""
    told: list[str] = []
    for name, value in (("db", door.db), ("namespace", door.namespace), ("tenant", door.tenant)):
        if value not in (None, "default", os.environ.get(f"REVERIE_{name.upper()}")):
            told += [f"--{name}", str(value)]
    for name, given in options.items():
        told += [f"--{name}"] if given is True else [f"--{name}", str(given)] if given else []
    return shlex.join(["reverie", "erase", *told, "--confirm", token])
