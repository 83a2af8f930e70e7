"""What a person asks to have erased, and what an erasure is told to be: before it, and after it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reverie.store.codec import dumps, iso
from reverie.store.codec import plain as _plain

COUNTS = (
    "memories", "derived", "merged", "versions", "sightings", "kept", "rewritten", "freed", "links", "gists", "vectors",
    "journal_images", "verdicts", "parked_plans", "queries", "logs", "names",
)  # fmt: skip
"""What an erasure counts. kept: memories of others that lose a statement; rewritten: others' wordings that become memories of
their own; freed: memories that had been merged into an erased one and stand for themselves again; logs: errors, activity
records and jobs that quoted it; names: runs of an erased principal."""


@dataclass(frozen=True, slots=True)
class Target:
    """``sort`` is memory, principal, everything, or again (ids of earlier receipts)."""

    sort: str
    ids: tuple[str, ...] = ()
    principal: str | None = None

    def to_dict(self, keyed: str | None = None) -> dict[str, Any]:
        """JSON-ready. ``keyed``: stands in place of a principal's name in what is kept."""
        if self.sort == "principal":
            return (
                {"sort": self.sort, "principal": self.principal}
                if keyed is None
                else {"sort": self.sort, "keyed": keyed}
            )
        return {"sort": self.sort, "ids": list(self.ids)} if self.ids else {"sort": self.sort}


@dataclass(frozen=True, slots=True)
class Also:
    """A memory that says the same or belongs to what goes, and stays: it is for a person to erase it too."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Erasure:
    """What would go (``done`` False), or what went.

    ``ids`` are the memories. ``counts``: see `COUNTS`. ``also``: memories that stay, of which a person should know. ``token``:
    give it to `erase` as ``confirm``. Once done: ``id``, ``at``, ``actor``, ``tombstones`` (memory to keyed hash, in hex),
    ``receipt`` as it is kept, and ``key``, which is kept nowhere: with it the receipt finds the same texts again, without it
    nobody can test a guess. ``wiped_at`` None: bytes may linger in files. ``beyond``: what the store cannot reach.
    """

    target: Target
    done: bool
    token: str
    ids: tuple[str, ...]
    counts: Mapping[str, int]
    also: tuple[Also, ...] = ()
    id: str | None = None
    at: datetime | None = None
    actor: str | None = None
    reason: str | None = None
    tombstones: Mapping[str, str] = field(default_factory=dict)
    receipt: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    wiped_at: datetime | None = None
    beyond: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to erase."""
        return not self.ids and not any(self.counts.values())

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready. Of a preview what would go; of an erasure its receipt with the key."""
        told: dict[str, Any] = {
            "done": self.done, "target": self.target.to_dict(), "ids": list(self.ids), "counts": dict(self.counts),
            "also": [{"id": a.id, "why": a.why} for a in self.also],
        }  # fmt: skip
        if not self.done:
            return told | {"token": self.token}
        wiped = iso(_plain(self.wiped_at))
        return told | {"receipt": dict(self.receipt), "key": self.key, "wiped_at": wiped, "beyond": list(self.beyond)}


def sealed(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt with the SHA-256 over itself, in hex, under ``sha256``."""
    body = {k: v for k, v in receipt.items() if k != "sha256"}
    return body | {"sha256": hashlib.sha256(dumps(body).encode()).hexdigest()}


def is_sealed(receipt: Mapping[str, Any]) -> bool:
    """Whether a receipt is as it was written."""
    return bool(receipt) and sealed(receipt)["sha256"] == receipt.get("sha256")


__all__ = ["COUNTS", "Also", "Erasure", "Target", "is_sealed", "sealed"]
