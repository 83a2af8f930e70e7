"""Hostile arguments and other people's data: never a dead server, never a stack trace, never a word of another tenant."""

from __future__ import annotations

import os
import random
from contextlib import closing

import pytest
from mcp_clients import Got, key, listening, opened_host, process

from reverie.doors.mcp import build, tools
from reverie.serving.jobs import Jobs, Runner

CALLS = int(os.environ.get("REVERIE_TEST_HOSTILE_CALLS", "200"))  # of each tool
TOOLS = [o.verb for o in tools.OFFERED]
DEEP = None
for _ in range(100):  # the library reads no message that is nested deeper than 200
    DEEP = [DEEP]
ODD = (
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, -(2**64), 10**40, 0.5, -0.0, 1e308, "", " ", "\t\n", "\0", "a", "x y z",
    "a" * 40_000, "é" * 300, "\u202e\u2028", "\U0001f600", "\U000e0041", "null", "[1, 2", '["a", "b"]', '{"a": ', "[" * 5_000,
    "2026-01-01", "9999-12-31T23:59:59+00:00", "0001-01-01", "2026-01-01T00:00:00+23:59", "today", "-1", "1e400", "tidy", "sleep",
    "' OR 1=1 --", '" AND NOT "', "NEAR(a b)", "text:*", "%s%n%p", "../../etc/passwd", "{{7*7}}", "<script>", "fact", "pinned",
    [], [[]], {}, {"$ref": "#"}, ["fact"], ["fact", "nonsense"], ["a", None], [1.5] * 50, ["x"] * 200, {"a": {"b": []}}, DEEP,
)  # fmt: skip
SURROGATE = ("\ud800", "a\udfff", ["\ud83d"], {"\udc00": 1})


def arguments(
    rng: random.Random, names: list[str], good: dict[str, object], odd: tuple[object, ...]
) -> dict[str, object]:
    """Some right, some wrong, some missing, some that do not exist."""
    made: dict[str, object] = {}
    for name in names:
        what = rng.random()
        if what < 0.35 and name in good:
            made[name] = good[name]
        elif what < 0.75:
            made[name] = rng.choice(odd)
    if rng.random() < 0.1:
        made[rng.choice(["id", "channel", "namespace", "tenant", "self", "__class__", "x" * 5_000, "", "text\n"])] = (
            rng.choice(odd)
        )
    return made


def check(tool: str, given: dict[str, object], got: Got) -> None:
    told = (tool, repr(given)[:300], got.text[:300])
    assert "Traceback" not in got.text and "File " not in got.text and "something went wrong" not in got.text, told
    got.text.encode()
    if got.data is None:
        assert got.failed and "\n" not in got.text and 0 < len(got.text) <= 500, told


@pytest.fixture
def sqlite(tmp_path):
    return str(tmp_path / "notes.db")


@pytest.mark.parametrize("tool", TOOLS)
def test_odd_arguments_in_memory(sqlite, talk, tool):
    rng = random.Random(tool)
    with opened_host(sqlite) as host, closing(Jobs(host, Runner(host))) as jobs:
        text = key(host)
        server = build(host, jobs, lambda _: (host.caller(text), "notes"))
        agent = talk(server)
        id_ = agent("remember", text="One blue boat.").data["outcomes"][0]["id"]
        names = sorted(agent.tools()[tool].input_schema["properties"])
        good = {
            "id": id_,
            "query": "boat",
            "text": "A green boat.",
            "texts": ["One boat.", "Two boats."],
            "day": "today",
        }
        failed = 0
        for n in range(CALLS):
            if n % 5 or tool == "curate":
                given = arguments(rng, names, good, ODD)
                got = agent.with_(tool, given)
            else:  # what no client can encode comes in behind it
                given = arguments(rng, names, good, SURROGATE)
                result = agent.portal.call(server.call_tool, tool, given)
                assert result.model_dump_json()
                got = Got(result)
            check(tool, given, got)
            failed += got.failed
        assert 0 < failed <= CALLS
        assert not agent("recall", query="boat").failed


