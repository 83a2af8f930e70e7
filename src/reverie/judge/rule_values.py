"""Whether two values of one attribute can hold together: one in other words, another unit, with more detail."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from reverie.text.lexicon import slots

_SECONDS = {"ms": "0.001", "second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800"}
_BYTES = {"kb": "1e3", "mb": "1e6", "gb": "1e9", "tb": "1e12"}
_GRAMS = {"mcg": "1e-6", "mg": "1e-3", "g": "1", "kg": "1e3", "lb": "453.59237"}
_METRES = {"mm": "1e-3", "cm": "1e-2", "metre": "1", "km": "1e3", "mile": "1609.344"}
_LITRES = {"ml": "1e-3", "litre": "1"}
_MONTHS = {"month": "1", "year": "12"}
_DIMENSIONS = (_SECONDS, _BYTES, _GRAMS, _METRES, _LITRES, _MONTHS)
# Conversions that people round ("4 weeks", "a mile"): within this share two measures are one.
_ROUNDED = Decimal("0.03")


def compatible(a: str, b: str) -> bool:
    """Whether both values may be true of one thing at one time: equal, one more precise, or not to be compared."""
    if a == b:
        return True
    one, two = a.split(), b.split()
    while len(one) > 1 and len(two) > 1 and one[-1] == two[-1] and one[-1][1:2] != ":":
        one, two = one[:-1], two[:-1]  # "100 requests", "200 requests"; "5 Berg", "5 Dahl" keep their last
    if len(one) == len(two) and all(x[1:2] == ":" and y[1:2] == ":" for x, y in zip(one, two, strict=True)):
        return all(map(_typed, one, two))
    ours, theirs = set(one), set(two)
    if ours <= theirs or theirs <= ours:
        return True  # "Berg" and "Ana Berg", "Oslo" and "Oslo Norway"
    wide = _countries(ours), _countries(theirs)
    return wide[0] != wide[1] or any(word[1:2] == ":" for word in (*one, *two)) or _initials(one, two)


def _countries(words: set[str]) -> bool:
    named = slots()
    return any("country" in named.get(word, ()) for word in words)


def _initials(one: list[str], two: list[str]) -> bool:
    """Whether one may be short for the other: "nyc" and "new york city", "bob" and "bobby"."""
    for short, long in ((one, two), (two, one)):
        if len(short) == 1 and short[0] == "".join(word[0] for word in long) and len(long) > 1:
            return True
    return len(one) == len(two) and all(x.startswith(y) or y.startswith(x) for x, y in zip(one, two, strict=True))


def _typed(a: str, b: str) -> bool:
    if a == b:
        return True
    kind = a[0]
    if kind != b[0]:
        return {kind, b[0]} != {"n", "v"} or _prefix(a[2:], b[2:])
    if kind == "d":
        return _dates(a[2:], b[2:])
    if kind == "v":
        return _prefix(a[2:], b[2:])
    if kind == "n":
        return _numbers(a[2:], b[2:])
    return False


def _prefix(a: str, b: str) -> bool:
    return f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.")


def _dates(a: str, b: str) -> bool:
    """A date without its year, or a month without its day, agrees with any that has them."""
    if a.isalpha() or b.isalpha():
        days = a.rstrip("s"), b.rstrip("s")
        return days[0] == days[1] or a.isalpha() != b.isalpha()
    if a[:1] == "-" or b[:1] == "-":
        a, b = a[-5:] if a.count("-") > 1 else a, b[-5:] if b.count("-") > 1 else b
        return a.lstrip("-") == b.lstrip("-")
    return a.startswith(b) or b.startswith(a)


def _numbers(a: str, b: str) -> bool:
    one, two = _measure(a), _measure(b)
    if one is None or two is None:
        return False
    (x, unit), (y, other) = one, two
    if unit == other:
        return x == y
    for dimension in _DIMENSIONS:
        if unit in dimension and other in dimension:
            left, right = x * Decimal(dimension[unit]), y * Decimal(dimension[other])
            return abs(left - right) <= _ROUNDED * max(abs(left), abs(right))
    return (not unit or not other) and x == y


def _measure(value: str) -> tuple[Decimal, str] | None:
    number, _, unit = value.partition("|")
    if number[-1:] in "%$€£¥₹":
        number, unit = number[:-1], number[-1]
    try:
        return Decimal(number), unit
    except InvalidOperation:
        return None
