"""How much one of the curator's transactions holds, and how long it waits between two, so that writers hardly notice."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from reverie.store.port import ScopeStore
from reverie.store.verbs import Tx

FIRST = 4  # moves in the first transaction, which finds every cache cold
LEAST = 4  # however slow the store is: a sync costs the same for one move as for a few
SECONDS = 0.004  # that the work of one transaction should take, its sync aside
BRIEF = 0.001  # the same in the background: a write that meets it is no later than one in a hundred is anyway
REST = 0.002  # seconds that a curator in the background rests after each transaction: a writer that waits comes in
SHARE, BUSY_SHARE = 2, 100  # and this many times as long as it held the store: alone, and with writers about
LONGEST = 2.0
T = TypeVar("T")
Tell: TypeAlias = Callable[[str, str, int, int, int], object]
"""Told how a run goes on: phase (plan, ask, apply), step, done, of, moves."""


def untold(phase: str, step: str, done: int, of: int, moves: int) -> None:
    """Nobody listens."""


class Pace:
    """Sizes transactions by how long their work takes.

    Args:
        most: the most that one may hold.
        pause: how to wait (seconds), for a curator in the background that gives way to writers; None: do not wait.
    """

    def __init__(self, store: ScopeStore, most: int, pause: Callable[[float], object] | None = None) -> None:
        self._store = store
        self._most = most
        self._pause = pause
        self._seconds, self._least = (SECONDS, LEAST) if pause is None else (BRIEF, 1)
        self._size = min(FIRST, most)
        self._seen = 0
        self._owed = 0.0
        self._others = False

    def size(self) -> int:
        """How much the next transaction may hold; a curator in the background rests first, longer where others write."""
        if self._pause is not None:
            if self._owed:
                self._pause(max(REST, SHARE * self._owed))
                if self._others or self._version() != self._seen:
                    self._pause(min(LONGEST, (BUSY_SHARE - SHARE) * self._owed))
            self._seen = self._version()
        return self._size

    def run(self, write: Callable[[Callable[[Tx], T]], T], n: int, work: Callable[[Tx], T]) -> T:
        """Write a transaction of ``n``, and learn from how long it took."""
        worked = 0.0

        def timed(tx: Tx) -> T:
            nonlocal worked
            start = time.monotonic()
            try:
                return work(tx)
            finally:
                worked = time.monotonic() - start

        start = time.monotonic()
        got = write(timed)
        self._owed = time.monotonic() - start
        fits = int(n * self._seconds / max(worked, 1e-6))
        self._size = min(self._most, max(self._least, min(2 * self._size, fits)))
        if self._pause is not None:
            after = self._version()
            # A transaction of ours raises the version by one at most: more than that is somebody else's.
            self._others = after - self._seen > 1
            self._seen = after
        return got

    def _version(self) -> int:
        with self._store.read() as r:
            return r.version()
