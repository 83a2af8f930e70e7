"""Errors as problem details (RFC 9457): one table from Reverie's errors to statuses. No text of a memory is in one."""

from __future__ import annotations

import json
import logging
import math
import re
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from reverie import errors
from reverie.doors.http.shapes import Problem

log = logging.getLogger("reverie.http")
STATUS: tuple[tuple[type[errors.ReverieError], int], ...] = (  # the first that fits
    (errors.Unauthorised, 401), (errors.Forbidden, 403), (errors.PolicyRefusal, 403), (errors.NotFound, 404),
    (errors.Stale, 412), (errors.TooMany, 429), (errors.Refused, 409), (errors.TooLarge, 413),
    (errors.InvalidInput, 422), (errors.StoreError, 503), (errors.EmbedderError, 503), (errors.Closed, 503),
)  # fmt: skip
TITLES = {
    400: "The request cannot be read", 401: "A key is needed", 403: "Not allowed", 404: "Not found",
    405: "Not a method of this address", 409: "The state of things forbids it", 412: "It has changed since it was read",
    413: "Too large", 421: "Not a name of this server", 422: "The input cannot be taken", 429: "Too many",
    500: "Something went wrong", 503: "Not available now",
}  # fmt: skip
RETRY_SECONDS = 1
MEDIA = "application/problem+json"
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"description": TITLES[status], "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status in (400, 401, 403, 404, 409, 412, 413, 422, 429, 503)
}


def status_of(error: errors.ReverieError) -> int:
    """The status that an error is answered with."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def problem(
    status: int, detail: str, kind: str, *, more: list[dict[str, Any]] | None = None, headers: dict[str, str] | None = None
) -> Response:  # fmt: skip
    """The answer. ASCII, so that half of a surrogate pair in an echo breaks nothing."""
    told = Problem(
        type=f"urn:reverie:error:{kind}", title=TITLES.get(status, "Refused"), status=status, detail=detail, errors=more
    )
    body = json.dumps(told.model_dump(exclude_none=True), ensure_ascii=True).encode()
    sent = dict(headers or {})
    if status == 401:
        sent["WWW-Authenticate"] = 'Bearer realm="reverie"'
    if status == 503:
        sent.setdefault("Retry-After", str(RETRY_SECONDS))
    return Response(body, status, sent, MEDIA)


def of_error(error: errors.ReverieError) -> Response:
    """One of Reverie's own errors."""
    status = status_of(error)
    headers = {"Retry-After": str(max(1, math.ceil(error.seconds)))} if isinstance(error, errors.TooMany) else None
    if status >= 500:
        log.error("%s: %s", type(error).__name__, error)
    return problem(status, str(error), kind_of(error), headers=headers)


def kind_of(error: errors.ReverieError) -> str:
    """The error's name as it stands in ``type``: not-found."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()


def install(app: FastAPI) -> None:
    """Let every error of the app be answered so."""

    @app.exception_handler(errors.ReverieError)
    async def ours(_: Request, error: errors.ReverieError) -> Response:
        return of_error(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        told = [
            {"where": [str(part)[:80] for part in e.get("loc", ())], "what": str(e.get("msg", ""))[:300]}
            for e in error.errors()[:20]
        ]
        first = told[0] if told else {"where": [], "what": "it cannot be read"}
        return problem(422, f"{'.'.join(first['where'])}: {first['what']}", "invalid-input", more=told)

    @app.exception_handler(HTTPException)
    async def theirs(_: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, RecursionError):
            return problem(422, "the body is nested too deeply; flatten it", "invalid-input")
        kind = {400: "bad-request", 404: "not-found", 405: "method-not-allowed"}.get(error.status_code, "refused")
        return problem(error.status_code, str(error.detail), kind, headers=dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> Response:
        log.exception("a request failed")
        return problem(500, "the server has logged what happened", "internal")
