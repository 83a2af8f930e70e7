"""One turn of one namespace: its lease, its slot, the cycle, and what became of it. The same on every store."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from reverie.clock import Clock, Ids
from reverie.curation.leasing import Leasehold
from reverie.embed.port import Embedder
from reverie.errors import LeaseHeld, LeaseLost, ReverieError
from reverie.handle import overlaid
from reverie.judge.port import Judge
from reverie.memory import Reverie
from reverie.model import Channel, Origin, Scope
from reverie.settings import Settings
from reverie.store.port import Store
from reverie.store.records import Known
from reverie.store.verbs import Tx
from reverie.work.schedule import Due, Slot, Standing

CURATOR = Origin("curator", Channel.CURATOR, client="worker")
SLOTS_KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Visit:
    """What became of one turn.

    ``outcome``: done, parked (a plan waits for review), failed (``why``: a step or the whole run), impaired (``why``: the
    judge; all that needs none was done), stopped (the worker was asked to leave; the slot comes again), held (another curator
    is at it), known (the slot has been finished), lost (another curator took over meanwhile).
    """

    scope: Scope
    cycle: str
    key: str
    outcome: str
    why: str = ""
    moves: int = 0
    run: str | None = None


def standing(known: Known, base: Settings) -> Standing:
    """What the schedule is made from, of what the store knows."""
    slots = {c: Slot(s.key, s.started_at, s.finished_at, s.with_model) for c, s in known.slots.items()}
    return Standing(
        known.scope, overlaid(base, known.settings), known.uncurated, known.waiting_since, known.used_at, slots=slots,
        model_at=known.model_at,
    )  # fmt: skip


class Visitor:
    """Curates namespaces of one store, one at a time.

    Args:
        store: open; not closed here. settings, clock, ids, embedder, judge: as for `reverie.open`. The judge is asked only
            where the slot says so.
        stop: says when to leave after the transaction in hand.
        pause: how to wait (seconds) between two transactions while others write; None: do not give way.
    """

    def __init__(
        self, store: Store, *, settings: Settings, clock: Clock, ids: Ids, embedder: Embedder | None,
        judge: Judge | None = None, stop: Callable[[], bool] = bool, pause: Callable[[float], object] | None = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._settings = settings
        self._clock = clock
        self._ids = ids
        self._embedder = embedder
        self._judge = judge
        self._stop = stop
        self._pause = pause

    def visit(self, due: Due) -> Visit:
        """Run one cycle of one namespace if it is this worker's to run. Raises nothing that the store or a step raises."""
        visit = Visit(due.scope, due.cycle, due.key, "done")
        try:
            with Reverie(
                self._store, due.scope, settings=self._settings, clock=self._clock, ids=self._ids,
                embedder=self._embedder, origin=CURATOR, owns_store=False, judge=self._judge,
            ) as mem:  # fmt: skip
                return self._curated(mem, due, visit)
        except LeaseHeld as error:
            return dataclasses.replace(visit, outcome="held", why=str(error))
        except LeaseLost as error:
            return dataclasses.replace(visit, outcome="lost", why=str(error))
        except Exception as error:  # noqa: BLE001 - whatever it was: it is kept, health shows it, and the next one has its turn
            why = f"{type(error).__name__}: {error}"
            told = self._tell(due, why)
            return dataclasses.replace(
                visit, outcome="failed", why=why if told is None else f"{why} (not kept: {told})"
            )

    def _curated(self, mem: Reverie, due: Due, visit: Visit) -> Visit:
        with mem._leasehold(beat=True) as lease:
            if not mem._scope.transact(lambda tx: self._claim(tx, lease, due)):
                return dataclasses.replace(visit, outcome="known")
            run = mem._executor(lease, self._stop, self._pause).apply(mem.plan(due.cycle, ask=due.with_model))
            if run.status != "stopped":
                mem._scope.transact(lambda tx: self._finish(tx, lease, due))
        why = "; ".join(f"{step}: {reason}" for step, reason in run.errors.items())
        outcome = "impaired" if set(run.errors) == {"judge"} else run.status
        return dataclasses.replace(visit, outcome=outcome, why=why, moves=len(run), run=run.id)

    def _claim(self, tx: Tx, lease: Leasehold, due: Due) -> bool:
        lease.guard(tx)
        return tx.claim_slot(due.cycle, due.key, self._clock.now(), with_model=due.with_model)

    def _finish(self, tx: Tx, lease: Leasehold, due: Due) -> None:
        lease.guard(tx)
        now = self._clock.now()
        tx.finish_slot(due.cycle, due.key, now, forget_before=now - SLOTS_KEPT)

    def _tell(self, due: Due, why: str) -> str | None:
        """Keep a failure that ended the run; the reason where even that failed."""
        at: datetime = self._clock.now()
        try:
            self._store.scope(due.scope).transact(lambda tx: tx.note_steps(due.cycle, {"cycle": why}, at))
        except ReverieError as error:
            return str(error)
        return None
