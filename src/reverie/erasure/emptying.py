"""Journal entries and plans without their words: what stays are ids, states, times and counters."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Set
from typing import Any

from reverie.erasure.words import Words, leaves
from reverie.model import Entry
from reverie.store.codec import dumps, hashed_fields
from reverie.store.erasing import NOBODY

MOVE = "Erase"
"""The move of an erasure's own entry, which no plan may hold and no undo takes back."""
WORDY = frozenset({"gist", "text", "key", "wording", "item", "metadata"})
_KEPT = ("ids", "known", "again", "relation", "edges", "bump", "created", "replaced")


def is_emptied(entry: Entry) -> bool:
    """Whether an erasure has taken the words out of an entry."""
    return bool(entry.detail.get("emptied"))


def emptied(entry: Entry) -> Entry:
    """What is left of an entry. Its hash is that of the whole one: the erasure's own entry vouches for the rest."""
    kept: dict[str, Any] = {k: entry.detail[k] for k in _KEPT if k in entry.detail}
    if "move" in entry.detail:
        kept["move"] = {k: v for k, v in entry.detail["move"].items() if k not in WORDY}
    if "skipped" in entry.detail:
        kept["skipped"] = NOBODY
    return dataclasses.replace(
        entry, reason=NOBODY, evidence={}, before=_columns(entry.before), after=_columns(entry.after),
        detail=kept | {"emptied": True},
    )  # fmt: skip


def _columns(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {id_: {c: v for c, v in columns.items() if c not in WORDY} for id_, columns in given.items()}


def digest(entry: Entry) -> str:
    """What an erasure's entry says of an emptied one, so that what is left of it cannot be edited either."""
    return hashlib.sha256(dumps({"n": entry.n, **hashed_fields(entry)}).encode()).hexdigest()


def names(entry: Entry, ids: Set[str], words: Words, principal: str | None) -> bool:
    """Whether an entry speaks of an erased memory, repeats its words, or names an erased principal."""
    parts = (entry.evidence, entry.before, entry.after, entry.added, entry.detail)
    found = set(leaves(parts))
    if not found.isdisjoint(ids) or (principal is not None and principal in found):
        return True
    return (
        words.quotes(entry.reason)
        or words.speaks(entry.reason)
        or any(words.quotes(t) for t in found)
        or any(map(words.speaks, _wordy(parts)))
    )


def composed(entry: Entry) -> list[str]:
    """The gists that an entry set or took away: if an erased memory was among their sources, they go too."""
    columns = [c.get("gist") for image in (entry.before, entry.after) for c in image.values()]
    return [g for g in (*columns, entry.detail.get("move", {}).get("gist")) if g]


def _wordy(value: Any, inside: bool = False) -> list[str]:
    """The texts under a field that holds people's or a model's words."""
    if isinstance(value, str):
        return [value] if inside else []
    if isinstance(value, Mapping):
        return [t for k, v in value.items() for t in _wordy(v, inside or k in WORDY)]
    return [t for v in value for t in _wordy(v, inside)] if isinstance(value, (list, tuple)) else []


def plan_without(plan: Mapping[str, Any], speaks: Callable[[Any], bool]) -> dict[str, Any] | None:
    """A plan that was held back, without its moves; None where it does not speak of what is erased."""
    return {**plan, "steps": []} if speaks(plan) else None


def tells(value: Any, ids: Set[str], words: Words, principal: str | None) -> bool:
    """As `names`, of any JSON."""
    found = set(leaves(value))
    if not found.isdisjoint(ids) or (principal is not None and principal in found):
        return True
    return any(words.quotes(t) for t in found) or any(map(words.speaks, _wordy(value)))


__all__ = ["MOVE", "composed", "digest", "emptied", "is_emptied", "names", "plan_without", "tells"]
