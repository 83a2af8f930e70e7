"""Archive what nobody ever needed: no access, 90 days old, importance under 0.3 [S2]. Never deletes, never a pin."""

from __future__ import annotations

from datetime import timedelta

from reverie.curation.plan import Proposal, StepPlan
from reverie.curation.step import AsksNothing, Rules, Verdicts
from reverie.curation.view import View
from reverie.transitions import Archive


class Demote(AsksNothing):
    name = "demote"

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        s = rules.settings
        before = rules.now - timedelta(days=float(s.demote_days))
        found, total = view.demotable(before, float(s.demote_importance), int(s.demote_cap))
        spared = view.undone(self.name, [m.id for m in found])
        proposals = tuple(
            Proposal(
                Archive(m.id),
                f"never used in {(rules.now - m.stated_at).days} days",
                {m.id: m.revision},
                {"importance": m.importance, "days": (rules.now - m.stated_at).days},
            )
            for m in sorted(found, key=lambda m: (m.stated_at, m.id))
            if m.id not in spared
        )
        return StepPlan(self.name, proposals, left_over=total - len(found), counts={"demoted": len(proposals)})
