"""The demo: the same each time, with something of everything in it, and an undo that is exact."""

from __future__ import annotations

import json
import time
from importlib import resources
from pathlib import Path

from reverie.doors.cli.demo import notes
from reverie.text.secrets import find_secrets


def test_the_demo_tells_the_same_story_each_time(command, tmp_path):
    start = time.monotonic()
    first = command("demo", env={"REVERIE_DB": None, "REVERIE_EMBEDDER": None}, cwd=tmp_path)
    assert time.monotonic() - start < 40  # under 4 s on a quiet machine; the promise is 15
    assert first.code == 0 and first.err == ""
    assert "\x1b" not in first.out and all(line == line.rstrip() for line in first.out.splitlines())
    last = first.out.splitlines()[-1]
    assert last == "The store is as it was: nothing lost, everything explained, everything undone."
    said = ("refused: the text holds what looks like a credential", "stated again", "Merge ", "Left alone ", "Archive ",
            "Mark as stale ", "Planned again on the same data: 0 moves", "before curation")  # fmt: skip
    assert [part for part in said if part not in first.out] == []
    again = command("demo", env={"REVERIE_STALE_DAYS": "1", "REVERIE_EMBEDDER": None})
    assert again.out == first.out, "neither the settings nor the store of this machine matter"
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_the_demo_in_figures(cli):
    told = cli("demo", "--embedder", "hashing", "--json").json
    assert told["same"] and told["before"] == told["after"] != told["curated"]
    assert told["undone"] == told["moves"] > 0 and told["second_pass_moves"] == 0
    assert told["notes"]["refused"] == 1 and sum(told["notes"].values()) > 190
    moves = {p["move"]["move"] for s in told["plan"]["steps"] for p in s["proposals"]}
    assert {"MergeInto", "Archive", "MarkStale"} <= moves


def test_the_demo_keeps_its_store_only_where_it_is_told_to(cli, tmp_path, db):
    file = tmp_path / "kept.db"
    assert cli("demo", "--embedder", "hashing", "--keep", str(file)).code == 0
    assert file.is_file() and not Path(db).exists()
    assert cli("runs", "--db", str(file), "--json").json[0]["cycle"] == "undo"
    refused = cli("demo", "--keep", str(file))
    assert refused.code == 2 and "there already" in refused.err


def test_the_notes_hold_no_secret_but_the_planted_one():
    raw = resources.files("reverie.doors.cli").joinpath("demo_notes.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in raw.splitlines()]
    assert len(rows) >= 180 and len({r["kind"] for r in rows}) == 6
    assert [n.text for n in notes() if find_secrets(n.text)] == [list(notes())[-1].text]
    assert not find_secrets(raw)
