"""A server's host over each store, keys, and a client that has logged in."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from reverie.doors.dashboard import routes
from reverie.judge.questions import Relate, Verdict
from reverie.serving import keys
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import Settings
from reverie.testing import ScriptedJudge


def judged(question):
    """Pairs of one subject contradict each other where they speak of invoices; of all others it is not sure."""
    if not isinstance(question, Relate):
        return None
    return Verdict.CONTRADICTS if "nvoices" in question.a.text else Verdict.UNSURE


class Seconds:
    """A clock that only goes forward, when a test says so."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Web:
    """A browser without scripts: it keeps cookies, follows redirects, and fills in the hidden fields of forms."""

    def __init__(self, app, **how):
        self.client = TestClient(app, **({"base_url": "http://testserver"} | how))

    def get(self, path, **how):
        return self.client.get(path, **how)

    def token(self, path):
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(path).text)
        return found.group(1)

    def post(self, path, at=None, **fields):
        """Send a form, with the token that stands on the page ``at``."""
        follow = fields.pop("follow", True)
        given = {"csrf": self.token(at or "/login")} | fields if at is not None else fields
        return self.client.post(path, data=given, follow_redirects=follow)

    def log_in(self, key):
        got = self.post("/login", "/login", key=key, follow=False)
        assert got.status_code == 303, got.text
        return self


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def host(url, clock, ids, seconds):
    judge = ScriptedJudge(judged, model_id="tester", tokens=120, cost=50)
    opened = Host(url, settings=Settings(), clock=clock, ids=ids, embedder="hashing:32", judge=judge, seconds=seconds)
    yield opened
    opened.close()


@pytest.fixture
def jobs(host):
    made = Jobs(host, Runner(host))
    yield made
    made.close()


@pytest.fixture
def app(host, jobs):
    return Starlette(routes=routes(host, jobs))


@pytest.fixture
def make(host):
    def made(**given):
        return keys.create(
            host.store, host.clock, **({"name": "ana", "channel": "person", "allow": ["owner"]} | given)
        )[0]

    return made


@pytest.fixture
def ana(app, make):
    """A person with every right, logged in."""
    return Web(app).log_in(make())


@pytest.fixture
def mem(host, make):
    """Ana's hold on the namespace notes."""
    return host.caller(make(name="ana elsewhere", principal="ana")).on("notes")


@pytest.fixture
def bot(host, make):
    """An agent's hold on the same."""
    return host.caller(make(name="bot", channel="agent", allow=["agent"])).on("notes")
