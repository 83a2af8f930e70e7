"""What a write feels of the curator: `remember` alone, and while curators work, hang and are killed on its namespace.

Usage: python bench/write_latency.py [--stores sqlite postgres] [--rounds 5] [--writes 400] [--think-ms 5]
Conditions take turns within each round, so that a noisy machine is noisy for all of them. Two controls tell what the machine
alone costs: a process that only computes (spinning), and a curator on another store of the same disk (elsewhere). Each write
is taken apart: waiting for the store's lock, committing, computing; each transaction of the curator is timed too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import runpy
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import reverie
from reverie.embed.hashing import HashingEmbedder
from reverie.model import Scope
from reverie.store.sqlite.session import SqliteTransactions
from reverie.vectors.index import NamespaceIndex
from reverie.work.schedule import Due
from reverie.work.worker import Worker

CONDITIONS = ("alone", "spinning", "elsewhere", "curating", "hanging", "killed")
SCOPE = Scope("default", "default")
PLACES = {
    "_stamp": "stamp", "_step": "moves", "_embed": "vectors", "finish": "finish", "apply": "start or finish",
    "_claim": "slot", "_curated": "slot", "__enter__": "lease", "__exit__": "lease", "_beat": "lease", "_park": "park",
}  # fmt: skip
FORMS = (
    ("{s} lives in {o}.", "{s}'s home is in {o}.", "{o} is where {s} lives.", "{s} is based in {o}."),
    ("{s} works at {o}.", "{s} is employed by {o}.", "{o} is {s}'s employer.", "{s} has a job at {o}."),
)
OBJECTS = (
    ("Lisbon", "Oslo", "Prague", "Turin", "Kyoto", "Leeds"),
    ("Nutrifax", "Helixa", "Kestrel", "Mosaic", "Quantia"),
)
FIRST = ("Ana", "Bea", "Carlos", "Dmitri", "Elif", "Farah", "Grete", "Hiro", "Ines", "Jonas", "Kemal", "Lena", "Marek")
SYLLABLES = ("ba", "lo", "ri", "ten", "mo", "ka", "vel", "du", "sar", "pi", "gon", "wes")


def restatements(chance: random.Random, many: float) -> Iterator[str]:
    """Endless notes; a share ``many`` of them restate an earlier one in words that only the guard of a curator knows."""
    known: list[tuple[int, str, str, list[int]]] = []
    while True:
        if known and chance.random() < many:
            family, who, what, left = chance.choice(known)
            if left:
                yield FORMS[family][left.pop()].format(s=who, o=what)
                continue
        family = chance.randrange(2)
        who = f"{chance.choice(FIRST)} {''.join(chance.choice(SYLLABLES) for _ in range(5)).capitalize()}"
        forms = list(range(4))
        chance.shuffle(forms)
        known.append((family, who, chance.choice(OBJECTS[family]), forms))
        yield FORMS[family][forms.pop()].format(s=who, o=known[-1][2])


@dataclass
class Meter:
    """Times every transaction of this process: (begun, waited for the lock, held it, committing, where in the code)."""

    found: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    refreshing: float = 0.0

    def fit(self, transactions: type) -> None:
        """Put stop watches around a store's begin, commit and rollback, and around the index's refresh."""
        begin, commit, rollback = transactions.begin, transactions.commit, transactions.rollback
        at: dict[int, tuple[float, float]] = {}
        me = self

        def begin_(self: Any) -> Any:
            start = time.monotonic()
            handle = begin(self)
            at[threading.get_ident()] = (start, time.monotonic())
            return handle

        def commit_(self: Any, handle: Any) -> None:
            start = time.monotonic()
            commit(self, handle)
            asked, got = at.pop(threading.get_ident())
            end = time.monotonic()
            me.found.append((asked, got - asked, end - got, end - start, place()))

        def rollback_(self: Any, handle: Any) -> None:
            at.pop(threading.get_ident(), None)
            rollback(self, handle)

        transactions.begin, transactions.commit, transactions.rollback = begin_, commit_, rollback_
        refresh = NamespaceIndex.refresh

        def refresh_(self: Any, reads: Any = None) -> None:
            start = time.monotonic()
            refresh(self, reads)
            me.refreshing += time.monotonic() - start

        NamespaceIndex.refresh = refresh_  # type: ignore[method-assign]


def place() -> str:
    """What the curator is doing in this transaction."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_name
        if name in PLACES and "reverie" in frame.f_code.co_filename:
            return PLACES[name]
        frame = frame.f_back
    return "other"


def transactions_of(url: str) -> type:
    """The class that opens and ends a store's transactions."""
    if "://" not in url:
        return SqliteTransactions
    from reverie.store.postgres.session import PostgresTransactions

    return PostgresTransactions


