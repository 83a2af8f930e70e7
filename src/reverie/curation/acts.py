"""A caller's own verbs as journaled moves: forget, restore, pin, verify, key. Same executor, same policy, own run."""

from __future__ import annotations

from reverie.clock import Clock, Ids
from reverie.curation.applying import Numbering, apply_move
from reverie.curation.plan import Proposal
from reverie.errors import Conflict, NotFound, PolicyRefusal
from reverie.model import Channel, Entry, Memory, Origin, RunRecord, Sighting
from reverie.store.verbs import Tx
from reverie.transitions import Move, SetKey, Signal, Supersede


def act(
    tx: Tx, verb: str, moves: list[Move], reason: str, *, actor: Origin, clock: Clock, ids: Ids, person: bool = True,
    create: tuple[Memory, Sighting] | None = None,
) -> list[Entry]:  # fmt: skip
    """Make a caller's moves in this transaction, under a run of their own. ``create``: see `apply_move`.

    Raises:
        NotFound: a row is not in this scope. PolicyRefusal: the policy or the state forbids a move; nothing is written.
    """
    now = clock.now()
    deeds = [m for m in moves if not isinstance(m, Signal)] or moves  # a signal only tells of one
    run = RunRecord(ids.new(), verb, actor.principal, now, now, "done", {verb: len(deeds)}, {})
    wanted = {i for m in moves for i in (*m.subjects(), *m.others())}
    missing = wanted - set(tx.rows(wanted)) - ({create[0].id} if create else set())
    if missing:
        raise NotFound(f"there is no memory {min(missing)!r} in this namespace")
    tx.start_run(run)
    journal = Numbering(run.id)
    entries = []
    for move in moves:
        entry = apply_move(tx, Proposal(move, reason, {}), verb, journal, clock, actor, person=person,
                           create=create)  # fmt: skip
        if entry.status != "applied":
            why = str(entry.detail["skipped"])
            raise (Conflict if "already has" in why else PolicyRefusal)(f"cannot {verb} {move.subjects()[0]}: {why}")
        entries.append(entry)
    return entries


def supersede(
    tx: Tx, old: str, new: str, *, actor: Origin, clock: Clock, ids: Ids, create: tuple[Memory, Sighting] | None = None
) -> list[Entry]:
    """Retire a row for a newer one by the same hand. Only a person's word goes over a row of higher trust."""
    return act(
        tx, "revise", [Supersede(old, new)], "a newer statement by its author", actor=actor, clock=clock, ids=ids,
        person=actor.channel is Channel.PERSON, create=create,
    )  # fmt: skip


def rekey(tx: Tx, id_: str, key: str, *, actor: Origin, clock: Clock, ids: Ids) -> list[Entry]:
    """Give a row its stable key."""
    return act(tx, "key", [SetKey(id_, key)], "written under a stable key", actor=actor, clock=clock, ids=ids)
