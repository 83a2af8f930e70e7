"""A clause in one shape: opening phrases behind, times last and sorted, the conjuncts of "and" apart and sorted.

For clauses that no frame covers. A phrase that moves keeps its preposition and its words; phrases of the body keep
their order, so "from Oslo to Graz" never becomes "to Oslo from Graz". What an opening phrase says of the whole clause it
says at the end too; a phrase of one conjunct stays with its conjunct.
"""

from __future__ import annotations

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.frames import canonical
from reverie.text.lexicon import bag
from reverie.text.morphology import is_participle
from reverie.text.rewrites import (
    Tokens,
    active,
    apposed,
    arguments,
    chunk_end,
    comparison,
    copula,
    holding,
    phrases,
    plain_negation,
    uncleft,
    verbish,
)
from reverie.text.scope import EMBEDDERS, SCOPE, SUBORDINATORS, value

SHAPE_LIMIT = 64
_TIME_PREPS = bag("in on at by before after until since")
_YEAR_PREPS = bag("in since until before after by during")
_CYCLES = bag("hourly daily nightly weekly monthly yearly")
_PARTS = bag("morning afternoon evening night weekday weekend")
# Before a time these say something of it: "not on Monday" does not float.
_HOLD = bag(
    "not only except even especially just also almost about around than and or but nor to between through from never "
    "of like as"
)
_OPENERS = (PREPOSITIONS - {"to", "of", "than", "as", "like", "off"}) | bag(
    "when if while whenever unless once every since because although though until twice despite given"
)
_TEMPORAL = bag("every")
_PRONOUNS = bag(
    "it he she they his her their its them him this that these those there then so one another other same such "
    "respectively both"
)


def _time_at_end(t: Tokens) -> int:
    """How many tokens at the end spell one time; 0 if none."""
    n = len(t)
    last = t[-1]
    before = t[-2] if n > 1 else ""
    if last[:2] in ("d:", "t:"):
        used = 2 if before in _TIME_PREPS else 1
        if used == 1 and (before in PREPOSITIONS or before in _HOLD):
            return 0
    elif last[:2] == "n:" and len(last) == 6 and last[2:].isdigit() and last[2:4] in ("19", "20"):
        used = 2 if before in _YEAR_PREPS else 0
    elif last in _CYCLES:
        used = 1 if before not in PREPOSITIONS and before not in ("be", "was") else 0
    elif last in _PARTS:
        used = 2 if before == "every" else 0
    else:
        return 0
    if used and n > used and (t[n - used - 1] in _HOLD or t[n - used - 1] in PREPOSITIONS):
        return 0
    return used


def peel(t: Tokens) -> tuple[Tokens, list[Tokens]]:
    """Take the times off the end of a clause; two tokens stay."""
    times: list[Tokens] = []
    while t:
        used = _time_at_end(t)
        if not used or (len(t) - used < 2):
            break
        times.insert(0, t[len(t) - used :])
        t = t[: len(t) - used]
    return t, times


def _inner_times(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, list[Tokens]]:
    """Take out a time right after a verb and before a preposition: "is emptied every Monday in Graz"."""
    for at in range(2, len(t) - 1):
        if t[at] in PREPOSITIONS and t[at - 1] not in PREPOSITIONS:
            head, times = peel(t[:at])
            if times and len(head) > 1 and head[-1] not in ("be", "was") and verbish(head[-1], lexicon):
                return (*head, *t[at:]), times
    return t, []


def _all_times(t: Tokens) -> list[Tokens] | None:
    times: list[Tokens] = []
    while t:
        used = _time_at_end(t)
        if not used:
            return None
        times.insert(0, t[len(t) - used :])
        t = t[: len(t) - used]
    return times


def _whole(rest: Tokens, lexicon: Lexicon) -> bool:
    """Whether a phrase at the end of the clause is about all of it: no clause within, no "and" that joins clauses."""
    if EMBEDDERS.intersection(rest):
        return False
    for i, word in enumerate(rest[:-1]):
        if word == "to" and (found := lexicon.words.get(rest[i + 1])) and found.finite and "base" in found.verbs:
            return False
    return "and" not in rest or rest.index("and") >= len(peel(rest)[0]) - 2


