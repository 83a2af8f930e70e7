"""Pairs that a judge was asked about: what becomes of each reply, the same in every step that asks (laws 3 and 11)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reverie.curation.candidates import in_order_here, may_clash, said
from reverie.curation.plan import Proposal
from reverie.curation.step import Rules
from reverie.curation.view import View
from reverie.judge.port import Reply
from reverie.judge.questions import Related, Unanswered, Verdict
from reverie.judge.rule_covering import says_no_more
from reverie.model import Memory, Relation, Trust
from reverie.policy import refusal
from reverie.store.records import Pair
from reverie.text import guard
from reverie.transitions import Connect, MergeInto, Move, Quarantine, Supersede

ASKED_MAX = 3  # answers of no use, after which a pair goes to a person


@dataclass(slots=True)
class Outcome:
    """What a step makes of its pairs: moves to propose, pairs that wait from now on, pairs that are settled."""

    proposals: list[Proposal] = field(default_factory=list)
    waiting: list[Pair] = field(default_factory=list)
    settled: list[tuple[str, str]] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)  # rows that leave live by this plan
    raised: Counter[str] = field(default_factory=Counter)  # how often this plan changes a row before the next move
    took: dict[str, list[Memory]] = field(default_factory=dict)  # what a judge's word has merged into a survivor
    handed_on: list[tuple[Pair, Memory, Memory]] = field(default_factory=list)  # contradictions that collapse came upon

    def wait(self, pair: Pair, **change: Any) -> None:
        """Let a pair wait, with some fields changed."""
        self.waiting.append(dataclasses.replace(pair, **change))


def pair_of(a: Memory, b: Memory, similarity: float, step: str, reason: str, rules: Rules) -> Pair:
    """A pair that is new to the queue."""
    low, high = sorted((a.id, b.id))
    return Pair(low, high, round(similarity, 6), step, reason, "waiting", rules.now)


def precedence(m: Memory) -> tuple[object, ...]:
    """Sorts the survivor first: protected, then trust, then the longest text, then utility, then the older id."""
    return (not m.protected, m.trust is not Trust.TRUSTED, -len(m.text), -m.utility, m.id)


def settle(pair: Pair, a: Memory, b: Memory, reply: Reply | None, view: View, rules: Rules, out: Outcome) -> None:
    """Turn one reply into moves, or let the pair wait; ``a`` and ``b`` are its rows."""
    if a.id in out.moved or b.id in out.moved:
        return  # one of them goes by another move of this plan; the executor forgets its pairs
    if reply is None:
        out.wait(pair)
        return
    answer = reply.answer
    if isinstance(answer, Unanswered):
        _unanswered(pair, answer, out)
        return
    if not isinstance(answer, Related):
        raise TypeError(f"{type(answer).__name__} answers no question about a pair")
    judged = dataclasses.replace(pair, verdict=answer.verdict.value, model=reply.model)
    if answer.verdict is Verdict.SAME:
        _same(judged, a, b, reply, view, rules, out)
    elif answer.verdict is Verdict.CONTRADICTS and not may_clash(a, b):
        out.settled.append((pair.low, pair.high))  # small models call unrelated notes contradictions, and episodes
    elif answer.verdict is Verdict.CONTRADICTS:
        if pair.step == "reconcile":
            contradiction(judged, a, b, view, rules, out, reply=reply)
        else:
            out.handed_on.append((dataclasses.replace(pair, step="reconcile"), a, b))
    elif answer.verdict is Verdict.UNSURE:
        out.wait(judged, status="review", reason="the judge is not sure")
    else:
        out.settled.append((pair.low, pair.high))


def _unanswered(pair: Pair, answer: Unanswered, out: Outcome) -> None:
    if answer.cause.of_provider:
        out.wait(pair)
    elif pair.asked + 1 >= ASKED_MAX:
        why = f"no usable answer in {pair.asked + 1} tries: {answer.cause.value}"
        out.wait(pair, status="review", reason=why, asked=pair.asked + 1)
    else:
        out.wait(pair, asked=pair.asked + 1)


def _same(pair: Pair, a: Memory, b: Memory, reply: Reply, view: View, rules: Rules, out: Outcome) -> None:
    """A judge's SAME merges only what the guard does not block, and never a trusted memory on its word alone."""
    survivor, loser = sorted((a, b), key=precedence)
    if loser.id in out.took:
        out.wait(pair)  # it has taken another in just now: the next pass looks at the group as a whole
        return
    why = refusal(MergeInto(loser.id, survivor.id), {loser.id: loser, survivor.id: survivor})
    if why is None and loser.trust is Trust.TRUSTED and rules.settings.retire_trusted != "act":
        why = "a model's word alone does not retire a trusted memory"
    if why is None:
        members = [survivor, *view.taken_in(survivor.id), *out.took.get(survivor.id, ())]
        why = next(filter(None, (_blocked(m, members) for m in (loser, *view.taken_in(loser.id)))), None)
    if why is not None:
        out.wait(pair, status="review", reason=f"the judge says same; {why}")
        return
    evidence = {"judge": reply.model, "verdict": pair.verdict, "similarity": pair.similarity, "guard": pair.reason}
    _propose(out, MergeInto(loser.id, survivor.id), "a restatement, says the judge", (loser, survivor), evidence, reply)
    out.moved.add(loser.id)
    out.took.setdefault(survivor.id, []).append(loser)
    out.settled.append((pair.low, pair.high))


