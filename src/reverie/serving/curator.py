"""The curator of a server, as a process of its own: it keeps the schedule and runs the jobs that callers ask for.

So nothing that it computes holds up an answer. It lives as long as its standard input is open: when the server that started it
is gone, however that came about, it finishes the transaction in hand and leaves.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from reverie.serving.host import Host
from reverie.serving.jobs import Runner
from reverie.serving.logs import to_stderr
from reverie.settings import load
from reverie.vectors.blas import one_thread
from reverie.work.worker import Worker

log = logging.getLogger("reverie.curator")
REST_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)  # before a curator that has died is started again, longer each time
PROVEN_SECONDS = 5.0  # after a death: one that lives so long is taken for sound
WELL_SECONDS = 300.0  # one that lived so long starts with the shortest rest again


class Curator:
    """Starts the process and keeps it there.

    Args:
        url, embedder: the store's, as they were given. schedule: whether it keeps the schedule, too.
        settings: what the caller has set over file and environment.
    """

    def __init__(self, url: str, *, embedder: str | None, schedule: bool, settings: dict[str, Any]) -> None:
        self._told = json.dumps({"url": url, "embedder": embedder, "schedule": schedule, "settings": settings})
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._began = 0.0
        self._died: str | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._keeping, name="reverie-curator", daemon=True)

    def start(self) -> None:
        """Start it; it is started again where it dies."""
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why nothing is curated just now; None while the process lives."""
        process, died = self._process, self._died
        if (
            process is not None
            and process.poll() is None
            and (died is None or time.monotonic() - self._began > PROVEN_SECONDS)
        ):
            return None
        return died

    def _keeping(self) -> None:
        deaths = 0
        while not self._stopping.is_set():
            self._began = time.monotonic()
            try:
                code = f"ended with {self._once()}"
            except OSError as error:  # no memory, no more processes: it is tried again as after a death
                code = f"could not be started: {error.strerror or type(error).__name__}"
            if self._stopping.is_set():
                return
            deaths = 0 if time.monotonic() - self._began > WELL_SECONDS else deaths
            rest = REST_SECONDS[min(deaths, len(REST_SECONDS) - 1)]
            deaths += 1
            self._died = f"the curator {code}; it is started again in {rest:.0f} s"
            log.error(self._died)
            self._stopping.wait(rest)

    def _once(self) -> int:
        with self._lock:
            if self._stopping.is_set():
                return 0
            process = self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "reverie.serving.curator"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the server, which tells it
            )  # fmt: skip
        with suppress(BrokenPipeError):  # it has died already: the code that is given says so
            process.stdin.write(self._told.encode() + b"\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
        return process.wait()

    def stop(self, seconds: float) -> None:
        """Let it finish the transaction in hand; one that takes longer than this is killed, which loses nothing."""
        with self._lock:
            self._stopping.set()
            process = self._process
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                log.warning("the curator was killed in the middle of a transaction, which is taken back")
                process.kill()
                process.wait()
        if self._thread.is_alive():
            self._thread.join(seconds)


def main() -> None:
    """The process itself: what to do comes as a line of JSON; the end of the input is the word to leave."""
    to_stderr(logging.WARNING)
    given = json.loads(sys.stdin.readline())
    leaving = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: leaving.set())
    threading.Thread(target=_until_the_end, args=(leaving,), name="reverie-input", daemon=True).start()
    settings = load(given["settings"])
    if hasattr(os, "nice"):
        os.nice(int(settings.worker_nice))
    host = Host(given["url"], settings=settings, embedder=given["embedder"])
    runner = Runner(host)
    worker = (
        Worker(given["url"], settings=settings, embedder=host.embedder, judge=host.judge) if given["schedule"] else None
    )
    if worker is not None:
        worker.start()
    with one_thread():  # for good, as in the server
        leaving.wait()
    if worker is not None:
        worker.ask_to_stop()
    runner.close()
    if worker is not None:
        worker.stop()
    host.close()


def _until_the_end(leaving: threading.Event) -> None:
    """Read until the server's end of the pipe is closed, by it or by its death."""
    while os.read(0, 1_024):
        pass
    leaving.set()


if __name__ == "__main__":
    main()
