"""What verbs print for people: tables and lines. Stored text is shown as text, never as markup or terminal commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reverie.model import Confidence, State, Trust

if TYPE_CHECKING:
    from reverie.curation.undo import Undone
    from reverie.memory import History
    from reverie.model import Entry, Memory, RunRecord, TrainingSignal
    from reverie.recall.recall import Hit

WIDTH = 100  # where no terminal tells its own, so that what is piped to a file is the same everywhere
# Invisible letters that reorder or hide what is shown; control characters are found by their class.
_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def console(*, err: bool = False) -> Console:
    """A console on stdout or stderr; coloured on a terminal, plain text otherwise."""
    stream = sys.stderr if err else sys.stdout
    tty = stream.isatty()
    width = None if tty or os.environ.get("COLUMNS", "").isdigit() else WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def safe(text: str) -> str:
    """Text that cannot drive the terminal: control and direction characters are shown by their numbers."""
    if text.isprintable() and not _BIDI & set(text):
        return text
    return "".join(
        c if c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160 or c in _BIDI) else f"\\x{ord(c):02x}" for c in text
    )


def short(text: str, most: int = 100) -> str:
    """The first line's worth of a text."""
    flat = " ".join(safe(text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def when(at: datetime | None) -> str:
    """A time for people, in UTC."""
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M}"


def hang(out: Console, text: Text | str, by: int, first: str = "") -> None:
    """Print a text behind a margin, wrapped inside it."""
    given = Text(safe(text)) if isinstance(text, str) else text
    for n, line in enumerate(given.wrap(out, max(20, out.width - by))):
        line.rstrip()
        out.print(Text((first if n == 0 else "").ljust(by)) + line, soft_wrap=True)


def about(m: Memory) -> Text:
    """One dim line: kind, trust, what is special, times, id."""
    parts: list[str] = [m.kind.value]
    if m.state is not State.LIVE:
        parts.append(m.state.value)
    if m.trust is not Trust.TRUSTED:
        parts.append(m.trust.value)
    if m.confidence is not Confidence.DEFAULT:
        parts.append(m.confidence.value)
    parts += ["pinned"] if m.pinned else []
    parts += [f"key {safe(m.key)}"] if m.key else []
    parts += [f"stated {when(m.stated_at)}", m.id]
    return Text(" · ".join(parts), style="dim")


def rows(title: str, head: Sequence[str], body: Iterable[Sequence[object]]) -> Table:
    """A plain table; cells are text."""
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, overflow="fold", justify="right" if name in {"n", "score", "count"} else "left")
    for row in body:
        table.add_row(*(cell if isinstance(cell, Text) else Text(safe(str(cell))) for cell in row))
    return table


