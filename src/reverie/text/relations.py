"""A relation told with a noun, with "have" or the other way round, in one form.

Every rule keeps tense, polarity and each word that it does not name; a clause that holds another clause, a choice or a
second verb is left as it stands."""

from __future__ import annotations

from collections.abc import Callable

from reverie.text.amounts import EXPIRES, GUESTS, amount, apart, bounded, counted, noun_phrase, paid, setting, split
from reverie.text.concepts import Lexicon
from reverie.text.lexicon import bag, slots
from reverie.text.morphology import third_of
from reverie.text.owning import owned
from reverie.text.scope import AUXILIARIES, SCOPE, Tokens
from reverie.text.turns import RANKS, placed, turned

_AGENTS = {
    "blocker": "block", "mentor": "mentor", "teacher": "teach", "coach": "coach", "supervisor": "supervise",
    "maintainer": "maintain", "sponsor": "sponsor", "tutor": "tutor", "moderator": "moderate",
}  # fmt: skip
_PATIENTS = {"assignee": ("assigned", "to"), "addressee": ("addressed", "to")}
_NOT_ROLES = bag("well result consequence rule usual soon far long much many child kid follow part whole one matter")
_OWN = bag("its his her their")
_DATES: dict[Tokens, tuple[Tokens, str]] = {
    ("expiry", "date"): (("expires", "on"), "d"),
    ("expiration", "date"): (("expires", "on"), "d"),
    ("due", "date"): (("be", "due", "on"), "d"),
    ("start", "date"): (("starts", "on"), "d"),
    ("end", "date"): (("ends", "on"), "d"),
    ("departure", "time"): (("leaves", "at"), "t"),
    ("arrival", "time"): (("arrives", "at"), "t"),
    ("start", "time"): (("starts", "at"), "t"),
    ("opening", "time"): (("opens", "at"), "t"),
    ("closing", "time"): (("closes", "at"), "t"),
}
_LONG = {"long": "length", "wide": "width", "deep": "depth", "tall": "height", "thick": "thickness"}
_ON_NOUNS = bag("limit cap ceiling quota excess deductible timeout warranty guarantee deposit discount surcharge")
_BARRED = bag(
    "because when if while whenever unless although though so whether whereas once that who which whose whom where why "
    "how but or , says said think thinks used able going supposed will can must should may might could would shall"
)
_HAVE = {"be": "have", "was": "had"}
_BE = {"have": "be", "had": "was"}


def _headed(words: Tokens) -> tuple[Tokens, Tokens] | None:
    """The noun (one or two words) and its owner: "N of X", "X's N"."""
    if "of" in words[1:3]:
        at = words.index("of", 1)
        return (words[:at], words[at + 1 :]) if words[at + 1 :] and "'s" not in words[:at] else None
    if "'s" in words:
        at = len(words) - 1 - words[::-1].index("'s")
        if at and 0 < len(words) - at - 1 <= 2:
            return words[at + 1 :], words[:at]
    return None


def _copular(t: Tokens, lexicon: Lexicon) -> Tokens:
    parts = split(t, ("be", "was"))
    if parts is None:
        return t
    left, be, right = parts
    negated = right[0] == "not"
    right = right[negated:]
    if not right:
        return t
    if left[:2] == ("number", "of") and amount(right) and not negated:
        at = next((i for i in range(len(left) - 2, 2, -1) if left[i] in ("in", "at", "on")), 0)
        if at and noun_phrase(left[2:at], lexicon, plain=True) and noun_phrase(left[at + 1 :], lexicon, plain=True):
            return (*left[at + 1 :], _HAVE[be], *right, *left[2:at])
    if right[-1] in _LONG and amount(right[:-1]) and "|" in right[-2] and noun_phrase(left, lexicon):
        return (_LONG[right[-1]], "of", *left, be, *(("not",) if negated else ()), *right[:-1])
    for one, two in ((left, right), (right, left)):
        if (found := _headed(one)) and (made := _related(*found, two, be, negated, lexicon)):
            return made
        if (
            one[0] in GUESTS
            and one[1:2] == ("in",)
            and noun_phrase(one[2:], lexicon)
            and noun_phrase(two, lexicon, plain=True)
        ):
            return (one[0], "of", *one[2:], be, *(("not",) if negated else ()), *two)
    if left[1:2] in (("on",), ("for",)) and left[0] in _ON_NOUNS and noun_phrase(left[2:], lexicon) and amount(right):
        return (left[0], "of", *left[2:], be, *(("not",) if negated else ()), *right)
    if left[0] in _ON_NOUNS and len(left) == 1 and right.count("for") == 1:
        at = right.index("for")
        if amount(right[:at]) and noun_phrase(right[at + 1 :], lexicon):
            return (left[0], "of", *right[at + 1 :], be, *(("not",) if negated else ()), *right[:at])
    return t