def _blocked(loser: Memory, members: Sequence[Memory]) -> str | None:
    """Complete link: the guard must not block the newcomer against any member of the group (field note 27)."""
    mine = guard.analyse(loser.text)
    for m in members:
        ruling = guard.compare(mine, guard.analyse(m.text))
        if ruling.outcome is guard.Outcome.DIFFERENT:
            return f"the guard sees another {ruling.reason.value}: {ruling.detail}"
    return None


def contradiction(
    pair: Pair, a: Memory, b: Memory, view: View, rules: Rules, out: Outcome, *, reply: Reply | None, why: str = ""
) -> None:
    """Both cannot hold: the newer takes the older's place; a provisional newcomer against a trusted one is quarantined [S2 S4].

    ``reply`` None: code itself has read an update. What policy refuses, what was said in turns, and a trusted memory on a
    model's word alone, goes to a person.
    """
    order = in_order_here(view, a, b)
    older, newer = order or sorted((a, b), key=said)
    evidence: dict[str, Any] = {"similarity": pair.similarity, "reason": pair.reason}
    evidence |= {"judge": reply.model, "verdict": pair.verdict} if reply else {"update": why}
    said_by = "says the judge" if reply else f"it says so itself: {why}"
    if order is None:
        flag(pair, older, newer, "each was said again after the other", evidence, reply, out)
        return
    if older.trust is Trust.TRUSTED and newer.trust is not Trust.TRUSTED:
        _doubt(pair, older, newer, said_by, evidence, reply, out)
        return
    obstacle = refusal(Supersede(older.id, newer.id), {older.id: older, newer.id: newer})
    if obstacle is None and _says_more(older, newer, judged=reply is not None):
        obstacle = "the older says more than what has changed"
    if obstacle is None and reply and older.trust is Trust.TRUSTED and rules.settings.retire_trusted != "act":
        obstacle = "a model's word alone does not retire a trusted memory"
    if obstacle is not None:
        flag(pair, older, newer, obstacle, evidence, reply, out)
        return
    _propose(
        out,
        Supersede(older.id, newer.id),
        f"a newer statement contradicts it, {said_by}",
        (older, newer),
        evidence,
        reply,
    )
    out.moved.add(older.id)
    out.settled.append((pair.low, pair.high))


def _says_more(older: Memory, newer: Memory, *, judged: bool) -> bool:
    """Whether superseding the older would lose what nothing else says: an update of one value retires one statement."""
    single = len(guard.analyse(older.text).clauses) == 1
    return not (judged and single) and not says_no_more(older.text, newer.text)


def _doubt(
    pair: Pair, older: Memory, newer: Memory, said_by: str, evidence: dict[str, Any], reply: Reply | None, out: Outcome
) -> None:
    """A provisional newcomer against trusted knowledge: out of recall until a person decides."""
    if refusal(Quarantine(newer.id), {newer.id: newer}) is not None:
        flag(pair, older, newer, "it contradicts trusted knowledge, and is protected", evidence, reply, out)
        return
    _draw(out, newer, older, "it contradicts trusted knowledge", evidence, reply)
    reason = f"it contradicts trusted knowledge, {said_by}"
    # The edge drawn above has raised no revision.
    _propose(out, Quarantine(newer.id), reason, (newer,), {**evidence, "trusted": older.id}, reply)
    out.moved.add(newer.id)
    out.settled.append((pair.low, pair.high))


def flag(
    pair: Pair, older: Memory, newer: Memory, why: str, evidence: dict[str, Any], reply: Reply | None, out: Outcome
) -> None:
    """Say that two memories clash and leave both as they are: a person decides."""
    _draw(out, newer, older, f"the two clash: {why}", evidence, reply)
    out.wait(pair, status="review", reason=why, verdict=Verdict.CONTRADICTS.value)


def _draw(out: Outcome, newer: Memory, older: Memory, why: str, evidence: dict[str, Any], reply: Reply | None) -> None:
    _propose(out, Connect(newer.id, Relation.CONTRADICTS, older.id), why, (newer, older), evidence, reply)


def _propose(
    out: Outcome, move: Move, reason: str, rows: Sequence[Memory], evidence: dict[str, Any], reply: Reply | None
) -> None:
    expects = {m.id: m.revision + out.raised[m.id] for m in rows}
    if isinstance(move, MergeInto):
        out.raised[move.survivor] += 1
    model, tokens = (reply.model, reply.tokens) if reply else (None, 0)
    out.proposals.append(Proposal(move, reason, expects, evidence, model, tokens))
