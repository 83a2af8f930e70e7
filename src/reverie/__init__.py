"""A memory for AI agents that looks after itself.

    import reverie

    mem = reverie.open("notes.db")
    mem.remember("Robin lives in Berlin")
    mem.recall("where does Robin live?")
    run = mem.curate()
    mem.undo(run.id)

Everything here is loaded at first use: importing Reverie costs a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from reverie.aio import AsyncReverie, aopen
    from reverie.curation.executor import Run
    from reverie.curation.plan import Plan
    from reverie.errors import ReverieError
    from reverie.history import History
    from reverie.intake import Item, NotRemembered, Remembered
    from reverie.memory import Reverie
    from reverie.model import Channel, Confidence, Kind, Memory, Origin, Scope, State, Trust
    from reverie.opening import open_memory as open  # noqa: A004
    from reverie.recall.recall import Hit
    from reverie.settings import Settings
    from reverie.work.worker import Worker

_HOMES = {
    "AsyncReverie": "aio", "aopen": "aio", "Run": "curation.executor", "Plan": "curation.plan",
    "ReverieError": "errors", "History": "history", "NotRemembered": "intake", "Remembered": "intake",
    "Reverie": "memory", "open": "opening", "Channel": "model", "Confidence": "model", "Kind": "model",
    "Memory": "model", "Origin": "model", "Scope": "model", "State": "model", "Trust": "model", "Hit": "recall.recall",
    "Settings": "settings", "Item": "intake", "Worker": "work.worker",
}  # fmt: skip

__all__ = [
    "AsyncReverie",
    "Channel",
    "Confidence",
    "History",
    "Hit",
    "Item",
    "Kind",
    "Memory",
    "NotRemembered",
    "Origin",
    "Plan",
    "Remembered",
    "Reverie",
    "ReverieError",
    "Run",
    "Scope",
    "Settings",
    "State",
    "Trust",
    "Worker",
    "__version__",
    "aopen",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'reverie' has no attribute {name!r}")
    module = import_module(f"reverie.{_HOMES[name]}")
    return getattr(module, "open_memory" if name == "open" else name)


def __dir__() -> list[str]:
    return __all__
