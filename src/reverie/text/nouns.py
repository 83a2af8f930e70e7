"""Clauses that state a relation with a noun: "Ana's employer is Corvus", "has a debt to", "is where Ana lives"."""

from __future__ import annotations

from reverie.text.concepts import Lexicon, Sense
from reverie.text.parts import Frame, finish, noun_parts, split_owner
from reverie.text.regions import Item, Segment, segments
from reverie.text.verbs import active, finite, light_noun, passive, tensed

_PERSON = frozenset(("person", "one"))
_PLACES = frozenset(("in", "at"))


def _counts(seg: Segment) -> bool:
    return bool(seg.values) or (bool(seg.words) and seg.words[0][:2] == "n:")


def copula(left: list[Item], right: list[Item], lexicon: Lexicon) -> Frame | None:
    """Read "Ana's employer is Corvus", "Oslo is where Ana lives", "the budget that Ana set for Atlas is 5"."""
    if right[0].kind == "R":
        return _cleft(left, right)
    for region, opposite in ((left, right), (right, left)):
        gap = next((i for i, item in enumerate(region) if item.kind == "R"), 0)
        if gap:
            return _relative(region, gap, opposite, lexicon)
    if finite(left) or finite(right):
        return None
    lsegs, rsegs = segments(left), segments(right)
    if not lsegs or not rsegs or lsegs[0].prep:
        return None
    sides = ((lsegs, rsegs), (rsegs, lsegs))
    heads = [(here, there, noun) for here, there in sides for noun in here[0].head_nouns() if not here[0].prep]
    if not heads:
        return _at(lsegs, rsegs) or _age(lsegs, rsegs, lexicon) or _located(lsegs, rsegs, lexicon)
    # Two relations in one copula ("Ana's boss is the owner of Bo") are two claims.
    if len({noun.concept.name for _, _, noun in heads}) != 1 or len({id(here) for here, _, _ in heads}) != 1:
        return None
    here, there, noun = heads[0]
    frame = Frame(noun.concept)
    if not noun_parts(frame, here[0], here, copula=True):
        return None
    other = there[0]
    role = 3 - noun.role
    if other.has_words():
        if other.prep and other.prep not in noun.concept.preps[role]:
            return _located(segments(left) or [], segments(right) or [], lexicon)
        if frame.roles[noun.role] is None and not noun.concept.loose:
            # "Ana is a resident": whose or of what is not said, so which part "Ana" plays is a guess.
            return None
        if not frame.fill(role, other.all_words()):
            return None
    return finish(frame, role, [*here, *there], [], object_first=False)


def _located(lsegs: list[Segment], rsegs: list[Segment], lexicon: Lexicon) -> Frame | None:
    """Read "The office is in Graz"."""
    concept = lexicon.concepts.get("locate")
    if concept is None or len(lsegs) != 1 or lsegs[0].prep or not rsegs or rsegs[0].prep not in concept.preps[2]:
        return None
    if not lsegs[0].has_words() or not rsegs[0].has_words():
        return None
    frame = Frame(concept)
    if not frame.fill(1, lsegs[0].all_words()):
        return None
    return finish(frame, 2, [lsegs[0], *rsegs], [], object_first=False)


def _at(lsegs: list[Segment], rsegs: list[Segment]) -> Frame | None:
    """Read "Ana's Postgres is on port 5432", "Ana is on the Pro plan"."""
    nouns = rsegs[0].head_nouns()
    if len(nouns) != 1 or rsegs[0].prep not in ("on", "at", "in") or rsegs[0].owner or not lsegs[0].has_words():
        return None
    noun = nouns[0]
    concept = noun.concept
    if not concept.modified and not (concept.loose and concept.owner):
        return None
    frame = Frame(concept)
    if not split_owner(frame, lsegs[0], noun.role) or not noun_parts(frame, rsegs[0], rsegs):
        return None
    return finish(frame, 3 - noun.role, [lsegs[0], *rsegs], lsegs[1:], object_first=False)


def _age(lsegs: list[Segment], rsegs: list[Segment], lexicon: Lexicon) -> Frame | None:
    """Read "Ana is 34"."""
    age = lexicon.concepts.get("age")
    if age is None or len(lsegs) != 1 or len(rsegs) != 1:
        return None
    who, years = lsegs[0], rsegs[0]
    if years.prep or years.has_words() or not years.bare_number() or not who.has_words() or who.values:
        return None
    if any(word[:2] == "c:" for word in who.words) or int(years.values[0][2:6]) > 120:
        return None
    frame = Frame(age)
    frame.fill(1, who.all_words())
    return finish(frame, 2, [who, years], [], object_first=False)


