"""Charts as SVG that is drawn on the server: figures in, shapes out. Each has a title, a description and a table beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

WIDTH, HEIGHT, FOOT, TOP = 720, 180, 22, 22
DAYS = 30
SERIES = {"merged": "MergeInto", "superseded": "Supersede", "archived": "Archive", "quarantined": "Quarantine"}


@dataclass(frozen=True, slots=True)
class Bar:
    """One piece of a bar. ``tone`` names its colour in the style sheet."""

    x: float
    y: float
    width: float
    height: float
    tone: str
    told: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars over days, lines across, words beneath; and the same as rows of a table."""

    title: str
    told: str
    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    lines: tuple[tuple[float, str], ...]
    tones: tuple[str, ...]
    used: tuple[str, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: bool
    width: int = WIDTH
    height: int = HEIGHT


def days_until(last: date, n: int = DAYS) -> list[date]:
    """So many days, the last one included."""
    return [last - timedelta(days=n - 1 - i) for i in range(n)]


def by_day(records: Sequence[Mapping[str, object]], names: Mapping[str, str]) -> dict[date, dict[str, float]]:
    """Sums over the records of each day: tone to sum, under the name that each is counted by."""
    found: dict[date, dict[str, float]] = {}
    for r in records:
        at = r["at"]
        assert isinstance(at, datetime)
        sums = found.setdefault(at.date(), dict.fromkeys(names, 0.0))
        for tone, name in names.items():
            value = r.get(name, 0)
            sums[tone] += value if isinstance(value, (int, float)) else 0
    return found


def stacked(
    title: str, unit: str, days: Sequence[date], sums: Mapping[date, Mapping[str, float]], tones: Sequence[str],
    width: int = WIDTH, height: int = HEIGHT,
) -> Chart:  # fmt: skip
    """A bar a day, made of a piece for each tone."""
    totals = [sum(sums.get(d, {}).values()) for d in days]
    top = nice(max(totals, default=0))
    gap = width / len(days)
    room = height - FOOT - TOP
    bars = []
    for n, day in enumerate(days):
        floor = float(height - FOOT)
        for tone in tones:
            value = sums.get(day, {}).get(tone, 0)
            if value:
                high = max(1.5, value / top * room)
                floor -= high
                told = f"{day:%-d %b}: {value:,.0f} {tone if tone != unit else unit}"
                bars.append(
                    Bar(
                        round(n * gap + gap * 0.18, 2),
                        round(floor, 2),
                        round(gap * 0.64, 2),
                        round(high, 2),
                        tone,
                        told,
                    )
                )
    ticks = tuple(
        (round(n * gap + gap / 2, 2), f"{d:%-d %b}") for n, d in enumerate(days) if (len(days) - 1 - n) % 7 == 0
    )
    marks = (0.5, 1.0) if top >= 2 else (1.0,)
    lines = tuple((round(height - FOOT - share * room, 2), f"{top * share:,.0f}") for share in marks)
    whole = {t: sum(sums.get(d, {}).get(t, 0) for d in days) for t in tones}
    said = ", ".join(f"{n:,.0f} {t}" for t, n in whole.items() if n) or "nothing"
    rows = tuple(
        (f"{d:%Y-%m-%d}", *(f"{sums.get(d, {}).get(t, 0):,.0f}" for t in tones)) for d in reversed(days) if sums.get(d)
    )
    used = tuple(t for t, n in whole.items() if n)
    return Chart(
        title, f"{said} in {len(days)} days, to {days[-1]:%-d %B %Y}.", tuple(bars), ticks, lines, tuple(tones), used,
        ("Day", *(t.capitalize() for t in tones)), rows, not any(totals), width, height,
    )  # fmt: skip


def nice(most: float) -> float:
    """A round number that is no smaller."""
    if most <= 4:
        return max(1.0, float(most))
    size = 10.0 ** (len(str(int(most))) - 1)
    return next(step * size for step in (1, 2, 4, 5, 6, 8, 10) if step * size >= most)


@dataclass(frozen=True, slots=True)
class Share:
    """A piece of a whole, along one line of 100."""

    name: str
    count: int
    x: float
    width: float


def shares(counts: Mapping[str, int]) -> tuple[Share, ...]:
    """The pieces that are not empty, side by side; a small one is still seen."""
    given = {k: n for k, n in counts.items() if n}
    whole = sum(given.values())
    widths = {k: max(0.8, 100 * n / whole) for k, n in given.items()}
    scale = 100 / sum(widths.values()) if widths else 1
    found, x = [], 0.0
    for name, n in given.items():
        wide = widths[name] * scale
        found.append(Share(name, n, round(x, 3), round(wide, 3)))
        x += wide
    return tuple(found)
