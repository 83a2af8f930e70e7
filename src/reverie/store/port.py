"""The store's port: what an adapter must do. You hold a `ScopeStore`; it has no method able to name another scope.

Reads come from the `ScopeStore`; every write goes through `ScopeStore.transact`, which runs a function on a `Tx` and
returns only when the transaction is durable. One contract suite (tests/contract) runs over every adapter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from reverie.model import Entry, Link, Memory, RunRecord, Scope, Sighting, State
from reverie.transitions import Edge

T = TypeVar("T")

MUTABLE = frozenset(
    """kind gist key trust stated_at valid_from valid_to archived_at
    last_recalled_at recall_count access_count epoch importance utility strength strength_at
    half_life_days confidence pinned durable state merged_into superseded_by""".split()  # noqa: SIM905
)
"""The columns that a move may set. The text, its hashes and its origin are not among them (law 2)."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What recall holds of one row in memory. ``vector`` is float32 bytes, or None while none is stored."""

    seq: int
    id: str
    live: bool
    kind: str
    trust: str
    confidence: str
    importance: float
    utility: float
    stated_us: int
    vector: bytes | None
    length: int = 0


@dataclass(frozen=True, slots=True)
class Parked:
    """A plan that policy held back for review."""

    id: str
    run: str
    step: str
    reason: str
    at: datetime
    status: str
    plan: Mapping[str, Any]


