"""How two statements relate, by rule: the guard for SAME, equal slots for CONTRADICTS, other subjects for UNRELATED.

Every verdict but UNSURE needs a reason that names what decided. Precision comes first: a clash that is missed waits for a
judge or a person, one that is seen wrongly retires a truth.
"""

from __future__ import annotations

import re

from reverie.judge.questions import Related, Verdict
from reverie.judge.rule_denial import content, denies, stem
from reverie.judge.rule_markers import update_marker
from reverie.judge.rule_opposites import opposed
from reverie.judge.rule_values import compatible
from reverie.text.analysis import Analysis, analyse
from reverie.text.concepts import PREPOSITIONS, load
from reverie.text.guard import Outcome, Reason, compare
from reverie.text.lexicon import bag, slots
from reverie.text.slot_facts import SAID, Fact
from reverie.text.slots import facts

_PEOPLE = {
    "live": "residence",
    "employ": "employer",
    "born": "birthday",
    "manage": "role",
    "lead": "role",
    "own": "owner",
}
_KINDS = {"n": "number", "o": "number", "d": "date", "t": "time", "v": "version", "p": "identifier"}
_MANY = bag("likes speak use know visit allergy intolerance play collect read drink eat follow attend friend wear")
_SHARED = bag("manage lead chair own manages leads chairs owns budget deadline marriage owe measure")
_SPEAKERS = bag("i we you user us")
_CONTEXT = bag("environment")
_NATIONS = bag("language country")
_PEOPLE_WORDS = bag("people children men women somebody someone nobody everybody the a an")


def relate(a: str, b: str) -> Related:
    """The relation of two texts. Symmetric, deterministic, never raises; in time bounded by the limits of `analyse`."""
    if a > b:
        a, b = b, a  # what is described from one side only is so whichever way round the texts come
    one, two = analyse(a), analyse(b)
    ruling = compare(one, two)
    if ruling.outcome is Outcome.SAME:
        return Related(Verdict.SAME, ruling.reason.value)
    if one.too_long or two.too_long or not one.clauses or not two.clauses:
        return Related(Verdict.UNSURE, ruling.reason.value)
    ours, theirs = facts(a), facts(b)
    reason = clash(ours, theirs)
    if reason is None and ruling.reason is not Reason.QUESTION:
        reason = opposed(one, two) or ("negation" if denies(a, b) else None)
    if reason is not None:
        if not _one_context(one, two):
            return Related(Verdict.UNSURE, "context")
        explicit = update_marker(a, b) is not None or update_marker(b, a) is not None
        return Related(Verdict.CONTRADICTS, reason, explicit)
    apart = _apart(one, two, ours, theirs, ruling.reason)
    return Related(Verdict.UNRELATED, apart) if apart else Related(Verdict.UNSURE, ruling.reason.value)


def clash(ours: tuple[Fact, ...], theirs: tuple[Fact, ...]) -> str | None:
    """Why the facts of two texts cannot hold together, as a word, or None."""
    there: dict[tuple[str, str], list[Fact]] = {}
    for fact in theirs:
        there.setdefault((fact.attribute, fact.subject), []).append(fact)
    here: dict[tuple[str, str], list[Fact]] = {}
    for fact in ours:
        here.setdefault((fact.attribute, fact.subject), []).append(fact)
    for key, mine in here.items():
        others = there.get(key)
        if others is None:
            continue
        reason = _clash(mine, others)
        if reason is not None:
            return reason
    return None


def _clash(mine: list[Fact], others: list[Fact]) -> str | None:
    # A text that names the other's value as well tells the story of the change, or of a set.
    stated = {fact.value for fact in mine if not fact.negated}, {fact.value for fact in others if not fact.negated}
    for x in mine:
        for y in others:
            if x.value == y.value:
                if x.negated != y.negated and not stated[0] & stated[1]:
                    return "negation"
            elif not x.negated and not y.negated and not compatible(x.value, y.value):
                if x.value in stated[1] or y.value in stated[0]:
                    continue
                if x.single or _replaces(x, y) or _replaces(y, x):
                    return _reason(x, y)
    return None


def _replaces(new: Fact, old: Fact) -> bool:
    """Whether a fact says that it stands in place of the other, whose attribute may have many values."""
    return new.replaces and (not new.old or compatible(new.old, old.value))


def _reason(x: Fact, y: Fact) -> str:
    if x.kind == "number":
        left, right = x.value.rpartition("|")[2], y.value.rpartition("|")[2]
        if x.attribute.startswith("version"):
            return "version"
        figures = x.value.partition("|")[0], y.value.partition("|")[0]
        return "unit" if figures[0] == figures[1] and left != right else _KINDS.get(x.value[:1], "number")
    name = x.attribute.partition(":")[0]
    return "antonym" if name == "attitude" else f"slot:{_PEOPLE.get(name, name.replace(' ', '-'))}"


