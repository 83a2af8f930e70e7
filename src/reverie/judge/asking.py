"""One prompt, from its first attempt to its last: slots, ledger, breaker, ladder, retries, halving, one deadline.

Lives in one event loop. The ledger is foreign and may block on a disk, so it is called in threads.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from reverie.judge.breaker import Breaker
from reverie.judge.ladder import Ladder
from reverie.judge.parse import answers
from reverie.judge.port import Ledger
from reverie.judge.prompts import Prompt, estimate, prompt
from reverie.judge.questions import Answer, Cause, Question, Unanswered
from reverie.judge.reply import Lost, Outcome, outcome
from reverie.text.personal import Mask

if TYPE_CHECKING:
    from reverie.judge.client import Client

__all__ = ["Asker", "Counters", "Run", "Terms"]

Login = Literal["unknown", "ok", "failed"]

_REMEMBERED = 1000  # prompts that were cut off or refused and are not sent again
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds between attempts, doubled each time
_OF_PROVIDER = frozenset({Cause.LOGIN, Cause.UNAVAILABLE, Cause.RATE_LIMITED, Cause.TIMEOUT, Cause.MISCONFIGURED})


@dataclass(frozen=True, slots=True)
class Terms:
    """What a `ModelJudge` was told, as far as one prompt is concerned. Prices are for a million tokens."""

    model: str
    model_id: str
    deadline_seconds: float
    retries: int
    max_output_tokens: int
    price_in: float
    price_out: float
    mask: bool
    known_people: tuple[str, ...]
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    randomness: Callable[[], float]

    def cost(self, tokens_in: int, tokens_out: int) -> int:
        """Millionths of the currency, rounded up."""
        return math.ceil(tokens_in * self.price_in + tokens_out * self.price_out)


@dataclass(slots=True)
class Counters:
    """What became of the attempts so far. Written in the loop only."""

    calls: int = 0
    succeeded: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, int] = field(default_factory=dict)
    last_cause: Cause | None = None
    last_detail: str = ""
    login: Login = "unknown"

    def note(self, cause: Cause | None, detail: str) -> None:
        """Count one attempt."""
        self.calls += 1
        self.last_cause, self.last_detail = cause, detail
        if cause is None:
            self.succeeded += 1
        else:
            self.failures[cause.value] = self.failures.get(cause.value, 0) + 1

    def reject(self, unanswered: Sequence[Unanswered]) -> None:
        """Count the questions whose answer came and was not taken."""
        for given in unanswered:
            self.rejected[given.cause.value] = self.rejected.get(given.cause.value, 0) + 1


@dataclass(slots=True)
class Run:
    """One call of `ModelJudge.answer`: its ledger, and why nothing more is to be sent, once there is a reason."""

    ledger: Ledger
    halted: Unanswered | None = None


Answers = list[Answer | Unanswered]


@dataclass(slots=True)
class _Way:
    """A prompt on its way, with the halves that it may come apart into: when it must be answered, tokens used so far."""

    deadline: float
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    """What one request asks, and how what it says is read."""

    questions: Sequence[Question]
    asked: Prompt
    unmask: Callable[[str], str]
    run: Run
    way: _Way


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one attempt came to. reshaped: it is to be made again at once, in the form that the ladder now has."""

    got: Outcome
    answers: Answers = field(default_factory=list)
    reshaped: bool = False


