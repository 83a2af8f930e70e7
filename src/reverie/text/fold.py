"""What full-text search folds before its tokenizer sees a text."""

from __future__ import annotations

import re
import unicodedata

_POSSESSIVE = re.compile(r"['’][sS]\b")


def searchable(text: str) -> str:
    """The text as it is indexed and searched: possessives taken off, so that "Robin's" is found by robin."""
    text = unicodedata.normalize("NFKC", text)
    return _POSSESSIVE.sub("", text)
