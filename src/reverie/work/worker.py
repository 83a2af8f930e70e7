"""The worker: it looks what is due and curates it, one namespace after another, until it is told to stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

from reverie.clock import Clock, Ids, SystemClock, Ulids
from reverie.embed.port import Embedder
from reverie.errors import InvalidInput, ReverieError
from reverie.judge.port import Judge
from reverie.model import Scope
from reverie.opening import open_embedder, open_judge, open_store
from reverie.settings import Settings, load
from reverie.store.port import Store
from reverie.work.schedule import Due, due, next_due
from reverie.work.visit import Visit, Visitor, standing

log = logging.getLogger("reverie.worker")
CYCLES = ("tidy",)  # those that there are steps for
BACK_OFF = timedelta(minutes=1)  # after a failure, doubled with each more, up to an hour
BACK_OFF_MOST = timedelta(hours=1)


class Worker:
    """Keeps time for the namespaces of one store [S1 S3].

    Args:
        url: as for `reverie.open`.
        tenant, namespaces: only these namespaces of this tenant; by default all there are.
        settings: over ``reverie.toml`` and the environment. clock, ids, embedder, judge: as for `reverie.open`.
        on_visit: called with each `Visit` when it is over.

    Use `start` and `stop`, or the worker as a context manager, to run it on a thread; `run` to run it here; `tick` for one
    look. On PostgreSQL any number of workers on any hosts share the work (`reverie.work.queue`).

    Raises:
        InvalidInput, StoreError: as `reverie.open`.
    """

    def __init__(
        self, url: str | Path, *, tenant: str = "default", namespaces: Collection[str] | None = None,
        settings: Mapping[str, object] | Settings | None = None, clock: Clock | None = None, ids: Ids | None = None,
        embedder: Embedder | str | None = None, on_visit: Callable[[Visit], object] | None = None,
        judge: Judge | None = None,
    ) -> None:  # fmt: skip
        if isinstance(namespaces, str):
            raise InvalidInput("namespaces is a list of names, not one name")
        self.url = str(url)
        self._only = None if namespaces is None else {Scope(tenant, n) for n in namespaces}
        self.settings = settings if isinstance(settings, Settings) else load(settings)
        self._clock = clock or SystemClock()
        self._store: Store = open_store(self.url, self.settings)
        self._on_visit = on_visit
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._visitor = Visitor(
            self._store, settings=self.settings, clock=self._clock, ids=ids or Ulids(self._clock),
            embedder=open_embedder(embedder, self.settings), judge=judge or open_judge(self.settings),
            stop=self._stopping.is_set,
            pause=self._stopping.wait,
        )  # fmt: skip
        self._failures: dict[tuple[Scope, str], tuple[int, datetime]] = {}
        self._indexed: dict[Scope, datetime] = {}
        self.started = self._clock.now()
        self.failure: BaseException | None = None
        self.visits = 0

    # one look
    def due(self, now: datetime | None = None) -> list[Due]:
        """What is due now, the most urgent first, but for what has just failed."""
        moment = now or self._clock.now()
        found = due(moment, self.started, self._standings(), CYCLES)
        return [d for d in found if not self._resting(d, moment)]

    def tick(self) -> list[Visit]:
        """Curate all that is due now, one after another; what became of each. Leaves early when it is told to stop."""
        done: list[Visit] = []
        for one in self.due():
            if self._stopping.is_set():
                break
            done.append(self.visit(one))
        return done

    def visit(self, one: Due) -> Visit:
        """Curate one namespace, and keep count of failures."""
        visit = self._visitor.visit(one)
        self.visits += 1
        key = (one.scope, one.cycle)
        if visit.outcome == "failed":
            times = self._failures.get(key, (0, self._clock.now()))[0] + 1
            self._failures[key] = (times, self._clock.now() + min(BACK_OFF * 2 ** min(times - 1, 10), BACK_OFF_MOST))
            log.error(
                "%s/%s %s failed: %s",
                one.scope.tenant,
                one.scope.namespace,
                one.cycle,
                visit.why,
                extra=_nameless(visit),
            )
        else:
            self._failures.pop(key, None)
            log.info(
                "%s/%s %s: %s, %d moves", one.scope.tenant, one.scope.namespace, one.cycle, visit.outcome, visit.moves
            )
        if visit.outcome == "impaired":
            log.error(
                "%s/%s %s: %s", one.scope.tenant, one.scope.namespace, one.cycle, visit.why, extra=_nameless(visit)
            )
        if visit.outcome in ("done", "parked", "impaired"):
            self._tend(one.scope)
        if self._on_visit is not None:
            self._on_visit(visit)
        return visit

    def _standings(self) -> list[Any]:
        return [
            standing(known, self.settings)
            for known in self._store.standings()
            if self._only is None or known.scope in self._only
        ]

    def _resting(self, one: Due, now: datetime) -> bool:
        failed = self._failures.get((one.scope, one.cycle))
        return failed is not None and now < failed[1]

    def _tend(self, scope: Scope) -> None:
        """Upkeep that the store may need for a namespace; that it fails is told, and harms nothing."""
        try:
            if did := self._store.tend(scope, rows=int(self.settings.exact_rows_max)):
                log.info("%s/%s: %s", scope.tenant, scope.namespace, did)
        except ReverieError as error:
            told = {"fields": {"message": "upkeep failed", "error": type(error).__name__}}
            log.warning("%s/%s: upkeep failed: %s", scope.tenant, scope.namespace, error, extra=told)

    # keeping time
    def run(self) -> None:
        """Curate until `stop` is called; then close the store. Raises what ended it, if it was not that."""
        try:
            if "://" in self.url:
                from reverie.work.queue import run

                run(self, self._stopping)
            else:
                self._run()
        except BaseException as error:
            self.failure = error
            raise
        finally:
            self._store.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.tick()
                wait = self._wait()
            except ReverieError as error:
                # The store is away: it is looked for again, and the log says so each time.
                log.error("cannot look what is due: %s", error)
                wait = float(self.settings.worker_look_seconds)
            self._stopping.wait(wait)

    def _wait(self) -> float:
        """Seconds until something may be due; never longer than between two looks, as others may write meanwhile."""
        now = self._clock.now()
        most = float(self.settings.worker_look_seconds)
        coming = next_due(now, self.started, self._standings(), CYCLES)
        return most if coming is None else min(most, max(0.05, (coming - now).total_seconds()))

    def start(self) -> Self:
        """Run on a thread of its own. Starting twice is fine."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run_quietly, name="reverie-worker", daemon=True)
            self._thread.start()
        return self

    def _run_quietly(self) -> None:
        try:
            self.run()
        except BaseException:
            log.exception("the worker ended")

    def ask_to_stop(self) -> None:
        """Tell it to leave after the transaction in hand, and do not wait. Safe in a signal handler."""
        self._stopping.set()

    def stop(self, timeout: float | None = None) -> None:
        """Finish the transaction in hand and leave. Waits until it has left, or for ``timeout`` seconds.

        Raises what ended the worker, if something did.
        """
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout)
        else:
            self._store.close()
        if self.failure is not None:
            raise self.failure

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()


def _nameless(visit: Visit) -> dict[str, Any]:
    """What a server's log may hold of it: no name of a tenant or namespace, no reason that may quote anything. Health has both."""
    return {"fields": {"message": "a cycle did not go well", "cycle": visit.cycle, "outcome": visit.outcome}}
