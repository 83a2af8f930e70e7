"""Between the columns of a store and the nouns. Every dialect has the same columns in the same types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from reverie.clock import from_us, to_us
from reverie.model import (
    Channel,
    Confidence,
    Entry,
    Kind,
    Lease,
    Link,
    Memory,
    Origin,
    Relation,
    RunRecord,
    Sighting,
    State,
    Trust,
)
from reverie.store.codec import dumps
from reverie.store.records import IndexRow

_KIND = {k.value: k for k in Kind}
_CHANNEL = {c.value: c for c in Channel}
_TRUST = {t.value: t for t in Trust}
_CONFIDENCE = {c.value: c for c in Confidence}
_STATE = {s.value: s for s in State}


def when(us: int | None) -> datetime | None:
    """Microseconds to a time."""
    return None if us is None else from_us(us)


def us(at: datetime | None) -> int | None:
    """A time to microseconds."""
    return None if at is None else to_us(at)


def memory(row: Sequence[Any]) -> Memory:
    """A row of the queries' column list, whose first column is seq."""
    return Memory(
        id=row[1],
        kind=_KIND[row[2]],
        text=row[3],
        text_hash=row[4],
        norm_hash=row[5],
        gist=row[6],
        derived=bool(row[7]),
        metadata=json.loads(row[8]) if row[8] else {},
        key=row[9],
        origin=Origin(row[10], _CHANNEL[row[11]], row[12], row[13]),
        trust=_TRUST[row[14]],
        occurred_at=when(row[15]),
        written_at=from_us(row[16]),
        stated_at=from_us(row[17]),
        valid_from=when(row[18]),
        valid_to=when(row[19]),
        curated_at=when(row[20]),
        archived_at=when(row[21]),
        last_recalled_at=when(row[22]),
        recall_count=row[23],
        access_count=row[24],
        epoch=row[25],
        importance=row[26],
        utility=row[27],
        strength=row[28],
        strength_at=when(row[29]),
        half_life_days=row[30],
        confidence=_CONFIDENCE[row[31]],
        pinned=bool(row[32]),
        durable=bool(row[33]),
        state=_STATE[row[34]],
        merged_into=row[35],
        superseded_by=row[36],
        revision=row[37],
    )


def insert_values(m: Memory, mod: int) -> dict[str, Any]:
    """The parameters of ``insert_memory``."""
    o = m.origin
    return {
        "id": m.id, "text": m.text, "text_hash": m.text_hash, "norm_hash": m.norm_hash, "derived": int(m.derived),
        "metadata": dumps(m.metadata) or None, "principal": o.principal, "channel": o.channel.value, "client": o.client,
        "session": o.session, "occurred_at": us(m.occurred_at), "written_at": to_us(m.written_at),
        "curated_at": us(m.curated_at), "revision": m.revision, "uncurated": int(m.curated_at is None), "mod": mod,
        **change_values(m),
    }  # fmt: skip


def change_values(m: Memory) -> dict[str, Any]:
    """The mutable columns: parameters of ``change``."""
    return {
        "kind": m.kind.value, "gist": m.gist, "key": m.key, "trust": m.trust.value, "stated_at": to_us(m.stated_at),
        "valid_from": us(m.valid_from), "valid_to": us(m.valid_to), "archived_at": us(m.archived_at),
        "last_recalled_at": us(m.last_recalled_at), "recall_count": m.recall_count, "access_count": m.access_count,
        "epoch": m.epoch, "importance": m.importance, "utility": m.utility, "strength": m.strength,
        "strength_at": us(m.strength_at), "half_life_days": m.half_life_days, "confidence": m.confidence.value,
        "pinned": int(m.pinned), "durable": int(m.durable), "state": m.state.value, "merged_into": m.merged_into,
        "superseded_by": m.superseded_by,
    }  # fmt: skip


def first_of_kind(found: Iterable[Sequence[Any]], kind: str | None) -> Memory | None:
    """The oldest of the live rows of one text, of a kind or of any; there is at most one a kind."""
    fitting = [row for row in found if kind is None or row[2] == kind]
    return memory(min(fitting, key=lambda row: row[1])) if fitting else None


def sighting(row: Sequence[Any]) -> Sighting:
    """A row of ``sightings``."""
    return Sighting(
        memory=row[0],
        origin=Origin(row[1], _CHANNEL[row[2]], row[3], row[4]),
        at=from_us(row[5]),
        occurred_at=when(row[6]),
        wording=row[7],
        external_id=row[8],
    )


def link(row: Sequence[Any]) -> Link:
    """A row of ``links``."""
    return Link(row[0], Relation(row[1]), row[2], from_us(row[3]), json.loads(row[4]) if row[4] else {})


def run(row: Sequence[Any]) -> RunRecord:
    """A row of ``runs``."""
    return RunRecord(
        row[0], row[1], row[2], from_us(row[3]), when(row[4]), row[5], json.loads(row[6]), json.loads(row[7]),
        tuple(json.loads(row[8])),
    )  # fmt: skip


def entry(row: Sequence[Any]) -> Entry:
    """A row of ``entries``."""
    body = json.loads(row[8])
    return Entry(
        n=row[0],
        run=row[1],
        index=row[2],
        step=row[3],
        move=row[4],
        reason=row[5],
        status=row[6],
        at=from_us(row[7]),
        evidence=body["evidence"],
        before=body["before"],
        after=body["after"],
        added=body["added"],
        detail=body["detail"],
        model=row[9],
        tokens=row[10],
        undoes=row[11],
        undone_by=row[12],
        previous=row[13],
        hash=row[14],
        counted=bool(row[15]),
    )


def lease(row: Sequence[Any] | None) -> Lease | None:
    """A row of ``lease``; None where nobody holds it."""
    return None if row is None or row[0] is None else Lease(row[0], row[1], from_us(row[2]))


def index_row(r: Sequence[Any]) -> IndexRow:
    """A row of ``changes`` or ``live_index``."""
    return IndexRow(r[0], r[1], r[2] == "live", r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10])
