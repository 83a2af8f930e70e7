"""Addresses of curation: plans, runs as jobs, undo, what waits for a person."""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Annotated, Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import Path, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from reverie.curation.plan import Plan
from reverie.doors import encode
from reverie.doors.http import asks, shapes
from reverie.doors.http.base import (
    HERE,
    Here,
    Namespace,
    Who,
    answer,
    jobs_of,
    metrics_of,
    offers,
    router,
)
from reverie.doors.http.problems import kind_of
from reverie.errors import InvalidInput, ReverieError
from reverie.serving.host import Caller
from reverie.serving.jobs import OPEN, Jobs
from reverie.store.records import JobRecord

routes = router("curation")
Id = Annotated[str, Path(min_length=1, max_length=256)]
Limit = Annotated[int, Query(ge=1, le=1_000)]
LOOK_SECONDS = 0.25  # between two looks at a job whose progress is told
LEAVE_SECONDS = 2.0  # that a stream has to end by itself when the server is told to stop
ELSEWHERE_SECONDS = 1.0  # the same for a job of another process, which is looked up in the store


@offers(routes, "plan", "POST", HERE + "/plan", response_model=shapes.SealedPlan)
def plan(who: Who, memory: Here, body: asks.AskPlan) -> Response:
    """What curation would do now, with a reason for each move and what it leaves alone. Changes no memory."""
    made = memory.plan(body.cycle, ask=body.ask)
    texts = {i: m.text for i, m in memory.rows_of(made).items()}
    bare = made.to_dict()
    return answer(
        {
            "plan": bare, "seal": seal(who, memory.scope.namespace, bare), "moves": len(made),
            "counts": dict(made.counts), "errors": dict(made.errors), "texts": texts,
        }
    )  # fmt: skip


@offers(routes, "apply", "POST", HERE + "/apply", response_model=shapes.RunOut)
def apply(request: Request, who: Who, memory: Here, body: asks.Apply) -> Response:
    """Do exactly what a plan says; what changed since is skipped and told. A parked plan is approved by its id.

    Only a plan that this server gave to this key is taken: `seal` proves it. To lift the caps takes the right to decide.
    """
    applying = memory.apply
    if (body.plan is None) is (body.id is None):
        raise InvalidInput("give either the plan with its seal, or the id of one that waits")
    if body.approved or body.id is not None:
        who.need("accept")
    if body.id is not None:
        got = applying(body.id)
    else:
        bare = body.plan or {}
        right = seal(who, memory.scope.namespace, bare)
        if not hmac.compare_digest(right.encode(), (body.seal or "").encode()):
            raise InvalidInput("the seal does not fit: apply takes a plan as the same key got it from plan, unchanged")
        got = applying(Plan.from_dict(bare), approved=body.approved)
    metrics_of(request).verb("apply")
    return answer(encode.run(got))


def seal(who: Caller, namespace: str, bare: dict[str, Any]) -> str:
    """What only the server can say of a plan, for one key and one namespace."""
    secret = who.key.hash or who.host.secret
    body = json.dumps([who.key.tenant, namespace, _canonical(bare)], sort_keys=True, ensure_ascii=True).encode()
    return hmac.new(secret, b"plan\0" + body, sha256).hexdigest()


def _canonical(given: Any) -> Any:
    """As every language writes it: 1.0 comes back from a JavaScript client as 1."""
    if isinstance(given, dict):
        return {k: _canonical(v) for k, v in given.items()}
    if isinstance(given, list):
        return [_canonical(v) for v in given]
    return int(given) if isinstance(given, float) and given.is_integer() else given


@offers(
    routes, "curate", "POST", HERE + "/curate", status_code=202, response_model=shapes.JobOut,
)  # fmt: skip
def curate(request: Request, who: Who, namespace: Namespace, body: asks.AskPlan) -> Response:
    """Curate now, as a job: it goes on whether or not anybody looks, and writers and readers go on beside it."""
    job = jobs_of(request).curate(who, namespace, body.cycle, ask=body.ask)
    metrics_of(request).verb("curate")
    return answer(of_job(job), 202, {"Location": f"/v1/namespaces/{quote(namespace, safe='')}/jobs/{job.id}"})


def of_job(job: JobRecord) -> dict[str, Any]:
    """A job as it is told."""
    return {
        "id": job.id, "verb": job.verb, "status": job.status, "principal": job.principal,
        "asked_at": encode.value(job.asked_at), "beat_at": encode.value(job.beat_at),
        "finished_at": encode.value(job.finished_at), "cycle": job.request.get("cycle"), "progress": dict(job.progress),
        "stop": job.stop, "run": job.run,
        "error": job.error,
    }  # fmt: skip


@routes.get(HERE + "/jobs", response_model=list[shapes.JobOut], operation_id="jobs")
def jobs(request: Request, who: Who, namespace: Namespace, limit: Limit = 50) -> Response:
    """Jobs of this namespace, newest first."""
    return answer([of_job(j) for j in jobs_of(request).all(who, namespace, limit)])


