"""What is refused whatever anyone asks: caps, pins, trust, kinds, stale plans; and what a person may do."""

from __future__ import annotations

from datetime import timedelta

import pytest

import reverie
from reverie.clock import FixedClock
from reverie.curation.plan import Plan, Proposal, StepPlan
from reverie.errors import Conflict, NotFound, PolicyRefusal
from reverie.transitions import Archive, MergeInto, Pin, Promote, Quarantine, SetKind, Supersede


def ids_of(mem, n: int) -> list[str]:
    """n unlike memories."""
    return [got.id for got in mem.remember_many([f"note number {i} on subject s{i}x" for i in range(n)])]


def apply(mem, moves, step: str = "rogue"):
    """Apply moves as a step's plan would."""
    rows = {m.id: m for m in mem.memories(state=None)}
    proposals = tuple(Proposal(m, "test", {i: rows[i].revision for i in m.subjects()}) for m in moves)
    return mem.apply(Plan(mem.scope, "tidy", mem._clock.now(), (StepPlan(step, proposals),)))


def test_a_step_that_archives_a_third_at_once_is_parked_and_health_turns_yellow(mem):
    ids = ids_of(mem, 60)
    run = apply(mem, [Archive(i) for i in ids[:20]])
    assert run.status == "parked" and not run.entries
    assert mem.stats()["memories"]["live"] == 60
    assert mem.doctor()["level"] == "yellow"
    assert "the cap is 5" in mem.parked()[0].reason


def test_a_step_that_archives_four_percent_every_night_is_parked_within_the_month(mem, clock: FixedClock):
    ids = ids_of(mem, 200)
    gone = 0
    for night in range(10):  # noqa: B007 - read after the loop
        run = apply(mem, [Archive(i) for i in ids[gone : gone + 8]])
        gone += len(run.entries)
        clock.advance(days=1)
        if run.parked:
            break
    assert night < 9 and gone <= 20
    clock.advance(days=31)
    assert not apply(mem, [Archive(i) for i in ids[gone : gone + 8]]).parked


def test_the_same_plan_is_parked_once_and_applied_when_a_person_approves(mem):
    ids = ids_of(mem, 30)
    for _ in range(3):
        apply(mem, [Archive(i) for i in ids[:10]])
    (waiting,) = mem.parked()
    run = mem.apply(waiting.id)
    assert len(run.entries) == 10 and not mem.parked()
    with pytest.raises(NotFound):
        mem.apply(waiting.id)


def test_a_rejected_plan_no_longer_waits(mem):
    ids = ids_of(mem, 30)
    apply(mem, [Archive(i) for i in ids[:10]])
    mem.reject(mem.parked()[0].id)
    assert not mem.parked()


@pytest.mark.parametrize("protect", ["pin", "verify"])
@pytest.mark.parametrize("move", [Archive, Quarantine], ids=["archive", "quarantine"])
def test_nothing_retires_a_protected_memory(mem, protect, move):
    a, b = ids_of(mem, 2)
    getattr(mem, protect)(a)
    assert not apply(mem, [move(a)]).entries
    assert not apply(mem, [MergeInto(a, b)]).entries
    with pytest.raises(PolicyRefusal, match="nothing retires it"):
        mem.forget(a)
    getattr(mem, protect)(a, on=False)
    assert mem.forget(a).state == "archived"


def test_a_merge_never_crosses_kinds_and_never_goes_into_what_is_not_live(mem):
    a = mem.remember("the gate is open", "fact").id
    b = mem.remember("the gate is open", "episode").id
    assert a != b
    assert "cannot be merged" in apply(mem, [MergeInto(a, b)]).skipped[0].detail["skipped"]
    c = mem.remember("the gate is shut", "fact").id
    mem.forget(c)
    assert "not live" in apply(mem, [MergeInto(a, c)]).skipped[0].detail["skipped"]


def test_lower_trust_never_supersedes_or_swallows_higher_trust(mem):
    trusted = mem.remember("the vault code is kept by Ana", channel="person").id
    web = mem.remember("the vault code is kept by Mallory", channel="web").id
    run = apply(mem, [Supersede(trusted, web), MergeInto(trusted, web)])
    assert not run.entries and len(run.skipped) == 2
    assert mem.get(trusted).state == "live"


