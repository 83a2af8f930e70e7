"""The right to curate one scope: taken for a time, checked in every transaction that writes, held on to, given back."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from datetime import timedelta
from types import TracebackType

from reverie.clock import Clock
from reverie.errors import LeaseHeld, LeaseLost
from reverie.model import Lease, Scope
from reverie.store.port import ScopeStore
from reverie.store.verbs import Tx

log = logging.getLogger("reverie.worker")

_standing: set[tuple[Scope, int]] = set()
"""The leases under which somebody in this process works."""


def this_process() -> str:
    """A name for whoever runs here, to be read by people: host and process."""
    return f"{socket.gethostname()}/{os.getpid()}"


def died_here(holder: str) -> bool:
    """Whether a holder was a process of this host that is no more: then nobody need wait for its lease to end.

    Wrong where two containers share a host's name; then the fence still keeps the older one from writing.
    """
    host, _, process = holder.rpartition("/")
    if host != socket.gethostname() or not process.isdecimal() or sys.platform == "win32":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


class Leasehold:
    """A scope's lease, as a context manager.

    Args:
        store: the scope. clock: whose time the lease runs by; hosts may differ by far less than ``seconds``.
        holder: a name that people can read. seconds: how long it lasts without being renewed.
        beat: renew it from a thread too, for work that goes long without writing.

    Entering raises LeaseHeld where another curator has it. Safety does not rest on clocks: each lease has a higher fence
    than the one before, and a transaction of an older one is refused.
    """

    def __init__(self, store: ScopeStore, clock: Clock, holder: str, seconds: float, *, beat: bool = False) -> None:
        self._store = store
        self._clock = clock
        self._holder = holder
        self._length = timedelta(seconds=seconds)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="reverie-lease", daemon=True) if beat else None
        self.lease: Lease | None = None

    def __enter__(self) -> Leasehold:
        self.lease = self._store.transact(self._take)
        if self.lease is None:
            with self._store.read() as r:
                held = r.lease()
            if held is not None and (died_here(held.holder) or self._left_over(held)):
                self.lease = self._store.transact(lambda tx: self._take(tx, held))
        if self.lease is None:
            who = f"{held.holder} until {held.until:%H:%M:%S} UTC" if held else "another"
            raise LeaseHeld(f"this namespace is being curated by {who}; wait for it to end, and try again")
        _standing.add((self._store.scope, self.lease.fence))
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        lease, self.lease = self.lease, None
        if lease is None:
            return
        _standing.discard((self._store.scope, lease.fence))  # whatever comes now, nobody here works under it
        if not isinstance(error, LeaseLost):
            self._store.transact(lambda tx: tx.end_lease(lease))

    def _left_over(self, held: Lease) -> bool:
        """Whether a curator of this process took it and could not give it back, as its store was away."""
        return held.holder == this_process() and (self._store.scope, held.fence) not in _standing

    def _take(self, tx: Tx, gone: Lease | None = None) -> Lease | None:
        now = self._clock.now()
        taken = tx.take_lease(self._holder, now, now + self._length, gone=gone)
        if taken is not None:
            tx.cut_off_runs(now)  # whoever left one open is gone
        return taken

    def guard(self, tx: Tx) -> None:
        """Refuse this transaction unless the lease stands; past half of its time, renew it here and now. Raises LeaseLost."""
        lease = self.lease
        if lease is None:
            raise LeaseLost("the lease was given back: nothing was written")
        now = self._clock.now()
        standing = tx.check_lease(lease, now)
        if standing.until - now < self._length / 2:
            tx.renew_lease(lease, now, now + self._length)

    def _beat(self) -> None:
        """Renew until the end. A lease that is lost stops the work at its next `guard`; this thread only says so in the log."""
        while not self._ended.wait(self._length.total_seconds() / 3):
            try:
                self._store.transact(self.guard)
            except LeaseLost as lost:
                log.warning("%s: %s", self._holder, lost)
                return
            except Exception as error:  # noqa: BLE001 - a store that is away for a moment; guard decides what that means
                log.warning("%s: the lease could not be renewed now: %s", self._holder, error)
