"""The worker on one machine and on many: what it curates and when, how it stops, what it says when something fails."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import InvalidInput, StoreError
from reverie.model import Scope
from reverie.work.worker import Worker

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
CHILD = Path(__file__).parent / "worker_child.py"


def fill(url, namespace: str, n: int = 5, clock=None, tenant: str = "default") -> None:
    with reverie.open(url, namespace, tenant=tenant, embedder="hashing:32", clock=clock) as mem:
        for i in range(n):
            mem.remember(f"The guest {i} sleeps in room {i}")
            mem.remember(f"Please note that the guest {i} sleeps in room {i}")


def states(url, namespace: str) -> dict[str, int]:
    with reverie.open(url, namespace, embedder="none") as mem:
        return mem.stats()["memories"]


@pytest.fixture
def worker(url):
    """A worker on a clock that stands still; ticks by hand."""
    made = Worker(url, embedder="hashing:32", clock=FixedClock(START), ids=CountingIds(5000))
    yield made
    made.stop()


def advance(worker: Worker, **by: float) -> None:
    worker._clock.advance(**by)


def test_nothing_runs_at_the_start_and_idle_namespaces_run_first(url, worker):
    fill(url, "busy", clock=FixedClock(START + timedelta(minutes=29)))
    fill(url, "idle", clock=FixedClock(START))
    assert worker.tick() == []  # the stagger
    advance(worker, seconds=16)
    assert worker.tick() == []  # the first tick is skipped, and nobody has been idle for long
    advance(worker, minutes=30)
    done = worker.tick()
    assert [(v.scope.namespace, v.outcome, v.moves) for v in done] == [("idle", "done", 5), ("busy", "done", 5)]
    assert worker.tick() == []
    assert states(url, "idle")["merged"] == states(url, "busy")["merged"] == 5


def test_a_slot_runs_once_whoever_asks(url, worker):
    fill(url, "notes", clock=FixedClock(START))
    advance(worker, hours=1)
    (one,) = worker.due()
    assert worker.visit(one).outcome == "done"
    assert worker.visit(one).outcome == "known"
    other = Worker(url, embedder="hashing:32", clock=worker._clock)
    assert other.visit(one).outcome == "known"
    other.stop()


def test_missed_slots_are_not_made_up_for_in_a_burst(url, worker):
    fill(url, "notes", clock=FixedClock(START))
    advance(worker, days=9)
    assert len(worker.tick()) == 1
    assert worker.tick() == []


def test_only_the_namespaces_that_were_named(url):
    fill(url, "a", clock=FixedClock(START))
    fill(url, "b", clock=FixedClock(START))
    fill(url, "a", clock=FixedClock(START), tenant="other")
    with pytest.raises(InvalidInput, match="list of names"):
        Worker(url, namespaces="a")
    made = Worker(url, namespaces=["a"], embedder="hashing:32", clock=FixedClock(START))
    made._clock.advance(hours=1)
    assert [v.scope for v in made.tick()] == [Scope("default", "a")]
    made.stop()


def test_a_namespace_keeps_its_own_interval(url, worker):
    fill(url, "often", clock=FixedClock(START))
    with reverie.open(url, "often", embedder="none") as mem:
        mem.set("idle_seconds", 60)
    fill(url, "usual", clock=FixedClock(START))
    advance(worker, seconds=100)
    assert [v.scope.namespace for v in worker.tick()] == ["often"]


def test_one_namespace_that_fails_harms_no_other_and_is_seen(url, worker, monkeypatch):
    from reverie.curation.steps.collapse import Collapse

    fill(url, "bad", clock=FixedClock(START))
    fill(url, "good", clock=FixedClock(START))
    plan = Collapse.plan

    def fails(self, view, rules, verdicts):
        if view._index._store.scope.namespace == "bad":
            raise RuntimeError("the guard fell over")
        return plan(self, view, rules, verdicts)

    monkeypatch.setattr(Collapse, "plan", fails)
    advance(worker, hours=1)
    outcomes = {v.scope.namespace: v for v in worker.tick()}
    assert outcomes["good"].outcome == "done"
    assert outcomes["bad"].outcome == "failed" and "the guard fell over" in outcomes["bad"].why
    with reverie.open(url, "bad", embedder="hashing:32", clock=worker._clock) as mem:
        seen = mem.doctor()
        assert seen["level"] == "red" and any("the guard fell over" in p for p in seen["problems"])
        assert seen["steps"]["collapse"]["failing"] and not seen["steps"]["demote"]["failing"]
        assert seen["steps"]["tidy"]["failing"] and seen["backlog"]["uncurated"] == 10
        monkeypatch.setattr(Collapse, "plan", plan)
        advance(worker, minutes=31)
        assert [v.outcome for v in worker.tick() if v.scope.namespace == "bad"] == ["done"]
        seen = mem.doctor()
        assert seen["level"] != "red" and not seen["steps"]["collapse"]["failing"]
        assert seen["steps"]["collapse"]["last_failure"] and seen["steps"]["collapse"]["last_success"]


def test_what_fails_again_and_again_is_tried_less_often(url, worker, monkeypatch):
    fill(url, "bad", clock=FixedClock(START))
    tries = 0

    def fails(*a, **k):
        nonlocal tries
        tries += 1
        raise StoreError("the disk is full")

    monkeypatch.setattr(reverie.Reverie, "plan", fails)
    advance(worker, hours=1)
    for _ in range(60):  # an hour, looking every minute
        worker.tick()
        advance(worker, minutes=1)
    assert 4 <= tries <= 8
    with reverie.open(url, "bad", embedder="hashing:32", clock=worker._clock) as mem:
        assert "the disk is full" in mem.doctor()["steps"]["tidy"]["why"]


def test_a_backlog_that_nobody_looks_after_is_red_where_a_worker_used_to_come(url, worker):
    fill(url, "notes", clock=FixedClock(START))
    with reverie.open(url, "notes", embedder="hashing:32", clock=worker._clock) as mem:
        advance(worker, hours=1)
        assert mem.doctor()["level"] == "yellow"  # no calibration for this embedder
        advance(worker, hours=1)
        seen = mem.doctor()
        assert seen["level"] == "yellow" and any("no worker ever came" in w for w in seen["warnings"])
        assert seen["backlog"]["age_seconds"] == 7200
        worker.tick()
        assert mem.doctor()["backlog"] == {
            "uncurated": 0, "waiting_since": None, "age_seconds": 0.0, "without_vector": 0, "parked_plans": 0,
        }  # fmt: skip
        mem.remember("Something new for the curator")
        advance(worker, hours=3)
        seen = mem.doctor()
        assert seen["level"] == "red" and any("a worker last came" in p for p in seen["problems"])


def test_stopping_in_the_middle_leaves_after_the_transaction_and_the_rest_is_done_later(url):
    fill(url, "notes", n=40, clock=FixedClock(START))
    made = Worker(url, embedder="hashing:32", clock=FixedClock(START), settings={"slice_rows": 2})
    made._clock.advance(hours=1)
    slices = 0
    executor = reverie.Reverie._executor

    def counted(self, lease, stop=bool, pause=None):
        def stops() -> bool:
            nonlocal slices
            slices += 1
            if slices == 5:
                made.ask_to_stop()
            return stop()

        return executor(self, lease, stops, pause)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reverie.Reverie, "_executor", counted)
        (visit,) = made.tick()
    made.stop()
    assert visit.outcome == "stopped" and 0 < visit.moves < 40
    again = Worker(url, embedder="hashing:32", clock=FixedClock(START + timedelta(hours=2)))
    again._clock.advance(minutes=1)
    (visit,) = again.tick()
    again.stop()
    assert visit.outcome == "done"
    assert states(url, "notes")["merged"] == 40
    with reverie.open(url, "notes", embedder="none") as mem:
        assert [r.status for r in mem.runs() if r.cycle == "tidy"] == ["done", "stopped"]


SOON = {"start_stagger_seconds": 0, "idle_seconds": 1, "worker_look_seconds": 0.1, "worker_stalled_seconds": 1.5}


def test_start_and_stop_from_a_program(url):
    fill(url, "notes", clock=FixedClock(START))  # long idle by the system's clock
    came = threading.Event()
    with Worker(url, embedder="hashing:32", settings=SOON, on_visit=lambda v: came.set()):
        assert came.wait(30)
    assert states(url, "notes")["merged"] == 5
    names = {t.name for t in threading.enumerate()}
    assert not names & {"reverie-worker", "reverie-lease"}


def test_a_worker_whose_store_is_gone_says_so(tmp_path):
    with pytest.raises(StoreError):
        Worker(tmp_path / "no" / "folder.db")


def test_sigterm_ends_the_process_in_good_order(url):
    fill(url, "notes", n=60, clock=FixedClock(START))
    command = [sys.executable, str(CHILD), url, "fenced"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout and child.stderr
        for line in child.stdout:
            if line.startswith("slice"):
                break
        child.send_signal(signal.SIGTERM)
        rest, err = child.stdout.read().splitlines(), child.stderr.read()
        assert child.wait(30) == 0, err
    assert any(line.startswith(("stopped notes", "done notes")) for line in rest), (rest, err)
    with reverie.open(url, "notes", embedder="hashing:32") as mem:
        with mem._scope.read() as r:
            assert r.lease() is None
        mem.curate()
        assert mem.stats()["memories"]["merged"] == 60 and mem.check_journal()
