"""HttpEmbedder: any OpenAI-compatible `POST {base_url}/embeddings` (needs the extra `http`).

Nothing the service says is trusted: the reply is bounded in size and time, parsed by a total parser, and checked for
order, dimension and finite numbers. Replies of failed calls are never quoted in an error: services echo keys there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np

from reverie.embed.port import Kind, Vectors, clamp
from reverie.embed.reply import MAX_DIM, Unreadable, parse, seconds
from reverie.errors import BadVector, EmbedderError, EmbedderUnavailable, InvalidInput

__all__ = ["HttpEmbedder"]

_RETRIED = frozenset({408, 409, 425, 429})
_ITEM_FAULT = frozenset({400, 413, 422})
_BYTES_PER_NUMBER = 32  # a float64 as JSON text, with its comma and blanks
_GRACE = 0.25  # seconds in which the worker may report its own time-out before it is left behind


class HttpEmbedder:
    """An embedding service that speaks OpenAI's protocol (OpenAI, Azure, Ollama, vLLM, llama.cpp, and others).

    base_url: up to but without `/embeddings`; http or https, no user, password, query or fragment in it.
    model: the name the service knows. revision: free text that goes into `model_id`; set it where the service may
    serve two models under one name. api_key: sent as a bearer token, never shown.
    dim: numbers in a vector; None reads it from the first reply. ask_dim sends it as `dimensions` as well.
    timeout: seconds for one request of up to `batch` texts, its retries and waits included; default 30.
    batch: texts a request, 1 to 2,048, default 64. retries: after the first try, default 4, for 408, 409, 425, 429,
    5xx, broken connections and unreadable replies; `Retry-After` is kept. Redirects are not followed.
    query_prefix, document_prefix: lead-ins for models trained with them (e5: "query: ", "passage: ").
    sleep, clock: waiting and monotonic seconds, for tests. Safe to share between threads.
    Raises InvalidInput for values out of these bounds.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dim: int | None = None,
        ask_dim: bool = False,
        revision: str = "",
        timeout: float = 30.0,
        batch: int = 64,
        retries: int = 4,
        query_prefix: str = "",
        document_prefix: str = "",
        encoding: Literal["float", "base64"] = "float",
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = _endpoint(base_url)
        if not model.strip() or len(model) > 200:
            raise InvalidInput("the model of an HTTP embedder is a name of 1 to 200 characters")
        if dim is not None and not 1 <= dim <= MAX_DIM:
            raise InvalidInput(f"dim is 1 to {MAX_DIM}, not {dim}")
        if not 0 < timeout <= 3600 or not 1 <= batch <= 2048 or not 0 <= retries <= 20:
            raise InvalidInput("timeout is up to 3600 seconds, batch 1 to 2048 and retries 0 to 20")
        if api_key is not None and (not api_key.isascii() or not api_key.isprintable()):
            raise InvalidInput("the API key holds characters that no HTTP header can carry")
        self._model, self._revision, self._api_key = model, revision, api_key
        self._known_dim, self._ask_dim = dim, ask_dim and dim is not None
        self._timeout, self._batch, self._retries = timeout, batch, retries
        self._prefix: dict[str, str] = {"query": query_prefix, "document": document_prefix}
        self._encoding = encoding
        self._sleep, self._clock = sleep, clock
        self._lock = threading.Lock()
        self._client: Any = None

    def __repr__(self) -> str:
        key = "None" if self._api_key is None else "'***'"
        return f"HttpEmbedder({self._url!r}, model={self._model!r}, dim={self._known_dim}, api_key={key})"

    @property
    def dim(self) -> int:
        """Numbers in a vector; where it was not given, the first use asks the service. Raises EmbedderUnavailable."""
        if self._known_dim is None:
            try:
                self.embed(["dimension"])
            except EmbedderUnavailable:
                raise
            except EmbedderError as error:
                raise EmbedderUnavailable(f"the dimension of {self._model} cannot be read: {error}") from error
        assert self._known_dim is not None
        return self._known_dim

    @property
    def model_id(self) -> str:
        """Model, revision and dimension, without the address: a server may move. May ask the service, as `dim` does."""
        revision = f"@{self._revision}" if self._revision else ""
        return f"http:{self._model}{revision}:{self.dim}"

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Return shape (len(texts), dim), float32, rows of length 1, in the order of `texts`.

        Raises EmbedderUnavailable (no connection, login refused, rate limit or server fault to the last retry, time up,
        unreadable or oversized reply, another dimension than before), EmbedderError when the service refuses this
        batch (400, 413, 422) and BadVector when a vector is not finite or is zero.
        """
        shown = [self._prefix[kind] + clamp(text) for text in texts]
        parts = [self._part(shown[at : at + self._batch]) for at in range(0, len(shown), self._batch)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)

    def close(self) -> None:
        """Close the connections. The embedder opens new ones when it is used again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _part(self, texts: list[str]) -> Vectors:
        deadline = self._clock() + self._timeout
        tries = 0
        while True:
            answer = self._try(texts, deadline)
            if not isinstance(answer, _Retry):
                return self._accept(answer)
            tries += 1
            wait = answer.after if answer.after is not None else min(0.5 * 2.0 ** (tries - 1), 8.0)
            left = deadline - self._clock()
            if tries > self._retries or wait >= left:
                why = "no retry is left" if tries > self._retries else f"the next try would be in {wait:.0f} s"
                raise EmbedderUnavailable(f"{self._model}: {answer.reason}; {why}")
            self._sleep(wait)

    def _try(self, texts: list[str], deadline: float) -> Vectors | _Retry:
        status, after, body = 0, None, b""
        limit = 1_000_000 + len(texts) * (self._known_dim or MAX_DIM) * _BYTES_PER_NUMBER
        reply = self._post(texts, deadline, limit)
        if isinstance(reply, _Retry):
            return reply
        status, after, body = reply.status, reply.after, reply.body
        if status in (401, 403):
            raise EmbedderUnavailable(f"{self._model}: the login was refused ({status}); check the API key")
        if status in _RETRIED or status >= 500:
            return _Retry(f"the service answered {status}", seconds(after))
        if status in _ITEM_FAULT:
            raise EmbedderError(f"{self._model}: the service refused this batch ({status})")
        if 300 <= status < 400:
            raise EmbedderUnavailable(f"{self._model}: the service redirects ({status}); redirects are not followed")
        if status != 200:
            raise EmbedderUnavailable(f"{self._model}: the service answered {status}; check the address and the model")
        if len(body) > limit:
            raise EmbedderUnavailable(f"{self._model}: the reply is larger than {limit} bytes")
        try:
            return parse(body, len(texts))
        except Unreadable as error:
            return _Retry(f"the reply cannot be read ({error})")

    def _accept(self, block: Vectors) -> Vectors:
        norms = np.linalg.norm(block.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(norms).all():
            raise BadVector(f"{self._model}: a vector holds NaN or infinity")
        if (norms < 1e-12).any():
            raise BadVector(f"{self._model}: a vector is zero")
        with self._lock:
            known = self._known_dim = self._known_dim or block.shape[1]
        if block.shape[1] != known:
            raise EmbedderUnavailable(f"{self._model}: vectors of {block.shape[1]} numbers where {known} are expected")
        unit: Vectors = (block / norms).astype(np.float32)
        return unit

    def _post(self, texts: list[str], deadline: float, limit: int) -> _Reply | _Retry:
        """One exchange, in its own thread: a client's time-outs start anew with each byte, the deadline must not."""
        left = deadline - self._clock()
        if left <= 0:
            return _Retry("time is up")
        client, box = self._open(), list[_Reply | _Retry | EmbedderError]()
        request: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": self._encoding}
        if self._ask_dim:
            request["dimensions"] = self._known_dim
        ends = time.monotonic() + left
        worker = threading.Thread(
            target=lambda: box.append(_exchange(client, self._url, request, ends, limit)), daemon=True
        )
        worker.start()
        worker.join(left + _GRACE)
        if not box:
            with self._lock:  # the stuck connection is left to its thread; later calls get a fresh client
                if self._client is client:
                    self._client = None
            return _Retry("no answer in time")
        if isinstance(box[0], EmbedderError):
            raise box[0]
        return box[0]

    def _open(self) -> Any:
        with self._lock:
            if self._client is None:
                try:
                    import httpx2
                except ImportError as error:
                    raise EmbedderUnavailable("HTTP embedders need the extra `http` (the package httpx2)") from error
                # Uncompressed on purpose: the size limit then holds for what is received and for what is held.
                headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
                if self._api_key:
                    headers["Authorization"] = f"Bearer {self._api_key}"
                self._client = httpx2.Client(headers=headers, follow_redirects=False)
            return self._client


@dataclass(frozen=True, slots=True)
class _Retry:
    reason: str
    after: float | None = None


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    after: str | None
    body: bytes


def _exchange(
    client: Any, url: str, request: dict[str, Any], ends: float, limit: int
) -> _Reply | _Retry | EmbedderError:
    import httpx2

    try:
        left = max(ends - time.monotonic(), 0.001)
        with client.stream("POST", url, json=request, timeout=httpx2.Timeout(left)) as response:
            after = response.headers.get("retry-after")
            if response.status_code != 200:
                return _Reply(response.status_code, after, b"")
            body = bytearray()
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > limit:
                    break
                if time.monotonic() > ends:
                    return _Retry("no full answer in time")
            return _Reply(200, after, bytes(body))
    except httpx2.TransportError as error:
        return _Retry(f"no connection or a broken one ({type(error).__name__})")
    except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to; its owner raises this for it
        return EmbedderUnavailable(f"the HTTP client failed ({type(error).__name__})")


def _endpoint(base_url: str) -> str:
    # The URL is never repeated in these messages: it may hold a password.
    try:
        parts = urlsplit(base_url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidInput("the address of the embedder is not a URL") from error
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput("the address of the embedder starts with http:// or https:// and names a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InvalidInput("the address of the embedder has no user, password, query or fragment; use api_key")
    return base_url.strip().rstrip("/") + "/embeddings"
