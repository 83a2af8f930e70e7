"""A plan as data: it can be printed, compared, stored and approved, and what is applied is exactly it (law 7)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from reverie.model import Scope
from reverie.policy import counts_against_caps
from reverie.store.codec import dumps
from reverie.store.records import Pair
from reverie.transitions import Move, move_from_dict


@dataclass(frozen=True, slots=True)
class Proposal:
    """One move with its reason. ``expects`` holds the revision at which each of its rows was read.

    ``model`` and ``tokens``: whose verdict it rests on, and what that used; None and 0 where code alone decided.
    """

    move: Move
    reason: str
    expects: Mapping[str, int]
    evidence: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    tokens: int = 0

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "move": self.move.to_dict(),
            "reason": self.reason,
            "expects": dict(self.expects),
            "evidence": dict(self.evidence),
            "model": self.model,
            "tokens": self.tokens,
        }

    def named(self) -> set[str]:
        """The memories that it speaks of."""
        return {*self.move.subjects(), *self.move.others(), *self.evidence.get("sources", ())}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Proposal:
        """Read what `to_dict` wrote."""
        return cls(
            move_from_dict(given["move"]), given["reason"], given["expects"], given["evidence"], given.get("model"),
            given.get("tokens", 0),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A near pair that was rightly or doubtfully left as it is: which, how near, and why."""

    a: str
    b: str
    similarity: float
    outcome: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class StepPlan:
    """What one step proposes.

    ``left_over`` counts what did not fit under the step's cap; ``examined`` are the (id, revision) that the step is
    done with, and ``examines`` says that no row is done with unless this step succeeded; ``counts`` adds to the run's figures;
    ``pairs`` are to wait from now on, ``settled`` (low, high) no longer; ``attributes`` are noted for rows; ``sync`` is how
    many changed rows may go to the graph; ``error`` stands where the step failed and proposes nothing.
    """

    step: str
    proposals: tuple[Proposal, ...] = ()
    left_over: int = 0
    examined: tuple[tuple[str, int], ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    left_alone: tuple[LeftAlone, ...] = ()
    embed: tuple[tuple[str, bytes, str], ...] = ()
    examines: bool = False
    pairs: tuple[Pair, ...] = ()
    settled: tuple[tuple[str, str], ...] = ()
    attributes: tuple[tuple[str, tuple[bytes, ...]], ...] = ()
    sync: int = 0
    error: str | None = None

    @property
    def capped(self) -> int:
        """How many rows it would take out of live without a live survivor."""
        return counts_against_caps([p.move for p in self.proposals])

    def digest(self) -> bytes:
        """16 bytes that are equal for equal proposals: the same plan is parked once."""
        body = dumps({"step": self.step, "proposals": [p.move.to_dict() for p in self.proposals]})
        return hashlib.blake2b(body.encode(), digest_size=16).digest()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "step": self.step,
            "proposals": [p.to_dict() for p in self.proposals],
            "left_over": self.left_over,
            "examined": [list(e) for e in self.examined],
            "counts": dict(self.counts),
            "left_alone": [[a.a, a.b, a.similarity, a.outcome, a.reason, a.detail] for a in self.left_alone],
            "embed": [[i, h.hex(), t] for i, h, t in self.embed],
            "examines": self.examines,
            "pairs": [{**asdict(p), "at": p.at.isoformat()} for p in self.pairs],
            "settled": [list(s) for s in self.settled],
            "attributes": [[i, [k.hex() for k in keys]] for i, keys in self.attributes],
            "sync": self.sync,
            "error": self.error,
        }

    def named(self) -> set[str]:
        """The memories that it speaks of."""
        found = {i for p in self.proposals for i in p.named()} | {i for a in self.left_alone for i in (a.a, a.b)}
        found |= {i for i, _ in self.examined} | {i for i, _, _ in self.embed} | {i for i, _ in self.attributes}
        return found | {i for p in self.pairs for i in (p.low, p.high)}

    def without(self, gone: Set[str]) -> StepPlan:
        """The same without what it notes of these memories. Its moves stay: each is looked at again when it is made."""
        return replace(
            self, left_alone=tuple(a for a in self.left_alone if not {a.a, a.b} & gone),
            embed=tuple(e for e in self.embed if e[0] not in gone),
            attributes=tuple(a for a in self.attributes if a[0] not in gone),
            pairs=tuple(p for p in self.pairs if not {p.low, p.high} & gone),
        )  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> StepPlan:
        """Read what `to_dict` wrote."""
        return cls(
            step=given["step"],
            proposals=tuple(Proposal.from_dict(p) for p in given["proposals"]),
            left_over=given["left_over"],
            examined=tuple((i, r) for i, r in given["examined"]),
            counts=given["counts"],
            left_alone=tuple(LeftAlone(*a) for a in given["left_alone"]),
            embed=tuple((i, bytes.fromhex(h), t) for i, h, t in given["embed"]),
            examines=given.get("examines", False),
            pairs=tuple(Pair(**{**p, "at": datetime.fromisoformat(p["at"])}) for p in given.get("pairs", ())),
            settled=tuple((low, high) for low, high in given.get("settled", ())),
            attributes=tuple((i, tuple(map(bytes.fromhex, keys))) for i, keys in given.get("attributes", ())),
            sync=given.get("sync", 0),
            error=given["error"],
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What a cycle would do to one scope, step by step. Empty plans are falsy.

    ``asked`` counts what the judge was asked for it (see `reverie.curation.asking`), ``trouble`` says what went wrong there.
    """

    scope: Scope
    cycle: str
    made_at: datetime
    steps: tuple[StepPlan, ...]
    asked: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None

    def __len__(self) -> int:
        return sum(len(s.proposals) for s in self.steps)

    def __bool__(self) -> bool:
        return len(self) > 0

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All moves in the order in which they would be made."""
        return tuple(p for s in self.steps for p in s.proposals)

    @property
    def left_alone(self) -> tuple[LeftAlone, ...]:
        """Near pairs that are left as they are, nearest first."""
        return tuple(a for s in self.steps for a in s.left_alone)

    @property
    def errors(self) -> dict[str, str]:
        """Steps that failed, with the reason."""
        found = {s.step: s.error for s in self.steps if s.error}
        return found | ({"judge": self.trouble} if self.trouble else {})

    @property
    def counts(self) -> dict[str, int]:
        """Moves by name, plus what the steps counted."""
        found: Counter[str] = Counter(p.move.name for p in self.proposals)
        for s in self.steps:
            found.update(s.counts)
        found.update(self.asked)
        return dict(sorted(found.items()))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; `from_dict` reads it back, so a plan can be kept, looked at and applied later."""
        return {
            "tenant": self.scope.tenant,
            "namespace": self.scope.namespace,
            "cycle": self.cycle,
            "made_at": self.made_at.isoformat(),
            "steps": [s.to_dict() for s in self.steps],
            "asked": dict(self.asked),
            "trouble": self.trouble,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Read what `to_dict` wrote. Raises KeyError, ValueError or TypeError on anything else."""
        return cls(
            Scope(given["tenant"], given["namespace"]),
            given["cycle"],
            datetime.fromisoformat(given["made_at"]),
            tuple(StepPlan.from_dict(s) for s in given["steps"]),
            given.get("asked", {}),
            given.get("trouble"),
        )
