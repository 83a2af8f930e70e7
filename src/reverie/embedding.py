"""The embedder as the rest of Reverie uses it: it may be missing or down at any time, and nothing stops for that."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reverie.clock import Clock
from reverie.embed.port import Embedder, checked
from reverie.errors import EmbedderUnavailable

Vector: TypeAlias = NDArray[np.float32]
QUERIES_KEPT = 256


@dataclass(frozen=True, slots=True)
class Trouble:
    """The last time that embedding failed, and why."""

    at: datetime
    reason: str


class Embedding:
    """Wraps an embedder, or its absence.

    Args:
        embedder: None means text search only.
        clock: for the time of a failure.
    """

    def __init__(self, embedder: Embedder | None, clock: Clock) -> None:
        self._embedder = embedder
        self._clock = clock
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()
        self.trouble: Trouble | None = None
        self.embedded = 0

    @property
    def embedder(self) -> Embedder | None:
        """The embedder itself."""
        return self._embedder

    @property
    def model_id(self) -> str | None:
        """The model's id, or None without an embedder."""
        return self._embedder.model_id if self._embedder is not None else None

    @property
    def dim(self) -> int:
        """Its dimension; 0 without an embedder, or while a service that alone knows it is down."""
        if self._embedder is None:
            return 0
        try:
            return self._embedder.dim
        except Exception as error:  # noqa: BLE001 - a user's own embedder may raise anything; text search goes on
            self.failed(error)
            return 0

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """A vector for each text; None where there is none now. Failures are kept in ``trouble``, never raised."""
        found: list[Vector | None] = [None] * len(texts)
        if self._embedder is None or not texts:
            return found
        try:
            got = checked(self._embedder, texts)
        except EmbedderUnavailable as error:
            self.failed(error)
            return found
        for row, index in enumerate(got.rows):
            found[index] = got.vectors[row]
        self.embedded += len(got.rows)
        if got.failed:
            self.failed(got.failed[0].error)
        elif self.trouble is not None:
            self.trouble = None
        return found

    def query(self, text: str) -> Vector | None:
        """The vector of a question, from the last few asked where it is there; None where there is none now."""
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        if self._embedder is None:
            return None
        try:
            got = checked(self._embedder, [text], "query")
        except EmbedderUnavailable as error:
            self.failed(error)
            return None
        if not got.rows:
            return None
        vector: Vector = got.vectors[0]
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > QUERIES_KEPT:
                self._queries.popitem(last=False)
        return vector

    def failed(self, error: Exception) -> None:
        """Keep a failure for health to show."""
        self.trouble = Trouble(self._clock.now(), f"{type(error).__name__}: {error}")
