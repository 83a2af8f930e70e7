"""One process that a client starts: MCP over its standard input and output, and a worker that looks after the memory meanwhile."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from reverie.doors.mcp.server import Server, build
from reverie.doors.mcp.tools import OFFERED
from reverie.doors.mcp.wire import Wire
from reverie.errors import ReverieError, Unauthorised
from reverie.model import Channel, Origin, Scope
from reverie.serving.host import Caller, Host
from reverie.serving.jobs import LOOK_SECONDS, Jobs, Runner
from reverie.serving.keys import COUNT_SECONDS
from reverie.serving.rights import READ, ROLES
from reverie.settings import Settings
from reverie.store.records import ApiKey, JobRecord
from reverie.work.worker import Worker

log = logging.getLogger("reverie.mcp")
WORKER_SECONDS = 5.0  # after the first answer: until then the client waits for this process, and needs the processor
END_SECONDS = 10.0  # that what is in hand may take at the end; it is whole or not there, whenever it is cut off
SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a process is asked to be.

    ``key``: speak as this key of the store; without one, as ``principal`` through ``channel`` with the rights of an agent.
    ``worker``: curate this namespace on schedule. ``read_only``: offer only what reads.
    """

    db: str
    namespace: str = "default"
    tenant: str = "default"
    principal: str = "local"
    channel: Channel = Channel.AGENT
    embedder: str | None = None
    key: str | None = None
    read_only: bool = False
    worker: bool = True


class Speaker:
    """Who calls: the same at each request, but for a key that was revoked meanwhile."""

    def __init__(self, host: Host, wanted: Wanted) -> None:
        self._host = host
        self._wanted = wanted
        self._counted = time.monotonic()
        rights = (READ,) if wanted.read_only else ROLES["agent"]
        key = ApiKey(
            "none", "the local user", b"", wanted.tenant, (wanted.namespace,), rights, wanted.principal, wanted.channel.value, {},
            host.clock.now(),
        )  # fmt: skip
        self._local = Caller(host, key, Origin(wanted.principal, wanted.channel, client="mcp"))
        try:
            self.first, self.namespace = self()
        except Unauthorised:
            raise Unauthorised(
                "REVERIE_API_KEY is no key in force in this store; make one with: reverie keys create"
            ) from None

    def __call__(self, _: object = None) -> tuple[Caller, str]:
        """The caller and the namespace. Raises Unauthorised where the key is not in force."""
        wanted = self._wanted
        if wanted.key is None:
            return self._local, wanted.namespace
        if (now := time.monotonic()) - self._counted > COUNT_SECONDS:
            self._counted = now
            self._host.ring.flush()  # so that the limits of a key hold over all the processes that speak with it
        caller = self._host.caller(wanted.key)
        if wanted.read_only:
            verbs = tuple(o.verb for o in OFFERED if o.reads and caller.may(o.verb))
            caller = Caller(self._host, replace(caller.key, verbs=verbs), caller.origin)
        names = caller.key.namespaces
        only = names[0] if len(names) == 1 and not names[0].endswith("*") else None
        return caller, only if only is not None and wanted.namespace == "default" else wanted.namespace


class OnDemand(Runner):
    """A runner that is there once somebody asks for a job: a process that a client leaves open for days looks for none."""

    def __init__(self, host: Host) -> None:
        self._of = host
        self._runner: Runner | None = None
        self._making = threading.Lock()
        self._asked: set[str] = set()

    def asked(self, id_: str) -> None:
        """Begin this job here: those that others ask for are theirs to begin."""
        self._asked.add(id_)

    def wake(self) -> None:
        """Begin to look for jobs, or look at once."""
        with self._making:
            if self._runner is None:
                self._runner = Runner(self._of, lambda _, id_: id_ in self._asked)
        self._runner.wake()

    def record(self, scope: Scope, id_: str) -> JobRecord | None:
        """How a job of this process stands."""
        return self._runner.record(scope, id_) if self._runner is not None else None

    def stop_job(self, scope: Scope, id_: str) -> None:
        """Let a job of this process end."""
        if self._runner is not None:
            self._runner.stop_job(scope, id_)

    def changed(self, scope: Scope, id_: str, seen: JobRecord, seconds: float) -> None:
        """Wait until a job stands otherwise than it was seen."""
        if self._runner is not None:
            self._runner.changed(scope, id_, seen, seconds)
        else:
            threading.Event().wait(min(seconds, LOOK_SECONDS))

    def close(self) -> None:
        """End it, if it was begun."""
        if self._runner is not None:
            self._runner.close()


