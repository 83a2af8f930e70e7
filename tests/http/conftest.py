"""A server's application in this process, on each store."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from served import opened


@pytest.fixture
def served(url, clock, ids):
    with ExitStack() as stack:
        yield opened(stack, url, clock, ids)
