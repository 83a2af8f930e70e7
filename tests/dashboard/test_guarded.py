"""The dashboard behind the server's own guard: a foreign Host and a foreign Origin come no further."""

from __future__ import annotations

import pytest

from conftest import Web
from reverie.doors.http import build


@pytest.fixture
def web(host, jobs, make):
    return Web(build(host, jobs, hosts=["testserver"], mcp=False)).log_in(make())


def test_the_dashboard_is_at_the_root(web):
    assert "Nothing to look after yet" in web.get("/").text
    assert web.get("/namespaces/notes").status_code == 200


@pytest.mark.parametrize("named", ["evil.example", "testserver.evil.example", "127.0.0.1.nip.io", ""])
def test_a_foreign_host_is_refused(web, named):
    for path in ("/", "/login", "/static/reverie.css", "/namespaces/notes"):
        assert web.get(path, headers={"Host": named}).status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://testserver.evil.example", "http://testserver:81", "x"]
)
def test_a_foreign_origin_is_refused(web, origin):
    fields = {"csrf": web.token("/keys"), "text": "The port is 80."}
    got = web.client.post("/namespaces/notes/memories/new", data=fields, headers={"Origin": origin})
    assert got.status_code == 403
    ours = web.client.post("/namespaces/notes/memories/new", data=fields, headers={"Origin": "http://testserver"})
    assert ours.status_code == 200
