"""Denials that cover what another text tells: "there is no man at the piano", "I have never been to Oslo".

A denial of few words contradicts a statement of more where all its words of content stand in the statement, in order and
from the same subject. Only "no", "never" and "nobody" deny whatever else is said; after a mere "not" the statement must not
add when or where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.text.analysis import analyse
from reverie.text.concepts import PREPOSITIONS, irregular_verbs, load
from reverie.text.lexicon import bag, hard
from reverie.text.morphology import base_of, is_participle
from reverie.text.scope import Tokens
from reverie.text.tokens import Clause

CLAUSES = 24  # clauses of a text that are read
WORDS = 40  # words of content of a clause that are compared
_EMPTY = bag(
    "be was have had do did been being will there a^ a~ that just actually really ever personally in on at of to into onto "
    "for with by from over off up down out through and 's the some any"
)
_UNIVERSAL = bag("no never nobody none nothing")
_NOT = bag("not no never nobody none nothing neither nor hardly")
_BREAKS = bag(", so because since which who although though how what why can could should would ; :")
_CONDITIONS = bag("if unless when while until except but only whenever whether than")
_SCOPED = bag("all every most many few several only both each some any always usually often sometimes half")
_PRONOUNS = bag("it he she they this that these those here one you we")
_BOUNDS = bag(
    "befor before after until sinc since about almost nearly around half under below abov above without"
)  # and their stems
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Told:
    """The words of content of a clause, in order, as stems; whether it denies, and denies whatever else is said."""

    words: tuple[str, ...]
    denied: bool = False
    universal: bool = False
    progressive: bool = False


@cache
def _irregular() -> dict[str, str]:
    """Irregular forms of verbs to their base."""
    return {form: base for base, forms in irregular_verbs().items() for form in forms if form}


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word without its ending: forms of one verb or noun share it, most of the time."""
    if word[1:2] == ":" or not word.isalpha() or len(word) < 4:
        return _irregular().get(word, word) if word.isalpha() else word
    found = _irregular().get(word)
    if found:
        return found
    if word.endswith("ing") and len(word) > 5:
        word = base_of(f"{word[:-3]}ed", load())
    elif word.endswith("ed") and len(word) > 4:
        word = base_of(word, load())
    elif word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    return word.rstrip("e")


def content(words: Iterable[str]) -> tuple[str, ...]:
    """The stems of the words that are no mere grammar, in order, at most `WORDS`."""
    return tuple(stem(word) for word in words if word not in _EMPTY and word not in _NOT and word not in ",:")[:WORDS]


def _verbal(t: Tokens) -> Tokens:
    """The tokens with a "be" or "have" that is the verb itself, and helps no other, marked so that it counts as content."""
    out = []
    for i, word in enumerate(t):
        after = next((w for w in t[i + 1 :] if w not in _NOT and not w.endswith("ly")), "")
        helps = after == "been" or after.endswith("ing") or is_participle(after) or (i > 0 and t[i - 1] == "there")
        out.append(f"{word}~" if word in ("be", "was", "have", "had") and not helps else word)
    return tuple(out)


def _told(clause: Clause) -> list[Told]:
    """What a clause tells before its first break; nothing where it only asks or supposes."""
    t = clause.tokens
    cut = next((i for i, word in enumerate(t) if i > 2 and word in _BREAKS), len(t))
    if clause.end == "?" and cut == len(t):
        return []
    t = t[:cut]
    modality = hard()
    if (
        not t
        or t[0] in _PRONOUNS
        or any(w in _REPORTS or (modality.get(w) == "modality" and w not in _TENSED) for w in t)
    ):
        return []
    negators = [word for word in t if word in _NOT]
    if len(negators) > 1 or not _LOST.isdisjoint(t) or not _CONDITIONS.isdisjoint(clause.tokens[: cut + 1]):
        return []
    denied = bool(negators)
    words = content(_verbal(t))
    if "or" in t or "either" in t or (denied and not _SCOPED.isdisjoint(t)):
        return []
    if t[0] == "nobody" or (denied and t[:2] == ("there", "be") and words[:1] == ("person",)):
        words = words[words[:1] == ("person",) :]
    universal = denied and negators[0] in _UNIVERSAL
    progressive = any(word.endswith("ing") for word in t)
    return [Told(words, denied, universal, progressive)] if len(words) > 1 else []


