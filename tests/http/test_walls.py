"""Nobody comes in without a key, with another's key, or from another page; and no door forgets to ask."""

from __future__ import annotations

import re
from contextlib import ExitStack

import pytest

from reverie.doors.http.base import OFFERED
from reverie.serving.rights import RIGHTS, VERBS
from served import opened

FREE = {"/health/live", "/health/ready"}
BODIES = {
    "remember": {"text": "The port is 80."}, "remember_many": {"items": [{"text": "The port is 80."}]},
    "recall": {"query": "port"}, "know": {"query": "port"}, "context": {"query": "port"}, "revise": {"text": "The port is 81."},
    "reclassify": {"kind": "concept"}, "weigh": {"utility": 1}, "feedback": {"verdict": "confirmation"},
    "undo": {"entry": 1}, "apply": {"id": "x"}, "set": {"value": 1}, "create_key": {"name": "x"}, "erase": {"everything": True},
    "reapply": {"receipts": [{"id": "x"}]},
}  # fmt: skip


def addresses(served) -> list[tuple[str, str, str]]:
    """(method, path, operation) of everything that the schema tells of."""
    schema = served.get("/v1/openapi.json").json()
    return [(m.upper(), path, o["operationId"]) for path, of in schema["paths"].items() for m, o in of.items()]


def filled(path: str, **given: str) -> str:
    return re.sub(r"{(\w+)}", lambda m: given.get(m[1], "x"), path)


def ask(served, method: str, path: str, operation: str, key):
    body = BODIES.get(operation, {}) if method in ("POST", "PUT") else None
    return served.ask(method, path, body, key=key)


@pytest.fixture
def full(url, clock, ids):
    with ExitStack() as stack:
        yield opened(stack, url, clock, ids, dashboard=True, mcp=True)


def test_nothing_is_answered_without_a_key(served):
    wrong = "rv_" + "a" * 12 + "_" + "b" * 32
    for method, path, operation in addresses(served):
        for key in (None, "nonsense", wrong):
            got = ask(served, method, filled(path), operation, key)
            assert got.status_code == 401, (method, path)
            assert got.headers["www-authenticate"].startswith("Bearer")
    for path in ("/v1", "/v1/nothing", "/metrics", "/health", "/mcp", "/v1/openapi.json"):
        assert served.get(path, key=None).status_code == 401
    for path in FREE:
        assert served.get(path, key=None).status_code == 200
    assert served.host.store.scopes() == []


def test_a_key_of_another_tenant_finds_nothing(served):
    """Whatever has an id of ours in its address is not there for them, and nothing of ours changes."""
    id_ = served.remember("canaryword Ana lives in Oslo.")
    job = served.post("curate").json()["id"]
    while served.get(f"jobs/{job}").json()["status"] in ("waiting", "running"):
        pass
    theirs = served.make_key(tenant="other")
    before = served.get("export?journal=true").text
    for method, path, operation in addresses(served):
        mine = {"id": job if "jobs" in path else id_, "namespace": "notes", "name": "recall_limit"}
        got = ask(served, method, filled(path, **mine), operation, theirs)
        assert "canaryword" not in got.text, (method, path)
        if "{id}" in path:
            assert got.status_code == 404, (method, path, got.text)
    assert served.get("export?journal=true").text == before
    assert served.post("recall", {"query": "canaryword"}).json()["hits"][0]["id"] == id_


def test_a_namespace_that_the_key_does_not_cover_is_not_there(served):
    served.remember("canaryword Ana lives in Oslo.")
    some = served.make_key(namespaces=["mine", "user-*"])
    for method, path, operation in addresses(served):
        if "{namespace}" in path:
            got = ask(served, method, filled(path, namespace="notes"), operation, some)
            assert got.status_code == 404 and "canaryword" not in got.text, (method, path)


def test_each_verb_takes_its_right(served):
    """An address answers 403 to a key that has every right but the verb's, and something else to one that has it."""
    id_ = served.remember("Ana lives in Oslo.")
    for verb, address in OFFERED.items():
        method, path = address.split(" ", 1)
        where = filled(path, namespace="notes", id=id_, name="recall_limit")
        others = served.make_key(allow=[r for r in RIGHTS if r != VERBS[verb]])
        assert ask(served, method, where, verb, others).status_code == 403, verb
    for verb, address in OFFERED.items():
        method, path = address.split(" ", 1)
        where = filled(path, namespace="elsewhere", id=id_, name="recall_limit")
        alone = served.make_key(allow=[verb])
        assert ask(served, method, where, verb, alone).status_code != 403 or verb in ("apply",), verb


@pytest.mark.parametrize(
    "name", ["evil.example", "testserver.evil.example", "127.0.0.1.evil.example", "evil@testserver", "", "a b"]
)
def test_a_foreign_host_is_refused(full, name):
    for path in ("/v1/namespaces", "/health/live", "/", "/mcp", "/login", "/metrics"):
        got = full.client.get(
            path, headers={"host": name, "authorization": f"Bearer {full.key}"}, follow_redirects=False
        )
        assert got.status_code == 421, path


@pytest.mark.parametrize("name", ["testserver", "TESTSERVER", "testserver:8080", "testserver:80"])
def test_its_own_name_is_taken_with_any_port(full, name):
    assert full.client.get("/health/live", headers={"host": name}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://testserver:9999", "file://", "http://testserver.evil", "x"]
)
def test_a_foreign_origin_is_refused(full, origin):
    for method, path in (
        ("GET", "/v1/namespaces"),
        ("POST", "/mcp"),
        ("GET", "/"),
        ("POST", "/login"),
        ("OPTIONS", "/v1/namespaces"),
    ):
        got = full.client.request(
            method, path, headers={"origin": origin, "authorization": f"Bearer {full.key}"}, follow_redirects=False
        )
        assert got.status_code == 403, (method, path)
        assert not any(h.startswith("access-control") for h in got.headers)


def test_a_page_of_its_own_is_taken(full):
    got = full.client.get(
        "/v1/namespaces", headers={"origin": "http://testserver", "authorization": f"Bearer {full.key}"}
    )
    assert got.status_code == 200


def test_a_server_that_asks_for_no_key_is_open(url, clock, ids):
    with ExitStack() as stack:
        served = opened(stack, url, clock, ids)
        from reverie.doors.http import build

        app = build(
            served.host,
            served.jobs,
            hosts=["testserver"],
            open_to=served.host.anybody("acme"),
            dashboard=False,
            mcp=False,
        )
        from starlette.testclient import TestClient

        client = stack.enter_context(TestClient(app))
        assert client.get("/v1/me").json()["principal"] == "local"
        assert client.get("/v1/me", headers={"host": "evil.example"}).status_code == 421


def test_no_vector_leaves(served):
    """S13: no list of more than 8 numbers in any answer."""
    id_ = served.remember("Ana lives in Oslo.")
    served.remember("Note: Ana lives in Oslo.")
    served.post("curate")

    def long_lists(data) -> bool:
        if isinstance(data, dict):
            return any(long_lists(v) for v in data.values())
        if isinstance(data, list):
            return (len(data) > 8 and all(isinstance(v, float) for v in data)) or any(long_lists(v) for v in data)
        return False

    for method, path, operation in addresses(served):
        got = ask(
            served, method, filled(path, namespace="notes", id=id_, name="recall_limit"), operation, None or served.key
        )
        if got.headers.get("content-type", "").startswith("application/json"):
            assert not long_lists(got.json()), path
