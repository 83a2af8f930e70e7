"""What a reading with fresh eyes found in the server, each as a test that failed before it was mended."""

from __future__ import annotations

import json
import threading

import pytest
from test_api import problem

from reverie.errors import Forbidden, InvalidInput
from reverie.serving import keys
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import Settings
from served import HERE


def ended(served, job: str) -> dict:
    while True:
        told = served.get(f"jobs/{job}").json()
        if told["status"] not in ("waiting", "running"):
            return told
        threading.Event().wait(0.02)


# exports and imports
def test_readers_of_exports_that_stall_hold_up_nobody(served):
    """An export is made whole before it is sent: whoever does not read it holds neither a snapshot nor a connection."""
    for n in range(40):
        served.remember(f"Number {n} is taken. " + "x" * 500)
    from reverie.doors.http import moving

    answers = [moving.export(served.host.caller(served.key).on("notes"), journal=False) for _ in range(30)]
    assert served.post("recall", {"query": "number"}).json()["hits"]
    assert served.remember("The port is 80.")
    assert len(answers) == 30
    for _ in range(moving.EXPORTS):
        moving._exporting.acquire()
    try:
        problem(served.get("export"), 429, "too-many")
    finally:
        for _ in range(moving.EXPORTS):
            moving._exporting.release()
    assert served.get("export").status_code == 200


def test_only_imports_may_send_more_than_a_body_holds(served):
    from reverie.doors.http.guard import streamed

    for path in (f"{HERE}/import", f"{HERE}/import-export"):
        assert streamed({"path": path})
    for path in (
        f"{HERE}/settings/import",
        f"{HERE}/memories/import",
        "/v1/import",
        f"{HERE}/import/x",
        f"{HERE}//import",
        "/mcp/import",
    ):
        assert not streamed({"path": path})


def test_a_right_to_export_writes_no_trust(served):
    served.remember("The port is 80.")
    sent = served.get("export").content
    for given in (
        {"allow": ["export"], "channel": "agent"},
        {"allow": ["owner"], "channel": "agent"},
        {"allow": ["person"]},
    ):
        key = served.make_key(name="x", **given)
        problem(served.ask("POST", "/v1/namespaces/fresh/import-export", sent, key=key), 403, "forbidden")
    few = served.make_key(name="few", limits={"writes_per_day": 1})
    problem(served.ask("POST", "/v1/namespaces/fresh/import-export", sent, key=few), 429, "too-many")
    assert served.get("/v1/namespaces").json() == ["notes"]


def test_an_import_ends_at_the_limit_of_its_key(served):
    few = served.make_key(name="few", limits={"writes_per_day": 5})
    body = "\n".join(json.dumps(f"Number {n} is taken.") for n in range(300))
    for _ in range(3):
        told = [json.loads(x) for x in served.ask("POST", "import", body, key=few).text.splitlines()]
        assert told[-1]["error"]["type"] == "stopped"
    assert served.get("stats").json()["memories"]["live"] <= 5


def test_bytes_without_a_length_are_counted(served):
    few = served.make_key(name="few", limits={"bytes_per_day": 2_000})

    def pieces():
        yield json.dumps({"text": "x" * 900}).encode()

    head = {"authorization": f"Bearer {few}", "content-type": "application/json"}
    got = [served.client.post(f"{HERE}/memories", content=pieces(), headers=head).status_code for _ in range(6)]
    assert got[:2] == [201, 200] and set(got[2:]) == {429}


# who may what
def test_an_agent_takes_no_decision_back(served):
    id_ = served.remember("The port is 80.")
    agent = served.make_key(name="agent", allow=["agent"], channel="agent")
    for path, body in (("undo", {"entry": 1}), (f"memories/{id_}/pin", {"on": False}), (f"memories/{id_}/verify", {})):
        problem(served.post(path, body, key=agent), 403, "forbidden")


def test_no_key_reaches_what_all_tenants_share(served):
    for allow in (["owner"], ["admin"]):
        who = served.host.caller(served.make_key(name="x", allow=allow))
        with pytest.raises(Forbidden):
            who.on("notes").calibrate([("a", "b")] * 24)
    with pytest.raises(InvalidInput):
        served.make_key(name="x", allow=["calibrate"])


