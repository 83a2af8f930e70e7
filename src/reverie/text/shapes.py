"""A clause in one shape: opening phrases behind, times last and sorted, the conjuncts of "and" apart and sorted.

For clauses that no frame covers. A phrase that moves keeps its preposition and its words; phrases of the body keep
their order, so "from Oslo to Graz" never becomes "to Oslo from Graz". What an opening phrase says of the whole clause it
says at the end too; a phrase of one conjunct stays with its conjunct.
"""

from __future__ import annotations

from reverie.text.amounts import measured
from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.frames import canonical
from reverie.text.idioms import idioms, liked
from reverie.text.lexicon import bag
from reverie.text.morphology import is_participle
from reverie.text.owning import apposed, christened, copula, holding, subject_owned
from reverie.text.pairs import PRONOUNS, main_verb, pairs_sorted, sure
from reverie.text.relations import inward, related
from reverie.text.rewrites import (
    arguments,
    comparison,
    journey,
    phrases,
    plain_negation,
    uncleft,
)
from reverie.text.scope import EMBEDDERS, SCOPE, SUBORDINATORS, Tokens, chunk_end, value, verbish
from reverie.text.times import CYCLE_WORDS, DAY_PARTS, all_times, inner_times, peel
from reverie.text.voice import active

SHAPE_LIMIT = 64
_OPENERS = (PREPOSITIONS - {"to", "of", "than", "as", "like", "off"}) | bag(
    "when if while whenever unless once every since because although though until twice despite given"
)
_TEMPORAL = bag("every")
_COMPARED = bag("performs performed comes came likes liked")
_CLAUSAL = SUBORDINATORS - {"than"}
_SEEN = bag("see sees saw")


def _embeds(rest: Tokens, lexicon: Lexicon) -> bool:
    """Whether a clause stands in this one; not so in "sees the dentist", "performed better than the wax"."""
    if EMBEDDERS.isdisjoint(rest):
        return False
    found = EMBEDDERS.intersection(rest)
    if not found <= _SEEN | {"than"}:
        return bool(found)
    at = max(i for i, word in enumerate(rest) if word in found)
    if rest[at] == "than" and not (
        _COMPARED.intersection(rest) and rest[at - 1] in ("better", "worse", "later", "earlier")
    ):
        return True
    if found & _SEEN and "than" in found:
        return True
    return any(
        verbish(word, lexicon) or word in ("to", "do") or ((known := lexicon.words.get(word)) and known.finite)
        for word in rest[at + 1 :]
    )


def _whole(rest: Tokens, lexicon: Lexicon) -> bool:
    """Whether a phrase at the end of the clause is about all of it: no clause within, no "and" that joins clauses."""
    if _embeds(rest, lexicon):
        return False
    for i, word in enumerate(rest[:-1]):
        if word == "to" and (found := lexicon.words.get(rest[i + 1])) and found.finite and "base" in found.verbs:
            return False
    return "and" not in rest or rest.index("and") >= len(peel(rest)[0]) - 2


