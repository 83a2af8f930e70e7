"""What the store keeps of the guard's view of a text."""

from __future__ import annotations

from reverie.text import guard


def signatures(text: str) -> list[bytes]:
    """The whole text's signature, then its clauses': rows that share one are candidates for a merge."""
    analysis = guard.analyse(text)
    return [analysis.signature, *analysis.clause_signatures]
