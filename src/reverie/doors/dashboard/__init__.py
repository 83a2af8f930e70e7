"""The pages that `reverie serve` shows to people: rendered on the server, usable with the keyboard alone, no outside asset."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from reverie.serving.host import Caller, Host
    from reverie.serving.jobs import Jobs


def routes(host: Host, jobs: Jobs, *, open_to: Caller | None = None) -> list[BaseRoute]:
    """The dashboard's routes, for an app that mounts them at its root.

    ``open_to``: who everybody is, on a server that asks for no key; then there is no login page.
    """
    from reverie.doors.dashboard.pages import table
    from reverie.doors.dashboard.site import Site

    return table(Site(host, jobs, open_to))


__all__ = ["routes"]
