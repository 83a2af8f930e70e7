"""How many threads NumPy's BLAS may use: one for a query, which two contending threads make 20 times slower."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_libraries: list[Any] | None = None
_depth = 0
_before: list[int] = []


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread in this process. Nests, and costs nothing while held already.

    The libraries are found once and set directly: threadpoolctl's own limiter lists them anew at every use, which cost
    a query a tenth of its time.
    """
    global _libraries, _depth, _before
    with _lock:
        if _depth == 0:
            if _libraries is None:
                from threadpoolctl import ThreadpoolController

                _libraries = list(ThreadpoolController().select(user_api="blas").lib_controllers)
            _before = [library.num_threads for library in _libraries]
            for library in _libraries:
                library.set_num_threads(1)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for library, threads in zip(_libraries or (), _before, strict=True):
                    library.set_num_threads(threads)
