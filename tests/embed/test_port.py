"""`checked`: one bad item never fails its batch, and a down embedder is told from a bad item."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from reverie.embed import Embedder, HashingEmbedder, HttpEmbedder, OnnxEmbedder, checked, default_embedder
from reverie.embed.port import MAX_CHARS, Kind, Vectors, clamp
from reverie.errors import BadVector, EmbedderError, EmbedderUnavailable, InvalidInput


class Fake:
    """Embeds to (1, length); `break_on` says what happens instead."""

    dim = 2
    model_id = "fake:2"

    def __init__(self, break_on: Callable[[Sequence[str]], object | None] = lambda texts: None) -> None:
        self.calls: list[list[str]] = []
        self._break_on = break_on

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        self.calls.append(list(texts))
        odd = self._break_on(texts)
        if isinstance(odd, Exception):
            raise odd
        if odd is not None:
            return odd  # type: ignore[return-value]
        return np.array([[1.0, len(text)] for text in texts], np.float32)


def poison(texts: Sequence[str]) -> Exception | None:
    return ValueError("cannot") if any("poison" in text for text in texts) else None


def test_rows_are_normalised_and_in_order() -> None:
    done = checked(Fake(), ["a", "bbbb"])
    assert done.rows == (0, 1)
    assert done.failed == ()
    assert done.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(done.vectors, axis=1), 1, atol=1e-6)
    assert done.vectors[1, 1] > done.vectors[0, 1]


@pytest.mark.parametrize("bad", [{0}, {63}, {5, 6, 40}, set(range(0, 64, 2))])
def test_only_the_poisoned_items_fail(bad: set[int]) -> None:
    texts = [f"{'poison' if i in bad else 'good'} {i}" for i in range(64)]
    done = checked(Fake(poison), texts)
    assert {failure.index for failure in done.failed} == bad
    assert set(done.rows) == set(range(64)) - bad
    assert all("cannot" in str(failure.error) for failure in done.failed)
    assert done.vector(min(bad)) is None
    for index in done.rows:
        expected = np.array([1, len(texts[index])]) / np.hypot(1, len(texts[index]))
        np.testing.assert_allclose(done.vector(index), expected, atol=1e-6)


def test_a_few_poisoned_items_at_the_front_do_not_condemn_the_embedder() -> None:
    texts = ["poison"] * 4 + ["fine"] * 496
    fake = Fake(poison)
    done = checked(fake, texts)
    assert len(done.rows) == 496
    assert len(fake.calls) < 40


def test_nothing_but_failures_is_an_embedder_that_is_down() -> None:
    fake = Fake(lambda texts: RuntimeError("no"))
    with pytest.raises(EmbedderUnavailable, match="harmless"):
        checked(fake, ["text"] * 500)
    assert len(fake.calls) == 2


def test_a_lone_poisoned_text_does_not_condemn_the_embedder() -> None:
    assert len(checked(Fake(poison), ["poison"]).failed) == 1


def test_unavailable_passes_through_at_once() -> None:
    fake = Fake(lambda texts: EmbedderUnavailable("down"))
    with pytest.raises(EmbedderUnavailable, match="down"):
        checked(fake, ["a", "b"])
    assert len(fake.calls) == 1


def test_another_dimension_is_the_embedders_fault() -> None:
    with pytest.raises(EmbedderUnavailable, match="3 numbers where 2"):
        checked(Fake(lambda texts: np.ones((len(texts), 3), np.float32)), ["a", "b"])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, 1e-9])
def test_a_vector_without_a_direction_fails_alone(value: float) -> None:
    def odd(texts: Sequence[str]) -> object:
        block = np.ones((len(texts), 2), np.float32)
        block[[text == "bad" for text in texts]] = value
        return block

    done = checked(Fake(odd), ["a", "bad", "c"])
    assert done.rows == (0, 2)
    assert isinstance(done.failed[0].error, BadVector)


@pytest.mark.parametrize("answer", [np.ones(2), np.ones((3, 2)), np.ones((2, 2, 2)), [["x", "y"]], [[1, 2], [3]]])
def test_an_answer_that_is_no_block_of_vectors_is_never_stored(answer: object) -> None:
    with pytest.raises(EmbedderUnavailable):
        checked(Fake(lambda texts: answer), ["a", "b"])
    only_pairs = Fake(lambda texts: answer if len(texts) == 2 else None)
    assert checked(only_pairs, ["a", "b"]).rows == (0, 1)


def test_blank_and_empty_batches_make_no_call() -> None:
    fake = Fake()
    done = checked(fake, ["", " \n\t "])
    assert [failure.index for failure in done.failed] == [0, 1]
    assert done.vectors.shape == (0, 2)
    assert checked(fake, []).rows == ()
    assert fake.calls == []


def test_an_embedder_sees_a_clamped_text() -> None:
    fake = Fake()
    done = checked(fake, ["  " + "x" * 1_000_000, "lone \ud800 surrogate"])
    assert done.rows == (0, 1)
    assert fake.calls[0][0] == "x" * MAX_CHARS
    fake.calls[0][1].encode("utf-8")
    assert clamp("\ud800") == "?"


def test_a_dimension_that_cannot_be_read_is_unavailable() -> None:
    class NoDim(Fake):
        @property
        def dim(self) -> int:  # type: ignore[override]
            raise OSError("gone")

    with pytest.raises(EmbedderUnavailable, match="OSError"):
        checked(NoDim(), ["a"])


def test_errors_are_one_family() -> None:
    assert issubclass(EmbedderUnavailable, EmbedderError)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("onnx", OnnxEmbedder),
        (" hashing ", HashingEmbedder),
        ("hashing:64", HashingEmbedder),
        ("http:bge-m3@http://localhost:11434/v1", HttpEmbedder),
        ("http:a@b@https://host/v1/", HttpEmbedder),
    ],
)
def test_specs(spec: str, kind: type) -> None:
    made: Embedder | None = default_embedder(spec)
    assert isinstance(made, kind)


def test_the_spec_none_is_no_embedder() -> None:
    assert default_embedder("none") is None


def test_the_model_of_a_spec_may_hold_an_at_sign() -> None:
    assert "model='a@b'" in repr(default_embedder("http:a@b@https://host/v1"))


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "onnx:x",
        "none:x",
        "bert",
        "hashing:x",
        "hashing:3",
        "hashing:99999",
        "hashing:-4",
        "http:",
        "http:model",
        "http:@http://h",
        "http:m@ftp://h",
        "http:m@http://",
        "http:m@http://u:swordfish@h/v1",
        "http:m@https://h/v1?key=swordfish",
        "x@swordfish",
    ],
)
def test_bad_specs_are_refused_without_repeating_what_may_be_secret(spec: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        default_embedder(spec)
    assert "swordfish" not in str(caught.value)


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'onnxruntime', 'tokenizers', 'httpx2', 'asyncio', 'ssl'}"
    code = f"import sys, reverie.embed; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
