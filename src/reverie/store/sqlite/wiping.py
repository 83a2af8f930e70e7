"""Leaving no byte of what was deleted in a file of SQLite: full text merged, file written anew, log emptied."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import apsw

from reverie.errors import StoreBusy
from reverie.store.sqlite.connection import translated
from reverie.store.sqlite.session import Q

ALL = {"scope": 0}


def wipe(open_: Callable[[], apsw.Connection], path: str) -> list[str]:
    """See `Store.wipe`. Needs free disk of about the file's size.

    Deleted words stay in the full-text index until its parts are merged; SQLite zeroes what it frees (``secure_delete``), but
    not what it moves aside when it balances pages, so the whole file is written anew; then the log is copied into it and cut.
    """
    connection = open_()
    try:
        with translated(path):
            # What passes through the temporary file is kept, not deleted; in memory it could be too much.
            connection.execute("PRAGMA temp_store = FILE")
            connection.execute(Q["merge_words"])
            connection.execute(Q["wipe_file"])
            busy: Any = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy is not None and busy[0]:
            raise StoreBusy(
                f"{path}: the rows are gone, but a reader in another process keeps their bytes in the log; end it, then run: "
                "reverie erase --finish"
            )
        return []
    finally:
        with contextlib.suppress(apsw.BusyError):
            connection.close()
