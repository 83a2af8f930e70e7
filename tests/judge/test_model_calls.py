"""How ModelJudge calls: retries and waits, login, breaker, caps, threads, closing."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from judge_book import Book
from judge_server import (
    MOODS,
    Call,
    JudgeServer,
    right,
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


class Time:
    """A clock that waiting moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.now += seconds


@pytest.fixture
def clockwork() -> Time:
    return Time()


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as started:
        yield started


@pytest.fixture
def make(server: JudgeServer, clockwork: Time) -> Iterator[Callable[..., ModelJudge]]:
    made: list[ModelJudge] = []

    def build(**options: Any) -> ModelJudge:
        given = {"sleep": clockwork.sleep, "monotonic": lambda: clockwork.now, "randomness": lambda: 1.0}
        made.append(ModelJudge(server.url, "test-model", **(given | options)))
        return made[-1]

    yield build
    for judge in made:
        judge.close()


def ask(judge: ModelJudge, *questions: Any, book: Book | None = None) -> list[Any]:
    return [reply.answer for reply in judge.answer(questions or [PAIR], book or Book())]


@pytest.mark.parametrize("mood", ["429", "500", "503", "408", "409", "reset", "cut off", "failed"])
def test_what_passes_is_retried_with_growing_waits(server: JudgeServer, make: Any, clockwork: Time, mood: str) -> None:
    server.become(mood, mood, mood, "right")
    book, judge = Book(), make()
    (reply,) = judge.answer([PAIR], book)
    assert reply.answer == SAME
    assert clockwork.waits == [0.5, 1.0, 2.0]
    cause = "rate limited" if mood == "429" else "unavailable"
    assert book.outcomes == [cause] * 3 + ["ok"]
    assert reply.tokens == sum(used_in + used_out for _, used_in, used_out, _ in book.ended.values())


def test_retries_end(server: JudgeServer, make: Any, clockwork: Time) -> None:
    server.become("500")
    judge = make(retries=2, randomness=lambda: 0.0)
    assert [a.cause for a in ask(judge)] == [Cause.UNAVAILABLE]
    assert len(server.requests) == 3
    assert clockwork.waits == [0.25, 0.5]
    assert dict(judge.state.failures) == {"unavailable": 3}
    assert judge.state.last_detail == "the service answered 500 (invalid_request_error)"


def test_retry_after_is_kept_in_seconds_and_as_a_date(server: JudgeServer, make: Any, clockwork: Time) -> None:
    def dated(call: Call) -> None:
        call.send_response_only(503)
        call.send_header("date", "Fri, 02 Jan 2026 10:00:00 GMT")
        call.send_header("retry-after", "Fri, 02 Jan 2026 10:00:20 GMT")
        call.send_header("content-length", "0")
        call.end_headers()

    server.become(lambda call: call.error(429, "wait", retry_after="7"), dated, "right")
    assert ask(make()) == [SAME]
    assert clockwork.waits == [7.0, 20.0]


def test_to_wait_beyond_the_deadline_is_to_give_up_at_once(server: JudgeServer, make: Any, clockwork: Time) -> None:
    server.become(lambda call: call.error(429, "wait", retry_after="61"))
    book = Book()
    assert [a.cause for a in ask(make(), book=book)] == [Cause.RATE_LIMITED]
    assert (len(server.requests), clockwork.waits, book.outcomes) == (1, [], ["rate limited"])


def test_the_deadline_bounds_all_attempts_together(server: JudgeServer, make: Any, clockwork: Time) -> None:
    server.become(lambda call: call.error(503, "wait", retry_after="25"))
    assert [a.cause for a in ask(make(retries=20))] == [Cause.UNAVAILABLE]
    assert (len(server.requests), clockwork.waits) == (3, [25.0, 25.0])