@routes.get(HERE + "/jobs/{id}", response_model=shapes.JobOut, operation_id="job")
def job(request: Request, who: Who, namespace: Namespace, id: Id) -> Response:  # noqa: A002
    """How a job stands, whichever process runs it."""
    return answer(of_job(jobs_of(request).get(who, namespace, id)))


@routes.post(HERE + "/jobs/{id}/stop", response_model=shapes.JobOut, operation_id="stop_job")
def stop_job(request: Request, who: Who, namespace: Namespace, id: Id) -> Response:  # noqa: A002
    """Let a job end after the transaction in hand. What it did stands; undo takes it back."""
    return answer(of_job(jobs_of(request).stop(who, namespace, id)))


EVENT = {
    "type": "object", "required": ["event", "data"],
    "properties": {"event": {"enum": ["progress", "end", "error"]}, "data": {"type": "string", "description": "A job, as JSON."}},
}  # fmt: skip


@routes.get(
    HERE + "/jobs/{id}/events", operation_id="job_events",
    responses={200: {"content": {"text/event-stream": {"schema": EVENT}}, "description": "Its progress."}},
    response_class=EventSourceResponse,
)  # fmt: skip
async def job_events(request: Request, who: Who, namespace: Namespace, id: Id) -> Response:  # noqa: A002
    """The progress of a job as server-sent events: `progress` until it ends, then `end`. Losing the line harms no job."""
    work = jobs_of(request)
    first = await to_thread.run_sync(work.get, who, namespace, id)
    leaving: threading.Event = request.app.state.leaving
    return EventSourceResponse(told(work, who, namespace, first, leaving), ping=15, shutdown_grace_period=LEAVE_SECONDS)


async def told(
    work: Jobs, who: Caller, namespace: str, seen: JobRecord, leaving: threading.Event
) -> AsyncIterator[ServerSentEvent]:  # fmt: skip
    """Each new state of a job, until it ends or the server does."""
    last: dict[str, Any] = {}
    while True:
        now = of_job(seen)
        shown = {k: v for k, v in now.items() if k != "beat_at"}
        over = seen.status not in OPEN
        if shown != last or over:
            last = shown
            yield ServerSentEvent(data=json.dumps(now), event="end" if over else "progress")
        if over or leaving.is_set():
            return
        near = work.mine(who, namespace, seen.id) is not None
        await asyncio.sleep(LOOK_SECONDS if near else ELSEWHERE_SECONDS)
        try:
            seen = await to_thread.run_sync(work.get, who, namespace, seen.id)
        except ReverieError as error:  # its key was revoked, or the store is away: the job goes on, this does not
            yield ServerSentEvent(data=json.dumps({"type": kind_of(error), "detail": str(error)}), event="error")
            return


@offers(routes, "undo", "POST", HERE + "/undo", response_model=shapes.UndoneOut)
def undo(memory: Here, body: asks.Undo) -> Response:
    """Take back a run, one entry, or everything since a time, newest first. What newer edits touched is left and listed."""
    named = [v for v in (body.run, body.entry, body.since) if v is not None]
    if len(named) != 1:
        raise InvalidInput("say what to take back: one of run, entry and since")
    return answer(encode.undone(memory.undo(named[0])))


@offers(routes, "parked", "GET", HERE + "/parked", response_model=list[shapes.Plain])
def parked(memory: Here) -> Response:
    """Plans that a blast cap held back."""
    return answer([encode.parked(p) for p in memory.parked()])


@offers(routes, "review", "GET", HERE + "/review", response_model=list[shapes.Plain])
def review(memory: Here, limit: Limit = 100) -> Response:
    """What waits for a person, oldest first: parked plans, quarantined newcomers, pairs that nobody could decide."""
    return answer([i.to_dict() for i in memory.review(limit)])


@offers(routes, "review_item", "GET", HERE + "/review/{id}", response_model=shapes.Plain)
def review_item(memory: Here, id: Id) -> Response:  # noqa: A002
    """One thing that waits; a plan with all its moves."""
    found = memory.review_item(id)
    return answer(found.to_dict() | ({"plan": encode.parked(found.plan)} if found.plan else {}))


@offers(routes, "accept", "POST", HERE + "/review/{id}/accept", response_model=shapes.RunOut | None)
def accept(memory: Here, id: Id, body: asks.Accept) -> Response:  # noqa: A002
    """Do what the item's `accept` says. Pairs and newcomers take a person's key. Gives the run of a plan, else null."""
    got = memory.accept(id, body.verdict)
    return answer(None if got is None else encode.run(got))


@offers(
    routes, "reject", "POST", HERE + "/review/{id}/reject", status_code=204, response_class=Response,
)  # fmt: skip
def reject(memory: Here, id: Id) -> Response:  # noqa: A002
    """Do what the item's `reject` says: turn the plan down, archive the newcomer, never compare the pair again."""
    memory.reject(id)
    return Response(status_code=204)
