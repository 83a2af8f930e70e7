"""A frame under construction: giving its parts their words, and keeping everything else, word for word."""

from __future__ import annotations

from dataclasses import dataclass, field

from reverie.text.concepts import Concept
from reverie.text.regions import Segment

_DATE_PREPS = frozenset(("", "on", "at", "in"))
_FIXED_PREPS = frozenset(("", "on", "at", "in", "of", "for"))  # "the retro is scheduled for Monday"
_COUNT_PREPS = frozenset(("", "of", "at"))
_SETTING_PREPS = frozenset(("", "of", "to", "at", "with", "on"))  # "set the limit to 5", "a limit of 5"
_PLAIN_PREPS = frozenset(("", "of"))  # "won with 5" is not "won 5"
_UNIT_PREPS = frozenset(("", "of", "to", "at"))
# Before the noun of the relation these say nothing: "on port 80", "at version 9", "to port 80".
_NOUN_PREPS = frozenset(("", "on", "at", "to", "as"))
_OWN_PRONOUNS = frozenset(("his", "her", "their", "its", "my", "our", "your"))


@dataclass(slots=True)
class Frame:
    """A relation with the words of its two parts (`roles[1]`, `roles[2]`); `rest` is all else that must match."""

    concept: Concept
    roles: list[list[str] | None] = field(default_factory=lambda: [None, None, None])
    rest: list[str] = field(default_factory=list)

    def fill(self, role: int, words: list[str]) -> bool:
        """Give a part its words; False when it has some already."""
        if not words:
            return True
        if self.roles[role] is not None:
            return False
        self.roles[role] = words
        return True

    def add(self, seg: Segment, prep: str) -> None:
        """Keep the values of a segment, each with its preposition where that says something."""
        concept = self.concept
        for value in seg.values:
            kind = value[0]
            if kind in "dto":
                fixed = concept.nominal or concept.loose
                light = prep in (_FIXED_PREPS if fixed else _DATE_PREPS) or (prep == "by" and concept.by_date)
            elif concept.plain:
                light = prep in _PLAIN_PREPS
            elif "|" in value:
                light = prep in _UNIT_PREPS
            else:
                light = prep in (_SETTING_PREPS if concept.loose else _COUNT_PREPS)
                light = light or prep in concept.preps[1] or prep in concept.preps[2]
            if concept.recurring and kind == "d" and len(value) == 6 and value[-1] == "s":
                value = value[:-1]
            self.rest.append(f"= {'' if light else prep + ' '}{value}")

    def text(self, adverbs: list[str]) -> str | None:
        """The canonical form, or None when two values of one kind would lose their places or no part is known."""
        concept = self.concept
        first, second = joined(self.roles[1]), joined(self.roles[2])
        if not first and not second:
            return None
        kinds = [_kind(entry) for entry in self.rest if entry[:2] == "= "]
        if len(kinds) != len(set(kinds)):
            return None
        if concept.loose and not (first and second):
            first, second = first or second, "*"
        elif concept.symmetric and first > second:
            first, second = second, first
        return "\x1f".join(("\x01" + concept.name, first, second, *sorted(self.rest + adverbs)))


def _kind(entry: str) -> str:
    value = entry.rpartition(" ")[2]
    return value[0] + value[2:].lstrip("+-~0123456789.,") if value[0] == "n" else value[0]


def joined(words: list[str] | None) -> str:
    """The words of a part in order, its classifiers ("project", "team") last and sorted."""
    if not words:
        return ""
    return " ".join([w for w in words if w[:2] != "c:"] + sorted({w for w in words if w[:2] == "c:"}))


def split_owner(frame: Frame, seg: Segment, role: int) -> bool:
    """Give a part a noun phrase; where the relation says so, "Ana's Postgres" is Ana as part 1 and Postgres as part
    2."""
    if frame.concept.owner and seg.owner and seg.words and "'s" not in seg.owner:
        seg.taken = True
        return frame.fill(1, seg.owner) and frame.fill(2, seg.words)
    return frame.fill(role, seg.all_words())


