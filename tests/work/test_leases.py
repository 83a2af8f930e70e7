"""Leases: one curator a namespace, an older fence may not write, the dead are not waited for."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

import reverie
from reverie.clock import CountingIds
from reverie.curation.executor import Executor
from reverie.curation.leasing import Leasehold, died_here
from reverie.errors import LeaseHeld, LeaseLost

SECONDS = 120.0


def fill(mem, n: int = 6) -> None:
    for i in range(n):
        mem.remember(f"The guest {i} sleeps in room {i}")
        mem.remember(f"Please note that the guest {i} sleeps in room {i}")


def hold(mem, holder: str = "elsewhere/1") -> Leasehold:
    return Leasehold(mem._scope, mem._clock, holder, SECONDS)


def executor(mem, lease: Leasehold) -> Executor:
    return mem._executor(lease)


def test_a_second_curator_is_told_who_is_at_work(mem):
    fill(mem)
    plan = mem.plan()
    with hold(mem), pytest.raises(LeaseHeld, match="elsewhere/1 until"):
        mem.apply(plan)
    assert len(mem.apply(plan)) == 6  # given back at the end


def test_a_lease_that_ended_may_not_write_even_if_nobody_took_over(mem, clock):
    fill(mem)
    plan = mem.plan()
    with pytest.raises(LeaseLost, match="ended"), hold(mem) as lease:
        clock.advance(seconds=SECONDS + 1)
        executor(mem, lease).apply(plan)
    assert mem.stats()["memories"]["merged"] == 0 and mem.runs() == []


def test_a_curator_that_was_taken_over_can_write_nothing(mem, clock):
    fill(mem)
    plan = mem.plan()
    zombie = hold(mem)
    zombie.__enter__()
    half = executor(mem, zombie)
    clock.advance(seconds=SECONDS + 1)
    with hold(mem, "next/2") as lease:
        run = executor(mem, lease).apply(mem.plan())
        assert len(run) == 6 and lease.lease.fence == zombie.lease.fence + 1
        before = list(mem.export(journal=True))
        with pytest.raises(LeaseLost, match="next/2 has it"):
            half.apply(plan)
        assert list(mem.export(journal=True)) == before


def test_control_without_the_fence_the_zombie_would_write(mem, clock, monkeypatch):
    fill(mem)
    plan = mem.plan()
    zombie = hold(mem)
    zombie.__enter__()
    clock.advance(seconds=SECONDS + 1)
    with hold(mem, "next/2"):
        monkeypatch.setattr(Leasehold, "guard", lambda self, tx: None)
        assert len(executor(mem, zombie).apply(plan)) == 6


def test_work_renews_the_lease_past_half_of_its_time(mem, clock):
    fill(mem)
    with hold(mem) as lease:
        clock.advance(seconds=SECONDS * 0.6)
        executor(mem, lease).apply(mem.plan())
        with mem._scope.read() as r:
            assert (r.lease().until - clock.now()).total_seconds() == SECONDS


def test_taking_over_closes_the_run_that_was_cut_off(mem, clock):
    fill(mem)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(mem)
    assert mem.runs()[0].status == "running"
    clock.advance(seconds=SECONDS + 1)
    assert mem.curate().status == "done"
    assert [r.status for r in mem.runs() if r.cycle == "tidy"] == ["done", "cut off"]


def _interrupted(mem) -> None:
    """As a kill between two transactions leaves it: the run is open, the lease is held."""
    lease = hold(mem)
    lease.__enter__()
    made = executor(mem, lease)
    made._step = lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt)
    made.apply(mem.plan())


def test_a_dead_process_of_this_host_is_not_waited_for(mem):
    fill(mem)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    holder = f"{socket.gethostname()}/{gone.pid}"
    assert died_here(holder) and not died_here(f"other-host/{gone.pid}") and not died_here(f"{socket.gethostname()}/1")
    hold(mem, holder).__enter__()
    assert len(mem.curate()) == 6


def test_leases_are_of_one_namespace(mem, url, clock):
    with reverie.open(url, "other", embedder="hashing", clock=clock, ids=CountingIds(900)) as other:
        fill(other)
        with hold(mem):
            assert len(other.curate()) == 6
