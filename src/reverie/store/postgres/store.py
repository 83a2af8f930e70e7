"""The store for many hosts: PostgreSQL with pgvector, through a pool of psycopg connections."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from reverie.clock import to_us
from reverie.errors import Closed, StoreError
from reverie.model import Scope
from reverie.store.codec import dumps
from reverie.store.grouping import Committer
from reverie.store.port import ScopeStore, Store
from reverie.store.postgres import vectors, wiping
from reverie.store.postgres.connection import Q, check_url, connect, migrate, place, pool, psycopg, translated
from reverie.store.postgres.session import PostgresReads, PostgresSession, PostgresTransactions, PostgresTx
from reverie.store.records import Known
from reverie.store.session import Session
from reverie.store.standings import known
from reverie.store.verbs import Tx
from reverie.text.signatures import GRAMMAR

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")
NOWHERE = Scope("", "")
POOL = 16  # connections that one process holds at most


class PostgresStore(Store):
    """A store in one database, in the schema ``reverie``.

    Args:
        url: a libpq URL, ``postgresql://user:password@host:port/database?sslmode=…``.
        busy_seconds: how long a write waits for another writer of its namespace (default 30).
        transaction_seconds: a transaction that hangs in a stopped process for this long is ended by the server, so that its
            namespace is free again (default 10).
        synchronous: full (default: a commit is on disk), normal or off (``synchronous_commit = off``).

    Raises:
        StoreError: the server cannot be reached, or lacks pgvector. StoreTooNew: a newer Reverie made the schema.
    """

    def __init__(
        self, url: str, *, busy_seconds: float = 30.0, synchronous: str = "full", transaction_seconds: float = 10.0
    ) -> None:
        check_url(url)
        self.url = url
        self.path = place(url)
        self._busy = busy_seconds
        with connect(url) as first:
            self.schema, path, self.made = migrate(first, url)
        self._enter = {
            "path": path, "lock_ms": str(max(1, int(busy_seconds * 1000))),
            "hanging_ms": str(max(1, int(transaction_seconds * 1000))), "synchronous": "on" if synchronous == "full" else "off",
        }  # fmt: skip
        self._pool = pool(url, POOL)
        self._numbers: dict[Scope, int] = {}
        self._models: dict[str, tuple[int, int]] = {}
        self._committers: dict[Scope, Committer[PostgresSession]] = {}
        self._lock = threading.Lock()
        self._closed = False

    # connections
    def begin(self, scope: Scope, *, write: bool) -> PostgresSession:
        """A connection with a transaction open in this scope: for a write it holds the scope's lock. Give it back."""
        if self._closed:
            raise Closed("the store is closed")
        words = "BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with translated(self.url):
            while True:
                connection = self._pool.getconn()
                try:
                    return self._entered(connection, scope, words, write=write)
                except psycopg.OperationalError:
                    # One that the server closed while it lay idle: nothing was done on it, so another is taken.
                    broken = connection.closed or connection.broken
                    self._pool.putconn(connection)
                    if not broken:
                        raise
                except BaseException:
                    self._pool.putconn(connection)
                    raise

    def _entered(self, connection: Connection[Any], scope: Scope, words: str, *, write: bool) -> PostgresSession:
        here = {"tenant": scope.tenant, "namespace": scope.namespace}
        number = None if write else self._numbers.get(scope)
        with connection.pipeline():  # one round trip for all
            connection.execute(words)
            # A reader may take as long as whoever reads the export; a writer holds others up.
            hanging = {} if write else {"hanging_ms": "0"}
            connection.execute(Q["enter"], self._enter | hanging | here)
            found = connection.execute(Q["lock_scope"], here) if write else None
            if number is None and not write:
                found = connection.execute(Q["scope_number"], here)
        if found is None:
            return PostgresSession(connection, scope, self._models, number or 0)
        row = found.fetchone()
        if row is None and write:
            connection.execute(Q["add_scope"], here | {"grammar": GRAMMAR})
            row = connection.execute(Q["lock_scope"], here).fetchone()
        elif row is not None:
            self._numbers[scope] = int(row[0])
        session = PostgresSession(connection, scope, self._models, *(row or ()))
        if write:
            session.queue_up()
        return session

    def give_back(self, connection: Connection[Any]) -> None:
        """Return a connection to the pool; what is open on it is rolled back."""
        self._pool.putconn(connection)

    def commit(self, scope: Scope, work: Callable[[Tx], T]) -> T:
        """Run a scope's work; writers of one scope in this process share commits."""
        return self._committer(scope).run(lambda session: work(PostgresTx(session)))

    def _committer(self, scope: Scope) -> Committer[PostgresSession]:
        with self._lock:
            if self._closed:
                raise Closed("the store is closed")
            made = self._committers.get(scope)
            if made is None:
                made = self._committers[scope] = Committer(PostgresTransactions(self, scope))
            return made

    def coming(self, scope: Scope) -> AbstractContextManager[None]:
        """See `Committer.coming`."""
        return self._committer(scope).coming()

    @contextmanager
    def _everything(self) -> Iterator[PostgresSession]:
        """A transaction that sees every scope: for what the store is asked as a whole."""
        if self._closed:
            raise Closed("the store is closed")
        with translated(self.url), self._pool.connection() as connection, connection.transaction():
            connection.execute(Q["enter_all"], self._enter)
            yield PostgresSession(connection, NOWHERE, self._models)

    # the port
    def scope(self, scope: Scope) -> PostgresScope:
        return PostgresScope(self, scope)

    def _asking(self) -> AbstractContextManager[PostgresSession]:
        return self._everything()

    def _changing(self, work: Callable[[Session], T]) -> T:
        with self._everything() as session:
            return work(session)

    def scopes(self, tenant: str | None = None) -> list[Scope]:
        with self._everything() as s:
            return [Scope(*row) for row in s.all("scopes", whose=tenant)]

    def standings(self) -> list[Known]:
        with self._everything() as s:
            return known(s)

    def spent_everywhere(self, since: datetime) -> int:
        with self._everything() as s:
            row = s.one("spent_everywhere", since=to_us(since))
        return int(row[0]) if row else 0

    def calibration(self, model: str) -> dict[str, Any] | None:
        with self._everything() as s:
            row = s.one("calibration", model=model)
        return json.loads(row[0]) if row else None

    def keep_calibration(self, model: str, record: Mapping[str, Any]) -> None:
        with self._everything() as s:
            s.run("keep_calibration", model=model, record=dumps(record))

    def tend(self, scope: Scope, *, rows: int) -> str | None:
        """See `Store.tend`: a namespace that has outgrown exact search gets an HNSW index of its own."""
        return vectors.tend(self, scope, rows)

    def wipe(self) -> list[str]:
        return wiping.wipe(self, self._busy)

    def problems(self) -> list[str]:
        with self._everything() as s:
            found = [f"index {r[0]} is not valid: drop it, and it is made again" for r in s.all("broken_indexes")]
            found += [f"{n} rows of {table} belong to no memory" for table, n in s.all("rows_of_nobody") if n]
            row = s.one("texts_without_words")
            if row and row[0]:
                found.append(f"{row[0]} memories are missing from the full-text index")
            return found

    def facts(self) -> dict[str, Any]:
        with self._everything() as s:
            row = s.one("facts")
        if row is None:
            raise StoreError(f"{self.path} does not answer")
        return {
            "store": "postgresql", "path": self.path, "postgresql": row[0], "pgvector": row[1], "schema": self.schema,
            "fsync": row[2], "full_page_writes": row[3],
            "synchronous": "full" if self._enter["synchronous"] == "on" else "off", "user": row[5],
            "row_level_security": not row[6], "bytes": int(row[7] or 0),
        }  # fmt: skip

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            committers = list(self._committers.values())
        for committer in committers:
            committer.close()
        self._pool.close()


class PostgresScope(ScopeStore):
    """One scope of the database."""

    def __init__(self, store: PostgresStore, scope: Scope) -> None:
        self._store = store
        self.scope = scope

    def transact(self, work: Callable[[Tx], T]) -> T:
        return self._store.commit(self.scope, work)

    def coming(self) -> AbstractContextManager[None]:
        return self._store.coming(self.scope)

    def read(self) -> PostgresReads:
        return PostgresReads(self._store, self.scope)
