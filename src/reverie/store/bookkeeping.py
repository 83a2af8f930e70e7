"""What curation keeps beside the memories, as a port: pairs that wait, verdicts, spend, the graph's projection, signals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime

from reverie.model import Kind, Link, Memory, TrainingSignal
from reverie.store.records import CallRecord, Pair, Spent, Vertex, Waiting


class BookReads(ABC):
    """The reads of it."""

    @abstractmethod
    def sharing_attributes(self, keys: Iterable[bytes]) -> list[tuple[bytes, int]]:
        """(attribute key, sequence number) of the live rows that are noted under one of these keys."""

    @abstractmethod
    def pairs(self, step: str, limit: int) -> list[Pair]:
        """Pairs of live rows that wait for a judge under this step: those never asked first, then the nearest first."""

    @abstractmethod
    def pairs_for_review(self, limit: int) -> list[Pair]:
        """Pairs that wait for a person, oldest first, whatever became of their rows."""

    @abstractmethod
    def pair(self, low: str, high: str) -> Pair | None:
        """One pair, if it waits."""

    @abstractmethod
    def pair_counts(self) -> list[Waiting]:
        """How many wait, by step and status."""

    @abstractmethod
    def verdicts(self, keys: Iterable[bytes]) -> dict[bytes, tuple[str, str]]:
        """Remembered answers by the question's key: (answer as JSON, model)."""

    @abstractmethod
    def spent(self, since: datetime) -> Spent:
        """What calls of this scope came to since then, those in hand at their estimates."""

    @abstractmethod
    def calls(self, limit: int = 100) -> list[CallRecord]:
        """Attempts to reach a model, newest first."""

    @abstractmethod
    def verbose(self, chars: int, recalls: int, limit: int) -> tuple[list[Memory], int]:
        """Live rows without a gist, longer than ``chars`` (500 or more) and recalled fewer times, or holding merge marks; and
        how many there are."""

    @abstractmethod
    def unsynced(self, limit: int) -> tuple[list[tuple[Memory, int]], int]:
        """(row, its version) of rows that changed since they last went to the graph, oldest change first; and how many."""

    @abstractmethod
    def vertices(self, ids: Iterable[str]) -> list[Vertex]:
        """Rows as the graph has them."""

    @abstractmethod
    def links_of(self, ids: Iterable[str]) -> list[Link]:
        """Edges that start or end at one of these rows."""

    @abstractmethod
    def signals(self, *, since: datetime | None = None, pending: bool = True, limit: int = 100) -> list[TrainingSignal]:
        """Training signals, newest first; ``pending`` False: those withdrawn too."""

    @abstractmethod
    def signals_of(self, memory: str) -> list[TrainingSignal]:
        """Every signal about one memory, in order."""


class BookTx(ABC):
    """The writes of it, inside a transaction."""

    @abstractmethod
    def note_attributes(self, rows: Sequence[tuple[str, Sequence[bytes]]]) -> None:
        """Note under which attribute keys rows are found."""

    @abstractmethod
    def note_pairs(self, pairs: Sequence[Pair]) -> None:
        """Let pairs wait, or change how they wait. One that waits for a person goes on doing so."""

    @abstractmethod
    def drop_pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget pairs (low, high) that are settled."""

    @abstractmethod
    def drop_pairs_of(self, ids: Sequence[str]) -> None:
        """Forget every pair of these rows, which are no longer live."""

    @abstractmethod
    def keep_verdicts(self, given: Sequence[tuple[bytes, Sequence[bytes], str, str]], at: datetime) -> None:
        """Remember (question's key, hashes of its texts, answer as JSON, model)."""

    @abstractmethod
    def begin_call(
        self, at: datetime, *, run: str, model: str, purpose: str, questions: int, tokens: int, cost: int
    ) -> int:
        """Note a call that is about to be made, at its estimate; gives its number."""

    @abstractmethod
    def end_call(self, n: int, *, outcome: str, tokens_in: int, tokens_out: int, cost: int, seconds: float) -> None:
        """Note what a call came to."""

    @abstractmethod
    def spent(self, since: datetime) -> Spent:
        """As `BookReads.spent`, inside the transaction that makes a reservation."""

    @abstractmethod
    def forget_calls(self, before: datetime) -> int:
        """Forget calls from before a time; how many."""

    @abstractmethod
    def restore_call(self, call: CallRecord) -> None:
        """Write a call as another store has it."""

    @abstractmethod
    def put_vertices(self, given: Sequence[tuple[Vertex, int]]) -> None:
        """Write (vertex, version of its row) to the projection."""

    @abstractmethod
    def add_signal(
        self, memory: str, type_: str, source: str, at: datetime, *, predicted: Kind | None = None,
        corrected: Kind | None = None, strength: str = "normal",
    ) -> bool:  # fmt: skip
        """Add a pending training signal; False where one waits already."""

    @abstractmethod
    def settle_signal(
        self, memory: str, type_: str, source: str, *, pending: bool, predicted: Kind | None = None,
        corrected: Kind | None = None, strength: str = "normal",
    ) -> bool:  # fmt: skip
        """Withdraw the signal that says this, or let it wait again.

        False where there is none, or where another of its memory, type and source waits already.
        """

    @abstractmethod
    def signals_of(self, memory: str) -> list[TrainingSignal]:
        """As `BookReads.signals_of`."""
