"""Whatever text comes: `remember` and `recall` answer or refuse with a ReverieError; what was taken is there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import reverie
from hostile import state
from reverie.errors import ReverieError
from reverie.memory import Reverie

SEED = int(os.environ.get("REVERIE_TEST_SEED") or int.from_bytes(os.urandom(4)))
EXAMPLES = 200
quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)

ODD = [
    "\0",
    "\ud800",
    "\udfff",
    "\u200b",
    "\u202e",
    "\u0301",
    '"',
    "*",
    "(",
    ")",
    ":",
    "^",
    "-",
    " OR ",
    " AND ",
    "NEAR(",
    "'",
    "\n",
    "٣",
    "½",
    "İ",
    "ß",
]
TEXT = st.one_of(
    st.text(st.characters(), max_size=60),
    st.lists(
        st.one_of(st.sampled_from(ODD), st.text(max_size=5), st.sampled_from(["port", "5432", "not", "Berlin"])),
        max_size=20,
    ).map("".join),
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest) -> Iterator[Reverie]:
    """One store of each kind for all examples: each is tried on what the ones before it left."""
    print(f"hostile properties: REVERIE_TEST_SEED={SEED}")
    with tempfile.TemporaryDirectory() as folder:
        file = request.param == "sqlite"
        url = str(Path(folder) / "notes.db") if file else request.getfixturevalue("server").database()
        with reverie.open(url, embedder="hashing", settings={"synchronous": "off"}) as mem:
            yield mem


@seed(SEED)
@quick
@given(text=TEXT)
def test_remember_keeps_any_text_exactly_or_refuses(shared: Reverie, text: str) -> None:
    try:
        got = shared.remember(text)
    except ReverieError as error:
        assert len(str(error).split()) >= 3
        return
    history = shared.history(got.id)
    wordings = {history.memory.text, *(s.wording for s in history.sightings)}
    assert text in wordings


@seed(SEED)
@quick
@given(query=TEXT, limit=st.integers(-2, 1002))
def test_recall_answers_any_query_or_refuses(shared: Reverie, query: str, limit: int) -> None:
    try:
        found = shared.recall(query, limit)
    except ReverieError as error:
        assert len(str(error).split()) >= 3
        return
    assert len(found) <= limit


@seed(SEED)
@quick
@given(
    given=st.fixed_dictionaries(
        {"text": TEXT},
        optional={
            "kind": ANYTHING,
            "key": ANYTHING,
            "external_id": ANYTHING,
            "session": ANYTHING,
            "principal": ANYTHING,
            "channel": ANYTHING,
            "client": ANYTHING,
            "importance": ANYTHING,
            "metadata": ANYTHING,
            "gist": ANYTHING,
            "durable": ANYTHING,
            "occurred_at": st.datetimes() | ANYTHING,
            "valid_from": st.datetimes() | ANYTHING,
        },
    )
)
def test_remember_answers_any_arguments_or_refuses(shared: Reverie, given: dict[str, Any]) -> None:
    text = given.pop("text")
    try:
        shared.remember(text, **given)
    except ReverieError as error:
        assert len(str(error).split()) >= 3


@seed(SEED)
@settings(quick, max_examples=60)
@given(id_=ANYTHING, verb=st.sampled_from(["get", "history", "forget", "pin", "verify", "restore", "undo", "reject"]))
def test_verbs_answer_any_id_or_refuse(shared: Reverie, id_: Any, verb: str) -> None:
    try:
        getattr(shared, verb)(id_)
    except ReverieError as error:
        assert len(str(error).split()) >= 3


@seed(SEED)
@settings(quick, max_examples=60)
@given(texts=st.lists(TEXT, max_size=8))
def test_batch_has_one_outcome_for_each_text(shared: Reverie, texts: list[str]) -> None:
    found = shared.remember_many(texts)
    assert len(found) == len(texts)
    assert all(o.error is None or isinstance(o.error, ReverieError) for o in found)


def test_store_is_sound_after_all_of_it(shared: Reverie) -> None:
    assert shared.check_journal()
    run = shared.curate()
    assert not run.errors
    assert shared.check_journal()
    assert len(state(shared)) > 0
    store: Any = shared._store
    assert store.problems() == []
