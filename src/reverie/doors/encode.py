"""What the façade returns, as plain JSON: the words of the code, times in ISO 8601."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.curation.executor import Run
    from reverie.curation.plan import Plan
    from reverie.curation.undo import Undone
    from reverie.intake import Remembered
    from reverie.memory import History
    from reverie.model import Entry, Link, Memory, RunRecord, Sighting, TrainingSignal
    from reverie.recall.recall import Hit
    from reverie.store.records import Parked

_COLUMNS = (
    "id", "kind", "text", "gist", "state", "trust", "confidence", "pinned", "durable", "derived", "key", "importance",
    "utility", "strength", "recall_count", "access_count", "written_at", "stated_at", "occurred_at", "valid_from",
    "valid_to", "last_recalled_at", "curated_at", "archived_at", "merged_into", "superseded_by", "metadata", "revision",
)  # fmt: skip


def value(given: Any) -> Any:
    """A column's value as JSON holds it."""
    if isinstance(given, datetime):
        return given.isoformat()
    if isinstance(given, StrEnum):
        return given.value
    if isinstance(given, bytes):
        return given.hex()
    return given


def memory(m: Memory) -> dict[str, Any]:
    """A memory: every column but the hashes."""
    origin = {n: value(getattr(m.origin, n)) for n in ("principal", "channel", "client", "session")}
    return {n: value(getattr(m, n)) for n in _COLUMNS} | {"metadata": dict(m.metadata), "origin": origin}


def remembered(got: Remembered) -> dict[str, Any]:
    """What became of a statement."""
    return {
        "id": got.id, "restated": got.restated, "known": got.known, "how": got.how, "masked": list(got.masked),
        "superseded": got.superseded,
    }  # fmt: skip


def hit(h: Hit) -> dict[str, Any]:
    """A hit: its memory, what to show of it, and how the score came about."""
    return {"score": h.score, "shown": h.text, "parts": dict(h.parts), "also": list(h.also), **memory(h.memory)}


def sighting(s: Sighting) -> dict[str, Any]:
    """One time that a memory was stated."""
    return {
        "memory": s.memory, "at": value(s.at), "occurred_at": value(s.occurred_at), "wording": s.wording,
        "external_id": s.external_id, "principal": s.origin.principal, "channel": s.origin.channel.value,
        "client": s.origin.client, "session": s.origin.session,
    }  # fmt: skip


def link(one: Link) -> dict[str, Any]:
    """An edge between two memories."""
    return {
        "source": one.source, "relation": one.relation.value, "target": one.target, "at": value(one.at),
        "evidence": dict(one.evidence),
    }  # fmt: skip


def entry(e: Entry) -> dict[str, Any]:
    """A journal line, whole."""
    return {
        "n": e.n, "run": e.run, "step": e.step, "move": e.move, "ids": list(e.detail.get("ids", ())),
        "reason": e.reason, "status": e.status, "at": value(e.at), "evidence": dict(e.evidence),
        "before": {k: dict(v) for k, v in e.before.items()}, "after": {k: dict(v) for k, v in e.after.items()},
        "added": {k: dict(v) for k, v in e.added.items()}, "detail": dict(e.detail), "model": e.model,
        "tokens": e.tokens, "undoes": e.undoes, "undone_by": e.undone_by, "hash": e.hash.hex(),
    }  # fmt: skip


def history(h: History) -> dict[str, Any]:
    """All that is known of one memory."""
    return {
        "memory": memory(h.memory),
        "versions": [memory(m) for m in h.versions],
        "sightings": [sighting(s) for s in h.sightings],
        "links": [link(one) for one in h.links],
        "entries": [entry(e) for e in h.entries],
    }


def plan(given: Plan, texts: dict[str, str]) -> dict[str, Any]:
    """A plan that `apply` reads back, and beside it the texts that it speaks of and its totals."""
    return given.to_dict() | {
        "moves": len(given),
        "counts": given.counts,
        "errors": given.errors,
        "texts": texts,
    }


def run(r: Run) -> dict[str, Any]:
    """What a run did."""
    return {
        "id": r.id, "cycle": r.cycle, "status": r.status, "counts": dict(r.counts), "errors": dict(r.errors),
        "parked": list(r.parked), "entries": [entry(e) for e in r.entries], "skipped": [entry(e) for e in r.skipped],
    }  # fmt: skip


def undone(u: Undone) -> dict[str, Any]:
    """What an undo took back, and what it left."""
    return {
        "id": u.id,
        "undone": len(u),
        "entries": [entry(e) for e in u.entries],
        "conflicts": [{"entry": k.entry, "move": k.move, "ids": list(k.ids), "why": k.why} for k in u.conflicts],
    }


def record(r: RunRecord) -> dict[str, Any]:
    """A run as the journal keeps it."""
    return {
        "id": r.id, "cycle": r.cycle, "actor": r.actor, "started_at": value(r.started_at),
        "finished_at": value(r.finished_at), "status": r.status, "counts": dict(r.counts), "errors": dict(r.errors),
    }  # fmt: skip


def signal(s: TrainingSignal) -> dict[str, Any]:
    """A training signal. No text is in it."""
    return {
        "memory": s.memory, "type": s.type, "source": s.source, "at": value(s.at), "pending": s.pending,
        "predicted": value(s.predicted), "corrected": value(s.corrected), "strength": s.strength,
    }  # fmt: skip


def parked(p: Parked) -> dict[str, Any]:
    """A plan that waits for a person."""
    return {
        "id": p.id, "run": p.run, "step": p.step, "reason": p.reason, "at": value(p.at), "status": p.status,
        "plan": p.plan,
    }  # fmt: skip
