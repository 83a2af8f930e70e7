"""One change of meaning in one of two texts that are the same: never the same again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from families import FAMILIES
from test_guard_shapes import CLEAR

from reverie.text.guard import Outcome, compare

FILL = {"s": "Ana Abbott", "t": "Bo Castro"}
_HARD = Path(__file__).parents[1] / "data" / "hard_pairs.jsonl"
_NAME = re.compile(r"(?<=[^.!?:;*] )[A-Z][a-z]+\b")
_NAME_OR_FIRST = re.compile(r"\b[A-Z][a-z]+\b")
_OPPOSITE = {"from": "to", "to": "from", "before": "after", "after": "before", "with": "without", "above": "below"}
# Symmetric by meaning, or a word of a name: a swap says the same.
_SYMMETRIC = re.compile(r"married|spouse|friend|sibling|colleague|neighbour|flatmate|share|met |meet|\band\b|&|Note")


def _pairs() -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for phrasings, _ in FAMILIES.values():
        out += combinations([text.format(**FILL) for text in phrasings], 2)
    if _HARD.exists():
        rows = [json.loads(line) for line in _HARD.read_text("utf-8").splitlines()]
        out += [(row["a"], row["b"]) for row in rows if row["label"] == "SAME"]
    out += [pair for pairs in CLEAR.values() for pair in pairs]
    return [pair for pair in out if compare(*pair).outcome is Outcome.SAME]


PAIRS = _pairs()


def _numbers(text: str) -> Iterator[str]:
    for match in re.finditer(r"\d+", text):
        yield text[: match.start()] + str(int(match[0]) + 1) + text[match.end() :]


def _negations(text: str) -> Iterator[str]:
    words = text.split()
    for i in range(len(words) + 1):
        yield " ".join([*words[:i], "not", *words[i:]])


def _swaps(text: str) -> Iterator[str]:
    if _SYMMETRIC.search(text):
        return
    for one, two in combinations(sorted(set(_NAME.findall(text))), 2):
        other = {one: two, two: one}
        yield _NAME_OR_FIRST.sub(lambda match, other=other: other.get(match[0], match[0]), text)  # type: ignore[misc]


def _prepositions(text: str) -> Iterator[str]:
    words = text.split()
    for i, word in enumerate(words[1:], 1):
        if word in _OPPOSITE:
            yield " ".join([*words[:i], _OPPOSITE[word], *words[i + 1 :]])
        if word in ("from", "with", "before", "after", "until", "since", "without", "above", "below", "under", "over"):
            yield " ".join([*words[:i], *words[i + 1 :]])


# "is due from Ana" is what "is due Ana" would be.
_UNGRAMMATICAL = re.compile(r"is due (Ana|to)")


@pytest.mark.parametrize("mutate", [_numbers, _negations, _swaps, _prepositions])
def test_a_mutation_is_never_the_same(mutate: object) -> None:
    tried = 0
    assert callable(mutate)
    for pair in PAIRS:
        for text, other in (pair, pair[::-1]):
            for mutant in mutate(text):
                if mutant == text or _UNGRAMMATICAL.search(mutant):
                    continue
                tried += 1
                assert compare(mutant, text).outcome is not Outcome.SAME, (mutant, text)
                assert compare(mutant, other).outcome is not Outcome.SAME, (mutant, other)
    assert tried > 100
