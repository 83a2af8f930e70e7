"""Reading an embedding service's reply: any bytes in, vectors or `Unreadable` out."""

from __future__ import annotations

import base64
import binascii
import json
import time
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np

from reverie.embed.port import Vectors

__all__ = ["MAX_DIM", "Unreadable", "parse", "seconds"]

MAX_DIM = 16_384
"""Numbers of the longest vector that is taken: twice what the largest models of 2026 give."""


class Unreadable(Exception):
    """The reply is not what the protocol says; the message holds nothing of it."""


def parse(body: bytes, count: int) -> Vectors:
    """Return shape (count, dim) from the reply's JSON, rows by their `index`. Raises Unreadable on anything else."""
    try:
        data = json.loads(body)["data"]
        if not isinstance(data, list) or len(data) != count:
            raise Unreadable("not one vector a text")
        rows: dict[int, Vectors] = {}
        for place, item in enumerate(data):
            rows[int(item.get("index", place))] = _numbers(item["embedding"])
        if sorted(rows) != list(range(count)) or len({row.shape for row in rows.values()}) != 1:
            raise Unreadable("the places or lengths of the vectors do not fit")
        return np.stack([rows[i] for i in range(count)])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise Unreadable(type(error).__name__) from error


def _numbers(value: Any) -> Vectors:
    if isinstance(value, str):
        try:
            row = np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float32)
        except binascii.Error as error:
            raise Unreadable("not base64") from error
    elif isinstance(value, list):
        row = _narrow(value)
    else:
        raise Unreadable("not a list of numbers")
    if row.ndim != 1 or not 1 <= row.size <= MAX_DIM:
        raise Unreadable("not a list of numbers")
    return row


def _narrow(value: list[Any]) -> Vectors:
    with np.errstate(over="ignore"):  # beyond float32 becomes infinity, which `_accept` refuses
        return np.array(value, np.float64).astype(np.float32)


def seconds(value: str | None) -> float | None:
    """Return a Retry-After header, seconds or an HTTP date, as seconds from now, at least 0."""
    if value is None:
        return None
    try:
        if value.strip().isdigit():
            return float(value)
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
