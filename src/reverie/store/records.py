"""What passes between a store and those who use it, besides the nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from reverie.model import Lease, Scope


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What recall holds of one row in memory. ``vector`` is float32 bytes, or None while none is stored."""

    seq: int
    id: str
    live: bool
    kind: str
    trust: str
    confidence: str
    importance: float
    utility: float
    stated_us: int
    vector: bytes | None
    length: int = 0


@dataclass(frozen=True, slots=True)
class Parked:
    """A plan that policy held back for review."""

    id: str
    run: str
    step: str
    reason: str
    at: datetime
    status: str
    plan: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClaimedSlot:
    """A slot of the schedule that some worker has claimed in a scope. Not finished: it is in hand, or its worker died."""

    key: str
    started_at: datetime
    finished_at: datetime | None
    with_model: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of one scope, for the schedule: what waits, when it was last used, its slots and overrides."""

    scope: Scope
    uncurated: int
    waiting_since: datetime | None
    used_at: datetime | None
    slots: Mapping[str, ClaimedSlot]
    model_at: datetime | None
    settings: Mapping[str, str]
    lease: Lease | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that wait for a judge ("waiting") or for a person ("review"). ``low`` is the smaller id.

    ``step`` asked for it; ``reason`` is the guard's or the rules' word; ``asked`` counts answers that could not be used.
    """

    low: str
    high: str
    similarity: float
    step: str
    reason: str
    status: str
    at: datetime
    verdict: str | None = None
    model: str | None = None
    asked: int = 0

    @property
    def id(self) -> str:
        """A short name for doors, made of both ids."""
        return "pair-" + blake2b(f"{self.low}\n{self.high}".encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many pairs of live memories wait under one step and status, and since when."""

    step: str
    status: str
    count: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls to a model came to: how many, how many failed, tokens, and cost in millionths."""

    calls: int = 0
    failures: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: int = 0

    @property
    def tokens(self) -> int:
        """Both ways together."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt to reach a model. ``outcome``: ok, open (in hand, or cut off), or why it failed."""

    at: datetime
    run: str
    model: str
    purpose: str
    questions: int
    outcome: str
    tokens_in: int
    tokens_out: int
    cost: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Vertex:
    """A memory as the graph shows it [S1]: ``heat`` is its strength when it was synced, ``label`` its gist or first words."""

    memory: str
    kind: str
    label: str
    heat: float
    pinned: bool
    state: str
    at: datetime
