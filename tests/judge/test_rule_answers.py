"""What the offline judge answers besides how two texts relate: exact names, plain kinds, and nothing composed."""

from __future__ import annotations

import pytest

from reverie.judge.checking import checked
from reverie.judge.questions import (
    Abstract,
    Candidate,
    Cause,
    Condense,
    FindNames,
    Groups,
    Identified,
    Identify,
    Label,
    Labelled,
    Names,
    Portray,
    Question,
    Relate,
    Related,
    SameEntity,
    Suggest,
    Unanswered,
    Verdict,
)
from reverie.judge.rules import RuleJudge
from reverie.model import Kind


def shown(text: str, number: int = 0) -> Candidate:
    return Candidate(f"id{number}", text, text.encode()[:16].ljust(16, b"0"))


class NeverAsked:
    """A ledger that no rule may ask."""

    def begin(self, *_: object) -> int:
        raise AssertionError("asked")

    end = begin


def answer(question: Question) -> object:
    judge = RuleJudge()
    (reply,) = judge.answer([question], NeverAsked())  # type: ignore[arg-type]
    judge.close()
    assert reply.model == judge.model_id == "rules-1"
    assert reply.tokens == 0
    assert checked(question, reply.answer) == reply.answer
    return reply.answer


def test_the_judge_relates():
    a, b = shown("Bea is based in Quito."), shown("Bea moved to Turin.")
    assert answer(Relate(a, b)) == answer(Relate(b, a)) == Related(Verdict.CONTRADICTS, "slot:residence", explicit=True)


def test_only_equal_labels_are_one_entity():
    names = ["Ana Berg", "ana berg", "Ana Bergh", "Ana Berg\nrole: nurse", "Bo"]
    assert answer(SameEntity(tuple(map(shown, names)))) == Groups(((0, 1, 3),))


def test_a_thing_is_identified_by_its_name_or_alias():
    known = tuple(map(shown, ["Project Atlas", "Bo Castro\naliases: Bobby, BC", "Atlas"]))
    assert answer(Identify(shown("bobby"), known)) == Identified(1)
    assert answer(Identify(shown("Project Atlas"), known)) == Identified(0)
    assert answer(Identify(shown("Project Atlas is late"), known)) == Identified(None)
    assert answer(Identify(shown("Bo"), (*known, shown("Bo"), shown("bo")))) == Identified(None)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Yesterday Ana Berg met Bo van Dyk at the Grand Hotel in New York.", ("Ana Berg", "Bo van Dyk")),
        ("Dr. Okafor called about the results.", ("Okafor",)),
        ("The Status Meeting of Project Atlas is on Monday Morning.", ()),
        ("Mira lives in Oslo.", ("Mira",)),
        ("Docker Compose is not used. Please Note: none.", None),
    ],
)
def test_names_of_people_stand_in_the_text(text, names):
    found = answer(FindNames(shown(text)))
    assert isinstance(found, Names)
    assert all(name in text for name in found.names)
    if names is not None:
        assert found.names == names


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Ana prefers tea to coffee.", "preference"),
        ("How to rotate the keys: stop the workers first.", "procedure"),
        ("1. Stop the workers\n2. Drain the queue", "procedure"),
        ("Open problem: the import is slow.", "problem"),
        ("The office is in Oslo.", None),
    ],
)
def test_a_kind_is_given_only_where_it_is_plain(text, label):
    kinds = tuple(kind.value for kind in Kind)
    assert answer(Label(shown(text), kinds)) == Labelled(label)
    assert answer(Label(shown(text), ("red", "blue"))) == Labelled(None)


@pytest.mark.parametrize(
    "question",
    [
        Condense((shown("a"),), 100),
        Abstract((shown("a"),)),
        Suggest(shown("a"), ()),
        Portray((shown("a"),), ("home",)),
    ],
)
def test_rules_compose_nothing(question):
    got = answer(question)
    assert isinstance(got, Unanswered)
    assert got.cause is Cause.NO_JUDGE
