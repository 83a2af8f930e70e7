"""The embedder as the rest of Reverie uses it: it may be missing or down at any time, and nothing stops for that."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from reverie.clock import Clock
from reverie.embed.port import Embedder, checked

Vector: TypeAlias = NDArray[np.float32]
T = TypeVar("T")
QUERIES_KEPT = 256
QUICK = timedelta(seconds=0.5)  # a failure as quick as this may be tried again at once


@dataclass(frozen=True, slots=True)
class Trouble:
    """The last time that embedding failed, and why."""

    at: datetime
    reason: str


class Embedding:
    """Wraps an embedder, or its absence. Nothing here raises because of it.

    An embedder that took long to fail is left alone for ten times as long, so that writes and recalls do not wait for a
    service that is down.

    Args:
        embedder: None means text search only.
        clock: for the time of a failure, and for how long to leave it alone.
    """

    def __init__(self, embedder: Embedder | None, clock: Clock) -> None:
        self._embedder = embedder
        self._clock = clock
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()
        self._identity: tuple[str, int] | None = None
        self._quiet_until: datetime | None = None
        self.trouble: Trouble | None = None
        self.embedded = 0

    @property
    def embedder(self) -> Embedder | None:
        """The embedder itself."""
        return self._embedder

    @property
    def model_id(self) -> str | None:
        """The model's id; None without an embedder, or while a service that alone knows its dimension is down."""
        known = self._known()
        return known[0] if known else None

    @property
    def dim(self) -> int:
        """Its dimension; 0 where ``model_id`` is None."""
        known = self._known()
        return known[1] if known else 0

    def _known(self) -> tuple[str, int] | None:
        embedder = self._embedder
        if self._identity is None and embedder is not None:
            self._identity = self._tried(lambda: (embedder.model_id, embedder.dim))
        return self._identity

    def _tried(self, call: Callable[[], T]) -> T | None:
        """The call's answer, or None where it fails or is not tried; the reason is kept."""
        start = self._clock.now()
        if self._quiet_until is not None and start < self._quiet_until:
            return None
        try:
            found = call()
        except Exception as error:  # noqa: BLE001 - a user's own embedder may raise anything; text search goes on
            self.failed(error)
            took = self._clock.now() - start
            self._quiet_until = self._clock.now() + 10 * took if took > QUICK else None
            return None
        self._quiet_until = None
        return found

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """A vector for each text; None where there is none now. The last failure is kept in ``trouble``."""
        found: list[Vector | None] = [None] * len(texts)
        embedder = self._embedder
        if embedder is None or not texts:
            return found
        got = self._tried(lambda: checked(embedder, texts))
        if got is None:
            return found
        for row, index in enumerate(got.rows):
            found[index] = got.vectors[row]
        self.embedded += len(got.rows)
        if got.failed:
            self.failed(got.failed[0].error)
        else:
            self.trouble = None
        return found

    def query(self, text: str) -> Vector | None:
        """The vector of a question, from the last few asked where it is there; None where there is none now."""
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        embedder = self._embedder
        if embedder is None:
            return None
        got = self._tried(lambda: checked(embedder, [text], "query"))
        if got is None or not got.rows:
            return None
        vector: Vector = got.vectors[0]
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def forget(self) -> None:
        """Let go of every question: something was erased."""
        with self._lock:
            self._queries.clear()

    def failed(self, error: Exception) -> None:
        """Keep a failure for health to show."""
        self.trouble = Trouble(self._clock.now(), f"{type(error).__name__}: {error}")
