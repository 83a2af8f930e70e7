"""A small server of the MCP door alone: ``mcp_app.py STORE PORT [open]``. Its guard does what the real one does with a key."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from reverie.doors.mcp import http_app
from reverie.errors import Unauthorised
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import load


def app(url: str, asks: bool) -> Any:
    host = Host(url, settings=load())
    jobs = Jobs(host, Runner(host))
    door, begin = http_app(host, jobs)

    @asynccontextmanager
    async def life(outer: Starlette) -> Any:
        async with begin(outer):
            yield
        jobs.close()
        host.close()

    inner = Starlette(routes=[Route("/mcp", door)], lifespan=life)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {k.decode().lower(): v.decode("latin-1") for k, v in scope["headers"]}
            try:
                text = headers.get("authorization", "").removeprefix("Bearer ")
                caller = host.caller(text) if asks else host.anybody()
            except Unauthorised as error:
                refused = JSONResponse({"detail": str(error)}, 401, {"WWW-Authenticate": 'Bearer realm="reverie"'})
                await refused(scope, receive, send)
                return
            scope["reverie.caller"] = caller
            names = caller.key.namespaces
            only = names[0] if len(names) == 1 and not names[0].endswith("*") else "default"
            scope["reverie.namespace"] = headers.get("reverie-namespace", only)
        await inner(scope, receive, send)

    return guarded


if __name__ == "__main__":
    uvicorn.run(app(sys.argv[1], sys.argv[3:] != ["open"]), port=int(sys.argv[2]), log_level="warning", lifespan="on")
