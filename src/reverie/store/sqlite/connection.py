"""Opening one SQLite file through apsw: pragmas, migrations, and errors in Reverie's own words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from reverie.errors import StoreBusy, StoreCorrupt, StoreError, StoreTooNew
from reverie.store.queries import migrations

PAGE_BYTES = 4096  # twice the size halves the pages but not the bytes that a commit must sync
LOOK_SECONDS = 0.001
CACHE_KIB = 65_536
CHECKPOINT_PAGES = 4000  # hot pages are written to the file once for many commits; the log stays near 16 MB


def connect(path: str, *, busy_seconds: float, synchronous: str, vfs: str | None = None) -> apsw.Connection:
    """A connection with every pragma in force.

    Raises:
        StoreError: the file cannot be opened or is not a database.
    """
    with translated(path):
        connection = apsw.Connection(path, vfs=vfs) if vfs else apsw.Connection(path)
        connection.set_busy_timeout(int(busy_seconds * 1000))  # the first pragma may wait; then more evenly
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_busy_handler(_patience(busy_seconds))
    return connection


def _patience(seconds: float) -> Callable[[int], bool]:
    """Look every millisecond whether the lock is free. SQLite's own wait backs off to 100 ms, and loses to whoever returns."""
    until = 0.0

    def again(tries: int) -> bool:
        nonlocal until
        now = time.monotonic()
        if tries == 0:
            until = now + seconds
        if now >= until:
            return False
        time.sleep(LOOK_SECONDS)
        return True

    return again


def migrate(connection: apsw.Connection, path: str) -> int:
    """Bring the schema to this version, each migration in a transaction of its own. Returns the version.

    Raises:
        StoreTooNew: the file was written by a newer Reverie.
    """
    steps = migrations("sqlite")
    with translated(path):
        version = _version(connection)
        if version > len(steps):
            raise StoreTooNew(
                f"{path} has schema {version}, this Reverie knows {len(steps)}: upgrade Reverie to open it"
            )
        for number, _name, sql in steps[version:]:
            connection.execute("BEGIN IMMEDIATE")
            try:
                if _version(connection) < number:  # another process may have been quicker
                    connection.execute(sql)
                    connection.execute(f"PRAGMA user_version = {number}")
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
    return len(steps)


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn apsw's errors into Reverie's."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreBusy(f"{path} is locked by another process; try again, or raise busy_seconds") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreCorrupt(f"{path} is not a sound Reverie store: {error}") from error
    except (apsw.CantOpenError, apsw.PermissionsError, apsw.ReadOnlyError) as error:
        raise StoreError(f"{path} cannot be opened for writing: {error}") from error
    except (apsw.FullError, apsw.IOError) as error:
        raise StoreError(f"the disk refused a write to {path}: {error}") from error


def check_folder(path: str) -> None:
    """Fail early, with a sentence, where the file's folder is missing."""
    folder = Path(path).expanduser().resolve().parent
    if not folder.is_dir():
        raise StoreError(f"the folder {folder} does not exist; make it first")
