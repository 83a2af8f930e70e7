"""Where a memory comes from and what was done to it."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.model import Entry, Link, Memory, Sighting
from reverie.store.port import AbstractReads


@dataclass(frozen=True, slots=True)
class History:
    """Everything known of one memory: the row, the rows that went into it or gave way to it (``versions``), its
    evidence, edges and every move."""

    memory: Memory
    versions: tuple[Memory, ...]
    sightings: tuple[Sighting, ...]
    links: tuple[Link, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Some memories, and the cursor of the next page; None where there is none."""

    memories: tuple[Memory, ...]
    cursor: str | None


def history_of(reads: AbstractReads, id_: str) -> History:
    """The history of a row that exists."""
    versions = reads.rows(reads.merged_ids(id_))
    return History(
        reads.rows([id_])[id_],
        tuple(sorted(versions.values(), key=lambda m: (m.written_at, m.id))),
        tuple(reads.sightings([id_], merged=True)),
        tuple(reads.links(id_)),
        tuple(reads.entries(memory=id_)),
    )
