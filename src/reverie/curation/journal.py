"""Reading the journal, and proving that nobody edited it: every entry's hash covers the one before (law 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reverie.erasure.emptying import MOVE, is_emptied
from reverie.erasure.emptying import digest as digest_of
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
    """Walk the whole journal of a scope in constant memory, but for the entries that erasures have emptied.

    An entry that does not fit its hash is sound only if it says that it was emptied, and a later erasure, which fits its own,
    names it with the digest of what is left of it: nobody hides an edit behind an erasure without rebuilding the chain.
    """
    previous, expected, n = GENESIS, 1, 0
    emptied: dict[int, str] = {}
    while True:
        page = reads.entries(after=n, limit=PAGE)
        for entry in page:
            if entry.n != expected:
                return _first(emptied, Chain(expected - 1, expected, f"entry {expected} is missing"))
            if entry.previous != previous:
                return _first(emptied, Chain(expected - 1, entry.n, "it does not follow the entry before it"))
            if chain_hash(previous, hashed_fields(entry)) == entry.hash:
                for number, digest in entry.detail.get("emptied", ()) if entry.move == MOVE else ():
                    if emptied.get(number) == digest:
                        del emptied[number]
            elif is_emptied(entry):
                emptied[entry.n] = digest_of(entry)
            else:
                return _first(emptied, Chain(expected - 1, entry.n, "its content was changed"))
            previous, n, expected = entry.hash, entry.n, expected + 1
        if len(page) < PAGE:
            return _first(emptied, Chain(expected - 1))


def _first(emptied: Mapping[int, str], found: Chain) -> Chain:
    """The first bad entry: one that says that it was emptied comes before what was found, and no erasure names it."""
    if not emptied:
        return found
    n = min(emptied)
    return Chain(n - 1, n, "it was emptied, and no erasure says so")
