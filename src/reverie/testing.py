"""For tests of programs that use Reverie: a clock that stands still, ids that count, an embedder and judges with no model."""

from __future__ import annotations

from reverie.clock import CountingIds, FixedClock
from reverie.embed.hashing import HashingEmbedder
from reverie.judge.scripted import AdversarialJudge, ScriptedJudge

__all__ = ["AdversarialJudge", "CountingIds", "FixedClock", "HashingEmbedder", "ScriptedJudge"]
