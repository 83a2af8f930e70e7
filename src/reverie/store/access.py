"""What stands above the scopes of a store: API keys, what they used, and jobs that wait. The same statements on every store."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TypeVar

from reverie.clock import from_us, to_us
from reverie.model import Scope
from reverie.store.records import ApiKey, KeyUse
from reverie.store.session import Row, Session

T = TypeVar("T")


class KeyBook(ABC):
    """The keys of a store. A `Store` is one."""

    @abstractmethod
    def _asking(self) -> AbstractContextManager[Session]:
        """A session in no scope, to read."""

    @abstractmethod
    def _changing(self, work: Callable[[Session], T]) -> T:
        """Run a change in no scope; durable when it returns."""

    def add_key(self, key: ApiKey) -> None:
        """Keep a new key."""
        self._changing(
            lambda s: s.run(
                "add_api_key", id=key.id, name=key.name, hash=key.hash, owner=key.tenant, principal=key.principal,
                namespaces=json.dumps(key.namespaces), verbs=json.dumps(key.verbs), channel=key.channel,
                limits=json.dumps(dict(key.limits)), created_at=to_us(key.created_at),
                expires_at=None if key.expires_at is None else to_us(key.expires_at),
            )
        )  # fmt: skip

    def key(self, id_: str) -> ApiKey | None:
        """One key, revoked ones too."""
        with self._asking() as s:
            row = s.one("api_key", id=id_)
        return _key(row) if row else None

    def keys(self, tenant: str) -> list[ApiKey]:
        """A tenant's keys, oldest first, revoked ones too."""
        with self._asking() as s:
            return [_key(r) for r in s.all("api_keys", owner=tenant)]

    def keys_in_force(self, now: datetime) -> int:
        """How many keys of any tenant are neither revoked nor past their time."""
        with self._asking() as s:
            row = s.one("api_key_count", now=to_us(now))
        return int(row[0]) if row else 0

    def revoke_key(self, tenant: str, id_: str, at: datetime) -> bool:
        """Take a key out of force; False where the tenant has none of that id in force."""
        return bool(self._changing(lambda s: s.run("revoke_api_key", id=id_, owner=tenant, at=to_us(at))))

    def count_use(self, id_: str, day: int, used: KeyUse, at: datetime) -> KeyUse:
        """Add to what a key used on a day; gives what every process has counted for it so far."""

        def work(s: Session) -> KeyUse:
            s.run("count_key_use", id=id_, day=day, requests=used.requests, writes=used.writes, bytes=used.bytes)
            s.run("use_api_key", id=id_, at=to_us(at))
            row = s.one("key_use", id=id_, day=day)
            return KeyUse(*(int(n) for n in row)) if row else used

        return self._changing(work)

    def key_use(self, id_: str, day: int) -> KeyUse:
        """What a key used on a day (days since 1970)."""
        with self._asking() as s:
            row = s.one("key_use", id=id_, day=day)
        return KeyUse(*(int(n) for n in row)) if row else KeyUse()

    def waiting_jobs(self, limit: int) -> list[tuple[Scope, str]]:
        """Jobs that nobody has begun: (scope, id), the oldest of each scope first, so that none holds up another."""
        with self._asking() as s:
            return [(Scope(r[0], r[1]), r[2]) for r in s.all("waiting_jobs", limit=limit)]

    def steps_failing(self) -> list[tuple[Scope, int]]:
        """Scopes with steps whose last run failed, and how many."""
        with self._asking() as s:
            return [(Scope(r[0], r[1]), int(r[2])) for r in s.all("steps_failing")]

    def forget_old(self, use_before: int, answers_before: datetime) -> None:
        """Drop uses that were counted before a day, and answers that were given before a time, in every scope."""

        def work(s: Session) -> None:
            s.run("forget_key_use", before=use_before)
            s.run("forget_every_answer", before=to_us(answers_before))

        self._changing(work)


def _key(r: Row) -> ApiKey:
    times = [None if t is None else from_us(t) for t in r[9:13]]
    return ApiKey(
        r[0], r[1], bytes(r[2]), r[3], tuple(json.loads(r[4])), tuple(json.loads(r[5])), r[6], r[7], json.loads(r[8]),
        times[0], times[1], times[2], times[3],  # type: ignore[arg-type]
    )  # fmt: skip
