"""The word lists, read once from the package's data files on first use."""

from __future__ import annotations

from functools import cache
from pkgutil import get_data


def listed(text: str) -> list[str]:
    """The words of a table that is written as running text."""
    return text.split()


def bag(text: str) -> frozenset[str]:
    """The words of a table that is written as running text, as a set."""
    return frozenset(text.split())


def lines(name: str) -> list[str]:
    """The lines of a list, without comments and blanks. Raises `FileNotFoundError` for an unknown list."""
    # Not importlib.resources: its import alone takes longer than this package's.
    data = get_data("reverie.text", f"data/{name}.txt")
    if data is None:
        raise FileNotFoundError(name)
    text = data.decode()
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


@cache
def slots() -> dict[str, tuple[str, ...]]:
    """Word to the names of the closed slots that it fills."""
    out: dict[str, tuple[str, ...]] = {}
    for line in lines("slots"):
        name, _, words = line.partition(":")
        for word in words.split():
            out[word] = (*out.get(word, ()), name)
    return out


@cache
def antonyms() -> dict[str, tuple[int, ...]]:
    """Word to its sides: `2 * pair` for the left, `2 * pair + 1` for the right; opposites differ in the last bit."""
    out: dict[str, tuple[int, ...]] = {}
    for pair, line in enumerate(lines("antonyms")):
        for side, words in enumerate(line.split("/")):
            for word in words.split():
                out[word] = (*out.get(word, ()), 2 * pair + side)
    return out


@cache
def hard() -> dict[str, str]:
    """Word that must stand in both texts to the reason when it does not; the first listing counts."""
    out: dict[str, str] = {}
    for line in lines("hard"):
        reason, _, words = line.partition(":")
        for word in words.split():
            out.setdefault(word, reason)
    return out
