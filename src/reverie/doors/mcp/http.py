"""MCP over streamable HTTP, without sessions: any process behind one address may answer any request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from reverie.doors.mcp.server import Server, build
from reverie.errors import Unauthorised
from reverie.serving.host import Caller, Host
from reverie.serving.jobs import Jobs

BODY_MOST = 64 * 2**20  # the guard before this has a limit of its own, and the smaller one holds

PROGRESS = b'"progressToken"'


def speaking(context: Context[Any, Any]) -> tuple[Caller, str]:
    """Whom the guard found, and the namespace that is meant. Raises Unauthorised where no guard was passed."""
    request = context.request_context.request
    scope = getattr(request, "scope", {})
    caller = scope.get("reverie.caller")
    if not isinstance(caller, Caller):
        raise Unauthorised()
    return caller, str(scope.get("reverie.namespace") or "default")


class McpApp:
    """An ASGI app that answers at whatever path it is put. `lifespan` must be entered while it serves.

    Answers are JSON; to a request that asks for progress, an event stream that tells it and ends with the answer.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self._plain: StreamableHTTPSessionManager | None = None
        self._telling: StreamableHTTPSessionManager | None = None

    def _manager(self, *, as_json: bool) -> StreamableHTTPSessionManager:
        self.server.streamable_http_app(
            stateless_http=True, json_response=as_json, max_request_body_size=BODY_MOST,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard has looked
        )  # fmt: skip
        return self.server.session_manager

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[None]:
        """Enter it in the lifespan of the outer app. It may be entered again after it was left."""
        plain, telling = self._manager(as_json=True), self._manager(as_json=False)
        async with plain.run(), telling.run():
            self._plain, self._telling = plain, telling
            try:
                yield
            finally:
                self._plain = self._telling = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._plain is None or self._telling is None:
            await Response("not available now", 503, {"Retry-After": "1"})(scope, receive, send)
        elif scope["method"] != "POST":
            # There is no session: nothing to listen to, and nothing to end.
            await Response("", 405, {"Allow": "POST"})(scope, receive, send)
        else:
            body, again = await _read(receive)
            manager = self._telling if PROGRESS in body else self._plain
            await manager.handle_request(scope, again, send)


async def _read(receive: Receive) -> tuple[bytes, Receive]:
    """A body, which the guard has bounded, and a way to read it again."""
    messages: list[Message] = []
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request" or not message.get("more_body", False):
            break
    waiting = iter(messages)

    async def again() -> Message:
        found = next(waiting, None)
        return found if found is not None else await receive()

    return b"".join(m.get("body", b"") for m in messages), again


def http_app(host: Host, jobs: Jobs) -> tuple[McpApp, Callable[[object], AbstractAsyncContextManager[None]]]:
    """The MCP door of a server: an ASGI app, and what the outer app enters in its lifespan.

    Put it at one path as a route, ``Route("/mcp", app)``: a mount answers ``/mcp`` with a redirect, which clients do not follow.
    The guard before it has put ``reverie.caller`` and ``reverie.namespace`` into the ASGI scope; without them nothing is answered.
    """
    made = McpApp(build(host, jobs, speaking))
    return made, made.lifespan
