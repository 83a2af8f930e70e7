"""Of two that cannot both hold, the newer takes the older's place, or a person is asked. Never lower trust over higher."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from reverie.curation.candidates import (
    Near,
    attributes,
    disputable,
    hashes,
    in_order_here,
    near,
    overlap,
    said,
    share_attribute,
    sharing,
    still,
)
from reverie.curation.judged import Outcome, contradiction, flag, pair_of, settle
from reverie.curation.plan import StepPlan
from reverie.curation.step import Rules, Verdicts, relate
from reverie.curation.view import View
from reverie.judge.questions import Question, Related, Verdict
from reverie.judge.rules import relate as by_rule
from reverie.judge.rules import update_marker
from reverie.model import Memory
from reverie.store.records import Pair
from reverie.text import guard
from reverie.text.slots import slots

NAME = "reconcile"
Three = tuple[Pair, Memory, Memory]
Update = tuple[Pair, Memory, Memory, str]


@dataclass(frozen=True, slots=True)
class _Work:
    """What the rules alone make of the candidates."""

    updates: tuple[Update, ...]  # the newer text says itself that it replaces the older
    clashes: tuple[Three, ...]  # one value against another, and neither text says which holds
    open: tuple[Three, ...]  # the rules cannot tell
    compared: int


class Reconcile:
    """Looks at near pairs that the guard blocked, and at memories that speak of one attribute of one subject [S2]."""

    name = NAME
    examines = True

    def ask(self, view: View, rules: Rules) -> list[Question]:
        return [relate(a, b) for _, a, b in self._for_judge(view, rules)[: int(rules.settings.reconcile_cap)]]

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        work = self._work(view, rules)
        out = Outcome()
        # By the time of the newer one: so each older one goes while the one that takes its place is still live.
        for pair, older, newer, marker in work.updates:
            contradiction(pair, older, newer, view, rules, out, reply=None, why=marker)
        if rules.asks:
            for pair, a, b in sorted(self._for_judge(view, rules), key=lambda w: max(said(w[1]), said(w[2]))):
                settle(pair, a, b, verdicts.on(relate(a, b)), view, rules, out)
        else:
            for pair, a, b in work.clashes:
                if not {a.id, b.id} & out.moved:
                    order = in_order_here(view, a, b)
                    older, newer = order or sorted((a, b), key=said)
                    why = f"one value each: {pair.reason}" if order else "each was said again after the other"
                    flag(pair, older, newer, why, {"reason": pair.reason}, None, out)
            out.waiting += [p for p, a, b in work.open if not {a.id, b.id} & out.moved]
        gone = [p.move.name for p in out.proposals]
        return StepPlan(
            self.name, tuple(out.proposals), examines=True, attributes=attributes(view), pairs=tuple(out.waiting),
            settled=tuple(out.settled),
            left_over=view.still_waiting(self.name, out.waiting, out.settled) if rules.asks else 0,
            counts={
                "compared": work.compared, "superseded": gone.count("Supersede"), "quarantined": gone.count("Quarantine"),
                "flagged": sum(p.status == "review" for p in out.waiting),
            },
        )  # fmt: skip

    def _for_judge(self, view: View, rules: Rules) -> list[Three]:
        """Clashes, what the rules cannot tell, what collapse came upon, and what waits: never asked first, then nearest."""
        known: list[Three] | None = view.recalled("for judge")
        if known is None:
            work = self._work(view, rules)
            found = {(w[0].low, w[0].high): w for w in (*work.open, *work.clashes, *(view.recalled("handed on") or ()))}
            for w in view.waiting(NAME, int(rules.settings.reconcile_cap)):
                found.setdefault((w[0].low, w[0].high), w)
            order = sorted(found.values(), key=lambda w: (w[0].asked, -w[0].similarity, w[0].low, w[0].high))
            known = view.remember("for judge", order)
        return known

    def _work(self, view: View, rules: Rules) -> _Work:
        known: _Work | None = view.recalled(NAME)
        if known is None:
            known = view.remember(NAME, _look(view, rules) if view.uncurated() else _Work((), (), (), 0))
        return known


def _look(view: View, rules: Rules) -> _Work:
    pairs: dict[tuple[str, str], tuple[Memory, Memory, float, guard.Ruling | None]] = {}
    for a, b in sharing(view):
        pairs[(a.id, b.id)] = (a, b, 0.0, None)
    for p in still(view, near(view, rules).pairs):
        if _in_band(view, p, rules):
            low, high = sorted((p.a, p.b), key=lambda m: m.id)
            pairs[(low.id, high.id)] = (low, high, p.cosine, p.ruling)
    ruled = view.apart([hashes(a, b) for a, b, _, _ in pairs.values()])
    updates: list[Update] = []
    clashes: list[Three] = []
    open_: list[Three] = []
    for _, (a, b, cosine, ruling) in sorted(pairs.items(), key=lambda x: x[0]):  # row by row
        if not (disputable(a) and disputable(b) and overlap(a, b)) or hashes(a, b) in ruled:
            continue
        told: Related = by_rule(a.text, b.text)
        if told.verdict is Verdict.CONTRADICTS:
            order = in_order_here(view, a, b)
            pair = pair_of(a, b, cosine, NAME, told.reason, rules)
            marker = update_marker(order[1].text, order[0].text) if order else None
            known = view.reads.pair(pair.low, pair.high)
            if known is not None and known.status == "review":
                continue  # a person has been asked
            if order is not None and marker is not None:
                updates.append((pair, *order, marker))
            else:
                clashes.append((pair, a, b))
        elif told.verdict is Verdict.UNSURE and ruling is not None and ruling.outcome is guard.Outcome.DIFFERENT:
            open_.append((pair_of(a, b, cosine, NAME, ruling.reason.value, rules), a, b))
    decided, disputed = _decided(updates, clashes)
    return _Work(decided, (*clashes, *disputed), tuple(open_), len(pairs))


def _decided(updates: list[Update], clashes: list[Three]) -> tuple[tuple[Update, ...], tuple[Three, ...]]:
    """Updates that tell which statement they replace, and the others.

    In order of time, so that each older one goes while the one in its place is still live. Where another statement that
    contradicts the newer is live and does not say the same as the older, it is not told which of them has changed; nor is it
    where the attribute may have many values: that is a question (field notes 16, 17).
    """
    beside: dict[str, list[Memory]] = defaultdict(list)
    for _, a, b in clashes:
        beside[a.id].append(b)
        beside[b.id].append(a)
    by_newer: dict[str, list[Update]] = defaultdict(list)
    for u in sorted(updates, key=lambda u: (said(u[2]), said(u[1]))):
        by_newer[u[2].id].append(u)
    gone: set[str] = set()
    decided: list[Update] = []
    disputed: list[Three] = []
    for newer, group in by_newer.items():
        left = [u for u in group if u[1].id not in gone]
        others = [m for m in beside[newer] if m.id not in gone]
        for u in left:
            rivals = [m.text for m in (*(v[1] for v in left), *others) if m.id != u[1].id]
            alone = all(by_rule(u[1].text, t).verdict is Verdict.SAME for t in rivals)
            if alone and newer not in gone and _one_value(u[1], u[2]):
                decided.append(u)
            else:
                disputed.append(u[:3])
        gone |= {u[1].id for u in decided}
    return tuple(decided), tuple(disputed)


def _one_value(older: Memory, newer: Memory) -> bool:
    """Whether all that the older says of attributes with one value at a time is said anew by the newer."""
    told = {s.key for s in slots(older.text) if s.single and s.value}
    anew = {s.key for s in slots(newer.text) if s.single}
    denied = {s.key for s in slots(older.text) if s.single} & anew
    return bool(denied) and told <= anew


def _in_band(view: View, p: Near, rules: Rules) -> bool:
    """The bands of design section 3: from .75 up what the guard blocked; below, only where both name one subject [S2]."""
    s = rules.settings
    if s.similarity == "source":
        return float(s.contradict_similarity) <= p.cosine < float(s.merge_similarity) and share_attribute(
            view, p.a, p.b
        )
    if p.ruling.outcome is not guard.Outcome.DIFFERENT:
        return False
    return p.cosine >= float(s.contradict_similarity) or share_attribute(view, p.a, p.b)
