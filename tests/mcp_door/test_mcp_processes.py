"""Real processes and the official client: over stdio and over HTTP, on both stores."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest
from mcp import StdioServerParameters
from mcp_clients import HERE, REVERIE, environ, key, lines_of, listening, opened_host, process

from reverie.model import Scope
from reverie.serving import keys

CALLS = {
    "remember": {"text": "TEXT"}, "recall": {"query": "tea"}, "know": {"query": "tea"}, "briefing": {},
    "history": {"id": "ID"}, "revise": {"id": "ID", "text": "REVISED"}, "forget": {"id": "NEW"},
    "restore": {"id": "NEW"}, "review": {}, "curate": {},
}  # fmt: skip


def every_tool(talk):
    """Call each tool once, in an order that makes sense."""
    assert set(talk.tools()) == set(CALLS)
    tea = f"tea {time.monotonic_ns()}"  # another each time: a store may be used again
    known = {"TEXT": f"Ana Abbott prefers {tea}.", "REVISED": f"Ana Abbott drinks {tea}, iced."}
    for tool, arguments in CALLS.items():
        got = talk.with_(tool, {k: known.get(v, v) for k, v in arguments.items()})
        assert not got.failed, (tool, got)
        assert got.data and got.text
        if tool == "remember":
            known["ID"] = got.data["outcomes"][0]["id"]
        if tool == "revise":
            known["NEW"] = got.data["id"]
    assert "Briefing of" in talk.read("reverie://briefing")
    wrong = talk("recall", query="")
    assert wrong.failed and wrong.text.startswith("InvalidInput:")
    assert talk("nonsense").failed and not talk("recall", query="tea").failed


@pytest.mark.parametrize("mode", ["auto", "legacy"])  # of the protocol: without a handshake, and with one
def test_every_tool_over_stdio(url, talk, mode):
    every_tool(talk(process(url), mode=mode))


def test_every_tool_over_http(url, over_http):
    with opened_host(url) as host:
        text = key(host, namespaces=["notes"])
    with listening(url) as address:
        for mode in ("auto", "legacy"):
            every_tool(over_http(address, text, mode=mode))


def test_http_asks_for_a_key_and_has_one_path(tmp_path):
    url = str(tmp_path / "x.db")
    with opened_host(url) as host:
        text = key(host)
    ask = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "x y"}},
    }
    accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    with listening(url) as address, httpx2.Client() as client:
        for wrong in (
            {},
            {"Authorization": "Bearer nonsense"},
            {"Authorization": f"Bearer {text}x"},
            {"Authorization": text[:-1]},
        ):
            got = client.post(address, json=ask, headers=accept | wrong)
            assert got.status_code == 401 and got.headers["www-authenticate"].startswith("Bearer")
        right = accept | {"Authorization": f"Bearer {text}"}
        got = client.post(address, json=ask, headers=right)
        assert got.status_code == 200 and got.headers["content-type"] == "application/json"
        assert got.json()["result"]["content"][0]["text"] == "Nothing found."
        assert client.get(address, headers=right).status_code == 405
        assert client.delete(address, headers=right).status_code == 405
        for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 10_000, b'{"jsonrpc": "2.0"}'):
            got = client.post(address, content=body, headers=right | {"Content-Type": "application/json"})
            assert 400 <= got.status_code < 500 and "Traceback" not in got.text, body[:20]
        assert client.post(address, json=ask, headers=right).status_code == 200


def test_progress_is_told_where_it_is_asked_for(tmp_path, over_http):
    url, heard = str(tmp_path / "x.db"), []

    async def tell(done, total, message):
        heard.append(message)

    with opened_host(url) as host:
        text = key(host)
    with listening(url) as address:
        for mode in ("auto", "legacy"):
            heard.clear()
            opened = over_http(address, text, mode=mode)
            opened("remember", texts=[f"Boat {n} sails at {n} knots in {mode}." for n in range(40)])
            got = opened.with_("curate", {}, progress_callback=tell)
            assert got.data["status"] == "done" and heard, got
            assert not opened.with_("recall", {"query": "boat"}, progress_callback=tell).failed


def test_any_process_answers_any_request(tmp_path, over_http):
    """Two servers of one store: what was begun at one goes on at the other, as there is no session."""
    url = str(tmp_path / "x.db")
    with opened_host(url) as host:
        text = key(host)
    with listening(url) as one, listening(url) as two:
        a, b = over_http(one, text), over_http(two, text)
        id_ = a("remember", text="Ana Abbott prefers tea.").data["outcomes"][0]["id"]
        assert b("recall", query="tea").data["memories"][0]["id"] == id_
        job = a("curate").data["job"]
        assert b("curate", job=job).data["status"] == "done"


# stdio: what belongs to a process
def raw(args, messages, env=None, seconds=20):
    """A session over bare pipes; (stdout, stderr, code)."""
    lines = [json.dumps(m) if isinstance(m, dict) else m for m in messages]
    with subprocess.Popen(
        args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env or environ()
    ) as started:
        assert started.stdin and started.stdout
        wanted = {m["id"] for m in messages if isinstance(m, dict) and "id" in m}
        started.stdin.write(("\n".join(lines) + "\n").encode())
        started.stdin.flush()
        out, until = b"", time.monotonic() + seconds
        while wanted and time.monotonic() < until:
            line = started.stdout.readline()
            if not line:
                break
            out += line
            wanted.discard(json.loads(line).get("id"))
        started.stdin.close()
        out += started.stdout.read()
        err = started.stderr.read() if started.stderr else b""
        return out, err, started.wait(20)


def opening(*calls):
    """The messages of a session with these calls."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    return [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": t, "arguments": a}}
          for n, (t, a) in enumerate(calls, 1)),
    ]  # fmt: skip


