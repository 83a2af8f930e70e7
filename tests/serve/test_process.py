"""`reverie serve` as a real process: it starts on nothing, works, is stopped, is killed, and says nothing that it should not."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import httpx2 as httpx
import pytest

import reverie
from server_process import REVERIE, started, until

HERE = "/v1/namespaces/default"


def finished(client, job: str) -> dict:
    told: dict = {}

    def over() -> bool:
        told.update(client.get(f"{HERE}/jobs/{job}").json())
        return told["status"] not in ("waiting", "running")

    until(over)
    return told


def test_an_empty_folder_is_enough():
    with started(None) as server, server.client() as client:
        assert client.post(f"{HERE}/memories", json={"text": "The port is 80."}).status_code == 201
        assert (server.folder / "reverie.db").is_file()
        job = client.post(f"{HERE}/curate", json={}).json()["id"]
        assert finished(client, job)["status"] == "done"
        assert client.get("/", follow_redirects=True).status_code == 200
        assert server.stop() == 0
        assert server.log() == ""


def test_a_key_is_shown_once_and_works_after_a_restart(tmp_path):
    url = str(tmp_path / "n.db")
    with started(url) as server:
        key = server.key
        assert key is not None and server.stop() == 0
    with started(url) as server:
        assert server.key is None
        with server.client(key) as client:
            assert client.get("/v1/me").json()["principal"] == "owner"


def test_it_ends_in_good_order_in_the_middle_of_work(url):
    """What is in hand is answered, the curator finishes its transaction, and nothing is left running."""
    with started(url) as server:
        with server.client() as client:
            items = [{"text": f"Ana lives in house {n} of Oslo."} for n in range(400)]
            client.post(f"{HERE}/memories/bulk", json={"items": items})
            job = client.post(f"{HERE}/curate", json={}).json()["id"]
            until(lambda: client.get(f"{HERE}/jobs/{job}").json()["status"] == "running")
            children = server.children()
            assert children
            answers: list[int] = []
            threads = [threading.Thread(target=lambda: answers.append(_bulk(server, 200))) for _ in range(2)]
            for thread in threads:
                thread.start()
            time.sleep(0.2)
            assert server.stop() == 0
            for thread in threads:
                thread.join()
        assert all(a in (200, 0) for a in answers)
        assert all(not alive(pid) for pid in children)
    with reverie.open(url, embedder="hashing") as mem:
        assert mem.check_journal() and mem.doctor()["problems"] == []
        assert mem.stats()["memories"]["live"] >= 400
        assert all(r.finished_at for r in mem.runs())


def _bulk(server, n: int) -> int:
    try:
        with server.client() as client:
            got = client.post(
                f"{HERE}/memories/bulk", json={"items": [{"text": f"Ben owns boat {k}."} for k in range(n)]}
            )
            return got.status_code
    except httpx.HTTPError:
        return 0


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_kill_under_load_loses_nothing_that_was_acknowledged(url, kills):
    key, said, curators = None, {}, []
    for round_ in range(kills):
        with started(url) as server:
            key = server.key or key
            stop = threading.Event()
            threads = [
                threading.Thread(target=_writing, args=(server, key, f"{round_}-{n}", stop, said)) for n in range(6)
            ]
            for thread in threads:
                thread.start()
            with server.client(key) as client:
                client.post(f"{HERE}/curate", json={})
            before = len(said)
            until(lambda before=before: len(said) > before + 60)
            curators += server.children()
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            stop.set()
            for thread in threads:
                thread.join()
    until(lambda: not any(alive(pid) for pid in curators))
    with reverie.open(url, embedder="hashing") as mem:
        for id_, text in said.items():
            assert mem.get(id_).text == text
        assert mem.check_journal() and mem.doctor()["problems"] == []
    assert len(said) > 60 * kills


def _writing(server, key: str, name: str, stop: threading.Event, said: dict[str, str]) -> None:
    try:
        with server.client(key) as client:
            n = 0
            while not stop.is_set():
                text = f"Box {name}-{n} holds {n} pens."
                got = client.post(f"{HERE}/memories", json={"text": text})
                if got.status_code == 201:
                    said[got.json()["id"]] = text
                n += 1
    except httpx.HTTPError:
        pass  # it was killed


def test_a_lost_line_harms_no_job(tmp_path):
    """Whoever looked at a run is gone in the middle of it; the run goes on and can be read."""
    with started(str(tmp_path / "n.db")) as server, server.client() as client:
        client.post(
            f"{HERE}/memories/bulk", json={"items": [{"text": f"Ana lives in house {n} of Oslo."} for n in range(300)]}
        )
        job = client.post(f"{HERE}/curate", json={}).json()["id"]
        with client.stream("GET", f"{HERE}/jobs/{job}/events") as events:
            first = next(line for line in events.iter_lines() if line.startswith("data: "))
            assert json.loads(first.removeprefix("data: "))["id"] == job
        raw = socket.create_connection(("127.0.0.1", int(server.address.rsplit(":", 1)[1])))
        raw.sendall(
            f"GET {HERE}/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.key}\r\n\r\n".encode()
        )
        raw.recv(100)
        raw.close()
        done = finished(client, job)
        assert done["status"] == "done" and client.get(f"{HERE}/runs").json()[0]["id"] == done["run"]
        with client.stream("GET", f"{HERE}/jobs/{job}/events") as events:
            assert "event: end" in list(events.iter_lines())


def test_a_stream_ends_when_the_server_is_told_to_stop(tmp_path):
    """Somebody follows a job that nobody begins: the server leaves at once, and with no complaint."""
    with started(str(tmp_path / "n.db")) as server, server.client() as client:
        until(lambda: bool(server.children()))
        for child in server.children():
            os.kill(child, signal.SIGSTOP)
        job = client.post(f"{HERE}/curate", json={}).json()["id"]
        ended = []

        def follow() -> None:
            with server.client() as other, other.stream("GET", f"{HERE}/jobs/{job}/events") as events:
                ended.extend(events.iter_lines())

        thread = threading.Thread(target=follow)
        thread.start()
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        thread.join(5)
        assert not thread.is_alive() and "event: progress" in ended
        for child in server.children():
            os.kill(child, signal.SIGCONT)
        assert server.process.wait(30) == 0
        assert server.log() == ""


def test_a_curator_that_dies_is_started_again_and_its_job_told_of(tmp_path):
    with started(str(tmp_path / "n.db")) as server, server.client() as client:
        client.post(f"{HERE}/memories", json={"text": "The port is 80."})
        until(lambda: bool(server.children()))
        (first,) = server.children()
        os.kill(first, signal.SIGKILL)
        job = client.post(f"{HERE}/curate", json={}).json()["id"]
        assert finished(client, job)["status"] == "done"
        assert server.children() != [first]
        assert "is started again" in server.log()


def test_two_servers_share_a_store(server):
    url = server.database()
    with started(url) as one, started(url, "--no-worker") as two, one.client() as a, two.client(one.key) as b:
        id_ = a.post(f"{HERE}/memories", json={"text": "The port is 80."}).json()["id"]
        assert b.post(f"{HERE}/recall", json={"query": "port"}).json()["hits"][0]["id"] == id_
        job = b.post(f"{HERE}/curate", json={}).json()["id"]
        assert finished(a, job)["status"] == "done"
        key = a.post("/v1/keys", json={"name": "bot"}).json()
        with two.client(key["key"]) as c:
            assert c.get("/v1/me").status_code == 200
            a.delete(f"/v1/keys/{key['record']['id']}")
            until(lambda: c.get("/v1/me").status_code == 401)


def test_the_log_holds_no_text_no_key_and_no_name(tmp_path):
    with started(str(tmp_path / "n.db"), "--verbose") as server, server.client() as client:
        here = "/v1/namespaces/canaryspace"
        id_ = client.post(f"{here}/memories", json={"text": "canarytext lives in Oslo.", "key": "canarykey"}).json()[
            "id"
        ]
        client.post(f"{here}/recall", json={"query": "canaryquery"})
        client.post(f"{here}/memories", json={"text": "canary\0bad"})
        client.get(f"{here}/memories/canaryid")
        client.get(f"{here}/memories?cursor=canarycursor")
        client.get("/canarypath")
        client.post(f"{here}/curate", json={})
        client.get(f"{here}/memories", headers={"authorization": "Bearer canarytoken"})
        assert server.stop() == 0
        log = server.log()
    lines = [json.loads(line) for line in log.splitlines()]
    assert any(x.get("route") == "/v1/namespaces/{namespace}/memories" and x["status"] == 201 for x in lines)
    assert "canary" not in log and id_ not in log and server.key.split("_")[2] not in log


@pytest.mark.parametrize(
    ("options", "said"),
    [(["--no-auth", "--host", "0.0.0.0"], "this machine alone"), (["--host", "203.0.113.1"], "cannot be listened at"),
     (["--port", "70000"], "65535")],
)  # fmt: skip
def test_what_cannot_be_served_is_said(tmp_path, options, said):
    got = subprocess.run(
        [REVERIE, "--db", str(tmp_path / "n.db"), "serve", *options], capture_output=True, text=True, timeout=60
    )
    assert got.returncode == 2 and said in got.stderr and got.stderr.count("\n") <= 2
    assert not (tmp_path / "n.db").exists()


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        got = subprocess.run(
            [REVERIE, "--db", str(tmp_path / "n.db"), "serve", "--port", port],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert got.returncode == 2 and "cannot be listened at" in got.stderr


def test_without_keys_it_says_so_loudly(tmp_path):
    with started(str(tmp_path / "n.db"), "--no-auth") as server:
        assert server.key is None
        with server.client() as client:
            assert client.get("/v1/me").json()["principal"] == "local"
            assert client.get("/v1/me", headers={"host": "evil.example"}).status_code == 421
            assert client.get("/v1/me", headers={"origin": "http://evil.example"}).status_code == 403


# keys from the command line
def reverie_(db: str, *args: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [REVERIE, "--db", db, "--embedder", "none", *args], capture_output=True, text=True, timeout=60
    )


def test_keys_from_the_command_line(tmp_path):
    db = str(tmp_path / "n.db")
    made = reverie_(
        db,
        "--json",
        "keys",
        "create",
        "bot",
        "--allow",
        "reader",
        "--for",
        "notes",
        "--limit",
        "requests_per_minute=600",
    )
    told = json.loads(made.stdout)
    assert (
        told["verbs"] == ["read"] and told["namespaces"] == ["notes"] and told["limits"] == {"requests_per_minute": 600}
    )
    assert told["key"] not in reverie_(db, "keys", "list").stdout
    with started(db) as server, server.client(told["key"]) as client:
        assert server.key is None
        assert client.get("/v1/namespaces/notes/stats").status_code == 200
        assert client.get("/v1/namespaces/other/stats").status_code == 404
        assert client.post("/v1/namespaces/notes/memories", json={"text": "x"}).status_code == 403
        assert reverie_(db, "keys", "revoke", told["id"]).returncode == 0
        until(lambda: client.get("/v1/namespaces/notes/stats").status_code == 401)
    assert reverie_(db, "keys", "revoke", told["id"]).returncode == 1
    assert json.loads(reverie_(db, "--json", "keys", "list").stdout)[0]["revoked_at"]
    wrong = reverie_(db, "keys", "create", "x", "--allow", "nonsense")
    assert wrong.returncode == 2 and "no right 'nonsense'" in wrong.stderr
