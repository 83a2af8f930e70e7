"""The guard on pairs that name one difference each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.text.guard import Outcome, Reason, analyse, compare

SAME = [
    ("Ana is 34.", "ana is thirty-four"),
    ("The fee is 24 thousand dollars", "The fee is $24k"),
    ("The fee is 24,000 USD", "the fee is 24 thousand dollars"),
    ("Meet on July 22nd, 2026 at 2pm", "meet on 2026-07-22 at 14:00"),
    ("Meet on 22 July 2026 at 2 p.m.", "Meet on July 22, 2026 at 2:00 PM"),
    ("Wait 10 min", "wait 10 minutes"),
    ("30% of it", "thirty percent of it"),
    ("The first floor", "the 1st floor"),
    ("It doesn't render", "It does not render"),
    ("It’s the users' data", "it is the users' data"),
    ("Remember that the repo is private", "The repository is private"),
    ("Reminder: FYI: DISCORD_TOKEN is unset", "DISCORD_TOKEN is unset"),
    ("In production, the worker restarts nightly", "The worker restarts nightly in production"),
    ("At weekends Ana sketches", "Ana sketches at weekends"),
    ("Every Monday Ana swims", "Ana swims on Mondays"),
    ("Y is led by X", "X leads Y"),
    ("The age of Ana is 30", "Ana's age is 30"),
]
DIFFERENT = [
    ("Port 5432", "Port 5433", Reason.NUMBER),
    ("Wait 10 minutes", "Wait 10 seconds", Reason.UNIT),
    ("It is -5 outside", "It is 5 outside", Reason.SIGN),
    ("Due 5 March", "Due 6 March", Reason.DATE),
    ("At 2pm", "At 2am", Reason.TIME),
    ("Use 1.2.3", "Use 1.2.4", Reason.VERSION),
    ("See /etc/hosts", "See /etc/passwd", Reason.PATH),
    ("Set max_tokens", "Set min_tokens", Reason.IDENTIFIER),
    ("The owner is Ana", "The owner is Bo", Reason.NAME),
    ("It is ready", "It is not ready", Reason.NEGATION),
    ("It is ready", "It might be ready", Reason.MODALITY),
    ("It was ready", "It is ready", Reason.MODALITY),
    ("The shop opens", "The shop closes", Reason.ANTONYM),
    ("Deploy to staging", "Deploy to production", Reason.ENVIRONMENT),
    ("All users agree", "Some users agree", Reason.QUALIFIER),
    ("The 1st floor", "The 2nd floor", Reason.ORDINAL),
    ("The red door", "The blue door", Reason.COLOUR),
    ("It is ready", "It is ready?", Reason.QUESTION),
    ("She plays the violin", "She plays the cello", Reason.CLOSED_SLOT),
]
UNSURE = [
    ("Use Redis instead of Kafka", "Use Kafka instead of Redis"),
    ("Copy from A to B", "Copy to A from B"),
    ("Team 3 maintains the gateway", "The team maintains gateway 3"),
    ("A few users complained", "Few users complained"),
    ("No, deploys are frozen", "No deploys are frozen"),
    ("The bride is happy", "The bride is joyful"),
    ("今日は雨です", "今日は雪です"),
    ("", "..."),
    ("Voy a casa", "Voy casa ya"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_same(a: str, b: str) -> None:
    assert compare(a, b).outcome is Outcome.SAME
    assert analyse(a).signature == analyse(b).signature


@pytest.mark.parametrize(("a", "b", "reason"), DIFFERENT)
def test_different(a: str, b: str, reason: Reason) -> None:
    ruling = compare(a, b)
    assert (ruling.outcome, ruling.reason) == (Outcome.DIFFERENT, reason)
    assert compare(b, a) == ruling.swapped()


@pytest.mark.parametrize(("a", "b"), UNSURE)
def test_unsure(a: str, b: str) -> None:
    assert compare(a, b).outcome is not Outcome.SAME


def test_the_longer_survives() -> None:
    long, short = "Oslo is where Ana lives. She is 34 years old.", "Ana lives in Oslo"
    assert (compare(long, short).reason, compare(long, short).keeps) == (Reason.SUBSUMED, "a")
    assert compare(short, long).keeps == "b"


@pytest.mark.parametrize(
    "extra",
    [
        "That is outdated.",
        "But not any more.",
        "It was so until May.",
        "Is it?",
        "This holds on staging.",
        "Unless it rains.",
        "Ana lives in Rome.",
        "She left.",
    ],
)
def test_nothing_that_takes_back_is_absorbed(extra: str) -> None:
    assert compare(f"Ana lives in Oslo. {extra}", "Ana lives in Oslo").outcome is not Outcome.SAME


def test_a_pronoun_needs_its_antecedent() -> None:
    assert compare("Bo has a cat. It is black.", "It is black and small").outcome is not Outcome.SAME
    assert compare("Bo has a dog. It is very black.", "It is very black.").outcome is not Outcome.SAME


def test_too_long_is_only_equal_to_itself() -> None:
    text = "word " * 600 + "5"
    assert compare(text, text.upper().lower() + ".").outcome is Outcome.SAME
    assert compare(text, text[:-1] + "6").reason is Reason.TOO_LONG


def test_signatures_do_not_depend_on_the_process() -> None:
    code = "from reverie.text.guard import analyse as f; a = f('Ana runs Grafana on port 80'); print(a.signature)"
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(runs) == 1


def _rows(name: str) -> list[dict[str, str]]:
    root = Path(os.environ.get("REVERIE_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
    path = root / name
    if not path.exists():
        pytest.skip(f"no {name}: set REVERIE_SHARED_DATA")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_no_wrong_merge_on_agent_notes() -> None:
    rows = _rows("agent-memory/guard_pairs_derived.jsonl")
    outcomes = [(row["label"], compare(row["a"], row["b"]).outcome) for row in rows]
    assert not [o for label, o in outcomes if label == "DISTINCT" and o is Outcome.SAME]
    same = [o is Outcome.SAME for label, o in outcomes if label == "SAME"]
    assert sum(same) / len(same) > 0.97


def test_no_wrong_merge_on_swapped_words() -> None:
    for row in _rows("breaking-nli/pairs.jsonl"):
        if row["label"] != "entailment":
            assert compare(row["a"], row["b"]).outcome is not Outcome.SAME, (row["a"], row["b"])
