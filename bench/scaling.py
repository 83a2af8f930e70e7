"""A thousand namespaces on 1 to 16 workers: the schedule as it is, with costs measured on both stores in the same run.

Usage: python bench/scaling.py [--namespaces 1000] [--rows 10000] [--workers 1 2 4 8 16] [--measured costs.json]
First the real costs: one look at all namespaces (`standings` and `due`), and one visit of a namespace with 0, 20, 200 and
2,000 new rows. Then a simulated day of Poisson writes, few namespaces busy and many quiet, in which workers take turns in
the order that `due` gives. What workers share is modelled as measured: on SQLite the file's one write lock, on PostgreSQL
the server's cores. With --measured FILE costs are read from the file where it exists, and kept there where it does not.
"""

from __future__ import annotations

import argparse
import bisect
import heapq
import json
import math
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import reverie
from reverie.clock import SystemClock, Ulids
from reverie.model import Kind, Memory, Origin, Scope, Trust
from reverie.opening import open_store
from reverie.settings import Settings, load
from reverie.store.port import Store
from reverie.text.normalise import norm_hash, text_hash
from reverie.work.schedule import Due, Slot, Standing, due
from reverie.work.visit import standing
from reverie.work.worker import Worker
from write_latency import Meter, restatements, transactions_of

NEW = (0, 20, 200, 2_000)
TIMES = {0: 5, 20: 5, 200: 3, 2_000: 1}
AGAIN = 120.0  # seconds of a simulated day until what is due is looked at again, though turns are left
ROOM = Scope("default", "full")
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


# costs
def server_cpu(postmaster: int | None) -> float:
    """Processor seconds that a PostgreSQL server has used, its ended processes too; 0 where there is none."""
    if postmaster is None:
        return 0.0
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(entry.name) == postmaster:
            total += sum(int(x) for x in fields[11:15])
        elif int(fields[1]) == postmaster:
            total += int(fields[11]) + int(fields[12])
    return total / TICKS


def postmaster_of(url: str) -> int | None:
    """The process that a server's processes are children of."""
    if "://" not in url:
        return None
    import psycopg

    with psycopg.connect(url) as c:
        backend = c.execute("SELECT pg_backend_pid()").fetchone()[0]
        return int(Path(f"/proc/{backend}/stat").read_text().rsplit(")", 1)[1].split()[1])


def small_scopes(store: Store, n: int) -> None:
    """Make n namespaces of one row each."""
    ids, now = Ulids(SystemClock()), datetime.now(UTC)
    for k in range(n):
        body = f"Namespace {k} holds this."
        row = Memory(
            id=ids.new(), kind=Kind.FACT, text=body, text_hash=text_hash(body), norm_hash=norm_hash(body),
            origin=Origin(), trust=Trust.PROVISIONAL, written_at=now, stated_at=now, strength_at=now,
        )  # fmt: skip

        def work(tx: Any, row: Memory = row) -> None:
            tx.tick(now)
            tx.insert(row, ())
            tx.waits(now)

        store.scope(Scope("default", f"n{k}")).transact(work)


def timed(work: Callable[[], Any], times: int) -> dict[str, float]:
    """Median wall and mean processor seconds."""
    walls, cpu = [], time.process_time()
    for _ in range(times):
        start = time.perf_counter()
        work()
        walls.append(time.perf_counter() - start)
    return {"wall": statistics.median(walls), "cpu": (time.process_time() - cpu) / times}


