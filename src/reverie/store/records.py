"""What passes between a store and those who use it, besides the nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
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
