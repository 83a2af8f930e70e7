"""Who a browser is: a signed cookie made from the key's hash, the token of every form, and patience with wrong keys.

Nothing is kept on the server: a session is as good as its key, ends with it, and holds on every process of the store.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from reverie.errors import TooMany, Unauthorised
from reverie.serving.host import Caller, Host
from reverie.serving.keys import origin_of
from reverie.store.records import ApiKey

COOKIE = "reverie_session"
VISIT = (
    "reverie_visit"  # a random number for the forms of those who have no session: the login, and a server without keys
)
LONGEST = 12 * 3600  # seconds that a session lasts
TRIES, TRIES_SECONDS = 10, 60.0  # wrong keys from one address before it must wait
ADDRESSES = 1_024
_FORM = re.compile(r"([a-z0-9]{12})\.([0-9]{1,12})\.([A-Za-z0-9_-]{16,64})\.([0-9a-f]{64})")
_NONCE = re.compile(r"[A-Za-z0-9_-]{16,64}")


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that has shown a key."""

    caller: Caller
    nonce: str

    @property
    def token(self) -> str:
        """What every form of the session carries."""
        return _sign(self.caller.key.hash, f"csrf.{self.nonce}")


def _sign(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def begin(host: Host, key: ApiKey) -> str:
    """The cookie of a new session."""
    body = f"{key.id}.{int(host.clock.now().timestamp()) + LONGEST}.{secrets.token_urlsafe(18)}"
    return f"{body}.{_sign(key.hash, body)}"


def resume(host: Host, cookie: str | None) -> Session:
    """The session of a cookie. Raises Unauthorised, with the same words whatever was wrong."""
    form = _FORM.fullmatch(cookie or "")
    if form is None:
        raise Unauthorised("log in first")
    id_, until, nonce, signed = form.groups()
    key = host.ring.by_id(id_)
    right = hmac.compare_digest(_sign(key.hash, f"{id_}.{until}.{nonce}"), signed)
    if not right or host.clock.now().timestamp() >= int(until):
        raise Unauthorised("log in first")
    return Session(Caller(host, key, origin_of(key)), nonce)


def visit(cookie: str | None) -> str:
    """The number of a browser without a session: the one that it has, or a new one."""
    return cookie if cookie and _NONCE.fullmatch(cookie) else secrets.token_urlsafe(18)


def visit_token(number: str) -> str:
    """What the forms of a browser without a session carry: only who holds the cookie can tell it."""
    return _sign(number.encode(), "csrf")


def same_site(host: str, origin: str | None, fetch_site: str | None) -> bool:
    """Whether a form was sent by one of our own pages, as far as the browser tells."""
    if fetch_site not in (None, "same-origin", "none"):
        return False
    try:
        return origin is None or (bool(host) and urlsplit(origin).netloc.lower() == host.lower())
    except ValueError:
        return False


def local(path: str | None) -> str:
    """A path of this server to go on to; the front page for anything else."""
    if not path or not path.startswith("/") or len(path) > 2_000 or not path.isascii() or not path.isprintable():
        return "/"
    try:
        parts = urlsplit(path)
    except ValueError:
        return "/"
    return "/" if parts.scheme or parts.netloc or path.startswith("//") or "\\" in path else path


class Patience:
    """Counts wrong keys by address, in this process. A key has 190 random bits: this only keeps the noise down."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Raise TooMany where too many wrong keys came from there of late."""
        now = self._seconds()
        with self._lock:
            recent = [t for t in self._wrong.get(address, ()) if now - t < TRIES_SECONDS]
        if len(recent) >= TRIES:
            raise TooMany("too many wrong keys were tried from this address", TRIES_SECONDS - (now - recent[0]))

    def failed(self, address: str) -> None:
        """Take note of a wrong key."""
        now = self._seconds()
        with self._lock:
            times = [t for t in self._wrong.pop(address, ()) if now - t < TRIES_SECONDS]
            self._wrong[address] = [*times, now][-TRIES:]
            while len(self._wrong) > ADDRESSES:
                self._wrong.popitem(last=False)