def test_a_refused_login_stops_the_rest_of_the_questions(server: JudgeServer, make: Any) -> None:
    server.become("401")
    book, judge = Book(), make()
    got = ask(judge, *[single(f"note {k}") for k in range(30)], book=book)
    assert {a.cause for a in got} == {Cause.LOGIN}
    assert len(server.requests) == 1
    assert book.outcomes == ["login"]
    assert judge.state.login == "failed"
    server.become("right")
    assert ask(judge) == [SAME]
    assert judge.state.login == "ok"


@pytest.mark.parametrize(("mood", "cause"), [("404 model", Cause.MISCONFIGURED), ("quota", Cause.RATE_LIMITED)])
def test_what_no_request_can_mend_stops_the_rest_too(server: JudgeServer, make: Any, mood: str, cause: Cause) -> None:
    server.become(mood)
    got = ask(make(), *[single(f"note {k}") for k in range(10)])
    assert {a.cause for a in got} == {cause}
    assert len(server.requests) == 1


def test_after_failures_in_a_row_no_calls_then_one_trial(server: JudgeServer, make: Any, clockwork: Time) -> None:
    server.become("500")
    judge, book = make(retries=0, concurrency=1), Book()
    got = ask(judge, *[single(f"note {k}") for k in range(9)], book=book)
    assert {a.cause for a in got} == {Cause.UNAVAILABLE}
    assert len(server.requests) == 5
    assert judge.state.breaker == "open"
    assert "held back" in got[-1].detail
    assert len(book.begun) == 5
    clockwork.now += 59.0
    ask(judge)
    assert len(server.requests) == 5
    clockwork.now += 1.5
    assert judge.state.breaker == "half open"
    ask(judge, *[single(f"late {k}") for k in range(4)])
    assert len(server.requests) == 6
    assert judge.state.breaker == "open"
    clockwork.now += 61.0
    server.become("right")
    assert len({type(a) for a in ask(judge, single("x"), single("y"))}) == 1
    assert judge.state.breaker == "closed"


def test_questions_at_fault_do_not_open_the_breaker(server: JudgeServer, make: Any) -> None:
    server.become("no json")
    judge = make()
    ask(judge, *[single(f"note {k}") for k in range(9)])
    assert len(server.requests) == 9
    assert judge.state.breaker == "closed"
    assert dict(judge.state.rejected) == dict(judge.state.failures) == {"malformed": 9}


def test_a_server_that_is_no_judge_at_all_opens_the_breaker(server: JudgeServer, make: Any) -> None:
    server.become("html")
    judge = make(concurrency=1, api="chat")
    ask(judge, *[single(f"note {k}") for k in range(9)])
    assert len(server.requests) == 5
    assert judge.state.breaker == "open"
    assert judge.state.login == "ok"
    assert judge.state.capability == "chat/json_schema?"


def test_nobody_at_home_is_unavailable(make: Any, server: JudgeServer, clockwork: Time) -> None:
    judge = ModelJudge("http://127.0.0.1:1/v1", "m", retries=1, sleep=clockwork.sleep)
    book = Book()
    assert [a.cause for a in ask(judge, book=book)] == [Cause.UNAVAILABLE]
    assert book.outcomes == ["unavailable"] * 2
    judge.close()


def test_a_cap_keeps_the_connection_unmade(server: JudgeServer, make: Any) -> None:
    book = Book(cap=100)
    (got,) = ask(make(), book=book)
    assert got.cause is Cause.CAP
    assert "more than 100" in got.detail
    assert (server.requests, book.begun) == ([], [])


def test_a_cap_holds_between_attempts_and_halves(server: JudgeServer, make: Any) -> None:
    server.become("500")
    book = Book(cap=5000)
    (got,) = ask(make(max_output_tokens=3000), book=book)
    assert got.cause is Cause.CAP
    assert book.outcomes == ["unavailable"] * len(server.requests)
    assert 1 <= len(server.requests) <= 3


def test_what_the_ledger_raises_comes_out_and_leaves_nothing_behind(server: JudgeServer, make: Any) -> None:
    class Broken(Book):
        def begin(self, *given: Any) -> int | str:
            raise OSError("the disk is full")

    judge = make()
    with pytest.raises(OSError, match="disk is full"):
        ask(judge, *[single(f"note {k}") for k in range(6)], book=Broken())
    assert server.requests == []
    assert ask(judge) == [SAME]


