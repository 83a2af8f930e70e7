"""Copying scopes from one store to another, whole: texts, journal, vectors, settings, what waits. Verified before it says so."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reverie.errors import InvalidInput, StoreCorrupt
from reverie.model import Scope
from reverie.store.port import AbstractReads, Store
from reverie.store.verbs import Tx
from reverie.transfer.restoring import take

VECTORS = "vector"


@dataclass(frozen=True, slots=True)
class Copied:
    """One scope that was copied: how many records of each type, and the hash over all of them, which both stores gave."""

    scope: Scope
    counts: Mapping[str, int]
    digest: str


def copy(
    source: Store, target: Store, *, only: Callable[[Scope], bool] | None = None,
    progress: Callable[[Scope, int], object] | None = None,
) -> Iterator[Copied]:  # fmt: skip
    """Copy every scope, or ``only`` some, into scopes that must be empty; one `Copied` for each that is there and verified.

    Nobody should write to the source meanwhile: what comes after a scope's snapshot is not copied. A scope whose copy was cut
    off is not empty any more: copy into a fresh store.

    Raises:
        InvalidInput: a scope of the target is not empty; nothing of it was written.
        StoreCorrupt: the source's journal is broken, or the copy does not equal the source.
    """
    scopes = [s for s in source.scopes() if only is None or only(s)]
    for scope in scopes:
        with target.scope(scope).read() as r:
            if any(r.count().values()) or r.settings() or r.erasures(1):
                raise InvalidInput(f"{scope.tenant}/{scope.namespace} is not empty in the store to copy to")
    for scope in scopes:
        yield _one(source, target, scope, progress)


def _one(source: Store, target: Store, scope: Scope, progress: Callable[[Scope, int], object] | None) -> Copied:
    from_, to = source.scope(scope), target.scope(scope)
    with from_.read() as r:
        given = Tally()
        records = _counted(given.each(r.dump(journal=True, whole=True)), scope, progress)
        take(to, records, f"{scope.tenant}/{scope.namespace}")
        grammar = r.grammar()
        to.transact(lambda tx: tx.set_grammar(grammar or 0))
        for model, dim in r.models():
            for page in r.vector_pages(model):
                to.transact(lambda tx, page=page, model=model, dim=dim: _vectors(tx, model, dim, page))  # type: ignore[misc]
                given.vectors(model, page)
            if (record := source.calibration(model)) is not None and target.calibration(model) is None:
                target.keep_calibration(model, record)
    with to.read() as r:
        got = tally(r)
    if (got.counts, got.digest) != (given.counts, given.digest):
        differ = sorted(k for k in given.counts | got.counts if given.counts[k] != got.counts[k])
        what = (
            ", ".join(f"{k}: {given.counts[k]} and {got.counts[k]}" for k in differ) or "counts agree, contents do not"
        )
        raise StoreCorrupt(
            f"the copy of {scope.tenant}/{scope.namespace} does not equal its source ({what}); do not use it"
        )
    return Copied(scope, dict(given.counts), given.digest)


def _vectors(tx: Tx, model: str, dim: int, page: list[tuple[bytes, bytes]]) -> int:
    return tx.put_vectors(model, dim, page)


class Tally:
    """Counts records and hashes them, so that two stores can be compared without holding either in memory."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._hash = hashlib.sha256()

    def each(self, records: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The records as they pass by."""
        for kind, fields in records:
            self.counts[kind] += 1
            self._hash.update(json.dumps([kind, fields], ensure_ascii=False, sort_keys=True).encode())
            yield kind, fields

    def vectors(self, model: str, page: list[tuple[bytes, bytes]]) -> None:
        """Vectors of one model, in the order of their hashes."""
        for text_hash, data in page:
            self.counts[VECTORS] += 1
            self._hash.update(model.encode() + text_hash + data)

    @property
    def digest(self) -> str:
        """SHA-256 over all that passed by."""
        return self._hash.hexdigest()


def tally(reads: AbstractReads) -> Tally:
    """Everything that a scope holds, counted and hashed."""
    found = Tally()
    for _ in found.each(reads.dump(journal=True, whole=True)):
        pass
    for model, _ in reads.models():
        for page in reads.vector_pages(model):
            found.vectors(model, page)
    return found


def _counted(
    records: Iterator[tuple[str, dict[str, Any]]], scope: Scope, progress: Callable[[Scope, int], object] | None
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for n, (kind, fields) in enumerate(records, 1):
        if progress is not None and n % 500 == 0:
            progress(scope, n)
        yield n, {"type": kind, **fields}


__all__ = ["Copied", "Tally", "copy", "tally"]
