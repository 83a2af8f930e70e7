"""Merge restatements that the guard clears or a judge calls the same, longest text kept, never in chains. Cosine never decides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from reverie.curation.candidates import Near, hashes, near, still
from reverie.curation.judged import Outcome, pair_of, precedence, settle
from reverie.curation.plan import LeftAlone, Proposal, StepPlan
from reverie.curation.step import Rules, Verdicts, relate
from reverie.curation.view import View
from reverie.judge.questions import Question, Verdict
from reverie.judge.rules import relate as by_rule
from reverie.model import Memory
from reverie.policy import refusal
from reverie.store.records import Pair
from reverie.text import guard
from reverie.transitions import MergeInto

ABSORBERS_TRIED = 32


@dataclass(frozen=True, slots=True)
class _Work:
    """What the step has found out without a judge."""

    cleared: tuple[Proposal, ...]
    open: tuple[tuple[Pair, Memory, Memory], ...]  # for a judge: those never asked first, then the nearest
    left_alone: tuple[LeftAlone, ...]
    counts: dict[str, int]


class Collapse:
    """Candidates come from equal guard signatures, which every clearable pair shares (docs/decisions/0005), and from cosine."""

    name = "collapse"
    examines = True

    def ask(self, view: View, rules: Rules) -> list[Question]:
        return [relate(a, b) for _, a, b in self._work(view, rules).open[: int(rules.settings.collapse_cap)]]

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        work = self._work(view, rules)
        out = Outcome(moved={p.move.subjects()[0] for p in work.cleared})
        gone = view.by_id(p.move.subjects()[0] for p in work.cleared)
        for p in work.cleared:
            out.raised[p.move.others()[0]] += 1
            out.took.setdefault(p.move.others()[0], []).append(gone[p.move.subjects()[0]])
        for pair, a, b in work.open:
            settle(pair, a, b, verdicts.on(relate(a, b)), view, rules, out)
        view.remember("handed on", out.handed_on)
        proposals = (*work.cleared, *out.proposals)
        left = view.still_waiting(self.name, out.waiting, out.settled) if rules.asks else 0
        unseen = near(view, rules).unseen if view.model else frozenset()
        return StepPlan(
            self.name, proposals, left_over=left, examines=True, left_alone=work.left_alone, pairs=tuple(out.waiting),
            examined=tuple(e for e in view.uncurated() if e[0] not in unseen), settled=tuple(out.settled),
            counts={"merged": len(proposals), "judged_same": len(out.proposals)} | work.counts,
        )  # fmt: skip

    def _work(self, view: View, rules: Rules) -> _Work:
        known: _Work | None = view.recalled(self.name)
        if known is None:
            new = bool(view.uncurated())
            cleared = _cleared(view, rules) if new else ()
            losers = {p.move.subjects()[0]: p.move.others()[0] for p in cleared}
            pairs = still(view, near(view, rules).pairs) if new else []
            alone, counts = _left_alone(rules, pairs, losers)
            known = view.remember(self.name, _Work(cleared, _open(view, rules, pairs, losers), alone, counts))
        return known


def _open(
    view: View, rules: Rules, pairs: list[Near], losers: dict[str, str]
) -> tuple[tuple[Pair, Memory, Memory], ...]:
    """Pairs for a judge: what the guard neither clears nor blocks, new and waiting."""
    fresh = []
    for p in pairs:
        unsure = p.ruling.outcome is guard.Outcome.UNSURE and p.a.id not in losers and p.b.id not in losers
        if unsure and p.a.kind is p.b.kind and by_rule(p.a.text, p.b.text).verdict is not Verdict.UNRELATED:
            fresh.append((pair_of(p.a, p.b, p.cosine, "collapse", p.ruling.reason.value, rules), p.a, p.b))
    ruled = view.apart([hashes(a, b) for _, a, b in fresh])
    fresh = [f for f in fresh if hashes(f[1], f[2]) not in ruled and _mergeable(f[1], f[2])]
    known = {(p.low, p.high) for p, _, _ in fresh}
    # Those of earlier passes: enough to fill this one.
    cap = int(rules.settings.collapse_cap) if rules.asks else 0
    old = [w for w in view.waiting("collapse", cap) if (w[0].low, w[0].high) not in known] if cap else []
    old = [w for w in old if w[1].id not in losers and w[2].id not in losers]
    return tuple(sorted((*old, *fresh), key=lambda w: (w[0].asked, -w[0].similarity, w[0].low, w[0].high)))


def _mergeable(a: Memory, b: Memory) -> bool:
    """Whether policy would let a judge's word merge them at all."""
    survivor, loser = sorted((a, b), key=precedence)
    return refusal(MergeInto(loser.id, survivor.id), _by_id(a, b)) is None


def _cleared(view: View, rules: Rules) -> tuple[Proposal, ...]:
    """Merges that need no judge."""
    rows, sharing = _candidates(view)
    close = None
    if rules.settings.similarity == "source":  # [S2]: no pair under .95 may merge, whatever the guard says
        close = _near_set(view, float(rules.settings.merge_similarity))
    groups = _without_apart(view, list(_groups(rows, close)))
    gone = {loser.id for g in groups for loser in g[1:]}
    left = {s: m for s, m in rows.items() if m.id not in gone}
    merges = _absorbed(view, left, sharing, {g[0].id: g for g in groups})
    taken = {loser.id for loser, _, _ in merges}
    merges += [(loser, g[0], "restatement") for g in groups for loser in g[1:] if loser.id not in taken]
    return tuple(
        Proposal(
            MergeInto(loser.id, survivor.id),
            why,
            {loser.id: loser.revision, survivor.id: survivor.revision},
            _evidence(loser, survivor),
        )
        for loser, survivor, why in sorted(merges, key=lambda m: (m[1].id, m[0].id))
    )


