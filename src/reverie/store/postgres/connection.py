"""Connecting to PostgreSQL through psycopg: the pool, migrations, and errors in Reverie's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reverie.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreTooNew
from reverie.store.queries import migrations, queries

if TYPE_CHECKING:
    from psycopg import Connection

try:
    import psycopg
    from pgvector import Vector
    from pgvector.psycopg.vector import register_vector_info
    from psycopg.types import TypeInfo
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as missing:
    raise InvalidInput("a postgresql:// store needs the extra 'postgres': pip install 'reverie[postgres]'") from missing

SCHEMA = "reverie"
OLDEST_PGVECTOR = (0, 8)

_NAMED = re.compile(r"(?<![:\w]):([a-z_]+)\b")

Q = {name: _NAMED.sub(r"%(\1)s", text.replace("%", "%%")) for name, text in queries("postgres").items()}
"""The statements with psycopg's placeholders."""


def connect(url: str, **given: Any) -> Connection[Any]:
    """One connection outside the pool, in autocommit. Raises StoreError where the server cannot be reached."""
    with translated(url):
        return psycopg.connect(url, autocommit=True, connect_timeout=10, **given)


def migrate(connection: Connection[Any], url: str) -> tuple[int, str, bool]:
    """Bring the schema to this version, all in one transaction. Returns (version, search path, whether it is new).

    Raises:
        StoreTooNew: a newer Reverie made it. StoreError: pgvector is missing or the role may not make what is missing.
    """
    steps = migrations("postgres")
    with translated(url), connection.transaction():
        connection.execute(Q["only_one_migrates"])
        path = str(connection.execute(Q["search_path"]).fetchone()[0])  # type: ignore[index]
        fresh = not connection.execute(Q["has_meta"]).fetchone()[0]  # type: ignore[index]
        if fresh:
            _prepare(connection, url)
        _check_pgvector(connection, url)
        connection.execute(Q["enter_all"], {"path": path})
        version = 0
        if not fresh:
            row = connection.execute(Q["schema_version"]).fetchone()
            version = int(row[0]) if row else 0
        if version > len(steps):
            raise StoreTooNew(
                f"{place(url)} has schema {version}, this Reverie knows {len(steps)}: upgrade Reverie to open it"
            )
        for number, _name, sql in steps[version:]:
            connection.execute(sql)
            connection.execute(Q["set_schema_version"], {"version": str(number)})
    return len(steps), path, fresh


def _prepare(connection: Connection[Any], url: str) -> None:
    """The schema and the extension, where an administrator has not made them."""
    try:
        if not connection.execute(Q["has_schema"]).fetchone()[0]:  # type: ignore[index]
            connection.execute(Q["create_schema"])
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{place(url)}: this role may not make the schema {SCHEMA}: as an administrator run GRANT CREATE ON DATABASE, or "
            f"CREATE SCHEMA {SCHEMA} AUTHORIZATION this role"
        ) from error
    try:
        connection.execute(Q["create_extension"])
    except psycopg.Error as error:
        raise StoreError(
            f"{place(url)} has no pgvector, and it cannot be made ({_first(error)}): install pgvector 0.8 or newer on the "
            "server, then run CREATE EXTENSION vector as an administrator"
        ) from error


def _check_pgvector(connection: Connection[Any], url: str) -> None:
    row = connection.execute(Q["pgvector_version"]).fetchone()
    if row is None:
        raise StoreError(f"{place(url)} has no pgvector any more: run CREATE EXTENSION vector as an administrator")
    if tuple(int(n) for n in str(row[0]).split(".")[:2]) < OLDEST_PGVECTOR:
        raise StoreError(
            f"{place(url)} has pgvector {row[0]}; Reverie needs 0.8 or newer: ALTER EXTENSION vector UPDATE"
        )


def queue_is_there(connection: Connection[Any]) -> bool:
    """Whether the queue's tables have been made; holds off others who ask, until the transaction ends."""
    row = connection.execute(Q["has_queue"]).fetchone()
    return bool(row and row[1])


def pool(url: str, size: int) -> ConnectionPool[Connection[Any]]:
    """Connections that threads share. Opened when first asked for; nothing is kept in a session but prepared statements."""
    known: list[TypeInfo | None] = []

    def configure(connection: Connection[Any]) -> None:
        if not known:
            known.append(TypeInfo.fetch(connection, "vector"))
        register_vector_info(connection, known[0])

    return ConnectionPool(
        url, min_size=0, max_size=size, kwargs={"autocommit": True, "connect_timeout": 10}, configure=configure,
        open=True, timeout=30, max_idle=300, name="reverie",
    )  # fmt: skip


def check_url(url: str) -> None:
    """Raise InvalidInput for what libpq cannot read, without repeating it: it may hold a password."""
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise InvalidInput(
            "the postgresql:// URL cannot be read: write postgresql://user:password@host:5432/database, with what is no "
            "letter or digit in user and password percent-encoded, and only options that libpq knows after the question mark"
        ) from None


def place(url: str) -> str:
    """Where the store is, with no password in it."""
    parts = psycopg.conninfo.conninfo_to_dict(url)
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    return f"postgresql://{host}{f':{p}' if (p := parts.get('port')) else ''}/{parts.get('dbname', '')}"


def _safe(message: str, url: str) -> str:
    """A message of the driver without any part of the password that stands in the URL."""
    secret = url.partition("://")[2].rpartition("@")[0].partition(":")[2]
    for piece in sorted(filter(None, re.split(r"[:/?#@]", secret)), key=len, reverse=True):
        message = message.replace(piece, "***") if len(piece) > 2 else message
    return message


def told(error: Exception, url: str) -> Exception:
    """psycopg's error in Reverie's words; any other as it is."""
    if isinstance(error, (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected)):
        return StoreBusy(
            f"{place(url)}: another writer held this namespace for too long; try again, or raise busy_seconds"
        )
    if isinstance(error, psycopg.errors.IndexCorrupted | psycopg.errors.DataCorrupted):
        return StoreCorrupt(f"{place(url)} is not sound: {_safe(_first(error), url)}")
    if isinstance(error, PoolTimeout):
        return StoreError(_safe(f"{place(url)} gave no connection in time: {_first(error)}", url))
    if isinstance(error, psycopg.Error):
        return StoreError(_safe(f"{place(url)}: {_first(error)}", url))
    return error


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn psycopg's errors into Reverie's."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        raise told(error, url) from error


def _first(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


__all__ = [
    "SCHEMA",
    "ConnectionPool",
    "Q",
    "Vector",
    "check_url",
    "connect",
    "migrate",
    "place",
    "pool",
    "psycopg",
    "queue_is_there",
    "told",
    "translated",
]
