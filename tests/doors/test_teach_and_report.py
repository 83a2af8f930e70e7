"""The verbs that teach, and those that report: what they print, refuse, and never show."""

from __future__ import annotations

import json

import pytest


def _id(cli, text, *more):
    return cli("remember", text, "--json", *more).json["id"]


def test_acts_teach_what_they_are_told_to(cli):
    id_ = _id(cli, "Robin takes tea without milk", "--train")
    cli("weigh", id_, "--utility", "0.2", "--no-train")
    assert cli("weigh", id_, "--importance", "0.9", "--json").json["importance"] == 0.9
    assert cli("reclassify", id_, "preference", "--json").json["kind"] == "preference"
    given = cli("feedback", id_, "correction", "--kind", "concept", "--json").json
    assert (given["predicted"], given["corrected"], given["pending"]) == ("preference", "concept", True)
    cli("pin", id_)
    cli("pin", id_, "--off")
    cli("forget", id_, "--train")
    found = cli("signals", "--json").json
    assert [(s["type"], s["source"]) for s in found] == [
        ("reject", "delete"), ("accept", "pin"), ("correction", "feedback"), ("reclassify", "kind"), ("accept", "weight"),
        ("accept", "store"),
    ]  # fmt: skip
    assert {frozenset(s) for s in found} == {
        frozenset({"memory", "type", "source", "at", "pending", "predicted", "corrected", "strength"})
    }
    assert "tea" not in cli("signals").out and "preference → concept" in cli("signals").out


def test_withdrawn_signals_are_shown_when_asked_for(cli):
    id_ = _id(cli, "Robin takes tea without milk")
    assert cli("signals").out == "no signal waits\n"
    cli("pin", id_)
    cli("undo", cli("runs", "--json").json[0]["id"])
    assert cli("signals", "--json").json == []
    assert [s["pending"] for s in cli("signals", "--all", "--json").json] == [False]
    assert "withdrawn" in cli("signals", "--all").out
    assert cli("signals", "--all", "--since", "2100-01-01", "--json").json == []


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["weigh", "{0}"], 2),
        (["weigh", "{0}", "--importance", "2"], 2),
        (["reclassify", "{0}", "rumour"], 2),
        (["reclassify", "{0}"], 2),
        (["reclassify", "nobody", "fact"], 1),
        (["feedback", "{0}", "praise"], 2),
        (["feedback", "{0}", "correction"], 2),
        (["feedback", "nobody", "confirmation"], 1),
        (["signals", "--since", "yesterday"], 2),
        (["briefing", "--day", "2100-01-01"], 2),
        (["briefing", "--day", "someday"], 2),
        (["briefing", "--for", "nobody"], 2),
        (["briefing", "--format", "pdf"], 2),
        (["activity", "--since", "soon"], 2),
        (["activity", "--limit", "0"], 2),
    ],
)
def test_what_cannot_be_done_says_why_on_one_line(cli, args, code):
    id_ = _id(cli, "Robin takes tea without milk")
    got = cli(*(a.format(id_) for a in args), "--json")
    assert got.code == code and got.out == ""
    assert set(got.error) == {"error", "message"}


def test_another_kind_is_refused_where_the_text_is_live_in_it(cli):
    _id(cli, "Robin takes tea without milk", "--kind", "preference")
    other = _id(cli, "Robin takes tea without milk", "--kind", "fact")
    assert cli("reclassify", other, "preference").code == 3


def test_a_briefing_in_every_form(cli):
    _id(cli, "Jonas Weber works at Harborlight.")
    _id(cli, "Jonas Weber is employed by Harborlight.")
    cli("curate")
    headline = "While you were away: 1 merged in 1 run."
    document = cli("briefing", "--json").json
    assert document["headline"] == headline and document["reading"] == "people"
    assert cli("briefing", "--format", "json").json.keys() == document.keys()
    assert headline in cli("briefing").out.splitlines()
    assert cli("briefing", "--format", "markdown").out.startswith("# Briefing of ")
    assert '"Jonas Weber works at Harborlight."' in cli("briefing", "--for", "agent").out
    assert cli("briefing", "--day", "yesterday", "--json").json["counts"]["merged"] == 0
    assert "before the first entry" in cli("briefing", "--day", "2020-02-29").out


def test_a_note_cannot_drive_the_terminal_through_a_briefing(cli):
    cli("import", "-", "--format", "jsonl", stdin=json.dumps(
        {"text": "\x1b[31mred\u202e and \u0007 loud", "importance": 0.1, "written_at": "2020-01-01"}
    ))  # fmt: skip
    assert cli("curate", "--json").json["counts"]["Archive"] == 1
    for form in ("text", "markdown"):
        for who in ("people", "agent"):
            out = cli("briefing", "--format", form, "--for", who).out
            assert "x1b[31mred" in out
            assert all(c.isprintable() or c == "\n" for c in out)


def test_activity_is_listed_and_bounded_by_time(cli):
    cli("init")
    assert cli("activity").out == "no activity was recorded\n"
    cli("curate")
    cli("curate")
    (newest, _) = cli("activity", "--json").json
    assert newest["action"] == "curation_cycle" and newest["curated"] == 0 and "left_over" in newest
    assert newest["run"] == cli("runs", "--json").json[0]["id"]
    assert len(cli("activity", "--limit", "1", "--json").json) == 1
    assert cli("activity", "--since", "2100-01-01", "--json").json == []
    assert cli("activity", "--until", "2020-01-01", "--json").json == []
    assert newest["run"] in cli("activity").out
