"""The closed set of questions that a judge may be asked, and of answers that it may give (design section 10).

A judge sees texts by number, from 0 in the order of `Question.texts`, and answers with enums and numbers; only `Condense`,
`Abstract`, `Suggest` and `Portray` may compose, and `reverie.judge.checking` holds what they compose against its sources. An
error and an empty answer are different types: `Unanswered` is never read as "nothing found" (field notes 42).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from reverie.model import Kind

ITEMS_MAX = 25  # items that one prompt may hold (law 10, [S5])


class Verdict(StrEnum):
    """A judge's closed answer about two texts [S2]."""

    SAME = "same"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"
    UNSURE = "unsure"


class Act(StrEnum):
    """What a consolidation may propose for a group of experiences [S4]."""

    MERGE = "merge"
    ABSTRACT = "abstract"
    LINK = "link"
    REPLACE = "replace"


class Cause(StrEnum):
    """Why a question has no answer."""

    NO_JUDGE = "no judge"  # none is set up, or this run may not call it
    LOGIN = "login"  # 401 or 403: the key is wrong or has expired
    UNAVAILABLE = "unavailable"  # no connection, connection reset, 5xx, or calls are held back after too many of these
    RATE_LIMITED = "rate limited"  # 429, beyond what waiting could mend before the deadline
    TIMEOUT = "timeout"  # no whole answer before the deadline
    CAP = "spend cap"  # the call was not made: it might have gone over a cap
    MISCONFIGURED = "misconfigured"  # 404, an unknown model, a request that no retry can mend
    MALFORMED = "malformed"  # no JSON, or not of the form asked for
    TRUNCATED = "truncated"  # the model ran out of tokens
    WRONG_NUMBER = "wrong number"  # it names a candidate that was not shown
    REFUSED = "refused"  # a content filter
    UNSUPPORTED = "unsupported"  # what it composed says more than its sources, or is too long
    TOO_LARGE = "too large"  # a reply of more bytes, or a question of more text, than is taken

    @property
    def of_provider(self) -> bool:
        """Whether the provider is at fault and not this question: it may be asked again later, as it stands."""
        return self in _OF_PROVIDER


_OF_PROVIDER = frozenset(
    {
        Cause.NO_JUDGE, Cause.LOGIN, Cause.UNAVAILABLE, Cause.RATE_LIMITED, Cause.TIMEOUT, Cause.CAP,
        Cause.MISCONFIGURED,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that is shown. ``id`` stays in this process: a judge sees a number in its place."""

    id: str
    text: str
    text_hash: bytes


@dataclass(frozen=True, slots=True)
class Relate:
    """How do two statements relate? Symmetric: the texts are shown in the order of their hashes."""

    a: Candidate
    b: Candidate

    def texts(self) -> tuple[Candidate, ...]:
        return (self.a, self.b) if self.a.text_hash <= self.b.text_hash else (self.b, self.a)


@dataclass(frozen=True, slots=True)
class SameEntity:
    """Which of these 2 to 25 names with their properties are one and the same thing [S5]?"""

    entities: tuple[Candidate, ...]

    def texts(self) -> tuple[Candidate, ...]:
        return self.entities


@dataclass(frozen=True, slots=True)
class Identify:
    """Which of up to 24 known things does the first text speak of, if any?"""

    about: Candidate
    known: tuple[Candidate, ...]

    def texts(self) -> tuple[Candidate, ...]:
        return (self.about, *self.known)


@dataclass(frozen=True, slots=True)
class Abstract:
    """What knowledge follows from a group of experiences, next to what is known already [S4]?"""

    experiences: tuple[Candidate, ...]
    known: tuple[Candidate, ...] = ()
    limit: int = 500  # characters of a composed text

    def texts(self) -> tuple[Candidate, ...]:
        return (*self.experiences, *self.known)


@dataclass(frozen=True, slots=True)
class Condense:
    """One shorter wording of these texts, with every fact in it, of at most ``limit`` characters [S1]."""

    sources: tuple[Candidate, ...]
    limit: int

    def texts(self) -> tuple[Candidate, ...]:
        return self.sources


@dataclass(frozen=True, slots=True)
class Suggest:
    """A next step for an open problem, from what is known [S4]."""

    problem: Candidate
    known: tuple[Candidate, ...]
    limit: int = 300

    def texts(self) -> tuple[Candidate, ...]:
        return (self.problem, *self.known)


@dataclass(frozen=True, slots=True)
class FindNames:
    """Which people does this text name [S4]?"""

    text: Candidate

    def texts(self) -> tuple[Candidate, ...]:
        return (self.text,)


@dataclass(frozen=True, slots=True)
class Portray:
    """What do these pieces of knowledge say under each of the given headings [S4 S5]?"""

    knowledge: tuple[Candidate, ...]
    headings: tuple[str, ...]
    limit: int = 600  # characters under one heading

    def texts(self) -> tuple[Candidate, ...]:
        return self.knowledge


@dataclass(frozen=True, slots=True)
class Label:
    """Which one of these labels fits the text?"""

    text: Candidate
    choices: tuple[str, ...]

    def texts(self) -> tuple[Candidate, ...]:
        return (self.text,)


Question: TypeAlias = Relate | SameEntity | Identify | Abstract | Condense | Suggest | FindNames | Portray | Label


@dataclass(frozen=True, slots=True)
class Related:
    """Answer to `Relate`. ``reason`` is code's own, never a model's prose.

    ``explicit``: one of the texts says itself that something changed ("moved to", "no longer"): only set by `RuleJudge`.
    """

    verdict: Verdict
    reason: str = ""
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """Answer to `SameEntity`: groups of two numbers or more, disjoint; what stands alone is left out."""

    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Identified:
    """Answer to `Identify`: a number of `Identify.known` (from 0), or None for none of them."""

    number: int | None


@dataclass(frozen=True, slots=True)
class Proposed:
    """One proposal in `Abstracted`. ``sources`` are numbers of experiences; ``known`` is a number of known texts or None.

    ``text`` and ``kind`` stand with `Act.ABSTRACT` and `Act.REPLACE` only.
    """

    act: Act
    sources: tuple[int, ...]
    known: int | None = None
    kind: Kind | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Abstracted:
    """Answer to `Abstract`; empty when nothing follows."""

    proposals: tuple[Proposed, ...]


@dataclass(frozen=True, slots=True)
class Composed:
    """Answer to `Condense` and `Suggest`. None: there is nothing to suggest."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Names:
    """Answer to `FindNames`: each stands in the text as it is written here."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Portrayed:
    """Answer to `Portray`: (heading, text, numbers of its sources); headings with nothing to say are left out."""

    parts: tuple[tuple[str, str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Answer to `Label`: one of the choices, or None where none fits."""

    label: str | None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """There is no answer, and why. ``detail`` is for people and holds neither stored text nor a key."""

    cause: Cause
    detail: str = ""


Answer: TypeAlias = Related | Groups | Identified | Abstracted | Composed | Names | Portrayed | Labelled

ANSWERS: dict[type, type] = {
    Relate: Related, SameEntity: Groups, Identify: Identified, Abstract: Abstracted, Condense: Composed, Suggest: Composed,
    FindNames: Names, Portray: Portrayed, Label: Labelled,
}  # fmt: skip
"""The type that answers each question."""
