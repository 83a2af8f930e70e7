"""A server's application in this process, on each store: no socket, the same guard and routes."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from starlette.testclient import TestClient

from reverie.doors.http import build
from reverie.serving import keys
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import Settings

HERE = "/v1/namespaces/notes"


@dataclass
class Served:
    """The application, its host, and a client that speaks with one key."""

    host: Host
    jobs: Jobs
    client: TestClient
    key: str
    others: dict[str, str] = field(default_factory=dict)

    def make_key(self, **given: Any) -> str:
        made: dict[str, Any] = {"name": "k", "tenant": "acme", "allow": ["owner"], "channel": "person"} | given
        return keys.create(self.host.store, self.host.clock, **made)[0]

    def ask(self, method: str, path: str, body: Any = None, key: str | None = "", **headers: str):
        """One request; ``path`` is under the namespace notes where it does not begin with a slash."""
        sent = {k.replace("_", "-"): v for k, v in headers.items()}
        if key is not None:
            sent["authorization"] = f"Bearer {key or self.key}"
        where = path if path.startswith("/") else f"{HERE}/{path}"
        if isinstance(body, (bytes, str)):
            sent.setdefault("content-type", "application/json")
            return self.client.request(method, where, content=body, headers=sent)
        if body is not None:
            sent["content-type"] = "application/json"
            return self.client.request(method, where, content=json.dumps(body), headers=sent)
        return self.client.request(method, where, headers=sent)

    def get(self, path: str, **how: Any):
        return self.ask("GET", path, **how)

    def post(self, path: str, body: Any = None, **how: Any):
        return self.ask("POST", path, {} if body is None else body, **how)

    def remember(self, text: str, **more: Any) -> str:
        got = self.post("memories", {"text": text, **more})
        assert got.status_code in (200, 201), got.text
        return got.json()["id"]


def opened(stack: ExitStack, url: str, clock: Any, ids: Any, **how: Any) -> Served:
    """A server's application on a store."""
    host = Host(
        url,
        settings=Settings(how.pop("settings", {})),
        clock=clock,
        ids=ids,
        embedder="hashing:32",
        judge=how.pop("judge", None),
    )
    stack.callback(host.close)
    jobs = Jobs(host, Runner(host))
    stack.callback(jobs.close)
    app = build(host, jobs, hosts=["testserver"], **({"dashboard": False, "mcp": False} | how))
    client = stack.enter_context(TestClient(app, raise_server_exceptions=False))
    served = Served(host, jobs, client, "")
    served.key = served.make_key()
    return served
