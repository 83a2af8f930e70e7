"""Circuit breaker: after some failures in a row no call is made for a while, and then one, to see (field notes 55)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

__all__ = ["Breaker", "Position"]

Position = Literal["closed", "open", "half open"]


class Breaker:
    """Counts a provider's failures in a row. Safe to share between threads.

    failures: how many in a row open it, 1 or more. seconds: how long it stays open. monotonic: seconds, for tests.
    """

    def __init__(self, failures: int, seconds: float, monotonic: Callable[[], float]) -> None:
        self._most, self._seconds, self._monotonic = failures, seconds, monotonic
        self._lock = threading.Lock()
        self._failed = 0
        self._opened: float | None = None
        self._trying = False

    @property
    def position(self) -> Position:
        """closed: calls are made. open: none is. half open: one trial call may be made, or is being made."""
        with self._lock:
            if self._opened is None:
                return "closed"
            return "half open" if self._trying or self._left() <= 0 else "open"

    def enter(self) -> float | None:
        """None when a call may be made, which must then be told to `succeeded`, `failed` or `abandoned`; else the seconds
        until the trial call, 0 while one is on its way."""
        with self._lock:
            if self._opened is None:
                return None
            if self._trying or self._left() > 0:
                return max(self._left(), 0.0)
            self._trying = True
            return None

    def succeeded(self) -> None:
        """The provider answered."""
        with self._lock:
            self._failed, self._opened, self._trying = 0, None, False

    def failed(self) -> None:
        """The provider failed."""
        with self._lock:
            self._failed += 1
            if self._trying or self._failed >= self._most:
                self._opened = self._monotonic()
            self._trying = False

    def abandoned(self) -> None:
        """The call was not made after all, or tells nothing about the provider."""
        with self._lock:
            self._trying = False

    def _left(self) -> float:
        assert self._opened is not None
        return self._opened + self._seconds - self._monotonic()
