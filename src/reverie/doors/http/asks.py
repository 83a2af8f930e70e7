"""The shapes of requests over HTTP. What they do not name is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from reverie.doors.http.shapes import Plain
from reverie.model import Channel, Kind, State
from reverie.recall.recall import QUERY_MAX

TEXT_MOST = 1_048_576  # characters; the namespace's own setting text_max_bytes is what counts
BULK_MOST = 1_000  # items of one bulk request; for more there is the import, which streams
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
Id = Annotated[str, Field(min_length=1, max_length=256, examples=["01K5M2Q8Z4W9XN7T3R6V0B1CDE"])]
Reason = Annotated[str, Field(min_length=1, max_length=2_000)]


class In(BaseModel):
    """A request. What is not named here is refused: a typing error must not be taken for a wish."""

    model_config = ConfigDict(extra="forbid")


class Remember(In):
    """One statement. Who says it, and through which channel, comes from the key."""

    text: Annotated[str, Field(max_length=TEXT_MOST, examples=["Ana prefers tea to coffee."])]
    kind: Kind | None = None
    key: Annotated[Name | None, Field(description="A stable name: a new value under it supersedes the old one.")] = None
    external_id: Annotated[Name | None, Field(description="The source's own id; written twice, it is kept once.")] = (
        None
    )
    session: Annotated[Name | None, Field(description="The conversation in which it was said.")] = None
    importance: Share | None = None
    metadata: Plain = Field(default_factory=dict)
    occurred_at: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    durable: bool = True
    gist: Annotated[
        str | None, Field(max_length=TEXT_MOST, description="A shorter wording, for where room is short.")
    ] = None
    train: Annotated[bool, Field(description="An example of what is worth keeping.")] = False

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"text": "Ana prefers tea to coffee.", "kind": "preference", "session": "chat-42"}]
        },
    )


class Bulk(In):
    """Several statements: one outcome for each, in order; a bad one fails no other."""

    items: Annotated[list[Remember], Field(min_length=1, max_length=BULK_MOST)]


class Revise(In):
    """A corrected wording. What is not given carries over."""

    text: Annotated[str, Field(max_length=TEXT_MOST)]
    kind: Kind | None = None
    key: Name | None = None
    importance: Share | None = None
    metadata: Plain | None = None
    session: Name | None = None


class Recall(In):
    """A question to the memory."""

    query: Annotated[str, Field(min_length=1, max_length=8 * QUERY_MAX, examples=["what does Ana drink?"])]
    limit: Annotated[int | None, Field(ge=1, le=1_000)] = None
    budget_tokens: Annotated[int | None, Field(ge=1, le=10_000_000)] = None
    as_of: Annotated[AwareDatetime | None, Field(description="Answer as the memory stood then.")] = None
    trusted_only: bool = False
    log: Annotated[bool, Field(description="Count this as a use of what is found.")] = True


class RecallOf(Recall):
    """A question to the memory, of kinds and states."""

    kinds: list[Kind] | None = None
    states: Annotated[list[State] | None, Field(description="Look among these states instead of the live rows.")] = None


class PackContext(In):
    """What a prompt may hold of the memory."""

    query: Annotated[str, Field(min_length=1, max_length=8 * QUERY_MAX)]
    budget_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    trusted_only: bool = False
    know: Annotated[bool, Field(description="Knowledge only, no episodes.")] = False


class Because(In):
    """Why."""

    reason: Reason = "asked by the caller"


class Forget(Because):
    """Why, and whether to learn from it."""

    train: bool = False


class Switch(In):
    """On, or off again."""

    on: bool = True


class Reclassify(In):
    """Another kind."""

    kind: Kind
    train: bool = True


class Weigh(In):
    """How important or useful; what is absent stays."""

    importance: Share | None = None
    utility: Share | None = None
    train: bool = True


class Feedback(In):
    """Right, wrong, or of another kind."""

    verdict: Literal["confirmation", "rejection", "correction"]
    kind: Kind | None = None


class AskPlan(In):
    """Which cycle, and whether the judge may be asked."""

    cycle: Annotated[str, Field(max_length=100)] = "tidy"
    ask: bool = True


class Apply(In):
    """A plan as `plan` gave it, with its seal; or the id of one that waits for review."""

    plan: Plain | None = None
    seal: Annotated[str | None, Field(max_length=200)] = None
    id: Id | None = None
    approved: Annotated[bool, Field(description="A person has read it: the blast caps do not hold it back.")] = False


class Undo(In):
    """One of: a run, an entry, or everything since a time."""

    run: Id | None = None
    entry: Annotated[int | None, Field(ge=1, le=2**62)] = None
    since: AwareDatetime | None = None


class Accept(In):
    """A verdict on a pair overrides what was supposed."""

    verdict: Literal["same", "contradicts", "unrelated"] | None = None


class SetValue(In):
    """A value; null takes the namespace's own away."""

    value: Annotated[str, Field(max_length=1_000)] | bool | int | Annotated[float, Field(allow_inf_nan=False)] | None


class Erase(In):
    """What goes for good: one of the three. Without ``confirm`` nothing does, and the answer says what would."""

    memory: Id | None = None
    principal: Name | None = None
    everything: bool = False
    confirm: Annotated[str | None, Field(max_length=200, description="The token of the preview.")] = None
    reason: Reason = "asked by a person"


class Reapply(In):
    """Receipts of earlier erasures. Without ``confirm`` nothing goes."""

    receipts: Annotated[list[Plain], Field(min_length=1, max_length=1_000)]
    confirm: Annotated[str | None, Field(max_length=200)] = None


class MakeKey(In):
    """A key of the caller's own tenant."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    namespaces: Annotated[list[Name], Field(min_length=1, max_length=100)] = ["*"]
    allow: Annotated[list[Annotated[str, Field(max_length=40)]], Field(min_length=1, max_length=100)] = ["agent"]
    principal: Name | None = None
    channel: Channel = Channel.AGENT
    limits: dict[
        Literal["requests_per_minute", "writes_per_day", "bytes_per_day"], Annotated[int, Field(ge=1, le=2**53)]
    ] = Field(default_factory=dict)
    days: Annotated[int | None, Field(ge=1, le=36_500)] = None
