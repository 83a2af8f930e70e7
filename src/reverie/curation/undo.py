"""Taking back what was done, newest first: an entry, a run, or all since a time. What newer edits touched is listed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reverie.clock import Clock, Ids, as_utc
from reverie.curation.applying import Numbering
from reverie.curation.restatements import split
from reverie.curation.signals import CARRIED, settle
from reverie.errors import NotFound
from reverie.model import Entry, Memory, Origin, Relation, RunRecord, State
from reverie.store import crashpoints
from reverie.store.codec import plain, unplain
from reverie.store.port import AbstractReads, ScopeStore
from reverie.store.records import Pair
from reverie.store.verbs import Tx
from reverie.text.normalise import norm_hash
from reverie.transitions import Edge

SLICE = 100


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry that was not taken back, and why."""

    entry: int
    move: str
    ids: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did. ``conflicts`` lists what it refused to touch."""

    id: str
    entries: tuple[Entry, ...]
    conflicts: tuple[Kept, ...]

    def __len__(self) -> int:
        return len(self.entries)


def resolve(reads: AbstractReads, target: str | int | datetime) -> tuple[list[Entry], list[str]]:
    """The entries that a run's id, an entry's number or a time means, and the runs whose stamps go with them.

    Raises NotFound.
    """
    if isinstance(target, bool) or not isinstance(target, (str, int, datetime)):
        raise NotFound(f"a run's id, an entry's number or a time can be undone, not {type(target).__name__}")
    if isinstance(target, str):
        if not (target.isascii() and target.isprintable()) or not reads.runs(ids=[target]):
            raise NotFound(f"there is no run {target!r} in this namespace")
        return reads.entries(run=target, limit=None), [target]
    if isinstance(target, datetime):
        entries = [e for e in reads.entries(since=as_utc(target), limit=None) if e.undoes is None]
        return entries, list(dict.fromkeys(e.run for e in entries))
    one = reads.entry(target) if 0 < target < 2**62 else None
    if one is None:
        raise NotFound(f"there is no journal entry {target}")
    return [one], []


class Undoer:
    """Undoes entries of one scope."""

    def __init__(self, store: ScopeStore, clock: Clock, ids: Ids, actor: Origin) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._actor = actor

    def undo(self, entries: Sequence[Entry], *, runs: Sequence[str] = ()) -> Undone:
        """Take these entries back, newest first, and the stamps of these runs.

        A merge that is undone is remembered: the curator does not propose the pair again.
        """
        standing = (e for e in entries if e.status == "applied" and e.undone_by is None)
        # Signals last: what an act has told goes the way of the act itself.
        wanted = sorted(standing, key=lambda e: (e.move == "Signal", -e.n))
        at = self._clock.now()
        run = RunRecord(self._ids.new(), "undo", self._actor.principal, at, None, "running", {}, {})
        self._store.transact(lambda tx: tx.start_run(run))
        journal = Numbering(run.id)
        done: list[Entry] = []
        kept: list[Kept] = []
        stays: set[tuple[str, str]] = set()  # (run, memory) of acts that were kept
        for start in range(0, len(wanted), SLICE):
            part = wanted[start : start + SLICE]
            first = journal.index

            before = frozenset(stays)

            def work(
                tx: Tx, part: Sequence[Entry] = part, first: int = first, before: Set[tuple[str, str]] = before
            ) -> list[Entry | Kept]:
                journal.index = first
                found: list[Entry | Kept] = []
                mine = set(before)  # a transaction that is run again begins anew
                for e in part:
                    found.append(self._one(tx, e, journal, mine))
                    mine |= _kept(e, found[-1])
                return found

            for e, got in zip(part, self._store.transact(work), strict=True):
                stays |= _kept(e, got)
                if isinstance(got, Kept):
                    kept.append(got)
                else:
                    done.append(got)
        status = "done" if not kept else "conflicts"
        final = dataclasses.replace(
            run, finished_at=self._clock.now(), status=status, counts={"undone": len(done), "conflicts": len(kept)}
        )

        def finish(tx: Tx) -> None:
            for id_ in runs:
                tx.unstamp(id_)
            tx.finish_run(final)

        self._store.transact(finish)
        crashpoints.hit("undo.after_finish")
        return Undone(run.id, tuple(done), tuple(kept))

    def _one(self, tx: Tx, entry: Entry, journal: Numbering, stays: Set[tuple[str, str]]) -> Entry | Kept:
        if entry.move == "Erase" or entry.detail.get("emptied"):
            named = tuple(entry.detail.get("ids", ()))
            refused = "an erasure cannot be taken back" if entry.move == "Erase" else "what it says was erased"
            return Kept(entry.n, entry.move, named, refused)
        again = entry.undoes is not None and not entry.detail.get("again", False)  # an undo is undone: it is done again
        if entry.move == "Signal":
            why = settle(tx, entry, stays, again=again)
            if why:
                return Kept(entry.n, entry.move, tuple(entry.detail["ids"]), why)
        ids = list(dict.fromkeys((*entry.after, *entry.added)))
        rows = tx.rows([*ids, *([entry.detail["created"]] if "created" in entry.detail else [])])
        bump = entry.detail.get("bump")
        later = tx.later_settings([i for i in entry.after if i != bump], entry.n)
        if later:
            return Kept(entry.n, entry.move, tuple(sorted(later)), f"changed since by entry {max(later.values())}")
        item = entry.detail.get("item")
        same = tx.find_live(norm_hash(item["text"]), item["kind"]) if item else None
        if same is not None:
            return Kept(entry.n, entry.move, (same.id,), "its wording is a memory of its own by now")
        restored: dict[str, dict[str, Any]] = {}
        for id_ in ids:
            row = rows.get(id_)
            if row is None or row.state is State.ERASED:
                return Kept(entry.n, entry.move, (id_,), "the memory was erased")
            restored[id_] = self._restored(row, entry, bump=id_ == bump)
            taken = self._taken(tx, row, restored[id_])
            if taken:
                return Kept(entry.n, entry.move, (id_,), taken)
        at = self._clock.now()
        blank = Entry(
            n=0, run=journal.run, index=journal.next(), step="undo", move=entry.move, reason=f"undo of entry {entry.n}",
            evidence={}, before={}, after={}, added={}, detail={"ids": list(entry.detail.get("ids", ids))},
            status="applied", at=at, hash=b"", previous=b"", undoes=entry.n,
        )  # fmt: skip
        before: dict[str, Mapping[str, Any]] = {}
        after: dict[str, Mapping[str, Any]] = {}
        added: dict[str, Mapping[str, int]] = {}
        created = rows.get(entry.detail.get("created", ""))
        if created is not None and created.state is State.LIVE:
            # First: an undone revision frees the text or key that the older row needs.
            gone = {"state": State.ARCHIVED, "archived_at": at}
            before[created.id] = {k: plain(getattr(created, k)) for k in gone}
            after[created.id] = {k: plain(v) for k, v in gone.items()}
            tx.change(created, gone, {})
        for id_ in ids:
            row, given = rows[id_], restored[id_]
            less = {k: -n for k, n in entry.added.get(id_, {}).items()}
            back = given.get("state") is State.LIVE and row.state is not State.LIVE
            tx.change(row, given, less, recheck=back)  # what comes back is compared again: its pairs were forgotten
            if back:
                tx.waits(at)
            before[id_] = {k: plain(getattr(row, k)) for k in given}
            after[id_] = {k: plain(v) for k, v in given.items()}
            if less:
                added[id_] = less
        drawn = []
        for source, relation, target, removed in entry.detail.get("edges", ()):
            edge = Edge(source, Relation(relation), target, remove=not removed)
            if tx.edge(edge, at, {"run": entry.run}):
                drawn.append([source, relation, target, edge.remove])
        extra = self._particular(tx, entry, created, at)
        crashpoints.hit("undo.after_rows")
        detail = dict(blank.detail) | extra | {"edges": drawn} | ({"bump": bump} if bump else {})
        detail |= {"again": True} if again else {}
        detail |= {"relation": relation} if (relation := _relation(entry)) else {}
        written = tx.add_entry(
            dataclasses.replace(blank, before=before, after=after, added=added, detail=detail), counted=False
        )
        tx.mark_undone(entry.n, written.n)
        if entry.undoes is not None:
            self._stand(tx, entry.undoes)
        return written

    def _stand(self, tx: Tx, n: int) -> None:
        """Undoing an undo: the entry that it took back stands again; where that was an undo itself, its own does not; and so on."""
        tx.mark_undone(n, None)
        with self._store.read() as r:
            entry = r.entry(n)
            while entry is not None and entry.undoes is not None:
                undone = r.entry(entry.undoes)
                tx.mark_undone(entry.undoes, entry.n)
                if undone is None or undone.undoes is None:
                    return
                tx.mark_undone(undone.undoes, None)
                entry = r.entry(undone.undoes)

    def _particular(self, tx: Tx, entry: Entry, created: Memory | None, at: datetime) -> dict[str, Any]:
        """What the inverse of some moves needs besides columns: a ruling that is remembered, a row split off."""
        self._apart(tx, entry, at)
        if entry.move == "Signal":
            return {k: entry.detail[k] for k in CARRIED if k in entry.detail}
        if entry.move == "Sight" and created is not None:  # the restatement stands again: its sighting goes back
            tx.move_sighting(created.id, entry.detail["ids"][0], None, created.text)
        if "item" not in entry.detail:
            return {}
        new = split(tx, entry, self._ids)
        tx.waits(at)
        pair = [m.norm_hash for m in tx.rows([new, entry.detail["ids"][0]]).values()]
        tx.keep_apart([(pair[0], pair[-1])], f"restatement {entry.n} was undone", at)
        return {"created": new}

    @staticmethod
    def _apart(tx: Tx, entry: Entry, at: datetime) -> None:
        """Remember of a merge, a supersession, a doubt or a clash that is taken back that the two are never compared again, and
        no longer where it is done again; of a person's "both hold" the other way round."""
        ids = list(entry.detail.get("ids", ()))
        if entry.move == "Quarantine" and entry.evidence.get("trusted"):
            ids.append(entry.evidence["trusted"])
        an_edge = entry.move in ("Connect", "Disconnect")
        if len(ids) != 2 or not (entry.move in ("MergeInto", "Supersede", "Quarantine") or an_edge):
            return
        if an_edge and _relation(entry) != Relation.CONTRADICTS.value:
            return
        rows = list(tx.rows(ids).values())
        if len(rows) != 2:
            return
        pair = (rows[0].norm_hash, rows[1].norm_hash)
        low, high = sorted(ids)
        again = entry.undoes is not None and not entry.detail.get("again", False)
        if again == (entry.move == "Disconnect"):
            tx.keep_apart([pair], f"{entry.move} {entry.n} was undone", at)
            tx.drop_pairs([(low, high)])
        else:
            tx.forget_apart([pair])
        if an_edge and again == (entry.move == "Connect"):
            tx.note_pairs(
                [Pair(low, high, 0.0, "reconcile", "it was under review before", "review", at, "contradicts")]
            )

    @staticmethod
    def _taken(tx: Tx, row: Memory, given: Mapping[str, Any]) -> str | None:
        """Why the row cannot come back to live, or None."""
        if given.get("state") is not State.LIVE or row.state is State.LIVE:
            return None
        same = tx.find_live(row.norm_hash, given.get("kind", row.kind))
        if same is not None:
            return f"the same text is live as {same.id}"
        holder = tx.find_key(row.key) if row.key else None
        return f"its key is held by {holder.id}" if holder else None

    @staticmethod
    def _restored(row: Memory, entry: Entry, *, bump: bool) -> dict[str, Any]:
        """The columns to give back. A survivor that gathered more since keeps what it gathered."""
        given = {}
        for column, value in entry.before.get(row.id, {}).items():
            if bump and plain(getattr(row, column)) != entry.after[row.id][column]:
                continue
            given[column] = unplain(column, value)
        return given


def _kept(entry: Entry, got: Entry | Kept) -> set[tuple[str, str]]:
    return {(entry.run, id_) for id_ in entry.detail["ids"]} if isinstance(got, Kept) else set()


def _relation(entry: Entry) -> str | None:
    """The relation of a `Connect` or `Disconnect`, or of its undo, whether or not it found an edge to draw or take away."""
    told = entry.detail.get("move", {}).get("relation") or entry.detail.get("relation")
    return str(told) if told else None
