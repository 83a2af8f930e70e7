"""Curation from a page: what it would do now, doing it as a job, and how the job goes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from reverie.doors.dashboard import telling
from reverie.doors.dashboard.visit import Visit
from reverie.errors import ReverieError
from reverie.serving.jobs import OPEN
from reverie.store.records import JobRecord

PLANNED = 60  # moves of each sort, and near pairs, that a plan's page shows
STREAM_SECONDS = 300  # after which a browser asks anew
BEAT = 1.0


def plan(v: Visit) -> Response:
    """What can be planned and what was held back. Nothing is planned yet: that may take its time."""
    jobs = v.site.jobs.all(v.who, v.namespace or "", 10) if v.may("runs") else []
    return v.html("plan.html", plan=None, parked=v.mem.parked(), jobs=jobs, stats=v.mem.stats(), asked=False)


def make_plan(v: Visit) -> Response:
    """What curation would do now. Changes no memory."""
    ask = bool(v.field("ask"))
    made = v.mem.plan(ask=ask)
    told = telling.plan(v.mem, made, PLANNED)
    return v.html("plan.html", plan=told, parked=v.mem.parked(), jobs=[], stats=v.mem.stats(), asked=ask)


def curate(v: Visit) -> Response:
    """Ask for a pass, and go where it can be watched."""
    job = v.site.jobs.curate(v.who, v.namespace or "", ask=bool(v.field("ask")))
    return v.to(v.at("jobs", job.id))


def _job(v: Visit) -> JobRecord:
    return v.site.jobs.get(v.who, v.namespace or "", v.param("id"))


def job(v: Visit) -> Response:
    """How a job goes."""
    found = _job(v)
    return v.html("job.html", job=found, open=found.status in OPEN, told=told_of(found))


def stop(v: Visit) -> Response:
    """Ask a job to end."""
    found = v.site.jobs.stop(v.who, v.namespace or "", v.param("id"))
    return v.to(v.at("jobs", found.id), "stopping")


def told_of(found: JobRecord) -> dict[str, object]:
    """How it goes, as the page and its script show it."""
    p = found.progress
    done, of = int(p.get("done", 0)), int(p.get("of", 0))
    phase = {"plan": "Looking", "ask": "Asking the judge", "apply": "Making changes", "done": "Finished"}
    word = phase.get(str(p.get("phase")), "Waiting for its turn" if found.status == "waiting" else "Starting")
    step = str(p.get("step") or "").replace("_", " ")
    return {
        "status": found.status, "phase": word, "step": step, "done": done, "of": of, "moves": int(p.get("moves", 0)),
        "open": found.status in OPEN,
    }  # fmt: skip


def events(v: Visit) -> Response:
    """How a job goes, as server-sent events, until it has ended."""
    first = _job(v)
    namespace, id_ = v.namespace or "", first.id

    async def stream() -> AsyncIterator[str]:
        seen: JobRecord | None = None
        sent = ""
        leaving = getattr(v.request.app.state, "leaving", None)  # set where the server is about to end
        for _ in range(int(STREAM_SECONDS / BEAT)):
            if leaving is not None and leaving.is_set():
                return
            try:
                await run_in_threadpool(v.recognise)  # a key that was revoked meanwhile sees no more
                found = await run_in_threadpool(v.site.jobs.wait, v.who, namespace, id_, seen, BEAT)
            except ReverieError:
                return
            now = json.dumps(told_of(found))
            yield f"data: {now}\n\n" if now != sent else ": still at it\n\n"
            sent, seen = now, found
            if found.status not in OPEN:
                return

    return StreamingResponse(stream(), media_type="text/event-stream")
