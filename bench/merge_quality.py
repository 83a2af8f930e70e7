"""Facts lost and restatements collapsed by writing and curating a generated store, with no model but the embedder.

Usage: python bench/merge_quality.py GENERATOR.py [N] [--seed 7] [--embedder onnx] [--store FILE]
The generator is a file with ``records(n, seed)`` that yields {id, text, fact, kind}; two records state one fact if and
only if ``fact`` is equal. A fact is lost when no memory's text that is live, or was superseded by a newer one, states it.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import reverie


def generator(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    args = argparse.ArgumentParser()
    args.add_argument("generator")
    args.add_argument("n", nargs="?", type=int, default=10_000)
    args.add_argument("--seed", type=int, default=7)
    args.add_argument("--embedder", default=None)
    args.add_argument("--store", default=None)
    args.add_argument("--show", type=int, default=10, help="how many losses and missed restatements to print")
    a = args.parse_args()
    path = Path(a.generator)
    if not path.is_file():
        print(f"skipped: {path} is not there")
        return 0
    records = list(generator(path).records(a.n, a.seed))
    with tempfile.TemporaryDirectory() as tmp:
        mem = reverie.open(a.store or Path(tmp) / "merge.db", embedder=a.embedder)
        t0, c0 = time.perf_counter(), time.process_time()
        got = mem.remember_many([{"text": r["text"]} for r in records])
        t1, c1 = time.perf_counter(), time.process_time()
        run = mem.curate()
        t2, c2 = time.perf_counter(), time.process_time()
        again = mem.curate()
        c3 = time.process_time()
        rows = {m.id: m for m in mem.memories(state=None)}
        stated: dict[str, int] = {}  # the fact that a row's own text states: of the record that made the row
        for r, g in zip(records, got, strict=True):
            if g.error is not None:
                raise g.error
            if rows[g.id].text == r["text"]:
                stated.setdefault(g.id, r["fact"])

        def end(id_: str) -> str:
            while rows[id_].merged_into:
                id_ = rows[id_].merged_into
            return id_

        live = [m for m in rows.values() if m.state == "live"]
        kept = {stated[m.id] for m in live}
        facts = {r["fact"] for r in records}
        replaced = {stated[m.id] for m in rows.values() if m.state == "superseded"} - kept
        lost = (
            facts - kept - replaced
        )  # what a newer statement took the place of is not lost by merging: see tidy_quality.py
        final = [end(g.id) for g in got]
        first: dict[int, str] = {}
        for r, e in zip(records, final, strict=True):
            first.setdefault(r["fact"], e)
        done, total = Counter(), Counter()
        missed = defaultdict(list)
        for r, e in zip(records, final, strict=True):
            if r["kind"] in ("exact", "surface", "paraphrase"):
                total[r["kind"]] += 1
                done[r["kind"]] += e == first[r["fact"]]
                if e != first[r["fact"]]:
                    missed[r["kind"]].append((r["text"], rows[first[r["fact"]]].text))
        redundant = len(records) - len(facts)
        print(f"{len(records)} records, {len(facts)} facts, {redundant} redundant")
        print(f"facts lost: {len(lost)}; superseded by a statement that says so: {len(replaced)}")
        by_end = defaultdict(list)
        for r, e in zip(records, final, strict=True):
            by_end[e].append(r)
        wrong = [(e, rs) for e, rs in by_end.items() if len({r["fact"] for r in rs}) > 1]
        print(f"rows holding more than one fact: {len(wrong)}")
        for _e, rs in wrong[: a.show]:
            print("   ", [r["text"] for r in {r["fact"]: r for r in rs}.values()])
        print(f"redundant records collapsed: {1 - (len(live) - len(kept)) / redundant:.3f}")
        for kind in ("exact", "surface", "paraphrase"):
            if total[kind]:
                print(f"  {kind:<10} {done[kind]}/{total[kind]} = {done[kind] / total[kind]:.3f}")
        for text, other in missed["paraphrase"][: a.show]:
            print("    missed:", text, "|", other)
        for kind in ("exact", "surface"):
            for text, other in missed[kind][:5]:
                print(f"    MISSED {kind}:", text, "|", other)
        print(f"restated at write: {sum(g.restated for g in got)}; merged by curation: {run.counts['MergeInto']}")
        print(f"second pass: {len(again.entries)} changes, {again.counts['curated']} rows examined")
        print(
            f"writing {t1 - t0:.1f} s wall, {c1 - c0:.1f} s cpu; first pass {t2 - t1:.1f} s wall, {c2 - c1:.1f} s cpu; "
            f"second {c3 - c2:.2f} s cpu; peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
        )
        print({k: v for k, v in run.counts.items() if v})
        mem.close()
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
