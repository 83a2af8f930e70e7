"""Named points at which a test may kill the process. Free in production: one check of a module variable.

Armed by ``REVERIE_CRASHPOINT=name`` or ``name:n`` (the n-th time it is reached, from 1): the process then ends as
``kill -9`` ends it, with no clean-up.
"""

from __future__ import annotations

import os
import signal

ALL: tuple[str, ...] = (
    "commit.before_begin",
    "commit.after_work",
    "commit.after_commit",
    "write.after_embed",
    "write.after_insert",
    "executor.before_slice",
    "executor.after_rows",
    "executor.after_entries",
    "executor.after_slice",
    "executor.before_stamp",
    "executor.after_stamp",
    "executor.before_finish",
    "executor.after_finish",
    "embed.before_store",
    "embed.after_store",
    "undo.after_rows",
    "undo.after_finish",
    "import.after_batch",
    "judge.before_verdicts",
    "executor.after_books",
    "recall.before_flush",
    "recall.after_flush",
)
"""Every point there is. `hit` refuses a name that is not listed, so that the exhaustive test sees all."""

_reached: dict[str, int] = {}


def _armed() -> tuple[str, int] | None:
    raw = os.environ.get("REVERIE_CRASHPOINT")
    if not raw:
        return None
    name, _, nth = raw.partition(":")
    if name not in ALL:
        raise ValueError(f"there is no crash point {name!r}")
    return name, int(nth or 1)


_target = _armed()


def hit(name: str) -> None:
    """Mark that the point was reached; end the process here if it is the armed one."""
    if _target is None:
        return
    if name not in ALL:
        raise ValueError(f"there is no crash point {name!r}")
    _reached[name] = _reached.get(name, 0) + 1
    if (name, _reached[name]) == _target:
        os.kill(os.getpid(), signal.SIGKILL)
