"""Whether a composed text says more than its sources: every number and name in it must occur in one of them (law 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:[.,:/\-]\d+)*")
_WORD = re.compile(r"[^\W\d_]\w*(?:[-'’]\w+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s+|\n\s*)$")


def unsupported(text: str, sources: Sequence[str]) -> list[str]:
    """Numbers and names of ``text`` that no source has, in order; empty when all are there.

    A capitalised word counts as a name unless it only starts a sentence. Linear in the length of all texts.
    """
    numbers = {n for s in sources for n in _NUMBER.findall(s)}
    words = {w.casefold() for s in sources for w in _WORD.findall(s)}
    missing: dict[str, None] = {n: None for n in _NUMBER.findall(text) if n not in numbers}
    for match in _WORD.finditer(text):
        word = match.group()
        if not any(c.isupper() for c in word) or word.casefold() in words:
            continue
        head = text[max(0, match.start() - 8) : match.start()]
        if word[1:].islower() and _SENTENCE_START.search(head):
            continue
        missing[word] = None
    return list(missing)
