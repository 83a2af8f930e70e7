"""How stored text is shown, names become paths, and two texts are compared."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.doors.dashboard import charts, showing, telling
from reverie.doors.dashboard.visit import namespace_of, segment
from reverie.errors import NotFound


@given(st.text())
def test_no_text_becomes_markup(text):
    shown = str(showing.text(text)).replace('<span class="unseen">', "").replace("</span>", "")
    assert "<" not in shown and ">" not in shown and '"' not in shown and "'" not in shown
    assert not any(c in str(showing.text(text)) for c in "\u202e\u2066\u200b\ufeff\x1b\x07\x85\u2028")


@given(st.text(max_size=300))
def test_what_stands_in_an_attribute_is_one_line(text):
    assert "\n" not in showing.plain(text) and len(showing.plain(text)) <= showing.SHORT


@given(st.text(min_size=1, max_size=256).filter(str.strip))
def test_a_name_becomes_one_part_of_a_path_and_comes_back(name):
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    part = segment(name)
    assert namespace_of(part) == name and "/" not in part and part.isascii() and part.strip(".") and "%" not in part


@pytest.mark.parametrize("wrong", ["~!", "~\u00fc", "~_w", "~a"])
def test_a_part_that_is_no_name_is_not_there(wrong):
    with pytest.raises(NotFound):
        namespace_of(wrong)


@given(st.text(alphabet="ab c.\n", max_size=60), st.text(alphabet="ab c.\n", max_size=60))
def test_compared_texts_are_whole(a, b):
    left, right = telling.compared(a, b)
    assert "".join(p for p, _ in left) == a and "".join(p for p, _ in right) == b
    assert [p for p, differs in left if not differs and p.strip()] or not set(a.split()) & set(b.split()) or a != b
    if a == b:
        assert not any(differs for _, differs in (*left, *right))


def test_a_hostile_pair_is_compared_in_a_moment():
    start = time.monotonic()
    telling.compared("a b " * 4_000, "b a " * 4_000)
    assert time.monotonic() - start < 2


@given(st.floats(0, 1e9, allow_nan=False))
def test_a_scale_reaches_over_what_it_shows(most):
    assert charts.nice(most) >= most


def test_shares_fill_the_line():
    found = charts.shares({"live": 100_000, "merged": 1, "archived": 0})
    assert [s.name for s in found] == ["live", "merged"] and abs(sum(s.width for s in found) - 100) < 0.01
    assert charts.shares({"live": 0}) == ()