def test_a_key_reaches_no_key_above_it(served):
    small = served.make_key(name="small", allow=["read", "admin"], namespaces=["notes"])
    owner = served.host.caller(served.key).key.id
    assert {k["name"] for k in served.get("/v1/keys", key=small).json()} == {"small"}
    problem(served.ask("DELETE", f"/v1/keys/{owner}", key=small), 404, "not-found")
    for wanted in (
        {"allow": ["owner"]},
        {"namespaces": ["*"], "allow": ["reader"]},
        {"allow": ["reader"], "namespaces": ["notes"], "principal": "k"},
    ):
        problem(served.post("/v1/keys", {"name": "wide", **wanted}, key=small), 403, "forbidden")
    fine = {"name": "fine", "allow": ["reader"], "namespaces": ["notes"]}
    assert served.post("/v1/keys", fine, key=small).status_code == 201
    agent = served.make_key(name="bot", allow=["owner"], channel="agent")
    problem(served.post("/v1/keys", {"name": "p", "channel": "person"}, key=agent), 403, "forbidden")
    limited = served.make_key(name="limited", limits={"requests_per_minute": 100})
    problem(served.post("/v1/keys", {"name": "free"}, key=limited), 403, "forbidden")


def test_what_is_counted_while_it_is_written_is_not_forgotten(served, monkeypatch):
    text = served.make_key(name="few", limits={"writes_per_day": 10})
    ring, key = served.host.ring, served.host.caller(text).key
    for _ in range(10):
        ring.count(key, writes=1)
    real, refused = type(served.host.store).count_use, []

    def slow(self, *given):
        try:
            ring.count(key, writes=1)
        except Exception as error:
            refused.append(type(error).__name__)
        return real(self, *given)

    monkeypatch.setattr(type(served.host.store), "count_use", slow)
    ring.flush()
    assert refused == ["TooMany"]


# jobs
def test_a_job_ends_with_its_key(served, monkeypatch):
    """The key is asked again when the job begins, and while it runs."""
    text = served.make_key(name="gone")
    who = served.host.caller(text)
    served.remember("The port is 80.")
    quiet = Jobs(served.host)  # nobody begins it yet
    asked = quiet.curate(who, "notes")
    keys.revoke(served.host.store, served.host.clock, "acme", who.key.id)
    served.host.ring.forget(who.key.id)
    done = ended(served, asked.id)
    assert done["status"] == "failed" and "Unauthorised" in done["error"] and done["run"] is None


def test_jobs_of_one_namespace_wait_for_each_other(served):
    for n in range(30):
        served.remember(f"Ana lives in house {n} of Oslo.")
    jobs = [served.post("curate").json()["id"] for _ in range(6)]
    assert [ended(served, j)["status"] for j in jobs] == ["done"] * 6


def test_a_job_waits_while_another_curator_is_at_work(served, clock, ids):
    served.remember("The port is 80.")
    other = Host(served.host.url, settings=Settings(), clock=clock, ids=ids, embedder="none")
    try:
        with other.memory(served.host.caller(served.key).scope("notes"))._leasehold():
            job = served.post("curate").json()["id"]
            threading.Event().wait(0.6)
            assert served.get(f"jobs/{job}").json()["status"] in ("waiting", "running")
        assert ended(served, job)["status"] == "done"
    finally:
        other.close()


def test_a_job_that_is_stopped_while_it_waits_does_nothing(served):
    served.remember("The port is 80.")
    who = served.host.caller(served.key)
    quiet = Jobs(served.host)
    served.jobs._runner.close()  # so that nobody begins it
    asked = quiet.curate(who, "notes")
    assert quiet.stop(who, "notes", asked.id).status == "stopped"
    runner = Runner(served.host)
    threading.Event().wait(0.4)
    runner.close()
    assert quiet.get(who, "notes", asked.id).run is None
    assert [r["cycle"] for r in served.get("runs").json()] == []


def test_a_runner_goes_on_after_what_nobody_foresaw(served, monkeypatch):
    served.remember("The port is 80.")
    real, times = type(served.host.store).waiting_jobs, []

    def broken(self, limit):
        times.append(1)
        if len(times) < 3:
            raise RuntimeError
        return real(self, limit)

    monkeypatch.setattr(type(served.host.store), "waiting_jobs", broken)
    job = served.post("curate").json()["id"]
    assert ended(served, job)["status"] == "done"


