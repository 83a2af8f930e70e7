"""Workers on many hosts: procrastinate's queue in the same PostgreSQL database hands out the turns.

Every worker looks what is due, and puts it into the queue where it does not wait there already. A namespace has a lock, so no two
of its jobs run at once, and a queueing lock, so none waits twice. Jobs of workers that are not heard of are given again. What
makes all of this safe is not the queue, but the lease under which each visit writes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reverie.model import Scope
from reverie.store.postgres.connection import SCHEMA, connect, psycopg, queue_is_there, translated
from reverie.work.schedule import Due

if TYPE_CHECKING:
    from procrastinate import App

    from reverie.work.worker import Worker

log = logging.getLogger("reverie.worker")
QUEUE = "reverie"
FIRST = 100  # the priority of looking and of taking over: neither waits behind the turns


def run(worker: Worker, stopping: threading.Event) -> None:
    """Defer and run turns until ``stopping`` is set; then finish the transaction in hand and leave."""
    prepare(worker.url)
    asyncio.run(_run(worker, stopping))


def prepare(url: str) -> None:
    """Make procrastinate's tables in Reverie's schema where they are missing. Safe for several workers at once."""
    from procrastinate.schema import SchemaManager

    with (
        translated(url),
        connect(url, options=f"-csearch_path={SCHEMA},public") as connection,
        connection.transaction(),
    ):
        if not queue_is_there(connection):
            connection.execute(SchemaManager.get_schema())


async def _run(worker: Worker, stopping: threading.Event) -> None:
    app = application(worker)
    look = float(worker.settings.worker_look_seconds)
    stalled = float(worker.settings.worker_stalled_seconds)
    leaving = asyncio.create_task(asyncio.to_thread(stopping.wait))
    try:
        async with app.open_async():
            looking = asyncio.create_task(_look_again(app, worker, look, stalled))
            while not stopping.is_set():
                running = asyncio.create_task(
                    app.run_worker_async(
                        queues=[QUEUE], concurrency=1, install_signal_handlers=False, delete_jobs="always",
                        fetch_job_polling_interval=min(5.0, look), update_heartbeat_interval=stalled / 3,
                        stalled_worker_timeout=stalled,
                    )
                )  # fmt: skip
                await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
                running.cancel()  # it waits for the job in hand, which leaves after its transaction
                (ended,) = await asyncio.gather(running, return_exceptions=True)
                if isinstance(ended, Exception):
                    # The database went away, or others took this worker for dead: it enrols anew.
                    log.error("the queue gave up on this worker, which begins again: %s", ended)
                    await asyncio.wait({leaving}, timeout=look)
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
    finally:
        stopping.set()
        await leaving


def application(worker: Worker) -> App:
    """The queue's application with its one task."""
    from procrastinate import App, PsycopgConnector
    from procrastinate.exceptions import ConnectorException
    from procrastinate.jobs import Job, Status
    from procrastinate.manager import JobManager

    class Patient(JobManager):
        """Ends a job that was taken from this worker while it slept, without calling that an error."""

        async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
            try:
                await super().finish_job(job, status, delete_job)
            except ConnectorException as error:
                if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                    raise
                log.warning("job %s was taken from this worker, which was not heard of", job.id)

    app = App(connector=PsycopgConnector(conninfo=worker.url, kwargs={"options": f"-csearch_path={SCHEMA},public"}))

    app.job_manager = Patient(app.connector)

    @app.task(queue=QUEUE, name="reverie.visit")
    def visit(tenant: str, namespace: str, cycle: str, key: str, with_model: bool, idle: bool, since: str) -> str:
        one = Due(Scope(tenant, namespace), cycle, key, with_model, idle, datetime.fromisoformat(since))
        return worker.visit(one).outcome

    return app


async def _look_again(app: App, worker: Worker, every: float, stalled: float) -> None:
    """Look what is due, and for jobs of the dead, now and then. A look that fails is told, and made again."""
    while True:
        try:
            await take_over(app, stalled)
            await defer(app, await asyncio.to_thread(worker.due))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - the database may be away; it is told, and looked for again
            log.error("cannot look what is due: %s", error)
        await asyncio.sleep(every)


async def defer(app: App, turns: list[Due]) -> int:
    """Put turns into the queue, those that wait or run already aside. Returns how many."""
    from procrastinate.exceptions import AlreadyEnqueued

    n = 0
    for at, one in enumerate(turns):
        lock = json.dumps([one.scope.tenant, one.scope.namespace])
        job = app.tasks["reverie.visit"].configure(
            lock=lock, queueing_lock=f"{one.cycle} {lock}", priority=-at if one.idle else -at - FIRST
        )
        given: dict[str, Any] = {
            "tenant": one.scope.tenant, "namespace": one.scope.namespace, "cycle": one.cycle, "key": one.key,
            "with_model": one.with_model, "idle": one.idle, "since": one.since.isoformat(),
        }  # fmt: skip
        try:
            await job.defer_async(**given)
            n += 1
        except AlreadyEnqueued:
            continue
    return n


async def take_over(app: App, stalled: float) -> int:
    """Take the jobs of workers that are not heard of out of the queue: their slots are unfinished, and so come again.

    Returns how many. Not retried, as the same turn may wait in the queue already.
    """
    from procrastinate.jobs import Status

    jobs = list(await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=stalled))
    for job in jobs:
        log.warning("the worker of job %s is not heard of; its turn is given again: %s", job.id, job.task_kwargs)
        await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
    return len(jobs)
