"""What a step sees: one snapshot of one scope, with what the earlier steps of the same plan would do laid over it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reverie.curation.plan import StepPlan
from reverie.model import Memory, State
from reverie.store.port import AbstractReads
from reverie.store.records import Pair
from reverie.transitions import MergeInto
from reverie.vectors.index import NamespaceIndex

LOADED_MAX = 1_000  # more pairs than one pass asks about


class Laid:
    """What the steps of one plan would do so far, and what they have worked out: it outlives a snapshot."""

    def __init__(self) -> None:
        self.rows: dict[str, Memory] = {}
        self.merged: dict[str, list[str]] = {}  # survivor: rows that this plan merges into it
        self.memo: dict[str, Any] = {}


class View:
    """An immutable snapshot but for `project`, which the runner alone calls.

    Args:
        reads: the snapshot. Where a judge is asked, the next step sees a later one; a row that was laid over stays as it was
            read first, so that the executor notices any change.
        index: vectors of the live rows as of about the same moment; they only propose: a row more or less is harmless.
        model: the embedding model in use, None without one.
        now: the moment of the plan.
        laid: what the earlier steps would do.
    """

    def __init__(
        self, reads: AbstractReads, index: NamespaceIndex, model: str | None, now: datetime, laid: Laid | None = None
    ) -> None:
        self.reads = reads
        self._index = index
        self.model = model
        self._now = now
        self._laid = laid or Laid()

    # the snapshot, as the earlier steps would leave it
    def live(self, rows: Iterable[Memory]) -> list[Memory]:
        """Those rows that would still be live, as they would then be."""
        laid = (self._laid.rows.get(m.id, m) for m in rows)
        return [m for m in laid if m.state is State.LIVE]

    def rows(self, seqs: Iterable[int]) -> dict[int, Memory]:
        """Live rows by sequence number."""
        found = self.reads.rows_by_seq(seqs)
        return {s: m for s, r in found.items() for m in self.live([r])}

    def by_id(self, ids: Iterable[str]) -> dict[str, Memory]:
        """Live rows by id."""
        return {m.id: m for m in self.live(self.reads.rows(ids).values())}

    def uncurated(self) -> list[tuple[str, int]]:
        """(id, revision) of the rows that no pass has examined, as of the first snapshot of the plan.

        What comes while a judge is asked was not compared, and waits for the next pass.
        """
        known: list[tuple[str, int]] | None = self.recalled("uncurated")
        return known if known is not None else self.remember("uncurated", self.reads.uncurated())

    def uncurated_rows(self) -> list[Memory]:
        """Those rows, as they would be by now."""
        return self.live(self.reads.rows(i for i, _ in self.uncurated()).values())

    def shared_clauses(self) -> list[tuple[bytes, int]]:
        """Clause signatures that an uncurated row shares with another row: (signature, sequence number)."""
        return self.reads.shared_clauses()

    def apart(self, pairs: Sequence[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
        """Which (low, high) pairs of normalised hashes are ruled not to be the same."""
        return self.reads.apart(pairs)

    def undone(self, step: str, ids: Sequence[str]) -> set[str]:
        """Rows for which somebody took back what this step had done."""
        return self.reads.undone(step, ids)

    def taken_in(self, survivor: str) -> list[Memory]:
        """Rows that were merged into a survivor, and those that this plan merges into it."""
        ids = {*self.reads.merged_ids(survivor), *self._laid.merged.get(survivor, ())}
        return sorted((m for m in self.reads.rows(ids).values() if m.state is not State.SUPERSEDED), key=lambda m: m.id)

    @property
    def merging(self) -> dict[str, list[str]]:
        """Rows that this plan merges into others, by survivor."""
        return self._laid.merged

    def survivors(self) -> list[str]:
        """Rows into which this plan merges others, in order."""
        return sorted(self._laid.merged)

    def waiting(self, step: str, limit: int) -> list[tuple[Pair, Memory, Memory]]:
        """Pairs that wait for a judge under this step, both rows live as the plan stands; nearest first."""
        pairs = self.reads.pairs(step, limit)
        rows = self.by_id({i for p in pairs for i in (p.low, p.high)})
        found = [(p, rows[p.low], rows[p.high]) for p in pairs if p.low in rows and p.high in rows]
        keys = {p.id: tuple(sorted((a.norm_hash, b.norm_hash))) for p, a, b in found}
        ruled = self.reads.apart(list(keys.values()))  # type: ignore[arg-type]
        return [w for w in found if keys[w[0].id] not in ruled]

    def still_waiting(self, step: str, noted: Iterable[Pair], settled: Iterable[tuple[str, str]]) -> int:
        """How many pairs wait for a judge under a step once what this plan notes and settles is laid over the store."""
        n = sum(w.count for w in self.reads.pair_counts() if w.step == step and w.status == "waiting")
        loaded = {(p.low, p.high) for p in self.reads.pairs(step, LOADED_MAX)}
        told = {(p.low, p.high): p.status == "waiting" for p in noted} | dict.fromkeys(settled, False)
        return n + sum(w - (k in loaded) for k, w in told.items())

    def demotable(self, before: datetime, importance: float, limit: int) -> tuple[list[Memory], int]:
        """See `AbstractReads.demotable`."""
        found, n = self.reads.demotable(before, importance, limit)
        kept = [
            m for m in self.live(found) if m.access_count == 0 and m.stated_at < before and m.importance < importance
        ]
        return kept, n - (len(found) - len(kept))

    def fading(self, before: datetime, limit: int) -> tuple[list[Memory], int]:
        """See `AbstractReads.fading`."""
        found, n = self.reads.fading(before, limit)
        kept = self.live(found)
        return kept, n - (len(found) - len(kept))

    def lagging(self, epochs: int, type_: str, source: str, limit: int) -> tuple[list[Memory], int]:
        """See `AbstractReads.lagging`."""
        found, n = self.reads.lagging(epochs, type_, source, limit)
        kept = [m for m in self.live(found) if m.recall_count == 0]
        return kept, n - (len(found) - len(kept))

    def verbose(self, chars: int, recalls: int, limit: int) -> tuple[list[Memory], int]:
        """See `BookReads.verbose`."""
        found, n = self.reads.verbose(chars, recalls, limit)
        kept = self.live(found)
        return kept, n - (len(found) - len(kept))

    def without_vector(self, limit: int) -> tuple[list[tuple[str, bytes, str]], int]:
        """(id, text hash, text) of rows that wait for a vector of the model in use, and how many there are."""
        return self.reads.without_vector(self.model, limit) if self.model else ([], 0)

    # vectors
    def near_uncurated(
        self, threshold: float, most: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Pairs (sequence number a, sequence number b, cosine) at or over the threshold, one of them uncurated.

        ``most``: only pairs in which one is among so many nearest of the other.
        """
        from reverie.vectors.join import near_pairs

        with self._index.lock:
            new = self._index.rows_of(self.reads.uncurated_seqs())
            held = len(self._index.ids)
            matrix = self._index.matrix[:held]
            seqs = self._index.columns["seq"][:held]
            i, j, cosine = near_pairs(matrix, threshold, new=new, most=most)
            return seqs[i], seqs[j], cosine

    def remember(self, name: str, value: Any) -> Any:
        """Keep what a step has worked out in `ask` for its `plan`, or for a later step; gives it back."""
        self._laid.memo[name] = value
        return value

    def recalled(self, name: str) -> Any:
        """What was kept under a name; None where nothing was."""
        return self._laid.memo.get(name)

    def project(self, step: StepPlan) -> None:
        """Lay a step's proposals over the snapshot, so that later steps see what they would do."""
        laid = self._laid.rows
        for p in step.proposals:
            ids = [*p.move.subjects(), *p.move.others()]
            missing = [i for i in ids if i not in laid]
            for i, row in (self.reads.rows(missing) if missing else {}).items():
                laid[i] = row
            rows = {i: laid[i] for i in ids if i in laid}
            if len(rows) < len(set(ids)):
                continue
            if isinstance(p.move, MergeInto):
                self._laid.merged.setdefault(p.move.survivor, []).append(p.move.id)
            for effect in p.move.effects(rows, self._now):
                before = laid[effect.id]
                counters = {name: getattr(before, name) + n for name, n in effect.add.items()}
                laid[effect.id] = dataclasses.replace(before, **effect.set, **counters, revision=before.revision + 1)
