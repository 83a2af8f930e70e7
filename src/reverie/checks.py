"""What may come through a door: each check gives the value in its own type, or says what was wrong and what to do."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from reverie.clock import as_utc
from reverie.errors import InvalidInput, NotFound

NAME_MAX = 256
REASON_MAX = 2_000
DEPTH_MAX = 64  # of metadata: deeper JSON cannot be read again from every depth of calls
E = TypeVar("E", bound=StrEnum)


def text_of(text: object, most: int) -> str:
    """A text that may be stored: not empty, at most ``most`` bytes of UTF-8, no NUL, no half of a surrogate pair."""
    if not isinstance(text, str):
        raise InvalidInput(f"a text must be a string, not {type(text).__name__}")
    if len(text) > most:
        raise InvalidInput(f"the text has {len(text)} characters, more than the {most} bytes allowed; split it")
    if not any(c.isprintable() and not c.isspace() for c in text):
        raise InvalidInput("the text is empty")
    if "\0" in text:
        raise InvalidInput("the text holds a NUL character; take it out")
    size = len(_encoded(text, "the text"))
    if size > most:
        raise InvalidInput(f"the text has {size} bytes, more than the {most} allowed; split it")
    return text


def name(given: object, what: str, *, most: int = NAME_MAX) -> str | None:
    """A short text without control characters, or None."""
    if given is None:
        return None
    if not isinstance(given, str) or not given.strip() or len(given) > most:
        raise InvalidInput(f"{what} must be a text of 1 to {most} characters")
    _encoded(given, what)
    if any(ord(c) < 32 for c in given):
        raise InvalidInput(f"{what} holds a control character")
    return given


def required_name(given: object, what: str, *, most: int = NAME_MAX) -> str:
    """As `name`, but it must be there."""
    found = name(given, what, most=most)
    if found is None:
        raise InvalidInput(f"{what} must be a text of 1 to {most} characters")
    return found


def known_id(given: object, what: str = "memory") -> str:
    """An id that a store can be asked for; anything else is not found, and never an error of the store."""
    if isinstance(given, str) and given.isascii() and given.isprintable() and 0 < len(given) <= NAME_MAX:
        return given
    raise NotFound(f"there is no {what} {str(given)[:80]!r} in this namespace")


def one_of(enum: type[E], given: object, what: str) -> E | None:
    """A member of an enum, or None."""
    if given is None:
        return None
    try:
        return enum(given)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise InvalidInput(f"{what} {str(given)[:80]!r} is not one of {', '.join(e.value for e in enum)}") from None


def every(enum: type[E], given: object, what: str) -> list[E]:
    """The one member that was named, or all of them for None. Raises InvalidInput."""
    only = one_of(enum, given, what)
    return list(enum) if only is None else [only]


def several(enum: type[E], given: object, what: str) -> set[E]:
    """Members of an enum; an empty set where None was given."""
    if given is None:
        return set()
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidInput(f"{what} must be a list of {', '.join(e.value for e in enum)}")
    return {found for g in given if (found := one_of(enum, g if g is not None else "none", what)) is not None}


def share(given: object, what: str, default: float) -> float:
    """A number from 0 to 1; the default where None was given."""
    if given is None:
        return default
    if isinstance(given, (int, float)) and not isinstance(given, bool) and 0 <= given <= 1 and math.isfinite(given):
        return float(given)
    raise InvalidInput(f"{what} must be a number from 0 to 1, not {str(given)[:40]}")


def whole(given: object, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    if isinstance(given, int) and not isinstance(given, bool) and low <= given <= high:
        return given
    raise InvalidInput(f"{what} must be a whole number from {low} to {high}, not {str(given)[:40]}")


def position(cursor: object) -> int:
    """Where the page before ended; none was before for None. Raises InvalidInput for what is no cursor."""
    if cursor is None:
        return 2**62
    if (
        isinstance(cursor, str)
        and cursor.isascii()
        and cursor.isdigit()
        and len(cursor) < 20
        and 0 < int(cursor) < 2**62
    ):
        return int(cursor)
    raise InvalidInput(f"the cursor {str(cursor)[:40]!r} was not given by a page before")


def flag(given: object, what: str) -> bool:
    """True or false, and nothing that merely counts as one."""
    if isinstance(given, bool):
        return given
    raise InvalidInput(f"{what} must be true or false, not {str(given)[:40]!r}")


def path_of(given: object) -> Path:
    """A path that the system can be asked for."""
    if isinstance(given, (str, Path)) and str(given).strip() and "\0" not in str(given):
        return Path(given)
    raise InvalidInput(f"a file's path must be a text, not {str(given)[:80]!r}")


def moment(given: object, what: str) -> datetime | None:
    """A time in UTC, or None."""
    if given is None:
        return None
    if not isinstance(given, datetime):
        raise InvalidInput(f"{what} must be a datetime, not {type(given).__name__}")
    return as_utc(given)


def json_object(given: object, what: str, most: int) -> dict[str, Any]:
    """A copy of plain JSON data with text keys, at most ``most`` bytes and `DEPTH_MAX` levels."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{what} must be a mapping, not {type(given).__name__}")
    if not given:
        return {}
    try:
        _check_tree(given, what, 0)
        raw = json.dumps(given, ensure_ascii=False, allow_nan=False, default=_refuse).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} is not plain JSON: {error}") from None
    if len(raw) > most:
        raise InvalidInput(f"{what} has {len(raw)} bytes, more than {most}")
    loaded: dict[str, Any] = json.loads(raw)
    return loaded


def _check_tree(value: object, what: str, depth: int) -> None:
    if depth > DEPTH_MAX:
        raise InvalidInput(f"{what} is nested deeper than {DEPTH_MAX} levels; flatten it")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidInput(f"{what} has a key that is no text: {str(key)[:40]!r}")
            _check_tree(inner, what, depth + 1)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_tree(inner, what, depth + 1)


def _refuse(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no place in it")


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{what} holds half of a surrogate pair, which no UTF-8 can store; decode it right"
        ) from None
