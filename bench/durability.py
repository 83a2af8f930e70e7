"""Durability in figures: kills, crash points and simulated power cuts, with what was acknowledged and what was lost.

Usage: python bench/durability.py [--kills 1000] [--points 2000] [--seed 1]
The tests in tests/durability make the same trials in smaller numbers and fail at the first loss.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "durability"))

from checks import canonical
from powercut import MODELS
from powercut_run import cuts, record
from program import Client, build, rest
from trials import Trial, at_once, kill_at_point, kill_at_random, seeds
from warm import Warm

from reverie.store import crashpoints


def line(what: str, found: Iterable[Trial], seconds: float) -> str:
    """One row of the table of kills."""
    trials = list(found)
    lost = sum(" lost: " in w for t in trials for w in t.wrong)
    other = sum(" lost: " not in w for t in trials for w in t.wrong)
    acknowledged = sum(t.acknowledged for t in trials)
    return f"| {what} | {len(trials):,} | {acknowledged:,} | {lost:,} | {other:,} | {seconds:.0f} s |"


def kills(n: int, chance: random.Random) -> None:
    """Random kills, every crash point at every time that it is reached, and the control."""
    print("| kill -9 | trials | acknowledged | lost | other broken promises | time |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as made, Warm() as warm:
        folder = Path(made)
        Client(str(folder / "whole.db"), build(), lambda said: None).run()
        rest(str(folder / "whole.db"))
        expected = canonical(str(folder / "whole.db"))
        start = time.monotonic()
        found = at_once(lambda s: kill_at_random(warm, folder / f"r{s}", s, expected), seeds(chance, n))
        print(line("at random points", found, time.monotonic() - start), flush=True)
        child = warm.start("count_points", path=str(folder / "count.db"))
        reached = {name: int(times) for name, times in (said.split(" ") for said in child)}
        child.end()
        points = [f"{name}:{i}" for name in crashpoints.ALL for i in range(1, reached[name] + 1)]
        start = time.monotonic()
        found = at_once(lambda p: kill_at_point(warm, folder / p.replace(":", "-"), p, expected), points)
        late = sum(t.status == 0 for t in found)
        what = f"at all {len(crashpoints.ALL)} crash points, each time ({late} not reached again)"
        print(line(what, found, time.monotonic() - start), flush=True)
        start = time.monotonic()
        found = at_once(
            lambda s: kill_at_random(warm, folder / f"c{s}", s, None, "hasty"), seeds(chance, max(16, n // 10))
        )
        print(line("control: acknowledged before the commit", found, time.monotonic() - start), flush=True)


def power_cuts(n: int, chance: random.Random) -> None:
    """A table by setting and by what the disk keeps of unsynced writes."""
    print(
        "\n| synchronous | kept of unsynced | points | acknowledged | points that lose | worst loss | unsound | time |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for synchronous in ("full", "normal", "off"):
            events = record(folder / synchronous, synchronous)
            for model in MODELS:
                start = time.monotonic()
                found = cuts(events, n, model, chance, folder / "images")
                kept = {"drop": "nothing", "subset": "a random half", "torn": "random sectors"}[model]
                print(
                    f"| {synchronous} | {kept} | {len(found):,} "
                    f"| {sum(c.acknowledged for c in found):,} | {sum(c.lost > 0 for c in found):,} "
                    f"| {max(c.lost for c in found):,} "
                    f"| {sum(bool(c.problems) for c in found):,} | {time.monotonic() - start:.0f} s |",
                    flush=True,
                )


def main() -> None:
    """Print both tables."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--kills", type=int, default=1_000)
    given.add_argument("--points", type=int, default=2_000)
    given.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    args = given.parse_args()
    print(f"seed {args.seed}\n")
    chance = random.Random(args.seed)
    kills(args.kills, chance)
    power_cuts(args.points, chance)


if __name__ == "__main__":
    main()
