"""ModelJudge: a language model behind an OpenAI-compatible endpoint (extra `judge`).

It answers with what a model said only after `parse` and `checking` have let it through; whatever else happens is an
`Unanswered` with its cause. Its calls run in an event loop of its own, in a thread of its own, so that it may be asked from
any thread, one with a running loop included.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib.util
import random
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

from reverie.errors import InvalidInput
from reverie.judge.asking import Answers, Asker, Counters, Login, Run, Terms
from reverie.judge.breaker import Breaker, Position
from reverie.judge.endpoint import endpoint
from reverie.judge.ladder import Ladder
from reverie.judge.port import Ledger, Reply
from reverie.judge.prompts import PROMPTS
from reverie.judge.questions import ITEMS_MAX, Candidate, Cause, Question, Relate, Unanswered

__all__ = ["PROMPT_CHARS", "JudgeState", "ModelJudge"]

PROMPT_CHARS = 24_000
"""Characters of texts that one prompt may hold: about 6,000 tokens, which the windows of small local models hold."""


@dataclass(frozen=True, slots=True)
class JudgeState:
    """How a judge is doing, for health: no times, as it has no clock; the caller stamps them.

    login: of the last call that told. breaker: see `Breaker.position`. capability: the form in use, such as
    "responses/json_schema", with a question mark until a call in it was answered.
    calls: attempts made. failures: of them, by the word of their `Cause`. rejected: questions whose answer came and was
    not taken, likewise. last_cause, last_detail: of the last attempt, None and "" when it went well.
    """

    login: Login
    breaker: Position
    capability: str
    calls: int
    succeeded: int
    failures: Mapping[str, int]
    rejected: Mapping[str, int]
    last_cause: Cause | None
    last_detail: str


class ModelJudge:
    """A judge that asks a model.

    url, model: base address (up to but without `/responses` or `/chat/completions`) and the name the service knows.
    api_key: sent to that host alone, never shown; None sends none. api: "responses", "chat", or "auto" to find out.
    azure: the API version of an Azure resource (then ``url`` is the resource's and ``model`` the deployment), else False;
    Azure's `/openai/v1` address needs none.
    deadline_seconds: for one prompt, its retries and waits included, from when its turn comes. retries: after the first
    attempt, on 408, 409, 425, 429, 5xx and broken connections. concurrency: prompts at a time, whoever asks.
    max_output_tokens: of one reply, a reasoning model's thoughts included. price_in, price_out: for a million tokens.
    mask, known_people: personal data and these names are replaced on the way out and restored on the way in.
    breaker_failures, breaker_seconds: after so many failures in a row no call for so long.
    allow_http: plain http to another machine. proxy: address of an HTTP proxy; the environment's is not used.
    monotonic, sleep, randomness: seconds, waiting, and a number in [0, 1) for the waits; for tests.
    Raises InvalidInput for values out of these bounds, and where the extra is not installed.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        api: str = "auto",
        azure: str | Literal[False] = False,
        deadline_seconds: float = 60.0,
        retries: int = 3,
        concurrency: int = 4,
        max_output_tokens: int = 2000,
        price_in: float = 0.0,
        price_out: float = 0.0,
        mask: bool = True,
        known_people: Sequence[str] = (),
        breaker_failures: int = 5,
        breaker_seconds: float = 60.0,
        allow_http: bool = False,
        proxy: str | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        randomness: Callable[[], float] = random.random,
    ) -> None:
        place = endpoint(url, allow_http=allow_http)
        if not model.strip() or len(model) > 200 or not model.isprintable():
            raise InvalidInput("the model of a judge is a name of 1 to 200 characters")
        if api not in ("auto", "responses", "chat"):
            raise InvalidInput("the API of a judge is auto, responses or chat")
        if api_key is not None and (not api_key.isascii() or not api_key.isprintable() or " " in api_key):
            raise InvalidInput("the key of the judge holds characters that no HTTP header can carry")
        if not 0 < deadline_seconds <= 3600 or not 0 <= retries <= 20 or not 1 <= concurrency <= 64:
            raise InvalidInput("a judge has up to 3600 seconds, 0 to 20 retries and 1 to 64 prompts at a time")
        if not 16 <= max_output_tokens <= 200_000 or breaker_failures < 1 or not 0 <= breaker_seconds <= 86_400:
            raise InvalidInput("a judge's reply has 16 to 200,000 tokens; its breaker opens after 1 failure or more")
        if not 0 <= price_in <= 1e6 or not 0 <= price_out <= 1e6:
            raise InvalidInput("a price for a million tokens is 0 to 1,000,000")
        if importlib.util.find_spec("openai") is None:
            raise InvalidInput("a judge that asks a model needs the extra `judge` (the package openai)")
        self._url, self._key, self._azure, self._proxy = place.url, api_key or "", azure or "", proxy
        self._terms = Terms(
            model, f"{model}@{place.host}/prompts-{PROMPTS}", deadline_seconds, retries, max_output_tokens, price_in,
            price_out, mask, tuple(known_people), monotonic, sleep, randomness,
        )  # fmt: skip
        self._concurrency = concurrency
        self._ladder = Ladder(api)
        self._breaker = Breaker(breaker_failures, breaker_seconds, monotonic)
        self._counters = Counters()
        self._lock = threading.Lock()
        self._loop: _Loop | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"ModelJudge({self._url!r}, {self._terms.model!r}, api_key={'***' if self._key else None!r})"

    @property
    def model_id(self) -> str:
        """Model, host and version of the prompts, such as "gpt-5.4-nano@api.openai.com/prompts-1"."""
        return self._terms.model_id

    @property
    def state(self) -> JudgeState:
        """How it is doing now. Makes no call."""
        now, sure = self._counters, "" if self._ladder.settled else "?"
        return JudgeState(
            now.login, self._breaker.position, f"{self._ladder.form}{sure}", now.calls, now.succeeded,
            MappingProxyType(dict(now.failures)), MappingProxyType(dict(now.rejected)), now.last_cause, now.last_detail,
        )  # fmt: skip

    def answer(self, questions: Sequence[Question], ledger: Ledger) -> list[Reply]:
        """One reply to each question, in order; see `Judge.answer`. Blocks the thread that asks.

        Raises only what the ledger raises.
        """
        prompts = _prompts(questions)
        replies: dict[int, Reply] = {}
        if prompts:
            for places, (answers, tokens) in zip(prompts, self._asked(questions, prompts, ledger), strict=True):
                share, rest = divmod(tokens, len(places))
                for k, (place, answer) in enumerate(zip(places, answers, strict=True)):
                    replies[place] = Reply(answer, self.model_id, share + (k < rest))
        nobody = Reply(Unanswered(Cause.TOO_LARGE, "more text or more items than one prompt holds"), self.model_id)
        return [replies.get(place, nobody) for place in range(len(questions))]

    def check(self, ledger: Ledger) -> Reply:
        """Ask one small question, as `answer` would: for `doctor`. Any answer, be it a wrong one, is a working judge."""
        return self.answer([_HARMLESS], ledger)[0]

    def close(self) -> None:
        """Let go of the connections; prompts on their way are given up. Closing twice is fine; then nothing is answered."""
        with self._lock:
            self._closed, loop, self._loop = True, self._loop, None
        if loop is not None:
            loop.close()

    def _asked(
        self, questions: Sequence[Question], prompts: list[list[int]], ledger: Ledger
    ) -> list[tuple[Answers, int]]:
        with self._lock:
            closed = self._closed
            if not closed and (self._loop is None or not self._loop.running):  # none yet, or left behind by a fork
                self._loop = _Loop(self._asker)
            loop = self._loop
        if closed or loop is None:
            return _given_up(prompts, Unanswered(Cause.NO_JUDGE, "the judge is closed"))
        batches = [[questions[place] for place in places] for places in prompts]
        try:
            return loop.ask(batches, Run(ledger))
        except concurrent.futures.CancelledError:
            return _given_up(prompts, Unanswered(Cause.UNAVAILABLE, "the judge was closed meanwhile"))

    def _asker(self, threads: ThreadPoolExecutor) -> tuple[Asker, Callable[[], Awaitable[None]]]:
        from reverie.judge.client import Client  # late: the SDK takes a second to import

        client = Client(self._url, self._key, self._azure, self._proxy)
        asker = Asker(
            client, self._terms, self._ladder, self._breaker, self._counters, threads, self._concurrency
        )  # fmt: skip
        return asker, client.close


