"""The verbs of a write transaction: what every adapter must be able to do inside one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from reverie.model import Entry, Lease, Memory, RunRecord, Sighting
from reverie.store.bookkeeping import BookTx
from reverie.store.erasing import Eraser, Traces
from reverie.store.jobs import JobTx
from reverie.store.records import Parked
from reverie.transitions import Edge

MUTABLE = frozenset(
    """kind gist key trust stated_at valid_from valid_to archived_at
    last_recalled_at recall_count access_count epoch importance utility strength strength_at
    half_life_days confidence pinned durable state merged_into superseded_by""".split()  # noqa: SIM905
)
"""The columns that a move may set. The text, its hashes and its origin are not among them (law 2)."""


class Tx(BookTx, JobTx):
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

    def insert_many(self, rows: Sequence[tuple[Memory, Sequence[bytes]]]) -> None:
        """As `insert`, for many rows at once; an adapter may be quicker for it. Raises Conflict; then nothing is certain."""
        for memory, signatures in rows:
            self.insert(memory, signatures)

    @abstractmethod
    def resign(self, id_: str, signatures: Sequence[bytes]) -> None:
        """Replace the clause signatures of a row and put it back in the curator's queue."""

    @abstractmethod
    def set_grammar(self, grammar: int) -> None:
        """Record which version of the guard the scope's signatures are of."""

    @abstractmethod
    def waits(self, at: datetime) -> None:
        """Note that a row waits for the curator from now on, where none did."""

    @abstractmethod
    def caught_up(self, at: datetime) -> None:
        """Note that every row that waited at this time has been examined."""

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
    def cut_off_runs(self, at: datetime) -> int:
        """End every run that is still open as "cut off": for whoever has just taken the lease. Returns how many."""

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
    def forget_apart(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Let pairs be compared again."""

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
    def log_recalls(self, recalls: Sequence[tuple[str, datetime, Sequence[str]]], keep: int) -> None:
        """Write recalls (query text, time, memory ids by rank), keeping the newest ``keep`` queries."""

    @abstractmethod
    def set_setting(self, name: str, value: str | None) -> None:
        """Override a setting in this namespace, or take the override away."""

    @abstractmethod
    def take_lease(self, holder: str, now: datetime, until: datetime, *, gone: Lease | None = None) -> Lease | None:
        """Take the scope's lease where nobody holds it or its time is over; None where somebody does.

        ``gone``: a lease whose holder is known to be dead, which need not be waited for.
        """

    @abstractmethod
    def renew_lease(self, lease: Lease, now: datetime, until: datetime) -> Lease:
        """Hold on to a lease for longer. Raises LeaseLost where it has ended or another has taken over."""

    @abstractmethod
    def check_lease(self, lease: Lease, now: datetime) -> Lease:
        """The lease as the store has it, which stands in this very transaction. Raises LeaseLost: then nothing is written."""

    @abstractmethod
    def end_lease(self, lease: Lease) -> bool:
        """Give a lease back; False where it was lost before."""

    @abstractmethod
    def claim_slot(self, cycle: str, key: str, at: datetime, *, with_model: bool) -> bool:
        """Begin a slot of the schedule; False where it has been finished. One that was begun and cut off may begin again."""

    @abstractmethod
    def finish_slot(self, cycle: str, key: str, at: datetime, *, forget_before: datetime) -> None:
        """Mark a slot done for good, and forget those begun before a time."""

    @abstractmethod
    def note_steps(self, cycle: str, outcomes: Mapping[str, str | None], at: datetime) -> None:
        """Keep for each step that it succeeded (None) or failed, and why."""

    @abstractmethod
    def erased_among(self, ids: Iterable[str]) -> set[str]:
        """Which of these rows are tombstones, or are not there at all: a namespace that is erased whole keeps none."""

    @abstractmethod
    def traces(self) -> Traces:
        """Where words may stand, as this very transaction sees it."""

    @abstractmethod
    def eraser(self) -> Eraser:
        """What destroys words. Only for `reverie.erasure`: no law of `policy` holds behind it."""

    @abstractmethod
    def restore_entry(self, entry: Entry) -> bool:
        """Write a journal entry as another store has it, hash and all; False where its content does not fit its hash."""

    @abstractmethod
    def restore(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Write one bookkeeping record of a lossless export as it was: a stamp, a signal, the epoch."""
