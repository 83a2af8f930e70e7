"""The store's port: what an adapter must do. You hold a `ScopeStore`; it has no method able to name another scope.

Reads come from the `ScopeStore`; every write goes through `ScopeStore.transact`, which runs a function on a `Tx` and
returns only when the transaction is durable. One contract suite (tests/contract) runs over every adapter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any, TypeVar

from reverie.errors import StoreError
from reverie.model import Entry, Kind, Lease, Link, Memory, RunRecord, Scope, Sighting, State, StepHealth, Trust
from reverie.store.access import KeyBook
from reverie.store.bookkeeping import BookReads
from reverie.store.erasing import Traces
from reverie.store.jobs import JobReads
from reverie.store.records import ErasureRecord, IndexRow, Known, Parked
from reverie.store.verbs import Tx

T = TypeVar("T")
LEAP = 2**20
"""A version that grows by this much or more at once says: a namespace was erased whole, read everything again."""


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


class AbstractReads(BookReads, JobReads):
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
    def browse(
        self, *, states: Sequence[State], kinds: Sequence[Kind], trusts: Sequence[Trust], before: int, limit: int
    ) -> list[tuple[int, Memory]]:
        """(sequence number, row) of those in these states, kinds and trusts, from the one before ``before`` backwards."""

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
    def lagging(self, epochs: int, type_: str, source: str, limit: int) -> tuple[list[Memory], int]:
        """Live rows never recalled, more than so many interactions behind, with no signal of this kind; and how many there are.

        None while nobody has used the scope since the last signal of this kind: a second pass over the same data does nothing.
        """

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
        limit: int | None = 10_000, newest_first: bool = False,
    ) -> list[Entry]:  # fmt: skip
        """Journal entries: of a run, of a memory, or from a time on; ``limit`` None: every one."""

    @abstractmethod
    def entry(self, n: int) -> Entry | None:
        """One journal entry."""

    @abstractmethod
    def runs(self, *, ids: Sequence[str] | None = None, limit: int = 50) -> list[RunRecord]:
        """Runs, newest first."""

    @abstractmethod
    def runs_between(self, since: datetime, until: datetime) -> list[RunRecord]:
        """Runs that began from one time on and before another, newest first."""

    @abstractmethod
    def entries_between(self, since: datetime, until: datetime) -> Iterator[Entry]:
        """Journal entries from one time on and before another, newest first, one at a time."""

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
        """Plans held for review, oldest first; None: whatever became of them."""

    @abstractmethod
    def activity(
        self, limit: int = 10, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[dict[str, Any]]:
        """Activity records from a time on and before another, newest first."""

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """This namespace's overrides."""

    @abstractmethod
    def lease(self) -> Lease | None:
        """The lease of the scope, whether or not its time is over; None where it was given back."""

    @abstractmethod
    def steps(self) -> list[StepHealth]:
        """How each step went of late."""

    @abstractmethod
    def last_slot(self) -> datetime | None:
        """When a worker last began a slot of any cycle here; None where none ever did."""

    @abstractmethod
    def waiting_since(self) -> datetime | None:
        """Since when the curator's queue has not been empty; None while it is."""

    @abstractmethod
    def models(self) -> list[tuple[str, int]]:
        """(model id, dimension) of the vectors that the scope holds."""

    @abstractmethod
    def vector_pages(self, model: str, size: int = 1000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Every vector of one model as (text hash, float32 bytes), in pages."""

    @abstractmethod
    def traces(self) -> Traces:
        """Where words may stand, as this snapshot sees it."""

    @abstractmethod
    def erasures(self, limit: int = 100) -> list[ErasureRecord]:
        """Receipts, newest first."""

    @abstractmethod
    def unwiped(self) -> list[str]:
        """Erasures of which bytes may linger in the store's files, oldest first."""

    searches_vectors = False
    """Whether the store can find near vectors itself: `nearest` and `vectors_by_seq` work."""

    def nearest(
        self, model: str, query: bytes, limit: int, *, kinds: Sequence[str] = (), trusted: bool = False
    ) -> list[tuple[int, float]]:
        """(sequence number, cosine) of the live rows nearest to a float32 vector, nearest first.

        ``kinds``: only these, where any are named. ``trusted``: only trusted rows. Raises StoreError from a store that leaves
        this to the index in memory.
        """
        raise StoreError("this store does not search vectors: the index in memory does")

    def vectors_by_seq(self, model: str, seqs: Sequence[int]) -> dict[int, bytes]:
        """Stored vectors by the rows' sequence numbers. Raises StoreError as `nearest` does."""
        raise StoreError("this store does not search vectors: the index in memory does")

    @abstractmethod
    def dump(self, *, journal: bool, whole: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every row of the scope as (record type, fields), in an order that does not depend on the store.

        ``whole`` adds what only a copy needs: revisions, settings, past queries, slots, how the steps went.
        """


class Store(KeyBook):
    """A whole store: its scopes, its keys and its health."""

    path: str
    """Where it is, for people: with no password in it."""
    made: bool
    """Whether opening it has made it."""

    @abstractmethod
    def scope(self, scope: Scope) -> ScopeStore:
        """The named scope, made when it is first written to."""

    @abstractmethod
    def scopes(self, tenant: str | None = None) -> list[Scope]:
        """The scopes that hold anything, of one tenant or of all; by tenant and namespace."""

    @abstractmethod
    def standings(self) -> list[Known]:
        """What is known of every scope, for the schedule; by tenant and namespace."""

    @abstractmethod
    def spent_everywhere(self, since: datetime) -> int:
        """What calls to a model cost in every scope since then, in millionths."""

    @abstractmethod
    def calibration(self, model: str) -> dict[str, Any] | None:
        """The calibration record kept for an embedding model."""

    @abstractmethod
    def keep_calibration(self, model: str, record: Mapping[str, Any]) -> None:
        """Keep a calibration record, in place of an older one of that model."""

    def tend(self, scope: Scope, *, rows: int) -> str | None:
        """Upkeep that one scope may need now and then, outside any transaction; what was done, or None.

        ``rows``: live rows from which a store that searches vectors itself should have an index for the scope.
        """
        return None

    @abstractmethod
    def wipe(self) -> list[str]:
        """Overwrite or give back every byte of what was deleted, in every file that this role can reach; slow, and in the way of
        writers meanwhile. What it cannot reach, in words.

        Raises StoreBusy where others kept it from doing so for ``busy_seconds``: the rows are gone, bytes may linger.
        """

    @abstractmethod
    def problems(self) -> list[str]:
        """What the integrity check finds; empty when all is well."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Versions, settings in force, sizes: what `doctor` prints."""

    @abstractmethod
    def close(self) -> None:
        """Close every connection. Closing twice is fine."""
