"""Reading the journal, and proving that nobody edited it: every entry's hash covers the one before (law 6)."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.store.codec import GENESIS, chain_hash, hashed_fields
from reverie.store.port import AbstractReads

PAGE = 2000


@dataclass(frozen=True, slots=True)
class Chain:
    """The result of checking the chain. ``broken_at`` is the first entry that does not follow, None when all do."""

    entries: int
    broken_at: int | None = None
    why: str | None = None

    def __bool__(self) -> bool:
        return self.broken_at is None


def check_chain(reads: AbstractReads) -> Chain:
    """Walk the whole journal of a scope in constant memory."""
    previous, expected, n = GENESIS, 1, 0
    while True:
        page = reads.entries(after=n, limit=PAGE)
        for entry in page:
            if entry.n != expected:
                return Chain(expected - 1, expected, f"entry {expected} is missing")
            if entry.previous != previous:
                return Chain(expected - 1, entry.n, "it does not follow the entry before it")
            if chain_hash(previous, hashed_fields(entry)) != entry.hash:
                return Chain(expected - 1, entry.n, "its content was changed")
            previous, n, expected = entry.hash, entry.n, expected + 1
        if len(page) < PAGE:
            return Chain(expected - 1)
