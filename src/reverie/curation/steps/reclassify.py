"""Ask for another look at the kind of what was never recalled and lies 100 interactions back [S1]. Never changes the kind."""

from __future__ import annotations

from reverie.curation.plan import Proposal, StepPlan
from reverie.curation.step import AsksNothing, Rules, Verdicts
from reverie.curation.view import View
from reverie.transitions import Signal

TYPE, SOURCE = "reclassify_pending", "curator"


class Reclassify(AsksNothing):
    name = "reclassify"

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        s = rules.settings
        found, total = view.lagging(int(s.reclassify_epochs), TYPE, SOURCE, int(s.reclassify_cap))
        proposals = tuple(
            Proposal(
                Signal(m.id, TYPE, SOURCE), "never recalled, and long passed by", {m.id: m.revision}, {"epoch": m.epoch}
            )
            for m in sorted(found, key=lambda m: (m.epoch, m.id))
        )
        return StepPlan(self.name, proposals, left_over=total - len(found), counts={"reclassified": len(proposals)})
