"""Whose what it is: "the N of X", "X has a N named Y", "Y, X's N" as "X's N"."""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.scope import SCOPE, Tokens, value, verbish

_NOT_OWNED = bag(
    "proud afraid aware fond capable full part one some all most none out instead because kind sort type ahead short "
    "sick tired typical characteristic made worth north south east west top front side inside outside half many much "
    "any few several lot rest number pair couple bit piece each both either neither n:1 sure jealous envious ashamed "
    "guilty independent regardless irrespective consisting because on in at"
)


def owned(region: Tokens) -> Tokens | None:
    """The region with "N of X" as "X's N"; None when it is neither."""
    if "of" not in region:
        if "'s" not in region:
            return None
        at = len(region) - 1 - region[::-1].index("'s")
        # The frames read "the owner of 88", not "88's owner".
        return (*region[at + 1 :], "of", *region[:at]) if any(map(value, region[:at])) and region[at + 1 :] else region
    at = region.index("of")
    noun, owner = region[:at], region[at + 1 :]
    if not 0 < at <= 4 or not owner or "'s" in noun or noun[0] in _NOT_OWNED or noun[-1] in _NOT_OWNED:
        return None
    if any(word in PREPOSITIONS or value(word) or word in SCOPE or word in ("and", "or") for word in noun):
        return None
    if any((word in PREPOSITIONS and word != "of") or word in ("and", "or") for word in owner):
        return None
    inner = owned(owner) if "of" in owner else owner
    if not inner:
        return None
    return (*noun, "of", *inner) if any(map(value, inner)) else (*inner, "'s", *noun)


def apposed(t: Tokens) -> Tokens:
    """Read "Ewa, Bo's niece, is ill" as "Bo's niece Ewa is ill"."""
    if t.count(",") != 2:
        return t
    at = t.index(",")
    end = t.index(",", at + 1)
    what = owned(t[at + 1 : end])
    return (*what, *t[:at], *t[end + 1 :]) if at and what and "'s" in what else t


def holding(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "Ana has blood type A" as "Ana's blood type is A": only for known nouns that name one value."""
    at = t.index("have") if t.count("have") == 1 else 0
    if not at or len(t) - at < 3 or any(word in PREPOSITIONS or word in ("be", "was", "not", "'s", ",") for word in t):
        return t
    found = lexicon.words.get(t[at + 1])
    end = at + 2
    for parts, phrase in lexicon.phrases.get(t[at + 1], ()):
        if t[at + 1 : at + 1 + len(parts)] == parts:
            found, end = lexicon.words[phrase], at + 1 + len(parts)
            break
    if found is None or end >= len(t) or not any(noun.concept.loose and noun.concept.nominal for noun in found.nouns):
        return t
    if len(t) - end > 2 or any(word in SCOPE or (word != "have" and verbish(word, lexicon)) for word in t):
        return t
    return (*t[:at], "'s", *t[at + 1 : end], "be", *t[end:])


def christened(t: Tokens) -> Tokens:
    """Read "Bo's lamb is named Ida", "Bo has a lamb named Ida" as "Bo's lamb is Ida"."""
    if t.count("named") == 1 and "not" not in t:
        at = t.index("named")
        if t[at - 1] == "be" and at + 1 < len(t) and "'s" in t[: at - 1] and not PREPOSITIONS.intersection(t):
            return (*t[:at], *t[at + 1 :])
        if at > 2 and t[at - 2] == "have" and at + 1 < len(t) and not PREPOSITIONS.intersection(t):
            return (*t[: at - 2], "'s", t[at - 1], "be", *t[at + 1 :]) if not SCOPE.intersection(t) else t
    for at in range(3, len(t) - 2):
        if t[at : at + 2] == ("name", "be") and t[at - 1] == "'s" and "'s" in t[: at - 1]:
            return (*t[: at - 1], *t[at + 1 :])
    return t


def subject_owned(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "The build of Vat takes" as "Vat's build takes"."""
    if "of" not in t:
        return t
    verb = next((i for i, word in enumerate(t) if i and _runs(word, lexicon)), 0)
    if "of" not in t[:verb] or t[:verb].count("of") != 1 or "'s" in t[:verb]:
        return t
    held = owned(t[:verb])
    return (*held, *t[verb:]) if held else t


def copula(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "MIT is the licence of R", "Licence of R: MIT" as "R's licence is MIT"."""
    if ":" in t[1:-1] and t.count(":") == 1 and not any(word in ("be", "was", "have", "not") for word in t):
        at = t.index(":")
        left = owned(t[:at])
        if left and not any(verbish(word, lexicon) for word in (*left, *t[at + 1 :])):
            return (*left, "be", *t[at + 1 :])
        return t
    be = [i for i, word in enumerate(t) if word in ("be", "was")]
    if (
        len(be) != 1
        or not 0 < be[0] < len(t) - 1
        or any(word in t for word in (",", ":", "who", "which", "that", "than"))
    ):
        return t
    left, right = t[: be[0]], t[be[0] + 1 :]
    verb = t[be[0] : be[0] + 1]
    if right[0] == "not":
        verb, right = (*verb, "not"), right[1:]
    if not right or left[0] in PREPOSITIONS or any(_runs(word, lexicon) for word in left):
        return t
    subject, other = owned(left), owned(right)
    if subject:
        return (*subject, *verb, *(other or right))
    if not other or right[0] in PREPOSITIONS or any(word in PREPOSITIONS or word in SCOPE for word in left):
        return t
    if any(verbish(word, lexicon) for word in right) or any(word in PREPOSITIONS for word in other):
        return t
    return (*other, *verb, *left)


def _runs(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    return found is not None and found.predicate