# the other processes
class Hanging:
    """An embedder that never answers."""

    def __init__(self, said: Connection) -> None:
        self.model_id, self.dim, self._said = HashingEmbedder().model_id, HashingEmbedder().dim, said

    def embed(self, texts: Any, kind: str = "document") -> Any:
        self._said.send({"hangs": len(texts)})
        threading.Event().wait()


def curate(url: str, how: str, patch: str | None, pipe: Connection) -> None:
    """Visit the namespace again and again, until told to stop (or killed), and tell what came of it."""
    if patch:
        runpy.run_path(patch)
    meter = Meter()
    meter.fit(transactions_of(url))
    embedder: Any = Hanging(pipe) if how == "hanging" else "hashing"
    worker = Worker(url, settings={"start_stagger_seconds": 0, "idle_seconds": 1}, embedder=embedder)
    os.nice(int(worker.settings.worker_nice))  # as the command does
    pipe.send({"ready": os.getpid()})
    visits: list[tuple[str, int, float]] = []
    start, cpu = time.monotonic(), time.process_time()
    ending = threading.Event()

    def listen() -> None:
        pipe.recv()
        ending.set()
        worker.ask_to_stop()  # it leaves after the transaction in hand

    threading.Thread(target=listen, daemon=True).start()
    while not ending.is_set():
        began = time.monotonic()
        due = Due(SCOPE, "tidy", f"tidy/bench/{os.getpid()}/{len(visits)}", False, False, datetime.now(UTC))
        got = worker.visit(due)
        visits.append((got.outcome, got.moves, time.monotonic() - began))
    seconds = time.monotonic() - start
    pipe.send({"visits": visits, "transactions": meter.found, "seconds": seconds, "cpu": time.process_time() - cpu})
    worker.stop()


def spin(url: str, how: str, patch: str | None, pipe: Connection) -> None:
    """Compute, and touch no store."""
    pipe.send({"ready": os.getpid()})
    matrix = np.random.default_rng(1).normal(size=(400, 400))
    while not pipe.poll():
        matrix @ matrix
    pipe.recv()
    pipe.send({})


class Others:
    """Starts, ends and kills the other processes of one condition."""

    def __init__(self, url: str, elsewhere: str, how: str, patch: str | None) -> None:
        self._url = elsewhere if how == "elsewhere" else url
        self._patch = patch
        self._how = how
        self._from = multiprocessing.get_context("forkserver")
        self.told: list[dict[str, Any]] = []
        self.kills = 0
        self._ending = threading.Event()

    def _started(self) -> tuple[Any, Connection]:
        mine, theirs = self._from.Pipe()
        process = self._from.Process(
            target=spin if self._how == "spinning" else curate,
            args=(self._url, self._how, self._patch, theirs),
            daemon=True,
        )
        process.start()
        theirs.close()
        assert mine.poll(60), "the other process did not start"
        mine.recv()
        if self._how == "hanging":
            assert mine.poll(60), "the curator did not come to its embedder"
            assert "hangs" in mine.recv()
        return process, mine

    def _kill_again_and_again(self) -> None:
        while not self._ending.wait(1.0):
            self._process.kill()
            self._process.join()
            self.kills += 1
            self._process, self._pipe = self._started()

    def __enter__(self) -> Others:
        if self._how != "alone":
            self._process, self._pipe = self._started()
            time.sleep(0.3)  # until it is in the middle of its work
        if self._how == "killed":
            self._killer = threading.Thread(target=self._kill_again_and_again)
            self._killer.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._how == "alone":
            return
        if self._how == "killed":
            self._ending.set()
            self._killer.join()
        if self._how in ("hanging", "killed"):
            self._process.kill()
        else:
            self._pipe.send("stop")
            if self._pipe.poll(60):
                self.told.append(self._pipe.recv())
        self._process.join(60)
        if self._process.is_alive():
            self._process.kill()


