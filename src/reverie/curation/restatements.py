"""A restatement that the guard found at write, as a journal entry: so that this decision, too, can be taken back.

Equality of the normalised text needs no entry: nothing but case, spaces and punctuation differs, and the sighting keeps that.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from reverie.clock import Clock, Ids
from reverie.model import Channel, Entry, Kind, Memory, Origin, RunRecord, Sighting
from reverie.store.codec import from_iso, iso, plain
from reverie.store.verbs import Tx
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures

_KEPT = ("occurred_at", "written_at", "valid_from", "valid_to")


def note(tx: Tx, row: Memory, written: Memory, sighting: Sighting, *, clock: Clock, ids: Ids) -> Entry:
    """Journal that ``written`` became a sighting of ``row``, with all that it takes to make a row of its own of it."""
    now = clock.now()
    run = RunRecord(ids.new(), "write", sighting.origin.principal, now, now, "done", {"restated": 1}, {})
    tx.start_run(run)
    o = written.origin
    item: dict[str, Any] = {
        "text": written.text, "kind": row.kind.value, "metadata": dict(written.metadata), "gist": written.gist,
        "importance": written.importance, "durable": written.durable, "principal": o.principal,
        "channel": o.channel.value, "client": o.client, "session": o.session,
        **{k: iso(plain(getattr(written, k))) for k in _KEPT},
    }  # fmt: skip
    entry = Entry(
        n=0, run=run.id, index=0, step="write", move="Sight", reason="the guard cleared it as a restatement",
        evidence={"wording": written.text}, before={}, after={}, added={row.id: {"access_count": 1}},
        detail={"ids": [row.id], "bump": row.id, "item": item}, status="applied", at=now, hash=b"", previous=b"",
    )  # fmt: skip
    return tx.add_entry(entry, counted=False)


def split(tx: Tx, entry: Entry, ids: Ids) -> str:
    """Make a row of its own of what was taken as a restatement; its sighting goes with it. Returns the new id."""
    item = entry.detail["item"]
    origin = Origin(item["principal"], Channel(item["channel"]), item["client"], item["session"])
    times: dict[str, Any] = {k: from_iso(item[k]) for k in _KEPT}
    written = times.pop("written_at") or entry.at
    row = Memory(
        id=ids.new(), kind=Kind(item["kind"]), text=item["text"], text_hash=text_hash(item["text"]),
        norm_hash=norm_hash(item["text"]), origin=origin, trust=origin.trust, written_at=written, stated_at=written,
        strength_at=written, metadata=item["metadata"], gist=item["gist"], importance=item["importance"],
        durable=item["durable"], **times,
    )  # fmt: skip
    tx.insert(row, signatures(row.text))
    if not tx.move_sighting(entry.detail["ids"][0], row.id, row.text, None):
        tx.sight(dataclasses.replace(Sighting(row.id, origin, written), occurred_at=row.occurred_at))
    return row.id
