"""What a store knows of all its scopes at once: what a schedule is made from."""

from __future__ import annotations

from collections import defaultdict

from reverie.clock import from_us
from reverie.model import Scope
from reverie.store import rows
from reverie.store.records import ClaimedSlot, Known
from reverie.store.session import Session


def known(session: Session) -> list[Known]:
    """One `Known` a scope, in order of tenant and namespace. Takes a handful of statements, however many scopes there are."""
    waiting = {Scope(r[0], r[1]): int(r[2]) for r in session.all("standing_uncurated")}
    models = {Scope(r[0], r[1]): from_us(r[2]) for r in session.all("standing_models")}
    slots: dict[Scope, dict[str, ClaimedSlot]] = defaultdict(dict)
    for r in session.all("standing_slots"):
        slots[Scope(r[0], r[1])][r[2]] = ClaimedSlot(r[3], from_us(r[4]), rows.when(r[5]), bool(r[6]))
    settings: dict[Scope, dict[str, str]] = defaultdict(dict)
    for r in session.all("standing_settings"):
        settings[Scope(r[0], r[1])][r[2]] = r[3]
    found = []
    for r in session.all("standings"):
        scope = Scope(r[0], r[1])
        found.append(
            Known(
                scope, waiting.get(scope, 0), rows.when(r[3]), rows.when(r[2]), slots.get(scope, {}),
                models.get(scope), settings.get(scope, {}), rows.lease(r[4:7]),
            )
        )  # fmt: skip
    return found