def opening(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, Tokens]:
    """Split an opening phrase from the clause; empty when there is none that may move."""
    if t[0] not in _OPENERS and not (t[0] in _CYCLES and "," in t):
        return (), t
    if "," in t:
        at = t.index(",")
        head, rest = t[:at], t[at + 1 :]
    else:
        at = 0
        while (
            at + 2 < len(t) and t[at] in _OPENERS and (value(t[at + 1]) or (t[at] == "every" and t[at + 1] in _PARTS))
        ):
            at += 2
        head, rest = t[:at], t[at:]
    if not head or len(rest) < 2 or rest[0] in ("and", "or", "but", "not", "only", "then", "so"):
        return (), t
    if not _whole(rest, lexicon) and "and" not in rest:
        return (), t
    if head[0] in ("because", "since", "as", "until", "every") and {"not", "never", "no"}.intersection(rest):
        if not (head[0] in ("every", "until", "since") and value(head[-1])):
            return (), t
    # "In all regions one server runs": which quantifier holds the other is told by their order alone.
    wide = SCOPE.intersection(head) - _TEMPORAL
    if head[0] == "every" and len(head) == 2 and head[1] in _PARTS:
        wide = frozenset()
    elif "every" in head and head[0] != "every" and (SCOPE & set(rest)):
        wide = frozenset(("every",))
    if wide and SCOPE.intersection(rest):
        return (), t
    return head, rest


def _there(t: Tokens, head: Tokens) -> tuple[Tokens, Tokens]:
    """Read "There are 14 desks in the office" as "The office has 14 desks"."""
    if t[:2] != ("there", "be") or len(t) < 3 or "not" in t:
        return t, head
    at = next((i for i in range(len(t) - 2, 2, -1) if t[i] in ("in", "at")), 0)
    place = t[at + 1 :] if at else ()
    whole = bool(at) and chunk_end(t, at + 1) == len(t) and not value(place[0])
    if head[:1] in (("in",), ("at",)) and len(head) > 1 and chunk_end(head, 1) == len(head) and not value(head[1]):
        return (*head[1:], "have", *t[2:]), ()
    if whole and not SCOPE.intersection(place):
        return (*place, "have", *t[2:at]), head
    return t, head


def _choice(t: Tokens, head: Tokens) -> tuple[Tokens, Tokens]:
    """Read "Given the choice between X and Y, Ana prefers X" as "Ana prefers X to Y"."""
    if head[:3] != ("given", "choice", "between") or head.count("and") != 1 or "to" in t:
        return t, head
    at = head.index("and")
    one, two = head[3:at], head[at + 1 :]
    for this, that in ((one, two), (two, one)):
        if this and that and t[-len(this) :] == this and {"prefer", "prefers"}.intersection(t[: -len(this)]):
            return (*t, "to", *that), ()
    return t, head


def _subject_phrase(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, Tokens]:
    """Take "in Graz" out of "The shop in Graz opens", where nothing after the verb could be in Graz as well."""
    verb = next((i for i, word in enumerate(t) if i > 1 and (word in ("be", "was") or _sure(word, lexicon))), 0)
    if not verb:
        # An unknown verb can only stand last here: "The pass for Bo in Graz lapses".
        last = t[-1]
        if (
            any((found := lexicon.words.get(word)) and found.finite for word in t[1:-1])
            or not last.isalpha()
            or len(last) < 4
            or last[-2:] in ("ss", "us", "is")
            or last[-1] not in "sd"
            or "have" in t
        ):
            return t, ()
        verb = len(t) - 1
    at = next((i for i in range(verb - 1, 0, -1) if t[i] in ("in", "at")), 0)
    if not at or chunk_end(t, at + 1) < verb or any(word in ("and", "or", "who", "that", ",") for word in t):
        return t, ()
    after = [word for i, word in enumerate(t) if i > verb and word not in PREPOSITIONS and not value(word)]
    plain = len(after) == 1 and (verbish(after[0], lexicon) or is_participle(after[0])) and t[verb + 1] == after[0]
    if after and not plain:
        if not (t[verb] in ("be", "was") and after == [t[verb + 1]] and t[verb + 1 :] and len(t) == verb + 2):
            return t, ()
    return (*t[:at], *t[verb:]), t[at:verb]


