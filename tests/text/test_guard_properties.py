"""What holds for any text whatever."""

from __future__ import annotations

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.text.guard import Outcome, analyse, compare
from reverie.text.normalise import norm_hash, norm_text, text_hash

_TEXT = (
    "Ana Bo Corvus Atlas leads manages is are was by led managed 's manager employer of the a an to from has have "
    "in on at works owns owned owes debt uses port 5 54 3.5 named brother that who prefers where lives for and "
    "before her not never no Monday March 2026 every 9:00 2pm $5 5% euros thousand two twenty first v1.2.3 "
    "/etc/hosts -p max_tokens don't it's `x` **bold** (maybe) Note: FYI , . ; ? ! - — -- # C++ c# team project "
    "people version flight budget set when ordering takes usually weekend hobby 日本 שלום é 😀 ... \n"
)
_WORDS = _TEXT.split(" ")
WORDY = st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join)
ANY = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60)
TEXT = WORDY | ANY
NAMES = ["Ana", "Bruno", "Chidi", "Dalia", "Corvus", "Helixa", "Oslo", "Quito", "Postgres"]


@given(TEXT)
def test_reflexive(text: str) -> None:
    assert compare(text, text).outcome is Outcome.SAME


@given(TEXT, TEXT)
@settings(max_examples=300)
def test_symmetric_and_signed(a: str, b: str) -> None:
    there, back = compare(a, b), compare(b, a)
    assert there.swapped().detail == back.detail
    assert (there.outcome, there.reason) == (back.outcome, back.reason)
    assert {"either": "either", "a": "b", "b": "a"}[there.keeps] == back.keeps
    left, right = analyse(a), analyse(b)
    if there.outcome is Outcome.SAME and there.keeps == "either":
        assert left.signature == right.signature
        assert left.key == right.key
    if norm_text(a) == norm_text(b):
        assert there.outcome is Outcome.SAME
        assert left.signature == right.signature
        assert norm_hash(a) == norm_hash(b)


@given(TEXT)
def test_surface_changes_are_harmless(text: str) -> None:
    assert norm_text("  " + text.replace(" ", "   ") + " ") == norm_text(text) or not text.split()
    assert len(text_hash(text)) == 16


@given(TEXT, st.integers(0, 10_000), st.integers(1, 9))
@settings(max_examples=400)
def test_another_digit_is_never_the_same(text: str, at: int, step: int) -> None:
    places = [i for i, char in enumerate(text) if char in string.digits]
    if not places:
        return
    place = places[at % len(places)]
    other = text[:place] + str((int(text[place]) + step) % 10) + text[place + 1 :]
    assert compare(text, other).outcome is not Outcome.SAME, (text, other)


@given(WORDY, st.integers(0, 100))
@settings(max_examples=300)
def test_inserted_not_is_never_the_same(text: str, at: int) -> None:
    words = text.split(" ")
    place = at % (len(words) + 1)
    other = " ".join([*words[:place], "not", *words[place:]])
    assert compare(text, other).outcome is not Outcome.SAME


@given(
    # "Ana and Bo" is "Bo and Ana".
    st.lists(st.sampled_from([w for w in _WORDS if w not in NAMES and w != "and"]), min_size=3, max_size=9),
    st.permutations(NAMES),
    st.data(),
)
@settings(max_examples=400)
def test_swapped_names_are_never_the_same(words: list[str], names: list[str], data: st.DataObject) -> None:
    first, second = sorted(data.draw(st.lists(st.integers(0, len(words)), min_size=2, max_size=2)))
    one = [*words[:first], names[0], *words[first:second], names[1], *words[second:]]
    two = [*words[:first], names[1], *words[first:second], names[0], *words[second:]]
    assert compare(" ".join(one), " ".join(two)).outcome is not Outcome.SAME