def _candidates(view: View) -> tuple[dict[int, Memory], dict[bytes, set[int]]]:
    sharing: dict[bytes, set[int]] = defaultdict(set)
    for signature, seq in view.shared_clauses():
        sharing[signature].add(seq)
    rows = view.rows(sorted({s for group in sharing.values() for s in group}))
    return rows, sharing


def _near_set(view: View, threshold: float) -> set[tuple[int, int]]:
    i, j, _ = view.near_uncurated(threshold)
    return {(min(a, b), max(a, b)) for a, b in zip(i.tolist(), j.tolist(), strict=True)}


def _groups(rows: dict[int, Memory], near: set[tuple[int, int]] | None) -> Iterable[list[Memory]]:
    """Complete-link groups of two or more: every member is cleared against every other, so nothing chains."""
    seq_of = {m.id: s for s, m in rows.items()}
    alike: dict[tuple[object, ...], list[Memory]] = defaultdict(list)
    for m in rows.values():
        alike[(m.kind, m.valid_from, m.valid_to, guard.analyse(m.text).signature)].append(m)
    for members in alike.values():
        if len(members) < 2:
            continue
        found: list[list[Memory]] = []
        for m in sorted(members, key=precedence):
            for g in found:
                if all(_same(m, other) for other in g) and refusal(MergeInto(m.id, g[0].id), _by_id(m, g[0])) is None:
                    if near is not None and not all(_pair(seq_of, m, other) in near for other in g):
                        continue
                    g.append(m)
                    break
            else:
                found.append([m])
        yield from (g for g in found if len(g) > 1)


def _pair(seq_of: dict[str, int], a: Memory, b: Memory) -> tuple[int, int]:
    x, y = seq_of[a.id], seq_of[b.id]
    return min(x, y), max(x, y)


def _same(a: Memory, b: Memory) -> bool:
    ruling = guard.compare(guard.analyse(a.text), guard.analyse(b.text))
    return ruling.outcome is guard.Outcome.SAME and ruling.keeps == "either"


def _by_id(*rows: Memory) -> dict[str, Memory]:
    return {m.id: m for m in rows}


def _without_apart(view: View, groups: list[list[Memory]]) -> list[list[Memory]]:
    """Take out of each group whoever was ruled apart from a member that stays."""
    ruled = view.apart([hashes(a, b) for g in groups for a, b in combinations(g, 2)])
    if not ruled:
        return groups
    kept = []
    for g in groups:
        together: list[Memory] = []
        for m in g:
            if all(hashes(m, other) not in ruled for other in together):
                together.append(m)
        if len(together) > 1:
            kept.append(together)
    return kept


def _absorbed(
    view: View, rows: dict[int, Memory], sharing: dict[bytes, set[int]], groups: dict[str, list[Memory]]
) -> list[tuple[Memory, Memory, str]]:
    """Shorter texts whose every clause stands in a longer one. The longer survives, and is never itself absorbed.

    A group whose survivor is absorbed goes into the longer text whole, each member for itself: no merge is a chain.
    """
    found: list[tuple[Memory, Memory, str]] = []
    absorbed: set[str] = set()
    for _seq, m in sorted(rows.items(), key=lambda r: (-len(r[1].text), r[1].id)):
        mine = guard.analyse(m.text)
        clauses = mine.clause_signatures or (mine.signature,)
        homes = set.intersection(*(sharing.get(c, set()) for c in clauses)) if clauses else set()
        longer = sorted((rows[s] for s in homes if s in rows and len(rows[s].text) > len(m.text)), key=precedence)
        for other in longer[:ABSORBERS_TRIED]:
            if other.id in absorbed or other.id == m.id:
                continue
            together = groups.get(m.id, [m])
            if all(_fits(view, each, other) for each in together):
                found += [(each, other, "part of a longer text") for each in together]
                absorbed.add(m.id)
                break
    return found


def _fits(view: View, shorter: Memory, longer: Memory) -> bool:
    """Whether the guard, the policy and the rulings of people let the longer text take the shorter one in."""
    ruling = guard.compare(guard.analyse(shorter.text), guard.analyse(longer.text))
    return (
        ruling.outcome is guard.Outcome.SAME
        and ruling.keeps == "b"
        and refusal(MergeInto(shorter.id, longer.id), _by_id(shorter, longer)) is None
        and not view.apart([hashes(shorter, longer)])
    )


def _evidence(loser: Memory, survivor: Memory) -> dict[str, str]:
    ruling = guard.compare(guard.analyse(loser.text), guard.analyse(survivor.text))
    return {"guard": ruling.reason.value, "detail": ruling.detail}


def _left_alone(
    rules: Rules, pairs: list[Near], losers: dict[str, str]
) -> tuple[tuple[LeftAlone, ...], dict[str, int]]:
    """Near pairs that stay two, with the guard's reason: what was compared is told, not only what was merged."""
    most, threshold = int(rules.settings.left_alone_max), float(rules.settings.propose_similarity)
    told = [p for p in pairs if p.cosine >= threshold]
    counts: Counter[str] = Counter(near_pairs=len(told))
    listed: list[LeftAlone] = []
    for p in told:
        if losers.get(p.a.id, p.a.id) == losers.get(p.b.id, p.b.id) or p.a.id in losers or p.b.id in losers:
            continue
        if p.ruling.outcome is guard.Outcome.SAME:
            continue
        counts[f"kept_apart_{p.ruling.reason.value}"] += 1
        if len(listed) < most:
            told_of = (p.ruling.outcome.value, p.ruling.reason.value, p.ruling.detail)
            listed.append(LeftAlone(p.a.id, p.b.id, round(p.cosine, 4), *told_of))
    return tuple(listed), dict(counts)