def cost_of(url: str, a: argparse.Namespace) -> dict[str, Any]:
    """What looks and visits cost on one store."""
    chance = random.Random(3)
    settings = load({"start_stagger_seconds": 0, "idle_seconds": 1})
    store = open_store(url, settings)
    small_scopes(store, a.namespaces)
    early = datetime(2000, 1, 1, tzinfo=UTC)

    def decide() -> list[Due]:
        return due(datetime.now(UTC) + timedelta(hours=1), early, known, ("tidy",))

    costs: dict[str, Any] = {"standings": timed(lambda: [standing(k, settings) for k in store.standings()], 9)}
    known = [standing(k, settings) for k in store.standings()]
    costs["due"] = timed(decide, 9)
    assert len(decide()) >= a.namespaces
    texts = restatements(chance, 0.3)
    postmaster = postmaster_of(url)
    with reverie.open(url, ROOM.namespace, embedder="hashing", settings={"restate_similarity": 1.0}) as mem:

        def write(n: int) -> None:
            for _ in mem.import_stream(next(texts) for _ in range(n)):
                pass

        costs["write"] = timed(lambda: write(a.rows), 1)
        with mem._scope.read() as r:
            waiting = r.uncurated()
        mem._scope.transact(lambda tx: tx.stamp("bench", waiting, datetime.now(UTC)))
        meter = Meter()
        meter.fit(transactions_of(url))
        worker = Worker(url, settings=settings, embedder="hashing")
        worker.visit(Due(ROOM, "tidy", "tidy/bench/warm", False, False, datetime.now(UTC)))
        costs["visit"] = {}
        for n in NEW:
            found: list[dict[str, float]] = []
            for k in range(TIMES[n]):
                write(n)
                meter.found.clear()
                start, cpu, theirs = time.perf_counter(), time.process_time(), server_cpu(postmaster)
                got = worker.visit(Due(ROOM, "tidy", f"tidy/bench/{n}/{k}", False, False, datetime.now(UTC)))
                assert got.outcome == "done", got
                found.append(
                    {
                        "wall": time.perf_counter() - start, "cpu": time.process_time() - cpu, "moves": got.moves,
                        "server": server_cpu(postmaster) - theirs, "transactions": len(meter.found),
                        "held": sum(t[2] for t in meter.found),
                    }
                )  # fmt: skip
            costs["visit"][str(n)] = {k: statistics.median(f[k] for f in found) for k in found[0]}
        worker.stop()
    store.close()
    return costs


def _cost_in_child(url: str, a: argparse.Namespace, pipe: Any) -> None:
    pipe.send(cost_of(url, a))


def costs_by_store(a: argparse.Namespace) -> dict[str, Any]:
    """Measured now, each store in a process of its own; or read from the file that an earlier run kept them in."""
    kept = Path(a.measured) if a.measured else None
    if kept is not None and kept.is_file():
        return dict(json.loads(kept.read_text()))
    costs: dict[str, Any] = {}
    for store in a.stores:
        with place(store) as url:
            mine, theirs = multiprocessing.Pipe()
            child = multiprocessing.get_context("spawn").Process(target=_cost_in_child, args=(url, a, theirs))
            child.start()
            theirs.close()
            costs[store] = mine.recv()
            child.join()
    if kept is not None:
        kept.write_text(json.dumps(costs, indent=1))
    return costs


@contextmanager
def place(store: str) -> Iterator[str]:
    """The URL of a new store on a real disk."""
    if store == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield str(Path(folder) / "scale.db")
        return
    from servers import running

    with running(on_disk=True) as server:
        yield server.database()


def show_costs(costs: dict[str, Any], a: argparse.Namespace) -> None:
    print("| store | what | wall s | cpu s of the worker | cpu s of the server | transactions | store held s | moves |")
    print("| --- " * 8 + "|")
    for store, c in costs.items():
        for what in ("standings", "due"):
            print(
                f"| {store} | {what}, {a.namespaces:,} namespaces | {c[what]['wall']:.4f} | {c[what]['cpu']:.4f} | | | | |"
            )
        for n, v in c["visit"].items():
            print(
                f"| {store} | a visit of {a.rows:,} rows, {int(n):,} new | {v['wall']:.3f} | {v['cpu']:.3f} "
                f"| {v['server']:.2f} | {v['transactions']:,.0f} | {v['held']:.3f} | {v['moves']:,.0f} |"
            )


# the day
@dataclass(frozen=True)
class Cost:
    """Seconds of a visit by how many rows are new: what is the worker's own, and what it takes of what workers share."""

    sizes: list[int]
    own: list[float]
    shared: list[float]
    transactions: list[float]
    held: list[float]

    @staticmethod
    def of(store: str, measured: dict[str, Any]) -> Cost:
        v = {int(n): c for n, c in measured["visit"].items()}
        sizes = sorted(v)
        part = "held" if store == "sqlite" else "server"
        shared = [min(v[n][part], v[n]["wall"]) for n in sizes]
        own = [max(0.0, v[n]["wall"] - s) for n, s in zip(sizes, shared, strict=True)]
        return Cost(sizes, own, shared, [v[n]["transactions"] for n in sizes], [v[n]["held"] for n in sizes])

    def at(self, n: int, values: list[float]) -> float:
        """Between and beyond the measured sizes: along the line through the two next to it."""
        k = min(max(1, bisect.bisect_left(self.sizes, n)), len(self.sizes) - 1)
        x0, x1, y0, y1 = self.sizes[k - 1], self.sizes[k], values[k - 1], values[k]
        return max(0.0, y0 + (y1 - y0) * (n - x0) / (x1 - x0))

    def visit(self, n: int, rate: float) -> tuple[float, float]:
        """(own, shared) seconds for n new rows, of a namespace that others write to ``rate`` times a second."""
        count = max(1.0, self.at(n, self.transactions))
        hold = self.at(n, self.held) / count
        gives_way = count * (1 - math.exp(-rate * hold)) * min(2.0, 150 * hold)  # reverie.curation.pace
        return self.at(n, self.own) + gives_way, self.at(n, self.shared)


