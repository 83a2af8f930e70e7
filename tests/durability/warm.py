"""Processes that start in a few milliseconds: one warm parent imports Reverie once and forks a child for each trial.

A child speaks in lines over two pipes. What it wrote before it was killed stays readable, as with any client whose
acknowledgement reached its caller. Run as a script, this file is the warm parent; imported, it is the way to reach one.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).resolve().parent


class Child:
    """A forked process as its caller sees it."""

    def __init__(self, warm: Warm, pid: int, reading: int, writing: int) -> None:
        self._warm = warm
        self.pid = pid
        self._reading = reading
        self._writing = writing
        self._rest = b""
        self._ended = False
        self.lines: list[str] = []

    def hear(self, seconds: float | None = 60.0) -> str | None:
        """The next line; None once the child has ended. Raises TimeoutError when nothing comes in time."""
        until = None if seconds is None else time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self._reading, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if self._ended:
                    return None
                left = None if until is None else max(0.0, until - time.monotonic())
                if not ready.select(left):
                    raise TimeoutError(f"the child said nothing for {seconds} s; so far: {self.lines[-3:]}")
                got = os.read(self._reading, 65536)
                self._ended = not got
                self._rest += got
        line, _, self._rest = self._rest.partition(b"\n")
        self.lines.append(line.decode())
        return self.lines[-1]

    def __iter__(self) -> Iterator[str]:
        while (line := self.hear()) is not None:
            yield line

    def tell(self, line: str) -> None:
        """Send one line."""
        os.write(self._writing, line.encode() + b"\n")

    def kill(self) -> None:
        """kill -9. It is not reaped before `end`, so its number cannot be anybody else's yet."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Read what is left, wait for the end and return the exit status: -9 after a kill."""
        for _ in self:
            pass
        os.close(self._reading)
        os.close(self._writing)
        return os.waitstatus_to_exitcode(self._warm.ask({"wait": self.pid})["status"])


class Warm:
    """The warm parent, as a context manager."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        plain = {k: v for k, v in os.environ.items() if not k.startswith("REVERIE_")}
        # One thread of BLAS: a process that forks must have no other threads.
        plain |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self._socket = ours
        self._lock = threading.Lock()
        with theirs:
            self._process = subprocess.Popen([sys.executable, str(HERE / "warm.py")], stdin=theirs, env=plain, cwd=HERE)

    def ask(self, what: dict[str, Any], fds: tuple[int, ...] = ()) -> dict[str, Any]:
        with self._lock:
            socket.send_fds(self._socket, [json.dumps(what).encode()], list(fds))
            return dict(json.loads(self._socket.recv(65536)))

    def start(self, task: str, **given: Any) -> Child:
        """Fork a child that runs one of `tasks.TASKS` with these arguments."""
        from_child, child_out = os.pipe()
        child_in, to_child = os.pipe()
        try:
            pid = self.ask({"task": task, "given": given}, (child_out, child_in))["pid"]
        finally:
            os.close(child_out)
            os.close(child_in)
        return Child(self, pid, from_child, to_child)

    def close(self) -> None:
        self._socket.close()
        self._process.wait(timeout=30)

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Wire:
    """The child's end of the pipes."""

    def __init__(self, out: int, into: int) -> None:
        self._out = out
        self._lines = os.fdopen(into, "r", encoding="utf-8")

    def say(self, line: str) -> None:
        """One line, written whole by one system call: nothing of it waits in a buffer when the process is killed."""
        os.write(self._out, line.encode() + b"\n")

    def hear(self) -> str:
        """The next line from the parent; empty when the parent is gone."""
        return self._lines.readline().rstrip("\n")


def serve() -> None:
    """The warm parent's loop: fork, or wait for a child, as asked over the socket on standard input."""
    import tasks

    tasks.warm_up()
    line = socket.socket(fileno=os.dup(0))
    children: set[int] = set()
    while True:
        message, fds, _, _ = socket.recv_fds(line, 65536, 2)
        if not message:
            break
        asked = json.loads(message)
        if "wait" in asked:
            children.discard(asked["wait"])
            line.send(json.dumps({"status": os.waitpid(asked["wait"], 0)[1]}).encode())
            continue
        pid = os.fork()
        if pid == 0:
            line.close()
            _child(tasks.TASKS[asked["task"]], Wire(*fds), asked["given"])
        children.add(pid)
        for fd in fds:
            os.close(fd)
        line.send(json.dumps({"pid": pid}).encode())
    for pid in children:  # the tests have gone: nobody is left behind
        os.kill(pid, signal.SIGKILL)


def _child(task: Callable[..., None], wire: Wire, given: dict[str, Any]) -> None:
    status = 1
    try:
        task(wire, **given)
        status = 0
    except BaseException as error:
        import traceback

        traceback.print_exc()
        wire.say(f"failed {type(error).__name__}: {error}")
    finally:
        os._exit(status)


if __name__ == "__main__":
    serve()
