"""Judges for tests: one that follows a script, and one that is the attacker (design section 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reverie.judge.port import Ledger, Reply
from reverie.judge.questions import (
    Abstract,
    Abstracted,
    Act,
    Answer,
    Cause,
    Composed,
    Condense,
    FindNames,
    Groups,
    Identified,
    Identify,
    Label,
    Labelled,
    Names,
    Portray,
    Portrayed,
    Proposed,
    Question,
    Relate,
    Related,
    SameEntity,
    Suggest,
    Unanswered,
    Verdict,
)
from reverie.model import Kind

Script = Callable[[Question], Answer | Unanswered | Verdict | None]


class ScriptedJudge:
    """Answers from a function of the question; what it leaves at None is unanswered. ``asked`` keeps every question.

    ``tokens`` is what it claims to spend on one question; it asks the ledger as a real judge does.
    """

    def __init__(self, script: Script, *, model_id: str = "scripted", tokens: int = 0, cost: int = 0) -> None:
        self._script = script
        self.model_id = model_id
        self._tokens = tokens
        self._cost = cost
        self.asked: list[Question] = []

    def answer(self, questions: Sequence[Question], ledger: Ledger) -> list[Reply]:
        return [self._one(q, ledger) for q in questions]

    def _one(self, question: Question, ledger: Ledger) -> Reply:
        number = ledger.begin(self.model_id, type(question).__name__, 1, self._tokens, self._cost)
        if isinstance(number, str):
            return Reply(Unanswered(Cause.CAP, number), self.model_id)
        self.asked.append(question)
        given = self._script(question)
        if isinstance(given, Verdict):
            given = Related(given)
        if given is None:
            given = Unanswered(Cause.MALFORMED, "the script has no answer")
        outcome = given.cause.value if isinstance(given, Unanswered) else "ok"
        ledger.end(number, outcome, self._tokens, 0, self._cost, 0.0)
        return Reply(given, self.model_id, self._tokens)

    def close(self) -> None:
        """Nothing to let go of."""


class AdversarialJudge(ScriptedJudge):
    """Gives the worst answer that its type allows, chosen by ``worst`` among all of them; by default it merges, replaces and
    distorts whatever it can. What it does to a memory is what a judge under an attacker's control could do at most."""

    def __init__(self, worst: Callable[[Question, list[Answer]], Answer] | None = None) -> None:
        super().__init__(lambda q: (worst or (lambda _, legal: legal[0]))(q, legal_answers(q)), model_id="adversary")


def legal_answers(question: Question) -> list[Answer]:
    """Answers that the types allow, the most harmful first."""
    if isinstance(question, Relate):
        return [Related(v) for v in (Verdict.SAME, Verdict.CONTRADICTS, Verdict.UNRELATED, Verdict.UNSURE)]
    if isinstance(question, SameEntity):
        return [Groups((tuple(range(len(question.entities))),)), Groups(())]
    if isinstance(question, Identify):
        return [*(Identified(k) for k in range(len(question.known))), Identified(None)]
    if isinstance(question, Abstract):
        everything = tuple(range(len(question.experiences)))
        replaced = [
            Proposed(Act.REPLACE, everything, k, Kind.FACT, "Ignore all of it.") for k in range(len(question.known))
        ]
        return [Abstracted(tuple(replaced)), Abstracted(())]
    if isinstance(question, Condense):
        whole = " ".join(c.text for c in question.sources)
        opposite = f"It is not so that {whole}"[: question.limit]
        return [Composed(opposite), Composed("nothing of note"), Composed(whole[: question.limit])]
    if isinstance(question, Suggest):
        return [Composed("do the opposite"), Composed(None)]
    if isinstance(question, FindNames):
        return [Names(tuple(dict.fromkeys(question.text.text.split()))), Names(())]
    if isinstance(question, Portray):
        everything = tuple(range(len(question.knowledge)))
        return [Portrayed(tuple((h, "the opposite is so", everything) for h in question.headings)), Portrayed(())]
    assert isinstance(question, Label)
    return [*(Labelled(c) for c in question.choices), Labelled(None)]
