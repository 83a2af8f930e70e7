"""One cycle over one scope: the steps in order, each isolated, and the plan that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from reverie.clock import Clock
from reverie.curation.asking import FIGURES, Asker
from reverie.curation.pace import Tell, untold
from reverie.curation.plan import Plan, StepPlan
from reverie.curation.step import Rules, Step, Verdicts
from reverie.curation.view import Laid, View
from reverie.embedding import Embedding
from reverie.errors import InvalidInput, StoreError
from reverie.judge.port import Reply
from reverie.judge.questions import Question
from reverie.settings import Settings
from reverie.store.port import ScopeStore
from reverie.vectors.index import NamespaceIndex

PART = 100  # questions between two looks whether to stop: four prompts, which may be in hand at one time


class Runner:
    """Plans cycles for one scope. It changes no memory; asking a judge leaves verdicts, spend and a run of its own.

    ``judged``: a judge is set up for this store, whether or not this run may ask it. ``floor``: see `Rules`.
    """

    def __init__(
        self, store: ScopeStore, index: NamespaceIndex, embedding: Embedding, settings: Settings, clock: Clock, *,
        floor: float, judged: bool = False,
    ) -> None:  # fmt: skip
        self._store = store
        self._index = index
        self._embedding = embedding
        self._settings = settings
        self._clock = clock
        self._floor = floor
        self._judged = judged

    def plan(
        self, cycle: str = "tidy", steps: Sequence[Step] | None = None, *, asker: Asker | None = None,
        stop: Callable[[], bool] = bool, tell: Tell = untold,
    ) -> Plan:  # fmt: skip
        """What the cycle would do now. ``stop``: leave after the step in hand; what was planned until then is the plan.

        A step that fails is recorded with its reason and the next one still plans [S1]; a failure of the store ends it. The
        steps share one snapshot until the judge is asked: no transaction is open while it answers (law 9), and the steps
        after that see a new one.

        Raises:
            InvalidInput: no such cycle. StoreError: the store failed.
        """
        if steps is None:
            from reverie.curation.steps import CYCLES

            if not isinstance(cycle, str) or cycle not in CYCLES:
                raise InvalidInput(f"there is no cycle {cycle!r}; there is {', '.join(CYCLES)}")
            steps = CYCLES[cycle]
        now, laid = self._clock.now(), Laid()
        rules = Rules(self._settings, now, self._floor, self._judged)
        plans: list[StepPlan] = []
        waiting = list(steps)
        open_questions: list[Question] = []
        asked: set[str] = set()  # steps that have had their one turn with the judge
        replies: dict[Question, Reply] = {}
        while waiting and not stop():
            if asker is not None and open_questions:
                replies |= self._asked(asker, open_questions, waiting[0].name, stop, tell)
                open_questions = []
            with self._view(laid, now) as view:
                while waiting and not open_questions and not stop():
                    tell("plan", waiting[0].name, len(steps) - len(waiting), len(steps), 0)
                    once = None if waiting[0].name in asked else asker
                    open_questions = self._one(waiting[0], view, rules, once, replies, plans)
                    asked.add(waiting[0].name)
                    if not open_questions:
                        waiting.pop(0)
        if asker is not None:
            asker.finish()
        counts = asker.counts if asker else dict.fromkeys(FIGURES, 0)
        return Plan(self._store.scope, cycle, now, tuple(plans), counts, asker.trouble if asker else None)

    @staticmethod
    def _asked(
        asker: Asker, questions: list[Question], step: str, stop: Callable[[], bool], tell: Tell
    ) -> dict[Question, Reply]:
        """Replies, asked for in parts where somebody may want to stop in between; what was not asked is not answered."""
        found: dict[Question, Reply] = {}
        size = len(questions) if stop is bool else PART
        for start in range(0, len(questions), size):
            tell("ask", step, start, len(questions), 0)
            if stop():
                break
            found |= asker.ask(questions[start : start + size])
        return found

    @contextmanager
    def _view(self, laid: Laid, now: object) -> Iterator[View]:
        with self._store.read() as reads:
            # Inside the snapshot, so that no row is in the index that the snapshot lacks for good.
            self._index.refresh()
            yield View(reads, self._index, self._embedding.model_id, now, laid)  # type: ignore[arg-type]

    @staticmethod
    def _one(
        step: Step, view: View, rules: Rules, asker: Asker | None, replies: dict[Question, Reply],
        plans: list[StepPlan],
    ) -> list[Question]:  # fmt: skip
        """Plan one step, or give the questions that must be answered first."""
        try:
            if asker is not None:
                asked = list(dict.fromkeys(step.ask(view, rules)))
                unknown = [q for q in asked if q not in replies]
                if unknown:
                    replies |= asker.remembered(view.reads, unknown)
                    unknown = [q for q in unknown if q not in replies]
                if unknown:
                    return unknown
            planned = step.plan(view, rules, Verdicts(replies))
            view.project(planned)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - isolation: whatever it is, it is recorded and health shows it
            examines = bool(getattr(step, "examines", False))
            planned = StepPlan(step.name, error=f"{type(error).__name__}: {error}", examines=examines)
        plans.append(planned)
        return []
