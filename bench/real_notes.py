"""Notes that real agents wrote, and observations of real conversations: import, dry run, curate, again, undo.

Prints every merge that was made, for reading. Usage: python bench/real_notes.py [DATA_FOLDER] [--embedder onnx]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import reverie

SETS = (("letta", "agent-memory/letta_facts.jsonl", "text"), ("locomo", "locomo-nc/observations.jsonl", "fact"))


def run(name: str, path: Path, field: str, embedder: str | None) -> bool:
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    with tempfile.TemporaryDirectory() as tmp:
        mem = reverie.open(Path(tmp) / "notes.db", embedder=embedder)
        start = time.perf_counter()
        got = mem.remember_many([{"text": r[field], "external_id": f"{name}:{i}"} for i, r in enumerate(rows)])
        took = time.perf_counter() - start
        print(
            f"\n== {name}: {len(rows)} notes, {sum(g.restated for g in got)} restated at write, "
            f"{sum(g.error is not None for g in got)} refused, {took:.1f} s"
        )
        for g, r in zip(got, rows, strict=True):
            if g.restated:
                same = "" if mem.get(g.id).text == r[field] else "   (other wording)"
                print(f"   = {r[field][:110]}{same}")
            if g.error is not None:
                print(f"   refused: {g.error}: {r[field][:90]}")
        before = list(mem.export())
        plan = mem.plan()
        texts = {m.id: m.text for m in mem.memories()}
        for p in plan.proposals:
            if p.move.name == "MergeInto":
                print(
                    f"   merge ({p.reason}, {p.evidence['guard']})\n     + {texts[p.move.survivor]}\n"
                    f"     - {texts[p.move.id]}"
                )
        done = mem.apply(plan)
        print(
            f"   planned {len(plan)} moves, made {len(done)}: {[k + ' ' + str(v) for k, v in done.counts.items() if v]}"
        )
        print(f"   near pairs left alone: {dict(Counter(a.reason for a in plan.left_alone))}")
        again = mem.curate()
        undone = mem.undo(done.id)
        equal = list(mem.export()) == before
        print(
            f"   second pass: {len(again)} changes; undo: {len(undone)} entries, {len(undone.conflicts)} conflicts, "
            f"export equal to before: {equal}; journal sound: {bool(mem.check_journal())}"
        )
        mem.close()
        return equal and not again.entries


def main() -> int:
    args = argparse.ArgumentParser()
    args.add_argument("data", nargs="?", default="../shared/data")
    args.add_argument("--embedder", default=None)
    a = args.parse_args()
    fine = True
    for name, path, field in SETS:
        if not (Path(a.data) / path).is_file():
            print(f"skipped: {path} is not there")
            continue
        fine &= run(name, Path(a.data) / path, field, a.embedder)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
