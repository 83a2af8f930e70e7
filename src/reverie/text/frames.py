"""One clause as a frame: which relation it states, who plays which part, and all the rest, word for word.

A frame is found by a small deterministic grammar over the concept lexicon (`concepts.py`). It must account for every
token of the clause; whatever it does not understand makes it give up (`None`), and then only the order of words
decides. So two clauses with one frame state one relation between the same parts with the same values; that they
differ in framing words ("is employed by" / "has a job at") is all that is left."""

from __future__ import annotations

from reverie.text.concepts import Lexicon
from reverie.text.nouns import copula, named, possession
from reverie.text.parts import Frame
from reverie.text.regions import Item, read
from reverie.text.verbs import active, adjective, finite, passive, tensed

FRAME_LIMIT = 32
# "saw the man leave": what stands before the verb is no subject.
_PERCEIVED = frozenset(("see", "sees", "saw", "hear", "hears", "heard", "watched", "felt", "let", "lets"))
# "is called", "is held", "is set to": with a relational noun as subject they say no more than "is".
_COPULAR = frozenset(("call", "name", "hold", "schedule", "set", "configure", "fix"))
_LIKE_BE = frozenset(("happen", "act"))  # "takes place on", "serves as"


def canonical(tokens: tuple[str, ...], lexicon: Lexicon) -> str | None:
    """The canonical form of a clause as a frame, or None when the grammar does not cover it."""
    if not 2 < len(tokens) <= FRAME_LIMIT or not _PERCEIVED.isdisjoint(tokens):
        return None
    clause = read(tokens, lexicon)
    if clause is None:
        return None
    frame = _predicate(clause.items, clause.markers, lexicon)
    return frame.text(clause.adverbs) if frame else None


def _predicate(items: list[Item], markers: list[str], lexicon: Lexicon) -> Frame | None:
    """Find the one predicate of the clause and build its frame."""
    be = [i for i, item in enumerate(items) if item.text in ("be", "was")]
    if len(be) > 1:
        return None
    if be:
        left, right = items[: be[0]], items[be[0] + 1 :]
        if not left or not right:
            return None
        was = items[be[0]].text == "was"
        by = any(item.text == "by" for item in right)
        described = right[0].sense("a")
        if (sense := right[0].verb("part")) and not (described and not by):
            if finite(left) or finite(right[1:]):
                return None
            if not was and not by and sense.concept.name in _COPULAR and right[1:]:
                relation = any(item.sense("n") for item in left) and copula(left, right[1:], lexicon)
                return relation or named(sense, left, right[1:], lexicon)
            return passive(sense, left, right[1:], was)
        if was:
            return None
        if sense := right[0].verb("ing"):
            if left[-1].sense("n") and (found := copula(left, right, lexicon)):
                return found  # "Ana's hobby is climbing"
            return active(sense, left, right[1:], markers, lexicon, "prog")
        for i, item in enumerate(right[:2]):
            if (sense := item.sense("a")) and (i == 0 or right[0].kind == "V"):
                return adjective(sense, left, right[:i] + right[i + 1 :])
        return copula(left, right, lexicon)
    have = [i for i, item in enumerate(items) if item.text == "have"]
    if len(have) > 1:
        return None
    if have:
        left, right = items[: have[0]], items[have[0] + 1 :]
        if not left or not right or finite(left):
            return None
        if sense := right[0].verb("part"):
            return (
                None
                if sense.concept.stative and not sense.concept.plain
                else active(sense, left, right[1:], markers, lexicon, "perf")
            )
        return possession(left, right, lexicon)
    at = _main_verb(items)
    if at is None:
        return None
    verb = tensed(items[at])
    if verb and verb[0].concept.name in _LIKE_BE and verb[1] != "past":
        return copula(items[:at], items[at + 1 :], lexicon) if items[at + 1 :] else None
    return active(verb[0], items[:at], items[at + 1 :], markers, lexicon, verb[1]) if verb else None


def _main_verb(items: list[Item]) -> int | None:
    """The only finite verb; None when there is none or a doubt."""
    sure = [i for i, item in enumerate(items) if i and item.word.predicate and items[i - 1].kind not in "SP"]
    if sure:
        return sure[0] if len(sure) == 1 else None
    maybe = [i for i, item in enumerate(items[:-1]) if i and item.word.finite and items[i - 1].kind not in "SP"]
    return maybe[0] if len(maybe) == 1 else None