@dataclass
class Day:
    """What a simulated day came to."""

    visits: int
    rows: int
    waits: dict[int, list[float]]
    ages: list[float]
    busy: float
    shared: float
    backlog: list[int]
    seconds: float


def simulate(
    workers: int, cost: Cost, capacity: int, rates: np.ndarray, hours: float, look: float, settings: Settings, seed: int
) -> Day:
    """One day of k workers. ``capacity``: how many visits may use what is shared at the same time."""
    n, horizon = len(rates), hours * 3600
    chance = np.random.default_rng(seed)
    counts = chance.poisson(rates * horizon)
    of = np.repeat(np.arange(n), counts)
    at = chance.uniform(0, horizon, size=len(of))
    order = np.argsort(at, kind="stable")
    of, at = of[order], at[order]
    base = datetime(2026, 1, 5, tzinfo=UTC)
    interval, idle = float(settings.curate_interval_seconds), float(settings.idle_seconds)
    uncurated = np.zeros(n, dtype=np.int64)
    since = np.full(n, np.nan)
    used = np.full(n, np.nan)
    last_start = np.full(n, -1.0)  # as if all had been visited just before
    slots = [{"tidy": Slot("tidy/before", base - timedelta(seconds=1), base - timedelta(seconds=1))} for _ in range(n)]
    scopes = [Scope("default", f"n{k:05d}") for k in range(n)]
    number = {s: k for k, s in enumerate(scopes)}
    free = [0.0] * workers  # when each worker is free again
    heapq.heapify(free)
    pool = [0.0] * capacity
    heapq.heapify(pool)
    in_hand: set[int] = set()
    ending: list[tuple[float, int, Slot]] = []
    waits: dict[int, list[float]] = {}
    ages: list[float] = []
    backlog: list[int] = []
    seen = visits = rows = 0
    busy = shared_busy = 0.0

    def arrive(until: float) -> None:
        nonlocal seen
        stop = int(np.searchsorted(at, until, side="right"))
        for k, t in zip(of[seen:stop].tolist(), at[seen:stop].tolist(), strict=True):
            if uncurated[k] == 0:
                since[k] = t
            uncurated[k] += 1
            used[k] = t
        seen = stop

    def end(until: float) -> None:
        while ending and ending[0][0] <= until:
            _, k, slot = heapq.heappop(ending)
            slots[k] = {"tidy": slot}
            in_hand.discard(k)

    def moment(t: float) -> datetime:
        return base + timedelta(seconds=t)

    turns: Iterator[Due] = iter(())
    waiting_turns: Due | None = None
    now = looked = next_sample = 0.0
    while now < horizon:
        arrive(now)
        end(now)
        if now >= next_sample:
            waiting = np.flatnonzero(uncurated > 0)
            ages += (now - since[waiting]).tolist()
            backlog.append(int(uncurated.sum()))
            next_sample = now + 600
        # A list of turns is gone through to its end, as `Worker.tick` does, but for AGAIN seconds at most.
        if waiting_turns is None or now - looked >= AGAIN:
            # Only those that `due` might name: it is asked about these, and decides.
            maybe = np.flatnonzero((uncurated > 0) & ((now - used >= idle) | (last_start < now - now % interval)))
            standings = [
                Standing(
                    scopes[k],
                    settings,
                    int(uncurated[k]),
                    moment(since[k]),
                    moment(used[k]),
                    slots=slots[k],
                    model_at=base,
                )
                for k in maybe.tolist()
                if k not in in_hand
            ]
            turns = iter(due(moment(now), base - timedelta(hours=1), standings, ("tidy",)))
            waiting_turns, looked = next(turns, None), now
        upto = now + look
        while free[0] < upto and (one := waiting_turns) is not None:
            start = max(now, heapq.heappop(free))
            waiting_turns = next(turns, None)
            arrive(start)
            end(start)
            k = number[one.scope]
            new = int(uncurated[k])
            own, shared = cost.visit(new, float(rates[k]))
            got = heapq.heappop(pool)
            done = max(start + own, got) + shared
            heapq.heappush(pool, done)
            heapq.heappush(free, done)
            in_hand.add(k)
            heapq.heappush(ending, (done, k, Slot(one.key, moment(start), moment(done))))
            waits.setdefault(k, []).append(done - (one.since - base).total_seconds())
            busy += min(done, horizon) - min(start, horizon)
            shared_busy += shared
            visits, rows = visits + 1, rows + new
            uncurated[k], since[k], last_start[k] = 0, np.nan, start
        now = upto
    return Day(
        visits, rows, waits, ages, busy / (workers * horizon), shared_busy / (capacity * horizon), backlog, horizon
    )


