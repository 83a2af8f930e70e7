"""The graph's projection: memories as vertices beside the links, and a port for a graph database that wants them too [S1]."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reverie.model import Link, Memory, Scope
from reverie.store.records import Vertex

LABEL_CHARS = 120


class Projection(Protocol):
    """A graph database that follows a store. It is told again after a failure, so `put` must bear repetition."""

    def put(self, scope: Scope, vertices: Sequence[Vertex], links: Sequence[Link]) -> None:
        """Make each vertex so, and each link be there. A vertex that is not live is flagged, and keeps its links.

        May raise anything: nothing is marked as sent then, and the next pass sends it again.
        """
        ...


def vertex(m: Memory, now: datetime) -> Vertex:
    """A memory as the graph shows it now."""
    from reverie.text.gists import cut  # late: the guard's lexicon comes with it

    return Vertex(m.id, m.kind.value, m.gist or cut(m.text, LABEL_CHARS), heat(m, now), m.pinned, m.state.value, now)


def heat(m: Memory, now: datetime) -> float:
    """The strength that is left: it halves every ``half_life_days`` since it was last strengthened [S1 S4]."""
    since = max(0.0, (now - (m.strength_at or m.written_at)).total_seconds() / 86_400)
    return float(m.strength * 0.5 ** min(1000.0, since / m.half_life_days))
