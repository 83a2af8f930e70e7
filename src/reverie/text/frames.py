"""One clause as a frame: which relation it states, who plays which part, and all the rest, word for word.

A frame is found by a small deterministic grammar over the concept lexicon (`concepts.py`). It must account for every token
of the clause; whatever it does not understand makes it give up (`None`), and then only the order of words decides. So two
clauses with one frame state one relation between the same parts with the same values; that they differ in framing words
("is employed by" / "has a job at") is all that is left.
"""

from __future__ import annotations

from reverie.text.concepts import Concept, Lexicon, Sense
from reverie.text.parts import Frame, finish, noun_parts, split_owner
from reverie.text.regions import Item, Segment, read, segments

FRAME_LIMIT = 32
# "is called", "is held", "is set to": with a relational noun as subject they say no more than "is".
_COPULAR = frozenset(("call", "name", "hold", "schedule", "set", "configure", "fix"))
_AUXILIARIES = frozenset(("be", "was", "have"))
_PERSON = frozenset(("person", "one"))
_PLACES = frozenset(("in", "at"))


def canonical(tokens: tuple[str, ...], lexicon: Lexicon) -> str | None:
    """The canonical form of a clause as a frame, or None when the grammar does not cover it."""
    if not 2 < len(tokens) <= FRAME_LIMIT:
        return None
    clause = read(tokens, lexicon)
    if clause is None:
        return None
    frame = _predicate(clause.items, clause.markers, lexicon)
    return frame.text(clause.adverbs) if frame else None


def _predicate(items: list[Item], markers: list[str], lexicon: Lexicon) -> Frame | None:
    """Find the one predicate of the clause and build its frame."""
    be = [i for i, item in enumerate(items) if item.token in ("be", "was")]
    if len(be) > 1:
        return None
    if be:
        left, right = items[: be[0]], items[be[0] + 1 :]
        if not left or not right:
            return None
        was = items[be[0]].token == "was"
        adjective = right[0].sense("a")
        if (sense := right[0].verb("part")) and not (adjective and not any(item.token == "by" for item in right)):
            if _finite(left) or _finite(right[1:]):
                return None
            if not was and sense.concept.name in _COPULAR and right[1:] and not any(item.token == "by" for item in right):
                return _copula(left, right[1:], lexicon) or _named(sense, left, right[1:], lexicon)
            return _passive(sense, left, right[1:], was)
        if was:
            return None
        if sense := right[0].verb("ing"):
            if left[-1].sense("n") and (found := _copula(left, right, lexicon)):
                return found  # "Ana's hobby is climbing"
            return _active(sense, left, right[1:], markers, lexicon, "prog")
        for i, item in enumerate(right[:2]):
            if (sense := item.sense("a")) and (i == 0 or right[0].kind == "V"):
                return _adjective(sense, left, right[:i] + right[i + 1 :])
        return _copula(left, right, lexicon)
    have = [i for i, item in enumerate(items) if item.token == "have"]
    if len(have) > 1:
        return None
    if have:
        left, right = items[: have[0]], items[have[0] + 1 :]
        if not left or not right or _finite(left):
            return None
        if sense := right[0].verb("part"):
            return None if sense.concept.stative else _active(sense, left, right[1:], markers, lexicon, "past")
        return _possession(left, right, lexicon)
    at = _main_verb(items)
    if at is None:
        return None
    found = _tensed(items[at])
    return _active(found[0], items[:at], items[at + 1 :], markers, lexicon, found[1]) if found else None


def _named(sense: Sense, left: list[Item], right: list[Item], lexicon: Lexicon) -> Frame | None:
    """"The project is called Atlas"; other verbs that may stand for "be" are read as verbs."""
    if sense.concept.name not in ("call", "name"):
        return _passive(sense, left, right, was=False)
    what, name = segments(left), segments(right)
    concept = lexicon.concepts.get("name")
    if concept is None or not what or not name or len(what) != 1 or what[0].prep or name[0].prep:
        return None
    frame = Frame(concept)
    if not frame.fill(1, what[0].all_words()) or not frame.fill(2, name[0].all_words()):
        return None
    return finish(frame, 0, [*what, *name], [], object_first=False)


def _tensed(item: Item) -> tuple[Sense, str] | None:
    """A finite verb and its tense; a form that is both ("set") counts as past."""
    if sense := item.verb("past"):
        return sense, "past"
    sense = item.verb("3") or item.verb("base")
    return (sense, "pres") if sense else None


def _finite(items: list[Item]) -> bool:
    """Whether a region holds what may be another predicate."""
    for item in items:
        if item.word.predicate or item.kind == "R" or item.token in _AUXILIARIES:
            return True
    return False


