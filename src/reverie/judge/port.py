"""What a judge is, what it replies with, and the ledger that it must ask before each call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reverie.judge.questions import Answer, Question, Unanswered


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of one question. ``tokens`` is its share of what the calls for it used, failed ones included."""

    answer: Answer | Unanswered
    model: str = ""
    tokens: int = 0

    @property
    def answered(self) -> bool:
        """Whether there is an answer, be it that the judge is unsure."""
        return not isinstance(self.answer, Unanswered)


class Ledger(Protocol):
    """Keeps the caps. A call is reserved before it is made, so that one that a crash cuts off has been counted.

    Callable from several threads at once. Costs are in millionths of the currency of the prices.
    """

    def begin(self, model: str, purpose: str, questions: int, tokens: int, cost: int) -> int | str:
        """Reserve one attempt of at most so many tokens: its number, or why it may not be made."""
        ...

    def end(self, number: int, outcome: str, tokens_in: int, tokens_out: int, cost: int, seconds: float) -> None:
        """What the attempt came to: "ok" or the word of a `Cause`. Where it does not tell its tokens, the estimate is given."""
        ...


class Judge(Protocol):
    """Answers questions. An implementation must be callable from several threads at once."""

    @property
    def model_id(self) -> str:
        """Stable name of who answers: stands in the journal and in the key of every remembered verdict."""
        ...

    def answer(self, questions: Sequence[Question], ledger: Ledger) -> list[Reply]:
        """One reply to each question, in order. Raises nothing for a provider or a reply that fails: that is `Unanswered`."""
        ...

    def close(self) -> None:
        """Let go of connections. Closing twice is fine."""
        ...
