"""The ledger and its caps: what a judge may use in a run, a day and a whole store; and that no answer is paid for twice."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from judging import knowing, live, same

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.curation.spending import StoreLedger
from reverie.judge.questions import Cause, Relate, Unanswered, Verdict
from reverie.memory import Reverie
from reverie.opening import open_store
from reverie.settings import Settings
from reverie.testing import ScriptedJudge
from reverie.transfer import copying

NAMES = ["Harbour", "Meadow", "Falcon", "Cobalt", "Juniper", "Willow", "Saffron", "Granite", "Lagoon", "Tundra"]
QUESTIONS = len(NAMES) ** 2  # each short text against each long one: neither guard nor rule tells them apart
TOKENS = 60  # of one question
SETTINGS = {"candidate_similarity": 0.01, "neighbours": 50, "collapse_cap": 1000, "reconcile_cap": 1000}


@pytest.fixture
def opened(url: str, clock: FixedClock, ids: CountingIds):
    """Opens namespaces of one store, with these settings over those that make every pair a candidate."""
    made: list[Reverie] = []

    def open_(judge: Any, namespace: str = "default", **settings: Any) -> Reverie:
        given = {"embedder": "hashing", "clock": clock, "ids": ids, "judge": judge, "settings": SETTINGS | settings}
        made.append(reverie.open(url, namespace, **given))
        return made[-1]

    yield open_
    for mem in made:
        mem.close()


def unrelated(tokens: int = TOKENS, cost: int = 0, model: str = "scripted") -> ScriptedJudge:
    return ScriptedJudge(lambda q: Verdict.UNRELATED, tokens=tokens, cost=cost, model_id=model)


def short(name: str) -> str:
    return f"The {name} project ships its release notes together with the changelog."


def long(name: str) -> str:
    return f"Whenever the {name} project ships, the changelog goes out beside the release notes of that day."


def fill(mem: Reverie) -> None:
    """A hundred questions."""
    mem.remember_many([text for name in NAMES for text in (short(name), long(name))])


def spent(mem: Reverie) -> int:
    """Tokens of the day, as the store has them."""
    used: int = mem.doctor()["judge"]["tokens_today"]
    return used


def calls(mem: Reverie) -> list[Any]:
    with mem._scope.read() as r:
        return r.calls(10_000)


def asked_once(judge: ScriptedJudge) -> bool:
    pairs = Counter(frozenset((q.a.id, q.b.id)) for q in judge.asked if isinstance(q, Relate))
    return set(pairs.values()) == {1}


def test_a_night_of_ten_times_the_cap_stops_there_says_so_and_goes_on_the_next_time(
    opened: Any, clock: FixedClock
) -> None:
    cap = QUESTIONS * TOKENS // 10
    judge = unrelated()
    mem = opened(judge, judge_night_tokens=cap)
    fill(mem)
    for night in range(1, 11):
        run = mem.curate()
        assert run.status == "done" and not run.errors
        assert run.counts["judge_tokens"] == cap and run.counts["judge_answered"] == QUESTIONS // 10
        assert run.counts["judge_capped"] == QUESTIONS - night * QUESTIONS // 10
        health = mem.doctor()
        (asking,) = [
            r for r in mem.runs(1000) if r.cycle == "judge" and r.counts["judge_capped"] == run.counts["judge_capped"]
        ]
        assert asking.status == "done" and health["ok"]
        if night < 10:
            assert "a run is reached" in asking.errors["cap"]
            assert health["level"] == "yellow" and any("the cap of 600 tokens a run" in w for w in health["warnings"])
            assert health["judge"]["pairs_waiting"] == run.counts["judge_capped"]
        clock.advance(hours=1)
    assert len(judge.asked) == QUESTIONS and asked_once(judge) and spent(mem) == QUESTIONS * TOKENS
    assert health["level"] == "green" and health["judge"]["pairs_waiting"] == 0
    assert not mem.curate().counts["judge_questions"]


@pytest.mark.parametrize("cap", [0, TOKENS - 1, TOKENS, TOKENS + 1, 7 * TOKENS + 5])
def test_not_one_token_beyond_the_cap(opened: Any, cap: int) -> None:
    judge = unrelated()
    mem = opened(judge, judge_night_tokens=cap)
    fill(mem)
    run = mem.curate()
    assert len(judge.asked) == cap // TOKENS == run.counts["judge_calls"]
    assert run.counts["judge_tokens"] == spent(mem) <= cap
    assert run.counts["judge_capped"] == QUESTIONS - len(judge.asked) and run.status == "done"


def test_the_day_ends_at_midnight_utc(opened: Any, clock: FixedClock) -> None:
    judge = unrelated()
    mem = opened(judge, judge_night_tokens=10 * TOKENS, judge_day_tokens=25 * TOKENS)
    fill(mem)
    made = []
    for hour in (20, 21, 22, 23):
        clock.set(datetime(2026, 1, 1, hour, tzinfo=UTC))
        made.append(mem.curate().counts["judge_calls"])
    assert made == [10, 10, 5, 0] and spent(mem) == 25 * TOKENS
    assert any("tokens a day is reached" in w for w in mem.doctor()["warnings"]) and mem.doctor()["level"] == "yellow"
    clock.set(datetime(2026, 1, 1, 23, 59, 59, 999_999, tzinfo=UTC))
    assert mem.curate().counts["judge_calls"] == 0
    clock.set(datetime(2026, 1, 2, tzinfo=UTC))
    assert spent(mem) == 0 and mem.curate().counts["judge_calls"] == 10
    assert mem.doctor()["judge"]["calls_today"] == 10 and asked_once(judge)


def test_a_run_over_midnight_pays_each_call_to_its_day(opened: Any, clock: FixedClock) -> None:
    clock.set(datetime(2026, 1, 1, 23, 50, tzinfo=UTC))

    def answer(question: Any) -> Verdict:
        clock.advance(minutes=1)
        return Verdict.UNRELATED

    mem = opened(
        ScriptedJudge(answer, tokens=TOKENS),
        judge_night_tokens=40 * TOKENS,
        judge_day_tokens=20 * TOKENS,
        lease_seconds=86_400,
    )
    fill(mem)
    run = mem.curate()
    by_day = Counter(c.at.day for c in calls(mem))
    assert by_day == {1: 10, 2: 20} and run.counts["judge_calls"] == 30


def test_a_day_is_nearly_used_up(opened: Any) -> None:
    mem = opened(unrelated(), judge_day_tokens=QUESTIONS * TOKENS)
    fill(mem)
    assert mem.curate().counts["judge_capped"] == 0
    assert any("of the day are used" in w for w in mem.doctor()["warnings"])


def test_the_cost_of_a_day_is_one_for_all_namespaces_of_a_store(opened: Any, clock: FixedClock) -> None:
    cost = 30_000  # millionths
    judges = [unrelated(cost=cost), unrelated(cost=cost)]
    one, two = (
        opened(j, name, judge_day_cost=1.0, judge_night_tokens=20 * TOKENS)
        for j, name in zip(judges, "ab", strict=True)
    )
    fill(one)
    fill(two)
    assert one.curate().counts["judge_calls"] == 20 and two.curate().counts["judge_calls"] == 13  # 33 are 0.99
    for mem in (one, two):
        assert mem.curate().counts["judge_calls"] == 0
        assert any("1 a day is reached: 0.9900 spent by the whole store" in w for w in mem.doctor()["warnings"])
    clock.advance(days=1)
    assert one.curate().counts["judge_calls"] == 20
    assert [m.doctor()["judge"]["cost_today"] for m in (one, two)] == [0.6, 0.0]


def test_a_call_that_a_crash_cut_off_counts_at_its_estimate(opened: Any) -> None:
    def dies(question: Any) -> Verdict:
        raise RuntimeError("the process ends here")

    mem = opened(ScriptedJudge(dies, tokens=TOKENS, cost=5), judge_day_tokens=3 * TOKENS)
    fill(mem)
    assert mem.curate().errors["judge"]
    for _ in range(3):  # several steps ask in one run
        mem.curate()
        assert {c.outcome for c in calls(mem)} == {"open"} and spent(mem) == len(calls(mem)) * TOKENS
    run = mem.curate()
    assert run.counts["judge_calls"] == 0 and run.counts["judge_capped"] == QUESTIONS and spent(mem) == 3 * TOKENS
    assert mem.doctor()["judge"]["failed_today"] == 3


def test_calls_that_fail_are_paid_for(opened: Any) -> None:
    judge = ScriptedJudge(lambda q: Unanswered(Cause.UNAVAILABLE, "no"), tokens=TOKENS, cost=7)
    mem = opened(judge, judge_night_tokens=10 * TOKENS)
    fill(mem)
    run = mem.curate()
    assert run.counts["judge_calls"] == run.counts["judge_failed_calls"] == 10
    assert run.counts["judge_tokens"] == 10 * TOKENS and run.counts["judge_cost"] == 70
    assert {c.outcome for c in calls(mem)} == {"unavailable"} and mem.doctor()["judge"]["failed_today"] == 10


def reserve(ledgers: list[StoreLedger], tokens: int, each: int) -> int:
    """Threads that reserve as much as they get: how many calls were allowed."""
    got: list[int | str] = []
    ready = threading.Barrier(len(ledgers))

    def work(ledger: StoreLedger) -> None:
        ready.wait()
        for _ in range(each):
            number = ledger.begin("m", "Relate", 1, tokens, 3)
            got.append(number)
            if isinstance(number, int):
                ledger.end(number, "ok", tokens, 0, 3, 0.0)

    threads = [threading.Thread(target=work, args=(ledger,)) for ledger in ledgers]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    numbers = [n for n in got if isinstance(n, int)]
    assert len(got) == len(ledgers) * each and len(set(numbers)) == len(numbers)
    return len(numbers)


def test_eight_threads_of_one_run_never_pass_its_cap(opened: Any, clock: FixedClock) -> None:
    mem = opened(None, judge_night_tokens=995)
    ledger = StoreLedger(mem._scope, mem._store.spent_everywhere, mem.settings, clock, "r")
    assert reserve([ledger] * 8, 10, 25) == 99
    assert ledger.used == spent(mem) == 990 and ledger.refused


def test_eight_runs_at_once_never_pass_the_cap_of_the_day(opened: Any, clock: FixedClock) -> None:
    """Two planners may be at work in one namespace: planning takes no lease."""
    ledgers = []
    for n in range(8):
        mem = opened(None, judge_day_tokens=495)
        ledgers.append(StoreLedger(mem._scope, mem._store.spent_everywhere, mem.settings, clock, f"r{n}"))
    allowed = reserve(ledgers, 10, 12)
    assert allowed == 49 and spent(mem) == 490


def test_another_model_asks_again_and_the_same_texts_under_other_ids_do_not(opened: Any) -> None:
    first = unrelated(model="one")
    mem = opened(first)
    fill(mem)
    mem.curate()
    assert len(first.asked) == QUESTIONS
    for text in (short("Harbour"), long("Harbour")):
        (old,) = [m for m in mem.memories() if m.text == text]
        mem.forget(old.id)
        assert mem.remember(text).id != old.id
    run = mem.curate()
    assert len(first.asked) == QUESTIONS and run.counts["judge_remembered"] > 0 == run.counts["judge_questions"]
    mem.close()
    second = unrelated(model="two")
    mem = opened(second)
    for m in mem.memories():
        mem.forget(m.id)
        mem.restore(m.id)  # to be examined again
    mem.curate()
    assert len(second.asked) == QUESTIONS and len(first.asked) == QUESTIONS


def test_a_new_wording_is_a_new_question(opened: Any) -> None:
    judge = unrelated()
    mem = opened(judge)
    a = mem.remember(short("Harbour"))
    mem.remember(long("Harbour"))
    mem.curate()
    mem.revise(a.id, short("Harbour").replace("ships", "publishes"))
    mem.curate()
    assert len(judge.asked) == 2


def test_a_copy_of_the_store_carries_verdicts_pairs_and_calls(
    opened: Any, url: str, tmp_path: Path, clock: FixedClock
) -> None:
    judge = knowing(same(short("Harbour"), long("Harbour")))
    mem = opened(judge, judge_night_tokens=30 * TOKENS)
    fill(mem)
    mem.curate()
    assert len(judge.asked) == 30
    before = calls(mem), mem.doctor()["judge"]["pairs_waiting"], spent(mem), live(mem)
    mem.close()
    target = str(tmp_path / "copy.db")
    source, other = open_store(url, Settings()), open_store(target, Settings())
    try:
        list(copying.copy(source, other))
    finally:
        source.close()
        other.close()
    again = knowing(same(short("Harbour"), long("Harbour")))
    with reverie.open(
        target, embedder="hashing", clock=clock, ids=CountingIds(10**6), judge=again, settings=SETTINGS
    ) as there:
        assert (calls(there), there.doctor()["judge"]["pairs_waiting"], spent(there), live(there)) == before
        for m in there.memories():
            there.forget(m.id)
            there.restore(m.id)
        there.curate()
        known = {frozenset((q.a.text, q.b.text)) for q in judge.asked}
        asked = [frozenset((q.a.text, q.b.text)) for q in again.asked]
        assert asked and len(set(asked)) == len(asked) and not known & set(asked)
