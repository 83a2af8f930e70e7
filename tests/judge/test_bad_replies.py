"""Two thousand bad replies over real HTTP: no memory changes by them, the rest of the cycle is done, and health is red at once."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bad_replies
import pytest
from bad_replies import AROUND, INSIDE, Family, mood, right
from judge_server import JudgeServer

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.curation.executor import Run
from reverie.judge.model import ModelJudge
from reverie.judge.port import Reply
from reverie.judge.questions import Related, Unanswered, Verdict
from reverie.memory import Reverie

WANTED = {"sqlite": 950, "postgres": 750}  # replies of the two large tests; all together send more than 2,000
LONG = 22  # texts that want a gist: each is a prompt of its own
SETTINGS = {"candidate_similarity": 0.48, "wording": "condense"}
OPEN = (  # what neither the guard nor a rule decides
    "The Harbour project ships its release notes together with the changelog.",
    "Whenever the Harbour project ships, the changelog goes out beside the release notes of that day.",
    "The Harbour project keeps its release notes in the changelog folder for auditors.",
)
CLEARED = (
    ("The backup of the wiki runs at 04:30", "Please note that the backup of the wiki runs at 04:30"),
    ("Robin lives in Berlin", "Remember: Robin lives in Berlin"),
)
FADED = "Somebody mentioned a colour once"
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


def long_text(n: int) -> str:
    """Six hundred characters that have no word in common with those of another number, or hardly one."""
    rng = random.Random(n)
    told = [
        [rng.choice(_SYLLABLES) * (k % 2) + rng.choice(_SYLLABLES) + rng.choice(_SYLLABLES) for k in range(9)]
        for _ in range(12)
    ]
    return " ".join(f"{' '.join(t).capitalize()}." for t in told)


TEXTS = [*OPEN, *itertools.chain(*CLEARED), *(long_text(n) for n in range(LONG))]


@dataclass
class Arena:
    """One store, in which every round has a tenant of its own; and what a namespace looks like that no judge has touched."""

    url: str
    rounds: int = 0
    sent: int = 0
    families: Counter[str] = field(default_factory=Counter)
    calm: list[dict[str, dict[str, Any]]] = field(default_factory=list)

    def open(self, judge: ModelJudge | None) -> Reverie:
        """A new namespace with the same notes as all others, a hundred days later."""
        self.rounds += 1
        clock = FixedClock()
        mem = self.again(judge, clock, CountingIds())
        notes: list[dict[str, Any]] = [
            {"text": t, "channel": "person" if n % 2 else "agent"} for n, t in enumerate(TEXTS)
        ]
        mem.remember_many([*notes, {"text": FADED, "importance": 0.1}])
        clock.advance(days=100)
        return mem

    def again(self, judge: ModelJudge | None, clock: FixedClock, ids: CountingIds) -> Reverie:
        """The namespace of this round, as a process opens it that has just started."""
        given = {"embedder": "hashing", "clock": clock, "ids": ids, "settings": SETTINGS}
        return reverie.open(self.url, tenant=f"tenant {self.rounds}", judge=judge, **given)

    def reference(self, judge: ModelJudge) -> None:
        """Two namespaces that no judge was asked about: one has none, one may not ask."""
        for who in (None, judge):
            with self.open(who) as mem:
                mem.curate(ask=False)
                self.calm.append(memories(mem))


def memories(mem: Reverie) -> dict[str, dict[str, Any]]:
    """Memories, sightings and links, by place and type; without the ids of runs, of which those that ask use up more."""
    records = mem.export()
    assert not isinstance(records, int)
    kept = [r for r in records if r["type"] in ("memory", "sighting", "link")]
    return {f"{n} {r['type']}": {k: v for k, v in r.items() if k != "evidence"} for n, r in enumerate(kept)}


@pytest.fixture(scope="module", params=list(WANTED))
def arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    if request.param == "sqlite":
        made = Arena(str(tmp_path_factory.mktemp("bad") / "notes.db"))
        yield made
    else:
        server = request.getfixturevalue("server")
        made = Arena(server.database())
        yield made
        server.drop(made.url)
    print(f"{request.param}: {made.sent} bad replies in {made.rounds} namespaces: {dict(made.families)}")


@pytest.fixture
def endpoint() -> Iterator[JudgeServer]:
    with JudgeServer() as started:
        yield started


@pytest.fixture
def make(endpoint: JudgeServer) -> Iterator[Callable[..., ModelJudge]]:
    made: list[ModelJudge] = []

    async def sleep(seconds: float) -> None:
        """No test waits for a provider."""

    def build(api: str, **options: Any) -> ModelJudge:
        options = {"retries": 0, "breaker_failures": 10**6, "deadline_seconds": 20.0, "sleep": sleep} | options
        made.append(ModelJudge(endpoint.url, "test-model", api=api, price_in=1.0, price_out=2.0, **options))
        return made[-1]

    yield build
    for judge in made:
        judge.close()


def attempts(mem: Reverie) -> list[Any]:
    with mem._scope.read() as r:
        return r.calls(10_000)


def bad_round(arena: Arena, endpoint: JudgeServer, mem: Reverie, behaviour: Callable[[Any], None]) -> Run:
    """One cycle against a server that is no good, and everything that must hold after it."""
    before, known = len(endpoint.requests), len(attempts(mem))
    endpoint.become(behaviour)
    run = mem.curate()
    seen = len(endpoint.requests) - before
    arena.sent += seen
    assert seen, "the judge was not asked at all"
    # the memories
    with_none, not_asked = arena.calm
    now = memories(mem)
    assert now.keys() == with_none.keys()
    changed = [(now[n], with_none[n]) for n in now if now[n] not in (with_none[n], not_asked[n])]
    assert not changed, [
        (k, *(c[k] for c in changed[0])) for k in changed[0][0] if changed[0][0][k] != changed[0][1][k]
    ]
    assert not [e for e in mem.journal(limit=10_000) if e.model], "a move has a judge's name on it"
    assert {m.text: m.state.value for m in mem.memories(state=None) if m.text in OPEN} == dict.fromkeys(OPEN, "live")
    # the rest of the cycle
    assert mem.stats()["memories"]["merged"] == len(CLEARED) and mem.stats()["memories"]["archived"] == 1
    assert all(m.confidence.value == "stale" for m in mem.memories())
    assert set(run.errors) == {"judge"} and run.status == "failed" and not run.skipped and not run.parked
    # the alarm
    health = mem.doctor()
    assert health["level"] == "red" and any("judge" in p for p in health["problems"]), health["problems"]
    assert len(health["problems"]) == 1
    # the books
    fresh = attempts(mem)[: len(attempts(mem)) - known]
    if all(c.outcome == "timeout" for c in fresh):  # what was given up on its way has perhaps not been seen
        seen = max(seen, len(fresh))
    assert len(fresh) == seen == run.counts["judge_calls"]
    assert all(
        c.outcome not in ("open", "ok") and c.tokens_in >= 0 and c.tokens_out >= 0 and c.cost >= 0 for c in fresh
    )
    assert run.counts["judge_failed_calls"] == seen and run.counts["judge_answered"] == 0
    assert run.counts["judge_tokens"] == sum(c.tokens_in + c.tokens_out for c in fresh)
    assert run.counts["judge_cost"] == sum(c.cost for c in fresh)
    asked = run.counts["judge_questions"]
    assert asked == run.counts["judge_unusable"] + run.counts["judge_unreached"] > 0
    assert health["judge"]["failed_today"] == health["judge"]["calls_today"] == len(attempts(mem))
    return run


def good_round(endpoint: JudgeServer, mem: Reverie) -> None:
    """The server has come to its senses: what waited is answered, and nothing is wrong any more."""
    endpoint.become(right)
    run = mem.curate()
    assert run.status == "done" and not run.errors, run.errors
    health = mem.doctor()
    assert health["level"] == "green", (health["problems"], health["warnings"])
    assert health["judge"]["pairs_waiting"] == 0
    assert run.counts["judge_unusable"] == run.counts["judge_unreached"] == 0
    assert [e for e in run.entries if e.move == "MergeInto" and e.model], "the pairs that waited were not answered"
    assert not mem.plan()


def rounds(
    arena: Arena, endpoint: JudgeServer, make: Any, families: tuple[Family, ...], seed: int, wanted: int
) -> None:
    """Families in turn, each over both APIs, until so many replies were sent."""
    rng, judges = random.Random(seed), itertools.cycle([make("responses"), make("chat")])
    if not arena.calm:
        arena.reference(next(judges))
    target = arena.sent + wanted
    for family in itertools.cycle(families):
        if arena.sent >= target:
            return
        before = arena.sent
        with arena.open(next(judges)) as mem:
            for _ in range(1 if family in (*INSIDE, bad_replies.flood) else 2):
                bad_round(arena, endpoint, mem, mood(family, rng))
            good_round(endpoint, mem)
        arena.families[family.__name__] += arena.sent - before


def test_replies_of_no_use_change_nothing(arena: Arena, endpoint: JudgeServer, make: Any, request: Any) -> None:
    wanted = WANTED[request.node.callspec.params["arena"]]
    rounds(arena, endpoint, make, INSIDE, 1, wanted // 2)


def test_providers_that_fail_change_nothing(arena: Arena, endpoint: JudgeServer, make: Any, request: Any) -> None:
    wanted = WANTED[request.node.callspec.params["arena"]]
    rounds(arena, endpoint, make, AROUND, 2, wanted // 2)


def test_the_worst_of_both_mixed_in_one_run(arena: Arena, endpoint: JudgeServer, make: Any) -> None:
    rng = random.Random(3)
    both = [*INSIDE, *AROUND]
    rounds(arena, endpoint, make, (lambda _, call: rng.choice(both)(rng, call),), 3, 60)


def test_a_key_that_is_wrong_takes_one_request_a_step(arena: Arena, endpoint: JudgeServer, make: Any) -> None:
    judge = make("chat")
    if not arena.calm:
        arena.reference(judge)
    with arena.open(judge) as mem:
        for _ in range(5):
            run = bad_round(arena, endpoint, mem, mood(bad_replies.login, random.Random(4)))
            assert run.counts["judge_calls"] <= 2 and "login" in run.errors["judge"]
        assert mem.doctor()["judge"]["login"] == "failed"
        good_round(endpoint, mem)
        assert mem.doctor()["judge"]["login"] == "ok"


def test_fifty_megabytes_say_nothing_against_the_question(arena: Arena, endpoint: JudgeServer, make: Any) -> None:
    """It is the provider that sends them, so the pairs go on waiting, and are answered once it has come to its senses."""
    judge = make("responses")
    if not arena.calm:
        arena.reference(judge)
    with arena.open(judge) as mem:
        bad_round(arena, endpoint, mem, mood(bad_replies.flood, random.Random(4)))
        assert not mem.review(), [item.reason for item in mem.review()]
        good_round(endpoint, mem)


def test_health_does_not_stay_red_because_there_is_nothing_left_to_ask(
    arena: Arena, endpoint: JudgeServer, make: Any
) -> None:
    judge = make("responses")
    if not arena.calm:
        arena.reference(judge)
    with arena.open(judge) as mem:
        for _ in range(3):
            bad_round(arena, endpoint, mem, mood(bad_replies.prose, random.Random(4)))
        assert len(mem.review()) == 2 and not mem.plan()
        endpoint.become(right)
        assert mem.curate().status == "done"
        assert mem.doctor()["level"] != "red", mem.doctor()["problems"]


def test_what_was_cut_short_is_not_sent_again_before_the_process_is_a_new_one(
    arena: Arena, endpoint: JudgeServer, make: Any
) -> None:
    judge = make("responses")
    if not arena.calm:
        arena.reference(judge)
    with arena.open(judge) as mem:
        bad_round(arena, endpoint, mem, mood(bad_replies.cut_short, random.Random(8)))
        endpoint.become(right)
        asked = len(endpoint.requests)
        mem.curate()
        assert len(endpoint.requests) == asked and mem.doctor()["judge"]["pairs_waiting"]
        clock = mem._clock
    with arena.again(make("responses"), clock, CountingIds(10_000)) as mem:
        good_round(endpoint, mem)


@pytest.mark.parametrize("family", [bad_replies.hang, bad_replies.drip], ids=lambda f: f.__name__)
def test_a_server_that_takes_its_time_ends_at_the_deadline(
    arena: Arena, endpoint: JudgeServer, make: Any, family: Family
) -> None:
    judge = make("chat", deadline_seconds=0.3, breaker_failures=3, breaker_seconds=0.0)
    if not arena.calm:
        arena.reference(judge)
    with arena.open(judge) as mem:
        mem.set("condense_cap", 3)
        run = bad_round(arena, endpoint, mem, mood(family, random.Random(5)))
        assert "timeout" in run.errors["judge"]


def test_retries_are_counted_each_and_the_breaker_stops_them(arena: Arena, endpoint: JudgeServer, make: Any) -> None:
    judge = make("chat", retries=2, breaker_failures=8, breaker_seconds=3600.0)
    if not arena.calm:
        arena.reference(judge)
    with arena.open(judge) as mem:
        run = bad_round(arena, endpoint, mem, mood(bad_replies.waiting, random.Random(6)))
        assert run.counts["judge_calls"] == 8 and run.counts["judge_unreached"] == run.counts["judge_questions"] > 8
        assert mem.doctor()["judge"]["breaker"] == "open"
        again = mem.curate()  # no call is made at all, and that is told as loudly
        assert again.counts["judge_calls"] == 0 and "held back" in again.errors["judge"]
        assert mem.doctor()["level"] == "red"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_thousands_more(arena: Arena, endpoint: JudgeServer, make: Any, seed: int) -> None:
    rounds(arena, endpoint, make, INSIDE + AROUND, seed, 1200)


RUBBISH: dict[str, Callable[[int], Any]] = {
    "nothing": lambda n: None,
    "a list of nothing": lambda n: [None] * n,
    "a generator": lambda n: (Reply(Related(Verdict.UNSURE)) for _ in range(n)),
    "texts": lambda n: ["same"] * n,
    "a verdict that is a word": lambda n: [Reply(Related("same"))] * n,  # type: ignore[arg-type]
    "a verdict that is none": lambda n: [Reply(Related(None))] * n,  # type: ignore[arg-type]
    "a cause that is a word": lambda n: [Reply(Unanswered("boom"))] * n,  # type: ignore[arg-type]
    "tokens that are none": lambda n: [Reply(Related(Verdict.UNSURE), tokens=None)] * n,  # type: ignore[arg-type]
    "a name that nothing can store": lambda n: [Reply(Related(Verdict.UNSURE), "m\ud800")] * n,
}


@pytest.mark.parametrize("what", list(RUBBISH))
def test_a_judge_that_hands_over_rubbish_does_not_stop_the_rest(arena: Arena, what: str) -> None:
    """Not a reply but the judge itself is bad: somebody's own implementation."""

    class Own:
        model_id = "own"

        def answer(self, questions: Any, ledger: Any) -> Any:
            return RUBBISH[what](len(questions))

        def close(self) -> None:
            """Nothing to let go of."""

    with arena.open(Own()) as mem:  # type: ignore[arg-type]
        run = mem.curate()
        assert set(run.errors) == {"judge"}, run.errors
        assert mem.stats()["memories"]["merged"] == len(CLEARED) and mem.stats()["memories"]["archived"] == 1
        assert mem.doctor()["level"] == "red"
