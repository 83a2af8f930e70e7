"""A model's endpoint on the loopback that speaks both APIs and misbehaves by script: real HTTP, real sockets.

    with JudgeServer() as server:                                  # right answers, by `sensible`
    with JudgeServer(["500", "right"]) as server:                  # one mood a request, the last one for ever
    with JudgeServer(lambda call: call.say('{"items":[]}')) as server:

`server.url` is the base address, `server.requests` what came in, `server.sent` the bytes of the largest body let out.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USED = (100, 10)  # tokens that every reply with a usage claims: in, out
_FENCED = re.compile(r"<<([0-9a-f]{12}) ([A-Za-z]+)(?: (\d+))?>>\n(.*?)\n<<\1 end>>", re.S)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, taken apart."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def api(self) -> str:
        """Which API it came by: "responses" or "chat"."""
        return "responses" if self.path.split("?")[0].endswith("/responses") else "chat"

    @property
    def format(self) -> str:
        """How it asks for JSON: "json_schema", "json_object", or "text" where it does not."""
        if self.api == "responses":
            return self.body.get("text", {}).get("format", {}).get("type", "text")
        return self.body.get("response_format", {}).get("type", "text")

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema that it asks for, with its name; empty where it asks for none."""
        if self.api == "responses":
            return self.body.get("text", {}).get("format", {})
        return self.body.get("response_format", {}).get("json_schema", {})

    @property
    def messages(self) -> tuple[str, str]:
        """System and user message."""
        first, second = self.body["input" if self.api == "responses" else "messages"]
        return first["content"], second["content"]

    @property
    def texts(self) -> list[tuple[str, str]]:
        """What stands between fences: (label, text)."""
        return [(m[2] + (f" {m[3]}" if m[3] else ""), m[4]) for m in _FENCED.finditer(self.messages[1])]

    @property
    def items(self) -> list[tuple[str, str]]:
        """The pairs of a `Relate` prompt."""
        texts = [text for label, text in self.texts if label in ("A", "B")]
        return list(zip(texts[::2], texts[1::2], strict=True))


def sensible(asked: Asked) -> dict[str, Any]:
    """An answer that its texts support, whatever the question: equal words are the same, equal but for numbers contradict."""
    system, _ = asked.messages
    texts = [text for _, text in asked.texts]
    if asked.items:
        return {"items": [{"item": k, "verdict": verdict(a, b)} for k, (a, b) in enumerate(asked.items)]}
    if '"groups"' in system:
        return {"groups": []}
    if '"number"' in system:
        return {"number": 0}
    if '"proposals"' in system:
        return {"proposals": []}
    if '"names"' in system:
        return {"names": re.findall(r"\[PERSON_\d+\]|\b(?:Alice|Bob)\b", texts[0])}
    if '"parts"' in system:
        return {"parts": [{"heading": 0, "text": texts[0], "sources": [0]}]}
    return {"text": " ".join(dict.fromkeys(texts))}


def verdict(a: str, b: str) -> str:
    """The verdict that `sensible` gives on two texts."""
    words = [re.findall(r"[\w@.\[\]]+", re.sub(r"\.(\s|$)", " ", t.lower())) for t in (a, b)]
    if sorted(words[0]) == sorted(words[1]):
        return "same"
    plain = [sorted(w for w in ws if not any(c.isdigit() for c in w)) for ws in words]
    return "contradicts" if plain[0] == plain[1] else "unrelated"


