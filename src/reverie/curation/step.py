"""What a step is: a pure function from a view to a plan, and the tuple that gives the order of a cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from reverie.curation.plan import StepPlan
from reverie.settings import Settings

if TYPE_CHECKING:
    from reverie.curation.view import View


class Verdict(StrEnum):
    """A judge's closed answer about two texts."""

    SAME = "same"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Question:
    """A closed question: how do these two rows relate?"""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Answers by question. With no judge every answer is UNSURE, and the plan is shorter."""

    given: Mapping[tuple[str, str], Verdict] = field(default_factory=dict)

    def on(self, a: str, b: str) -> Verdict:
        """The verdict on a pair, in either order."""
        return self.given.get((a, b)) or self.given.get((b, a)) or Verdict.UNSURE


@dataclass(frozen=True, slots=True)
class Rules:
    """What a step may lean on besides the view: the settings in force and the moment of the plan."""

    settings: Settings
    now: datetime


class Step(Protocol):
    """A step of a cycle."""

    name: str

    def ask(self, view: View, rules: Rules) -> list[Question]:
        """Questions for the judge; pure and bounded. Empty for a step that needs none."""
        ...

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        """What to do; pure, deterministic, sorted."""
        ...
