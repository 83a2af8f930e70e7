"""The only writer of curation: it applies moves in short transactions, checks each again, and journals all of them.

A move is skipped, and the skip journaled, where a row changed since the plan read it, where the move is not legal from
the row's state, or where policy refuses. Nothing is forced, and nothing is silent.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeVar

from reverie.clock import Clock, Ids
from reverie.curation.activity import activity_counts
from reverie.curation.applying import Numbering, apply_move
from reverie.curation.leasing import Leasehold
from reverie.curation.pace import Pace, Tell, untold
from reverie.curation.plan import Plan, Proposal, StepPlan
from reverie.curation.projection import Projection, vertex
from reverie.embedding import Embedding
from reverie.errors import PolicyRefusal, ReverieError, StoreError
from reverie.model import Entry, Origin, RunRecord, State, Trust
from reverie.policy import BLAST_WINDOW, RETIRES, allowance
from reverie.settings import Settings
from reverie.states import LEAVES_WITHOUT_SURVIVOR
from reverie.store import crashpoints
from reverie.store.port import ScopeStore
from reverie.store.records import Pair, Parked
from reverie.store.verbs import Tx
from reverie.transitions import Supersede

T = TypeVar("T")
STAMP_ROWS = 2000  # rows that one transaction stamps: writers wait for no longer than this takes


_TOLD = {
    "merged": "MergeInto", "superseded": "Supersede", "quarantined": "Quarantine", "demoted": "Archive",
    "stale_marked": "MarkStale", "summarized": "SetGist", "reclassified": "Signal",
}  # fmt: skip


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


class Executor:
    """Applies plans to one scope."""

    def __init__(
        self, store: ScopeStore, settings: Settings, clock: Clock, ids: Ids, embedding: Embedding, actor: Origin,
        lease: Leasehold | None = None, stop: Callable[[], bool] = bool, pause: Callable[[float], object] | None = None,
        projection: Projection | None = None, tell: Tell = untold,
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
        self._projection = projection
        self._tell = tell

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
        gone = self._erased(plan)
        plan = dataclasses.replace(plan, steps=tuple(s.without(gone) for s in plan.steps)) if gone else plan
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
        counts: Counter[str] = Counter(
            dict.fromkeys(("skipped", "parked", "embedded", "embed_failed", "curated", "synced"), 0)
        )
        counts.update(plan.counts)
        retired = 0
        waiting = {s.step: s.left_over for s in plan.steps}
        held: set[str] = set()  # rows of parked moves: not done with
        begun: list[str] = []
        for step in plan.steps:
            if self._stop():
                break
            begun.append(step.step)
            self._tell("apply", step.step, len(begun) - 1, len(plan.steps), len(done))
            try:
                go, rest, why = (step, None, "") if approved else self._within_caps(step, retired)
                if rest is not None and gone:
                    go, rest = _parted(go, rest, gone)
                if rest is not None:
                    parked.append(self._park(rest, plan, record.id, why))
                    counts["parked"] += 1
                    held |= {i for p in rest.proposals for i in (*p.move.subjects(), *p.move.others())}
                applied, left = self._step(go, journal, approved=approved)
                done += applied
                skipped += left
                self._books(step, [*applied, *left], held)
                retired += sum(e.move in LEAVES_WITHOUT_SURVIVOR for e in applied)
                if step.embed:
                    counts.update(self._embed(step))
                if step.sync:
                    counts["synced"], waiting["graph_sync"] = self._sync(step.sync)
            except StoreError:
                raise
            except ReverieError as error:
                errors[step.step] = f"{type(error).__name__}: {error}"
        stopped = self._stop()
        counts["skipped"] = len(skipped)
        for name in {p.move.name for p in plan.proposals}:
            counts[name] = sum(e.move == name for e in done)
        for name, move in _TOLD.items():  # what a step meant to do is told as what was done
            if name in counts:
                counts[name] = sum(e.move == move for e in done)
        counts["curated"] = 0 if stopped else self._stamp(plan, record.id, skipped, errors, held)
        status = "failed" if errors else "stopped" if stopped else "parked" if parked else "done"
        final = dataclasses.replace(
            record, finished_at=self._clock.now(), status=status, counts=dict(sorted(counts.items())), errors=errors
        )
        crashpoints.hit("executor.before_finish")

        def finish(tx: Tx) -> None:
            tx.finish_run(final)
            passed = begun[:-1] if stopped else begun
            outcomes = {s: errors.get(s) for s in passed}
            if not stopped:  # the judge's health is kept by whoever asks it
                outcomes["cycle"] = "; ".join(f"{s}: {why}" for s, why in errors.items() if s != "judge") or None
            tx.note_steps(plan.cycle, outcomes, self._clock.now())
            if plan.cycle == "tidy" and not ({s.step for s in plan.steps} & set(errors) or skipped or stopped):
                tx.caught_up(plan.made_at)
            if any(s.step == "log" for s in plan.steps):
                left_over = {k: n for k, n in waiting.items() if n}
                told = {**final.counts, **activity_counts(final.counts), "left_over": left_over}
                tx.add_activity(self._clock.now(), "curation_cycle", record.id, told)

        self._write(finish)
        crashpoints.hit("executor.after_finish")
        return Run(record.id, plan.cycle, status, final.counts, tuple(done), tuple(skipped), tuple(parked), errors)

    def _erased(self, plan: Plan) -> set[str]:
        """What the plan speaks of and was erased since it was made: nothing of it is noted anew."""
        with self._store.read() as r:
            if not r.erasures(1):
                return set()
            named = {i for s in plan.steps for i in s.named()}
            rows = r.rows(named)
        return {i for i in named if i not in rows or rows[i].state is State.ERASED}

    # the caps
    def _within_caps(self, step: StepPlan, retired: int) -> tuple[StepPlan, StepPlan | None, str]:
        """What of a step may be done now, and what must wait for a person and why.

        A step beyond the caps waits whole, but for trusted memories that give way to trusted ones: or whoever floods a memory
        with claims would hold up its owner's own corrections.
        """
        held = self._held_back(step, retired)
        if held is None:
            return step, None, ""
        with self._store.read() as r:
            rows = r.rows({i for p in step.proposals for i in (*p.move.subjects(), *p.move.others())})
        trusted = {i for i, m in rows.items() if m.trust is Trust.TRUSTED}
        own = [p for p in step.proposals if isinstance(p.move, Supersede) and {p.move.id, p.move.by} <= trusted]
        go = dataclasses.replace(step, proposals=tuple(own))
        if own and len(own) < len(step.proposals) and self._held_back(go, retired) is None:
            return go, dataclasses.replace(step, proposals=tuple(p for p in step.proposals if p not in own)), held
        return dataclasses.replace(step, proposals=()), step, held

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
            self._tell("apply", step.step, start, len(step.proposals), len(done))
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

    def _books(self, step: StepPlan, entries: Sequence[Entry], held: Set[str]) -> None:
        """Keep what the step notes beside the memories: pairs that wait or are settled, attributes."""
        kept = held | {i for e in entries if e.status == "skipped" for i in e.detail.get("ids", ())}
        settled = [p for p in step.settled if not kept & set(p)]
        gone = [e.detail["ids"][0] for e in entries if e.status == "applied" and e.move in RETIRES]
        if settled or gone:
            self._write(lambda tx: (tx.drop_pairs(settled), tx.drop_pairs_of(gone)))
        pace = Pace(self._store, STAMP_ROWS, self._pause)
        for rows, keep in ((self._undecided(step.pairs), _note_pairs), (step.attributes, _note_attributes)):
            start = 0
            while start < len(rows):
                part = rows[start : start + pace.size()]
                start += len(part)
                pace.run(self._write, len(part), lambda tx, part=part, keep=keep: keep(tx, part))  # type: ignore[misc]
        crashpoints.hit("executor.after_books")

    def _undecided(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Those pairs that nobody has ruled apart since the plan was made."""
        with self._store.read() as r:
            rows = r.rows({i for p in pairs for i in (p.low, p.high)})
            both = [p for p in pairs if p.low in rows and p.high in rows]
            keys = [tuple(sorted((rows[p.low].norm_hash, rows[p.high].norm_hash))) for p in both]
            ruled = r.apart(keys)  # type: ignore[arg-type]
        return [p for p, key in zip(both, keys, strict=True) if key not in ruled]

    def _sync(self, most: int) -> tuple[int, int]:
        """Send changed rows to the graph: to a graph database first, if there is one, then to the store's own projection.

        How many went, and how many wait.
        """
        with self._store.read() as r:
            found, changed = r.unsynced(most)
            links = r.links_of([m.id for m, _ in found]) if self._projection else []
        now = self._clock.now()
        given = [(vertex(m, now), mod) for m, mod in found]
        if self._projection is not None and given:
            try:
                self._projection.put(self._store.scope, [v for v, _ in given], links)
            except Exception as error:
                raise ReverieError(f"the graph database did not take {len(given)} vertices: {error}") from error
        if given:
            self._write(lambda tx: tx.put_vertices(given))
        return len(given), changed - len(given)

    def _stamp(self, plan: Plan, run: str, skipped: Sequence[Entry], errors: Mapping[str, str], held: Set[str]) -> int:
        """Stamp ``curated_at`` on every row that was examined, is done with, and did not change meanwhile.

        A row whose move was skipped or is parked stays in the queue, and so do all rows where a step that examines them failed.
        """
        if any(s.examines and s.step in errors for s in plan.steps):
            return 0
        again = held | {i for e in skipped for i in e.detail.get("ids", ())}
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


def _note_pairs(tx: Tx, part: Sequence[Pair]) -> None:
    tx.note_pairs(part)


def _note_attributes(tx: Tx, part: Sequence[tuple[str, tuple[bytes, ...]]]) -> None:
    tx.note_attributes(part)


def _parted(go: StepPlan, rest: StepPlan, gone: Set[str]) -> tuple[StepPlan, StepPlan | None]:
    """Moves of erased memories do not wait for a person: they are tried, and skipped without a word of theirs."""
    lost = tuple(p for p in rest.proposals if p.named() & gone)
    kept = tuple(p for p in rest.proposals if p not in lost)
    go = dataclasses.replace(go, proposals=(*go.proposals, *lost))
    return go, dataclasses.replace(rest, proposals=kept) if kept else None