class Process:
    """All that runs in such a process, and its end."""

    def __init__(self, wanted: Wanted, settings: Settings) -> None:
        self._wanted = wanted
        self.host = Host(wanted.db, settings=settings, embedder=wanted.embedder)
        try:
            self.speaker = Speaker(self.host, wanted)
        except BaseException:
            self.host.close()
            raise
        self.jobs = Jobs(self.host, OnDemand(self.host))
        self._worker: Worker | None = None
        self._ending = threading.Event()
        self._ended = threading.Lock()
        self._warming: threading.Thread | None = None

    def server(self) -> Server:
        """The server, which warms up what is slow once it has given its first answer."""
        made = build(
            self.host,
            self.jobs,
            self.speaker,
            session=f"mcp-{self.host.ids.new()}",
            counted=self._wanted.key is not None,
        )

        async def warmed(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
            found = await call_next(ctx)
            if self._warming is None:
                self._warming = threading.Thread(target=self._warm, name="reverie-warm", daemon=True)
                self._warming.start()
            return found

        made.middleware.append(warmed)
        return made

    def _warm(self) -> None:
        """Load the embedder and the namespace, then look after it. Whatever fails here is told by the call that needs it."""
        caller, namespace = self.speaker.first, self.speaker.namespace
        try:
            if self.host.embedder is not None:
                self.host.embedder.embed(["warm"])
            self.host.memory(caller.scope(namespace))
        except Exception:
            log.warning("the memory could not be made ready", exc_info=True)
        if self._wanted.worker and caller.may("curate") and not self._ending.wait(WORKER_SECONDS):
            self._look_after(caller, namespace)

    def _look_after(self, caller: Caller, namespace: str) -> None:
        low_priority(int(self.host.settings.worker_nice))
        try:
            self._worker = Worker(
                self._wanted.db, tenant=caller.key.tenant, namespaces=[namespace], settings=self.host.settings,
                embedder=self.host.embedder if self.host.embedder is not None else "none", judge=self.host.judge,
            )  # fmt: skip
            # Sessions are shorter than the time between two passes: what is due since the last one is done in this one.
            self._worker.started -= timedelta(days=1)
            if self._ending.is_set():
                self._worker.ask_to_stop()
            self._worker.run()
        except ReverieError as error:
            log.error("the worker ended: %s: %s", type(error).__name__, error)
        except Exception:
            log.exception("the worker ended")

    def end(self) -> None:
        """Finish what is in hand and close the store. Only the first call does anything."""
        if not self._ended.acquire(blocking=False):
            return
        self._ending.set()
        if self._worker is not None:
            self._worker.ask_to_stop()
        if self._warming is not None:
            self._warming.join(END_SECONDS)
        self.jobs.close()
        self.host.close()


def low_priority(nice: int) -> None:
    """Let this thread run after others, where the system knows priorities of threads."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        try:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)
        except OSError as error:
            log.debug("the priority stays as it is: %s", error)


def run(wanted: Wanted, settings: Settings, wire: Wire) -> None:
    """Serve until the client closes our input, or a signal comes. Raises ReverieError where the store or the key is no good."""
    process = Process(wanted, settings)

    def leave(number: int, _: object) -> None:
        # A thread waits in a read of our input, which nothing can wake: the process has to go without it.
        def ended() -> None:
            try:
                process.end()
            finally:
                os._exit(0 if number == signal.SIGTERM else 130)

        threading.Thread(target=ended, name="reverie-end").start()

    for number in SIGNALS:
        signal.signal(number, leave)
    try:
        serve = process.server().run_stdio_async
        wire.open()
        anyio.run(serve)
    finally:
        wire.close()
        process.end()
