from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.embed import HashingEmbedder
from reverie.errors import InvalidInput


@given(st.text(st.characters(), max_size=60))
def test_any_text_with_a_visible_character_has_a_direction(text: str) -> None:
    row = HashingEmbedder(64).embed([text])[0]
    assert np.linalg.norm(row) == pytest.approx(1.0 if text.strip() else 0.0, abs=1e-5)


def test_the_same_on_every_machine() -> None:
    row = HashingEmbedder(32).embed(["The staging database listens on port 5432."])[0]
    assert [int(i) for i in np.argsort(-np.abs(row), kind="stable")[:4]] == [11, 13, 24, 3]


def test_case_form_and_batch_do_not_matter_and_spelling_does() -> None:
    embed = HashingEmbedder().embed
    a, b, c, d = embed(["Staging DB on 5432", "ｓｔａｇｉｎｇ  db ON 5432", "staging dbs on 5432", "penguins huddle"])
    assert a @ b == pytest.approx(1.0, abs=1e-6)
    assert 0.7 < a @ c < 1.0
    assert abs(a @ d) < 0.35
    np.testing.assert_array_equal(embed(["staging dbs on 5432"], "query")[0], c)


@pytest.mark.parametrize("dim", [0, 15, 4097, -1])
def test_dimension_bounds(dim: int) -> None:
    with pytest.raises(InvalidInput):
        HashingEmbedder(dim)


def test_a_megabyte_costs_what_a_page_costs() -> None:
    huge = HashingEmbedder().embed(["word " * 200_000, "\u0301" * 1_000_000])
    assert huge.shape == (2, 256)
    assert HashingEmbedder(300).model_id != HashingEmbedder(301).model_id
