"""Values of one meaning in one spelling: numbers, money, units, percentages, dates, times, versions, paths, identifiers.

A value token is a string with a kind letter, a colon and the value: `n:5432`, `n:30%`, `n:5$`, `n:10|minute`, `o:3`
(ordinal), `d:2026-07-22`, `d:-03-05` (no year), `d:2026-03` (no day), `d:mon` (a weekday), `t:14:00`, `v:1.2.3`,
`p:/etc/hosts` (path, address), `i:max_tokens` (identifier, flag, code). A word is a bare lower-case string, so no word
can be taken for a value: words hold no colon.
"""

from __future__ import annotations

import re
from decimal import Decimal

_ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SCALE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SUFFIX = {"k": 1_000, "K": 1_000, "M": 1_000_000, "bn": 1_000_000_000}
_ORDINAL = dict(
    zip(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
        "seventeenth eighteenth nineteenth twentieth".split(),
        range(1, 21),
        strict=True,
    )
) | {"thirtieth": 30}
_ORDINAL_TENS = {f"{ten}-{word}": n + i for ten, n in _TENS.items() for word, i in _ORDINAL.items() if i < 10}
_CARDINALS = _ONES | _TENS | {f"{ten}-{one}": n + i for ten, n in _TENS.items() for one, i in _ONES.items() if 0 < i < 10}
_ORDINALS = _ORDINAL | _ORDINAL_TENS
_MONTHS = {
    name: i
    for i, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}
_AMBIGUOUS_MONTHS = frozenset(("march", "mar", "may"))
_DAYS = {
    name: day
    for day, names in {
        "mon": "monday mon", "tue": "tuesday tue tues", "wed": "wednesday", "thu": "thursday thu thur thurs", "fri": "friday fri",
        "sat": "saturday", "sun": "sunday",
    }.items()
    for name in names.split()
}
_CYCLES = {"hour": "hourly", "day": "daily", "night": "nightly", "week": "weekly", "month": "monthly", "year": "yearly"}
_DAY_PLURALS = {f"{name}s": f"{day}s" for name, day in _DAYS.items() if len(name) > 5}
_UNITS = {
    name: unit
    for unit, names in {
        "second": "s sec secs second seconds", "minute": "min mins minute minutes", "hour": "h hr hrs hour hours",
        "day": "day days", "week": "wk wks week weeks", "month": "month months", "year": "yr yrs year years",
        "ms": "ms millisecond milliseconds msec", "kb": "kb kilobyte kilobytes", "mb": "mb megabyte megabytes",
        "gb": "gb gigabyte gigabytes", "tb": "tb terabyte terabytes", "kg": "kg kgs kilo kilos kilogram kilograms",
        "g": "g gram grams", "mg": "mg milligram milligrams", "km": "km kms kilometre kilometres kilometer kilometers",
        "mile": "mile miles", "cm": "cm centimetre centimetres centimeter centimeters", "mm": "mm millimetre millimetres",
        "metre": "metre metres meter meters", "litre": "litre litres liter liters", "lb": "lb lbs pound-mass",
        "point": "pt pts point points", "%": "percent pct", "$": "dollar dollars usd", "€": "euro euros eur", "£": "gbp quid",
        "¥": "yen jpy", "chf": "chf francs franc", "₹": "rupee rupees inr",
    }.items()
    for name in names.split()
}
_MONEY = {"$": "$", "€": "€", "£": "£", "¥": "¥", "₹": "₹", "US$": "$"}
_NUMBER = re.compile(r"([-+~]?)([$€£¥₹]|US\$)?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?([A-Za-z]{1,12}|[%€$£¥₹])?")
_ORDINAL_DIGITS = re.compile(r"(\d{1,30})(?:st|nd|rd|th)")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ISO_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d)?)([Zz]|[+-]\d\d:?\d\d)?")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(?::(\d\d))?([AaPp])\.?[Mm]|(\d{1,2}):(\d\d)(?::(\d\d))?")
_VERSION = re.compile(r"[vV](\d+(?:\.\d+)*[\w.+-]*)|(\d+(?:\.\d+){2,}[\w.+-]*)")
_RANGE = re.compile(r"\d[\d.,]*-\d[\d.,]*[%A-Za-z]{0,3}")
_BARE = re.compile(r"\d{1,30}(?:\.\d{1,30})?")
_WORDY = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MERIDIEM = {"am": "a", "a.m": "a", "pm": "p", "p.m": "p"}


def _plain(number: Decimal) -> str:
    """A decimal without exponent; the digits after the point stay as written."""
    return format(number, "f")


