"""Changes told as such, in the words of the state that they lead to: "moved to X" is "lives in X", "rose to 5" is "is 5".

Each rule yields readings beside each other where the words allow several states; the caller keeps those that come out as a
known attribute. A rule never drops a word that says which thing, where or when.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.text.concepts import PREPOSITIONS, Lexicon
from reverie.text.lexicon import bag
from reverie.text.scope import Tokens, value

_MOVED = bag("moved moves relocated")
# Verbs of a subject that becomes another value: "X was raised to V", "X rose to V", "X changed from U to V".
_BECAME = bag(
    "moved relocated changed updated raised lowered increased decreased reduced cut extended bumped grown grew risen rose "
    "fell fallen dropped went gone shrunk shrank switched corrected postponed rescheduled shortened set reset pushed shifted "
    "adjusted upgraded downgraded doubled amended reassigned transferred renamed rebranded"
)
_CAUSED = bag(
    "changed updated raised lowered increased decreased reduced extended bumped corrected postponed rescheduled shortened "
    "moved pushed shifted adjusted cut dropped"
)
_VERSIONED = bag("upgraded downgraded updated bumped migrated moved")
_SWITCHED = bag("switched migrated converted")
_ASIDE = bag("last this yesterday today recently already after because and , to")
_PARTICLES = bag("up down back over")
_SYSTEM = bag("port version host server region branch channel")
_NO_DWELLER = bag(
    "meeting stand-up deadline release launch date file files folder team service server database job backup data host "
    "project ticket office company repository cluster traffic domain site key review call session"
)


@dataclass(frozen=True, slots=True)
class Form:
    """One reading of a change: the state it leads to, its word, the values before and after, whether one must replace another.

    ``new`` is empty where the whole clause is what is new.
    """

    tokens: Tokens
    mark: str = ""
    old: Tokens = ()
    replaces: bool = False
    new: Tokens = ()


def changed(t: Tokens, lexicon: Lexicon) -> list[Form]:
    """The states that a clause tells of: itself where it tells of no change. Never empty, at most four."""
    verb = next((i for i, word in enumerate(t) if i and word in _CHANGES), 0)
    if verb:
        subject = t[:verb]
        if subject[-1] in ("have", "was", "be", "been") and len(subject) > 1:
            passive = subject[-1] != "have"
            subject = subject[:-1]
            if subject[-1:] == ("have",) and len(subject) > 1:
                subject = subject[:-1]
        else:
            passive = False
        found = _told(subject, t[verb], t[verb + 1 :], passive)
        if found:
            return found[:4]
        if t[verb] in ("moved", "relocated", "switched", "replaced", "reassigned", "renamed"):
            return []
    if t.count(":") == 1 and 1 < (at := t.index(":")) < len(t) - 1 and "be" not in t and len(t) - at <= 6:
        # A label of one word ("Total: 5") does not tell of what.
        return [Form((*t[:at], "be", *t[at + 1 :])), Form(t)]  # "Redis port: 6379"
    return [Form(t)]


def _target(rest: Tokens) -> tuple[Tokens, Tokens, Tokens]:
    """Split "from U to V ..." and "to V from U": what stands before, the old value, the new one with all that follows."""
    if "to" not in rest:
        return rest, (), ()
    to = rest.index("to")
    if "from" in rest[:to]:
        at = rest.index("from")
        return rest[:at], rest[at + 1 : to], rest[to + 1 :]
    after = rest[to + 1 :]
    if "from" in after and not value(after[-1]):
        at = after.index("from")
        return rest[:to], after[at + 1 :], after[:at]
    return rest[:to], (), after


def _told(subject: Tokens, verb: str, rest: Tokens, passive: bool) -> list[Form]:
    if rest[:1] and rest[0] in _PARTICLES:
        rest = rest[1:]
    if verb == "replaced":
        return _replaced(subject, rest, passive)
    if rest[:1] == (":",):
        rest = rest[1:]
    if verb == "grown" or (verb in _BECAME and rest[:1] in (("to",), ("from",))):
        _, old, new = _target(rest)
        return _became(subject, verb, old, new, passive) if new else []
    if passive:
        return []
    thing, old, new = _target(rest)
    if not thing or not new:
        if verb in ("rebooked", "became") and rest:
            return [Form((*subject, "booked" if verb == "rebooked" else "be", *rest), verb, replaces=True)]
        return []
    if verb in _VERSIONED and new[0] in _SYSTEM and len(new) > 1:
        kept = ("keeps", "at") if new[0] == "version" else ("runs", "on")
        return [Form((*subject, kept[0], *thing, kept[1], *new), verb, old, True)]
    if verb in _VERSIONED and len(new) == 1 and new[0][:2] in ("n:", "v:") and verb != "moved":
        return [Form((*subject, "keeps", *thing, "at", "version", *new), verb, old, True)]
    if verb in _CAUSED:
        owned = (*subject, "'s", *thing)
        return [
            Form((*subject, "set", *thing, "to", *new), verb, old, True),
            Form((*thing, "be", *new), verb, old, True),
            Form((*owned, "be", *new), verb, old, True),
        ]
    return []


def _became(subject: Tokens, verb: str, old: Tokens, new: Tokens, passive: bool) -> list[Form]:
    mark = f"{verb} to"
    if verb in _SWITCHED and not passive and "'s" not in subject and "of" not in subject:
        return [Form((*subject, state, *new), mark, old, True) for state in ("prefers", "uses")]
    if verb in ("renamed", "rebranded"):
        return [Form((*subject, "be", "called", *new), mark, old, True)]
    if verb == "reassigned":
        return [Form((*subject, "be", "assigned", "to", *new), mark, old, True)]
    if verb in _MOVED and not value(new[0]) and _dweller(subject):
        if new[0] in _SYSTEM:
            return [Form((*subject, "runs", "on", *new), mark, old, True)]
        return [Form((*subject, "lives", "in", *_place(new)), mark, old, True), *_located(subject, mark, old, new)]
    if verb in ("grown", "grew", "shrunk", "shrank") and "'s" in subject and subject[-1] == "team":
        at = subject.index("'s")
        led = (*subject[:at], "leads", *subject[at + 1 :], "of", *new)
        return [Form(led, mark, old, True, new[:1]), Form((*subject, "be", *new), mark, old, True)]
    if verb in _MOVED and new[0] in _SYSTEM:
        return [Form((*subject, "runs", "on", *new), mark, old, True)]
    if verb in _MOVED and not value(new[0]):
        return _located(subject, mark, old, new)
    prep = {"t": "at", "d": "on"}.get(new[0][:1] if value(new[0]) else "", "")
    timed = (Form((*subject, "be", prep, *new), mark, old, True),) if prep else ()
    return [
        Form((*subject, "be", *new), mark, old, True),
        *(timed or (Form((*subject, "be", "set", "to", *new), mark, old, True),)),
    ]


def _located(subject: Tokens, mark: str, old: Tokens, new: Tokens) -> list[Form]:
    return [Form((*subject, "be", "in", *_place(new)), mark, old, True)]


def _place(new: Tokens) -> Tokens:
    """The place alone, without when, why and with whom."""
    at = next(
        (i for i, word in enumerate(new) if i and (word in _ASIDE or (word in PREPOSITIONS and word != "of"))), len(new)
    )
    return new[:at]


def _dweller(subject: Tokens) -> bool:
    """Whether a subject may be somebody who lives somewhere: a bare name, no thing that is owned or scheduled."""
    return (
        len(subject) <= 3
        and "'s" not in subject
        and PREPOSITIONS.isdisjoint(subject)
        and _NO_DWELLER.isdisjoint(subject)
        and not any(map(value, subject))
    )


def _replaced(subject: Tokens, rest: Tokens, passive: bool) -> list[Form]:
    """Read "X replaced U with V [for P]" as "X uses V [for P]"; "replaced by" names no attribute of its own."""
    if passive or "with" not in rest:
        return []
    at = rest.index("with")
    if not at or at + 1 >= len(rest):
        return []
    return [Form((*subject, state, *rest[at + 1 :]), "replaced", rest[:at], True) for state in ("uses", "prefers")]


_CHANGES = _BECAME - bag("set") | _CAUSED | _VERSIONED | bag("replaced rebooked became relocated")
