"""Pictures of the dashboard over a made-up fortnight: ``python docs/screenshots.py FOLDER [page ...]``.

Needs Chromium (``apt-get install chromium``, or REVERIE_TEST_CHROMIUM=FILE) and the packages of the dashboard's tests. Those
pictures that docs/tour.md shows are kept in docs/images; all others are for looking at.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvicorn
from playwright.sync_api import Error, Page, sync_playwright
from starlette.applications import Starlette

from reverie.clock import FixedClock
from reverie.doors.cli.demo import notes
from reverie.doors.dashboard import routes
from reverie.judge.questions import Question, Relate, Verdict
from reverie.serving import keys
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import Settings
from reverie.testing import ScriptedJudge

BEGAN = datetime(2026, 3, 2, 8, tzinfo=UTC)
DAYS = 15
SPACE = "harborlight"
DOUBTED = ("Lantern", "Jonas", "Priya")
# Said later in the fortnight: (day, who, text, kind)
LATER = (
    (3, "Mira Okafor", "Invoices go out on the first working day of the month.", "fact"),
    (5, "Mira Okafor", "Ravi is on call this week.", "fact"),
    (6, "support agent", "A customer of Polder Freight asked twice for an export in CSV.", "episode"),
    (8, "planner", "The customer dashboard shows at most 90 days of history.", "fact"),
    (9, "Mira Okafor", "The warehouse in Gothenburg opens at seven.", "fact"),
    (10, "support agent", "Note: the customer dashboard shows at most ninety days of history.", "fact"),
    (12, "planner", "Retries of the importer back off for 30 seconds at first.", "fact"),
    (13, "support agent", "Polder Freight is a customer since 2024, and its contact is Hanneke.", "fact"),
    (14, "support agent", "Invoices now go out on the last working day of the month.", "fact"),
    (14, "planner", "The lead of the platform team is Jonas Weber!", "fact"),
    (14, "planner", "Remember: the lead of the platform team is Jonas Weber, of course.", "fact"),
    (14, "Mira Okafor", "The warehouse in Gothenburg now opens at six.", "fact"),
    (14, "support agent", "FYI: Polder Freight is a customer since 2024, and its contact is Hanneke.", "fact"),
    (14, "planner", "In the customer dashboard, at most 90 days of history are shown.", "fact"),
    (14, "support agent", "Hanneke at Polder Freight prefers to be called before noon.", "preference"),
)
FRESH = (  # written after the last pass: what a plan of this morning is about
    ("support agent", "Note to all: the warehouse in Gothenburg now opens at 6.", "fact"),
    ("planner", "Please note that Hanneke at Polder Freight prefers to be called before noon.", "preference"),
    ("support agent", "Ravi is off call this week.", "fact"),
    ("planner", "The stand-up of the platform team moved to 9:30 am.", "fact"),
)
ASKED = (
    "Which cache does Lantern use?",
    "How is a backup restored?",
    "Who leads the platform team?",
    "When is the stand-up?",
)


def _verdict(q: Question) -> Verdict | None:
    """A judge that knows this story."""
    if not isinstance(q, Relate):
        return None
    both = f"{q.a.text} {q.b.text}"
    if "Invoices" in q.a.text and "Invoices" in q.b.text:
        return Verdict.CONTRADICTS
    if both.count("retry") or both.count("Retries") > 1:
        return Verdict.UNSURE
    return Verdict.UNSURE if len(both) % 17 == 0 and any(w in both for w in DOUBTED) else Verdict.UNRELATED


def fill(host: Host, clock: FixedClock) -> str:
    """A fortnight of a small company's memory. Gives the key of the one who looks at it."""

    made = keys.create(host.store, clock, name="Mira Okafor", channel="person", allow=["owner"])[0]
    keys.create(host.store, clock, name="night shift", namespaces=["ops-*"], allow=["reader"], days=20)
    voices = {
        n: host.caller(keys.create(host.store, clock, name=n, channel=c, allow=["person"])[0]).on(
            SPACE, session="march"
        )
        for n, c in (("planner", "agent"), ("support agent", "agent"), ("Mira Okafor", "person"))
    }
    host.caller(made).on("ops-rotterdam").remember("The badge printer is on the third floor.", "fact")
    host.caller(made).on("ops-gothenburg").remember("The lift is serviced in June.", "fact")
    mira = voices["Mira Okafor"]
    given = list(notes())[:-1]
    order = sorted(range(len(given)), key=lambda n: (n * 7919) % 223)
    for day in range(DAYS):
        clock.set(BEGAN + timedelta(days=day))
        share = order[day * len(given) // DAYS : (day + 1) * len(given) // DAYS]
        for n, i in enumerate(share):
            clock.advance(minutes=19)
            item, who = given[i], ("planner", "support agent", "planner", "Mira Okafor")[n % 4]
            old = item.importance is not None
            voices[who].remember(item.text, item.kind, importance=item.importance,
                                 written_at=clock.now() - timedelta(days=120) if old else None)  # fmt: skip
        for at, who, text, kind in LATER:
            if at == day:
                clock.advance(minutes=11)
                voices[who].remember(text, kind, metadata={"ticket": 4200 + at} if kind == "episode" else {})
        for n in range(12 if day == DAYS - 1 else 0):
            at = clock.now() - timedelta(days=150 + n)
            voices["support agent"].remember(
                f"Ticket {3100 + 7 * n} was closed after {n + 2} days.", "fact", importance=0.1, written_at=at
            )
        for item in mira.review(3) if day in (6, 9, 12) else ():
            mira.reject(item.id)
        for query in ASKED[: 1 + day % 4]:
            voices["planner"].recall(query, 3)
        host.flush()
        clock.set(BEGAN + timedelta(days=day + 1, hours=-5, minutes=-43))
        mira.curate()
    clock.set(BEGAN + timedelta(days=DAYS, hours=-1))
    mira.pin(mira.recall("How is a backup restored?", 1)[0].memory.id)
    mira.verify(mira.recall("Who leads the platform team?", 1)[0].memory.id)
    host.flush()
    for who, text, kind in FRESH:
        clock.advance(minutes=6)
        voices[who].remember(text, kind)
    clock.set(BEGAN + timedelta(days=DAYS, minutes=12))
    return made


@contextmanager
def serving(host: Host, jobs: Jobs) -> Iterator[str]:
    """The address of a server that shows the dashboard."""
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes(host, jobs)), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def pages(host: Host, key: str) -> dict[str, str]:
    """Names of pictures, and the paths of their pages."""
    mem = host.caller(key).on(SPACE)
    at = f"/namespaces/{SPACE}"
    pinned = mem.recall("How is a backup restored?", 1)[0].memory.id
    runs = [r for r in mem.runs(200) if r.cycle == "tidy"]
    full = max(runs[:6], key=lambda r: sum(n for k, n in r.counts.items() if k[:1].isupper()))
    merged = next(e for e in mem.journal(limit=2_000) if e.move in ("MergeInto", "Supersede"))
    found = {
        "briefing": at, "memories": f"{at}/memories", "search": f"{at}/memories?q=who+looks+after+billing&state=live",
        "memory": f"{at}/memories/{merged.detail['ids'][1]}", "pinned": f"{at}/memories/{pinned}", "review": f"{at}/review",
        "runs": f"{at}/runs", "run": f"{at}/runs/{full.id}", "undo": f"{at}/runs/{full.id}/undo", "plan": f"{at}/plan",
        "health": f"{at}/health", "keys": "/keys", "login": "/login", "missing": f"{at}/nothing",
    }  # fmt: skip
    return found | {"approve" if i.what == "plan" else "decide": f"{at}/review/{i.id}" for i in mem.review(5)}


