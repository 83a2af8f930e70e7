"""The legal moves: from which states each may start, and where it leads. One line a move; nothing else decides this."""

from __future__ import annotations

from reverie.model import State

LIVE, MERGED, SUPERSEDED, ARCHIVED, QUARANTINED = (
    State.LIVE,
    State.MERGED,
    State.SUPERSEDED,
    State.ARCHIVED,
    State.QUARANTINED,
)
KEPT = frozenset({LIVE, MERGED, SUPERSEDED, ARCHIVED, QUARANTINED})  # everything but erased

# move: (states it may start from, state it leads to; None leaves the state as it is)
LEGAL: dict[str, tuple[frozenset[State], State | None]] = {
    "MergeInto": (frozenset({LIVE}), MERGED),  # a restatement goes; its survivor is live
    "Supersede": (frozenset({LIVE, QUARANTINED}), SUPERSEDED),  # a newer statement takes its place
    "Archive": (frozenset({LIVE, QUARANTINED}), ARCHIVED),  # it rests
    "Restore": (frozenset({ARCHIVED, MERGED, SUPERSEDED}), LIVE),  # it is wanted again
    "Quarantine": (frozenset({LIVE}), QUARANTINED),  # it is doubted, a person decides
    "Release": (frozenset({QUARANTINED}), LIVE),  # the doubt is gone
    "Promote": (frozenset({LIVE}), None),  # provisional to trusted
    "MarkStale": (frozenset({LIVE}), None),  # default to stale; hides nothing
    "SetKind": (frozenset({LIVE}), None),
    "SetGist": (frozenset({LIVE}), None),
    "Derive": (frozenset(), LIVE),  # a new row with its sources; it starts from no row
    "Sight": (frozenset({LIVE}), None),  # evidence only
    "Connect": (KEPT, None),  # an edge, no row changes
    "Disconnect": (KEPT, None),
    "Weigh": (frozenset({LIVE}), None),  # utility, importance and strength
    "Signal": (KEPT, None),  # a training signal, no row changes
    # acts of a person, which no plan may hold
    "Pin": (KEPT, None),
    "Verify": (frozenset({LIVE}), None),
    "SetKey": (frozenset({LIVE}), None),
}

PERSON_ONLY = frozenset({"Pin", "Verify", "SetKey"})
"""Moves that only a caller's own verb makes; a plan that holds one is refused."""

LEAVES_WITHOUT_SURVIVOR = frozenset({"Supersede", "Archive", "Quarantine"})
"""Moves that the blast caps count (design section 5)."""


def legal(move: str, state: State) -> bool:
    """Whether ``move`` may start from ``state``."""
    return state in LEGAL[move][0]
