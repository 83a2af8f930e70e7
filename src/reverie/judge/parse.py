"""Reading what a model sends: any bytes in, an answer or `Unanswered` out (design section 10). Raises nothing.

Nothing is mended: numbers are JSON integers and no strings of digits, a key stands once, a trailing comma is malformed.
Only what models put *around* their one JSON object is taken off: a byte order mark, a code fence, thinking aloud, prose.
No detail quotes the reply: it may hold stored text.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from reverie.judge.checking import checked
from reverie.judge.questions import (
    Abstract,
    Abstracted,
    Act,
    Answer,
    Cause,
    Composed,
    Condense,
    FindNames,
    Groups,
    Identified,
    Identify,
    Label,
    Labelled,
    Names,
    Portray,
    Portrayed,
    Proposed,
    Question,
    Relate,
    Related,
    SameEntity,
    Suggest,
    Unanswered,
    Verdict,
)
from reverie.model import Kind
from reverie.text.personal import UnknownPlaceholder

__all__ = ["DEPTH", "SIZE", "answers", "read_object"]

DEPTH = 32
"""Brackets within brackets that are followed: answers need 4, an API's envelope about 10."""
SIZE = 1_048_576
"""Bytes of a reply that are looked at."""
_SPANS = 100  # pairs of braces in prose that are looked into
_LIST = 1000  # entries of one list that are taken; the longest answer needs 25


class _Odd(Exception):
    """The reply is not of the form that was asked for; the message holds nothing of it."""


def read_object(raw: bytes | str, *, around: bool = False) -> dict[str, Any] | Unanswered:
    """A JSON object, strictly read, or `Unanswered` (MALFORMED, TOO_LARGE). around: there may be prose around it."""
    if len(raw) > SIZE:
        return Unanswered(Cause.TOO_LARGE, f"a reply of more than {SIZE} bytes")
    try:
        text = raw.decode("utf-8") if isinstance(raw, bytes) else raw
        text = text.removeprefix("\ufeff").strip()
        return _only_object(text) if around else _strict(text)
    except UnicodeDecodeError:
        return Unanswered(Cause.MALFORMED, "not UTF-8")
    except _Odd as error:
        return Unanswered(Cause.MALFORMED, str(error))


def answers(
    questions: Sequence[Question], raw: bytes | str, unmask: Callable[[str], str] = str
) -> list[Answer | Unanswered]:
    """One answer to each question of a prompt, in order, each checked; what is wrong with one item fails that item only.

    ``unmask`` puts masked values back into composed texts and raises UnknownPlaceholder for a placeholder never given.
    """
    found = read_object(raw, around=True)
    if isinstance(found, Unanswered):
        return [found] * len(questions)
    if isinstance(questions[0], Relate):
        return _relations(found, len(questions))
    question = questions[0]
    try:
        answer = _READERS[type(question)](found, question, unmask)
    except _Foreign as error:
        return [Unanswered(Cause.WRONG_NUMBER, str(error))]
    except _Odd as error:
        return [Unanswered(Cause.MALFORMED, str(error))]
    except UnknownPlaceholder as error:
        return [Unanswered(Cause.MALFORMED, str(error))]
    return [checked(question, answer)]


def _relations(found: dict[str, Any], n: int) -> list[Answer | Unanswered]:
    try:
        items = _list(_field(found, "items"))
    except _Odd as error:
        return [Unanswered(Cause.MALFORMED, str(error))] * n
    given: list[set[Verdict | None]] = [set() for _ in range(n)]
    foreign = 0
    for item in items:
        number, verdict = (item.get("item"), item.get("verdict")) if isinstance(item, dict) else (None, None)
        if type(number) is not int:
            continue
        if not 0 <= number < n:
            foreign += 1
        else:
            given[number].add(_VERDICTS.get(verdict) if isinstance(verdict, str) else None)
    # An item is missing because its number was got wrong, where there are such numbers: that is what is to be counted.
    missing = (
        Unanswered(Cause.WRONG_NUMBER, f"no verdict; {foreign} items that were not shown have one")
        if foreign
        else Unanswered(Cause.MALFORMED, "no verdict")
    )
    return [_relation(verdicts, missing) for verdicts in given]


def _relation(verdicts: set[Verdict | None], missing: Unanswered) -> Answer | Unanswered:
    if not verdicts:
        return missing
    if len(verdicts) > 1:
        return Unanswered(Cause.MALFORMED, "several verdicts on one item")
    verdict = next(iter(verdicts))
    return Unanswered(Cause.MALFORMED, "no such verdict") if verdict is None else Related(verdict)


_VERDICTS = {v.value: v for v in Verdict}


class _Foreign(Exception):
    """A number that was not shown."""


def _field(found: dict[str, Any], name: str) -> Any:
    try:
        return found[name]
    except KeyError:
        raise _Odd(f"no field {name!r}") from None


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _Odd("no list where one was asked for")
    if len(value) > _LIST:
        raise _Odd(f"a list of more than {_LIST} entries")
    return value


def _number(value: Any, n: int) -> int:
    if type(value) is not int:
        raise _Odd("no integer where one was asked for")
    if not 0 <= value < n:
        raise _Foreign(f"a number that was not shown, of {n}")
    return value


def _numbers(value: Any, n: int) -> tuple[int, ...]:
    return tuple(_number(v, n) for v in _list(value))


def _text(value: Any, unmask: Callable[[str], str]) -> str:
    if not isinstance(value, str):
        raise _Odd("no text where one was asked for")
    return unmask(value).strip()


_Reader = Callable[[dict[str, Any], Any, Callable[[str], str]], Answer]


