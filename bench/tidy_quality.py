"""What tidy makes of a generated store, with rules alone and with a perfect judge: contradictions, facts, restatements, cost.

Usage: python bench/tidy_quality.py GENERATOR.py... [-n 10000] [--seed 7] [--embedder onnx] [--judge none|perfect|both]
A generator yields {id, text, fact, kind, near}; two records state one fact if and only if ``fact`` is equal, and a record of
kind "contradiction" replaces the value of the fact ``near``. Kinds that deny a fact ("negation", "neg") contradict it as well.
A memory is wrongly superseded where the one in its place states neither its fact nor one that replaces or denies it; a fact is
lost where no live memory states it, and none that replaces or denies it has taken its place.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import reverie
from merge_quality import generator
from reverie.judge.questions import Relate, Verdict
from reverie.testing import ScriptedJudge

REPLACES = ("contradiction", "change", "update")
DENIES = ("negation", "neg")
PER_PAIR, PER_PROMPT = (
    45,
    350,
)  # tokens of a pair in a prompt of 25, and of the prompt itself: measured on ModelJudge's prompts


def main() -> int:
    args = argparse.ArgumentParser()
    args.add_argument("generators", nargs="+")
    args.add_argument("-n", type=int, default=10_000)
    args.add_argument("--seed", type=int, default=7)
    args.add_argument("--embedder", default=None)
    args.add_argument("--judge", default="both", choices=("none", "perfect", "both"))
    args.add_argument("--passes", type=int, default=400)
    args.add_argument("--show", type=int, default=8)
    a = args.parse_args()
    for name in a.generators:
        path = Path(name)
        if not path.is_file():
            print(f"skipped: {path} is not there")
            continue
        records = list(generator(path).records(a.n, a.seed))
        for judge in ("none", "perfect") if a.judge == "both" else (a.judge,):
            measure(path.stem, records, judge, a)
    return 0


def measure(name: str, records: list[dict], how: str, a: argparse.Namespace) -> None:
    fact = {r["text"]: r["fact"] for r in records}
    against = {(r["near"], r["fact"]) for r in records if r["kind"] in REPLACES + DENIES and r.get("near") is not None}

    def script(question):
        if not isinstance(question, Relate):
            return None
        x, y = fact[question.a.text], fact[question.b.text]
        if x == y:
            return Verdict.SAME
        return Verdict.CONTRADICTS if (x, y) in against or (y, x) in against else Verdict.UNRELATED

    judge = ScriptedJudge(script) if how == "perfect" else None
    with tempfile.TemporaryDirectory() as folder:
        mem = reverie.open(Path(folder) / "tidy.db", embedder=a.embedder, judge=judge)
        t0 = time.process_time()
        got = mem.remember_many([{"text": r["text"]} for r in records])
        t1 = time.process_time()
        runs = []
        while len(runs) < a.passes:
            runs.append(mem.apply(mem.plan(), approved=True))
            if not runs[-1].entries and not runs[-1].counts["judge_questions"]:
                break
        t2 = time.process_time()
        rows = {m.id: m for m in mem.memories(state=None)}
        review = mem.review(1_000_000)
        mem.close()
    superseded = [m for m in rows.values() if m.state == "superseded"]
    wrong = [m for m in superseded if (fact[m.text], fact[rows[m.superseded_by].text]) not in against]
    gone = {fact[m.text] for m in superseded} - {fact[m.text] for m in wrong}
    live = Counter(fact[m.text] for m in rows.values() if m.state == "live")
    lost = set(fact.values()) - set(live) - gone
    flagged = {frozenset(fact[m.text] for m in i.memories) for i in review if i.what == "pair"}
    for kinds, word in ((REPLACES, "contradictions"), (DENIES, "denials")):
        pairs = {(r["near"], r["fact"]) for r in records if r["kind"] in kinds and r.get("near") is not None}
        if pairs:
            done = {p for p in pairs if p[0] in gone}
            seen = {p for p in pairs - done if frozenset(p) in flagged}
            print(
                f"{name} {how}: {word} {len(pairs)}, superseded {len(done)} ({len(done) / len(pairs):.1%}), "
                f"left to a person {len(seen)} ({len(seen) / len(pairs):.1%})"
            )
    stated: dict[int, set[str]] = defaultdict(set)
    restated = total = 0
    for r, g in zip(records, got, strict=True):
        if g.error is None and r["fact"] in stated:
            total += 1
        stated[r["fact"]].add(g.id)
    extra = sum(n - 1 for n in live.values())
    restated = total - extra
    asked = sum(r.counts["judge_questions"] for r in runs)
    tokens = asked * PER_PAIR + (asked + 24) // 25 * PER_PROMPT
    print(
        f"{name} {how}: wrongly superseded {len(wrong)}, facts lost {len(lost)}, restatements {total}, collapsed "
        f"{restated / max(1, total):.1%}, in review {len(review)}, passes {len(runs)}, questions {asked} "
        f"(about {1000 * tokens / len(records):,.0f} tokens per 1,000 rows), cpu write {t1 - t0:.1f} s, tidy {t2 - t1:.1f} s"
    )
    for m in wrong[: a.show]:
        print(f"  wrong: {m.text}  ->  {rows[m.superseded_by].text}")


if __name__ == "__main__":
    raise SystemExit(main())
