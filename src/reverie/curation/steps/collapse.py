"""Merge restatements that the guard clears, longest text kept, in complete-link groups. Never asks cosine to decide."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from reverie.curation.plan import LeftAlone, Proposal, StepPlan
from reverie.curation.step import Question, Rules, Verdicts
from reverie.curation.view import View
from reverie.model import Memory, Trust
from reverie.policy import refusal
from reverie.text import guard
from reverie.transitions import MergeInto

LOOKED_AT_MAX = 20_000  # near pairs that the guard is asked about for the report; the rest is counted
ABSORBERS_TRIED = 32


class Collapse:
    """Candidates come from equal guard signatures, which every clearable pair shares (docs/decisions/0005)."""

    name = "collapse"

    def ask(self, view: View, rules: Rules) -> list[Question]:
        return []

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        examined = tuple(view.uncurated())
        if not examined:
            return StepPlan(self.name, counts={"merged": 0})
        rows, sharing = _candidates(view)
        near = None
        if rules.settings.similarity == "source":  # [S2]: no pair under .95 may merge, whatever the guard says
            near = _near_set(view, float(rules.settings.merge_similarity))
        groups = list(_groups(rows, near))
        groups = _without_apart(view, groups)
        gone = {loser.id for g in groups for loser in g[1:]}
        left = {s: m for s, m in rows.items() if m.id not in gone}
        merges = _absorbed(view, left, sharing, {g[0].id: g for g in groups})
        taken = {loser.id for loser, _, _ in merges}
        merges += [(loser, g[0], "restatement") for g in groups for loser in g[1:] if loser.id not in taken]
        proposals = tuple(
            Proposal(
                MergeInto(loser.id, survivor.id),
                why,
                {loser.id: loser.revision, survivor.id: survivor.revision},
                _evidence(loser, survivor),
            )
            for loser, survivor, why in sorted(merges, key=lambda m: (m[1].id, m[0].id))
        )
        merged = {frozenset((p.move.subjects()[0], p.move.others()[0])) for p in proposals}
        losers = {p.move.subjects()[0]: p.move.others()[0] for p in proposals}
        alone, counts = _left_alone(view, rules, merged, losers)
        return StepPlan(
            self.name, proposals, examined=examined, left_alone=alone, counts={"merged": len(proposals)} | counts
        )


def precedence(m: Memory) -> tuple[object, ...]:
    """Sorts the survivor first: protected, then trust, then the longest text, then utility, then the older id."""
    return (not m.protected, m.trust is not Trust.TRUSTED, -len(m.text), -m.utility, m.id)


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


def _hashes(a: Memory, b: Memory) -> tuple[bytes, bytes]:
    return min(a.norm_hash, b.norm_hash), max(a.norm_hash, b.norm_hash)


def _without_apart(view: View, groups: list[list[Memory]]) -> list[list[Memory]]:
    """Take out of each group whoever was ruled apart from a member that stays."""
    ruled = view.apart([_hashes(a, b) for g in groups for a, b in combinations(g, 2)])
    if not ruled:
        return groups
    kept = []
    for g in groups:
        together: list[Memory] = []
        for m in g:
            if all(_hashes(m, other) not in ruled for other in together):
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
        and not view.apart([_hashes(shorter, longer)])
    )


def _evidence(loser: Memory, survivor: Memory) -> dict[str, str]:
    ruling = guard.compare(guard.analyse(loser.text), guard.analyse(survivor.text))
    return {"guard": ruling.reason.value, "detail": ruling.detail}


def _left_alone(
    view: View, rules: Rules, merged: set[frozenset[str]], losers: dict[str, str]
) -> tuple[tuple[LeftAlone, ...], dict[str, int]]:
    """Near pairs that stay two, with the guard's reason: what was compared is told, not only what was merged."""
    most = int(rules.settings.left_alone_max)
    i, j, cosine = view.near_uncurated(float(rules.settings.propose_similarity))
    counts: Counter[str] = Counter(near_pairs=len(i))
    rows = view.rows(sorted({*i[:LOOKED_AT_MAX].tolist(), *j[:LOOKED_AT_MAX].tolist()}))
    listed: list[LeftAlone] = []
    for a, b, c in zip(i[:LOOKED_AT_MAX].tolist(), j[:LOOKED_AT_MAX].tolist(), cosine.tolist(), strict=False):
        x, y = rows.get(a), rows.get(b)
        if x is None or y is None or losers.get(x.id, x.id) == losers.get(y.id, y.id):
            continue
        if x.id in losers or y.id in losers or frozenset((x.id, y.id)) in merged:
            continue
        ruling = guard.compare(guard.analyse(x.text), guard.analyse(y.text))
        if ruling.outcome is guard.Outcome.SAME:
            continue
        counts[f"kept_apart_{ruling.reason.value}"] += 1
        if len(listed) < most:
            listed.append(LeftAlone(x.id, y.id, round(c, 4), ruling.outcome.value, ruling.reason.value, ruling.detail))
    if len(i) > LOOKED_AT_MAX:
        counts["near_pairs_not_looked_at"] = len(i) - LOOKED_AT_MAX
    return tuple(listed), dict(counts)