def _groups(found: dict[str, Any], question: SameEntity, _: Callable[[str], str]) -> Answer:
    n = len(question.entities)
    groups = [_numbers(group, n) for group in _list(_field(found, "groups"))]
    return Groups(tuple(group for group in groups if len(group) != 1))  # what stands alone was to be left out


def _identified(found: dict[str, Any], question: Identify, _: Callable[[str], str]) -> Answer:
    value = _field(found, "number")
    return Identified(None if value is None else _number(value, len(question.known)))


def _abstracted(found: dict[str, Any], question: Abstract, unmask: Callable[[str], str]) -> Answer:
    proposals = []
    for entry in _list(_field(found, "proposals")):
        if not isinstance(entry, dict):
            raise _Odd("a proposal that is no object")
        act, kind, text, known = (entry.get(name) for name in ("act", "kind", "text", "known"))
        if not isinstance(act, str) or act not in list(Act):
            raise _Odd("no such act")
        if kind is not None and (not isinstance(kind, str) or kind not in list(Kind) or kind == Kind.EPISODE):
            raise _Odd("no such kind")
        proposals.append(
            Proposed(
                Act(act),
                _numbers(_field(entry, "sources"), len(question.experiences)),
                None if known is None else _number(known, len(question.known)),
                None if kind is None else Kind(kind),
                None if text is None else _text(text, unmask),
            )
        )
    return Abstracted(tuple(proposals))


def _condensed(found: dict[str, Any], _: Condense, unmask: Callable[[str], str]) -> Answer:
    return Composed(_text(_field(found, "text"), unmask))


def _suggested(found: dict[str, Any], _: Suggest, unmask: Callable[[str], str]) -> Answer:
    value = _field(found, "text")
    return Composed(None if value is None else _text(value, unmask))


def _names(found: dict[str, Any], _: FindNames, unmask: Callable[[str], str]) -> Answer:
    return Names(tuple(dict.fromkeys(_text(name, unmask) for name in _list(_field(found, "names")))))


def _portrayed(found: dict[str, Any], question: Portray, unmask: Callable[[str], str]) -> Answer:
    parts = []
    for entry in _list(_field(found, "parts")):
        if not isinstance(entry, dict):
            raise _Odd("a part that is no object")
        heading = question.headings[_number(_field(entry, "heading"), len(question.headings))]
        sources = tuple(dict.fromkeys(_numbers(_field(entry, "sources"), len(question.knowledge))))
        parts.append((heading, _text(_field(entry, "text"), unmask), sources))
    return Portrayed(tuple(parts))


def _labelled(found: dict[str, Any], question: Label, _: Callable[[str], str]) -> Answer:
    value = _field(found, "number")
    return Labelled(None if value is None else question.choices[_number(value, len(question.choices))])


_READERS: dict[type, _Reader] = {
    SameEntity: _groups, Identify: _identified, Abstract: _abstracted, Condense: _condensed, Suggest: _suggested,
    FindNames: _names, Portray: _portrayed, Label: _labelled,
}  # fmt: skip

_SIGN = re.compile(r'[{}\[\]"]')
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*+"', re.S)


def _only_object(text: str) -> dict[str, Any]:
    if text[:1] == "{" and text[-1:] == "}":
        with contextlib.suppress(_Odd):
            return _strict(text)
    if "</think>" in text:  # a reasoning model's thoughts, which may hold drafts of the answer
        text = text.rpartition("</think>")[2].strip()
    spans = _balanced(text)
    if not spans:
        raise _Odd("no JSON object")
    whole = []
    for start, end in spans:
        try:
            whole.append((_strict(text[start:end]), start, end))
        except _Odd:
            continue  # braces in prose
    if len(whole) != 1:
        raise _Odd("no JSON object" if not whole else "several JSON objects")
    found, start, end = whole[0]
    if text[:start].rstrip()[-1:] == "[" or text[end:].lstrip()[:1] == "]":
        raise _Odd("an object within a list")
    return found


def _balanced(text: str) -> list[tuple[int, int]]:
    """Places of outermost {...} in one pass. Raises _Odd where brackets lie deeper than DEPTH or all over."""
    spans: list[tuple[int, int]] = []
    depth = start = at = 0
    while match := _SIGN.search(text, at):
        sign, at = match[0], match.end()
        if sign == '"':
            if depth:  # quotation marks of the prose around are no strings
                end = _STRING_END.match(text, at)
                if end is None:
                    return spans
                at = end.end()
        elif sign in "{[" and (depth or sign == "{"):
            start = match.start() if not depth else start
            depth += 1
            if depth > DEPTH:
                raise _Odd(f"brackets deeper than {DEPTH}")
        elif sign in "}]" and depth:
            depth -= 1
            if not depth:
                spans.append((start, at))
                if len(spans) > _SPANS:
                    raise _Odd("braces all over")
    return spans


def _strict(text: str) -> dict[str, Any]:
    _balanced(text)  # for the depth
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_constant=_refuse, parse_int=_integer, parse_float=_fraction
        )
    except (ValueError, RecursionError) as error:
        raise _Odd(str(error) if isinstance(error, _Said) else "no valid JSON") from None
    if not isinstance(found, dict):
        raise _Odd("no JSON object")
    return found


class _Said(ValueError):
    """Why a value is refused, in words that hold nothing of it."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Said("a key that stands twice")
    return found


def _refuse(_: str) -> NoReturn:
    raise _Said("a number that is none")


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise _Said("a number of more than 20 digits")
    return int(digits)


def _fraction(digits: str) -> float:
    if len(digits) > 400:
        raise _Said("a number of more than 400 digits")
    return float(digits)
