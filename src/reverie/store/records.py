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


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as the store keeps it: ``hash`` is of its secret part, which is kept nowhere.

    ``namespaces``: names, and beginnings of names that end in ``*``. ``verbs``: verbs, and rights that stand for several
    (`reverie.serving.rights`). ``limits``: requests_per_minute, writes_per_day, bytes_per_day; what is absent is not limited.
    """

    id: str
    name: str
    hash: bytes
    tenant: str
    namespaces: tuple[str, ...]
    verbs: tuple[str, ...]
    principal: str
    channel: str
    limits: Mapping[str, int]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyUse:
    """What one key used on one UTC day, in every process."""

    requests: int = 0
    writes: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class JobRecord:
    """Work that was asked for and goes on by itself. ``status``: waiting, running, done, parked, failed, stopped or lost.

    ``request``: cycle, ask, channel, client. ``progress``: phase, step, done, of, moves. ``stop``: somebody asked for its end.
    ``beat_at``: when its process was last heard of.
    """

    id: str
    verb: str
    status: str
    principal: str
    asked_at: datetime
    beat_at: datetime
    progress: Mapping[str, Any]
    request: Mapping[str, Any]
    stop: bool = False
    run: str | None = None
    error: str | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What was answered to a request with an idempotency key; ``status`` None while it is in hand, ``body`` None once erased."""

    request: bytes
    status: int | None
    body: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class ErasureRecord:
    """The receipt of an erasure: ``body`` as JSON, with no word of what went; ``wiped_at`` None while bytes may linger in files."""

    id: str
    at: datetime
    actor: str
    body: Mapping[str, Any]
    wiped_at: datetime | None = None
