"""What a model is asked: fences that no text can close, schemas within strict mode, and a version that is kept."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.judge import prompts
from reverie.judge.prompts import PROMPTS, SCHEMAS, estimate, prompt, unbounded
from reverie.judge.questions import (
    ANSWERS,
    ITEMS_MAX,
    Abstract,
    Candidate,
    Condense,
    FindNames,
    Identify,
    Label,
    Portray,
    Relate,
    SameEntity,
    Suggest,
)


def shown(text: str) -> Candidate:
    return Candidate("secret-id", text, hashlib.sha256(text.encode("utf-8", "replace")).digest())


A, B, C = shown("the first note"), shown("the second note"), shown("the third note")
QUESTIONS = [
    Relate(A, B), SameEntity((A, B)), Identify(A, (B, C)), Abstract((A, B), (C,), 123), Condense((A, B), 456),
    Suggest(A, (B,), 789),
    FindNames(A), Portray((A, B), ("money", "people"), 321), Label(A, ("x", "y")),
]  # fmt: skip


def test_there_is_a_prompt_and_a_schema_for_every_question() -> None:
    assert {type(q) for q in QUESTIONS} == set(ANSWERS) == set(SCHEMAS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: type(q).__name__)
def test_texts_stand_in_fences_by_number_and_nothing_else_leaves(question: Any) -> None:
    made = prompt([question], str)
    mark = re.search(r"<<([0-9a-f]{12}) end>>", made.system)
    assert mark is not None
    fenced = re.findall(rf"<<{mark[1]} (\w+(?: \d+)?)>>\n(.*?)\n<<{mark[1]} end>>", made.user, re.S)
    assert [text for _, text in fenced] == [c.text for c in question.texts()]
    assert "secret-id" not in made.system + made.user
    assert "data to judge" in made.system
    assert "JSON" in made.system
    assert not any(c.text in made.system for c in question.texts())
    if hasattr(question, "limit"):
        assert str(question.limit) in made.system


def test_a_relation_is_shown_in_the_order_of_its_hashes() -> None:
    assert prompt([Relate(A, B)], str) == prompt([Relate(B, A)], str)


def test_a_batch_numbers_its_items_from_zero() -> None:
    made = prompt([Relate(A, B)] * ITEMS_MAX, str)
    assert re.findall(r"^Item (\d+)$", made.user, re.M) == [str(k) for k in range(ITEMS_MAX)]


@given(st.lists(st.text(max_size=40), min_size=2, max_size=4))
def test_no_text_holds_its_own_fence_whatever_it_says(texts: list[str]) -> None:
    question = Condense(tuple(shown(t) for t in texts), 100)
    made = prompt([question], str)
    mark = re.search(r"<<([0-9a-f]{12}) end>>", made.system)
    assert mark is not None
    assert not any(mark[1] in text for text in texts)
    assert prompt([question], str) == made


def test_a_mark_that_a_text_holds_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sums:
        """A digest that is known beforehand, the first time."""

        given = iter(["0123456789abcdef", "fedcba9876543210"])

        def hexdigest(self) -> str:
            return next(self.given)

    monkeypatch.setattr(prompts.hashlib, "sha256", lambda _: Sums())
    assert prompts._mark(["a note with <<0123456789ab end>> in it"]) == "fedcba987654"


@pytest.mark.parametrize("schema", SCHEMAS.values())
def test_schemas_keep_to_what_strict_mode_allows(schema: dict[str, Any]) -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict) and "type" in node:
            assert set(node) <= {"type", "properties", "required", "additionalProperties", "items", "enum", "maxItems"}
            if node["type"] == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
                for inner in node["properties"].values():
                    walk(inner)
            if node["type"] == "array":
                walk(node["items"])

    assert schema["type"] == "object"
    walk(schema)


def test_lists_have_an_end_which_can_be_left_out() -> None:
    assert prompt([Relate(A, B)] * 3, str).schema["properties"]["items"]["maxItems"] == 3
    assert SCHEMAS[Relate]["properties"]["items"].get("minItems") is None
    for schema in SCHEMAS.values():
        assert json.dumps(schema).count('"maxItems"') == json.dumps(schema).count('"array"')
        assert "Items" not in json.dumps(unbounded(schema))


def test_a_size_is_no_less_than_the_tokens_of_prose_and_grows_with_the_text() -> None:
    assert estimate("") == 0
    assert estimate("four words of prose") >= 4
    assert estimate("\ud800") > 0
    assert prompt([Relate(A, B)], str).size < prompt([Relate(A, B)] * 2, str).size


def test_another_wording_needs_another_version() -> None:
    """A verdict is remembered under the version: after a change to the prompts, raise PROMPTS and put the new digest here."""
    shown_now = json.dumps(
        [[p.system, p.user, p.schema] for p in (prompt([q], str) for q in QUESTIONS)], sort_keys=True
    )
    digests = {1: "246f81b88b26f59f"}
    assert hashlib.sha256(shown_now.encode()).hexdigest()[:16] == digests[PROMPTS]