def figures(given: Mapping[str, object]) -> Table:
    """Names and values in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, one in given.items():
        grid.add_row(Text(name.replace("_", " ")), Text(safe(_said(one))))
    return grid


def _said(one: object) -> str:
    if one is None:
        return "-"
    if isinstance(one, bool):
        return "yes" if one else "no"
    if isinstance(one, datetime):
        return when(one)
    if isinstance(one, Mapping):
        return ", ".join(f"{k} {_said(v)}" for k, v in one.items()) or "-"
    if isinstance(one, int):
        return f"{one:,}"
    if isinstance(one, (list, tuple)):
        return ", ".join(map(_said, one)) or "-"
    return str(one)


def hits(out: Console, found: Sequence[Hit], *, explain: bool) -> None:
    """What a recall gave, best first."""
    if not found:
        out.print("nothing found")
    for n, h in enumerate(found, 1):
        hang(out, h.text, 4, f"{n}.")
        line = Text(f"{h.score:.3f} · ", style="dim") + about(h.memory)
        if h.also:
            line += Text(f" · and {len(h.also)} near {'copy' if len(h.also) == 1 else 'copies'}", style="dim")
        hang(out, line, 4)
        if explain:
            parts = "  ".join(f"{name} {part:.3f}" for name, part in h.parts.items())
            hang(out, Text(parts, style="cyan"), 4)


def memory(out: Console, m: Memory) -> None:
    """One memory, whole."""
    out.print(Text(safe(m.text or "(erased)")))
    if m.gist:
        out.print(Text(f"gist: {safe(m.gist)}", style="italic"))
    told: dict[str, object] = {
        "id": m.id, "kind": m.kind.value, "state": m.state.value, "trust": m.trust.value,
        "confidence": m.confidence.value, "pinned": m.pinned, "key": m.key, "importance": m.importance,
        "said by": f"{m.origin.principal} ({m.origin.channel.value})", "written": m.written_at, "stated": m.stated_at,
        "happened": m.occurred_at, "holds from": m.valid_from, "holds to": m.valid_to, "recalled": m.recall_count,
        "merged into": m.merged_into, "superseded by": m.superseded_by, "metadata": dict(m.metadata) or None,
    }  # fmt: skip
    out.print(figures({k: v for k, v in told.items() if v is not None}))


def history(out: Console, h: History) -> None:
    """A memory, its other wordings, who stated it, its links, and what was done to it."""
    memory(out, h.memory)
    others = [m for m in h.versions if m.id != h.memory.id]
    if others:
        out.print(rows("\nOther versions", ("state", "written", "id", "text"),
                       ((m.state.value, when(m.written_at), m.id, short(m.text, 200)) for m in others)))  # fmt: skip
    out.print(rows("\nStated", ("when", "by", "channel", "session", "wording"),
                   ((when(s.at), s.origin.principal, s.origin.channel.value, s.origin.session or "-",
                     short(s.wording, 200) if s.wording else "in these words") for s in h.sightings)))  # fmt: skip
    if h.links:
        out.print(rows("\nLinks", ("source", "relation", "target"),
                       ((k.source, k.relation.value, k.target) for k in h.links)))  # fmt: skip
    if h.entries:
        out.print(Text("\nDone to it"))
        out.print(entries(h.entries))


def entries(given: Iterable[Entry]) -> Table:
    """Journal lines."""
    return rows("", ("n", "when", "step", "move", "memories", "reason"), (_entry(e) for e in given))


def _entry(e: Entry) -> tuple[object, ...]:
    why = e.reason if e.status == "applied" else f"{e.status}: {e.detail.get('skipped', e.reason)}"
    if e.undone_by is not None:
        why += f" (undone by entry {e.undone_by})"
    return e.n, when(e.at), e.step, e.move, "\n".join(map(str, e.detail.get("ids", ()))), why


def records(given: Iterable[RunRecord]) -> Table:
    """Runs, newest first."""
    head = ("run", "what", "by", "when", "status", "changed")
    body = ((r.id, r.cycle, r.actor, when(r.started_at), r.status, _changed(r)) for r in given)
    return rows("", head, body)


def _changed(r: RunRecord) -> str:
    """Moves that were made, and what did not go through; the figures of the steps are in the JSON."""
    told = {"undone", "conflicts", "skipped", "parked", r.cycle}
    return ", ".join(f"{k} {v}" for k, v in r.counts.items() if v and (k[:1].isupper() or k in told)) or "-"


def signals(given: Iterable[TrainingSignal]) -> Table:
    """Training signals, newest first."""
    head = ("when", "memory", "signal", "source", "strength", "kind", "")
    body = (
        (when(s.at), s.memory, s.type, s.source, s.strength, _kinds(s), "" if s.pending else "withdrawn")
        for s in given
    )  # fmt: skip
    return rows("", head, body)


def _kinds(s: TrainingSignal) -> str:
    return " → ".join(k.value for k in (s.predicted, s.corrected) if k is not None) or "-"


def undone(out: Console, u: Undone) -> None:
    """What was taken back, and what newer edits kept from it."""
    out.print(f"took back {len(u)} {'change' if len(u) == 1 else 'changes'} (run {u.id})")
    if u.conflicts:
        out.print(rows("\nLeft as they are", ("n", "move", "memories", "why"),
                       ((k.entry, k.move, "\n".join(k.ids), k.why) for k in u.conflicts)))  # fmt: skip
