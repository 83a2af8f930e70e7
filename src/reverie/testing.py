"""What tests of programs that use Reverie need: a clock that stands still, ids that count, an embedder without a model."""

from __future__ import annotations

from reverie.clock import CountingIds, FixedClock
from reverie.embed.hashing import HashingEmbedder

__all__ = ["CountingIds", "FixedClock", "HashingEmbedder"]
