"""Addresses that move and change much: export, import, settings, erasing, keys."""

from __future__ import annotations

import json
import tempfile
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from pathlib import Path as File
from typing import Annotated, Any, BinaryIO

from anyio import to_thread
from fastapi import Path, Query, Request
from pydantic import ValidationError
from starlette.responses import Response, StreamingResponse

from reverie.doors import encode
from reverie.doors.http import asks, shapes
from reverie.doors.http.base import HERE, Here, Who, answer, metrics_of, offers, router
from reverie.doors.http.memories import item, outcome
from reverie.doors.http.telling import plain
from reverie.errors import InvalidInput, ReverieError, TooMany
from reverie.intake import Item, as_item
from reverie.serving import keys
from reverie.serving.host import Caller, Guarded
from reverie.settings import BY_NAME
from reverie.store.records import ApiKey

routes = router("moving")
JSONL = "application/x-ndjson"
LINE_MOST = 4 * 1_048_576  # bytes of one line of an import
PIECE = 64 * 1_024
EXPORTS = 3  # that one process makes at one time: each holds a snapshot of the store, and on PostgreSQL a connection
_exporting = threading.BoundedSemaphore(EXPORTS)
_BODY = {"requestBody": {"required": True, "content": {JSONL: {"schema": {"type": "string"}}}}}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {JSONL: {"schema": {"type": "string"}}}, "description": "A JSON object a line."}
}


def line(record: object) -> bytes:
    """One record as a line."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


@offers(routes, "export", "GET", HERE + "/export", response_class=StreamingResponse, responses=_STREAM)
def export(memory: Here, journal: Annotated[bool, Query(description="The journal too.")] = False) -> Response:
    """Every memory, sighting and link as JSON Lines, losslessly, in constant memory.

    It is made whole before the first byte is sent, so that a slow reader holds up nobody; more than a few at one time are refused.
    """
    records = memory.export(journal=journal)
    if not _exporting.acquire(blocking=False):
        raise TooMany(f"{EXPORTS} exports are being made already", 10.0)
    spool: Any = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever sends it; it has no name
    try:
        for record in records:
            spool.write(line(record))
        spool.seek(0)
    except BaseException:
        spool.close()
        raise
    finally:
        records.close()
        _exporting.release()
    named = {"Content-Disposition": 'attachment; filename="reverie-export.jsonl"'}
    return StreamingResponse(_Sent(spool), media_type=JSONL, headers=named)


class _Sent:
    """A file in pieces. It is closed when it has been read, and when whoever read it has gone, however early."""

    def __init__(self, spool: BinaryIO) -> None:
        self._spool = spool

    def __aiter__(self) -> _Sent:
        return self

    async def __anext__(self) -> bytes:
        piece = await to_thread.run_sync(self._spool.read, PIECE)
        if not piece:
            self._spool.close()
            raise StopAsyncIteration
        return piece

    def __del__(self) -> None:
        self._spool.close()


@offers(
    routes, "import_stream", "POST", HERE + "/import", response_class=StreamingResponse, openapi_extra=_BODY,
    responses=_STREAM,
)  # fmt: skip
async def import_stream(request: Request, who: Who, memory: Here) -> Response:
    """Keep the statements of a JSON Lines body, each as `remember` takes it or a bare string; one outcome a line.

    Read and answered in constant memory. A bad line is refused with its number and fails no other.
    """
    memory.need("import_stream")
    spool: Any = tempfile.SpooledTemporaryFile(max_size=4 * 1_048_576)  # noqa: SIM115 - in memory while it is small
    try:
        await taken(request, spool)
    except BaseException:
        spool.close()
        raise
    numbers: deque[int] = deque()

    def counted() -> Iterator[Item | InvalidInput]:
        for number, found in items(spool):
            who.host.ring.count(who.key, requests=0, writes=1)  # before it is written, or the limit would be passed
            numbers.append(number)
            yield found

    def outcomes() -> Iterator[bytes]:
        n = 0
        try:
            with spool:
                for got in memory.import_stream(counted()):
                    n += 1
                    yield line({"line": numbers.popleft()} | outcome(got))
        except ReverieError as error:
            why = f"{type(error).__name__}: {error}"
            yield line({"line": numbers[0] if numbers else n + 1, "error": {"type": "stopped", "detail": why}})
        metrics_of(request).verb("remember", n)

    return StreamingResponse(outcomes(), media_type=JSONL)


def items(body: BinaryIO) -> Iterator[tuple[int, Item | InvalidInput]]:
    """The statements of a body with the numbers of their lines; what is none stands as its error, in its place."""
    number = 0
    while raw := body.readline(LINE_MOST + 1):
        number += 1
        if len(raw) > LINE_MOST:
            while len(raw) > LINE_MOST and not raw.endswith(b"\n"):
                raw = body.readline(LINE_MOST + 1)
            yield number, InvalidInput(f"the line has more than {LINE_MOST:,} bytes")
        elif raw.strip():
            yield number, _statement(raw)


def _statement(raw: bytes) -> Item | InvalidInput:
    try:
        found = json.loads(raw)
        given = asks.Remember.model_validate({"text": found} if isinstance(found, str) else found)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part)[:80] for part in first["loc"])
        return InvalidInput(f"not a statement: {where}: {first['msg'][:200]}".replace(": :", ":"))
    except (ValueError, RecursionError):
        return InvalidInput("not a statement: the line is no JSON")
    return as_item(item(given))


async def taken(request: Request, spool: BinaryIO) -> int:
    """Write the body to a file, and go back to its beginning. How many lines it has."""
    lines = 0
    async for piece in pieces(request):
        lines += piece.count(b"\n")
        await to_thread.run_sync(spool.write, piece)
    await to_thread.run_sync(spool.flush)
    spool.seek(0)
    return lines


async def pieces(request: Request) -> AsyncIterator[bytes]:
    """The body in pieces of some size."""
    part = bytearray()
    async for piece in request.stream():
        part += piece
        if len(part) >= PIECE:
            yield bytes(part)
            part.clear()
    if part:
        yield bytes(part)


@offers(
    routes, "import_export", "POST", HERE + "/import-export", response_model=shapes.Plain, openapi_extra=_BODY,
)  # fmt: skip
async def import_export(request: Request, who: Who, memory: Here) -> Response:
    """Read a lossless export into this namespace, which must be empty. All of it is taken, or nothing."""
    memory.need("import_export")
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as spool:
        lines = await taken(request, spool)  # type: ignore[arg-type]
        return await to_thread.run_sync(_restored, who, memory, File(spool.name), lines)


def _restored(who: Caller, memory: Guarded, path: File, lines: int) -> Response:
    who.host.ring.count(who.key, requests=0, writes=lines)
    return answer({"records": memory.import_export(path)})


# settings
@routes.get(HERE + "/settings", response_model=shapes.Plain, operation_id="settings")
def settings(memory: Here) -> Response:
    """Every setting that is in force here, with its unit and what it does."""
    memory.need("stats")
    told = {
        name: {"value": memory.settings[name], "unit": s.unit, "help": s.help}
        for name, s in BY_NAME.items()
        if not s.of_process
    }
    return answer(told)


@offers(routes, "set", "PUT", HERE + "/settings/{name}", status_code=204, response_class=Response)
def set_(
    memory: Here,
    name: Annotated[str, Path(min_length=1, max_length=100, examples=["demote_days"])],
    body: asks.SetValue,
) -> Response:
    """Override a setting in this namespace; null takes the override away."""
    memory.set(name, body.value)
    return Response(status_code=204)


# erasing
@offers(routes, "erase", "POST", HERE + "/erase", response_model=shapes.Plain)
def erase(memory: Here, body: asks.Erase) -> Response:
    """Erase for good, by memory, by principal, or everything. Without `confirm` it changes nothing and says what would go.

    Takes a key of the channel person. Nothing brings it back.
    """
    made = memory.erase(
        memory=body.memory,
        principal=body.principal,
        everything=body.everything,
        confirm=body.confirm,
        reason=body.reason,
    )
    return answer(plain(made.to_dict()))


@offers(routes, "erasures", "GET", HERE + "/erasures", response_model=list[shapes.Plain])
def erasures(memory: Here, limit: Annotated[int, Query(ge=1, le=1_000)] = 100) -> Response:
    """Receipts of what was erased, newest first. No text is in one."""
    return answer(plain(memory.erasures(limit)))


@offers(routes, "finish_erasures", "POST", HERE + "/erasures/finish", response_model=shapes.Plain)
def finish_erasures(memory: Here) -> Response:
    """Overwrite what bytes of erased memories may linger in the store's files: how many erasures were waiting for it."""
    return answer({"finished": memory.finish_erasures()})


