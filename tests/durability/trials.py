"""One trial: a child that is killed somewhere, what is left of its store, and the client that comes back to it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from checks import Canonical, broken_promises, canonical, differences, unsound
from program import build
from warm import Child, Warm

ACTS = build()
ANSWERS = len(ACTS) + sum(len(a.items) for a in ACTS if a.verb == "import")  # lines that a whole programme says
WORKERS = 6  # most of a trial waits for the disk
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Trial:
    """What one kill showed. ``finished``: it came after the last act."""

    acknowledged: int
    wrong: tuple[str, ...]
    status: int
    finished: bool


def look(warm: Warm, folder: Path, child: Child, expected: Canonical | None, about: str) -> Trial:
    """Wait for a child that was killed, check its store, resume its client and compare the end with ``expected``."""
    path = str(folder / "notes.db")
    status = child.end()
    finished = "end" in child.lines
    wrong = [line for line in child.lines if line.startswith("failed")]
    lines = [line for line in child.lines if line.startswith("{")]
    acknowledged = len(lines)
    if Path(path).exists() or lines:
        wrong += unsound(path) + broken_promises(path, ACTS, lines)
    if expected is not None and not wrong:
        later = warm.start("resume", path=path, answered=lines)
        if later.end() != 0:
            wrong += [f"the client could not resume: {line}" for line in later.lines if line.startswith("failed")]
        else:
            lines += [line for line in later.lines if line.startswith("{")]
            wrong += unsound(path) + broken_promises(path, ACTS, lines) + differences(canonical(path), expected)
    shutil.rmtree(folder)
    return Trial(acknowledged, tuple(f"{about}: {w}" for w in wrong), status, finished)


def kill_at_random(warm: Warm, folder: Path, seed: int, expected: Canonical | None, task: str = "programme") -> Trial:
    """Let a child run until after a random answer and a little longer, then kill it."""
    chance = random.Random(seed)
    folder.mkdir()
    child = warm.start(task, path=str(folder / "notes.db"))
    for _ in range(chance.randrange(ANSWERS + 1)):
        line = child.hear()
        if line is None or line == "end":
            break
    else:
        with suppress(TimeoutError):  # a kill between two acts is the easy case
            child.hear(chance.uniform(0, 0.006))
    child.kill()
    return look(warm, folder, child, expected, f"seed {seed}")


def kill_at_point(warm: Warm, folder: Path, point: str, expected: Canonical | None) -> Trial:
    """Let a child run into a crash point."""
    folder.mkdir()
    child = warm.start("programme", path=str(folder / "notes.db"), crashpoint=point)
    for line in child:
        if line == "end":  # the point was not reached: the check of the status fails
            child.tell("go")
    return look(warm, folder, child, expected, point)


def at_once(one: Callable[[T], R], many: list[T]) -> list[R]:
    """Many trials, a few at a time."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, many))


def seeds(chance: random.Random, n: int) -> list[int]:
    """Seeds of n trials."""
    return [chance.randrange(2**32) for _ in range(n)]
