"""The command line. ``reverie --help`` loads neither the store nor NumPy: verbs import what they need when they run."""

from __future__ import annotations


def main() -> None:
    """Run the command line with this process's arguments; the entry point ``reverie``."""
    from reverie.doors.cli.verbs import app

    app()


__all__ = ["main"]
