"""The items of Markdown lists, one at a time, with the headings and the parent that they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeAlias

from reverie.errors import InvalidInput

Line: TypeAlias = tuple[int, str | InvalidInput]
FRONT_MATTER = 100  # lines in which a block of front matter must end; without an end it is a rule and text
SHOWN = 300  # characters of a heading or parent that metadata keeps

_ITEM = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|$)", re.DOTALL)
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$", re.DOTALL)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")


@dataclass(frozen=True, slots=True)
class Piece:
    """One list item: the line it begins on, its text with its continuation lines, and where it stands."""

    line: int
    text: str
    metadata: dict[str, str]


@dataclass(slots=True)
class _Open:
    """The item that is being read."""

    line: int
    indent: int
    margin: int
    lines: list[str]
    metadata: dict[str, str]
    size: int = 0

    def add(self, text: str, most: int) -> None:
        if self.size <= most:
            self.lines.append(text)
        self.size += len(text) + 1


@dataclass(slots=True)
class _State:
    headings: list[tuple[int, str]] = field(default_factory=list)
    parents: list[tuple[int, str]] = field(default_factory=list)
    item: _Open | None = None
    fence: str = ""
    blank: bool = False


def list_items(lines: Iterable[Line], most: int) -> Iterator[Piece | tuple[int, InvalidInput] | int]:
    """Pieces; (line, error) for a line that cannot be read or an item over ``most`` characters; 1 for a skipped line.

    Nested items are items of their own, with their parent's text as ``under``. Text outside lists is skipped.
    """
    state = _State()
    for number, line in _without_front_matter(iter(lines)):
        if isinstance(line, InvalidInput):
            yield number, line
            continue
        if state.fence:
            yield from _fenced(state, line, most)
            continue
        if not line:
            state.blank = True
            continue
        yield from _line(state, number, line, most)
        state.blank = False
    yield from _close(state, most)


def _line(state: _State, number: int, line: str, most: int) -> Iterator[Piece | tuple[int, InvalidInput] | int]:
    heading = _HEADING.match(line)
    if heading or _RULE.match(line):
        yield from _close(state, most)
        state.parents.clear()
        if heading:
            level, title = len(heading[1]), (heading[2] or "").strip().rstrip("#").strip()
            state.headings = [h for h in state.headings if h[0] < level] + [(level, title[:SHOWN])]
        return
    found = _ITEM.match(line)
    if found:
        indent = len(found[1].expandtabs(4))
        yield from _close(state, most)
        state.parents = [p for p in state.parents if p[0] < indent]
        path = " > ".join(t for _, t in state.headings if t)
        metadata = {"heading": path} if path else {}
        if state.parents:
            metadata["under"] = state.parents[-1][1]
        text = (found[4] or "").strip()
        margin = indent + len(found[2]) + min(len((found[3] or " ").expandtabs(4)), 4)
        state.item = _Open(number, indent, margin, [text], metadata, len(text))
        state.parents.append((indent, text[:SHOWN]))
        _maybe_fence(state, text)
        return
    item = state.item
    indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
    if item is not None and (indent > item.indent or not state.blank):
        if state.blank:
            item.add("", most)
        item.add(_dedented(line, item.margin), most)
        _maybe_fence(state, line)
        return
    yield from _close(state, most)
    state.parents.clear()
    _maybe_fence(state, line)
    yield 1


def _fenced(state: _State, line: str, most: int) -> Iterator[int]:
    """Inside a code block nothing is an item: it is the text of the item around it, or skipped."""
    if state.item is not None:
        state.item.add(_dedented(line, state.item.margin), most)
    elif line:
        yield 1
    mark = line.strip()
    if mark and set(mark) == {state.fence[0]} and len(mark) >= len(state.fence):
        state.fence = ""
    state.blank = False


def _maybe_fence(state: _State, line: str) -> None:
    fence = _FENCE.match(line)
    if fence and not (fence[1][0] == "`" and "`" in line[fence.end() :]):
        state.fence = fence[1]


def _close(state: _State, most: int) -> Iterator[Piece | tuple[int, InvalidInput] | int]:
    item, state.item = state.item, None
    if item is None:
        return
    text = "\n".join(item.lines).strip()
    if item.size > most:
        yield item.line, InvalidInput(f"the list item is longer than {most:,} characters")
    elif text:
        yield Piece(item.line, text, item.metadata)
    else:
        yield 1


def _dedented(line: str, margin: int) -> str:
    wide = line.expandtabs(4) if line[:1] in " \t" else line
    return wide[min(margin, len(wide) - len(wide.lstrip())) :].rstrip()


def _without_front_matter(lines: Iterator[Line]) -> Iterator[Line]:
    head = list(islice(lines, 1))
    if head and head[0] == (1, "---"):
        block = []
        for one in islice(lines, FRONT_MATTER):
            block.append(one)
            if one[1] in ("---", "..."):
                return (yield from lines)
        head += block
    yield from chain(head, lines)
