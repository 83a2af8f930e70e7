"""The near-duplicate join: every pair of rows at or over a cosine. It proposes; it never decides.

Two ways, one result: an exact one by blocks, for what is new against all that there is (the steady state), and a
clustered one for first passes over large namespaces, which finds the same pairs but for a few in ten thousand.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reverie.vectors.blas import one_thread

Vectors: TypeAlias = NDArray[np.float32]
Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]

BLOCK_ROWS = 2048
BLOCK_COLUMNS = 4096
CLUSTERED_FROM = 12_000  # below this the exact product is quicker
HOMES = 4
SEED = 20_260_217
DENSE = 64  # near rows of a row in one block, from which on only the nearest of them are kept


def near_pairs(
    matrix: Vectors, threshold: float, *, new: NDArray[np.int64] | None = None, most: int | None = None
) -> Pairs:
    """Pairs (i, j, cosine) with cosine >= threshold; i and j are row numbers, i != j, each pair once.

    Args:
        matrix: (n, d) float32, rows of length 1; rows of zeros match nothing.
        threshold: in (0, 1].
        new: the rows to compare with all others; None means every row. Where most rows are new, the clustered join
            takes over from `CLUSTERED_FROM` rows on.
        most: only pairs of which one row is among the so many nearest of the other, as far as it was compared.

    Returns:
        Three arrays of one length, sorted by cosine downwards, then by i and j.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"a cosine threshold lies in (0, 1], not at {threshold}")
    n = len(matrix)
    with one_thread():
        if new is not None and len(new) < n // 2:
            pairs = exact_pairs(matrix, threshold, np.asarray(new, dtype=np.int64), most)
        elif n >= CLUSTERED_FROM:
            pairs = clustered_pairs(matrix, threshold)
        else:
            pairs = exact_pairs(matrix, threshold, np.arange(n, dtype=np.int64), most)
    ordered = _ordered(pairs)
    return ordered if most is None else _nearest(ordered, most)


def _nearest(ordered: Pairs, most: int) -> Pairs:
    """Of pairs sorted by cosine downwards, those in which one row is among the ``most`` nearest of the other."""
    i, j, _ = ordered
    m = len(i)
    rows = np.concatenate((i, j))
    place = np.concatenate((np.arange(m), np.arange(m)))
    by_row = np.lexsort((place, rows))
    sorted_rows = rows[by_row]
    starts = np.flatnonzero(np.r_[True, sorted_rows[1:] != sorted_rows[:-1]]) if m else np.zeros(0, dtype=np.int64)
    rank = np.arange(2 * m) - np.repeat(starts, np.diff(np.r_[starts, 2 * m]))
    keep = np.zeros(m, dtype=bool)
    keep[place[by_row[rank < most]]] = True
    return i[keep], j[keep], ordered[2][keep]


def exact_pairs(matrix: Vectors, threshold: float, new: NDArray[np.int64], most: int | None = None) -> Pairs:
    """Blocked product of the new rows with all rows: exact, cost len(new) * n * d.

    ``most``: of one block of rows against another, only so many of each row's nearest are kept, so that memory stays bounded
    in a namespace whose texts are all alike.
    """
    n = len(matrix)
    is_new = np.zeros(n, dtype=bool)
    is_new[new] = True
    parts: list[Pairs] = []
    for start in range(0, len(new), BLOCK_ROWS):
        rows = new[start : start + BLOCK_ROWS]
        left = matrix[rows]
        for column in range(0, n, BLOCK_COLUMNS):
            right = matrix[column : column + BLOCK_COLUMNS]
            if column + len(right) <= rows[0] and is_new[column : column + len(right)].all():
                continue  # seen from the other side
            product = left @ right.T
            hits = _hits(product, threshold, most)
            i, j = rows[hits // len(right)], column + hits % len(right)
            keep = (i < j) | ((i > j) & ~is_new[j])
            i, j = i[keep], j[keep]
            parts.append((np.minimum(i, j), np.maximum(i, j), product.ravel()[hits[keep]]))
    return _joined(parts)


def _hits(product: Vectors, threshold: float, most: int | None) -> NDArray[np.int64]:
    hits = np.flatnonzero(product >= threshold)
    width = product.shape[1]
    if most is None or len(hits) <= DENSE * product.shape[0] or width <= DENSE:
        return hits
    top = np.argpartition(product, width - max(most, DENSE), axis=1)[:, -max(most, DENSE) :]
    found = (np.arange(product.shape[0])[:, None] * width + top).ravel()
    return np.sort(found[product.ravel()[found] >= threshold])


def clustered_pairs(matrix: Vectors, threshold: float, *, homes: int = HOMES, seed: int = SEED) -> Pairs:
    """Rows meet only in cells that both call home: about 4 sqrt(n) cells, each row at home in its nearest few."""
    n = len(matrix)
    cells = max(1, min(n, int(4 * np.sqrt(n))))
    rng = np.random.default_rng(seed)
    centres = matrix[np.sort(rng.choice(n, size=cells, replace=False))]
    # Unrelated texts share a common direction; without it the cells are of more even size.
    centres = _unit(centres - matrix[rng.choice(n, size=min(n, 4096), replace=False)].mean(axis=0))
    homes = min(homes, cells)
    home = np.empty((n, homes), dtype=np.int32)
    for start in range(0, n, BLOCK_ROWS):
        nearness = matrix[start : start + BLOCK_ROWS] @ centres.T
        home[start : start + BLOCK_ROWS] = np.argpartition(nearness, cells - homes, axis=1)[:, cells - homes :]
    cell_of, row_of = home.ravel(), np.repeat(np.arange(n, dtype=np.int64), homes)
    order = np.argsort(cell_of, kind="stable")
    cell_of, row_of = cell_of[order], row_of[order]
    edges = np.searchsorted(cell_of, np.arange(cells + 1))
    parts: list[Pairs] = []
    for c in range(cells):
        members = row_of[edges[c] : edges[c + 1]]
        if len(members) > 1:
            parts.append(_within(matrix, members, threshold))
    i, j, cosine = _joined(parts)
    _, first = np.unique(i * n + j, return_index=True)
    return i[first], j[first], cosine[first]


def _within(matrix: Vectors, members: NDArray[np.int64], threshold: float) -> Pairs:
    block = matrix[members]
    parts: list[Pairs] = []
    for start in range(0, len(members), BLOCK_ROWS):
        left = block[start : start + BLOCK_ROWS]
        right, there = block[start:], members[start:]
        product = left @ right.T
        hits = np.flatnonzero(product >= threshold)
        a, b = hits // len(right), hits % len(right)
        keep = a < b
        parts.append((there[a[keep]], there[b[keep]], product.ravel()[hits[keep]]))
    i, j, cosine = _joined(parts)
    return np.minimum(i, j), np.maximum(i, j), cosine


def _joined(parts: list[Pairs]) -> Pairs:
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, np.zeros(0, dtype=np.float32)
    return (
        np.concatenate([p[0] for p in parts]),
        np.concatenate([p[1] for p in parts]),
        np.concatenate([p[2] for p in parts]),
    )


def _ordered(pairs: Pairs) -> Pairs:
    i, j, cosine = pairs
    order = np.lexsort((j, i, -cosine))
    return i[order], j[order], cosine[order]


def _unit(matrix: Vectors) -> Vectors:
    found: Vectors = (matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return found
