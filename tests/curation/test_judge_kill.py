"""kill -9 while a judge's word is on its way to the store, and two curators at once: each move once, and every call in the books.

Run as a script, this file is the process that is killed: URL, seconds that each answer takes, times to curate.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import reverie
from reverie.clock import FixedClock
from reverie.errors import LeaseHeld
from reverie.judge.questions import Relate, Verdict
from reverie.memory import Reverie
from reverie.testing import ScriptedJudge

SETTINGS = {
    "candidate_similarity": 0.01,
    "neighbours": 50,
    "collapse_cap": 1000,
    "reconcile_cap": 1000,
    "slice_rows": 2,
}
OPEN_CAPS = {"blast_run_rows": 1000, "blast_month_share": 1.0}
TOKENS = 60
SLOW = pytest.mark.slow
POINTS = (  # and how many of its times are gone by between two kills
    ("judge.before_verdicts", 1),
    ("executor.after_books", 4),
    pytest.param("executor.after_books", 1, marks=SLOW),
    pytest.param("executor.before_slice", 1, marks=SLOW),
    pytest.param("executor.after_finish", 1, marks=SLOW),
)
SAME = {
    name: (
        f"The {name} project ships its release notes together with the changelog.",
        f"Whenever the {name} project ships, the changelog goes out beside the release notes of that day.",
    )
    for name in ("Harbour", "Meadow", "Falcon", "Cobalt")
}
CLASH = {
    n: (f"The {n} relay listens on port {k}000.", f"The {n} relay listens on port {k}001.")
    for k, n in enumerate(SAME, 5)
}


def truth(question: Any) -> Verdict:
    """What the judge of every process here says."""
    shown = {question.a.text, question.b.text} if isinstance(question, Relate) else set()
    if any(shown == set(pair) for pair in SAME.values()):
        return Verdict.SAME
    return Verdict.CONTRADICTS if any(shown == set(pair) for pair in CLASH.values()) else Verdict.UNRELATED


def opened(url: str, judge: Any, **given: Any) -> Reverie:
    return reverie.open(
        url, embedder="hashing", clock=FixedClock(), judge=judge, settings=SETTINGS | OPEN_CAPS, **given
    )


def main(url: str, seconds: str, times: str) -> None:
    """Curate, telling every question before it is answered, and every move that was made."""

    def answer(question: Any) -> Verdict:
        print("asked", *sorted((question.a.id, question.b.id)), flush=True)
        time.sleep(float(seconds))
        return truth(question)

    with opened(url, ScriptedJudge(answer, tokens=TOKENS)) as mem:
        for _ in range(int(times)):
            try:
                run = mem.curate()
            except LeaseHeld:
                time.sleep(0.02)
                continue
            for entry in run.entries:
                print("made", entry.move, *entry.detail["ids"], flush=True)
    print("end", flush=True)


def start(url: str, seconds: float = 0.0, times: int = 1, point: str | None = None) -> subprocess.Popen[str]:
    env = {**os.environ, **({"REVERIE_CRASHPOINT": point} if point else {})}
    return subprocess.Popen(
        [sys.executable, __file__, url, str(seconds), str(times)],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
        cwd=Path(__file__).parent,
    )


def fill(url: str) -> None:
    with opened(url, None) as mem:
        mem.remember_many([text for pair in (*SAME.values(), *CLASH.values()) for text in pair])


def look(mem: Reverie) -> tuple[dict[str, str], Counter[tuple[str, ...]], list[Any]]:
    """The state of each text, how often each move was made, and the calls that were paid for."""
    states = {m.text: m.state.value for m in mem.memories(state=None)}
    moves = Counter(
        (e.move, *e.detail["ids"]) for e in mem.journal(limit=10_000) if e.status == "applied" and e.move != "Connect"
    )
    with mem._scope.read() as r:
        return states, moves, r.calls(10_000)


def sound(mem: Reverie) -> None:
    health = mem.doctor()
    assert health["level"] == "green" and mem.check_journal(), (health["problems"], health["warnings"])
    states, moves, _ = look(mem)
    for a, b in SAME.values():
        assert sorted((states[a], states[b])) == ["live", "merged"]
    for a, b in CLASH.values():
        assert (states[a], states[b]) == ("superseded", "live")
    assert set(moves.values()) == {1} and sum(m[0] in ("MergeInto", "Supersede") for m in moves) == len(SAME) + len(
        CLASH
    )


@pytest.mark.parametrize(("point", "stride"), POINTS)
def test_killed_anywhere_it_ends_as_if_it_had_not_been(url: str, point: str, stride: int) -> None:
    """The point is met again and again, once a run, until a run gets past the last time that it comes to it."""
    fill(url)
    asked: list[str] = []
    killed, n = 0, 1
    while True:
        child = start(url, point=f"{point}:{n}")
        said = child.communicate(timeout=60)[0].splitlines()
        asked += [line for line in said if line.startswith("asked")]
        with opened(url, None) as mem:
            assert mem.check_journal() and set(look(mem)[1].values()) <= {1}
            assert len(look(mem)[2]) == len(asked), (
                "a call was made that the ledger does not know, or the other way round"
            )
        if child.returncode == 0:
            break
        assert child.returncode == -9, said[-3:]
        killed, n = killed + 1, n + stride
        assert killed < 60
    judge = ScriptedJudge(truth, tokens=TOKENS)
    with opened(url, judge) as mem:
        mem.curate()
        sound(mem)
        assert not judge.asked and not mem.plan()
        assert all(c.outcome == "ok" for c in look(mem)[2])
    assert killed
    if point != "judge.before_verdicts":  # what was kept is not asked again
        assert len(set(asked)) == len(asked)


def test_two_curators_make_each_move_once_and_ask_each_question_once(url: str) -> None:
    fill(url)
    children = [start(url, seconds=0.005, times=60) for _ in range(2)]
    said = [child.communicate(timeout=120)[0].splitlines() for child in children]
    assert [child.returncode for child in children] == [0, 0]
    asked = [line for lines in said for line in lines if line.startswith("asked")]
    made = [line for lines in said for line in lines if line.startswith("made") and "Connect" not in line]
    assert asked and len(set(asked)) == len(asked) and len(set(made)) == len(made)
    with opened(url, None) as mem:
        mem.curate()
        sound(mem)
        assert len(look(mem)[2]) == len(asked)


if __name__ == "__main__":
    main(*sys.argv[1:])
