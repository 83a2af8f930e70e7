"""A worker process that tells each transaction of its runs, so that a test can stop or kill it in the middle of one.

Arguments: URL; "fenced", or "unfenced" for the control, which does not ask whether its lease still stands; after which
transaction it stops itself as SIGSTOP would (0: never).
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from reverie.curation.leasing import Leasehold
from reverie.curation.pace import Pace
from reverie.work.worker import Worker

SETTINGS = {
    "start_stagger_seconds": 0, "idle_seconds": 1, "worker_look_seconds": 0.4, "worker_stalled_seconds": 1.5,
    "lease_seconds": 1.0, "transaction_seconds": 0.5, "slice_rows": 2, "embedder": "hashing:32",
}  # fmt: skip


def say(*words: object) -> None:
    """One line to the parent."""
    print(*words, flush=True)


def told(pace: Pace, write: Any, n: int, work: Any, run: Any = Pace.run) -> Any:
    """Tell each transaction when it is through."""
    got = run(pace, write, n, work)
    say("slice", pace._store.scope.namespace)
    told.slices += 1  # type: ignore[attr-defined]
    if told.slices == told.nap_at:  # type: ignore[attr-defined]
        say("napping")
        os.kill(os.getpid(), signal.SIGSTOP)  # between two transactions, with the lease held
    return got


told.slices = told.nap_at = 0  # type: ignore[attr-defined]


def main(url: str, fenced: str, nap_at: str = "0") -> None:
    """Work until SIGTERM."""
    told.nap_at = int(nap_at)  # type: ignore[attr-defined]
    Pace.run = told  # type: ignore[method-assign, assignment]
    if fenced == "unfenced":
        Leasehold.guard = lambda self, tx: None  # type: ignore[method-assign]
    worker = Worker(url, settings=SETTINGS, on_visit=lambda v: say(v.outcome, v.scope.namespace, v.why))
    signal.signal(signal.SIGTERM, lambda *_: worker.ask_to_stop())
    say("ready")
    worker.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
