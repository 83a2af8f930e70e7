"""A faulty embedder harms nothing: the row is kept, text search finds it, and the trouble is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import reverie
from reverie.embed.port import Kind

DIM = 16
Answer = Callable[[Sequence[str]], Any]


class Faulty:
    """Gives whatever it is told to give."""

    model_id = "faulty:16"
    dim = DIM

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> Any:
        return self.answer(texts)


def good(texts: Sequence[str]) -> Any:
    """Unit vectors that differ by text."""
    made = np.array([[float((crc32(t.encode()) >> i) & 7) + 1 for i in range(DIM)] for t in texts], np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def raising(error: BaseException) -> Answer:
    """An embedder that throws."""

    def answer(texts: Sequence[str]) -> Any:
        raise error

    return answer


FAULTS: dict[str, Answer] = {
    "nan": lambda t: np.full((len(t), DIM), np.nan, np.float32),
    "infinite": lambda t: np.full((len(t), DIM), np.inf, np.float32),
    "one nan": lambda t: np.concatenate([np.full((len(t), 1), np.nan, np.float32), good(t)[:, 1:]], axis=1),
    "zero": lambda t: np.zeros((len(t), DIM), np.float32),
    "tiny": lambda t: np.full((len(t), DIM), 1e-30, np.float32),
    "too wide": lambda t: np.ones((len(t), DIM + 1), np.float32),
    "too narrow": lambda t: np.ones((len(t), DIM - 1), np.float32),
    "too few": lambda t: good(t)[:-1],
    "too many": lambda t: np.concatenate([good(t), good(t)]),
    "flat": lambda t: good(t).ravel(),
    "none": lambda t: None,
    "text": lambda t: "vectors",
    "objects": lambda t: np.array([[object()] * DIM for _ in t]),
    "strings": lambda t: [["0.5"] * DIM for _ in t],
    "complex": lambda t: good(t).astype(np.complex64),
    "ragged": lambda t: [[1.0], [1.0, 2.0]],
    "value error": raising(ValueError("no")),
    "memory error": raising(MemoryError()),
    "recursion": raising(RecursionError("deep")),
    "unicode": raising(UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates")),
    "empty message": raising(RuntimeError()),
    "surrogate message": raising(RuntimeError("\ud800")),
    "huge numbers": lambda t: np.full((len(t), DIM), 3e38, np.float32),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faulty_embedder_harms_no_write_and_no_recall(url: str, name: str) -> None:
    faulty = Faulty(FAULTS[name])
    with reverie.open(url, embedder=faulty) as mem:
        got = mem.remember("The ladder hangs behind the shed")
        assert mem.get(got.id).text == "The ladder hangs behind the shed"
        many = mem.remember_many(["The rope lies in the boat", "", "The rope lies in the car"])
        assert [o.error is None for o in many] == [True, False, True]
        assert mem.recall("where is the ladder?", 1)[0].memory.id == got.id
        revised = mem.revise(got.id, "The ladder hangs inside the shed")
        run = mem.curate()
        assert not run.errors
        stats = mem.stats()
        if stats["without_vector"]:
            assert stats["embedder_trouble"], "rows lack their vectors and nobody is told"
            assert len(stats["embedder_trouble"]) < 500
        faulty.answer = good
        mem.curate()
        assert mem.stats()["without_vector"] == 0
        assert mem.stats()["embedder_trouble"] is None
        assert mem.recall("where is the ladder?", 1)[0].memory.id == revised.id


@pytest.mark.parametrize("fault", [np.nan, np.inf, 0.0, None], ids=str)
def test_one_text_that_cannot_be_embedded_takes_no_other_along(url: str, fault: float | None) -> None:
    def answer(texts: Sequence[str]) -> Any:
        found = good(texts)
        for row, text in zip(found, texts, strict=True):
            if "poison" in text:
                if fault is None:
                    raise ValueError("this batch cannot be embedded")
                row[:] = fault
        return found

    with reverie.open(url, embedder=Faulty(answer)) as mem:
        many = mem.remember_many([f"Line {i} is harmless" if i != 5 else "Line 5 is poison" for i in range(12)])
        assert all(o.error is None for o in many)
        stats = mem.stats()
        assert stats["without_vector"] == 1
        assert stats["embedder_trouble"]
        assert mem.recall("poison", 1)[0].text == "Line 5 is poison"
        assert mem.recall("Line 7", 1)[0].text == "Line 7 is harmless"


def test_embedder_that_lies_about_its_dimension_harms_nothing(url: str) -> None:
    class Liar(Faulty):
        @property
        def dim(self) -> int:  # type: ignore[override]
            raise RuntimeError("ask me later")

    with reverie.open(url, embedder=Liar(good)) as mem:
        got = mem.remember("The ladder hangs behind the shed")
        assert mem.recall("ladder", 1)[0].memory.id == got.id
        mem.curate()


def test_embedder_whose_dimension_changed_harms_nothing(url: str) -> None:
    with reverie.open(url, embedder=Faulty(good)) as mem:
        mem.remember("The first row has sixteen numbers")

    class Wider(Faulty):
        dim = DIM * 2

    wider = Wider(lambda t: np.concatenate([good(t), good(t)], axis=1) / np.float32(2**0.5))
    with reverie.open(url, embedder=wider) as mem:
        # The same model id with another width is a mistake of the operator: said aloud, and no row is lost for it.
        got = mem.remember("The second row has thirty-two numbers")
        assert mem.get(got.id).text == "The second row has thirty-two numbers"
        assert {h.text for h in mem.recall("row numbers")} >= {mem.get(got.id).text}
        assert mem.stats()["embedder_trouble"]
