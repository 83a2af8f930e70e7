"""The other client: the MCP Inspector's command line, over stdio and over HTTP. Named by REVERIE_TEST_INSPECTOR."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from mcp_clients import REVERIE, environ, listening

BINARY = os.environ.get("REVERIE_TEST_INSPECTOR", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not BINARY,
        reason="set REVERIE_TEST_INSPECTOR to node_modules/.bin/mcp-inspector of @modelcontextprotocol/inspector@0.15.0",
    ),
]


def inspect(target, method, tool=None, **arguments):
    """What the inspector prints for one request, as JSON."""
    command = [BINARY, "--cli", *target, "--method", method]
    if tool is not None:
        command += ["--tool-name", tool]
        for name, value in arguments.items():
            command += ["--tool-arg", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environ(), timeout=60, check=False)
    assert done.returncode == 0, (method, tool, done.stdout, done.stderr)
    return json.loads(done.stdout)


def every_tool(target):
    assert len(inspect(target, "tools/list")["tools"]) == 10
    assert inspect(target, "resources/list")["resources"][0]["uri"] == "reverie://briefing"

    def call(tool, **arguments):
        got = inspect(target, "tools/call", tool, **arguments)
        assert not got.get("isError") and got["content"][0]["text"] and got["structuredContent"], (tool, got)
        return got["structuredContent"]

    id_ = call("remember", text="Ana Abbott prefers tea.", importance=0.7)["outcomes"][0]["id"]
    assert call("recall", query="tea", limit=3, trusted_only="false")["memories"][0]["id"] == id_
    assert call("know", query="tea")["memories"][0]["id"] == id_
    assert call("briefing")["headline"]
    assert call("history", id=id_)["memory"]["id"] == id_
    new = call("revise", id=id_, text="Ana Abbott prefers green tea.")["id"]
    assert call("forget", id=new, reason="asked for")["state"] == "archived"
    assert call("restore", id=new)["state"] == "live"
    assert call("review")["items"] == []
    assert call("curate")["status"] == "done"
    wrong = inspect(target, "tools/call", "recall", query="x y", limit=0)
    assert wrong["isError"] and wrong["content"][0]["text"].startswith("InvalidInput: limit:")
    assert call("recall", query="tea")["memories"]


def test_every_tool_over_stdio(tmp_path):
    every_tool([REVERIE, "mcp", "--db", str(tmp_path / "x.db")])


def test_every_tool_over_http(tmp_path):
    """Its command line sends no header, so that it speaks to a server that asks for no key."""
    with listening(str(tmp_path / "x.db"), "open") as address:
        every_tool([address])
