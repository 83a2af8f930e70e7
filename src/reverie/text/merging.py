"""Tokens that spell one value together, joined: number words, scales, units, days, times, dates, cycles."""

from __future__ import annotations

from decimal import Decimal

from reverie.text.values import (
    AMBIGUOUS_MONTHS,
    BARE,
    CARDINALS,
    CLOCK,
    CYCLES,
    DAY_PLURALS,
    DAYS,
    MERIDIEM,
    MONTHS,
    ORDINAL,
    ORDINALS,
    SCALE,
    TENS,
    UNITS,
    clock,
    plain,
)

_MERGED = (
    TENS.keys()
    | CARDINALS.keys()
    | ORDINALS.keys()
    | DAY_PLURALS.keys()
    | DAYS.keys()
    | CYCLES.keys()
    | {"minus", "dozen", "degrees", "degree", "wed", "annually", "noon", "midnight"}
)
"""Words that `merge` may join with others or spell otherwise; any other stays as it is."""


def _scaled(digits: str, scale: str) -> str:
    text = plain(Decimal(digits) * SCALE[scale])
    return text.rstrip("0").rstrip(".") if "." in text else text


def _spelled(items: list[str], i: int) -> tuple[int, int] | None:
    """A number in words that begins at `i`: (value, items used)."""
    total = current = used = 0
    last = 0
    n = len(items)
    while i + used < n:
        word = items[i + used]
        if word in CARDINALS:
            value = CARDINALS[word]
            # "two three" are two numbers, "twenty three" is one, and so is "two hundred three".
            if used and not ((last in TENS.values() and 0 < value < 10) or last >= 100):
                break
            current += value
            last = value
            used += 1
        elif word in SCALE and used and last:
            scale = SCALE[word]
            if scale == 100:
                current *= 100
            else:
                total += current * scale
                current = 0
            last = scale
            used += 1
        elif word == "and" and last >= 100 and i + used + 1 < n and items[i + used + 1] in CARDINALS:
            used += 1
        else:
            break
    return (total + current, used) if used else None


def _day_of(item: str) -> int | None:
    """A day of the month from `n:5` or `o:5`."""
    if item[:2] in ("n:", "o:") and item[2:].isdigit() and len(item) <= 4 and 1 <= int(item[2:]) <= 31:
        return int(item[2:])
    return None


def _year_of(item: str) -> str | None:
    return item[2:] if len(item) == 6 and item[:2] == "n:" and item[2:].isdigit() and item[2] in "12" else None


def merge(items: list[str]) -> list[str]:
    """Join items that spell one value together: number words, scales, units, dates, times, `every Monday`."""
    out: list[str] = []
    i, n = 0, len(items)
    while i < n:
        item = items[i]
        if item not in _MERGED:
            out.append(item)
            i += 1
            continue
        following = items[i + 1] if i + 1 < n else ""
        if item in TENS and ORDINAL.get(following, 10) < 10:
            out.append(f"o:{TENS[item] + ORDINAL[following]}")
            i += 2
            continue
        if item in CARDINALS:
            spelled = _spelled(items, i)
            if spelled:
                out.append(f"n:{spelled[0]}")
                i += spelled[1]
                continue
        elif item in ORDINALS and not (item == "second" and out and out[-1][:2] == "n:"):
            out.append(f"o:{ORDINALS[item]}")
            i += 1
            continue
        elif item == "minus" and (following in CARDINALS or following[:2] == "n:") and (not out or out[-1][:2] != "n:"):
            # "minus five": the number that follows takes the sign, if it has none.
            spelled = _spelled(items, i + 1) if following in CARDINALS else None
            number = f"n:{spelled[0]}" if spelled else following
            if number[2:3].isdigit():
                out.append(f"n:-{number[2:]}")
                i += 1 + (spelled[1] if spelled else 1)
                continue
        elif item == "dozen" and out and (out[-1] == "a~" or out[-1][:2] == "n:") and out[-2:-1] != ["half"]:
            if out[-1] == "a~":
                out[-1] = "n:12"
                i += 1
                continue
            if out[-1][2:].isdigit():
                out[-1] = f"n:{int(out[-1][2:]) * 12}"
                i += 1
                continue
        elif item in ("degrees", "degree") and following in ("celsius", "fahrenheit", "centigrade"):
            out.append("°f" if following == "fahrenheit" else "°c")
            i += 2
            continue
        elif item == "wed" and out and out[-1] in ("on", "every"):
            item = "wednesday"
            items[i] = item
            continue
        elif item in DAY_PLURALS:
            item = f"d:{DAY_PLURALS[item]}"
        elif item in DAYS:
            item = f"d:{DAYS[item]}"
            if out and out[-1] in ("every", "each"):
                out.pop()
                item += "s"
                if not out or out[-1] != "on":
                    out.append("on")
        elif item in CYCLES and out and out[-1] in ("every", "each"):
            out[-1] = CYCLES[item]
            i += 1
            continue
        elif item == "annually":
            item = "yearly"
        elif item == "noon":
            item = "t:12:00"
        elif item == "midnight":
            item = "t:00:00"
        out.append(item)
        i += 1
    return _dates(_units(out))


