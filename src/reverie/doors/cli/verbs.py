"""All verbs together: importing this module registers each of them on the one `app`."""

from __future__ import annotations

from reverie.doors.cli import (
    acts,
    check,
    curate,
    demo,
    erase,
    learn,
    log,
    mcp,
    move,
    read,
    report,
    review,
    serve,
    settings,
    work,
    write,
)
from reverie.doors.cli.app import app

__all__ = [
    "acts", "app", "check", "curate", "demo", "erase", "learn", "log", "mcp", "move", "read", "report", "review", "serve",
    "settings", "work", "write",
]  # fmt: skip
