"""What a step sees: one snapshot of one scope, with what the earlier steps of the same plan would do laid over it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from reverie.curation.plan import StepPlan
from reverie.model import Memory, State
from reverie.store.port import AbstractReads
from reverie.vectors.index import NamespaceIndex


class View:
    """An immutable snapshot but for `project`, which the runner alone calls.

    Args:
        reads: the snapshot.
        index: vectors of the live rows as of about the same moment; they only propose: a row more or less is harmless.
        model: the embedding model in use, None without one.
        now: the moment of the plan.
    """

    def __init__(self, reads: AbstractReads, index: NamespaceIndex, model: str | None, now: datetime) -> None:
        self._reads = reads
        self._index = index
        self.model = model
        self._now = now
        self._laid: dict[str, Memory] = {}

    # the snapshot, as the earlier steps would leave it
    def live(self, rows: Iterable[Memory]) -> list[Memory]:
        """Those rows that would still be live, as they would then be."""
        laid = (self._laid.get(m.id, m) for m in rows)
        return [m for m in laid if m.state is State.LIVE]

    def rows(self, seqs: Iterable[int]) -> dict[int, Memory]:
        """Live rows by sequence number."""
        found = self._reads.rows_by_seq(seqs)
        return {s: m for s, r in found.items() for m in self.live([r])}

    def uncurated(self) -> list[tuple[str, int]]:
        """(id, revision) of the rows that no pass has examined."""
        return self._reads.uncurated()

    def shared_clauses(self) -> list[tuple[bytes, int]]:
        """Clause signatures that an uncurated row shares with another row: (signature, sequence number)."""
        return self._reads.shared_clauses()

    def apart(self, pairs: Sequence[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
        """Which (low, high) pairs of normalised hashes are ruled not to be the same."""
        return self._reads.apart(pairs)

    def undone(self, step: str, ids: Sequence[str]) -> set[str]:
        """Rows for which somebody took back what this step had done."""
        return self._reads.undone(step, ids)

    def demotable(self, before: datetime, importance: float, limit: int) -> tuple[list[Memory], int]:
        """See `AbstractReads.demotable`."""
        found, n = self._reads.demotable(before, importance, limit)
        kept = [
            m for m in self.live(found) if m.access_count == 0 and m.stated_at < before and m.importance < importance
        ]
        return kept, n - (len(found) - len(kept))

    def fading(self, before: datetime, limit: int) -> tuple[list[Memory], int]:
        """See `AbstractReads.fading`."""
        found, n = self._reads.fading(before, limit)
        kept = self.live(found)
        return kept, n - (len(found) - len(kept))

    def lagging(self, epochs: int, type_: str, source: str, limit: int) -> tuple[list[Memory], int]:
        """See `AbstractReads.lagging`."""
        found, n = self._reads.lagging(epochs, type_, source, limit)
        kept = [m for m in self.live(found) if m.recall_count == 0]
        return kept, n - (len(found) - len(kept))

    def without_vector(self, limit: int) -> tuple[list[tuple[str, bytes, str]], int]:
        """(id, text hash, text) of rows that wait for a vector of the model in use, and how many there are."""
        return self._reads.without_vector(self.model, limit) if self.model else ([], 0)

    # vectors
    def near_uncurated(self, threshold: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Pairs (sequence number a, sequence number b, cosine) at or over the threshold, one of them uncurated."""
        from reverie.vectors.join import near_pairs

        with self._index.lock:
            new = self._index.rows_of(self._reads.uncurated_seqs())
            held = len(self._index.ids)
            matrix = self._index.matrix[:held]
            seqs = self._index.columns["seq"][:held]
            i, j, cosine = near_pairs(matrix, threshold, new=new)
            return seqs[i], seqs[j], cosine

    def project(self, step: StepPlan) -> None:
        """Lay a step's proposals over the snapshot, so that later steps see what they would do."""
        for p in step.proposals:
            ids = [*p.move.subjects(), *p.move.others()]
            missing = [i for i in ids if i not in self._laid]
            for i, row in (self._reads.rows(missing) if missing else {}).items():
                self._laid[i] = row
            rows = {i: self._laid[i] for i in ids if i in self._laid}
            if len(rows) < len(set(ids)):
                continue
            for effect in p.move.effects(rows, self._now):
                before = self._laid[effect.id]
                counters = {name: getattr(before, name) + n for name, n in effect.add.items()}
                self._laid[effect.id] = dataclasses.replace(
                    before, **effect.set, **counters, revision=before.revision + 1
                )
