"""Keeps standard output for the protocol: whatever else this process prints, before, while and after it serves, goes to stderr."""

from __future__ import annotations

import os
import sys
from typing import Self


class Wire:
    """Standard output, taken away on entering and never given back to a process that was given one.

    The library does the same while it serves; this covers the time before, when modules are imported and a store is opened, and
    the time after, when what was printed meanwhile is flushed. Where stdout is no real file, as in tests, it does nothing.
    """

    def __init__(self) -> None:
        self._kept: int | None = None

    def __enter__(self) -> Self:
        try:
            real = sys.stdout.fileno() == 1
        except (AttributeError, OSError, ValueError):
            real = False
        if real:
            self._kept = os.dup(1)
            self._divert()
        return self

    def open(self) -> None:
        """Put the protocol's way out where the library looks for it."""
        if self._kept is not None:
            sys.stdout.flush()
            os.dup2(self._kept, 1)

    def close(self) -> None:
        """Divert what is printed from now on, and what was printed and not yet written."""
        if self._kept is not None:
            self._divert()

    def _divert(self) -> None:
        os.dup2(2, 1)
        sys.stdout.flush()

    def __exit__(self, *_: object) -> None:
        self.close()
