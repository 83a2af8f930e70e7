"""What an agent may read without a tool: the briefing of a day, one memory; and two prompts to begin with."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import Annotations

from reverie.doors.mcp import arguments
from reverie.doors.mcp.fence import fenced, one_line, visible
from reverie.doors.mcp.tools import Asked, _history, explained
from reverie.errors import InvalidInput, NotFound, ReverieError, StoreError

if TYPE_CHECKING:
    from reverie.doors.mcp.server import Server

log = logging.getLogger("reverie.mcp")
MARKDOWN = "text/markdown"


def add(server: Server) -> None:
    """Register the resources and prompts."""
    for_model = Annotations(audience=["assistant"], priority=0.6)

    async def read(work: Callable[[Asked], str]) -> str:
        def called() -> str:
            caller, namespace = server.who()
            return work(Asked(caller, namespace, server.jobs, lambda *_: None))

        try:
            found: str = await server.run_sync(called)
            return found
        except (NotFound, InvalidInput) as error:
            raise ResourceNotFoundError(explained(error)) from None
        except ReverieError as error:
            if isinstance(error, StoreError):
                log.error("a resource: %s: %s", type(error).__name__, error)
            raise ResourceError(explained(error)) from None

    def of_day(day: str | None) -> Callable[[Asked], str]:
        def work(asked: Asked) -> str:
            told = asked.memory.briefing(day, reading="agent")
            return fenced([visible(told.markdown().rstrip("\n"))]) + "\n"

        return work

    @server.resource(
        "reverie://briefing", name="briefing", title="Briefing of today", mime_type=MARKDOWN, annotations=for_model,
        description="What happened to this memory today, and what waits for a person.",
    )  # fmt: skip
    async def briefing() -> str:
        return await read(of_day(None))

    @server.resource(
        "reverie://briefing/{day}", name="briefing-of-a-day", title="Briefing of a day", mime_type=MARKDOWN,
        annotations=for_model, description="The same for a UTC day: a date such as 2026-01-31, today or yesterday.",
    )  # fmt: skip
    async def briefing_of(day: str) -> str:
        return await read(of_day(unquote(day)))

    @server.resource(
        "reverie://memory/{id}", name="memory", title="One memory", mime_type="text/plain", annotations=for_model,
        description="One memory by its id, with its history.",
    )  # fmt: skip
    async def memory(id: str) -> str:  # noqa: A002
        def work(asked: Asked) -> str:
            given: Any = arguments.History.model_construct(id=unquote(id))
            return _history(asked, given).text + "\n"

        return await read(work)

    @server.prompt(
        name="catch_up", title="Catch up", description="What changed in this memory, and what needs a person."
    )
    def catch_up() -> str:
        return (
            "Call the tool briefing, and review where it says that something waits. Tell me in a few sentences what changed, "
            "and put to me each thing that I have to decide, with what either choice would do."
        )

    @server.prompt(
        name="what_do_you_know", title="What do you know about …", description="All that is remembered of a topic."
    )
    def what_do_you_know(topic: str) -> str:
        return (
            f"What do you know about {one_line(topic, 300)}? Call know, and recall for what happened. Say which of it is trusted, "
            "how old it is, and where memories disagree. Say so where nothing is remembered; do not guess."
        )
