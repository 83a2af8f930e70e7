"""The closed set of moves that a plan may hold. Each says which rows it touches and what it would do; none writes.

``effects`` is pure: from the rows as they stand and the moment, the columns to set, the counters to add and the edges
to draw. The executor writes them and keeps the before-image, which is the move's inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any

from reverie.model import Confidence, Kind, Memory, Relation, State, Trust

Rows = Mapping[str, Memory]


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens to one row: columns to set, counters to add. ``bump`` marks a row that only gathers (a survivor)."""

    id: str
    set: Mapping[str, Any] = field(default_factory=dict)
    add: Mapping[str, int] = field(default_factory=dict)
    bump: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A link to draw, or to take away."""

    source: str
    relation: Relation
    target: str
    remove: bool = False


class Move:
    """Base of the moves. ``ids`` are all rows that it reads; ``subjects`` those whose state must be legal for it."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The word of design section 5, as it stands in the journal."""
        return type(self).__name__

    def subjects(self) -> tuple[str, ...]:
        """The rows that the move acts on."""
        raise TypeError(f"{self.name} names no rows")

    def others(self) -> tuple[str, ...]:
        """Rows that it reads or lets gather (a survivor, a successor, sources)."""
        return ()

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        """The changes to rows."""
        raise TypeError(f"{self.name} changes no rows")

    def edges(self) -> list[Edge]:
        """The links it draws or takes away."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; `move_from_dict` reads it back."""
        return {"move": self.name, **{k: _plain(v) for k, v in asdict(self).items()}}  # type: ignore[call-overload]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


@dataclass(frozen=True, slots=True)
class MergeInto(Move):
    """A restatement goes into its survivor: accesses are summed, the latest time and highest importance kept [S2]."""

    id: str
    survivor: str

    def subjects(self) -> tuple[str, ...]:
        return (self.id,)

    def others(self) -> tuple[str, ...]:
        return (self.survivor,)

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        loser, survivor = rows[self.id], rows[self.survivor]
        best = {
            "stated_at": max(loser.stated_at, survivor.stated_at),
            "importance": max(loser.importance, survivor.importance),
        }
        gathered = {k: v for k, v in best.items() if v != getattr(survivor, k)}
        return [
            Effect(self.id, {"state": State.MERGED, "merged_into": self.survivor}),
            Effect(
                self.survivor,
                gathered,
                {"access_count": loser.access_count, "recall_count": loser.recall_count},
                bump=True,
            ),
        ]

    def edges(self) -> list[Edge]:
        return [Edge(self.id, Relation.MERGED_INTO, self.survivor)]


@dataclass(frozen=True, slots=True)
class Supersede(Move):
    """An older statement gives way to a newer one; it stays readable."""

    id: str
    by: str

    def subjects(self) -> tuple[str, ...]:
        return (self.id,)

    def others(self) -> tuple[str, ...]:
        return (self.by,)

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"state": State.SUPERSEDED, "superseded_by": self.by})]

    def edges(self) -> list[Edge]:
        return [Edge(self.id, Relation.SUPERSEDED_BY, self.by)]


@dataclass(frozen=True, slots=True)
class _One(Move):
    id: str

    def subjects(self) -> tuple[str, ...]:
        return (self.id,)


@dataclass(frozen=True, slots=True)
class Archive(_One):
    """It rests: absent from recall, whole and restorable."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"state": State.ARCHIVED, "archived_at": now})]


@dataclass(frozen=True, slots=True)
class Restore(_One):
    """Back to live from archived, merged or superseded."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"state": State.LIVE, "archived_at": None, "merged_into": None, "superseded_by": None})]


@dataclass(frozen=True, slots=True)
class Quarantine(_One):
    """Doubted: out of recall until a person decides [S4]."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"state": State.QUARANTINED})]


@dataclass(frozen=True, slots=True)
class Release(_One):
    """The doubt is gone."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"state": State.LIVE})]


@dataclass(frozen=True, slots=True)
class Promote(_One):
    """Provisional becomes trusted, by independent evidence or a person [S4]."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"trust": Trust.TRUSTED})]


@dataclass(frozen=True, slots=True)
class MarkStale(_One):
    """Not recalled for long; still recalled normally [S1]."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"confidence": Confidence.STALE})]