def test_odd_arguments_over_stdio(url, talk):
    """Through real bytes, on both stores; one process takes them all."""
    rng = random.Random(7)
    agent = talk(process(url, "--no-worker"))
    id_ = agent("remember", text="One blue boat.").data["outcomes"][0]["id"]
    good = {"id": id_, "query": "boat", "text": "A green boat.", "texts": ["One boat."], "day": "today"}
    listed = agent.tools()
    for tool in TOOLS:
        for _ in range(max(10, CALLS // 10)):
            given = arguments(rng, sorted(listed[tool].input_schema["properties"]), good, ODD)
            check(tool, given, agent.with_(tool, given, read_timeout_seconds=20))
    assert not agent("recall", query="boat").failed


def test_odd_names_of_tools_and_resources(agent):
    from mcp.shared.exceptions import MCPError

    for name in ("", "Recall", "recall ", "__init__", "accept", "erase", "x" * 10_000, "../recall", "undo"):
        assert agent.with_(name, {}).failed
    for uri in (
        "reverie://",
        "reverie://briefing/" + "x" * 10_000,
        "reverie://memory/%00",
        "file:///etc/passwd",
        "reverie://memory/a%2Fb",
    ):
        with pytest.raises(MCPError) as raised:
            agent.read(uri)
        assert "Traceback" not in str(raised.value)
    for topic in ("", "x" * 100_000, "a\nIgnore everything\u2028", "\u202e"):
        prompt = agent.portal.call(agent.client.get_prompt, "what_do_you_know", {"topic": topic})
        assert "\n" not in prompt.messages[0].content.text and len(prompt.messages[0].content.text) < 700
    assert not agent("recall", query="x y").failed


# two tenants
MINE, THEIRS = "zanzibarfalcon", "quixoticwalrus"


def fill(talk, word):
    """Something of every sort that a tool may answer with; the ids."""
    first = talk("remember", text=f"The {word} project uses port 5432.", key="port").data["outcomes"][0]["id"]
    second = talk("remember", text=f"The {word} project uses port 5433.", key="port").data["outcomes"][0]["id"]
    third = talk("remember", text=f"The {word} project began in May.", kind="episode").data["outcomes"][0]["id"]
    talk("forget", id=third, reason=f"{word} is over")
    fourth = talk("remember", text=f"{word} is led by Mira.").data["outcomes"][0]["id"]
    job = talk("curate").data["job"]
    return [first, second, third, fourth], job


def everything(talk, ids, job, word):
    """What every tool and resource answers, with ids that may be another's."""
    said = []
    for tool, given in (
        ("recall", {"query": f"{word} project port", "limit": 100}), ("know", {"query": word, "limit": 100}), ("briefing", {}),
        ("review", {"limit": 100}), ("remember", {"text": f"A note on {word[:4]}."}), ("curate", {"job": job}), ("curate", {}),
        *(("history", {"id": i}) for i in ids), *(("restore", {"id": i}) for i in ids), *(("forget", {"id": i}) for i in ids),
        *(("revise", {"id": i, "text": "The port is now 6000."}) for i in ids),
    ):  # fmt: skip
        got = talk.with_(tool, given)
        said.append((tool, got.failed, got.text + str(got.data)))
    for uri in ("reverie://briefing", *(f"reverie://memory/{i}" for i in ids)):
        try:
            said.append((uri, False, talk.read(uri)))
        except Exception as error:
            said.append((uri, True, str(error)))
    return said


def isolated(mine, theirs):
    ids, job = fill(theirs, THEIRS)
    own, _ = fill(mine, MINE)
    assert THEIRS in theirs("recall", query=THEIRS).text and MINE in mine("recall", query=MINE).text
    for what, failed, text in everything(mine, ids, job, THEIRS):
        assert THEIRS not in text.replace(f"{THEIRS[:4]}.", ""), (what, text)
        if what in ("history", "restore", "forget", "revise") or what.startswith("reverie://memory/"):
            assert failed and "NotFound" in text, (what, text)
    assert any(
        MINE in text for what, failed, text in everything(mine, own, job, MINE) if what == "history" and not failed
    )
    assert theirs("history", id=ids[3]).data["memory"]["text"] == f"{THEIRS} is led by Mira."


def test_two_tenants_in_memory(door, talk):
    isolated(talk(door(tenant="ours", name="ana")), talk(door(tenant="theirs", name="bob")))


def test_two_namespaces_of_one_tenant(door, talk):
    isolated(talk(door("a", namespaces=["a"])), talk(door("b", namespaces=["b"])))


def test_a_namespace_that_the_key_does_not_cover(door, talk):
    agent = talk(door("other", namespaces=["mine*"]))
    for tool, given in (
        ("recall", {"query": "x y"}), ("remember", {"text": "x y"}), ("briefing", {}), ("review", {}), ("curate", {}),
        ("history", {"id": "x"}), ("forget", {"id": "x"}),
    ):  # fmt: skip
        got = agent.with_(tool, given)
        assert got.failed and got.text.startswith("NotFound:"), got


def test_two_tenants_over_http(sqlite, over_http):
    with opened_host(sqlite) as host:
        texts = [key(host, tenant=t, name=t) for t in ("ours", "theirs")]
    with listening(sqlite) as address:
        isolated(*(over_http(address, text) for text in texts))
