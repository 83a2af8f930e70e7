"""Which memories go: the one that is meant and what was made of it, or all that only one principal has said."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reverie.erasure.target import Also, Target
from reverie.model import Channel, Memory, Origin, State, Trust
from reverie.policy import lower
from reverie.store.erasing import Stated, Traces


@dataclass(slots=True)
class Lineage:
    """Rows that go, and what happens to the rows around them."""

    rows: dict[str, Memory] = field(default_factory=dict)
    stated: dict[str, list[Stated]] = field(default_factory=dict)  # sightings of the rows that go
    counts: Counter[str] = field(default_factory=Counter)
    also: dict[str, str] = field(default_factory=dict)
    drops: dict[str, list[Stated]] = field(default_factory=dict)  # sightings that rows which stay lose
    moves: dict[str, tuple[Memory, Origin, Trust]] = field(default_factory=dict)  # rows that get another origin
    reborn: list[tuple[Memory, list[Stated]]] = field(default_factory=list)  # others' wordings of a row that goes
    freed: dict[str, Memory] = field(default_factory=dict)  # rows that were merged into one that goes

    def others(self) -> tuple[Also, ...]:
        """Memories that stay, of which a person should know."""
        return tuple(Also(i, why) for i, why in sorted(self.also.items()) if i not in self.rows)


def lineage(traces: Traces, target: Target) -> Lineage:
    """What a target means. Rows that are erased already are not in it."""
    found = Lineage()
    if target.sort == "everything":
        found.rows = {m.id: m for m in traces.kept()}
    elif target.sort == "principal":
        _of_principal(traces, found, str(target.principal))
    elif target.sort == "again":  # just these: what belonged to them was named beside them
        found.rows = {m.id: m for m in traces.rows(target.ids).values() if m.state is not State.ERASED}
        _derived_of(traces, found, None)
        _free(traces, found)
    else:
        _of_memories(traces, found, target.ids)
    if target.sort != "everything":
        for id_ in found.rows:
            if id_ not in found.stated:
                found.stated[id_] = traces.sightings(id_)
    return found


def _of_memories(traces: Traces, found: Lineage, ids: tuple[str, ...]) -> None:
    """These rows, what was merged into them, the versions of each by the same author, and what was derived from any."""
    queue = [m for m in traces.rows(ids).values() if m.state is not State.ERASED]
    found.rows = {m.id: m for m in queue}

    def take(id_: str, how: str) -> None:
        row = traces.rows([id_]).get(id_)
        if row is not None and row.state is not State.ERASED and id_ not in found.rows:
            found.rows[id_] = row
            found.counts[how] += 1
            queue.append(row)

    while queue:
        row = queue.pop()
        for id_ in traces.merged(row.id):
            take(id_, "merged")
        for id_ in traces.derived(row.id):
            if _said_itself(traces, id_, None):
                _tell(traces, found, id_, SAID_ITSELF)
            else:
                take(id_, "derived")
        for id_ in traces.superseded(row.id):
            if traces.was_revised(id_):
                take(id_, "versions")
            else:
                found.also[id_] = "gave way to it, as another statement"
        if row.superseded_by is not None:
            if traces.was_revised(row.id):
                take(row.superseded_by, "versions")
            else:
                _tell(traces, found, row.superseded_by, "took its place, as another statement")
        if row.merged_into is not None and row.merged_into not in found.rows:
            if traces.sightings(row.merged_into):
                _tell(traces, found, row.merged_into, "took it in: it states the same")
            else:
                take(row.merged_into, "merged")


def _tell(traces: Traces, found: Lineage, id_: str, why: str) -> None:
    row = traces.rows([id_]).get(id_)
    if row is not None and row.state is not State.ERASED:
        found.also[id_] = why


def _of_principal(traces: Traces, found: Lineage, principal: str) -> None:
    """Rows that nobody else has stated go. Others stay without this principal's words, or in another's."""
    for id_ in traces.of_principal(principal):
        row = traces.rows([id_])[id_]
        stated = traces.sightings(id_)
        theirs = [s for s in stated if s.sighting.origin.principal != principal]
        mine = [s for s in stated if s.sighting.origin.principal == principal]
        if row.origin.principal != principal:
            found.drops[id_] = mine
            continue
        same = [s for s in theirs if s.sighting.wording is None]
        if same:  # somebody else has said it word for word
            best = min(
                same, key=lambda s: (lower(s.sighting.origin.trust, row.trust), s.sighting.at, s.n)
            ).sighting.origin
            trust = best.trust if lower(best.trust, row.trust) else row.trust
            found.moves[id_] = (row, best, trust)
            found.drops[id_] = mine
            continue
        found.rows[id_] = row
        found.stated[id_] = stated
        if theirs:
            found.reborn.append((row, theirs))
    _derived_of(traces, found, principal)
    found.drops = {i: s for i, s in found.drops.items() if i not in found.rows}
    found.moves = {i: m for i, m in found.moves.items() if i not in found.rows}
    _free(traces, found)
    found.reborn = [(dataclasses.replace(r, **settled(r, found.rows)), s) for r, s in found.reborn]


def _free(traces: Traces, found: Lineage) -> None:
    """What was merged into a row that goes, and stays."""
    for id_ in list(found.rows):
        for other in traces.merged(id_):
            if other not in found.rows:
                found.freed[other] = traces.rows([other])[other]


def _derived_of(traces: Traces, found: Lineage, principal: str | None) -> None:
    queue = list(found.rows)
    while queue:
        for id_ in traces.derived(queue.pop()):
            row = traces.rows([id_]).get(id_)
            if row is None or row.state is State.ERASED or id_ in found.rows:
                continue
            if _said_itself(traces, id_, principal):
                found.also[id_] = SAID_ITSELF
                continue
            found.rows[id_] = row
            found.counts["derived"] += 1
            queue.append(id_)


SAID_ITSELF = "was made of it, and somebody has said it word for word"


def _said_itself(traces: Traces, id_: str, principal: str | None) -> bool:
    """Whether somebody has stated a derived row in its own words: it is a memory of theirs."""
    return any(
        s.sighting.wording is None
        and s.sighting.origin.channel is not Channel.CURATOR
        and s.sighting.origin.principal != principal
        for s in traces.sightings(id_)
    )


def settled(row: Memory, gone: Mapping[str, Memory]) -> dict[str, Any]:
    """The state of a row once those that it was merged into go: that of the last of them, so that nothing which was archived or
    corrected comes back to be recalled."""
    end = row
    while end.state is State.MERGED and end.merged_into in gone:
        end = gone[str(end.merged_into)]
    if end is row:
        return {}
    state, by = end.state, end.superseded_by
    if state is State.SUPERSEDED and by in gone:
        state, by = State.ARCHIVED, None
    archived = end.archived_at or (end.stated_at if state is State.ARCHIVED else None)
    return {
        "state": state, "merged_into": end.merged_into if state is State.MERGED else None,
        "superseded_by": by if state is State.SUPERSEDED else None, "archived_at": archived,
    }  # fmt: skip


__all__ = ["Lineage", "lineage", "settled"]
