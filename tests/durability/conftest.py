"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from checks import Canonical, canonical
from program import Client, build, rest
from warm import Warm


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """One warm parent for all trials: a child costs milliseconds, not the half second of an import."""
    with Warm() as parent:
        yield parent


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Canonical:
    """What every resumed client must end with."""
    path = str(tmp_path_factory.mktemp("whole") / "notes.db")
    Client(path, build(), lambda line: None).run()
    rest(path)
    return canonical(path)
