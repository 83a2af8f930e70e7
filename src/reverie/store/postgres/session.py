"""Statements on a psycopg connection, and what only this store does in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.clock import to_us
from reverie.errors import Conflict
from reverie.model import Kind, Memory, Scope, Trust
from reverie.store import crashpoints, rows
from reverie.store.postgres.connection import Q, Vector, psycopg, told, translated
from reverie.store.postgres.vectors import nearest
from reverie.store.postgres.words import queries_of, vectors_of
from reverie.store.reads import SqlReads
from reverie.store.session import Row
from reverie.store.tx import SqlTx

if TYPE_CHECKING:
    from psycopg import Connection, Pipeline

    from reverie.store.postgres.store import PostgresStore

STREAMED = frozenset({"live_index", "history_rows", "dump_memory", "dump_sighting", "dump_entry", "shared_clauses"})
STREAM_ROWS = 500
BULK = 100  # rows from which COPY is quicker than a statement a row
HEADER = 4  # bytes before the values in pgvector's binary form
KINDS, TRUSTS = [k.value for k in Kind], [t.value for t in Trust]
WITH_BYTES = {"vectors": 1, "vectors_by_seq": 1, "vector_page": 1, "changes": 9, "live_index": 9, "history_rows": 9}


class PostgresSession:
    """A connection in one scope: its tenant and namespace go with every statement."""

    __slots__ = ("_leave", "added", "connection", "epoch", "here", "mod", "models", "number", "pipeline")

    def __init__(
        self, connection: Connection[Any], scope: Scope, models: dict[str, tuple[int, int]], number: int = 0,
        mod: int = 0, epoch: int = 0,
    ) -> None:  # fmt: skip
        self.connection = connection
        self.here = {"tenant": scope.tenant, "namespace": scope.namespace}
        # Of the scope's row, which a writer has locked: read once, and counted on here.
        self.number = number
        self.mod = mod
        self.epoch = epoch
        self.models = models  # numbers and dimensions of those that are known for good
        self.added = False  # whether this transaction has noted a model
        self.pipeline: Pipeline | None = None

    def _execute(self, name: str, given: dict[str, Any]) -> Any:
        return self.connection.cursor(binary=True).execute(Q[name], given | self.here)

    def each(self, name: str, /, **given: Any) -> Iterator[Row]:
        if name in STREAMED:
            cursor = self.connection.cursor(binary=True)
            found: Iterable[Row] = cursor.stream(Q[name], given | self.here, size=STREAM_ROWS)
        else:
            found = self._execute(name, given)
        at = WITH_BYTES.get(name)
        return iter(found) if at is None else (_little_endian(r, at) for r in found)

    def all(self, name: str, /, **given: Any) -> list[Row]:
        found: list[Row] = self._execute(name, given).fetchall()
        at = WITH_BYTES.get(name)
        return found if at is None else [_little_endian(r, at) for r in found]

    def one(self, name: str, /, **given: Any) -> Row | None:
        return self._execute(name, given).fetchone()  # type: ignore[no-any-return]

    def run(self, name: str, /, **given: Any) -> int:
        cursor = self._execute(name, given)
        if self.pipeline is not None:
            self.pipeline.sync()
        return int(cursor.rowcount)

    def do(self, name: str, /, **given: Any) -> None:
        self._execute(name, given)

    def many(self, name: str, rows_: Iterable[Mapping[str, Any]]) -> int:
        """Run a statement for each row; rows changed in all."""
        cursor = self.connection.cursor()
        cursor.executemany(Q[name], [{**r, **self.here} for r in rows_])
        if self.pipeline is not None:
            self.pipeline.sync()
        return cursor.rowcount

    def copy(
        self, name: str, rows_: Iterable[Mapping[str, Any]], columns: Sequence[str], *, scoped: bool = True
    ) -> None:
        """COPY rows into a table, tenant and namespace first. What was queued up is answered before."""
        queued = self.pipeline is not None
        self.answer_at_once()
        here = tuple(self.here.values()) if scoped else ()
        with self.connection.cursor().copy(Q[name]) as out:
            for row in rows_:
                out.write_row((*here, *(row[c] for c in columns)))
        if queued:
            self.queue_up()

    def queue_up(self) -> None:
        """From now on a statement whose answer nobody asks for is sent without waiting for it."""
        entered = self.connection.pipeline()
        self.pipeline = entered.__enter__()
        self._leave = entered.__exit__

    def answer_at_once(self) -> None:
        """Take `queue_up` back: each statement is waited for again."""
        if self.pipeline is not None:
            self.pipeline = None
            self._leave(None, None, None)

    def settle(self, words: str) -> None:
        """Send the last words of the transaction, and wait until all is answered. Raises what went wrong."""
        pipeline, self.pipeline = self.pipeline, None
        try:
            self.connection.execute(words)
        finally:
            if pipeline is not None:
                self._leave(None, None, None)

    def listed(self, values: Iterable[Any]) -> list[Any]:
        return list(values)


def _little_endian(row: Row, at: int) -> Row:
    sent = row[at]
    if sent is None:
        return row
    values = np.frombuffer(sent, dtype=">f4", offset=HEADER).astype("<f4").tobytes()
    return (*row[:at], values, *row[at + 1 :])


COPIED_COLUMNS = (
    "seq", "id", "kind", "text", "text_hash", "norm_hash", "gist", "derived", "metadata", "key", "principal", "channel",
    "client", "session", "trust", "occurred_at", "written_at", "stated_at", "valid_from", "valid_to", "curated_at",
    "archived_at", "last_recalled_at", "recall_count", "access_count", "epoch", "importance", "utility", "strength",
    "strength_at", "half_life_days", "confidence", "pinned", "durable", "state", "merged_into", "superseded_by",
    "revision", "uncurated", "mod",
)  # fmt: skip


class PostgresTransactions:
    """Transactions of one scope: each begins by locking the scope's row, so that a scope has one writer at a time."""

    def __init__(self, store: PostgresStore, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._epoch = 0

    def begin(self) -> PostgresSession:
        return self._store.begin(self._scope, write=True)

    def commit(self, handle: PostgresSession) -> None:
        with translated(self._store.url):
            handle.settle("COMMIT")
        self._store.give_back(handle.connection)

    def rollback(self, handle: PostgresSession) -> None:
        with suppress(psycopg.Error):  # a connection that is gone has rolled back by itself
            handle.settle("ROLLBACK")
        self._store.give_back(handle.connection)

    def part(self, handle: PostgresSession, words: str) -> None:
        if words.startswith("SAVEPOINT"):
            self._epoch = handle.epoch
        elif words.startswith("ROLLBACK"):
            handle.epoch = self._epoch
        handle.connection.execute(words)

    def told(self, error: Exception) -> Exception:
        return told(error, self._store.url)

    def close(self) -> None:
        """Connections belong to the store."""


class PostgresReads(SqlReads):
    """Holds one connection in a repeatable read, so that all answers are of one moment."""

    def __init__(self, store: PostgresStore, scope: Scope) -> None:
        self._store = store
        self._name = scope

    def __enter__(self) -> PostgresReads:
        self._s: PostgresSession = self._store.begin(self._name, write=False)
        return self

    def __exit__(self, *exc: object) -> None:
        error = exc[1]
        connection = self._s.connection
        try:
            with translated(self._store.url):
                if error is None:
                    connection.execute("COMMIT")
                elif not connection.closed:
                    connection.rollback()
        finally:
            self._store.give_back(connection)
        if isinstance(error, psycopg.Error):
            raise told(error, self._store.url) from error

    def postings(self, word: str, after: int) -> list[int]:
        found: set[int] | None = None
        for words in queries_of(word, self._s.number):
            rows_ = {r[0] for r in self._s.all("postings", words=words, after=after)}
            found = rows_ if found is None else found & rows_
        return sorted(found or ())

    def model_number(self, model: str) -> int:
        """The number under which a model's vectors stand; 0 for one that has none."""
        found = self._s.one("model_id", model=model)
        return int(found[0]) if found else 0

    searches_vectors = True

    def nearest(
        self, model: str, query: bytes, limit: int, *, kinds: Sequence[str] = (), trusted: bool = False
    ) -> list[tuple[int, float]]:
        found = self._s.one("model_id", model=model)
        if found is None:
            return []
        wanted = {"kinds": list(kinds or KINDS), "trusts": ["trusted"] if trusted else TRUSTS}
        return nearest(self._s, int(found[0]), int(found[1]), query, limit, wanted)

    def vectors_by_seq(self, model: str, seqs: Sequence[int]) -> dict[int, bytes]:
        return {r[0]: r[1] for r in self._s.all("vectors_by_seq", model=model, seqs=list(seqs))}


class PostgresTx(SqlTx):
    """A transaction that holds the scope's lock."""

    _s: PostgresSession

    def _savepoint(self, words: str) -> None:
        self._s.connection.execute(words)

    def _next_mod(self) -> int:
        self._s.mod += 1
        self._s.do("set_mod", mod=self._s.mod)
        return self._s.mod

    def _leap(self, by: int) -> None:
        self._s.mod += by

    def tick(self, at: datetime, n: int = 1) -> int:
        self._s.epoch += n
        self._s.do("set_tick", epoch=self._s.epoch, at=to_us(at))
        return self._s.epoch

    def _model(self, model: str, dim: int) -> tuple[int, int]:
        known = self._s.models.get(model)
        if known is None:
            found = self._s.one("model_id", model=model)
            if found is not None and not self._s.added:  # one of this very transaction may yet be taken back
                known = self._s.models[model] = (int(found[0]), int(found[1]))
            elif found is None:
                self._s.added = True
        return known or super()._model(model, dim)

    def insert(self, memory: Memory, signatures: Sequence[bytes]) -> None:
        row = self._s.one(
            "insert_memory", **rows.insert_values(memory, self.mod()), signatures=list(dict.fromkeys(signatures)),
            words=vectors_of(memory.text, self._s.number),
        )  # fmt: skip
        if row is None:
            raise Conflict(f"a live memory already has the text, the key or the id of {memory.id}")
        crashpoints.hit("write.after_insert")

    def _change(self, before: Memory, values: Mapping[str, Any]) -> int:
        # Asked first, as a violated key would end the transaction. Nobody can come between: the scope is locked.
        to_live = values["state"] == "live" and (
            before.state != "live" or values["key"] != before.key or values["kind"] != before.kind
        )
        if to_live and self._s.one(
            "clashes", id=before.id, key=values["key"], norm_hash=before.norm_hash, kind=values["kind"], state="live"
        ):
            raise Conflict(f"a live memory already has the text or the key of {before.id}")
        return self._s.run("change", id=before.id, revision=before.revision, **values)

    def insert_many(self, rows_: Sequence[tuple[Memory, Sequence[bytes]]]) -> None:
        if len(rows_) < BULK:
            return super().insert_many(rows_)
        seqs = [r[0] for r in self._s.all("next_seqs", n=len(rows_))]  # in the order of commits, as the scope is locked
        given = list(zip(seqs, rows_, strict=True))
        mod, number = self.mod(), self._s.number
        # Through tables of this session: COPY does not go past row-level security.
        self._s.do("bulk_memory")
        self._s.do("bulk_clause")
        memories = ({"seq": seq, **rows.insert_values(m, mod)} for seq, (m, _) in given)
        self._s.copy("copy_memory", memories, COPIED_COLUMNS)
        signed = ((s, seq) for seq, (_, signatures) in given for s in dict.fromkeys(signatures))
        self._s.copy("copy_clause", ({"signature": s, "memory": seq} for s, seq in signed), ("signature", "memory"))
        try:
            self._s.run("take_memory")
        except psycopg.errors.UniqueViolation as error:
            raise Conflict(f"a live memory already has a text, a key or an id of these: {error}") from error
        self._s.run("take_clause")
        worded = ((seq, n, part) for seq, (m, _) in given for n, part in enumerate(vectors_of(m.text, number), 1))
        self._s.copy(
            "copy_words", ({"memory": seq, "part": n, "words": w} for seq, n, w in worded), ("memory", "part", "words")
        )
        return None

    def stamp(self, run: str, rows_: Sequence[tuple[str, int]], at: datetime) -> int:
        given = {"ids": [i for i, _ in rows_], "revisions": [r for _, r in rows_], "at": to_us(at)}
        self._s.do("stamp_before", run=run, **given)
        return self._s.run("stamp", **given)

    def _put(self, model: int, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        given = [
            {"text_hash": h, "model": model, "data": Vector(np.frombuffer(data, dtype="<f4"))} for h, data in vectors
        ]
        if len(given) < BULK:
            return self._s.run("insert_vector", **given[0]) if len(given) == 1 else self._s.many("insert_vector", given)
        self._s.do("bulk_vectors")
        self._s.copy("copy_vectors", given, ("text_hash", "model", "data"), scoped=False)
        return self._s.run("take_vectors")

    def _entry_rows(self, n: int, rows_: Sequence[tuple[str, int]]) -> None:
        if rows_:
            self._s.do("insert_entry_rows", entry=n, memories=[i for i, _ in rows_], roles=[r for _, r in rows_])


__all__ = ["PostgresReads", "PostgresSession", "PostgresTransactions", "PostgresTx", "psycopg"]
