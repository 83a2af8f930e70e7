"""Clients of the MCP door: in memory, over stdio and over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_clients import Talk, key, opened_host

from reverie.doors.mcp import build
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as opened:
        yield opened


@pytest.fixture
def talk(portal: BlockingPortal) -> Iterator[Callable[..., Talk]]:
    """Open a client of a server, of parameters of a process, or of a transport."""
    with ExitStack() as stack:

        def opened(server: Any, **how: Any) -> Talk:
            async def made() -> Client:
                return Client(server, **how)

            client = portal.call(made)
            stack.enter_context(portal.wrap_async_context_manager(client))
            return Talk(portal, client)

        yield opened


@pytest.fixture
def host(url: str, clock: Any, ids: Any) -> Iterator[Host]:
    with opened_host(url, clock=clock, ids=ids) as host:
        yield host


@pytest.fixture
def jobs(host: Host) -> Iterator[Jobs]:
    opened = Jobs(host, Runner(host))
    yield opened
    opened.close()


@pytest.fixture
def door(host: Host, jobs: Jobs) -> Callable[..., Any]:
    """A server in memory that speaks as a new key."""

    def made(namespace: str = "notes", **given: Any) -> Any:
        text = key(host, **given)
        return build(host, jobs, lambda _: (host.caller(text), namespace))

    return made


@pytest.fixture
def agent(door: Any, talk: Any) -> Talk:
    return talk(door())


@pytest.fixture
def over_http(portal: BlockingPortal, talk: Any) -> Iterator[Callable[..., Talk]]:
    """Open a client of an address with a key."""
    with ExitStack() as stack:

        def opened(address: str, text: str, namespace: str | None = None, **how: Any) -> Talk:
            headers = {"Authorization": f"Bearer {text}"} | ({"Reverie-Namespace": namespace} if namespace else {})

            async def made() -> httpx2.AsyncClient:
                return httpx2.AsyncClient(headers=headers, timeout=60)

            client = stack.enter_context(portal.wrap_async_context_manager(portal.call(made)))
            return talk(streamable_http_client(address, http_client=client), **how)

        yield opened
