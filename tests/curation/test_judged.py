"""What a judge's word does, and what it does not: merges, contradictions, answers of no use, what is remembered."""

from __future__ import annotations

import itertools

import pytest
from judging import knowing, live, same, states

import reverie
from reverie.judge.questions import Cause, Unanswered, Verdict
from reverie.testing import ScriptedJudge

SHORT = "The Harbour project ships its release notes together with the changelog."
LONG = "Whenever the Harbour project ships, the changelog goes out beside the release notes of that day."
OTHER = "The Harbour project keeps its release notes in the changelog folder for auditors."
WIDE = {"candidate_similarity": 0.01}


@pytest.fixture
def judged(url, clock, ids):
    """A namespace on each store with a judge of the test's choice; every pair is a candidate."""
    opened = []

    def open_(judge, **given):
        settings = WIDE | given.pop("settings", {})
        mem = reverie.open(url, embedder="hashing", clock=clock, ids=ids, judge=judge, settings=settings, **given)
        opened.append(mem)
        return mem

    yield open_
    for mem in opened:
        mem.close()


def test_same_merges_the_shorter_into_the_longer_and_says_who_said_so(judged):
    judge = knowing(same(SHORT, LONG))
    mem = judged(judge)
    a, b = mem.remember(SHORT).id, mem.remember(LONG).id
    run = mem.curate()
    assert states(mem) == {SHORT: "merged", LONG: "live"} and mem.get(a).merged_into == b
    (entry,) = [e for e in run.entries if e.move == "MergeInto"]
    assert entry.model == "scripted" and entry.tokens == 60 and entry.evidence["judge"] == "scripted"
    assert run.counts["judge_answered"] == 1 and run.counts["judge_tokens"] == 60
    assert [h.memory.id for h in mem.recall("Harbour release notes")] == [b]
    mem.undo(run.id)
    assert live(mem) == {SHORT, LONG}
    assert not [e for e in mem.curate().entries if e.move == "MergeInto"]  # what was undone is not done again


def test_a_second_pass_changes_nothing_and_asks_nothing(judged):
    judge = knowing(same(SHORT, LONG))
    mem = judged(judge)
    for text in (SHORT, LONG, OTHER, "Nadia waters the ferns on Mondays."):
        mem.remember(text)
    mem.curate()
    mem.curate()
    asked = len(judge.asked)
    export = list(mem.export())
    again = mem.curate()
    assert not again.entries and len(judge.asked) == asked and again.counts["judge_questions"] == 0
    assert list(mem.export()) == export
    mem.remember("Nadia feeds the cat at noon.")  # what is new is asked about, what is old is not
    mem.curate()
    assert all("cat" in q.a.text + q.b.text for q in judge.asked[asked:])


def test_what_is_not_the_same_is_remembered_by_texts_and_not_asked_again(judged):
    judge = knowing({})
    mem = judged(judge)
    a = mem.remember(SHORT).id
    mem.remember(LONG)
    mem.plan()
    asked = len(judge.asked)
    assert asked and states(mem) == {SHORT: "live", LONG: "live"}
    assert mem.curate().counts["judge_remembered"] == asked == len(judge.asked)
    mem.forget(a)
    mem.restore(a)  # it is examined again, but the verdict is known
    run = mem.curate()
    assert len(judge.asked) == asked and run.counts["judge_calls"] == 0


def test_no_answer_is_not_the_answer_no(judged):
    down = ScriptedJudge(lambda q: Unanswered(Cause.UNAVAILABLE, "connection refused"))
    mem = judged(down)
    mem.remember(SHORT)
    mem.remember(LONG)
    run = mem.curate()
    assert run.status == "failed" and "connection refused" in run.errors["judge"] and not run.skipped
    assert run.counts["curated"] == 2  # all that needs no judge was done
    health = mem.doctor()
    assert health["level"] == "red" and any("judge" in p for p in health["problems"])
    assert health["judge"]["pairs_waiting"] == 1
    for _ in range(5):
        mem.curate()
    assert mem.review() == []  # however often: the provider is at fault, not the pair
    mem.close()
    up = judged(knowing(same(SHORT, LONG)))
    run = up.curate()
    assert run.counts["MergeInto"] == 1 and run.status == "done"
    assert up.doctor()["level"] == "green" and up.doctor()["judge"]["pairs_waiting"] == 0


def test_answers_of_no_use_are_counted_and_end_with_a_person(judged):
    bad = ScriptedJudge(lambda q: Unanswered(Cause.MALFORMED, "no JSON"))
    mem = judged(bad, channel="person")
    mem.remember(SHORT)
    mem.remember(LONG)
    for tries in (1, 2):
        assert mem.curate().counts["judge_unusable"] == 1, tries
        assert not mem.review()
    mem.curate()
    (item,) = mem.review()
    assert item.what == "pair" and "3 tries" in item.reason
    assert len(bad.asked) == 3 and mem.curate().counts["judge_questions"] == 0 and len(bad.asked) == 3
    assert live(mem) == {SHORT, LONG}


def test_unsure_goes_to_a_person_and_not_duplicates_is_remembered(judged):
    mem = judged(knowing({frozenset((SHORT, LONG)): Verdict.UNSURE}), channel="person")
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    (item,) = mem.review()
    assert item.verdict == "unsure" and item.model == "scripted" and {m.text for m in item.memories} == {SHORT, LONG}
    mem.reject(item.id)
    assert mem.review() == [] and live(mem) == {SHORT, LONG}
    for m in mem.memories():
        mem.forget(m.id)
        mem.restore(m.id)
    mem.curate()
    assert mem.review() == [] and live(mem) == {SHORT, LONG}


