"""Leaving no byte of what was deleted in the files of PostgreSQL's tables: each is written anew, with its indexes and samples."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from reverie.errors import StoreBusy, StoreError
from reverie.store.postgres.connection import Q, connect, place, psycopg, translated

if TYPE_CHECKING:
    from reverie.store.postgres.store import PostgresStore

_NUMBER = re.compile(r"\s*(\d+)")
AGAIN_SECONDS = 0.2
SAMPLES = (
    "old samples of the planner may hold values: this role may not vacuum pg_statistic; as an administrator of the database run "
    "VACUUM (FULL) pg_catalog.pg_statistic"
)
LOG = (
    "the write-ahead log holds them until its segments are removed, and so do its archive, replicas and backups: see the "
    "page on erasing for what an administrator does"
)


def wipe(store: PostgresStore, busy_seconds: float) -> list[str]:
    """See `Store.wipe`. Each table is locked while it is written anew, and needs as much free disk.

    A snapshot that is older than the deletion, whoever holds it, keeps the dead rows alive: it is waited for.
    """
    until = time.monotonic() + busy_seconds
    with translated(store.url), connect(store.url) as connection:
        held: list[int] = []
        skipped: list[str] = []

        def heard(notice: psycopg.errors.Diagnostic) -> None:
            if notice.severity_nonlocalized == "WARNING":
                skipped.append(notice.message_primary or "")
            # "3 dead row versions cannot be removed yet." in whatever language: the number stands first, or there is none.
            found = _NUMBER.match(notice.message_detail or "")
            held.append(int(found[1]) if found else 0)

        connection.add_notice_handler(heard)
        connection.execute(Q["wait_no_longer"], {"lock_ms": str(max(1, int(busy_seconds * 1000)))})
        names = [r[0] for r in connection.execute(Q["tables_to_wipe"]).fetchall()]
        for statement in [*(_named(connection, n) for n in names), Q["wipe_statistics"]]:
            while True:
                held.clear()
                connection.execute(statement)
                if skipped and statement != Q["wipe_statistics"]:
                    raise StoreError(f"{place(store.url)}: the rows are gone, but not their bytes: {skipped[0]}")
                if not any(held):
                    break
                if time.monotonic() > until:
                    raise StoreBusy(
                        f"{place(store.url)}: the rows are gone, but a transaction that began before keeps their bytes; end it "
                        "(see pg_stat_activity, replication slots and prepared transactions), then run: reverie erase --finish"
                    )
                time.sleep(AGAIN_SECONDS)
    return [LOG, *([SAMPLES] if skipped else [])]


def _named(connection: psycopg.Connection[Any], table: str) -> Any:
    """VACUUM takes no parameters: the name is quoted by the driver."""
    return Q["wipe_table"].replace("<name>", psycopg.sql.Identifier(table).as_string(connection))


__all__ = ["wipe"]
