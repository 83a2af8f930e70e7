"""The most telling difference between two texts that are not the same."""

from __future__ import annotations

from collections import Counter

from reverie.text.analysis import Analysis
from reverie.text.lexicon import antonyms, hard, slots
from reverie.text.ruling import Outcome, Reason, Ruling

_KINDS = {
    "n": Reason.NUMBER,
    "o": Reason.ORDINAL,
    "d": Reason.DATE,
    "t": Reason.TIME,
    "v": Reason.VERSION,
    "p": Reason.PATH,
    "i": Reason.IDENTIFIER,
}
_SIGNS = frozenset(("+", "-", "<", ">", "<=", ">=", "=", "==", "!=", "~", "→", "->", "*", "/", "^", "%", "$", "€"))
_SLOT_REASONS = {"colour": Reason.COLOUR, "environment": Reason.ENVIRONMENT, "qualifier": Reason.QUALIFIER}


def _different(reason: Reason, left: str, right: str) -> Ruling:
    return Ruling(Outcome.DIFFERENT, reason, f"{_show(left)} / {_show(right)}")


def _show(token: str) -> str:
    return token[2:].replace("|", " ")[:80] if token[1:2] == ":" else token[:80]


def _value_reason(left: str, right: str) -> Reason:
    """A unit or sign where the figures are equal, else the kind of the value."""
    if left[:1] == right[:1] == "n":
        a, b = left[2:], right[2:]
        if a.lstrip("+-~") == b.lstrip("+-~"):
            return Reason.SIGN
        if _figures(a) == _figures(b):
            return Reason.UNIT
    return _KINDS.get((left or right)[:1], Reason.IDENTIFIER)


def _figures(value: str) -> str:
    return value.partition("|")[0].rstrip("%$€£¥₹chf")


def explain(a: Analysis, b: Analysis) -> Ruling:
    """Why two texts with different signatures, neither absorbing the other, are not merged."""
    if not a.clauses or not b.clauses:
        return Ruling(Outcome.UNSURE, Reason.EMPTY, "")
    if a.key != b.key:
        if len(a.values) == len(b.values):
            for left, right in zip(a.values, b.values, strict=True):
                if left != right:
                    return _different(_value_reason(left, right), left, right)
        ours, theirs = set(a.values), set(b.values)
        left = min(ours - theirs, default="")
        right = min(theirs - ours, default="")
        return _different(_value_reason(left, right), left, right)
    if [part.end for part in a.clauses if part.end == "?"] != [part.end for part in b.clauses if part.end == "?"]:
        return Ruling(Outcome.DIFFERENT, Reason.QUESTION, "")
    left_bag = Counter(token for part in a.clauses for token in part.tokens)
    right_bag = Counter(token for part in b.clauses for token in part.tokens)
    left_only = [token for token in left_bag if left_bag[token] > right_bag[token]]
    right_only = [token for token in right_bag if right_bag[token] > left_bag[token]]
    if not left_only and not right_only:
        return Ruling(Outcome.UNSURE, Reason.ORDER, "")
    if not a.english or not b.english:
        return Ruling(Outcome.UNSURE, Reason.LANGUAGE, "")
    return (
        _hard(left_only, right_only, "negation")
        or _slot(left_only, right_only)
        or _antonym(left_only, right_only)
        or _hard(left_only, right_only, "modality")
        or _one_sided(left_only, right_only)
        or _name(a, b, left_only, right_only)
        or Ruling(Outcome.UNSURE, Reason.WORDING, f"{_list(left_only)} / {_list(right_only)}")
    )


def _list(words: list[str]) -> str:
    return " ".join(_show(word) for word in words[:6])


def _hard(left: list[str], right: list[str], reason: str) -> Ruling | None:
    words = hard()
    ours = [word for word in left if words.get(word) == reason]
    theirs = [word for word in right if words.get(word) == reason]
    if ours or theirs:
        return _different(Reason(reason), ours[0] if ours else "", theirs[0] if theirs else "")
    return None


def _slot(left: list[str], right: list[str]) -> Ruling | None:
    named = slots()
    for word in left:
        for slot in named.get(word, ()):
            for other in right:
                if slot in named.get(other, ()):
                    return _different(_SLOT_REASONS.get(slot, Reason.CLOSED_SLOT), word, other)
    return None


def _antonym(left: list[str], right: list[str]) -> Ruling | None:
    sides = antonyms()
    theirs = {side: word for word in right for side in sides.get(word, ())}
    for word in left:
        for side in sides.get(word, ()):
            if side ^ 1 in theirs:
                return _different(Reason.ANTONYM, word, theirs[side ^ 1])
    return None


def _one_sided(left: list[str], right: list[str]) -> Ruling | None:
    """A qualifier, environment, sign or contrasting preposition on one side only."""
    words, named = hard(), slots()
    for mine, word in [(True, w) for w in left] + [(False, w) for w in right]:
        pair = (word, "") if mine else ("", word)
        if word in _SIGNS:
            return _different(Reason.SIGN, *pair)
        if words.get(word) == "qualifier":
            return _different(Reason.QUALIFIER, *pair)
        if "environment" in named.get(word, ()):
            return _different(Reason.ENVIRONMENT, *pair)
    return None


def _name(a: Analysis, b: Analysis, left: list[str], right: list[str]) -> Ruling | None:
    """A word that only one text has and that is written with a capital inside a sentence."""
    ours = next((word for word in left if _capital(a.text, word)), "")
    theirs = next((word for word in right if _capital(b.text, word)), "")
    if ours or theirs:
        return _different(Reason.NAME, ours, theirs)
    return None


def _capital(text: str, word: str) -> bool:
    if not word[:1].isalpha() or word[1:2] == ":":
        return False
    at = text.find(word[0].upper() + word[1:])
    if at < 0:
        at = text.lower().find(word)
        return at > 0 and len(text) > at and text[at].isupper()
    return at > 0