def test_nothing_but_protocol_on_stdout(tmp_path):
    calls = [
        ("remember", {"text": "Ana prefers tea."}),
        ("recall", {"query": "tea"}),
        ("recall", {}),
        ("review", {}),
        ("no", {}),
    ]
    messages = opening(*calls)
    messages[2:2] = ["this is no JSON", '{"jsonrpc": "2.0", "id": 99}', "[]", "\ufeff{}"]
    messages = [m for m in messages if m != '{"jsonrpc": "2.0", "id": 99}']
    out, err, code = raw([sys.executable, str(HERE / "noisy.py"), "mcp", "--db", str(tmp_path / "x.db")], messages)
    answers = {m.get("id"): m for m in lines_of(out)}
    assert all(m["jsonrpc"] == "2.0" for m in answers.values()) and set(range(6)) <= set(answers)
    assert b"NOISE" not in out and b"canary" not in out and b"Traceback" not in out
    for what in (
        b"print __init__",
        b"print recall",
        b"print close",
        b"os.write",
        b"child\n",
        b"warning recall",
        b"log recall",
        b"canary",
    ):
        assert b"NOISE " + what in err or what in err, what
    assert [answers[n]["result"].get("isError") for n in (1, 2, 3, 4, 5)] == [False, False, True, True, True]
    assert code == 0


