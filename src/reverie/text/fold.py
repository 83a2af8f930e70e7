"""What a text becomes before it is indexed or searched: case and diacritics folded, ideographs set apart.

Done here and not in a tokenizer of the store, so that every store finds the same; what is left for the store is to split
at spaces and punctuation.
"""

from __future__ import annotations

import re
import unicodedata

# Scripts that are written without spaces: each character becomes a word, and several of them a phrase.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNSPACED = re.compile(f"([{UNSPACED}])")
_POSSESSIVE = re.compile(r"['’]s\b")
_MARKS = re.compile(r"[\u0300-\u036f]+")


def folded(text: str) -> str:
    """Case and diacritics folded, possessives taken off: "Robin's" and "ROBIN" become robin, "Grüße" grusse."""
    if text.isascii():
        return _POSSESSIVE.sub("", text.lower())
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    return _POSSESSIVE.sub("", text)


def searchable(text: str) -> str:
    """`folded`, with spaces around every character of an unspaced script: what the store indexes."""
    text = folded(text)
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)
