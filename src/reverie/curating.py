"""The verbs of curation: plan, apply, undo, the journal, what waits for a person. Part of the façade."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reverie.checks import flag, known_id, moment, whole
from reverie.curation.executor import Run
from reverie.curation.journal import Chain, check_chain
from reverie.curation.pace import Tell, untold
from reverie.curation.plan import Plan
from reverie.curation.undo import Undoer, Undone, resolve
from reverie.errors import InvalidInput, NotFound
from reverie.handle import Handle
from reverie.model import Entry, Memory, RunRecord
from reverie.store.records import Parked

if TYPE_CHECKING:
    from reverie.curation.review import Reviewer, ReviewItem
    from reverie.judge.questions import Verdict

LIMIT_MAX = 2**31


class Curating(Handle):
    """A handle that curates. The rest of the façade is `reverie.memory.Reverie`."""

    # curation
    def plan(self, cycle: str = "tidy", *, ask: bool = True) -> Plan:
        """What curation would do now, with a reason for each move and what it leaves alone. Changes no memory.

        ``ask``: the judge, where there is one, may be asked. What it answers is remembered, so that the same plan costs
        nothing again; what it was asked stands in the journal as a run of its own. Raises InvalidInput for an unknown cycle.
        """
        asker = self._asker() if flag(ask, "ask") else None
        return self._runner().plan(cycle, asker=asker)

    def rows_of(self, plan: Plan) -> dict[str, Memory]:
        """The memories that a plan speaks of, by id: what it moves and what it leaves alone."""
        ids = {i for p in plan.proposals for i in (*p.move.subjects(), *p.move.others())}
        ids |= {str(p.evidence["trusted"]) for p in plan.proposals if "trusted" in p.evidence}
        ids |= {i for pair in plan.left_alone for i in (pair.a, pair.b)}
        with self._scope.read() as r:
            return r.rows(ids)

    def apply(self, plan: Plan | str, *, approved: bool = False) -> Run:
        """Do exactly what a plan says; rows that changed since are skipped and told.

        ``plan`` may be the id of a parked plan, which this approves. ``approved`` lifts the blast caps: a person has
        read the plan. Raises LeaseHeld while another curator is at work in this namespace.
        """
        if isinstance(plan, str):
            return self._approve(plan)
        if not isinstance(plan, Plan):
            raise InvalidInput(f"apply takes a plan or the id of a parked one, not {type(plan).__name__}")
        with self._leasehold(beat=True) as lease:
            return self._executor(lease).apply(plan, approved=approved)

    def curate(
        self, cycle: str = "tidy", *, ask: bool = True, stop: Callable[[], bool] | None = None,
        pause: Callable[[float], object] | None = None, tell: Tell | None = None,
    ) -> Run:  # fmt: skip
        """Plan and apply, as the only curator of this namespace meanwhile. Raises LeaseHeld while there is another.

        Args:
            cycle, ask: see `plan`.
            stop: asked again and again whether to leave; then the run ends as "stopped" after the transaction in hand.
            pause: how to wait (seconds) between two transactions while others write; None: do not give way.
            tell: called with (phase, step, done, of, moves) as it goes on; phase is plan, ask or apply.
        """
        asker = self._asker() if flag(ask, "ask") else None
        with self._leasehold(beat=True) as lease:
            plan = self._runner().plan(cycle, asker=asker, stop=stop or bool, tell=tell or untold)
            return self._executor(lease, stop or bool, pause, tell or untold).apply(plan)

    def parked(self) -> list[Parked]:
        """Plans that a blast cap held back, waiting for `apply` or `reject`."""
        with self._scope.read() as r:
            return r.parked()

    def review(self, limit: int = 100) -> list[ReviewItem]:
        """What waits for a person, oldest first: parked plans, quarantined newcomers, pairs that nobody could decide."""
        from reverie.curation import review as reviewing  # late, here and below: the guard's lexicon comes with it

        self._check_open()
        whole(limit, "limit", 0, LIMIT_MAX)
        with self._scope.read() as r:
            return reviewing.items(r, limit)

    def review_item(self, id: str) -> ReviewItem:  # noqa: A002
        """One thing that waits. Raises NotFound."""
        from reverie.curation import review as reviewing

        self._check_open()
        with self._scope.read() as r:
            return reviewing.find(r, known_id(id, "review item"))

    def accept(self, id: str, verdict: Verdict | str | None = None) -> Run | None:  # noqa: A002
        """Do what the item's ``accept`` says: apply the plan, believe the newcomer, merge or supersede the pair.

        ``verdict`` on a pair (same, contradicts, unrelated) overrides what was supposed. Gives the run of a plan.

        Raises:
            NotFound: nothing of that id waits. PolicyRefusal: the caller is not a person (a plan is any caller's to approve), or a
                row is protected.
        """
        from reverie.curation import review as reviewing

        item = self.review_item(id)
        if item.plan is not None and verdict is not None:
            raise InvalidInput("a plan has no verdict: accept it as it is, or reject it")
        if item.plan is not None:
            return self._approve(item.id)
        self._reviewer().accept(item, reviewing.verdict_of(verdict))
        return None

    def reject(self, id: str) -> None:  # noqa: A002
        """Do what the item's ``reject`` says: turn the plan down, archive the newcomer, never compare the pair again.

        Raises NotFound, PolicyRefusal as `accept`.
        """
        item = self.review_item(id)
        if item.plan is None:
            self._reviewer().reject(item)
        elif not self._scope.transact(lambda tx: tx.settle_parked(item.id, "rejected")):
            raise NotFound(f"no plan {id!r} is waiting")

    def _reviewer(self) -> Reviewer:
        from reverie.curation import review as reviewing

        return reviewing.Reviewer(self._scope, self._clock, self._ids, self._origin)

    def _approve(self, id_: str) -> Run:
        waiting = {p.id: p for p in self.parked()}
        if id_ not in waiting:
            id_ = known_id(id_, "plan")
            raise NotFound(f"no plan {id_!r} is waiting")
        run = self.apply(Plan.from_dict(waiting[id_].plan), approved=True)
        self._scope.transact(lambda tx: tx.settle_parked(id_, "approved"))
        return run

    def undo(self, target: str | int | datetime) -> Undone:
        """Take back a run (its id), one entry (its number), or everything since a time, newest first.

        Whatever newer edits have touched is left and listed in ``conflicts``. Undoing an undo does the thing again.
        """
        self._check_open()
        with self._scope.read() as r:
            entries, runs = resolve(r, target)
        return Undoer(self._scope, self._clock, self._ids, self._origin).undo(entries, runs=runs)

    # the journal and the state of things
    def journal(self, *, run: str | None = None, memory: str | None = None, limit: int = 100) -> list[Entry]:
        """Journal entries: of a run or a memory in order, or else the newest first."""
        self._check_open()
        whole(limit, "limit", 0, LIMIT_MAX)
        if run is not None:
            run = known_id(run, "run")
        if memory is not None:
            memory = known_id(memory)
        with self._scope.read() as r:
            return r.entries(run=run, memory=memory, limit=limit, newest_first=run is None and memory is None)

    def runs(self, limit: int = 50) -> list[RunRecord]:
        """Runs and acts, newest first."""
        whole(limit, "limit", 0, LIMIT_MAX)
        with self._scope.read() as r:
            return r.runs(limit=limit)

    def activity(
        self, limit: int = 10, *, since: datetime | None = None, until: datetime | None = None
    ) -> list[dict[str, Any]]:
        """Activity records of curation, newest first, every count in each [S1]; of a span of time, where one is given."""
        whole(limit, "limit", 0, LIMIT_MAX)
        times = {"since": moment(since, "since"), "until": moment(until, "until")}
        with self._scope.read() as r:
            return r.activity(limit, **times)

    def check_journal(self) -> Chain:
        """Walk the hash chain; falsy, with the first bad entry, when somebody edited the journal."""
        with self._scope.read() as r:
            return check_chain(r)