def _relative(here: list[Item], gap: int, there: list[Item], lexicon: Lexicon) -> Frame | None:
    """Read "The budget that Ana set for Atlas" is the noun of a carrying verb; "the person who leads Atlas" is its
    subject."""
    before, word, after = here[:gap], here[gap].text, here[gap + 1 :]
    if not after or finite(there) or finite(before):
        return None
    verb = next(
        (i for i, item in enumerate(after) if item.word.finite and (i == 0 or after[i - 1].kind not in "SP")), None
    )
    if verb is None or finite(after[:verb]) or finite(after[verb + 1 :]):
        return None
    found = tensed(after[verb])
    if found is None:
        return None
    if verb == 0:
        if word in ("who", "that") and len(before) == 1 and before[0].text in _PERSON:
            return active(found[0], there, after[1:], [], lexicon, found[1])
        return None
    if word not in ("that", "which"):
        return None
    head, agent, value = segments(before), segments(after[:verb]), segments(there)
    others = segments(after[verb + 1 :]) if after[verb + 1 :] else []
    if not head or not agent or others is None or not value or len(head) != 1 or len(agent) != 1:
        return None
    if agent[0].prep or agent[0].values or head[0].prep:
        return None
    light = light_noun(found[0], head)
    if light is None:
        return None
    concept, role, seg = light
    frame = Frame(concept)
    if not frame.fill(role, agent[0].all_words()) or not noun_parts(frame, seg, [*head, *others]):
        return None
    return finish(frame, 3 - role, [*head, *others, *value], [], object_first=False)


def _cleft(left: list[Item], right: list[Item]) -> Frame | None:
    """Read "Oslo is where Ana lives", "Postgres is what Ana prefers"."""
    if right[0].text not in ("where", "what") or len(right) < 3 or finite(left):
        return None
    at = next((i for i, item in enumerate(right) if i > 1 and item.word.finite and right[i - 1].kind not in "SP"), None)
    if at is None or finite(right[1:at]) or finite(right[at + 1 :]):
        return None
    found = tensed(right[at])
    inner, outer = segments(right[1:at]), segments(left)
    others = segments(right[at + 1 :]) if right[at + 1 :] else []
    if found is None or not inner or not outer or others is None or len(inner) != 1 or len(outer) != 1:
        return None
    sense, tense = found
    if (
        outer[0].prep
        or inner[0].prep
        or (right[0].text == "where" and not _PLACES & sense.concept.preps[3 - sense.role])
    ):
        return None
    frame = Frame(sense.concept)
    if mark := sense.concept.mark(tense):
        frame.rest.append(mark)
    if not frame.fill(sense.role, inner[0].all_words()) or not frame.fill(3 - sense.role, outer[0].all_words()):
        return None
    return finish(frame, 0, [inner[0], outer[0], *others], [], object_first=False)


def possession(left: list[Item], right: list[Item], lexicon: Lexicon) -> Frame | None:
    """Read "Ana has a debt of 50 euros to Corvus": the subject possesses the noun."""
    agent: tuple[Sense, Segment] | None = None
    for i, item in enumerate(right[:-1]):
        sense = item.verb("part")
        if i and sense and right[i + 1].text == "by":
            # "has a budget of 5, set by Ana"
            by = segments(right[i + 2 :])
            if not by or len(by) != 1 or by[0].prep:
                return None
            agent = sense, by[0]
            right = right[:i]
            break
    right = [Item(item.text, "W") if item.text in ("named", "called") else item for item in right]
    subject, others = segments(left), segments(right)
    if not subject or not others or subject[0].prep or finite(right):
        return None
    head = others[0]
    nearest = others[1] if len(others) > 1 and others[1].prep == "of" else None
    if nearest and not nearest.values and len(head.values) == 1 and not head.prep and not head.words:
        # "has 16 GB of RAM" is "has a RAM of 16 GB"
        nearest.values, nearest.prep = head.values, ""
        head, nearest, others = nearest, None, others[1:]
    nouns = {noun.concept.name: noun for noun in head.head_nouns()}
    if len(nouns) != 1 or head.owner or head.prep or not next(iter(nouns.values())).concept.havable:
        return None
    noun = next(iter(nouns.values()))
    concept = noun.concept
    frame = Frame(concept)
    role = noun.role if noun.role == 2 else concept.light.get("have", noun.role)
    if not frame.fill(role, subject[0].all_words()):
        return None
    if agent:
        part = concept.light.get(agent[0].concept.name)
        if part is None or not frame.fill(part, agent[1].all_words()):
            return None
        frame.add(agent[1], "")
    if not noun_parts(frame, head, others):
        return None
    # "has a limit of 100 requests": what is counted is what the limit is.
    counted = nearest is not None and _counts(nearest) and not nearest.used
    if counted and nearest and not frame.fill(3 - role, nearest.all_words()):
        return None
    return finish(frame, 3 - role, [subject[0], *others], subject[1:], object_first=False)


def named(sense: Sense, left: list[Item], right: list[Item], lexicon: Lexicon) -> Frame | None:
    """Read "The project is called Atlas"; other verbs that may stand for "be" are read as verbs."""
    if sense.concept.name not in ("call", "name"):
        return passive(sense, left, right, was=False)
    what, name = segments(left), segments(right)
    concept = lexicon.concepts.get("name")
    if concept is None or not what or not name or len(what) != 1 or what[0].prep or name[0].prep:
        return None
    frame = Frame(concept)
    if not frame.fill(1, what[0].all_words()) or not frame.fill(2, name[0].all_words()):
        return None
    return finish(frame, 0, [*what, *name], [], object_first=False)
