"""How things are shown: stored text so that it cannot disguise itself, times, numbers, and errors in words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

from reverie import errors

# Control, direction and invisible characters, line ends and tabs aside; joiners stay, as scripts and emoji need them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\ufff9-\ufffb\ufff0-\ufff8\U000e0000-\U000e007f]"
)
SHORT = 280


def text(given: object, most: int | None = None) -> Markup:
    """Stored text as HTML: escaped, and each character that nobody would see as a small label with its number."""
    plain = str(given)
    if most is not None and len(plain) > most:
        plain = plain[: most - 1].rstrip() + "…"
    parts: list[Markup] = []
    end = 0
    for found in _UNSEEN.finditer(plain):
        parts.append(escape(plain[end : found.start()]))
        parts.append(Markup('<span class="unseen">U+{:04X}</span>').format(ord(found.group())))
        end = found.end()
    return Markup("").join([*parts, escape(plain[end:])])


def bare(given: object) -> str:
    """Stored text to be corrected in a field: without the characters that would reorder or hide what stands there."""
    return _UNSEEN.sub("", str(given))


def plain(given: object, most: int = SHORT) -> str:
    """Stored text on one line, for attributes and titles."""
    flat = " ".join(_UNSEEN.sub(lambda m: f"[U+{ord(m.group()):04X}]", str(given)[: 8 * most]).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def line(given: object, most: int = SHORT) -> Markup:
    """Stored text on one line, as HTML."""
    return text(" ".join(str(given)[: 8 * most].split()), most)


def when(at: datetime | None) -> Markup:
    """A moment, in UTC."""
    if at is None:
        return Markup("–")
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), f"{at:%-d %b %Y, %H:%M}")


def clock(at: datetime) -> Markup:
    """The time of day, in UTC."""
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), f"{at:%H:%M}")


def ago(at: datetime | None, now: datetime) -> str:
    """How long ago, roughly."""
    if at is None:
        return "never"
    seconds = (now - at).total_seconds()
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            n = int(seconds // size)
            return f"{n:,} {word}{'' if n == 1 else 's'} ago"
    return "just now"


def weekday(day: date) -> str:
    """A day as a newspaper writes it."""
    return f"{day:%A, %-d %B %Y}"


def short_day(day: date) -> str:
    """A day, briefly."""
    return f"{day:%-d %b}"


def number(given: float | int | None) -> str:
    """A count with separators; a fraction with what matters of it."""
    if given is None:
        return "–"
    if isinstance(given, float) and not given.is_integer():
        return f"{given:,.4f}".rstrip("0").rstrip(".")
    return f"{given:,.0f}"


def many(n: int, noun: str, nouns: str | None = None) -> str:
    """A count and its noun."""
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def words(name: object) -> str:
    """A name of the code as words."""
    return str(name).replace("_", " ")


def pretty(given: object) -> Markup:
    """Plain data as indented JSON."""
    return text(json.dumps(given, ensure_ascii=False, indent=2, default=str))


def span(seconds: float) -> str:
    """A length of time, roughly."""
    left = timedelta(seconds=int(seconds))
    if left.days:
        return many(left.days, "day")
    return many(left.seconds // 3600, "hour") if left.seconds >= 3600 else many(left.seconds // 60, "minute")


FILTERS: Mapping[str, Callable[..., Any]] = {
    "stored": text, "plain": plain, "bare": bare, "line": line, "when": when, "clock": clock, "ago": ago, "weekday": weekday,
    "short_day": short_day, "number": number, "many": many, "words": words, "pretty": pretty, "span": span, "asdict": dict,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error for people."""

    status: int
    title: str
    what: str
    advice: str


# The first that fits. ``None``: the error's own words, which the façade writes without any text of a memory.
_TROUBLES: tuple[tuple[type[Exception], int, str, str | None, str], ...] = (
    (errors.Unauthorised, 401, "Log in first", "There is no session, or its key is no longer in force.",
     "Log in with a key. Make one with: reverie keys create"),
    (errors.Forbidden, 403, "Not with this key", None,
     "Ask whoever keeps the keys for one that allows it, or log in with another."),
    (errors.NotFound, 404, "Nothing is here", "There is no such thing, or this key does not see it.",
     "It may have been settled, or the address is of another namespace. The menu leads on."),
    (errors.Stale, 412, "It has changed meanwhile", "Somebody, or the curator, has changed this memory since the page was loaded.",
     "Nothing was done. Go back, load the page again, and decide on what stands there now."),
    (errors.Conflict, 409, "That does not go together", "Another live memory has that text or key, or things have moved on.",
     "Nothing was done. Look at the memory again."),
    (errors.PolicyRefusal, 409, "The rules do not allow it", None, "Nothing was done."),
    (errors.LeaseHeld, 409, "Somebody is curating already", "Another curator is at work in this namespace.",
     "Nothing was done. Try again when it has finished; Runs shows how it goes."),
    (errors.TooMany, 429, "Too much at once", None, "Wait a little, and try again."),
    (errors.Refused, 409, "The rules do not allow it", None, "Nothing was done."),
    (errors.SecretFound, 422, "That looks like a credential", "The text holds what looks like a key or a password.",
     "Nothing was written. Take it out; secrets do not belong in a memory."),
    (errors.TooLarge, 413, "That is too much at once", None, "Nothing was done."),
    (errors.InvalidInput, 422, "That cannot be taken", None, "Nothing was done. Go back and correct it."),
    (errors.StoreBusy, 503, "The store is busy", "Another process holds the store for too long.", "Try again in a moment."),
)  # fmt: skip
_BROKEN = Trouble(
    500, "Something went wrong", "This page could not be made. The server's log says why.",
    "What was acknowledged before is safe. The health page tells more.",
)  # fmt: skip


def trouble(error: Exception) -> Trouble:
    """What an error tells a person."""
    for sort, status, title, what, advice in _TROUBLES:
        if isinstance(error, sort):
            return Trouble(status, title, what if what is not None else plain(error, 400), advice)
    return _BROKEN
