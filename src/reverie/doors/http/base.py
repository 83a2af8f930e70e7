"""What routes share: the router that notes which verb each offers, the caller's namespace, answers, revisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Header, Path, Request
from starlette.responses import Response

from reverie.doors.http.again import Again
from reverie.doors.http.metrics import Metrics
from reverie.doors.http.problems import DOCUMENTED
from reverie.errors import InvalidInput
from reverie.serving.host import Caller, Guarded
from reverie.serving.jobs import Jobs

F = TypeVar("F", bound=Callable[..., Any])
HERE = "/v1/namespaces/{namespace}"
OFFERED: dict[str, str] = {}
"""Which address each verb of the façade has: the one table of this door, filled by `offers`."""

NOT_OFFERED: Mapping[str, str] = {
    "calibrate": "its record is the whole store's, of every tenant: it is for the command line of whoever holds the store",
    "memories": "browse gives the same in pages", "each": "browse gives the same in pages",
}  # fmt: skip
"""Verbs that have no address of their own, and why."""


def router(tag: str) -> APIRouter:
    """A router of one part of the API."""
    return APIRouter(route_class=Again, tags=[tag], responses=DOCUMENTED)


def offers(routes: APIRouter, verb: str, method: str, path: str, **how: Any) -> Callable[[F], F]:
    """Give a verb its address. The function below it does it."""

    def take(function: F) -> F:
        OFFERED[verb] = f"{method} {path}"
        how.setdefault("operation_id", verb)
        routes.add_api_route(path, function, methods=[method], **how)
        return function

    return take


async def caller_of(request: Request) -> Caller:
    """Who asks; the guard has seen to it. Like `here` it asks no store, and so needs no thread of its own."""
    caller: Caller = request.scope["reverie.caller"]
    return caller


def jobs_of(request: Request) -> Jobs:
    """The jobs of this process."""
    jobs: Jobs = request.app.state.jobs
    return jobs


def metrics_of(request: Request) -> Metrics:
    """Where it is counted."""
    metrics: Metrics = request.app.state.metrics
    return metrics


Who = Annotated[Caller, Depends(caller_of)]
Namespace = Annotated[str, Path(min_length=1, max_length=256, examples=["default"])]


async def here(who: Who, namespace: Namespace) -> Guarded:
    """The namespace that the address names, as the caller may use it."""
    return who.on(namespace)


Here = Annotated[Guarded, Depends(here)]
MemoryId = Annotated[str, Path(min_length=1, max_length=256, examples=["01K5M2Q8Z4W9XN7T3R6V0B1CDE"])]
ASCII = "^[ -~]*$"
IfMatch = Annotated[
    str | None,
    Header(
        description="The ETag that was read: the edit is refused (412) where the memory has moved on.",
        max_length=100,
        pattern=ASCII,
    ),
]


def revision(given: str | None) -> int | None:
    """The revision that an If-Match names. Raises InvalidInput."""
    if given is None or given.strip() == "*":
        return None
    text = given.strip().removeprefix("W/").strip('"')
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise InvalidInput('If-Match takes the ETag of one memory, such as "3"')


def etag(n: int) -> str:
    """The ETag of a revision."""
    return f'"{n}"'


def answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Plain data as JSON. What the façade gives is right by its types, and is not checked again."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(body, status, dict(headers or {}), "application/json")


def given(model: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """What a request says, by name, without what it leaves out."""
    return {k: getattr(model, k) for k in model.model_fields_set if k not in without}