def _main_verb(items: list[Item]) -> int | None:
    """The only finite verb; None when there is none or a doubt."""
    sure = [
        i
        for i, item in enumerate(items)
        if i and item.word.predicate and items[i - 1].kind not in "SP"
    ]
    if sure:
        return sure[0] if len(sure) == 1 else None
    maybe = [i for i, item in enumerate(items[:-1]) if i and item.word.finite and items[i - 1].kind not in "SP"]
    return maybe[0] if len(maybe) == 1 else None


def _light(sense: Sense, segs: list[Segment]) -> tuple[Concept, int, Segment] | None:
    """A noun whose own relation this verb only carries: "set a budget", "attend a meeting"."""
    for seg in segs:
        for noun in seg.head_nouns():
            role = noun.concept.light.get(sense.concept.name)
            if role:
                return noun.concept, role, seg
    return None


def _has_object(segs: list[Segment]) -> bool:
    return any(not seg.prep and seg.words for seg in segs)


def _active(
    sense: Sense, left: list[Item], right: list[Item], markers: list[str], lexicon: Lexicon, tense: str
) -> Frame | None:
    """Subject, verb, object and adjuncts."""
    if not left or _finite(left) or _finite(right):
        return None
    subject, others = segments(left), segments(right) if right else []
    if not subject or others is None or subject[0].prep:
        return None
    head, mine = subject[0], subject[1:]
    role, concept = sense.role, sense.concept
    if concept.name in ("happen", "act"):
        return _copula(left, right, lexicon) if right else None
    for marker in markers:
        # "When ordering, she takes tea": the opening names the relation, the verb only carries it.
        found = lexicon.concepts[marker]
        if concept.name not in found.light:
            return None
        concept, role = found, found.light[concept.name]
    light = _light(sense, others)
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
    if mark := concept.mark(tense):
        frame.rest.append(mark)
    return finish(frame, 3 - role, [head, *others], mine, object_first=True)


def _passive(sense: Sense, left: list[Item], right: list[Item], was: bool) -> Frame | None:
    """"Y is led by X": the by-agent plays the part that the subject plays in the active voice."""
    subject, others = segments(left), segments(right) if right else []
    if not subject or others is None or subject[0].prep:
        return None
    concept, role = sense.concept, sense.role
    head = subject[0]
    segs = [*subject, *others]
    light = _light(sense, subject[:1]) or _light(sense, others)
    if light:
        concept, role, _ = light
    frame = Frame(concept)
    # "is written" is not yet "was written"; "was led" is no longer "is led".
    if mark := concept.mark("past" if was else "pres"):
        frame.rest.append(mark)
    agent = next((seg for seg in others if seg.prep == "by" and seg.has_words()), None)
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


def _adjective(sense: Sense, left: list[Item], right: list[Item]) -> Frame | None:
    """"Ana is allergic to nuts", "Ana is 34 years old"."""
    if _finite(left) or _finite(right):
        return None
    subject, others = segments(left), segments(right) if right else []
    if not subject or others is None or subject[0].prep:
        return None
    frame = Frame(sense.concept)
    head = subject[0]
    if not frame.fill(sense.role, head.all_words()):
        return None
    return finish(frame, 3 - sense.role, [head, *others], subject[1:], object_first=True)


def _possession(left: list[Item], right: list[Item], lexicon: Lexicon) -> Frame | None:
    """"Ana has a debt of 50 euros to Corvus": the subject possesses the noun."""
    agent: tuple[Sense, Segment] | None = None
    for i, item in enumerate(right[:-1]):
        sense = item.verb("part")
        if i and sense and right[i + 1].token == "by":
            # "has a budget of 5, set by Ana"
            by = segments(right[i + 2 :])
            if not by or len(by) != 1:
                return None
            agent = sense, by[0]
            right = right[:i]
            break
    right = [Item(item.token, "W") if item.token in ("named", "called") else item for item in right]
    subject, others = segments(left), segments(right)
    if not subject or not others or subject[0].prep or _finite(right):
        return None
    head = others[0]
    if not head.words and len(head.values) == 1 and len(others) > 1 and others[1].prep == "of" and not others[1].values:
        # "has 16 GB of RAM" is "has a RAM of 16 GB"
        others[1].values, others[1].prep = head.values, ""
        others = others[1:]
        head = others[0]
    nouns = {noun.concept.name: noun for noun in head.head_nouns()}
    if len(nouns) != 1 or head.owner or head.prep or not next(iter(nouns.values())).concept.havable:
        return None
    noun = next(iter(nouns.values()))
    concept = noun.concept
    frame = Frame(concept)
    role = concept.light.get("have", noun.role)
    if not frame.fill(role, subject[0].all_words()):
        return None
    if agent:
        part = concept.light.get(agent[0].concept.name)
        if part is None or not frame.fill(part, agent[1].all_words()):
            return None
        frame.add(agent[1], "")
    if not noun_parts(frame, head, others):
        return None
    return finish(frame, 3 - role, [subject[0], *others], subject[1:], object_first=False)


