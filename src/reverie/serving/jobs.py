"""Work that goes on by itself: curation that a caller asked for, told of as it goes, stopped when somebody asks for it.

A job stands in the store. `Jobs` asks for one, tells how it stands and asks for its end, from any process; a `Runner` begins
those that wait, in this process or in another, so that whoever answers requests need not compute.
"""

from __future__ import annotations

import dataclasses
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from reverie.curation.executor import Run
from reverie.errors import Forbidden, InvalidInput, LeaseHeld, NotFound, ReverieError, TooMany, Unauthorised
from reverie.model import Channel, Origin, Scope
from reverie.serving.host import Caller, Host
from reverie.serving.rights import allows, covers
from reverie.store.port import ScopeStore
from reverie.store.records import JobRecord

log = logging.getLogger("reverie.jobs")
AT_ONCE = 2  # jobs that one process works on at one time; others wait
WAITING_MOST = 100  # of a namespace
LOOK_SECONDS = 0.25  # between two looks whether a job waits
BEAT_SECONDS = 0.5  # between two words to the store of how a job goes
LOST = timedelta(seconds=30)  # a job not heard of for so long has lost its process
KEPT = timedelta(days=30)
OPEN = ("waiting", "running")
LATER_SECONDS = 1.0  # before a job whose namespace is being curated is tried again


class Jobs:
    """Asks for jobs and tells of them.

    ``runner``: of this process, which is woken when a job is asked for; without one, another process begins it.
    """

    def __init__(self, host: Host, runner: Runner | None = None) -> None:
        self._host = host
        self._runner = runner

    def curate(self, caller: Caller, namespace: str, cycle: str = "tidy", *, ask: bool = True) -> JobRecord:
        """Ask for a cycle. Raises Forbidden, NotFound, InvalidInput for an unknown cycle, TooMany where too many wait."""
        from reverie.curation.steps import CYCLES

        caller.need("curate")
        scope, origin = caller.scope(namespace), caller.origin
        if cycle not in CYCLES:
            raise InvalidInput(f"there is no cycle {str(cycle)[:40]!r}; there is {', '.join(CYCLES)}")
        store, now = self._host.store.scope(scope), self._host.clock.now()
        with store.read() as r:
            if sum(j.status == "waiting" for j in r.jobs(WAITING_MOST)) >= WAITING_MOST:
                raise TooMany(f"{WAITING_MOST} jobs wait already", 30.0)
        request = {"cycle": cycle, "ask": ask, "channel": origin.channel.value, "client": origin.client}
        record = JobRecord(self._host.ids.new(), "curate", "waiting", origin.principal, now, now, {}, request)
        store.transact(lambda tx: tx.add_job(record, forget_before=now - KEPT))
        if self._runner is not None:
            self._runner.asked(record.id)
            self._runner.wake()
        return record

    def get(self, caller: Caller, namespace: str, id_: str) -> JobRecord:
        """How a job stands. Raises Forbidden, NotFound."""
        caller.need("runs")
        caller.still()
        scope = caller.scope(namespace)
        found = self.mine(caller, namespace, id_)
        if found is None and id_.isascii() and id_.isprintable():
            with self._host.store.scope(scope).read() as r:
                found = r.job(id_)
        if found is None:
            raise NotFound(f"there is no job {id_[:40]!r} in this namespace")
        return self._seen(found)

    def mine(self, caller: Caller, namespace: str, id_: str) -> JobRecord | None:
        """A job that this process runs, as it stands; None for any other."""
        return self._runner.record(caller.scope(namespace), id_) if self._runner is not None else None

    def all(self, caller: Caller, namespace: str, limit: int = 50) -> list[JobRecord]:
        """Jobs of a namespace, newest first."""
        caller.need("runs")
        with self._host.store.scope(caller.scope(namespace)).read() as r:
            found = r.jobs(limit)
        return [self.mine(caller, namespace, j.id) or self._seen(j) for j in found]

    def stop(self, caller: Caller, namespace: str, id_: str) -> JobRecord:
        """Ask a job to end after the transaction in hand. One that has ended stays as it is. Raises Forbidden, NotFound."""
        caller.need("curate")
        scope = caller.scope(namespace)
        found, store, now = self.get(caller, namespace, id_), self._host.store.scope(scope), self._host.clock.now()
        ended = dataclasses.replace(found, status="stopped", stop=True, beat_at=now, finished_at=now)
        if found.status in OPEN:
            store.transact(lambda tx: tx.stop_job(id_) and tx.claim_job(id_, now) and tx.tell_job(ended))
            if self._runner is not None:
                self._runner.stop_job(scope, id_)
        return self.get(caller, namespace, id_)

    def wait(self, caller: Caller, namespace: str, id_: str, seen: JobRecord | None, seconds: float) -> JobRecord:
        """How a job stands, once it stands otherwise than it was seen, or after so many seconds."""
        if seen is not None and seen.status in OPEN:
            if self._runner is None:
                threading.Event().wait(min(seconds, LOOK_SECONDS))
            else:
                self._runner.changed(caller.scope(namespace), id_, seen, seconds)
        return self.get(caller, namespace, id_)

    def _seen(self, job: JobRecord) -> JobRecord:
        """As a reader should see it: one whose process is gone is lost; what it did stands in the journal."""
        if job.status == "running" and self._host.clock.now() - job.beat_at > LOST:
            return dataclasses.replace(
                job, status="lost", error="its process has gone; what it did stands in the journal"
            )
        return job

    def close(self) -> None:
        """Let the runner of this process end, if there is one."""
        if self._runner is not None:
            self._runner.close()


