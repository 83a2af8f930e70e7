"""kill -9 at random points: no acknowledged act is lost, and a client that resumes ends where it would have ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from checks import Canonical, refuse, seeded
from trials import Where, at_once, kill_at_random, seeds
from warm import Warm

KILLS = {"sqlite": 60, "postgres": 15}  # by default; the slow run has more
KILLS_SLOW = 1_000
CONTROL_KILLS = 16


@pytest.mark.parametrize("kills", ["few", pytest.param("many", marks=pytest.mark.slow)])
@pytest.mark.timeout(2400)
def test_kill_at_random_points_loses_nothing_and_ends_alike(
    warm: Warm, home: Callable[[str], Where], uninterrupted: Canonical, kills: str, request: pytest.FixtureRequest
) -> None:
    # What a client of either store must end with is what it ends with on a file.
    chance = seeded("kill")
    n = KILLS[request.node.callspec.params["home"]] if kills == "few" else KILLS_SLOW
    found = at_once(lambda s: kill_at_random(warm, home(f"{s}"), s, uninterrupted), seeds(chance, n))
    acknowledged = sum(t.acknowledged for t in found)
    late = sum(t.finished for t in found)
    print(f"{len(found)} kills, {acknowledged} acknowledged, {late} of them after the last act")
    refuse([w for t in found for w in t.wrong], "a kill broke a promise")
    assert all(t.status == -9 for t in found)
    assert late < n / 2, "most kills came too late to show anything"
    assert acknowledged > n


def test_kill_catches_a_store_that_acknowledges_before_it_commits(warm: Warm, home: Callable[[str], Where]) -> None:
    chance = seeded("kill control")
    found = at_once(lambda s: kill_at_random(warm, home(f"c{s}"), s, None, "hasty"), seeds(chance, CONTROL_KILLS))
    lost = [w for t in found for w in t.wrong if " lost: " in w]
    print(f"control: {len(found)} kills, {sum(t.acknowledged for t in found)} acknowledged, {len(lost)} lost")
    assert lost, "a store that acknowledges too early went unnoticed: the harness proves nothing"
    assert not [w for t in found for w in t.wrong if " lost: " not in w]
