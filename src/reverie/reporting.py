"""The verb that tells of a day: its briefing, read from the journal. Part of the façade."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from reverie.briefing import READINGS, Briefing, brief
from reverie.clock import as_utc
from reverie.errors import InvalidInput
from reverie.handle import Handle
from reverie.model import Entry, RunRecord
from reverie.store.port import AbstractReads

PASSES = 1000  # activity records of a day that are looked at for what was left over


class Reporting(Handle):
    """A handle that reports. The rest of the façade is `reverie.memory.Reverie`."""

    def briefing(self, day: date | str | None = None, *, reading: str = "people") -> Briefing:
        """What happened on a UTC day, rendered from the journal and nothing else [S4].

        Args:
            day: a date, its ISO form, "today" (the default) or "yesterday", by the clock of this handle.
            reading: "people", or "agent": what an agent must know, with every text of a memory quoted as data.

        Returns:
            A `Briefing`: ``headline``, ``notes``, ``sections``; ``text()``, ``markdown()`` and ``to_dict()`` render it. What
            was taken back since is not counted. A day of which the journal knows nothing gives an empty one that says so.

        Raises:
            InvalidInput: no such day, a day in the future, or no such reading.
        """
        self._check_open()
        if reading not in READINGS:
            raise InvalidInput(f"a briefing is read by {' or '.join(READINGS)}, not {str(reading)[:40]!r}")
        now = self._clock.now()
        which = day_of(day, now.date())
        since = datetime.combine(which, time(), UTC)
        until = since + timedelta(days=1) if which < date.max else datetime.max.replace(tzinfo=UTC)
        with self._scope.read() as r:
            runs = r.runs_between(since, until)
            first = r.entries(limit=1)
            passes = [a for a in r.activity(PASSES, since=since, until=until) if "left_over" in a]
            made = brief(
                self.scope, which, now, runs=runs, entries=_named(r, runs, since, until),
                parked=[p for p in r.parked(status=None) if since <= p.at < until],
                left_over=passes[0]["left_over"] if passes else {}, left_at=passes[0]["at"] if passes else None,
                began=first[0].at if first else None, reading=reading,
            )  # fmt: skip
            rows = r.rows(made.memories)
        return made.with_texts({i: m.text for i, m in rows.items()})


def _named(r: AbstractReads, runs: list[RunRecord], since: datetime, until: datetime) -> Iterator[tuple[Entry, str]]:
    """The entries of a span, each with the name of its run, which may have begun before it."""
    names = {run.id: run.cycle for run in runs}
    for entry in r.entries_between(since, until):
        if entry.run not in names:
            names |= {run.id: run.cycle for run in r.runs(ids=[entry.run])}
        yield entry, names.get(entry.run, entry.step)


def day_of(given: object, today: date) -> date:
    """The day that is meant. Raises InvalidInput for what is none, and for one in the future."""
    words = {None: today, "today": today, "yesterday": today - timedelta(days=1)}
    if given is None or (isinstance(given, str) and given in words):
        return words[given]
    found = given
    if isinstance(given, str):
        try:
            found = date.fromisoformat(given)
        except ValueError:
            raise InvalidInput(f"the day {given[:40]!r} is no date, such as 2026-01-31, today or yesterday") from None
    if isinstance(found, datetime):
        found = as_utc(found).date()
    if not isinstance(found, date):
        raise InvalidInput(f"a day is a date or a text, not {type(given).__name__}")
    if found > today:
        raise InvalidInput(f"the day {found.isoformat()} has not come yet; it is {today.isoformat()} (UTC)")
    return found
