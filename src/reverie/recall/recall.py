"""Recall: candidates from vectors and text, fused, scored in visible parts, near copies collapsed, fit to a budget."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reverie.checks import moment as moment_of
from reverie.checks import several, whole
from reverie.clock import Clock
from reverie.embedding import Embedding
from reverie.errors import InvalidInput
from reverie.model import Kind, Memory, State, Trust
from reverie.policy import lower
from reverie.recall.hits import HitBuffer
from reverie.recall.packing import pack
from reverie.recall.past import past_index, roll_back
from reverie.recall.scoring import PARTS, Weights, parts, total
from reverie.recall.words import Words
from reverie.settings import Settings
from reverie.store.port import AbstractReads, ScopeStore
from reverie.vectors.blas import one_thread
from reverie.vectors.index import NamespaceIndex, Wanted, best, kind_codes

Ints: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
_SCORED = ("confidence", "trust", "importance", "utility", "stated")
QUERY_MAX = 8_192  # characters of a query that are looked at: a pasted document still gets an answer
_TRUSTED = list(Trust).index(Trust.TRUSTED)


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that was found.

    ``score`` is the weighted sum of ``parts`` (vector and text are what similarity was fused from). ``text`` is what
    to show: the memory's own, or its gist where a token budget asked for it. ``also`` are near copies not shown.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float]
    text: str
    also: tuple[str, ...] = field(default=())


class Recaller:
    """Answers queries in one scope."""

    def __init__(
        self, store: ScopeStore, index: NamespaceIndex, embedding: Embedding, settings: Settings, clock: Clock,
        hits: HitBuffer, words: Words,
    ) -> None:  # fmt: skip
        self._store = store
        self._index = index
        self._embedding = embedding
        self._settings = settings
        self._weights = Weights.of(settings)
        self._clock = clock
        self._hits = hits
        self._words = words

    def recall(
        self, query: str, limit: int | None = None, *, kinds: Iterable[Kind | str] | None = None,
        budget_tokens: int | None = None, as_of: datetime | None = None, trusted_only: bool = False,
        states: Iterable[State | str] | None = None, log: bool = True,
    ) -> list[Hit]:  # fmt: skip
        """See `Reverie.recall`."""
        wanted = _states(states)
        text, limit, kinds_ = _checked(
            query, int(self._settings.recall_limit) if limit is None else limit, kinds, budget_tokens
        )
        moment = moment_of(as_of, "as_of")
        past = moment is not None or wanted != {State.LIVE}
        vector = self._embedding.query(text)
        index = past_index(self._store, self._embedding, moment, wanted) if past else self._index
        n = max(int(self._settings.recall_candidates), 2 * limit)
        threshold = float(self._settings.collapse_similarity)
        with self._store.read() as reads:
            if not past:
                index.refresh(reads)
            with index.lock:
                found = (Words(index) if past else self._words).scores(reads, text)
                order, scores, seen = self._ranked(reads, index, vector, found, n, kinds_, trusted_only, moment)
                order = order[: 4 * limit]
                seqs = [int(s) for s in index.columns["seq"][order]]
                near = _near(reads, index, order if budget_tokens else order[: 2 * limit], threshold)
            spare = len({worse for _, worse in near})  # as many as near copies may make room for
            rows = reads.rows_by_seq(seqs if budget_tokens else seqs[: limit + spare])
            if past:
                rows = roll_back(reads, rows, moment)
        kept, also = _collapse([rows.get(s) for s in seqs], near, len(seqs) if budget_tokens else limit)
        hits = [
            Hit(m, float(scores[at]), {p: float(seen[p][at]) for p in PARTS}, m.text, tuple(also[at])) for at, m in kept
        ]
        if budget_tokens is not None:
            fitting = pack([h.memory for h in hits], budget_tokens)
            hits = [dataclasses.replace(hits[at], text=shown) for at, shown in fitting]
        hits = hits[:limit]
        if log and hits and not past:
            self._hits.add(text, [h.memory.id for h in hits])
        return hits

    def _ranked(
        self, reads: AbstractReads, index: NamespaceIndex, vector: NDArray[np.float32] | None, text: Numbers, n: int,
        kinds: list[Kind], trusted_only: bool, moment: datetime | None,
    ) -> tuple[Ints, Numbers, dict[str, Numbers]]:  # fmt: skip
        """Positions in the index, best first, with their scores and parts. Ties go to the older id."""
        held = len(index.ids)
        allowed = index.columns["alive"][:held]
        if kinds:
            allowed = allowed & np.isin(index.columns["kind"][:held], kind_codes(kinds))
        if trusted_only:
            allowed = allowed & (index.columns["trust"][:held] == _TRUSTED)
        with_words = np.flatnonzero(text)
        with_words = with_words[allowed[with_words]]
        if len(with_words) > n:
            with_words = with_words[best(text[with_words].astype(np.float32), n)]
        similar = None
        candidates = with_words
        if vector is not None and held and len(vector) == index.dim:
            wanted = Wanted(tuple(k.value for k in kinds), trusted_only)
            similar = index.similar(reads, vector, n, allowed, wanted)
            candidates = np.unique(np.concatenate([with_words, similar.nearest]))
        if not len(candidates):
            return candidates, np.zeros(0), {p: np.zeros(0) for p in PARTS}
        columns = {name: index.columns[name][candidates] for name in _SCORED}
        words = text[candidates]
        if len(with_words):
            words = words / words.max()
        near_by = np.zeros(len(candidates)) if similar is None else similar.of(candidates).astype(np.float64)
        now = (moment or self._clock.now()).timestamp()
        seen = parts(columns, near_by, words, now, self._weights)
        scores = np.round(total(seen, self._weights), 9)
        names = np.array([index.ids[c] for c in candidates.tolist()])
        order = np.lexsort((names, -scores))
        return candidates[order], scores[order], {p: v[order] for p, v in seen.items()}


def _checked(query: object, limit: object, kinds: object, budget: object) -> tuple[str, int, list[Kind]]:
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput("a query must be a text with at least one word")
    query = query[:QUERY_MAX]
    try:
        query.encode()
    except UnicodeEncodeError:
        raise InvalidInput("the query holds half of a surrogate pair") from None
    if budget is not None:
        whole(budget, "budget_tokens", 1, 2**31)
    chosen = sorted(several(Kind, kinds, "kinds"))
    return query.replace("\0", " "), whole(limit, "limit", 1, 1_000), chosen


def _states(given: object) -> set[State]:
    """The states to look among; live where none, or only erased, is named."""
    return several(State, given, "states") - {State.ERASED} or {State.LIVE}


def _near(reads: AbstractReads, index: NamespaceIndex, order: Ints, threshold: float) -> set[tuple[int, int]]:
    """Ranks (better, worse) of candidates whose vectors lie at or over the threshold."""
    if len(order) < 2 or not index.dim:
        return set()
    block = index.block(reads, order)
    with one_thread():
        a, b = np.nonzero(block @ block.T >= threshold)
    return {(i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True) if i < j}


def _collapse(
    rows: Sequence[Memory | None], near: set[tuple[int, int]], limit: int
) -> tuple[list[tuple[int, Memory]], dict[int, list[str]]]:
    """The rows to show by rank, and for each the ids of the near copies it stands for: near, and the guard agrees.

    A copy of less trust never stands for one of more: the trusted one is shown, at its own rank.
    """
    kept: list[tuple[int, Memory]] = []
    also: dict[int, list[str]] = {}
    for at, row in enumerate(rows):
        if row is None:
            continue
        twin = next((k for k, other in kept if (k, at) in near and _same(other, row)), None)
        if twin is not None and lower(dict(kept)[twin].trust, row.trust):
            also[at] = [dict(kept)[twin].id, *also.pop(twin)]
            kept = [k for k in kept if k[0] != twin] + [(at, row)]
        elif twin is not None:
            also[twin].append(row.id)
        elif len(kept) < limit:
            kept.append((at, row))
            also[at] = []
    return kept, also


def _same(a: Memory, b: Memory) -> bool:
    from reverie.text import guard

    ruling = guard.compare(guard.analyse(a.text), guard.analyse(b.text))
    return ruling.outcome is guard.Outcome.SAME