def _take(page: Page, to: Path) -> None:
    """A picture; on a busy machine Chromium now and then needs a second try."""
    for last in (False, False, False, True):
        try:
            page.screenshot(path=to)
            return
        except Error:
            if last:
                raise
            page.wait_for_timeout(500)


def main(folder: Path, wanted: list[str]) -> None:
    """Fill a store, serve it, and take the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    clock = FixedClock(BEGAN)
    judge = ScriptedJudge(_verdict, model_id="gpt-small", tokens=410, cost=160)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as play:
        settings = Settings({"blast_run_rows": 8})
        host = Host(Path(made) / "demo.db", settings=settings, clock=clock, judge=judge)
        jobs = Jobs(host, Runner(host))
        key = fill(host, clock)
        browser = play.chromium.launch(
            executable_path=os.environ.get("REVERIE_TEST_CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        with serving(host, jobs) as base:
            for scheme in ("light", "dark"):
                for width, height in ((1280, 860), (390, 844)):
                    page = browser.new_context(
                        viewport={"width": width, "height": height}, color_scheme=scheme
                    ).new_page()
                    for name, path in {"login": "/login", **pages(host, key)}.items():
                        if wanted and name not in wanted:
                            continue
                        if (name != "login" and "/login" in page.url) or (
                            page.url == "about:blank" and name != "login"
                        ):
                            page.goto(f"{base}/login")
                            page.fill("#key", key)
                            page.click("main button")
                        page.goto(base + path)
                        if name == "plan":
                            page.click("text=Plan now")
                        _take(page, folder / f"{name}-{width}-{scheme}.png")
        browser.close()
        jobs.close()
        host.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"), sys.argv[2:])
