"""The analysis of one text: its canonical form as hashes, and its values. Pure, bounded, cached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

from reverie.text.concepts import load
from reverie.text.normalise import norm_hash, norm_text
from reverie.text.shapes import SHAPE_LIMIT, shape
from reverie.text.tokens import Clause, clauses

_ANSWERS = frozenset(("no", "yes", "not", "never"))
_CACHED = 16_384
_CACHE_CHARS = 4096


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the guard knows of one text.

    `signature` (16 bytes) is the hash of the canonical form: texts that state one fact in forms the guard understands
    share it, so candidates can be found by equality. `surface` (16 bytes) is the same before framing and order are
    folded.
    `clause_signatures` holds one hash a clause, in order. `key` is a cheap hash of the values (numbers, dates,
    identifiers, ...): where keys differ and neither text absorbs the other, `compare` is never SAME.
    """

    text: str
    signature: bytes
    surface: bytes
    clause_signatures: tuple[bytes, ...]
    key: int
    values: tuple[str, ...] = field(repr=False)
    clauses: tuple[Clause, ...] = field(repr=False)
    english: bool
    too_long: bool


def _digest(parts: str) -> bytes:
    return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def linear(clause: Clause) -> str:
    """The tokens in their order, without the `that` that joins clauses and the comma that only opens one."""
    return _flat(clause.tokens, clause.end)


def _flat(tokens: tuple[str, ...], end: str) -> str:
    kept = [
        word for i, word in enumerate(tokens) if word != "that" and (word != "," or (i == 1 and tokens[0] in _ANSWERS))
    ]
    return "\x1f".join(kept) + "\x1e" + end


def _key(values: tuple[str, ...]) -> int:
    """The hash of the values. "Mondays" counts as "Monday": for a stand-up they are the same."""
    plain = [value[:-1] if len(value) == 6 and value[:2] == "d:" and value[-1] == "s" else value for value in values]
    return int.from_bytes(_digest("\x1f".join(sorted(plain)))[:8], "big")


def _analyse(text: str) -> Analysis:
    split = clauses(text)
    if split is None:
        whole = norm_hash(text)
        return Analysis(text, whole, whole, (), int.from_bytes(whole[:8], "big"), (), (), False, True)
    parts, english = split
    if not parts:
        # No word at all: equal only to itself. Empty never means equal.
        whole = _digest("\x00" + norm_text(text))
        return Analysis(text, whole, whole, (), int.from_bytes(whole[:8], "big"), (), (), english, False)
    flat = [linear(part) for part in parts]
    canonical = [_canonical(part, line) if english else line for part, line in zip(parts, flat, strict=True)]
    surface = "\x1d".join(flat)
    signature = "\x1d".join(canonical)
    values = tuple(sorted(word for part in parts for word in part.tokens if word[1:2] == ":"))
    return Analysis(
        text,
        _digest(signature),
        _digest(surface),
        tuple(_digest(form) for form in canonical),
        _key(values),
        values,
        parts,
        english,
        False,
    )


def _canonical(clause: Clause, line: str) -> str:
    """The frame of a clause, or else its tokens with an opening adjunct moved behind."""
    if clause.end:
        return line
    lexicon = load()
    tokens = clause.tokens
    if tokens[0] in _ANSWERS and "," in tokens:
        return line
    return shape(tokens, lexicon) if 2 < len(tokens) <= SHAPE_LIMIT else line


_cached: Callable[[str], Analysis] = lru_cache(maxsize=_CACHED)(_analyse)


def analyse(text: str) -> Analysis:
    """The analysis of a text; never raises. The cache holds the last 16,384 texts of at most 4,096 characters."""
    return _cached(text) if len(text) <= _CACHE_CHARS else _analyse(text)


def forget() -> None:
    """Let go of every text: something was erased."""
    _cached.cache_clear()  # type: ignore[attr-defined]
