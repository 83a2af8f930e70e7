"""What the guard answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Outcome(StrEnum):
    """May these two texts be merged? `SAME`: yes. `DIFFERENT`: no. `UNSURE`: ask a judge."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class Reason(StrEnum):
    """Why. The set is closed; each reason belongs to one outcome."""

    # SAME
    IDENTICAL = "identical"
    SURFACE = "surface"
    FRAMING = "framing"
    SUBSUMED = "subsumed"
    # DIFFERENT
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    VERSION = "version"
    PATH = "path"
    IDENTIFIER = "identifier"
    NAME = "name"
    NEGATION = "negation"
    MODALITY = "modality"
    ANTONYM = "antonym"
    ENVIRONMENT = "environment"
    QUALIFIER = "qualifier"
    ORDINAL = "ordinal"
    UNIT = "unit"
    SIGN = "sign"
    COLOUR = "colour"
    ROLE = "role"
    CLOSED_SLOT = "closed_slot"
    QUESTION = "question"
    # UNSURE
    WORDING = "wording"
    ORDER = "order"
    LANGUAGE = "language"
    TOO_LONG = "too_long"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Ruling:
    """One answer: the outcome, its reason, the difference in few words ("5432 / 5433"), and which text must survive."""

    outcome: Outcome
    reason: Reason
    detail: str
    keeps: Literal["either", "a", "b"] = "either"

    def swapped(self) -> Ruling:
        """The same ruling with the two texts in the other order."""
        if " / " in self.detail:
            left, _, right = self.detail.partition(" / ")
            return Ruling(self.outcome, self.reason, f"{right} / {left}", self.keeps)
        return self
