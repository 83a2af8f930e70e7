"""A scope as it stood at a past moment, from the rows and the journal: nothing is kept twice for this."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from reverie.clock import to_us
from reverie.embedding import Embedding
from reverie.model import Entry, Memory, State
from reverie.store.codec import unplain
from reverie.store.port import AbstractReads, ScopeStore
from reverie.vectors.index import NamespaceIndex

PAGE = 5_000


def past_index(store: ScopeStore, embedding: Embedding, moment: datetime | None, states: set[State]) -> NamespaceIndex:
    """An index of the rows that were in one of ``states`` at ``moment`` (None: now). Built for one query.

    A row that was written later, or whose validity had ended or not begun, was not there.
    """
    index = NamespaceIndex(store, embedding.model_id, embedding.dim)
    with store.read() as reads:
        then = states_at(reads, moment)
        at = to_us(moment) if moment else None
        kept = []
        for row, state, written, valid_from, valid_to in reads.history_rows(embedding.model_id):
            if at is not None and (
                written > at or (valid_from or at) > at or (valid_to is not None and valid_to <= at)
            ):
                continue
            if State(then.get(row.id, state)) in states:
                kept.append(dataclasses.replace(row, live=True))
        index.fill(kept)
    return index


def states_at(reads: AbstractReads, moment: datetime | None) -> dict[str, str]:
    """The state at ``moment`` of each row whose state has changed since."""
    found: dict[str, str] = {}
    for entry in _since(reads, moment):
        for id_, columns in entry.before.items():
            if "state" in columns:
                found[id_] = columns["state"]
    return found


def roll_back(reads: AbstractReads, rows: dict[int, Memory], moment: datetime | None) -> dict[int, Memory]:
    """These rows with every journaled column as it was at ``moment``."""
    if moment is None:
        return rows
    wanted = {m.id for m in rows.values()}
    then: dict[str, dict[str, Any]] = {}
    for entry in _since(reads, moment):
        for id_, columns in entry.before.items():
            if id_ in wanted:
                then.setdefault(id_, {}).update(columns)
    return {
        seq: dataclasses.replace(m, **{c: unplain(c, v) for c, v in then.get(m.id, {}).items()})
        for seq, m in rows.items()
    }


def _since(reads: AbstractReads, moment: datetime | None) -> Iterator[Entry]:
    """Applied entries after the moment, newest first, so that the last one seen is the oldest."""
    if moment is None:
        return
    found: list[Entry] = []
    after = 0
    while True:
        page = reads.entries(since=moment, after=after, limit=PAGE)
        found += [e for e in page if e.status == "applied" and e.at > moment]
        if len(page) < PAGE:
            break
        after = page[-1].n
    yield from reversed(found)