class _Loop:
    """An event loop in a thread of its own, with the connections that live in it."""

    def __init__(self, make: Callable[[ThreadPoolExecutor], tuple[Asker, Callable[[], Awaitable[None]]]]) -> None:
        self._threads = ThreadPoolExecutor(4, "reverie-judge-ledger")
        self._asker, self._close = make(self._threads)
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._open = True
        self._running: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._run, name="reverie-judge", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def ask(self, batches: list[list[Question]], run: Run) -> list[tuple[Answers, int]]:
        """Ask them all, and wait. Raises CancelledError (of concurrent.futures) when it is closed meanwhile."""
        with self._lock:  # so that what was handed over is either done or cancelled, and never left waiting
            if not self._open:
                raise concurrent.futures.CancelledError
            waiting = asyncio.run_coroutine_threadsafe(self._all(batches, run), self._loop)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()
            raise

    async def _all(self, batches: list[list[Question]], run: Run) -> list[tuple[Answers, int]]:
        if not self._open:  # it was handed over before that, and begins only now
            raise asyncio.CancelledError
        myself = asyncio.current_task()
        assert myself is not None
        self._running.add(myself)
        myself.add_done_callback(self._running.discard)
        tasks = [asyncio.ensure_future(self._asker.ask(batch, run)) for batch in batches]
        try:
            return await asyncio.gather(*tasks)
        except BaseException:  # a ledger that fails, or a caller that gives up: nothing goes on unseen
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    def close(self) -> None:
        with self._lock:
            was_open, self._open = self._open, False
        if was_open and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._wind_up())
        finally:
            self._threads.shutdown()  # before the loop is closed, as their last words go to it
            self._loop.close()

    async def _wind_up(self) -> None:
        left = list(self._running)
        for task in left:  # and through these what they have started, in the order that it wants to be ended in
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._close()


def _prompts(questions: Sequence[Question]) -> list[list[int]]:
    """Places of the questions that share a prompt; what is too large for any is in none of them."""
    prompts: list[list[int]] = []
    batch: list[int] = []
    held = 0
    for place, question in enumerate(questions):
        size = sum(len(c.text) for c in question.texts())
        if size > PROMPT_CHARS or any(
            len(value) > ITEMS_MAX for f in fields(question) if isinstance(value := getattr(question, f.name), tuple)
        ):
            continue
        if not isinstance(question, Relate):
            prompts.append([place])
            continue
        if not batch or len(batch) == ITEMS_MAX or held + size > PROMPT_CHARS:
            batch, held = [], 0
            prompts.append(batch)
        batch.append(place)
        held += size
    return prompts


def _given_up(prompts: list[list[int]], why: Unanswered) -> list[tuple[Answers, int]]:
    return [([why] * len(places), 0) for places in prompts]


_HARMLESS = Relate(
    Candidate("", "The weather is fine today.", b"\0"), Candidate("", "Today the weather is fine.", b"\1")
)