def _units(items: list[str]) -> list[str]:
    """Join a number with the scale, unit or half of the day that follows it."""
    text = "\x1f".join(items)
    if "n:" not in text and "t:" not in text:
        return items
    out: list[str] = []
    for item in items:
        if out and (item.isascii() or item in UNITS):
            last = out[-1]
            if last == "in" and len(out) > 1 and out[-2][:2] == "t:" and item in ("morning", "afternoon"):
                # "at 3:00 in the afternoon"
                if item == "morning" and out[-2] < "t:12":
                    out.pop()
                    continue
                if item == "afternoon" and "t:01" <= out[-2] < "t:07":
                    out.pop()
                    out[-1] = f"t:{int(out[-1][2:4]) + 12}{out[-1][4:]}"
                    continue
            if last[:2] == "n:" and last[-1].isdigit():
                if item in SCALE:
                    if BARE.fullmatch(last[2:]):
                        out[-1] = "n:" + _scaled(last[2:], item)
                        continue
                elif item in MERIDIEM:
                    match = CLOCK.fullmatch(f"{last[2:].replace('.', ':')}{MERIDIEM[item]}m")
                    if match and (time := clock(match)):
                        out[-1] = time
                        continue
                elif item == "o'clock":
                    match = CLOCK.fullmatch(f"{last[2:]}:00")
                    if match and (time := clock(match)):
                        out[-1] = time
                        continue
                elif item in UNITS:
                    unit = UNITS[item]
                    out[-1] = f"{last}{unit}" if unit in "%$€£¥₹" else f"{last}|{unit}"
                    continue
            elif last[:2] == "n:" and last[-1] in "$€£¥₹" and item in SCALE and BARE.fullmatch(last[2:-1]):
                out[-1] = "n:" + _scaled(last[2:-1], item) + last[-1]
                continue
            elif last[:2] == "t:" and item in MERIDIEM and len(last) == 7:
                match = CLOCK.fullmatch(f"{last[2:]}{MERIDIEM[item]}m")
                if match and (time := clock(match)):
                    out[-1] = time
                    continue
            elif item == "old" and last[:2] == "n:" and last.endswith("|year"):
                out[-1] = last[:-5]
                out.append("years-old")
                continue
            elif last == "per" and item == "cent" and len(out) > 1 and out[-2][:2] == "n:":
                out.pop()
                out[-1] += "%"
                continue
        out.append(item)
    return out


def _dates(items: list[str]) -> list[str]:
    """Join day, month and year in any of their orders."""
    if MONTHS.keys().isdisjoint(items):
        return items
    out: list[str] = []
    i, n = 0, len(items)
    while i < n:
        item = items[i]
        month = MONTHS.get(item)
        if month is None:
            out.append(item)
            i += 1
            continue
        following = items[i + 1] if i + 1 < n else ""
        day = _day_of(following)
        used = 1
        if day is not None:
            used = 2
        elif out and (day := _day_of(out[-1])) is not None:
            out.pop()
        elif len(out) > 1 and out[-1] == "of" and (day := _day_of(out[-2])) is not None and out[-2][0] == "o":
            del out[-2:]
        year = _year_of(items[i + used]) if i + used < n else None
        if year:
            used += 1
        if day is not None:
            out.append(f"d:{year or ''}-{month:02d}-{day:02d}")
        elif year:
            out.append(f"d:{year}-{month:02d}")
        elif item in AMBIGUOUS_MONTHS:
            out.append(item)
        else:
            out.append(f"d:--{month:02d}")
        i += used
    return out
