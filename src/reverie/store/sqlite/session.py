"""Statements on an apsw connection, and what only this store does in its own way: full text, rows one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw

from reverie.clock import to_us
from reverie.errors import Conflict, StoreCorrupt
from reverie.model import Memory, Scope
from reverie.store import crashpoints, rows
from reverie.store.queries import queries
from reverie.store.reads import SqlReads
from reverie.store.session import Row
from reverie.store.sqlite.connection import translated
from reverie.store.tx import SqlTx
from reverie.text.fold import searchable

if TYPE_CHECKING:
    from reverie.store.sqlite.store import SqliteStore

Q = queries("sqlite")
FEW = 64  # rows that are quicker to fetch one by one than through a list


class SqliteSession:
    """A connection in one scope, by the scope's number."""

    __slots__ = ("connection", "scope")

    def __init__(self, connection: apsw.Connection, scope: int) -> None:
        self.connection = connection
        self.scope = scope

    def each(self, name: str, /, **given: Any) -> Iterator[Row]:
        given["scope"] = self.scope
        return self.connection.execute(Q[name], given)

    def all(self, name: str, /, **given: Any) -> list[Row]:
        given["scope"] = self.scope
        return self.connection.execute(Q[name], given).fetchall()  # type: ignore[return-value]

    def one(self, name: str, /, **given: Any) -> Row | None:
        given["scope"] = self.scope
        return self.connection.execute(Q[name], given).fetchone()

    def run(self, name: str, /, **given: Any) -> int:
        given["scope"] = self.scope
        self.connection.execute(Q[name], given)
        return self.connection.changes()

    def do(self, name: str, /, **given: Any) -> None:
        given["scope"] = self.scope
        self.connection.execute(Q[name], given)

    def listed(self, values: Iterable[Any]) -> str:
        return json.dumps(list(values))


class SqliteTransactions:
    """The one writing connection of this process."""

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def begin(self) -> apsw.Connection:
        with translated(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def commit(self, handle: apsw.Connection) -> None:
        with translated(self._path):
            handle.execute("COMMIT")

    def rollback(self, handle: apsw.Connection) -> None:
        if handle.in_transaction:
            handle.execute("ROLLBACK")

    def part(self, handle: apsw.Connection, words: str) -> None:
        handle.execute(words)

    def told(self, error: Exception) -> Exception:
        try:
            with translated(self._path):
                raise error
        except Exception as told:  # noqa: BLE001 - given back, not swallowed
            return told

    def close(self) -> None:
        self._connection.close()


class SqliteReads(SqlReads):
    """Holds one reading connection in a read transaction, so that all answers are of one moment."""

    def __init__(self, store: SqliteStore, scope: Scope) -> None:
        self._store = store
        self._name = scope

    def __enter__(self) -> SqliteReads:
        connection = self._store.borrow()
        try:
            with translated(self._store.path):
                connection.execute("BEGIN")
                self._s: SqliteSession = SqliteSession(connection, self._store.scope_number(self._name, connection))
        except BaseException:
            connection.close()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        with translated(self._store.path):
            if self._s.connection.in_transaction:  # a file that broke under it has ended it
                self._s.connection.execute("COMMIT")
            self._store.give_back(self._s.connection)
            if isinstance(exc[1], apsw.Error):
                raise exc[1]

    def rows_by_seq(self, seqs: Iterable[int]) -> dict[int, Memory]:
        wanted = [int(s) for s in seqs]
        if len(wanted) > FEW:
            return super().rows_by_seq(wanted)
        one = (self._s.one("row_by_seq", seq=s) for s in wanted)
        return {r[0]: rows.memory(r) for r in one if r is not None}

    def postings(self, word: str, after: int) -> list[int]:
        quoted = searchable(word).replace('"', '""')
        words = f'place:s{self._s.scope} AND body:"{quoted}"'
        return [r[0] for r in self._s.each("postings", words=words, after=after)]


class SqliteTx(SqlTx):
    """A transaction on the writing connection."""

    _s: SqliteSession

    def _savepoint(self, words: str) -> None:
        self._s.connection.execute(words)

    def _next_mod(self) -> int:
        row = self._s.one("next_mod")
        if row is None:
            raise StoreCorrupt("the store has lost its version counter")
        return int(row[0])

    def _leap(self, by: int) -> None:
        self._s.do("leap", by=by)

    def tick(self, at: datetime, n: int = 1) -> int:
        row = self._s.one("tick", n=n, at=to_us(at))
        return int(row[0]) if row else 0

    def insert(self, memory: Memory, signatures: Sequence[bytes]) -> None:
        try:
            self._s.run("insert_memory", **rows.insert_values(memory, self.mod()))
        except apsw.ConstraintError as error:
            raise Conflict(f"a live memory already has this text, key or id: {error}") from error
        seq = self._s.connection.last_insert_rowid()
        self._s.run("insert_text", seq=seq, body=searchable(memory.text), place=f"s{self._s.scope}")
        for signature in dict.fromkeys(signatures):
            self._s.run("insert_clause", signature=signature, memory=seq)
        crashpoints.hit("write.after_insert")

    def _change(self, before: Memory, values: Mapping[str, Any]) -> int:
        try:
            return self._s.run("change", id=before.id, revision=before.revision, **values)
        except apsw.ConstraintError as error:
            raise Conflict(f"a live memory already has the text or the key of {before.id}") from error

    def stamp(self, run: str, rows_: Sequence[tuple[str, int]], at: datetime) -> int:
        asked, moment = json.dumps(rows_), to_us(at)
        self._s.do("stamp_before", run=run, at=moment, rows=asked)
        return self._s.run("stamp", at=moment, rows=asked)

    def _put(self, model: int, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        return sum(self._s.run("insert_vector", text_hash=h, model=model, data=data) for h, data in vectors)
