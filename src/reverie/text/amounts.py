"""Noun phrases and amounts: is this one, and where is the verb of a clause; measures, limits, fees, distances, settings."""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.pairs import PRONOUNS
from reverie.text.scope import AUXILIARIES, SCOPE, Tokens
from reverie.text.times import peel

_MEASURES = bag("length width depth height thickness weight price fee rent amount limit excess deposit capacity")
_LENGTHS = ("|km", "|mile", "|metre")
_QUALIFIERS = {("at", "least"), ("at", "most"), ("more", "than"), ("less", "than"), ("up", "to")}
_QUALIFIER = bag("about almost only nearly exactly roughly around approximately over under")
_PAYS = bag("pays pay paid")
_EVERY = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_ON = {"on": "on", "enabled": "on", "off": "off", "disabled": "off"}
GUESTS = bag("guest participant contestant character suspect witness defendant soloist narrator speaker")
EXPIRES = bag("expires expired starts started ends ended begins began lapses lapsed")


def noun_phrase(words: Tokens, lexicon: Lexicon, plain: bool = False) -> bool:
    """A noun phrase; `plain`: no preposition in it but "of"."""
    if not words or words[0] in PREPOSITIONS:
        return False
    for word in words:
        if word in AUXILIARIES or word in PRONOUNS or word in SCOPE or word in ("not", "do", "did", ":", "and"):
            return False
        if word == "to" and "from" not in words:
            return False
        if plain and word != "of" and word in PREPOSITIONS:
            return False
        found = lexicon.words.get(word)
        if found is not None and found.predicate:
            return False
    return True


def bare(words: Tokens) -> Tokens:
    """What follows the qualifiers ("at least", "about") of an amount."""
    while words:
        if words[:2] in _QUALIFIERS:
            words = words[2:]
        elif words[0] in _QUALIFIER:
            words = words[1:]
        else:
            break
    return words


def amount(words: Tokens) -> bool:
    """A number with or without its unit, qualified or not, and nothing else."""
    rest = bare(words)
    return len(rest) == 1 and rest[0][:2] == "n:"


def counted(words: Tokens, lexicon: Lexicon) -> bool:
    """A number of things: "at most 5 requests per minute"."""
    rest = bare(words)
    return len(rest) > 1 and rest[0][:2] == "n:" and noun_phrase(rest[1:], lexicon)


def split(t: Tokens, verbs: tuple[str, ...]) -> tuple[Tokens, str, Tokens] | None:
    """The clause at its one "be" or "have"; None when there are more or fewer."""
    at = [i for i, word in enumerate(t) if word in AUXILIARIES]
    if len(at) != 1 or t[at[0]] not in verbs or not 0 < at[0] < len(t) - 1:
        return None
    return t[: at[0]], t[at[0]], t[at[0] + 1 :]


def measured(t: Tokens) -> Tokens:
    """Read "The reading of X on Monday was 5 kWh" as "The reading of X was 5 kWh on Monday"."""
    parts = split(t, ("be", "was"))
    if parts is None or "|" not in t[-1] or not amount(parts[2][parts[2][0] == "not" :]):
        return t
    left, times = peel(parts[0])
    return (*left, *t[len(parts[0]) :], *(word for time in times for word in time)) if times else t


