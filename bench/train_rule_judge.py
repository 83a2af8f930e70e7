"""Whether a small statistical model would find more contradictions than the rules: it is trained here, and none is shipped.

Run: python bench/train_rule_judge.py [DATA_FOLDER] [GENERATORS...] [-n 4000]

A logistic regression over what the guard and the slots see of a pair, trained on pairs of our own generators alone (no data set
is trained on), for the pairs that the rules leave UNSURE. The threshold is the lowest at which it is right in 99 % of the pairs of
a generator that it did not see; the figures are for that generator and for the data sets, none of which it saw.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from reverie.judge.questions import Verdict
from reverie.judge.rule_denial import content
from reverie.judge.rules import relate, update_marker
from reverie.text.guard import Reason, analyse, compare
from reverie.text.lexicon import antonyms, bag, hard
from reverie.text.slots import slots
from rule_judge import Item, breaking, generator, notes, sick

REASONS = list(Reason)
NEGATIONS = bag("not no never nobody none longer stopped")


def features(a: str, b: str) -> list[float]:
    """What the guard and the slots see of a pair; symmetric in it."""
    one, two = analyse(a), analyse(b)
    ruling = compare(one, two)
    left = [word for clause in one.clauses for word in clause.tokens]
    right = [word for clause in two.clauses for word in clause.tokens]
    ours, theirs = set(left), set(right)
    stems, others = set(content(left)), set(content(right))
    apart = (ours - theirs, theirs - ours)
    sides, modal = antonyms(), hard()
    keys = {slot.key for slot in slots(a)} & {slot.key for slot in slots(b)}
    return [
        1.0,
        len(stems & others) / max(1, len(stems | others)),
        len(ours & theirs) / max(1, len(ours | theirs)),
        abs(len(left) - len(right)) / 10,
        min(len(apart[0]), len(apart[1])) / 5,
        max(len(apart[0]), len(apart[1])) / 5,
        float(bool(NEGATIONS & apart[0]) != bool(NEGATIONS & apart[1])),
        float(any(side ^ 1 in sides.get(y, ()) for x in apart[0] for y in apart[1] for side in sides.get(x, ()))),
        float(any(modal.get(word) == "modality" for word in apart[0] | apart[1])),
        float(len(apart[0]) == 1 == len(apart[1])),
        float(one.key == two.key),
        float(bool(keys)),
        float(update_marker(a, b) is not None or update_marker(b, a) is not None),
        *(float(ruling.reason is reason) for reason in REASONS),
    ]


def undecided(items: list[Item]) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels (1: contradicts) of the pairs that the rules leave open."""
    rows, labels = [], []
    for _, wanted, a, b in items:
        if relate(a, b).verdict is Verdict.UNSURE:
            rows.append(features(a, b))
            labels.append(float(wanted == "contradicts"))
    return np.array(rows), np.array(labels)


def fit(x: np.ndarray, y: np.ndarray, steps: int = 40, ridge: float = 1.0) -> np.ndarray:
    """Weights of a logistic regression by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (p - y) + ridge * w
        hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(len(w))
        w -= np.linalg.solve(hessian, gradient)
    return w


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default="../shared/data")
    parser.add_argument("generators", nargs="*", default=[
        "../shared/bench/memories.py", "bench/households.py", "bench/fieldbook.py", "bench/dispatches.py"])  # fmt: skip
    parser.add_argument("-n", type=int, default=4000)
    options = parser.parse_args()
    data = Path(options.data)
    made = {Path(g).stem: undecided(generator(Path(g), [7], options.n)) for g in options.generators if Path(g).exists()}
    seen = {"sick": undecided(sick(data)), "breaking-nli": undecided(breaking(data)), "notes": undecided(notes(data))}
    for held in made:
        x = np.concatenate([made[name][0] for name in made if name != held])
        y = np.concatenate([made[name][1] for name in made if name != held])
        w = fit(x, y)
        scores, truth = made[held][0] @ w, made[held][1]
        order = np.argsort(-scores)
        right = np.cumsum(truth[order]) / np.arange(1, len(order) + 1)
        good = np.flatnonzero((right >= 0.99) & (np.arange(len(order)) >= 20))
        threshold = scores[order][good[-1]] if len(good) else np.inf
        print(
            f"held out {held}: {len(y)} pairs seen, threshold {threshold:.2f} ({'none at 99 %' if not len(good) else 'at 99 %'})"
        )
        for name, (xs, ys) in {held: made[held], **seen}.items():
            if not len(ys):
                continue
            for label, cut in (("that threshold", threshold), ("score over 2", 2.0)):
                said = xs @ w >= cut
                hits = ys[said].sum()
                print(
                    f"  {name:14} {label:14} open {len(ys):5} said {said.sum():5} right {hits:5.0f}  precision "
                    f"{hits / max(1, said.sum()):7.2%}  recall of {ys.sum():5.0f} left open {hits / max(1, ys.sum()):6.1%}"
                )


if __name__ == "__main__":
    main()
