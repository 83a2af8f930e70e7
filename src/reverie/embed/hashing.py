"""HashingEmbedder: words and letter triples hashed into a vector. NumPy only; for tests and as the last resort."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from math import log

import numpy as np

from reverie.embed.port import Kind, Vectors, clamp
from reverie.errors import InvalidInput

__all__ = ["HashingEmbedder"]

_WORD = re.compile(r"\w+")
_TRIPLE_WEIGHT = 0.5
"""A word is worth two of its triples: whole words say more, triples forgive endings and typing errors."""


class HashingEmbedder:
    """Signed feature hashing of words and character triples, L2-normalised; the same on every machine and run.

    It knows spelling, not meaning: a restatement in other words scores near 0. A text with a visible character has
    a vector of length 1; a blank text has the zero vector, which `checked` reports.

    dim: numbers in a vector, 16 to 4,096; default 256. Raises InvalidInput outside that.
    """

    def __init__(self, dim: int = 256) -> None:
        if not 16 <= dim <= 4096:
            raise InvalidInput(f"a hashing embedder has 16 to 4096 dimensions, not {dim}")
        self.dim = dim
        self.model_id = f"reverie-hashing-v1:{dim}"

    def __repr__(self) -> str:
        return f"HashingEmbedder(dim={self.dim})"

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Return shape (len(texts), dim), float32. `kind` changes nothing. Raises nothing."""
        out = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(out, texts, strict=True):
            self._fill(row, text)
        return out

    def _fill(self, row: Vectors, text: str) -> None:
        words = unicodedata.normalize("NFKC", clamp(text)).casefold().split()
        if not words:
            return
        whole = f" {' '.join(words)} "
        counts = Counter(_WORD.findall(whole))
        features = [(f"w{word}", 1.0 + log(n)) for word, n in counts.items()]
        triples = Counter(whole[i : i + 3] for i in range(len(whole) - 2))
        features += [(f"t{triple}", _TRIPLE_WEIGHT * (1.0 + log(n))) for triple, n in triples.items()]
        for feature, weight in features:
            place, sign = self._place(feature)
            row[place] += sign * weight
        norm = float(np.linalg.norm(row))
        if norm < 1e-6:  # every feature cancelled another: rare, and still no reason to have no vector
            row[:] = 0.0
            row[self._place(f"s{whole}")[0]] = norm = 1.0
        row /= norm

    def _place(self, feature: str) -> tuple[int, float]:
        number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
        return (number >> 1) % self.dim, 1.0 if number & 1 else -1.0
