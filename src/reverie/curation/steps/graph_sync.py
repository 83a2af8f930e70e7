"""Send memories that changed since they were last sent to the graph's projection [S1]. Changes no memory, takes no edge away."""

from __future__ import annotations

from reverie.curation.plan import StepPlan
from reverie.curation.step import AsksNothing, Rules, Verdicts
from reverie.curation.view import View


class GraphSync(AsksNothing):
    name = "graph_sync"

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        # Which rows is for the executor to see: what this very run is going to change is among them by then.
        return StepPlan(self.name, sync=int(rules.settings.sync_cap))
