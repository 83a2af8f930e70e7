"""LoCoMo retrieval: the turn that answers a question, among its conversation's turns. Recall@10 and nDCG@10 per question.

Three ways over the same store: text alone, vectors alone, both (the default recall). Plain BM25 over the same turns is
measured beside them. Usage: python bench/locomo.py [DATA_FOLDER] [--grid]
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import reverie
from reverie.settings import load

WORD = re.compile(r"\w+")


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


class BM25:
    """Okapi BM25 (k1 1.2, b 0.75) over lower-cased words: the usual baseline."""

    def __init__(self, texts: list[str]) -> None:
        self.docs = [Counter(WORD.findall(t.lower())) for t in texts]
        self.lengths = [sum(d.values()) for d in self.docs]
        self.mean = sum(self.lengths) / max(1, len(texts))
        self.df = Counter(w for d in self.docs for w in d)

    def top(self, query: str, k: int) -> list[int]:
        n = len(self.docs)
        scores: dict[int, float] = defaultdict(float)
        for w in WORD.findall(query.lower()):
            idf = math.log(1 + (n - self.df[w] + 0.5) / (self.df[w] + 0.5))
            for i, d in enumerate(self.docs):
                if tf := d.get(w):
                    scores[i] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * self.lengths[i] / self.mean))
        return sorted(scores, key=lambda i: (-scores[i], i))[:k]


def measures(ranked: list[str], gold: set[str]) -> tuple[float, float]:
    hits = [1 if r in gold else 0 for r in ranked[:10]]
    dcg = sum(h / math.log2(i + 2) for i, h in enumerate(hits))
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(gold))))
    return sum(hits) / len(gold), dcg / ideal


def main() -> int:
    args = argparse.ArgumentParser()
    args.add_argument("data", nargs="?", default="../shared/data")
    args.add_argument("--grid", action="store_true")
    a = args.parse_args()
    folder = Path(a.data) / "locomo-nc"
    if not folder.is_dir():
        print(f"skipped: {folder} is not there")
        return 0
    turns, questions = read(folder / "turns.jsonl"), read(folder / "questions.jsonl")
    by_conv: dict[str, list[dict]] = defaultdict(list)
    for t in turns:
        by_conv[t["conv"]].append(t)
    asked = [q for q in questions if q["evidence"] and q["conv"] in by_conv]
    results: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as tmp:
        for conv, rows in by_conv.items():
            ids = {r["dia_id"] for r in rows}
            texts = [f"{r['speaker']}: {r['text']}" + (f" [{r['image_caption']}]" if r.get("image_caption") else "")
                     for r in rows]  # fmt: skip
            mem = reverie.open(Path(tmp) / "locomo.db", conv)
            got = mem.remember_many(
                [{"text": t, "kind": "episode", "external_id": r["dia_id"]} for t, r in zip(texts, rows, strict=True)]
            )
            turn_of = defaultdict(list)
            for g, r in zip(got, rows, strict=True):
                turn_of[g.id].append(r["dia_id"])
            bm25 = BM25(texts)
            ways = {"text": {"text_share": 1.0}, "vectors": {"text_share": 0.0}, "both (default)": {}}
            if a.grid:
                ways |= {f"share {s}": {"text_share": s} for s in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)}
            for q in asked:
                if q["conv"] != conv:
                    continue
                gold = {e for e in q["evidence"] if e in ids}
                if not gold:
                    continue
                results["bm25 (baseline)"].append(
                    measures([rows[i]["dia_id"] for i in bm25.top(q["question"], 10)], gold)
                )
                for name, given in ways.items():
                    mem.settings = load(given)
                    ranked = [d for h in mem.recall(q["question"], 10, log=False) for d in turn_of[h.memory.id]]
                    results[name].append(measures(ranked, gold))
            mem.close()
    print(f"{len(results['bm25 (baseline)'])} questions over {len(turns)} turns")
    print(f"{'way':<18} recall@10  nDCG@10")
    for name, rows in results.items():
        print(f"{name:<18} {sum(r for r, _ in rows) / len(rows):9.3f} {sum(n for _, n in rows) / len(rows):8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