def _sure(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    return found is not None and found.predicate


def pairs_sorted(t: Tokens, lexicon: Lexicon) -> Tokens:
    """Sort "X and Y" where both are whole phrases of one length between a verb, a preposition or the ends."""
    if t.count("and") != 1 or _PRONOUNS.intersection(t) or "or" in t or "," in t or ":" in t or "from" in t:
        return t
    at = t.index("and")
    left, right = at, at + 1
    while left and not (_edge(t[left - 1], lexicon) or (left > 1 and _main(t[left - 1], lexicon))):
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
    return word in PREPOSITIONS or word in ("be", "was", "have", "had", "not") or _sure(word, lexicon)


def simple(t: Tokens, lexicon: Lexicon) -> str:
    """The canonical form of one clause: its frame, or its tokens in one order."""
    if t[0] == "when" and t[2:3] == (",",) and (frame := canonical(t, lexicon)):
        return frame  # "When ordering, Ana takes tea"
    head, rest = opening(t, lexicon)
    if head and "and" in rest and not _whole(rest, lexicon):
        head, rest = (), t
    if not head and t[0] in _OPENERS and len(SCOPE.intersection(t)) > 1:
        return "\x1f".join(word for word in t if word != "that")
    body = phrases(apposed(rest) if "," in rest else rest)
    loose = not SUBORDINATORS.intersection(t) and not EMBEDDERS.intersection(body)
    body, times = peel(body) if loose else (body, [])
    body, inner = _inner_times(body, lexicon) if loose else (body, [])
    body, head = _choice(body, head)
    body = plain_negation(uncleft(body, lexicon), lexicon)
    body, head = _there(body, head)
    body = active(body, lexicon)
    body, more = peel(body) if loose else (body, [])
    body = holding(comparison(arguments(body, lexicon), lexicon), lexicon)
    body, place = _subject_phrase(body, lexicon)
    body = pairs_sorted(copula(body, lexicon), lexicon)
    opened = _all_times(head) if loose and head else [] if not head else None
    if opened is None:
        moved, opened = peel(head) if loose and head[0] in PREPOSITIONS else (head, [])
    else:
        moved = ()
    times = sorted([*opened, *inner, *more, *times], key=lambda time: (time[0], time[-1][:2]))
    shaped = (*body, *place, *moved, *(word for time in times for word in time))
    frame = canonical(shaped, lexicon)
    if frame is not None:
        return frame
    return "\x1f".join(word for word in shaped if word not in ("that", ","))


def _conjuncts(t: Tokens, lexicon: Lexicon) -> list[Tokens] | None:
    """The two clauses that "and" joins, each with its subject; None where it joins anything less."""
    if t.count("and") != 1 or "or" in t or "but" in t or _PRONOUNS.intersection(t):
        return None
    at = t.index("and")
    left, right = t[:at], t[at + 1 :]
    if left[-1:] == (",",):
        left = left[:-1]
    if len(left) < 2 or len(right) < 2:
        return None
    head, plain = opening(left, lexicon)
    verb = next(
        (i for i, word in enumerate(plain) if i and _main(word, lexicon) and plain[i - 1] not in PREPOSITIONS), 0
    )
    if not verb:
        return None
    theirs, other = opening(right, lexicon)
    if _main(right[0], lexicon) and (right[0] in ("be", "have") or _agrees(plain[verb], right[0], lexicon)):
        second = (*plain[:verb], *right)
    elif any(i and _main(word, lexicon) for i, word in enumerate(other)):
        second = right
    elif not theirs and not head and (shared := _gap(plain, verb, right)):
        second = (*plain[: verb + 1], *right) if shared else right
    else:
        return None
    if head and not theirs:
        # An opening phrase holds for both: "At work, Ana swims and runs".
        return [left, (*head, ",", *second)]
    return [left, second]


def _main(word: str, lexicon: Lexicon) -> bool:
    found = lexicon.words.get(word)
    return word in ("be", "was", "have", "had") or (found is not None and (found.predicate or "3" in found.verbs))


def _agrees(one: str, two: str, lexicon: Lexicon) -> bool:
    """Two verbs of the present: two events of the past may tell which came first."""
    forms = [word.verbs if (word := lexicon.words.get(verb)) else {} for verb in (one, two)]
    return (one in ("be", "have") or "3" in forms[0]) and "3" in forms[1]


def _gap(plain: Tokens, verb: int, right: Tokens) -> bool:
    """Whether "G in staging and H in production" are two pairs of one kind."""
    ours = [i for i, word in enumerate(plain) if i > verb + 1 and word in PREPOSITIONS]
    theirs = [i for i, word in enumerate(right) if word in PREPOSITIONS]
    return len(ours) == 1 == len(theirs) and theirs[0] > 0 and plain[ours[0]] == right[theirs[0]]


def shape(t: Tokens, lexicon: Lexicon) -> str:
    """The canonical form of a clause that has no frame as it stands."""
    parts = _conjuncts(t, lexicon)
    if parts is None:
        return simple(t, lexicon)
    return "\x02".join(sorted(simple(part, lexicon) for part in parts))