def opening(t: Tokens, lexicon: Lexicon) -> tuple[Tokens, Tokens]:
    """Split an opening phrase from the clause; empty when there is none that may move."""
    if t[0] not in _OPENERS and not (t[0] in CYCLE_WORDS and "," in t):
        return (), t
    if "," in t:
        at = t.index(",")
        head, rest = t[:at], t[at + 1 :]
    else:
        at = 0
        while (
            at + 2 < len(t)
            and t[at] in _OPENERS
            and (value(t[at + 1]) or (t[at] == "every" and t[at + 1] in DAY_PARTS))
        ):
            at += 2
        head, rest = t[:at], t[at:]
    if not head or len(rest) < 2 or rest[0] in ("and", "or", "but", "not", "only", "then", "so"):
        return (), t
    if not _whole(rest, lexicon) and "and" not in rest:
        return (), t
    denied = {"not", "never", "no"}.intersection(rest)
    timed = head[0] in ("every", "until", "since") and value(head[-1])
    if denied and not timed and head[0] in ("because", "since", "as", "until", "every"):
        return (), t
    # "In all regions one server runs": which quantifier holds the other is told by their order alone.
    wide = SCOPE.intersection(head) - _TEMPORAL
    if head[0] == "every" and len(head) == 2 and head[1] in DAY_PARTS:
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
    if "in" not in t and "at" not in t:
        return t, ()
    verb = next((i for i, word in enumerate(t) if i > 1 and (word in ("be", "was") or sure(word, lexicon))), 0)
    if not verb:
        # An unknown verb can only stand last here: "The pass for Bo in Graz lapses".
        last = t[-1]
        if (
            any(
                (found := lexicon.words.get(word)) and found.finite and t[i][:2] != "n:" and not value(t[i + 2])
                for i, word in enumerate(t[1:-1])
            )
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
    adjective = t[verb] in ("be", "was") and len(after) == 1 and len(t) == verb + 2
    if after and not plain and not adjective:
        return t, ()
    return (*t[:at], *t[verb:]), t[at:verb]


def simple(t: Tokens, lexicon: Lexicon) -> str:
    """The canonical form of one clause: its frame, or its tokens in one order."""
    if t[0] == "when" and t[2:3] == (",",) and (frame := canonical(t, lexicon)):
        return frame  # "When ordering, Ana takes tea"
    t = idioms(t, lexicon)
    head, rest = opening(t, lexicon)
    if head and "and" in rest and not _whole(rest, lexicon):
        head, rest = (), t
    if not head and t[0] in _OPENERS and len(SCOPE.intersection(t)) > 1:
        return "\x1f".join(word for word in t if word != "that")
    body = phrases(apposed(rest) if "," in rest else rest)
    head, body = inward(head, body)
    loose = _CLAUSAL.isdisjoint(t) and "than" not in head and not _embeds(body, lexicon)
    if loose and body[-1][:2] in ("d:", "t:"):
        body = related(body, lexicon)  # "The due date of X is Monday": that time is what is said
    elif loose and body[-1][:2] == "n:":
        body = measured(body)
    body, times = peel(body) if loose else (body, [])
    body, inner = inner_times(body, lexicon) if loose else (body, [])
    body, head = _choice(body, head)
    body = plain_negation(uncleft(body, lexicon), lexicon)
    body, head = _there(body, head)
    body = related(liked(active(body, lexicon)), lexicon)
    if "where" in t and "where" not in body and not loose:
        loose = SUBORDINATORS.isdisjoint(body) and not _embeds(body, lexicon) and not head
    body, more = peel(body) if loose else (body, [])
    if "where" in t and loose:
        body, inner = inner_times(body, lexicon)
    body = holding(comparison(arguments(body, lexicon), lexicon), lexicon)
    body, place = _subject_phrase(body, lexicon)
    body = christened(subject_owned(copula(journey(body), lexicon), lexicon))
    body = pairs_sorted(body, lexicon)
    opened = all_times(head) if loose and head else [] if not head else None
    if opened is None:
        moved, opened = peel(head) if loose and head[0] in PREPOSITIONS else (head, [])
    else:
        moved = ()
    times = [*opened, *inner, *more, *times]
    if len(times) > 1:
        times.sort(key=lambda time: (time[0], time[-1][:2]))
    shaped = (*body, *place, *moved, *[word for time in times for word in time])
    frame = canonical(shaped, lexicon)
    if frame is not None:
        return frame
    return "\x1f".join([word for word in shaped if word not in ("that", ",")])


def _conjuncts(t: Tokens, lexicon: Lexicon) -> list[Tokens] | None:
    """The two clauses that "and" joins, each with its subject; None where it joins anything less."""
    if t.count("and") != 1 or "or" in t or "but" in t or PRONOUNS.intersection(t):
        return None
    at = t.index("and")
    left, right = t[:at], t[at + 1 :]
    if left[-1:] == (",",):
        left = left[:-1]
    if len(left) < 2 or len(right) < 2:
        return None
    head, plain = opening(left, lexicon)
    verb = next(
        (i for i, word in enumerate(plain) if i and main_verb(word, lexicon) and plain[i - 1] not in PREPOSITIONS), 0
    )
    if not verb:
        return None
    theirs, other = opening(right, lexicon)
    if main_verb(right[0], lexicon) and (right[0] in ("be", "have") or _agrees(plain[verb], right[0], lexicon)):
        second = (*plain[:verb], *right)
    elif any(i and main_verb(word, lexicon) for i, word in enumerate(other)):
        second = right
    elif not theirs and not head and (shared := _gap(plain, verb, right)):
        second = (*plain[: verb + 1], *right) if shared else right
    else:
        return None
    if head and not theirs:
        # An opening phrase holds for both: "At work, Ana swims and runs".
        return [left, (*head, ",", *second)]
    return [left, second]


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
