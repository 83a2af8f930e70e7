"""Two phrases that "and" joins, in one order; which words may be the verb of a clause."""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.scope import SCOPE, Tokens, value

PRONOUNS = bag(
    "it he she they his her their its them him this that these those there then so one another other same such "
    "respectively both"
)


def sure(word: str, lexicon: Lexicon) -> bool:
    """A known word that can only be a finite verb."""
    found = lexicon.words.get(word)
    return found is not None and found.predicate


def main_verb(word: str, lexicon: Lexicon) -> bool:
    """A word that may be the verb of a clause: "be", "have", a sure verb or a known third person."""
    found = lexicon.words.get(word)
    return word in ("be", "was", "have", "had") or (found is not None and (found.predicate or "3" in found.verbs))


def pairs_sorted(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Sort "X and Y" where both are whole phrases of one length between a verb, a preposition or the ends."""
    if t.count("and") != 1 or PRONOUNS.intersection(t) or "or" in t or "," in t or ":" in t or "from" in t:
        return t
    at = t.index("and")
    left, right = at, at + 1
    while left and not (_edge(t[left - 1], lexicon) or (left > 1 and main_verb(t[left - 1], lexicon))):
        left -= 1
    while right < len(t) and not (_edge(t[right], lexicon) or _may_run(t[right], lexicon)):
        right += 1
    size = at - left
    if not size or right - at - 1 != size or (size > 1 and any(value(word) for word in t[left:right])):
        return t
    if (
        right < len(t)
        and (t[right] in PREPOSITIONS or t[right] == "'s")
        and not all(value(word) or word in PREPOSITIONS for word in t[right:])
    ):
        return t
    if left and t[left - 1] in PREPOSITIONS and t[left - 1] not in ("with", "between"):
        return t
    one, two = t[left:at], t[at + 1 : right]
    if "'s" in t[left:right] or any(word in SCOPE for word in (*one, *two)):
        return t
    return (*t[:left], *two, "and", *one, *t[right:]) if two < one else t


def _may_run(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    return found is not None and found.finite


def _edge(word: str, lexicon: Lexicon) -> bool:
    return word in PREPOSITIONS or word in ("be", "was", "have", "had", "not") or sure(word, lexicon)
