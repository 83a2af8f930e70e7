"""The judge that is always there: no model, no key, no cost. What it cannot decide by rule it leaves undecided."""

from __future__ import annotations

from collections.abc import Sequence

from reverie.judge.checking import checked
from reverie.judge.port import Ledger, Reply
from reverie.judge.questions import (
    Answer,
    Cause,
    FindNames,
    Groups,
    Identified,
    Identify,
    Label,
    Labelled,
    Names,
    Question,
    Relate,
    SameEntity,
    Unanswered,
)
from reverie.judge.rule_covering import says_no_more
from reverie.judge.rule_markers import update_marker
from reverie.judge.rule_names import kind_label, known_by, people, same_labels
from reverie.judge.rule_relating import relate

__all__ = ["RuleJudge", "relate", "says_no_more", "update_marker"]


class RuleJudge:
    """Answers what rules can decide: how texts relate, exact names, plain kinds. Spends nothing and asks no ledger."""

    model_id = "rules-1"

    def answer(self, questions: Sequence[Question], ledger: Ledger) -> list[Reply]:
        """One reply to each question, in order. What must be composed is `Unanswered` with `Cause.NO_JUDGE`."""
        return [Reply(checked(question, _answer(question)), self.model_id) for question in questions]

    def close(self) -> None:
        """Nothing to let go of."""


def _answer(question: Question) -> Answer | Unanswered:
    if isinstance(question, Relate):
        first, second = question.texts()
        return relate(first.text, second.text)
    if isinstance(question, SameEntity):
        return Groups(same_labels([entity.text for entity in question.entities]))
    if isinstance(question, Identify):
        return Identified(known_by(question.about.text, [known.text for known in question.known]))
    if isinstance(question, FindNames):
        return Names(people(question.text.text))
    if isinstance(question, Label):
        return Labelled(kind_label(question.text.text, question.choices))
    return Unanswered(Cause.NO_JUDGE, "rules compose nothing")
