"""Text search over a namespace: the store's full-text index finds the rows of a word, and BM25 is computed here.

So the statistics are the namespace's own, whoever else lives in the file, and every store gives the same scores. Texts
never change, so the rows of a word only grow: they are kept, and a look-up asks only for what is newer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reverie.store.port import AbstractReads
from reverie.text.fold import UNSPACED, folded
from reverie.vectors.index import NamespaceIndex

Positions: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = NDArray[np.float64]

K1, B = 1.2, 0.75  # Okapi BM25's usual constants
TERMS_MAX = 24
POSTINGS_KEPT = 4_000_000
COMMON_SHARE = 0.4  # a word in more of the rows than this says nothing, and is left out while others are there

_ASCII = re.compile(r"\w+(?:['’.\-]\w+)*")
_RUN = re.compile(f"[{UNSPACED}]+")
# Words that are in so many English notes that they only cost time; a query of nothing else keeps them.
_STOP = frozenset(
    """a about an and are as at be been by can could did do does for from had has have he her him his how i if in into is
    it its me my of on or our she should so than that the their them then there these they this to us was we were what
    when where which who whom whose why will with would you your""".split()  # noqa: SIM905
)


@cache
def _word() -> re.Pattern[str]:
    r"""A word: letters, digits and the marks that belong to them, which \w leaves out."""
    marks = re.escape("".join(c for c in map(chr, range(0x300, 0x11A00)) if unicodedata.category(c) in ("Mn", "Mc")))
    return re.compile(rf"[\w{marks}]+(?:['’.\-][\w{marks}]+)*")


def terms(query: str) -> list[str]:
    """The words of a query, each once. A run of an unspaced script becomes overlapping pairs: sentences never recur."""
    found: dict[str, None] = {}
    for word in (_ASCII if query.isascii() else _word()).findall(folded(query)):
        pieces = [word]
        if not word.isascii() and _RUN.search(word):
            pieces = [p for run in _RUN.findall(word) for p in ([run[i : i + 2] for i in range(len(run) - 1)] or [run])]
            pieces += [w for w in _RUN.split(word) if w]
        found |= dict.fromkeys(pieces)
    return ([t for t in found if t not in _STOP] or list(found))[:TERMS_MAX]


class Words:
    """BM25 over the rows that an index holds. Used under the index's lock."""

    def __init__(self, index: NamespaceIndex) -> None:
        self.index = index
        self._known: OrderedDict[str, tuple[int, int, Positions]] = OrderedDict()
        self._held = 0
        self._counted: tuple[tuple[int, int], int, float] | None = None

    def scores(self, reads: AbstractReads, query: str) -> Numbers:
        """A score for each row of the index, in its order; 0 where no word occurs."""
        index = self.index
        held = len(index.ids)
        scores = np.zeros(held)
        alive = index.columns["alive"][:held]
        n, mean = self._statistics()
        if not n:
            return scores
        whole = len(index) == held  # nothing has died since the index was filled: every row counts
        rows = [self._rows_of(reads, t) for t in terms(query)]
        found = [(at, len(at) if whole else int(alive[at].sum())) for at in rows]
        rare = [(at, df) for at, df in found if 0 < df <= max(10, COMMON_SHARE * n)]
        for at, df in rare or [f for f in found if f[1]]:
            scores[at] += np.log(1 + (n - df + 0.5) / (df + 0.5))
        hit = np.flatnonzero(scores)
        scores[hit] *= (K1 + 1) / (1 + K1 * (1 - B + B * index.columns["length"][hit] / mean))
        return scores

    def _statistics(self) -> tuple[int, float]:
        """How many rows are live, and their mean length in characters; kept while the index does not change."""
        version = self.index.version
        if self._counted is None or self._counted[0] != version:
            held = len(self.index.ids)
            lengths = self.index.columns["length"][:held][self.index.columns["alive"][:held]]
            self._counted = (version, len(lengths), max(1.0, float(lengths.mean())) if len(lengths) else 1.0)
        return self._counted[1:]

    def _rows_of(self, reads: AbstractReads, term: str) -> Positions:
        """Positions in the index of the rows that hold a word."""
        index = self.index
        generation, upto, known = self._known.get(term, (-1, 0, np.zeros(0, dtype=np.int32)))
        if generation != index.generation:  # positions have moved
            self._held -= len(known)
            upto, known = 0, np.zeros(0, dtype=np.int32)
        last = index.last_seq
        if upto < last:
            seqs = np.asarray(reads.postings(term, upto), dtype=np.int64)
            new = index.positions_of(seqs[seqs <= last]).astype(np.int32)
            known = np.concatenate([known, new]) if len(known) else new
            self._held += len(new)
            self._known[term] = (index.generation, last, known)
        self._known.move_to_end(term)
        while self._held > POSTINGS_KEPT and len(self._known) > 1:
            _, (_, _, gone) = self._known.popitem(last=False)
            self._held -= len(gone)
        return known
