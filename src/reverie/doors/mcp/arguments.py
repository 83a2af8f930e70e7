"""What each tool takes: models that make the input schemas, and that refuse what is not in them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pydantic import BeforeValidator, ConfigDict, Field

from reverie.clock import as_utc
from reverie.errors import InvalidInput

TEXTS_MOST = 100
LIMIT_MOST = 100
BUDGET = 4_000
BUDGET_MOST = 100_000


def _listed(given: object) -> object:
    """Some clients send a list as the JSON of it, and some a lone item."""
    if not isinstance(given, str):
        return given
    try:
        read = json.loads(given) if given.lstrip().startswith("[") else given
    except (ValueError, RecursionError):
        read = given
    return read if isinstance(read, list) else [given]


KindName = Literal["episode", "fact", "preference", "procedure", "concept", "problem"]
Id = Annotated[str, Field(description="The memory's id, as recall gives it", min_length=1, max_length=256)]
Revision = Annotated[
    int | None, Field(description="The revision that you read; refused where the memory changed since", ge=1, le=2**53)
]
Time = Annotated[str | None, Field(max_length=40, examples=["2026-01-31", "2026-01-31T08:30:00Z"])]


def moment(given: str | None, what: str) -> datetime | None:
    """An ISO 8601 time, a naive one as UTC. Raises InvalidInput."""
    if given is None:
        return None
    try:
        return as_utc(datetime.fromisoformat(given.strip()))
    except (ValueError, OverflowError):
        raise InvalidInput(f"{what} is no ISO 8601 time, such as 2026-01-31 or 2026-01-31T08:30:00Z") from None


class Arguments(ArgModelBase):
    """Of any tool. A misspelled argument is an error, not a wish that nobody hears."""

    model_config = ConfigDict(extra="forbid")


class Remember(Arguments):
    """Of remember."""

    text: str | None = Field(
        None, description="One statement that makes sense by itself, with names and dates instead of 'he' or 'today'",
        examples=["Ana Abbott prefers tea to coffee."],
    )  # fmt: skip
    texts: Annotated[list[str] | None, BeforeValidator(_listed)] = Field(
        None, description="Several statements at once, instead of text", min_length=1, max_length=TEXTS_MOST
    )
    kind: KindName | None = Field(
        None, description="fact; preference: what somebody likes or wants; procedure: how something is done; "
        "episode: what happened; concept; problem: what is still open",
    )  # fmt: skip
    key: str | None = Field(
        None, description="A stable name for a value that changes; a new text under it takes the old one's place",
        max_length=256, examples=["staging.database.port"],
    )  # fmt: skip
    importance: float | None = Field(None, description="0 to 1; 0.5 where not given", ge=0, le=1)
    occurred_at: Time = Field(None, description="When it happened, where that was not now (ISO 8601)")
    session: str | None = Field(None, description="The conversation it comes from", max_length=256)


class Recall(Arguments):
    """Of recall."""

    query: str = Field(description="What to look for, in plain words", min_length=1, max_length=8_192)
    limit: int | None = Field(None, description="Most memories; default 10", ge=1, le=LIMIT_MOST)
    kinds: Annotated[list[KindName] | None, BeforeValidator(_listed)] = Field(None, description="Only these kinds")
    budget_tokens: int = Field(BUDGET, description="About how many tokens of text", ge=1, le=BUDGET_MOST)
    trusted_only: bool = Field(False, description="Leave out what no person said or bore out")
    as_of: Time = Field(None, description="Answer as the memory stood at this time (ISO 8601)")


class Know(Arguments):
    """Of know."""

    query: str = Field(description="What to look for, in plain words", min_length=1, max_length=8_192)
    limit: int | None = Field(None, description="Most memories; default 10", ge=1, le=LIMIT_MOST)
    budget_tokens: int = Field(BUDGET, description="About how many tokens of text", ge=1, le=BUDGET_MOST)
    trusted_only: bool = Field(False, description="Leave out what no person said or bore out")
    as_of: Time = Field(None, description="Answer as the memory stood at this time (ISO 8601)")


class Briefing(Arguments):
    """Of briefing."""

    day: str | None = Field(
        None, description="A UTC day: today (default), yesterday, or a date", max_length=40, examples=["2026-01-31"]
    )


class Revise(Arguments):
    """Of revise."""

    id: Id
    text: str = Field(description="The statement as it should be, whole", min_length=1)
    revision: Revision = None


class Forget(Arguments):
    """Of forget."""

    id: Id
    reason: str | None = Field(None, description="Why, for the journal", min_length=1, max_length=2_000)
    revision: Revision = None


class Restore(Forget):
    """Of restore."""


class Review(Arguments):
    """Of review."""

    limit: int = Field(20, description="Most items", ge=1, le=LIMIT_MOST)


class History(Arguments):
    """Of history."""

    id: Id


class Curate(Arguments):
    """Of curate."""

    cycle: str = Field("tidy", description="Which cycle", min_length=1, max_length=40)
    job: str | None = Field(None, description="Ask how this job goes, and start none", min_length=1, max_length=256)


def schema(made: dict[str, Any]) -> dict[str, Any]:
    """A schema as clients and models read it best: no titles, no null beside a type, no default that says nothing."""
    found: dict[str, Any] = {}
    for name, value in made.items():
        if name in ("properties", "$defs"):
            found[name] = {k: schema(v) for k, v in value.items()}
        elif name == "anyOf":
            kept = [schema(v) for v in value if v.get("type") != "null"]
            found |= kept[0] if len(kept) == 1 else {"anyOf": kept}
        elif name == "items":
            found[name] = schema(value)
        elif name != "title" and not (name == "default" and value is None):
            found[name] = value
    return found
