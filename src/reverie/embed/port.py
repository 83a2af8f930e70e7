"""What an embedder is, and the one safe way to call it.

`Embedder` is the port: three implementations live beside this file and a user may bring another. `checked` is what the
rest of Reverie calls. It trusts no embedder: lengths are clamped, shapes and numbers validated, and one item that
cannot be embedded never takes its batch with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from reverie.errors import BadVector, EmbedderError, EmbedderUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_CHARS", "Embedded", "Embedder", "Failure", "Kind", "Vectors", "checked", "clamp"]

Kind = Literal["document", "query"]
Vectors: TypeAlias = "NDArray[np.float32]"

MAX_CHARS = 4096
"""Characters of a text that are looked at. 256 word pieces of prose are about 1,300 characters; what lies beyond 4,096
reaches no model of that window, and a text of a megabyte must cost no more than a long note."""

_PROBE = "The weather is fine today."
"""Embedded after a failure, to tell an embedder that is down from an item that cannot be embedded."""

_SMALLEST_NORM = 1e-6
"""Below this a direction is rounding noise: float32 holds seven digits."""


class Embedder(Protocol):
    """Turns texts into directions. An implementation must be callable from several threads at once."""

    @property
    def model_id(self) -> str:
        """Stable name stored beside each vector. It holds a revision and the dimension: two models never share one."""
        ...

    @property
    def dim(self) -> int:
        """Numbers in a vector. Asking may cost one call where only the service knows it."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Return a float32 array of shape (len(texts), dim), rows of length 1, in the order of `texts`.

        `kind` tells a question from a stored text, for models that were trained with a different lead-in for each.
        Raises EmbedderUnavailable when nothing can be embedded now, another EmbedderError when this batch cannot.
        """
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """One text that got no vector: its place in the batch, and why."""

    index: int
    error: EmbedderError


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """What `checked` made of n texts.

    `vectors` has shape (len(rows), dim), float32, rows of length 1; `rows[k]` is the place in the batch of row k,
    ascending; `failed` holds the others. Every text is in exactly one of the two.
    """

    vectors: Vectors
    rows: tuple[int, ...]
    failed: tuple[Failure, ...]

    def vector(self, index: int) -> Vectors | None:
        """Return the vector, shape (dim,), of the text at `index`, or None if it failed."""
        try:
            found: Vectors = self.vectors[self.rows.index(index)]
        except ValueError:
            return None
        return found


def clamp(text: str) -> str:
    """Return what an embedder is shown of `text`: leading blanks gone, at most MAX_CHARS, no lone surrogates."""
    head = text.lstrip()[:MAX_CHARS]
    return head.encode("utf-8", "replace").decode("utf-8")


def checked(embedder: Embedder, texts: Sequence[str], kind: Kind = "document") -> Embedded:
    """Embed `texts`, giving up single items rather than the batch.

    A batch that fails is halved, widest part first, until the items at fault stand alone. Blank texts are failed
    without a call. Raises EmbedderUnavailable when the embedder is down, when it answers with another dimension than
    it declares, or when after a failure it cannot embed a harmless sentence either; raises nothing else.
    """
    failed: dict[int, EmbedderError] = {}
    good: dict[int, Vectors] = {}
    shown = [clamp(text) for text in texts]
    for index, text in enumerate(shown):
        if not text.strip():
            failed[index] = BadVector("a blank text has no direction")
    dim = _declared_dim(embedder)
    waiting: deque[list[int]] = deque()
    first = [index for index in range(len(shown)) if index not in failed]
    if first:
        waiting.append(first)
    proven = False
    while waiting:
        part = waiting.popleft()
        try:
            block = _block(embedder, [shown[index] for index in part], kind, dim)
        except EmbedderUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - an embedder is foreign code; what it throws is a failure
            proven = proven or bool(good) or _probe(embedder, kind, dim, error)
            if len(part) == 1:
                failed[part[0]] = error if isinstance(error, EmbedderError) else EmbedderError(_reason(error))
            else:
                middle = len(part) // 2
                waiting.extend((part[:middle], part[middle:]))
            continue
        norms = np.linalg.norm(block.astype(np.float64), axis=1)
        for index, row, norm in zip(part, block, norms, strict=True):
            if not np.isfinite(norm):
                failed[index] = BadVector("the vector holds NaN or infinity")
            elif norm < _SMALLEST_NORM:
                failed[index] = BadVector("the vector is zero")
            else:
                good[index] = (row / norm).astype(np.float32)
    rows = tuple(sorted(good))
    vectors: Vectors = np.stack([good[i] for i in rows]) if rows else np.zeros((0, dim), np.float32)
    return Embedded(vectors, rows, tuple(Failure(i, failed[i]) for i in sorted(failed)))


def _block(embedder: Embedder, texts: list[str], kind: Kind, dim: int) -> Vectors:
    answer: Any = embedder.embed(texts, kind)
    block: Vectors = np.asarray(answer, dtype=np.float32)
    if block.ndim == 2 and block.shape[0] == len(texts) and block.shape[1] != dim:
        # Never one item's fault: the model behind the name has changed.
        raise EmbedderUnavailable(f"{embedder.model_id}: vectors of {block.shape[1]} numbers where {dim} were declared")
    if block.shape != (len(texts), dim):
        raise BadVector(f"an array of shape {block.shape} for {len(texts)} texts of {dim} numbers")
    return block


def _probe(embedder: Embedder, kind: Kind, dim: int, cause: Exception) -> bool:
    try:
        return bool(_block(embedder, [_PROBE], kind, dim).any())
    except EmbedderUnavailable:
        raise
    except Exception as error:
        why = f"neither the text nor a harmless one can be embedded: {_reason(cause)}"
        raise EmbedderUnavailable(why) from error


def _declared_dim(embedder: Embedder) -> int:
    try:
        return int(embedder.dim)
    except EmbedderUnavailable:
        raise
    except Exception as error:
        raise EmbedderUnavailable(f"the embedder does not tell its dimension: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
