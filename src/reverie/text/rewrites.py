"""One clause in the plain order of its words: clefts undone, passive made active, "to Bo" put before what Bo gets.

Each rewrite works on tokens, keeps every token that says something, and needs no lexicon entry for nouns, names or
(but for closed lists) verbs. What it does not understand it leaves as it stands: then only equal order is equal.
"""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.scope import AUXILIARIES, MODALS, SCOPE, Tokens, chunk_end, value

_DATIVE = bag(
    "give gives gave sell sells sold lend lends lent send sends sent teach teaches taught show shows showed owe owes "
    "owed pay pays paid offer offers offered hand hands handed award awards awarded grant grants granted bring brings "
    "brought mail mails mailed throw throws threw promise promises promised loan loans loaned tell tells told"
)
_WITH = bag("supply supplies supplied provide provides provided")
_CONVERSE = {
    "buy": "sell", "buys": "sells", "bought": "sold", "purchase": "sell", "purchases": "sells", "purchased": "sold",
    "borrow": "lend", "borrows": "lends", "borrowed": "lent",
}  # fmt: skip
_TAKE_OVER = {"take": "hand", "takes": "hands", "took": "handed"}
_ARGUED = _DATIVE | _WITH | _CONVERSE.keys() | _TAKE_OVER.keys()
_OPPOSITE = {
    "younger": "older", "shorter": "taller", "smaller": "bigger", "slower": "faster", "later": "earlier",
    "lower": "higher", "weaker": "stronger", "narrower": "wider", "thinner": "thicker",
}  # fmt: skip
_ON_TOP = bag("shelf rack host server node port page table desk floor roof wall")
_NOT_THINGS = bag("longer more less fewer one later other idea doubt sooner matter")
_PHRASES: list[tuple[Tokens, Tokens]] = [
    (("rather", "than"), ("instead", "of")),
    (("no", "more", "than"), ("at", "most")),
    (("no", "fewer", "than"), ("at", "least")),
    (("no", "less", "than"), ("at", "least")),
    (("whose", "name", "be"), ("named",)),
    (("be", "licensed", "under"), ("'s", "license", "be")),
]
_TRIGGERS = frozenset(old[1] for old, _ in _PHRASES) | bag("than called switched turned located situated both over to")


def phrases(tokens: Tokens) -> Tokens:
    """Fixed phrases of one meaning in one form."""
    if _TRIGGERS.isdisjoint(tokens):
        return tokens
    words = list(tokens)
    for old, new in _PHRASES:
        for at in range(len(words) - len(old), -1, -1):
            if words[at] == old[0] and tuple(words[at : at + len(old)]) == old:
                words[at : at + len(old)] = new
    for at in range(len(words) - 1, 0, -1):
        word, before = words[at], words[at - 1]
        if word == "called" and "by" not in words[at:] and at + 1 < len(words):
            earlier = {"be", "was", "have", "had"}.intersection(words[:at])
            clear = not {"who", "that", "which", "and"}.intersection(words[:at])
            if earlier and clear and before not in ("have", "had", "not", "never", "just") and before[-2:] != "ly":
                words[at] = "named"
        elif word in ("on", "off") and before in ("switched", "turned") and at > 2 and words[at - 2] in ("be", "was"):
            if "by" not in words[at:]:
                del words[at - 1]
        elif word in ("located", "situated") and before in ("be", "was") and words[at + 1 : at + 2] in (
            ["in"], ["at"], ["on"]
        ):  # fmt: skip
            del words[at]
        elif word == "to" and before == "have" and not {"not", "do", "no", "never", "what"}.intersection(words):
            if words[at + 1 : at + 2] and words[at + 1] not in PREPOSITIONS:
                words[at - 1 : at + 1] = ["must"]
        elif word == "both" and "and" in words[at + 1 : at + 5]:
            del words[at]
        elif (
            word == "over"
            and "to" not in words
            and words[0] != "over"
            and {"prefer", "prefers", "preferred"}.intersection(words[:at])
        ):
            words[at] = "to"
    return tuple(words)


