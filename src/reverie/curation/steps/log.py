"""Write one activity record with every count of the run, zeros too [S1]. Changes no memory."""

from __future__ import annotations

from reverie.curation.plan import StepPlan
from reverie.curation.step import AsksNothing, Rules, Verdicts
from reverie.curation.view import View


class Log(AsksNothing):
    name = "log"

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        return StepPlan(self.name)  # the executor writes the record, with the counts of what was really done
