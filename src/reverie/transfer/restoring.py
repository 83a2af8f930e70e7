"""Reading a lossless export back: ids, times, provenance, states and, where it is in it, the journal."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from reverie.clock import from_us
from reverie.curation.candidates import keys_of
from reverie.curation.journal import check_chain
from reverie.erasure.emptying import MOVE
from reverie.erasure.target import is_sealed
from reverie.errors import InvalidInput, StoreCorrupt, StoreError
from reverie.model import (
    Channel,
    Confidence,
    Entry,
    Kind,
    Memory,
    Origin,
    Relation,
    RunRecord,
    Sighting,
    State,
    Trust,
)
from reverie.store.codec import from_iso
from reverie.store.port import ScopeStore
from reverie.store.records import CallRecord, ErasureRecord, Pair, Parked
from reverie.store.verbs import Tx
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import GRAMMAR, signatures
from reverie.transfer.exporting import FORMAT, VERSION
from reverie.transitions import Edge

BATCH = 500
PLAIN = frozenset({"memory", "sighting", "link"})  # records of an export without its journal


def restore(scope: ScopeStore, path: Path) -> int:
    """Write every record of an export into an empty namespace. Returns how many records there were.

    In transactions of 500, so that any size fits; a second try after an interruption needs a fresh namespace.

    Raises:
        InvalidInput: no export, one of a newer version, a bad line, or the namespace is not empty.
        StoreCorrupt: its journal does not hash to what it says.
    """
    with scope.read() as r:
        if any(r.count().values()):
            raise InvalidInput("an export is read into an empty namespace; name a new one")
        journaled = bool(r.entries(limit=1))
    lines = _lines(path)
    head = next(lines, (0, {}))[1]
    if head.get("type") != FORMAT:
        raise InvalidInput(f"{path} is not a Reverie export: its first line has no header")
    if head.get("version", 0) > VERSION:
        raise InvalidInput(f"{path} was written by a newer Reverie (export version {head['version']})")
    if head.get("journal") and journaled:  # it was erased whole, and its journal goes on
        raise InvalidInput("an export with a journal is read into a namespace that has none; name a new one")
    n = take(scope, lines if head.get("journal") else _without_journal(lines, path), str(path))
    told = head.get("grammar")
    if told != GRAMMAR:  # an older Reverie has examined these rows: they are examined again
        scope.transact(lambda tx: tx.set_grammar(told or 0))
    return n


def _without_journal(lines: Iterator[tuple[int, dict[str, Any]]], path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Refuse journal records that the header denies: they would be taken for what was done here."""
    for number, record in lines:
        if record.get("type") not in PLAIN:
            raise InvalidInput(f"line {number} of {path} is of the journal, and the header says that none is in it")
        yield number, record


def take(scope: ScopeStore, records: Iterator[tuple[int, Mapping[str, Any]]], where: str) -> int:
    """Write numbered records, in transactions of 500; how many there were. Raises InvalidInput, StoreCorrupt."""
    n, emptied = 0, False
    while chunk := list(islice(records, BATCH)):

        def work(tx: Tx, chunk: list[tuple[int, Mapping[str, Any]]] = chunk) -> None:
            memories: list[tuple[Memory, Sequence[bytes]]] = []
            for number, record in chunk:
                try:
                    if record["type"] == "memory":
                        memories.append(_memory(record))
                        continue
                    _insert(tx, memories)
                    _WRITERS[record["type"]](tx, record)
                except (KeyError, ValueError, TypeError) as error:
                    raise InvalidInput(f"line {number} of {where} cannot be read: {error!r}") from error
            _insert(tx, memories)

        scope.transact(work)
        n += len(chunk)
        emptied = emptied or any(r["type"] == "entry" and r["detail"].get("emptied") for _, r in chunk)
    if emptied:
        with scope.read() as reads:
            chain = check_chain(reads)
        if not chain:
            raise StoreCorrupt(f"journal entry {chain.broken_at} of the export: {chain.why}")
    return n


def _insert(tx: Tx, memories: list[tuple[Memory, Sequence[bytes]]]) -> None:
    tx.insert_many(memories)
    # Others are noted when they are examined.
    tx.note_attributes([(m.id, keys_of(m)) for m, _ in memories if m.curated_at and m.state is State.LIVE])
    memories.clear()


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        yield number, json.loads(line)
                    except ValueError as error:
                        raise InvalidInput(f"line {number} of {path} is not JSON: {error}") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}") from error


def _memory(r: Mapping[str, Any]) -> tuple[Memory, Sequence[bytes]]:
    given = {k: r[k] for k in (
        "id", "text", "gist", "derived", "metadata", "key", "recall_count", "access_count", "epoch", "importance",
        "utility", "strength", "half_life_days", "pinned", "durable", "merged_into", "superseded_by",
    )}  # fmt: skip
    times: dict[str, Any] = {k: from_iso(r[k]) for k in (
        "occurred_at", "written_at", "stated_at", "valid_from", "valid_to", "curated_at", "archived_at",
        "last_recalled_at", "strength_at",
    )}  # fmt: skip
    hashes = [bytes.fromhex(r["tombstone"])] * 2 if "tombstone" in r else [text_hash(r["text"]), norm_hash(r["text"])]
    memory = Memory(
        **given, **times, kind=Kind(r["kind"]), trust=Trust(r["trust"]), confidence=Confidence(r["confidence"]),
        state=State(r["state"]), text_hash=hashes[0], norm_hash=hashes[1], origin=_origin(r),
        revision=r.get("revision", 1),
    )  # fmt: skip
    return memory, signatures(memory.text) if memory.state is not State.ERASED else []


