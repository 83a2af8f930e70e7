"""The ledger of a scope: what calls to a model use, and the caps that are looked at before each of them (law 10)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from reverie.clock import Clock
from reverie.settings import Settings
from reverie.store.port import ScopeStore
from reverie.store.verbs import Tx

KEPT = timedelta(days=90)
MILLION = 1_000_000


def day_of(at: datetime) -> datetime:
    """Midnight, UTC, before a moment."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


class StoreLedger:
    """Keeps every call in the store, at its estimate from before it is made, so that a crash cannot make it free.

    Args:
        store: the scope that pays. everywhere: what all scopes of the store have spent since a time, in millionths.
        run: the curation run that asks, whose tokens are capped by ``judge_night_tokens``; the day's tokens of the scope by
            ``judge_day_tokens``, the day's cost of the whole store by ``judge_day_cost``. Where several workers share a
            store, each may go over the cost by the one call that it has in hand.
    """

    def __init__(
        self, store: ScopeStore, everywhere: Callable[[datetime], int], settings: Settings, clock: Clock, run: str
    ) -> None:
        self._store = store
        self._everywhere = everywhere
        self._settings = settings
        self._clock = clock
        self._run = run
        self._lock = threading.Lock()
        self._held: dict[int, int] = {}
        self.used = 0
        self.cost = 0
        self.calls = 0
        self.failed = 0
        self.refused: str | None = None

    def begin(self, model: str, purpose: str, questions: int, tokens: int, cost: int) -> int | str:
        """See `reverie.judge.port.Ledger`."""
        with self._lock:
            got = self._begin(model, purpose, questions, tokens, cost)
            if isinstance(got, str):
                self.refused = got
            else:
                self._held[got] = tokens
                self.used += tokens
                self.calls += 1
        return got

    def _begin(self, model: str, purpose: str, questions: int, tokens: int, cost: int) -> int | str:
        s, now = self._settings, self._clock.now()
        night, day, money = int(s.judge_night_tokens), int(s.judge_day_tokens), float(s.judge_day_cost)
        if self.used + tokens > night:
            return (
                f"the cap of {night:,} tokens a run is reached: {self.used:,} used, about {tokens:,} more were needed"
            )
        if money and (spent := self._everywhere(day_of(now))) + cost > money * MILLION:
            return f"the cap of {money:g} a day is reached: {spent / MILLION:.4f} spent by the whole store today"

        def work(tx: Tx) -> int | str:
            used = tx.spent(day_of(now)).tokens
            if used + tokens > day:
                return f"the cap of {day:,} tokens a day is reached: {used:,} used, about {tokens:,} more were needed"
            return tx.begin_call(
                now, run=self._run, model=model, purpose=purpose, questions=questions, tokens=tokens, cost=cost
            )

        return self._store.transact(work)

    def end(self, number: int, outcome: str, tokens_in: int, tokens_out: int, cost: int, seconds: float) -> None:
        """See `reverie.judge.port.Ledger`."""
        with self._lock:
            self.used += tokens_in + tokens_out - self._held.pop(number, 0)
            self.cost += cost
            self.failed += outcome != "ok"
        given = {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost": cost, "seconds": seconds}
        self._store.transact(lambda tx: tx.end_call(number, outcome=outcome, **given))  # type: ignore[arg-type]