class Call(BaseHTTPRequestHandler):
    """One connection. A mood gets this, and writes what it likes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server
    asked: Asked

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        with self.server.lock:
            self.server.requests.append(self.asked)
            script = self.server.script
            mood = script.pop(0) if len(script) > 1 else script[0]
        (MOODS[mood] if isinstance(mood, str) else mood)(self)

    def do_GET(self) -> None:
        self.server.requests.append(Asked(self.path, dict(self.headers.items()), {}))
        self.send(404, {})

    def say(self, text: str, *, finish: str = "stop", usage: bool = True, refusal: str | None = None) -> None:
        """A whole reply in the API's envelope. finish: stop, length or content_filter."""
        self.send(200, envelope(self.asked.api, text, finish=finish, usage=usage, refusal=refusal))

    def answer(self, given: Any) -> None:
        """A whole reply whose text is this JSON."""
        self.say(json.dumps(given))

    def error(
        self, status: int, message: str, code: str | None = None, param: str | None = None, **headers: str
    ) -> None:
        """An error in the usual form."""
        error = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}
        self.send(status, error, {k.replace("_", "-"): v for k, v in headers.items()})

    def send(self, status: int, body: Any, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """A whole response; bytes as they are, anything else as JSON."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(raw) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)
        self.server.sent = max(self.server.sent, len(raw))

    def drip(self, raw: bytes, seconds: float = 0.02) -> None:
        """Bytes one by one, until they are out, the client has gone or the server ends."""
        self.close_connection = True
        for k in range(len(raw)):
            if self.server.ended.wait(seconds):
                return
            try:
                self.connection.sendall(raw[k : k + 1])
            except OSError:
                return

    def reset(self) -> None:
        """Break the connection off with a TCP reset."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RD)
        self.connection.close()

    def log_message(self, *args: Any) -> None:
        pass


def envelope(
    api: str, text: str, *, finish: str = "stop", usage: bool = True, refusal: str | None = None
) -> dict[str, Any]:
    """A reply of either API."""
    if api == "chat":
        message = {"role": "assistant", "content": None if refusal else text, "refusal": refusal}
        reply: dict[str, Any] = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        }  # fmt: skip
        if usage:
            reply["usage"] = {"prompt_tokens": USED[0], "completion_tokens": USED[1], "total_tokens": sum(USED)}
        return reply
    part = (
        {"type": "refusal", "refusal": refusal} if refusal else {"type": "output_text", "text": text, "annotations": []}
    )
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(finish)
    reply = {
        "id": "r1", "object": "response", "status": "incomplete" if why else "completed", "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "output": [
            {"type": "reasoning", "id": "rs1", "summary": []},
            {"type": "message", "role": "assistant", "status": "completed", "content": [part]},
        ],
    }  # fmt: skip
    if usage:
        reply["usage"] = {"input_tokens": USED[0], "output_tokens": USED[1], "total_tokens": sum(USED)}
    return reply


