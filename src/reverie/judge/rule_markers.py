"""The words by which a text says itself that something has changed: "moved to", "no longer", "now", "correction".

An update that says so is superseded without a model, so a word counts only where it is stated: not in a question, a plan, a
condition or somebody's words, not denied, and only about something that the older text speaks of.
"""

from __future__ import annotations

import re

from reverie.judge.rule_denial import content
from reverie.judge.rule_values import compatible
from reverie.text.analysis import analyse
from reverie.text.lexicon import bag
from reverie.text.slot_facts import SAID, Fact
from reverie.text.slots import facts

_SCAN = 8192  # characters of a text that are searched
_ENGLISH = re.compile(
    r"\b(?:(?:has|have|had|was|were|been|is|are|'s|'ve)\s+(?:since\s+|now\s+)?)?"
    r"(?P<mark>"
    r"no longer|not\b[^.;!?]{1,60}?\bany ?more|used to(?= [a-z])|as of(?= )|from now on|now\b[^.;!?]{1,60}?instead of|"
    r"(?:moved|switched|changed|migrated|relocated|upgraded|downgraded|renamed|rebranded|reassigned|transferred|"
    r"rescheduled|postponed|raised|lowered|increased|decreased|reduced|cut|extended|shortened|grown|grew|risen|rose|"
    r"dropped|fallen|fell|shrunk|bumped|updated|corrected|converted|reset|pushed(?: back)?|brought forward|"
    r"went (?:up|down)|gone (?:up|down)|went(?= from \S*\d))(?= (?:\S+ ){0,8}?to\b)|"
    r"(?:has|have|was|were|been) replaced (?:by|with)|replaced(?= \S+(?: \S+){0,4} with)|"
    r"stopped(?= \w+ing)|quit(?= \w+ing)|(?:has|have|'s|'ve) (?:since )?(?:left|retired|resigned)|"
    r"correction|(?<!right )(?<!for )(?<!by )(?<!until )(?<!till )(?<!up to )now(?! and then| that\b)|instead(?=[.;!]|$)"
    r")\b|^(?P<lead>update|edit|erratum)\s*:",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?P<mark>"
    r"nicht mehr|kein(?:e|en|em|er)? \S+(?: \S+)? mehr|jetzt|nunmehr|inzwischen|mittlerweile|ab sofort|"
    r"umgezogen|zog nach|gewechselt|geändert|verschoben|ersetzt|umbenannt|statt(?:dessen)?|korrektur|"
    r"désormais|dorénavant|maintenant|n(?:e |')\S+ plus|a déménagé|a changé|a été (?:remplacé|modifié|reporté|déplacé)e?|"
    r"au lieu de|à la place de|rectification|"
    r"ahora|ya no|a partir de ahora|se (?:ha )?mud(?:ó|ado)|(?:ha )?cambi(?:ó|ado)|reemplazad[oa]|sustituid[oa]|"
    r"en lugar de|en vez de|corrección"
    r")(?!\w)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;\n])\s+")
_UNSTATED = re.compile(
    r"\b(?:if|whether|unless|nobody|only|might|may|could|would|should|maybe|perhaps|probably|possibly|"
    r"plan(?:s|ned|ning)?|want(?:s|ed)?|"
    r"hop(?:e|es|ed|ing)|consider(?:s|ed|ing)?|propos(?:e|es|ed|ing)|think(?:s|ing)?|thought|believ(?:e|es|ed)|say(?:s|ing)?|"
    r"said|claim(?:s|ed)?|told|asks?|asked|expect(?:s|ed)?|intend(?:s|ed)?|going to|about to|will|won't|shall|suggest(?:s|ed)?|"
    r"decided|agreed|refus(?:e|es|ed)|rumou?r(?:s|ed)?|never|has not|have not|hasn't|haven't|did not|didn't|was not|wasn't|"
    r"not yet|falls?|wenn|vielleicht|möchte|will|könnte|soll(?:te)?|sagt(?:e)?|si|peut-être|veut|pourrait|dit|quizás|quiere|"
    r"podría|dice|dijo)\b",
    re.IGNORECASE,
)
_BESIDES = re.compile(r"\b(?:also|too|as well|auch|aussi|también)\b", re.IGNORECASE)
_FROM = re.compile(r"^\s*(?:\S+\s+){0,8}?from\s+(?P<old>.{1,60}?)\s+to\b", re.IGNORECASE)
_OF = re.compile(r"^\s*(?P<old>(?:[^.;,!?]|\.(?=\S)){1,60})", re.IGNORECASE)
_COMMON = bag("i user team project new old year day time us my our your")


