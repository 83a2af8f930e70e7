"""What every answer must pass, whoever gave it: the right type, numbers that were shown, text that its sources support."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from reverie.judge.questions import (
    ANSWERS,
    Abstract,
    Abstracted,
    Act,
    Answer,
    Candidate,
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
    Question,
    SameEntity,
    Suggest,
    Unanswered,
)
from reverie.text.claims import unsupported


def checked(question: Question, answer: Answer | Unanswered) -> Answer | Unanswered:
    """The answer, or `Unanswered` with the reason for which it cannot be taken. Total: raises nothing."""
    if isinstance(answer, Unanswered):
        return answer
    if type(answer) is not ANSWERS[type(question)]:
        return Unanswered(Cause.MALFORMED, f"a {type(answer).__name__} does not answer a {type(question).__name__}")
    return _numbers(question, answer) or _texts(question, answer) or answer


def _numbers(question: Question, answer: Answer) -> Unanswered | None:
    if isinstance(answer, Groups) and isinstance(question, SameEntity):
        flat = list(chain.from_iterable(answer.groups))
        if len(set(flat)) < len(flat) or any(len(set(g)) < 2 for g in answer.groups):
            return Unanswered(Cause.MALFORMED, "groups are disjoint and hold two numbers or more")
        return _shown(flat, len(question.entities))
    if isinstance(answer, Identified) and isinstance(question, Identify) and answer.number is not None:
        return _shown([answer.number], len(question.known))
    if isinstance(answer, Abstracted) and isinstance(question, Abstract):
        for p in answer.proposals:
            wrong = _shown(p.sources, len(question.experiences)) or (
                _shown([p.known], len(question.known)) if p.known is not None else None
            )
            if wrong:
                return wrong
            if not p.sources or len(set(p.sources)) < len(p.sources):
                return Unanswered(Cause.MALFORMED, "a proposal names its sources, each once")
            if (p.act in (Act.ABSTRACT, Act.REPLACE)) != (p.text is not None and p.kind is not None):
                return Unanswered(Cause.MALFORMED, f"{p.act} with the wrong fields")
            if (p.act is not Act.ABSTRACT) != (p.known is not None):
                return Unanswered(Cause.MALFORMED, f"{p.act} with the wrong fields")
    if isinstance(answer, Portrayed) and isinstance(question, Portray):
        named = [heading for heading, _, _ in answer.parts]
        if len(set(named)) < len(named) or not set(named) <= set(question.headings):
            return Unanswered(Cause.MALFORMED, "a heading that was not asked for, or one twice")
        for _, _, sources in answer.parts:
            if not sources:
                return Unanswered(Cause.MALFORMED, "a part names its sources")
            if wrong := _shown(sources, len(question.knowledge)):
                return wrong
    if isinstance(answer, Labelled) and isinstance(question, Label) and answer.label not in (None, *question.choices):
        return Unanswered(Cause.MALFORMED, "a label that is not among the choices")
    return None


def _shown(numbers: Iterable[int], n: int) -> Unanswered | None:
    wrong = [k for k in numbers if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k < n]
    return Unanswered(Cause.WRONG_NUMBER, f"{len(wrong)} of its numbers were not shown") if wrong else None


def _texts(question: Question, answer: Answer) -> Unanswered | None:
    if isinstance(answer, Names) and isinstance(question, FindNames):
        invented = [n for n in answer.names if not n.strip() or n not in question.text.text]
        return Unanswered(Cause.UNSUPPORTED, "a name that does not stand in the text") if invented else None
    if isinstance(answer, Composed) and isinstance(question, Condense):
        if answer.text is None:
            return Unanswered(Cause.MALFORMED, "no text")
        return _composed(answer.text, question.sources, question.limit)
    if isinstance(answer, Composed) and isinstance(question, Suggest) and answer.text is not None:
        return _composed(answer.text, question.texts(), question.limit)
    if isinstance(answer, Abstracted) and isinstance(question, Abstract):
        for p in answer.proposals:
            if p.text is not None:
                sources = [question.experiences[k] for k in p.sources]
                sources += [question.known[p.known]] if p.known is not None else []
                if wrong := _composed(p.text, sources, question.limit):
                    return wrong
    if isinstance(answer, Portrayed) and isinstance(question, Portray):
        for _, text, numbers in answer.parts:
            if wrong := _composed(text, [question.knowledge[k] for k in numbers], question.limit):
                return wrong
    return None


def _composed(text: str, sources: Sequence[Candidate], limit: int) -> Unanswered | None:
    if not text.strip():
        return Unanswered(Cause.MALFORMED, "an empty text")
    if len(text) > limit:
        return Unanswered(Cause.UNSUPPORTED, f"{len(text)} characters where {limit} were allowed")
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return Unanswered(Cause.MALFORMED, "characters that no text may hold")
    invented = unsupported(text, [s.text for s in sources])
    if invented:
        return Unanswered(Cause.UNSUPPORTED, f"{len(invented)} numbers or names stand in none of the sources")
    return None
