"""What tests of the MCP door talk through: the official client with plain calls, and processes to talk to."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal
from mcp import Client, StdioServerParameters

from reverie.serving import keys
from reverie.serving.host import Host
from reverie.settings import Settings

HERE = Path(__file__).parent
REVERIE = str(Path(sys.executable).with_name("reverie"))


class Got:
    """What a tool answered."""

    def __init__(self, result: Any) -> None:
        self.failed: bool = bool(result.is_error)
        self.data: Any = result.structured_content
        self.blocks = [block.text for block in result.content]
        self.text = "\n".join(self.blocks)

    def __repr__(self) -> str:
        return f"Got(failed={self.failed}, text={self.text!r}, data={self.data!r})"


class Talk:
    """An open client."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def __call__(self, tool: str, **arguments: Any) -> Got:
        return self.with_(tool, arguments)

    def with_(self, tool: str, arguments: dict[str, Any], **how: Any) -> Got:
        async def call() -> Any:
            return await self.client.call_tool(tool, arguments, **how)

        return Got(self.portal.call(call))

    def tools(self) -> dict[str, Any]:
        return {t.name: t for t in self.portal.call(self.client.list_tools).tools}

    def read(self, uri: str) -> str:
        return self.portal.call(self.client.read_resource, uri).contents[0].text


@contextmanager
def opened_host(url: str, **given: Any) -> Iterator[Host]:
    host = Host(url, settings=Settings({"synchronous": "off"}), embedder="hashing:32", **given)
    try:
        yield host
    finally:
        host.close()


def key(host: Host, **given: Any) -> str:
    return keys.create(host.store, host.clock, **({"name": "ana"} | given))[0]


def environ(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("REVERIE_")}
    return kept | {"REVERIE_EMBEDDER": "hashing", "REVERIE_SYNCHRONOUS": "off"} | more


def process(url: str, *args: str, **env: str) -> StdioServerParameters:
    return StdioServerParameters(command=REVERIE, args=["mcp", "--db", url, *args], env=environ(**env))


@contextmanager
def listening(url: str, *args: str) -> Iterator[str]:
    """A server process of its own; gives the address of its MCP door."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [sys.executable, str(HERE / "mcp_app.py"), url, str(port), *args]
    with subprocess.Popen(command, env=environ(), stderr=subprocess.PIPE) as started:
        try:
            until = time.monotonic() + 30
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 0.2).close()
                    break
                except OSError:
                    if started.poll() is not None or time.monotonic() > until:
                        raise AssertionError(f"no server: {started.stderr and started.stderr.read()!r}") from None
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            started.terminate()


def floats_in(value: Any) -> int:
    """The length of the longest list of numbers in JSON."""
    if isinstance(value, dict):
        return max((floats_in(v) for v in value.values()), default=0)
    if isinstance(value, list):
        numbers = len(value) if value and all(isinstance(v, int | float) for v in value) else 0
        return max([numbers, *(floats_in(v) for v in value)])
    return 0


def lines_of(raw: bytes) -> list[dict[str, Any]]:
    """Messages of a session; anything else fails."""
    assert raw.endswith(b"\n") or not raw
    return [json.loads(line) for line in raw.splitlines()]
