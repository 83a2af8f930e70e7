"""Every row of a scope as plain records, for exports, for copies and for comparing two stores.

Technical columns stay out of an export: sequence numbers, revisions, versions and what can be computed again from the
text. ``whole`` adds what a copy needs besides, so that plans which wait stay good: revisions, settings, past queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from reverie.store import rows
from reverie.store.codec import hashed_fields, iso
from reverie.store.session import Row, Session


def dump(session: Session, *, journal: bool, whole: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """(record type, fields) of the scope: memories, sightings, links, and on request all that the journal holds."""
    for r in session.each("dump_memory"):
        fields = _memory(r)
        if (
            r[34] == "erased"
        ):  # a tombstone: in place of its text's hash it has a keyed one, which nothing else can give
            fields |= {"tombstone": r[4].hex()}
        yield "memory", fields | {"revision": r[37]} if whole else fields
    for r in session.each("dump_sighting"):
        yield "sighting", {
            "memory": r[0], "principal": r[1], "channel": r[2], "client": r[3], "session": r[4], "at": iso(r[5]),
            "occurred_at": iso(r[6]), "wording": r[7], "external_id": r[8],
        }  # fmt: skip
    for r in session.each("dump_link"):
        evidence = json.loads(r[4]) if r[4] else {}
        yield "link", {"source": r[0], "relation": r[1], "target": r[2], "at": iso(r[3]), "evidence": evidence}
    if journal:
        yield from _journal(session)
    if whole:
        yield from _rest(session)


def _memory(r: Row) -> dict[str, Any]:
    m = rows.memory(r)
    return {
        "id": m.id, "kind": m.kind.value, "text": m.text, "gist": m.gist, "derived": m.derived,
        "metadata": dict(m.metadata), "key": m.key, "principal": m.origin.principal, "channel": m.origin.channel.value,
        "client": m.origin.client, "session": m.origin.session, "trust": m.trust.value, "occurred_at": iso(r[15]),
        "written_at": iso(r[16]), "stated_at": iso(r[17]), "valid_from": iso(r[18]), "valid_to": iso(r[19]),
        "curated_at": iso(r[20]), "archived_at": iso(r[21]), "last_recalled_at": iso(r[22]),
        "recall_count": m.recall_count, "access_count": m.access_count, "epoch": m.epoch, "importance": m.importance,
        "utility": m.utility, "strength": m.strength, "strength_at": iso(r[29]), "half_life_days": m.half_life_days,
        "confidence": m.confidence.value, "pinned": m.pinned, "durable": m.durable, "state": m.state.value,
        "merged_into": m.merged_into, "superseded_by": m.superseded_by,
    }  # fmt: skip


def _journal(session: Session) -> Iterator[tuple[str, dict[str, Any]]]:
    row = session.one("epoch")
    if row:
        yield "epoch", {"epoch": row[0], "used_at": row[1]}
    for r in session.each("dump_run"):
        yield "run", {
            "id": r[0], "cycle": r[1], "actor": r[2], "started_at": iso(r[3]), "finished_at": iso(r[4]),
            "status": r[5], "counts": json.loads(r[6]), "errors": json.loads(r[7]), "steps": json.loads(r[8]),
        }  # fmt: skip
    for r in session.each("dump_entry"):
        e = rows.entry(r)
        yield (
            "entry",
            {"n": e.n, **hashed_fields(e), "undone_by": e.undone_by, "counted": e.counted, "hash": e.hash.hex()},
        )
    for r in session.each("dump_stamp"):
        yield "stamp", {"run": r[0], "memory": r[1], "before": r[2], "after": r[3]}
    for r in session.each("dump_apart"):
        yield "apart", {"low": r[0].hex(), "high": r[1].hex(), "reason": r[2], "at": iso(r[3])}
    for r in session.each("dump_parked"):
        yield "parked", {
            "id": r[0], "run": r[1], "step": r[2], "reason": r[3], "at": iso(r[4]), "status": r[5],
            "plan": json.loads(r[6]), "digest": r[7].hex(),
        }  # fmt: skip
    for r in session.each("dump_activity"):
        yield "activity", {"at": iso(r[0]), "action": r[1], "run": r[2], "detail": json.loads(r[3])}
    for r in session.each("dump_erasure"):
        yield "erasure", {
            "id": r[0], "at": iso(r[1]), "actor": r[2], "receipt": json.loads(r[3]), "wiped_at": iso(r[4]),
        }  # fmt: skip
    for r in session.each("dump_signal"):
        yield "signal", {
            "memory": r[0], "signal": r[1], "source": r[2], "at": r[3], "pending": r[4], "predicted": r[5],
            "corrected": r[6], "strength": r[7],
        }  # fmt: skip
    for r in session.each("dump_pair"):
        yield "pair", {
            "low": r[0], "high": r[1], "similarity": r[2], "step": r[3], "reason": r[4], "status": r[5],
            "verdict": r[6], "model": r[7], "asked": r[8], "at": iso(r[9]),
        }  # fmt: skip


def _rest(session: Session) -> Iterator[tuple[str, dict[str, Any]]]:
    for r in session.all("dump_query"):
        hits = [h[0] for h in session.all("dump_hit", n=r[0])]
        yield "query", {"text": r[1], "at": iso(r[2]), "hits": hits}
    for r in session.all("steps"):
        yield "step", {
            "cycle": r[0], "name": r[1], "succeeded_at": r[2], "failed_at": r[3], "reason": r[4],
            "failing": bool(r[5]),
        }  # fmt: skip
    for r in session.all("dump_slot"):
        yield "slot", {"cycle": r[0], "key": r[1], "at": iso(r[2]), "finished_at": iso(r[3]), "with_model": bool(r[4])}
    for r in session.each("dump_verdict"):
        yield "verdict", {"key": r[0].hex(), "texts": r[1].split(), "answer": r[2], "model": r[3], "at": iso(r[4])}
    for r in session.each("dump_call"):
        yield "call", {
            "at": iso(r[0]), "run": r[1], "model": r[2], "purpose": r[3], "questions": r[4], "outcome": r[5],
            "tokens_in": r[6], "tokens_out": r[7], "cost": r[8], "seconds": r[9],
        }  # fmt: skip
    for r in session.all("settings"):
        yield "setting", {"name": r[0], "value": r[1]}
