"""Of two that cannot both hold: what is superseded, what is only flagged, what is quarantined, and in which order."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from judging import knowing, live, states

import reverie
from reverie.curation.plan import Plan, Proposal, StepPlan
from reverie.errors import NotFound, PolicyRefusal
from reverie.judge.questions import Verdict
from reverie.model import Relation
from reverie.testing import ScriptedJudge
from reverie.transitions import Connect

BERLIN, LISBON, PORTO = "Robin lives in Berlin.", "Robin moved to Lisbon.", "Robin moved to Porto."


@pytest.fixture
def opened(url, clock, ids):
    """A namespace on each store, as a person or as an agent."""
    made = []

    def open_(channel="person", judge=None, **settings):
        mem = reverie.open(
            url, embedder="hashing", clock=clock, ids=ids, channel=channel, judge=judge, settings=settings
        )
        made.append(mem)
        return mem

    yield open_
    for mem in made:
        mem.close()


def said(mem, clock, *texts, days=1, **given):
    """Write one text a day; their ids."""
    found = []
    for text in texts:
        found.append(mem.remember(text, **given).id)
        clock.advance(days=days)
    return found


def test_an_explicit_update_supersedes_and_recall_gives_the_newer_alone(opened, clock):
    mem = opened()
    old, new = said(mem, clock, BERLIN, LISBON)
    run = mem.curate()
    assert [e.move for e in run.entries if e.step == "reconcile"] == ["Supersede"] and run.counts["superseded"] == 1
    assert mem.get(old).superseded_by == new
    assert [h.memory.id for h in mem.recall("Where does Robin live?")] == [new]
    assert {m.text for m in mem.history(new).versions} == {BERLIN}
    assert not mem.curate().entries
    mem.undo(run.id)
    assert live(mem) == {BERLIN, LISBON} and not mem.curate().entries  # what a person took back is not done again


def test_a_clash_that_no_text_settles_is_flagged_and_both_stay(opened, clock):
    mem = opened()
    a, b = said(mem, clock, "The relay listens on port 5432.", "The relay listens on port 5433.")
    run = mem.curate()
    assert set(states(mem).values()) == {"live"} and run.counts["flagged"] == 1
    (link,) = [k for k in mem.history(a).links if k.relation == "contradicts"]
    assert (link.source, link.target) == (b, a)
    (item,) = mem.review()
    assert [m.id for m in item.memories] == [a, b] and item.verdict == "contradicts"
    assert not mem.curate().entries and len(mem.review()) == 1


def test_a_person_settles_a_clash_either_way(opened, clock):
    for accept in (True, False):
        mem = opened()
        port = 7000 if accept else 8000
        a, b = said(mem, clock, f"The mill listens on port {port}.", f"The mill listens on port {port + 1}.")
        mem.curate()
        (item,) = mem.review()
        if accept:
            mem.accept(item.id)
            assert mem.get(a).state == "superseded" and mem.get(a).superseded_by == b
        else:
            mem.reject(item.id)
            assert mem.get(a).state == mem.get(b).state == "live"
            assert not [k for k in mem.history(a).links if k.relation == "contradicts"]
        assert not mem.review() and not mem.curate().entries
        with pytest.raises(NotFound):
            mem.accept(item.id)
        for m in mem.memories():
            mem.forget(m.id)


def test_who_is_no_person_cannot_review(opened, clock):
    mem = opened("agent")
    said(mem, clock, "The relay listens on port 5432.", "The relay listens on port 5433.")
    mem.curate()
    (item,) = mem.review()
    for verb in (mem.accept, mem.reject):
        with pytest.raises(PolicyRefusal, match="person"):
            verb(item.id)
    assert len(mem.review()) == 1


def test_a_provisional_newcomer_against_trusted_knowledge_is_quarantined(opened, clock):
    mem = opened()
    old, new = said(mem, clock, BERLIN)[0], said(mem, clock, LISBON, channel="web")[0]
    run = mem.curate()
    assert mem.get(old).state == "live" and mem.get(new).state == "quarantined" and run.counts["quarantined"] == 1
    assert [h.memory.id for h in mem.recall("Robin")] == [old]
    (item,) = mem.review()
    assert item.what == "quarantine" and [m.id for m in item.memories] == [old, new]
    mem.accept(item.id)
    assert mem.get(new).state == "live" and mem.get(old).superseded_by == new and not mem.review()


def test_a_newcomer_that_a_person_does_not_believe_is_archived(opened, clock):
    mem = opened()
    said(mem, clock, BERLIN)
    new = said(mem, clock, LISBON, channel="web")[0]
    mem.curate()
    mem.reject(new)
    assert mem.get(new).state == "archived" and mem.get(new).trust == "provisional" and not mem.review()


def test_an_agent_cannot_let_out_what_was_quarantined(opened, clock):
    mem = opened()
    said(mem, clock, BERLIN)
    new = said(mem, clock, LISBON, channel="web")[0]
    mem.curate()
    mem.close()
    agent = opened("agent")
    with pytest.raises(PolicyRefusal, match="person"):
        agent.restore(new)
    assert agent.get(new).state == "quarantined"


def test_back_dating_never_turns_a_trusted_memory_into_the_newcomer(opened, clock):
    mem = opened()
    trusted = said(mem, clock, LISBON)[0]
    early = datetime(2001, 1, 1, tzinfo=UTC)
    mem.remember(BERLIN, channel="import", written_at=early, occurred_at=early)
    mem.curate()
    assert mem.get(trusted).state == "live"


def test_a_chain_of_updates_leaves_the_last(opened, clock):
    mem = opened()
    a, b, c = said(mem, clock, BERLIN, LISBON, PORTO)
    mem.curate()
    assert live(mem) == {PORTO}
    assert mem.get(a).superseded_by == b and mem.get(b).superseded_by == c


def test_what_was_said_in_turns_is_not_decided_by_a_rule(opened, clock):
    mem = opened()
    said(mem, clock, BERLIN, LISBON, "Robin's home is in Berlin.")
    mem.curate()
    assert LISBON in live(mem) and mem.review()
    assert "after the other" in " ".join(i.reason for i in mem.review())


def test_an_older_note_that_says_more_is_not_lost_for_one_value(opened, clock):
    mem = opened()
    long = "Robin lives in Berlin. Robin plays the cello and teaches it on Fridays."
    said(mem, clock, long, LISBON)
    mem.curate()
    assert long in live(mem) and any("says more" in i.reason for i in mem.review())


def test_different_subjects_and_many_valued_attributes_do_not_clash(opened, clock):
    mem = opened()
    texts = [
        BERLIN, "Alice lives in Lisbon.", "Robin likes tea.", "Robin likes coffee.",
        "The staging database is on port 5432.", "The production database is on port 5433.",
        "Robin reviewed the budget in 2023.", "Robin reviewed the budget in 2024.",
    ]  # fmt: skip
    said(mem, clock, *texts)
    mem.curate()
    assert live(mem) == set(texts) and not mem.review()


def test_validity_that_does_not_overlap_is_no_contradiction(opened, clock):
    mem = opened()
    mid = datetime(2025, 1, 1, tzinfo=UTC)
    said(mem, clock, BERLIN, valid_to=mid)
    said(mem, clock, LISBON, valid_from=mid)
    mem.curate()
    assert live(mem) == {BERLIN, LISBON}


def test_pinned_and_verified_stay_and_the_pair_goes_to_review(opened, clock):
    mem = opened()
    old, _ = said(mem, clock, BERLIN, LISBON)
    mem.pin(old)
    mem.curate()
    assert mem.get(old).state == "live" and [i.what for i in mem.review()] == ["pair"]


def test_experiences_are_never_superseded(opened, clock):
    mem = opened()
    said(mem, clock, "Robin said: I live in Berlin.", BERLIN, LISBON, kind="episode")
    mem.curate()
    assert set(states(mem).values()) == {"live"}


def test_a_judge_decides_what_the_rules_cannot(opened, clock):
    a, b = "The relay listens on port 5432.", "The relay listens on port 5433."
    judge = knowing({frozenset((a, b)): Verdict.CONTRADICTS})
    mem = opened("agent", judge=judge, candidate_similarity=0.01)
    old, new = said(mem, clock, a, b)
    run = mem.curate()
    assert mem.get(old).superseded_by == new
    (entry,) = [e for e in run.entries if e.move == "Supersede"]
    assert entry.model == "scripted" and len(judge.asked) == 1
    assert not mem.curate().entries and len(judge.asked) == 1


def test_a_judges_word_against_trusted_knowledge_only_quarantines_or_asks(opened, clock):
    a, b = "The relay listens on port 5432.", "The relay listens on port 5433."
    mem = opened(judge=ScriptedJudge(lambda q: Verdict.CONTRADICTS), candidate_similarity=0.01)
    old, new = said(mem, clock, a, b)
    mem.curate()
    assert {mem.get(old).state, mem.get(new).state} == {"live"}
    (item,) = mem.review()
    assert "trusted" in item.reason


def test_similarity_source_keeps_the_sources_bands(opened, clock):
    mem = opened(similarity="source")
    said(mem, clock, BERLIN, LISBON)
    mem.curate()  # found by their attribute, whatever their cosine
    assert live(mem) == {LISBON}


def test_the_blast_cap_parks_a_burst_and_a_person_lets_it_through(opened, clock):
    mem = opened()
    people = [f"{a} {b}" for a in ("Ana", "Bea", "Carl") for b in ("Abbott", "Bauer", "Castro")]
    said(mem, clock, *(f"{p} lives in Berlin." for p in people), days=0)
    clock.advance(days=1)
    said(mem, clock, *(f"{p} moved to Lisbon." for p in people), days=0)
    run = mem.curate()
    assert run.status == "parked" and set(states(mem).values()) == {"live"}
    (item,) = mem.review()
    assert item.what == "plan" and mem.doctor()["level"] == "yellow"
    done = mem.accept(item.id)
    assert done is not None and done.counts["Supersede"] == 9 and not mem.review()


def test_an_update_in_a_later_pass_finds_what_was_examined_long_ago(opened, clock):
    mem = opened()
    (old,) = said(mem, clock, BERLIN)
    said(mem, clock, *(f"Note {n}: the {w} door is painted." for n, w in enumerate(["oak", "elm", "ash", "fir"])))
    mem.curate()
    clock.advance(days=3)
    (new,) = said(mem, clock, LISBON)
    mem.curate()
    assert mem.get(old).superseded_by == new


def test_a_flood_of_claims_does_not_hold_up_the_owners_own_correction(opened, clock):
    mem = opened()
    people = ["Ana Abbott", "Bea Bauer", "Carl Castro", "Dina Dahl", "Emil Egger", "Fay Ferrari", "Gus Gruber"]
    said(mem, clock, *(f"{p} lives in Berlin." for p in people), BERLIN, days=0)
    clock.advance(days=1)
    said(mem, clock, *(f"{p} moved to Minsk." for p in people), channel="web", days=0)
    said(mem, clock, LISBON)
    run = mem.curate()
    assert run.status == "parked" and LISBON in live(mem) and BERLIN not in live(mem)
    (item,) = [i for i in mem.review() if i.what == "plan"]
    mem.accept(item.id)
    assert not [t for t in live(mem) if "Minsk" in t] and len(live(mem)) == len(people) + 1


def test_notes_that_share_no_subject_cannot_contradict_whatever_a_judge_says(opened, clock):
    judge = ScriptedJudge(lambda q: Verdict.CONTRADICTS)
    mem = opened("agent", judge=judge, candidate_similarity=0.001, contradict_similarity=0.001)
    texts = [
        "Robin lives in Berlin.",
        "The retry limit is 3.",
        "Invoices go out by mail.",
        "The parser was written in Rust.",
    ]
    said(mem, clock, *texts)
    mem.curate()
    assert live(mem) == set(texts) and not mem.review()


def test_a_persons_no_can_be_taken_back_and_done_again(opened, clock):
    mem = opened()
    said(mem, clock, "The relay listens on port 5432.", "The relay listens on port 5433.")
    mem.curate()
    mem.reject(mem.review()[0].id)
    undone = mem.undo(mem.runs(1)[0].id)
    assert len(mem.review()) == 1
    mem.undo(undone.id)
    assert not mem.review()
    for m in mem.memories():
        mem.forget(m.id)
        mem.restore(m.id)
    mem.curate()
    assert not mem.review()


def test_undoing_a_link_of_another_kind_rules_nothing_apart_and_asks_nobody(opened, clock):
    mem = opened()
    a, b = said(mem, clock, "The kiln is hot.", "The kiln room is closed at night.")
    move = Proposal(Connect(a, Relation.RELATED_TO, b), "they belong together", {})
    run = mem.apply(Plan(mem.scope, "tidy", clock.now(), (StepPlan("link", (move,)),)))
    undone = mem.undo(run.id)
    mem.undo(undone.id)
    hashes = tuple(sorted(m.norm_hash for m in mem.memories()))
    with mem._scope.read() as r:
        assert not r.apart([hashes])
    assert not mem.review() and [k.relation for k in mem.history(a).links] == ["related_to"]
