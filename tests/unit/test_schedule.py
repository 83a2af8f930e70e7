"""What is due: each rule on its own, then workers, restarts and clocks at random against the promises of the schedule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from reverie.errors import InvalidInput, UnknownSetting
from reverie.model import Scope
from reverie.settings import Settings
from reverie.work.schedule import CYCLES, Slot, Standing, due, next_due

DAY = datetime(2026, 11, 30, tzinfo=UTC)
LONG_AGO = DAY - timedelta(days=9)  # a worker that was there all the time


def at(text: str, days: int = 0) -> datetime:
    """15:00 or 15:00:30 of that day, or of so many days later."""
    hour, minute, second = ([*map(int, text.split(":")), 0])[:3]
    return DAY + timedelta(days=days, hours=hour, minutes=minute, seconds=second)


def space(name="one", uncurated=0, waiting_since=None, used_at=None, rules=None, **known) -> Standing:
    return Standing(Scope("t", name), Settings(rules or {}), uncurated, waiting_since, used_at, **known)


def backlog(since: str, name="one", **known) -> Standing:
    """Three rows wait, and no namespace counts as idle before a week is over."""
    known["rules"] = {"idle_seconds": 604_800, **known.get("rules", {})}
    return space(name, 3, at(since), at(since), **known)


def done(key: str, started: datetime, **known) -> Slot:
    return Slot(key, started, started + timedelta(seconds=9), **known)


def keys(now: datetime, *standings: Standing, started=LONG_AGO, cycles=("tidy",)) -> list[str]:
    return [one.key for one in due(now, started, standings, cycles)]


# --- 1, 2, 3: the grid of tidy


def test_nothing_is_due_before_the_stagger_is_over():
    waiting = backlog("02:00", rules={"sleep_wake_episodes": 1}, episodes=9)
    assert keys(at("15:00:14"), waiting, started=at("15:00"), cycles=CYCLES) == []
    assert len(keys(at("15:00:15"), waiting, started=at("15:00"), cycles=CYCLES)) == 3


def test_a_backlog_is_due_once_in_each_slot_under_the_name_of_the_grid_point():
    assert keys(at("15:00"), backlog("14:50")) == ["tidy/2026-11-30T15:00:00Z"]
    assert keys(at("15:29:59"), backlog("14:50")) == ["tidy/2026-11-30T15:00:00Z"]
    ran = {"tidy": done("tidy/2026-11-30T15:00:00Z", at("15:00:02"))}
    assert keys(at("15:29:59"), backlog("14:50", slots=ran)) == []
    assert keys(at("15:30"), backlog("14:50", slots=ran)) == ["tidy/2026-11-30T15:30:00Z"]
    by_a_clock_behind = {"tidy": done("tidy/2026-11-30T15:00:00Z", at("14:59:58"))}
    assert keys(at("15:10"), backlog("14:50", slots=by_a_clock_behind)) == []


def test_missed_slots_are_not_made_up_for():
    ran = {"tidy": done("tidy/2026-11-30T01:00:00Z", at("01:00"))}
    assert keys(at("15:10"), backlog("01:50", slots=ran)) == ["tidy/2026-11-30T15:00:00Z"]


def test_the_slot_in_which_a_worker_started_is_left_out():
    ran = {"tidy": done("tidy/2026-11-30T14:30:00Z", at("14:30:05"))}
    assert keys(at("15:20"), backlog("14:50", slots=ran), started=at("15:01")) == []
    assert keys(at("15:20"), backlog("14:50"), started=at("15:01")) == []
    assert keys(at("15:20"), backlog("14:50"), started=at("14:59:50")) == ["tidy/2026-11-30T15:00:00Z"]
    assert keys(at("15:30"), backlog("14:50", slots=ran), started=at("15:01")) == ["tidy/2026-11-30T15:30:00Z"]


@pytest.mark.parametrize("known", [{"slots": {"tidy": done("x", at("14:10"))}}, {}], ids=["last tidy", "never tidied"])
def test_unless_two_slots_were_missed(known):
    waiting = backlog("14:10", **known)
    assert keys(at("15:09:59"), waiting, started=at("15:01")) == []
    assert keys(at("15:10"), waiting, started=at("15:01")) == ["tidy/2026-11-30T15:00:00Z"]


def test_an_unfinished_slot_is_given_again_until_the_next_one():
    dead = {"tidy": Slot("tidy/2026-11-30T15:00:00Z", at("15:00:02"), None)}
    assert keys(at("15:20"), space(slots=dead)) == ["tidy/2026-11-30T15:00:00Z"]
    assert keys(at("15:30"), backlog("14:50", slots=dead)) == ["tidy/2026-11-30T15:30:00Z"]
    assert keys(at("15:20"), backlog("14:50", slots=dead), started=at("15:03")) == []


# --- 4, 5: idle and quiet namespaces


def test_an_idle_namespace_is_due_at_once_and_once():
    used = at("15:02") + timedelta(microseconds=7)
    key = "tidy/idle/2026-11-30T15:02:00.000007Z"
    ran = {"tidy": done("tidy/2026-11-30T15:00:00Z", at("15:00:02"))}
    idle = space(uncurated=1, waiting_since=used, used_at=used, slots=ran)
    assert keys(at("15:12"), idle) == []
    [one] = due(at("15:12:01"), at("15:11:30"), [idle])
    assert (one.key, one.idle, one.since) == (key, True, used + timedelta(minutes=10))
    tidied = space(uncurated=1, waiting_since=used, used_at=used, slots={"tidy": done(key, at("15:12:01"))})
    assert keys(at("15:29"), tidied) == []
    assert keys(at("15:30"), tidied) == ["tidy/2026-11-30T15:30:00Z"]
    dead = space(uncurated=1, waiting_since=used, used_at=used, slots={"tidy": Slot(key, at("15:12:01"), None)})
    assert keys(at("15:31"), dead) == [key]


def test_an_idle_slot_stands_for_the_grid_slot_in_which_it_ran():
    ran = {"tidy": done("tidy/idle/2026-11-30T14:50:00.000000Z", at("15:00:03"))}
    assert keys(at("15:05"), backlog("14:50", slots=ran)) == []


def test_idle_without_a_backlog_is_not_due():
    assert keys(at("15:12:01"), space(used_at=at("14:00"), slots={"tidy": done("x", at("14:31"))})) == []


def test_a_quiet_namespace_has_its_turn_once_in_24_hours():
    quiet = space(used_at=at("14:00"), slots={"tidy": done("tidy/2026-11-30T14:30:00Z", at("14:30:05"))})
    assert keys(at("15:00"), quiet) == []
    assert keys(at("14:45", 1), quiet) == []
    assert keys(at("15:00", 1), quiet) == ["tidy/2026-12-01T15:00:00Z"]


def test_a_recall_makes_a_namespace_due_again():
    ran = {"tidy": done("tidy/2026-11-30T14:30:00Z", at("14:30:05"))}
    [one] = due(at("15:05"), LONG_AGO, [space(used_at=at("15:04"), slots=ran)], ["tidy"])
    assert (one.key, one.since) == ("tidy/2026-11-30T15:00:00Z", at("15:04"))


def test_an_empty_namespace_is_never_due():
    assert due(at("15:00"), LONG_AGO, [space()]) == []
    assert next_due(at("15:00"), LONG_AGO, [space()]) is None


# --- 6, 7: models and rehearsal


@pytest.mark.parametrize(
    ("model_at", "expected"), [(None, True), ("14:00:01", False), ("14:00", True), ("16:00", False)]
)
def test_steps_that_call_a_model_run_at_most_hourly(model_at, expected):
    waiting = backlog("14:50", model_at=at(model_at) if model_at else None)
    assert [one.with_model for one in due(at("15:00"), LONG_AGO, [waiting], ["tidy"])] == [expected]


def test_rehearse_follows_use():
    ran = {"rehearse": done("rehearse/2026-11-30T14:00:00Z", at("14:00:05"))}
    look = {"cycles": ("rehearse",)}
    assert keys(at("15:00"), space(used_at=at("14:00:04"), slots=ran), **look) == []
    assert keys(at("14:59"), space(used_at=at("14:30"), slots=ran), **look) == []
    assert keys(at("15:00"), space(used_at=at("14:30"), slots=ran), **look) == ["rehearse/2026-11-30T15:00:00Z"]
    assert keys(at("15:00"), space(used_at=at("14:30")), **look) == ["rehearse/2026-11-30T15:00:00Z"]
    assert keys(at("15:00"), backlog("12:00"), started=at("14:59:50"), **look) == []
    assert keys(at("15:10"), space(used_at=at("14:30"), slots=ran), started=at("15:01"), **look) == []
    assert keys(at("15:59"), space(used_at=at("14:30")), started=at("15:01"), **look) == []
    assert keys(at("16:00"), space(used_at=at("14:30")), started=at("15:01"), **look) == [
        "rehearse/2026-11-30T16:00:00Z"
    ]
    assert keys(at("16:30"), space(used_at=at("14:30"), slots=ran), started=at("16:01"), **look) != []
    dead = {"rehearse": Slot("rehearse/2026-11-30T15:00:00Z", at("15:00:05"), None)}
    [one] = due(at("15:30"), LONG_AGO, [space(used_at=at("14:30"), slots=dead)], ["rehearse"])
    assert (one.key, one.with_model, one.since) == ("rehearse/2026-11-30T15:00:00Z", False, at("15:00"))


# --- 8: sleep

NIGHT = "sleep/2026-11-30"


def nights(now: datetime, started=LONG_AGO, **known) -> list[str]:
    known = {"episodes": 5, **known}
    return keys(now, space(**known), started=started, cycles=("sleep",))


def test_a_night_begins_at_sleep_at_for_an_hour():
    assert nights(at("02:16:59")) == []
    assert nights(at("02:17")) == nights(at("03:16:59")) == [NIGHT]
    assert nights(at("03:17")) == nights(at("23:00")) == []
    assert nights(at("04:30"), rules={"sleep_at": "04:30"}) == [NIGHT]
    assert due(at("02:17"), LONG_AGO, [space(episodes=5, model_at=at("02:16"))])[0].with_model


def test_five_experiences_or_one_of_three_days_make_a_night():
    assert nights(at("02:17"), episodes=4) == []
    assert nights(at("02:17"), episodes=1, oldest_episode=at("02:18", -3)) == []
    assert nights(at("02:18"), episodes=1, oldest_episode=at("02:18", -3)) == [NIGHT]
    assert nights(at("02:17"), episodes=2, rules={"sleep_wake_episodes": 2}) == [NIGHT]


def test_a_worker_that_came_later_makes_up_for_the_night_on_the_same_day():
    assert nights(at("09:00:14"), at("09:00")) == []
    assert nights(at("09:00:15"), at("09:00")) == nights(at("10:00:14"), at("09:00")) == [NIGHT]
    assert nights(at("10:00:15"), at("09:00")) == []
    assert nights(at("23:59:59"), at("23:59")) == [NIGHT]
    assert nights(at("00:10", 1), at("23:59")) == nights(at("01:00", 1), at("00:59", 1)) == []
    assert nights(at("09:10"), at("09:00"), slots={"sleep": done(NIGHT, at("02:17:03"))}) == []


def test_a_night_is_slept_once_and_older_ones_are_not_made_up_for():
    slept = {"sleep": done(NIGHT, at("02:17:03"))}
    assert nights(at("02:40"), slots=slept) == []
    assert nights(at("02:17", 5), slots=slept) == ["sleep/2026-12-05"]


def test_an_unfinished_night_is_given_again_that_day_whatever_still_waits():
    dead = {"sleep": Slot(NIGHT, at("02:17:03"), None)}
    assert nights(at("05:00"), episodes=0, slots=dead) == nights(at("23:59"), episodes=0, slots=dead) == [NIGHT]
    assert nights(at("00:00", 1), slots=dead) == []


def test_a_night_that_begins_before_midnight_has_its_whole_hour():
    late = {"sleep_at": "23:30"}
    assert nights(at("00:29:59", 1), rules=late) == nights(at("00:20", 1), at("00:10", 1), rules=late) == [NIGHT]
    assert nights(at("00:30", 1), rules=late) == nights(at("00:31", 1), at("00:30", 1), rules=late) == []
    slept = {"sleep": done(NIGHT, at("00:10", 1))}
    assert nights(at("00:20", 1), rules=late, slots=slept) == []
    assert nights(at("23:30", 1), rules=late, slots=slept) == ["sleep/2026-12-01"]


def test_paused_stops_sleep_and_nothing_else():
    halted = backlog("01:00", rules={"paused": True}, episodes=5)
    assert [one.cycle for one in due(at("02:17"), LONG_AGO, [halted])] == ["tidy", "rehearse"]
    dead = {"sleep": Slot(NIGHT, at("02:17:03"), None)}
    assert nights(at("02:18"), rules={"paused": True}, slots=dead) == []


# --- 9, 10: order, clocks, bad input


def test_the_most_urgent_comes_first_whatever_the_order_of_the_namespaces():
    standings = [
        backlog("14:50", "b"), backlog("14:40", "c"), backlog("14:50", "a", episodes=5),
        backlog("14:55", "fast", rules={"curate_interval_seconds": 600}),
        space("i2", 1, at("14:30"), at("14:31")), space("i1", 1, at("14:30"), at("14:50:30")),
    ]  # fmt: skip
    found = due(at("15:01"), LONG_AGO, standings)
    assert [one.scope.namespace for one in found if one.cycle == "tidy"] == ["i2", "i1", "c", "a", "b", "fast"]
    assert [one.idle for one in found] == [True, True] + [False] * (len(found) - 2)
    assert found[1].since == at("15:00:30") > found[2].since
    assert [one.since for one in found[2:]] == sorted(one.since for one in found[2:])
    assert found == due(at("15:01"), LONG_AGO, reversed(standings), CYCLES[::-1])
    assert len({(one.scope, one.cycle) for one in found}) == len(found)


def test_ties_go_to_the_oldest_backlog_then_the_name_then_the_cycle():
    used = at("02:00")
    rules = {
        "idle_seconds": 99_999,
        "curate_interval_seconds": 7200,
        "rehearse_interval_seconds": 7200,
        "sleep_at": "02:00",
    }
    made = [
        space(n, 1, since, used, rules, episodes=5)
        for n, since in (("z", at("01:10")), ("b", None), ("a", at("01:20")))
    ]
    found = due(at("02:05"), LONG_AGO, made)
    assert [(one.scope.namespace, one.cycle) for one in found] == [(n, c) for n in "zab" for c in CYCLES]


def test_a_clock_that_was_set_back_makes_nothing_due_until_it_has_caught_up():
    ahead = {
        "tidy": done("tidy/2026-12-03T15:00:00Z", at("15:00:02", 3)),
        "rehearse": done("rehearse/2026-12-03T15:00:00Z", at("15:00:02", 3)),
        "sleep": done("sleep/2026-12-03", at("02:17:02", 3)),
    }
    later = space(uncurated=3, waiting_since=at("16:00", 3), used_at=at("16:00", 3), episodes=9, slots=ahead)
    for now in (at("02:20"), at("15:00"), at("15:10", 3)):
        assert due(now, LONG_AGO, [later]) == []
    assert keys(at("15:30", 3), later) == ["tidy/2026-12-03T15:30:00Z"]
    assert due(at("15:30", 3), LONG_AGO, [later], ["tidy"])[0].since == at("15:30", 3)
    assert due(at("15:00"), at("15:00", 1), [backlog("14:50")]) == []
    assert next_due(at("02:20"), LONG_AGO, [later]) == at("15:30", 3)


def test_times_of_every_zone_are_taken_and_naive_ones_are_refused():
    tokyo = timezone(timedelta(hours=9))
    used = at("15:02")
    idle = space(uncurated=1, waiting_since=used, used_at=used.astimezone(tokyo))
    assert keys(at("15:12").astimezone(tokyo), idle) == ["tidy/idle/2026-11-30T15:02:00.000000Z"]
    assert nights(at("02:17").astimezone(tokyo)) == [NIGHT]
    naive = datetime(2026, 11, 30, 15)
    for refused in (
        lambda: due(naive, LONG_AGO, []), lambda: next_due(at("15:00"), naive, []), lambda: Slot("x", naive, None),
        lambda: Slot("x", DAY, naive), lambda: space(used_at=naive), lambda: space(waiting_since=naive),
        lambda: space(oldest_episode=naive), lambda: space(model_at=naive),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match="time zone"):
            refused()


def test_unknown_cycles_are_refused():
    for ask in (due, next_due):
        with pytest.raises(InvalidInput, match="no cycle doze"):
            ask(DAY, DAY, [], ["tidy", "doze"])


def test_times_at_the_end_of_the_calendar_do_no_harm():
    end = datetime.max.replace(tzinfo=UTC)
    odd = space(uncurated=1, waiting_since=end, used_at=end, oldest_episode=end, slots={"tidy": Slot("x", end, None)})
    assert due(at("15:00"), LONG_AGO, [odd], ["tidy", "sleep"]) == []
    assert next_due(at("15:00"), LONG_AGO, [odd], ["tidy", "sleep"]) is None


@pytest.mark.parametrize("text", ["24:00", "2:17", "02:60", "02:17:00", "noon", "", "٠٢:١٧", "02:17\n"])
def test_sleep_at_is_hours_and_minutes(text):
    with pytest.raises(UnknownSetting, match=r"sleep_at.*HH:MM"):
        Settings({"sleep_at": text})


# --- workers at random

RULES = {
    "curate_interval_seconds": 600, "idle_seconds": 200, "model_interval_seconds": 1200,
    "rehearse_interval_seconds": 900, "quiet_hours": 1, "sleep_wake_episodes": 3, "sleep_at": "02:40",
}  # fmt: skip
INTERVAL, STAGGER, STEP, LEASE, SKEW = 600, 15, 20, 100, 5


class World:
    """A store with two namespaces and two workers whose clocks differ. Each look claims all that is due."""

    def __init__(self, skew: int, took: int, leftover: int):
        self.now = at("02:00")
        self.skew, self.took, self.leftover = (0, skew), took, leftover
        self.started: list[datetime | None] = [self.now, None]
        self.dies = [False, False]
        self.rows, self.episodes, self.waited = [0, 0], [0, 0], [0, 0]
        self.waiting: list[datetime | None] = [None, None]
        self.used: list[datetime | None] = [None, None]
        self.models: list[list[datetime]] = [[], []]
        self.slots: list[dict[str, Slot]] = [{}, {}]
        self.finished: list[set[str]] = [set(), set()]
        self.in_hand: dict[tuple[int, str], datetime] = {}
        self.log: list[tuple[datetime, int, str]] = []

    def clock(self, worker: int) -> datetime:
        return self.now + timedelta(seconds=self.skew[worker])

    def standing(self, n: int) -> Standing:
        return space(
            str(n), self.rows[n], self.waiting[n], self.used[n], RULES, episodes=self.episodes[n],
            slots=dict(self.slots[n]), model_at=self.models[n][-1] if self.models[n] else None,
        )  # fmt: skip

    def act(self, what: str, n: int) -> None:
        if what in ("write", "recall"):
            self.used[n] = self.now
        if what == "write":
            self.rows[n] += 1
            self.episodes[n] += 1
            self.waiting[n] = self.waiting[n] or self.now
        if what in ("start", "restart"):
            self.started[n] = self.clock(n)
        if what == "stop":
            self.started[n] = None
        if what == "die":
            self.dies[n] = True

    def run(self, seconds: int) -> None:
        end = self.now + timedelta(seconds=seconds)
        while self.now < end:
            step = min(timedelta(seconds=STEP), end - self.now)
            self.now += step
            for n in (0, 1):
                self.waited[n] += int(step.total_seconds()) if self.rows[n] and any(self.started) else 0
            for n, key in [place for place, until in self.in_hand.items() if until <= self.now]:
                self.finish(n, key)
            for worker in (0, 1):
                self.look(worker)
            assert max(self.waited) <= 2 * INTERVAL + STAGGER + STEP + SKEW

    def look(self, worker: int) -> None:
        now, started = self.clock(worker), self.started[worker]
        if started is None:
            return
        for one in due(now, started, [self.standing(n) for n in (0, 1)]):
            n = int(one.scope.namespace)
            held = self.slots[n].get(one.cycle)
            if held and held.key == one.key and (now - held.started_at).total_seconds() < LEASE:
                continue
            assert one.key not in self.finished[n], "a slot ran twice"
            assert one.since <= now
            self.claim(worker, n, one)
            if self.started[worker] is None:
                return

    def claim(self, worker: int, n: int, one) -> None:
        now = self.clock(worker)
        if one.cycle == "tidy":
            self.waited[n] = 0
            if one.with_model:
                self.models[n].append(now)
        newest = self.slots[n].get(one.cycle)
        if newest is None or newest.started_at <= now:
            self.slots[n][one.cycle] = Slot(one.key, now, None, one.with_model)
        self.log.append((now, n, one.key))
        if self.dies[worker]:
            self.dies[worker], self.started[worker] = False, None
        elif self.took:
            self.in_hand[n, one.key] = self.now + timedelta(seconds=self.took)
        else:
            self.finish(n, one.key)

    def finish(self, n: int, key: str) -> None:
        self.in_hand.pop((n, key), None)
        cycle = key.partition("/")[0]
        self.finished[n].add(key)
        if self.slots[n][cycle].key == key:
            self.slots[n][cycle] = done(key, self.slots[n][cycle].started_at)
        if cycle == "tidy":
            self.rows[n] = min(self.rows[n], self.leftover)
            self.waiting[n] = self.waiting[n] if self.rows[n] else None
        if cycle == "sleep":
            self.episodes[n] = 0


ACTS = ("write", "recall", "start", "stop", "restart", "die")
STORIES = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 1), st.integers(60, 700)), max_size=40)


def told(story, skew: int, took: int, leftover: int) -> World:
    world = World(skew, took, leftover)
    for what, n, seconds in story:
        world.act(what, n)
        world.run(seconds)
    return world


@tries(max_examples=200)
@given(STORIES, st.integers(-SKEW, SKEW), st.sampled_from([0, 45]), st.integers(0, 1))
@example([("start", 1, 60), ("write", 0, 60), *[("restart", 0, 290), ("restart", 1, 300)] * 15], 3, 0, 1)
@example([("write", 0, 595), *[("restart", 0, 599)] * 12], 0, 0, 1)
def test_no_slot_runs_twice_and_no_backlog_starves(story, skew, took, leftover):
    world = told(story, skew, took, leftover)
    for n in (0, 1):
        on_grid = [(when, key) for when, m, key in world.log if m == n and key.startswith("tidy/2")]
        for when, key in on_grid:
            into = (when - datetime.fromisoformat(key.partition("/")[2])).total_seconds()
            assert 0 <= into < INTERVAL
        for before, after in zip(world.models[n], world.models[n][1:], strict=False):
            assert (after - before).total_seconds() >= RULES["model_interval_seconds"]


@tries(max_examples=50)
@given(STORIES, st.integers(2, 9), st.integers(0, 86_400), st.integers(0, 1))
def test_after_days_of_downtime_each_cycle_is_due_at_most_once(story, days, seconds, leftover):
    world = told(story, 0, 0, leftover)
    world.act("stop", 0)
    world.act("stop", 1)
    world.waited = [0, 0]
    world.now += timedelta(days=days, seconds=seconds)
    world.log.clear()
    world.act("start", 0)
    until_next_slot = INTERVAL - int((world.now - DAY).total_seconds()) % INTERVAL
    world.dies = [False, False]
    world.run(until_next_slot - 1)
    ran = [(n, key.partition("/")[0]) for _, n, key in world.log]
    assert len(set(ran)) == len(ran)
    if until_next_slot > STAGGER + STEP:
        assert all((n, "tidy") in ran for n in (0, 1) if world.used[n] and world.leftover and world.rows[n])


# --- next_due


@pytest.mark.parametrize(
    ("standing", "started", "moment"),
    [
        (backlog("14:50"), LONG_AGO, "15:30"),
        (backlog("14:50"), at("15:04:50"), "15:30"),
        (backlog("14:10"), at("15:01"), "15:10"),
        (backlog("14:50", slots={"tidy": done("x", at("14:10"))}), at("15:01"), "15:10"),
        (backlog("13:00"), at("15:04:50"), "15:05:05"),
        (space(uncurated=1, waiting_since=at("15:02"), used_at=at("15:02")), at("15:01"), "15:12"),
        (space(slots={"tidy": done("x", at("15:10", -1))}), LONG_AGO, "15:30"),
        (space(used_at=at("13:20"), slots={"tidy": done("x", at("15:00"))}), at("15:01"), "15:20"),
        (space(slots={"tidy": done("x", at("15:00"))}, used_at=at("14:00"), episodes=5), at("15:04:50"), "15:05:05"),
        (space(oldest_episode=at("15:20", -3)), at("15:01"), "15:20"),
        (backlog("14:50", model_at=at("14:12"), slots={"tidy": Slot("tidy/2026-11-30T15:00:00Z", at("15:00"), None)}),
         LONG_AGO, "15:12"),
    ],
)  # fmt: skip
def test_next_due_is_the_moment_at_which_a_rule_takes_hold(standing, started, moment):
    assert next_due(at("15:05"), started, [space("empty"), standing]) == at(moment)
    assert next_due(at("15:05"), started, [standing, backlog("12:00", "far", rules={"paused": True})]) <= at(moment)


def test_next_due_looks_at_no_other_cycles():
    assert next_due(at("15:00"), LONG_AGO, [backlog("14:50", episodes=5)], ["sleep"]) == at("02:17", 1)
    assert next_due(at("15:00"), LONG_AGO, [backlog("14:50", episodes=4)], ["sleep"]) is None


TIMES = st.none() | st.integers(-3000, 1500)
QUICK = {
    "curate_interval_seconds": 120, "idle_seconds": 50, "model_interval_seconds": 200, "rehearse_interval_seconds": 180,
    "quiet_hours": 1, "sleep_at": "15:05",
}  # fmt: skip


@st.composite
def standings(draw, unit: int, rules: dict[str, object], name: str) -> Standing:
    """Any standing, possible or not, with times around 15:00 in whole units of seconds."""

    def moment():
        drawn = draw(TIMES)
        return None if drawn is None else at("15:00") + timedelta(seconds=drawn * unit)

    grid = {"tidy": rules["curate_interval_seconds"], "rehearse": rules["rehearse_interval_seconds"], "sleep": 86_400}
    slots = {}
    for cycle, every in grid.items():
        if started := moment():
            offset = 0 if cycle != "sleep" else (at(str(rules["sleep_at"])) - DAY).total_seconds()
            point = started - timedelta(seconds=(started.timestamp() - offset) % every)
            key = f"{cycle}/{point:%Y-%m-%d}" if cycle == "sleep" else f"{cycle}/{point:%Y-%m-%dT%H:%M:%SZ}"
            slots[cycle] = Slot(draw(st.sampled_from([key, "x"])), started, draw(st.sampled_from([None, started])))
    return space(
        name, draw(st.integers(0, 1)), moment(), moment(), rules, episodes=draw(st.sampled_from([0, 9])),
        oldest_episode=moment(), slots=slots, model_at=moment(),
    )  # fmt: skip


def claimed(standing: Standing, one, now: datetime) -> Standing:
    """The same namespace after a worker has done what was due."""
    tidy = one.cycle == "tidy"
    return Standing(
        standing.scope, standing.settings, standing.uncurated, standing.waiting_since, standing.used_at,
        standing.episodes, standing.oldest_episode, {**standing.slots, one.cycle: done(one.key, now)},
        now if tidy and one.with_model else standing.model_at,
    )  # fmt: skip


def seen(
    made, started, length: int, step: timedelta | None, claim: bool, cycles
) -> list[tuple[datetime, str, str, bool]]:
    """What comes due in so many seconds, looking at every step, or only when next_due says so."""
    now, end = at("15:00"), at("15:00") + timedelta(seconds=length)
    held, before, found = {s.scope: s for s in made}, set(), []
    while now is not None and now <= end:
        present = due(now, started, held.values(), cycles)
        same = {(one.scope, one.key, one.with_model) for one in present}
        found += [(now, one.scope.namespace, one.key, one.with_model) for one in present
                  if claim or (one.scope, one.key, one.with_model) not in before]  # fmt: skip
        before = same
        if claim:
            for one in present:
                held[one.scope] = claimed(held[one.scope], one, now)
        now = now + step if step else next_due(now, started, held.values(), cycles)
    return found


@tries(max_examples=60)
@given(standings(1, QUICK, "a"), standings(1, QUICK, "b"), st.integers(-500, 300), st.booleans())
def test_next_due_is_never_late__by_the_second(a, b, started, claim):
    begun = at("15:00") + timedelta(seconds=started)
    by_clock = seen([a, b], begun, 900, timedelta(seconds=1), claim, CYCLES)
    assert seen([a, b], begun, 900, None, claim, CYCLES) == by_clock


SLOW = {
    "curate_interval_seconds": 3600, "rehearse_interval_seconds": 7200, "start_stagger_seconds": 3600,
    "sleep_at": "17:00", "idle_seconds": 7200, "quiet_hours": 30,
}  # fmt: skip


@tries(max_examples=40)
@given(standings(1800, SLOW, "a"), st.integers(-60, 60), st.booleans())
def test_next_due_is_never_late__by_the_half_hour_for_weeks(a, started, claim):
    begun = at("15:00") + timedelta(minutes=30 * started)
    by_clock = seen([a], begun, 20 * 86_400, timedelta(minutes=30), claim, CYCLES)
    assert seen([a], begun, 20 * 86_400, None, claim, CYCLES) == by_clock
