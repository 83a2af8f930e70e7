"""The verb `demo`: a made-up agent's memory is filled, recalled from, curated, and taken back, all before your eyes.

The clock stands still and the ids count, so that the output is the same each time. Nothing outside the demo's own file
is touched.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from reverie.doors.cli.app import NOT_SO, Door, verb
from reverie.doors.cli.check import CHECK
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from reverie.curation.plan import StepPlan
    from reverie.intake import Item
    from reverie.memory import Reverie

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SHOWN = 5  # restatements at the door that are told
QUERIES = (
    "Which port does the production database listen on?",
    "Where does Jonas Weber work?",
    "How is a backup restored?",
)


@verb("demo", CHECK)
def demo(
    ctx: typer.Context,
    keep: str = typer.Option(None, "--keep", metavar="FILE", help="Leave the store here, to look around in."),
    limit: int = typer.Option(8, min=0, help="Most groups of merges to show; 0 for all."),
    near: int = typer.Option(12, min=0, help="Most near misses to show; 0 for all."),
) -> None:
    """Show it all on a made-up memory of 200 notes: what is merged, what is left alone and why, and an exact undo."""
    door: Door = ctx.obj
    if keep and Path(keep).exists():
        raise InvalidInput(f"{keep} is there already; name a file that is not")
    with tempfile.TemporaryDirectory() as folder:
        told = _run(door, keep or str(Path(folder) / "demo.db"), limit, near)
    if door.json:
        door.emit(told)
    elif keep:
        typer.echo(f"Kept: look around with reverie --db {keep} recall ..., history ID, runs, plan")
    if not told["same"]:
        raise typer.Exit(NOT_SO)


def notes() -> Iterator[Item]:
    """The sample: notes of the last weeks, some older, and one that holds what looks like a credential."""
    from reverie.intake import Item

    raw = resources.files("reverie.doors.cli").joinpath("demo_notes.jsonl").read_text("utf-8")
    for n, line in enumerate(raw.splitlines()):
        given = json.loads(line)
        at = NOW - timedelta(days=given.get("days", 1 + n % 25), minutes=n)
        yield Item(given["text"], given["kind"], importance=given.get("importance"), written_at=at)
    # Put together here, so that nothing in the repository looks like a credential.
    planted = "gh" + "p_" + "".join(f"{n:x}" for n in (48879, 51966, 64206, 57005, 47806, 61453, 53261, 2989, 24301, 5))
    yield Item(f"The deploy bot signs in with {planted}.", "fact")


def fingerprint(mem: Reverie) -> str:
    """A hash over every memory, sighting and link, as an export writes them."""
    found = hashlib.sha256()
    for record in mem.export():  # type: ignore[union-attr]
        found.update(json.dumps(record, sort_keys=True).encode())
    return found.hexdigest()


def _run(door: Door, path: str, limit: int, near: int) -> dict[str, Any]:
    from reverie.clock import CountingIds, FixedClock
    from reverie.doors import encode
    from reverie.doors.cli import diff, show
    from reverie.doors.cli.curate import texts_of
    from reverie.opening import open_memory
    from reverie.settings import Settings

    out = show.console()
    out.quiet = door.json
    clock = FixedClock(NOW)
    # The table's own settings, whatever this machine's say: the output is to be the same everywhere.
    settings = Settings({"embedder": door.embedder} if door.embedder else {})
    with open_memory(path, clock=clock, ids=CountingIds(), settings=settings, principal="assistant") as mem:
        out.print("1. Fill a memory", style="bold")
        counts = _fill(out, mem)
        out.print("\n2. Ask it", style="bold")
        for query in QUERIES:
            _ask(out, mem, query, log=True)
        mem.flush()
        before = fingerprint(mem)
        clock.advance(hours=1)
        out.print("\n3. Curate it\n", style="bold")
        plan = mem.plan()
        # One of each reason first: fifty pairs of ports would show less.
        varied = dataclasses.replace(plan, steps=tuple(_varied(s) for s in plan.steps))
        diff.plan(out, varied, texts_of(mem, plan), limit=limit, near=near)
        run = mem.apply(plan)
        out.print(
            f"Run {run.id}: {run.status}, {len(run)} move{'' if len(run) == 1 else 's'} made, {len(run.skipped)} skipped"
        )
        second = mem.plan()
        out.print(f"Planned again on the same data: {len(second)} moves")
        changed = fingerprint(mem)
        out.print("\n4. Ask it again\n", style="bold")
        _ask(out, mem, QUERIES[1], log=False)
        out.print("\n5. Take it back", style="bold")
        undone = mem.undo(run.id)
        after = fingerprint(mem)
        chain = mem.check_journal()
        whole = "follow each other" if chain else "do NOT follow"
        out.print(f"took back {len(undone)} of {len(run)} moves; the journal's {chain.entries} entries {whole}")
        same = before == after and bool(chain) and not undone.conflicts
        out.print(f"\nbefore curation  {before[:32]}\nafter curation   {changed[:32]}\nafter undo       {after[:32]}")
        out.print()
        if same:
            out.print(
                "The store is as it was: nothing lost, everything explained, everything undone.", style="bold green"
            )
        else:
            out.print("The store is NOT as it was. This is a bug.", style="bold red")
        return {
            "notes": counts, "plan": encode.plan(plan, texts_of(mem, plan)), "run": run.id, "moves": len(run),
            "second_pass_moves": len(second), "undone": len(undone), "before": before, "curated": changed,
            "after": after, "journal_ok": bool(chain), "same": same,
        }  # fmt: skip


def _varied(step: StepPlan) -> StepPlan:
    """Near misses by turns: the nearest of each reason, then the second of each."""
    seen: Counter[str] = Counter()
    turns = []
    for a in step.left_alone:
        turns.append((seen[a.reason], a))
        seen[a.reason] += 1
    return dataclasses.replace(step, left_alone=tuple(a for _, a in sorted(turns, key=lambda t: t[0])))


def _fill(out: Console, mem: Reverie) -> dict[str, int]:
    from rich.text import Text

    from reverie.doors.cli import diff, show

    counts = {"written": 0, "restated": 0, "refused": 0}
    given = list(notes())
    for note, got in zip(given, mem.import_stream(given), strict=True):
        if got.error is not None:
            counts["refused"] += 1
            out.print(f"refused: {got.error}")
            continue
        counts["restated" if got.restated else "written"] += 1
        if got.restated and counts["restated"] <= SHOWN:
            kept = mem.get(got.id).text
            said, _, _ = diff.words(note.text, kept, ("-", "+"))
            show.hang(out, Text(show.safe(kept), style="green"), 2, "+")
            show.hang(out, said, 2, "-")
            show.hang(out, Text(f"stated again: {got.how}", style="dim"), 4)
    out.print(f"{sum(counts.values())} notes: {counts['written']} written, {counts['restated']} recognised at the door "
              f"as stated before, {counts['refused']} refused")  # fmt: skip
    return counts


def _ask(out: Console, mem: Reverie, query: str, *, log: bool) -> None:
    from reverie.doors.cli import show

    out.print(f"? {query}", style="cyan")
    show.hits(out, mem.recall(query, 3, log=log), explain=False)