def test_prompts_at_a_time_are_bounded_whoever_asks(server: JudgeServer, make: Any) -> None:
    now, most, lock = 0, 0, threading.Lock()

    def slow(call: Call) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.03)
        with lock:
            now -= 1
        right(call)

    server.become("right", slow)
    judge = make(concurrency=3)
    ask(judge)
    got: list[Any] = []
    threads = [
        threading.Thread(target=lambda t=t: got.extend(ask(judge, *[single(f"{t} {k}") for k in range(4)])))
        for t in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 16
    assert not any(isinstance(a, Unanswered) for a in got)
    assert most == 3


def test_it_may_be_asked_from_a_thread_with_a_running_loop(server: JudgeServer, make: Any) -> None:
    judge = make()

    async def inside() -> list[Any]:
        return ask(judge)

    assert asyncio.run(inside()) == [SAME]


def test_a_closed_judge_answers_nothing(server: JudgeServer, make: Any) -> None:
    judge = make()
    ask(judge)
    judge.close()
    judge.close()
    assert [a.cause for a in ask(judge)] == [Cause.NO_JUDGE]
    assert ask(judge, single("x" * 30_000))[0].cause is Cause.TOO_LARGE


@pytest.mark.parametrize("begun", range(7))
def test_closing_gives_up_what_is_on_its_way_and_ends_what_was_begun(
    server: JudgeServer, make: Any, begun: int
) -> None:
    class Slow(Book):
        def begin(self, *given: Any) -> int | str:
            time.sleep(0.01)
            return super().begin(*given)

        def end(self, *given: Any) -> None:
            time.sleep(0.01)
            super().end(*given)

    server.become("right", "hang")
    judge, book, got = make(), Slow(), []
    ask(judge)
    questions = [single(f"note {k}") for k in range(6)]
    thread = threading.Thread(target=lambda: got.extend(ask(judge, *questions, book=book)))
    thread.start()
    while len(book.begun) < min(begun, 4):
        time.sleep(0.001)
    time.sleep(0.002 * begun)
    judge.close()
    thread.join(2)
    assert {a.cause for a in got} <= {Cause.UNAVAILABLE, Cause.NO_JUDGE}
    assert len(got) == 6
    assert set(book.outcomes) <= {"unavailable"}


def test_a_check_is_one_small_question(server: JudgeServer, make: Any) -> None:
    book, judge = Book(), make()
    reply = judge.check(book)
    assert reply.answered
    assert reply.model == judge.model_id
    assert len(server.requests) == 1
    assert book.begun[0][3] < 3500
    server.become("401")
    assert judge.check(book).answer.cause is Cause.LOGIN


@pytest.mark.parametrize("seed", range(4))
def test_moods_in_any_order_raise_nothing_and_leave_nothing_open(server: JudgeServer, seed: int) -> None:
    dice = random.Random(seed)
    slow = {"hang", "slow head", "slow body", "flood", "announced flood"}
    moods = [m for m in MOODS if m not in slow or dice.random() < 0.1]
    server.become(*dice.choices(moods, k=120), "right")

    async def no_wait(seconds: float) -> None:
        await asyncio.sleep(0)

    judge = ModelJudge(
        server.url, "m", deadline_seconds=0.3, sleep=no_wait, breaker_seconds=0.0, retries=2, concurrency=4
    )
    book, questions = Book(), [pair(f"note {k}") if k % 3 else single(f"note {k}") for k in range(40)]
    for _ in range(12):
        replies = judge.answer(questions, book)
        assert len(replies) == len(questions)
        assert all(reply.tokens >= 0 and reply.model == judge.model_id for reply in replies)
    judge.close()
    assert len(book.outcomes) == judge.state.calls
    assert book.outcomes.count("ok") == judge.state.succeeded
    assert sum(judge.state.failures.values()) == judge.state.calls - judge.state.succeeded