def noun_parts(frame: Frame, seg: Segment, segs: list[Segment], copula: bool = False) -> bool:
    """Read a relational noun's possessor ("X's N", "the N of X") and its modifiers; False when two claim one part."""
    concept = frame.concept
    noun_role = seg.take_noun(concept)
    role = noun_role or concept.noun_role
    seg.used = True
    known = frame.roles[role] is not None or frame.roles[3 - role] is not None
    if len(seg.owner) == 1 and seg.owner[0] in _OWN_PRONOUNS and known:
        seg.owner = []
    seg.words = [word for word in seg.words if not (known and word in _OWN_PRONOUNS)]
    at = next(i for i, other in enumerate(segs) if other is seg)
    nearest = segs[at + 1] if at + 1 < len(segs) else None
    holds = (
        nearest is not None and nearest.has_words() and (nearest.prep == "of" or nearest.prep in concept.preps[role])
    )
    if seg.owner:
        if concept.loose and holds and nearest is not None and nearest.prep != "of" and frame.roles[3 - role] is None:
            # "Ana's budget for Atlas": the thing is named by the preposition, so the owner is the other part.
            nearest.used = True
            if not frame.fill(3 - role, seg.owner) or not frame.fill(role, nearest.all_words()):
                return False
            frame.add(nearest, "")
        elif concept.owner and seg.words:
            if not frame.fill(1, seg.owner) or not frame.fill(2, seg.words):
                return False
            seg.words = []
        elif concept.owner and "'s" in seg.owner:
            cut = seg.owner.index("'s")
            if not frame.fill(1, seg.owner[:cut]) or not frame.fill(2, seg.owner[cut + 1 :]):
                return False
        elif not frame.fill(role, seg.owner):
            return False
    elif holds and nearest is not None and frame.roles[role] is None:
        nearest.used = True
        if not split_owner(frame, nearest, role):
            return False
        frame.add(nearest, "")
    words = seg.words
    if words and words[0] in ("named", "called"):
        # "has a brother named Bo"
        if not frame.fill(3 - role, words[1:]):
            return False
    elif (
        words
        and concept.modified
        and not copula
        and not seg.values
        and not (nearest and nearest.prep == "of")
        and frame.roles[3 - role] is None
    ):
        frame.fill(3 - role, words)
    elif words and role == 2 and frame.roles[2] is None:
        # "the Atlas lead", "an Oslo resident"
        frame.fill(2, words)
    elif words:
        frame.rest.append("m " + joined(words))
    if seg.prep not in _NOUN_PREPS:
        frame.rest.append(f"p {seg.prep}")
    frame.add(seg, "")
    return True


def finish(frame: Frame, role: int, segs: list[Segment], tail: list[Segment], object_first: bool) -> Frame:
    """Give the open part its words and put everything else into the rest. `tail` are adjuncts inside the subject."""
    concept = frame.concept
    for seg in tail:
        if seg.has_words():
            frame.rest.append(f"s {seg.prep} {joined(seg.all_words())}")
        frame.add(seg, seg.prep)
    for seg in segs:
        if seg.used:
            continue
        if not seg.taken and seg.noun_of(concept):
            # "is flying on flight 123": the relation named again.
            seg.take_noun(concept)
            if seg.owner and not seg.words:
                seg.words, seg.owner = ["'s", *seg.owner], []
            if seg.has_words():
                frame.rest.append("m " + joined(seg.all_words()))
            if seg.prep not in _NOUN_PREPS:
                frame.rest.append(f"p {seg.prep}")
            frame.add(seg, "")
            continue
        words = [] if seg.taken else seg.all_words()
        if words:
            _place(frame, role, seg.prep, words, object_first)
        frame.add(seg, seg.prep)
    return frame


def _place(frame: Frame, role: int, prep: str, words: list[str], object_first: bool) -> None:
    concept = frame.concept
    roles = frame.roles
    if role:
        if roles[role] is None and ((not prep and object_first) or prep in concept.preps[role]):
            roles[role] = words
            return
        if roles[3 - role] is None and prep and prep in concept.preps[3 - role]:
            roles[3 - role] = words
            return
        held = roles[role]
        if held is not None and prep in concept.preps[role] and all(word[:2] == "c:" for word in held):
            # "a team of 12 on Atlas": the name that the bare classifier lacked.
            roles[role] = [*words, *held]
            return
    if prep == "as":
        # "prefers Vim as her editor" is "her preferred editor is Vim".
        prep, words = "m", [word for word in words if word not in _OWN_PRONOUNS]
    frame.rest.append(f"{prep} {joined(words)}")
