"""Group commit: writers that wait for the same disk share one transaction and one fsync.

The first writer to find nobody at work leads: it takes all that is queued, runs each in a savepoint of its own, commits
once, and hands the results out. A lone writer pays no thread switch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import apsw

from reverie.errors import Closed, StoreError
from reverie.store import crashpoints
from reverie.store.sqlite.connection import translated

T = TypeVar("T")
MOST_TOGETHER = 256
MOST_WAITED = 0.01  # seconds


class _Job:
    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[apsw.Connection], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = False


class Committer:
    """Owns the one writing connection of this process."""

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self._queue: list[_Job] = []
        self._guard = threading.Lock()
        self._closed = False
        self._leader: int | None = None
        self._preparing: set[int] = set()
        self._arrived = threading.Condition(self._guard)
        self._finished = threading.Condition(self._guard)
        self._company = 1  # how many have shared a commit of late
        self._usual = 0.0  # seconds that a commit has taken of late

    def run(self, work: Callable[[apsw.Connection], T]) -> T:
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
        try:
            crashpoints.hit("commit.before_begin")
            with translated(self._path):
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    for job in batch:
                        self._one(job, alone=len(batch) == 1)
                    crashpoints.hit("commit.after_work")
                    if all(job.error is not None for job in batch):
                        self._connection.execute("ROLLBACK")
                    else:
                        start = time.monotonic()
                        self._connection.execute("COMMIT")
                        self._usual += (time.monotonic() - start - self._usual) / 8
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
            crashpoints.hit("commit.after_commit")
        except BaseException as error:
            # Nothing of this batch is durable: a failed commit is never retried in silence.
            for job in batch:
                job.error = job.error or error
            if not isinstance(error, Exception):
                raise
        finally:
            for job in batch:
                job.done = True

    def _one(self, job: _Job, *, alone: bool) -> None:
        """A job that fails takes only its own changes back."""
        if not alone:
            self._connection.execute("SAVEPOINT job")
        try:
            job.result = job.work(self._connection)
        except Exception as error:  # noqa: BLE001 - handed to the job's own thread, which raises it
            job.error = error
            if not alone:
                self._connection.execute("ROLLBACK TO job")
        finally:
            if not alone:
                self._connection.execute("RELEASE job")

    def close(self) -> None:
        """Wait for the writers in hand, then refuse new ones and close the connection."""
        with self._guard:
            self._closed = True
            while self._leader is not None or self._queue:
                self._finished.wait()
            self._connection.close()
