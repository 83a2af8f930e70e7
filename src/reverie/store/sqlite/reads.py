"""The reads of one snapshot of one scope."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw

from reverie.clock import from_us, to_us
from reverie.model import Entry, Link, Memory, RunRecord, Scope, Sighting, State
from reverie.store.port import AbstractReads, IndexRow, Parked
from reverie.store.queries import queries
from reverie.store.sqlite import rows
from reverie.text.fold import searchable

if TYPE_CHECKING:
    from reverie.store.sqlite.store import SqliteStore

Q = queries("sqlite")
FEW = 64  # rows that are quicker to fetch one by one than through a list


class Snapshot(AbstractReads):
    """Holds one reading connection in a read transaction, so that all answers are of one moment."""

    def __init__(self, store: SqliteStore, scope: Scope) -> None:
        self._store = store
        self._name = scope

    def __enter__(self) -> Snapshot:
        self._c: apsw.Connection = self._store.borrow()
        self._c.execute("BEGIN")
        self._scope = self._store.scope_number(self._name, self._c)
        return self

    def __exit__(self, *exc: object) -> None:
        self._c.execute("COMMIT")
        self._store.give_back(self._c)

    def _all(self, sql: str, *params: Any) -> list[Any]:
        return self._c.execute(sql, params).fetchall()

    def _number(self, sql: str, *params: Any) -> int:
        return int(self._c.execute(sql, params).get)

    # rows
    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        found = self._all(Q.rows, self._scope, json.dumps(list(ids)))
        return {r[1]: rows.memory(r) for r in found}

    def rows_by_seq(self, seqs: Iterable[int]) -> dict[int, Memory]:
        wanted = [int(s) for s in seqs]
        if len(wanted) <= FEW:
            one = (self._c.execute(Q.row_by_seq, (s, self._scope)).fetchone() for s in wanted)
            return {r[0]: rows.memory(r) for r in one if r is not None}
        found = self._all(Q.rows_by_seq, self._scope, json.dumps(wanted))
        return {r[0]: rows.memory(r) for r in found}

    def page(self, *, states: Sequence[State], after: int = 0, limit: int = 1000) -> list[tuple[int, Memory]]:
        names = json.dumps([s.value for s in states])
        return [(r[0], rows.memory(r)) for r in self._all(Q.page, self._scope, after, names, limit)]

    def find_live(self, norm_hash: bytes, kind: str | None) -> Memory | None:
        return rows.first_of_kind(self._c.execute(Q.find_live, (self._scope, norm_hash)), kind)

    def find_external(self, external_ids: Sequence[str]) -> dict[str, str]:
        return dict(self._all(Q.find_external, self._scope, json.dumps(list(external_ids))))

    # what curation looks at
    def grammar(self) -> int | None:
        row = self._c.execute(Q.grammar, (self._scope,)).fetchone()
        return row[0] if row else None

    def uncurated(self) -> list[tuple[str, int]]:
        return self._all(Q.uncurated_ids, self._scope)

    def uncurated_seqs(self) -> list[int]:
        return [r[0] for r in self._all(Q.uncurated_seqs, self._scope)]

    def shared_clauses(self) -> list[tuple[bytes, int]]:
        found = self._c.execute(Q.shared_clauses, {"scope": self._scope})
        return [(signature, seq) for signature, seq, n in found if n > 1]

    def demotable(self, before: datetime, importance: float, limit: int) -> tuple[list[Memory], int]:
        found = self._all(Q.demotable, self._scope, to_us(before), importance, limit)
        n = (
            self._number(Q.demotable_count, self._scope, to_us(before), importance)
            if len(found) == limit
            else len(found)
        )
        return [rows.memory(r) for r in found], n

    def fading(self, before: datetime, limit: int) -> tuple[list[Memory], int]:
        found = self._all(Q.fading, self._scope, to_us(before), limit)
        n = self._number(Q.fading_count, self._scope, to_us(before)) if len(found) == limit else len(found)
        return [rows.memory(r) for r in found], n

    def without_vector(self, model: str, limit: int) -> tuple[list[tuple[str, bytes, str]], int]:
        found = self._all(Q.without_vector, self._scope, model, limit)
        n = self._number(Q.without_vector_count, self._scope, model) if len(found) == limit else len(found)
        return found, n

    def undone(self, step: str, ids: Sequence[str]) -> set[str]:
        return {r[0] for r in self._all(Q.undone, json.dumps(list(ids)), self._scope, step)}

    def departed(self, since: datetime) -> int:
        return self._number(Q.departed, self._scope, to_us(since))

    def apart(self, pairs: Sequence[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
        asked = json.dumps([[low.hex(), high.hex()] for low, high in pairs])
        return set(self._all(Q.apart, asked, self._scope))

    # vectors and text
    def vectors(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        return dict(self._all(Q.vectors, json.dumps([h.hex() for h in hashes]), self._scope, model))

    def version(self) -> int:
        return self._number(Q.mod)

    def changes(self, since: int, model: str | None) -> tuple[int, Iterator[IndexRow]]:
        version = self._number(Q.mod)
        if since == 0:
            found = self._c.execute(Q.live_index, (model, self._scope))
        else:
            found = self._c.execute(Q.changes, (model, self._scope, since))
        return version, (_index_row(r) for r in found)

    def history_rows(self, model: str | None) -> Iterator[tuple[IndexRow, str, int, int | None, int | None]]:
        for r in self._c.execute(Q.history_rows, (model, self._scope)):
            yield _index_row(r), r[2], r[11], r[12], r[13]

    def postings(self, word: str, after: int) -> list[int]:
        quoted = searchable(word).replace('"', '""')
        found = self._c.execute(Q.postings, (f'place:s{self._scope} AND body:"{quoted}"', after))
        return [r[0] for r in found]

    def count(self) -> dict[str, int]:
        found: dict[str, int] = dict(self._all(Q.count, self._scope))
        return {s.value: found.get(s.value, 0) for s in State} | {
            "uncurated": self._number(Q.count_uncurated, self._scope)
        }

    # provenance
    def sightings(self, ids: Iterable[str], *, merged: bool = False) -> list[Sighting]:
        wanted = list(ids)
        if merged:
            for id_ in list(wanted):
                wanted += [r[0] for r in self._c.execute(Q.merged_only, {"scope": self._scope, "id": id_})]
        return [rows.sighting(r) for r in self._all(Q.sightings, self._scope, json.dumps(wanted))]

    def links(self, id_: str) -> list[Link]:
        return [rows.link(r) for r in self._c.execute(Q.links, {"scope": self._scope, "id": id_})]

    def merged_ids(self, id_: str) -> list[str]:
        return [r[0] for r in self._c.execute(Q.merged_ids, {"scope": self._scope, "id": id_})]

    # the journal
    def entries(
        self, *, run: str | None = None, memory: str | None = None, since: datetime | None = None, after: int = 0,
        limit: int = 10_000, newest_first: bool = False,
    ) -> list[Entry]:  # fmt: skip
        given = {"scope": self._scope, "after": after, "limit": limit}
        if run is not None:
            found = self._c.execute(Q.entries_of_run, given | {"run": run})
        elif memory is not None:
            found = self._c.execute(Q.entries_of_memory, given | {"memory": memory})
        else:
            sql = Q.entries_newest if newest_first else Q.entries
            found = self._c.execute(sql, given | {"since": rows.us(since)})
        return [rows.entry(r) for r in found]

    def entry(self, n: int) -> Entry | None:
        row = self._c.execute(Q.entry, (self._scope, n)).fetchone()
        return rows.entry(row) if row else None

    def runs(self, *, ids: Sequence[str] | None = None, limit: int = 50) -> list[RunRecord]:
        if ids is not None:
            return [rows.run(r) for r in self._all(Q.runs_by_id, self._scope, json.dumps(list(ids)))]
        return [rows.run(r) for r in self._all(Q.runs, self._scope, limit)]

    def parked(self, *, status: str | None = "waiting") -> list[Parked]:
        found = self._c.execute(Q.parked, {"scope": self._scope, "status": status})
        return [Parked(r[0], r[1], r[2], r[3], from_us(r[4]), r[5], json.loads(r[6])) for r in found]

    def activity(self, limit: int = 10) -> list[dict[str, Any]]:
        found = self._all(Q.activity, self._scope, limit)
        return [{"at": from_us(r[0]), "action": r[1], "run": r[2], **json.loads(r[3])} for r in found]

    def settings(self) -> dict[str, str]:
        return dict(self._all(Q.settings, self._scope))

    def dump(self, *, journal: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        from reverie.store.sqlite.dump import dump

        return dump(self._c, self._scope, journal=journal)


def _index_row(r: Sequence[Any]) -> IndexRow:
    return IndexRow(r[0], r[1], r[2] == "live", r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10])
