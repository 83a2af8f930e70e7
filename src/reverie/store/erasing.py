"""What an erasure looks at and what it destroys, in the statements that every store shares. Only `reverie.erasure` calls it.

Here no law but the scope's holds: texts are emptied and journal entries lose their words. What may go is decided above.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reverie.clock import from_us, to_us
from reverie.model import Channel, Entry, Memory, Origin, Sighting, State
from reverie.store import rows
from reverie.store.codec import chain_hash, dumps, hashed_fields
from reverie.store.records import ErasureRecord
from reverie.store.session import Row, Session

NOBODY = "erased"
"""Stands where a name, a reason or an error stood."""
PAGE = 500
KEPT_STATES = [s.value for s in State if s is not State.ERASED]


@dataclass(frozen=True, slots=True)
class Stated:
    """A sighting with its number in the store."""

    n: int
    sighting: Sighting


class Traces:
    """Where words may stand in one scope: read inside a snapshot or a transaction, in pages."""

    def __init__(self, session: Session) -> None:
        self._s = session

    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        """The rows of these ids that exist, erased ones included."""
        found = (self._s.one("row", id=id_) for id_ in dict.fromkeys(ids))
        return {r[1]: rows.memory(r) for r in found if r is not None}

    def kept(self) -> Iterator[Memory]:
        """Every row that is not erased, in the order of writing."""
        after = 0
        while page := self._s.all("page", after=after, states=self._s.listed(KEPT_STATES), limit=PAGE):
            after = page[-1][0]
            yield from (rows.memory(r) for r in page)

    def sightings(self, id_: str) -> list[Stated]:
        """The sightings of one row by time."""
        found = self._s.all("sightings_of_row", id=id_)
        return [
            Stated(r[0], Sighting(id_, Origin(r[1], Channel(r[2]), r[3], r[4]), from_us(r[5]), rows.when(r[6]), r[7], r[8]))
            for r in found
        ]  # fmt: skip

    def wordings(self) -> Iterator[tuple[int, str, str, str]]:
        """(number, memory, wording, principal) of every sighting in words of its own."""
        after = -1
        while page := self._s.all("wordings", after=after, limit=PAGE):
            after = page[-1][0]
            yield from ((r[0], r[1], r[2], r[3]) for r in page)

    def of_principal(self, principal: str) -> list[str]:
        """Rows that this principal wrote or stated."""
        return [r[0] for r in self._s.all("rows_of_principal", principal=principal)]

    def principals(self) -> list[str]:
        """Everybody who has stated anything here."""
        return [r[0] for r in self._s.all("every_principal")]

    def merged(self, id_: str) -> list[str]:
        """Rows merged into this one directly."""
        return sorted(r[0] for r in self._s.all("merged_directly", id=id_))

    def superseded(self, id_: str) -> list[str]:
        """Rows superseded by this one directly."""
        return sorted(r[0] for r in self._s.all("superseded_directly", id=id_))

    def derived(self, id_: str) -> list[str]:
        """Rows derived from this one directly."""
        return [r[0] for r in self._s.all("derived_directly", id=id_)]

    def was_revised(self, id_: str) -> bool:
        """Whether a superseded row gave way to a newer wording by its author, and not to another statement."""
        return self._s.one("was_revised", id=id_) is not None

    def links(self, ids: Sequence[str]) -> int:
        """How many edges start or end at these rows."""
        return len(self._s.all("links_of_many", ids=self._s.listed(ids))) if ids else 0

    def entries(self) -> Iterator[Entry]:
        """The whole journal in order."""
        after = 0
        while page := self._s.all("entries", since=-(2**62), after=after, limit=PAGE):
            after = page[-1][0]
            yield from (rows.entry(r) for r in page)

    def last_hash(self) -> str | None:
        """The newest hash of the chain, in hex."""
        row = self._s.one("last_entry")
        return row[1].hex() if row else None

    def parked(self) -> list[tuple[str, str, str]]:
        """(id, reason, body as JSON) of every plan that was held back."""
        return [(r[0], r[3], r[6]) for r in self._s.all("dump_parked")]

    def queries(self) -> list[tuple[int, str]]:
        """(number, text) of past queries."""
        return [(r[0], r[1]) for r in self._s.all("queries_kept")]

    def hits(self) -> list[tuple[int, str]]:
        """(query's number, memory) of what they found."""
        return [(r[0], r[1]) for r in self._s.all("found_by_queries")]

    def verdicts(self) -> Iterator[tuple[bytes, frozenset[str], str]]:
        """(key, hashes of its texts in hex, answer) of every remembered verdict."""
        after = b""
        while page := self._s.all("verdict_page", after=after, limit=PAGE):
            after = page[-1][0]
            yield from ((r[0], frozenset(r[1].split()), r[2]) for r in page)

    def errors(self) -> list[tuple[str, str]]:
        """(run, errors as JSON) of runs that had any."""
        return [(r[0], r[1]) for r in self._s.all("runs_with_errors")]

    def activity(self) -> list[tuple[int, str]]:
        """(number, detail as JSON)."""
        return [(r[0], r[1]) for r in self._s.all("activity_kept")]

    def steps(self) -> list[tuple[str, str, str]]:
        """(cycle, step, why it last failed)."""
        return [(r[0], r[1], r[4]) for r in self._s.all("steps") if r[4]]

    def jobs(self) -> list[tuple[str, list[str], str | None]]:
        """(id, request and progress as JSON, error)."""
        return [(r[0], [r[3], r[1]], r[2]) for r in self._s.all("jobs_kept")]

    def runs_of(self, actor: str) -> int:
        """How many runs name this actor."""
        row = self._s.one("runs_of_actor", actor=actor)
        return int(row[0]) if row else 0

    def models(self) -> list[str]:
        """The models of which vectors are kept."""
        return [r[0] for r in self._s.all("models")]

    def vectors(self, model: str, hashes: Iterable[bytes]) -> int:
        """How many of these texts have a vector of one model."""
        asked = json.dumps([[h.hex()] for h in hashes])
        return len(self._s.all("vectors", hashes=asked, model=model))

    def everything(self) -> dict[str, int]:
        """How much of each sort the scope holds, earlier erasures aside."""
        row = self._s.one("everything_there") or ()
        names = (
            "memories", "sightings", "links", "vectors", "journal_images", "verdicts", "parked_plans", "queries",
            "settings", "signals", "jobs", "answers", "runs", "activity",
        )  # fmt: skip
        return dict(zip(names, (int(n) for n in row), strict=True))


class Eraser:
    """Destroys words inside one transaction. Nothing here can be taken back once it is committed."""

    def __init__(self, session: Session, mod: Callable[[], int], leap: Callable[[], object]) -> None:
        self._s = session
        self._mod = mod
        self._leap = leap

    def memory(self, id_: str, keyed: bytes) -> None:
        """Make a tombstone of a row: id, state and times stay, and ``keyed`` (16 bytes) in place of its hashes."""
        self._s.do("drop_words", id=id_)
        self._s.do("remove_clauses", id=id_)
        self._s.do("drop_attributes", id=id_)
        self._s.do("drop_sightings", id=id_)
        self._s.do("drop_signals", id=id_)
        self._s.do("drop_stamps", id=id_)
        self._s.do("erase_memory", id=id_, hash=keyed, mod=self._mod())

    def around(self, ids: Sequence[str]) -> None:
        """Take away what hangs on these rows: edges, pairs that wait, vertices."""
        self._s.do("drop_links", ids=self._s.listed(ids))
        self._s.do("drop_pairs_of", ids=self._s.listed(ids))
        self._s.do("drop_vertices", ids=self._s.listed(ids))

    def sighting(self, n: int) -> None:
        """Take one sighting away."""
        self._s.do("drop_sighting", n=n)

    def gists(self, ids: Sequence[str]) -> None:
        """Take the gists of these rows away, and their vertices, whose labels they may be."""
        for id_ in ids:
            self._s.do("drop_gist", id=id_, mod=self._mod())
        self._s.do("drop_vertices", ids=self._s.listed(ids))

    def origin(self, id_: str, origin: Origin, trust: str) -> None:
        """Give a row another origin; gist, metadata and key, which were the former one's, go."""
        self._s.do(
            "give_origin", id=id_, principal=origin.principal, channel=origin.channel.value, client=origin.client,
            session=origin.session, trust=trust, mod=self._mod(),
        )  # fmt: skip

    def hashes(self, vectors: Iterable[bytes], apart: Iterable[bytes]) -> None:
        """Forget the vectors of these texts, and rulings about these normalised ones."""
        for given in vectors:
            self._s.do("drop_embedding", hash=given)
        for given in apart:
            self._s.do("drop_apart", hash=given)

    def queries(self, numbers: Iterable[int]) -> None:
        """Forget past queries and what they found."""
        for n in numbers:
            self._s.do("drop_hits", n=n)
            self._s.do("drop_query", n=n)

    def verdicts(self, keys: Iterable[bytes]) -> None:
        """Forget remembered verdicts."""
        for key in keys:
            self._s.do("drop_verdict", question=key)

    def entry(self, emptied: Entry) -> None:
        """Write what is left of a journal entry. Its number, its hash and the one before stay as they are."""
        self._s.do("empty_entry", n=emptied.n, body=dumps(_body(emptied)), reason=emptied.reason)

    def parked(self, id_: str, plan: Mapping[str, Any], reason: str) -> None:
        """Write what is left of a plan that was held back; one that waits is stale from now on."""
        self._s.do("empty_parked", id=id_, body=dumps(plan), digest=bytes(16), reason=reason)

    def errors(self, run: str, left: Mapping[str, str]) -> None:
        """Write what is left of a run's errors."""
        self._s.do("empty_run", id=run, errors=dumps(left) or "{}")

    def actor(self, name: str) -> None:
        """Put `NOBODY` where runs and jobs name this principal."""
        self._s.do("rename_actor", actor=name, becomes=NOBODY)
        self._s.do("rename_job", actor=name, becomes=NOBODY)

    def books(self, activity: Iterable[int], steps: Iterable[tuple[str, str]], jobs: Iterable[str]) -> None:
        """Empty activity records by number, the last failures of steps, and what jobs say; one that waits has failed."""
        for n in activity:
            self._s.do("empty_activity", n=n)
        for cycle, name in steps:
            self._s.do("empty_step", cycle=cycle, name=name, reason=NOBODY)
        for id_ in jobs:
            self._s.do("empty_job", id=id_, reason=NOBODY)

    def answers(self) -> None:
        """Empty every answer that is kept for a repeated request: any of them may quote a text."""
        self._s.do("drop_open_answers")  # what is being answered just now is kept by nobody
        self._s.do("empty_answers")

    def everything(self) -> None:
        """Take every row of the scope away, receipts aside."""
        s = self._s
        s.do("clear_memory_text")
        s.do("clear_clause")
        s.do("clear_attribute")
        s.do("clear_sighting")
        s.do("clear_link")
        s.do("clear_embedding")
        s.do("clear_run")
        s.do("clear_entry")
        s.do("clear_entry_row")
        s.do("clear_stamp")
        s.do("clear_apart")
        s.do("clear_parked")
        s.do("clear_activity")
        s.do("clear_signal")
        s.do("clear_recall_hit")
        s.do("clear_recall_query")
        s.do("clear_setting")
        s.do("clear_slot")
        s.do("clear_step")
        s.do("clear_pair")
        s.do("clear_verdict")
        s.do("clear_spend")
        s.do("clear_vertex")
        s.do("clear_job")
        s.do("clear_answer")
        s.do("clear_memory")
        self._leap()  # whoever holds an index reads it anew

    def receipt(self, record: ErasureRecord) -> None:
        """Keep a receipt."""
        self._s.do(
            "add_erasure", id=record.id, at=to_us(record.at), actor=record.actor, body=dumps(record.body),
            wiped_at=rows.us(record.wiped_at),
        )  # fmt: skip

    def wiped(self, ids: Iterable[str], at: datetime) -> None:
        """Note that not a byte of these erasures is left."""
        for id_ in ids:
            self._s.do("wiped", id=id_, at=to_us(at))


def restore_entry(session: Session, entry: Entry) -> bool:
    """Write a journal entry as another store has it, hash and all; False where its content does not fit its hash."""
    fields = hashed_fields(entry)
    session.do(
        "restore_entry", n=entry.n, run=entry.run, idx=entry.index, step=entry.step, move=entry.move, reason=entry.reason,
        status=entry.status, at=to_us(entry.at), body=dumps(_body(entry)), model=entry.model, tokens=entry.tokens,
        undoes=entry.undoes, counted=int(entry.counted), previous=entry.previous, hash=entry.hash,
    )  # fmt: skip
    return chain_hash(entry.previous, fields) == entry.hash


def _body(entry: Entry) -> dict[str, Any]:
    fields = hashed_fields(entry)
    return {k: fields[k] for k in ("evidence", "before", "after", "added", "detail")}


def erasure(r: Row) -> ErasureRecord:
    """A row of ``erasures``."""
    return ErasureRecord(r[0], from_us(r[1]), r[2], json.loads(r[3]), rows.when(r[4]))


__all__ = ["NOBODY", "Eraser", "Stated", "Traces", "erasure", "restore_entry"]
