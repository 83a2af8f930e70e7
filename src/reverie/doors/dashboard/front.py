"""The way in: the first page, login and logout, light and dark, static files, the list of namespaces."""

from __future__ import annotations

import time

from starlette.responses import RedirectResponse, Response

from reverie.doors.dashboard import sessions
from reverie.doors.dashboard.visit import THEME, THEMES, Visit, segment
from reverie.errors import NotFound, Unauthorised

WRONG_SECONDS = 0.3  # that a wrong key waits for its answer
YEAR = 365 * 86_400


def first(v: Visit) -> Response:
    """The first namespace, or what to do while there is none."""
    names = v.who.namespaces()
    if names:
        return RedirectResponse(f"/namespaces/{segment(names[0])}", 303)
    patterns = v.who.key.namespaces
    open_name = next((n.rstrip("*") for n in patterns if n.rstrip("*")), "default")
    return v.html("empty.html", base=str(v.request.base_url).rstrip("/"), name=open_name)


def namespaces(v: Visit) -> Response:
    """Every namespace that the key covers and that holds anything."""
    return v.html("namespaces.html", names=v.who.namespaces())


def login(v: Visit) -> Response:
    """Ask for a key."""
    goes_on = sessions.local(v.asked("next"))
    if v.caller is not None:
        return RedirectResponse(goes_on, 303)
    return v.html("login.html", next=goes_on, wrong=False)


def log_in(v: Visit) -> Response:
    """Take a key, and begin a session."""
    goes_on = sessions.local(v.field("next"))
    if v.site.open_to is not None:
        return RedirectResponse(goes_on, 303)
    address = v.request.client.host if v.request.client else ""
    v.site.patience.check(address)
    try:
        key = v.site.host.caller(v.field("key")).key
    except Unauthorised:
        v.site.patience.failed(address)
        time.sleep(WRONG_SECONDS)
        return v.html("login.html", status=401, next=goes_on, wrong=True)
    response = RedirectResponse(goes_on, 303)
    response.set_cookie(
        sessions.COOKIE, sessions.begin(v.site.host, key), max_age=sessions.LONGEST, httponly=True, samesite="strict",
        secure=v.secure, path="/",
    )  # fmt: skip
    return response


def log_out(v: Visit) -> Response:
    """End the session of this browser."""
    response = v.to("/login", "out")
    response.delete_cookie(sessions.COOKIE, path="/", httponly=True, samesite="strict", secure=v.secure)
    return response


def theme(v: Visit) -> Response:
    """Keep the choice of light, dark, or as the system has it."""
    response = RedirectResponse(sessions.local(v.field("back")), 303)
    if v.field("theme") in THEMES:
        response.set_cookie(
            THEME, v.field("theme"), max_age=YEAR, httponly=True, samesite="strict", secure=v.secure, path="/"
        )
    else:
        response.delete_cookie(THEME, path="/")
    return response


def static(v: Visit) -> Response:
    """A style sheet, script or picture of ours; for good where it is asked for by its version."""
    found = v.site.assets.get(v.param("name"))
    if found is None:
        raise NotFound
    fresh = v.asked("v") == found.version
    held = {"Cache-Control": f"public, max-age={YEAR}, immutable" if fresh else "no-cache"}
    return Response(found.body, media_type=found.type, headers=held)


def icon(v: Visit) -> Response:
    """Where browsers look for a picture by themselves."""
    return Response(v.site.assets["icon.svg"].body, media_type="image/svg+xml")


def missing(v: Visit) -> Response:
    """A page that is not there."""
    raise NotFound
