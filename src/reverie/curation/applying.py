"""The one place where curation changes a row: one move applied, or why not, and its journal entry either way."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from reverie.clock import Clock
from reverie.curation.plan import Proposal
from reverie.curation.signals import give
from reverie.erasure.emptying import emptied
from reverie.errors import Conflict
from reverie.model import Channel, Entry, Memory, Origin, Sighting, State
from reverie.policy import derived_trust, refusal
from reverie.states import LEAVES_WITHOUT_SURVIVOR, legal
from reverie.store import crashpoints
from reverie.store.codec import plain
from reverie.store.verbs import Tx
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures
from reverie.transitions import Derive, Effect, MergeInto, Move, Signal, Supersede


@dataclass(slots=True)
class Numbering:
    """Numbers the entries of one run."""

    run: str
    index: int = 0

    def next(self) -> int:
        self.index += 1
        return self.index - 1


def apply_move(
    tx: Tx, proposal: Proposal, step: str, journal: Numbering, clock: Clock, actor: Origin, *, person: bool = False,
    create: tuple[Memory, Sighting] | None = None,
) -> Entry:  # fmt: skip
    """Apply one move, or find why not; either way one journal entry. The one place where curation changes a row.

    ``create`` is a row that the move needs and that does not exist yet: the successor of a revision. It is inserted
    after the older row has given way, whose text or key it may have.
    """
    move, now = proposal.move, clock.now()
    ids = list(dict.fromkeys((*move.subjects(), *move.others())))
    rows = tx.rows(ids)
    if create is not None:
        rows[create[0].id] = create[0]
    why = _obstacle(move, rows, proposal.expects, person=person)
    blank = Entry(
        n=0, run=journal.run, index=journal.next(), step=step, move=move.name, reason=proposal.reason,
        evidence=proposal.evidence, before={}, after={}, added={}, detail={"ids": ids, "move": move.to_dict()},
        status="applied", at=now, hash=b"", previous=b"", model=proposal.model, tokens=proposal.tokens,
    )  # fmt: skip
    gone = [i for i in ids if i not in rows or rows[i].state is State.ERASED]
    if why is None and (sources := proposal.evidence.get("sources")) and (lost := tx.erased_among(sources)):
        why, gone = "a source of it was erased", sorted(lost)
    if why is not None and gone:
        # The plan is older than an erasure: what it says must not come back with it.
        without = emptied(dataclasses.replace(blank, status="skipped"))
        told = f"{gone[0]} is not in this scope" if gone[0] in ids and gone[0] not in rows else f"{gone[0]} was erased"
        return tx.add_entry(dataclasses.replace(without, detail={**without.detail, "skipped": told}), counted=False)
    if why is not None:
        entry = dataclasses.replace(blank, status="skipped", detail={**blank.detail, "skipped": why})
        return tx.add_entry(entry, counted=False)
    effects = move.effects(rows, now)
    detail = dict(blank.detail)
    try:
        for effect in effects:
            tx.change(rows[effect.id], effect.set, effect.add, recheck=_recheck(rows[effect.id], effect))
    except Conflict as error:
        entry = dataclasses.replace(blank, status="skipped", detail={**detail, "skipped": str(error)})
        return tx.add_entry(entry, counted=False)
    if create is not None:
        tx.insert(create[0], signatures(create[0].text))
        tx.sight(create[1])
        detail["created"] = create[0].id
    if isinstance(move, Derive):
        tx.insert(derived_row(move, rows, clock), signatures(move.text))
        detail["created"] = move.id
    if isinstance(move, Signal):
        detail |= give(tx, move, now)
    if isinstance(move, Derive) or any(_recheck(rows[e.id], e) for e in effects):
        tx.waits(now)
    drawn = [e for e in move.edges() if tx.edge(e, now, {"run": journal.run})]
    crashpoints.hit("executor.after_rows")
    bumped = [e.id for e in effects if e.bump]
    detail |= {"edges": [[e.source, e.relation.value, e.target, e.remove] for e in drawn]}
    detail |= {"bump": bumped[0]} if bumped else {}
    entry = dataclasses.replace(
        blank,
        before={e.id: {k: plain(getattr(rows[e.id], k)) for k in e.set} for e in effects},
        after={e.id: {k: plain(v) for k, v in e.set.items()} for e in effects},
        added={e.id: dict(e.add) for e in effects if any(e.add.values())},
        detail=detail,
    )
    entry = tx.add_entry(entry, counted=not person and move.name in LEAVES_WITHOUT_SURVIVOR)
    crashpoints.hit("executor.after_entries")
    return entry


def _obstacle(move: Move, rows: Mapping[str, Memory], expects: Mapping[str, int], *, person: bool) -> str | None:
    for id_ in (*move.subjects(), *move.others()):
        if id_ not in rows:
            return f"{id_} is not in this scope"
    gathering = set(move.others()) if isinstance(move, (MergeInto, Supersede)) else set()
    for id_, revision in expects.items():
        # A survivor that gathered in an earlier move of the same plan is still the row that was read.
        if id_ not in gathering and rows[id_].revision != revision:
            return f"{id_} has changed since it was read"
    if isinstance(move, Derive):
        from reverie.text.claims import unsupported

        invented = unsupported(move.text, [rows[s].text for s in move.sources])
        if invented:
            return f"{', '.join(invented[:5])} stand in none of the sources"
    for id_ in move.subjects():
        if not legal(move.name, rows[id_].state):
            return f"{move.name} is not legal from {rows[id_].state}"
    return refusal(move, rows, person=person)


def derived_row(move: Derive, rows: Mapping[str, Memory], clock: Clock) -> Memory:
    """The row that a `Derive` makes: flagged, of the curator, with the lowest trust of its sources (laws 4 and 11)."""
    now = clock.now()
    return Memory(
        id=move.id, kind=move.kind, text=move.text, text_hash=text_hash(move.text), norm_hash=norm_hash(move.text),
        origin=Origin("curator", Channel.CURATOR), trust=derived_trust([rows[s] for s in move.sources]),
        written_at=now, stated_at=now, strength_at=now, derived=True,
    )  # fmt: skip


def _recheck(row: Memory, effect: Effect) -> bool:
    """A row that comes back to live is looked at again."""
    return effect.set.get("state") is State.LIVE and row.state is not State.LIVE