def _copula(left: list[Item], right: list[Item], lexicon: Lexicon) -> Frame | None:
    """"Ana's employer is Corvus", "Oslo is where Ana lives", "the budget that Ana set for Atlas is 5"."""
    if right[0].kind == "R":
        return _cleft(left, right)
    for region, opposite in ((left, right), (right, left)):
        gap = next((i for i, item in enumerate(region) if item.kind == "R"), 0)
        if gap:
            return _relative(region, gap, opposite, lexicon)
    if _finite(left) or _finite(right):
        return None
    lsegs, rsegs = segments(left), segments(right)
    if not lsegs or not rsegs or lsegs[0].prep:
        return None
    sides = ((lsegs, rsegs), (rsegs, lsegs))
    heads = [(here, there, noun) for here, there in sides for noun in here[0].head_nouns() if not here[0].prep]
    if not heads:
        return _at(lsegs, rsegs) or _age(lsegs, rsegs, lexicon)
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
            return None
        if frame.roles[noun.role] is None and not noun.concept.loose:
            # "Ana is a resident": whose or of what is not said, so which part "Ana" plays is a guess.
            return None
        if not frame.fill(role, other.all_words()):
            return None
    return finish(frame, role, [*here, *there], [], object_first=False)


def _at(lsegs: list[Segment], rsegs: list[Segment]) -> Frame | None:
    """"Ana's Postgres is on port 5432", "Ana is on the Pro plan"."""
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
    """"Ana is 34"."""
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
    """"The budget that Ana set for Atlas" is the noun of a carrying verb; "the person who leads Atlas" is its subject."""
    before, word, after = here[:gap], here[gap].token, here[gap + 1 :]
    if not after or _finite(there) or _finite(before):
        return None
    verb = next((i for i, item in enumerate(after) if item.word.finite and (i == 0 or after[i - 1].kind not in "SP")), None)
    if verb is None or _finite(after[:verb]) or _finite(after[verb + 1 :]):
        return None
    found = _tensed(after[verb])
    if found is None:
        return None
    if verb == 0:
        if word in ("who", "that") and len(before) == 1 and before[0].token in _PERSON:
            return _active(found[0], there, after[1:], [], lexicon, found[1])
        return None
    if word not in ("that", "which"):
        return None
    head, agent, value = segments(before), segments(after[:verb]), segments(there)
    others = segments(after[verb + 1 :]) if after[verb + 1 :] else []
    if not head or not agent or others is None or not value or len(head) != 1 or len(agent) != 1 or agent[0].prep:
        return None
    light = _light(found[0], head)
    if light is None:
        return None
    concept, role, seg = light
    frame = Frame(concept)
    if not frame.fill(role, agent[0].all_words()) or not noun_parts(frame, seg, [*head, *others]):
        return None
    return finish(frame, 3 - role, [*head, *others, *value], [], object_first=False)


def _cleft(left: list[Item], right: list[Item]) -> Frame | None:
    """"Oslo is where Ana lives", "Postgres is what Ana prefers"."""
    if right[0].token not in ("where", "what") or len(right) < 3 or _finite(left):
        return None
    at = next((i for i, item in enumerate(right) if i > 1 and item.word.finite and right[i - 1].kind not in "SP"), None)
    if at is None or _finite(right[1:at]) or _finite(right[at + 1 :]):
        return None
    found = _tensed(right[at])
    inner, outer = segments(right[1:at]), segments(left)
    others = segments(right[at + 1 :]) if right[at + 1 :] else []
    if found is None or not inner or not outer or others is None or len(inner) != 1 or len(outer) != 1:
        return None
    sense, tense = found
    if outer[0].prep or inner[0].prep or (right[0].token == "where" and not _PLACES & sense.concept.preps[3 - sense.role]):
        return None
    frame = Frame(sense.concept)
    if mark := sense.concept.mark(tense):
        frame.rest.append(mark)
    if not frame.fill(sense.role, inner[0].all_words()) or not frame.fill(3 - sense.role, outer[0].all_words()):
        return None
    return finish(frame, 0, [inner[0], outer[0], *others], [], object_first=False)
