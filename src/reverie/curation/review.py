"""What waits for a person: parked plans, quarantined newcomers, pairs that nobody could decide; and what a person's word does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reverie.clock import Clock, Ids
from reverie.curation.acts import act
from reverie.curation.candidates import hashes, in_order, said
from reverie.curation.judged import precedence
from reverie.errors import InvalidInput, NotFound, PolicyRefusal
from reverie.judge.questions import Verdict
from reverie.model import Channel, Memory, Origin, Relation, State
from reverie.store.port import AbstractReads, ScopeStore
from reverie.store.records import Pair, Parked
from reverie.store.verbs import Tx
from reverie.transitions import Archive, Disconnect, MergeInto, Move, Release, Supersede

PAIRS_MAX = 1_000_000  # more than a person could ever read


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing that waits for a person.

    ``what``: plan, quarantine or pair. ``memories``: those concerned, the older first; of a quarantined newcomer, first what it
    contradicts. ``accept`` and ``reject`` say in words what these would do.
    """

    id: str
    what: str
    reason: str
    at: datetime
    memories: tuple[Memory, ...]
    accept: str
    reject: str
    similarity: float | None = None
    verdict: str | None = None
    model: str | None = None
    plan: Parked | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with the texts."""
        return {
            "id": self.id, "what": self.what, "reason": self.reason, "at": self.at.isoformat(),
            "memories": [
                {"id": m.id, "text": m.text, "kind": m.kind.value, "state": m.state.value, "trust": m.trust.value,
                 "stated_at": m.stated_at.isoformat(), "principal": m.origin.principal}
                for m in self.memories
            ],
            "accept": self.accept, "reject": self.reject, "similarity": self.similarity, "verdict": self.verdict,
            "model": self.model, "step": self.plan.step if self.plan else None,
        }  # fmt: skip


def items(reads: AbstractReads, limit: int) -> list[ReviewItem]:
    """What waits, oldest first; pairs of which a row has left live by now are not among them."""
    found = [_plan(p) for p in reads.parked()]
    found += [_quarantined(reads, m) for m in _doubted(reads)]
    pairs = reads.pairs_for_review(PAIRS_MAX)
    rows = reads.rows(i for p in pairs for i in (p.low, p.high))
    live = {i: m for i, m in rows.items() if m.state is State.LIVE}
    found += [_pair(reads, p, live[p.low], live[p.high]) for p in pairs if p.low in live and p.high in live]
    return sorted(found, key=lambda i: (i.at, i.id))[:limit]


def count(reads: AbstractReads) -> dict[str, int]:
    """How many of each wait."""
    pairs = sum(w.count for w in reads.pair_counts() if w.status == "review")
    return {"plan": len(reads.parked()), "quarantine": reads.count()[State.QUARANTINED.value], "pair": pairs}


def find(reads: AbstractReads, id_: str) -> ReviewItem:
    """One item. Raises NotFound."""
    for item in items(reads, PAIRS_MAX):
        if item.id == id_:
            return item
    raise NotFound(f"nothing under {id_!r} waits for a person; see: review")


def _doubted(reads: AbstractReads) -> list[Memory]:
    after, found = 0, []
    while page := reads.page(states=[State.QUARANTINED], after=after, limit=500):
        found += [m for _, m in page]
        after = page[-1][0]
    return found


def _plan(p: Parked) -> ReviewItem:
    n = sum(len(s["proposals"]) for s in p.plan["steps"])
    return ReviewItem(
        p.id, "plan", f"{p.step}: {p.reason}", p.at, (), f"make its {n} moves", "turn the plan down", plan=p
    )  # fmt: skip


def _quarantined(reads: AbstractReads, m: Memory) -> ReviewItem:
    against = tuple(o for o in _contradicted(reads, m.id).values() if o.state is State.LIVE)
    last = next((e for e in reversed(reads.entries(memory=m.id)) if e.move == "Quarantine"), None)
    takes = f", and it takes the place of {len(against)} that it contradicts" if against else ""
    return ReviewItem(
        m.id, "quarantine", last.reason if last else "quarantined", last.at if last else m.written_at, (*against, m),
        f"believe it: it is live again{takes}", "archive it", model=last.model if last else None,
    )  # fmt: skip


def _contradicted(reads: AbstractReads, id_: str) -> dict[str, Memory]:
    drawn = reads.links(id_)
    return reads.rows(k.target for k in drawn if k.source == id_ and k.relation is Relation.CONTRADICTS)


def _pair(reads: AbstractReads, p: Pair, a: Memory, b: Memory) -> ReviewItem:
    older, newer = _order(reads, a, b)
    if p.verdict == Verdict.CONTRADICTS.value:
        accept, reject = "the newer takes the place of the older", "both hold: they are never compared again"
    else:
        survivor, loser = sorted((a, b), key=precedence)
        accept = f"they are the same: {loser.id} goes into {survivor.id}"
        reject = "not duplicates: they are never compared again"
    return ReviewItem(
        p.id, "pair", p.reason, p.at, (older, newer), accept, reject, p.similarity, p.verdict, p.model
    )  # fmt: skip


def _order(reads: AbstractReads, a: Memory, b: Memory) -> tuple[Memory, Memory]:
    older, newer = in_order(reads, a, b) or sorted((a, b), key=said)
    return older, newer


class Reviewer:
    """Carries out a person's word on one item of one scope. Raises PolicyRefusal for anyone but a person."""

    def __init__(self, store: ScopeStore, clock: Clock, ids: Ids, actor: Origin) -> None:
        if actor.channel is not Channel.PERSON:
            raise PolicyRefusal("what waits for review is a person's to decide: open the memory with channel='person'")
        self._store = store
        self._clock = clock
        self._ids = ids
        self._actor = actor

    def accept(self, item: ReviewItem, verdict: Verdict | None) -> None:
        """Do what ``item.accept`` says, or what another verdict on a pair means. Raises InvalidInput, PolicyRefusal."""
        if item.what == "quarantine":
            newcomer = item.memories[-1]
            moves: list[Move] = [Release(newcomer.id)]
            moves += [Supersede(m.id, newcomer.id) for m in item.memories[:-1]]
            self._act("accept", moves, "a person believes it")
            return
        older, newer = item.memories
        said_ = verdict or Verdict(item.verdict or Verdict.SAME)
        if said_ is Verdict.UNSURE:
            said_ = Verdict.SAME
        if said_ is Verdict.UNRELATED:
            self.reject(item)
        elif said_ is Verdict.CONTRADICTS:
            self._act("accept", [Supersede(older.id, newer.id)], "a person says that they contradict", item)
        else:
            survivor, loser = sorted((older, newer), key=precedence)
            self._act("accept", [MergeInto(loser.id, survivor.id)], "a person says that they are the same", item)

    def reject(self, item: ReviewItem) -> None:
        """Do what ``item.reject`` says."""
        if item.what == "quarantine":
            self._act("reject", [Archive(item.memories[-1].id)], "a person does not believe it")
            return
        a, b = item.memories
        # Also where no edge is drawn: so the decision stands in the journal, and can be taken back.
        moves: list[Move] = [Disconnect(b.id, Relation.CONTRADICTS, a.id)]
        self._act("reject", moves, "a person says that both hold", item, apart=True)

    def _act(
        self, verb: str, moves: Sequence[Move], reason: str, item: ReviewItem | None = None, *, apart: bool = False
    ) -> None:
        def work(tx: Tx) -> None:
            act(tx, verb, list(moves), reason, actor=self._actor, clock=self._clock, ids=self._ids)
            if item is not None:
                a, b = item.memories
                low, high = sorted((a.id, b.id))
                tx.drop_pairs([(low, high)])
                if apart:
                    tx.keep_apart([hashes(a, b)], reason, self._clock.now())

        self._store.transact(work)


def verdict_of(given: object) -> Verdict | None:
    """A verdict by its word. Raises InvalidInput."""
    if given is None or isinstance(given, Verdict):
        return given
    allowed = (Verdict.SAME, Verdict.CONTRADICTS, Verdict.UNRELATED)
    for v in allowed:
        if given == v.value:
            return v
    raise InvalidInput(f"a verdict is {', '.join(v.value for v in allowed)}, not {given!r}")
