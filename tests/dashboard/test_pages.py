"""Every page and every form of the dashboard, on both stores: who may see it, what it does, what it refuses."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from conftest import Web
from reverie.doors.dashboard import routes
from reverie.doors.dashboard.sessions import COOKIE, LONGEST
from reverie.serving.keys import KNOWN_SECONDS

N = "/namespaces/notes"
PUBLIC = {"/login", "/logout", "/theme", "/static/{name}", "/favicon.ico"}


def concrete(path):
    """A path with something in each place."""
    path = path.replace("{n:int}", "1").replace("{rest:path}", "nothing/here").replace("{day}", "2026-01-01")
    return re.sub(r"\{ns\}", "notes", re.sub(r"\{(id|name|act)\}", "thing", path))


def every(host, jobs):
    return [(r, m) for r in routes(host, jobs) if isinstance(r, Route) for m in sorted(r.methods - {"HEAD"})]


# who may see what
def test_a_page_without_a_session_leads_to_the_login(host, jobs, app):
    """Every route: one that is added later must ask for a session, or be named here."""
    web = Web(app)
    seen = set()
    for route, method in every(host, jobs):
        got = web.client.request(method, concrete(route.path), follow_redirects=False)
        if route.endpoint.public:
            seen.add(route.path)
            continue
        assert got.status_code == 303 and got.headers["location"].startswith("/login"), (method, route.path)
        if method == "GET":
            scripted = web.get(concrete(route.path), headers={"Sec-Fetch-Mode": "cors"}, follow_redirects=False)
            assert scripted.status_code == 401
    assert seen == PUBLIC


def test_every_response_has_its_headers(host, jobs, app, ana, mem):
    mem.remember("The port is 80.")
    for web in (Web(app), ana):
        for route, method in every(host, jobs):
            got = web.client.request(method, concrete(route.path), follow_redirects=False)
            assert "default-src 'none'" in got.headers["content-security-policy"], route.path
            assert "unsafe" not in got.headers["content-security-policy"]
            assert got.headers["x-content-type-options"] == "nosniff"
            assert got.headers["cross-origin-opener-policy"] == "same-origin"
            assert got.headers["referrer-policy"] == "same-origin"
            assert got.headers["cache-control"] == (
                "no-cache" if route.path == "/static/{name}" and got.is_success else "no-store"
            )
            assert got.status_code < 500, (method, route.path)


@pytest.mark.parametrize("wrong", ["", "rv_", "rv_aaaaaaaaaaaa_" + "b" * 32, "<script>"])
def test_a_wrong_key_opens_nothing(app, make, wrong, monkeypatch):
    monkeypatch.setattr("reverie.doors.dashboard.front.WRONG_SECONDS", 0)
    make()
    got = Web(app).post("/login", "/login", key=wrong)
    assert got.status_code == 401 and "no key in force" in got.text and COOKIE not in got.cookies


def test_too_many_wrong_keys_must_wait(app, make, monkeypatch):
    monkeypatch.setattr("reverie.doors.dashboard.front.WRONG_SECONDS", 0)
    web = Web(app)
    codes = [web.post("/login", "/login", key="rv_x").status_code for _ in range(12)]
    assert codes == [401] * 10 + [429] * 2
    assert int(web.post("/login", "/login", key=make()).headers["retry-after"]) > 0


def test_the_cookie_is_for_this_site_alone(app, make):
    web = Web(app)
    got = web.post("/login", "/login", key=make(), follow=False)
    cookie = next(c for c in got.headers.get_list("set-cookie") if c.startswith(COOKIE))
    assert (
        "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie and f"Max-Age={LONGEST}" in cookie
    )
    assert "Secure" not in cookie
    secure = Web(app, base_url="https://testserver").post("/login", "/login", key=make(), follow=False)
    assert all("Secure" in c for c in secure.headers.get_list("set-cookie"))


def test_a_session_ends_with_its_time_and_with_its_key(app, host, make, clock, seconds):
    web = Web(app).log_in(make())
    assert web.get("/keys").status_code == 200
    clock.advance(hours=12.1)
    assert web.get("/keys", follow_redirects=False).status_code == 303
    web = Web(app).log_in(make(name="two"))
    found = next(k for k in host.store.keys("default") if k.name == "two")
    web.post(f"/keys/{found.id}/revoke", f"/keys/{found.id}/revoke")
    seconds.now += KNOWN_SECONDS + 1
    assert web.get("/keys", follow_redirects=False).status_code == 303


def test_a_forged_cookie_is_none(app, make):
    web = Web(app).log_in(make())
    whole = web.client.cookies[COOKIE]
    parts = whole.split(".")
    for n, wrong in ((0, "aaaaaaaaaaaa"), (1, str(int(parts[1]) + 1)), (2, "A" * 24), (3, "0" * 64)):
        changed = [*parts[:n], wrong, *parts[n + 1 :]]
        other = Web(app)
        other.client.cookies.set(COOKIE, ".".join(changed))
        assert other.get("/keys", follow_redirects=False).status_code == 303


def test_sessions_are_shared_by_the_servers_of_a_store(app, host, jobs, make):
    web = Web(app).log_in(make())
    other = Web(Starlette(routes=routes(host, jobs)))
    other.client.cookies.set(COOKIE, web.client.cookies[COOKIE])
    assert other.get("/keys").status_code == 200


@pytest.mark.parametrize(
    "there", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "evil"]
)
def test_the_login_leads_on_within_this_site_only(app, make, there):
    got = Web(app).post("/login", "/login", key=make(), next=there, follow=False)
    assert got.headers["location"] == "/"


def test_the_login_leads_back_to_the_page_that_was_asked_for(app, make):
    web = Web(app)
    asked = web.get(f"{N}/memories?kind=fact&state=all", follow_redirects=False).headers["location"]
    there = re.search(r'name="next" value="([^"]+)"', web.get(asked).text).group(1).replace("&amp;", "&")
    assert (
        web.post("/login", asked, key=make(), next=there, follow=False).headers["location"]
        == f"{N}/memories?kind=fact&state=all"
    )


def test_logging_out_ends_it(ana):
    got = ana.post("/logout", "/keys")
    assert "You are logged out" in got.text
    assert ana.get("/keys", follow_redirects=False).status_code == 303


# forms are ours
def test_a_form_without_its_token_does_nothing(host, jobs, ana, mem):
    id_ = mem.remember("The port is 80.").id
    for route, method in every(host, jobs):
        if method != "POST":
            continue
        path = concrete(route.path).replace("/thing", f"/{id_}", 1)
        for given in ({}, {"csrf": "0" * 64}, {"csrf": ""}, {"csrf": "é"}):
            got = ana.client.post(path, data={"key": "x", **given}, follow_redirects=False)
            assert got.status_code == 403, path
    assert mem.get(id_).revision == 1


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://testserver.evil.example"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
])  # fmt: skip
def test_a_form_from_another_site_does_nothing(ana, mem, headers):
    id_ = mem.remember("The port is 80.").id
    token = ana.token(f"{N}/memories/{id_}")
    there = f"{N}/memories/{id_}/pin"
    assert ana.client.post(there, data={"csrf": token, "revision": "1"}, headers=headers).status_code == 403
    assert not mem.get(id_).pinned
    ours = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    assert ana.client.post(there, data={"csrf": token, "revision": "1"}, headers=ours).status_code == 200
    assert mem.get(id_).pinned


def test_a_token_is_of_one_session(app, ana, make):
    other = Web(app).log_in(make(name="eve"))
    assert ana.client.post("/theme", data={"csrf": other.token("/keys"), "theme": "dark"}).status_code == 403


def test_a_form_that_is_no_form_is_refused(ana):
    got = ana.client.post(f"{N}/memories/new", json={"text": "x"})
    assert got.status_code == 422
    got = ana.client.post(
        "/theme", content=b"a=" + b"x" * 600_000, headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert got.status_code == 413
    many = "&".join(f"a{n}=1" for n in range(100)).encode()
    got = ana.client.post("/theme", content=many, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert got.status_code == 422


# rights and scopes
def test_another_tenant_s_memory_is_not_there(app, make, mem):
    id_ = mem.remember("The port is 80.").id
    eve = Web(app).log_in(make(name="eve", tenant="other"))
    for path in (f"{N}/memories/{id_}", f"{N}/review/x", f"{N}/runs/x", f"{N}/jobs/x"):
        assert eve.get(path).status_code == 404
    assert "The port is 80" not in eve.get(f"{N}/memories").text
    assert eve.post(f"{N}/memories/{id_}/pin", "/keys", revision="1").status_code == 404
    assert not mem.get(id_).pinned


def test_a_namespace_that_the_key_does_not_cover_is_not_there(app, make, mem):
    mem.remember("The port is 80.")
    ben = Web(app).log_in(make(name="ben", namespaces=["other"]))
    assert ben.get(N).status_code == 404 and ben.get(f"{N}/memories").status_code == 404
    assert "notes" not in ben.get("/namespaces").text


def test_what_the_key_does_not_allow_is_refused_and_not_offered(app, make, mem, jobs):
    id_ = mem.remember("The port is 80.").id
    mem.remember("Note: the port is 80")
    run = mem.curate().id
    ro = Web(app).log_in(make(name="reader", allow=["reader"]))
    for path in ("", "/memories", f"/memories/{id_}", "/runs", f"/runs/{run}", "/plan", "/review", "/health"):
        got = ro.get(N + path)
        assert got.status_code == 200
        assert not re.search(r'action="/namespaces/[^"]*/(pin|forget|undo|accept|curate|plan)"', got.text), path
    acts = (
        f"/memories/{id_}/pin",
        "/plan",
        "/curate",
        "/memories/new",
        f"/runs/{run}/undo",
        "/entries/1/undo",
        "/review/x/accept",
    )
    for path in (*acts, "/review/x/reject"):
        assert ro.post(N + path, N, revision="1", text="x").status_code == 403, path
    assert ro.get("/keys").status_code == 403 and ro.get(f"{N}/memories/new").status_code == 403
    assert ro.post("/keys", N, name="mine").status_code == 403
    nobody = Web(app).log_in(make(name="writer", allow=["write"]))
    for path in ("", "/memories", f"/memories/{id_}", "/runs", "/plan", "/review", "/health"):
        assert nobody.get(N + path).status_code == 403, path


def test_a_server_without_keys_asks_for_none(host, jobs, mem):
    mem.remember("The port is 80.")
    web = Web(Starlette(routes=routes(host, jobs, open_to=host.anybody())))
    page = web.get("/")
    assert page.status_code == 200 and "Log out" not in page.text
    assert web.post(f"{N}/memories/new", N, text="The gate is red.").status_code == 200
    assert web.client.post(f"{N}/memories/new", data={"text": "no token"}).status_code == 403
    assert len(mem.memories()) == 2


# pages
def test_while_nothing_is_there_the_first_page_says_what_to_do(ana):
    got = ana.get("/")
    assert got.status_code == 200 and "curl" in got.text and "mcpServers" in got.text


def test_the_morning(ana, mem, bot, clock, make):
    for text in ("Ana lives in Oslo.", "Note: Ana lives in Oslo."):
        mem.remember(text)
    mem.curate()
    page = ana.get("/").text
    assert "1 merged in 1 run" in page and "Ana lives in Oslo." in page and 'aria-current="page"' in page
    assert 'href="/namespaces/notes/briefing/2025-12-31"' in page
    clock.advance(days=2)
    ana.log_in(make(name="ana again"))
    assert "A quiet day" in ana.get(N).text
    old = ana.get(f"{N}/briefing/2026-01-01").text
    assert "1 merged in 1 run" in old and "briefing/2026-01-02" in old
    for wrong in ("2027-01-01", "nonsense"):
        assert ana.get(f"{N}/briefing/{wrong}").status_code == 422


def test_memories_are_found_filtered_and_paged(ana, mem, bot):
    for n in range(45):
        mem.remember(f"Number {n} is taken by somebody.", "fact")
    bot.remember("The gate is painted red.", "preference")
    gone = mem.remember("The old mill burned down.").id
    mem.forget(gone)
    first = ana.get(f"{N}/memories").text
    older = re.search(r'href="(\?cursor=\d+)"', first).group(1)
    assert first.count("data-row") == 40 and ana.get(f"{N}/memories{older}").text.count("data-row") == 6
    assert ana.get(f"{N}/memories?kind=preference").text.count("data-row") == 1
    assert ana.get(f"{N}/memories?trust=provisional").text.count("data-row") == 1
    assert "old mill" in ana.get(f"{N}/memories?state=archived").text
    found = ana.get(f"{N}/memories?q=what+colour+is+the+gate+painted&state=live").text
    assert "painted red" in found and 'class="score"' in found
    assert "old mill" in ana.get(f"{N}/memories?q=mill&state=archived").text
    for wrong in ("state=x", "kind=x", "trust=x", "cursor=x", "q=a&kind=x", "q=a&state=x", "q=a&trust=x"):
        assert ana.get(f"{N}/memories?{wrong}").status_code == 422, wrong
    assert ana.get(f"{N}/memories?q=+").status_code == 200


def test_what_a_person_does_to_a_memory(ana, mem):
    id_ = ana.post(f"{N}/memories/new", N, text="The port is 80.", kind="fact").url.path.rsplit("/", 1)[1]
    page = f"{N}/memories/{id_}"

    def do(act, **fields):
        got = ana.post(f"{page}/{act}", page, **({"revision": str(mem.get(id_).revision)} | fields))
        assert got.status_code == 200, (act, got.text)
        return got.text

    assert "Pinned:" in do("pin") and mem.get(id_).pinned
    assert "No longer pinned" in do("unpin") and not mem.get(id_).pinned
    do("verify"), do("unverify")
    do("weigh", importance="0.9", utility="")
    do("reclassify", kind="concept")
    do("feedback", verdict="confirmation")
    got = mem.get(id_)
    assert (got.importance, got.kind.value) == (0.9, "concept")
    assert "Archived:" in do("forget", reason="of no use", train="1") and mem.get(id_).state == "archived"
    do("restore")
    told = ana.get(page).text
    for word in (
        "Written",
        "Pinned",
        "Archived",
        "Restored",
        "Weighed",
        "of no use",
        "Kind changed",
        "fact",
        "concept",
    ):
        assert word in told
    do("revise", text="The port is 81.")
    assert mem.get(id_).state == "superseded" and "The port is 81." in ana.get(page).text


def test_an_edit_of_what_has_changed_meanwhile_is_refused_clearly(ana, mem):
    id_ = mem.remember("The port is 80.").id
    page = f"{N}/memories/{id_}"
    mem.weigh(id_, 0.9)
    for act, fields in (("pin", {}), ("verify", {}), ("forget", {}), ("weigh", {"importance": "0.1"}),
                        ("reclassify", {"kind": "concept"}), ("revise", {"text": "The port is 81."})):  # fmt: skip
        got = ana.post(f"{page}/{act}", page, revision="1", **fields)
        assert got.status_code == 412 and "changed meanwhile" in got.text, act
    assert mem.get(id_).importance == 0.9 and mem.get(id_).state == "live"
    for wrong in ("", "x", "-1", "9" * 30, "é"):
        assert ana.post(f"{page}/pin", page, revision=wrong).status_code == 422
    mem.pin(id_)
    revision = str(mem.get(id_).revision)
    got = ana.post(f"{page}/forget", page, revision=revision)
    assert got.status_code == 409 and "pinned" in got.text
    assert ana.post(f"{page}/nonsense", page, revision=revision).status_code == 404
    assert ana.post(f"{page}/weigh", page, revision=revision, importance="7").status_code == 422


def test_a_credential_is_not_kept(ana, mem, host, make):
    token = "gh" + "p_" + "".join(f"{n:x}" for n in (48879, 51966, 64206, 57005, 47806, 61453, 53261, 2989, 24301, 5))
    host.caller(make()).on("notes").set("secrets", "refuse")
    got = ana.post(f"{N}/memories/new", N, text=f"The bot signs in with {token}.")
    assert got.status_code == 422 and "credential" in got.text and token not in got.text and not mem.memories()


def test_an_entry_is_taken_back_where_it_is_shown(ana, mem):
    id_ = mem.remember("The port is 80.").id
    mem.forget(id_)
    page = f"{N}/memories/{id_}"
    n = re.search(r"/entries/(\d+)/undo", ana.get(page).text).group(1)
    got = ana.post(f"{N}/entries/{n}/undo", page, memory=id_)
    assert "Taken back" in got.text and mem.get(id_).state == "live"
    assert ana.post(f"{N}/entries/99999/undo", page).status_code == 404


def test_a_run_is_shown_and_taken_back(ana, mem):
    mem.remember("Ana lives in Oslo.")
    id_ = mem.remember("Note: Ana lives in Oslo, in town.").id
    mem.remember("Ana lives in Oslo, in town.")
    run = mem.curate()
    assert len(run) >= 1
    listed = ana.get(f"{N}/runs").text
    assert f"{N}/runs/{run.id}" in listed and "<svg" in listed and "As a table" in listed
    for which in ("all", "acts", "undo", "nonsense"):
        assert ana.get(f"{N}/runs?which={which}&most=7").status_code == 200
    shown = ana.get(f"{N}/runs/{run.id}").text
    assert "Merged" in shown and "Undo the run" in shown and "<ins>" in shown
    asked = ana.get(f"{N}/runs/{run.id}/undo").text
    assert "Take this run back?" in asked
    done = ana.post(f"{N}/runs/{run.id}/undo", f"{N}/runs/{run.id}/undo")
    assert "Taken back: " in done.text and mem.get(id_).state == "live"
    assert "Undo this undo" in done.text
    again = ana.get(f"{N}/runs/{run.id}/undo").text
    assert "nothing to take back" in again
    assert ana.get(f"{N}/runs/nothing").status_code == 404


def test_what_newer_edits_have_touched_is_listed(ana, mem):
    mem.remember("Ana lives in Oslo.")
    mem.remember("Note: Ana lives in Oslo.")
    run = mem.curate()
    gone = next(e for e in run.entries if e.move == "MergeInto").detail["ids"][0]
    mem.restore(gone)
    got = ana.post(f"{N}/runs/{run.id}/undo", f"{N}/runs/{run.id}/undo")
    assert got.status_code == 409 and "not all of it" in got.text and "Ana lives in Oslo" in got.text


def test_a_plan_is_shown_and_done_as_a_job(ana, mem, jobs, host):
    mem.remember("Ana lives in Oslo.")
    mem.remember("Note: Ana lives in Oslo.")
    assert "Plan now" in ana.get(f"{N}/plan").text
    shown = ana.post(f"{N}/plan", f"{N}/plan").text
    assert "A pass would make" in shown and "<ins>" in shown and "Curate now" in shown
    assert len(mem.memories()) == 2
    job = ana.post(f"{N}/curate", f"{N}/plan")
    path = job.url.path
    assert "/jobs/" in path
    with ana.client.stream("GET", f"{path}/events") as told:
        assert told.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in told.iter_lines() if line.startswith("data:")]
    assert '"status": "done"' in lines[-1]
    done = ana.get(path).text
    assert "See what it did" in done and "noscript" not in done and len(mem.memories()) == 1
    assert path in ana.get(f"{N}/plan").text
    assert ana.post(f"{path}/stop", path).status_code == 200
    assert ana.get(f"{N}/jobs/nothing").status_code == 404


def parked(mem, bot):
    """A plan that a blast cap holds back: old rows that nobody ever needed."""
    from datetime import timedelta

    at = mem._memory._clock.now() - timedelta(days=200)
    for n in range(12):
        mem.remember(f"Box {n} of the cellar holds lamp number {n}.", importance=0.1, written_at=at)
    mem.curate()
    return mem.parked()[0]


def test_a_plan_that_was_held_back_is_read_and_approved(ana, mem, bot):
    waits = parked(mem, bot)
    assert "held back" in ana.get(f"{N}/plan").text.lower()
    page = f"{N}/review/{waits.id}"
    shown = ana.get(page).text
    assert "Approve and apply 12 moves" in shown and "lamp number 3" in shown
    done = ana.post(f"{page}/accept", page)
    assert "The plan is applied: 12 moves" in done.text and len(mem.memories()) == 0
    assert ana.post(f"{page}/accept", N).status_code == 404


def test_a_plan_that_was_held_back_is_turned_down(ana, mem, bot):
    waits = parked(mem, bot)
    got = ana.post(f"{N}/review/{waits.id}/reject", f"{N}/review")
    assert "Turned down" in got.text and not mem.parked() and len(mem.memories()) == 12


def quarantined(mem, bot):
    mem.remember("Invoices go out on the first day of the month.", "fact")
    bot.remember("Invoices now go out on the last day of the month.", "fact")
    mem.curate()
    return next(i for i in mem.review() if i.what == "quarantine")


def test_a_newcomer_is_believed_from_the_morning_page(ana, mem, bot):
    waits = quarantined(mem, bot)
    page = ana.get(N).text
    assert "Needs review" in page and "Believe it" in page and "now go out" in page
    listed = ana.get(f"{N}/review").text
    assert "Held so far" in listed and "<mark>" in listed
    got = ana.post(f"{N}/review/{waits.id}/accept", N, back="morning")
    assert got.url.path == N and "Done as you said" in got.text
    assert [m.text for m in mem.memories()] == ["Invoices now go out on the last day of the month."]


def test_a_newcomer_is_archived(ana, mem, bot):
    waits = quarantined(mem, bot)
    assert ana.get(f"{N}/review/{waits.id}").status_code == 200
    assert "Turned down" in ana.post(f"{N}/review/{waits.id}/reject", f"{N}/review").text
    assert mem.get(waits.id).state == "archived"


def test_deciding_takes_a_person(app, make, mem, bot):
    waits = quarantined(mem, bot)
    agent = Web(app).log_in(make(name="agent", channel="agent"))
    assert "Deciding takes a key with the channel person" in agent.get(f"{N}/review").text
    got = agent.post(f"{N}/review/{waits.id}/accept", N)
    assert got.status_code == 409 and "person" in got.text


def test_health_is_cheap_until_it_is_asked(ana, mem, monkeypatch):
    from reverie.memory import Reverie

    mem.remember("The port is 80.")
    calls = []
    whole = Reverie.doctor
    monkeypatch.setattr(Reverie, "doctor", lambda self: calls.append(1) or whole(self))
    for path in ("", "/memories", "/runs", "/review", "/plan", "/health"):
        assert ana.get(N + path).status_code == 200
    assert not calls
    full = ana.post(f"{N}/health", f"{N}/health")
    assert full.status_code == 200 and "sound" in full.text and calls == [1]


def test_keys_are_made_shown_once_and_revoked(ana, host, app):
    got = ana.post("/keys", "/keys", name="planner", allow="agent", namespaces="user-* shared", channel="agent",
                   requests_per_minute="60", days="30")  # fmt: skip
    text = re.search(r"rv_[a-z0-9]{12}_[A-Za-z0-9]{32}", got.text).group()
    assert host.caller(text).key.limits == {"requests_per_minute": 60}
    assert host.caller(text).key.namespaces == ("user-*", "shared")
    assert text not in ana.get("/keys").text
    id_ = host.caller(text).key.id
    assert "out of force" in ana.post(f"/keys/{id_}/revoke", f"/keys/{id_}/revoke").text
    assert ana.get("/keys/aaaaaaaaaaaa/revoke").status_code == 404
    for wrong in (
        {"name": ""},
        {"allow": "nonsense"},
        {"channel": "curator"},
        {"days": "x"},
        {"namespaces": "a*b"},
        {"days": "0"},
    ):
        assert ana.post("/keys", "/keys", **({"name": "x"} | wrong)).status_code == 422, wrong


def test_nobody_makes_a_key_that_opens_more_than_his_own(app, make, host):
    ben = Web(app).log_in(make(name="ben", allow=["admin", "read"], namespaces=["user-*"]))
    before = host.store.keys_in_force(host.clock.now())
    for given in ({"allow": "owner", "namespaces": "user-7"}, {"allow": "read", "namespaces": "*"}, {"allow": "read"},
                  {"allow": "remember", "namespaces": "user-7"}):  # fmt: skip
        assert ben.post("/keys", "/keys", name="x", **given).status_code == 403, given
    assert host.store.keys_in_force(host.clock.now()) == before
    assert ben.post("/keys", "/keys", name="x", allow="read recall", namespaces="user-7 user-b*").status_code == 200


def test_another_tenant_s_keys_are_not_shown(app, make, host, ana):
    eve = make(name="eve", tenant="other")
    id_ = host.caller(eve).key.id
    assert id_ not in ana.get("/keys").text
    assert ana.post(f"/keys/{id_}/revoke", "/keys").status_code == 404
    host.caller(eve)


def test_a_limit_of_the_key_holds_here_too(app, make):
    web = Web(app).log_in(make(name="slow", limits={"requests_per_minute": 3}))
    codes = [web.get(f"{N}/memories").status_code for _ in range(5)]
    assert codes == [200] * 3 + [429] * 2


# the frame
def test_light_and_dark_are_kept(ana):
    ana.post("/theme", "/keys", theme="dark", back="/keys")
    assert 'data-theme="dark"' in ana.get("/keys").text
    assert ana.post("/theme", "/keys", theme="auto", back="//evil", follow=False).headers["location"] == "/"
    assert 'data-theme="auto"' in ana.get("/keys").text


def test_static_files_are_kept_by_their_version(ana):
    page = ana.get("/login").text
    for there in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        got = ana.get(there)
        assert got.status_code == 200 and "immutable" in got.headers["cache-control"]
    assert ana.get("/static/nothing").status_code == 404 and ana.get("/static/..%2Fsite.py").status_code == 404


@pytest.mark.parametrize(
    "name", ["a/b", "..", "~x", "a b", "ü", '"><script>alert(1)</script>', "x" * 200, "%2e%2e", "."]
)
def test_a_namespace_of_any_name_has_its_pages(app, make, host, name):
    key = make(name="own")
    host.caller(key).on(name).remember("The port is 80.")
    web = Web(app).log_in(key)
    first = web.get("/")
    assert first.status_code == 200 and "<script>alert" not in first.text
    assert "The port is 80." in web.get(f"{first.url.path}/memories").text


def test_a_correction_begins_without_what_hides(ana, mem):
    id_ = mem.remember("The \u202egate\u202c is\u200b red.").id
    page = ana.get(f"{N}/memories/{id_}").text
    assert "The gate is red.</textarea>" in page and "U+202E" in page and "\u202e" not in page and "\u200b" not in page


def test_a_page_that_breaks_tells_nothing_of_itself(ana, mem, monkeypatch, caplog):
    from reverie.memory import Reverie

    id_ = mem.remember("The secret garden has a wall.").id

    def broken(self, id):
        raise ZeroDivisionError(self.get(id).text)

    monkeypatch.setattr(Reverie, "history", broken)
    got = ana.get(f"{N}/memories/{id_}")
    assert got.status_code == 500 and "Something went wrong" in got.text
    assert "ZeroDivision" not in got.text and "Traceback" not in got.text
    assert "secret garden" not in caplog.text and "ZeroDivisionError" in caplog.text


def test_every_page_has_one_heading_landmarks_and_labels(ana, mem, bot):
    quarantined(mem, bot)
    id_ = mem.memories()[0].id
    run = mem.runs(5)[0].id
    paths = ["/keys", "/namespaces", *(N + p for p in (
        "", "/memories", "/memories?q=invoices", "/memories/new", f"/memories/{id_}", "/review", "/runs", f"/runs/{run}",
        f"/runs/{run}/undo", "/plan", "/health", "/nothing"))]  # fmt: skip
    for path in paths:
        page = ana.get(path).text
        assert page.count("<h1") == 1, path
        for mark in ("<main", "<header", "<footer", 'class="skip" href="#main"', '<html lang="en"', "<title>"):
            assert mark in page, (path, mark)
        assert not re.search(r"<[^>]*\s(style|on[a-z]+)\s*=", page), path
        assert not re.search(r"<script(?![^>]*\ssrc=)", page), path
        for tag in re.findall(r"<(?:input|select|textarea)\b[^>]*>", page):
            if 'type="hidden"' not in tag:
                name = re.search(r'\bid="([^"]+)"', tag)
                assert name and f'for="{name.group(1)}"' in page, (path, tag)
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), (path, sorted(i for i in ids if ids.count(i) > 1))
