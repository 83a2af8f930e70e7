"""The command line on a PostgreSQL store says what it says on a file, up to ids, times and what is told of the store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NOTES = (
    "Jonas Weber works at Harborlight.",
    "Jonas Weber is employed by Harborlight.",
    "The production database listens on port 5432.",
    "The production database listens on port 5433.",
    "Mira does not want emojis in commit messages; she said: 100 %s of them, {none} $1 left.",
)
ULID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?|\b\d{16}\b")  # and in µs
HASHES = re.compile(r"\b[0-9a-f]{32,64}\b")  # of journal entries, which hold ids and times
SPEED = re.compile(r'("(?:seconds|rows_per_second)": )[\d.]+')
LONG = re.compile(r"\b\d\.\d{5,}(e-\d+)?\b")
PLACES = re.compile(r"(postgresql://|/|<folder>)\S*?(notes\.db|db_\d+(\?host=[^\s\";]*)?)")


def plain(said: str) -> str:
    """What was said, with ids by the order in which they came, and without times and places."""
    known: dict[str, str] = {}
    said = SPEED.sub(r"\1<speed>", said)
    said = ULID.sub(lambda m: known.setdefault(m[0], f"<id {len(known)}>"), PLACES.sub("<place>", said))
    said = LONG.sub(lambda m: f"{float(m[0]):.4f}", said)  # a score falls a little with every second
    return HASHES.sub("<hash>", TIMES.sub("<time>", said))


def session(cli: Callable[..., Any], db: str, folder: Path) -> list[tuple[str, int, str, str]]:
    """A session with every main verb, as (command, exit code, stdout, stderr)."""
    said: list[tuple[str, int, str, str]] = []
    plan = folder / "plan.json"
    export = folder / "export.jsonl"

    def run(*args: str, stdin: str = "") -> Any:
        got = cli(*args, "--db", db, stdin=stdin)
        here = [text.replace(str(folder), "<folder>") for text in (" ".join(args), got.out, got.err)]
        said.append((here[0], got.code, here[1], here[2]))
        return got

    run("init")
    ids = [run("remember", note, "--json").json["id"] for note in NOTES]
    run("remember", NOTES[4], "--json")
    run("remember", "Oslo", "--key", "office")
    run("remember", "The office moved to Bergen", "--key", "office")
    run("remember", "")
    run("recall", "production database port", "--json")
    run("recall", "emojis %s {none}", "--explain")
    run("recall", "who works at Harborlight?", "--limit", "2")
    run("get", ids[0])
    run("get", "nope")
    run("history", ids[4], "--json")
    run("list", "--json")
    run("plan", "--out", str(plan), "--json")
    ran = run("apply", str(plan), "--json")
    run("runs", "--json")
    run("journal")
    run("undo", ran.json["id"], "--json")
    run("journal", "--check", "--json")
    run("pin", ids[2])
    run("forget", ids[2])
    run("forget", ids[3])
    run("settings", "set", "recall_limit", "3")
    run("curate")
    run("stats", "--json")
    run("doctor", "--json")
    run("export", str(export), "--journal", "--json")
    run("export", "--journal")
    run("import", "-", "--format", "lines", "--json", stdin="a first line\n\na 'second' line \\ with $1\n")
    run("list", "--namespace", "other", "--json")
    run("demo", "--embedder", "hashing")
    return said


def test_commands_say_the_same_on_both_stores(cli, tmp_path, server):
    files = tmp_path / "files", tmp_path / "server"
    for folder in files:
        folder.mkdir()
    url = server.database(template=None)
    on_file, on_server = session(cli, str(files[0] / "notes.db"), files[0]), session(cli, url, files[1])
    assert len(on_file) == len(on_server)
    for (command, code, out, err), (other, other_code, other_out, other_err) in zip(on_file, on_server, strict=True):
        assert plain(command) == plain(other)
        out, other_out = plain(out).replace("reverie --db <place> ", "reverie "), plain(other_out)
        if command == "doctor --json":
            facts, other_facts = (json.loads(o).pop("facts") for o in (out, other_out))
            assert (facts["store"], other_facts["store"]) == ("sqlite", "postgresql")
            assert other_facts["row_level_security"] and other_facts["pgvector"]
            out, other_out = (json.dumps(json.loads(o) | {"facts": {}}) for o in (out, other_out))
        assert other_out.splitlines() == out.splitlines(), command
        assert (other_code, plain(other_err)) == (code, plain(err)), command
    assert [code for command, code, _, _ in on_server if code] == [2, 1, 3]  # an empty text, no such id, pinned
    # What one store exports the other takes in, and gives out again as it was.
    export = files[1] / "export.jsonl"
    assert cli("import", str(export), "--db", str(tmp_path / "copy.db")).code == 0
    assert cli("export", "--journal", "--db", str(tmp_path / "copy.db")).out == export.read_text()
    copy = server.database()
    assert cli("import", str(files[0] / "export.jsonl"), "--db", copy).code == 0
    assert cli("export", "--journal", "--db", copy).out == (files[0] / "export.jsonl").read_text()
    for made in (url, copy):
        server.drop(made)


def test_the_real_command_reaches_the_server(command, server):
    url = server.database()
    assert command("remember", NOTES[0], env={"REVERIE_DB": url}).code == 0
    found = command("recall", "Jonas Weber", "--json", env={"REVERIE_DB": url})
    assert [h["text"] for h in found.json] == [NOTES[0]] and found.err == ""
    server.drop(url)


def test_init_says_what_is_there_already(cli, server):
    url = server.database(template=None)
    assert cli("init", "--json", "--db", url).json["made"] is True
    cli("remember", NOTES[0], "--db", url)
    assert cli("init", "--json", "--db", url).json["made"] is False
    assert "there already" in cli("init", "--db", url).out
    server.drop(url)


@pytest.mark.parametrize("json_", [False, True])
def test_a_password_in_the_url_is_said_nowhere(cli, server, json_):
    url = server.database()
    secret = url.replace("reverie@", "reverie:hunter2-is-secret@")
    more = ("--json",) if json_ else ()
    for args in (
        ["init"], ["remember", "one"], ["remember", ""], ["recall", "one"], ["doctor"], ["stats"], ["get", "nope"], ["curate"],
    ):  # fmt: skip
        got = cli(*args, *more, "--db", secret)
        assert "hunter2" not in got.out + got.err, args
    server.drop(url)
    gone = cli("recall", "one", *more, "--db", secret)
    assert gone.code == 4 and "hunter2" not in gone.out + gone.err
    assert len(gone.err.splitlines()) == 1 and "Traceback" not in gone.err


@pytest.mark.parametrize("url", ["postgresql://", "postgres://%zz", "postgresql://u@/x?nonsense=1", "mysql://u@h/x"])
def test_a_url_that_leads_nowhere_is_one_line_and_a_code(cli, url, monkeypatch):
    monkeypatch.setenv("PGHOST", "/nowhere/at/all")
    got = cli("remember", "one", "--json", "--db", url)
    assert got.code in {2, 4} and got.error["error"] in {"InvalidInput", "StoreError"}, got
    assert len(got.error["message"].split()) >= 3
