"""The steps of each cycle, in the order in which they run. Order is data."""

from __future__ import annotations

from reverie.curation.step import Step
from reverie.curation.steps.collapse import Collapse
from reverie.curation.steps.demote import Demote
from reverie.curation.steps.embed import Embed
from reverie.curation.steps.log import Log
from reverie.curation.steps.reclassify import Reclassify
from reverie.curation.steps.stale import Stale

TIDY: tuple[Step, ...] = (Reclassify(), Collapse(), Demote(), Stale(), Embed(), Log())

CYCLES: dict[str, tuple[Step, ...]] = {"tidy": TIDY}
