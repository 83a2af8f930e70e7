"""A real `reverie serve` in a process of its own, on a port that the system gives."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx

REVERIE = str(Path(sys.executable).parent / "reverie")
PATIENCE = 30.0


class ServerProcess:
    """Started by `started`. ``key`` is the first one, None where the store had keys already."""

    def __init__(self, process: subprocess.Popen[bytes], told: dict[str, Any], folder: Path) -> None:
        self.process = process
        self.address: str = told["address"]
        self.key: str | None = told["first_key"]
        self.folder = folder

    def client(self, key: str | None = None, **how: Any) -> httpx.Client:
        headers = {"authorization": f"Bearer {key or self.key}"} if key or self.key else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=PATIENCE, **how)

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def stop(self) -> int:
        """Ask it to leave; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def children(self) -> list[int]:
        """Process ids of its curator."""
        of_threads = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(n) for found in of_threads for n in found.read_text().split()]


@contextlib.contextmanager
def started(db: str | None, *options: str, **env: str) -> Iterator[ServerProcess]:
    """A server on a store, ready to answer; it is killed at the end where it has not left."""
    folder = Path(tempfile.mkdtemp())
    made = {k: v for k, v in os.environ.items() if not k.startswith("REVERIE_")} | {"REVERIE_EMBEDDER": "hashing"} | env
    command = [REVERIE, *(["--db", db] if db else []), "--json", "serve", "--port", "0", *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=made, cwd=folder, stdout=subprocess.PIPE, stderr=log)
    try:
        line = process.stdout.readline()  # type: ignore[union-attr]
        assert line, (folder / "log").read_text()
        server = ServerProcess(process, json.loads(line), folder)
        until(lambda: httpx.get(server.address + "/health/ready").status_code == 200)
        yield server
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def until(true: Any, seconds: float = PATIENCE) -> None:
    """Wait until something holds; what cannot be asked yet does not."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(httpx.HTTPError):
            if true():
                return
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.02)
