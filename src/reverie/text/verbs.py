"""Clauses with a verb or an adjective: active, passive, "is allergic to"."""

from __future__ import annotations

from reverie.text.concepts import Concept, Lexicon, Sense
from reverie.text.parts import Frame, finish, noun_parts, split_owner
from reverie.text.regions import Item, Segment, segments
from reverie.text.scope import BAD_AGENT, CLINGS, SCOPE, value

_SETTING = frozenset(("set", "fix", "allocate", "assign", "pin", "lock", "freeze", "book", "reserve"))
_AUXILIARIES = frozenset(("be", "was", "have"))


def tensed(item: Item) -> tuple[Sense, str] | None:
    """A finite verb and its tense; a form that is both ("set") counts as past."""
    if sense := item.verb("past"):
        return sense, "past"
    sense = item.verb("3") or item.verb("base")
    return (sense, "pres") if sense else None


def finite(items: list[Item]) -> bool:
    """Whether a region holds what may be another predicate."""
    # A loop and not any(): a generator costs twice as much, and this runs several times a clause.
    for item in items:  # noqa: SIM110
        if item.word.predicate or item.kind == "R" or item.text in _AUXILIARIES:
            return True
    return False


def light_noun(sense: Sense, segs: list[Segment]) -> tuple[Concept, int, Segment] | None:
    """A noun whose own relation this verb only carries: "set a budget", "attend a meeting"."""
    for seg in segs:
        for noun in seg.head_nouns():
            role = noun.concept.light.get(sense.concept.name)
            if role:
                return noun.concept, role, seg
    return None


def _has_object(segs: list[Segment]) -> bool:
    return any(not seg.prep and seg.words for seg in segs)


def _no_longer(verb: Concept, concept: Concept, tense: str) -> str:
    """The mark of a past state in a relation whose tense says nothing: "used port 80", but not "set the limit"."""
    if not concept.timeless or concept.name == "born" or (concept.name, tense) == ("age", "perf"):
        return ""
    if tense == "prog":
        return "" if verb.stative or verb is concept else "prog"
    state = (verb.stative or verb is concept) and verb.name not in _SETTING
    return tense if state and tense in ("past", "perf") else ""


def active(
    sense: Sense, left: list[Item], right: list[Item], markers: list[str], lexicon: Lexicon, tense: str
) -> Frame | None:
    """Subject, verb, object and adjuncts."""
    if not left or finite(left) or finite(right):
        return None
    subject, others = segments(left), segments(right) if right else []
    if not subject or others is None or subject[0].prep:
        return None
    head, mine = subject[0], subject[1:]
    role, concept = sense.role, sense.concept
    for marker in markers:
        # "When ordering, she takes tea": the opening names the relation, the verb only carries it.
        found = lexicon.concepts[marker]
        if concept.name not in found.light:
            return None
        concept, role = found, found.light[concept.name]
    light = light_noun(sense, others)
    if light and sense.concept.name == "use" and light[0].modified and light[2].prep != "as":
        light = None  # "uses Redis as its cache" says what its cache is; "uses a locker" does not say whose
    if light:
        if markers and light[0] is not concept:
            return None
        concept, role, _ = light
    elif sense.needs_number and not any(seg.bare_number() for seg in others if not seg.prep):
        return None
    frame = Frame(concept)
    bare = concept.owner and not _has_object([seg for seg in others if light is None or seg is not light[2]])
    if bare and head.owner and role in (1, 2):
        # "Ana's Postgres listens on port 5432": the owner plays the first part.
        head.taken = True
        if not frame.fill(1, head.owner) or not frame.fill(2, head.words):
            return None
    elif not frame.fill(2 if bare else role, head.all_words()):
        return None
    if light and not noun_parts(frame, light[2], others):
        return None
    if mark := concept.mark(tense) or _no_longer(sense.concept, concept, tense):
        frame.rest.append(mark)
    return finish(frame, 3 - role, [head, *others], mine, object_first=True)


def passive(sense: Sense, left: list[Item], right: list[Item], was: bool) -> Frame | None:
    """Read "Y is led by X": the by-agent plays the part that the subject plays in the active voice."""
    subject, others = segments(left), segments(right) if right else []
    if not subject or others is None or subject[0].prep:
        return None
    concept, role = sense.concept, sense.role
    head = subject[0]
    segs = [*subject, *others]
    light = light_noun(sense, subject[:1]) or light_noun(sense, others)
    if light:
        concept, role, _ = light
    frame = Frame(concept)
    # "is written" is not yet "was written"; "was led" is no longer "is led".
    tense = "past" if was else "pres"
    if mark := concept.mark(tense) or _no_longer(sense.concept, concept, tense):
        frame.rest.append(mark)
    agent = next((seg for seg in others if seg.prep == "by" and seg.has_words()), None)
    if agent:
        words = agent.all_words()
        if words[0] in BAD_AGENT or (SCOPE.intersection(words) and SCOPE.intersection(head.all_words())):
            return None
        after = others[next(i for i, seg in enumerate(others) if seg is agent) + 1 :]
        if any(seg.prep in CLINGS and seg.has_words() and not all(map(value, seg.all_words())) for seg in after):
            return None  # "by the man in the kitchen": is the man there, or all of it?
    if was and concept.timeless and agent is None:
        return None  # "was pinned to 9": it may no longer be
    if agent:
        agent.taken = True
        if not split_owner(frame, agent, role):
            return None
        frame.add(agent, "")
        agent.used = True
    if light and not noun_parts(frame, light[2], segs):
        return None
    if not head.used and not split_owner(frame, head, 3 - role):
        return None
    tail = [] if head.used else subject[1:]
    return finish(frame, 3 - role, [head, *(subject[1:] if head.used else []), *others], tail, object_first=False)


def adjective(sense: Sense, left: list[Item], right: list[Item]) -> Frame | None:
    """Read "Ana is allergic to nuts", "Ana is 34 years old"."""
    if finite(left) or finite(right):
        return None
    subject, others = segments(left), segments(right) if right else []
    if not subject or others is None or subject[0].prep:
        return None
    frame = Frame(sense.concept)
    head = subject[0]
    if not frame.fill(sense.role, head.all_words()):
        return None
    return finish(frame, 3 - sense.role, [head, *others], subject[1:], object_first=True)
