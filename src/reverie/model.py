"""The nouns: what a memory is, where it came from, and what one may ask of a scope. Frozen data, no behaviour.

Times are timezone-aware UTC datetimes with microsecond resolution; hashes are 16 bytes of BLAKE2b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What sort of statement a memory is. A merge never crosses kinds."""

    EPISODE = "episode"
    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    CONCEPT = "concept"
    PROBLEM = "problem"


class Channel(StrEnum):
    """The door a statement came through. It decides the trust at write (law 11)."""

    PERSON = "person"
    AGENT = "agent"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"
    CURATOR = "curator"


class Trust(StrEnum):
    """provisional < trusted. Raised only by `Promote` or by a person [S4]."""

    PROVISIONAL = "provisional"
    TRUSTED = "trusted"


class Confidence(StrEnum):
    """verified is immune to staleness; stale means not recalled for long, and hides nothing [S1]."""

    DEFAULT = "default"
    VERIFIED = "verified"
    STALE = "stale"


class State(StrEnum):
    """Only live rows are recalled by default."""

    LIVE = "live"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"
    ERASED = "erased"


class Relation(StrEnum):
    """What an edge between two memories says, read from source to target."""

    MERGED_INTO = "merged_into"
    SUPERSEDED_BY = "superseded_by"
    DERIVED_FROM = "derived_from"
    CONTRADICTS = "contradicts"
    RELATED_TO = "related_to"
    PART_OF = "part_of"
    ABOUT = "about"
    CAUSED = "caused"
    CAME_AFTER = "came_after"
    MENTIONS = "mentions"


@dataclass(frozen=True, slots=True)
class Scope:
    """One tenant's namespace. Obtained from a store, never spelled by a step."""

    tenant: str = "default"
    namespace: str = "default"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who said it, through which door. Set by the door from the authenticated caller, never by the text."""

    principal: str = "local"
    channel: Channel = Channel.AGENT
    client: str | None = None
    session: str | None = None

    @property
    def trust(self) -> Trust:
        """Trust at write: a person is trusted, everyone else starts provisional [S4]."""
        return Trust.TRUSTED if self.channel is Channel.PERSON else Trust.PROVISIONAL


@dataclass(frozen=True, slots=True)
class Memory:
    """One statement and all that is known of it.

    ``text`` never changes; ``gist`` is a shorter wording beside it. ``importance`` and ``utility`` lie in [0, 1];
    ``strength`` halves every ``half_life_days`` since ``strength_at``. ``stated_at`` is when it was last stated
    (it starts as ``written_at``), so that content, use, curation and decay never share a timestamp.
    ``revision`` grows with every move.
    """

    id: str
    kind: Kind
    text: str
    text_hash: bytes
    norm_hash: bytes
    origin: Origin
    trust: Trust
    written_at: datetime
    stated_at: datetime
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    curated_at: datetime | None = None
    archived_at: datetime | None = None
    gist: str | None = None
    derived: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    recall_count: int = 0
    access_count: int = 0
    last_recalled_at: datetime | None = None
    epoch: int = 0
    importance: float = 0.5
    utility: float = 0.5
    strength: float = 1.0
    strength_at: datetime | None = None
    half_life_days: float = 30.0
    confidence: Confidence = Confidence.DEFAULT
    pinned: bool = False
    durable: bool = True
    state: State = State.LIVE
    merged_into: str | None = None
    superseded_by: str | None = None
    revision: int = 1

    @property
    def protected(self) -> bool:
        """Pinned or verified: no step may retire it."""
        return self.pinned or self.confidence is Confidence.VERIFIED


@dataclass(frozen=True, slots=True)
class Sighting:
    """One time a memory was stated. ``wording`` stands only where it differs from the memory's text."""

    memory: str
    origin: Origin
    at: datetime
    occurred_at: datetime | None = None
    wording: str | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A directed edge between two memories of one scope."""

    source: str
    relation: Relation
    target: str
    at: datetime
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """One journal line: a move that was applied or skipped, with all that is needed to explain and undo it.

    ``before`` and ``after`` map memory ids to the columns that the move set; ``added`` maps ids to counter deltas,
    which undo subtracts, so that later accesses survive an undo. ``hash`` chains every entry to the one before.
    ``counted``: the blast caps count it.
    """

    n: int
    run: str
    index: int
    step: str
    move: str
    reason: str
    evidence: Mapping[str, Any]
    before: Mapping[str, Mapping[str, Any]]
    after: Mapping[str, Mapping[str, Any]]
    added: Mapping[str, Mapping[str, Any]]
    detail: Mapping[str, Any]
    status: str
    at: datetime
    hash: bytes
    previous: bytes
    model: str | None = None
    tokens: int = 0
    undoes: int | None = None
    undone_by: int | None = None
    counted: bool = False


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One curation run, or one act of a person, as the journal keeps it."""

    id: str
    cycle: str
    actor: str
    started_at: datetime
    finished_at: datetime | None
    status: str
    counts: Mapping[str, int]
    errors: Mapping[str, str]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrainingSignal:
    """What somebody's act says about a memory, for the models that are retrained from it [S1]. The text stays in its row.

    ``type``: accept, reject, reclassify, reclassify_pending, correction, confirmation, rejection. ``source``: who or what gave
    it. ``predicted`` is the kind that it had, ``corrected`` the one that it should have. ``strength``: medium, normal, high.
    """

    memory: str
    type: str
    source: str
    at: datetime
    pending: bool = True
    predicted: Kind | None = None
    corrected: Kind | None = None
    strength: str = "normal"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to curate one scope until a time. ``fence`` grows with each lease that is taken: an older one may not write."""

    holder: str
    fence: int
    until: datetime


@dataclass(frozen=True, slots=True)
class StepHealth:
    """How one step of a cycle went of late: when it last succeeded, when it last failed and why, and which came last.

    The name "cycle" stands for the run as a whole.
    """

    cycle: str
    name: str
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    reason: str | None = None
    failing: bool = False
