"""Reverie for async callers: the same object, its verbs run in threads. Not a second implementation."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from reverie.memory import Reverie
from reverie.model import Scope
from reverie.opening import open_memory
from reverie.settings import Settings

_STREAMS = frozenset({"each", "import_stream"})
_END = object()


async def _stream(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
    """The items of a verb that gives one at a time, each fetched in a thread."""
    items = iter(await asyncio.to_thread(functools.partial(verb, *args, **kwargs)))
    while (item := await asyncio.to_thread(next, items, _END)) is not _END:
        yield item


class AsyncReverie:
    """Every verb of `Reverie`, awaitable: ``await mem.recall("...")``. Obtain it with ``await reverie.aopen(...)``.

    `each` and `import_stream` are asynchronous iterators. Verbs run in the loop's default threads, so the loop is never
    blocked; concurrent writes share commits.
    """

    def __init__(self, memory: Reverie) -> None:
        self._memory = memory

    @property
    def scope(self) -> Scope:
        """The tenant and namespace that this handle holds."""
        return self._memory.scope

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._memory.settings

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        verb = getattr(self._memory, name)
        if not callable(verb):
            raise AttributeError(name)
        if name in _STREAMS:
            return functools.partial(_stream, verb)

        @functools.wraps(verb)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.to_thread(verb, *args, **kwargs)

        return awaited

    async def __aenter__(self) -> AsyncReverie:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.to_thread(self._memory.close)


async def aopen(url: str | Path, namespace: str = "default", **options: Any) -> AsyncReverie:
    """As `reverie.open`, without blocking the loop."""
    return AsyncReverie(await asyncio.to_thread(functools.partial(open_memory, url, namespace, **options)))
