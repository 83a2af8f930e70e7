"""One suite over every store: a store is a name here and a way to open it."""

from __future__ import annotations

import pytest

from reverie.model import Scope


@pytest.fixture
def store(url):
    """An empty store of each kind."""
    from reverie.opening import open_store
    from reverie.settings import Settings

    opened = open_store(url, Settings())
    yield opened
    opened.close()


@pytest.fixture
def scope(store):
    """The scope that a test writes to."""
    return store.scope(Scope("acme", "notes"))
