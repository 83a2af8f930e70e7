"""How many threads NumPy's BLAS may use: one for a query, which two contending threads make 20 times slower."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_controller: Any = None
_depth = 0
_limiter: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread in this process. Nests, and costs nothing while held already."""
    global _controller, _depth, _limiter
    with _lock:
        if _depth == 0:
            if _controller is None:
                from threadpoolctl import ThreadpoolController

                _controller = ThreadpoolController().select(user_api="blas")
            _limiter = _controller.limit(limits=1)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _limiter.restore_original_limits()
