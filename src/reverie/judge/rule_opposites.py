"""Two texts that are one but for a single "not", or a single word and its opposite as what is said of the subject."""

from __future__ import annotations

import re

from reverie.text.analysis import Analysis
from reverie.text.lexicon import antonyms, bag
from reverie.text.morphology import third_of
from reverie.text.scope import Tokens

# "Some fail" and "some do not" hold together, and so do "may" and "may not".
_PARTIAL = bag(
    "some any many most several few half either sometimes often may might maybe perhaps possibly probably could whether only "
    "a~ usually occasionally certain other"
)
_NOT = bag("not never")
_PRONOUNS = bag("it he she they this that these those")
_INDEFINITE = re.compile(
    r"\W*(?:an?|one|two|three|four|five|six|some|people|men|women|children|kids|there)\b", re.IGNORECASE
)
# Opposites that one subject may well do, be or have both of: "is sending", "is receiving"; "old friends", "new friends".
_BOTH = bag(
    "send receive buy sell give take push pull add remove create delete install uninstall import export upload download read "
    "write ask answer come go start end begin finish win lose teach learn lend borrow left right first last early late morning "
    "evening winter summer sending receiving buying selling giving taking pushing pulling adding removing coming going teaching "
    "learning lending borrowing winning losing asking answering importing exporting before after north south east west"
)


def opposed(a: Analysis, b: Analysis) -> str | None:
    """ "negation" or "antonym" where the texts are equal but for that, else None. Linear in the tokens."""
    if len(a.clauses) != len(b.clauses) or not a.english or not b.english:
        return None
    pairs = [(x, y) for x, y in zip(a.clauses, b.clauses, strict=True) if x.tokens != y.tokens]
    if len(pairs) != 1 or pairs[0][0].end != pairs[0][1].end or pairs[0][0].end == "?":
        return None
    one, two = pairs[0][0].tokens, pairs[0][1].tokens
    if len(a.clauses) == 1 and (one[0] in _PRONOUNS or two[0] in _PRONOUNS):
        return None  # nothing tells that "it" is the same thing
    if len(one) > 2 and len(two) > 2 and (_denied(one, two) or _denied(two, one)):
        return "negation"
    if _INDEFINITE.match(a.text) or _INDEFINITE.match(b.text):
        return None  # another man may well be sitting
    return "antonym" if len(one) == len(two) and _contrary(one, two) else None


def _denied(t: Tokens, of: Tokens) -> bool:
    """Whether a clause is the other one with one "not" or "never" put in."""
    if len(t) <= len(of) or len(t) - len(of) > 2:
        return False
    at = next((i for i, word in enumerate(of) if t[i] != word), len(of))
    if t[at] in ("do", "did") and t[at + 1 : at + 2] == ("not",):
        gone = t[at + 2 :]
        same = of[at + 1 :] == gone[1:] and bool(gone) and _form_of(of[at], gone[0])
        return same and _general(t, at)
    return t[at] in _NOT and t[at + 1 :] == of[at:] and bool(t[at + 1 :]) and _general(t, at)


def _form_of(word: str, base: str) -> bool:
    return word in (base, third_of(base)) or (word.endswith("ed") and word[:3] == base[:3])


def _general(t: Tokens, at: int) -> bool:
    """Whether the "not" is about the clause as a whole: no part of a number, of some, or of another "not"."""
    after = t[at + 1] if at + 1 < len(t) else ""
    return (
        _PARTIAL.isdisjoint(t)
        and t[0][:2] != "n:"
        and after not in _NOT
        and after not in ("every", "all", "both")
        and (not at or t[at - 1] not in _NOT)
    )


def _contrary(one: Tokens, two: Tokens) -> bool:
    """Whether one word that says what the subject is or does stands against its opposite."""
    differ = [i for i, (x, y) in enumerate(zip(one, two, strict=True)) if x != y]
    if len(differ) != 1 or not _PARTIAL.isdisjoint(one):
        return False
    i = differ[0]
    x, y = one[i], two[i]
    if x in _BOTH or y in _BOTH or not i:
        return False
    sides = antonyms()
    if not any(side ^ 1 in sides.get(y, ()) for side in sides.get(x, ())):
        return False
    said = one[i - 1] in ("be", "was", "very", "too", "so", "always", "fully", "currently", "now")
    last = i == len(one) - 1 or one[i + 1] in (",", "and")
    return said and ((last and not y.endswith("ing")) or (x.endswith("ing") and y.endswith("ing")))
