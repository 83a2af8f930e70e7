"""Training signals in the journal: given as moves, withdrawn by undo, and never twice for one thing [S1].

No text stands in a signal and none goes out with one: a text never changes, so whoever trains reads it from its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import datetime
from typing import Any

from reverie.clock import Clock, Ids
from reverie.model import Entry, RunRecord, TrainingSignal
from reverie.store.verbs import Tx
from reverie.transitions import Signal, move_from_dict

OF_ACTS = frozenset({"delete", "pin", "weight", "kind"})
"""Sources that only tell what an act does: the signal stays where the act stays."""

CARRIED = ("move", "known", "replaced")
"""What an undo's entry takes over from a signal's, so that the undo can be undone."""


def give(tx: Tx, move: Signal, at: datetime) -> dict[str, Any]:
    """Let a signal wait; what its journal entry must say besides.

    One that says the same waits already: ``known``, and nothing is written. One that names another kind gives way to the
    newer word, and is ``replaced``.
    """
    if _add(tx, move, at):
        return {}
    waiting = next(s for s in tx.signals_of(move.id) if (s.type, s.source, s.pending) == (move.type, move.source, True))
    old = _move_of(waiting)
    if old.corrected == move.corrected:
        return {"known": True}
    _settle(tx, old, pending=False)
    _add(tx, move, at)
    return {"replaced": old.to_dict()}


def settle(tx: Tx, entry: Entry, stays: Set[tuple[str, str]], *, again: bool) -> str | None:
    """Withdraw the signal of an entry, or let it wait ``again``; the reason why not, or None.

    ``stays`` are the (run, memory) of acts that could not be taken back. A withdrawn signal is not deleted, so that the
    curator does not give it again.
    """
    move = _read(entry.detail["move"])
    if move.source in OF_ACTS and (entry.run, move.id) in stays:
        return "the act that it tells of was left as it is"
    if entry.detail.get("known"):
        return None  # it stood before this act, and goes on standing
    old = _read(entry.detail["replaced"]) if "replaced" in entry.detail else None
    if again and old is not None and not _settle(tx, old, pending=False):
        return "the signal that it replaced waits no more"
    if not _settle(tx, move, pending=again):
        return "another signal waits in its place" if again else "it waits no more"
    if not again and old is not None:
        _settle(tx, old, pending=True)
    return None


def note(tx: Tx, told: Iterable[tuple[str, str]], *, clock: Clock, ids: Ids) -> list[Entry]:
    """Signals that writes gave: (principal, memory) each, accepted by its writer, as one run of "remember" a principal.

    A memory for which such a signal waits already is passed over, and nothing is journaled for it.
    """
    now = clock.now()
    new: dict[str, list[Signal]] = {}
    for principal, memory in dict.fromkeys(told):
        move = Signal(memory, "accept", "store")
        if _add(tx, move, now):
            new.setdefault(principal, []).append(move)
    entries = []
    for principal, moves in new.items():
        run = RunRecord(ids.new(), "remember", principal, now, now, "done", {"remember": len(moves)}, {})
        tx.start_run(run)
        for index, move in enumerate(moves):
            entry = Entry(
                n=0, run=run.id, index=index, step="remember", move=move.name, reason="kept as an example",
                evidence={}, before={}, after={}, added={}, status="applied", at=now, hash=b"", previous=b"",
                detail={"ids": [move.id], "move": move.to_dict(), "edges": []},
            )  # fmt: skip
            entries.append(tx.add_entry(entry, counted=False))
    return entries


def _add(tx: Tx, move: Signal, at: datetime) -> bool:
    return tx.add_signal(
        move.id, move.type, move.source, at, predicted=move.predicted, corrected=move.corrected, strength=move.strength
    )  # fmt: skip


def _settle(tx: Tx, move: Signal, *, pending: bool) -> bool:
    return tx.settle_signal(
        move.id, move.type, move.source, pending=pending, predicted=move.predicted, corrected=move.corrected,
        strength=move.strength,
    )  # fmt: skip


def _move_of(s: TrainingSignal) -> Signal:
    return Signal(s.memory, s.type, s.source, s.predicted, s.corrected, s.strength)


def _read(given: Mapping[str, Any]) -> Signal:
    move = move_from_dict(given)
    if not isinstance(move, Signal):
        raise TypeError(f"a {move.name} is no signal")
    return move
