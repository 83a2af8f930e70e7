"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checks import Canonical, canonical, refuse, unsound
from program import Client, build, rest
from trials import Where
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


@pytest.fixture
def sound(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Fails the test where a store, by its path or URL, is not sound."""

    def check(url: str, about: str) -> None:
        refuse(unsound(url, request.getfixturevalue("server") if "://" in url else None), about)

    return check


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Where]:
    """Where a trial of this name makes its store: in a folder of its own, or on the server."""
    if request.param == "postgres":
        server: Where = request.getfixturevalue("server")
        return lambda name: server
    folder: Path = tmp_path_factory.mktemp("trials")
    return lambda name: folder / name.replace(":", "-")
