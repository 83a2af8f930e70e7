"""Every row of a scope as plain records, for exports and for comparing two stores.

Technical columns stay out: sequence numbers, revisions, versions and what can be computed again from the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import apsw

from reverie.store.codec import hashed_fields, iso
from reverie.store.queries import queries
from reverie.store.sqlite import rows

Q = queries("sqlite")


def dump(connection: apsw.Connection, scope: int, *, journal: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """(record type, fields) of the scope: memories, sightings, links, and on request all that the journal holds."""
    for r in connection.execute(Q.dump_memory, (scope,)):
        yield "memory", _memory(r)
    for r in connection.execute(Q.dump_sighting, (scope,)):
        yield "sighting", {
            "memory": r[0], "principal": r[1], "channel": r[2], "client": r[3], "session": r[4], "at": iso(r[5]),
            "occurred_at": iso(r[6]), "wording": r[7], "external_id": r[8],
        }  # fmt: skip
    for r in connection.execute(Q.dump_link, (scope,)):
        evidence = json.loads(r[4]) if r[4] else {}
        yield "link", {"source": r[0], "relation": r[1], "target": r[2], "at": iso(r[3]), "evidence": evidence}
    if journal:
        yield from _journal(connection, scope)


def _memory(r: Any) -> dict[str, Any]:
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


def _journal(connection: apsw.Connection, scope: int) -> Iterator[tuple[str, dict[str, Any]]]:
    row = connection.execute(Q.epoch, (scope,)).fetchone()
    if row:
        yield "epoch", {"epoch": row[0], "used_at": row[1]}
    for r in connection.execute(Q.dump_run, (scope,)):
        yield "run", {
            "id": r[0], "cycle": r[1], "actor": r[2], "started_at": iso(r[3]), "finished_at": iso(r[4]),
            "status": r[5], "counts": json.loads(r[6]), "errors": json.loads(r[7]),
        }  # fmt: skip
    given = {"scope": scope, "after": 0, "limit": -1, "since": None}
    for r in connection.execute(Q.entries, given):
        e = rows.entry(r)
        yield (
            "entry",
            {"n": e.n, **hashed_fields(e), "undone_by": e.undone_by, "counted": e.counted, "hash": e.hash.hex()},
        )
    for r in connection.execute(Q.dump_stamp, (scope,)):
        yield "stamp", {"run": r[0], "memory": r[1], "before": r[2], "after": r[3]}
    for r in connection.execute(Q.dump_apart, (scope,)):
        yield "apart", {"low": r[0].hex(), "high": r[1].hex(), "reason": r[2], "at": iso(r[3])}
    for r in connection.execute(Q.dump_parked, (scope,)):
        yield "parked", {
            "id": r[0], "run": r[1], "step": r[2], "reason": r[3], "at": iso(r[4]), "status": r[5],
            "plan": json.loads(r[6]), "digest": r[7].hex(),
        }  # fmt: skip
    for r in connection.execute(Q.dump_activity, (scope,)):
        yield "activity", {"at": iso(r[0]), "action": r[1], "run": r[2], "detail": json.loads(r[3])}
    for r in connection.execute(Q.dump_signal, (scope,)):
        yield "signal", {"memory": r[0], "signal": r[1], "source": r[2], "at": r[3], "pending": r[4]}