@dataclass(frozen=True, slots=True)
class SetKind(_One):
    """Another kind for the same text."""

    kind: Kind

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"kind": Kind(self.kind)})]


@dataclass(frozen=True, slots=True)
class SetGist(_One):
    """A shorter wording beside the text, or none."""

    gist: str | None

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"gist": self.gist})]


@dataclass(frozen=True, slots=True)
class Weigh(_One):
    """Another utility, importance or strength; None leaves one as it is."""

    utility: float | None = None
    strength: float | None = None
    importance: float | None = None

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        given: dict[str, Any] = {}
        for column in ("utility", "importance"):
            if (value := getattr(self, column)) is not None:
                given[column] = min(1.0, max(0.0, value))
        if self.strength is not None:
            given |= {"strength": max(0.0, self.strength), "strength_at": now}
        return [Effect(self.id, given)]


@dataclass(frozen=True, slots=True)
class Pin(_One):
    """A person's own: protect the row, or stop protecting it."""

    on: bool = True

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"pinned": self.on})]


@dataclass(frozen=True, slots=True)
class Verify(_One):
    """A person's own: confirmed, and immune to staleness; or no longer."""

    on: bool = True

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"confidence": Confidence.VERIFIED if self.on else Confidence.DEFAULT})]


@dataclass(frozen=True, slots=True)
class SetKey(_One):
    """A caller's own: give the row the stable key that it wrote under, or take it away."""

    key: str | None

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return [Effect(self.id, {"key": self.key})]


@dataclass(frozen=True, slots=True)
class Sight(_One):
    """Evidence: the row was stated again. No column but the counters and the time changes."""

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        row = rows[self.id]
        later = {"stated_at": now} if now > row.stated_at else {}
        return [Effect(self.id, later, {"access_count": 1}, bump=True)]


@dataclass(frozen=True, slots=True)
class _Pair(Move):
    source: str
    relation: Relation
    target: str

    def subjects(self) -> tuple[str, ...]:
        return (self.source, self.target)

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return []


@dataclass(frozen=True, slots=True)
class Connect(_Pair):
    """Draw an edge."""

    def edges(self) -> list[Edge]:
        return [Edge(self.source, Relation(self.relation), self.target)]


@dataclass(frozen=True, slots=True)
class Disconnect(_Pair):
    """Take an edge away."""

    def edges(self) -> list[Edge]:
        return [Edge(self.source, Relation(self.relation), self.target, remove=True)]


@dataclass(frozen=True, slots=True)
class Derive(Move):
    """A composed text, flagged derived, with its sources (law 4). ``id`` is given, so that planning twice agrees."""

    id: str
    kind: Kind
    text: str
    sources: tuple[str, ...]

    def subjects(self) -> tuple[str, ...]:
        return ()

    def others(self) -> tuple[str, ...]:
        return tuple(self.sources)

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return []

    def edges(self) -> list[Edge]:
        return [Edge(self.id, Relation.DERIVED_FROM, s) for s in self.sources]


@dataclass(frozen=True, slots=True)
class Signal(_One):
    """A training signal about a row [S1]; the row itself does not change. For its fields see `TrainingSignal`."""

    type: str
    source: str = "curator"
    predicted: Kind | None = None
    corrected: Kind | None = None
    strength: str = "normal"

    def effects(self, rows: Rows, now: datetime) -> list[Effect]:
        return []


MOVES: Mapping[str, type[Move]] = {
    cls.__name__: cls
    for cls in (
        MergeInto, Supersede, Archive, Restore, Quarantine, Release, Promote, MarkStale, SetKind, SetGist, Derive,
        Sight, Connect, Disconnect, Weigh, Signal, Pin, Verify, SetKey,
    )
}  # fmt: skip


def _kind(value: str | None) -> Kind | None:
    return None if value is None else Kind(value)


_READERS: Mapping[str, Any] = {
    "kind": Kind, "relation": Relation, "sources": tuple, "predicted": _kind, "corrected": _kind,
}  # fmt: skip


def move_from_dict(given: Mapping[str, Any]) -> Move:
    """Read what `Move.to_dict` wrote. Raises KeyError or ValueError on anything else."""
    cls: Any = MOVES[given["move"]]
    names = {f.name for f in fields(cls)}
    return cls(**{k: _READERS.get(k, lambda v: v)(v) for k, v in given.items() if k in names})  # type: ignore[no-any-return]
