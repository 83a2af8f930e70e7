"""The pages on clients: every configuration can be read, starts what there is, and has no option that there is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from reverie.doors.cli.app import SHARED
from reverie.doors.cli.reference import commands
from reverie.doors.mcp.tools import OFFERED

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
PAGES = ("claude-code", "claude-desktop", "cursor", "vs-code")


@pytest.mark.parametrize("page", PAGES)
def test_configurations_hold(page):
    text = (HOWTO / f"{page}.md").read_text("utf-8")
    found = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]
    assert len(found) == 2
    outer = "servers" if page == "vs-code" else "mcpServers"
    local, remote = (one[outer]["reverie"] for one in found)
    mine = {o for path, command in commands() if path == ("mcp",) for p in command.params for o in p.opts} | SHARED
    assert local["args"][0] == "mcp" and {a for a in local["args"] if a.startswith("--")} <= mine
    assert Path(local["command"]).is_absolute() and "--db" in local["args"]
    assert "https://memory.example/mcp" in str(remote) and "Authorization" in str(remote) and "Bearer " in str(remote)
    for name in re.findall(r"\$\{input:([\w-]+)\}", str(remote)):
        assert name in {i["id"] for i in found[1]["inputs"]}
    assert f"mcp --config {page}" in text


def test_every_tool_is_told_of():
    text = (HOWTO / "mcp.md").read_text("utf-8")
    assert {o.verb for o in OFFERED} <= set(re.findall(r"`(\w+)`", text))
