"""Which cycles of which namespaces are due: computed from the time and the store's history alone, never from a clock.

Every cycle has a grid of moments that all hosts compute alike, so two workers ask for the same slot under the same key
and the store gives it to one of them. Nothing here claims, waits or writes. Why each rule is so: docs/explain/schedule.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from reverie.clock import as_utc, from_us
from reverie.errors import InvalidInput
from reverie.model import Scope
from reverie.settings import Settings

CYCLES = ("tidy", "rehearse", "sleep")

_EPOCH = from_us(0)
_DAY = timedelta(days=1)
_NIGHT_WINDOW = timedelta(hours=1)
_FAR = datetime(9000, 1, 1, tzinfo=UTC)  # adding to later times may overflow; none of them is anybody's next turn


@dataclass(frozen=True, slots=True)
class Slot:
    """The newest slot of one cycle that was claimed in one namespace: the one with the latest ``started_at``.

    ``started_at`` is the `now` for which `due` gave the slot to the worker that claimed it. ``finished_at`` is None
    while it is in hand, and stays None if its worker died. Raises InvalidInput for a naive time.
    """

    key: str
    started_at: datetime
    finished_at: datetime | None
    with_model: bool = False

    def __post_init__(self) -> None:
        _make_utc(self, "started_at", "finished_at")


@dataclass(frozen=True, slots=True)
class Standing:
    """What the store knows of one namespace.

    ``uncurated`` counts live rows that no pass has examined, ``waiting_since`` tells since when there have been any.
    ``used_at`` is the last interaction, a write or a recall. ``episodes`` counts the waiting experiences that are at
    least sleep_min_age_minutes old, ``oldest_episode`` is the time of the oldest. ``slots`` holds the newest slot of each
    cycle, ``model_at`` the start of the last tidy that might call a model. Raises InvalidInput for a naive time.
    """

    scope: Scope
    settings: Settings
    uncurated: int
    waiting_since: datetime | None
    used_at: datetime | None
    episodes: int = 0
    oldest_episode: datetime | None = None
    slots: Mapping[str, Slot] = field(default_factory=dict)
    model_at: datetime | None = None

    def __post_init__(self) -> None:
        _make_utc(self, "waiting_since", "used_at", "oldest_episode", "model_at")


@dataclass(frozen=True, slots=True)
class Due:
    """One cycle that one namespace is due for.

    ``key`` is what the store keeps of the slot: hosts that look at about the same time compute the same one.
    ``with_model``: steps that call a model may run. ``idle``: due because nobody has used the namespace for a while.
    ``since`` is never after the `now` that was asked about.
    """

    scope: Scope
    cycle: str
    key: str
    with_model: bool
    idle: bool
    since: datetime


def due(now: datetime, started: datetime, standings: Iterable[Standing], cycles: Collection[str] = CYCLES) -> list[Due]:
    """The cycles that are due now, at most one of each kind a namespace, the most urgent first [S1 S3 S4, design 3].

    Idle namespaces come first, then what has been due longest, then the oldest backlog, then tenant, namespace, cycle.

    A slot of the present key that was claimed and not finished is given again, because its worker may have died; whether
    it did is for the store's lease to say, so a caller must be ready to be refused. A finished slot is not given again,
    and a slot that passed unclaimed is not made up for. Where the clock was set back, nothing is due before it has
    passed the newest slot.

    Args:
        now: the present moment.
        started: when this worker started, or last came back from a suspension of its machine. Nothing is due in the
            first start_stagger_seconds, and the grid slot it started in is left out unless two were missed.
        standings: one of each namespace.
        cycles: which of tidy, rehearse and sleep to look at.

    Raises:
        InvalidInput: a time without a time zone, or a cycle that does not exist.
    """
    now, started = _checked(now, started, cycles)
    found = [(one, standing) for standing in standings for one in _of(now, started, standing, cycles)]
    found.sort(key=lambda pair: _urgency(*pair))
    return [one for one, _ in found]


def next_due(
    now: datetime, started: datetime, standings: Iterable[Standing], cycles: Collection[str] = CYCLES
) -> datetime | None:
    """The first moment after now at which `due` gives something that it does not give now, or None if there is none.

    It holds for these standings. A write, a recall or a new namespace may bring a cycle forward, so wait for this moment
    but look again now and then. A slot that is due already, in hand or orphaned, is not waited for.

    Raises:
        InvalidInput: as `due`.
    """
    now, started = _checked(now, started, cycles)
    first: datetime | None = None
    for standing in standings:
        known = {(one.key, one.with_model) for one in _of(now, started, standing, cycles)}
        for moment in sorted(set(_turns(now, started, standing))):
            if first is not None and moment >= first:
                break
            if any((one.key, one.with_model) not in known for one in _of(moment, started, standing, cycles)):
                first = moment
                break
    return first


@dataclass(frozen=True, slots=True)
class _Grid:
    """Points that every host computes alike: whole multiples of an interval since 1970, and an offset."""

    every: timedelta
    offset: timedelta = timedelta()

    def at(self, moment: datetime) -> datetime:  # the newest point that is not later
        return moment - (moment - _EPOCH - self.offset) % self.every

    def after(self, moment: datetime) -> datetime:
        return self.at(moment) + self.every


def _grid(cycle: str, settings: Settings) -> _Grid:
    if cycle == "sleep":
        hour, minute = map(int, str(settings.sleep_at).split(":"))
        return _Grid(_DAY, timedelta(hours=hour, minutes=minute))
    return _Grid(_span(settings, "curate_interval_seconds" if cycle == "tidy" else "rehearse_interval_seconds"))


def _of(now: datetime, started: datetime, s: Standing, cycles: Collection[str]) -> Iterator[Due]:
    """What is due in one namespace."""
    if now < started + _span(s.settings, "start_stagger_seconds"):
        return
    for cycle, look in (("tidy", _tidy), ("rehearse", _rehearse), ("sleep", _sleep)):
        if cycle in cycles and (one := look(now, started, s, s.slots.get(cycle))):
            yield one


def _tidy(now: datetime, started: datetime, s: Standing, last: Slot | None) -> Due | None:
    with_model = s.model_at is None or now - s.model_at >= _span(s.settings, "model_interval_seconds")
    idle = _span(s.settings, "idle_seconds")
    if s.used_at is not None and now - s.used_at >= idle:
        key = f"tidy/idle/{s.used_at:%Y-%m-%dT%H:%M:%S.%fZ}"
        if _orphaned(last, key) or (s.uncurated > 0 and _used(s, last)):
            return Due(s.scope, "tidy", key, with_model, True, s.used_at + idle)
    grid = _grid("tidy", s.settings)
    point = grid.at(now)
    key = f"tidy/{point:%Y-%m-%dT%H:%M:%SZ}"
    if _first_tick(grid, now, started, last.started_at if last else s.waiting_since):
        return None
    if _orphaned(last, key):
        since = point
    elif not _free(last, key, point):
        return None
    elif s.uncurated > 0:
        since = s.waiting_since or point
    elif s.used_at is not None and _used(s, last):
        since = s.used_at
    elif last is not None and point - last.started_at >= _span(s.settings, "quiet_hours"):
        since = point  # demotion and staleness come with time alone
    else:
        return None
    return Due(s.scope, "tidy", key, with_model, False, min(max(point, since), now))


def _rehearse(now: datetime, started: datetime, s: Standing, last: Slot | None) -> Due | None:
    grid = _grid("rehearse", s.settings)
    point = grid.at(now)
    key = f"rehearse/{point:%Y-%m-%dT%H:%M:%SZ}"
    orphaned = _orphaned(last, key)
    if _first_tick(grid, now, started, last.started_at if last else s.used_at):
        return None
    if not orphaned and not (_used(s, last) and _free(last, key, point)):
        return None
    since = point if orphaned or s.used_at is None else max(point, s.used_at)
    return Due(s.scope, "rehearse", key, False, False, min(since, now))


def _sleep(now: datetime, started: datetime, s: Standing, last: Slot | None) -> Due | None:
    """A night is decided on within an hour of sleep_at, or of this worker's start if that came later on the same day.

    So experiences that arrive in the afternoon wait for the night, and a worker that was down at sleep_at makes up for it.
    """
    night = _grid("sleep", s.settings).at(now)
    key = f"sleep/{night:%Y-%m-%d}"
    midnight = _Grid(_DAY).after(night)
    orphaned = _orphaned(last, key)
    if s.settings.paused or not (orphaned or (_free(last, key, night) and _woken(now, s))):
        return None
    closes = midnight  # an orphaned night was decided on before its worker died
    if not orphaned:
        opens = max(night, started + _span(s.settings, "start_stagger_seconds"))
        closes = min(opens + _NIGHT_WINDOW, midnight)
    if now >= max(closes, night + _NIGHT_WINDOW):
        return None
    return Due(s.scope, "sleep", key, True, False, night)


def _woken(now: datetime, s: Standing) -> bool:
    """A small memory is not woken for every single note [S4]."""
    long_waiting = s.oldest_episode is not None and now - s.oldest_episode >= _span(s.settings, "sleep_wake_days")
    return long_waiting or s.episodes >= int(s.settings.sleep_wake_episodes)


def _first_tick(grid: _Grid, now: datetime, started: datetime, last: datetime | None) -> bool:
    """Whether the present slot is the one this worker started in, which it leaves out [S1].

    Not once two slots were missed: a worker that is restarted again and again must not starve a namespace.
    """
    return grid.at(now) <= started and (last is None or now - last < 2 * grid.every)


def _free(last: Slot | None, key: str, point: datetime) -> bool:
    """Nothing was claimed since the point: not this slot, not an idle one, not a later one before the clock went back."""
    return last is None or (last.key != key and last.started_at < point)


def _orphaned(last: Slot | None, key: str) -> bool:
    """Claimed and not finished: in hand, or its worker died."""
    return last is not None and last.key == key and last.finished_at is None


def _used(s: Standing, last: Slot | None) -> bool:
    """Used since the newest slot was started."""
    return s.used_at is not None and (last is None or last.started_at < s.used_at)


def _turns(now: datetime, started: datetime, s: Standing) -> Iterator[datetime]:
    """Every later moment at which a condition above may change: stored times, waits after them, and grid points."""
    grids = {cycle: _grid(cycle, s.settings) for cycle in CYCLES}
    missed = {cycle: 2 * grid.every for cycle, grid in grids.items()}
    waits = [
        (started, _span(s.settings, "start_stagger_seconds")),
        (s.waiting_since, missed["tidy"]),
        (s.used_at, _span(s.settings, "idle_seconds")),
        (s.used_at, missed["rehearse"]),
        (s.model_at, _span(s.settings, "model_interval_seconds")),
        (s.oldest_episode, _span(s.settings, "sleep_wake_days")),
    ]
    for cycle in CYCLES:
        if slot := s.slots.get(cycle):
            waits += [(slot.started_at, w) for w in (timedelta(), missed[cycle], _span(s.settings, "quiet_hours"))]
    moments = [now, *(base + wait for base, wait in waits if base is not None and base < _FAR and base + wait > now)]
    for moment in moments:
        yield from (at for grid in grids.values() for at in (moment, grid.at(moment), grid.after(moment)) if at > now)


def _urgency(one: Due, s: Standing) -> tuple[object, ...]:
    place = (one.scope.tenant, one.scope.namespace, CYCLES.index(one.cycle))
    return (not one.idle, one.since, s.waiting_since or _FAR, *place)


def _span(settings: Settings, name: str) -> timedelta:
    """A setting as a span of time. The last word of its name is its unit."""
    return timedelta(**{name.rpartition("_")[2]: float(settings[name])})


def _checked(now: datetime, started: datetime, cycles: Collection[str]) -> tuple[datetime, datetime]:
    if unknown := sorted(set(cycles) - set(CYCLES)):
        raise InvalidInput(f"there is no cycle {', '.join(unknown)}; the cycles are {', '.join(CYCLES)}")
    return _utc(now, "now"), _utc(started, "started")


def _utc(at: datetime, what: str) -> datetime:
    if at.utcoffset() is None:
        raise InvalidInput(f"{what} has no time zone: {at.isoformat()}")
    return as_utc(at)


def _make_utc(holder: Slot | Standing, *names: str) -> None:
    for name in names:
        if (at := getattr(holder, name)) is not None:
            object.__setattr__(holder, name, _utc(at, name))
