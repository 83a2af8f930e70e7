"""What all pages share: templates, static files, and the way from a request to a response, with every check on it."""

from __future__ import annotations

import hashlib
import logging
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from reverie.doors.dashboard import sessions, showing
from reverie.doors.dashboard.visit import Visit
from reverie.errors import Forbidden, InvalidInput, ReverieError, TooLarge, TooMany, Unauthorised
from reverie.serving.host import Caller, Host
from reverie.serving.jobs import Jobs

log = logging.getLogger("reverie.dashboard")
BODY_MOST = 512 * 1024  # bytes of a form: the longest text, every byte of it escaped
FIELDS_MOST = 64
BADGE_SECONDS = 5.0
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# Not no-referrer: under it browsers send forms with "Origin: null", and nobody could tell ours from a stranger's.
HEADERS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
}  # fmt: skip
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
Work = Callable[[Visit], Response]


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file; ``version`` is made from its bytes, so that it may be cached for good."""

    body: bytes
    type: str
    version: str


class Site:
    """The dashboard of one server."""

    def __init__(self, host: Host, jobs: Jobs, open_to: Caller | None = None) -> None:
        self.host = host
        self.jobs = jobs
        self.open_to = open_to
        self.patience = sessions.Patience(time.monotonic)
        self.assets = dict(_assets())
        self.env = Environment(
            loader=PackageLoader("reverie.doors.dashboard", "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self.env.filters.update(showing.FILTERS)
        self.env.globals["asset"] = lambda name: f"/static/{name}?v={self.assets[name].version}"
        self._badges: dict[tuple[str, str], tuple[float, int]] = {}
        self._names: dict[tuple[str, ...], tuple[float, list[str]]] = {}

    def namespaces(self, caller: Caller) -> list[str]:
        """The namespaces that a key covers, as listed in the last seconds: every page has them in its menu."""
        scope = (caller.key.tenant, *caller.key.namespaces)
        at, names = self._names.get(scope, (-BADGE_SECONDS, []))
        if time.monotonic() - at > BADGE_SECONDS:
            names = caller.namespaces()
            if len(self._names) > 1_000:
                self._names.clear()
            self._names[scope] = (time.monotonic(), names)
        return names

    def waiting(self, visit: Visit) -> int:
        """How many things wait for a person in the visit's namespace, as counted in the last seconds; 100 is "many"."""
        if not visit.may("review"):
            return 0
        scope = (visit.mem.scope.tenant, visit.mem.scope.namespace)
        at, n = self._badges.get(scope, (-BADGE_SECONDS, 0))
        if time.monotonic() - at > BADGE_SECONDS:
            n = len(visit.mem.review(100))
            if len(self._badges) > 1_000:
                self._badges.clear()
            self._badges[scope] = (time.monotonic(), n)
        return n

    def page(self, work: Work, *, public: bool = False) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint: who asks is known, a form is ours, errors are pages, and every response has its headers."""

        async def endpoint(request: Request) -> Response:
            visit = Visit(self, request)
            try:
                response = await self._answered(visit, work, public)
            except Exception as error:  # noqa: BLE001  # whatever it was, it becomes a page
                response = await run_in_threadpool(self.failed, visit, error)
            return finished(visit, response)

        endpoint.public = public  # type: ignore[attr-defined]  # for the test that lists what needs no login
        return endpoint

    async def _answered(self, visit: Visit, work: Work, public: bool) -> Response:
        posted = 0
        if visit.request.method == "POST":
            posted = await _form(visit)
        await run_in_threadpool(visit.recognise)
        if visit.caller is None and not public:
            if visit.request.method == "POST":
                return RedirectResponse("/login", 303)
            if visit.request.headers.get("accept", "").startswith("text/event-stream") or visit.scripted:
                return PlainTextResponse("log in first", 401)
            path = visit.request.url.path
            there = f"{path}?{visit.request.url.query}" if visit.request.url.query else path
            return RedirectResponse("/login" if there == "/" else f"/login?next={quote(there, safe='/')}", 303)
        if visit.request.method == "POST":
            self._ours(visit)
            self._badges.clear()
            self._names.clear()
        if visit.caller is not None and self.open_to is None:
            writes = 1 if posted else 0
            await run_in_threadpool(self.host.ring.count, visit.caller.key, writes=writes, bytes_=posted)
        return await run_in_threadpool(work, visit)

    def _ours(self, visit: Visit) -> None:
        """Raise Forbidden for a form that no page of ours has sent."""
        headers = visit.request.headers
        if not sessions.same_site(headers.get("host", ""), headers.get("origin"), headers.get("sec-fetch-site")):
            raise Forbidden("this form was sent from another site")
        if not visit.holds(visit.field("csrf")):
            raise Forbidden("this form is no longer valid: go back, load the page again, and send it anew")

    def failed(self, visit: Visit, error: Exception) -> Response:
        """An error as a page: what it was and what to do, and nothing of how it came about."""
        if not isinstance(error, ReverieError):
            # The frames and not the message, which may quote a memory.
            frames = "".join(traceback.format_tb(error.__traceback__))
            log.error("a page failed: %s %s\n%s", visit.request.method, type(error).__name__, frames)
        told = showing.trouble(error)
        if isinstance(error, Unauthorised):
            visit.caller = None
        visit.plain = True  # what failed may fail again: the frame without anything of the store
        response = visit.html("error.html", status=told.status, told=told)
        if isinstance(error, TooMany):
            response.headers["Retry-After"] = str(max(1, round(error.seconds)))
        return response


def finished(visit: Visit, response: Response) -> Response:
    """The response with the headers of every page, and the visitor's number where the browser has none."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if visit.new_number is not None:
        response.set_cookie(
            sessions.VISIT, visit.new_number, httponly=True, samesite="strict", secure=visit.secure, path="/"
        )
    return response


async def _form(visit: Visit) -> int:
    """Read the fields of a form; the bytes that it came to."""
    sort = visit.request.headers.get("content-type", "").split(";")[0].strip().lower()
    if sort not in ("application/x-www-form-urlencoded", ""):
        raise InvalidInput("a form comes as application/x-www-form-urlencoded")
    body = b""
    async for part in visit.request.stream():
        body += part
        if len(body) > BODY_MOST:
            raise TooLarge(f"a form may hold {BODY_MOST:,} bytes")
    try:
        found = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MOST, errors="strict")
    except ValueError:
        raise InvalidInput("the form cannot be read") from None
    # A browser sends line ends of a text as CR LF, whatever stood there.
    visit.form = {name: values[-1].replace("\r\n", "\n") for name, values in found.items()}
    return len(body)


def _assets() -> Any:
    for file in resources.files("reverie.doors.dashboard").joinpath("static").iterdir():
        body = file.read_bytes()
        yield file.name, Asset(body, TYPES[file.name.rsplit(".", 1)[-1]], hashlib.sha256(body).hexdigest()[:16])
