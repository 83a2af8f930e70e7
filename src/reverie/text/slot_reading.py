"""One clause as a plain statement of the present: its negation and its words of change are taken off and told apart.

"Ana no longer lives in Oslo" is read as "Ana lives in Oslo", denied; "Ana's stand-up moved to Friday" as "Ana's stand-up is
Friday", said to have changed. What is only planned, supposed, asked or reported states nothing and has no reading.
"""

from __future__ import annotations

from dataclasses import dataclass

from reverie.text.concepts import Lexicon, inflect, irregular_verbs
from reverie.text.lexicon import bag
from reverie.text.morphology import base_of, is_participle, past_of, third_of
from reverie.text.scope import Tokens
from reverie.text.slot_changes import changed
from reverie.text.tokens import Clause

LONGEST = 40  # tokens of a clause: what is longer says several things, and no single value of one thing
HYPOTHETICAL = bag(
    "if whether unless might may could would should shall ought maybe perhaps probably possibly allegedly apparently "
    "reportedly supposedly likely unlikely hypothetically tentative tentatively potential potentially eventually soon "
    "todo unclear unsure uncertain rumour rumor planned planning want wants wanted hope hopes hoped hoping "
    "consider considers considered considering propose proposes proposed expect expects expected intend intends intended "
    "think thinks thought believe believes believed suppose supposed seem seems seemed guess guesses guessed try tries "
    "tried trying wish wishes wished suggest suggests suggested claimed say says said saying tell tells told "
    "ask asks asked assume assumes assumed aim aims announce announced reported confirm confirms confirmed "
    "offered promised agree agrees agreed decide decides decided refuse "
    "suspect suspects suspected deny denies denied know knows knew regret regrets pretend pretends forget forgot remember "
    "remembers dreamed hear heard mention mentioned going "
    "example imagine because although though while when whenever until till or either neither nor but except rather than "
    "how why what who whose which unlike formerly previously former ex ago last previous old next "
    "upcoming someone somebody anyone another other others also too only even almost nearly half both"
)
_LEADS = bag("correction update updated edit edited erratum corrected")
_NOW = bag("now currently nowadays presently")
_PRONOUN = bag("it he she they this that these those his her their its him them there here one some someone")
_FIRST = {"my": "i", "our": "we", "your": "you"}
_PURPOSES = bag(
    "used plan plans offer offers promise promises claim claims report reports going hope hopes dream dreams wants"
)
_PARTIAL = bag("some any many most several few half either sometimes often may might")
_STOP = bag("stopped stops quit quits ceased")
_REFUSED = bag("refuses refused declines declined")
_NEGATORS = bag("not never no")
_DENIED_VERBS = bag("will can must have be was had")


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause without negation and change. ``marks`` are the words that tell of a change, in order.

    ``old`` is the value that the clause itself calls past ("from X"), empty where it names none. ``new`` is the value that
    the change is about, empty where all of the clause is. ``replaces``: it says that the new value stands in place of another,
    whatever the attribute ("instead", "switched to").
    """

    tokens: Tokens
    negated: bool = False
    marks: tuple[str, ...] = ()
    old: Tokens = ()
    replaces: bool = False
    new: Tokens = ()


def readings(clause: Clause, lexicon: Lexicon) -> list[Reading]:
    """The readings of a clause, none where it states nothing plainly. At most six, of at most `LONGEST` tokens."""
    t = clause.tokens
    if clause.end or not 2 < len(t) <= LONGEST:
        return []
    marks: list[str] = []
    if t[0] in _LEADS and len(t) > 4:
        marks.append(t[0])
        t = t[1:]
        t = t[1:] if t[0] in (":", ",") else t
    if t[0] in _PRONOUN or (t[0] == "no" and t[1] != "longer"):
        return []
    t = _owned_by_speaker(t)
    t, polarity = _denial(t, lexicon, marks)
    if polarity is None:
        return []
    t, old, replaces = _instead(t, marks)
    t = _present(t, marks)
    replaces = replaces or bool(old and "now" in marks)
    if len(t) < 3:
        return []
    out: list[Reading] = []
    for form in changed(t, lexicon):
        if polarity and form.mark:
            continue  # "did not move to Oslo" leads to no state
        if HYPOTHETICAL.isdisjoint(form.tokens) and len(form.tokens) > 2 and not _unstated(form.tokens):
            told = (*marks, *((form.mark,) if form.mark else ()))
            swapped = replaces or form.replaces or bool(marks and marks[0] in _LEADS)
            out.append(Reading(form.tokens, polarity, tuple(told), old or form.old, swapped, form.new))
    return out[:6]


def _unstated(t: Tokens) -> bool:
    """Whether a clause tells of a state that has ended ("used to live") or of a purpose ("plans to live")."""
    return any(t[i] in _PURPOSES and t[i + 1] == "to" for i in range(len(t) - 1))


def _owned_by_speaker(t: Tokens) -> Tokens:
    """Read "my home" as "i 's home": a grammar of possessives then reads it."""
    if _FIRST.keys().isdisjoint(t):
        return t
    out: list[str] = []
    for word in t:
        out.extend((_FIRST[word], "'s") if word in _FIRST else (word,))
    return tuple(out)


def _denial(t: Tokens, lexicon: Lexicon, marks: list[str]) -> tuple[Tokens, bool | None]:
    """The clause without its one negation, and whether it had one; None where it has several or one of another kind."""
    for i in range(1, len(t) - 1):
        if t[i] in _STOP and t[i + 1].endswith("ing") and len(t[i + 1]) > 4:
            at = i - 1 if i > 1 and t[i - 1] in ("have", "be") else i
            marks.append("stopped")
            return (*t[:at], third_of(base_of(f"{t[i + 1][:-3]}ed", lexicon)), *t[i + 2 :]), _single(t, i)
        if t[i] in _REFUSED and t[i + 1] == "to" and i + 3 < len(t):
            said = third_of(t[i + 2]) if t[i] in ("refuses", "declines") else _past(t[i + 2])
            return (*t[:i], said, *t[i + 3 :]), _single(t, i)
    if t[-2:] == ("any", "more") or t[-1] == "anymore":
        t = t[:-2] if t[-1] == "more" else t[:-1]
        marks.append("anymore")
    found = [i for i, word in enumerate(t) if word in _NEGATORS]
    if not found:
        return t, False if "anymore" not in marks else None
    if t[0][:2] == "n:" or not _PARTIAL.isdisjoint(t):
        return t, None  # "some jobs do not run" denies nothing of the others
    if len(found) > 1 or "without" in t or "none" in t:
        return t, None
    i = found[0]
    if t[i : i + 2] == ("no", "longer"):
        marks.append("no longer")
        rest = t[i + 2 :]
        if i == 0:
            return rest, True
        return (*t[:i], *rest), True
    before, after = t[i - 1] if i else "", t[i + 1] if i + 1 < len(t) else ""
    if t[i] == "never":
        return (*t[:i], *t[i + 1 :]), True if i and after != "mind" else None
    if t[i] == "no":
        return ((*t[:i], *t[i + 1 :]), True) if i and after and before not in ("be", "in", "of", "there") else (t, None)
    if before == "do" and after:
        return (*t[: i - 1], third_of(after), *t[i + 1 :][1:]), True
    if before == "did" and after:
        return (*t[: i - 1], _past(after), *t[i + 1 :][1:]), True
    if before in ("have", "had") and after:
        return _perfect(t[: i - 1], t[i + 1 :], before), True
    if before in _DENIED_VERBS:
        return (*t[:i], *t[i + 1 :]), True
    return t, None


def _perfect(subject: Tokens, rest: Tokens, have: str) -> Tokens:
    """The past of a perfect: what has not been approved was not approved."""
    if rest[0] == "been" and len(rest) > 1 and is_participle(rest[1]):
        return (*subject, "was", *rest[1:])
    return (*subject, past_of(rest[0]), *rest[1:]) if is_participle(rest[0]) else (*subject, have, *rest)


def _single(t: Tokens, at: int) -> bool | None:
    return None if any(word in _NEGATORS for word in t[:at]) else True


def _past(base: str) -> str:
    """The past of a base form."""
    return past_of(inflect(base, irregular_verbs())[2][0])


def _instead(t: Tokens, marks: list[str]) -> tuple[Tokens, Tokens, bool]:
    """Take "instead" and "instead of X" off the end: the clause, X, and whether there was one."""
    if "instead" not in t:
        return t, (), False
    at = t.index("instead")
    if at == len(t) - 1 and at > 2:
        marks.append("instead")
        return t[:at], (), True
    if t[at + 1] == "of" and 2 < at < len(t) - 2 and len(t) - at <= 6:
        # "uses Redis instead of Kafka" compares as often as it tells of a change.
        return t[:at], t[at + 2 :], False
    return t, (), False


def _present(t: Tokens, marks: list[str]) -> Tokens:
    """Take "now" out; "left and now works at X" is "works at X"."""
    at = next((i for i, word in enumerate(t) if word in _NOW), -1)
    if at < 0:
        return t
    if t[at] == "now":
        marks.append("now")
    if at and t[at - 1] == "and":
        verb = next((i for i in range(1, at - 1) if t[i] in ("left", "quit", "resigned", "retired")), 0)
        return (*t[:verb], *t[at + 1 :]) if verb else t
    return (*t[:at], *t[at + 1 + (t[at + 1 : at + 2] == (",",)) :])
