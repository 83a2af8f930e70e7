"""What is refused whatever anyone asks: protected rows retired, lower trust over higher, merges across kinds, blasts.

Pure: rows in, a reason out. The executor calls it for every move, the planner for every plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from reverie.model import Memory, State, Trust
from reverie.settings import Settings
from reverie.states import LEAVES_WITHOUT_SURVIVOR, PERSON_ONLY
from reverie.transitions import Derive, MergeInto, Move, SetGist, SetKind, Supersede

BLAST_WINDOW = timedelta(days=30)
_RANK = {Trust.PROVISIONAL: 0, Trust.TRUSTED: 1}
RETIRES = frozenset({"MergeInto", "Supersede", "Archive", "Quarantine"})
RAISES_TRUST = frozenset({"Promote"})


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many rows may still leave live without a live survivor: in this run, and in the rolling 30 days."""

    run: int
    month: int


def allowance(live: int, left_in_month: int, settings: Settings) -> Allowance:
    """Both blast caps for a scope of ``live`` rows from which ``left_in_month`` went in the last 30 days.

    The month's share is of the rows that the scope would have without those departures; a handful of rows
    (``blast_run_rows``) may always go, or a small scope could never retire anything (docs/decisions/0007).
    """
    floor = int(settings.blast_run_rows)
    run = max(floor, int(live * settings.blast_run_share))
    month = max(floor, int((live + left_in_month) * settings.blast_month_share)) - left_in_month
    return Allowance(run, max(0, month))


def counts_against_caps(moves: Sequence[Move]) -> int:
    """How many of these moves take a row out of live without a live survivor."""
    return sum(1 for m in moves if m.name in LEAVES_WITHOUT_SURVIVOR)


def refusal(move: Move, rows: Mapping[str, Memory], *, person: bool = False) -> str | None:
    """Why this move must not happen, or None.

    ``person`` is true for a caller's own verb: it may pin, verify and key, and may retire a row of higher trust when
    it is a person; nobody retires a pinned or verified row without first taking the pin away.
    """
    if move.name in PERSON_ONLY and not person:
        return f"{move.name} is a caller's own verb; no plan may hold it"
    for subject in move.subjects():
        if move.name in RETIRES and rows[subject].protected:
            word = "pinned" if rows[subject].pinned else "verified"
            return f"the memory is {word}; nothing retires it until that is taken away"
    if isinstance(move, MergeInto):
        return _merge(rows[move.id], rows[move.survivor])
    if isinstance(move, Supersede):
        old, new = rows[move.id], rows[move.by]
        if old.id == new.id:
            return "a memory cannot supersede itself"
        if new.state is not State.LIVE:
            return f"the successor is {new.state}, not live"
        if _RANK[new.trust] < _RANK[old.trust] and not person:
            return f"a {new.trust} statement cannot supersede a {old.trust} one"
    if isinstance(move, SetKind) and rows[move.id].protected and not person:
        return "the memory is pinned or verified; only a person gives it another kind"
    if move.name in RAISES_TRUST and not person:
        return "trust is raised by a person, or by the promotion step from evidence, which this version does not have"
    if isinstance(move, SetGist) and move.gist is not None and not move.gist.strip():
        return "a gist cannot be empty"
    if isinstance(move, Derive):
        if not move.sources:
            return "a derived row needs its sources"
        gone = [s for s in move.sources if rows[s].state is State.ERASED]
        if gone:
            return f"source {gone[0]} is erased"
    return None


def _merge(loser: Memory, survivor: Memory) -> str | None:
    if loser.id == survivor.id:
        return "a memory cannot be merged into itself"
    if loser.kind is not survivor.kind:
        return f"a {loser.kind} cannot be merged into a {survivor.kind}"
    if survivor.state is not State.LIVE:
        return f"the survivor is {survivor.state}, not live"
    if _RANK[survivor.trust] < _RANK[loser.trust]:
        return f"a {loser.trust} memory cannot be merged into a {survivor.trust} one"
    if (loser.valid_from, loser.valid_to) != (survivor.valid_from, survivor.valid_to):
        return "the two hold for different times"
    if loser.key is not None:
        return "the memory is kept under a stable key"
    return None


def lower(one: Trust, other: Trust) -> bool:
    """Whether the first is less trust than the second."""
    return _RANK[one] < _RANK[other]


def derived_trust(sources: Sequence[Memory]) -> Trust:
    """A derived row has the lowest trust of its sources (law 11)."""
    return min((s.trust for s in sources), key=lambda t: _RANK[t])
