"""The MCP door: what an agent may do with a memory, over stdio and over HTTP."""

from __future__ import annotations

from reverie.doors.mcp.http import McpApp, http_app
from reverie.doors.mcp.server import Server, build

__all__ = ["McpApp", "Server", "build", "http_app"]
