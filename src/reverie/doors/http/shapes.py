"""The shapes of answers over HTTP, which OpenAPI tells of."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from reverie.model import Channel, Confidence, Kind, Relation, State, Trust

Plain = dict[str, Any]


class OriginOut(BaseModel):
    """Who said it, through which door."""

    principal: str
    channel: Channel
    client: str | None
    session: str | None


class MemoryOut(BaseModel):
    """A memory, every column."""

    id: str
    kind: Kind
    text: str
    gist: str | None
    state: State
    trust: Trust
    confidence: Confidence
    pinned: bool
    durable: bool
    derived: bool
    key: str | None
    importance: float
    utility: float
    strength: float
    recall_count: int
    access_count: int
    written_at: datetime
    stated_at: datetime
    occurred_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    last_recalled_at: datetime | None
    curated_at: datetime | None
    archived_at: datetime | None
    merged_into: str | None
    superseded_by: str | None
    metadata: Plain
    revision: int
    origin: OriginOut


class HitOut(MemoryOut):
    """A memory that was found: ``shown`` is what to show of it, ``parts`` how the score came about."""

    score: float
    shown: str
    parts: dict[str, float]
    also: list[str]


class Hits(BaseModel):
    """Best first. ``trouble``: why only text search answered, if so."""

    hits: list[HitOut]
    trouble: str | None = None


class ContextOut(BaseModel):
    """A fenced block for a prompt: data, never instructions."""

    text: str
    tokens: int
    memories: list[str]
    left_out: int


class RememberedOut(BaseModel):
    """What became of a statement."""

    id: str
    restated: bool
    known: bool
    how: str | None
    masked: list[str]
    superseded: str | None


class Refusal(BaseModel):
    """Why one item of several was refused."""

    type: str
    detail: str


class OutcomeOut(BaseModel):
    """What became of one item of several: ``error`` where it was refused."""

    id: str | None
    restated: bool = False
    known: bool = False
    how: str | None = None
    masked: list[str] = []
    superseded: str | None = None
    error: Refusal | None = None


class Outcomes(BaseModel):
    """One outcome for each item, in order."""

    outcomes: list[OutcomeOut]


class PageOut(BaseModel):
    """Some memories, the last written first; ``cursor`` asks for the next page."""

    memories: list[MemoryOut]
    cursor: str | None


class SightingOut(BaseModel):
    """One time that a memory was stated."""

    memory: str
    at: datetime
    occurred_at: datetime | None
    wording: str | None
    external_id: str | None
    principal: str
    channel: Channel
    client: str | None
    session: str | None


class LinkOut(BaseModel):
    """An edge between two memories."""

    source: str
    relation: Relation
    target: str
    at: datetime
    evidence: Plain


class EntryOut(BaseModel):
    """A journal line, whole."""

    n: int
    run: str
    step: str
    move: str
    ids: list[str]
    reason: str
    status: str
    at: datetime
    evidence: Plain
    before: dict[str, Plain]
    after: dict[str, Plain]
    added: dict[str, Plain]
    detail: Plain
    model: str | None
    tokens: int
    undoes: int | None
    undone_by: int | None
    hash: str


class HistoryOut(BaseModel):
    """All that is known of one memory."""

    memory: MemoryOut
    versions: list[MemoryOut]
    sightings: list[SightingOut]
    links: list[LinkOut]
    entries: list[EntryOut]


class RunOut(BaseModel):
    """What a run did."""

    id: str
    cycle: str
    status: str
    counts: dict[str, int]
    errors: dict[str, str]
    parked: list[str]
    entries: list[EntryOut]
    skipped: list[EntryOut]


class RecordOut(BaseModel):
    """A run as the journal keeps it."""

    id: str
    cycle: str
    actor: str
    started_at: datetime
    finished_at: datetime | None
    status: str
    counts: dict[str, int]
    errors: dict[str, str]


class SealedPlan(BaseModel):
    """A plan, and the seal without which `apply` does not take it back."""

    plan: Plain
    seal: str
    moves: int
    counts: dict[str, int]
    errors: dict[str, str]
    texts: Annotated[dict[str, str], Field(description="Of the memories that it speaks of, by id.")]


class Left(BaseModel):
    """What an undo left, as newer edits have touched it."""

    entry: int
    move: str
    ids: list[str]
    why: str


class UndoneOut(BaseModel):
    """What an undo took back, and what it left."""

    id: str
    undone: int
    entries: list[EntryOut]
    conflicts: list[Left]


class JobOut(BaseModel):
    """Work that goes on by itself. ``status``: waiting, running, done, parked, failed, stopped or lost."""

    id: str
    verb: str
    status: str
    principal: str
    asked_at: datetime
    beat_at: datetime
    finished_at: datetime | None
    cycle: str | None
    progress: Annotated[
        Plain, Field(examples=[{"phase": "apply", "step": "collapse", "done": 40, "of": 120, "moves": 40}])
    ]
    stop: bool
    run: str | None
    error: str | None


class SignalOut(BaseModel):
    """A training signal. No text is in one."""

    memory: str
    type: str
    source: str
    at: datetime
    pending: bool
    predicted: Kind | None
    corrected: Kind | None
    strength: str


class KeyOut(BaseModel):
    """A key; its secret is shown once, when it is made."""

    id: str
    name: str
    tenant: str
    namespaces: list[str]
    verbs: list[str]
    principal: str
    channel: Channel
    limits: dict[str, int]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None
    today: dict[str, int]


class NewKey(BaseModel):
    """``key`` is shown once and kept nowhere."""

    key: str
    record: KeyOut


class Problem(BaseModel):
    """What was wrong and what to do (RFC 9457)."""

    type: Annotated[str, Field(examples=["urn:reverie:error:not-found"])]
    title: str
    status: int
    detail: str
    errors: list[Plain] | None = None