def _scaled(digits: str, scale: str) -> str:
    text = _plain(Decimal(digits) * _SCALE[scale])
    return text.rstrip("0").rstrip(".") if "." in text else text


def _number(match: re.Match[str]) -> str | None:
    """The token of a number with its sign, currency and glued unit; None when the glued letters are no unit."""
    sign, money, whole, fraction, glued = match.groups()
    if len(whole) > 30:
        return None
    digits = whole.replace(",", "") + (fraction or "")
    unit = _MONEY[money] if money else ""
    if unit and fraction == ".00":
        digits = digits[:-3]
    if glued:
        if glued in _SUFFIX:
            digits = _plain(Decimal(digits) * _SUFFIX[glued])
            if "." in digits:
                digits = digits.rstrip("0").rstrip(".")
        elif glued == "%" or glued in _MONEY:
            unit = glued
        else:
            name = _UNITS.get(glued) or (_UNITS.get(glued.lower()) if glued.isupper() else None)
            if name is None:
                return None
            unit = name if name in "%$€£¥₹" else f"|{name}"
    return f"n:{sign}{digits}{unit}"


def clock(match: re.Match[str]) -> str | None:
    """The token of a time of day in 24 hours; None when it is not one (25:00, 0pm)."""
    hour12, minute12, second12, half, hour24, minute24, second24 = match.groups()
    if half:
        hour = int(hour12)
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
        minute, second = minute12 or "00", second12
    else:
        hour, minute, second = int(hour24), minute24, second24
    if hour > 24 or minute > "59":
        return None
    return f"t:{hour:02d}:{minute}" + (f":{second}" if second and second != "00" else "")


def code(piece: str) -> str | list[str]:
    """The token or tokens of a piece that is not a plain word."""
    first = piece[0]
    if first.isdigit() or first in "+-~$€£¥₹U":
        if match := _ORDINAL_DIGITS.fullmatch(piece):
            return f"o:{int(match[1])}"
        if match := _ISO.fullmatch(piece):
            return f"d:{piece}"
        if (match := _CLOCK.fullmatch(piece)) and (time := clock(match)):
            return time
        if match := _ISO_TIME.fullmatch(piece):
            zone = (match[3] or "").upper()
            return [f"d:{match[1]}", f"t:{match[2].removesuffix(':00') if match[2].count(':') == 2 else match[2]}{zone}"]
        if (match := _NUMBER.fullmatch(piece)) and (number := _number(match)):
            return number
        if _RANGE.fullmatch(piece):
            return f"n:{piece}"
    if match := _VERSION.fullmatch(piece):
        return ["version", f"v:{match[1]}"] if match[1] else f"v:{match[2]}"
    if "/" in piece or "\\" in piece or "@" in piece or piece.startswith("."):
        return f"p:{piece}"
    if _WORDY.fullmatch(piece):
        return piece
    if first.isdigit() and (match := re.fullmatch(r"(\d{1,9})-([a-z]{1,12})(?:-(old))?", piece)) and match[2] in _UNITS:
        # "a 10-minute timeout", "a 34-year-old"
        unit = _UNITS[match[2]]
        return [f"n:{match[1]}|{unit}", "old"] if match[3] else f"n:{match[1]}|{unit}"
    if first.isdigit() and (match := re.fullmatch(r"(\d{1,9})-(?:person|people|member|man|strong)", piece)):
        return [f"n:{match[1]}", "people"]
    return f"i:{piece}"


def _spelled(tokens: list[str], i: int) -> tuple[int, int] | None:
    """A number in words that begins at `i`: (value, tokens used)."""
    total = current = used = 0
    last = 0
    n = len(tokens)
    while i + used < n:
        word = tokens[i + used]
        if word in _CARDINALS:
            value = _CARDINALS[word]
            # "two three" are two numbers, "twenty three" is one, and so is "two hundred three".
            if used and not ((last in _TENS.values() and 0 < value < 10) or last >= 100):
                break
            current += value
            last = value
            used += 1
        elif word in _SCALE and used and last:
            scale = _SCALE[word]
            if scale == 100:
                current *= 100
            else:
                total += current * scale
                current = 0
            last = scale
            used += 1
        elif word == "and" and last >= 100 and i + used + 1 < n and tokens[i + used + 1] in _CARDINALS:
            used += 1
        else:
            break
    return (total + current, used) if used else None


def _day_of(token: str) -> int | None:
    """A day of the month from `n:5` or `o:5`."""
    if token[:2] in ("n:", "o:") and token[2:].isdigit() and len(token) <= 4 and 1 <= int(token[2:]) <= 31:
        return int(token[2:])
    return None


def _year_of(token: str) -> str | None:
    return token[2:] if len(token) == 6 and token[:2] == "n:" and token[2:].isdigit() and token[2] in "12" else None


