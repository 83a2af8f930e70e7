"""Gists: shorter wordings beside a text. How one is cut without a model [S1], and what a composed one may not do (law 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reverie.text import guard
from reverie.text.claims import unsupported
from reverie.text.lexicon import antonyms, hard

ELLIPSIS = "…"
_MARK = re.compile(r"\s*\[merged:\s*", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?")
_SHARED = 0.5  # words that a sentence must share with a clause of the source to be about the same


def cut(text: str, most: int) -> str:
    """The first words of a text, at most ``most`` characters and an ellipsis, never in the middle of a word.

    Merge marks of other systems are taken out first. A text that fits is given back whole.
    """
    plain = " ".join(unmarked(text).split())
    if len(plain) <= most:
        return plain
    head = plain[: most - len(ELLIPSIS) + 1]
    at = head.rfind(" ")
    return (head[:at] if at > 0 else plain[: most - len(ELLIPSIS)]).rstrip(" ,;:-–—") + ELLIPSIS


def unmarked(text: str) -> str:
    """A text without the brackets of ``[merged: …]``, however deep they stand in each other; their contents stay."""
    if not _MARK.search(text):
        return text
    out: list[str] = []
    depth: list[bool] = []  # per open bracket: whether it opened a merge mark
    at = 0
    while at < len(text):
        mark = _MARK.match(text, at)
        if mark:
            depth.append(True)
            out.append(" ")
            at = mark.end()
            continue
        c = text[at]
        if c == "[":
            depth.append(False)
        if c == "]" and depth and depth.pop():
            at += 1
            continue
        out.append(c)
        at += 1
    return "".join(out)


def appended(text: str, others: Sequence[str], each: int, most: int) -> str:
    """A text with others behind it, each cut to ``each`` characters in one mark; as many as fit in ``most`` characters.

    It is made of texts and never of gists, so that no mark stands in another.
    """
    gist = unmarked(text) if len(unmarked(text)) <= most else cut(text, most)
    for other in dict.fromkeys(others):
        if other == text:
            continue
        more = f"\n[merged: {cut(other, each)}]"
        if len(gist) + len(more) > most:
            break
        gist += more
    return gist


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, without their surrounding space."""
    return [s.strip() for s in _SENTENCE.findall(text) if s.strip()]


def faithful(gist: str, sources: Sequence[str]) -> bool:
    """Whether a composed gist names nothing that its sources lack, and turns nothing that they say into its opposite.

    Numbers and names must occur in a source. A sentence about the same as a clause of a source may not differ from it in a
    negation, a modality, a qualifier or by an antonym. Sentences about nothing in the sources are refused.
    """
    if unsupported(gist, sources) or _MARK.search(gist):
        return False
    clauses = [frozenset(c.tokens) for s in sources for c in guard.analyse(s).clauses]
    if not clauses:
        return False
    return all(_agrees(frozenset(c.tokens), clauses) for c in guard.analyse(gist).clauses)


def _agrees(mine: frozenset[str], clauses: Sequence[frozenset[str]]) -> bool:
    words = hard()
    plain = {w for w in mine if w not in words}
    if not plain:
        return not mine
    nearest = max(clauses, key=lambda c: (len(plain & c), -len(c)))
    if len(plain & nearest) < _SHARED * len(plain):
        return False
    about = [c for c in clauses if len(plain & c) == len(plain & nearest)]
    return any(_same_polarity(mine, c) for c in about)


def _same_polarity(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    words, sides = hard(), antonyms()
    if {w for w in mine if w in words} != {w for w in theirs if w in words}:
        return False
    held = {side for w in theirs for side in sides.get(w, ())}
    return not any(side ^ 1 in held and side not in held for w in mine - theirs for side in sides.get(w, ()))