def _one_context(a: Analysis, b: Analysis) -> bool:
    """Whether texts of several clauses name the same environments and years: another clause may say where the value holds."""
    if len(a.clauses) == 1 and len(b.clauses) == 1:
        return True
    return _context(a) == _context(b)


def _context(analysis: Analysis) -> frozenset[str]:
    named = slots()
    return frozenset(
        word
        for clause in analysis.clauses
        for word in clause.tokens
        if not _CONTEXT.isdisjoint(named.get(word, ())) or (word[:4] in ("n:19", "n:20") and len(word) == 6)
    )


def _apart(a: Analysis, b: Analysis, ours: tuple[Fact, ...], theirs: tuple[Fact, ...], reason: Reason) -> str | None:
    """Why both texts can be true whatever else is: no name or word in common, another subject, one more value of many."""
    if not a.english or not b.english:
        return None
    words, named = (_content(a), _content(b)), (_names(a), _names(b))
    if words[0].isdisjoint(words[1]) and _opens_with(a, named[0]) and _opens_with(b, named[1]):
        return "apart"
    if not (_plain(a, ours) and _plain(b, theirs)):
        return None
    for x in ours:
        for y in theirs:
            if x.attribute != y.attribute or x.kind == SAID or x.attribute == "measure":
                continue
            if x.subject != y.subject:
                if _own_attribute(x) and _other_subject(x.subject, y.subject, named[0] | named[1], words[0] & words[1]):
                    return "subject"
            elif _one_more(x, y) and reason in (Reason.CLOSED_SLOT, Reason.NAME) and _named(x.subject, named[0]):
                return "values"
    return "environment" if reason is Reason.ENVIRONMENT and _other_place(words[0], words[1]) else None


def _one_more(x: Fact, y: Fact) -> bool:
    return x.attribute in _MANY and not (x.negated or y.negated) and not compatible(x.value, y.value)


def _named(subject: str, names: frozenset[str]) -> bool:
    """Whether a subject is somebody or something in particular, and no "couple" or "man"."""
    return all(word in names or word in _SPEAKERS for word in subject.partition("\x1f")[0].split())


def _opens_with(analysis: Analysis, names: frozenset[str]) -> bool:
    """Whether a text begins with what it is about, by name: "the CEO" or "she" might be anybody."""
    return analysis.clauses[0].tokens[0] in names


def _plain(analysis: Analysis, told: tuple[Fact, ...]) -> bool:
    """Whether a text is one clause that states one thing."""
    return len(analysis.clauses) == 1 and sum(fact.kind == SAID for fact in told) == 1


def _content(analysis: Analysis) -> frozenset[str]:
    return frozenset(word for clause in analysis.clauses for word in content(clause.tokens))


_CAPITAL = re.compile(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w-]*")


def _names(analysis: Analysis) -> frozenset[str]:
    """Words that are written as names, and identifiers. At the start of a text only what is no known or plural word."""
    known, named = load().words, slots()
    out = {word for clause in analysis.clauses for word in clause.tokens if word[1:2] == ":" and word[0] in "pi"}
    for match in _CAPITAL.finditer(analysis.text[:4096]):
        word = match[0].lower()
        opens = not analysis.text[: match.start()].rstrip(" \"'*_>-`(") or analysis.text[
            match.start() - 2 : match.start()
        ] in (". ", ": ")
        if opens and (word in known or word in named or word in _PEOPLE_WORDS or word.endswith(("s", "ly"))):
            continue
        if len(word) > 1 and _NATIONS.isdisjoint(named.get(word, ())):
            out.add(word)
    return frozenset(out)


def _own_attribute(fact: Fact) -> bool:
    """Whether each subject has an attribute of its own: not so of what two may hold, set or do together."""
    name = fact.attribute.partition(":")[0]
    return name not in _SHARED and (fact.single or name in _MANY or name in ("prefer", "order"))


def _other_subject(one: str, two: str, names: frozenset[str], common: frozenset[str]) -> bool:
    """Whether two subjects are surely two: they differ in names alone, and neither is part of the other's name."""
    first, second = one.partition("\x1f"), two.partition("\x1f")
    if not PREPOSITIONS.isdisjoint(first[0].split()):
        return False
    ours, theirs = set(first[0].split()), set(second[0].split())
    if not _SPEAKERS.isdisjoint(ours | theirs) or ours <= theirs or theirs <= ours or first[2] != second[2]:
        return False
    # "Ana manages Bo" and "Bo manages Ana" are no two matters.
    apart = all(word in names and stem(word) not in common for word in ours ^ theirs)
    return apart and not compatible(first[0], second[0])


def _other_place(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    named = slots()
    left, right = ours - theirs, theirs - ours
    return bool(left and right) and all("environment" in named.get(word, ()) for word in left | right)