_REPORTS = bag(
    "told tell tells know knows knew regret regrets pretend pretends mention mentioned confirm confirmed deny offer offers"
)
_LIGHT = bag("have had just actually really ever recently also already finally never personally even not once")
_SUPPOSED = bag("if whether wish think thought hope imagine should could would might may did have had")
_TENSED = bag("was had did been before after recently already now still yet new old since once again will")
_LOST = bag("no longer stopped used fails failed refuses refused except") - {"no"}


@dataclass(frozen=True, slots=True)
class Own:
    """What the speaker says of having done, or never having done: the verb's stem, its object and the rest, as stems."""

    verb: str
    thing: tuple[str, ...]
    rest: tuple[str, ...]
    denied: bool


def _own(clause: Clause) -> list[Own]:
    """The speaker's deeds that a clause tells of, at most four: "I have never V-ed ...", "I just V-ed ..."."""
    t, out = clause.tokens, []
    for i, word in enumerate(t[:-2]):
        if word != "i" or not _SUPPOSED.isdisjoint(t[max(0, i - 3) : i]):
            continue
        at = i + 1
        while at < len(t) and t[at] in _LIGHT:
            at += 1
        told = t[i + 1 : at]
        if at >= len(t) or "not" in told or not (is_participle(t[at]) or t[at] in _irregular()):
            continue
        end = next(
            (k for k in range(at + 1, len(t)) if t[k] in _BREAKS or t[k] in _CONDITIONS or t[k] in ("i", "and")), len(t)
        )
        said = t[at + 1 : end]
        cut = next((k for k, w in enumerate(said) if w in PREPOSITIONS or w in ("before", "yet")), len(said))
        thing, rest = content(w for w in said[:cut] if w != "my"), content(w for w in said[cut:] if w != "before")
        if thing:
            out.append(Own(stem(t[at]), thing, rest, "never" in told))
    return out[:4]


def _disowns(never: Own, done: Own) -> bool:
    """Whether a deed is one of those that never were: the same verb, the same object, and at least half of the rest."""
    there = {*done.thing, *done.rest}
    shared = sum(word in there for word in never.rest)
    whole = all(word in there for word in never.thing) and never.thing[-1] in there
    return never.verb == done.verb and whole and 2 * shared >= len(never.rest) and len(never.thing) + shared > 1


def _read(text: str) -> tuple[Told, ...]:
    analysis = analyse(text)
    if analysis.too_long or not analysis.english:
        return ()
    return tuple(told for clause in analysis.clauses[:CLAUSES] for told in _told(clause))


def _read_own(text: str) -> tuple[Own, ...]:
    analysis = analyse(text)
    if analysis.too_long or not analysis.english:
        return ()
    return tuple(own for clause in analysis.clauses[:CLAUSES] for own in _own(clause))


_cached: Callable[[str], tuple[Told, ...]] = lru_cache(maxsize=16_384)(_read)
_cached_own: Callable[[str], tuple[Own, ...]] = lru_cache(maxsize=16_384)(_read_own)


def denies(a: str, b: str) -> bool:
    """Whether one of the texts denies what a clause of the other states. Symmetric; at most `CLAUSES` squared comparisons."""
    ours, theirs = _cached(a), _cached(b)
    mine, yours = _cached_own(a), _cached_own(b)
    if any(_disowns(*((x, y) if x.denied else (y, x))) for x in mine for y in yours if x.denied != y.denied):
        return True
    return any(
        _covers(left, right) if left.denied else _covers(right, left)
        for left in ours
        for right in theirs
        if left.denied != right.denied
    )


def _covers(denial: Told, statement: Told) -> bool:
    few, many = denial.words, statement.words
    if few == many:
        return len(few) > 1
    if len(few) < _SHORTEST or len(few) > len(many):
        return False
    if not (denial.universal or (denial.progressive and statement.progressive)):
        return False
    if few[0] != many[0] and few[0] not in many[:3]:
        return False
    at = 0
    for word in many:
        if at < len(few) and word == few[at]:
            at += 1
        elif word in _BOUNDS:
            return False  # "no appointment at 6:15" denies none after 6:15
    return at == len(few)