def jain(values: list[float]) -> float:
    """1 where all are equal, 1/n where one has everything."""
    x = np.asarray(values)
    return float(x.sum() ** 2 / (len(x) * (x**2).sum())) if len(x) and x.any() else 1.0


def rates_of(n: int, mean: float, skew: float) -> np.ndarray:
    """Writes a second of each namespace: a few busy, many quiet, ``mean`` a day on average."""
    weights = 1 / np.arange(1, n + 1) ** skew
    return weights / weights.sum() * n * mean / 86_400


def row(store: str, mean: float, k: int, d: Day) -> tuple[str, bool]:
    """A line of the table, and whether the backlog stopped growing."""
    per = [statistics.mean(w) for w in d.waits.values()]
    every = [w for ws in d.waits.values() for w in ws]
    half = len(d.backlog) // 2
    early, late = statistics.mean(d.backlog[half // 2 : half]), statistics.mean(d.backlog[-max(1, half // 2) :])
    steady = late <= 1.15 * early + 50
    ages = np.asarray(d.ages or [0.0]) / 60
    return (
        f"| {store} | {mean:g} | {k} | {d.visits / d.seconds * 3600:,.0f} | {d.rows / d.seconds * 3600:,.0f} "
        f"| {d.busy:.0%} | {d.shared:.0%} | {np.quantile(every, 0.5):,.0f} | {np.quantile(every, 0.99):,.0f} "
        f"| {max(per) / statistics.median(per):.1f} | {jain(per):.2f} | {np.quantile(ages, 0.5):.0f} / "
        f"{np.quantile(ages, 0.99):.0f} / {ages.max():.0f} | {late:,.0f} | {'no' if steady else 'yes'} |"
    ), steady


def main() -> None:
    """Print the costs and the days."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--stores", nargs="*", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    given.add_argument("--namespaces", type=int, default=1_000)
    given.add_argument("--rows", type=int, default=10_000, help="memories of a namespace")
    given.add_argument("--workers", nargs="*", type=int, default=[1, 2, 4, 8, 16])
    given.add_argument("--means", nargs="*", type=float, default=[200.0, 2_000.0], help="writes a namespace and day")
    given.add_argument("--skew", type=float, default=1.0, help="exponent of the power law of the namespaces' shares")
    given.add_argument("--hours", type=float, default=24.0)
    given.add_argument("--look", type=float, default=15.0, help="seconds between two looks at what is due")
    given.add_argument("--server-cores", type=int, default=4, help="of the PostgreSQL server that is simulated")
    given.add_argument("--measured", help="a JSON file to keep the measured costs in, or to read them from")
    given.add_argument("--seed", type=int, default=1)
    a = given.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    costs = costs_by_store(a)
    show_costs(costs, a)
    settings = load()
    print(
        f"\n{a.namespaces:,} namespaces of {a.rows:,} rows, {a.hours:g} hours, writes by a power law of {a.skew:g} (waits in s, "
        "ages in minutes)\n"
    )
    head = ("store", "writes/ns/day", "workers", "visits/h", "rows/h", "workers busy", "shared part busy", "due to done p50",
            "p99", "max/median by namespace", "Jain", "backlog age p50 / p99 / max", "rows waiting", "backlog grows")  # fmt: skip
    print(f"| {' | '.join(head)} |\n" + "| --- " * len(head) + "|")
    enough: list[str] = []
    for store, measured in costs.items():
        cost = Cost.of(store, measured)
        capacity = 1 if store == "sqlite" else a.server_cores
        for mean in a.means:
            rates = rates_of(a.namespaces, mean, a.skew)
            first = None
            for k in a.workers:
                text, steady = row(
                    store, mean, k, simulate(k, cost, capacity, rates, a.hours, a.look, settings, a.seed)
                )
                first = k if steady and first is None else first
                print(text, flush=True)
            enough.append(
                f"{store}, {mean:g} writes a namespace and day: the backlog stops growing at {first or 'no number of'} workers"
            )
    print("\n" + "\n".join(enough))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
