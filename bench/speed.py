"""Speed against a floor measured in the same run: one SQLite table (WAL, synchronous=FULL, UNIQUE text) and a float32 matrix.

Usage: python bench/speed.py [--rows 10000 100000] [--writes 500]
Embedding is left out on both sides: vectors come from a table. Processor time is the figure to compare; wall times of
shared machines are noisy.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import apsw
import numpy as np

import reverie
from reverie.clock import SystemClock, Ulids
from reverie.memory import Reverie
from reverie.model import Origin, Scope
from reverie.settings import load
from reverie.store.sqlite.store import SqliteStore
from reverie.vectors.blas import one_thread
from reverie.vectors.join import exact_pairs, near_pairs

DIM = 384


def vectors(n: int, seed: int = 1) -> np.ndarray:
    """Decaying spectrum, a shared mean direction, n/250 topics of power-law size, 12 % near copies (0.88 to 0.995)."""
    r = np.random.default_rng(seed)
    scale = 1 / np.sqrt(1 + np.arange(DIM) / 12)
    mean = r.normal(size=DIM) * scale * 0.4
    topics = r.normal(size=(max(2, n // 250), DIM)) * scale * 0.8
    weight = 1 / np.arange(1, len(topics) + 1) ** 0.8
    out = np.empty((n, DIM), dtype=np.float32)
    of = r.choice(len(topics), size=n, p=weight / weight.sum())
    for start in range(0, n, 10_000):
        part = slice(start, min(n, start + 10_000))
        rows = r.normal(size=(part.stop - start, DIM)) * scale
        out[part] = rows + topics[of[part]] + mean
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    copies = r.choice(n, size=int(n * 0.12), replace=False)
    source = r.integers(0, n, size=len(copies))
    cosine = r.uniform(0.88, 0.995, size=len(copies)).astype(np.float32)[:, None]
    noise = r.normal(size=(len(copies), DIM)).astype(np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    out[copies] = cosine * out[source] + np.sqrt(1 - cosine**2) * noise
    return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)


class TableEmbedder:
    """Vectors by the number that stands in the text: embedding costs next to nothing."""

    model_id = "bench-table:384"
    dim = DIM

    def __init__(self, table: np.ndarray) -> None:
        self.table = table

    def embed(self, texts, kind="document"):
        return np.stack([self.table[int("".join(c for c in t if c.isdigit()) or 0) % len(self.table)] for t in texts])


NAMES = [
    "Ana",
    "Bea",
    "Carlos",
    "Dmitri",
    "Elif",
    "Farah",
    "Grete",
    "Hiro",
    "Ines",
    "Jonas",
    "Kemal",
    "Lena",
    "Marek",
    "Nadia",
    "Omar",
    "Priya",
    "Quentin",
    "Rosa",
]
VERBS = ["prefers", "reviewed", "deployed", "painted", "bought", "measured", "repaired", "described", "sold", "planned"]
THINGS = [
    "harbor",
    "lantern",
    "protocol",
    "meadow",
    "turbine",
    "ledger",
    "violin",
    "compass",
    "glacier",
    "syllabus",
    "orchard",
    "archive",
    "furnace",
]


def text(i: int) -> str:
    return f"{NAMES[i % 18]} {VERBS[i // 18 % 10]} the {THINGS[i // 180 % 13]} number {i} at the {THINGS[i // 7 % 13]}"


def timed(work, repeat: int) -> tuple[float, float, float]:
    """Median wall ms, p95 wall ms, cpu ms a call."""
    walls = []
    c = time.process_time()
    for k in range(repeat):
        t = time.perf_counter()
        work(k)
        walls.append((time.perf_counter() - t) * 1e3)
    cpu = (time.process_time() - c) * 1e3 / repeat
    return statistics.median(walls), sorted(walls)[int(len(walls) * 0.95)], cpu


class Floor:
    def __init__(self, path: Path, table: np.ndarray) -> None:
        self.c = apsw.Connection(str(path))
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            self.c.execute(f"PRAGMA {pragma}")
        self.c.execute("CREATE TABLE m (id INTEGER PRIMARY KEY, text TEXT UNIQUE, vector BLOB)")
        self.table, self.matrix, self.n = table, np.zeros((1024, DIM), np.float32), 0

    def write(self, i: int) -> None:
        v = self.table[i % len(self.table)]
        if self.n:
            with one_thread():
                (self.matrix[: self.n] @ v).max()
        self.c.execute("BEGIN IMMEDIATE")
        self.c.execute("INSERT OR IGNORE INTO m (text, vector) VALUES (?, ?)", (text(i), v.tobytes()))
        self.c.execute("COMMIT")
        if self.n == len(self.matrix):
            self.matrix = np.concatenate([self.matrix, np.zeros_like(self.matrix)])
        self.matrix[self.n] = v
        self.n += 1


def threads(n: int, each: int, work) -> float:
    """Writes a second of n threads."""

    def run(k: int) -> None:
        for i in range(each):
            work(k * each + i)

    workers = [threading.Thread(target=run, args=(k,)) for k in range(n)]
    t = time.perf_counter()
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    return n * each / (time.perf_counter() - t)


def writes(tmp: Path, table: np.ndarray, n: int) -> None:
    floor = Floor(tmp / "floor.db", table)
    mem = reverie.open(tmp / "w.db", embedder=TableEmbedder(table))
    mem.remember("warm up 0")
    f = timed(lambda k: floor.write(k), n)
    r = timed(lambda k: mem.remember(text(k)), n)
    r4 = threads(4, n // 2, lambda i: mem.remember(text(3_000 + i)))
    w = reverie.open(tmp / "w4.db", embedder=TableEmbedder(table))
    r1 = n / 2 / (lambda t: [w.remember(text(6_000 + k)) for k in range(n // 2)] and time.perf_counter() - t)(
        time.perf_counter())  # fmt: skip
    print(
        f"single write    floor {1e3 / f[0]:6.0f}/s cpu {f[2]:.2f} ms | reverie {1e3 / r[0]:6.0f}/s cpu {r[2]:.2f} ms, "
        f"p95 {r[1]:.1f} ms | 4 threads {r4:.0f}/s = {r4 / r1:.1f} x one ({r1:.0f}/s)"
    )
    w.close()
    mem.close()


class SlowFile(apsw.VFSFile):
    def xSync(self, flags):
        time.sleep(0.004)
        return super().xSync(flags)


class SlowDisk(apsw.VFS):
    """The ordinary file system with 4 ms added to every sync: a disk of about 250 syncs a second."""

    def __init__(self) -> None:
        super().__init__("slow-disk", "")

    def xOpen(self, name, flags):
        return SlowFile("", name, flags)


def group_commit(tmp: Path, table: np.ndarray, n: int) -> None:
    """Durable writes a second of one client and of four, where a sync takes 4 ms."""
    disk = SlowDisk()
    rates = []
    for clients in (1, 4, 8):
        store = SqliteStore(str(tmp / f"g{clients}.db"), vfs="slow-disk")
        clock = SystemClock()
        mem = Reverie(store, Scope(), settings=load(), clock=clock, ids=Ulids(clock), embedder=TableEmbedder(table),
                      origin=Origin())  # fmt: skip
        mem.remember("warm up 0")
        rates.append(threads(clients, n // clients, lambda i, mem=mem: mem.remember(text(i))))
        mem.close()
    del disk
    print(
        f"group commit    4 ms a sync: 1 client {rates[0]:.0f}/s, 4 clients {rates[1]:.0f}/s = {rates[1] / rates[0]:.1f} x, "
        f"8 clients {rates[2]:.0f}/s = {rates[2] / rates[0]:.1f} x"
    )


def reads(tmp: Path, table: np.ndarray, n: int) -> None:
    mem = reverie.open(tmp / f"r{n}.db", embedder=TableEmbedder(table))
    t, c = time.perf_counter(), time.process_time()
    for _ in mem.import_stream(text(i) for i in range(n)):
        pass
    fill = n / (time.perf_counter() - t), (time.process_time() - c) * 1e3 / n
    held = len(mem.memories(limit=None)) if n <= 10_000 else n
    mem.close()
    mem = reverie.open(tmp / f"r{n}.db", embedder=TableEmbedder(table))
    t = time.perf_counter()
    mem.recall(text(3))
    cold = time.perf_counter() - t
    queries = [f"what did {NAMES[i % 18]} do with the {THINGS[i % 13]} number {i * 37 % n}" for i in range(200)]

    def scan(k: int) -> None:
        q = table[k * 37 % n]
        with one_thread():
            s = table[:n] @ q
        top = np.argpartition(s, n - 10)[n - 10 :]
        top[np.argsort(-s[top])]

    f = timed(scan, 200)
    r = timed(lambda k: mem.recall(queries[k], 10), 200)
    v = timed(lambda k: mem.recall(queries[k], 10, log=False), 200)
    print(
        f"recall {n:>7}  floor p50 {f[0]:.2f} ms cpu {f[2]:.2f} | reverie p50 {r[0]:.2f} p95 {r[1]:.2f} cpu {r[2]:.2f} "
        f"= {v[2] / f[2]:.1f} x floor cpu ({v[2]:.2f} unlogged) | first recall {cold:.2f} s | "
        f"fill {fill[0]:.0f}/s {fill[1]:.2f} cpu ms a row ({held} rows)"
    )
    mem.close()


def joins(table: np.ndarray, n: int) -> None:
    m = np.ascontiguousarray(table[:n])
    c = time.process_time()
    i, j, _ = near_pairs(m, 0.92)
    fast = time.process_time() - c
    line = f"join   {n:>7}  {len(i)} pairs over .92 in {fast:.2f} cpu s"
    if n <= 100_000:
        c = time.process_time()
        with one_thread():
            a, b, _ = exact_pairs(m, 0.92, np.arange(n, dtype=np.int64))
        exact = time.process_time() - c
        truth = set(zip(a.tolist(), b.tolist(), strict=True))
        found = set(zip(i.tolist(), j.tolist(), strict=True))
        line += f" | exact {exact:.2f} cpu s, recall {len(found & truth) / max(1, len(truth)):.4f}"
    new = np.arange(n - 2000, n, dtype=np.int64)
    c = time.process_time()
    near_pairs(m, 0.92, new=new)
    print(line + f" | 2,000 new rows {time.process_time() - c:.2f} cpu s")


def opening(tmp: Path) -> None:
    code = (
        "import time; t = time.perf_counter(); c = time.process_time(); import reverie; "
        "m = reverie.open(r'{}'); print(time.perf_counter() - t, time.process_time() - c)"
    ).format(tmp / "w.db")
    runs = [
        [float(x) for x in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
         .stdout.split()] for _ in range(7)
    ]  # fmt: skip
    print(
        f"import + open   median {statistics.median(r[0] for r in runs):.3f} s wall, "
        f"{statistics.median(r[1] for r in runs):.3f} s cpu"
    )


def main() -> None:
    args = argparse.ArgumentParser()
    args.add_argument("--rows", nargs="*", type=int, default=[10_000, 100_000])
    args.add_argument("--writes", type=int, default=500)
    a = args.parse_args()
    print(
        f"numpy {np.__version__}, sqlite {apsw.sqlite_lib_version()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    table = vectors(max([10_000, *a.rows]))
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        writes(folder, table, a.writes)
        group_commit(folder, table, a.writes)
        opening(folder)
        for n in a.rows:
            reads(folder, table, n)
            joins(table, n)


if __name__ == "__main__":
    main()
