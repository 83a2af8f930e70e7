"""The embedded store: one SQLite file in WAL mode, one writing connection, a few reading ones."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import apsw

from reverie.clock import to_us
from reverie.errors import Closed
from reverie.model import Scope
from reverie.store.codec import dumps
from reverie.store.grouping import Committer
from reverie.store.port import ScopeStore, Store
from reverie.store.records import Known
from reverie.store.session import Session
from reverie.store.sqlite import wiping
from reverie.store.sqlite.connection import check_folder, connect, migrate, translated
from reverie.store.sqlite.session import SqliteReads, SqliteSession, SqliteTransactions, SqliteTx
from reverie.store.standings import known
from reverie.store.verbs import Tx
from reverie.text.signatures import GRAMMAR

T = TypeVar("T")
IDLE_READERS = 4


class SqliteStore(Store):
    """A store in one file.

    Args:
        path: the file; made where it is missing. Its folder must exist.
        busy_seconds: how long a write waits for another process (default 30).
        synchronous: full (default: survives a power cut), normal or off.
        vfs: name of an apsw VFS; tests simulate a power cut through one.

    Raises:
        StoreError: the file cannot be opened. StoreTooNew: it was written by a newer Reverie.
    """

    def __init__(
        self, path: str, *, busy_seconds: float = 30.0, synchronous: str = "full", vfs: str | None = None
    ) -> None:
        check_folder(path)
        self.path = str(Path(path).expanduser())
        self.made = not Path(self.path).is_file()
        self._open: Callable[[], apsw.Connection] = lambda: connect(
            self.path, busy_seconds=busy_seconds, synchronous=synchronous, vfs=vfs
        )
        writer = self._open()
        try:
            self.schema = migrate(writer, self.path)
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        self._committer = Committer(SqliteTransactions(writer, self.path))
        self._idle: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self._numbers: dict[Scope, int] = {}
        self._closed = False

    # connections
    def borrow(self) -> apsw.Connection:
        """A reading connection for the caller alone; give it back."""
        with self._lock:
            if self._closed:
                raise Closed("the store is closed")
            if self._idle:
                return self._idle.pop()
        return self._open()

    def give_back(self, connection: apsw.Connection) -> None:
        """Return a borrowed connection."""
        with self._lock:
            if not self._closed and len(self._idle) < IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def scope_number(self, scope: Scope, connection: apsw.Connection) -> int:
        """The scope's number; 0, which no row has, while the scope was never written to."""
        number = self._numbers.get(scope)
        if number is None:
            row = SqliteSession(connection, 0).one("scope_id", tenant=scope.tenant, namespace=scope.namespace)
            if row is None:
                return 0
            number = self._numbers[scope] = int(row[0])
        return number

    def commit(self, scope: Scope, work: Callable[[Tx], T]) -> T:
        """Run a scope's work in the shared writer."""

        def job(connection: apsw.Connection) -> T:
            number = self._numbers.get(scope)
            if number is None:  # not remembered here: a rollback would take a new number back
                session = SqliteSession(connection, 0)
                session.run("add_scope", tenant=scope.tenant, namespace=scope.namespace, grammar=GRAMMAR)
                row = session.one("scope_id", tenant=scope.tenant, namespace=scope.namespace)
                number = int(row[0]) if row else 0
            return work(SqliteTx(SqliteSession(connection, number)))

        return self._committer.run(job)

    def coming(self) -> AbstractContextManager[None]:
        """See `Committer.coming`."""
        return self._committer.coming()

    # the port
    def scope(self, scope: Scope) -> SqliteScope:
        return SqliteScope(self, scope)

    @contextmanager
    def _session(self) -> Iterator[SqliteSession]:
        connection = self.borrow()
        try:
            with translated(self.path):
                yield SqliteSession(connection, 0)
        finally:
            self.give_back(connection)

    def _asking(self) -> AbstractContextManager[SqliteSession]:
        return self._session()

    def _changing(self, work: Callable[[Session], T]) -> T:
        return self._committer.run(lambda c: work(SqliteSession(c, 0)))

    def scopes(self, tenant: str | None = None) -> list[Scope]:
        with self._session() as s:
            return [Scope(*row) for row in s.all("scopes", whose=tenant)]

    def standings(self) -> list[Known]:
        with self._session() as s:
            return known(s)

    def spent_everywhere(self, since: datetime) -> int:
        with self._session() as s:
            row = s.one("spent_everywhere", since=to_us(since))
        return int(row[0]) if row else 0

    def calibration(self, model: str) -> dict[str, Any] | None:
        with self._session() as s:
            row = s.one("calibration", model=model)
        return json.loads(row[0]) if row else None

    def keep_calibration(self, model: str, record: Mapping[str, Any]) -> None:
        self._committer.run(lambda c: SqliteSession(c, 0).run("keep_calibration", model=model, record=dumps(record)))

    def wipe(self) -> list[str]:
        with self._committer.held():  # writers of this process queue up meanwhile; others wait for the lock
            return wiping.wipe(self._open, self.path)

    def problems(self) -> list[str]:
        # A connection of its own: FTS5 checks against the structure that a used connection remembers, and calls a sound
        # index corrupt once another connection has written.
        connection = self._open()
        try:
            with translated(self.path):
                found = [str(r[0]) for r in connection.execute("PRAGMA integrity_check") if r[0] != "ok"]
                found += [f"foreign key of {r[0]} row {r[1]}" for r in connection.execute("PRAGMA foreign_key_check")]
            return found
        finally:
            connection.close()

    def facts(self) -> dict[str, Any]:
        connection = self.borrow()
        try:
            return {
                "store": "sqlite",
                "path": self.path,
                "sqlite": apsw.sqlite_lib_version(),
                "apsw": apsw.apsw_version(),
                "schema": self.schema,
                "journal_mode": connection.pragma("journal_mode"),
                "synchronous": {0: "off", 1: "normal", 2: "full", 3: "extra"}[int(self._synchronous(connection))],
                "bytes": Path(self.path).stat().st_size,
            }
        finally:
            self.give_back(connection)

    @staticmethod
    def _synchronous(connection: apsw.Connection) -> int:
        return int(connection.pragma("synchronous"))

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        self._committer.close()


class SqliteScope(ScopeStore):
    """One scope of the file."""

    def __init__(self, store: SqliteStore, scope: Scope) -> None:
        self._store = store
        self.scope = scope

    def transact(self, work: Callable[[Tx], T]) -> T:
        return self._store.commit(self.scope, work)

    def coming(self) -> AbstractContextManager[None]:
        return self._store.coming()

    def read(self) -> SqliteReads:
        return SqliteReads(self._store, self.scope)