def bounded(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "X allows at most N", "X: at most N" as "the limit of X is N"; "contains N" as "has N"."""
    if AUXILIARIES.intersection(t):
        if t[:2] == ("at", "most") and t.count("be") == 1:
            at = t.index("be")
            if (
                t[at + 1 : at + 3] == ("allowed", "by")
                and counted(t[2:at], lexicon)
                and noun_phrase(t[at + 3 :], lexicon, True)
            ):
                return ("limit", "of", *t[at + 3 :], "be", *t[2:at])
        return t
    for i, word in enumerate(t):
        if word in ("allows", "allow", ":") and t[i + 1 : i + 3] == ("at", "most"):
            if i and noun_phrase(t[:i], lexicon, plain=True) and counted(t[i + 3 :], lexicon):
                return ("limit", "of", *t[:i], "be", *t[i + 3 :])
        elif word in ("contains", "contain", "contained") and i and noun_phrase(t[:i], lexicon):
            if counted(t[i + 1 :], lexicon):
                return (*t[:i], "had" if word == "contained" else "have", *t[i + 1 :])
        elif word == ":" and i and noun_phrase(t[:i], lexicon) and i + 1 < len(t):
            return _labelled(t[:i], t[i + 1 :], lexicon) or t
    return t


def _labelled(label: Tokens, said: Tokens, lexicon: Lexicon) -> Tokens | None:
    if "of" in said[1:3] and amount(said[said.index("of") + 1 :]) and noun_phrase(said[: said.index("of")], lexicon):
        return (*said[: said.index("of")], "of", *label, "be", *said[said.index("of") + 1 :])
    if label[-1] in _MEASURES and len(label) > 1 and amount(said) and "of" not in label:
        return (label[-1], "of", *label[:-1], "be", *said)
    found = lexicon.words.get(said[0])
    if found is not None and found.predicate and "3" in found.verbs and len(said) == 2 and said[1][:2] == "d:":
        return (*label, said[0], "on", said[1])
    if label[0] in GUESTS and label[1:2] == ("in",) and noun_phrase(said, lexicon, plain=True):
        return (label[0], "of", *label[2:], "be", *said)
    return None


def apart(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "A and B are 5 km apart", "B is 5 km (away) from A" as "the distance between A and B is 5 km"."""
    parts = split(t, ("be", "was"))
    if parts is None:
        return t
    left, be, right = parts
    no = ("not",) if right[0] == "not" else ()
    right = right[len(no) :]
    one: Tokens = ()
    two: Tokens = ()
    much: Tokens = ()
    if left == ("there",) and "between" in right and right[:2] == ("distance", "of") and not no:
        at = right.index("between")
        left, right = ("distance", *right[at:]), right[2:at]
    if left[:2] == ("distance", "between") and left.count("and") == 1:
        at = left.index("and")
        one, two, much = left[2:at], left[at + 1 :], right
    elif right[-1:] == ("apart",) and left.count("and") == 1:
        at = left.index("and")
        one, two, much = left[:at], left[at + 1 :], right[:-1]
    elif right.count("from") == 1:
        at = right.index("from")
        one, two, much = left, right[at + 1 :], right[: at - (right[at - 1] == "away")]
    if not much or not amount(much) or not much[-1].endswith(_LENGTHS):
        return t
    if not noun_phrase(one, lexicon, plain=True) or not noun_phrase(two, lexicon, plain=True):
        return t
    one, two = sorted((one, two))
    return ("distance", "between", *one, "and", *two, be, *no, *much)


def paid(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "pays a monthly fee of 5 euros" as "pays 5 euros per month"."""
    at = next((i for i, word in enumerate(t) if word in _PAYS), 0)
    if not at or not noun_phrase(t[:at], lexicon, plain=True) or "per" in t:
        return t
    period = _EVERY.get(t[at + 1]) if len(t) > at + 4 else None
    if period and t[at + 2 : at + 4] in (("fee", "of"), ("charge", "of")):
        cut = next((i for i in range(at + 4, len(t)) if t[i][:2] == "n:"), 0)
        if cut and amount(t[at + 4 : cut + 1]):
            return (*t[: at + 1], *t[at + 4 : cut + 1], "per", period, *t[cut + 1 :])
    return t


def setting(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "the value of `x` in P is 5", "P has `x` set to 5", "P: `x` = 5" as "`x` is set to 5 in P"."""
    if t[:2] == ("value", "of") and "be" in t and t[2:3] and t[2][:2] == "i:":
        at = t.index("be")
        value = t[at + 1 + (t[at + 1 : at + 2] == ("not",)) :]
        if (
            len(value) == 1
            and value[0][:2] == "n:"
            and (at == 3 or (t[3] in ("in", "on") and noun_phrase(t[4:at], lexicon, True)))
        ):
            return (t[2], *t[at : len(t) - 1], "set", "to", *value, *t[3:at])
    for i, word in enumerate(t[:-2]):
        if word in ("have", ":") and i and "flag" in t[i + 1 : -1] and noun_phrase(t[:i], lexicon, plain=True):
            flag = t[i + 1 : -1 if word == "have" else -2]
            flag = flag[:-1] if flag[-1:] in (("switched",), ("turned",)) else flag
            if t[-1] in _ON and noun_phrase(flag, lexicon, plain=True) and (word == "have" or t[-2] == "i:="):
                return (*flag, "be", _ON[t[-1]], "in", *t[:i])
        if word in ("have", ":") and i and t[i + 1][:2] == "i:" and noun_phrase(t[:i], lexicon, plain=True):
            tail = t[i + 2 :]
            same = tail[:2] == ("set", "to") if word == "have" else tail[:1] == ("i:=",)
            value = tail[1 + (word == "have") :]
            if same and len(value) == 1 and value[0][:2] == "n:":
                return (t[i + 1], "be", "set", "to", *value, "in", *t[:i])
    return t
