"""Full text on PostgreSQL: the embedded store's own tokenizer makes the words, so that both stores find the same.

A word stands in the index as ``12:garden``, 12 being the scope's number: the postings of one scope lie together, and another
scope's rows cost a look-up nothing. A tsvector keeps 256 positions of a word at most: long texts stand in parts that overlap.
"""

from __future__ import annotations

import hashlib
import threading
from functools import cache

import apsw

from reverie.text.fold import searchable

TOKENIZER = ["unicode61", "remove_diacritics", "2", "categories", "L* N* M* Co So"]  # as in the embedded store's schema
PART = 256  # words in a part
OVERLAP = 32  # words that two parts share: the longest phrase that is certain to be found
LONGEST = 200  # bytes; a longer word is indexed by its digest, as PostgreSQL takes none over 2 KB

_lock = threading.Lock()


@cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    # The connection lives as long as the process: a tokenizer is part of one.
    return apsw.Connection(":memory:").fts5_tokenizer("porter", TOKENIZER)


def tokens(text: str) -> list[str]:
    """The words of a text in order: folded, cut at spaces and punctuation, stemmed."""
    with _lock:
        found = _tokenizer()(
            searchable(text).encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
        )
    return [_short(str(word)) for word in found]


def _short(word: str) -> str:
    raw = word.encode()
    return word if len(raw) <= LONGEST else f"#{hashlib.sha256(raw).hexdigest()[:32]}"


def _lexeme(scope: int, word: str) -> str:
    return "'" + f"{scope}:{word}".replace("\\", "\\\\").replace("'", "''") + "'"


def vectors_of(text: str, scope: int) -> list[str]:
    """The text's parts as tsvector literals; one, perhaps empty, for any usual text."""
    words = tokens(text)
    parts = []
    for start in range(0, max(1, len(words) - OVERLAP), PART - OVERLAP):
        part = words[start : start + PART]
        parts.append(" ".join(f"{_lexeme(scope, w)}:{at}" for at, w in enumerate(part, 1)))
    return parts


def queries_of(word: str, scope: int) -> list[str]:
    """A word of a query, which may be a phrase such as v2.1, as tsqueries that must all match; none where it holds no word.

    A phrase of more words than two parts share is asked for by every stretch of it that is as long.
    """
    words = tokens(word)
    stretches = [words[at : at + OVERLAP] for at in range(max(1, len(words) - OVERLAP + 1))]
    return [" <-> ".join(_lexeme(scope, w) for w in stretch) for stretch in stretches if stretch]
