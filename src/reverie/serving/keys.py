"""API keys: made once, kept as a hash, looked up at every request, counted and limited.

A key is ``rv_<id>_<secret>``: the id finds it, and 192 random bits prove it. What is kept of the secret is its SHA-256: with so
many random bits a slow hash would protect nothing more.
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from reverie.checks import one_of, required_name, whole
from reverie.clock import Clock
from reverie.errors import Forbidden, InvalidInput, NotFound, TooMany, Unauthorised
from reverie.model import Channel, Origin
from reverie.serving.rights import allows, expanded, patterns
from reverie.store.port import Store
from reverie.store.records import ApiKey, KeyUse

_FORM = re.compile(r"rv_([a-z0-9]{12})_([A-Za-z0-9]{32})")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_MORE = _LETTERS + _LETTERS[:26].upper()
LIMITS = ("requests_per_minute", "writes_per_day", "bytes_per_day")
KNOWN_SECONDS = 2.0  # a key that was looked up is believed for so long: so late a revocation may take hold elsewhere
COUNT_SECONDS = 2.0  # what was used is written to the store so often
KEPT_DAYS = 90
REMEMBERED = 4_096  # keys, and wrong ones, that one process remembers
NOBODY = "give a valid key: Authorization: Bearer rv_…; make one with: reverie keys create"


def create(
    store: Store, clock: Clock, *, name: str, tenant: str = "default", namespaces: Iterable[str] = ("*",),
    allow: Iterable[str] = ("agent",), principal: str | None = None, channel: Channel | str = Channel.AGENT,
    limits: Mapping[str, int] | None = None, days: int | None = None, by: ApiKey | None = None,
) -> tuple[str, ApiKey]:  # fmt: skip
    """Make a key. Gives its text, which is shown once and kept nowhere, and its record.

    Args:
        name: for people. namespaces: names, ``*`` at the end of one for all that begin so.
        allow: roles, rights or verbs (`reverie.serving.rights`). principal: who speaks with it (default: the name).
        channel: through which its words come; ``person`` makes them trusted.
        limits: requests_per_minute, writes_per_day, bytes_per_day. days: how long it holds (default: until revoked).
        by: the key that makes it, which can give nothing that it has not; None: whoever holds the store.

    Raises:
        InvalidInput: one of these cannot be. Forbidden: ``by`` has less.
    """
    made = clock.now()
    for limit, most in (limits or {}).items():
        if limit not in LIMITS:
            raise InvalidInput(f"there is no limit {str(limit)[:40]!r}; there is {', '.join(LIMITS)}")
        whole(most, limit, 1, 2**53)
    through = one_of(Channel, channel, "channel") or Channel.AGENT
    if through is Channel.CURATOR:
        raise InvalidInput("the channel curator is Reverie's own")
    ends = None if days is None else made + timedelta(days=whole(days, "days", 1, 36_500))
    called = required_name(name, "the key's name", most=100)
    id_, secret = ("".join(secrets.choice(letters) for _ in range(n)) for letters, n in ((_LETTERS, 12), (_MORE, 32)))
    key = ApiKey(
        id_, called, _hash(secret), required_name(tenant, "tenant"), patterns(namespaces), expanded(allow),
        required_name(principal if principal is not None else called, "principal"), through.value, dict(limits or {}), made, ends,
    )  # fmt: skip
    if by is not None:
        check_within(key, by)
        if by.limits:
            raise Forbidden("a key with limits makes no keys: they would have limits of their own")
        if by.expires_at is not None:
            key = dataclasses.replace(key, expires_at=min(key.expires_at or by.expires_at, by.expires_at))
        for other in store.keys(key.tenant):
            if other.principal == key.principal and in_force(other, made):
                check_within(other, by, f"to speak as {key.principal!r}")
    store.add_key(key)
    return f"rv_{id_}_{secret}", key


def check_within(key: ApiKey, by: ApiKey, what: str = "") -> None:
    """Raise Forbidden where a key opens more than the one that is to make it, see it or revoke it."""
    wider = [r for r in key.verbs if r not in by.verbs and not allows(by.verbs, r)]
    wider += [n for n in key.namespaces if not any(_inside(n, own) for own in by.namespaces)]
    if key.channel == Channel.PERSON.value and by.channel != key.channel:
        wider.append("the channel person")
    if wider:
        raise Forbidden(f"your own key does not have {what or 'all that'}: {', '.join(wider)[:200]}")


def seen_by(store: Store, by: ApiKey) -> list[ApiKey]:
    """The keys of a tenant that open no more than this one, oldest first: those that it may see and revoke."""
    found = []
    for key in store.keys(by.tenant):
        try:
            check_within(key, by)
        except Forbidden:
            continue
        found.append(key)
    return found


def _inside(n: str, own: str) -> bool:
    return n == own or (own.endswith("*") and n.startswith(own[:-1]))


def revoke(store: Store, clock: Clock, tenant: str, id_: str, *, by: ApiKey | None = None) -> None:
    """Take a key out of force, for good. ``by``: the key that asks. Raises NotFound, also for one that opens more than it."""
    if by is not None and id_ not in {k.id for k in seen_by(store, by)}:
        raise NotFound(f"there is no key {str(id_)[:40]!r} in force")
    if not store.revoke_key(tenant, id_, clock.now()):
        raise NotFound(f"there is no key {str(id_)[:40]!r} in force")


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def origin_of(key: ApiKey) -> Origin:
    """Who speaks with a key: law 11, set from the authenticated caller."""
    return Origin(key.principal, Channel(key.channel), client=f"key:{key.id}")


class KeyRing:
    """Finds the key behind a text, and counts what it uses.

    ``seconds``: a clock that only goes forward; tests bring their own.
    """

    def __init__(self, store: Store, clock: Clock, seconds: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._seconds = seconds
        self._known: OrderedDict[str, tuple[float, ApiKey | None]] = OrderedDict()
        self._meters: dict[str, Meter] = {}
        self._lock = threading.Lock()

    def find(self, text: str | None) -> ApiKey:
        """The key in force that a text is. Raises Unauthorised, with the same words whatever was wrong."""
        form = _FORM.fullmatch(text.strip()) if text else None
        if form is None:
            raise Unauthorised(NOBODY)
        id_, secret = form.groups()
        key = self._look_up(id_)
        right = hmac.compare_digest(_hash(secret), key.hash if key else b"\0" * 32)
        if key is None or not right or not in_force(key, self._clock.now()):
            raise Unauthorised(NOBODY)
        return key

    def at_hand(self, text: str) -> bool:
        """Whether `find` would answer for this text without asking the store."""
        form = _FORM.fullmatch(text)
        known = self._known.get(form[1]) if form else None
        return form is None or (known is not None and self._seconds() - known[0] < KNOWN_SECONDS)

    def waits(self, key: ApiKey) -> bool:
        """Whether `count` may have to ask the store first."""
        return "writes_per_day" in key.limits or "bytes_per_day" in key.limits

    def by_id(self, id_: str) -> ApiKey:
        """A key in force by its id, for whoever has proved it before. Raises Unauthorised."""
        key = self._look_up(id_)
        if key is None or not in_force(key, self._clock.now()):
            raise Unauthorised(NOBODY)
        return key

    def forget(self, id_: str) -> None:
        """Look this key up anew at its next use."""
        with self._lock:
            self._known.pop(id_, None)

    def _look_up(self, id_: str) -> ApiKey | None:
        now = self._seconds()
        with self._lock:
            known = self._known.get(id_)
            if known is not None and now - known[0] < KNOWN_SECONDS:
                self._known.move_to_end(id_)
                return known[1]
        found = self._store.key(id_)
        with self._lock:
            self._known[id_] = (now, found)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return found

    def count(self, key: ApiKey, *, writes: int = 0, bytes_: int = 0, requests: int = 1) -> None:
        """Count a use before it is granted. Raises TooMany where a limit of the key is reached."""
        with self._lock:
            meter = self._meters.get(key.id)
            if meter is None:
                meter = self._meters[key.id] = Meter(key.id)
        meter.take(key, self._seconds(), self._clock.now(), KeyUse(requests, writes, bytes_), self._store)

    def flush(self) -> None:
        """Write what was counted to the store. Raises StoreError; what was counted is kept for the next time."""
        day, at = _day(self._clock.now()), self._clock.now()
        with self._lock:
            meters = list(self._meters.values())
        for meter in meters:
            meter.flush(self._store, day, at)

    def used(self, key: ApiKey) -> KeyUse:
        """What a key has used today, in every process, what this one has not yet written included."""
        day = _day(self._clock.now())
        written, meter = self._store.key_use(key.id, day), self._meters.get(key.id)
        return written if meter is None else meter.with_waiting(written)


def in_force(key: ApiKey, now: datetime) -> bool:
    """Neither revoked nor past its time."""
    return key.revoked_at is None and (key.expires_at is None or now < key.expires_at)


def _day(now: datetime) -> int:
    return int(now.timestamp() // 86_400)


class Meter:
    """What one key uses: a bucket for each minute in this process, sums for the day in all of them."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._tokens: float | None = None
        self._at = 0.0
        self._day = -1
        self._elsewhere = KeyUse()  # as the store had it, this process's own flushed uses included
        self._waiting = [0, 0, 0]
        self._in_hand = [0, 0, 0]  # on its way to the store, and in neither sum
        self._flushing = threading.Lock()

    def take(self, key: ApiKey, now: float, at: datetime, asked: KeyUse, store: Store) -> None:
        """Count, or raise TooMany with nothing counted."""
        limits, day = key.limits, _day(at)
        daily = "writes_per_day" in limits or "bytes_per_day" in limits
        if daily and day != self._day:
            found = store.key_use(self._key, day)
            with self._lock:
                if day != self._day:
                    self._day, self._elsewhere, self._waiting = day, found, [0, 0, 0]
        with self._lock:
            for limit, more, used in (
                ("writes_per_day", asked.writes, self._elsewhere.writes + self._waiting[1] + self._in_hand[1]),
                ("bytes_per_day", asked.bytes, self._elsewhere.bytes + self._waiting[2] + self._in_hand[2]),
            ):
                if more and limit in limits and used + more > limits[limit]:
                    left = 86_400 - at.timestamp() % 86_400
                    raise TooMany(f"the key's limit {limit} ({limits[limit]:,}) is reached for this UTC day", left)
            rate = limits.get("requests_per_minute")
            if rate is not None:
                full = float(rate)
                had = full if self._tokens is None else min(full, self._tokens + (now - self._at) * full / 60)
                if had < asked.requests:
                    raise TooMany(
                        f"the key's limit of {rate:,} requests a minute is reached", (asked.requests - had) * 60 / full
                    )
                self._tokens, self._at = had - asked.requests, now
            for n, more in enumerate((asked.requests, asked.writes, asked.bytes)):
                self._waiting[n] += more

    def flush(self, store: Store, day: int, at: datetime) -> None:
        """Add what waits to the store's sums."""
        with self._flushing:
            with self._lock:
                given, self._waiting = self._waiting, [0, 0, 0]
                self._in_hand = given
            if not any(given):
                return
            try:
                found = store.count_use(self._key, day, KeyUse(*given), at)
            except BaseException:
                with self._lock:
                    self._waiting = [a + b for a, b in zip(self._waiting, given, strict=True)]
                    self._in_hand = [0, 0, 0]
                raise
            with self._lock:
                self._day, self._elsewhere, self._in_hand = day, found, [0, 0, 0]

    def with_waiting(self, written: KeyUse) -> KeyUse:
        """These sums and what this process has not yet written."""
        with self._lock:
            r, w, b = (x + y for x, y in zip(self._waiting, self._in_hand, strict=True))
        return KeyUse(written.requests + r, written.writes + w, written.bytes + b)
