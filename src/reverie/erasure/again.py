"""Receipts that are read back: what they name here, after a backup or an older export was restored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from reverie.erasure.doing import keyed
from reverie.erasure.target import is_sealed
from reverie.errors import InvalidInput
from reverie.model import State
from reverie.store.codec import iso, plain
from reverie.store.erasing import Traces
from reverie.store.records import ErasureRecord


def told(record: ErasureRecord) -> dict[str, Any]:
    """A receipt as it is shown."""
    return {"receipt": dict(record.body), "key": None, "wiped_at": iso(plain(record.wiped_at))}


def named(traces: Traces, receipts: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The memories that are here under an id, or with a key under a text, that a receipt names. Raises InvalidInput."""
    ids: set[str] = set()
    hashes: dict[bytes, set[bytes]] = {}  # by key
    for given in receipts:
        receipt = given.get("receipt", given) if isinstance(given, Mapping) else None
        if not isinstance(receipt, Mapping) or not is_sealed(receipt):
            raise InvalidInput("this is no receipt of an erasure, or somebody has edited it")
        tombstones = receipt["tombstones"]
        ids |= set(tombstones)
        if key := given.get("key"):
            try:
                hashes.setdefault(bytes.fromhex(key), set()).update(bytes.fromhex(h) for h in tombstones.values())
            except (ValueError, TypeError):
                raise InvalidInput("the key of the receipt is none: 64 hexadecimal digits") from None
    found = {m.id for m in traces.rows(ids).values() if m.state is not State.ERASED}
    if hashes:
        found |= {m.id for m in traces.kept() if any(keyed(k, m.text_hash) in known for k, known in hashes.items())}
    return tuple(sorted(found))


def principals(traces: Traces, receipts: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The principals here for whom receipts with their keys stand: all that they said is to go again, not the named rows alone."""
    wanted: list[tuple[bytes, str]] = []
    for given in receipts:
        target = given.get("receipt", given).get("target", {})
        if target.get("sort") == "principal" and (key := given.get("key")):
            wanted.append((bytes.fromhex(key), str(target.get("keyed"))))
    if not wanted:
        return ()
    return tuple(sorted(p for p in traces.principals() if any(name_of(p, key) == keyed_ for key, keyed_ in wanted)))


def name_of(principal: str, key: bytes) -> str:
    """What stands for an erased principal in a receipt."""
    return blake2b(principal.encode(), key=key, digest_size=16).hexdigest()


__all__ = ["named", "principals", "told"]
