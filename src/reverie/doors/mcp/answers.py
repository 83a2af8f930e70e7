"""What each tool answers with: small models, made from what the façade gives. No vector is in any, and no hash."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from reverie.briefing import Briefing
from reverie.curation.review import ReviewItem
from reverie.doors.mcp.fence import NOTICE
from reverie.errors import ReverieError
from reverie.history import History
from reverie.intake import Outcome
from reverie.model import Entry, Memory
from reverie.recall.recall import Hit
from reverie.store.records import JobRecord

MOVES_MOST = 30  # of a history: the newest


def at(moment: datetime | None) -> str | None:
    """A time as ISO 8601, to the second."""
    return None if moment is None else moment.isoformat(timespec="seconds")


class Answer(BaseModel):
    """What every structured answer is. Fields that say nothing are left out."""

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return self.model_dump(mode="json", exclude_none=True)


class Shown(Answer):
    """A memory as an agent needs it. ``text`` may be its gist where room was short."""

    id: str
    text: str
    kind: str
    trust: str = Field(description="trusted: said by a person, or borne out. provisional: not yet.")
    stated_at: str = Field(description="When it was last stated")
    state: str | None = Field(default=None, description="Where it is not live")
    confidence: str | None = Field(default=None, description="verified or stale, where it is either")
    pinned: bool | None = None
    key: str | None = None
    revision: int | None = None
    occurred_at: str | None = None
    score: float | None = None

    @classmethod
    def of(cls, m: Memory, text: str | None = None, score: float | None = None) -> Shown:
        """A memory, or a hit."""
        return cls(
            id=m.id, text=m.text if text is None else text, kind=m.kind.value, trust=m.trust.value, stated_at=at(m.stated_at) or "",
            state=None if m.state.value == "live" else m.state.value,
            confidence=None if m.confidence.value == "default" else m.confidence.value,
            pinned=m.pinned or None, key=m.key, revision=m.revision, occurred_at=at(m.occurred_at),
            score=None if score is None else round(score, 3),
        )  # fmt: skip


class Kept(Answer):
    """What became of one text."""

    id: str | None = Field(default=None, description="The memory that now states it")
    restated: bool = Field(default=False, description="It was known already, and was only noted as said again")
    superseded: str | None = Field(default=None, description="The memory that gave way to it")
    masked: list[str] | None = Field(default=None, description="Kinds of secrets that were taken out of it")
    error: str | None = Field(default=None, description="Why it was not kept; the others were")

    @classmethod
    def of(cls, got: Outcome, told: str | None = None) -> Kept:
        """An outcome of the façade; ``told`` is the error in words."""
        if told is not None or isinstance(got.error, ReverieError):
            return cls(error=told)
        return cls(
            id=got.id, restated=got.restated, superseded=getattr(got, "superseded", None),
            masked=list(getattr(got, "masked", ())) or None,
        )  # fmt: skip


class Remembered(Answer):
    """One outcome for each text, in order."""

    outcomes: list[Kept]


class Found(Answer):
    """What was recalled, best first."""

    notice: str = NOTICE
    memories: list[Shown]
    left_out: list[str] = Field(default=[], description="Ids of more hits, which did not fit into budget_tokens")

    @classmethod
    def of(cls, hits: list[Hit], left_out: list[str]) -> Found:
        """Hits that are shown, and ids of those that are not."""
        return cls(memories=[Shown.of(h.memory, h.text, h.score) for h in hits], left_out=left_out)


class Stands(Answer):
    """A memory after an act."""

    id: str
    state: str
    revision: int

    @classmethod
    def of(cls, m: Memory) -> Stands:
        """Of a row."""
        return cls(id=m.id, state=m.state.value, revision=m.revision)


class Moved(Answer):
    """One move of a history."""

    at: str
    move: str
    reason: str
    by: str = Field(description="The step or act that made it")
    status: str
    entry: int

    @classmethod
    def of(cls, e: Entry) -> Moved:
        """A journal entry; its images stay in the journal."""
        return cls(at=at(e.at) or "", move=e.move, reason=e.reason, by=e.step, status=e.status, entry=e.n)


class Told(Answer):
    """The history of one memory."""

    notice: str = NOTICE
    memory: Shown
    said_by: str
    channel: str
    said_times: int
    versions: list[Shown] = Field(description="Others that it superseded, took in, or gave way to")
    moves: list[Moved]
    more_moves: int = 0

    @classmethod
    def of(cls, h: History) -> Told:
        """Its newest moves, and how many more there are."""
        return cls(
            memory=Shown.of(h.memory), said_by=h.memory.origin.principal, channel=h.memory.origin.channel.value,
            said_times=len(h.sightings), versions=[Shown.of(v) for v in h.versions if v.id != h.memory.id],
            moves=[Moved.of(e) for e in h.entries[-MOVES_MOST:]], more_moves=max(0, len(h.entries) - MOVES_MOST),
        )  # fmt: skip


class Waits(Answer):
    """One thing that a person is to decide."""

    id: str
    what: str = Field(description="plan, quarantine or pair")
    reason: str
    at: str
    accept: str = Field(description="What accepting it would do")
    reject: str = Field(description="What rejecting it would do")
    memories: list[Shown]

    @classmethod
    def of(cls, i: ReviewItem) -> Waits:
        """An item."""
        return cls(
            id=i.id, what=i.what, reason=i.reason, at=at(i.at) or "", accept=i.accept, reject=i.reject,
            memories=[Shown.of(m) for m in i.memories],
        )  # fmt: skip


class Waiting(Answer):
    """What waits for a person, oldest first."""

    notice: str = NOTICE
    items: list[Waits]


class Happened(Answer):
    """One line of a briefing."""

    at: str
    why: str
    memories: list[str]
    texts: list[str]


class Heading(Answer):
    """A section of a briefing."""

    title: str
    count: int
    items: list[Happened]
    more: int = 0


class Day(Answer):
    """What happened on a UTC day."""

    notice: str = NOTICE
    day: str
    headline: str
    notes: list[str]
    sections: list[Heading]

    @classmethod
    def of(cls, b: Briefing) -> Day:
        """A briefing."""
        return cls(
            day=b.day.isoformat(), headline=b.headline, notes=list(b.notes),
            sections=[
                Heading(
                    title=s.title, count=s.count, more=s.more,
                    items=[
                        Happened(
                            at=at(i.at) or "", why=i.why, memories=list(i.memories),
                            texts=[t if t is not None else "(no longer there)" for t in i.texts],
                        )
                        for i in s.items
                    ],
                )
                for s in b.sections
            ],
        )  # fmt: skip


class Job(Answer):
    """How a curation stands."""

    job: str
    status: str = Field(description="waiting, running, done, parked, failed, stopped or lost")
    moves: int = 0
    run: str | None = Field(default=None, description="The run in the journal")
    error: str | None = None

    @classmethod
    def of(cls, j: JobRecord) -> Job:
        """A record."""
        return cls(job=j.id, status=j.status, moves=int(j.progress.get("moves", 0)), run=j.run, error=j.error)
