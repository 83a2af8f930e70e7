"""Answers as JSON and back, and the key under which a verdict is remembered."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

from reverie.judge.questions import (
    ANSWERS,
    Abstract,
    Abstracted,
    Act,
    Answer,
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
    Verdict,
)
from reverie.model import Kind


def key(question: Question, model: str) -> bytes:
    """16 bytes: of the kind of question, what it asks besides its texts, the hashes of the texts, and the model.

    A model's id holds the version of its prompts, so that no verdict outlives its prompt.
    """
    body = json.dumps([type(question).__name__, model, _asked(question), [c.text_hash.hex() for c in question.texts()]])
    return blake2b(body.encode(), digest_size=16).digest()


def _asked(question: Question) -> list[Any]:
    """What tells two questions about the same texts apart."""
    match question:
        case Abstract():
            return [len(question.experiences), question.limit]
        case Condense() | Suggest():
            return [question.limit]
        case Portray():
            return [list(question.headings), question.limit]
        case Label():
            return list(question.choices)
        case Relate() | SameEntity() | Identify() | FindNames():
            return []


def to_json(answer: Answer) -> str:
    """One line of JSON; `from_json` reads it back."""
    return json.dumps(asdict(answer), ensure_ascii=False)


def from_json(question: Question, text: str) -> Answer | None:
    """What `to_json` wrote for an answer to this question; None for anything else. Total."""
    try:
        given = json.loads(text)
        return _READERS[ANSWERS[type(question)]](given)  # type: ignore[no-any-return]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _proposed(p: dict[str, Any]) -> Proposed:
    kind = Kind(p["kind"]) if p["kind"] is not None else None
    return Proposed(Act(p["act"]), tuple(p["sources"]), p["known"], kind, p["text"])


_READERS: dict[type, Any] = {
    Related: lambda d: Related(Verdict(d["verdict"]), d["reason"], d["explicit"]),
    Groups: lambda d: Groups(tuple(tuple(g) for g in d["groups"])),
    Identified: lambda d: Identified(d["number"]),
    Abstracted: lambda d: Abstracted(tuple(_proposed(p) for p in d["proposals"])),
    Composed: lambda d: Composed(d["text"]),
    Names: lambda d: Names(tuple(d["names"])),
    Portrayed: lambda d: Portrayed(tuple((h, t, tuple(n)) for h, t, n in d["parts"])),
    Labelled: lambda d: Labelled(d["label"]),
}
