"""The quality of the offline judge: precision and recall of SAME and of CONTRADICTS, what it leaves open, and its speed.

Run: python bench/rule_judge.py [DATA_FOLDER] [GENERATORS...] [--show 5] [--seeds 7 8] [-n 6000]

Data sets that are missing are skipped, and the script says so. GENERATORS are files with `records(n, seed)` as in
bench/fieldbook.py. A pair is "same", "contradicts", "apart" (neither may be said) or "open" (SAME would be wrong, CONTRADICTS is
counted and shown but belongs to nobody: another value of an attribute that may or may not take several).
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reverie.judge.questions import Related, Verdict
from reverie.judge.rules import relate, update_marker
from reverie.text.slots import slots

Row = dict[str, Any]
Item = tuple[str, str, str, str]  # group, wanted, a, b
UPDATES = {"contradiction", "negation", "change", "neg"}
VALUES = {"number", "unit", "time", "date", "colour", "code"}
OPEN = {"plain", "entity", "value", "environment", "swap", "role", "order"}
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def rows(path: Path) -> list[Row]:
    if not path.exists():
        print(f"skipped: {path.name} in {path.parent.name} is missing")
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def report(name: str, items: list[Item], show: int) -> None:
    """Print the figures of one set."""
    if not items:
        return
    relate("warm", "up")
    counts: collections.Counter[tuple[str, str, Verdict]] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    shown: collections.Counter[str] = collections.Counter()
    explicit = 0
    begin = time.process_time()
    answers = [relate(a, b) for _, _, a, b in items]
    took = time.process_time() - begin
    for (group, wanted, a, b), answer in zip(items, answers, strict=True):
        counts[group, wanted, answer.verdict] += 1
        if answer.verdict is Verdict.CONTRADICTS:
            reasons[answer.reason] += 1
            explicit += answer.explicit
        if wrong(wanted, answer) and shown[f"{group} {wanted}"] < show:
            shown[f"{group} {wanted}"] += 1
            print(f"  {answer.verdict} ({answer.reason}) where {wanted} [{name} {group}]\n    {a[:300]}\n    {b[:300]}")
    print(f"{name}: {len(items)} pairs, {len(items) / took:.0f} pairs/s")
    for verdict, target in (
        (Verdict.SAME, "same"),
        (Verdict.CONTRADICTS, "contradicts"),
        (Verdict.UNRELATED, "unrelated"),
    ):
        said = sum(n for (_, wanted, v), n in counts.items() if v is verdict and (wanted != "open" or target == "same"))
        right = sum(n for (_, wanted, v), n in counts.items() if v is verdict and wanted == target)
        if target == "unrelated":  # two pairs that are not the same and do not clash are unrelated enough
            right = sum(n for (_, w, v), n in counts.items() if v is verdict and w in ("unrelated", "apart", "open"))
            said = sum(n for (_, _, v), n in counts.items() if v is verdict)
        there = sum(n for (_, wanted, _), n in counts.items() if wanted == target)
        print(
            f"  {verdict.value:12} said {said:6}  right {right:6}  precision {right / said if said else 1:7.2%}"
            f"  recall {right / there if there else 0:7.2%} of {there}"
        )
    unsure = sum(n for (_, _, v), n in counts.items() if v is Verdict.UNSURE)
    print(f"  unsure {unsure / len(items):.1%}, explicit {explicit}, reasons {dict(reasons.most_common(8))}")
    for group, wanted in sorted({(g, w) for g, w, _ in counts}):
        line = "  ".join(f"{v.value} {counts[group, wanted, v]:5}" for v in Verdict)
        print(f"    {group:28} {wanted:12} {line}")


def wrong(wanted: str, answer: Related) -> bool:
    if answer.verdict is Verdict.SAME:
        return wanted != "same"
    if answer.verdict is Verdict.CONTRADICTS:
        return wanted != "contradicts"
    return answer.verdict is Verdict.UNRELATED and wanted in ("same", "contradicts")


def sick(data: Path) -> list[Item]:
    out = []
    for r in rows(data / "sick-nc/pairs.jsonl"):
        label, score = r["label"], r["relatedness"]
        wanted = "contradicts" if label == "CONTRADICTION" else "apart"
        if label == "ENTAILMENT" and score >= 4.5:
            wanted = "same"
        elif label == "NEUTRAL" and score < 3:
            wanted = "unrelated"
        out.append((label.lower(), wanted, r["a"], r["b"]))
    return out


def breaking(data: Path) -> list[Item]:
    labels = {"contradiction": "contradicts", "entailment": "same", "neutral": "apart"}
    return [(r["category"], labels[r["label"]], r["a"], r["b"]) for r in rows(data / "breaking-nli/pairs.jsonl")]


def notes(data: Path) -> list[Item]:
    """Derived pairs of real notes: an altered integer in a note may or may not be another value of one attribute."""
    out = []
    for r in rows(data / "agent-memory/guard_pairs_derived.jsonl"):
        wanted = "same" if r["label"] == "SAME" else "contradicts" if r["op"] == "negation" else "open"
        out.append((r["op"], wanted, r["a"], r["b"]))
    return out


def turns(data: Path) -> None:
    """Older against newer turns, sentence by sentence: how often a clash or an update is found, per kind."""
    found: collections.Counter[tuple[str, str]] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    for r in rows(data / "beam/update_and_contradiction_pairs.jsonl"):
        total[r["kind"]] += 1
        best = ""
        for older in _sentences(r["older"]):
            for newer in _sentences(r["newer"]):
                answer = relate(older, newer)
                if answer.verdict in (Verdict.CONTRADICTS, Verdict.SAME):
                    best = max(best, f"{answer.verdict}{' explicit' if answer.explicit else ''}")
        found[r["kind"], best] += bool(best)
    for kind in sorted(total):
        told = {best: n for (k, best), n in found.items() if k == kind and n}
        print(f"beam {kind}: {total[kind]} pairs of turns, found {told}")


def _sentences(told: list[Row]) -> Iterator[str]:
    for turn in told:
        yield from (s for s in SENTENCE.split(turn["text"]) if s.strip())


def generator(path: Path, seeds: list[int], n: int) -> list[Item]:
    """Near misses against the fact that they miss, restatements, pairs that share a slot's key, and neighbours in the list."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out: list[Item] = []
    for seed in seeds:
        records = list(module.records(n, seed))
        told: dict[int, list[Row]] = collections.defaultdict(list)
        keyed: dict[bytes, list[Row]] = collections.defaultdict(list)
        asked: set[tuple[int, int]] = set()

        def ask(group: str, wanted: str, x: Row, y: Row, asked: set[tuple[int, int]] = asked) -> None:
            pair = (min(x["id"], y["id"]), max(x["id"], y["id"]))
            if pair not in asked:
                asked.add(pair)
                out.append((group, wanted, x["text"], y["text"]))

        for i, r in enumerate(records):
            if r["near"] is not None:
                for other in told[r["near"]][:1] + told[r["near"]][-1:]:
                    if other["fact"] != r["fact"]:
                        ask(r["kind"], kind_wanted(r, other), r, other)
            for other in told[r["fact"]][-1:]:
                ask("restated", "same", r, other)
            for key in {slot.key for slot in slots(r["text"])}:
                for other in keyed[key][-4:]:
                    same = other["fact"] == r["fact"]
                    near = r["near"] == other["fact"] or other["near"] == r["fact"]
                    miss = r if r["near"] == other["fact"] else other
                    wanted = "same" if same else kind_wanted(miss, r) if near else "open"
                    ask("restated" if same else miss["kind"] if near else "one key", wanted, r, other)
                keyed[key].append(r)
            if i and records[i - 1]["fact"] not in (r["fact"], r["near"]) and records[i - 1]["near"] != r["fact"]:
                ask("neighbours", "open", r, records[i - 1])
            told[r["fact"]].append(r)
    return out