def merge(tokens: list[str]) -> list[str]:
    """Join tokens that spell one value together: number words, scales, units, dates, times, `every Monday`."""
    out: list[str] = []
    i, n = 0, len(tokens)
    while i < n:
        token = tokens[i]
        following = tokens[i + 1] if i + 1 < n else ""
        if token in _CARDINALS:
            spelled = _spelled(tokens, i)
            if spelled:
                out.append(f"n:{spelled[0]}")
                i += spelled[1]
                continue
        elif token in _ORDINALS and not (token == "second" and out and out[-1][:2] == "n:"):
            out.append(f"o:{_ORDINALS[token]}")
            i += 1
            continue
        elif token in _TENS and following in _ORDINAL and _ORDINAL[following] < 10:
            out.append(f"o:{_TENS[token] + _ORDINAL[following]}")
            i += 2
            continue
        elif token in _DAY_PLURALS:
            token = f"d:{_DAY_PLURALS[token]}"
        elif token in _DAYS:
            token = f"d:{_DAYS[token]}"
            if out and out[-1] in ("every", "each"):
                out.pop()
                token += "s"
                if not out or out[-1] != "on":
                    out.append("on")
        elif token in _CYCLES and out and out[-1] in ("every", "each"):
            out[-1] = _CYCLES[token]
            i += 1
            continue
        elif token == "annually":
            token = "yearly"
        elif token == "noon":
            token = "t:12:00"
        elif token == "midnight":
            token = "t:00:00"
        out.append(token)
        i += 1
    return _dates(_units(out))


def _units(tokens: list[str]) -> list[str]:
    """Join a number with the scale, unit or half of the day that follows it."""
    out: list[str] = []
    for token in tokens:
        if out and token.isascii():
            last = out[-1]
            if last[:2] == "n:" and last[-1].isdigit():
                if token in _SCALE:
                    if _BARE.fullmatch(last[2:]):
                        out[-1] = "n:" + _scaled(last[2:], token)
                        continue
                elif token in _MERIDIEM:
                    match = _CLOCK.fullmatch(f"{last[2:]}{_MERIDIEM[token]}m")
                    if match and (time := clock(match)):
                        out[-1] = time
                        continue
                elif token == "o'clock":
                    match = _CLOCK.fullmatch(f"{last[2:]}:00")
                    if match and (time := clock(match)):
                        out[-1] = time
                        continue
                elif token in _UNITS:
                    unit = _UNITS[token]
                    out[-1] = f"{last}{unit}" if unit in "%$€£¥₹" else f"{last}|{unit}"
                    continue
            elif last[:2] == "n:" and last[-1] in "$€£¥₹" and token in _SCALE and _BARE.fullmatch(last[2:-1]):
                out[-1] = "n:" + _scaled(last[2:-1], token) + last[-1]
                continue
            elif last[:2] == "t:" and token in _MERIDIEM and len(last) == 7:
                match = _CLOCK.fullmatch(f"{last[2:]}{_MERIDIEM[token]}m")
                if match and (time := clock(match)):
                    out[-1] = time
                    continue
            elif token == "old" and last[:2] == "n:" and last.endswith("|year"):
                out[-1] = last[:-5]
                out.append("years-old")
                continue
            elif last == "per" and token == "cent" and len(out) > 1 and out[-2][:2] == "n:":
                out.pop()
                out[-1] += "%"
                continue
        out.append(token)
    return out


def _dates(tokens: list[str]) -> list[str]:
    """Join day, month and year in any of their orders."""
    if not any(token in _MONTHS for token in tokens):
        return tokens
    out: list[str] = []
    i, n = 0, len(tokens)
    while i < n:
        token = tokens[i]
        month = _MONTHS.get(token)
        if month is None:
            out.append(token)
            i += 1
            continue
        following = tokens[i + 1] if i + 1 < n else ""
        day = _day_of(following)
        used = 1
        if day is not None:
            used = 2
        elif out and (day := _day_of(out[-1])) is not None:
            out.pop()
        elif len(out) > 1 and out[-1] == "of" and (day := _day_of(out[-2])) is not None and out[-2][0] == "o":
            del out[-2:]
        year = _year_of(tokens[i + used]) if i + used < n else None
        if year:
            used += 1
        if day is not None:
            out.append(f"d:{year or ''}-{month:02d}-{day:02d}")
        elif year:
            out.append(f"d:{year}-{month:02d}")
        elif token in _AMBIGUOUS_MONTHS:
            out.append(token)
        else:
            out.append(f"d:--{month:02d}")
        i += used
    return out
