"""Fixtures that every folder shares: a store in a temporary file, a clock that stands still, ids that count."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import reverie
from reverie.clock import CountingIds, FixedClock

# The default run repeats itself, so that a red one can be looked at; REVERIE_TEST_SEARCH=1 looks for new examples.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}
settings.register_profile("default", derandomize=True, **_COMMON)
settings.register_profile("search", **_COMMON)
settings.register_profile(
    "quick", derandomize=True, **{**_COMMON, "phases": [Phase.explicit, Phase.generate]}
)  # no shrinking
settings.load_profile(
    "quick"
    if os.environ.get("REVERIE_TEST_QUICK")
    else "search"
    if os.environ.get("REVERIE_TEST_SEARCH")
    else "default"
)


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch, tmp_path):
    """The developer's own reverie.toml and environment must not change what a test sees."""
    for name in list(os.environ):
        if name.startswith("REVERIE_") and name not in (
            "REVERIE_SHARED_DATA",
            "REVERIE_TEST_SEED",
            "REVERIE_TEST_SEARCH",
        ):
            monkeypatch.delenv(name)


@pytest.fixture
def clock() -> FixedClock:
    """Noon on the first day of 2026, until a test moves it."""
    return FixedClock()


@pytest.fixture
def ids() -> CountingIds:
    """1, 2, 3 …, so that two stores can be compared whole."""
    return CountingIds()


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server of this test process, started when the first test asks for it."""
    from servers import running

    with running() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """An empty store of each kind: what follows runs on both."""
    if request.param == "sqlite":
        yield str(tmp_path / "notes.db")
        return
    server = request.getfixturevalue("server")
    made = server.database()
    yield made
    server.drop(made)


@pytest.fixture
def mem(url, clock, ids):
    """An open namespace with the hashing embedder, on each store: real vectors, no model to load."""
    with reverie.open(url, embedder="hashing", clock=clock, ids=ids) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of evaluation data; tests that need it are skipped, saying so, where it is not there."""
    folder = Path(os.environ.get("REVERIE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"the evaluation data are not at {folder}; set REVERIE_SHARED_DATA")
    return folder