def _origin(r: Mapping[str, Any]) -> Origin:
    return Origin(r["principal"], Channel(r["channel"]), r["client"], r["session"])


def _sighting(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a sighting needs its time")
    tx.sight(Sighting(r["memory"], _origin(r), at, from_iso(r["occurred_at"]), r["wording"], r["external_id"]))


def _link(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a link needs its time")
    tx.edge(Edge(r["source"], Relation(r["relation"]), r["target"]), at, r["evidence"])


def _run(tx: Tx, r: Mapping[str, Any]) -> None:
    started = from_iso(r["started_at"])
    if started is None:
        raise ValueError("a run needs its start")
    tx.start_run(
        RunRecord(
            r["id"], r["cycle"], r["actor"], started, from_iso(r["finished_at"]), r["status"], r["counts"], r["errors"],
            tuple(r.get("steps", ())),
        )
    )  # fmt: skip


def _entry(tx: Tx, r: Mapping[str, Any]) -> None:
    names = ("run", "step", "move", "reason", "status", "evidence", "before", "after", "added", "detail", "model",
             "tokens", "undoes")  # fmt: skip
    given = Entry(
        n=0, index=r["index"], at=from_us(r["at"]), hash=b"", previous=b"", **{k: r[k] for k in names}
    )  # fmt: skip
    if r["detail"].get("emptied") and r["move"] != MOVE:
        # It fits no hash; whether an erasure vouches for it is looked at when all are in.
        tx.restore_entry(
            dataclasses.replace(given, hash=bytes.fromhex(r["hash"]), undone_by=None, counted=bool(r["counted"]))
        )
        if r["undone_by"] is not None:
            tx.mark_undone(r["n"], r["undone_by"])
        return
    written = tx.add_entry(given, counted=bool(r["counted"]))
    if written.hash.hex() != r["hash"]:
        raise StoreCorrupt(f"journal entry {r['n']} of the export does not hash to what it says")
    if r["undone_by"] is not None:
        tx.mark_undone(written.n, r["undone_by"])


def _apart(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a ruling needs its time")
    tx.keep_apart([(bytes.fromhex(r["low"]), bytes.fromhex(r["high"]))], r["reason"], at)


def _parked(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a parked plan needs its time")
    parked = Parked(r["id"], r["run"], r["step"], r["reason"], at, r["status"], r["plan"])
    tx.park(parked, bytes.fromhex(r["digest"]))


def _activity(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("an activity needs its time")
    tx.add_activity(at, r["action"], r["run"], r["detail"])


def _query(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a query needs its time")
    tx.log_recalls([(r["text"], at, r["hits"])], keep=2**31)


def _slot(tx: Tx, r: Mapping[str, Any]) -> None:
    at, finished = from_iso(r["at"]), from_iso(r["finished_at"])
    if at is None:
        raise ValueError("a slot needs its time")
    tx.claim_slot(r["cycle"], r["key"], at, with_model=r["with_model"])
    if finished is not None:
        tx.finish_slot(r["cycle"], r["key"], finished, forget_before=at)


def _erasure(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("an erasure needs its time")
    if not is_sealed(r["receipt"]):
        raise StoreCorrupt(f"the receipt of the erasure {r['id']} was edited")
    tx.eraser().receipt(ErasureRecord(r["id"], at, r["actor"], r["receipt"], from_iso(r["wiped_at"])))


def _pair(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a pair needs its time")
    names = ("low", "high", "similarity", "step", "reason", "status", "verdict", "model", "asked")
    tx.note_pairs([Pair(**{k: r[k] for k in names}, at=at)])


def _verdict(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a verdict needs its time")
    hashes = [bytes.fromhex(h) for h in r["texts"]]
    tx.keep_verdicts([(bytes.fromhex(r["key"]), hashes, r["answer"], r["model"])], at)


def _call(tx: Tx, r: Mapping[str, Any]) -> None:
    at = from_iso(r["at"])
    if at is None:
        raise ValueError("a call needs its time")
    tx.restore_call(CallRecord(**{k: v for k, v in r.items() if k not in ("type", "at")}, at=at))


_WRITERS: Mapping[str, Callable[[Tx, Mapping[str, Any]], None]] = {
    "sighting": _sighting,
    "link": _link,
    "run": _run,
    "entry": _entry,
    "apart": _apart,
    "parked": _parked,
    "activity": _activity,
    "stamp": lambda tx, r: tx.restore("stamp", r),
    "signal": lambda tx, r: tx.restore("signal", r),
    "epoch": lambda tx, r: tx.restore("epoch", r),
    "pair": _pair,
    "erasure": _erasure,
    "verdict": _verdict,
    "call": _call,
    "query": _query,
    "slot": _slot,
    "step": lambda tx, r: tx.restore("step", r),
    "setting": lambda tx, r: tx.set_setting(r["name"], r["value"]),
}
