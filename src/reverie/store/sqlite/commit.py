"""Group commit: writers that wait for the same disk share one transaction and one fsync.

The first writer to find nobody at work leads: it takes all that is queued, runs each in a savepoint of its own, commits
once, and hands the results out. A lone writer pays no thread switch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import apsw

from reverie.errors import Closed, StoreError
from reverie.store import crashpoints
from reverie.store.sqlite.connection import translated

T = TypeVar("T")
MOST_TOGETHER = 256


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
        self._lead = threading.Lock()
        self._closed = False
        self._leader: int | None = None

    def run(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run ``work`` in a transaction; return when it is durable, or raise what it raised with nothing stored."""
        if self._leader == threading.get_ident():
            raise StoreError("a transaction cannot be opened inside another one")
        job = _Job(work)
        with self._guard:
            if self._closed:
                raise Closed("the store is closed")
            self._queue.append(job)
        with self._lead:
            if not job.done:
                with self._guard:
                    batch, self._queue = self._queue[:MOST_TOGETHER], self._queue[MOST_TOGETHER:]
                self._leader = threading.get_ident()
                try:
                    self._commit(batch)
                finally:
                    self._leader = None
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[no-any-return]

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
                        self._connection.execute("COMMIT")
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
        except Exception as error:
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
        with self._lead:
            self._connection.close()
