"""What the store keeps of the guard's view of a text."""

from __future__ import annotations

GRAMMAR = 2
"""Raised whenever a change of the guard gives any text another signature: stored ones are then made anew. A test keeps
watch over it (tests/text/test_signatures.py). Raised to 2 for steps that had not seen the rows of older stores: every row is
examined again."""


def signatures(text: str) -> list[bytes]:
    """The whole text's signature, then its clauses': rows that share one are candidates for a merge."""
    from reverie.text import guard  # late: its lexicon is not needed to open a store

    analysis = guard.analyse(text)
    return [analysis.signature, *analysis.clause_signatures]
