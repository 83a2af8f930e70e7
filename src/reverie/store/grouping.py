"""Group commit: writers that wait for the same disk share one transaction and one fsync.

The first writer to find nobody at work leads: it takes all that is queued, runs each in a savepoint of its own, commits
once, and hands the results out. A lone writer pays no thread switch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from reverie.errors import Closed, StoreError
from reverie.store import crashpoints

T = TypeVar("T")
H = TypeVar("H")  # what a job works with: an adapter's own transaction
MOST_TOGETHER = 256
MOST_WAITED = 0.01  # seconds


class _Job:
    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class Transactions(Protocol[H]):
    """How an adapter opens, ends and divides a transaction. Used by one thread at a time."""

    def begin(self) -> H:
        """Open a transaction; gives what jobs work with. Raises StoreError with nothing open."""
        ...

    def commit(self, handle: H) -> None:
        """Make it durable. Raises StoreError with nothing stored."""
        ...

    def rollback(self, handle: H) -> None:
        """Take it back; never raises for a transaction that is gone already."""
        ...

    def part(self, handle: H, words: str) -> None:
        """SAVEPOINT, ROLLBACK TO or RELEASE of the savepoint ``job``."""
        ...

    def told(self, error: Exception) -> Exception:
        """A driver's error in Reverie's words; any other as it is."""
        ...

    def close(self) -> None:
        """Close what it holds."""
        ...


class Committer(Generic[H]):
    """Lets writers of one process share transactions."""

    def __init__(self, transactions: Transactions[H]) -> None:
        self._transactions = transactions
        self._queue: list[_Job] = []
        self._guard = threading.Lock()
        self._closed = False
        self._leader: int | None = None
        self._preparing: set[int] = set()
        self._arrived = threading.Condition(self._guard)
        self._finished = threading.Condition(self._guard)
        self._company = 1  # how many have shared a commit of late
        self._usual = 0.0  # seconds that a commit has taken of late

    def run(self, work: Callable[[H], T]) -> T:
        """Run ``work`` in a transaction; return when it is durable, or raise what it raised with nothing stored."""
        if self._leader == threading.get_ident():
            raise StoreError("a transaction cannot be opened inside another one")
        job = _Job(work)
        with self._guard:
            if self._closed:
                raise Closed("the store is closed")
            self._queue.append(job)
            self._preparing.discard(threading.get_ident())
            self._arrived.notify_all()
            # A writer whose work is done goes at once: it must not wait for the next leader's commit.
            while not job.done and self._leader is not None:
                self._finished.wait()
            if not job.done:
                self._leader = threading.get_ident()
                self._wait_for_company()
                batch, self._queue = self._queue[:MOST_TOGETHER], self._queue[MOST_TOGETHER:]
        if not job.done:
            try:
                self._commit(batch)
            finally:
                with self._guard:
                    self._leader = None
                    self._finished.notify_all()
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[no-any-return]

    @contextmanager
    def coming(self) -> Iterator[None]:
        """Held while a thread prepares a write: the leader waits for it, for at most half of what a commit takes."""
        me = threading.get_ident()
        with self._guard:
            self._preparing.add(me)
        try:
            yield
        finally:
            with self._guard:
                self._preparing.discard(me)
                self._arrived.notify_all()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the disk: writers queue up until this ends, and share the next commit."""
        with self._guard:
            while self._leader is not None:
                self._finished.wait()
            self._leader = threading.get_ident()
        try:
            yield
        finally:
            with self._guard:
                self._leader = None
                self._finished.notify_all()

    def _wait_for_company(self) -> None:
        """Where others are about to write, one fsync for all is quicker for each; a lone writer never waits."""
        until = time.monotonic() + min(self._usual / 2, MOST_WAITED)
        # Those of the last commits are likely to come again: they are just being woken.
        while (self._preparing or len(self._queue) < self._company) and (left := until - time.monotonic()) > 0:
            self._arrived.wait(left)
        self._company = max(len(self._queue), self._company - 1)

    def _commit(self, batch: list[_Job]) -> None:
        through = self._transactions
        try:
            crashpoints.hit("commit.before_begin")
            handle = through.begin()
            try:
                for job in batch:
                    self._one(handle, job, alone=len(batch) == 1)
                crashpoints.hit("commit.after_work")
                if all(job.error is not None for job in batch):
                    through.rollback(handle)
                else:
                    start = time.monotonic()
                    through.commit(handle)
                    self._usual += (time.monotonic() - start - self._usual) / 8
            except BaseException:
                through.rollback(handle)
                raise
            crashpoints.hit("commit.after_commit")
        except Exception as error:  # noqa: BLE001 - handed to each job's own thread, which raises it
            # Nothing of this batch is durable: a failed commit is never retried in silence.
            told = through.told(error)
            for job in batch:
                job.error = job.error or told
        except BaseException as error:
            for job in batch:
                job.error = job.error or error
            raise
        finally:
            for job in batch:
                job.done = True

    def _one(self, handle: H, job: _Job, *, alone: bool) -> None:
        """A job that fails takes only its own changes back."""
        part = self._transactions.part
        if not alone:
            part(handle, "SAVEPOINT job")
        try:
            job.result = job.work(handle)
        except Exception as error:  # noqa: BLE001 - handed to the job's own thread, which raises it
            job.error = self._transactions.told(error)
            if not alone:
                part(handle, "ROLLBACK TO job")
        finally:
            if not alone:
                part(handle, "RELEASE job")

    def close(self) -> None:
        """Wait for the writers in hand, then refuse new ones and close what is under them."""
        with self._guard:
            self._closed = True
            while self._leader is not None or self._queue:
                self._finished.wait()
            self._transactions.close()