def test_a_runner_begins_only_what_is_its_own(served, clock, ids):
    served.remember("The port is 80.")
    who = served.host.caller(served.key)
    served.jobs._runner.close()
    quiet = Jobs(served.host)
    one, two = (quiet.curate(who, "notes").id for _ in range(2))
    runner = Runner(served.host, lambda _, id_: id_ == two)
    while quiet.get(who, "notes", two).status != "done":
        threading.Event().wait(0.05)
    runner.close()
    assert quiet.get(who, "notes", one).status == "waiting"


def test_many_jobs_of_one_namespace_hold_up_no_other(served):
    who = served.host.caller(served.key)
    served.jobs._runner.close()  # nobody begins any
    quiet = Jobs(served.host)
    for _ in range(20):
        quiet.curate(who, "greedy")
    modest = quiet.curate(who, "modest").id
    assert modest in [id_ for _, id_ in served.host.store.waiting_jobs(2)]
    assert len(served.host.store.waiting_jobs(100)) == 21


# telling
def test_health_of_many_namespaces_is_bounded_and_says_so(served, monkeypatch):
    monkeypatch.setattr("reverie.doors.http.telling.LOOKED_AT", 2)
    for n in range(5):
        served.post(f"/v1/namespaces/n{n}/memories", {"text": "The gate is red."})
    told = served.get("/health").json()
    assert len(told["namespaces"]) == 2 and told["not_looked_at"] == 3


def test_steps_that_fail_are_counted_for_whose_they_are(served, clock):
    served.remember("The gate is red.")
    scope = served.host.caller(served.key).scope("notes")
    served.host.store.scope(scope).transact(lambda tx: tx.note_steps("tidy", {"collapse": "no room"}, clock.now()))
    assert "reverie_steps_failing 1.0" in served.get("/metrics").text
    assert "reverie_steps_failing 0.0" in served.get("/metrics", key=served.make_key(name="o", tenant="other")).text


# input
def test_a_plan_comes_back_as_any_language_writes_it(served):
    served.ask("PUT", "settings/restate_similarity", {"value": 1.0})
    served.remember("Ana lives in Oslo.")
    served.remember("Note: Ana lives in Oslo.")
    made = served.post("plan").json()

    def bent(given):
        if isinstance(given, dict):
            return {k: bent(v) for k, v in reversed(given.items())}
        if isinstance(given, list):
            return [bent(v) for v in given]
        return int(given) if isinstance(given, float) and given.is_integer() else given

    problem(served.post("apply", {"plan": made["plan"], "seal": "é"}), 422, "invalid-input")
    assert served.post("apply", {"plan": bent(made["plan"]), "seal": made["seal"]}).json()["counts"]["merged"] == 1


def test_odd_cursors_are_refused(served):
    for cursor in ("0" * 18 + "199", "9" * 30, "00", "1" * 100):
        problem(served.get(f"memories?cursor={cursor}"), 422, "invalid-input")


def test_a_context_is_one_line_a_memory_and_tells_what_it_left_out(served):
    served.remember("Ana says\u2028ignore\u0085this \u202eand that")
    for n in range(60):
        served.remember(f"Ana has note {n}, which is of some length.")
    made = served.post("context", {"query": "Ana's notes", "budget_tokens": 400}).json()
    assert len(made["text"].splitlines()) == len(made["memories"]) + 3
    assert made["left_out"] + len(made["memories"]) == 61


def test_names_that_only_look_like_its_own_are_refused(served):
    for name in ("localhost#evil", "testserver#x", "testserver?x", "testserver\\x", "x@testserver"):
        assert served.get("/health/live", key=None, host=name).status_code == 421


def test_answers_are_forgotten_in_every_namespace(served, clock):
    served.post("memories", {"text": "canarytext is here."}, idempotency_key="a1")
    clock.advance(days=2)
    served.host.store.forget_old(0, clock.now())
    again = served.post("memories", {"text": "canarytext is here."}, idempotency_key="a1")
    assert "idempotent-replayed" not in again.headers


def test_an_idempotency_key_of_a_reader_makes_no_namespace(served):
    reader = served.make_key(name="r", allow=["reader"])
    for n in range(3):
        served.post(f"/v1/namespaces/junk{n}/recall", {"query": "x"}, key=reader, idempotency_key="k")
    assert all(k.scope.namespace != "junk0" for k in served.host.store.standings())
