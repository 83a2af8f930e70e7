"""Mark what was not recalled for 30 days as stale, unless verified [S1]. Hides nothing: it is recalled as before."""

from __future__ import annotations

from datetime import timedelta

from reverie.curation.plan import Proposal, StepPlan
from reverie.curation.step import AsksNothing, Rules, Verdicts
from reverie.curation.view import View
from reverie.model import Confidence
from reverie.transitions import MarkStale


class Stale(AsksNothing):
    name = "stale"

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        s = rules.settings
        before = rules.now - timedelta(days=float(s.stale_days))
        found, total = view.fading(before, int(s.stale_cap))
        spared = view.undone(self.name, [m.id for m in found])
        proposals = tuple(
            Proposal(MarkStale(m.id), "not recalled for long", {m.id: m.revision})
            for m in sorted(found, key=lambda m: m.id)
            if m.id not in spared and m.confidence is Confidence.DEFAULT
        )
        return StepPlan(self.name, proposals, left_over=total - len(found), counts={"stale_marked": len(proposals)})
