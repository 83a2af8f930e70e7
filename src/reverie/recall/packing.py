"""Fitting what was recalled into a budget of tokens, with gists where the whole text does not fit."""

from __future__ import annotations

from collections.abc import Sequence

from reverie.model import Memory

CHARS_A_TOKEN = 4


def tokens(text: str) -> int:
    """About how many tokens a text costs: a quarter of its characters, one for each that is not Latin."""
    wide = sum(1 for c in text if ord(c) > 0x2E7F)
    return max(1, wide + -(-(len(text) - wide) // CHARS_A_TOKEN))


def pack(memories: Sequence[Memory], budget: int) -> list[tuple[int, str]]:
    """(position, text to show) of those that fit, best first; the gist stands in for a text that is too long.

    One that does not fit is passed over, and smaller ones after it still get their chance. Never more than the budget.
    """
    shown: list[tuple[int, str]] = []
    left = budget
    for at, m in enumerate(memories):
        for text in (m.text, m.gist):
            if text is not None and (cost := tokens(text)) <= left:
                shown.append((at, text))
                left -= cost
                break
    return shown