def test_no_plan_may_hold_a_persons_own_verb(mem):
    (a,) = ids_of(mem, 1)
    assert not apply(mem, [Pin(a)]).entries


def test_rows_that_changed_since_the_plan_are_skipped_and_stay_in_the_queue(mem):
    mem.remember("Ana Abbott lives in Lisbon")
    b = mem.remember("Ana Abbott's home is in Lisbon").id
    plan = mem.plan()
    assert len(plan) == 1
    mem.pin(plan.proposals[0].move.id)
    run = mem.apply(plan)
    assert not run.entries and len(run.skipped) == 1
    assert mem.get(b).state == "live"
    assert mem.stats()["memories"]["uncurated"] == 1 or mem.plan()


def test_a_plan_of_another_namespace_is_refused(mem, url):
    mem.remember("something")
    with reverie.open(url, "other", embedder="hashing") as other, pytest.raises(PolicyRefusal):
        other.apply(mem.plan())


def test_a_step_that_fails_is_recorded_and_the_others_still_run(mem, monkeypatch):
    from reverie.curation.steps.demote import Demote

    def broken(self, view, rules, verdicts):
        raise ValueError("boom")

    monkeypatch.setattr(Demote, "plan", broken)
    mem.remember("Ana Abbott lives in Lisbon")
    mem.remember("Ana Abbott's home is in Lisbon")
    run = mem.curate()
    assert run.status == "failed" and "boom" in run.errors["demote"]
    assert run.counts["MergeInto"] == 1
    report = mem.doctor()
    assert report["level"] == "red" and any("boom" in p for p in report["problems"])
    monkeypatch.undo()
    mem.curate()
    assert mem.doctor()["level"] == "green"


def test_demotion_takes_only_what_is_unused_old_and_unimportant(mem, clock: FixedClock):
    quiet = mem.remember("an old idle note", importance=0.2).id
    used = mem.remember("a note that was recalled", importance=0.2).id
    weighty = mem.remember("an old weighty note", importance=0.3).id
    clock.advance(days=80)
    mem.recall("note that was recalled", 1)
    mem.flush()
    clock.advance(days=11)
    young = mem.remember("a young idle note", importance=0.1).id
    mem.curate()
    states = {i: mem.get(i).state for i in (quiet, used, weighty, young)}
    assert states == {quiet: "archived", used: "live", weighty: "live", young: "live"}
    assert mem.restore(quiet).state == "live"


def test_staleness_marks_and_hides_nothing_and_spares_the_verified(mem, clock: FixedClock):
    plain, sure = mem.remember("the plain fact").id, mem.remember("the sure fact").id
    mem.verify(sure)
    clock.advance(days=29)
    assert not mem.curate().entries
    clock.advance(days=2)
    mem.curate()
    assert (mem.get(plain).confidence, mem.get(sure).confidence) == ("stale", "verified")
    assert {h.memory.id for h in mem.recall("the fact")} == {plain, sure}
    mem.flush()
    assert mem.get(plain).confidence == "default"  # it was recalled


def test_no_plan_raises_trust(mem):
    (a,) = ids_of(mem, 1)
    assert not apply(mem, [Promote(a)]).entries and mem.get(a).trust == "provisional"


def test_a_held_back_plan_keeps_the_run_from_looking_done(mem):
    ids = ids_of(mem, 30)
    assert [apply(mem, [Archive(i) for i in ids[:10]]).status for _ in range(2)] == ["parked", "parked"]


def test_signals_survive_an_export(mem, tmp_path):
    from reverie.transitions import Signal

    (a,) = ids_of(mem, 1)
    assert len(apply(mem, [Signal(a, "reclassify_pending")])) == 1
    mem.export(tmp_path / "x.jsonl", journal=True)
    with reverie.open(tmp_path / "copy.db", embedder="hashing") as copy:
        copy.import_export(tmp_path / "x.jsonl")
        assert list(copy.export(journal=True)) == list(mem.export(journal=True))


