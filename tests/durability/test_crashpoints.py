"""kill -9 at every named crash point: once between, and on a file the first time it is reached and the last one too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from checks import Canonical, refuse
from trials import ACTS, Where, at_once, kill_at_point, made
from warm import HERE, Warm

from reverie.store import crashpoints


@pytest.fixture(scope="module")
def reached(warm: Warm, home: Callable[[str], Where]) -> dict[str, int]:
    """How often the programme comes by each point, at least: what the exhaustive loops run over."""
    with made(home("count")) as path:
        child = warm.start("count_points", path=path)
        found = {name: int(n) for name, n in (line.split(" ") for line in child)}
        assert child.end() == 0, child.lines
    # The threads of the programme share commits as it happens: the last few of a count do not come every time.
    spare = {"commit": len([a for a in ACTS if a.lane]), "write": 1}
    return {name: n - spare.get(name.partition(".")[0], 0) for name, n in found.items()}


def kill_at(warm: Warm, home: Callable[[str], Where], points: list[str], expected: Canonical) -> None:
    """Run into each of these points and check the promises."""
    found = at_once(lambda p: kill_at_point(warm, home(p), p, expected), points)
    print(f"{len(found)} points, {sum(t.acknowledged for t in found)} acknowledged")
    refuse([w for t in found for w in t.wrong], "a crash point broke a promise")
    missed = [p for p, t in zip(points, found, strict=True) if t.status != -9]
    assert not missed, f"these points did not end the child: {missed}"


def test_crashpoints_are_all_reached(reached: dict[str, int]) -> None:
    assert set(reached) == set(crashpoints.ALL)
    assert not [name for name, n in reached.items() if n < 1], "a point that is never reached protects nothing"


def test_crashpoints_lose_nothing_and_end_alike(
    warm: Warm, home: Callable[[str], Where], uninterrupted: Canonical, reached: dict[str, int],
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    # On a file the first time, the last time and once between; on the server, where a trial takes longer, once.
    thrice = request.node.callspec.params["home"] == "sqlite"
    points = [
        f"{name}:{n}"
        for name, most in reached.items()
        for n in (sorted({1, (most + 1) // 2, most}) if thrice else [(most + 1) // 2])
    ]
    kill_at(warm, home, points, uninterrupted)


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_crashpoints_lose_nothing_at_any_of_their_times(
    warm: Warm, home: Callable[[str], Where], uninterrupted: Canonical, reached: dict[str, int]
) -> None:
    points = [f"{name}:{n}" for name, most in reached.items() for n in range(1, most + 1)]
    kill_at(warm, home, points, uninterrupted)


@pytest.mark.parametrize(
    ("raw", "message"), [("commit.after_commit", ""), ("no.such.point", "there is no crash point")]
)
def test_crashpoints_are_armed_by_the_environment(url: str, raw: str, message: str) -> None:
    # A process of its own, started as an operator would: the other tests arm the point after the fork.
    code = "import sys, reverie; reverie.open(sys.argv[1], embedder='none').remember('one'); print('survived')"
    got = subprocess.run(
        [sys.executable, "-c", code, url],
        cwd=HERE,
        env={**os.environ, "REVERIE_CRASHPOINT": raw},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "survived" not in got.stdout
    assert message in got.stderr if message else got.returncode == -9
