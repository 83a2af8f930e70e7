"""The only writer of curation: it applies moves in short transactions, checks each again, and journals all of them.

A move is skipped, and the skip journaled, where a row changed since the plan read it, where the move is not legal from
the row's state, or where policy refuses. Nothing is forced, and nothing is silent.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from reverie.clock import Clock, Ids
from reverie.curation.leasing import Leasehold
from reverie.curation.pace import Pace
from reverie.curation.plan import Plan, Proposal, StepPlan
from reverie.embedding import Embedding
from reverie.errors import Conflict, PolicyRefusal, ReverieError, StoreError
from reverie.model import Channel, Entry, Memory, Origin, RunRecord, Sighting, State
from reverie.policy import BLAST_WINDOW, allowance, derived_trust, refusal
from reverie.settings import Settings
from reverie.states import LEAVES_WITHOUT_SURVIVOR, legal
from reverie.store import crashpoints
from reverie.store.codec import plain
from reverie.store.port import ScopeStore
from reverie.store.records import Parked
from reverie.store.verbs import Tx
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures
from reverie.transitions import Derive, Effect, MergeInto, Move, Signal, Supersede

T = TypeVar("T")
STAMP_ROWS = 2000  # rows that one transaction stamps: writers wait for no longer than this takes


@dataclass(frozen=True, slots=True)
class Run:
    """What a run did. ``counts`` holds every figure, zeros too; ``entries`` the journal lines of applied moves."""

    id: str
    cycle: str
    status: str
    counts: Mapping[str, int]
    entries: tuple[Entry, ...]
    skipped: tuple[Entry, ...] = ()
    parked: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(slots=True)
class Numbering:
    """Numbers the entries of one run."""

    run: str
    index: int = 0

    def next(self) -> int:
        self.index += 1
        return self.index - 1


class Executor:
    """Applies plans to one scope."""

    def __init__(
        self, store: ScopeStore, settings: Settings, clock: Clock, ids: Ids, embedding: Embedding, actor: Origin,
        lease: Leasehold | None = None, stop: Callable[[], bool] = bool, pause: Callable[[float], object] | None = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._settings = settings
        self._clock = clock
        self._ids = ids
        self._embedding = embedding
        self._actor = actor
        self._lease = lease
        self._stop = stop
        self._pause = pause

    def _write(self, work: Callable[[Tx], T]) -> T:
        """A transaction, refused where the lease under which this curator works has ended."""
        lease = self._lease
        if lease is None:
            return self._store.transact(work)

        def guarded(tx: Tx) -> T:
            lease.guard(tx)
            return work(tx)

        return self._store.transact(guarded)

    def apply(self, plan: Plan, *, approved: bool = False) -> Run:
        """Do exactly what the plan says.

        Args:
            plan: of this store's scope.
            approved: a person has read it; the blast caps do not hold it back. Policy still does.

        Where ``stop`` says so, it leaves after the transaction in hand: the run ends as "stopped", and what it did not come
        to waits for the next one.

        Raises:
            Refused: the plan is of another scope. LeaseLost: another curator took over; nothing more was written.
            StoreError: the store failed; what was journaled until then stands.
        """
        if plan.scope != self._store.scope:
            raise PolicyRefusal(f"the plan is of {plan.scope.tenant}/{plan.scope.namespace}, not of this scope")
        started = self._clock.now()
        record = RunRecord(
            self._ids.new(), plan.cycle, self._actor.principal, started, None, "running", {}, dict(plan.errors),
            tuple(s.step for s in plan.steps),
        )  # fmt: skip
        self._write(lambda tx: tx.start_run(record))
        journal = Numbering(record.id)
        done: list[Entry] = []
        skipped: list[Entry] = []
        parked: list[str] = []
        errors = dict(plan.errors)
        counts: Counter[str] = Counter(dict.fromkeys(("skipped", "parked", "embedded", "embed_failed", "curated"), 0))
        counts.update(plan.counts)
        retired = 0
        begun: list[str] = []
        for step in plan.steps:
            if self._stop():
                break
            begun.append(step.step)
            try:
                held = None if approved else self._held_back(step, retired)
                if held is not None:
                    parked.append(self._park(step, plan, record.id, held))
                    counts["parked"] += 1
                    continue
                applied, left = self._step(step, journal, approved=approved)
                done += applied
                skipped += left
                retired += sum(e.move in LEAVES_WITHOUT_SURVIVOR for e in applied)
                if step.embed:
                    counts.update(self._embed(step))
            except StoreError:
                raise
            except ReverieError as error:
                errors[step.step] = f"{type(error).__name__}: {error}"
        stopped = self._stop()
        counts["skipped"] = len(skipped)
        for name in {p.move.name for p in plan.proposals}:
            counts[name] = sum(e.move == name for e in done)
        counts["curated"] = 0 if stopped else self._stamp(plan, record.id, skipped, errors)
        status = "failed" if errors else "stopped" if stopped else "parked" if parked else "done"
        final = dataclasses.replace(
            record, finished_at=self._clock.now(), status=status, counts=dict(sorted(counts.items())), errors=errors
        )
        crashpoints.hit("executor.before_finish")

        def finish(tx: Tx) -> None:
            tx.finish_run(final)
            passed = begun[:-1] if stopped else begun
            outcomes = {s: errors.get(s) for s in passed}
            if not stopped:
                outcomes["cycle"] = "; ".join(f"{s}: {why}" for s, why in errors.items()) or None
            tx.note_steps(plan.cycle, outcomes, self._clock.now())
            if plan.cycle == "tidy" and not (errors or skipped or stopped):
                tx.caught_up(plan.made_at)
            if any(s.step == "log" for s in plan.steps):
                left_over = {s.step: s.left_over for s in plan.steps if s.left_over}
                tx.add_activity(
                    self._clock.now(), "curation_cycle", record.id, {**final.counts, "left_over": left_over}
                )

        self._write(finish)
        crashpoints.hit("executor.after_finish")
        return Run(record.id, plan.cycle, status, final.counts, tuple(done), tuple(skipped), tuple(parked), errors)

    # the caps
    def _held_back(self, step: StepPlan, retired: int) -> str | None:
        """Why the step's plan must wait for a person, or None."""
        if not step.capped:
            return None
        with self._store.read() as r:
            live = r.count()[State.LIVE.value] + retired
            month = r.departed(self._clock.now() - BLAST_WINDOW) - retired
        allowed = allowance(live, month, self._settings)
        if step.capped + retired > allowed.run:
            return f"it would retire {step.capped} of {live} live memories in one run; the cap is {allowed.run}"
        if step.capped + retired > allowed.month:
            return f"{month} left in 30 days, and it would retire {step.capped} more; {allowed.month} may go"
        return None

    def _park(self, step: StepPlan, plan: Plan, run: str, why: str) -> str:
        """The id under which the step's plan waits: the same plan is parked once."""
        one = dataclasses.replace(plan, steps=(step,))
        parked = Parked(self._ids.new(), run, step.step, why, self._clock.now(), "waiting", one.to_dict())
        return self._write(lambda tx: tx.park(parked, step.digest()))

    # moves
    def _step(self, step: StepPlan, journal: Numbering, *, approved: bool) -> tuple[list[Entry], list[Entry]]:
        done: list[Entry] = []
        skipped: list[Entry] = []
        pace = Pace(self._store, int(self._settings.slice_rows), self._pause)
        start = 0
        while start < len(step.proposals) and not self._stop():
            crashpoints.hit("executor.before_slice")
            part = step.proposals[start : start + pace.size()]
            start += len(part)
            first = journal.index

            def work(tx: Tx, part: Sequence[Proposal] = part, first: int = first) -> list[Entry]:
                journal.index = first  # a transaction that is run again numbers its entries again
                return [apply_move(tx, p, step.step, journal, self._clock, self._actor) for p in part]

            for entry in pace.run(self._write, len(part), work):
                (done if entry.status == "applied" else skipped).append(entry)
            crashpoints.hit("executor.after_slice")
        return done, skipped

    def _embed(self, step: StepPlan) -> dict[str, int]:
        """Vectors for what lacks one: the model is called with no transaction open."""
        texts = {h: text for _, h, text in step.embed}
        found = dict(zip(texts, self._embedding.documents(list(texts.values())), strict=True))
        pairs = [(h, v.tobytes()) for h, v in found.items() if v is not None]
        ready = [i for i, h, _ in step.embed if found[h] is not None]
        crashpoints.hit("embed.before_store")
        model = self._embedding.model_id
        pace = Pace(self._store, len(pairs), self._pause)
        start = 0
        while model and start < len(pairs):
            part = pairs[start : start + pace.size()]
            start += len(part)
            given = {h for h, _ in part}
            of = [i for i, h, _ in step.embed if h in given]

            def work(tx: Tx, part: list[tuple[bytes, bytes]] = part, of: list[str] = of, model: str = model) -> int:
                return tx.put_vectors(model, len(part[0][1]) // 4, part, of)

            pace.run(self._write, len(part), work)
        crashpoints.hit("embed.after_store")
        return {"embedded": len(ready), "embed_failed": len(step.embed) - len(ready)}

    def _stamp(self, plan: Plan, run: str, skipped: Sequence[Entry], errors: Mapping[str, str]) -> int:
        """Stamp ``curated_at`` on every row that was examined, is done with, and did not change meanwhile.

        A row whose move was skipped stays in the queue, and so do all rows of a step that failed.
        """
        again = {i for e in skipped for i in e.detail.get("ids", ())}
        moved = {i for s in plan.steps for p in s.proposals for i in p.expects}
        crashpoints.hit("executor.before_stamp")
        at, n = self._clock.now(), 0
        for step in plan.steps:
            if step.step in errors:
                continue
            waiting = [(i, r) for i, r in step.examined if i not in again]
            pace = Pace(self._store, STAMP_ROWS, self._pause)
            start = 0
            while start < len(waiting):
                part = waiting[start : start + pace.size()]
                start += len(part)

                def work(tx: Tx, part: Sequence[tuple[str, int]] = part) -> int:
                    # Rows that this run itself moved are at a later revision than the one that was read.
                    now = {i: m.revision for i, m in tx.rows(i for i, _ in part if i in moved).items()}
                    return tx.stamp(run, [(i, now.get(i, r)) for i, r in part], at)

                n += pace.run(self._write, len(part), work)
        crashpoints.hit("executor.after_stamp")
        return n


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
        status="applied", at=now, hash=b"", previous=b"",
    )  # fmt: skip
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
        tx.add_signal(move.id, move.type, move.source, now)
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
