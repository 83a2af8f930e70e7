"""HttpEmbedder against a real server on the loopback: what it accepts, what it retries, and what it never says."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from embedding_server import KEY, Handler, Server, good, vector

from reverie.embed import HttpEmbedder, checked
from reverie.errors import BadVector, EmbedderError, EmbedderUnavailable, InvalidInput


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = Server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def make(server: Server) -> Iterator[Callable[..., HttpEmbedder]]:
    made: list[HttpEmbedder] = []
    server.waits = []  # type: ignore[attr-defined]

    def build(**options: Any) -> HttpEmbedder:
        options = {"sleep": server.waits.append, "api_key": KEY, "timeout": 5.0} | options  # type: ignore[attr-defined]
        made.append(HttpEmbedder(server.url, "test-model", **options))
        return made[-1]

    yield build
    for embedder in made:
        embedder.close()


def say(status: int, body: Any = b"", **headers: str) -> Callable[[Handler, Any], None]:
    return lambda h, r: h.send(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def test_vectors_are_unit_in_order_and_the_request_is_the_protocols(server: Server, make: Any) -> None:
    texts = [f"text {'x' * i}" for i in range(5)]
    vectors = make(batch=2).embed(texts)
    expected = np.array([vector(text) for text in texts])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert vectors.dtype == np.float32
    assert [len(request["input"]) for request in server.seen] == [2, 2, 1]
    assert server.seen[0] == {"model": "test-model", "input": texts[:2], "encoding_format": "float"}
    assert set(server.paths) == {"/v1/embeddings"}
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_order_is_by_index(server: Server, make: Any) -> None:
    server.script = [lambda h, r: h.send(200, {"data": good(r)["data"][::-1]})]
    a, b = make().embed(["a", "bbbb"])
    assert b[0] > a[0] > 0


def test_no_index_means_the_order_sent(server: Server, make: Any) -> None:
    server.script = [lambda h, r: h.send(200, {"data": [{"embedding": vector(text)} for text in r["input"]]})]
    a, b = make().embed(["a", "bbbb"])
    assert b[0] > a[0] > 0


def test_base64_is_read_whether_asked_for_or_not(server: Server, make: Any) -> None:
    def reply(handler: Handler, request: dict[str, Any]) -> None:
        rows = [base64.b64encode(np.array(vector(t), "<f4").tobytes()).decode() for t in request["input"]]
        handler.send(200, {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]})

    server.script = [reply]
    first = make(encoding="base64").embed(["abc"])
    assert server.seen[0]["encoding_format"] == "base64"
    np.testing.assert_array_equal(make().embed(["abc"]), first)


def test_prefixes_and_dimensions(server: Server, make: Any) -> None:
    embedder = make(dim=4, ask_dim=True, query_prefix="query: ", document_prefix="passage: ")
    embedder.embed(["a"], "query")
    embedder.embed(["a"])
    assert [request["input"] for request in server.seen] == [["query: a"], ["passage: a"]]
    assert server.seen[0]["dimensions"] == 4


def test_dimension_and_id_come_from_the_first_reply(server: Server, make: Any) -> None:
    embedder = make(revision="r2")
    assert server.seen == []
    assert embedder.model_id == "http:test-model@r2:4"
    assert embedder.dim == 4
    assert len(server.seen) == 1
    assert embedder.embed([]).shape == (0, 4)


def test_another_dimension_is_refused(server: Server, make: Any) -> None:
    with pytest.raises(EmbedderUnavailable, match="4 numbers where 5"):
        make(dim=5).embed(["a"])
    embedder = make()
    embedder.embed(["a"])
    server.script = [lambda h, r: h.send(200, {"data": [{"index": 0, "embedding": [1, 2, 3]}]})]
    with pytest.raises(EmbedderUnavailable, match="3 numbers where 4"):
        embedder.embed(["a"])


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_login_is_said_and_not_retried(server: Server, make: Any, status: int) -> None:
    server.script = [say(status, {"error": f"Incorrect API key provided: {KEY}"})]
    with pytest.raises(EmbedderUnavailable, match="login") as caught:
        make().embed(["a"])
    assert len(server.seen) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_passing_troubles_are_retried(server: Server, make: Any, status: int) -> None:
    server.script = [say(status), say(status), *server.script]
    assert make().embed(["a"]).shape == (1, 4)
    assert server.waits == [0.5, 1.0]  # type: ignore[attr-defined]


def test_retry_after_is_kept(server: Server, make: Any) -> None:
    server.script = [
        say(429, Retry_After="3"),
        say(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
        say(503, Retry_After="soon"),
        *server.script,
    ]
    make().embed(["a"])
    assert server.waits == [3.0, 0.0, 2.0]  # type: ignore[attr-defined]


def test_a_wait_beyond_the_deadline_gives_up_at_once(server: Server, make: Any) -> None:
    server.script = [say(429, Retry_After="3600")]
    with pytest.raises(EmbedderUnavailable, match=r"429.*3600 s"):
        make().embed(["a"])
    assert server.waits == []  # type: ignore[attr-defined]


def test_retries_are_bounded(server: Server, make: Any) -> None:
    server.script = [say(500)]
    with pytest.raises(EmbedderUnavailable, match="500"):
        make(retries=2, timeout=60).embed(["a"])
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"data": [{"index": 0, "embedding": [1.0, 2.', "Decode"),
        (b"", "Decode"),
        (b"<html>busy</html>", "Decode"),
        (b"\xff\xfe\x00", "Decode"),
        (b"[" * 200_000, "Recursion|Decode"),
        (b"[]", "TypeError"),
        (b'{"data": []}', "one vector a text"),
        (b'{"data": [null]}', "TypeError"),
        (b'{"data": [{"index": 1, "embedding": [1]}]}', "places"),
        (b'{"data": [{"index": "x", "embedding": [1]}]}', "ValueError"),
        (b'{"data": [{"index": 1e999, "embedding": [1]}]}', "Overflow"),
        (b'{"data": [{"index": 0}]}', "KeyError"),
        (b'{"data": [{"index": 0, "embedding": []}]}', "list of numbers"),
        (b'{"data": [{"index": 0, "embedding": 7}]}', "list of numbers"),
        (b'{"data": [{"index": 0, "embedding": [[1], [2]]}]}', "list of numbers"),
        (b'{"data": [{"index": 0, "embedding": ["a"]}]}', "ValueError"),
        (b'{"data": [{"index": 0, "embedding": [1, [2]]}]}', "ValueError"),
        (b'{"data": [{"index": 0, "embedding": "***"}]}', "base64"),
        (b'{"data": [{"index": 0, "embedding": "QUJD"}]}', "ValueError"),
        (b'{"data": [{"index": 0, "embedding": ""}]}', "list of numbers"),
    ],
)
def test_an_unreadable_reply_is_retried_then_said(server: Server, make: Any, body: bytes, reason: str) -> None:
    server.script = [say(200, body)]
    with pytest.raises(EmbedderUnavailable, match=reason):
        make(retries=1).embed(["a"])
    assert len(server.seen) == 2


def test_a_body_cut_short_is_retried(server: Server, make: Any) -> None:
    def cut(handler: Handler, request: Any) -> None:
        handler.send(200, b'{"data": [', length=500)
        handler.close_connection = True

    server.script = [cut, *server.script]
    assert make().embed(["a"]).shape == (1, 4)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e300", "null"])
def test_a_number_that_is_none_is_a_bad_vector_of_that_item_only(server: Server, make: Any, number: str) -> None:
    def reply(handler: Handler, request: dict[str, Any]) -> None:
        raw = json.dumps(good(request))
        handler.send(200, (raw.replace("1.0,", f"{number},") if "bad" in request["input"] else raw).encode())

    server.script = [reply]
    embedder = make()
    with pytest.raises(BadVector, match="NaN or infinity"):
        embedder.embed(["bad"])
    done = checked(embedder, ["one", "bad", "three", "four"])
    assert done.rows == (0, 2, 3)
    assert [failure.index for failure in done.failed] == [1]


def test_a_zero_vector_is_bad(server: Server, make: Any) -> None:
    server.script = [say(200, {"data": [{"index": 0, "embedding": [0, 0, 0, 0]}]})]
    with pytest.raises(BadVector, match="zero"):
        make().embed(["a"])


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_text_fails_alone(server: Server, make: Any, status: int) -> None:
    server.script = [lambda h, r: h.send(status, {}) if "bad" in r["input"] else h.send(200, good(r))]
    embedder = make()
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["bad"])
    assert not isinstance(caught.value, EmbedderUnavailable)
    done = checked(embedder, ["bad", "fine"])
    assert done.rows == (1,)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(server: Server, make: Any, status: int) -> None:
    server.script = [say(status, Location=f"{server.url}/elsewhere")]
    with pytest.raises(EmbedderUnavailable, match="redirect"):
        make().embed(["a"])
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [204, 404, 405])
def test_other_answers_point_to_the_address(server: Server, make: Any, status: int) -> None:
    server.script = [say(status)]
    with pytest.raises(EmbedderUnavailable, match="address"):
        make().embed(["a"])


def hang(handler: Handler, request: Any) -> None:
    handler.close_connection = True
    handler.server.ended.wait(10)


def drip_headers(handler: Handler, request: Any) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while not handler.server.ended.wait(0.05):
        handler.wfile.write(b"x")


def drip_body(handler: Handler, request: Any) -> None:
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n")
    while not handler.server.ended.wait(0.05):
        handler.wfile.write(b" ")


@pytest.mark.parametrize("stuck", [hang, drip_headers, drip_body])
def test_one_deadline_holds_whatever_the_server_does(server: Server, make: Any, stuck: Any) -> None:
    server.script = [stuck, lambda h, r: h.send(200, good(r))]
    embedder = make(timeout=0.4)
    start = time.perf_counter()
    with pytest.raises(EmbedderUnavailable, match=r"[tT]ime"):
        embedder.embed(["a"])
    assert time.perf_counter() - start < 3
    assert embedder.embed(["a"]).shape == (1, 4)  # and the next call is served


def test_a_huge_reply_is_cut_off(server: Server, make: Any) -> None:
    sent = 0

    def flood(handler: Handler, request: Any) -> None:
        nonlocal sent
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 500000000\r\n\r\n")
        while sent < 500_000_000:
            sent += handler.wfile.write(b" " * 1_000_000)

    server.script = [flood]
    with pytest.raises(EmbedderUnavailable, match="larger than"):
        make().embed(["a"])
    assert sent < 50_000_000
    assert len(server.seen) == 1


def test_nobody_listening(server: Server, make: Any) -> None:
    embedder = HttpEmbedder("http://127.0.0.1:9/v1", "m", sleep=lambda s: None, retries=1)
    with pytest.raises(EmbedderUnavailable, match="ConnectError"):
        embedder.embed(["a"])
    embedder.close()
    embedder.close()


def test_a_closed_embedder_opens_again(server: Server, make: Any) -> None:
    embedder = make()
    embedder.embed(["a"])
    embedder.close()
    assert embedder.embed(["a"]).shape == (1, 4)


def test_the_key_is_never_shown(make: Any) -> None:
    assert KEY not in repr(make())
    assert "***" in repr(make())


@pytest.mark.parametrize(
    "options",
    [
        {"model": " "},
        {"dim": 0},
        {"timeout": 0},
        {"batch": 0},
        {"retries": -1},
        {"api_key": "a\nb"},
        {"api_key": "ключ"},
        {"base_url": "http://h:x"},
        {"base_url": "http://u:swordfish@h"},
        {"base_url": "http://[::1"},
        {"base_url": ""},
    ],
)
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        HttpEmbedder(**({"base_url": "http://h/v1", "model": "m"} | options))
    assert "swordfish" not in str(caught.value)


def test_without_the_extra_it_is_said(server: Server, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(EmbedderUnavailable, match="extra"):
        make().embed(["a"])
