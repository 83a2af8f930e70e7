"""The verbs of one write transaction on one scope."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import apsw

from reverie.clock import to_us
from reverie.errors import BadVector, Conflict, NotFound, StoreError
from reverie.model import Entry, Memory, Relation, RunRecord, Sighting
from reverie.store import crashpoints
from reverie.store.codec import GENESIS, chain_hash, dumps, hashed_fields
from reverie.store.port import MUTABLE, Parked, Tx
from reverie.store.queries import queries
from reverie.store.sqlite import rows
from reverie.text.fold import searchable
from reverie.transitions import Edge

Q = queries("sqlite")

SIGNAL_FIELDS = ("memory", "signal", "source", "at", "pending")


class SqliteTx(Tx):
    """Bound to one scope and one running transaction."""

    def __init__(self, connection: apsw.Connection, scope: int) -> None:
        self._c = connection
        self._scope = scope
        self._mod: int | None = None

    def _one(self, sql: str, *params: Any) -> Any:
        return self._c.execute(sql, params).fetchone()

    def _changed(self) -> bool:
        return bool(self._c.changes())

    def mod(self) -> int:
        """This transaction's version number; taken once, when the first visible change is made."""
        if self._mod is None:
            self._mod = int(self._c.execute(Q.next_mod).get)
        return self._mod

    @contextmanager
    def atomic(self) -> Iterator[None]:
        self._c.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._c.execute("ROLLBACK TO part")
            raise
        finally:
            self._c.execute("RELEASE part")

    # reading inside the transaction
    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        found = {}
        for id_ in dict.fromkeys(ids):
            row = self._one(Q.row, self._scope, id_)
            if row is not None:
                found[id_] = rows.memory(row)
        return found

    def find_live(self, norm_hash: bytes, kind: str | None) -> Memory | None:
        return rows.first_of_kind(self._c.execute(Q.find_live, (self._scope, norm_hash)), kind)

    def find_key(self, key: str) -> Memory | None:
        row = self._one(Q.find_key, self._scope, key)
        return rows.memory(row) if row else None

    def find_external(self, external_ids: Sequence[str]) -> dict[str, str]:
        return dict(self._c.execute(Q.find_external, (self._scope, json.dumps(list(external_ids)))))

    # rows
    def insert(self, memory: Memory, signatures: Sequence[bytes]) -> None:
        try:
            self._c.execute(Q.insert_memory, rows.insert_values(memory, self._scope, self.mod()))
        except apsw.ConstraintError as error:
            raise Conflict(f"a live memory already has this text, key or id: {error}") from error
        seq = self._c.last_insert_rowid()
        self._c.execute(Q.insert_text, (seq, searchable(memory.text), f"s{self._scope}"))
        for signature in dict.fromkeys(signatures):
            self._c.execute(Q.insert_clause, (self._scope, signature, seq))
        crashpoints.hit("write.after_insert")

    def resign(self, id_: str, signatures: Sequence[bytes]) -> None:
        self._c.execute(Q.remove_clauses, (self._scope, self._scope, id_))
        for signature in dict.fromkeys(signatures):
            self._c.execute(Q.add_clause, (self._scope, signature, self._scope, id_))
        self._c.execute(Q.look_again, (self._scope, id_))

    def set_grammar(self, grammar: int) -> None:
        self._c.execute(Q.set_grammar, (grammar, self._scope))

    def sight(self, sighting: Sighting) -> None:
        o = sighting.origin
        try:
            self._c.execute(
                Q.insert_sighting,
                {
                    "scope": self._scope,
                    "memory": sighting.memory,
                    "principal": o.principal,
                    "channel": o.channel.value,
                    "client": o.client,
                    "session": o.session,
                    "at": to_us(sighting.at),
                    "occurred_at": rows.us(sighting.occurred_at),
                    "wording": sighting.wording,
                    "external_id": sighting.external_id,
                },
            )
        except apsw.ConstraintError as error:
            raise Conflict(f"the external id {sighting.external_id!r} is known already") from error

    def move_sighting(self, from_: str, to: str, wording: str | None, becomes: str | None) -> bool:
        given = {"scope": self._scope, "from": from_, "to": to, "wording": wording, "becomes": becomes}
        self._c.execute(Q.move_sighting, given)
        return self._changed()

    def change(self, before: Memory, set_: Mapping[str, Any], add: Mapping[str, int], *, recheck: bool = False) -> None:
        if not MUTABLE.issuperset(set_):
            raise StoreError(f"no move may set {', '.join(sorted(set(set_) - MUTABLE))}")
        counters = {name: getattr(before, name) + n for name, n in add.items() if n}
        after = dataclasses.replace(before, **set_, **counters)
        try:
            self._c.execute(
                Q.change,
                (*rows.change_values(after), int(recheck), self.mod(), self._scope, before.id, before.revision),
            )
        except apsw.ConstraintError as error:
            raise Conflict(f"a live memory already has the text or the key of {before.id}") from error
        if not self._changed():
            raise Conflict(f"memory {before.id} has changed since it was read")

    def recalled(self, id_: str, *, at: datetime, count: int = 1) -> None:
        self._c.execute(Q.access, {"n": count, "at": to_us(at), "mod": self.mod(), "scope": self._scope, "id": id_})

    def restated(self, id_: str, *, at: datetime) -> None:
        self._c.execute(Q.restate, (1, to_us(at), self.mod(), self._scope, id_))

    def edge(self, edge: Edge, at: datetime, evidence: Mapping[str, Any] | None = None) -> bool:
        key = (edge.source, Relation(edge.relation).value, edge.target)
        if edge.remove:
            self._c.execute(Q.remove_link, (self._scope, *key))
        else:
            self._c.execute(Q.add_link, (self._scope, *key, to_us(at), dumps(evidence or {}) or None))
        return self._changed()

    def put_vectors(
        self, model: str, dim: int, vectors: Iterable[tuple[bytes, bytes]], touch: Sequence[str] = ()
    ) -> int:
        self._c.execute(Q.add_model, (model, dim))
        number, known = self._one(Q.model_id, model)
        if known != dim:
            raise BadVector(f"model {model!r} has {known} dimensions in this store, not {dim}")
        new = 0
        for text_hash, data in vectors:
            if len(data) != dim * 4:
                raise BadVector(f"a vector of {len(data) // 4} values was given for {dim} dimensions")
            self._c.execute(Q.insert_vector, (self._scope, text_hash, number, data))
            new += self._changed()
        if touch:
            self._c.execute(Q.touch, (self.mod(), self._scope, json.dumps(list(touch))))
        return new

    def tick(self, at: datetime, n: int = 1) -> int:
        return int(self._one(Q.tick, n, to_us(at), self._scope)[0])

    # the journal
    def start_run(self, run: RunRecord) -> None:
        self._c.execute(
            Q.start_run,
            (self._scope, run.id, run.cycle, run.actor, to_us(run.started_at), rows.us(run.finished_at), run.status,
             dumps(run.counts) or "{}", dumps(run.errors) or "{}"),
        )  # fmt: skip

    def finish_run(self, run: RunRecord) -> None:
        self._c.execute(
            Q.finish_run,
            (rows.us(run.finished_at), run.status, dumps(run.counts) or "{}", dumps(run.errors) or "{}", self._scope,
             run.id),
        )  # fmt: skip

    def add_entry(self, entry: Entry, *, counted: bool) -> Entry:
        last, previous = self._one(Q.last_entry, self._scope) or (0, GENESIS)
        n = last + 1
        fields = hashed_fields(entry)
        digest = chain_hash(previous, fields)
        body = {k: fields[k] for k in ("evidence", "before", "after", "added", "detail")}
        self._c.execute(
            Q.insert_entry,
            (self._scope, n, entry.run, entry.index, entry.step, entry.move, entry.reason, entry.status,
             to_us(entry.at), dumps(body), entry.model, entry.tokens, entry.undoes, int(counted), previous, digest),
        )  # fmt: skip
        set_ = set(entry.after) - {entry.detail.get("bump")}
        for id_ in dict.fromkeys((*entry.after, *entry.detail.get("ids", ()))):
            self._c.execute(Q.insert_entry_row, (self._scope, id_, n, int(id_ not in set_)))
        return dataclasses.replace(entry, n=n, previous=previous, hash=digest)

    def mark_undone(self, entry: int, by: int | None) -> None:
        self._c.execute(Q.mark_undone, (by, self._scope, entry))

    def stamp(self, run: str, rows_: Sequence[tuple[str, int]], at: datetime) -> int:
        asked, moment = json.dumps(rows_), to_us(at)
        self._c.execute(Q.stamp_before, (run, moment, asked, self._scope))
        self._c.execute(Q.stamp, (moment, asked, self._scope))
        return self._c.changes()

    def unstamp(self, run: str) -> int:
        self._c.execute(Q.unstamp, {"scope": self._scope, "run": run})
        return self._c.changes()

    def later_settings(self, ids: Sequence[str], after: int) -> dict[str, int]:
        given = {"ids": json.dumps(list(ids)), "scope": self._scope, "after": after}
        return dict(self._c.execute(Q.later_settings, given))

    def keep_apart(self, pairs: Iterable[tuple[bytes, bytes]], reason: str, at: datetime) -> int:
        new = 0
        for a, b in pairs:
            self._c.execute(Q.keep_apart, (self._scope, min(a, b), max(a, b), reason, to_us(at)))
            new += self._changed()
        return new

    def park(self, parked: Parked, digest: bytes) -> str:
        same = self._one(Q.same_parked, self._scope, digest)
        if same:
            return str(same[0])
        self._c.execute(
            Q.park,
            (self._scope, parked.id, parked.run, parked.step, digest, parked.reason, to_us(parked.at), parked.status,
             dumps(parked.plan)),
        )  # fmt: skip
        return parked.id

    def settle_parked(self, id_: str, status: str) -> bool:
        self._c.execute(Q.settle_parked, (status, self._scope, id_))
        return self._changed()

    # logs
    def add_activity(self, at: datetime, action: str, run: str | None, detail: Mapping[str, Any]) -> None:
        self._c.execute(Q.add_activity, (self._scope, to_us(at), action, run, dumps(detail) or "{}"))

    def add_signal(self, memory: str, type_: str, source: str, at: datetime) -> bool:
        self._c.execute(Q.add_signal, (self._scope, memory, type_, source, to_us(at)))
        return self._changed()

    def log_recalls(self, recalls: Sequence[tuple[str, datetime, Sequence[str]]], keep: int) -> None:
        for text, at, ids in recalls:
            (n,) = self._one(Q.add_query, self._scope, text, to_us(at))
            for rank, id_ in enumerate(ids):
                self._c.execute(Q.add_hit, (n, rank, self._scope, id_))
        self._c.execute(Q.old_hits, (self._scope, keep))
        self._c.execute(Q.old_queries, (self._scope, keep))

    def set_setting(self, name: str, value: str | None) -> None:
        if value is None:
            self._c.execute(Q.unset_setting, (self._scope, name))
        else:
            self._c.execute(Q.set_setting, (self._scope, name, value))

    def restore(self, kind: str, fields: Mapping[str, Any]) -> None:
        if kind == "stamp":
            self._c.execute(
                Q.insert_stamp,
                (self._scope, fields["run"], fields["before"], fields["after"], self._scope, fields["memory"]),
            )
        elif kind == "epoch":
            self._c.execute(Q.set_epoch, (fields["epoch"], fields["used_at"], self._scope))
        elif kind == "signal":
            self._c.execute(Q.insert_signal, (self._scope, *(fields[k] for k in SIGNAL_FIELDS)))
        else:
            raise NotFound(f"an export has no {kind!r} records that are restored so")
