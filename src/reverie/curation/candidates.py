"""Which pairs of memories are worth a look: near ones, and those that speak of one attribute of one subject.

Similarity and attributes only propose. What is found here is worked out once a plan and shared by its steps.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from reverie.curation.step import Rules
from reverie.curation.view import View
from reverie.model import Kind, Memory
from reverie.policy import lower
from reverie.store.port import AbstractReads
from reverie.text import guard
from reverie.text.slots import slots

LOOKED_AT_MAX = 200_000  # near pairs that one pass looks at; rows of those beyond stay in the queue
WORDS_SHARED = 0.4  # of the shorter text's words
_FIRST = re.compile(r"\b(?:I|[Mm]y|[Mm]ine)\b")
SHARING_MAX = 64  # rows under one attribute that a new row is compared with, newest first


@dataclass(frozen=True, slots=True)
class Near:
    """A near pair with the guard's ruling, which is the one on (a, b) in this order."""

    a: Memory
    b: Memory
    cosine: float
    ruling: guard.Ruling


@dataclass(frozen=True, slots=True)
class Found:
    """The near pairs of a pass, nearest first; ``unseen`` are ids of uncurated rows whose pairs did not all fit."""

    pairs: tuple[Near, ...]
    unseen: frozenset[str]


def near(view: View, rules: Rules) -> Found:
    """Near pairs of which one is uncurated, from the floor up, with the guard's rulings."""
    known: Found | None = view.recalled("near")
    if known is not None:
        return known
    s = rules.settings
    floor = float(s.contradict_similarity) if s.similarity == "source" else rules.floor
    i, j, cosine = view.near_uncurated(max(floor, 0.01), int(s.neighbours))
    left = {*i[LOOKED_AT_MAX:].tolist(), *j[LOOKED_AT_MAX:].tolist()}
    i, j = i[:LOOKED_AT_MAX], j[:LOOKED_AT_MAX]
    rows = view.rows(sorted({*i.tolist(), *j.tolist()}))
    found = []
    # Row by row, so that what is read of a text is read once while its pairs come by; nearest first again in the end.
    for x, y, c in sorted(zip(i.tolist(), j.tolist(), cosine.tolist(), strict=False)):
        a, b = rows.get(x), rows.get(y)
        if a is not None and b is not None:
            found.append(Near(a, b, c, guard.compare(guard.analyse(a.text), guard.analyse(b.text))))
    found.sort(key=lambda n: -n.cosine)
    unseen = frozenset(m.id for m in view.rows(sorted(left)).values()) if left else frozenset()
    made: Found = view.remember("near", Found(tuple(found), unseen))
    return made


def still(view: View, pairs: Iterable[Near]) -> list[Near]:
    """Those pairs of which both rows would still be live, with the rows as they would then be."""
    found = []
    for p in pairs:
        rows = view.live((p.a, p.b))
        if len(rows) == 2:
            found.append(Near(rows[0], rows[1], p.cosine, p.ruling))
    return found


def attributes(view: View) -> tuple[tuple[str, tuple[bytes, ...]], ...]:
    """Under which attributes the uncurated rows are to be found from now on."""
    known: tuple[tuple[str, tuple[bytes, ...]], ...] | None = view.recalled("attributes")
    if known is None:
        keys = ((m.id, keys_of(m)) for m in view.uncurated_rows())
        known = view.remember("attributes", tuple((i, k) for i, k in keys if k))
    return known


def keys_of(m: Memory) -> tuple[bytes, ...]:
    """The attributes that a memory speaks of, if a later statement may take its place."""
    return tuple(dict.fromkeys(s.key for s in slots(m.text))) if disputable(m) else ()


def sharing(view: View) -> list[tuple[Memory, Memory]]:
    """Pairs of live rows that speak of one attribute of one subject, one of them uncurated; each once, in order."""
    new = dict(attributes(view))
    rows = {m.id: m for m in view.uncurated_rows() if m.id in new}
    under: dict[bytes, dict[str, Memory]] = defaultdict(dict)
    for id_, keys in new.items():
        if id_ in rows:
            for key in keys:
                under[key][id_] = rows[id_]
    noted = view.reads.sharing_attributes(sorted(under))
    old = view.rows(sorted({seq for _, seq in noted}))
    for key, seq in noted:
        if seq in old and disputable(old[seq]):
            under[key].setdefault(old[seq].id, old[seq])
    found: dict[tuple[str, str], tuple[Memory, Memory]] = {}
    for _, members in sorted(under.items()):
        newest = sorted(members.values(), key=said, reverse=True)[:SHARING_MAX]
        for n, a in enumerate(newest):
            for b in newest[n + 1 :]:
                if a.id in rows or b.id in rows:
                    low, high = sorted((a, b), key=lambda m: m.id)
                    found.setdefault((low.id, high.id), (low, high))
    return [found[k] for k in sorted(found)]


