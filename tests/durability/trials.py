"""One trial: a child that is killed somewhere, what is left of its store, and the client that comes back to it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Union

from checks import Canonical, broken_promises, canonical_of, differences, records, unsound
from program import build
from warm import Child, Warm

if TYPE_CHECKING:
    from servers import Server

ACTS = build()
ANSWERS = len(ACTS) + sum(len(a.items) for a in ACTS if a.verb == "import")  # lines that a whole programme says
WORKERS = 6  # most of a trial waits for the disk
T = TypeVar("T")
R = TypeVar("R")
Where = Union[Path, "Server"]  # a folder that a trial's file is made in, or the server that its database is made on


@dataclass(frozen=True)
class Trial:
    """What one kill showed. ``finished``: it came after the last act."""

    acknowledged: int
    wrong: tuple[str, ...]
    status: int
    finished: bool


@contextmanager
def made(where: Where) -> Iterator[str]:
    """The path or URL of a new store, which is taken away in the end."""
    if isinstance(where, Path):
        where.mkdir()
        yield str(where / "notes.db")
        shutil.rmtree(where)
    else:
        url = where.database()
        yield url
        where.drop(url)


def look(warm: Warm, where: Where, path: str, child: Child, expected: Canonical | None, about: str) -> Trial:
    """Wait for a child that was killed, check its store, resume its client and compare the end with ``expected``."""
    server = None if isinstance(where, Path) else where
    status = child.end()
    finished = "end" in child.lines
    wrong = [line for line in child.lines if line.startswith("failed")]
    lines = [line for line in child.lines if line.startswith("{")]
    acknowledged = len(lines)
    if server or Path(path).exists() or lines:
        wrong += unsound(path, server) + broken_promises(records(path), ACTS, lines)
    if expected is not None and not wrong:
        later = warm.start("resume", path=path, answered=lines)
        if later.end() != 0:
            wrong += [f"the client could not resume: {line}" for line in later.lines if line.startswith("failed")]
        else:
            lines += [line for line in later.lines if line.startswith("{")]
            held = records(path)
            wrong += unsound(path, server) + broken_promises(held, ACTS, lines)
            wrong += differences(canonical_of(held), expected)
    return Trial(acknowledged, tuple(f"{about}: {w}" for w in wrong), status, finished)


def kill_at_random(warm: Warm, where: Where, seed: int, expected: Canonical | None, task: str = "programme") -> Trial:
    """Let a child run until after a random answer and a little longer, then kill it."""
    chance = random.Random(seed)
    with made(where) as path:
        child = warm.start(task, path=path)
        for _ in range(chance.randrange(ANSWERS + 1)):
            line = child.hear()
            if line is None or line == "end":
                break
        else:
            with suppress(TimeoutError):  # a kill between two acts is the easy case
                child.hear(chance.uniform(0, 0.006))
        child.kill()
        return look(warm, where, path, child, expected, f"seed {seed}")


def kill_at_point(warm: Warm, where: Where, point: str, expected: Canonical | None) -> Trial:
    """Let a child run into a crash point."""
    with made(where) as path:
        child = warm.start("programme", path=path, crashpoint=point)
        for line in child:
            if line == "end":  # the point was not reached: the check of the status fails
                child.tell("go")
        return look(warm, where, path, child, expected, point)


def at_once(one: Callable[[T], R], many: list[T]) -> list[R]:
    """Many trials, a few at a time."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, many))


def seeds(chance: random.Random, n: int) -> list[int]:
    """Seeds of n trials."""
    return [chance.randrange(2**32) for _ in range(n)]
