"""One handle sees one scope: ids, keys, runs and plans of another are not found, and no verb changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hostile import refused, state
from reverie.errors import InvalidInput, NotFound, PolicyRefusal, ReverieError
from reverie.memory import Reverie

SCOPES = [("default", "other"), ("somebody", "default"), ("somebody", "notes")]


@pytest.fixture(params=SCOPES, ids="/".join)
def pair(place: Any, request: pytest.FixtureRequest) -> Iterator[tuple[Reverie, Reverie]]:
    """The caller's handle and a victim's, in one store, with equal texts, keys and external ids in both."""
    tenant, namespace = request.param
    with (
        place.open("notes" if namespace == "other" else "default") as mine,
        place.open(namespace, **({} if tenant == "default" else {"tenant": f"{tenant} by {place.tenant}"})) as theirs,
    ):
        for mem in (mine, theirs):
            mem.remember("The door code is 4711", key="door", external_id="shared-1")
        theirs.remember("The canary sings in cell 99", external_id="theirs-1")
        theirs.remember("Please note that the canary sings in cell 99", external_id="theirs-2")
        theirs.curate()
        theirs.pin(theirs.recall("door code", 1)[0].memory.id)
        theirs.flush()
        yield mine, theirs


VERBS: dict[str, Callable[[Reverie, str], object]] = {
    "get": lambda m, i: m.get(i),
    "history": lambda m, i: m.history(i),
    "pin": lambda m, i: m.pin(i),
    "unpin": lambda m, i: m.pin(i, False),
    "verify": lambda m, i: m.verify(i),
    "unverify": lambda m, i: m.verify(i, False),
    "forget": lambda m, i: m.forget(i),
    "restore": lambda m, i: m.restore(i),
    "revise": lambda m, i: m.revise(i, "The door code is 0000"),
}


def test_ids_of_another_scope_are_not_found(pair: tuple[Reverie, Reverie]) -> None:
    mine, theirs = pair
    before = state(theirs)
    rows = theirs.memories(state=None)
    assert len(rows) >= 3
    for verb, call in VERBS.items():
        for row in rows:
            error = refused(mine, lambda: call(mine, row.id))  # noqa: B023 - called at once
            assert isinstance(error, NotFound), (verb, error)
            assert "canary" not in str(error)
        assert state(theirs) == before, verb


def test_runs_and_entries_of_another_scope_are_not_found(pair: tuple[Reverie, Reverie]) -> None:
    mine, theirs = pair
    before = state(theirs)
    for run in theirs.runs():
        assert isinstance(refused(mine, lambda i=run.id: mine.undo(i)), NotFound)  # type: ignore[misc]
        assert mine.journal(run=run.id) == []
    own = {e.run for e in mine.journal(limit=1000)}
    for entry in theirs.journal(limit=1000):
        got = mine.journal(limit=1000)
        assert all(e.run in own for e in got)
        if entry.n > len(got):  # numbers count in each scope: a higher one than ours is nobody's
            assert isinstance(refused(mine, lambda n=entry.n: mine.undo(n)), NotFound)  # type: ignore[misc]
    assert state(theirs) == before


def test_plans_of_another_scope_are_refused(pair: tuple[Reverie, Reverie]) -> None:
    mine, theirs = pair
    theirs.remember("The bird sings in cell 98")
    theirs.remember("Please note that the bird sings in cell 98")
    plan = theirs.plan()
    assert plan
    before = state(theirs)
    assert isinstance(refused(mine, lambda: mine.apply(plan, approved=True)), PolicyRefusal)
    assert state(theirs) == before


def test_nothing_of_another_scope_is_recalled_or_listed(pair: tuple[Reverie, Reverie]) -> None:
    mine, theirs = pair
    before = state(theirs)
    for query in (
        "canary",
        "canary sings cell 99",
        "place:s2 canary",
        "place:s1",
        "The door code is 4711",
        "OR canary",
    ):
        for states in (None, ["live", "merged", "archived", "superseded"]):
            for hit in mine.recall(query, 100, states=states):
                assert "canary" not in hit.text
                assert mine.get(hit.memory.id).text == "The door code is 4711"
        assert [h.text for h in theirs.recall(query, 100)] if "canary" in query else True
    assert "canary" not in repr(
        [*mine.memories(state=None), mine.stats(), mine.journal(), mine.runs(), mine.activity(), state(mine)]
    )
    assert any(h.text.endswith("cell 99") for h in theirs.recall("canary")), "the victim must still find its own"
    theirs.flush()
    held = [r for r in state(theirs) if r["type"] not in ("memory", "epoch")]
    assert held == [r for r in before if r["type"] not in ("memory", "epoch")]


def test_keys_texts_and_external_ids_count_in_one_scope_only(pair: tuple[Reverie, Reverie]) -> None:
    mine, theirs = pair
    before = state(theirs)
    assert not mine.remember("The canary sings in cell 99", external_id="theirs-1").restated
    assert mine.remember("The door code is 1234", key="door").superseded is not None
    mine.remember("The door code is 4711", external_id="shared-1")
    for row in mine.memories():
        mine.forget(row.id)
    mine.curate()
    assert state(theirs) == before
    assert theirs.recall("what is the door code?", 1)[0].text == "The door code is 4711"


def test_import_of_another_scope_leaves_it_as_it_was(pair: tuple[Reverie, Reverie], tmp_path: Path) -> None:
    mine, theirs = pair
    before = state(theirs)
    theirs.export(tmp_path / "theirs.jsonl", journal=True)
    try:
        mine.import_export(tmp_path / "theirs.jsonl")
    except ReverieError as error:
        assert len(str(error)) > 10
    assert state(theirs) == before


BAD_NAMES: dict[str, Any] = {
    "empty": "",
    "blank": "  ",
    "nul": "a\0b",
    "newline": "a\nb",
    "long": "n" * 257,
    "surrogate": "\ud800",
    "number": 5,
    "none": None,
    "bytes": b"x",
}


@pytest.mark.parametrize("what", ["namespace", "tenant", "principal", "session", "client"])
@pytest.mark.parametrize("name", BAD_NAMES)
def test_open_refuses_a_hostile_name(place: Any, what: str, name: str) -> None:
    if what in ("session", "client") and name == "none":
        pytest.skip("no session and no client are fine")
    with pytest.raises(InvalidInput) as error:
        place.open(**{what: BAD_NAMES[name]})
    assert len(str(error.value).split()) >= 3


@pytest.mark.parametrize("name", ["../other", "a/b", "'; DROP TABLE scope; --", "s1", "📁", "scope 2", "%", "DEFAULT"])
def test_odd_namespaces_are_namespaces_of_their_own(place: Any, name: str) -> None:
    with place.open() as plain, place.open(name) as odd:
        plain.remember("only in the plain one")
        odd.remember("only in the odd one")
        assert [h.text for h in odd.recall("only in the one")] == ["only in the odd one"]
        assert [h.text for h in plain.recall("only in the one")] == ["only in the plain one"]
