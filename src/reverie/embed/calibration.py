"""Calibration: what a similarity of one embedding model means.

A bare threshold says nothing: at .92 one model merges half of all contradictions, and another reaches .80 for texts
that share no subject. `calibrate` measures two distributions on a built-in list (72 restatement pairs and 120 unrelated
texts in 14 languages, `data/calibration_texts.json`): how alike restatements are, and how alike strangers are. Every
threshold in use is compared with them; `warnings` names those that do nothing or let strangers in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from reverie.embed.port import Embedder, Vectors, checked
from reverie.errors import EmbedderError, InvalidInput

__all__ = ["Calibration", "calibrate", "shipped_calibration", "warnings"]

# How far a threshold stands from the middle of strangers (0) to identity (1). Set on all-MiniLM-L6-v2, where they give
# the .97, .95 and .92 of the design, and carried over to models whose cosines are squeezed upwards or spread out.
_RESTATE, _PROPOSE_FIRST, _PROPOSE = 0.969, 0.948, 0.917


@dataclass(frozen=True, slots=True)
class Calibration:
    """Cosines of one model, all in [-1, 1].

    random_p50, random_p95, random_p99: percentiles over all pairs of unrelated texts.
    same_p05, same_p50, same_mean, same_max: over the restatement pairs.
    floor: the least similarity worth proposing a pair at. propose: the bands above it, highest first.
    restate: at or above it a newcomer may be a restatement at write, if the guard agrees.
    source: the list it was measured on. made_at: when, ISO 8601, or "" if the caller gave no time.
    """

    model_id: str
    dim: int
    random_p50: float
    random_p95: float
    random_p99: float
    same_p05: float
    same_p50: float
    same_mean: float
    same_max: float
    floor: float
    propose: tuple[float, ...]
    restate: float
    source: str
    made_at: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return a record that JSON can hold; `from_dict` gives the same Calibration back."""
        return {**asdict(self), "propose": list(self.propose)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Calibration:
        """Read a record written by `to_dict`. Raises InvalidInput when a field is missing, unknown or no number."""
        try:
            values = dict(record)
            for name in _NUMBERS:
                values[name] = float(values[name])
                if not -1.0 <= values[name] <= 1.0:
                    raise ValueError(name)
            values["propose"] = tuple(float(value) for value in values["propose"])
            values["dim"] = int(values["dim"])
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"not a calibration record: {error}") from error


_NUMBERS = (
    "random_p50",
    "random_p95",
    "random_p99",
    "same_p05",
    "same_p50",
    "same_mean",
    "same_max",
    "floor",
    "restate",
)


def calibrate(
    embedder: Embedder,
    pairs: Sequence[tuple[str, str]] | None = None,
    unrelated: Sequence[str] | None = None,
    *,
    source: str | None = None,
    made_at: str = "",
) -> Calibration:
    """Measure `embedder` on restatement pairs and unrelated texts; the built-in lists where none are given.

    264 texts are embedded: about two seconds with the local model. Own `pairs` (at least 20) suit a store whose notes
    are unlike the built-in ones; own `unrelated` texts at least 20 as well.
    Raises InvalidInput for shorter lists, EmbedderUnavailable or EmbedderError when a text cannot be embedded.
    """
    built_in = _built_in()
    pairs = pairs if pairs is not None else built_in[0]
    unrelated = unrelated if unrelated is not None else built_in[1]
    if len(pairs) < 20 or len(unrelated) < 20:
        raise InvalidInput("a calibration needs at least 20 pairs and 20 unrelated texts")
    flat = _vectors(embedder, [text for pair in pairs for text in pair])
    same = np.einsum("ij,ij->i", flat[0::2], flat[1::2])
    strangers = _vectors(embedder, unrelated)
    random = (strangers @ strangers.T)[np.triu_indices(len(strangers), 1)]
    p50, p95, p99 = (float(np.percentile(random, q)) for q in (50, 95, 99))
    p05, p08 = (float(np.percentile(same, q)) for q in (5, 8))

    def at(fraction: float) -> float:
        return round(p50 + (1.0 - p50) * fraction, 2)

    return Calibration(
        model_id=embedder.model_id,
        dim=embedder.dim,
        random_p50=round(p50, 4),
        random_p95=round(p95, 4),
        random_p99=round(p99, 4),
        same_p05=round(p05, 4),
        same_p50=round(float(np.median(same)), 4),
        same_mean=round(float(same.mean()), 4),
        same_max=round(min(float(same.max()), 1.0), 4),
        # 92 of 100 restatements lie above, strangers almost never do. Lower would find the rest at the price of
        # several times the candidates, each a question for the judge.
        floor=round(max(p08, p99), 2),
        propose=(at(_PROPOSE_FIRST), at(_PROPOSE)),
        restate=at(_RESTATE),
        source=source or ("built-in" if pairs is built_in[0] else f"{len(pairs)} own pairs"),
        made_at=made_at,
    )


def shipped_calibration(model_id: str) -> Calibration | None:
    """Return the record that came with Reverie for this exact model id, or None: then `calibrate` has to be run.

    The records are in `data/calibrations.json`, written by running this module: `python -m reverie.embed.calibration`.
    """
    found = _data("calibrations.json").get(model_id)
    return None if found is None else Calibration.from_dict(found)


def warnings(
    calibration: Calibration | None, thresholds: Mapping[str, float], model_id: str | None = None
) -> list[str]:
    """Say in words which thresholds (name to cosine) mean nothing for this model; an empty list when all is well.

    Warned of: no calibration; one of another model than `model_id`; a threshold that no true restatement reaches
    (inert); one that more than one stranger in twenty passes (blind).
    """
    if calibration is None:
        return [f"{model_id or 'the embedding model'} is not calibrated: its thresholds are guesses; run `calibrate`"]
    if model_id is not None and model_id != calibration.model_id:
        return [f"the calibration is of {calibration.model_id}, the embedder is {model_id}; run `calibrate`"]
    said = []
    for name, value in sorted(thresholds.items()):
        if value > calibration.same_max:
            said.append(f"{name} = {value:.2f} is inert: no true restatement scores over {calibration.same_max:.2f}")
        elif value <= calibration.random_p95:
            said.append(
                f"{name} = {value:.2f} is blind: one unrelated pair in twenty scores {calibration.random_p95:.2f}"
            )
    return said


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    done = checked(embedder, texts)
    if done.failed:
        first = done.failed[0]
        raise EmbedderError(f"{len(done.failed)} of {len(texts)} texts got no vector; the first: {first.error}")
    return done.vectors


@cache
def _built_in() -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    data = _data("calibration_texts.json")
    return tuple((a, b) for _, a, b in data["pairs"]), tuple(data["unrelated"])


def _data(name: str) -> Any:
    return json.loads((resources.files("reverie.embed") / "data" / name).read_text("utf-8"))


def _ship() -> None:
    from reverie.embed.hashing import HashingEmbedder
    from reverie.embed.onnx import OnnxEmbedder

    records = [calibrate(embedder).to_dict() for embedder in (OnnxEmbedder(), HashingEmbedder())]
    text = json.dumps({record["model_id"]: record for record in records}, indent=2, sort_keys=True)
    Path(str(resources.files("reverie.embed") / "data" / "calibrations.json")).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    _ship()
