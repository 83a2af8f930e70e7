"""The command `reverie mcp` in a process that prints, logs and warns whenever it can, before, while and after it serves."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import warnings

from reverie.doors.cli import main
from reverie.memory import Reverie
from reverie.serving.host import Host


def noise(where: str) -> None:
    print(f"NOISE print {where}")
    sys.stdout.write(f"NOISE no line end {where}")
    os.write(1, b"NOISE os.write\n")
    subprocess.run(["sh", "-c", "echo NOISE child; echo NOISE child err >&2"], check=True)
    warnings.warn(f"NOISE warning {where}", stacklevel=1)
    logging.getLogger("noise").error("NOISE log %s", where)


def loud(owner: type, name: str) -> None:
    quiet = getattr(owner, name)

    def call(*given: object, **named: object) -> object:
        noise(name)
        return quiet(*given, **named)

    setattr(owner, name, call)


loud(Host, "__init__")
loud(Host, "close")
loud(Reverie, "recall")
loud(Reverie, "remember")


def broken(*_: object, **__: object) -> None:
    noise("broken")
    raise RuntimeError("NOISE canary")


Reverie.review = broken  # type: ignore[assignment]
main()