class Tx(ABC):
    """The verbs of one transaction. Valid only inside `ScopeStore.transact`."""

    @abstractmethod
    def atomic(self) -> AbstractContextManager[None]:
        """A part of the transaction that is taken back whole when it raises, while the rest goes on."""

    @abstractmethod
    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        """The rows of these ids that exist."""

    @abstractmethod
    def find_live(self, norm_hash: bytes, kind: str | None) -> Memory | None:
        """The live row of this normalised text; with no kind given, of any kind (the oldest)."""

    @abstractmethod
    def find_key(self, key: str) -> Memory | None:
        """The live row kept under this stable key."""

    @abstractmethod
    def find_external(self, external_ids: Sequence[str]) -> dict[str, str]:
        """Which of these external ids are known, and the memory that each became."""

    @abstractmethod
    def insert(self, memory: Memory, signatures: Sequence[bytes]) -> None:
        """Add a row, its index entries and clause signatures. Raises Conflict if a live row has that text or key."""

    @abstractmethod
    def resign(self, id_: str, signatures: Sequence[bytes]) -> None:
        """Replace the clause signatures of a row and put it back in the curator's queue."""

    @abstractmethod
    def set_grammar(self, grammar: int) -> None:
        """Record which version of the guard the scope's signatures are of."""

    @abstractmethod
    def sight(self, sighting: Sighting) -> None:
        """Add a sighting. Raises Conflict if its external id is known."""

    @abstractmethod
    def move_sighting(self, from_: str, to: str, wording: str | None, becomes: str | None) -> bool:
        """Give a row's oldest sighting of this wording to another row, under another wording (None: the row's own text).

        False where there is none.
        """

    @abstractmethod
    def change(self, before: Memory, set_: Mapping[str, Any], add: Mapping[str, int], *, recheck: bool = False) -> None:
        """Write the mutable columns of a row read in this transaction and raise its revision by one.

        ``recheck`` puts the row back in the curator's queue. Raises Conflict where a live row has its text or key, StoreError
        for a column that no move may set (law 2).
        """

    @abstractmethod
    def recalled(self, id_: str, *, at: datetime, count: int = 1) -> None:
        """Count recall hits: accesses that strengthen, and lift staleness. Not an edit: the revision stays."""

    @abstractmethod
    def restated(self, id_: str, *, at: datetime) -> None:
        """Count a restatement: an access that moves ``stated_at`` forward and lifts staleness. The revision stays."""

    @abstractmethod
    def edge(self, edge: Edge, at: datetime, evidence: Mapping[str, Any] | None = None) -> bool:
        """Draw or take away a link; False where it was so already."""

    @abstractmethod
    def put_vectors(
        self, model: str, dim: int, vectors: Iterable[tuple[bytes, bytes]], touch: Sequence[str] = ()
    ) -> int:
        """Store (text hash, float32 bytes) pairs; known ones are left. Returns how many were new.

        ``touch``: rows written earlier that these vectors belong to; recall then sees the change.
        """

    @abstractmethod
    def tick(self, at: datetime, n: int = 1) -> int:
        """Count n interactions: raise the namespace's epoch and return it."""

    @abstractmethod
    def start_run(self, run: RunRecord) -> None:
        """Add a run to the journal."""

    @abstractmethod
    def finish_run(self, run: RunRecord) -> None:
        """Write the end of a run: status, counts, errors."""

    @abstractmethod
    def add_entry(self, entry: Entry, *, counted: bool) -> Entry:
        """Append to the journal; gives the entry back with its number and chain hash. ``counted``: against the caps."""

    @abstractmethod
    def mark_undone(self, entry: int, by: int | None) -> None:
        """Record that one entry is undone by another, or no longer."""

    @abstractmethod
    def stamp(self, run: str, rows: Sequence[tuple[str, int]], at: datetime) -> int:
        """Set ``curated_at`` on rows still at the revision given; keep what it was before. Returns how many."""

    @abstractmethod
    def unstamp(self, run: str) -> int:
        """Give ``curated_at`` back the value it had before this run, where the run's stamp still stands."""

    @abstractmethod
    def later_settings(self, ids: Sequence[str], after: int) -> dict[str, int]:
        """Rows that an applied, still standing entry after number ``after`` has set, with that entry's number."""

    @abstractmethod
    def keep_apart(self, pairs: Iterable[tuple[bytes, bytes]], reason: str, at: datetime) -> int:
        """Remember pairs of normalised hashes that are not to be merged."""

    @abstractmethod
    def park(self, parked: Parked, digest: bytes) -> str:
        """Hold a plan for review; gives the id of the one that waits, an older one where it is the same plan."""

    @abstractmethod
    def settle_parked(self, id_: str, status: str) -> bool:
        """Mark a waiting plan approved, rejected or stale."""

    @abstractmethod
    def add_activity(self, at: datetime, action: str, run: str | None, detail: Mapping[str, Any]) -> None:
        """Add one activity record."""

    @abstractmethod
    def add_signal(self, memory: str, type_: str, source: str, at: datetime) -> bool:
        """Add a pending training signal; False where one waits already."""

    @abstractmethod
    def log_recalls(self, recalls: Sequence[tuple[str, datetime, Sequence[str]]], keep: int) -> None:
        """Write recalls (query text, time, memory ids by rank), keeping the newest ``keep`` queries."""

    @abstractmethod
    def set_setting(self, name: str, value: str | None) -> None:
        """Override a setting in this namespace, or take the override away."""

    @abstractmethod
    def restore(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Write one bookkeeping record of a lossless export as it was: a stamp, a signal, the epoch."""


class ScopeStore(ABC):
    """One scope of a store: every read, and the way to write."""

    scope: Scope

    @abstractmethod
    def transact(self, work: Callable[[Tx], T]) -> T:
        """Run ``work`` in a transaction and return when it is durable. Concurrent callers share one commit.

        Raises:
            StoreBusy: another process held the write lock for longer than ``busy_seconds``.
            StoreError: the commit failed; nothing of this work is stored.
        """

    def coming(self) -> AbstractContextManager[None]:
        """Announce a write that is being prepared, so that one about to be committed may wait a moment for it."""
        return nullcontext()

    @abstractmethod
    def read(self) -> AbstractReads:
        """A context manager that gives the reads of one consistent snapshot."""


class AbstractReads(ABC):
    """The reads of one snapshot. Use as ``with scope.read() as r:``."""

    @abstractmethod
    def __enter__(self) -> AbstractReads: ...

    @abstractmethod
    def __exit__(self, *exc: object) -> None: ...

    @abstractmethod
    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        """The rows of these ids that exist."""

    @abstractmethod
    def rows_by_seq(self, seqs: Iterable[int]) -> dict[int, Memory]:
        """The rows of these sequence numbers that exist."""

    @abstractmethod
    def page(self, *, states: Sequence[State], after: int = 0, limit: int = 1000) -> list[tuple[int, Memory]]:
        """Rows in these states in order of sequence number, from the one after ``after``."""

    @abstractmethod
    def find_live(self, norm_hash: bytes, kind: str | None) -> Memory | None:
        """As `Tx.find_live`."""

    @abstractmethod
    def find_external(self, external_ids: Sequence[str]) -> dict[str, str]:
        """As `Tx.find_external`."""

    @abstractmethod
    def grammar(self) -> int | None:
        """The version of the guard that the scope's signatures are of; None for a scope that was never written."""

    @abstractmethod
    def uncurated(self) -> list[tuple[str, int]]:
        """(id, revision) of the live rows that no pass has examined since they last changed."""

    @abstractmethod
    def uncurated_seqs(self) -> list[int]:
        """Their sequence numbers, in order."""

    @abstractmethod
    def shared_clauses(self) -> list[tuple[bytes, int]]:
        """(signature, sequence number) of every clause that two live rows or more share, one of them uncurated."""

    @abstractmethod
    def demotable(self, before: datetime, importance: float, limit: int) -> tuple[list[Memory], int]:
        """Live, unprotected rows never accessed, last stated before, under this importance; and how many there are."""

    @abstractmethod
    def fading(self, before: datetime, limit: int) -> tuple[list[Memory], int]:
        """Live rows of default confidence, last recalled or written before; and how many there are."""

    @abstractmethod
    def without_vector(self, model: str, limit: int) -> tuple[list[tuple[str, bytes, str]], int]:
        """(id, text hash, text) of live rows with no vector of this model; and how many there are."""

    @abstractmethod
    def vectors(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Stored vectors by text hash."""

    @abstractmethod
    def version(self) -> int:
        """A number that grows with every committed change that recall can see, whichever process made it."""

    @abstractmethod
    def changes(self, since: int, model: str | None) -> tuple[int, Iterator[IndexRow]]:
        """The version now, and every row that changed after version ``since`` (0: every live row)."""

    @abstractmethod
    def history_rows(self, model: str | None) -> Iterator[tuple[IndexRow, str, int, int | None, int | None]]:
        """Every row whatever its state, with state, written, valid_from and valid_to (µs): for `as_of`."""

    @abstractmethod
    def postings(self, word: str, after: int) -> list[int]:
        """Sequence numbers after ``after`` of this scope's rows, whatever their state, that hold a word, in order.

        Case, diacritics and endings are folded; several ideographs are found where they stand together.
        """

    @abstractmethod
    def count(self) -> dict[str, int]:
        """Rows by state, and 'uncurated'."""

    @abstractmethod
    def sightings(self, ids: Iterable[str], *, merged: bool = False) -> list[Sighting]:
        """Sightings of these rows by time; ``merged`` adds those of rows merged into them, at any depth."""

    @abstractmethod
    def links(self, id_: str) -> list[Link]:
        """Edges that start or end at this row."""

    @abstractmethod
    def merged_ids(self, id_: str) -> list[str]:
        """Rows merged into, or superseded by, this one, at any depth."""

    @abstractmethod
    def entries(
        self, *, run: str | None = None, memory: str | None = None, since: datetime | None = None, after: int = 0,
        limit: int = 10_000, newest_first: bool = False,
    ) -> list[Entry]:  # fmt: skip
        """Journal entries: of a run, of a memory, or from a time on."""

    @abstractmethod
    def entry(self, n: int) -> Entry | None:
        """One journal entry."""

    @abstractmethod
    def runs(self, *, ids: Sequence[str] | None = None, limit: int = 50) -> list[RunRecord]:
        """Runs, newest first."""

    @abstractmethod
    def undone(self, step: str, ids: Sequence[str]) -> set[str]:
        """Rows for which a decision of this step was undone: the step leaves them alone from then on."""

    @abstractmethod
    def departed(self, since: datetime) -> int:
        """Rows that curation took out of live without a survivor since then, and that were not brought back."""

    @abstractmethod
    def apart(self, pairs: Sequence[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
        """Which of these (low, high) pairs are ruled apart."""

    @abstractmethod
    def parked(self, *, status: str | None = "waiting") -> list[Parked]:
        """Plans held for review, oldest first."""

    @abstractmethod
    def activity(self, limit: int = 10) -> list[dict[str, Any]]:
        """Activity records, newest first."""

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """This namespace's overrides."""

    @abstractmethod
    def dump(self, *, journal: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every row of the scope as (record type, fields), in an order that does not depend on the store."""


class Store(ABC):
    """A whole store: its scopes and its health."""

    @abstractmethod
    def scope(self, scope: Scope) -> ScopeStore:
        """The named scope, made when it is first written to."""

    @abstractmethod
    def scopes(self) -> list[Scope]:
        """The scopes that hold anything."""

    @abstractmethod
    def calibration(self, model: str) -> dict[str, Any] | None:
        """The calibration record kept for an embedding model."""

    @abstractmethod
    def keep_calibration(self, model: str, record: Mapping[str, Any]) -> None:
        """Keep a calibration record, in place of an older one of that model."""

    @abstractmethod
    def problems(self) -> list[str]:
        """What the integrity check finds; empty when all is well."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Versions, settings in force, sizes: what `doctor` prints."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection. Closing twice is fine."""
