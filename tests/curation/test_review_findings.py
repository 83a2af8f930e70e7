"""Faults that a review of the judge's part found. Each test fails on 0be910b and says what should be."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
from datetime import timedelta

import pytest
from judging import knowing, live, states

import reverie
from reverie.errors import PolicyRefusal
from reverie.judge.questions import Cause, Unanswered, Verdict
from reverie.testing import ScriptedJudge

SHORT = "The Harbour project ships its release notes together with the changelog."
LONG = "Whenever the Harbour project ships, the changelog goes out beside the release notes of that day."
THIRD = "Beside the changelog, the release notes of the Harbour project go out whenever it ships."
NOTED = "Note: the Harbour project ships its release notes together with the changelog"
WIDE = {"candidate_similarity": 0.01}
TIGHT = {"blast_run_rows": 1, "blast_run_share": 0.0001}


@pytest.fixture
def judged(url, clock, ids):
    opened = []

    def open_(judge=None, **given):
        settings = WIDE | given.pop("settings", {})
        mem = reverie.open(url, embedder="hashing", clock=clock, ids=ids, judge=judge, settings=settings, **given)
        opened.append(mem)
        return mem

    yield open_
    for mem in opened:
        mem.close()


def pairs(mem, step="collapse"):
    with mem._scope.read() as r:
        return {frozenset((p.low, p.high)) for p in r.pairs(step, 1000)}


def relays(mem):
    for port in (543, 643):
        for i in range(4):
            mem.remember(f"The relay number {i} in hall {'ABCD'[i]} listens on port {port}{i}.")


# 0
def test_a_verdict_given_on_the_command_line_is_the_verdict(tmp_path):
    db = ["--db", str(tmp_path / "s.db"), "--embedder", "hashing"]

    def cli(*words):
        from reverie.doors.cli.verbs import app

        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
            app([*db, "--json", *words])
        return json.loads(out.getvalue())

    cli("remember", "The relay listens on port 5432.")
    cli("remember", "The relay listens on port 5433.")
    cli("curate")
    cli("review", "accept", cli("review")[0]["id"], "--verdict", "unrelated")
    assert cli("doctor")["memories"]["live"] == 2
    assert "unrelated" not in {r["actor"] for r in cli("runs")}


# 1
def test_what_is_written_while_the_judge_is_asked_is_compared_in_the_next_pass(judged):
    done = []

    def meanwhile(question):
        if not done:
            done.append(mem.remember(THIRD).id)
            done.append(mem.remember("Note: The relay listens on port 5432").id)
        return Verdict.UNRELATED

    judge = ScriptedJudge(meanwhile)
    mem = judged(judge, settings={"restate_similarity": 1.0})
    for text in (SHORT, LONG, "The relay listens on port 5432."):
        mem.remember(text)
    mem.curate()
    mem.curate()
    assert sum("relay" in t for t in live(mem)) == 1  # a copy that the guard clears, with no judge at all
    assert any(THIRD in (q.a.text, q.b.text) for q in judge.asked)


def test_what_comes_back_while_the_judge_is_asked_is_compared_in_the_next_pass(judged):
    done = []

    def meanwhile(question):
        if not done:
            done.append(1)
            mem.restore(third)
        return Verdict.UNRELATED

    judge = ScriptedJudge(meanwhile)
    mem = judged(judge)
    third = mem.remember(THIRD).id
    mem.forget(third)
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    mem.curate()
    assert any(THIRD in (q.a.text, q.b.text) for q in judge.asked)


# 2
@pytest.mark.parametrize("when", ["written", "reclassified while it waits"])
def test_a_judge_does_not_supersede_experiences(judged, clock, when):
    mem = judged(ScriptedJudge(lambda q: Verdict.CONTRADICTS))
    a, b = ("The relay listens on port 5432.", "The relay listens on port 5433.")
    if when == "written":
        a, b = SHORT, LONG
    kind = "episode" if when == "written" else "fact"
    one = mem.remember(a, kind=kind).id
    clock.advance(days=1)
    two = mem.remember(b, kind=kind).id
    if when != "written":
        mem.curate(ask=False)
        mem.reclassify(one, "episode")
        mem.reclassify(two, "episode")
    mem.curate()
    assert set(states(mem).values()) == {"live"}


# 3
@pytest.mark.parametrize("by", ["run", "entry"])
def test_undo_brings_back_the_pairs_of_the_row_that_it_brings_back(judged, by):
    mem = judged(settings={"restate_similarity": 1.0})
    a, b = mem.remember(SHORT[:-1]).id, mem.remember(LONG).id
    mem.curate()
    assert frozenset((a, b)) in pairs(mem)
    mem.remember(NOTED + "!")
    run = mem.curate()
    (entry,) = [e for e in run.entries if e.move == "MergeInto"]
    mem.undo(run.id if by == "run" else entry.n)
    assert mem.get(a).state.value == "live"
    mem.curate()
    assert frozenset((a, b)) in pairs(mem)  # "a memory that comes back is compared again" (decision 14)


def test_a_review_pair_comes_back_with_its_row(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.UNSURE), channel="person", settings={"restate_similarity": 1.0})
    a, b = mem.remember(SHORT[:-1]).id, mem.remember(LONG).id
    mem.curate()
    mem.remember(NOTED + "!")
    mem.undo(mem.curate().id)
    mem.curate()
    assert {a, b} in [{m.id for m in i.memories} for i in mem.review()]


# 4
def test_the_rejection_of_a_pair_is_journaled_and_can_be_undone(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.UNSURE), channel="person")
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    mem.reject(mem.review()[0].id)
    run = mem.runs(1)[0]
    assert run.cycle == "reject" and mem.journal(run=run.id)
    mem.undo(run.id)
    mem.curate()
    assert len(mem.review()) == 1


def test_undoing_the_undo_of_a_flag_puts_it_under_review_again(judged):
    mem = judged(channel="person")
    mem.remember("The relay listens on port 5432.")
    mem.remember("The relay listens on port 5433.")
    run = mem.curate()
    assert len(mem.review()) == 1
    mem.undo(mem.undo(run.id).id)
    mem.curate()
    assert len(mem.review()) == 1


# 5
def test_a_contradiction_that_is_skipped_when_a_parked_plan_is_approved_waits_on(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.CONTRADICTS), settings=TIGHT)
    relays(mem)
    (parked,) = mem.curate().parked
    mem.pin(mem.parked()[0].plan["steps"][0]["proposals"][0]["move"]["id"])
    assert mem.apply(parked).skipped
    run = mem.curate()
    waits = mem.doctor()["memories"]["uncurated"] + mem.doctor()["judge"]["pairs_waiting"] + len(mem.review())
    assert waits or run.counts["judge_remembered"]


def test_an_old_plan_does_not_bring_back_a_pair_that_a_person_has_rejected(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.UNSURE), channel="person")
    mem.remember(SHORT)
    mem.remember(LONG)
    plan = mem.plan()
    mem.apply(plan)
    mem.reject(mem.review()[0].id)
    mem.apply(plan)
    assert mem.review() == []


# 6
def test_gists_that_were_undone_do_not_hold_up_those_of_other_rows(judged):
    mem = judged(settings={"condense_cap": 2})
    for i in range(4):
        mem.remember(f"Topic{i} " + " ".join(f"w{i}x{k}" for k in range(150)))
    mem.undo(mem.curate().id)
    for _ in range(3):
        mem.curate()
    assert sum(m.gist is not None for m in mem.memories()) == 2


# 7
def test_a_store_whose_judge_was_taken_away_is_not_red_for_good(judged):
    mem = judged(ScriptedJudge(lambda q: Unanswered(Cause.UNAVAILABLE, "down")))
    mem.remember(SHORT)
    mem.remember(LONG)
    mem.curate()
    mem.close()
    mem = judged()
    assert mem.curate().status == "done"
    assert mem.doctor()["level"] != "red"


def test_a_judge_without_a_check_is_not_failing_for_good(judged):
    mem = judged(ScriptedJudge(lambda q: Unanswered(Cause.UNAVAILABLE, "down")))
    mem.remember(SHORT)
    gone = mem.remember(LONG).id
    mem.curate()
    mem.forget(gone)
    mem.close()
    mem = judged(knowing({}))
    mem.curate()
    assert mem.doctor()["level"] != "red"  # nothing waits for it, and nothing says that it is still away


def test_a_judge_whose_check_raises_ends_no_run(judged):
    class Odd(ScriptedJudge):
        def check(self, ledger):
            raise RuntimeError("boom")

    mem = judged(Odd(lambda q: Unanswered(Cause.UNAVAILABLE, "down")))
    mem.remember(SHORT)
    gone = mem.remember(LONG).id
    mem.curate()
    mem.forget(gone)
    assert "judge" in mem.curate().errors


# 8
def test_a_survivor_of_a_cleared_merge_is_not_merged_on_in_the_same_pass(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.SAME), settings={"restate_similarity": 1.0})
    for text in (SHORT, NOTED, LONG):
        mem.remember(text)
    mem.curate()
    rows = {m.id: m for m in mem.memories(state=None)}
    assert all(rows[m.merged_into].state.value == "live" for m in rows.values() if m.merged_into)


# 9
def test_what_waits_is_counted_in_every_pass(judged):
    mem = judged(knowing({}), settings={"collapse_cap": 3, "reconcile_cap": 0, "neighbours": 50})
    words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty"]
    mem.remember_many(
        [{"text": f"The {a} {b} keeps a quiet lamp by the old door."} for a, b in itertools.pairwise(words)]
    )
    for _ in range(2):
        mem.curate()
        assert mem.activity(1)[0]["left_over"]["collapse"] == len(pairs(mem)) > 3


# 10
def test_the_same_plan_costs_nothing_again_where_two_pairs_have_the_same_texts(judged):
    judge = knowing({})
    mem = judged(judge)
    for kind in ("fact", "preference"):
        mem.remember(SHORT, kind=kind)
        mem.remember(LONG, kind=kind)
    mem.plan()
    asked = len(judge.asked)
    mem.plan()
    assert len(judge.asked) == asked


# further
def test_a_trusted_word_does_not_take_a_key_out_of_use(judged):
    agent, person = judged(), judged(channel="person")
    agent.remember("The relay listens on port 5432.", key="relay")
    person.remember("The relay listens on port 5432.")
    try:
        agent.remember("The relay listens on port 5432.", key="relay")  # as it does each day
    except PolicyRefusal as error:
        pytest.fail(f"an idempotent write is refused by now: {error}")


def test_a_verdict_on_what_is_no_pair_is_refused(judged):
    mem = judged(ScriptedJudge(lambda q: Verdict.CONTRADICTS), settings=TIGHT, channel="agent")
    relays(mem)
    mem.curate()
    (item,) = mem.review()
    with pytest.raises(reverie.errors.InvalidInput):
        mem.accept(item.id, "unrelated")  # it makes the plan's moves, caps lifted


def test_what_was_undone_for_one_pair_does_not_spare_a_memory_for_good(judged, clock):
    mem = judged()
    mem.remember("Bea Adler lives in Oslo.")
    clock.advance(days=1)
    turin = mem.remember("Bea Adler moved to Turin.").id
    mem.undo(mem.curate().id)
    mem.forget(turin)
    clock.advance(days=1)
    mem.remember("Bea Adler moved from Oslo to Madrid.")
    mem.curate()
    assert mem.review() or states(mem)["Bea Adler lives in Oslo."] == "superseded"


def test_a_trusted_word_takes_nothing_over_from_a_pinned_provisional_copy(judged, clock):
    agent, person = judged(), judged(channel="person")
    text = "The relay listens on port 5432."
    over = clock.now() - timedelta(days=300)
    agent.pin(agent.remember(text, metadata={"note": "not the person's"}, valid_to=over).id)
    person.remember(text)
    trusted = [m for m in person.memories() if m.trust.value == "trusted"]
    assert trusted and all(not m.metadata and m.valid_to is None for m in trusted)
