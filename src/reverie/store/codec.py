"""How columns stand in JSON, in the journal and in exports: times in microseconds, enums as words, hashes in hex."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from reverie.clock import as_utc, from_us, to_us
from reverie.model import Confidence, Entry, Kind, State, Trust


def plain(value: Any) -> Any:
    """A column's value as JSON holds it: times in microseconds, enums as words."""
    if isinstance(value, datetime):
        return to_us(value)
    if isinstance(value, StrEnum):
        return value.value
    return value


_TIMES = {
    "occurred_at", "written_at", "stated_at", "valid_from", "valid_to", "curated_at", "archived_at",
    "last_recalled_at", "strength_at",
}  # fmt: skip
_ENUMS: dict[str, type[StrEnum]] = {
    "kind": Kind, "trust": Trust, "confidence": Confidence, "state": State,
}  # fmt: skip


def unplain(column: str, value: Any) -> Any:
    """The inverse of `plain` for a named column."""
    if value is None:
        return None
    if column in _TIMES and not isinstance(value, datetime):
        return from_us(value)
    if column in _ENUMS:
        return _ENUMS[column](value)
    return value


def dumps(value: Any) -> str:
    """Canonical JSON: sorted keys, no spaces; empty for an empty mapping."""
    if isinstance(value, Mapping) and not value:
        return ""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


GENESIS = b"\0" * 32


def chain_hash(previous: bytes, fields: Mapping[str, Any]) -> bytes:
    """The hash of one entry: SHA-256 over the hash before it and the entry's fields in canonical JSON."""
    return hashlib.sha256(previous + dumps(fields).encode()).digest()


def hashed_fields(entry: Entry) -> dict[str, Any]:
    """What the chain covers: everything but the number, which the store gives, and ``undone_by``, which comes later."""
    return {
        "run": entry.run, "index": entry.index, "step": entry.step, "move": entry.move, "reason": entry.reason,
        "status": entry.status, "at": to_us(entry.at), "evidence": dict(entry.evidence), "before": dict(entry.before),
        "after": dict(entry.after), "added": dict(entry.added), "detail": dict(entry.detail), "model": entry.model,
        "tokens": entry.tokens, "undoes": entry.undoes,
    }  # fmt: skip


def iso(us: int | None) -> str | None:
    """Microseconds as ISO 8601 in UTC, always with six decimals so that equal times are equal texts."""
    return None if us is None else from_us(us).isoformat(timespec="microseconds")


def from_iso(text: str | None) -> datetime | None:
    """The inverse; any ISO 8601 time is taken, a naive one as UTC."""
    return None if text is None else as_utc(datetime.fromisoformat(text))