def disputable(m: Memory) -> bool:
    """Whether a later statement may take its place: what happened once stays so."""
    return m.kind is not Kind.EPISODE


def said(m: Memory) -> tuple[datetime, str]:
    """Sorts memories by when they were first said: when it happened, where that is known, else when it was written."""
    return (m.occurred_at or m.written_at, m.id)


Span: TypeAlias = tuple[tuple[datetime, str], tuple[datetime, str]]


def in_order(
    reads: AbstractReads, a: Memory, b: Memory, taken: Mapping[str, Sequence[str]] | None = None,
    known: dict[str, Span] | None = None,
) -> tuple[Memory, Memory] | None:  # fmt: skip
    """(older, newer), or None where each was said again after the other had been.

    A restatement is evidence of when a thing was held to be so; what was repeated later may be an echo of the memory itself,
    or a change back: that is not for a rule to tell. ``taken``: rows that the plan at hand merges into others, by survivor.
    ``known`` keeps what was looked up.
    """
    spans = known if known is not None else {}
    for m in (a, b):
        if m.id not in spans:
            spans[m.id] = _span(reads, m, taken or {})
    mine, theirs = spans[a.id], spans[b.id]
    if mine[1] < theirs[0]:
        return a, b
    return (b, a) if theirs[1] < mine[0] else None


def in_order_here(view: View, a: Memory, b: Memory) -> tuple[Memory, Memory] | None:
    """`in_order` as the plan at hand stands."""
    known = view.recalled("spans")
    if known is None:
        known = view.remember("spans", {})
    return in_order(view.reads, a, b, view.merging, known)


def _span(reads: AbstractReads, m: Memory, taken: Mapping[str, Sequence[str]]) -> Span:
    """When a memory and all that was merged into it was first and last said; ids break ties."""
    found = reads.sightings([m.id, *taken.get(m.id, ())], merged=True)
    found = [s for s in found if not lower(s.origin.trust, m.trust)] or found  # an echo by others dates nothing trusted
    times = [(s.occurred_at or s.at, s.memory) for s in found] or [said(m)]
    return min(times), max(times)


def overlap(a: Memory, b: Memory) -> bool:
    """Whether there is a time at which both are said to hold."""
    return not (
        (a.valid_to is not None and b.valid_from is not None and a.valid_to <= b.valid_from)
        or (b.valid_to is not None and a.valid_from is not None and b.valid_to <= a.valid_from)
    )


def hashes(a: Memory, b: Memory) -> tuple[bytes, bytes]:
    """The key under which a pair is ruled apart."""
    return min(a.norm_hash, b.norm_hash), max(a.norm_hash, b.norm_hash)


def share_attribute(view: View, a: Memory, b: Memory) -> bool:
    """As `_one_subject`; what is read of each text is kept for the plan."""
    known: dict[str, frozenset[bytes]] | None = view.recalled("keys")
    if known is None:
        known = view.remember("keys", {})
    for m in (a, b):
        if m.id not in known:
            known[m.id] = _keys(m)
    return _one_subject(a, b, known[a.id], known[b.id])


def _one_subject(a: Memory, b: Memory, mine: frozenset[bytes], theirs: frozenset[bytes]) -> bool:
    """Both speak of one attribute, or the same speaker speaks of itself in both [S2]."""
    if a.origin.principal == b.origin.principal and _FIRST.search(a.text) and _FIRST.search(b.text):
        return True
    return not mine.isdisjoint(theirs)


def _keys(m: Memory) -> frozenset[bytes]:
    return frozenset(s.key for s in slots(m.text))


def may_clash(a: Memory, b: Memory) -> bool:
    """Whether two memories can contradict each other at all: neither is an experience, there is a time at which both are said
    to hold, and they have a subject, or enough of their words, in common."""
    if not (disputable(a) and disputable(b) and overlap(a, b)):
        return False
    if _one_subject(a, b, _keys(a), _keys(b)):
        return True
    mine, theirs = ({w for c in guard.analyse(m.text).clauses for w in c.tokens if len(w) > 2} for m in (a, b))
    return len(mine & theirs) >= WORDS_SHARED * max(1, min(len(mine), len(theirs)))