def markers(name: str, items: list[Item]) -> None:
    """How often a text that follows another is said to be an update of it, per group: right for updates alone."""
    found: collections.Counter[str] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    for group, _, newer, older in items:
        total[group] += 1
        found[group] += update_marker(newer, older) is not None
    print(f"{name} update markers:", ", ".join(f"{g} {found[g]}/{total[g]}" for g in sorted(total) if found[g]))


def kind_wanted(miss: Row, _: Row) -> str:
    kind = miss["kind"]
    return "contradicts" if kind in UPDATES | VALUES else "open" if kind in OPEN else "apart"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default="../shared/data")
    parser.add_argument("generators", nargs="*", default=[
        "../shared/bench/memories.py", "bench/households.py", "bench/fieldbook.py", "bench/dispatches.py"])  # fmt: skip
    parser.add_argument("--seeds", type=int, nargs="+", default=[7])
    parser.add_argument("-n", type=int, default=6000)
    parser.add_argument("--show", type=int, default=0, help="examples of wrong ones per group")
    options = parser.parse_args()
    data = Path(options.data)
    report("sick", sick(data), options.show)
    report("breaking-nli", breaking(data), options.show)
    report("notes", notes(data), options.show)
    turns(data)
    for name in options.generators:
        if Path(name).exists():
            items = generator(Path(name), options.seeds, options.n)
            report(Path(name).stem, items, options.show)
            markers(Path(name).stem, items)
        else:
            print(f"skipped: {name} is missing")


if __name__ == "__main__":
    main()
