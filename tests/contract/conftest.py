"""One suite over every store: a store is a name here and a way to open it; PostgreSQL joins as another."""

from __future__ import annotations

import pytest

from reverie.model import Scope
from reverie.store.sqlite.store import SqliteStore

STORES = {"sqlite": lambda folder: SqliteStore(str(folder / "store.db"))}


@pytest.fixture(params=list(STORES))
def store(request, tmp_path):
    """An empty store of each kind."""
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def scope(store):
    """The scope that a test writes to."""
    return store.scope(Scope("acme", "notes"))
