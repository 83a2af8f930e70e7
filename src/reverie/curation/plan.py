"""A plan as data: it can be printed, compared, stored and approved, and what is applied is exactly it (law 7)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reverie.model import Scope
from reverie.policy import counts_against_caps
from reverie.store.codec import dumps
from reverie.transitions import Move, move_from_dict


@dataclass(frozen=True, slots=True)
class Proposal:
    """One move with its reason. ``expects`` holds the revision at which each of its rows was read."""

    move: Move
    reason: str
    expects: Mapping[str, int]
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "move": self.move.to_dict(),
            "reason": self.reason,
            "expects": dict(self.expects),
            "evidence": dict(self.evidence),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Proposal:
        """Read what `to_dict` wrote."""
        return cls(move_from_dict(given["move"]), given["reason"], given["expects"], given["evidence"])


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
    done with; ``counts`` adds to the run's figures; ``error`` stands where the step failed and proposes nothing.
    """

    step: str
    proposals: tuple[Proposal, ...] = ()
    left_over: int = 0
    examined: tuple[tuple[str, int], ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    left_alone: tuple[LeftAlone, ...] = ()
    embed: tuple[tuple[str, bytes, str], ...] = ()
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
            "error": self.error,
        }

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
            error=given["error"],
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What a cycle would do to one scope, step by step. Empty plans are falsy."""

    scope: Scope
    cycle: str
    made_at: datetime
    steps: tuple[StepPlan, ...]

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
        return {s.step: s.error for s in self.steps if s.error}

    @property
    def counts(self) -> dict[str, int]:
        """Moves by name, plus what the steps counted."""
        found: Counter[str] = Counter(p.move.name for p in self.proposals)
        for s in self.steps:
            found.update(s.counts)
        return dict(sorted(found.items()))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; `from_dict` reads it back, so a plan can be kept, looked at and applied later."""
        return {
            "tenant": self.scope.tenant,
            "namespace": self.scope.namespace,
            "cycle": self.cycle,
            "made_at": self.made_at.isoformat(),
            "steps": [s.to_dict() for s in self.steps],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Plan:
        """Read what `to_dict` wrote. Raises KeyError, ValueError or TypeError on anything else."""
        return cls(
            Scope(given["tenant"], given["namespace"]),
            given["cycle"],
            datetime.fromisoformat(given["made_at"]),
            tuple(StepPlan.from_dict(s) for s in given["steps"]),
        )
