"""What recall holds of one namespace in memory: a matrix of vectors and the columns that scoring needs.

It is a cache of the store, kept fresh by version numbers: a write by any process raises the store's version, and the
next look-up reads just the rows that changed. Exact search by one matrix-vector product.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reverie.model import Confidence, Kind, Trust
from reverie.store.port import LEAP, AbstractReads, ScopeStore
from reverie.store.records import IndexRow
from reverie.vectors.blas import one_thread

Vector: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.bool_]
_KINDS = {k.value: n for n, k in enumerate(Kind)}
_TRUST = {t.value: n for n, t in enumerate(Trust)}
_CONFIDENCE = {c.value: n for n, c in enumerate(Confidence)}
SPARE = 1024
BLOCK = 8192  # rows that a batch of writes is compared with at once
COLUMNS: dict[str, Any] = {
    "seq": np.int64, "alive": bool, "embedded": bool, "kind": np.uint8, "trust": np.uint8, "confidence": np.uint8,
    "importance": np.float32, "utility": np.float32, "stated": np.float64, "length": np.float32,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search is narrowed to: kinds (none: any) and trusted rows only."""

    kinds: tuple[str, ...] = ()
    trusted: bool = False

    @property
    def narrow(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.kinds) or self.trusted


@dataclass(frozen=True, slots=True)
class Similar:
    """The positions of the nearest rows, in no order, and the cosines of any rows by position."""

    nearest: NDArray[np.int64]
    of: Callable[[NDArray[np.int64]], Vector]


