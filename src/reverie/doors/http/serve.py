"""One process that serves: the store, the worker that keeps the schedule, and all doors of a server, until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from reverie.doors.http.again import KEPT as ANSWERS_KEPT
from reverie.doors.http.app import build
from reverie.doors.http.guard import HOME
from reverie.errors import InvalidInput, ReverieError
from reverie.serving import keys
from reverie.serving.curator import Curator
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs
from reverie.serving.rights import RIGHTS
from reverie.settings import Settings
from reverie.vectors.blas import one_thread

log = logging.getLogger("reverie.serve")
FLUSH_SECONDS = 2.0
SWEEP_ROUNDS = 300  # of them between two sweeps
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class _Uvicorn(uvicorn.Server):
    """Uvicorn raises the signal that ended it once more, which would end this process before the store is closed."""

    def __init__(self, config: uvicorn.Config, leaving: threading.Event) -> None:
        super().__init__(config)
        self._leaving = leaving

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._leaving.set()  # streams end now: the server waits for them before it tells the app
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Server:
    """`reverie serve`.

    Args:
        url: the store; a file is made where it is missing. settings: of the process.
        auth: ask for keys. Without it only this machine is listened to, and whoever is on it may do everything.
        worker, dashboard, mcp: whether to run them.
        names: names that it goes by besides those of this machine.

    Raises:
        InvalidInput: it would serve the network without keys, or the port is taken. StoreError: the store cannot be
            opened.
    """

    def __init__(
        self, url: str, settings: Settings, *, auth: bool = True, worker: bool = True, dashboard: bool = True,
        mcp: bool = True, names: tuple[str, ...] = (), embedder: str | None = None, tenant: str = "default",
    ) -> None:  # fmt: skip
        where = str(settings.serve_host)
        if not auth and where not in LOOPBACK:
            raise InvalidInput(f"--no-auth works on this machine alone: listen at 127.0.0.1, not at {where}")
        if not auth and "*" in {*names, *str(settings.serve_names).split(",")}:
            raise InvalidInput("--no-auth takes no --allow-host *: any page in a browser could then reach it")
        self.auth = auth
        self.first_key: str | None = None
        self._socket = listening(where, int(settings.serve_port))
        self.port: int = self._socket.getsockname()[1]
        try:
            self.host = Host(url, settings=settings, embedder=embedder)
        except BaseException:
            self._socket.close()
            raise
        self.jobs = Jobs(self.host)
        self._grace = max(1, int(settings.serve_grace_seconds))
        self._ended, self._leaving = threading.Event(), threading.Event()
        self._flusher = threading.Thread(target=self._flushing, name="reverie-flush", daemon=True)
        self._curator = Curator(url, embedder=embedder, schedule=worker, settings=settings.given())
        try:
            if auth and not self.host.store.keys_in_force(self.host.clock.now()):
                self.first_key = keys.create(
                    self.host.store, self.host.clock, name="first key", tenant=tenant, allow=RIGHTS, principal="owner",
                    channel="person",
                )[0]  # fmt: skip
            named = {*HOME, where, *(n.strip() for n in str(settings.serve_names).split(",") if n.strip()), *names}
            app = build(
                self.host, self.jobs, hosts=named - {"0.0.0.0", "::"}, dashboard=dashboard, mcp=mcp,  # noqa: S104
                open_to=None if auth else self.host.anybody(tenant), curator=self._curator, leaving=self._leaving,
            )  # fmt: skip
            proxies = str(settings.serve_proxies).strip()
            self._server = _Uvicorn(
                uvicorn.Config(
                    app, log_config=None, access_log=False, server_header=False, lifespan="on", proxy_headers=bool(proxies),
                    forwarded_allow_ips=proxies or None,
                    timeout_graceful_shutdown=self._grace, timeout_keep_alive=30,
                    limit_concurrency=2_000, h11_max_incomplete_event_size=65_536,
                ),
                self._leaving,
            )  # fmt: skip
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        """Where it is, for a browser."""
        where = self._socket.getsockname()[0]
        shown = f"[{where}]" if ":" in where else {"0.0.0.0": "127.0.0.1"}.get(where, where)  # noqa: S104
        return f"http://{shown}:{self.port}"

    def run(self, ready: Callable[[], object] = bool) -> None:
        """Serve until SIGTERM or Ctrl-C; then let what is in hand end, and close. ``ready`` is called once it listens."""
        self._flusher.start()
        self._curator.start()
        ready()
        try:
            # For good: to change the number of BLAS threads with each query let them spin, which took half the processor.
            with one_thread():
                self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def stop(self) -> None:
        """Ask it to end. Safe from any thread."""
        self._leaving.set()
        self._server.should_exit = True

    def _flushing(self) -> None:
        """Write what keys used, and drop now and then what is kept for a time only."""
        rounds = 0
        while not self._ended.wait(FLUSH_SECONDS):
            try:
                self.host.ring.flush()
                if rounds % SWEEP_ROUNDS == 0:
                    now = self.host.clock.now()
                    self.host.store.forget_old(int(now.timestamp() // 86_400) - keys.KEPT_DAYS, now - ANSWERS_KEPT)
                rounds += 1
            except ReverieError as error:
                log.warning("uses of keys cannot be written now: %s", type(error).__name__)
            except Exception:
                log.exception("keeping order failed")

    def close(self) -> None:
        """The curator finishes the transaction in hand; what is buffered is written."""
        self._ended.set()
        if self._flusher.is_alive():
            self._flusher.join()
        try:
            self._curator.stop(self._grace)
        finally:
            self.host.close()
            self._socket.close()


def listening(where: str, port: int) -> socket.socket:
    """A socket that listens already: a port that is taken is told before anything is opened. Raises InvalidInput."""
    family = socket.AF_INET6 if ":" in where else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((where, port))
        made.listen(2_048)
    except OSError as error:
        made.close()
        raise InvalidInput(f"{where}:{port} cannot be listened at: {error.strerror or error}") from None
    return made
