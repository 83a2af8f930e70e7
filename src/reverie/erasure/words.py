"""Which words an erasure takes out of the world: those of the erased texts that no memory which stays holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from reverie.text.fold import UNSPACED, folded

_WORD = re.compile(r"\w+")
_RUN = re.compile(f"[{UNSPACED}]+")
SHORTEST = 3  # characters of a word that says anything
REPEATED, REMEMBERED = 80, 100_000


def words(text: str) -> set[str]:
    """The words of a text, folded; runs of a script without spaces as pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(folded(text)):
        runs = _RUN.findall(word)
        for run in runs:
            found |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
        found |= {w for w in (_RUN.split(word) if runs else (word,)) if len(w) >= SHORTEST}
    return found


def leaves(value: Any) -> Iterable[str]:
    """Every text in a piece of JSON, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from leaves(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from leaves(inner)


class Words:
    """What is to be found nowhere: ``texts`` as a whole, and ``rare`` words, from which those that stay are taken."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.rare: set[str] = set()
        self._known: dict[str, bool] = {}  # of short texts, which a journal repeats

    def goes(self, *texts: str | None, metadata: Mapping[str, Any] | None = None) -> None:
        """Texts that are erased."""
        for text in (*texts, *leaves(dict(metadata or {}))):
            if text:
                self.texts.add(text)
                self.rare |= words(text)

    def stays(self, *texts: str | None, metadata: Mapping[str, Any] | None = None) -> None:
        """Texts that are kept: their words give nothing away."""
        if self.rare:
            for text in (*texts, *leaves(dict(metadata or {}))):
                if text:
                    self.rare -= words(text)

    def speaks(self, text: str | None) -> bool:
        """Whether a text that somebody composed or asked holds any of it."""
        return text is not None and (text in self.texts or not self.rare.isdisjoint(words(text)))

    def quotes(self, text: str | None) -> bool:
        """Whether a text of the code's own, such as a reason or an error, repeats an erased one. Asked once all words are in."""
        if not text:
            return False
        known = self._known.get(text)
        if known is None:
            known = text in self.texts or (
                not self.rare.isdisjoint(words(text)) and any(t in text for t in self.texts if len(t) >= SHORTEST)
            )
            if len(text) <= REPEATED and len(self._known) < REMEMBERED:
                self._known[text] = known
        return known


__all__ = ["Words", "leaves", "words"]
