"""What the tests of this folder share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import reverie
from reverie.clock import FixedClock
from reverie.memory import Reverie

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Place:
    """An empty part of a store: a file of its own, or a tenant of its own in a database that others use too."""

    url: str
    tenant: str = "default"

    def open(self, namespace: str = "default", **given: Any) -> Reverie:
        """A handle on one of its namespaces."""
        return reverie.open(self.url, namespace, **{"tenant": self.tenant, "embedder": "hashing", **given})


@pytest.fixture(scope="session")
def one_database(server: Any) -> str:
    """A database that the tests of this folder share, as making one takes longer than most of them."""
    return str(server.database())


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place of each kind."""
    if request.param == "sqlite":
        return Place(str(tmp_path / "notes.db"))
    return Place(request.getfixturevalue("one_database"), f"tenant {next(_numbers)}")


@pytest.fixture
def mem(place: Place) -> Iterator[Reverie]:
    """A namespace with one harmless row: there must be something that a hostile call could damage."""
    with place.open(clock=FixedClock()) as opened:
        opened.remember("The harmless row stays as it is", external_id="harmless", metadata={"a": 1})
        yield opened
