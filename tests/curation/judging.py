"""Judges that know the truth of a test, and what a test needs to look at a namespace."""

from __future__ import annotations

from collections.abc import Mapping

import reverie
from reverie.judge.questions import Relate, Unanswered, Verdict
from reverie.testing import ScriptedJudge


def knowing(
    truth: Mapping[frozenset[str], Verdict | Unanswered], otherwise: Verdict = Verdict.UNRELATED
) -> ScriptedJudge:
    """A judge that looks a pair of texts up."""

    def script(question):
        if isinstance(question, Relate):
            return truth.get(frozenset((question.a.text, question.b.text)), otherwise)
        return None

    return ScriptedJudge(script, tokens=60)


def same(*texts: str) -> dict[frozenset[str], Verdict]:
    """Every pair of these texts says the same."""
    return {frozenset((a, b)): Verdict.SAME for a in texts for b in texts if a != b}


def states(mem: reverie.Reverie) -> dict[str, str]:
    """The state of each text."""
    return {m.text: m.state.value for m in mem.memories(state=None)}


def live(mem: reverie.Reverie) -> set[str]:
    """The texts that are recalled."""
    return {m.text for m in mem.memories()}
