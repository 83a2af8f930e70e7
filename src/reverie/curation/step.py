"""What a step is: a pure function from a view to a plan, the questions it may ask, and what it may lean on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from reverie.curation.plan import StepPlan
from reverie.judge.port import Reply
from reverie.judge.questions import Candidate, Question, Relate
from reverie.model import Memory
from reverie.settings import Settings

if TYPE_CHECKING:
    from reverie.curation.view import View


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Replies by question. With no judge there are none, and the plan is shorter."""

    given: Mapping[Question, Reply] = field(default_factory=dict)

    def on(self, question: Question) -> Reply | None:
        """What was replied to this question; None where it was not asked."""
        return self.given.get(question)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a step may lean on besides the view.

    ``floor``: the least cosine at which a pair is worth a look. ``asks``: a judge is there in this run; without one a step
    falls back at once instead of leaving things to wait.
    """

    settings: Settings
    now: datetime
    floor: float = 0.92
    asks: bool = False


class Step(Protocol):
    """A step of a cycle."""

    name: str

    def ask(self, view: View, rules: Rules) -> list[Question]:
        """Questions for the judge; pure and bounded. Empty for a step that needs none."""
        ...

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        """What to do; pure, deterministic, sorted."""
        ...


class AsksNothing:
    """Base of the steps that ask nothing."""

    def ask(self, view: View, rules: Rules) -> list[Question]:
        """Nothing."""
        return []


def candidate(m: Memory) -> Candidate:
    """A memory as a judge is shown it: the text alone."""
    return Candidate(m.id, m.text, m.text_hash)


def relate(a: Memory, b: Memory) -> Relate:
    """How do these two relate? The same question whichever way round they come."""
    low, high = sorted((a, b), key=lambda m: m.id)
    return Relate(candidate(low), candidate(high))
