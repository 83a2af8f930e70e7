"""The word lists, read once from the package's data files on first use."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def lines(name: str) -> list[str]:
    """The lines of a list, without comments and blanks. Raises `FileNotFoundError` for an unknown list."""
    text = files("reverie.text").joinpath("data", f"{name}.txt").read_text("utf-8")
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
