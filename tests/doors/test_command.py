"""The main flows, with the command as its users run it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

NOTES = (
    "Jonas Weber works at Harborlight.",
    "Jonas Weber is employed by Harborlight.",
    "The production database listens on port 5432.",
    "The production database listens on port 5433.",
    "Mira does not want emojis in commit messages.",
)


def _fill(command):
    for note in NOTES:
        assert command("remember", note).code == 0


def test_a_first_session(command, db):
    made = command("init")
    assert made.code == 0 and "made" in made.out and Path(db).is_file()
    assert "there already" in command("init").out
    _fill(command)
    found = command("recall", "production database port", "--json").json
    assert {h["text"] for h in found[:2]} == set(NOTES[2:4])
    again = command("remember", NOTES[4], "--json").json
    assert again["restated"] and not again["known"]
    assert command("get", again["id"]).out.startswith(NOTES[4])
    assert command("stats", "--json").json["memories"]["live"] == 5


def test_plan_apply_undo_gives_the_same_export_back(command, tmp_path):
    _fill(command)
    before = command("export").out
    plan = tmp_path / "plan.json"
    shown = command("plan", "--out", str(plan), "--json").json
    assert json.loads(plan.read_text()) == shown
    assert command("export").out == before, "planning writes nothing"
    ran = command("apply", str(plan), "--json").json
    assert len(ran["entries"]) == shown["moves"] and ran["status"] == "done"
    assert command("plan", "--json").json["moves"] == 0
    undone = command("undo", ran["id"], "--json").json
    assert undone["undone"] == shown["moves"] and undone["conflicts"] == []
    assert command("export").out == before
    checked = command("journal", "--check", "--json").json
    assert checked["ok"] and checked["entries"] == 2 * shown["moves"]


def test_a_plan_comes_through_a_pipe(command):
    _fill(command)
    document = command("plan", "--json").out
    assert command("apply", "-", "--json", stdin=document).json["status"] == "done"


def test_export_and_import_are_equal(command, tmp_path):
    _fill(command)
    command("curate")
    file = tmp_path / "all.jsonl"
    told = command("export", str(file), "--journal", "--json").json
    assert told["records"] == len(file.read_text().splitlines()) - 1  # the header is none
    assert command("import", str(file), "--db", str(tmp_path / "b.db")).code == 0
    assert command("export", "--journal", "--db", str(tmp_path / "b.db")).out == file.read_text()
    piped = command("import", "-", "--db", str(tmp_path / "c.db"), "--json", stdin=file.read_text())
    assert piped.json["format"] == "reverie-export"
    assert command("export", "--journal", "--db", str(tmp_path / "c.db")).out == file.read_text()


def test_export_does_not_write_over_a_file(command, tmp_path):
    command("init")
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    refused = command("export", str(file))
    assert refused.code == 2 and "--force" in refused.err and file.read_text() == "mine"
    assert command("export", str(file), "--force").code == 0


@pytest.mark.parametrize("json_", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_errors_are_one_line_and_a_code(command, tmp_path, json_):
    more = ("--json",) if json_ else ()
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, however long it may be" * 200)
    command("init")
    pinned = command("remember", "keep me", "--json").json["id"]
    command("pin", pinned)
    wanted = {
        ("get", "nope"): (1, "NotFound"),
        ("undo", "nope"): (1, "NotFound"),
        ("apply", "nope"): (1, "NotFound"),
        ("reject", "nope"): (1, "NotFound"),
        ("remember", ""): (2, "InvalidInput"),
        ("remember", "x", "--kind", "poem"): (2, "InvalidInput"),
        ("remember", "x", "--occurred-at", "soon"): (2, "InvalidInput"),
        ("remember", "key " + "AK" + "IA" + "QZ7XW3RTN5PLK2VD"): (2, "SecretFound"),
        ("settings", "set", "nope", "1"): (2, "UnknownSetting"),
        ("recall",): (2, "UsageError"),
        ("recall", "x", "--limit", "many"): (2, "UsageError"),
        ("nope",): (2, "UsageError"),
        ("undo",): (2, "InvalidInput"),
        ("import", str(tmp_path / "missing.jsonl")): (2, "OSError"),
        ("forget", pinned): (3, "PolicyRefusal"),
        ("stats", "--db", str(broken)): (4, "StoreError"),
        ("stats", "--db", str(tmp_path / "missing.db")): (2, "InvalidInput"),
        ("calibrate", "--embedder", "http:m@http://127.0.0.1:9/v1"): (5, "EmbedderUnavailable"),
    }
    for args, (code, kind) in wanted.items():
        got = command(*args, *more)
        assert got.code == code, (args, got)
        assert got.out == "" and len(got.err.splitlines()) == 1 and "Traceback" not in got.err, (args, got)
        if json_:
            allowed = {kind} | ({"StoreCorrupt"} if code == 4 else set())
            assert got.error["error"] in allowed and got.error["message"], (args, got)
    assert not (tmp_path / "missing.db").exists(), "a typing error in --db leaves no store behind"


def test_arguments_of_any_bytes_are_no_traceback(environ, command):
    import subprocess
    import sys

    command("init")
    reverie = Path(sys.executable).with_name("reverie")
    for args in (
        [b"get", b"\xff"],
        [b"remember", b"\xed\xa0\x80"],
        [b"undo", b"--entry", b"9" * 30],
        [b"get", b"\x01"],
    ):
        done = subprocess.run([str(reverie).encode(), *args], env=environ, capture_output=True, check=False)
        assert done.returncode in {1, 2} and len(done.stderr.splitlines()) == 1, (args, done)


def test_no_store_named(command):
    got = command("recall", "x", env={"REVERIE_DB": None})
    assert got.code == 2 and "--db" in got.err and "REVERIE_DB" in got.err


def test_namespaces_and_tenants_are_apart(command):
    command("remember", "only in a", "--namespace", "a")
    command("remember", "only in b", env={"REVERIE_NAMESPACE": "b", "REVERIE_TENANT": "t"})
    assert [m["text"] for m in command("list", "--namespace", "a", "--json").json] == ["only in a"]
    assert [m["text"] for m in command("--tenant", "t", "--namespace", "b", "list", "--json").json] == ["only in b"]
    assert command("list", "--json").json == []


def test_help_is_cheap(command):
    import resource

    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert command("--help").code == 0
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    assert used < 0.6  # 0.2 on a quiet machine; the promise is 0.4


def test_a_reader_that_goes_away_is_no_traceback(environ):
    import os
    import subprocess
    import sys

    reverie = Path(sys.executable).with_name("reverie")
    subprocess.run([str(reverie), "import", "-", "--format", "lines"], env=environ, check=True, capture_output=True,
                   input="\n".join(f"note number {n} of many" for n in range(600)).encode())  # fmt: skip
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([str(reverie), "export"], env=environ, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 1 and b"Traceback" not in done.stderr and b"Exception" not in done.stderr


def test_doctor_is_red_when_the_journal_was_edited(command, db):
    _fill(command)
    command("curate")
    assert command("doctor").code == 0
    with sqlite3.connect(db) as raw:
        table = next(t for (t,) in raw.execute("SELECT name FROM sqlite_master WHERE name IN ('entry', 'journal')"))
        raw.execute(f"UPDATE {table} SET reason = 'nothing to see here' WHERE n = 1")
    checked = command("journal", "--check")
    assert checked.code == 1 and "entry 1" in checked.out
    red = command("doctor", "--json")
    assert red.code == 1 and red.json["level"] == "red" and red.json["problems"]


@pytest.mark.parametrize("json_", [False, True])
def test_an_import_that_is_interrupted_says_so_and_goes_on(environ, command, json_):
    import signal
    import subprocess
    import sys
    import time

    reverie = Path(sys.executable).with_name("reverie")
    args = [str(reverie), "import", "-", "--format", "lines", *(["--json"] if json_ else [])]
    lines = [f"note number {n} of many" for n in range(600)]
    running = subprocess.Popen(
        args, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell ignores it for what it puts behind
    )  # fmt: skip
    assert running.stdin is not None and running.stderr is not None and running.stdout is not None
    running.stdin.write("\n".join([*lines, ""]).encode())
    running.stdin.flush()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:  # two batches of 256 are written, the rest waits for more input
        if Path(environ["REVERIE_DB"]).exists() and command("stats", "--json").json["memories"]["live"] == 512:
            break
    running.send_signal(signal.SIGINT)
    err = running.stderr.read().decode()
    assert running.wait(60) == 130 and "Traceback" not in err, err
    assert json.loads(err)["error"] == "Interrupted" if json_ else "512 rows" in err and "interrupted" in err
    for stream in (running.stdin, running.stdout, running.stderr):
        stream.close()
    again = command("import", "-", "--format", "lines", "--json", stdin="\n".join(lines)).json
    assert (again["known"], again["written"]) == (512, 88)
