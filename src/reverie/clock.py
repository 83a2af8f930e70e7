"""Time and ids as arguments (law 14): the system's own, and fixed ones for tests and replays."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta
from typing import Protocol

from reverie.errors import InvalidInput

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32: sorts as the numbers do
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present moment, timezone-aware, in UTC."""
        ...


class Ids(Protocol):
    """Makes ids that are unique and sort in the order in which they were made."""

    def new(self) -> str:
        """A new id of 26 characters."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, at: datetime | None = None) -> None:
        self._now = as_utc(at) if at else datetime(2026, 1, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        """The moment at which the clock stands."""
        return self._now

    def advance(self, **by: float) -> datetime:
        """Move by a timedelta's arguments, as in ``advance(days=31)``, and return the new moment."""
        self._now += timedelta(**by)
        return self._now

    def set(self, at: datetime) -> None:
        """Stand at this moment from now on."""
        self._now = as_utc(at)


class Ulids:
    """ULIDs: 48 bits of milliseconds and 80 random bits; within one millisecond the random part counts upwards."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._last = -1
        self._random = 0
        self._lock = threading.Lock()

    def new(self) -> str:
        """A new id."""
        with self._lock:
            ms = max(to_us(self._clock.now()) // 1000, self._last)
            if ms == self._last:
                self._random += 1
            else:
                self._last, self._random = ms, int.from_bytes(os.urandom(10), "big") >> 1
            value = (ms << 80) | self._random
        return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


class CountingIds:
    """1, 2, 3 … as ids: for tests that compare whole stores."""

    def __init__(self, start: int = 0) -> None:
        self._n = start
        self._lock = threading.Lock()

    def new(self) -> str:
        """The next id."""
        with self._lock:
            self._n += 1
            return f"{self._n:026d}"


def as_utc(at: datetime) -> datetime:
    """The same moment in UTC; a naive datetime is taken as UTC. Raises InvalidInput where UTC has no such year."""
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"the time {at.isoformat()} lies outside the years 1 to 9999 in UTC") from None


def to_us(at: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return (at - _EPOCH) // _US


def from_us(us: int) -> datetime:
    """The inverse of `to_us`."""
    return _EPOCH + timedelta(microseconds=us)
