"""One request: who sent it, to which namespace, with which fields; and the ways to answer it."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from reverie.doors.dashboard import sessions
from reverie.doors.dashboard.notes import NOTES
from reverie.errors import InvalidInput, NotFound, Unauthorised
from reverie.serving.host import Caller, Guarded

if TYPE_CHECKING:
    from reverie.doors.dashboard.site import Site

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
NOTE = "reverie_note"
THEME = "reverie_theme"
THEMES = ("light", "dark")
NAMED = 12  # namespaces that the menu lists


def segment(namespace: str) -> str:
    """A namespace as one part of a path, whatever characters its name has."""
    if _SAFE.fullmatch(namespace):
        return namespace
    return "~" + base64.urlsafe_b64encode(namespace.encode()).decode().rstrip("=")


def namespace_of(part: str) -> str:
    """The inverse of `segment`. Raises NotFound."""
    if not part.startswith("~"):
        return part
    try:
        found = base64.urlsafe_b64decode(part[1:].encode() + b"=" * (-len(part[1:]) % 4)).decode()
    except (binascii.Error, ValueError):
        found = ""
    if not found or segment(found) != part:  # a name has one address
        raise NotFound("there is no such namespace")
    return found


class Visit:
    """A request on its way to a page."""

    def __init__(self, site: Site, request: Request) -> None:
        self.site = site
        self.request = request
        self.caller: Caller | None = None
        self.form: dict[str, str] = {}
        self.new_number: str | None = None
        self.plain = False
        self.note: str | None = None
        self._session: sessions.Session | None = None
        self._number = sessions.visit(request.cookies.get(sessions.VISIT))
        self._mem: Guarded | None = None

    # who
    @property
    def secure(self) -> bool:
        """Whether the request came by https."""
        return self.request.url.scheme == "https"

    @property
    def scripted(self) -> bool:
        """Whether a script asks, which cannot follow to a login page."""
        return self.request.headers.get("sec-fetch-mode") in ("cors", "no-cors", "same-origin")

    def recognise(self) -> None:
        """Find out who it is: whoever the server is open to, or the session of the cookie."""
        if self.site.open_to is not None:
            self.caller = self.site.open_to
        else:
            try:
                self._session = sessions.resume(self.site.host, self.request.cookies.get(sessions.COOKIE))
                self.caller = self._session.caller
            except Unauthorised:
                self.caller = None

    @property
    def token(self) -> str:
        """What the page's forms carry."""
        if self._session is not None:
            return self._session.token
        if self.request.cookies.get(sessions.VISIT) != self._number:
            self.new_number = self._number  # the page has a form: its browser is to be known when it sends it
        return sessions.visit_token(self._number)

    def holds(self, given: str) -> bool:
        """Whether a form carries this visitor's token."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    @property
    def who(self) -> Caller:
        """Who asks. Raises Unauthorised."""
        if self.caller is None:
            raise Unauthorised("log in first")
        return self.caller

    def may(self, verb: str) -> bool:
        """Whether the key allows a verb here: buttons that would be refused are not shown."""
        return self.caller is not None and self.caller.may(verb)

    # where
    @property
    def namespace(self) -> str | None:
        """The namespace of the path, or None outside of one. Raises NotFound."""
        part = self.request.path_params.get("ns")
        return None if part is None else namespace_of(part)

    @property
    def mem(self) -> Guarded:
        """The namespace of the path. Raises NotFound."""
        if self._mem is None:
            try:
                self._mem = self.who.on(self.namespace or "")
            except InvalidInput:
                raise NotFound("there is no such namespace") from None
        return self._mem

    def at(self, *parts: str) -> str:
        """The path of a page of this namespace."""
        return "/".join(["/namespaces", segment(self.namespace or ""), *(quote(p, safe="") for p in parts)])

    def param(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def asked(self, name: str) -> str | None:
        """A field of the query, or None where it is absent or empty."""
        return self.request.query_params.get(name) or None

    def query(self, **changed: str | None) -> str:
        """The query with some fields set, or taken away where they are None."""
        found = {**dict(self.request.query_params), **changed}
        return "?" + urlencode({k: v for k, v in found.items() if v})

    def field(self, name: str) -> str:
        """A field of the form; empty where it is absent."""
        return self.form.get(name, "")

    # answers
    def html(self, template: str, *, status: int = 200, **given: Any) -> HTMLResponse:
        """A page."""
        theme = self.request.cookies.get(THEME)
        frame: dict[str, Any] = {
            "v": self, "theme": theme if theme in THEMES else "auto", "badge": 0, "spaces": [], "more_spaces": 0,
            "said": None,
        }  # fmt: skip
        spot = None if self.plain or self.caller is None else self.namespace
        if self.caller is not None and not self.plain:
            names = self.site.namespaces(self.caller)
            frame["spaces"], frame["more_spaces"] = names[:NAMED], max(0, len(names) - NAMED)
            if spot is not None and spot not in frame["spaces"]:
                frame["spaces"] = [spot, *frame["spaces"]]
            if spot is not None:
                frame["badge"] = self.site.waiting(self)
        code, _, n = self.request.cookies.get(NOTE, "").partition(".")
        if self.note is None and code in NOTES:
            frame["said"] = NOTES[code].format(n=n if n.isascii() and n.isdigit() else "")
        response = HTMLResponse(self.site.env.get_template(template).render(**frame, spot=spot, **given), status)
        if code:
            response.delete_cookie(NOTE, path="/")
        return response

    def to(self, path: str, note: str | None = None, n: int | None = None) -> Response:
        """Go on to another page, and say there what was done."""
        response = RedirectResponse(path, 303)
        if note is not None:
            told = note if n is None else f"{note}.{n}"
            response.set_cookie(NOTE, told, max_age=30, httponly=True, samesite="strict", secure=self.secure, path="/")
        return response

    @property
    def segment(self) -> Any:
        """`segment`, for templates."""
        return segment
