"""The quality of the text guard: wrong merges (which must be none) and restatements cleared, per data set.

Run: python bench/guard_quality.py [DATA_FOLDER] [--generator memories.py] [--seeds 7 8 9] [-n 10000]

Data sets that are missing are skipped, and the script says so. Every wrong merge is printed.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reverie.text.guard import Outcome, analyse, compare

Row = dict[str, Any]


def rows(path: Path) -> Iterator[Row]:
    if not path.exists():
        print(f"skipped: {path.name} is missing")
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def pairs(name: str, items: list[tuple[str, str, str, str]], verbose: bool = True) -> None:
    """Items are (group, wanted, a, b); wanted is 'same', 'apart' (SAME is an error) or 'read' (print the cleared)."""
    total: collections.Counter[tuple[str, str]] = collections.Counter()
    got: collections.Counter[tuple[str, str, str]] = collections.Counter()
    reasons: collections.Counter[tuple[str, str]] = collections.Counter()
    for group, wanted, a, b in items:
        ruling = compare(a, b)
        total[group, wanted] += 1
        got[group, wanted, ruling.outcome] += 1
        if wanted != "same":
            reasons[ruling.outcome, ruling.reason] += 1
        if ruling.outcome is Outcome.SAME and (wanted == "apart" or (wanted == "read" and verbose)):
            print(f"  {'WRONG' if wanted == 'apart' else 'read'} [{name} {group}] {ruling.reason}\n    {a}\n    {b}")
        if wanted == "same" and ruling.outcome is not Outcome.SAME and verbose and name == "guard_pairs":
            print(f"  missed [{group}] {ruling.outcome} {ruling.reason} {ruling.detail}\n    {a}\n    {b}")
    print(f"{name}:")
    for (group, wanted), count in sorted(total.items()):
        split = {outcome: got[group, wanted, outcome] for outcome in Outcome}
        print(
            f"  {group:24} {wanted:6} {count:6}  same {split[Outcome.SAME]:5}  different {split[Outcome.DIFFERENT]:5}  "
            f"unsure {split[Outcome.UNSURE]:5}"
        )
    if verbose:
        print("  reasons where not the same:", dict(reasons.most_common(12)))


def generator(path: Path, seeds: list[int], n: int) -> None:
    spec = importlib.util.spec_from_file_location("memories", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for seed in seeds:
        records = list(module.records(n, seed))
        start = time.perf_counter()
        analyses = [analyse(record["text"]) for record in records]
        took = time.perf_counter() - start
        groups: dict[bytes, list[int]] = collections.defaultdict(list)
        for i, analysis in enumerate(analyses):
            groups[analysis.signature].append(i)
        alive = set(range(len(records)))
        wrong = 0
        for members in groups.values():
            keeper = max(members, key=lambda i: (len(records[i]["text"]), -i))
            for i in members:
                if compare(analyses[keeper], analyses[i]).outcome is Outcome.SAME and i != keeper:
                    alive.discard(i)
                    if records[i]["fact"] != records[keeper]["fact"]:
                        wrong += 1
                        if wrong < 20:
                            print(
                                f"  WRONG [generator {seed}]\n    {records[keeper]['text']}\n    {records[i]['text']}"
                            )
        facts = {record["fact"] for record in records}
        kept = {records[i]["fact"] for i in alive}
        first: dict[int, str] = {}
        count: collections.Counter[str] = collections.Counter()
        done: collections.Counter[str] = collections.Counter()
        per_fact: dict[int, set[bytes]] = collections.defaultdict(set)
        for record, analysis in zip(records, analyses, strict=True):
            if record["kind"] in ("exact", "surface", "paraphrase"):
                count[record["kind"]] += 1
                done[record["kind"]] += analysis.signature in per_fact[record["fact"]]
            per_fact[record["fact"]].add(analysis.signature)
            first.setdefault(record["fact"], record["text"])
        share = ", ".join(
            f"{kind} {done[kind]}/{count[kind]} = {done[kind] / max(1, count[kind]):.1%}" for kind in sorted(count)
        )
        print(
            f"generator seed {seed}: facts {len(facts)}, lost {len(facts - kept)}, wrong {wrong}; {share}; "
            f"all {done.total() / max(1, count.total()):.1%}; {took / len(records) * 1e6:.0f} us each"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default="../shared/data")
    parser.add_argument("--generator", default="../shared/bench/memories.py")
    parser.add_argument("--seeds", type=int, nargs="+", default=[7, 8, 9])
    parser.add_argument("-n", type=int, default=10_000)
    parser.add_argument("-q", "--quiet", action="store_true")
    options = parser.parse_args()
    data = Path(options.data)
    loud = not options.quiet
    pairs(
        "guard_pairs",
        [
            (r["op"], "same" if r["label"] == "SAME" else "apart", r["a"], r["b"])
            for r in rows(data / "agent-memory/guard_pairs_derived.jsonl")
        ],
        loud,
    )
    pairs(
        "breaking-nli",
        [
            (r["category"], "same" if r["label"] == "entailment" else "apart", r["a"], r["b"])
            for r in rows(data / "breaking-nli/pairs.jsonl")
        ],
        loud,
    )
    pairs(
        "sick",
        [
            (r["label"], "same" if r["label"] == "ENTAILMENT" else "apart", r["a"], r["b"])
            for r in rows(data / "sick-nc/pairs.jsonl")
        ],
        loud,
    )
    pairs(
        "stsb",
        [
            (
                f"score {int(r['score'])}",
                "apart" if r["score"] < 3 else "read" if r["score"] < 4.5 else "same",
                r["a"],
                r["b"],
            )
            for r in rows(data / "stsb/pairs.jsonl")
        ],
        loud,
    )
    pairs(
        "beam",
        [
            (r["kind"], "apart", older["text"], newer["text"])
            for r in rows(data / "beam/update_and_contradiction_pairs.jsonl")
            for older in r["older"]
            for newer in r["newer"]
        ],
        loud,
    )
    facts = [r["text"] for r in rows(data / "agent-memory/letta_facts.jsonl")]
    seen: dict[bytes, str] = {}
    for text in facts:
        analysis = analyse(text)
        other = seen.setdefault(analysis.signature, text)
        if other != text and loud:
            print(f"  read [letta] {compare(other, text).reason}\n    {other}\n    {text}")
    if Path(options.generator).exists():
        generator(Path(options.generator), options.seeds, options.n)
    else:
        print(f"skipped: {options.generator} is missing")


if __name__ == "__main__":
    main()
