"""The steps of each cycle, in the order in which they run. Order is data."""

from __future__ import annotations

from reverie.curation.step import Step
from reverie.curation.steps.collapse import Collapse
from reverie.curation.steps.condense import Condense
from reverie.curation.steps.demote import Demote
from reverie.curation.steps.embed import Embed
from reverie.curation.steps.graph_sync import GraphSync
from reverie.curation.steps.log import Log
from reverie.curation.steps.reclassify import Reclassify
from reverie.curation.steps.reconcile import Reconcile
from reverie.curation.steps.stale import Stale

TIDY: tuple[Step, ...] = (
    Reclassify(), Collapse(), Reconcile(), Condense(), Demote(), Stale(), Embed(), GraphSync(), Log()
)  # fmt: skip

CYCLES: dict[str, tuple[Step, ...]] = {"tidy": TIDY}