class Asker:
    """Asks prompts of one endpoint. Everything here runs in the loop that made it."""

    def __init__(
        self,
        client: Client,
        terms: Terms,
        ladder: Ladder,
        breaker: Breaker,
        counters: Counters,
        threads: Executor,
        slots: int,
    ) -> None:
        self._client, self._terms, self._ladder = client, terms, ladder
        self._breaker, self._counters, self._threads = breaker, counters, threads
        self._slots = asyncio.Semaphore(slots)
        self._settling = asyncio.Lock()
        self._useless: OrderedDict[bytes, Cause] = OrderedDict()

    async def ask(self, questions: Sequence[Question], run: Run) -> tuple[Answers, int]:
        """Answers to the questions of one prompt, in order, and the tokens that all attempts for them used.

        The deadline begins with the slot, and holds for every attempt, wait and half together.
        """
        async with self._slots:
            way = _Way(self._terms.monotonic() + self._terms.deadline_seconds)
            return await self._whole_or_halves(questions, run, way), way.tokens

    async def _whole_or_halves(self, questions: Sequence[Question], run: Run, way: _Way) -> Answers:
        masked = Mask(self._terms.known_people) if self._terms.mask else None
        asked = prompt(questions, masked.mask if masked else str)
        part = _Part(questions, asked, masked.unmask if masked else str, run, way)
        known = self._useless.get(asked.digest)
        if known is not None:  # the same request would end in the same way
            last = _Attempt(Outcome(cause=known, detail="it was sent before, and is not sent again", divide=True))
        else:
            last = await self._attempts(part)
        got = last.got
        if got.cause is None:
            return last.answers
        if got.divide:
            self._useless[asked.digest] = got.cause
            while len(self._useless) > _REMEMBERED:
                self._useless.popitem(last=False)
            if len(questions) > 1:
                middle = len(questions) // 2
                first = await self._whole_or_halves(questions[:middle], run, way)
                return first + await self._whole_or_halves(questions[middle:], run, way)
        return [Unanswered(got.cause, got.detail)] * len(questions)

    async def _attempts(self, part: _Part) -> _Attempt:
        failed = 0
        while True:
            last = await self._attempt(part)
            if last.reshaped:
                continue  # at most once for each thing that an endpoint can refuse
            if not last.got.again:
                return last
            failed += 1
            wait = min(_FIRST_WAIT * 2.0 ** (failed - 1), _LONGEST_WAIT) * (0.5 + 0.5 * self._terms.randomness())
            if last.got.after is not None:
                wait = max(last.got.after, wait)
            if failed > self._terms.retries or wait >= part.way.deadline - self._terms.monotonic():
                return last
            await self._terms.sleep(wait)

    async def _attempt(self, part: _Part) -> _Attempt:
        # Until it is known what the endpoint takes and whether the key is right, one call at a time finds out.
        if not self._ladder.settled or self._counters.login != "ok":
            async with self._settling:
                return await self._allowed(part)
        return await self._allowed(part)

    async def _allowed(self, part: _Part) -> _Attempt:
        halted = part.run.halted
        if halted is not None:
            return _Attempt(Outcome(cause=halted.cause, detail=halted.detail))
        if part.way.deadline <= self._terms.monotonic():
            return _Attempt(Outcome(cause=Cause.TIMEOUT, detail="the time was up before the request could be sent"))
        held = self._breaker.enter()
        if held is not None:
            detail = f"calls are held back after failures in a row, for {held:.0f} s more"
            return _Attempt(Outcome(cause=Cause.UNAVAILABLE, detail=detail))
        number: int | str = ""
        try:
            number = await self._begin(part)
        finally:
            if isinstance(number, str):
                self._breaker.abandoned()
        if isinstance(number, str):
            return _Attempt(Outcome(cause=Cause.CAP, detail=number))
        return await self._booked(number, part)

    async def _begin(self, part: _Part) -> int | str:
        terms, tokens, most = self._terms, part.asked.size, self._terms.max_output_tokens
        given = (terms.model_id, part.asked.name, len(part.questions), tokens + most, terms.cost(tokens, most))
        ledger, booking = part.run.ledger, self._threads.submit(part.run.ledger.begin, *given)

        def unbook(made: Future[int | str]) -> None:
            if made.exception() is None and isinstance(number := made.result(), int):
                ledger.end(number, Cause.UNAVAILABLE.value, 0, 0, 0, 0.0)

        try:
            return await asyncio.shield(asyncio.wrap_future(booking))
        except asyncio.CancelledError:  # given up between booking and sending
            booking.add_done_callback(unbook)
            raise

    async def _booked(self, number: int, part: _Part) -> _Attempt:
        started, last = self._terms.monotonic(), None
        try:
            last = await self._exchange(part, max(part.way.deadline - started, 0.001))
        finally:  # also where the caller has given up: what was begun is ended
            got = last.got if last else Outcome()
            used_in = part.asked.size if got.tokens_in is None else got.tokens_in
            used_out = estimate(got.text) if got.tokens_out is None else got.tokens_out
            part.way.tokens += used_in + used_out
            word = self._note(last, part.run)
            took = self._terms.monotonic() - started
            cost = self._terms.cost(used_in, used_out)
            ending = self._threads.submit(part.run.ledger.end, number, word, used_in, used_out, cost, took)
            await asyncio.shield(asyncio.wrap_future(ending))  # one who gives up twice must not undo it
        return last

    async def _exchange(self, part: _Part, within: float) -> _Attempt:
        form = self._ladder.form
        body = form.body(part.asked, self._terms.model, self._terms.max_output_tokens)
        reply = await self._client.post(form.path, body, within)
        got = outcome(reply, form.api)
        if isinstance(reply, Lost):
            return _Attempt(got)
        if 200 <= reply.status < 300:
            self._ladder.settled = self._ladder.settled or not got.broken
            self._counters.login = "ok"
        elif got.cause is Cause.LOGIN:
            self._counters.login = "failed"
        if got.cause is None:
            return _Attempt(got, answers(part.questions, got.text, part.unmask))
        return _Attempt(got, reshaped=self._ladder.refused(form, reply.status, reply.body, got.broken))

    def _note(self, last: _Attempt | None, run: Run) -> str:
        """Count an attempt (None: given up on its way), and return the ledger's word for it."""
        if last is None:
            self._breaker.abandoned()
            return Cause.UNAVAILABLE.value
        got, cause, detail = last.got, last.got.cause, last.got.detail
        rejected = [a for a in last.answers if isinstance(a, Unanswered)]
        self._counters.reject(rejected)
        if rejected and len(rejected) == len(last.answers):  # paid for, and nothing in it
            cause, detail = rejected[0].cause, rejected[0].detail
        self._counters.note(cause, detail)
        if last.reshaped:
            self._breaker.abandoned()
        elif got.broken or got.cause in _OF_PROVIDER:
            self._breaker.failed()
        else:
            self._breaker.succeeded()
        if got.halt and got.cause is not None and not last.reshaped:
            run.halted = Unanswered(got.cause, got.detail)
        return cause.value if cause else "ok"
