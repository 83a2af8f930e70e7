"""One open store for many callers: namespaces opened once and shared, each call under the caller's key and name.

A door gets a `Caller` from a key, asks it for a namespace, and calls a verb of the façade on what it gets. Whether the key allows
the verb is asked there, for every door.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.checks import required_name
from reverie.clock import Clock, Ids, SystemClock, Ulids
from reverie.errors import Forbidden, InvalidInput, NotFound, ReverieError
from reverie.memory import Reverie
from reverie.model import Channel, Origin, Scope
from reverie.opening import open_embedder, open_judge, open_store
from reverie.serving.keys import KeyRing, origin_of
from reverie.serving.rights import COUNTED, PERSONS, RIGHTS, VERBS, allows, covers
from reverie.settings import Settings
from reverie.store.records import ApiKey

if TYPE_CHECKING:
    from reverie.curation.plan import Plan
    from reverie.embed.port import Embedder
    from reverie.judge.port import Judge
    from reverie.model import Memory

log = logging.getLogger("reverie.host")
OPEN_MOST = 256  # namespaces that one process holds open; the one not used for longest is closed
SETTINGS_SECONDS = 2.0  # a namespace's own settings are read anew so often: another process may have changed them


@dataclass(slots=True)
class _Open:
    memory: Reverie
    looked_at: float


class Host:
    """An open store and all that its callers share.

    Args:
        url: as for `reverie.open`. settings, clock, ids, embedder, judge: the same.
        seconds: a clock that only goes forward.

    Raises:
        InvalidInput, StoreError: as `reverie.open`.
    """

    def __init__(
        self, url: str | Path, *, settings: Settings, clock: Clock | None = None, ids: Ids | None = None,
        embedder: Embedder | str | None = None, judge: Judge | None = None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.url = str(url)
        self.settings = settings
        self.clock = clock or SystemClock()
        self.ids = ids or Ulids(self.clock)
        self.embedder = open_embedder(embedder, settings)
        self.judge = judge or open_judge(settings)
        self.store = open_store(self.url, settings)
        self.ring = KeyRing(self.store, self.clock, seconds)
        self.secret = secrets.token_bytes(32)  # of this process: for what is sealed where no key is asked for
        self.seconds = seconds
        self._open: OrderedDict[Scope, _Open] = OrderedDict()
        self._lock = threading.Lock()

    def caller(self, text: str | None) -> Caller:
        """Who speaks with this key. Raises Unauthorised."""
        key = self.ring.find(text)
        return Caller(self, key, origin_of(key))

    def anybody(self, tenant: str = "default") -> Caller:
        """Whoever is on this machine, with every right: for a server that was told to ask for no key."""
        key = ApiKey(
            "none", "no key is asked for", b"", tenant, ("*",), RIGHTS, "local", Channel.PERSON.value, {}, self.clock.now()
        )  # fmt: skip
        return Caller(self, key, Origin("local", Channel.PERSON, client="no-auth"))

    def memory(self, scope: Scope) -> Reverie:
        """The open namespace, to speak through with `Reverie.speaking`."""
        now = self.seconds()
        with self._lock:
            held = self._open.get(scope)
            if held is not None:
                self._open.move_to_end(scope)
                fresh = now - held.looked_at < SETTINGS_SECONDS
                held.looked_at = held.looked_at if fresh else now
        if held is None:
            made = _Open(self._opened(scope), now)
            with self._lock:
                held = self._open.setdefault(scope, made)
                gone = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - OPEN_MOST)]
            for one in gone:  # those who still speak through it go on
                try:
                    one.memory.flush()
                except ReverieError as error:  # of another namespace: whoever asks for this one has no part in it
                    log.warning("recalls of a namespace that was put away were not counted: %s", type(error).__name__)
        elif not fresh:
            held.memory.look_again()
        return held.memory

    def _opened(self, scope: Scope) -> Reverie:
        return Reverie(
            self.store, scope, settings=self.settings, clock=self.clock, ids=self.ids, embedder=self.embedder,
            origin=Origin("server", Channel.AGENT), owns_store=False, judge=self.judge,
        )  # fmt: skip

    def flush(self) -> None:
        """Write what is buffered: recall hits, uses of keys."""
        self.ring.flush()
        with self._lock:
            held = [one.memory for one in self._open.values()]
        for memory in held:
            memory.flush()

    def close(self) -> None:
        """Write what is buffered and close the store."""
        try:
            self.flush()
        finally:
            self.store.close()


class Caller:
    """Somebody with a key. ``key`` is its record, ``origin`` in whose name its words are written."""

    def __init__(self, host: Host, key: ApiKey, origin: Origin) -> None:
        self.host = host
        self.key = key
        self.origin = origin

    def may(self, verb: str, namespace: str | None = None) -> bool:
        """Whether the key allows a verb, in a namespace where one is given."""
        return allows(self.key.verbs, verb) and (namespace is None or covers(self.key.namespaces, namespace))

    def need(self, verb: str) -> None:
        """Raise Forbidden where the key does not allow a verb."""
        if not self.may(verb):
            raise Forbidden(f"this key does not allow {verb}; it has: {', '.join(self.key.verbs)}")
        if verb in PERSONS and self.origin.channel is not Channel.PERSON:
            raise Forbidden(f"{verb} takes a key of the channel person")

    def still(self) -> None:
        """Raise Unauthorised where the key has been revoked, or its time is over, since it was shown."""
        if self.key.hash:
            self.host.ring.by_id(self.key.id)

    def scope(self, namespace: str) -> Scope:
        """A namespace of the key's tenant. Raises NotFound where the key does not cover it, InvalidInput for a bad name."""
        required_name(namespace, "the namespace")
        if not covers(self.key.namespaces, namespace):
            raise NotFound(f"there is no namespace {namespace[:80]!r} for this key")
        return Scope(self.key.tenant, namespace)

    def on(self, namespace: str, session: str | None = None) -> Guarded:
        """A namespace to call verbs on. ``session``: the conversation, noted with what is written. Raises as `scope`."""
        origin = self.origin
        if session is not None:
            origin = Origin(origin.principal, origin.channel, origin.client, required_name(session, "the session"))
        return Guarded(self, self.scope(namespace), origin)

    def namespaces(self) -> list[str]:
        """The namespaces that hold anything and that the key covers, by name."""
        found = (s.namespace for s in self.host.store.scopes(self.key.tenant))
        return sorted(n for n in found if covers(self.key.namespaces, n))


