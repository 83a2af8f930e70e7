"""Every verb: help, JSON, documentation, and what it decides for itself."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from reverie.doors.cli.app import hoisted
from reverie.doors.cli.reference import commands, render

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
VERBS = [" ".join(path) for path, _ in commands()]


def _id(cli, text, *more):
    return cli("remember", text, "--json", *more).json["id"]


@pytest.fixture
def filled(cli):
    """Two restatements and two near misses; returns the ids."""
    return [
        _id(cli, text)
        for text in (
            "Jonas Weber works at Harborlight.",
            "Jonas Weber is employed by Harborlight.",
            "The production database listens on port 5432.",
            "The production database listens on port 5433.",
        )
    ]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(cli, verb):
    got = cli(*verb.split(), "--help")
    assert got.code == 0 and got.err == ""
    command = {" ".join(p): c for p, c in commands()}[verb]
    assert command.help and all(p.help for p in command.params)


def test_the_reference_is_up_to_date():
    assert DOCS.read_text("utf-8") == render(), "run: python -m reverie.doors.cli.reference > docs/reference/cli.md"


def test_verbs_and_reference_name_each_other():
    told = set(re.findall(r"^###+ (.+)$", DOCS.read_text("utf-8"), re.MULTILINE))
    assert told == set(VERBS)
    asked = "init remember recall get history forget restore pin verify revise curate plan apply undo journal import "
    asked += "export stats doctor demo calibrate reject runs settings"
    assert set(asked.split()) <= set(VERBS)


CALLS = {
    "init": ["init"], "remember": ["remember", "one more"], "revise": ["revise", "{2}", "It listens on port 5434."],
    "recall": ["recall", "database port", "--explain"], "get": ["get", "{0}"], "list": ["list", "--state", "all"],
    "know": ["know", "where does Jonas work"],
    "context": ["context", "where does Jonas work", "--budget", "400"],
    "history": ["history", "{0}"], "stats": ["stats"], "forget": ["forget", "{0}"], "restore": ["restore", "{0}"],
    "pin": ["pin", "{0}"], "verify": ["verify", "{0}"], "plan": ["plan"], "apply": ["apply", "{plan}"],
    "review": ["review"],
    "reject": ["reject", "{parked}"], "curate": ["curate"], "undo": ["undo", "--entry", "1"], "journal": ["journal"],
    "runs": ["runs"], "import": ["import", "{lines}"], "export": ["export", "{out}"], "doctor": ["doctor"],
    "calibrate": ["calibrate", "--embedder", "hashing"], "settings": ["settings"],
    "settings set": ["settings", "set", "recall_limit", "3"], "settings unset": ["settings", "unset", "recall_limit"],
    "serve": ["serve", "--check", "--port", "0"], "keys": ["keys"], "keys create": ["keys", "create", "bot"],
    "keys list": ["keys", "list"], "keys revoke": ["keys", "revoke", "{key}"],
    "erase": ["erase", "--memory", "{0}"],
    "reclassify": ["reclassify", "{0}", "preference"], "weigh": ["weigh", "{0}", "--importance", "0.9"],
    "feedback": ["feedback", "{0}", "confirmation"], "signals": ["signals"], "briefing": ["briefing"],
    "activity": ["activity"], "mcp": ["mcp", "--config", "cursor"],
    "demo": ["demo", "--embedder", "hashing"], "worker": ["worker", "--once"], "copy": ["copy", "{db}", "{copy}"],
}  # fmt: skip


@pytest.mark.parametrize("json_", [True, False])
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers(cli, filled, tmp_path, verb, json_):
    known = {str(n): id_ for n, id_ in enumerate(filled)}
    known |= {"plan": str(tmp_path / "plan.json"), "out": str(tmp_path / "out"), "lines": str(tmp_path / "in.txt")}
    known |= {"db": os.environ["REVERIE_DB"], "copy": str(tmp_path / "copy.db")}
    Path(known["lines"]).write_text("a first line\na second line\n")
    cli("plan", "--out", known["plan"])
    if verb in {"restore", "undo"}:
        cli("forget", filled[0])
    if verb == "keys revoke":
        known["key"] = cli("keys", "create", "bot", "--json").json["id"]
    if verb == "reject":
        known["parked"] = _park(cli)
    args = [a.format(*filled, **known) for a in CALLS[verb]]
    got = cli(*args, *(["--json"] if json_ else []))
    assert got.code == 0, got
    assert got.err == "" or verb == "keys create"  # which says there what stdout, the key alone, does not
    if json_:
        assert got.json is not None
    else:
        assert got.out.strip()


ANIMALS = "ant bee cat dog elk fox gnu hen ibis jay kite lynx mole newt owl pig quail rat seal toad"


def _park(cli) -> str:
    """A plan over the blast cap: twenty memories that nobody ever needed."""
    cli("import", "-", "--format", "jsonl", stdin="\n".join(
        json.dumps({"text": f"{word} was seen in the yard", "importance": 0.1, "written_at": "2020-01-01"})
        for word in ANIMALS.split()
    ))  # fmt: skip
    parked = cli("curate", "--json")
    assert parked.code == 1 and parked.json["status"] == "parked"
    return cli("plan", "--parked", "--json").json[0]["id"]


def test_a_parked_plan_waits_for_a_person(cli):
    id_ = _park(cli)
    assert id_ in cli("plan", "--parked").out
    assert "reverie apply" in cli("plan", "--parked").out
    got = cli("apply", id_, "--json")
    assert got.code == 0 and got.json["counts"]["Archive"] == 20
    assert cli("plan", "--parked", "--json").json == []


def test_a_plan_reads_as_a_diff(cli, filled):
    shown = cli("plan").out
    lines = shown.splitlines()
    assert "+ Jonas Weber is employed by Harborlight." in lines
    assert "- Jonas Weber works at Harborlight." in lines
    assert any("guard:" in line for line in lines)
    assert "Left alone" not in shown or "number (5432 / 5433)" in shown
    ran = cli("curate").out
    assert "2 moves made, 0 skipped" in ran  # a merge, and the link of a clash
    assert re.search(r"reverie undo \w+", ran)


def test_shared_options_stand_anywhere_but_after_two_dashes(cli, db):
    assert hoisted(["recall", "x", "--json", "--db", "f", "--as=me"]) == [
        "--json",
        "--db",
        "f",
        "--as=me",
        "recall",
        "x",
    ]
    assert hoisted(["remember", "--", "--json"]) == ["remember", "--", "--json"]
    id_ = cli("remember", "--", "--json").out.split()[0]
    assert cli("get", id_, "--json").json["text"] == "--json"


def test_the_speaker_is_a_trusted_person_unless_told(cli):
    mine = cli("get", _id(cli, "said by me"), "--json").json
    assert (mine["trust"], mine["origin"]["principal"], mine["origin"]["channel"]) == ("trusted", "local", "person")
    tool = cli("get", _id(cli, "said by a tool", "--as", "grep", "--channel", "tool"), "--json").json
    assert (tool["trust"], tool["origin"]["principal"]) == ("provisional", "grep")
    cli("import", "-", stdin="said by a file")
    assert cli("recall", "file", "--json").json[0]["trust"] == "provisional"
    assert cli("remember", "x", "--channel", "curator").code == 2


def test_remember_reads_stdin_exactly(cli):
    id_ = cli("remember", "-", "--json", stdin="  two lines,\n  kept as they are \n").json["id"]
    assert cli("get", id_, "--json").json["text"] == "  two lines,\n  kept as they are "
    assert cli("remember", "-", stdin=b"\xff\xfe bad").code == 2
    assert cli("remember", "-", stdin="").code == 2


def test_remember_keeps_what_it_is_told(cli):
    id_ = _id(cli, "all fields", "--kind", "procedure", "--key", "k", "--id", "ext-1", "--session", "s1",
              "--importance", "0.9", "--meta", "n=3", "--meta", "who=Ann", "--occurred-at", "2026-01-02T03:04Z",
              "--gist", "short", "--valid-from", "2026-01-01", "--valid-to", "2027-01-01", "--experience")  # fmt: skip
    got = cli("get", id_, "--json").json
    assert got["kind"] == "procedure" and got["key"] == "k" and got["importance"] == 0.9 and not got["durable"]
    assert got["metadata"] == {"n": 3, "who": "Ann"} and got["gist"] == "short"
    assert got["occurred_at"] == "2026-01-02T03:04:00+00:00" and got["origin"]["session"] == "s1"
    assert cli("remember", "other text", "--id", "ext-1", "--json").json == {
        "id": id_, "restated": True, "known": True, "how": "external id", "masked": [], "superseded": None,
    }  # fmt: skip
    assert cli("remember", "the key has a new value", "--key", "k", "--json").json["superseded"] == id_
    assert cli("remember", "x", "--meta", "nothing").code == 2


def test_revise_forget_restore_pin_verify(cli):
    first = _id(cli, "Robin lives in Berlin")
    second = cli("revise", first, "Robin lives in Bern", "--json").json
    assert second["superseded"] == first
    assert cli("get", first, "--json").json["state"] == "superseded"
    history = cli("history", second["id"], "--json").json
    assert history["memory"]["text"] == "Robin lives in Bern"
    assert "Robin lives in Berlin" in {v["text"] for v in history["versions"]}
    id_ = second["id"]
    assert cli("pin", id_, "--json").json["pinned"] and not cli("pin", id_, "--off", "--json").json["pinned"]
    assert cli("verify", id_, "--json").json["confidence"] == "verified"
    assert cli("forget", id_).code == 3
    assert cli("verify", id_, "--off", "--json").json["confidence"] == "default"
    assert cli("forget", id_, "--reason", "gone", "--json").json["state"] == "archived"
    assert cli("recall", "Robin", "--json").json == []
    assert cli("recall", "Robin", "--state", "archived", "--json").json[0]["id"] == id_
    assert cli("restore", id_, "--json").json["state"] == "live"
    assert [e["move"] for e in cli("journal", "--memory", id_, "--json").json][-2:] == ["Archive", "Restore"]


def test_recall_options(cli):
    for text, kind in (("the blue boat", "fact"), ("paint the blue boat", "procedure"), ("the red boat", "fact")):
        _id(cli, text, "--kind", kind)
    _id(cli, "the green boat", "--channel", "web")
    assert {h["kind"] for h in cli("recall", "boat", "--kind", "procedure", "--json").json} == {"procedure"}
    assert len(cli("recall", "boat", "--limit", "2", "--json").json) == 2
    assert "the green boat" not in {h["text"] for h in cli("recall", "boat", "--trusted-only", "--json").json}
    assert cli("recall", "boat", "--as-of", "2001-01-01", "--json").json == []
    assert len(cli("recall", "boat", "--budget", "4", "--json").json) < 4
    assert "similarity" in cli("recall", "boat", "--explain").out
    assert cli("recall", "quite elsewhere", "--kind", "problem").out == "nothing found\n"
    assert cli("recall", "boat", "--limit", "0").code in {0, 2}


def test_undo_by_entry_and_since(cli):
    id_ = _id(cli, "here today")
    cli("forget", id_)
    n = cli("journal", "--json").json[0]["n"]
    assert cli("undo", "--entry", str(n)).code == 0
    assert cli("get", id_, "--json").json["state"] == "live"
    cli("pin", id_)
    assert cli("undo", "--since", "2001-01-01", "--json").json["undone"] >= 1
    assert not cli("get", id_, "--json").json["pinned"]
    assert cli("undo", "--since", "yesterday").code == 2
    assert cli("undo", "a", "--entry", "1").code == 2


def test_an_undo_with_conflicts_is_not_done(cli):
    id_ = _id(cli, "here today")
    cli("forget", id_)
    run = cli("runs", "--json").json[0]["id"]
    cli("pin", id_)
    cli("restore", id_)
    got = cli("undo", run, "--json")
    assert got.code == 1 and got.json["conflicts"] and "changed since" in got.json["conflicts"][0]["why"]
    assert "Left as they are" in cli("undo", run).out


@pytest.mark.parametrize("body", ["", "[]", "3", "{", '{"steps": 3}', '{"tenant": "a"}', "null", "[" * 100_000])
def test_what_is_no_plan_is_said_to_be_none(cli, tmp_path, body):
    cli("init")
    file = tmp_path / "plan.json"
    file.write_text(body)
    got = cli("apply", str(file))
    assert got.code == 2 and "not a plan" in got.err
    assert cli("apply", str(tmp_path)).code in {1, 2}


def test_a_plan_of_another_namespace_is_refused(cli, filled, tmp_path):
    cli("plan", "--out", str(tmp_path / "p"))
    assert cli("apply", str(tmp_path / "p"), "--namespace", "other").code == 3


def test_settings_tell_where_they_were_set(cli, monkeypatch, tmp_path):
    cli("init")
    monkeypatch.setenv("REVERIE_STALE_DAYS", "40")
    assert cli("settings", "set", "recall_limit", "7", "--json").json["value"] == 7
    by_name = {s["name"]: s for s in cli("settings", "--json").json}
    assert (by_name["recall_limit"]["value"], by_name["recall_limit"]["where"]) == (7, "namespace")
    assert (by_name["stale_days"]["value"], by_name["stale_days"]["where"]) == (40.0, "environment")
    assert by_name["demote_days"]["where"] == "default"
    monkeypatch.setenv("REVERIE_CONFIG", str(tmp_path / "r.toml"))
    (tmp_path / "r.toml").write_text("demote_days = 50\n")
    assert {s["name"]: s for s in cli("settings", "--json").json}["demote_days"]["where"] == "file"
    assert cli("settings", "unset", "recall_limit", "--json").json["value"] == 10
    assert cli("settings", "set", "recall_limit", "0").code == 2
    assert "REVERIE_EMBEDDER" in cli("settings", "set", "embedder", "none").err
    monkeypatch.delenv("REVERIE_DB")
    assert len(cli("settings", "--json").json) == len(by_name)


def test_stored_text_cannot_drive_the_terminal(cli):
    id_ = _id(cli, "plain \x1b[31mred\x1b[0m \u202egnp.exe [bold]loud[/bold] :smile:")
    for args in (["get", id_], ["recall", "plain"], ["list"], ["history", id_]):
        out = cli(*args).out
        assert "\x1b" not in out and "\u202e" not in out, args
        assert "\\x1b[31mred" in out and "[bold]loud[/bold] :smile:" in out, args


def test_calibrate_with_own_pairs(cli, tmp_path):
    file = tmp_path / "pairs"
    file.write_text("\n".join([json.dumps([f"the ship {n} left", f"ship {n} has left"]) for n in range(18)]
                              + ["a boat\tthe boat", '{"a": "one", "b": "1"}']))  # fmt: skip
    got = cli("calibrate", "--embedder", "hashing", "--pairs", str(file), "--json").json
    assert got["source"] == "20 own pairs" and isinstance(got["warnings"], list)
    file.write_text("only one column")
    bad = cli("calibrate", "--embedder", "hashing", "--pairs", str(file))
    assert bad.code == 2 and "line 1" in bad.err
    assert cli("calibrate", "--embedder", "none").code == 2


def test_no_verb_shows_the_help(cli):
    got = cli()
    assert got.code == 0 and "remember" in got.out
    assert cli("--version").out.startswith("reverie ")