class NamespaceIndex:
    """The live rows of one scope under one embedding model.

    Args:
        store: the scope.
        model: the model id whose vectors are held; None for text search only.
        dim: its dimension (0 with no model).
        exact_rows: where the store can search vectors itself, a namespace of more live rows than this is left to it, and
            no vectors are held here; None: hold them, however many.
    """

    def __init__(self, store: ScopeStore, model: str | None, dim: int, exact_rows: int | None = None) -> None:
        self._store = store
        self._model = model
        self._dim = dim
        self._exact_rows = exact_rows
        self.remote = False
        self._version = 0
        self._lock = threading.RLock()
        self.generation = 0
        self._clear(0)

    def _clear(self, rows: int) -> None:
        self._n = 0
        self._dead = 0
        self._unsorted = False
        self.matrix: Vector = np.zeros((rows + SPARE, self._held), dtype=np.float32)
        self.columns = {name: np.zeros(rows + SPARE, dtype=kind) for name, kind in COLUMNS.items()}
        self.ids: list[str] = []
        self.position: dict[int, int] = {}

    @property
    def dim(self) -> int:
        """Values in a vector; 0 where there is no model."""
        return self._dim

    @property
    def _held(self) -> int:
        """Values in a row of the matrix: none where the store searches."""
        return 0 if self.remote else self._dim

    def whole(self) -> NamespaceIndex:
        """This index with all its vectors held: for whoever joins rows with rows."""
        self.refresh()  # which is when it learns how large the namespace is
        if not self.remote:
            return self
        made = NamespaceIndex(self._store, self._model, self._dim)
        made.refresh()
        return made

    def __len__(self) -> int:
        return self._n - self._dead

    @property
    def lock(self) -> threading.RLock:
        """Held while arrays are read or refreshed."""
        return self._lock

    def refresh(self, reads: AbstractReads | None = None) -> None:
        """Read what changed since the last look, from this snapshot or a new one; cheap when nothing did."""
        if reads is None:
            with self._store.read() as own:
                return self.refresh(own)
        now = reads.version()
        if now <= self._version:
            return None
        if (
            self._version and now - self._version >= LEAP
        ):  # rows may have gone without a trace, and their numbers come again
            return self.reload(reads)
        with self._lock:
            first = self._version == 0
            if first and self._exact_rows is not None and reads.searches_vectors and self._dim:
                self.remote = reads.count()["live"] > self._exact_rows
            version, changed = reads.changes(self._version, None if self.remote else self._model)
            if first:
                self._load(list(changed))
            else:
                for row in changed:
                    self._put(row)
            self._version = version
        if self._unsorted or self._dead > max(SPARE, self._n // 4):
            self.reload(reads)
        return None

    def reload(self, reads: AbstractReads | None = None) -> None:
        """Read everything again, leaving no room for rows that went."""
        with self._lock:
            self._version = 0
            self._clear(0)
        self.refresh(reads)

    def fill(self, rows: list[IndexRow]) -> None:
        """Hold exactly these rows, whatever the store says: for a look at the past."""
        with self._lock:
            self._load(rows)

    def _load(self, rows: list[IndexRow]) -> None:
        n = len(rows)
        self._clear(n)
        blank = bytes(self._held * 4)
        if self._held and n:
            data = b"".join(r.vector if r.vector and len(r.vector) == len(blank) else blank for r in rows)
            self.matrix[:n] = np.frombuffer(data, dtype=np.float32).reshape(n, self._held)
        c = self.columns
        c["seq"][:n] = [r.seq for r in rows]
        c["alive"][:n] = True
        c["embedded"][:n] = [r.vector is not None for r in rows]
        c["kind"][:n] = [_KINDS[r.kind] for r in rows]
        c["trust"][:n] = [_TRUST[r.trust] for r in rows]
        c["confidence"][:n] = [_CONFIDENCE[r.confidence] for r in rows]
        c["importance"][:n] = [r.importance for r in rows]
        c["utility"][:n] = [r.utility for r in rows]
        c["stated"][:n] = [r.stated_us / 1e6 for r in rows]
        c["length"][:n] = [r.length for r in rows]
        self.generation += 1
        self.ids = [r.id for r in rows]
        self.position = {r.seq: i for i, r in enumerate(rows)}
        self._n = n

    def _put(self, row: IndexRow) -> None:
        at = self.position.get(row.seq)
        if not row.live:
            if at is not None and self.columns["alive"][at]:
                self.columns["alive"][at] = False
                self.matrix[at] = 0.0
                self._dead += 1
            return
        if at is None:
            if self._n == len(self.columns["seq"]):
                self._grow()
            at = self._n
            # A row that comes back to live is older than the last: a reload puts it in its place.
            self._unsorted = self._unsorted or row.seq < self.last_seq
            self._n += 1
            self.position[row.seq] = at
            self.ids.append(row.id)
        elif not self.columns["alive"][at]:
            self._dead -= 1
        if row.vector is not None and self._held:
            vector = np.frombuffer(row.vector, dtype=np.float32)
            if len(vector) == self._dim:  # one of a changed model behind the same id is not comparable
                self.matrix[at] = vector
        c = self.columns
        c["seq"][at] = row.seq
        c["alive"][at] = True
        c["embedded"][at] = row.vector is not None
        c["kind"][at] = _KINDS[row.kind]
        c["trust"][at] = _TRUST[row.trust]
        c["confidence"][at] = _CONFIDENCE[row.confidence]
        c["importance"][at] = row.importance
        c["utility"][at] = row.utility
        c["stated"][at] = row.stated_us / 1e6
        c["length"][at] = row.length

    def _grow(self) -> None:
        more = max(SPARE, self._n // 2)
        self.matrix = np.concatenate([self.matrix, np.zeros((more, self._held), dtype=np.float32)])
        for name, column in self.columns.items():
            self.columns[name] = np.concatenate([column, np.zeros(more, dtype=column.dtype)])

    # looking up
    @property
    def version(self) -> tuple[int, int]:
        """Differs whenever what is held has changed."""
        return self.generation, self._version

    @property
    def last_seq(self) -> int:
        """The highest sequence number held; rows stand in the order of theirs."""
        return int(self.columns["seq"][self._n - 1]) if self._n else 0

    def positions_of(self, seqs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions in the arrays of those of these rows that are held."""
        held = self.columns["seq"][: self._n]
        at = np.searchsorted(held, seqs)
        inside = at < self._n
        at, seqs = at[inside], seqs[inside]
        found: NDArray[np.int64] = at[held[at] == seqs]  # one that is not held would be found where the next one stands
        return found

    def similar(self, reads: AbstractReads, query: Vector, n: int, allowed: Mask, wanted: Wanted) -> Similar:
        """How near the rows lie to a query, and the nearest ``n`` of those allowed. Used under the lock.

        ``wanted`` says the same as ``allowed`` for a store that searches itself.
        """
        if self.remote:
            found = reads.nearest(self._model or "", query.tobytes(), n, kinds=wanted.kinds, trusted=wanted.trusted)
            at = [p for s, c in found if c > 0 and (p := self.position.get(s)) is not None and allowed[p]]
            return Similar(np.asarray(at, dtype=np.int64), lambda rows: self.block(reads, rows) @ query)
        with one_thread():
            cosine: Vector = self.matrix[: self._n] @ query
        if wanted.narrow:
            cosine = np.where(allowed, cosine, 0.0).astype(np.float32)
        near = best(cosine, n)  # a row that is not alive has a zero vector
        return Similar(near[(cosine[near] > 0) & allowed[near]], lambda rows: cosine[rows])

    def block(self, reads: AbstractReads, rows: NDArray[np.int64]) -> Vector:
        """The vectors of rows by position, zeros where there is none: shape (rows, dim)."""
        if not self.remote:
            return self.matrix[rows]
        seqs = self.columns["seq"][rows].tolist()
        found = reads.vectors_by_seq(self._model or "", seqs)
        blank = bytes(self._dim * 4)
        data = b"".join(found.get(s, blank) for s in seqs)
        return np.frombuffer(data, dtype=np.float32).reshape(len(seqs), self._dim)

    def near_each(self, queries: Sequence[Vector], limit: int, at_least: float) -> list[list[str]]:
        """For each query the ids of the nearest live rows at or over a cosine, nearest first, at most ``limit``.

        One product for all queries, by blocks of rows, so that a batch of writes costs one pass over the matrix.
        """
        if self.remote:
            return self._asked_each(queries, limit, at_least)
        found: list[list[tuple[float, str]]] = [[] for _ in queries]
        with self._lock, one_thread():
            if self._n and self._dim and len(queries):
                block = np.stack(queries)
                for start in range(0, self._n, BLOCK):
                    rows = self.matrix[start : min(self._n, start + BLOCK)]
                    product = rows @ block.T if len(queries) > 1 else (rows @ block[0])[:, None]
                    for at in np.flatnonzero(product >= at_least).tolist():
                        row, query = divmod(at, len(queries))
                        if self.columns["alive"][start + row]:
                            found[query].append((-float(product[row, query]), self.ids[start + row]))
        return [[id_ for _, id_ in sorted(each)[:limit]] for each in found]

    def _asked_each(self, queries: Sequence[Vector], limit: int, at_least: float) -> list[list[str]]:
        """`near_each` where the store searches."""
        each = []
        with self._store.read() as reads:
            for query in queries:
                near = [s for s, c in reads.nearest(self._model or "", query.tobytes(), limit) if c >= at_least]
                rows = reads.rows_by_seq(near)
                each.append([rows[s].id for s in near if s in rows])
        return each

    def rows_of(self, seqs: list[int]) -> NDArray[np.int64]:
        """Positions in the arrays of those of these rows that are held with a vector."""
        embedded = self.columns["embedded"]
        at = [p for s in seqs if (p := self.position.get(s)) is not None and embedded[p]]
        return np.asarray(at, dtype=np.int64)


def best(scores: Vector, limit: int) -> NDArray[np.int64]:
    """Positions of the ``limit`` highest scores, in no order."""
    n = len(scores)
    if limit >= n:
        return np.arange(n, dtype=np.int64)
    return np.argpartition(scores, n - limit)[n - limit :]


def kind_codes(kinds: list[Kind]) -> list[int]:
    """The codes under which kinds stand in ``columns``."""
    return [_KINDS[k.value] for k in kinds]
