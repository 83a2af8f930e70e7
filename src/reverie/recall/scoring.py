"""How recall orders what it found: visible parts, each in [0, 1], and their weighted sum [S3]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reverie.settings import Settings

Numbers: TypeAlias = NDArray[np.float64]

# By the order of model.Confidence: default, verified, stale; and model.Trust: provisional, trusted.
CONFIDENCE = np.array([0.6, 1.0, 0.3])
TRUST = np.array([0.6, 1.0])
PARTS = ("vector", "text", "similarity", "confidence", "recency", "utility", "importance")


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a scope, read once from its settings."""

    similarity: float
    confidence: float
    recency: float
    utility: float
    importance: float
    text_share: float
    recency_days: float

    @classmethod
    def of(cls, s: Settings) -> Weights:
        """From settings."""
        return cls(
            float(s.weight_similarity), float(s.weight_confidence), float(s.weight_recency), float(s.weight_utility),
            float(s.weight_importance), float(s.text_share), float(s.recency_days),
        )  # fmt: skip


def parts(columns: Mapping[str, Numbers], vector: Numbers, text: Numbers, now: float, w: Weights) -> dict[str, Numbers]:
    """The parts of each candidate.

    Args:
        columns: confidence and trust codes, importance, utility, stated (seconds), each of shape (candidates,).
        vector: cosines, 0 where there is no vector.
        text: text scores, the best of them 1.
        now: seconds.
        w: the weights.

    Returns:
        Name to array; "similarity" is the fused one. Where one of the two searches is not there at all, the other
        stands alone.
    """
    cosine = np.maximum(vector, 0.0)
    if not vector.any():
        fused = text
    elif not text.any():
        fused = cosine
    else:
        fused = (1 - w.text_share) * cosine + w.text_share * text
    age_days = np.maximum(0.0, now - columns["stated"]) / 86_400
    return {
        "vector": cosine,
        "text": text,
        "similarity": fused,
        "confidence": np.minimum(CONFIDENCE[columns["confidence"].astype(int)], 1.0)
        * TRUST[columns["trust"].astype(int)],
        "recency": np.exp2(-age_days / w.recency_days),
        "utility": columns["utility"].astype(np.float64),
        "importance": columns["importance"].astype(np.float64),
    }


def total(p: Mapping[str, Numbers], w: Weights) -> Numbers:
    """The weighted sum."""
    found: Numbers = (
        w.similarity * p["similarity"]
        + w.confidence * p["confidence"]
        + w.recency * p["recency"]
        + w.utility * p["utility"]
        + w.importance * p["importance"]
    )
    return found