def _related(noun: Tokens, owner: Tokens, other: Tokens, be: str, negated: bool, lexicon: Lexicon) -> Tokens | None:
    """Read "other is the noun of owner" with a verb, where a noun is one of the closed list."""
    no = ("not",) if negated else ()
    if noun in _DATES:
        verb, kind = _DATES[noun]
        if len(other) != 1 or other[0][:2] != f"{kind}:" or not noun_phrase(owner, lexicon):
            return None
        if verb[0] == "be":
            return (*owner, be, *no, *verb[1:], *other)
        if be == "was":
            return None
        return (*owner, "do", "not", verb[0].removesuffix("s"), verb[1], *other) if negated else (*owner, *verb, *other)
    if len(noun) != 1 or not noun_phrase(owner, lexicon) or not noun_phrase(other, lexicon, plain=True):
        return None
    if noun[0] in _PATIENTS:
        return (*owner, be, *no, *_PATIENTS[noun[0]], *other)
    if noun[0] in _AGENTS and be == "be":
        base = _AGENTS[noun[0]]
        return (*other, "do", "not", base, *owner) if negated else (*other, third_of(base), *owner)
    if noun[0] in ("colour", "color") and len(other) == 1 and "colour" in slots().get(other[0], ()):
        return (*owner, be, *no, *other)
    return None


def _having(t: Tokens, lexicon: Lexicon) -> Tokens:
    parts = split(t, ("have", "had"))
    if parts is None:
        return t
    left, have, right = parts
    no: Tokens = ()
    if left[-2:] == ("do", "not") and have == "have":
        left, no = left[:-2], ("not",)
    if not noun_phrase(left, lexicon) or right[0] == "not":
        return t
    if right.count("as") == 1 and 0 < (at := right.index("as")) < len(right) - 1:
        noun = right[at + 1 :]
        noun = noun[1:] if noun[0] in _OWN else noun
        if (
            len(noun) == 1
            and noun[0].isalpha()
            and noun[0] not in _NOT_ROLES
            and noun_phrase(right[:at], lexicon, plain=True)
        ):
            return _copular((*noun, "of", *left, _BE[have], *no, *right[:at]), lexicon)
    if "of" in right[1:3]:
        at = right.index("of", 1)
        noun, much = right[:at], right[at + 1 :]
        if noun_phrase(noun, lexicon, plain=True) and (amount(much) or (noun == ("limit",) and counted(much, lexicon))):
            return (*noun, "of", *left, _BE[have], *no, *much)
    if len(right) == 2 and "colour" in slots().get(right[0], ()) and right[1][-1:] == "s" and right[1][-2:] != "ss":
        return (right[1], "of", *left, _BE[have], *no, right[0])
    return t


def inward(head: Tokens, body: Tokens) -> tuple[Tokens, Tokens]:
    """Put the phrase that opens a clause to the noun that needs it: "In episode 5, the guest is Bo"."""
    if len(head) > 1 and len(body) > 2 and body[1] in ("be", "was") and not SCOPE.intersection(head):
        guest = head[0] == "in" and body[0] in GUESTS
        if guest or (head[0] == "for" and body[0] in _ON_NOUNS):
            return (), (body[0], *head, *body[1:])
    return head, body


def _owned_subject(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "The warranty on X expires" as "X's warranty expires"."""
    if t[1:2] in (("on",), ("for",)) and t[0] in _ON_NOUNS and len(t) > 3:
        verb = next((i for i, word in enumerate(t) if i > 2 and _finite(word, lexicon)), 0)
        if verb and t[verb] not in ("be", "was", "have", "had") and noun_phrase(t[2:verb], lexicon):
            held = (t[0], "of", *t[2:verb])
            return (*(owned(held) or held), *t[verb:])
    return t


def _finite(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    return word in AUXILIARIES or word in ("do", "did") or word in EXPIRES or (found is not None and found.predicate)


_RULES: tuple[tuple[frozenset[str], Callable[[Tokens, Lexicon], Tokens]], ...] = (
    (bag("apart from between"), apart),
    (bag("have value :"), setting),
    (bag("pays pay paid"), paid),
    (bag("runs did spent"), placed),
    (_ON_NOUNS, _owned_subject),
    (bag("have had"), _having),
    (bag("be was"), _copular),
    (bag("allows allow allowed contains contain contained :"), bounded),
    (RANKS | bag("comes came performs performed lost won precedes preceded"), turned),
)


def related(t: Tokens, lexicon: Lexicon) -> Tokens:
    """The clause with its relation in one form; unchanged where no rule fits."""
    if not _BARRED.isdisjoint(t):
        return t
    for words, rule in _RULES:
        if not words.isdisjoint(t):
            t = rule(t, lexicon)
    return t