def test_it_ends_with_its_input_and_on_signals(tmp_path):
    url = str(tmp_path / "x.db")
    *_, code = raw([REVERIE, "mcp", "--db", url], opening(("remember", {"text": "Ana prefers tea."})))
    assert code == 0
    for number, wanted in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
        with subprocess.Popen(
            [REVERIE, "mcp", "--db", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ()
        ) as started:
            assert started.stdin and started.stdout
            started.stdin.write("".join(json.dumps(m) + "\n" for m in opening()).encode())
            started.stdin.flush()
            assert started.stdout.readline()
            started.send_signal(number)
            assert started.wait(15) == wanted
    with opened_host(url) as host:
        assert len(host.memory(Scope()).memories()) == 1


def run(*args, env=None, stdin=b""):
    return subprocess.run(
        [REVERIE, *args], input=stdin, capture_output=True, env=env or environ(), timeout=30, check=False
    )


def test_what_is_missing_is_said_on_stderr(tmp_path):
    for args, code, words in (
        (["mcp"], 2, b"--db FILE"), (["mcp", "--db", str(tmp_path / "no" / "x.db")], 4, b"make it first"),
        (["mcp", "--db", str(tmp_path / "x.db"), "--channel", "curator"], 2, b"own"),
        (["mcp", "--db", str(tmp_path / "x.db"), "--config", "nonsense"], 2, b"claude-code"),
    ):  # fmt: skip
        got = run(*args)
        assert (got.returncode, got.stdout) == (code, b"") and words in got.stderr and b"Traceback" not in got.stderr
    got = run("mcp", "--db", str(tmp_path / "x.db"), env=environ(REVERIE_API_KEY="rv_nonsense"))
    assert got.returncode == 1 and b"REVERIE_API_KEY" in got.stderr and got.stdout == b""


def test_the_configuration_that_it_prints_starts_it(tmp_path, talk):
    for client, outer in (
        ("claude-code", "mcpServers"),
        ("claude-desktop", "mcpServers"),
        ("cursor", "mcpServers"),
        ("vs-code", "servers"),
    ):
        got = run(
            "mcp",
            "--db",
            str(tmp_path / "x.db"),
            "--namespace",
            "work",
            "--read-only",
            "--no-worker",
            "--config",
            client,
        )
        entry = json.loads(got.stdout)[outer]["reverie"]
        assert Path(entry["command"]).is_absolute() and entry["args"][:3] == ["mcp", "--db", str(tmp_path / "x.db")]
        assert entry["args"][3:] == ["--namespace", "work", "--read-only", "--no-worker"]
    opened = talk(StdioServerParameters(command=entry["command"], args=entry["args"], env=environ()))
    assert set(opened.tools()) == {"recall", "know", "briefing", "review", "history"}
    hidden = run("--json", "mcp", "--db", "postgresql://me:secret@db/x", "--config", "cursor")
    entry = json.loads(hidden.stdout)["mcpServers"]["reverie"]
    assert entry["env"] == {"REVERIE_DB": "postgresql://me:secret@db/x"} and "secret" not in str(entry["args"])


def test_a_key_in_the_environment_speaks(tmp_path, talk):
    url = str(tmp_path / "x.db")
    with opened_host(url) as host:
        text = key(
            host,
            name="pia",
            channel="person",
            namespaces=["work"],
            allow=["read", "write"],
            limits={"writes_per_day": 1},
        )
    keyed = talk(process(url, REVERIE_API_KEY=text))
    assert set(keyed.tools()) == {"remember", "recall", "know", "briefing", "review", "history"}
    id_ = keyed("remember", text="Ana prefers tea.").data["outcomes"][0]["id"]
    told = keyed("history", id=id_).data
    assert (told["said_by"], told["channel"], told["memory"]["trust"]) == ("pia", "person", "trusted")
    assert keyed("remember", text="Ana prefers milk.").text.startswith("TooMany:")
    assert keyed("forget", id=id_).text.startswith("Forbidden:")
    elsewhere = talk(process(url, "--namespace", "home", REVERIE_API_KEY=text))
    assert elsewhere("recall", query="tea").text.startswith("NotFound:")
    with opened_host(url) as host:
        keys.revoke(host.store, host.clock, "default", text.split("_")[1])
    time.sleep(2.1)  # so long a key is believed
    assert keyed("recall", query="tea").text.startswith("Unauthorised:")


def test_the_local_user_is_an_agent(tmp_path, talk):
    url = str(tmp_path / "x.db")
    mine = talk(process(url, "--as", "coder"))
    id_ = mine("remember", text="Ana prefers tea.").data["outcomes"][0]["id"]
    told = mine("history", id=id_).data
    assert (told["said_by"], told["channel"], told["memory"]["trust"]) == ("coder", "agent", "provisional")
    with opened_host(url) as host:
        origin = host.memory(Scope()).get(id_).origin
        assert origin.session and origin.session.startswith("mcp-") and origin.client == "mcp"


def test_a_worker_looks_after_the_memory(tmp_path, talk):
    """Two restatements of before this session are merged in it without anybody asking; with --no-worker they are not."""
    url, code = str(tmp_path / "x.db"), "import reverie.doors.mcp.stdio as s; s.WORKER_SECONDS = 0.1; "
    code += "from reverie.doors.cli import main; main()"
    with opened_host(url) as host:
        memory = host.memory(Scope())
        memory.remember_many(["Jonas Weber works at Harborlight.", "Jonas Weber is employed by Harborlight."])
        env = environ(REVERIE_IDLE_SECONDS="1", REVERIE_WORKER_LOOK_SECONDS="0.1")

        def opened(*more):
            return talk(
                StdioServerParameters(command=sys.executable, args=["-c", code, "mcp", "--db", url, *more], env=env)
            )

        quiet = opened("--no-worker")
        assert not quiet("review").failed
        time.sleep(1.5)
        assert not memory.runs()
        busy = opened()
        assert not busy("review").failed
        until = time.monotonic() + 20
        while not memory.runs() and time.monotonic() < until:
            time.sleep(0.1)
        assert [r.cycle for r in memory.runs()][:1] == ["tidy"]


@pytest.mark.skipif(not os.environ.get("REVERIE_TEST_TIMES"), reason="REVERIE_TEST_TIMES: needs a quiet machine")
def test_the_first_answer_comes_in_time(tmp_path):
    """From a cold start to the answer of a recall, with the real embedder: under two seconds."""
    env = environ(REVERIE_EMBEDDER="onnx")
    url = str(tmp_path / "x.db")
    raw([REVERIE, "mcp", "--db", url], opening(("remember", {"text": "Ana prefers tea."})), env=env)
    started = time.monotonic()
    with subprocess.Popen(
        [REVERIE, "mcp", "--db", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as going:
        assert going.stdin and going.stdout
        going.stdin.write("".join(json.dumps(m) + "\n" for m in opening(("recall", {"query": "tea"}))).encode())
        going.stdin.flush()
        answers = [json.loads(going.stdout.readline()) for _ in range(2)]
        took = time.monotonic() - started
        going.stdin.close()
    assert answers[1]["result"]["structuredContent"]["memories"] and took < 2.0, took
