"""Report how the text guard treats the hard pairs.

Run:     python hard_pairs_report.py [PAIRS.jsonl] [--all]

Per category: how many DISTINCT pairs were called SAME (each is listed: these are wrong merges), how many SAME pairs
were cleared, how many were blocked (DIFFERENT), and how many of either were left UNSURE.  --all lists the SAME pairs
that were not cleared as well.  The exit status is 1 if there is any wrong merge.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

PAIRS = Path(__file__).resolve().parent.parent / "tests" / "data" / "hard_pairs.jsonl"
OUTCOMES = ("SAME", "DIFFERENT", "UNSURE")


def load(path=PAIRS):
    """The pairs of a file."""
    with Path(path).open(encoding="utf-8") as fh:
        return [json.loads(line) for line in fh if line.strip()]


def outcome(result):
    """The outcome as one of OUTCOMES, whatever the case of the enum's value."""
    name = str(getattr(result.outcome, "name", result.outcome)).upper()
    if name not in OUTCOMES:
        raise ValueError(f"unknown outcome {name}")
    return name


def judge(pairs, compare):
    """Yield (pair, outcome, reason, detail); both orders are asked, and a pair is SAME if either order says so."""
    for pair in pairs:
        there, back = compare(pair["a"], pair["b"]), compare(pair["b"], pair["a"])
        first, second = outcome(there), outcome(back)
        result = back if second == "SAME" and first != "SAME" else there
        detail = result.detail if first == second else f"asymmetric: {result.detail}"
        yield pair, outcome(result), result.reason, detail


def show(pair, reason, detail):
    """Print one pair with what the guard said."""
    print(f"  {pair['id']} [{pair['category']}/{pair['lang']}] {reason}: {detail}")
    print(f"    a: {pair['a']}\n    b: {pair['b']}")


def report(pairs, compare, everything=False):
    """Print the report; return the number of wrong merges."""
    count, wrong, missed, crooked = defaultdict(lambda: defaultdict(int)), [], [], 0
    for pair, said, reason, detail in judge(pairs, compare):
        count[pair["category"]][pair["label"], said] += 1
        crooked += str(detail).startswith("asymmetric:")
        if said == "SAME" and pair["label"] == "DISTINCT":
            wrong.append((pair, reason, detail))
        elif said != "SAME" and pair["label"] == "SAME":
            missed.append((pair, f"{said} {reason}", detail))
    print(
        f"{'category':<16}{'distinct':>9}{'wrong':>7}{'unsure':>8}{'same':>7}{'cleared':>9}{'blocked':>9}{'unsure':>8}"
    )
    total = defaultdict(int)
    for cells in count.values():
        for k, v in cells.items():
            total[k] += v
    for name, c in [*sorted(count.items()), ("TOTAL", total)]:
        d, s = (sum(c[label, o] for o in OUTCOMES) for label in ("DISTINCT", "SAME"))
        share = [f"{c['SAME', o] / s:.0%}" if s else "-" for o in OUTCOMES]
        left = f"{c['DISTINCT', 'UNSURE'] / d:.0%}" if d else "-"
        print(f"{name:<16}{d:>9}{c['DISTINCT', 'SAME']:>7}{left:>8}{s:>7}{share[0]:>9}{share[1]:>9}{share[2]:>8}")
    print(f"\nasked in the two orders with two answers: {crooked}")
    print(f"\nwrong merges (DISTINCT called SAME): {len(wrong)}")
    for row in wrong:
        show(*row)
    if everything:
        print(f"\nSAME not cleared: {len(missed)}")
        for row in missed:
            show(*row)
    return len(wrong)


def main():
    """Read the arguments, report, and fail on a wrong merge."""
    p = argparse.ArgumentParser(description="How the guard treats the hard pairs.")
    p.add_argument("pairs", nargs="?", default=PAIRS)
    p.add_argument("--all", action="store_true", help="list the SAME pairs that were not cleared, too")
    a = p.parse_args()
    from reverie.text.guard import compare

    return 1 if report(load(a.pairs), compare, a.all) else 0


if __name__ == "__main__":
    sys.exit(main())
