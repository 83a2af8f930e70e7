"""What every request passes first: Host and Origin, the size of the body, the key, its limits; and what is noted of it after.

Plain ASGI, so that streams are not held up. Noted are the route's pattern, the status and the time: no text, no name of a
namespace, no key.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from reverie.doors.http.metrics import Metrics
from reverie.doors.http.problems import of_error, problem
from reverie.errors import ReverieError, TooLarge, TooMany
from reverie.serving.host import Caller, Host

log = logging.getLogger("reverie.access")
NEED_NO_KEY = ("/health/live", "/health/ready")
BY_KEY = ("/v1", "/mcp", "/metrics", "/health")  # all else is the dashboard's, which asks in its own way
# bodies that are taken in pieces, to a limit of their own
STREAMED = re.compile(r"/v1/namespaces/[^/]+/import(-export)?")
HOME = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Wraps the whole server.

    Args:
        hosts: names that this server goes by, without ports; of ``*`` anything is taken.
        body_most, stream_most: bytes of a body, and of one that is taken in pieces.
        open_to: who everybody is, for a server that asks for no key.
    """

    def __init__(
        self, app: ASGIApp, host: Host, metrics: Metrics, *, hosts: Collection[str], body_most: int, stream_most: int,
        open_to: Caller | None = None,
    ) -> None:  # fmt: skip
        self._app = app
        self._host = host
        self._metrics = metrics
        self._hosts = {h.lower() for h in hosts}
        self._body_most = body_most
        self._stream_most = stream_most
        self._open_to = open_to

    def schema(self) -> dict[str, Any]:
        """What OpenAPI tells of the app inside."""
        found: dict[str, Any] = self._app.openapi()  # type: ignore[attr-defined]
        return found

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, seen = time.perf_counter(), {"status": 500}
        request_id = uuid4().hex[:16]

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", request_id.encode()))
            await send(message)

        try:
            answer = await self._admit(scope)
            if answer is not None:
                await answer(scope, receive, noted)
            else:
                await self._limited(scope, receive, noted)
        finally:
            self._note(scope, seen["status"], time.perf_counter() - started, request_id)

    async def _admit(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), scope["path"]
        named = _hostname(headers.get("host"))
        if not self._known(named):
            return problem(421, "this server does not go by that name; see the option --allow-host", "wrong-host")
        if (origin := headers.get("origin")) is not None and not self._same(origin, headers):
            return problem(403, "a page of another origin may not ask this server", "wrong-origin")
        if path in NEED_NO_KEY or not _under(path, BY_KEY):
            return None
        try:
            caller = await self._caller(headers.get("authorization"))
            size = int(length) if (length := headers.get("content-length", "0")).isdigit() else 0
            if self._host.ring.waits(caller.key):
                await to_thread.run_sync(lambda: self._host.ring.count(caller.key, bytes_=size))
            else:
                self._host.ring.count(caller.key, bytes_=size)
        except ReverieError as error:
            return of_error(error)
        scope["reverie.caller"] = caller
        scope["reverie.namespace"] = headers.get("reverie-namespace") or _only(caller)
        return None

    async def _caller(self, given: str | None) -> Caller:
        if self._open_to is not None:
            return self._open_to
        kind, _, text = (given or "").partition(" ")
        text = text if kind.lower() == "bearer" else ""
        if self._host.ring.at_hand(text):
            return self._host.caller(text)
        return await to_thread.run_sync(self._host.caller, text)

    def _known(self, named: str | None) -> bool:
        return "*" in self._hosts or (named is not None and named in self._hosts)

    def _same(self, origin: str, headers: Headers) -> bool:
        """A page of this very server, by the name and port under which it was asked."""
        try:
            parts = urlsplit(origin)
            return parts.scheme in ("http", "https") and parts.netloc.lower() == (headers.get("host") or "").lower()
        except ValueError:
            return False

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the body on up to its limit."""
        most = self._stream_most if streamed(scope) else self._body_most
        length = Headers(scope=scope).get("content-length")
        if length is not None and length.isdigit() and int(length) > most:
            await _too_large(most)(scope, receive, send)
            return
        taken, begun = 0, False
        refused: Response | None = None
        caller: Caller | None = scope.get("reverie.caller") if length is None else None  # a length was counted before

        async def counted() -> Message:
            nonlocal taken, refused
            message = await receive()
            size = len(message.get("body", b""))
            taken += size
            if taken > most:
                refused = _too_large(most)
                raise TooLarge(f"the body has more than the {most:,} bytes allowed")
            if caller is not None and size:
                try:
                    self._host.ring.count(caller.key, requests=0, bytes_=size)
                except TooMany as error:
                    refused = of_error(error)
                    raise
            return message

        async def sent(message: Message) -> None:
            nonlocal begun
            if refused is not None and not begun:
                return  # whatever the route made of a body that was cut off
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, counted, sent)
        except (TooLarge, TooMany):
            if begun or refused is None:
                raise
        if refused is not None and not begun:
            await refused(scope, receive, send)

    def _note(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        route = pattern(scope)
        self._metrics.request(scope["method"], route, status, seconds)
        if log.isEnabledFor(logging.INFO):
            caller = scope.get("reverie.caller")
            told: dict[str, Any] = {
                "method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1e3, 1),
                "request": request_id, "key": caller.key.id if caller is not None else None,
            }  # fmt: skip
            log.info(json.dumps(told), extra={"fields": told})


def streamed(scope: Scope) -> bool:
    """Whether a request's body is taken piece by piece."""
    return STREAMED.fullmatch(scope["path"]) is not None


def pattern(scope: Scope) -> str:
    """The route's pattern, which names nobody; of what is no route, the part of the server alone."""
    route = getattr(scope.get("route"), "path", None)
    if isinstance(route, str):
        return route
    first = scope["path"].split("/", 2)[1] if scope["path"].count("/") else ""
    return f"/{first}/…" if first in ("v1", "mcp", "static", "health", "metrics", "namespaces") else "/…"


def _too_large(most: int) -> Response:
    return problem(413, f"the body has more than the {most:,} bytes allowed; send less at once", "too-large")


def _under(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(f"{root}/") for root in roots)


def _hostname(given: str | None) -> str | None:
    """The name in a Host header, without its port."""
    if not given or set(given) & set("@/#?\\ "):
        return None
    try:
        return urlsplit(f"//{given}").hostname
    except ValueError:
        return None


def _only(caller: Caller) -> str:
    """The namespace that is meant where none is named: the key's only one."""
    names = caller.key.namespaces
    return names[0] if len(names) == 1 and not names[0].endswith("*") else "default"
