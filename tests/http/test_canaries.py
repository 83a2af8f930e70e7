"""Twenty tenants ask at random, for what is theirs and what is others': nobody sees a word of another, and all find their own.

Every answer, its headers, errors, logs, metrics and briefings are searched for the words of all others.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
from contextlib import ExitStack

import pytest

from reverie.clock import FixedClock, Ulids
from reverie.doors.http.base import OFFERED
from reverie.serving.logs import Lines
from served import opened

TENANTS = 20
CALLS = int(os.environ.get("REVERIE_TEST_CALLS", "300"))
MANY = int(os.environ.get("REVERIE_TEST_CALLS", "50000"))
NAMES = ("notes", "work")
KINDS = ("fact", "concept", "preference", "episode")
PAGES = ("", "/memories", "/memories?q={word}", "/memories/{id}", "/runs", "/review", "/health", "/plan", "/briefing")


class Tenant:
    def __init__(self, served, n: int) -> None:
        self.word = f"canary{n:02d}q"
        self.name = f"tenant{n:02d}"
        self.key = served.make_key(tenant=self.name, principal=f"{self.word}who")
        self.ids: list[str] = []
        self.jobs: list[str] = []
        self.runs: list[str] = []
        self.cookies: dict[str, str] = {}


class Town:
    """All of them, and what may be asked."""

    def __init__(self, served, seed: int) -> None:
        self.served = served
        self.rng = random.Random(seed)
        self.tenants = [Tenant(served, n) for n in range(TENANTS)]
        self.asked: dict[str, int] = {}
        self.found = 0
        for t in self.tenants:
            for k in range(3):
                self.write(t, f"{t.word} lives in house {k}.")

    def write(self, t: Tenant, text: str) -> None:
        got = self.ask(
            t, "POST", "memories", {"text": text, "kind": self.rng.choice(KINDS), "session": f"{t.word}s"}, "remember"
        )
        if got.status_code in (200, 201):
            t.ids.append(got.json()["id"])

    def ask(self, t: Tenant, method: str, path: str, body=None, verb: str = ""):
        self.asked[verb] = self.asked.get(verb, 0) + 1
        got = self.served.ask(method, path, body, key=t.key)
        assert got.status_code < 500, (method, path, got.text)
        self.look(t, got)
        return got

    def look(self, t: Tenant, got) -> None:
        whole = got.text + json.dumps(dict(got.headers))
        for other in self.tenants:
            assert other is t or (other.word not in whole and other.name not in whole), f"{t.name} saw {other.name}"

    def call(self) -> None:
        """One call: mostly of one's own, often of what is another's."""
        rng = self.rng
        t, other = rng.choice(self.tenants), rng.choice(self.tenants)
        mine = rng.random() < 0.6 or other is t
        whose = t if mine else other
        id_ = rng.choice(whose.ids)
        one = f"memories/{id_}"
        verb, address = rng.choice(sorted(OFFERED.items()))
        method = address.split(" ", 1)[0]
        bodies = {
            "remember": ("memories", {"text": f"{t.word} holds box {rng.randrange(50)}."}),
            "remember_many": ("memories/bulk", {"items": [{"text": f"{t.word} has {rng.randrange(9)} pens."}, {"text": " "}]}),
            "import_stream": ("import", json.dumps(f"{t.word} sees {rng.randrange(50)} birds.")),
            "recall": ("recall", {"query": whose.word}), "know": ("know", {"query": whose.word}),
            "context": ("context", {"query": whose.word}), "browse": ("memories?all=true&limit=20", None),
            "get": (one, None), "history": (f"{one}/history", None),
            "revise": (f"{one}/revise", {"text": f"{t.word} has moved to {rng.randrange(10_000)}."}),
            "forget": (f"{one}/forget", {}), "restore": (f"{one}/restore", {}), "pin": (f"{one}/pin", {"on": rng.random() < 0.3}),
            "verify": (f"{one}/verify", {"on": rng.random() < 0.3}),
            "reclassify": (f"{one}/reclassify", {"kind": rng.choice(KINDS)}),
            "weigh": (f"{one}/weigh", {"utility": rng.random()}), "feedback": (f"{one}/feedback", {"verdict": "confirmation"}),
            "plan": ("plan", {}), "apply": ("apply", {"id": rng.choice(whose.runs or ["x"])}), "curate": ("curate", {}),
            "undo": ("undo", {"run": rng.choice(whose.runs or ["x"])} if rng.random() < 0.7 else {"entry": rng.randrange(1, 500)}),
            "journal": (f"journal?id={id_}" if rng.random() < 0.5 else f"journal?run={rng.choice(whose.runs or ['x'])}", None),
            "review": ("review", None), "review_item": (f"review/{id_}", None), "accept": (f"review/{id_}/accept", {}),
            "reject": (f"review/{id_}/reject", {}), "export": ("export?journal=true", None),
            "import_export": ("import-export", "{}"), "set": ("settings/recall_limit", {"value": rng.randrange(1, 20)}),
            "erase": ("erase", rng.choice([{"memory": id_}, {"principal": f"{t.word}who"}])),
            "reapply": ("erasures/again", {"receipts": [{"id": id_}]}), "erasures": ("erasures", None),
            "finish_erasures": ("stats", None), "doctor": ("doctor?deep=false", None),
        }  # fmt: skip
        path, body = bodies.get(verb, (verb.replace("check_journal", "journal/check"), None))
        if verb == "finish_erasures":
            method = "GET"
        if rng.random() < 0.1:
            path = f"/v1/namespaces/work/{path}"
        got = self.ask(t, method, path, body, verb)
        if verb in ("get", "history", "pin", "forget", "revise", "weigh") and not mine and not path.startswith("/v1"):
            assert got.status_code == 404, (verb, got.text)
        if verb in ("recall", "know") and mine and got.json()["hits"]:
            self.found += 1
        if got.status_code in (200, 201, 202):
            told = got.json() if got.headers["content-type"] == "application/json" else {}
            if verb in ("remember", "revise"):
                t.ids.append(told["id"])
            if verb == "curate":
                t.jobs.append(told["id"])
            if verb == "runs":
                t.runs = [r["id"] for r in told][:20]

    def elsewhere(self) -> None:
        """What is not under a namespace, a job of somebody, and a page of the dashboard."""
        rng = self.rng
        t, other = rng.choice(self.tenants), rng.choice(self.tenants)
        for path in ("/v1/me", "/v1/namespaces", "/v1/keys", "/health", "/metrics"):
            self.ask(t, "GET", path, None, path)
        if other.jobs and other is not t:
            assert self.ask(t, "GET", f"jobs/{rng.choice(other.jobs)}", None, "job").status_code == 404
        self.ask(t, "GET", "jobs", None, "jobs")
        self.pages(t, other)

    def pages(self, t: Tenant, other: Tenant) -> None:
        client = self.served.client
        client.cookies.clear()
        token = re.search(r'name="csrf" value="([^"]+)"', client.get("/login").text)[1]
        sent = {"key": t.key, "csrf": token}
        got = client.post("/login", data=sent, headers={"origin": "http://testserver"}, follow_redirects=False)
        assert got.status_code in (302, 303), got.text
        for page in PAGES:
            path = "/namespaces/notes" + page.format(
                word=other.word if other is not t else t.word, id=self.rng.choice(other.ids)
            )
            shown = client.get(path, follow_redirects=True)
            assert shown.status_code < 500, (path, shown.text[:500])
            text = (
                shown.text.replace(other.word, "") if "q=" in path else shown.text
            )  # what was asked for stands in the field
            for one in self.tenants:
                assert one is t or one.word not in text, f"{t.name} saw {one.name} at {path}"
        client.cookies.clear()


def walk(url: str, calls: int) -> None:
    kept: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record):
            kept.append(self.format(record))

    handler = Keep()
    handler.setFormatter(Lines())
    logger = logging.getLogger("reverie")
    logger.addHandler(handler)
    before = logger.level
    logger.setLevel(logging.INFO)
    try:
        with ExitStack() as stack:
            clock = FixedClock()
            served = opened(stack, url, clock, Ulids(clock), dashboard=True)
            town = Town(served, seed=7)
            for n in range(calls):
                town.call()
                if n % 100 == 0:
                    clock.advance(hours=1)
                    town.elsewhere()
            for t in town.tenants:
                got = town.ask(
                    t,
                    "POST",
                    "recall",
                    {"query": t.word, "states": ["live", "merged", "superseded", "archived"]},
                    "own",
                )
                assert got.json()["hits"], t.name
                town.ask(t, "GET", "briefing", None, "briefing")
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    log = "\n".join(kept)
    assert len(kept) > calls and "canary" not in log and "tenant0" not in log
    assert set(OFFERED) <= set(town.asked)
    assert town.found > calls / 200
    print(f"{sum(town.asked.values())} calls, {len(kept)} lines of log, own data found {town.found} times")


def test_nobody_sees_a_word_of_another(url):
    walk(url, CALLS)


@pytest.mark.slow
def test_nobody_sees_a_word_of_another__many(url):
    walk(url, MANY)
