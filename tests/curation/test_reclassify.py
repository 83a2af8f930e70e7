"""The step that asks for another look at what was never recalled and lies far behind [S1]."""

from __future__ import annotations

from reverie.curation.steps import TIDY


def many(mem, n: int, start: int = 0) -> list[str]:
    return [g.id for g in mem.remember_many([f"Ticket {i} is about gate {i * 7}" for i in range(start, start + n)])]


def signals(mem) -> list[tuple[str, int]]:
    found = [r for r in mem.export(journal=True) if r["type"] == "signal"]
    assert {(r["signal"], r["source"]) for r in found} <= {("reclassify_pending", "curator")}
    return sorted((r["memory"], r["pending"]) for r in found)


def test_it_is_the_first_step_of_tidy_as_in_the_source():
    assert TIDY[0].name == "reclassify"


def test_what_lies_over_a_hundred_interactions_back_is_flagged_once(mem):
    first = mem.remember("The north gate is painted green").id
    many(mem, 100)
    assert mem.curate().counts["reclassified"] == 0  # exactly a hundred behind is not over a hundred
    many(mem, 1, start=500)
    before = mem.get(first)
    run = mem.curate()
    assert [(e.move, e.detail["ids"]) for e in run.entries] == [("Signal", [first])]
    assert mem.get(first) == before  # neither its kind nor its revision has changed
    assert signals(mem) == [(first, 1)]
    again = mem.curate()
    assert not again.entries and again.counts["reclassified"] == 0


def test_what_was_recalled_is_left_alone(mem):
    wanted = mem.remember("The north gate is painted green").id
    other = mem.remember("The south door is made of oak").id
    assert mem.recall("north gate", limit=1)[0].memory.id == wanted
    mem.flush()
    many(mem, 105)
    assert {i for e in mem.curate().entries for i in e.detail["ids"]} == {other}


def test_a_pass_flags_fifty_and_the_rest_waits_until_the_memory_is_used_again(mem, clock):
    ids = many(mem, 70)
    for i in range(101):
        mem.remember(f"Note {i} concerns shelf {i * 3}")
    plan = mem.plan()
    (step,) = (s for s in plan.steps if s.step == "reclassify")
    assert len(step.proposals) == 50 and step.left_over == 20
    mem.apply(plan)
    again = mem.plan()  # over unchanged data: nothing, and what waits is counted
    assert not again and again.steps[0].left_over == 20
    clock.advance(minutes=30)
    mem.remember("A word in between")
    mem.curate()
    assert {i for i, _ in signals(mem)} >= set(ids)


def test_undo_withdraws_the_signal_for_good_and_undoing_that_lets_it_wait_again(mem):
    first = mem.remember("The north gate is painted green").id
    many(mem, 101)
    run = mem.curate()
    undone = mem.undo(run.id)
    assert len(undone) == 1 and signals(mem) == [(first, 0)]
    assert mem.curate().counts["reclassified"] == 0
    mem.undo(undone.id)
    assert signals(mem) == [(first, 1)]
    assert mem.check_journal()
