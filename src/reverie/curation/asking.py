"""Asking a judge outside of any transaction: what is remembered is not asked again, and every answer is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from reverie.clock import Clock, Ids
from reverie.curation.spending import KEPT, StoreLedger
from reverie.errors import StoreError
from reverie.judge import codec
from reverie.judge.checking import checked
from reverie.judge.port import Judge, Reply
from reverie.judge.questions import ANSWERS, Cause, Question, Unanswered
from reverie.model import RunRecord
from reverie.settings import Settings
from reverie.store import crashpoints
from reverie.store.port import AbstractReads, ScopeStore
from reverie.store.verbs import Tx

FIGURES = (
    "judge_questions",  # put to the judge in this run
    "judge_remembered",  # answered by a verdict of an earlier run: free
    "judge_answered",
    "judge_unusable",  # answered, but not so that it could be used
    "judge_unreached",  # the provider gave no answer
    "judge_capped",  # not asked, as a cap would have been passed
    "judge_calls",
    "judge_failed_calls",
    "judge_tokens",
    "judge_cost",  # in millionths
)


class Asker:
    """Asks on behalf of one run of one scope.

    Args:
        judge: who answers. everywhere: see `StoreLedger`. The run stands in the journal under its own id as "judge" where
        anything was asked that was not remembered.
    """

    def __init__(
        self, judge: Judge, store: ScopeStore, everywhere: Callable[[datetime], int], settings: Settings, clock: Clock,
        ids: Ids, actor: str,
    ) -> None:  # fmt: skip
        self._judge = judge
        self._store = store
        self._clock = clock
        self._started = clock.now()
        self._run = ids.new()
        self._actor = actor
        self._ledger = StoreLedger(store, everywhere, settings, clock, self._run)
        self._counts: Counter[str] = Counter()
        self._causes: Counter[Cause] = Counter()
        self._details: dict[Cause, str] = {}

    def remembered(self, reads: AbstractReads, questions: Sequence[Question]) -> dict[Question, Reply]:
        """Replies that an earlier run has got, from the store."""
        keys: dict[bytes, list[Question]] = {}
        for q in questions:  # equal texts under other ids share a key
            keys.setdefault(codec.key(q, self._judge.model_id), []).append(q)
        found: dict[Question, Reply] = {}
        for key, (text, model) in reads.verdicts(keys).items():
            for q in keys[key]:
                answer = codec.from_json(q, text)
                if answer is not None and not isinstance(checked(q, answer), Unanswered):
                    found[q] = Reply(answer, model)
        self._counts["judge_remembered"] += len(found)
        return found

    def ask(self, questions: Sequence[Question]) -> dict[Question, Reply]:
        """Ask, check, remember what is an answer, and count what is not. Raises StoreError alone."""
        model = self._judge.model_id
        given: Sequence[object]
        try:
            given = list(self._judge.answer(questions, self._ledger))
        except StoreError:
            raise  # the ledger's: without it nothing may be asked
        except Exception as error:  # noqa: BLE001 - a judge that somebody brings may raise anything; nothing is taken from it
            given = [Reply(Unanswered(Cause.UNAVAILABLE, f"the judge raised {type(error).__name__}"), model)] * len(
                questions
            )
        if len(given) != len(questions):
            wrong = Unanswered(Cause.MALFORMED, f"{len(given)} replies to {len(questions)} questions")
            given = [Reply(wrong, model)] * len(questions)
        found = {}
        keep = []
        for question, one in zip(questions, given, strict=True):
            reply = _taken(question, one, model)
            found[question] = reply
            self._count(reply)
            if not isinstance(reply.answer, Unanswered):
                hashes = [c.text_hash for c in question.texts()]
                key = codec.key(question, self._judge.model_id)
                keep.append((key, hashes, codec.to_json(reply.answer), reply.model))
        crashpoints.hit("judge.before_verdicts")
        if keep:
            self._store.transact(lambda tx: tx.keep_verdicts(keep, self._clock.now()))
        return found

    def probe(self) -> None:
        """Where the judge failed last and nothing was asked in this run: see whether it is back, or health would stay red."""
        check = getattr(self._judge, "check", None)
        if self._counts["judge_questions"]:
            return
        with self._store.read() as r:
            failing = any(s.cycle == "judge" and s.failing for s in r.steps())
        if failing and check is None:  # it cannot be tried: whether it is back, the next question will tell
            self._store.transact(lambda tx: tx.note_steps("judge", {"cycle": None}, self._clock.now()))
        elif failing and check is not None:
            try:
                reply = check(self._ledger)
            except StoreError:
                raise
            except Exception as error:  # noqa: BLE001 - as in `ask`
                reply = Reply(Unanswered(Cause.UNAVAILABLE, f"the judge raised {type(error).__name__}"))
            self._count(reply if isinstance(reply, Reply) else Reply(Unanswered(Cause.MALFORMED), self._judge.model_id))

    def _count(self, reply: Reply) -> None:
        self._counts["judge_questions"] += 1
        if not isinstance(reply.answer, Unanswered):
            self._counts["judge_answered"] += 1
            return
        cause = reply.answer.cause
        self._causes[cause] += 1
        self._details.setdefault(cause, reply.answer.detail)
        known = {Cause.CAP: "judge_capped"}
        self._counts[known.get(cause, "judge_unreached" if cause.of_provider else "judge_unusable")] += 1

    @property
    def counts(self) -> Mapping[str, int]:
        """Every figure of `FIGURES`, zeros too."""
        told = {
            "judge_calls": self._ledger.calls, "judge_failed_calls": self._ledger.failed,
            "judge_tokens": self._ledger.used, "judge_cost": self._ledger.cost,
        }  # fmt: skip
        return {name: self._counts[name] for name in FIGURES} | told

    @property
    def trouble(self) -> str | None:
        """What is wrong with the judge, or None: it could not be reached, or half of its answers or more are of no use.

        A cap that was reached is not wrong: it is told by ``judge_capped``.
        """
        bad = {c: n for c, n in self._causes.items() if c is not Cause.CAP}
        asked = self._counts["judge_questions"] - self._causes[Cause.CAP]
        provider = any(c.of_provider for c in bad)
        if not bad or not (provider or 2 * sum(bad.values()) >= asked):
            return None
        told = [
            f"{n} {c.value}" + (f" ({self._details[c]})" if self._details[c] else "") for c, n in sorted(bad.items())
        ]
        return f"{sum(bad.values())} of {asked} questions have no usable answer: {', '.join(told)}"

    @property
    def capped(self) -> str | None:
        """Which cap ended the asking, or None."""
        return self._ledger.refused

    def finish(self) -> None:
        """Write the run to the journal, if anything was asked; the health of the judge with it."""
        self.probe()
        if not self._counts["judge_questions"]:
            return
        now, trouble = self._clock.now(), self.trouble
        errors = ({"judge": trouble} if trouble else {}) | ({"cap": self.capped} if self.capped else {})
        run = RunRecord(
            self._run, "judge", self._actor, self._started, now, "failed" if trouble else "done", dict(self.counts), errors
        )  # fmt: skip

        def work(tx: Tx) -> None:
            tx.start_run(run)
            if trouble or self._counts["judge_answered"]:
                tx.note_steps("judge", {"cycle": trouble}, now)
            tx.forget_calls(now - KEPT)

        self._store.transact(work)


def _taken(question: Question, given: object, model: str) -> Reply:
    """A reply in which every part is what it says it is; whatever else somebody's judge hands over is no answer. Total."""
    try:
        if not isinstance(given, Reply) or type(given.tokens) is not int or not isinstance(given.model, str):
            raise TypeError("no reply")
        given.model.encode()
        answer = given.answer
        if isinstance(answer, Unanswered):
            if not isinstance(answer.cause, Cause) or not isinstance(answer.detail, str):
                raise TypeError("no cause")
        elif type(answer) is ANSWERS[type(question)] and repr(codec.from_json(question, codec.to_json(answer))) != repr(
            answer
        ):
            raise TypeError("fields of other types")
        return Reply(checked(question, answer), given.model or model, max(0, given.tokens))
    except Exception as error:  # noqa: BLE001 - as above: nothing is taken from it
        return Reply(
            Unanswered(Cause.MALFORMED, f"the judge handed over what is no reply: {type(error).__name__}"), model
        )
