"""The reads of one snapshot of one scope, in the statements that every store shares."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from reverie.clock import from_us, to_us
from reverie.model import Entry, Kind, Lease, Link, Memory, RunRecord, Sighting, State, StepHealth, Trust
from reverie.store import rows
from reverie.store.books import SqlBookReads
from reverie.store.erasing import Traces, erasure
from reverie.store.jobs import SqlJobReads
from reverie.store.port import AbstractReads
from reverie.store.records import ErasureRecord, IndexRow, Parked
from reverie.store.session import Session

LONG_AGO, ALL = -(2**62), 2**62


class SqlReads(SqlBookReads, SqlJobReads, AbstractReads):
    """Answers from a `Session` that an adapter opens and closes."""

    _s: Session

    @abstractmethod
    def __enter__(self) -> SqlReads: ...

    def _number(self, name: str, **given: Any) -> int:
        row = self._s.one(name, **given)
        return int(row[0]) if row and row[0] is not None else 0

    # rows
    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        return {r[1]: rows.memory(r) for r in self._s.all("rows", ids=self._s.listed(ids))}

    def rows_by_seq(self, seqs: Iterable[int]) -> dict[int, Memory]:
        wanted = self._s.listed(int(s) for s in seqs)
        return {r[0]: rows.memory(r) for r in self._s.all("rows_by_seq", seqs=wanted)}

    def page(self, *, states: Sequence[State], after: int = 0, limit: int = 1000) -> list[tuple[int, Memory]]:
        names = self._s.listed(s.value for s in states)
        found = self._s.all("page", after=after, states=names, limit=limit)
        return [(r[0], rows.memory(r)) for r in found]

    def browse(
        self, *, states: Sequence[State], kinds: Sequence[Kind], trusts: Sequence[Trust], before: int, limit: int
    ) -> list[tuple[int, Memory]]:
        of = {"states": states, "kinds": kinds, "trusts": trusts}
        given = {name: self._s.listed(v.value for v in values) for name, values in of.items()}
        return [(r[0], rows.memory(r)) for r in self._s.all("browse", before=before, limit=limit, **given)]

    def find_live(self, norm_hash: bytes, kind: str | None) -> Memory | None:
        return rows.first_of_kind(self._s.all("find_live", norm_hash=norm_hash), kind)

    def find_external(self, external_ids: Sequence[str]) -> dict[str, str]:
        return {r[0]: r[1] for r in self._s.all("find_external", ids=self._s.listed(external_ids))}

    # what curation looks at
    def grammar(self) -> int | None:
        row = self._s.one("grammar")
        return row[0] if row else None

    def uncurated(self) -> list[tuple[str, int]]:
        return [(r[0], r[1]) for r in self._s.all("uncurated_ids")]

    def uncurated_seqs(self) -> list[int]:
        return [r[0] for r in self._s.all("uncurated_seqs")]

    def shared_clauses(self) -> list[tuple[bytes, int]]:
        return [(r[0], r[1]) for r in self._s.each("shared_clauses") if r[2] > 1]

    def demotable(self, before: datetime, importance: float, limit: int) -> tuple[list[Memory], int]:
        given = {"before": to_us(before), "importance": importance}
        found = self._s.all("demotable", **given, limit=limit)
        n = self._number("demotable_count", **given) if len(found) == limit else len(found)
        return [rows.memory(r) for r in found], n

    def fading(self, before: datetime, limit: int) -> tuple[list[Memory], int]:
        found = self._s.all("fading", before=to_us(before), limit=limit)
        n = self._number("fading_count", before=to_us(before)) if len(found) == limit else len(found)
        return [rows.memory(r) for r in found], n

    def lagging(self, epochs: int, type_: str, source: str, limit: int) -> tuple[list[Memory], int]:
        epoch, used_at = self._s.one("epoch") or (0, None)
        given = {"before": epoch - epochs, "type": type_, "source": source}
        last = (self._s.one("last_signal", type=type_, source=source) or (None,))[0]
        if last is not None and last >= (used_at or 0):
            return [], self._number("lagging_count", **given)
        found = self._s.all("lagging", **given, limit=limit)
        n = self._number("lagging_count", **given) if len(found) == limit else len(found)
        return [rows.memory(r) for r in found], n

    def without_vector(self, model: str, limit: int) -> tuple[list[tuple[str, bytes, str]], int]:
        found = [(r[0], r[1], r[2]) for r in self._s.all("without_vector", model=model, limit=limit)]
        n = self._number("without_vector_count", model=model) if len(found) == limit else len(found)
        return found, n

    def undone(self, step: str, ids: Sequence[str]) -> set[str]:
        return {r[0] for r in self._s.all("undone", ids=self._s.listed(ids), step=step)}

    def departed(self, since: datetime) -> int:
        return self._number("departed", since=to_us(since))

    def apart(self, pairs: Sequence[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
        asked = json.dumps([[low.hex(), high.hex()] for low, high in pairs])
        return {(r[0], r[1]) for r in self._s.all("apart", pairs=asked)}

    # vectors and text
    def vectors(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        asked = json.dumps([[h.hex()] for h in hashes])
        return {r[0]: r[1] for r in self._s.all("vectors", hashes=asked, model=model)}

    def models(self) -> list[tuple[str, int]]:
        return [(r[0], r[1]) for r in self._s.all("models")]

    def vector_pages(self, model: str, size: int = 1000) -> Iterator[list[tuple[bytes, bytes]]]:
        after = b""
        while page := [(r[0], r[1]) for r in self._s.all("vector_page", model=model, after=after, limit=size)]:
            yield page
            after = page[-1][0]

    def version(self) -> int:
        return self._number("version")

    def changes(self, since: int, model: str | None) -> tuple[int, Iterator[IndexRow]]:
        version = self.version()
        whole = since == 0
        found = self._s.each("live_index", model=model) if whole else self._s.each("changes", model=model, since=since)
        return version, (rows.index_row(r) for r in found)

    def history_rows(self, model: str | None) -> Iterator[tuple[IndexRow, str, int, int | None, int | None]]:
        for r in self._s.each("history_rows", model=model):
            yield rows.index_row(r), r[2], r[11], r[12], r[13]

    def count(self) -> dict[str, int]:
        found: dict[str, int] = {r[0]: r[1] for r in self._s.all("count")}
        return {s.value: found.get(s.value, 0) for s in State} | {"uncurated": self._number("count_uncurated")}

    # provenance
    def sightings(self, ids: Iterable[str], *, merged: bool = False) -> list[Sighting]:
        wanted = list(ids)
        if merged:
            for id_ in list(wanted):
                wanted += [r[0] for r in self._s.all("merged_only", id=id_)]
        return [rows.sighting(r) for r in self._s.all("sightings", ids=self._s.listed(wanted))]

    def links(self, id_: str) -> list[Link]:
        return [rows.link(r) for r in self._s.all("links", id=id_)]

    def merged_ids(self, id_: str) -> list[str]:
        # One look for each row and pointer: with both in one statement neither index is used.
        found: set[str] = set()
        looked_at = [id_]
        while looked_at:
            one = looked_at.pop()
            into = self._s.all("merged_directly", id=one) + self._s.all("superseded_directly", id=one)
            new = {r[0] for r in into} - found - {id_}
            found |= new
            looked_at += new
        return sorted(found)

    # the journal
    def entries(
        self, *, run: str | None = None, memory: str | None = None, since: datetime | None = None, after: int = 0,
        limit: int | None = 10_000, newest_first: bool = False,
    ) -> list[Entry]:  # fmt: skip
        limit = ALL if limit is None else limit
        if run is not None:
            found = self._s.all("entries_of_run", run=run, after=after, limit=limit)
        elif memory is not None:
            found = self._s.all("entries_of_memory", memory=memory, after=after, limit=limit)
        else:
            moment = LONG_AGO if since is None else to_us(since)
            name = "entries_newest" if newest_first else "entries"
            found = self._s.all(name, since=moment, after=after, limit=limit)
        return [rows.entry(r) for r in found]

    def entry(self, n: int) -> Entry | None:
        row = self._s.one("entry", n=n)
        return rows.entry(row) if row else None

    def runs(self, *, ids: Sequence[str] | None = None, limit: int = 50) -> list[RunRecord]:
        if ids is not None:
            return [rows.run(r) for r in self._s.all("runs_by_id", ids=self._s.listed(ids))]
        return [rows.run(r) for r in self._s.all("runs", limit=limit)]

    def runs_between(self, since: datetime, until: datetime) -> list[RunRecord]:
        return [rows.run(r) for r in self._s.all("runs_between", since=to_us(since), until=to_us(until))]

    def entries_between(self, since: datetime, until: datetime) -> Iterator[Entry]:
        return (rows.entry(r) for r in self._s.each("entries_between", since=to_us(since), until=to_us(until)))

    def parked(self, *, status: str | None = "waiting") -> list[Parked]:
        found = self._s.all("parked", status=status or "any")
        return [Parked(r[0], r[1], r[2], r[3], from_us(r[4]), r[5], json.loads(r[6])) for r in found]

    def activity(
        self, limit: int = 10, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[dict[str, Any]]:
        times = {"since": LONG_AGO if since is None else to_us(since), "until": ALL if until is None else to_us(until)}
        found = self._s.all("activity", **times, limit=limit)
        return [{"at": from_us(r[0]), "action": r[1], "run": r[2], **json.loads(r[3])} for r in found]

    def settings(self) -> dict[str, str]:
        return {r[0]: r[1] for r in self._s.all("settings")}

    # the worker
    def lease(self) -> Lease | None:
        return rows.lease(self._s.one("lease"))

    def steps(self) -> list[StepHealth]:
        return [
            StepHealth(r[0], r[1], rows.when(r[2]), rows.when(r[3]), r[4], bool(r[5])) for r in self._s.all("steps")
        ]

    def last_slot(self) -> datetime | None:
        row = self._s.one("last_slot")
        return rows.when(row[0]) if row else None

    def waiting_since(self) -> datetime | None:
        row = self._s.one("waiting_since")
        return rows.when(row[0]) if row else None

    def traces(self) -> Traces:
        return Traces(self._s)

    def erasures(self, limit: int = 100) -> list[ErasureRecord]:
        return [erasure(r) for r in self._s.all("erasures", limit=limit)]

    def unwiped(self) -> list[str]:
        return [r[0] for r in self._s.all("unwiped")]

    def dump(self, *, journal: bool, whole: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
        from reverie.store.dump import dump

        return dump(self._s, journal=journal, whole=whole)
