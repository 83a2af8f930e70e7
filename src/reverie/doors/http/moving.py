"""Addresses that move and change much: export, import, settings, calibration, erasing, keys."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path as File
from typing import Annotated, Any, BinaryIO

from anyio import to_thread
from fastapi import Path, Query, Request
from starlette.responses import Response, StreamingResponse

from reverie.doors import encode
from reverie.doors.http import asks, shapes
from reverie.doors.http.base import HERE, Here, Who, answer, metrics_of, offers, router
from reverie.doors.http.memories import outcome
from reverie.doors.http.telling import plain
from reverie.errors import InvalidInput, ReverieError
from reverie.intake import Item, as_item
from reverie.serving import keys
from reverie.serving.host import Guarded
from reverie.settings import BY_NAME
from reverie.store.records import ApiKey

routes = router("moving")
JSONL = "application/x-ndjson"
LINE_MOST = 4 * 1_048_576  # bytes of one line of an import
PIECE = 64 * 1_024
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

    A stream that breaks ends with a record of the type `error`.
    """
    records = memory.export(journal=journal)

    def lines() -> Iterator[bytes]:
        part = bytearray()
        try:
            for record in records:
                part += line(record)
                if len(part) >= PIECE:
                    yield bytes(part)
                    part.clear()
        except ReverieError as error:
            part += line({"type": "error", "error": type(error).__name__, "detail": str(error)})
        yield bytes(part)

    named = {"Content-Disposition": 'attachment; filename="reverie-export.jsonl"'}
    return StreamingResponse(lines(), media_type=JSONL, headers=named)


@offers(
    routes, "import_stream", "POST", HERE + "/import", response_class=StreamingResponse, openapi_extra=_BODY,
    responses=_STREAM,
)  # fmt: skip
async def import_stream(request: Request, who: Who, memory: Here) -> Response:
    """Keep the statements of a JSON Lines body, each as `remember` takes it or a bare string; one outcome a line.

    Read and answered in constant memory. A bad line is refused with its number and fails no other.
    """
    memory.need("import_stream")
    spool = await spooled(request)

    def outcomes() -> Iterator[bytes]:
        n = 0
        try:
            with spool:
                for n, got in enumerate(memory.import_stream(items(spool)), 1):
                    who.host.ring.count(who.key, requests=0, writes=1)
                    yield line({"line": n} | outcome(got))
        except ReverieError as error:
            yield line({"line": n + 1, "error": {"type": "stopped", "detail": f"{type(error).__name__}: {error}"}})
        metrics_of(request).verb("remember", n)

    return StreamingResponse(outcomes(), media_type=JSONL)


def items(body: BinaryIO) -> Iterator[Item | InvalidInput]:
    """The statements of a body, one a line; what is none stands as its error, in its place."""
    while raw := body.readline(LINE_MOST + 1):
        if len(raw) > LINE_MOST:
            while len(raw) > LINE_MOST and not raw.endswith(b"\n"):
                raw = body.readline(LINE_MOST + 1)
            yield InvalidInput(f"the line has more than {LINE_MOST:,} bytes")
            continue
        if not raw.strip():
            continue
        try:
            found = json.loads(raw)
            if isinstance(found, str):
                found = {"text": found}
            asks.Remember.model_validate(found)
            yield as_item(
                found | {k: _moment(found, k) for k in ("occurred_at", "valid_from", "valid_to") if found.get(k)}
            )
        except (ValueError, RecursionError) as error:
            yield InvalidInput(f"not a statement: {' '.join(str(error).split())[:200]}")


def _moment(found: dict[str, Any], name: str) -> Any:
    return getattr(asks.Remember.model_validate({"text": "x", name: found[name]}), name)


async def spooled(request: Request) -> BinaryIO:
    """The body in a temporary file: in memory while it is small."""
    spool: Any = tempfile.SpooledTemporaryFile(max_size=4 * 1_048_576)  # noqa: SIM115 - whoever reads it closes it
    try:
        async for piece in pieces(request):
            await to_thread.run_sync(spool.write, piece)
        spool.seek(0)
    except BaseException:
        spool.close()
        raise
    return spool  # type: ignore[no-any-return]


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
async def import_export(request: Request, memory: Here) -> Response:
    """Read a lossless export into this namespace, which must be empty. All of it is taken, or nothing."""
    memory.need("import_export")
    spool = await spooled(request)
    return await to_thread.run_sync(_restored, memory, spool)


def _restored(memory: Guarded, spool: BinaryIO) -> Response:
    handle, name = tempfile.mkstemp(suffix=".jsonl")
    try:
        with spool, os.fdopen(handle, "wb") as out:
            while piece := spool.read(PIECE):
                out.write(piece)
        return answer({"records": memory.import_export(File(name))})
    finally:
        File(name).unlink(missing_ok=True)


# settings
@routes.get(HERE + "/settings", response_model=shapes.Plain, operation_id="settings")
def settings(memory: Here) -> Response:
    """Every setting that is in force here, with its unit and what it does."""
    memory.need("stats")
    told = {
        name: {"value": memory.settings[name], "unit": s.unit, "help": s.help, "of_process": s.of_process}
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


@offers(routes, "calibrate", "POST", HERE + "/calibrate", response_model=shapes.Plain)
def calibrate(memory: Here, body: asks.Calibrate) -> Response:
    """Measure what a cosine of the embedder in use means, and keep the record."""
    return answer(memory.calibrate(body.pairs).to_dict())


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
    """The keys of the caller's tenant, oldest first."""
    who.need("keys")
    return answer([of_key(who, k) for k in who.host.store.keys(who.key.tenant)])


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
    keys.revoke(who.host.store, who.host.clock, who.key.tenant, id)
    who.host.ring.forget(id)
    return Response(status_code=204)


__all__ = ["Guarded", "routes"]
