"""Knowledge updates and contradictions of BEAM through the whole system: is the older still recalled, is the newer?

Usage: python bench/updates.py DATA [--embedder onnx]
Each pair is written into a namespace of its own, the older turn first, and curated: with rules alone, and with a judge that knows
that the two contradict. Turns say several things, so that an older one is superseded only where it says nothing else.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path

import reverie
from reverie.clock import FixedClock
from reverie.embed import default_embedder
from reverie.judge.questions import Verdict
from reverie.testing import ScriptedJudge


def main() -> int:
    args = argparse.ArgumentParser()
    args.add_argument("data")
    args.add_argument("--embedder", default="onnx")
    a = args.parse_args()
    path = Path(a.data) / "beam" / "update_and_contradiction_pairs.jsonl"
    if not path.is_file():
        print(f"skipped: {path} is not there")
        return 0
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    embedder = default_embedder(a.embedder)
    for how, judge in (("rules", None), ("a judge that knows", ScriptedJudge(lambda q: Verdict.CONTRADICTS))):
        found: dict[str, Counter[str]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for n, pair in enumerate(pairs):
                found.setdefault(pair["kind"], Counter())[one(f"{folder}/beam.db", f"n{n}", pair, judge, embedder)] += 1
        for kind, counts in sorted(found.items()):
            total = counts.total()
            print(
                f"{kind}, {how}: {total} pairs; "
                + ", ".join(f"{k} {v} ({v / total:.0%})" for k, v in counts.most_common())
            )
    return 0


def one(path: str, namespace: str, pair: dict, judge: ScriptedJudge | None, embedder: object) -> str:
    clock = FixedClock()
    with reverie.open(path, namespace, clock=clock, judge=judge, embedder=embedder) as mem:
        older = mem.remember(" ".join(t["text"] for t in pair["older"])).id
        clock.advance(days=1)
        newer = mem.remember(" ".join(t["text"] for t in pair["newer"])).id
        mem.curate()
        hits = {h.memory.id for h in mem.recall(pair["question"], 5)}
        state = mem.get(older).state
        if state == "superseded":
            return (
                "superseded, newer alone recalled"
                if newer in hits and older not in hits
                else "superseded, recall wrong"
            )
        return "left to a person" if mem.review() else "not found"


if __name__ == "__main__":
    raise SystemExit(main())
