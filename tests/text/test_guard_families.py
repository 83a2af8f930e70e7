"""Our own fact families: phrasings of one fact share a signature, near misses never merge."""

from __future__ import annotations

from itertools import combinations

import pytest
from families import FAMILIES

from reverie.text.guard import Outcome, analyse, compare

FILL = {"s": "Ana Abbott", "t": "Bo Castro"}


def _filled(texts: list[str]) -> list[str]:
    return [text.format(**FILL) for text in texts]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_near_miss_is_never_the_same(family: str) -> None:
    phrasings, near = map(_filled, FAMILIES[family])
    for text in phrasings:
        for other in near:
            assert compare(text, other).outcome is not Outcome.SAME, (text, other)
            assert compare(other.lower(), text).outcome is not Outcome.SAME


def test_families_never_meet() -> None:
    owner: dict[bytes, str] = {}
    for family, (phrasings, _) in FAMILIES.items():
        for text in _filled(phrasings):
            assert owner.setdefault(analyse(text).signature, family) == family, text


def test_most_phrasings_of_one_fact_are_cleared() -> None:
    total = cleared = 0
    for phrasings, _ in FAMILIES.values():
        for a, b in combinations(_filled(phrasings), 2):
            total += 1
            if compare(a, b).outcome is Outcome.SAME:
                cleared += 1
                assert analyse(a).key == analyse(b).key
    assert cleared / total > 0.9


@pytest.mark.parametrize("family", FAMILIES)
def test_casing_and_end_do_not_matter(family: str) -> None:
    for text in _filled(FAMILIES[family][0]):
        for other in (text.lower(), text.rstrip("."), text[:-1] + "!", "Note: " + text, "FYI, " + text):
            assert analyse(text).signature == analyse(other).signature, other
