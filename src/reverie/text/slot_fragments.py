"""Values that a long sentence tells in passing: "... since I've increased my snack budget to $75, can you suggest ...".

Only what somebody has, of that name, with a number, date or time right behind it. The rest of the sentence is not read, so a
fragment in a plan, a wish or a condition is none: nothing of the kind may stand just before it.
"""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.scope import Tokens
from reverie.text.slot_facts import Fact
from reverie.text.slot_reading import HYPOTHETICAL

LONGEST = 160  # tokens of a clause that are looked at
FRAGMENTS = 6
_RAISED = bag(
    "increased raised adjusted extended updated changed improved boosted reduced cut lowered decreased moved rescheduled pushed "
    "postponed grown risen dropped shortened bumped doubled upgraded expanded corrected"
)
_REACHED = bag("reached hit")
_ADVERBS = bag(
    "now currently already recently just only also since have has about actually finally been up down further still"
)
_OWNERS = {"my": "i", "our": "we"}
_UNSURE = HYPOTHETICAL | bag("will can must need needs going not never no let's goal")
_NO_NAME = bag(
    "be was have had do did will can could should would may might must and or but not i we you it they he she s 's"
)
_NAME_WORDS = 5


def fragments(t: Tokens, lexicon: Lexicon) -> list[Fact]:
    """The values told in passing in a clause, at most `FRAGMENTS`. Linear in its tokens."""
    out: list[Fact] = []
    t = t[:LONGEST]
    for i, word in enumerate(t):
        if word in _OWNERS or (word == "'s" and i and t[i - 1].isalpha()):
            owner = _OWNERS.get(word) or t[i - 1]
            changed = next((t[k] for k in range(max(0, i - 3), i) if t[k] in _RAISED and _stated(t, k)), "")
            fact = _owned(t, i + 1, owner, changed, lexicon)
        elif word in _RAISED and _stated(t, i) and i + 1 < len(t) and t[i + 1] not in _OWNERS:
            fact = _owned(t, i + 1, "i", word, lexicon)
        else:
            continue
        if fact is not None and _UNSURE.isdisjoint(t[max(0, i - 5) : i]):
            out.append(fact)
    return out[:FRAGMENTS]


def _stated(t: Tokens, verb: int) -> bool:
    """Whether the speaker is said to have done it: "I ('ve) (just) increased"."""
    at = verb - 1
    while at >= 0 and t[at] in _ADVERBS:
        at -= 1
    return at >= 0 and t[at] in ("i", "we")


def _owned(t: Tokens, start: int, owner: str, changed: str, lexicon: Lexicon) -> Fact | None:
    end = start
    while end < len(t) and end - start < _NAME_WORDS and _names(t[end], lexicon):
        end += 1
    if end == start or end >= len(t):
        return None
    name, at, mark, old = t[start:end], end, "", ""
    while at < len(t) and t[at] in _ADVERBS:
        at += 1
    if at >= len(t):
        return None
    link = t[at]
    if link == "be":
        at += 1
    elif link in _RAISED:
        changed, at = link, at + 1
    elif link in _REACHED:
        mark, at = link, at + 1
    elif link == "of" and not changed:
        at += 1
    elif link not in ("to", "from"):
        return None
    if link in ("to", "from") and not changed:
        return None
    if changed:
        mark = f"{changed} to"
        if at + 2 < len(t) and t[at] == "from" and _value(t[at + 1]):
            old, at = t[at + 1], at + 2
        if at >= len(t) or t[at] != "to":
            return None
        at += 1
    while at < len(t) and t[at] in _ADVERBS:
        at += 1
    if at >= len(t) or not _value(t[at]):
        return None
    value = t[at]
    after = t[at + 1] if at + 1 < len(t) else ""
    things = (
        after
        if value[0] == "n" and value[-1].isdigit() and "|" not in value and after[-1:] == "s" and after.isalpha()
        else ""
    )
    told = (mark,) if mark else ()
    return Fact(
        f"in passing:{value[0]}{things}",
        f"{owner}\x1f{' '.join(name)}",
        value,
        False,
        True,
        "number",
        told,
        old,
        bool(mark),
    )


def _names(word: str, lexicon: Lexicon) -> bool:
    if word in _NO_NAME or word in PREPOSITIONS or word in _ADVERBS or word in _RAISED or word in _REACHED:
        return False
    found = lexicon.words.get(word)
    return word.replace("-", "").isalpha() and not (found is not None and found.predicate)


def _value(word: str) -> bool:
    return word[1:2] == ":" and word[0] in "ndt" and word[2:3] not in "~+"
