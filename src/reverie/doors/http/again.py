"""Requests that come again: with an Idempotency-Key the first answer is kept and given once more."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from reverie.checks import required_name
from reverie.doors.http.problems import of_error, problem
from reverie.errors import Conflict, InvalidInput
from reverie.serving.host import Caller
from reverie.serving.rights import READ
from reverie.store.port import ScopeStore
from reverie.store.records import ApiKey

KEPT = timedelta(hours=24)
IN_HAND = timedelta(minutes=10)  # an answer that takes longer has lost its process: the request may be made again
UNKEPT = frozenset({"recall", "know", "context", "plan", "erase", "again", "import", "import-export"})
"""Ends of addresses that may be asked again as they are, and whose answers hold texts or a receipt's key, or whose bodies are
streams: they are not kept."""
BODY_MOST = 1_048_576  # a longer answer is not kept
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Again(APIRoute):
    """A route that knows requests by their Idempotency-Key, for each key and namespace, for 24 hours."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        kept = (
            not (self.methods or set()) <= {"GET"}
            and "{namespace}" in self.path
            and self.path.rsplit("/", 1)[-1] not in UNKEPT
        )
        if not kept:
            return handle

        async def known(request: Request) -> Response:
            name = request.headers.get("idempotency-key")
            if name is None:
                return await handle(request)
            caller: Caller = request.scope["reverie.caller"]
            if all(right == READ for right in caller.key.verbs):  # it changes nothing, and repeats what it likes
                return await handle(request)
            namespace = request.path_params["namespace"]
            try:
                scope = caller.host.store.scope(caller.scope(namespace))
                required_name(name, "the Idempotency-Key")
            except InvalidInput as error:
                return of_error(error)
            body = await request.body()
            token = digest(caller.key, name)
            asked = digest(caller.key, request.method, request.url.path, request.url.query, body)
            began = caller.host.clock.now()
            if (answer := await run_in_threadpool(_begin, scope, token, asked, began)) is not None:
                return answer
            try:
                made = await handle(request)
            except BaseException:
                await run_in_threadpool(scope.transact, lambda tx: tx.drop_answer(token, began))
                raise
            await run_in_threadpool(_finish, scope, token, began, made)
            return made

        return known


def _begin(scope: ScopeStore, token: bytes, asked: bytes, now: datetime) -> Response | None:
    """The answer that was given before; None where this request is the first."""
    if scope.transact(lambda tx: tx.begin_answer(token, asked, now, forget_before=now - KEPT)):
        return None
    with scope.read() as r:
        found = r.answer(token)
    if found is None:
        return None
    if found.request != asked:
        return of_error(InvalidInput("this Idempotency-Key was used for another request; take a new one"))
    if found.status is None:
        if scope.transact(lambda tx: tx.renew_answer(token, now, before=now - IN_HAND)):
            return None
        return of_error(Conflict("the first request with this Idempotency-Key is still being answered"))
    if found.body is None:
        return problem(409, "it was done, and its answer has been erased since", "answer-erased")
    kept = json.loads(found.body)
    return Response(
        kept["body"].encode(), found.status, {**kept["headers"], "Idempotent-Replayed": "true"}, kept["media"] or None
    )


def _finish(scope: ScopeStore, token: bytes, began: datetime, made: Response) -> None:
    body = getattr(made, "body", None)
    again = made.status_code >= 500 or made.status_code in (401, 403, 409, 412, 429)
    if again or not isinstance(body, bytes) or len(body) > BODY_MOST:
        scope.transact(lambda tx: tx.drop_answer(token, began))
        return
    headers = {k: v for k, v in made.headers.items() if k in ("etag", "location")}
    kept = json.dumps({"body": body.decode(), "headers": headers, "media": made.headers.get("content-type", "")})
    scope.transact(lambda tx: tx.finish_answer(token, began, made.status_code, kept))


def digest(key: ApiKey, *parts: str | bytes) -> bytes:
    """A hash under the key's own: from the store alone nobody can guess a short text that was sent."""
    made = blake2b(digest_size=16, key=key.hash[:64])
    for part in (key.id, *parts):
        made.update(part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass"))
        made.update(b"\0")
    return made.digest()
