"""Values of one meaning in one spelling: numbers, money, units, percentages, dates, times, versions, paths,
identifiers.

A value token is a string with a kind letter, a colon and the value: `n:5432`, `n:30%`, `n:5$`, `n:10|minute`, `o:3`
(ordinal), `d:2026-07-22`, `d:-03-05` (no year), `d:2026-03` (no day), `d:mon` (a weekday), `t:14:00`, `v:1.2.3`,
`p:/etc/hosts` (path, address), `i:max_tokens` (identifier, flag, code). A word is a bare lower-case string, so no word
can be taken for a value: words hold no colon.
"""

from __future__ import annotations

import re
from decimal import Decimal

from reverie.text.lexicon import listed

_ONES = dict(
    zip(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ),
        range(20),
        strict=True,
    )
)
TENS = dict(zip(listed("twenty thirty forty fifty sixty seventy eighty ninety"), range(20, 100, 10), strict=True))
SCALE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SUFFIX = {"k": 1_000, "K": 1_000, "M": 1_000_000, "bn": 1_000_000_000}
ORDINAL = dict(
    zip(
        listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth "
            "seventeenth eighteenth nineteenth twentieth"
        ),
        range(1, 21),
        strict=True,
    )
) | {"thirtieth": 30}
_ORDINAL_TENS = {f"{ten}-{word}": n + i for ten, n in TENS.items() for word, i in ORDINAL.items() if i < 10}
CARDINALS = _ONES | TENS | {f"{ten}-{one}": n + i for ten, n in TENS.items() for one, i in _ONES.items() if 0 < i < 10}
ORDINALS = ORDINAL | _ORDINAL_TENS
MONTHS = {
    name: i
    for i, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
AMBIGUOUS_MONTHS = frozenset(("march", "mar", "may"))
DAYS = {
    name: day
    for day, names in {
        "mon": "monday mon",
        "tue": "tuesday tue tues",
        "wed": "wednesday",
        "thu": "thursday thu thur thurs",
        "fri": "friday fri",
        "sat": "saturday",
        "sun": "sunday",
    }.items()
    for name in names.split()
}
CYCLES = {"hour": "hourly", "day": "daily", "night": "nightly", "week": "weekly", "month": "monthly", "year": "yearly"}
DAY_PLURALS = {f"{name}s": f"{day}s" for name, day in DAYS.items() if len(name) > 5}
UNITS = {
    name: unit
    for unit, names in {
        "second": "s sec secs second seconds",
        "minute": "min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "day days",
        "week": "wk wks week weeks",
        "month": "month months",
        "year": "yr yrs year years",
        "ms": "ms millisecond milliseconds msec",
        "kb": "kb kilobyte kilobytes",
        "mb": "mb megabyte megabytes",
        "gb": "gb gigabyte gigabytes",
        "tb": "tb terabyte terabytes",
        "kg": "kg kgs kilo kilos kilogram kilograms",
        "g": "g gram grams",
        "mg": "mg milligram milligrams",
        "km": "km kms kilometre kilometres kilometer kilometers",
        "mile": "mile miles",
        "cm": "cm centimetre centimetres centimeter centimeters",
        "mm": "mm millimetre millimetres",
        "metre": "metre metres meter meters",
        "litre": "litre litres liter liters",
        "lb": "lb lbs pound-mass",
        "point": "pt pts point points",
        "ml": "ml millilitre millilitres milliliter milliliters",
        "mcg": "mcg microgram micrograms",
        "kwh": "kwh",
        "°c": "°c",
        "°f": "°f",
        "%": "percent pct %",
        "$": "dollar dollars usd",
        "€": "euro euros eur",
        "£": "gbp quid",
        "¥": "yen jpy",
        "chf": "chf francs franc",
        "₹": "rupee rupees inr",
    }.items()
    for name in names.split()
}
_MONEY = {"$": "$", "€": "€", "£": "£", "¥": "¥", "₹": "₹", "US$": "$"}
_NUMBER = re.compile(r"([-+~]?)([$€£¥₹]|US\$)?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?([A-Za-z]{1,12}|[%€$£¥₹]|°[CFcf])?")
_ORDINAL_DIGITS = re.compile(r"(\d{1,30})(?:st|nd|rd|th)")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ISO_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d)?)([Zz]|[+-]\d\d:?\d\d)?")
CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(?::(\d\d))?([AaPp])\.?[Mm]|(\d{1,2}):(\d\d)(?::(\d\d))?")
_BARE_VERSION = re.compile(r"\d+(?:\.\d+)?")
_VERSION = re.compile(r"[vV](\d+(?:\.\d+)*[\w.+-]*)|(\d+(?:\.\d+){2,}[\w.+-]*)")
_RANGE = re.compile(r"\d[\d.,]*-\d[\d.,]*[%A-Za-z]{0,3}")
BARE = re.compile(r"\d{1,30}(?:\.\d{1,30})?")
_WORDY = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
MERIDIEM = {"am": "a", "a.m": "a", "pm": "p", "p.m": "p"}


def plain(number: Decimal) -> str:
    """A decimal without exponent; the digits after the point stay as written."""
    return format(number, "f")


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
            digits = plain(Decimal(digits) * _SUFFIX[glued])
            if "." in digits:
                digits = digits.rstrip("0").rstrip(".")
        elif glued == "%" or glued in _MONEY:
            unit = glued
        else:
            name = UNITS.get(glued) or (UNITS.get(glued.lower()) if glued.isupper() or glued[0] == "°" else None)
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
        if (match := CLOCK.fullmatch(piece)) and (time := clock(match)):
            return time
        if match := _ISO_TIME.fullmatch(piece):
            zone = (match[3] or "").upper()
            return [
                f"d:{match[1]}",
                f"t:{match[2].removesuffix(':00') if match[2].count(':') == 2 else match[2]}{zone}",
            ]
        if (match := _NUMBER.fullmatch(piece)) and (number := _number(match)):
            return number
        if _RANGE.fullmatch(piece):
            return f"n:{piece}"
    if match := _VERSION.fullmatch(piece):
        kind = "n" if _BARE_VERSION.fullmatch(match[1] or "") else "v"
        return ["version", f"{kind}:{match[1]}"] if match[1] else f"v:{match[2]}"
    if "/" in piece or "\\" in piece or "@" in piece or piece.startswith("."):
        return f"p:{piece}"
    if _WORDY.fullmatch(piece):
        return piece
    if first.isdigit() and (match := re.fullmatch(r"(\d{1,9})-([a-z]{1,12})(?:-(old))?", piece)) and match[2] in UNITS:
        # "a 10-minute timeout", "a 34-year-old"
        unit = UNITS[match[2]]
        return [f"n:{match[1]}|{unit}", "old"] if match[3] else f"n:{match[1]}|{unit}"
    if first.isdigit() and (match := re.fullmatch(r"(\d{1,9})-(?:person|people|member|man|strong)", piece)):
        return [f"n:{match[1]}", "people"]
    return f"i:{piece}"