Mood = Callable[[Call], None]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, script: Sequence[str | Mood]) -> None:
        super().__init__(("127.0.0.1", 0), Call)
        self.script = list(script)
        self.requests: list[Asked] = []
        self.sent = 0
        self.lock = threading.Lock()
        self.ended = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on purpose is no news."""


class JudgeServer:
    """See the module. behaviour: a mood by name or as a function of `Call`, or a script of them."""

    def __init__(self, behaviour: str | Mood | Sequence[str | Mood] = "right") -> None:
        self._server = _Server([behaviour] if isinstance(behaviour, str) or callable(behaviour) else behaviour)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def requests(self) -> list[Asked]:
        return self._server.requests

    @property
    def sent(self) -> int:
        return self._server.sent

    def become(self, *script: str | Mood) -> None:
        """Behave like this from now on."""
        with self._server.lock:
            self._server.script = list(script)

    def __enter__(self) -> JudgeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def right(call: Call) -> None:
    call.answer(sensible(call.asked))


def without(parameter: str, then: Mood = right, status: int = 400) -> Mood:
    """A server that refuses requests which hold a parameter (a dotted path in the body), naming it."""

    def mood(call: Call) -> None:
        value: Any = call.asked.body
        for name in parameter.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if value is None:
            then(call)
        else:
            call.error(
                status, f"Unsupported parameter: '{parameter}' is not supported.", "unsupported_parameter", parameter
            )

    return mood


def without_format(*refused: str, then: Mood = right, status: int = 400) -> Mood:
    """A server that refuses some ways to ask for JSON."""

    def mood(call: Call) -> None:
        if call.asked.format in refused:
            name = "text.format" if call.asked.api == "responses" else "response_format"
            call.error(
                status, f"Invalid parameter: '{name}' of type '{call.asked.format}' is not supported.", None, name
            )
        else:
            then(call)

    return mood


def without_responses(then: Mood = right) -> Mood:
    """A server that has chat completions only."""
    return lambda call: then(call) if call.asked.api == "chat" else call.send(404, b"404 page not found")


def only_max_completion_tokens(call: Call) -> None:
    if "max_tokens" in call.asked.body:
        why = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        call.error(400, why, "unsupported_parameter", "max_tokens")
    else:
        right(call)


def flood(call: Call, megabytes: int = 50) -> None:
    """A body that goes on, without a length; how much the client took is in `sent`."""
    call.close_connection = True
    call.send_response(200)
    call.send_header("connection", "close")
    call.end_headers()
    for k in range(megabytes * 16):
        try:
            call.connection.sendall(b" " * 65_536)
        except OSError:
            return
        call.server.sent = max(call.server.sent, (k + 1) * 65_536)


def cut_off(call: Call) -> None:
    """Half of a body, then a reset."""
    raw = json.dumps(envelope(call.asked.api, json.dumps(sensible(call.asked)))).encode()
    with contextlib.suppress(OSError):
        call.send(200, raw[: len(raw) // 2], length=len(raw))
        call.wfile.flush()
        call.reset()


def slow_head(call: Call) -> None:
    call.drip(b"HTTP/1.1 200 OK\r\n" + b"".join(b"x-filler-%d: 0123456789\r\n" % k for k in range(1000)))


def slow_body(call: Call) -> None:
    raw = json.dumps(envelope(call.asked.api, json.dumps(sensible(call.asked)))).encode() + b" " * 1000
    call.connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(raw))
    call.drip(raw)


def hang(call: Call) -> None:
    call.server.ended.wait(30)
    call.close_connection = True


KEY_ECHO = "Incorrect API key provided: sk-secret-in-the-reply"

MOODS: dict[str, Mood] = {
    "right": right,
    "no usage": lambda c: c.say(json.dumps(sensible(c.asked)), usage=False),
    "prose": lambda c: c.say(f"Of course! Here you are:\n```json\n{json.dumps(sensible(c.asked))}\n```\nAnything else?"),
    "thinking": lambda c: c.say(f'<think>Perhaps {{"items":[]}}?</think>\n{json.dumps(sensible(c.asked))}'),
    "wrong schema": lambda c: c.answer({"verdicts": ["same"]}),
    "no json": lambda c: c.say("They are the same, I think."),
    "truncated": lambda c: c.say('{"items":[{"item":0,"ver', finish="length"),
    "filtered": lambda c: c.say("", finish="content_filter"),
    "refusal": lambda c: c.say("", refusal="I cannot help with that."),
    "foreign": lambda c: c.answer({"items": [{"item": 99, "verdict": "same"}, {"item": -1, "verdict": "same"}]}),
    "401": lambda c: c.error(401, KEY_ECHO, "invalid_api_key"),
    "403": lambda c: c.error(403, KEY_ECHO, "forbidden"),
    "404 model": lambda c: c.error(404, "The model does not exist", "model_not_found"),
    "404": lambda c: c.send(404, b"404 page not found"),
    "400": lambda c: c.error(400, "Bad request", "bad_request"),
    "context": lambda c: c.error(400, "This model's maximum context length is 512 tokens.", "context_length_exceeded"),
    "filter 400": lambda c: c.error(400, "Filtered by our content management policy", "content_filter"),
    "429": lambda c: c.error(429, "Slow down", "rate_limit_exceeded"),
    "quota": lambda c: c.error(429, "You exceeded your current quota", "insufficient_quota"),
    "500": lambda c: c.error(500, "The server had an error"),
    "503": lambda c: c.send(503, b"<html><body>Service Unavailable</body></html>", {"content-type": "text/html"}),
    "408": lambda c: c.error(408, "Request timeout"),
    "409": lambda c: c.error(409, "Conflict"),
    "html": lambda c: c.send(200, b"<!doctype html><html><body>Welcome to nginx!</body></html>", {"content-type": "text/html"}),
    "empty": lambda c: c.send(200, b""),
    "not utf-8": lambda c: c.send(200, b'{"choices":[{"message":{"content":"\xff\xfe"}}]}'),
    "no message": lambda c: c.send(200, {"object": "error"}),
    "failed": lambda c: c.send(200, {"status": "failed", "error": {"code": "server_error", "message": "x"}}),
    "redirect": lambda c: c.send(302, b"", {"location": "https://example.org/v1/responses"}),
    "gzip": lambda c: c.send(200, b"\x1f\x8b\x08\x00", {"content-encoding": "gzip"}),
    "flood": flood,
    "announced flood": lambda c: c.send(200, b" " * 2_000_000, length=50_000_000),
    "hang": hang,
    "slow head": slow_head,
    "slow body": slow_body,
    "cut off": cut_off,
    "reset": lambda c: c.reset(),
}  # fmt: skip
"""Moods by name: what a real endpoint, its proxy or an attacker in its place has been seen to do."""
