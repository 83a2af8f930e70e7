"""Recall hits, buffered: a recall never waits for the disk. At most the last second of them is lost in a crash."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from reverie.clock import Clock
from reverie.errors import ReverieError
from reverie.store import crashpoints
from reverie.store.port import ScopeStore
from reverie.store.verbs import Tx

FLUSH_SECONDS = 1.0
QUERIES_KEPT = 1_000
BUFFER_MAX = 10_000


class HitBuffer:
    """Collects hits and writes them within a second, at a flush, or at close."""

    def __init__(self, store: ScopeStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: list[tuple[str, datetime, Sequence[str]]] = []
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._timer: threading.Timer | None = None
        self._dropped = 0
        self._why: str | None = None

    @property
    def failed(self) -> str | None:
        """Why hits are not written, or how many were lost for it; None when all is well."""
        lost = f"{self._dropped} recalls were not counted: the buffer was full" if self._dropped else None
        return "; ".join(part for part in (self._why, lost) if part) or None

    def add(self, query: str, ids: Sequence[str]) -> None:
        """Note one recall and start the timer if none runs."""
        with self._lock:
            if len(self._waiting) < BUFFER_MAX:
                self._waiting.append((query, self._clock.now(), ids))
            else:  # the store has refused them for long; recall goes on, and the loss is told
                self._dropped += 1
            if self._timer is None:
                self._timer = threading.Timer(FLUSH_SECONDS, self._tick)
                self._timer.daemon = True
                self._timer.start()

    def forget(self, speaks: Callable[[str, Sequence[str]], bool]) -> None:
        """Drop recalls that wait, where (query, what it found) says so: something was erased."""
        with self._flushing, self._lock:
            self._waiting = [w for w in self._waiting if not speaks(w[0], w[2])]

    def _tick(self) -> None:
        try:
            self.flush()
        except ReverieError as error:
            # Shown by stats and doctor; the hits wait for the next flush.
            self._why = f"{type(error).__name__}: {error}"

    def flush(self) -> int:
        """Write what waits; returns how many recalls. Raises StoreError with nothing lost from the buffer."""
        with self._flushing:
            with self._lock:
                batch, self._waiting = self._waiting, []
                if self._timer is not None:
                    self._timer.cancel()
                    self._timer = None
            if not batch:
                return 0
            crashpoints.hit("recall.before_flush")
            try:
                self._store.transact(lambda tx: _write(tx, batch))
            except ReverieError:
                with self._lock:
                    self._waiting = batch + self._waiting
                raise
            self._why = None
            crashpoints.hit("recall.after_flush")
            return len(batch)


def _write(tx: Tx, batch: list[tuple[str, datetime, Sequence[str]]]) -> None:
    tx.tick(batch[-1][1], len(batch))
    # What was erased since, by whatever process, is counted nowhere, and neither is the question that found it.
    gone = tx.erased_among({i for _, _, ids in batch for i in ids})
    batch = [recall for recall in batch if gone.isdisjoint(recall[2])]
    counts: Counter[str] = Counter()
    latest: dict[str, datetime] = {}
    for _, at, ids in batch:
        counts.update(ids)
        latest |= dict.fromkeys(ids, at)
    for id_, n in counts.items():
        tx.recalled(id_, at=latest[id_], count=n)
    tx.log_recalls(batch, QUERIES_KEPT)