class Runner:
    """Begins the jobs that wait, and keeps the store told of them.

    ``only``: those that it begins, by their scope and id (default: all). A job's key is asked again when it begins, and with
    each beat: one that was revoked ends what it asked for.
    """

    def __init__(self, host: Host, only: Callable[[Scope, str], bool] | None = None) -> None:
        self._host = host
        self._only = only
        self._later: dict[Scope, float] = {}  # namespaces that another curator is at work in, and when to try again
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="reverie-job")
        self._mine: dict[tuple[Scope, str], _Job] = {}
        self._news = threading.Condition()
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=work, name=f"reverie-{name}", daemon=True)
            for name, work in (("jobs", self._looking), ("beats", self._beating))
        ]
        for thread in self._threads:
            thread.start()

    def asked(self, id_: str) -> None:
        """A job was asked for in this process."""

    def wake(self) -> None:
        """Look at once whether a job waits."""
        self._wake.set()

    def record(self, scope: Scope, id_: str) -> JobRecord | None:
        """How a job of this process stands; None where it is none or has ended."""
        with self._news:
            found = self._mine.get((scope, id_))
        return found.record if found is not None else None

    def stop_job(self, scope: Scope, id_: str) -> None:
        """Let a job of this process end."""
        with self._news:
            found = self._mine.get((scope, id_))
        if found is not None:
            found.stopping.set()

    def changed(self, scope: Scope, id_: str, seen: JobRecord, seconds: float) -> None:
        """Wait until a job stands otherwise than it was seen, or for so many seconds; shortly for one of another process."""
        with self._news:
            found = self._mine.get((scope, id_))
            if found is None:
                self._news.wait(min(seconds, LOOK_SECONDS))
            elif _told(found.record) == _told(seen):
                self._news.wait(seconds)

    def _looking(self) -> None:
        while not self._ended.is_set():
            try:
                self._begin()
            except ReverieError as error:
                log.warning("cannot look whether a job waits: %s", type(error).__name__)
            except Exception:
                log.exception("looking for jobs failed")  # and goes on: without this thread no job would ever begin
            self._wake.wait(LOOK_SECONDS)
            self._wake.clear()

    def _begin(self) -> None:
        """Begin as many as there is room for, one of a namespace at a time. A job is begun by one process alone."""
        for scope, id_ in self._host.store.waiting_jobs(WAITING_MOST):
            with self._news:
                busy = len(self._mine) >= AT_ONCE or any(s == scope for s, _ in self._mine)
            if self._ended.is_set() or busy or self._host.seconds() < self._later.get(scope, 0.0):
                continue
            if self._only is not None and not self._only(scope, id_):
                continue
            store, now = self._host.store.scope(scope), self._host.clock.now()
            with store.read() as r:
                record = r.job(id_)
            if record is None or not store.transact(lambda tx, id_=id_, now=now: tx.claim_job(id_, now)):  # type: ignore[misc]
                continue
            job = _Job(self._host, store, dataclasses.replace(record, status="running", beat_at=now), self._news)
            with self._news:
                self._mine[scope, id_] = job
            self._pool.submit(self._run, scope, job)

    def _run(self, scope: Scope, job: _Job) -> None:
        try:
            if not job.run(lambda: self._curate(scope, job)):
                self._later[scope] = self._host.seconds() + LATER_SECONDS
        except Exception:
            log.exception("job %s could not be given back", job.record.id)  # it is told as lost, as nobody beats for it
        finally:
            with self._news:
                self._mine.pop((scope, job.record.id), None)
                self._news.notify_all()
            self._wake.set()

    def _curate(self, scope: Scope, job: _Job) -> Run:
        asked = job.record.request
        self._allowed(scope, job.record)
        origin = Origin(job.record.principal, Channel(asked["channel"]), asked.get("client"))
        memory = self._host.memory(scope).speaking(origin)
        return memory.curate(
            asked["cycle"], ask=bool(asked["ask"]), stop=job.stopping.is_set, pause=job.stopping.wait, tell=job.tell
        )

    def _allowed(self, scope: Scope, record: JobRecord) -> None:
        """Raise Unauthorised or Forbidden where the key that asked may not ask any more."""
        client = str(record.request.get("client") or "")
        if not client.startswith("key:"):
            return  # asked for by whoever holds the store
        key = self._host.ring.by_id(client.removeprefix("key:"))
        if (
            key.tenant != scope.tenant
            or not covers(key.namespaces, scope.namespace)
            or not allows(key.verbs, record.verb)
        ):
            raise Forbidden("the key that asked for this does not allow it any more")

    def _beating(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            with self._news:
                mine = list(self._mine.items())
            for (scope, _), job in mine:
                try:
                    job.beat()
                    self._allowed(scope, job.record)
                except (Unauthorised, Forbidden):
                    job.stopping.set()
                except ReverieError as error:
                    log.warning("job %s cannot be told of: %s", job.record.id, type(error).__name__)
                except Exception:
                    log.exception("telling of jobs failed")  # and goes on: without this thread all would be called lost

    def close(self) -> None:
        """Stop every job of this process after the transaction in hand, and wait for it. Those that wait are left to others."""
        self._ended.set()
        self._wake.set()
        self._threads[0].join()
        with self._news:
            mine = list(self._mine.values())
        for job in mine:
            job.stopping.set()
        self._pool.shutdown(wait=True)
        self._threads[1].join()


class _Job:
    """One job of this process."""

    def __init__(self, host: Host, store: ScopeStore, record: JobRecord, news: threading.Condition) -> None:
        self.record = record
        self.stopping = threading.Event()
        self._host = host
        self._store = store
        self._news = news
        self._ending = threading.Lock()
        if record.stop:
            self.stopping.set()

    def tell(self, phase: str, step: str, done: int, of: int, moves: int) -> None:
        """Take note of how it goes; the store is told with the next beat."""
        self._set(progress={"phase": phase, "step": step, "done": done, "of": of, "moves": moves})

    def _set(self, **fields: Any) -> None:
        with self._news:
            self.record = dataclasses.replace(self.record, **fields)
            self._news.notify_all()

    def beat(self) -> None:
        """Tell the store how it goes, and look whether somebody asked for its end."""
        with self._ending:  # a beat that is late must not speak over the end
            told = dataclasses.replace(self.record, beat_at=self._host.clock.now())
            if told.finished_at is not None:
                return
            self._store.transact(lambda tx: tx.tell_job(told))
        with self._store.read() as r:
            kept = r.job(told.id)
        if kept is not None and kept.stop:
            self.stopping.set()

    def run(self, work: Callable[[], Run]) -> bool:
        """Do the work, and keep what became of it. Nothing that it raises is lost.

        False where another curator is at work in the namespace: the job waits again.
        """
        outcome: dict[str, Any]
        try:
            run = work()
            error = "; ".join(f"{step}: {why}" for step, why in run.errors.items()) or None
            outcome = {"status": run.status, "run": run.id, "error": error}
            outcome["progress"] = {**self.record.progress, "phase": "done", "moves": len(run)}
        except LeaseHeld:
            with self._ending:
                waits = dataclasses.replace(self.record, status="waiting", beat_at=self._host.clock.now(), progress={})
                self._store.transact(lambda tx: tx.tell_job(waits))
                self._set(status="waiting", progress={})
            return False
        except ReverieError as error:
            outcome = {"status": "failed", "error": f"{type(error).__name__}: {error}"}
        except Exception as error:
            log.exception("job %s failed", self.record.id)
            outcome = {"status": "failed", "error": type(error).__name__}
        now = self._host.clock.now()
        with self._ending:
            ended = dataclasses.replace(self.record, finished_at=now, beat_at=now, **outcome)
            try:
                self._store.transact(lambda tx: tx.tell_job(ended))
            except ReverieError as error:
                log.error("job %s ended as %s, which cannot be kept: %s", ended.id, ended.status, type(error).__name__)
            self._set(**{f.name: getattr(ended, f.name) for f in dataclasses.fields(ended)})
        return True


def _told(j: JobRecord) -> tuple[object, ...]:
    return j.status, dict(j.progress), j.finished_at
