"""A power cut loses no acknowledged write with ``synchronous=full``; NORMAL and OFF show that the harness can tell."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from checks import refuse, seeded
from powercut import MODELS, Event, after_cut
from powercut_run import cuts, record

POINTS = 200
POINTS_SLOW = 3_000
CONTROL_POINTS = 40
Recorded = Callable[[str], list[Event]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The workload is recorded once for each setting: a cut only replays it."""
    return cache(lambda synchronous: record(tmp_path_factory.mktemp("disk") / "store", synchronous))


@pytest.mark.parametrize("points", [POINTS, pytest.param(POINTS_SLOW, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.timeout(1200)
def test_powercut_full_loses_no_acknowledged_write(recorded: Recorded, tmp_path: Path, model: str, points: int) -> None:
    found = cuts(recorded("full"), points, model, seeded(f"powercut {model}"), tmp_path)
    print(f"full, {model}: {len(found)} points, {sum(c.acknowledged for c in found)} acknowledged")
    refuse([p for c in found for p in c.problems], "a power cut left an unsound store")
    assert not sum(c.lost for c in found), [c for c in found if c.lost][:5]


def test_powercut_normal_loses_writes_but_stays_sound(recorded: Recorded, tmp_path: Path) -> None:
    found = cuts(recorded("normal"), CONTROL_POINTS, "drop", seeded("powercut normal"), tmp_path)
    print(
        f"normal, drop: {len(found)} points, {sum(1 for c in found if c.lost)} lose, worst {max(c.lost for c in found)}"
    )
    assert any(c.lost for c in found), "NORMAL lost nothing: the harness cannot see a missing sync"
    refuse([p for c in found for p in c.problems], "NORMAL left an unsound store")


@pytest.mark.parametrize("model", ["drop", "subset"])
def test_powercut_off_loses_writes_or_the_store(recorded: Recorded, tmp_path: Path, model: str) -> None:
    found = cuts(recorded("off"), CONTROL_POINTS, model, seeded(f"powercut off {model}"), tmp_path)
    losing, corrupt = sum(1 for c in found if c.lost), sum(1 for c in found if c.problems)
    print(f"off, {model}: {len(found)} points, {losing} lose, {corrupt} corrupt")
    assert losing + corrupt > len(found) / 2, "OFF survived: the harness cannot see a missing sync"


def test_powercut_recording_has_checkpoints_and_both_ends(recorded: Recorded) -> None:
    # Were the checkpoint never recorded, the main file would never be in danger and the test would be half a test.
    events = recorded("full")
    syncs = [e.name for e in events if e.what == "sync"]
    assert syncs.count("notes.db") >= 10
    assert syncs.count("notes.db-wal") >= 100
    assert any(e.what == "unlink" and e.name == "notes.db-wal" for e in events)
    assert sum(e.what == "ack" for e in events) == 102


def test_powercut_without_a_cut_rebuilds_the_files(recorded: Recorded) -> None:
    # The replay itself: everything kept gives what SQLite saw, sectors and all.
    events = [*recorded("full")]
    image, _ = after_cut(events, len(events), "drop", random.Random(0))
    writes = [e for e in events if e.name == "notes.db" and e.what == "write"]
    last = {e.offset: e.data for e in writes}
    assert all(image["notes.db"][o : o + len(d)] == d for o, d in last.items())
