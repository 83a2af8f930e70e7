from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from reverie.embed import Calibration, HashingEmbedder, OnnxEmbedder, calibrate, shipped_calibration
from reverie.embed.calibration import _built_in, warnings
from reverie.embed.port import Kind, Vectors
from reverie.errors import EmbedderError, InvalidInput


@pytest.fixture(scope="module")
def shipped() -> Calibration:
    record = shipped_calibration(OnnxEmbedder.model_id)
    assert record is not None
    return record


def test_the_shipped_record_is_what_calibrating_gives(shipped: Calibration) -> None:
    made = calibrate(OnnxEmbedder()).to_dict()
    for name, value in shipped.to_dict().items():
        assert made[name] == (pytest.approx(value, abs=0.011) if isinstance(value, float) else value), name
    hashing = HashingEmbedder()
    assert shipped_calibration(hashing.model_id) == calibrate(hashing)


def test_the_default_model_has_the_thresholds_of_the_design(shipped: Calibration) -> None:
    assert shipped.floor == pytest.approx(0.70, abs=0.02)
    assert shipped.propose == (0.95, 0.92)
    assert shipped.restate == 0.97
    assert shipped.random_p99 < shipped.floor
    assert shipped.same_mean == pytest.approx(0.85, abs=0.03)


def test_a_squeezed_model_gets_squeezed_thresholds() -> None:
    """A model whose strangers already score .8 (as e5's do) must not keep thresholds of .92."""

    class Squeezed(HashingEmbedder):
        model_id = "squeezed"

        def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
            rows = super().embed(texts, kind)
            rows[:, 0] += 2.0
            return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    embedder = Squeezed()
    record = calibrate(embedder)
    assert record.random_p50 > 0.7
    assert 0.97 < record.propose[1] <= record.propose[0] <= record.restate < 1
    assert any("blind" in line for line in warnings(record, {"floor": 0.70}))


def test_records_survive_json(shipped: Calibration) -> None:
    assert Calibration.from_dict(json.loads(json.dumps(shipped.to_dict()))) == shipped


@pytest.mark.parametrize(
    "change", [{"floor": "x"}, {"floor": 1.5}, {"floor": float("nan")}, {"dim": None}, {"extra": 1}, {"propose": 3}]
)
def test_odd_records_are_refused(shipped: Calibration, change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Calibration.from_dict(shipped.to_dict() | change)
    with pytest.raises(InvalidInput):
        Calibration.from_dict({})


def test_warnings(shipped: Calibration) -> None:
    fine = {"restate": 0.97, "propose": 0.92, "floor": 0.70}
    assert warnings(shipped, fine, shipped.model_id) == []
    assert "not calibrated" in warnings(None, fine, "m")[0]
    assert "calibration is of" in warnings(shipped, fine, "other")[0]
    assert "blind" in warnings(shipped, {"floor": 0.2})[0]
    assert "inert" in warnings(shipped_calibration("reverie-hashing-v1:256"), {"restate": 0.99})[0]
    assert shipped_calibration("unknown") is None


def test_the_built_in_lists() -> None:
    pairs, unrelated = _built_in()
    assert len(pairs) == 72
    assert len(unrelated) == len(set(unrelated)) == 120
    assert all(a != b for a, b in pairs)


def test_lists_that_are_too_short_or_cannot_be_embedded() -> None:
    with pytest.raises(InvalidInput):
        calibrate(HashingEmbedder(), pairs=[("a", "b")])
    with pytest.raises(EmbedderError, match="1 of 40"):
        calibrate(HashingEmbedder(), pairs=[("a", "b")] * 19 + [("a", " ")])
    own = calibrate(HashingEmbedder(), pairs=[("a cat", "the cat")] * 20, made_at="2026-11-30T00:00:00Z")
    assert own.source == "20 own pairs"
    assert own.made_at.startswith("2026")
