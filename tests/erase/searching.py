"""The proof: a raw search through every file and every table of a store for words, vectors and hashes that must be gone.

Every word that a history makes begins with ``zq``, which nothing else contains: one look through the bytes finds them all,
as text in any case, as a stem (eight letters are enough), in hexadecimal and in base64.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterable
from pathlib import Path

import psycopg

from servers import Server, named

STEM = 8
TABLE, ELSEWHERE = "table ", "base/"  # names of what a search looks at: raw bytes are looked for where they can be
_PLAIN = re.compile(rb"(?i)zq[a-z]{6}")
_HEX = re.compile(rb"(?i)(?:7a|5a)(?:71|51)(?:[46][1-9a-f]|[57][0-9a])" + rb"(?:[46][0-9a-f]|[57][0-9a])" * 5)
_BASE64 = re.compile(rb"(?:en|WX|Wl|eX|ZX)[A-Za-z0-9+/]{10}")
_WORD = re.compile(r"(?i)zq[a-z]+")


def words(text: str) -> set[str]:
    """The made-up words of a text, cut to what a search looks for."""
    return {w.lower()[:STEM] for w in _WORD.findall(text)}


def found_in(blob: bytes) -> set[str]:
    """Every made-up word that stands in some bytes, in whatever form."""
    found = {m.decode().lower() for m in _PLAIN.findall(blob)}
    for m in _HEX.findall(blob):
        found.add(bytes.fromhex(m.decode()).decode("latin-1").lower())
    for m in _BASE64.findall(blob):
        plain = base64.b64decode(m)[:STEM].decode("latin-1").lower()
        if plain.startswith("zq"):
            found.add(plain)
    return found


def files_of(path: str) -> dict[str, bytes]:
    """Everything that lies beside a SQLite store under its name: the file, the log, its index, a journal."""
    return {p.name: p.read_bytes() for p in sorted(Path(path).parent.glob(Path(path).name + "*"))}


def search(where: dict[str, bytes], gone: set[str], raw: Iterable[bytes] = ()) -> list[str]:
    """Where any of these words, or of these bytes (in tables as hexadecimal), still stands."""
    told = []
    for name, blob in where.items():
        told += [f"{word} in {name}" for word in sorted(found_in(blob) & gone)]
        if name.startswith(TABLE):
            told += [f"{r.hex()} in {name}" for r in raw if r.hex().encode() in blob]
        elif not name.startswith(ELSEWHERE):
            told += [f"{r.hex()} in {name}" for r in raw if r in blob]
    return told


def tables_of(server: Server, url: str) -> dict[str, bytes]:
    """Every row of every table and view of samples, as text, read as an administrator."""
    found = {}
    with psycopg.connect(server.of(named(url)), autocommit=True) as c:
        c.execute("SET bytea_output = 'hex'")
        tables = c.execute(
            """SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname NOT IN ('information_schema')"""
        ).fetchall()
        for schema, table in [*tables, ("pg_catalog", "pg_stats"), ("pg_catalog", "pg_stat_activity")]:
            skip = " WHERE pid <> pg_backend_pid()" if table == "pg_stat_activity" else ""
            rows = c.execute(f'SELECT t::text FROM "{schema}"."{table}" t{skip}').fetchall()
            found[f"{TABLE}{schema}.{table}"] = "\n".join(r[0] or "" for r in rows).encode()
    return found


def data_of(server: Server, url: str, *, everything: bool = True) -> dict[str, bytes]:
    """The raw files under the server's data directory, once the log has been cut: all of them, or this database's and the log."""
    with psycopg.connect(server.of(named(url)), autocommit=True) as c:
        c.execute("ALTER SYSTEM SET wal_recycle = off")
        c.execute("SELECT pg_reload_conf()")
        time.sleep(0.1)
        for _ in range(2):
            c.execute("SELECT pg_switch_wal()")
            c.execute("CHECKPOINT")
        (folder,) = c.execute("SHOW data_directory").fetchone()
        (oid,) = c.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        c.execute("ALTER SYSTEM RESET wal_recycle")
        c.execute("SELECT pg_reload_conf()")
    root = Path(folder)
    mine = root / "base" / str(oid)
    places = [root] if everything else [mine, root / "pg_wal", root / "global"]
    files = [p for place in places for p in sorted(place.rglob("*")) if p.is_file()]
    return {("mine/" + p.name if mine in p.parents else str(p.relative_to(root))): p.read_bytes() for p in files}
