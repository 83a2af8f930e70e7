"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import reverie
from reverie.clock import FixedClock
from reverie.memory import Reverie


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Reverie]:
    """A namespace with one harmless row: there must be something that a hostile call could damage."""
    with reverie.open(tmp_path / "notes.db", embedder="hashing", clock=FixedClock()) as opened:
        opened.remember("The harmless row stays as it is", external_id="harmless", metadata={"a": 1})
        yield opened