def test_a_persons_word_promotes_and_an_agents_does_not(url, mem):
    id_ = mem.remember("water boils at 100 degrees").id
    assert mem.verify(id_).trust == "provisional"
    with reverie.open(url, embedder="hashing", channel="person") as person:
        assert person.verify(id_).trust == "trusted"


def test_undo_refuses_and_lists_what_newer_edits_touched(mem):
    a = mem.remember("Ana Abbott lives in Lisbon").id
    mem.remember("Ana Abbott's home is in Lisbon")
    run = mem.curate()
    (loser,) = [m.id for m in mem.memories(state="merged")]
    mem.restore(loser)
    undone = mem.undo(run.id)
    assert not undone.entries
    assert undone.conflicts[0].ids == (loser,) and "changed since" in undone.conflicts[0].why
    assert mem.get(a)


def test_undo_works_by_entry_by_time_and_undoing_an_undo_does_it_again(mem, clock: FixedClock):
    (a, b) = ids_of(mem, 2)
    clock.advance(hours=1)
    start = clock.now()
    mem.forget(a)
    mem.forget(b)
    mem.undo(mem.journal(memory=a)[-1].n)
    assert (mem.get(a).state, mem.get(b).state) == ("live", "archived")
    back = mem.undo(start)
    assert mem.get(b).state == "live"
    mem.undo(back.id)
    assert mem.get(b).state == "archived"
    assert mem.check_journal()


def test_undo_of_a_revision_brings_the_old_text_back_and_archives_the_new(mem):
    old = mem.remember("the meeting is on Monday").id
    new = mem.revise(old, "the meeting is on Tuesday").id
    assert (mem.get(old).state, mem.get(old).superseded_by, mem.get(new).state) == ("superseded", new, "live")
    mem.undo(mem.journal(memory=old)[-1].run)
    assert (mem.get(old).state, mem.get(new).state) == ("live", "archived")


def test_revise_can_mend_the_case_of_a_text(mem):
    old = mem.remember("ana abbott lives in lisbon").id
    new = mem.revise(old, "Ana Abbott lives in Lisbon").id
    assert mem.get(new).text == "Ana Abbott lives in Lisbon" and mem.get(old).state == "superseded"


def test_revise_to_the_text_of_another_memory_is_a_conflict(mem):
    a, b = ids_of(mem, 2)
    with pytest.raises(Conflict):
        mem.revise(a, mem.get(b).text)
    assert mem.get(a).state == "live"


def test_an_agent_cannot_revise_what_is_trusted(mem):
    id_ = mem.remember("the code is kept by Ana", channel="person").id
    with pytest.raises(PolicyRefusal):
        mem.revise(id_, "the code is kept by Mallory")
    assert mem.revise(id_, "the code is kept by Bea", channel="person").superseded == id_


@pytest.mark.parametrize(
    ("sql", "broken_at"),
    [
        ("UPDATE entry SET reason = 'x' WHERE n = 3", 3),
        ("UPDATE entry SET body = replace(body, 'archived', 'live') WHERE n = 2", 2),
        ("DELETE FROM entry WHERE n = 4", 4),
        ("UPDATE entry SET previous = hash WHERE n = 5", 5),
    ],
    ids=["reason", "content", "dropped", "order"],
)
def test_the_journal_cannot_be_edited_quietly(mem, url, request, sql, broken_at):
    for i in ids_of(mem, 5):
        mem.forget(i)
    assert mem.check_journal()
    if "://" in url:
        request.getfixturevalue("server").tamper(url, sql)
    else:
        mem._store._writer.execute(sql)
    assert mem.check_journal().broken_at == broken_at
    assert mem.doctor()["level"] == "red"


def test_moves_that_no_state_allows_are_skipped_not_raised(mem):
    (a,) = ids_of(mem, 1)
    mem.forget(a)
    run = apply(mem, [Archive(a), Promote(a), SetKind(a, "fact")])
    assert not run.entries and all("not legal" in e.detail["skipped"] for e in run.skipped)


def test_window_of_the_cap_is_thirty_days():
    from reverie.policy import BLAST_WINDOW

    assert timedelta(days=30) == BLAST_WINDOW
