"""How much one of the curator's transactions holds, and how long it waits between two, so that writers hardly notice."""

from __future__ import annotations

import time
from collections.abc import Callable

from reverie.store.port import ScopeStore

FIRST = 16  # moves in the first transaction
SECONDS = 0.004  # what one transaction should take
BUSY_SHARE = 150  # with writers about, the curator waits this many times as long as it held the store
LONGEST = 2.0  # seconds


class Pace:
    """Sizes transactions by how long they take.

    Args:
        most: the most that one may hold.
        pause: how to wait (seconds), for a curator in the background that gives way to writers; None: do not wait.
    """

    def __init__(self, store: ScopeStore, most: int, pause: Callable[[float], object] | None = None) -> None:
        self._store = store
        self._most = most
        self._pause = pause
        self._size = min(FIRST, most)
        self._seen: int | None = None
        self._owed = 0.0

    def size(self) -> int:
        """How much the next transaction may hold; waits first where others have written since the last one."""
        if self._pause is not None:
            if self._owed and self._others_wrote():
                self._pause(min(LONGEST, BUSY_SHARE * self._owed))
            self._seen = self._version()
        self._started = time.monotonic()
        return self._size

    def done(self, n: int) -> None:
        """Note that a transaction of ``n`` is through."""
        took = time.monotonic() - self._started
        if n:
            fits = int(n * SECONDS / max(took, 1e-6))
            self._size = max(1, min(self._most, 2 * self._size, fits or 1))
        self._owed = took
        if self._pause is not None:
            after = self._version()
            # A transaction of ours raises the version by one at most: more than that is somebody else's.
            self._mine = after - (self._seen or 0) <= 1
            self._seen = after

    def _others_wrote(self) -> bool:
        return not self._mine or self._version() != self._seen

    def _version(self) -> int:
        with self._store.read() as r:
            return r.version()
