"""Embedders: texts to directions. Importing this package loads neither onnxruntime, tokenizers nor an HTTP client."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reverie.embed.port import MAX_CHARS, Embedded, Embedder, Failure, Kind, Vectors, checked
from reverie.errors import InvalidInput

if TYPE_CHECKING:
    from reverie.embed.calibration import Calibration, calibrate, shipped_calibration
    from reverie.embed.hashing import HashingEmbedder
    from reverie.embed.http import HttpEmbedder
    from reverie.embed.onnx import OnnxEmbedder

__all__ = [
    "MAX_CHARS",
    "Calibration",
    "Embedded",
    "Embedder",
    "Failure",
    "HashingEmbedder",
    "HttpEmbedder",
    "Kind",
    "OnnxEmbedder",
    "Vectors",
    "calibrate",
    "checked",
    "default_embedder",
    "shipped_calibration",
]

_LAZY = {
    "Calibration": "calibration",
    "HashingEmbedder": "hashing",
    "HttpEmbedder": "http",
    "OnnxEmbedder": "onnx",
    "calibrate": "calibration",
    "shipped_calibration": "calibration",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


def default_embedder(spec: str, *, api_key: str | None = None, threads: int = 1) -> Embedder | None:
    """Make the embedder that the setting `embedder` names.

    spec: "onnx" (the local model), "hashing" or "hashing:DIM", "none" (no vectors at all: None is returned), or
    "http:MODEL@URL" for an OpenAI-compatible endpoint, where URL ends before `/embeddings`.
    api_key is used by "http:" only, threads (default 1) by "onnx" only. Nothing is loaded or called yet.
    Raises InvalidInput for any other spec; the message never repeats the part after "@", which may hold a password.
    """
    name, _, rest = spec.strip().partition(":")
    if name == "onnx" and not rest:
        from reverie.embed.onnx import OnnxEmbedder

        return OnnxEmbedder(threads)
    if name == "none" and not rest:
        return None
    if name == "hashing" and (not rest or (rest.isascii() and rest.isdigit() and len(rest) < 6)):
        from reverie.embed.hashing import HashingEmbedder

        return HashingEmbedder(int(rest)) if rest else HashingEmbedder()
    if name == "http":
        # The model comes first and may itself hold "@" (a revision); the URL starts at the last "@http".
        model, at, url = rest.rpartition("@http")
        if at and model:
            from reverie.embed.http import HttpEmbedder

            return HttpEmbedder(f"http{url}", model, api_key=api_key)
        raise InvalidInput(
            "an HTTP embedder is written http:MODEL@URL, for instance http:bge-m3@http://localhost:11434/v1"
        )
    shown = spec.strip().partition("@")[0][:40]
    raise InvalidInput(f"no embedder is called {shown!r}: take onnx, hashing, none or http:MODEL@URL")