@offers(routes, "reapply", "POST", HERE + "/erasures/again", response_model=shapes.Plain)
def reapply(memory: Here, body: asks.Reapply) -> Response:
    """Erase again what receipts name, after a backup was restored. Without `confirm` it only says what would go."""
    return answer(plain(memory.reapply(body.receipts, confirm=body.confirm).to_dict()))


# keys
def of_key(who: Who, key: ApiKey) -> dict[str, Any]:
    """A key as it is told: what it may do, never what it is."""
    used = who.host.ring.used(key)
    return {
        "id": key.id, "name": key.name, "tenant": key.tenant, "namespaces": list(key.namespaces), "verbs": list(key.verbs),
        "principal": key.principal, "channel": key.channel, "limits": dict(key.limits),
        **{n: encode.value(getattr(key, n)) for n in ("created_at", "expires_at", "revoked_at", "used_at")},
        "today": {"requests": used.requests, "writes": used.writes, "bytes": used.bytes},
    }  # fmt: skip


@routes.get("/v1/keys", response_model=list[shapes.KeyOut], operation_id="keys")
def list_keys(who: Who) -> Response:
    """The keys of the caller's tenant that may no more than its own, oldest first."""
    who.need("keys")
    return answer([of_key(who, k) for k in keys.seen_by(who.host.store, who.key)])


@routes.post("/v1/keys", response_model=shapes.NewKey, status_code=201, operation_id="create_key")
def create_key(who: Who, body: asks.MakeKey) -> Response:
    """Make a key of the caller's tenant. It is shown in this answer, and never again."""
    who.need("keys")
    text, key = keys.create(
        who.host.store, who.host.clock, name=body.name, tenant=who.key.tenant, namespaces=body.namespaces, allow=body.allow,
        principal=body.principal, channel=body.channel, limits={str(k): v for k, v in body.limits.items()}, days=body.days,
        by=who.key,
    )  # fmt: skip
    return answer({"key": text, "record": of_key(who, key)}, 201, {"Cache-Control": "no-store"})


@routes.delete("/v1/keys/{id}", status_code=204, response_class=Response, operation_id="revoke_key")
def revoke_key(who: Who, id: Annotated[str, Path(min_length=1, max_length=100)]) -> Response:  # noqa: A002
    """Take a key out of force, for good. Other processes follow within seconds."""
    who.need("keys")
    keys.revoke(who.host.store, who.host.clock, who.key.tenant, id, by=who.key)
    who.host.ring.forget(id)
    return Response(status_code=204)
