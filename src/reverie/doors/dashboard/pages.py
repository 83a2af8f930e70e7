"""The table of all pages: path, methods, what makes it, and whether it is shown to those who have not logged in."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from reverie.doors.dashboard import caring, deciding, front, memories, morning, running, working
from reverie.doors.dashboard.site import Site, Work

NS = "/namespaces/{ns}"

# (path, methods, work, public)
PAGES: tuple[tuple[str, str, Work, bool], ...] = (
    ("/", "GET", front.first, False),
    ("/login", "GET", front.login, True),
    ("/login", "POST", front.log_in, True),
    ("/logout", "POST", front.log_out, True),
    ("/theme", "POST", front.theme, True),
    ("/static/{name}", "GET", front.static, True),
    ("/favicon.ico", "GET", front.icon, True),
    ("/namespaces", "GET", front.namespaces, False),
    ("/keys", "GET", caring.keys, False),
    ("/keys", "POST", caring.make_key, False),
    ("/keys/{id}/revoke", "GET", caring.ask_revoke, False),
    ("/keys/{id}/revoke", "POST", caring.revoke, False),
    (NS, "GET", morning.briefing, False),
    (NS + "/briefing/{day}", "GET", morning.briefing, False),
    (NS + "/memories", "GET", memories.listed, False),
    (NS + "/memories/new", "GET", memories.new, False),
    (NS + "/memories/new", "POST", memories.remember, False),
    (NS + "/memories/{id}", "GET", memories.one, False),
    (NS + "/memories/{id}/{act}", "POST", memories.act, False),
    (NS + "/review", "GET", deciding.queue, False),
    (NS + "/review/{id}", "GET", deciding.item, False),
    (NS + "/review/{id}/accept", "POST", deciding.accept, False),
    (NS + "/review/{id}/reject", "POST", deciding.reject, False),
    (NS + "/runs", "GET", running.runs, False),
    (NS + "/runs/{id}", "GET", running.run, False),
    (NS + "/runs/{id}/undo", "GET", running.ask_undo, False),
    (NS + "/runs/{id}/undo", "POST", running.undo_run, False),
    (NS + "/entries/{n:int}/undo", "POST", running.undo_entry, False),
    (NS + "/plan", "GET", working.plan, False),
    (NS + "/plan", "POST", working.make_plan, False),
    (NS + "/curate", "POST", working.curate, False),
    (NS + "/jobs/{id}", "GET", working.job, False),
    (NS + "/jobs/{id}/events", "GET", working.events, False),
    (NS + "/jobs/{id}/stop", "POST", working.stop, False),
    (NS + "/health", "GET", caring.health, False),
    (NS + "/health", "POST", caring.examine, False),
    (NS + "/{rest:path}", "GET", front.missing, False),
)  # fmt: skip


def table(site: Site) -> list[BaseRoute]:
    """The routes of a site."""
    return [Route(path, site.page(work, public=public), methods=[method]) for path, method, work, public in PAGES]
