"""Addresses that tell: the briefing, the journal, runs, activity, signals, health."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import AwareDatetime
from starlette.responses import PlainTextResponse, Response

from reverie.doors import encode
from reverie.doors.http import shapes
from reverie.doors.http.base import HERE, Here, Who, answer, metrics_of, offers, router
from reverie.errors import ReverieError

routes = router("telling")
Limit = Annotated[int, Query(ge=1, le=1_000)]
Some = Annotated[str | None, Query(max_length=256)]
LOOKED_AT = 100  # namespaces that one look at the health takes in; of the others ask `doctor`, one by one
METRICS_MEDIA = "text/plain; version=1.0.0; charset=utf-8"


def plain(given: Any) -> Any:
    """Data of the façade as JSON has it, at any depth."""
    if isinstance(given, dict):
        return {k: plain(v) for k, v in given.items()}
    if isinstance(given, (list, tuple)):
        return [plain(v) for v in given]
    return encode.value(given)


@offers(
    routes, "briefing", "GET", HERE + "/briefing", response_model=shapes.Plain,
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}}, "description": "The briefing."}},
)  # fmt: skip
def briefing(
    memory: Here, day: Annotated[str | None, Query(max_length=20, examples=["today"])] = None,
    reading: Literal["people", "agent"] = "people",
    format: Annotated[Literal["json", "markdown"], Query()] = "json",  # noqa: A002
) -> Response:  # fmt: skip
    """What happened on a UTC day, from the journal and nothing else. For an agent every text is quoted as data."""
    made = memory.briefing(day, reading=reading)
    if format == "markdown":
        return PlainTextResponse(made.markdown(), media_type="text/markdown; charset=utf-8")
    return answer(made.to_dict())


@offers(routes, "journal", "GET", HERE + "/journal", response_model=list[shapes.EntryOut])
def journal(memory: Here, run: Some = None, id: Annotated[str | None, Query(max_length=256)] = None,  # noqa: A002
            limit: Limit = 100) -> Response:  # fmt: skip
    """Journal entries: of a run or a memory in order, or else the newest first."""
    return answer([encode.entry(e) for e in memory.journal(run=run, memory=id, limit=limit)])


@offers(routes, "check_journal", "GET", HERE + "/journal/check", response_model=shapes.Plain)
def check_journal(memory: Here) -> Response:
    """Walk the hash chain: whether it is sound, and the first bad entry where somebody edited it."""
    chain = memory.check_journal()
    return answer({"sound": bool(chain), "entries": chain.entries, "broken_at": chain.broken_at, "why": chain.why})


@offers(routes, "runs", "GET", HERE + "/runs", response_model=list[shapes.RecordOut])
def runs(memory: Here, limit: Limit = 50) -> Response:
    """Runs and acts, newest first."""
    return answer([encode.record(r) for r in memory.runs(limit)])


@offers(routes, "activity", "GET", HERE + "/activity", response_model=list[shapes.Plain])
def activity(
    memory: Here, limit: Limit = 10, since: AwareDatetime | None = None, until: AwareDatetime | None = None
) -> Response:
    """Activity records of curation, newest first, every count in each."""
    return answer(plain(memory.activity(limit, since=since, until=until)))


@offers(routes, "signals", "GET", HERE + "/signals", response_model=list[shapes.SignalOut])
def signals(memory: Here, limit: Limit = 100, since: AwareDatetime | None = None, pending: bool = True) -> Response:
    """Training signals, newest first. No text is in one."""
    return answer([encode.signal(s) for s in memory.signals(limit, since=since, pending=pending)])


@offers(routes, "stats", "GET", HERE + "/stats", response_model=shapes.Plain)
def stats(memory: Here) -> Response:
    """Counts by state, what waits, and what is wrong."""
    return answer(plain(memory.stats()))


@offers(routes, "doctor", "GET", HERE + "/doctor", response_model=shapes.Plain)
def doctor(
    memory: Here, deep: Annotated[bool, Query(description="Read the whole store and journal too.")] = True
) -> Response:
    """What is wrong right now: the store, the journal, the steps, the worker, the embedder, the judge, the backlog."""
    return answer(plain(memory.doctor(deep=deep)))


# of the server
@routes.get("/health", response_model=shapes.Plain, operation_id="health")
def health(request: Request, who: Who, deep: bool = False) -> Response:
    """What is wrong in each namespace that the key covers, and with the curator, with causes; the worst level is the server's."""
    who.need("doctor")
    order = ("green", "yellow", "red")
    found: dict[str, dict[str, Any]] = {}
    names = who.namespaces()
    for name in names[:LOOKED_AT]:
        try:
            told = plain(who.on(name).doctor(deep=deep))
            found[name] = {k: told[k] for k in ("level", "problems", "warnings", "backlog", "steps", "worker", "judge")}
        except ReverieError as error:
            found[name] = {"level": "red", "problems": [f"{type(error).__name__}: {error}"], "warnings": []}
    curator = request.app.state.curator
    trouble = curator.trouble if curator is not None else None
    levels = [f["level"] for f in found.values()] + (["red"] if trouble else [])
    level = max(levels, key=order.index, default="green")
    return answer(
        {
            "level": level,
            "curator": trouble or "well",
            "not_looked_at": max(0, len(names) - LOOKED_AT),
            "at": encode.value(who.host.clock.now()),
            "namespaces": found,
        }
    )


@routes.get("/metrics", response_class=PlainTextResponse, operation_id="metrics")
def metrics(request: Request, who: Who) -> Response:
    """Figures for Prometheus. No name of a namespace and no text is in them."""
    who.need("metrics")
    curator = request.app.state.curator
    return Response(metrics_of(request).page(who, curator is None or curator.trouble is None), media_type=METRICS_MEDIA)


@routes.get("/v1/namespaces", response_model=list[str], operation_id="namespaces")
def namespaces(who: Who) -> Response:
    """The namespaces that hold anything and that the key covers."""
    who.need("stats")
    return answer(who.namespaces())


@routes.get("/v1/me", response_model=shapes.Plain, operation_id="me")
def me(who: Who) -> Response:
    """Whose key this is, and what it allows."""
    key = who.key
    return answer(
        {
            "id": key.id, "name": key.name, "tenant": key.tenant, "namespaces": list(key.namespaces),
            "verbs": list(key.verbs), "principal": key.principal, "channel": key.channel, "limits": dict(key.limits),
            "expires_at": encode.value(key.expires_at), "now": encode.value(who.host.clock.now()),
        }
    )  # fmt: skip
