"""The dashboard in a real browser against a real server: hostile text stays text, the keyboard is enough, everybody can read it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from payloads import PAYLOADS

from conftest import judged
from reverie.clock import CountingIds, FixedClock
from reverie.doors.dashboard.visit import segment
from reverie.serving import keys
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import Settings
from reverie.testing import ScriptedJudge

CHROMIUM = os.environ.get("REVERIE_TEST_CHROMIUM", "/usr/bin/chromium")
pytest.importorskip("playwright", reason="the browser tests need playwright")
pytestmark = pytest.mark.skipif(
    not Path(CHROMIUM).exists(),
    reason="no Chromium: install it (apt-get install chromium), or say where it is in REVERIE_TEST_CHROMIUM",
)
N = "/namespaces/notes"


class Server:
    """A server of its own, with a store, a key and a port."""

    def __init__(self, path):
        import uvicorn

        from reverie.doors.http import build

        self.clock = FixedClock()
        judge = ScriptedJudge(judged, model_id="tester", tokens=120, cost=50)
        self.host = Host(
            path, settings=Settings(), clock=self.clock, ids=CountingIds(), embedder="hashing:32", judge=judge
        )
        self.jobs = Jobs(self.host, Runner(self.host))
        self.key = self.make()
        app = build(self.host, self.jobs, hosts=["127.0.0.1"], mcp=False)
        self.server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", access_log=False))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        until = time.monotonic() + 20
        while not self.server.started and time.monotonic() < until:
            time.sleep(0.02)
        self.base = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"

    def make(self, **given):
        return keys.create(
            self.host.store, self.clock, **({"name": "ana", "channel": "person", "allow": ["owner"]} | given)
        )[0]

    def on(self, namespace="notes", **given):
        return self.host.caller(self.make(**given)).on(namespace)

    def close(self):
        self.server.should_exit = True
        self.thread.join(20)
        self.jobs.close()
        self.host.close()


@pytest.fixture
def server(tmp_path):
    made = Server(str(tmp_path / "notes.db"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, server):
    """A page that has logged in, and the list of what went wrong on it."""
    contexts = []

    def made(**how):
        context = chromium.new_context(base_url=server.base, **how)
        contexts.append(context)
        page, wrong = context.new_page(), []
        page.set_default_timeout(15_000)
        page.on("dialog", lambda d: (wrong.append(f"dialog {d.message}"), d.dismiss()))
        page.on("pageerror", lambda e: wrong.append(f"error {e}"))
        page.on(
            "console",
            lambda m: wrong.append(f"console {m.text}") if m.type == "error" and "status of 4" not in m.text else None,
        )
        page.on(
            "request",
            lambda r: (
                wrong.append(f"left for {r.url}") if urlsplit(r.url).netloc != urlsplit(server.base).netloc else None
            ),
        )
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, e.blockedURI))"
        )
        page.goto("/login")
        page.fill("#key", server.key)
        page.press("#key", "Enter")
        page.wait_for_url(lambda u: "/login" not in u)
        return page, wrong

    yield made
    for context in contexts:
        context.close()


LOOK = """() => ({
  pwned: typeof window.__pwned, scripts: document.scripts.length, h1: document.querySelectorAll('h1').length,
  strange: [...document.querySelectorAll('*')].filter(e => ['IFRAME', 'OBJECT', 'EMBED', 'IMG', 'IMAGE', 'VIDEO', 'AUDIO',
    'STYLE', 'BASE', 'APPLET', 'PORTAL', 'MARQUEE', 'MATH', 'TEMPLATE', 'FRAME'].includes(e.tagName.toUpperCase()))
    .map(e => e.tagName),
  handlers: [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on|^style$/i.test(a.name)).length,
  links: [...document.querySelectorAll('[href], [action], [src], [formaction]')]
    .flatMap(e => ['href', 'action', 'src', 'formaction'].map(n => e.getAttribute(n))).filter(u => u && !/^[/?#]/.test(u)),
})"""
INERT = {"pwned": "undefined", "scripts": 1, "h1": 1, "strange": [], "handlers": 0, "links": []}


def name(payload):
    """A payload as a name takes it: short, and without control characters."""
    return "".join(c for c in payload if ord(c) >= 32)[:250].strip() or "x"


BIDI = next(p for p in PAYLOADS if p.startswith(chr(0x202E)))


@pytest.mark.parametrize(
    "some", [[*PAYLOADS[::16], BIDI], pytest.param(PAYLOADS, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_hostile_texts_are_shown_as_text(server, opened, some):
    """Each stands in a text, gist, key, metadata, principal, session, client and reason, and on every page that shows any."""
    assert len(set(PAYLOADS)) >= 200 and set(some) <= set(PAYLOADS)
    mem = server.on()
    ids = []
    for n, payload in enumerate(some):
        kept = mem.remember(
            f"{payload} {n}", "fact" if n % 2 else "preference", key=f"{name(payload)[:200]} {n}", gist=payload,
            metadata={payload: payload},
            principal=name(payload), session=name(payload), client=name(payload), external_id=f"{n} {name(payload)}"[:250],
            channel="agent",
        )  # fmt: skip
        ids.append(kept.id)
    for n, payload in enumerate(some):
        if n % 3 == 0:
            mem.forget(ids[n], reason=name(payload))
    older = [mem.remember(f"Invoices go out on day {n}: {p}", "fact").id for n, p in enumerate(some[:6])]
    bot = server.on(name=some[0], principal=name(some[1]), channel="agent", allow=["agent"])
    for n, p in enumerate(some[:6]):
        bot.remember(f"Invoices now go out on day {n + 10}: {p}", "fact")
    mem.curate()
    for p in some[:8]:
        server.make(name=name(p)[:100], principal=name(p), namespaces=[name(p).rstrip("*").replace("*", "")])
        server.on(name(p)).remember(p)
    run = mem.runs(1)[0].id
    page, wrong = opened()
    paths = [N, f"{N}/memories?state=archived", f"{N}/memories?q=script&state=all", f"{N}/review", f"{N}/runs?which=all",
             f"{N}/runs/{run}",
             f"{N}/runs/{run}/undo", f"{N}/plan", f"{N}/health", "/keys", "/namespaces", f"{N}/memories/{older[0]}"]  # fmt: skip
    paths += [f"{N}/review/{i.id}" for i in mem.review(12)]
    paths += [f"/namespaces/{segment(name(p))}{end}" for p in some[:8] for end in ("", "/memories")]
    paths += [f"{N}/memories/{i}" for i in ids]
    for path in paths:
        got = page.goto(path, wait_until="domcontentloaded")
        assert got.status == 200, path
        assert page.evaluate(LOOK) == INERT, (path, page.evaluate(LOOK))
    cursor = f"{N}/memories"
    while cursor:
        page.goto(cursor)
        assert page.evaluate(LOOK) == INERT
        following = page.locator("a[rel=next]")
        cursor = f"{N}/memories" + following.get_attribute("href") if following.count() else None
    page.goto(f"{N}/plan")
    page.click("text=Plan now")
    assert page.evaluate(LOOK) == INERT
    for payload in PAYLOADS[:40:4]:
        page.goto(f"{N}/memories")
        page.fill("#q", name(payload))
        page.press("#q", "Enter")
        page.wait_for_url("**?q=**")
        assert page.evaluate(LOOK) == INERT and page.input_value("#q") == name(payload)
    page.goto(f"{N}/memories/{ids[some.index(BIDI)]}")
    assert page.locator(".statement .unseen").first.inner_text() == "U+202E"
    assert wrong == []


def test_the_keyboard_is_enough(server, opened):
    """Log in, search, open, pin, decide, undo a run: with Tab, Enter and single keys."""
    mem, bot = server.on(), server.on(name="bot", channel="agent", allow=["agent"])
    mem.remember("Ana lives in Oslo.")
    mem.remember("Note: Ana lives in Oslo.")
    mem.remember("Invoices go out on the first day of the month.", "fact")
    bot.remember("Invoices now go out on the last day of the month.", "fact")
    run = mem.curate()
    page, wrong = opened()  # the key's field has the focus, and Enter sends it
    keyboard = page.keyboard

    def press(*keys):
        for key in keys:
            keyboard.press(key)

    def tab_to(text):
        for _ in range(60):
            keyboard.press("Tab")
            if page.evaluate("document.activeElement.innerText || ''").strip().startswith(text):
                return
        raise AssertionError(f"{text} cannot be reached")

    press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    press("?")
    assert page.locator("#help").is_visible()
    press("Escape", "g", "m")
    page.wait_for_url("**/memories")
    press("/")
    keyboard.type("where does ana live jk?gm")
    assert page.url.endswith("/memories")  # single keys are text in a field
    press("Enter")
    page.wait_for_url("**?q=**")
    press("j", "j", "k")
    assert page.evaluate("document.activeElement.hasAttribute('data-row')")
    press("Enter")
    page.wait_for_url("**/memories/0*")
    tab_to("Pin")
    press("Enter")
    page.wait_for_selector("text=Pinned:")
    press("p")
    page.wait_for_selector("text=No longer pinned")
    press("g", "r")
    page.wait_for_url("**/review")
    press("j", "a")
    page.wait_for_selector("text=Done as you said")
    press("g", "u")
    page.wait_for_url("**/runs")
    for _ in range(9):
        press("j")
        if run.id in page.evaluate("document.activeElement.href || ''"):
            break
    press("Enter")
    page.wait_for_url(f"**/runs/{run.id}")
    tab_to("Undo the run")
    press("Enter")
    page.wait_for_url("**/undo")
    tab_to("Take it back")
    press("Enter")
    page.wait_for_selector("text=/Taken back|not all of it/")
    tab = page.evaluate("getComputedStyle(document.querySelector('a')).outlineStyle")
    assert tab is not None
    assert wrong == []
    assert mem.get(next(e for e in run.entries if e.move == "MergeInto").detail["ids"][0]).state == "live"


def test_a_job_is_followed_with_and_without_scripts(server, opened):
    mem = server.on()
    for script, text in ((True, "Ana lives in Oslo."), (False, "The gate is red.")):
        mem.remember(text)
        mem.remember(f"Note: {text}")
        page, wrong = opened(java_script_enabled=script)
        page.goto(f"{N}/plan")
        page.click("text=Curate now")
        page.wait_for_selector("text=See what it did")
        page.click("text=See what it did")
        assert page.locator("h1").inner_text().startswith("Tidy")
        assert wrong == []


CONTRAST = """() => {
  const lum = c => { const [r, g, b] = c.map(x => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const read = s => { const m = s.match(/color\\(srgb ([\\d.]+) ([\\d.]+) ([\\d.]+)(?: \\/ ([\\d.]+))?/);
    if (m) return [m[1] * 255, m[2] * 255, m[3] * 255, m[4] === undefined ? 1 : +m[4]];
    const n = s.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] === undefined ? 1 : n[3]]; };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest('.sr, .skip, noscript, option')) continue;
    const svg = e.namespaceURI.endsWith('svg');
    if (svg && e.tagName !== 'text') continue;
    const ink = read(svg ? getComputedStyle(e).fill : getComputedStyle(e).color);
    let at = e, paper = [0, 0, 0, 0];
    while (at) { const b = read(getComputedStyle(at).backgroundColor); if (b[3] > .9) { paper = b; break; } at = at.parentElement; }
    const [a, b] = [lum(ink.slice(0, 3)), lum(paper.slice(0, 3))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.push([ratio.toFixed(2), e.getAttribute('class') || e.tagName,
      walk.currentNode.data.trim().slice(0, 30)]);
  }
  return found;
}"""


NAMELESS = """() => [...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')]
  .filter(e => e.checkVisibility() && !(e.innerText || '').trim() && !(e.labels && e.labels.length) && !e.ariaLabel)
  .length"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(server, opened, scheme):
    """Contrast of every text, nothing wider than a phone, names for every control, on each page in light and dark."""
    mem, bot = server.on(), server.on(name="bot", channel="agent", allow=["agent"])
    for text in (
        "Ana lives in Oslo.",
        "Note: Ana lives in Oslo.",
        "x" * 300,
        "Invoices go out on the first day of the month.",
    ):
        mem.remember(text, "fact")
    bot.remember("Invoices now go out on the last day of the month.", "fact")
    mem.forget(mem.remember("The old mill burned down.").id)
    run = mem.curate().id
    page, wrong = opened(color_scheme=scheme, viewport={"width": 360, "height": 740})
    id_ = mem.memories()[0].id
    paths = [N, *(N + p for p in ("/memories", "/memories?q=ana", "/memories/new", f"/memories/{id_}", "/review", "/runs",
                                  f"/runs/{run}",
                                  f"/runs/{run}/undo", "/plan", "/health", "/nothing")), "/keys", "/namespaces"]  # fmt: skip
    for path in paths:
        page.set_viewport_size({"width": 360, "height": 740})
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        assert page.evaluate(CONTRAST) == [], path
        page.set_viewport_size({"width": 1600, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 1600, path
        assert page.evaluate(NAMELESS) == 0, path
    page.goto("/keys")
    page.click("text=Dark" if scheme == "light" else "text=Light")
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.dataset.theme") == ("dark" if scheme == "light" else "light")
    assert page.evaluate(CONTRAST) == []
    assert [w for w in wrong if "404" not in w] == []