# the writer
@dataclass
class Taken:
    """What was measured under one condition: one list of writes a round."""

    rounds: list[list[dict[str, float]]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    kills: int = 0

    def all(self, name: str = "total") -> np.ndarray:
        return np.asarray([w[name] for r in self.rounds for w in r]) * 1e3

    def p(self, share: float, name: str = "total") -> float:
        return float(np.quantile(self.all(name), share))

    def each(self, share: float) -> list[float]:
        return [float(np.quantile([w["total"] for w in r], share)) * 1e3 for r in self.rounds]


def write(mem: reverie.Reverie, texts: Iterator[str], n: int, think: float, meter: Meter, into: Taken) -> None:
    """One round of writes, each taken apart."""
    found: list[dict[str, float]] = []
    for _ in range(n):
        text = next(texts)
        meter.found.clear()
        meter.refreshing = 0.0
        cpu, start = time.thread_time(), time.monotonic()
        try:
            mem.remember(text)
        except Exception as error:
            into.failures.append(f"{type(error).__name__}: {error}")
        total = time.monotonic() - start
        used = time.thread_time() - cpu
        waited = sum(t[1] for t in meter.found)
        committed = sum(t[3] for t in meter.found)
        found.append(
            {
                "at": start,
                "total": total,
                "lock": waited,
                "commit": committed,
                "cpu": used,
                "refresh": meter.refreshing,
                "rest": total - waited - committed - used,
            }
        )
        time.sleep(think)
    into.rounds.append(found)


def prefill(url: str, chance: random.Random, rows: int) -> None:
    """Rows of which many restate others, as they stand before any curator has seen them."""
    with reverie.open(url, embedder="hashing", settings={"restate_similarity": 1.0}) as mem:
        texts = restatements(chance, 0.5)
        for _ in mem.import_stream(next(texts) for _ in range(rows)):
            pass


def top_up(url: str, chance: random.Random, rows: int, how: str) -> None:
    """New work for the next curator; one row with no vector for the one that is to hang."""
    prefill(url, chance, rows)
    if how == "hanging":
        with reverie.open(url, embedder="none") as mem:
            mem.remember(f"A note of {chance.random()} that has no vector yet.")


def measure(url: str, elsewhere: str, a: argparse.Namespace) -> dict[str, Taken]:
    """All conditions, taking turns."""
    chance = random.Random(a.seed)
    for each in (url, elsewhere):
        prefill(each, chance, a.rows)
    meter = Meter()
    meter.fit(transactions_of(url))
    taken: dict[str, Taken] = {how: Taken() for how in a.conditions}
    texts = restatements(chance, 0.3)
    with reverie.open(url, embedder="hashing") as mem:
        for k in range(a.rounds):
            order = list(a.conditions)
            order = order[k % len(order) :] + order[: k % len(order)]
            for how in order:
                top_up(elsewhere if how == "elsewhere" else url, chance, a.fresh, how)
                for _ in range(5):
                    mem.remember(next(texts))
                with Others(url, elsewhere, how, a.patch) as others:
                    write(mem, texts, a.writes, a.think_ms / 1e3, meter, taken[how])
                taken[how].told += [t for t in others.told if t]
                taken[how].kills += others.kills
    print(f"{a.rounds} rounds of {a.writes} writes; load {os.getloadavg()[0]:.1f} at the end")
    return taken


# the tables
def report(store: str, taken: dict[str, Taken]) -> None:
    """What a write takes, where the slow ones wait, and what the curator holds."""
    print(f"\n### {store}: what one write takes, ms\n")
    print("| condition | writes | failures | p50 | p90 | p99 | max | p99 of rounds: median | best | p99 / alone pooled "
          "| rounds, median | p50 / alone |")  # fmt: skip
    print("| --- " * 12 + "|")
    base = taken.get("alone")
    for how, t in taken.items():
        rounds = t.each(0.99)
        ratio, paired, mid = "", "", ""
        if base is not None:
            ratio = f"{t.p(0.99) / base.p(0.99):.2f}"
            paired = f"{statistics.median(x / y for x, y in zip(rounds, base.each(0.99), strict=True)):.2f}"
            mid = f"{t.p(0.5) / base.p(0.5):.2f}"
        note = f" ({t.kills} kills)" if how == "killed" else ""
        print(
            f"| {how}{note} | {len(t.all()):,} | {len(t.failures)} | {t.p(0.5):.2f} | {t.p(0.9):.2f} | {t.p(0.99):.2f} "
            f"| {t.all().max():.1f} | {statistics.median(rounds):.2f} | {min(rounds):.2f} | {ratio} | {paired} | {mid} |"
        )
        for why in sorted(set(t.failures))[:3]:
            print(f"  failure: {why}")
    print(f"\n### {store}: where a write's time goes, mean ms of all writes → of the slowest 2 %\n")
    print(
        "| condition | in all | waits for the lock | commits | computes | descheduled, reads | of it: refresh of the index |"
    )
    print("| --- " * 7 + "|")
    for how, t in taken.items():
        slow = np.argsort(-t.all())[: max(1, len(t.all()) // 50)]
        parts = [
            f"{t.all(n).mean():.2f} → {t.all(n)[slow].mean():.2f}"
            for n in ("total", "lock", "commit", "cpu", "rest", "refresh")
        ]
        print(f"| {how} | {' | '.join(parts)} |")
    print(f"\n### {store}: what the curator's transactions hold\n")
    print(
        "| condition | what | transactions | held ms p50 | p95 | max | share of wall | waited for the lock, ms a transaction |"
    )
    print("| --- " * 8 + "|")
    for how, t in taken.items():
        by: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for told in t.told:
            for _, waited, held, _, where in told.get("transactions", ()):
                by[where].append((held, waited))
                by["all"].append((held, waited))
        seconds = sum(told.get("seconds", 0.0) for told in t.told)
        if not seconds:
            continue
        for where, found in sorted(by.items(), key=lambda kv: -sum(h for h, _ in kv[1])):
            held = np.asarray([h for h, _ in found]) * 1e3
            print(
                f"| {how} | {where} | {len(held):,} | {np.median(held):.2f} | {np.quantile(held, 0.95):.2f} "
                f"| {held.max():.1f} | {held.sum() / 1e3 / seconds:.1%} | {np.mean([w for _, w in found]) * 1e3:.2f} |"
            )
        visits = [v for told in t.told for v in told["visits"]]
        outcomes = {o: sum(v[0] == o for v in visits) for o in sorted({v[0] for v in visits})}
        cpu = sum(told["cpu"] for told in t.told)
        print(
            f"  {how}: {len(visits)} visits {outcomes}, {sum(v[1] for v in visits):,} moves, {cpu / seconds:.0%} of a core, "
            f"median visit {statistics.median(v[2] for v in visits) if visits else 0:.2f} s"
        )
        touched = overlap(t)
        print(
            f"  {how}: writes that met a transaction of the curator: {touched[0]:,} of {touched[1]:,}, p50 {touched[2]:.2f} "
            f"p99 {touched[3]:.2f} ms; the others p50 {touched[4]:.2f} p99 {touched[5]:.2f} ms"
        )


def overlap(t: Taken) -> tuple[int, int, float, float, float, float]:
    """Writes during which the curator held or wanted the store, and the others: number, p50, p99."""
    spans = sorted((s, s + w + h) for told in t.told for s, w, h, _, _ in told.get("transactions", ()))
    starts = np.asarray([s for s, _ in spans] or [0.0])
    ends = np.asarray([e for _, e in spans] or [0.0])
    met, free = [], []
    for w in (w for r in t.rounds for w in r):
        hit = bool(((starts < w["at"] + w["total"]) & (ends > w["at"])).any())
        (met if hit else free).append(w["total"] * 1e3)
    q = [float(np.quantile(x, p)) if x else float("nan") for x in (met, free) for p in (0.5, 0.99)]
    return len(met), len(met) + len(free), q[0], q[1], q[2], q[3]


@contextmanager
def places(store: str, folder: str) -> Iterator[tuple[str, str]]:
    """The URLs of two stores of one sort on a real disk."""
    with ExitStack() as stack:
        if store == "sqlite":
            made = stack.enter_context(tempfile.TemporaryDirectory(dir=folder or None))
            yield str(Path(made) / "one.db"), str(Path(made) / "two.db")
            return
        from servers import running

        server = stack.enter_context(running(on_disk=True))
        yield server.database(), server.database()


def main() -> None:
    """Print the tables of each store."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--stores", nargs="*", default=["sqlite", "postgres"], choices=["sqlite", "postgres"])
    given.add_argument("--conditions", nargs="*", default=list(CONDITIONS), choices=CONDITIONS)
    given.add_argument("--rounds", type=int, default=5)
    given.add_argument("--writes", type=int, default=400, help="a round and condition")
    given.add_argument("--rows", type=int, default=5_000, help="in the namespace before the first write")
    given.add_argument("--fresh", type=int, default=200, help="uncurated rows added before each condition")
    given.add_argument("--think-ms", type=float, default=5.0, help="what the writer waits between two writes")
    given.add_argument("--folder", default="", help="where SQLite's files go: a folder of a real disk")
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--patch", help="a Python file run in every process first: to try out a change of the curator")
    given.add_argument("--raw", help="a file to keep every single write in, as JSON")
    a = given.parse_args()
    if "alone" not in a.conditions:
        a.conditions = ["alone", *a.conditions]
    multiprocessing.get_context("forkserver").set_forkserver_preload(["reverie.curation.steps", "reverie.work.worker"])
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, think time {a.think_ms:g} ms")
    if a.patch:
        runpy.run_path(a.patch)
    kept: dict[str, Any] = {}
    for store in a.stores:
        with places(store, a.folder) as (url, elsewhere):
            taken = measure(url, elsewhere, a)
            report(store, taken)
            kept[store] = {how: t.rounds for how, t in taken.items()}
    if a.raw:
        Path(a.raw).write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