class Guarded:
    """The façade as one caller may use it: each verb is asked for in `reverie.serving.rights.VERBS` before it is called.

    ``settings`` and ``scope`` may be read; all else that the table lacks is not there. The namespace is opened when it is first
    needed, in the thread that needs it: making this asks no store.
    """

    __slots__ = ("_caller", "_opened", "_origin", "scope")

    def __init__(self, caller: Caller, scope: Scope, origin: Origin) -> None:
        self._caller = caller
        self._origin = origin
        self._opened: Reverie | None = None
        self.scope = scope

    @property
    def _memory(self) -> Reverie:
        if self._opened is None:
            self._opened = self._caller.host.memory(self.scope).speaking(self._origin)
        return self._opened

    @property
    def settings(self) -> Settings:
        """What is in force in this namespace."""
        return self._memory.settings

    @property
    def trouble(self) -> str | None:
        """Why only text search answers, if so."""
        return self._memory.trouble

    def need(self, verb: str) -> None:
        """Raise Forbidden where the key does not allow a verb."""
        self._caller.need(verb)

    def rows_of(self, plan: Plan) -> dict[str, Memory]:
        """The memories that a plan speaks of. Raises Forbidden where the key may not plan."""
        self._caller.need("plan")
        return self._memory.rows_of(plan)

    def __getattr__(self, verb: str) -> Any:
        if verb not in VERBS or not hasattr(Reverie, verb):
            raise AttributeError(verb)
        self._caller.need(verb)
        does = getattr(self._memory, verb)
        return partial(self._counted, does) if verb in COUNTED else does

    def _counted(self, does: Callable[..., Any], *given: Any, **named: Any) -> Any:
        self._caller.host.ring.count(self._caller.key, requests=0, writes=1)
        return does(*given, **named)

    def call(self, verb: str, *given: Any, **named: Any) -> Any:
        """Call a verb by its name. Raises InvalidInput for what is none."""
        if verb not in VERBS or not hasattr(Reverie, verb):
            raise InvalidInput(f"there is no verb {verb[:40]!r}")
        return getattr(self, verb)(*given, **named)
