"""Spellings that differ in case alone, where case is meaning: code spans, `HttpClient`, `Hunter2`.

The canonical form folds the case of all that may be an ordinary word, so that a text in lower case still meets its
original. What case may still tell apart is looked at only when two texts would be the same."""

from __future__ import annotations

import re

_SPAN = re.compile(r"`([^`\n]{1,400})`")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_DIGIT = re.compile(r"\d")
_VERSION = re.compile(r"[vV]\d*")

Spelling = tuple[bool, bool, bool]
"""In a code span; with capitals inside; at the start of a sentence."""


def _spellings(text: str) -> dict[str, dict[str, Spelling]]:
    """Folded word to its spellings."""
    spans = [match.span(1) for match in _SPAN.finditer(text)] if "`" in text else []
    out: dict[str, dict[str, Spelling]] = {}
    at = 0
    for match in _WORD.finditer(text):
        word, start = match[0], match.start()
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        coded = at < len(spans) and spans[at][0] <= start
        inner = not word[1:].islower() and not word.isupper() and any(map(str.isupper, word[1:]))
        opens = not coded and (
            start == 0 or text[max(0, start - 8) : start].rstrip(" \"'*_>-\t`(")[-1:] in ("", ".", "!", "?", ":", "\n")
        )
        out.setdefault(word.lower(), {})[word] = (coded, inner, opens)
    return out


def clash(a: str, b: str) -> tuple[str, str] | None:
    """Two spellings that differ in case where case is meaning, or None."""
    if a.lower() == a == b or a == b:
        return None
    plain = a.islower() or b.islower() or a.isupper() or b.isupper()
    ours, theirs = _spellings(a), _spellings(b)
    for folded, left in ours.items():
        right = theirs.get(folded)
        if right is None or left.keys() & right.keys():
            continue
        one, (coded, inner, opens) = next(iter(left.items()))
        two, (their_code, their_inner, their_opens) = next(iter(right.items()))
        if one[1:] == two[1:] and ((opens and not their_code) or (their_opens and not coded)):
            continue
        if coded or their_code or (inner and their_inner):
            return one, two
        if not plain and _DIGIT.search(folded) and not _VERSION.fullmatch(folded):
            return one, two
    return None