def update_marker(newer: str, older: str) -> str | None:
    """The words by which the newer text says that something changed with respect to the older; None where it does not.

    A value that the newer text calls past ("from X", "instead of X") must stand in the older. Pure; never raises.
    """
    if not newer or not older or newer == older:
        return None
    found = _by_slot(newer, older)
    if found is not None or _one_attribute(newer, older):
        return found
    return _by_words(newer[:_SCAN], older[:_SCAN])


def _one_attribute(newer: str, older: str) -> bool:
    """Whether both texts give a value to one attribute, so that its slots tell all there is: "now likes tea", "likes coffee"."""
    told = {(fact.attribute, fact.subject) for fact in facts(older) if fact.kind != SAID}
    return any((fact.attribute, fact.subject) in told for fact in facts(newer))


def _by_slot(newer: str, older: str) -> str | None:
    """A change of an attribute that both texts give a value to."""
    told = facts(older)
    for fact in facts(newer):
        if not fact.marks:
            continue
        for before in told:
            if (before.attribute, before.subject) != (fact.attribute, fact.subject) or not _changes(fact, before):
                continue
            if (
                not fact.old
                or compatible(_plain(fact.old), before.value)
                or set(fact.old.split()) <= set(_words(older))
            ):
                return fact.marks[0]
    return None


def _changes(new: Fact, old: Fact) -> bool:
    """Whether a fact takes an older one back, or gives another value to what has one at a time or is said to be replaced."""
    if new.value == old.value:
        return new.negated != old.negated
    other = not new.negated and not old.negated and (new.single or new.replaces)
    return other and not compatible(new.value, old.value)


def _plain(value: str) -> str:
    return " ".join(word for word in value.split() if word not in ("port", "version", "host"))


def _words(text: str) -> list[str]:
    return [word for clause in analyse(text).clauses for word in clause.tokens]


def _by_words(newer: str, older: str) -> str | None:
    """A word of change in a sentence about what the older text is about, and that leads to something it does not say."""
    spoken = _words(older)
    before = set(content(spoken)) - _COMMON
    for sentence in _SENTENCE.split(newer):
        if sentence.rstrip().endswith("?") or _BESIDES.search(sentence):
            continue
        for pattern in (_ENGLISH, _OTHERS):
            match = pattern.search(sentence)
            if match is None or _UNSTATED.search(sentence[: match.end()]):
                continue
            mark = " ".join((match["mark"] or match.groupdict().get("lead") or "").lower().split())
            said = set(content(_words(sentence))) - _COMMON
            shared = said & before
            if not shared or len(shared) < min(2, len(before) - 1) or mark in older.lower():
                continue
            head = sentence[: match.start()]
            if not _about(head if pattern is _ENGLISH else head.partition(" ")[0], older) or not _leads_on(
                sentence[match.end() :], mark, before
            ):
                continue
            if (mark in _ENDED or mark.startswith(("not ", "kein", "n'", "ne "))) and not _ended(
                sentence[match.start() :], before
            ):
                continue
            return mark
    return None


_ENDED = frozenset(("no longer", "used to", "stopped", "quit", "nicht mehr", "ya no"))


def _ended(tail: str, before: set[str]) -> bool:
    """Whether what is said to have ended is what the older text says."""
    told = _words(tail.replace("n'", " ").replace("n’", " "))
    words = set(content(word for word in told if word not in _MARKS)) - _COMMON
    return bool(words) and words <= before


_MARKS = bag("no longer not any more anymore used stopped quit nicht mehr ya plus ne")
_NAME = re.compile(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’-]+")


def _about(head: str, older: str) -> bool:
    """Whether every name before the mark, the sentence's first word aside, stands in the older text; names alone as well."""
    names = [match[0].removesuffix("'s").removesuffix("’s") for match in _NAME.finditer(head)]
    lowered = older.lower()
    known = [name.lower() in lowered for name in names]
    return all(known[1:]) and (not known or known[0] or names[0].lower() in _OPENERS)


_OPENERS = bag(
    "the our my we i as in on at for since after a an this that he she it they der die das ein eine seit ab wir ich mein unser "
    "le la les un une nous je mon notre el los las una nosotros yo mi nuestro correction update its his her their user team now"
)


def _leads_on(tail: str, mark: str, before: set[str]) -> bool:
    """Whether what the change leads to is new to the older text, and what it leaves, where named, is not."""
    old = _OF.match(tail) if mark in _AWAY or mark.endswith("instead of") else _FROM.match(tail)
    if old is not None and not set(content(_words(old["old"]))) <= before:
        return False
    new = _TO.search(tail)
    return new is None or mark in _AWAY or not set(content(_words(new["new"]))) <= before


_AWAY = bag("statt") | {"au lieu de", "en lugar de", "en vez de", "à la place de"}
_TO = re.compile(r"\bto\s+(?P<new>(?:[^.;!?]|\.(?=\S)){1,60})", re.IGNORECASE)
