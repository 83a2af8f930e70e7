"""ModelJudge against an endpoint that misbehaves: the cause, the ledger, and how many requests it took."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from judge_book import Book
from judge_server import KEY_ECHO, USED, Call, JudgeServer, right, sensible

from reverie.judge.model import ModelJudge
from reverie.judge.prompts import prompt
from reverie.judge.questions import (
    Abstract,
    Abstracted,
    Candidate,
    Cause,
    Composed,
    Condense,
    FindNames,
    Groups,
    Identified,
    Identify,
    Label,
    Labelled,
    Names,
    Portray,
    Portrayed,
    Relate,
    Related,
    SameEntity,
    Suggest,
    Unanswered,
    Verdict,
)


def shown(text: str) -> Candidate:
    return Candidate(text, text, hashlib.sha256(text.encode()).digest())


def pair(a: str, b: str) -> Relate:
    return Relate(shown(a), shown(b))


PAIR = pair("The backup runs at 02:00.", "At 02:00 the backup runs.")


def pairs(n: int) -> list[Relate]:
    return [pair(f"note {k} is here", f"here is note {k if k % 2 else k + 1}") for k in range(n)]


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as started:
        yield started


@pytest.fixture
def make(server: JudgeServer) -> Iterator[Callable[..., ModelJudge]]:
    made: list[ModelJudge] = []
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def build(**options: Any) -> ModelJudge:
        options = {"sleep": sleep, "deadline_seconds": 5.0, "randomness": lambda: 1.0} | options
        made.append(ModelJudge(server.url, "test-model", **options))
        made[-1].waits = waits  # type: ignore[attr-defined]
        return made[-1]

    yield build
    for judge in made:
        judge.close()


def ask(judge: ModelJudge, *questions: Any, book: Book | None = None) -> list[Any]:
    return [reply.answer for reply in judge.answer(questions, book or Book())]


def test_every_type_of_question_is_answered(server: JudgeServer, make: Any) -> None:
    alice, bob, other = shown("Alice likes tea."), shown("Bob likes tea."), shown("Alice likes tea. Bob does not.")
    got = ask(
        make(),
        PAIR,
        SameEntity((alice, bob)),
        Identify(alice, (bob, other)),
        Abstract((alice,), (bob,)),
        Condense((alice, bob), 100),
        Suggest(alice, (bob,)),
        FindNames(other),
        Portray((alice,), ("drinks", "work")),
        Label(alice, ("taste", "plan")),
    )
    assert got == [
        Related(Verdict.SAME),
        Groups(()),
        Identified(0),
        Abstracted(()),
        Composed("Alice likes tea. Bob likes tea."),
        Composed("Alice likes tea. Bob likes tea."),
        Names(("Alice", "Bob")),
        Portrayed((("drinks", "Alice likes tea.", (0,)),)),
        Labelled("taste"),
    ]


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_both_apis_are_asked_in_their_own_form(server: JudgeServer, make: Any, api: str) -> None:
    book = Book()
    judge = make(api=api, api_key="sk-test", max_output_tokens=777)
    assert ask(judge, PAIR, book=book) == [Related(Verdict.SAME)]
    (asked,) = server.requests
    assert asked.path == ("/v1/responses" if api == "responses" else "/v1/chat/completions")
    assert asked.format == "json_schema"
    assert asked.schema["name"] == "Relate"
    assert asked.schema["strict"] is True
    assert asked.body["model"] == "test-model"
    assert asked.body["temperature"] == 0
    assert asked.body["max_output_tokens" if api == "responses" else "max_tokens"] == 777
    assert asked.body.get("store") is (False if api == "responses" else None)
    assert asked.headers["authorization"] == "Bearer sk-test"
    assert book.outcomes == ["ok"]
    assert book.ended[0][1:3] == USED
    state = judge.state
    assert (state.login, state.breaker, state.calls, state.succeeded) == ("ok", "closed", 1, 1)
    assert state.capability == f"{api}/json_schema"
    assert state.last_cause is None


def test_relations_share_prompts_up_to_25_and_keep_their_order(server: JudgeServer, make: Any) -> None:
    questions = pairs(60)
    questions.insert(7, Condense((shown("a"), shown("b")), 9))
    got = ask(make(), *questions)
    assert [len(asked.items) for asked in server.requests if asked.items] == [25, 25, 10]
    assert got.pop(7) == Composed("a b")
    assert [answer.verdict for answer in got] == [Verdict.SAME if k % 2 else Verdict.CONTRADICTS for k in range(60)]


def test_relations_share_prompts_up_to_the_characters(server: JudgeServer, make: Any) -> None:
    questions = [pair(f"{k} " + "x" * 5000, f"{k} " + "y" * 5000) for k in range(5)]
    assert [type(answer) for answer in ask(make(), *questions)] == [Related] * 5
    assert [len(asked.items) for asked in server.requests] == [2, 2, 1]


def test_more_text_or_items_than_a_prompt_holds_is_not_sent_nor_cut(server: JudgeServer, make: Any) -> None:
    many = tuple(shown(str(k)) for k in range(26))
    got = ask(make(), pair("x" * 24_000, "y"), PAIR, SameEntity(many), Condense((shown("z" * 24_001),), 100))
    assert [getattr(answer, "cause", None) for answer in got] == [
        Cause.TOO_LARGE,
        None,
        Cause.TOO_LARGE,
        Cause.TOO_LARGE,
    ]
    assert len(server.requests) == 1


def test_one_bad_item_fails_by_itself(server: JudgeServer, make: Any) -> None:
    def mood(call: Call) -> None:
        items = [{"item": k, "verdict": "same"} for k in range(6)]
        items[1]["verdict"] = "identical"
        items[2]["item"] = "2"
        items[3] = {"item": 4, "verdict": "unrelated"}
        call.answer({"items": [*items, {"item": 77, "verdict": "same"}, "same", {"item": 5, "verdict": "same"}]})

    server.become(mood)
    book = Book()
    judge = make()
    got = ask(judge, *pairs(6), book=book)
    assert got[0] == got[5] == Related(Verdict.SAME)
    assert [a.cause for a in got[1:5]] == [Cause.MALFORMED, Cause.WRONG_NUMBER, Cause.WRONG_NUMBER, Cause.MALFORMED]
    assert book.outcomes == ["ok"]
    assert dict(judge.state.rejected) == {"malformed": 2, "wrong number": 2}


@pytest.mark.parametrize("mood", ["prose", "thinking", "no usage"])
def test_what_models_put_around_is_taken_off(server: JudgeServer, make: Any, mood: str) -> None:
    server.become(mood)
    book = Book()
    assert ask(make(), PAIR, book=book) == [Related(Verdict.SAME)]
    if mood == "no usage":
        _, tokens_in, tokens_out, _ = book.ended[0]
        said = json.dumps(sensible(server.requests[0]))
        assert tokens_in == prompt([PAIR], str).size
        assert tokens_out == (len(said) + 2) // 3
        assert book.begun[0][3] == tokens_in + 2000


UNUSABLE = {
    "wrong schema": Cause.MALFORMED,
    "no json": Cause.MALFORMED,
    "foreign": Cause.WRONG_NUMBER,
    "truncated": Cause.TRUNCATED,
    "filtered": Cause.REFUSED,
    "refusal": Cause.REFUSED,
    "filter 400": Cause.REFUSED,
    "context": Cause.TOO_LARGE,
    "401": Cause.LOGIN,
    "403": Cause.LOGIN,
    "404 model": Cause.MISCONFIGURED,
    "400": Cause.MISCONFIGURED,
    "quota": Cause.RATE_LIMITED,
    "redirect": Cause.MISCONFIGURED,
    "html": Cause.MALFORMED,
    "empty": Cause.MALFORMED,
    "not utf-8": Cause.MALFORMED,
    "no message": Cause.MALFORMED,
    "gzip": Cause.MALFORMED,
    "announced flood": Cause.TOO_LARGE,
    "flood": Cause.TOO_LARGE,
}


@pytest.mark.parametrize("api", ["responses", "chat"])
@pytest.mark.parametrize("mood", UNUSABLE)
def test_an_unusable_reply_has_its_cause_and_is_not_asked_for_again(
    server: JudgeServer, make: Any, mood: str, api: str
) -> None:
    server.become(mood)
    book, judge = Book(), make(api=api, api_key="sk-mine", price_in=2.0, price_out=10.0)
    (reply,) = judge.answer([PAIR], book)
    assert isinstance(reply.answer, Unanswered)
    assert reply.answer.cause is UNUSABLE[mood]
    assert not reply.answered
    assert len(server.requests) == 1
    assert book.outcomes == [UNUSABLE[mood].value]
    size = prompt([PAIR], str).size
    _, tokens_in, tokens_out, cost = book.ended[0]
    told = mood in ("wrong schema", "no json", "foreign", "truncated", "filtered", "refusal")
    assert (tokens_in, tokens_out) == (USED if told else (size, 0))
    assert cost == tokens_in * 2 + tokens_out * 10
    assert book.begun[0] == (judge.model_id, "Relate", 1, size + 2000, size * 2 + 20_000)
    assert reply.tokens == tokens_in + tokens_out
    assert judge.state.last_cause is UNUSABLE[mood]
    assert dict(judge.state.failures) == {UNUSABLE[mood].value: 1}
    assert "sk-" not in reply.answer.detail + judge.state.last_detail + repr(judge)
    assert KEY_ECHO[:20] not in reply.answer.detail


def test_a_flood_is_dropped_early(server: JudgeServer, make: Any) -> None:
    server.become("flood")
    started = time.monotonic()
    (got,) = ask(make(), PAIR)
    assert got.cause is Cause.TOO_LARGE
    assert time.monotonic() - started < 2
    time.sleep(0.05)
    assert server.sent < 20_000_000  # what fits into the sockets' buffers, and no 50 MB


@pytest.mark.parametrize("mood", ["hang", "slow head", "slow body"])
def test_the_deadline_holds_however_the_other_side_drips(server: JudgeServer, make: Any, mood: str) -> None:
    server.become(mood)
    book, judge = Book(), make(deadline_seconds=0.4)
    started = time.monotonic()
    (got,) = ask(judge, PAIR, book=book)
    assert 0.35 < time.monotonic() - started < 1.5
    assert got.cause is Cause.TIMEOUT
    assert book.outcomes == ["timeout"]
    assert len(server.requests) == 1
    server.become("right")
    assert ask(judge, PAIR) == [Related(Verdict.SAME)]


def test_a_cut_off_batch_is_halved_and_the_same_request_is_never_sent_again(server: JudgeServer, make: Any) -> None:
    def at_most_two(call: Call) -> None:
        call.say("{", finish="length") if len(call.asked.items) > 2 else right(call)

    server.become(at_most_two)
    questions, book, judge = pairs(7), Book(), make()
    replies = judge.answer(questions, book)
    assert [type(reply.answer) for reply in replies] == [Related] * 7
    assert [len(asked.items) for asked in server.requests] == [7, 3, 1, 2, 4, 2, 2]
    assert book.outcomes == ["truncated", "truncated", "ok", "ok", "truncated", "ok", "ok"]
    assert sum(reply.tokens for reply in replies) == 7 * sum(USED)
    assert max(reply.tokens for reply in replies) - min(reply.tokens for reply in replies) <= 1
    before = len(server.requests)
    ask(judge, *questions)
    assert [len(asked.items) for asked in server.requests[before:]] == [1, 2, 2, 2]


def test_what_is_cut_off_alone_is_not_sent_twice(server: JudgeServer, make: Any) -> None:
    server.become("truncated")
    judge, book = make(), Book()
    for _ in range(3):
        assert [a.cause for a in ask(judge, PAIR, book=book)] == [Cause.TRUNCATED]
    assert len(server.requests) == 1
    assert book.outcomes == ["truncated"]


def test_one_filtered_item_does_not_take_its_batch_along(server: JudgeServer, make: Any) -> None:
    def filters(call: Call) -> None:
        if "bomb" in call.asked.messages[1]:
            call.error(400, "Filtered", "content_filter")
        else:
            right(call)

    server.become(filters)
    questions = pairs(8)
    questions[5] = pair("a bomb", "the bomb")
    got = ask(make(), *questions)
    assert [getattr(a, "cause", None) for a in got] == [*[None] * 5, Cause.REFUSED, None, None]
    assert len(server.requests) == 7


def test_composed_text_that_says_more_than_its_sources_is_refused(server: JudgeServer, make: Any) -> None:
    server.become(lambda call: call.answer({"text": "The backup runs at 03:00 in Frankfurt."}))
    (got,) = ask(make(), Condense((PAIR.a, PAIR.b), 200))
    assert got.cause is Cause.UNSUPPORTED
