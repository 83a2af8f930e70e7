"""Give a vector of the current model to every text that lacks one; count what waits. Never embeds a hash twice."""

from __future__ import annotations

from reverie.curation.plan import StepPlan
from reverie.curation.step import AsksNothing, Rules, Verdicts
from reverie.curation.view import View


class Embed(AsksNothing):
    name = "embed"

    def plan(self, view: View, rules: Rules, verdicts: Verdicts) -> StepPlan:
        waiting, total = view.without_vector(int(rules.settings.embed_cap))
        return StepPlan(self.name, left_over=total - len(waiting), embed=tuple(waiting), counts={"to_embed": total})
