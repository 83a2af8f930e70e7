"""Carrying an erasure out, whole, in one transaction: words away, tombstones, an entry in the journal, a receipt."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from reverie.clock import Clock, Ids, from_us
from reverie.erasure import emptying
from reverie.erasure.finding import Found
from reverie.erasure.lineage import settled
from reverie.erasure.target import Erasure, sealed
from reverie.errors import Conflict
from reverie.model import Entry, Memory, Origin, RunRecord, Sighting, State
from reverie.store.codec import iso, plain
from reverie.store.erasing import NOBODY, Stated
from reverie.store.records import ErasureRecord
from reverie.store.verbs import Tx
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures

LONG_AGO = from_us(0)
KEY_IDS = 4  # ids that a key is made of: each has 80 random bits


def new_key(ids: Ids) -> bytes:
    """32 bytes that nobody can guess."""
    return hashlib.sha256("".join(ids.new() for _ in range(KEY_IDS)).encode()).digest()


def keyed(key: bytes, text_hash_: bytes) -> bytes:
    """16 bytes that stand for a text, by its hash: without the key nobody can tell for which."""
    return blake2b(text_hash_, key=key, digest_size=16).digest()


def carry_out(tx: Tx, found: Found, *, reason: str, actor: Origin, clock: Clock, ids: Ids) -> Erasure:
    """Erase what was found in this very transaction. It cannot be taken back."""
    now, line, target = clock.now(), found.lineage, found.target
    id_, run, key = ids.new(), ids.new(), new_key(ids)
    tombstones = {i: keyed(key, m.text_hash).hex() for i, m in sorted(line.rows.items())}
    who = NOBODY if actor.principal == target.principal else actor.principal
    name = blake2b(str(target.principal).encode(), key=key, digest_size=16).hexdigest()
    told = target.to_dict(keyed=name)
    freed = _destroy(tx, found, tombstones, ids)
    receipt = sealed(
        {
            "id": id_, "at": iso(plain(now)), "actor": who, "reason": reason, "target": told, "counts": dict(found.counts),
            "tombstones": tombstones, "journal_before": tx.traces().last_hash(),
        }
    )  # fmt: skip
    tx.start_run(RunRecord(run, "erase", who, now, now, "done", {"erase": len(line.rows)}, {}))
    tx.add_entry(
        Entry(
            n=0, run=run, index=0, step="erase", move=emptying.MOVE, reason=reason, evidence={}, added={},
            before={i: b for i, (b, _) in freed.items()}, after={i: a for i, (_, a) in freed.items()},
            detail={
                "ids": [] if target.sort == "everything" else list(tombstones), "receipt": id_, "sha256": receipt["sha256"],
                "target": told, "counts": dict(found.counts), "memories": len(tombstones),
                "emptied": [[e.n, emptying.digest(e)] for e in found.entries],
            },
            status="applied", at=now, hash=b"", previous=b"",
        ),
        counted=False,
    )  # fmt: skip
    tx.eraser().receipt(ErasureRecord(id_, now, who, receipt))
    if line.freed or line.reborn:
        tx.waits(now)
    tx.caught_up(LONG_AGO)  # nothing waits any more, where what waited is gone; else it has waited as long as before
    return Erasure(
        target, True, found.token, tuple(tombstones), found.counts, line.others(), id_, now, who, reason, tombstones, receipt,
        key.hex(),
    )  # fmt: skip


_Images = Mapping[str, tuple[dict[str, Any], dict[str, Any]]]


def _destroy(tx: Tx, found: Found, tombstones: Mapping[str, str], ids: Ids) -> _Images:
    eraser, line = tx.eraser(), found.lineage
    if found.target.sort == "everything":
        eraser.everything()
        return {}
    for id_, hex_ in tombstones.items():
        eraser.memory(id_, bytes.fromhex(hex_))
    eraser.around(list(tombstones))
    for stated in line.drops.values():
        for s in stated:
            eraser.sighting(s.n)
    for id_, (_, origin, trust) in line.moves.items():
        eraser.origin(id_, origin, trust.value)
    eraser.gists(sorted(set(found.gists) | set(line.moves)))
    eraser.hashes(found.texts, found.norms)
    eraser.queries(found.queries)
    eraser.verdicts(found.verdicts)
    for entry in found.entries:
        eraser.entry(entry)
    for id_, plan, why in found.parked:
        eraser.parked(id_, plan, why)
    for run, errors in found.errors:
        eraser.errors(run, errors)
    eraser.books(found.activity, found.steps, found.jobs)
    eraser.answers()
    if found.target.principal is not None:
        eraser.actor(found.target.principal)
    freed: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for id_ in sorted(line.freed):
        freed |= _freed(tx, id_, line.rows)
    for row, theirs in line.reborn:
        _reborn(tx, row, theirs, ids)
    return freed


def _freed(tx: Tx, id_: str, gone: Mapping[str, Memory]) -> _Images:
    """A memory that was merged into an erased one stands for itself again, in that one's state, or goes into the live one that has
    its text."""
    row = tx.rows([id_])[id_]
    same = tx.find_live(row.norm_hash, row.kind)
    given: dict[str, Any] = settled(row, gone) or {"state": State.LIVE, "merged_into": None}
    if given["state"] is not State.LIVE:
        pass
    elif same is not None or (row.key is not None and tx.find_key(row.key) is not None):
        given = {"merged_into": same.id if same else None, "state": State.MERGED if same else State.ARCHIVED}
    tx.change(row, given, {}, recheck=given["state"] is State.LIVE)
    return {id_: ({k: plain(getattr(row, k)) for k in given}, {k: plain(v) for k, v in given.items()})}


def _reborn(tx: Tx, row: Memory, theirs: list[Stated], ids: Ids) -> None:
    """Others' wordings of a row that goes become a memory of their own: of its state, and of nothing else that it had."""
    first = theirs[0].sighting
    text = str(first.wording)
    made = Memory(
        id=ids.new(), kind=row.kind, text=text, text_hash=text_hash(text), norm_hash=norm_hash(text), origin=first.origin,
        trust=first.origin.trust, written_at=first.at, stated_at=max(s.sighting.at for s in theirs), strength_at=first.at,
        occurred_at=first.occurred_at, valid_from=row.valid_from, valid_to=row.valid_to, durable=row.durable,
        half_life_days=row.half_life_days, state=row.state, archived_at=row.archived_at, merged_into=row.merged_into,
        superseded_by=row.superseded_by,
    )  # fmt: skip
    home = made.id
    same = tx.find_live(made.norm_hash, made.kind) if made.state is State.LIVE else None
    if same is not None:
        home, text = same.id, same.text
    else:
        tx.insert(made, signatures(text))
    for s in theirs:
        wording = s.sighting.wording if s.sighting.wording != text else None
        try:
            tx.sight(dataclasses.replace(s.sighting, memory=home, wording=wording))
        except Conflict:  # its external id stands under another memory: the statement is kept without it
            tx.sight(Sighting(home, s.sighting.origin, s.sighting.at, s.sighting.occurred_at, wording))


__all__ = ["carry_out", "keyed", "new_key"]
