"""Every pair of texts with one signature but two facts, over many seeds of the generators: wrong merges, without a store.

Usage: python bench/wrong_merges.py GENERATOR.py [GENERATOR.py ...] [--n 10000] [--seeds 7 8 9]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from merge_quality import generator
from reverie.text.guard import Outcome, analyse, compare


def main() -> int:
    args = argparse.ArgumentParser()
    args.add_argument("generators", nargs="+")
    args.add_argument("--n", type=int, default=10_000)
    args.add_argument("--seeds", type=int, nargs="*", default=[7, 8, 9])
    a = args.parse_args()
    wrong = 0
    for name in a.generators:
        if not Path(name).is_file():
            print(f"skipped: {name} is not there")
            continue
        for seed in a.seeds:
            by_signature: dict[bytes, dict[int, str]] = defaultdict(dict)
            for r in generator(Path(name)).records(a.n, seed):
                by_signature[analyse(r["text"]).signature].setdefault(r["fact"], r["text"])
            for facts in by_signature.values():
                texts = list(facts.values())
                for x, y in pairwise(texts):
                    if compare(x, y).outcome is Outcome.SAME:
                        wrong += 1
                        print(f"{Path(name).stem} {seed}: {x!r} | {y!r}")
    print(f"{wrong} wrong merges over {len(a.generators)} generators and {len(a.seeds)} seeds of {a.n} records")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
