"""One cycle over one scope: the steps in order over one snapshot, each isolated, and the plan that comes of it."""

from __future__ import annotations

from collections.abc import Sequence

from reverie.clock import Clock
from reverie.curation.plan import Plan, StepPlan
from reverie.curation.step import Rules, Step, Verdicts
from reverie.curation.view import View
from reverie.embedding import Embedding
from reverie.errors import InvalidInput, StoreError
from reverie.settings import Settings
from reverie.store.port import ScopeStore
from reverie.vectors.index import NamespaceIndex


class Runner:
    """Plans cycles for one scope. It writes nothing."""

    def __init__(
        self, store: ScopeStore, index: NamespaceIndex, embedding: Embedding, settings: Settings, clock: Clock
    ) -> None:
        self._store = store
        self._index = index
        self._embedding = embedding
        self._settings = settings
        self._clock = clock

    def plan(self, cycle: str = "tidy", steps: Sequence[Step] | None = None) -> Plan:
        """What the cycle would do now.

        A step that fails is recorded with its reason and the next one still plans [S1]; a failure of the store ends it.

        Raises:
            InvalidInput: no such cycle. StoreError: the store failed.
        """
        if steps is None:
            from reverie.curation.steps import CYCLES

            if not isinstance(cycle, str) or cycle not in CYCLES:
                raise InvalidInput(f"there is no cycle {cycle!r}; there is {', '.join(CYCLES)}")
            steps = CYCLES[cycle]
        now = self._clock.now()
        rules = Rules(self._settings, now)
        plans: list[StepPlan] = []
        with self._store.read() as reads:
            # Inside the snapshot, so that no row is in the index that the snapshot lacks for good.
            self._index.refresh()
            view = View(reads, self._index, self._embedding.model_id, now)
            for step in steps:
                try:
                    planned = step.plan(view, rules, Verdicts())
                    view.project(planned)
                except StoreError:
                    raise
                except Exception as error:  # noqa: BLE001 - isolation: whatever it is, it is recorded and health shows it
                    planned = StepPlan(step.name, error=f"{type(error).__name__}: {error}")
                plans.append(planned)
        return Plan(self._store.scope, cycle, now, tuple(plans))
