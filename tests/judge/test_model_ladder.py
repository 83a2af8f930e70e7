"""How ModelJudge finds out what an endpoint can do: APIs, ways to ask for JSON, parameters; one refused call a step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from judge_book import Book
from judge_server import (
    MOODS,
    Call,
    JudgeServer,
    only_max_completion_tokens,
    right,
    without,
    without_format,
    without_responses,
)

from reverie.judge.model import ModelJudge
from reverie.judge.questions import Candidate, Cause, Condense, Relate, Related, Unanswered, Verdict


def pair(text: str) -> Relate:
    return Relate(Candidate("1", text, b"1"), Candidate("2", text, b"2"))


def single(text: str) -> Condense:
    """A question that has a prompt of its own."""
    return Condense((Candidate("1", text, b"1"),), 100)


PAIR = pair("a note")
SAME = Related(Verdict.SAME)


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as started:
        yield started


@pytest.fixture
def make(server: JudgeServer) -> Iterator[Callable[..., ModelJudge]]:
    made: list[ModelJudge] = []

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    def build(**options: Any) -> ModelJudge:
        made.append(ModelJudge(server.url, "test-model", sleep=at_once, **options))
        return made[-1]

    yield build
    for judge in made:
        judge.close()


def ask(judge: ModelJudge, *questions: Any, book: Book | None = None) -> list[Any]:
    return [reply.answer for reply in judge.answer(questions or [PAIR], book or Book())]


def test_chat_is_found_where_there_is_no_responses_api(server: JudgeServer, make: Any) -> None:
    server.become(without_responses())
    judge, book = make(), Book()
    got = ask(judge, *[single(f"note {k}") for k in range(8)], book=book)
    assert all(not isinstance(a, Unanswered) for a in got)
    assert [a.api for a in server.requests] == ["responses"] + ["chat"] * 8
    assert book.outcomes == ["misconfigured"] + ["ok"] * 8
    assert judge.state.capability == "chat/json_schema"
    assert judge.state.breaker == "closed"


def test_chat_is_found_where_every_other_path_has_a_page(server: JudgeServer, make: Any) -> None:
    server.become(lambda call: right(call) if call.asked.api == "chat" else MOODS["html"](call))
    judge = make()
    assert ask(judge) == ask(judge) == [SAME]
    assert [a.api for a in server.requests] == ["responses", "chat", "chat"]


def test_neither_api_is_misconfigured_and_both_are_tried_again_later(server: JudgeServer, make: Any) -> None:
    server.become("404")
    judge = make()
    assert [a.cause for a in ask(judge)] == [Cause.MISCONFIGURED]
    assert [a.api for a in server.requests] == ["responses", "chat"]
    server.become("right")
    assert ask(judge) == [SAME]
    assert server.requests[-1].api == "responses"


@pytest.mark.parametrize("api", ["responses", "chat"])
@pytest.mark.parametrize("status", [400, 422, 500])
def test_one_refused_call_a_rung_and_the_rung_is_remembered(
    server: JudgeServer, make: Any, api: str, status: int
) -> None:
    server.become(without_format("json_schema", "json_object", status=status))
    judge, book = make(api=api), Book()
    got = ask(judge, *[single(f"note {k}") for k in range(8)], book=book)
    assert all(not isinstance(a, Unanswered) for a in got)
    assert [a.format for a in server.requests] == ["json_schema", "json_object"] + ["text"] * 8
    assert len(book.outcomes) == 10
    assert judge.state.capability == f"{api}/text"


def test_json_object_is_enough(server: JudgeServer, make: Any) -> None:
    server.become(without_format("json_schema"))
    judge = make(api="chat")
    assert ask(judge) == ask(judge) == [SAME]
    assert [a.format for a in server.requests] == ["json_schema", "json_object", "json_object"]
    assert all("JSON" in a.messages[0] for a in server.requests)


@pytest.mark.parametrize(
    ("mood", "refused"),
    [(without("temperature"), "temperature"), (without("store"), "store"), (only_max_completion_tokens, "max_tokens")],
)
def test_a_parameter_that_is_refused_is_left_out(server: JudgeServer, make: Any, mood: Any, refused: str) -> None:
    server.become(mood)
    judge = make(api="chat" if refused == "max_tokens" else "responses")
    assert ask(judge) == ask(judge) == [SAME]
    assert [refused in a.body for a in server.requests] == [True, False, False]
    if refused == "max_tokens":
        assert server.requests[-1].body["max_completion_tokens"] == 2000


def test_a_schema_without_bounds_is_tried_before_no_schema(server: JudgeServer, make: Any) -> None:
    def old(call: Call) -> None:
        if "maxItems" in json.dumps(call.asked.schema):
            why = "Invalid schema for response_format 'Relate': In context=('properties', 'items'), 'maxItems' is not permitted."
            call.error(400, why, None, "response_format")
        else:
            right(call)

    server.become(old)
    judge = make(api="chat")
    assert ask(judge) == ask(judge) == [SAME]
    assert [a.format for a in server.requests] == ["json_schema"] * 3


def test_the_whole_way_down_costs_one_call_a_step(server: JudgeServer, make: Any) -> None:
    picky = without_responses(without("temperature", without_format("json_schema", then=only_max_completion_tokens)))
    server.become(picky)
    judge = make()
    assert ask(judge) == ask(judge) == [SAME]
    assert len(server.requests) == 6
