"""The near-duplicate join: both ways find what a plain double loop finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.vectors.join import clustered_pairs, exact_pairs, near_pairs


def unit(n: int, dim: int, seed: int) -> np.ndarray:
    r = np.random.default_rng(seed)
    m = r.normal(size=(n, dim)).astype(np.float32)
    for i in range(0, n, 3):  # plant near copies
        if i + 1 < n:
            m[i + 1] = m[i] + 0.1 * r.normal(size=dim)
    return (m / np.linalg.norm(m, axis=1, keepdims=True)).astype(np.float32)


def plain(m: np.ndarray, threshold: float) -> set[tuple[int, int]]:
    return {(i, j) for i in range(len(m)) for j in range(i + 1, len(m)) if float(m[i] @ m[j]) >= threshold}


def as_set(pairs) -> set[tuple[int, int]]:
    i, j, cosine = pairs
    assert (np.diff(cosine) <= 1e-6).all()
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    assert len(found) == len(set(found)) and all(a < b for a, b in found)
    return set(found)


@given(st.integers(0, 60), st.integers(0, 10_000), st.sampled_from([0.5, 0.9, 0.95]))
def test_every_pair_is_found_once(n, seed, threshold):
    m = unit(n, 8, seed) if n else np.zeros((0, 8), np.float32)
    assert as_set(near_pairs(m, threshold)) == plain(m, threshold)


@given(st.integers(2, 60), st.integers(0, 10_000), st.data())
def test_new_rows_meet_all_others_once(n, seed, data):
    m = unit(n, 8, seed)
    new = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), max_size=n))), dtype=np.int64)
    want = {(i, j) for i, j in plain(m, 0.9) if i in set(new.tolist()) or j in set(new.tolist())}
    i, j, cosine = exact_pairs(m, 0.9, new)
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    assert len(found) == len(set(found)) and set(found) == want and len(cosine) == len(found)


def test_blocks_larger_than_one_agree(monkeypatch):
    monkeypatch.setattr("reverie.vectors.join.BLOCK_ROWS", 7)
    monkeypatch.setattr("reverie.vectors.join.BLOCK_COLUMNS", 11)
    m = unit(100, 8, 3)
    assert as_set(near_pairs(m, 0.9)) == plain(m, 0.9)
    new = np.arange(0, 100, 5)
    want = {(i, j) for i, j in plain(m, 0.9) if i % 5 == 0 or j % 5 == 0}
    assert as_set(near_pairs(m, 0.9, new=new)) == want


def test_the_clustered_join_finds_nearly_all_pairs_of_real_spread():
    m = unit(3000, 64, 5)
    exact = set(zip(*(x.tolist() for x in exact_pairs(m, 0.9, np.arange(3000))[:2]), strict=True))
    found = set(zip(*(x.tolist() for x in clustered_pairs(m, 0.9)[:2]), strict=True))
    assert found <= exact and len(found) >= 0.995 * len(exact) > 500


def test_rows_of_zeros_match_nothing():
    m = unit(10, 8, 1)
    m[4] = 0
    assert all(4 not in pair for pair in as_set(near_pairs(m, 0.01)))


@pytest.mark.parametrize("threshold", [0, -1, 1.1])
def test_a_threshold_out_of_range_is_refused(threshold):
    with pytest.raises(ValueError, match="cosine"):
        near_pairs(unit(4, 8, 1), threshold)