def plain_negation(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "eats no eggs" as "does not eat eggs", "X belongs to Y" as "Y owns X"."""
    if "no" in t[2:-1] and "not" not in t:
        at = t.index("no", 2)
        found = lexicon.words.get(t[at - 1])
        if t[at + 1] in _NOT_THINGS or any(word in MODALS or word in ("be", "was") for word in t):
            return t
        if t[at - 1] == "have" or (found is not None and "3" in found.verbs and t[at - 2] not in PREPOSITIONS):
            return (*t[: at - 1], "do", "not", _base_of_third(t[at - 1]), *t[at + 1 :])
    if "to" in t[2:-1]:
        at = t.index("to", 2)
        if t[at - 1] in ("belongs", "belong") and chunk_end(t, at + 1) == len(t) and not SCOPE.intersection(t):
            return (*t[at + 1 :], "owns", *t[: at - 1])
    return t


def _base_of_third(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        return word[:-2]
    return word.removesuffix("s")


def uncleft(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "It was X who V", "X is the one who V", "What A needs is B"."""
    n = len(t)
    # "It was Ana who keeps the key" says that she no longer does.
    over = "was" in t and (t[0] in ("it", "what", "n:1") or "who" in t)
    if over and any((found := lexicon.words.get(word)) and "3" in found.verbs for word in t[1:]):
        return t
    if n > 4 and t[0] == "it" and t[1] in ("be", "was"):
        at = next((i for i in range(3, n) if t[i] in ("who", "that")), 0)
        focus, tail = t[2:at], t[at + 1 :]
        if at and len(tail) > 1 and not SCOPE.intersection(focus):
            if focus[0] in PREPOSITIONS:
                return (*tail, *focus) if t[at] == "that" and not SCOPE.intersection(tail) else t
            if t[at] == "who" or _finite(tail[0], lexicon):
                return (*focus, *tail)
    for i in range(1, n - 3):
        if t[i] in ("be", "was") and t[i + 1] in ("n:1", "person") and t[i + 2] in ("who", "that"):
            return (*t[:i], *t[i + 3 :]) if _finite(t[i + 3], lexicon) else t
    if "where" in t[2:-2] and t[t.index("where", 2) - 1] == "be" and t[0] not in PREPOSITIONS:
        at = t.index("where", 2)
        if not SCOPE.intersection(t) and not any(word in ("who", "that", "be", "was", ",") for word in t[: at - 1]):
            place = t[: at - 1]
            cut = next((i for i, word in enumerate(place) if i and (word == "of" or value(word))), len(place))
            return (*t[at + 1 :], "on" if place[cut - 1] in _ON_TOP else "in", *place)
    if n > 4 and t[0] in ("what", "n:1") and sum(word in ("be", "was") for word in t) == 1:
        at = next(i for i, word in enumerate(t) if word in ("be", "was"))
        if t[0] == "what" and at > 2 and at + 1 < n and t[at + 1] not in PREPOSITIONS and "not" not in t:
            return (*t[1:at], *t[at + 1 :])
        if t[1] in ("who", "that") and at > 2 and at + 1 < n and "not" not in t:
            return (*t[at + 1 :], *t[2:at])
    return t


def _finite(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    if word in AUXILIARIES or (found is not None and found.finite):
        return True
    return word.isalpha() and len(word) > 3 and (word.endswith("ed") or (word.endswith("s") and word[-2] not in "su"))


def arguments(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Who gets what in one order: "sold a sofa to Bo", "Bo bought a sofa from Ana", "supplies flour to Bo"."""
    if _ARGUED.isdisjoint(t):
        return t
    at = next((i for i, word in enumerate(t) if word in _DATIVE or word in _WITH or word in _CONVERSE), 0)
    if not at:
        at = next((i for i, word in enumerate(t) if word in _TAKE_OVER and t[i + 1 : i + 2] == ("over",)), 0)
        if not at or t.count("from") != 1 or SCOPE.intersection(t):
            return t
        out = t.index("from")
        end = chunk_end(t, out + 1)
        if out < at + 3 or end == out + 1 or not _simple(t[:at], lexicon) or not _simple(t[out + 1 : end], lexicon):
            return t
        return (*t[out + 1 : end], _TAKE_OVER[t[at]], "over", *t[at + 2 : out], "to", *t[:at], *t[end:])
    verb, first = t[at], chunk_end(t, at + 1)
    if first == at + 1 or first >= len(t) - 1 or not _simple(t[:at], lexicon) or t[0] in PREPOSITIONS:
        return t
    thing, end = t[at + 1 : first], chunk_end(t, first + 1)
    other = t[first + 1 : end]
    if not other or "and" in thing or "and" in other or "or" in t or SCOPE.intersection(t):
        return t
    if verb in _CONVERSE:
        if t[first] != "from" or any(word in AUXILIARIES or word == "to" for word in t[:at]):
            return t
        return (*other, _CONVERSE[verb], *t[:at], *thing, *t[end:])
    if t[first] != "to" or other[0][1:2] == ":" or "to" in t[end:] or "from" in t[end:]:
        return t
    if verb in _WITH:
        return (*t[:at], verb, *other, "with", *thing, *t[end:])
    return (*t[:at], verb, *other, *thing, *t[end:])


def _simple(tokens: Tokens, lexicon: Lexicon) -> bool:
    """A noun phrase: no preposition, verb or clause in it."""
    return not any(
        word in PREPOSITIONS or word in AUXILIARIES or word in ("who", "that", "which", ",", ":", "and", "or", "to")
        for word in tokens
        if word != "of"
    ) and not any((found := lexicon.words.get(word)) and found.predicate for word in tokens)


def comparison(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Read "B is 3 years younger than A" as "A is 3 years older than B", and "older than B by 3 years"."""
    if t.count("than") != 1:
        return t
    than = t.index("than")
    be = [i for i, word in enumerate(t) if word in ("be", "was")]
    if len(be) != 1 or not 0 < be[0] < than - 1 or not _simple(t[: be[0]], lexicon) or than == len(t) - 1:
        return t
    left, measure, word, right = t[: be[0]], t[be[0] + 1 : than - 1], t[than - 1], t[than + 1 :]
    if not measure and "by" in right:
        at = right.index("by")
        if at and all(value(token) for token in right[at + 1 :]) and right[at + 1 :]:
            measure, right = right[at + 1 :], right[:at]
    if not _simple(right, lexicon) or SCOPE.intersection((*left, *right)):
        return t
    if word in _OPPOSITE:
        left, right, word = right, left, _OPPOSITE[word]
    return (*left, t[be[0]], *measure, word, "than", *right)


_MOTION = bag(
    "move moves moved fly flies flew travel travels travelled go goes went drive drives drove copy copies copied migrate "
    "migrates migrated transfer transfers transferred ship ships shipped walk walks walked sail sails sailed commute "
    "commutes commuted cycle cycles cycled relocate relocates relocated"
)


def journey(t: Tokens) -> Tokens:
    """Read "moved to Graz from Oslo" as "moved from Oslo to Graz"."""
    if t.count("to") != 1 or t.count("from") != 1 or not _MOTION.intersection(t):
        return t
    to, out = t.index("to"), t.index("from")
    end = chunk_end(t, out + 1)
    if not 0 < to < out - 1 or chunk_end(t, to + 1) != out or end == out + 1 or not _MOTION.intersection(t[:to]):
        return t
    return (*t[:to], *t[out:end], *t[to:out], *t[end:])
