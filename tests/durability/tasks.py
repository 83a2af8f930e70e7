"""What the forked children do, by name. Each takes its wire and the arguments that `Warm.start` was given."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from program import Client, build, rest
from warm import Wire

import reverie
from reverie.curation.plan import Plan
from reverie.errors import LeaseHeld
from reverie.memory import Reverie
from reverie.store import crashpoints
from reverie.store.grouping import Committer
from reverie.store.sqlite.session import SqliteTransactions

T = TypeVar("T")
NEVER = 10**9


def warm_up() -> None:
    """Once through everything before the first fork: what is loaded at first use is then loaded for all children."""
    with tempfile.TemporaryDirectory() as folder:
        Client(f"{folder}/notes.db", build(), lambda line: None).run()
        rest(f"{folder}/notes.db")
    import reverie.store.postgres.store  # noqa: F401 - the other store's driver

    assert threading.active_count() == 1


def programme(
    wire: Wire, path: str, crashpoint: str | None = None, answered: list[str] | None = None, life: int = 0
) -> None:
    """The whole programme, or what is left of it. With a crash point armed, the child ends there by its own SIGKILL."""
    if crashpoint is not None:
        os.environ["REVERIE_CRASHPOINT"] = crashpoint
        crashpoints._target = crashpoints._armed()
    Client(path, build(), wire.say, answered or [], life).run()
    wire.say("end")
    wire.hear()  # until the parent kills it: a process that ended by itself was not killed


def resume(wire: Wire, path: str, answered: list[str]) -> None:
    """The client that comes back: it re-sends what was not answered, then curation comes to rest."""
    Client(path, build(), wire.say, answered, life=1).run()
    rest(path)


def count_points(wire: Wire, path: str) -> None:
    """The whole programme, and how often it came by each crash point."""
    crashpoints._target = (crashpoints.ALL[0], NEVER)
    Client(path, build(), lambda line: None).run()
    for name in crashpoints.ALL:
        wire.say(f"{name} {crashpoints._reached.get(name, 0)}")


class Hasty(Committer[Any]):
    """Acknowledges before it commits: eight answers to a transaction. The harness must catch it."""

    waiting = 0
    handle: Any = None

    def run(self, work: Callable[[Any], T]) -> T:
        with self._guard:
            if self.handle is None:
                self.handle = self._transactions.begin()
            got = work(self.handle)
            self.waiting += 1
            if self.waiting % 8 == 0:
                self._transactions.commit(self.handle)
                self.handle = None
            return got


def hasty(wire: Wire, path: str) -> None:
    """Single writes through a store that acknowledges too early."""

    def opened(*args: Any, **kwargs: Any) -> Reverie:
        mem = reverie.open(*args, **kwargs)
        store: Any = mem._store
        if "://" in path:
            store._committers[mem.scope] = Hasty(PostgresTransactions(store, mem.scope))
        else:
            store._committer = Hasty(SqliteTransactions(store._writer, store.path))
        return mem

    from reverie.store.postgres.session import PostgresTransactions

    acts = tuple(a for a in build() if a.verb == "remember" and a.embedder == "hashing" and "key" not in a.items[0])
    Client(path, acts, wire.say, opened=opened).run()
    wire.say("end")
    wire.hear()


def write_texts(wire: Wire, path: str, texts: list[str], name: str) -> None:
    """One writer of several: ready, and at the word all its texts under external ids of its own."""
    with reverie.open(path, embedder="hashing", principal=name) as mem:
        wire.say("ready")
        wire.hear()
        for n, text in enumerate(texts):
            mem.remember(text, external_id=f"{name}-{n}")
    wire.say("done")


def apply_plan(wire: Wire, path: str, namespace: str, plan: dict[str, Any]) -> None:
    """One of several that apply the same plan at the same moment."""
    with reverie.open(path, namespace, embedder="hashing", settings={"slice_rows": 2}) as mem:
        wire.say("ready")
        wire.hear()
        while True:
            try:
                run = mem.apply(Plan.from_dict(plan))
                break
            except LeaseHeld:  # the other one is at it: this one comes after
                continue
        wire.say(json.dumps({"applied": len(run.entries), "skipped": len(run.skipped), "status": run.status}))


def curate_on(wire: Wire, path: str, passes: int) -> None:
    """Curates again and again, each pass with pairs to merge."""
    with reverie.open(path, embedder="hashing", settings={"slice_rows": 2}) as mem:
        wire.say("ready")
        wire.hear()
        merged = 0
        for n in range(passes):
            mem.remember_many(
                [f"The guest {n} sleeps in room {n}", f"Please note that the guest {n} sleeps in room {n}"]
            )
            merged += mem.curate().counts.get("MergeInto", 0)
        wire.say(json.dumps({"merged": merged}))


TASKS: dict[str, Callable[..., None]] = {
    f.__name__: f for f in (programme, resume, count_points, hasty, write_texts, apply_plan, curate_on)
}
