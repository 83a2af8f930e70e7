"""A small embedding service on the loopback that misbehaves by script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "swordfish-" + "0" * 20


def vector(text: str, dim: int = 4) -> list[float]:
    return [float(len(text)), 1.0, -2.0, 0.5, 9.0][:dim]


def good(request: dict[str, Any]) -> dict[str, Any]:
    return {"data": [{"index": i, "embedding": vector(text)} for i, text in enumerate(request["input"])]}


class Server(ThreadingHTTPServer):
    """Answers by `script`: one callable a request, the last one for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Callable[[Handler, dict[str, Any]], None]] = [lambda h, r: h.send(200, good(r))]
        self.seen: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on purpose is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append(request)
        self.server.paths.append(self.path)
        self.server.keys.append(self.headers.get("authorization"))
        script = self.server.script
        (script.pop(0) if len(script) > 1 else script[0])(self, request)

    def send(self, status: int, body: Any, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(raw) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: Any) -> None:
        pass