def test_a_judge_cannot_merge_what_the_guard_blocks(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.SAME), channel="person", settings={"retire_trusted": "act"})
    mem.remember("The relay listens on port 5432.")
    mem.remember("The relay listens on port 5433.")
    mem.curate()
    assert set(states(mem).values()) == {"live"}
    assert [i.what for i in mem.review()] == ["pair"] and "guard" in mem.review()[0].reason


def test_a_judges_word_alone_retires_nothing_trusted(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.SAME), channel="person")
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    assert live(mem) == {SHORT, LONG}
    (item,) = mem.review()
    mem.accept(item.id)
    assert states(mem) == {SHORT: "merged", LONG: "live"} and not mem.review()


def test_a_trusted_memory_may_be_retired_by_a_judge_where_the_owner_says_so(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.SAME), channel="person", settings={"retire_trusted": "act"})
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    assert states(mem) == {SHORT: "merged", LONG: "live"}


def test_a_group_is_complete_and_never_a_chain(judged):
    """A is B, and B is C, says the judge; A and C differ in a colour: the three never end in one."""
    a = "The gardener keeps the blue chest by the wall."
    b = "By the wall stands the chest that the gardener keeps."
    c = "The gardener keeps the red chest beside that wall."
    mem = judged(ScriptedJudge(lambda q: Verdict.SAME))
    for text in (a, b, c):
        mem.remember(text)
    for _ in range(4):
        mem.curate()
    rows = {m.text: m for m in mem.memories(state=None)}
    assert not (rows[a].merged_into == rows[c].id or rows[c].merged_into == rows[a].id)
    ends = {t: rows[t].merged_into or rows[t].id for t in (a, c)}
    assert ends[a] != ends[c]


def test_the_cap_on_judged_pairs_holds_and_the_rest_waits_nearest_first(judged):
    judge = knowing({})
    mem = judged(judge, settings={"collapse_cap": 3, "reconcile_cap": 0, "neighbours": 50})
    words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty"]
    mem.remember_many(
        [{"text": f"The {a} {b} keeps a quiet lamp by the old door."} for a, b in itertools.pairwise(words)]
    )
    run = mem.curate()
    assert run.counts["judge_questions"] == 3
    with mem._scope.read() as r:
        waiting = sum(w.count for w in r.pair_counts() if w.step == "collapse")
    assert waiting > 3
    seen = 3
    while mem.curate().counts["judge_questions"]:
        seen += 3
    assert len({frozenset((q.a.id, q.b.id)) for q in judge.asked}) == len(judge.asked) >= waiting


def test_a_judge_that_raises_or_lies_about_its_replies_changes_nothing(judged):
    class Broken(ScriptedJudge):
        def answer(self, questions, ledger):
            raise RuntimeError("boom")

    class Short(ScriptedJudge):
        def answer(self, questions, ledger):
            return []

    for kind in (Broken, Short):
        mem = judged(kind(lambda q: None))
        mem.remember(SHORT)
        mem.remember(LONG)
        run = mem.curate()
        assert run.errors["judge"] and set(states(mem).values()) == {"live"}
        mem.close()


def test_planning_without_asking_asks_nothing_and_leaves_the_pairs_waiting(judged):
    judge = knowing(same(SHORT, LONG))
    mem = judged(judge)
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate(ask=False)
    assert not judge.asked and live(mem) == {SHORT, LONG} and not mem.review()
    assert mem.curate().counts["MergeInto"] == 1


def test_a_plan_asks_once_and_what_it_says_is_done(judged):
    judge = knowing(same(SHORT, LONG))
    mem = judged(judge)
    mem.remember(SHORT)
    mem.remember(LONG)
    plan = mem.plan()
    assert len(judge.asked) == 1 and set(states(mem).values()) == {"live"}
    assert [p.move.to_dict() for p in mem.plan().proposals] == [p.move.to_dict() for p in plan.proposals]
    run = mem.apply(plan)
    assert [e.detail["move"] for e in run.entries] == [p.move.to_dict() for p in plan.proposals]
    assert len(judge.asked) == 1
    (asked,) = [r for r in mem.runs() if r.cycle == "judge"]
    assert asked.counts["judge_calls"] == 1 and asked.status == "done"


def test_a_row_that_changed_while_the_judge_thought_is_skipped_and_looked_at_again(judged):
    mem = None

    def meanwhile(question):
        mem.pin(mem.memories()[0].id)
        return Verdict.SAME

    judge = ScriptedJudge(meanwhile)
    mem = judged(judge)
    mem.remember(SHORT)
    mem.remember(LONG)
    run = mem.curate()
    assert set(states(mem).values()) == {"live"} and not [e for e in run.entries if e.move == "MergeInto"]


def test_no_transaction_is_open_while_the_judge_is_asked(judged):
    mem = None

    def writes(question):
        mem.remember(f"Written while the judge was asked: {len(judge.asked)}.")
        return Verdict.UNRELATED

    judge = ScriptedJudge(writes)
    mem = judged(judge)
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    assert any(t.startswith("Written while") for t in live(mem))
