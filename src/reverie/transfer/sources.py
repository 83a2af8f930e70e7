"""Reading other people's notes: JSON lines, plain lines, Markdown lists; a bad row is an error of its own.

Any size in constant memory. A row without an id of its own gets a stable one from the source's label, its ordinal and
its content, so that reading a file twice, or again after an interruption, writes nothing twice.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from itertools import chain
from typing import Any, BinaryIO

from reverie.clock import as_utc
from reverie.errors import InvalidInput
from reverie.intake import Item, Outcome, Remembered
from reverie.transfer.markdown import Piece, list_items

LINE_MAX = 8 * 1024 * 1024  # bytes of one line that are read; a text may have 1 MiB, and JSON may write it longer
REASONS = 10
FORMATS = ("jsonl", "lines", "markdown")
_BY_SUFFIX = {"jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "md": "markdown", "markdown": "markdown"}
_TIMES = frozenset({"occurred_at", "written_at", "valid_from", "valid_to"})
# Taken from a row of that name without being asked. Who said it and through which door is not for a file to claim:
# principal, client and channel are read only where the caller maps them.
_OWN = (
    "text", "kind", "key", "external_id", "session", "importance", "metadata", "occurred_at", "written_at",
    "valid_from", "valid_to", "durable", "gist",
)  # fmt: skip
_TARGETS = frozenset(f.name for f in dataclasses.fields(Item))


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a source: the line that it begins on, and its item or why it is none."""

    line: int
    item: Item | InvalidInput


@dataclass(slots=True)
class Tally:
    """What became of a source. ``reasons`` are the first refusals by line."""

    written: int = 0
    restated: int = 0
    known: int = 0
    refused: int = 0
    reasons: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """All rows so far."""
        return self.written + self.restated + self.known + self.refused

    def count(self, got: Outcome) -> None:
        """Count what the writer took."""
        if isinstance(got, Remembered):
            self.known += got.known
            self.restated += got.restated and not got.known
            self.written += not got.restated

    def refuse(self, line: int, error: Exception) -> None:
        """Count a refusal, and keep its reason if it is among the first."""
        self.refused += 1
        self.reasons = sorted([*self.reasons, (line, type(error).__name__, str(error))])[:REASONS]


class Source:
    """A stream of bytes as rows. ``bytes`` tells how far it was read, ``skipped`` how many lines hold no row.

    Args:
        stream: opened for reading bytes.
        label: what the source is called in the ids that it gives to rows without one.
        name: the file's name, whose ending tells the format.
        format: jsonl, lines or markdown; by default told from the name, else from the first line.
        fields: for JSON lines, from a field of `Item` (or ``metadata.NAME``) to a dotted path in the row; an empty
            path means that the field is not read at all.
        keep_rest: put the fields of a row that nothing reads into its metadata.

    Raises:
        InvalidInput: no such format or field.
    """

    def __init__(
        self, stream: BinaryIO, label: str, *, name: str = "", format: str | None = None,  # noqa: A002
        fields: Mapping[str, str] | None = None, keep_rest: bool = False,
    ) -> None:  # fmt: skip
        if format is not None and format not in FORMATS:
            raise InvalidInput(f"format {format!r} is not one of {', '.join(FORMATS)}")
        self._stream = stream
        self._label = "".join(c if c.isprintable() else "_" for c in label)[:100] or "import"
        self._name = name
        self._keep_rest = keep_rest
        self._fields = {n: n for n in _OWN} | dict(fields or {})
        for target in self._fields:
            if target not in _TARGETS and not (target.startswith("metadata.") and target != "metadata."):
                known = ", ".join(sorted(_TARGETS))
                raise InvalidInput(f"a memory has no field {target!r}; there is {known}, metadata.NAME")
        self.format = format
        self.bytes = 0
        self.skipped = 0

    def __iter__(self) -> Iterator[Row]:
        lines = self._lines()
        first: tuple[int, str | InvalidInput] | None = next((x for x in lines if x[1] != ""), None)
        if first is None:
            self.format = self.format or "lines"
            return
        self.format = self.format or _told(self._name, first[1])
        rows = {"jsonl": self._json, "lines": self._plain, "markdown": self._markdown}[self.format]
        for ordinal, row in enumerate(rows(chain([first], lines)), 1):
            item = row.item
            if isinstance(item, Item) and item.external_id is None:
                item = dataclasses.replace(item, external_id=f"{self._label}:{ordinal}:{_digest(item)}")
            yield Row(row.line, item)

    def _lines(self) -> Iterator[tuple[int, str | InvalidInput]]:
        """Lines by number, decoded; empty texts for blank lines. A line that cannot be decoded is an error."""
        number = 0
        while raw := self._stream.readline(LINE_MAX + 1):
            number += 1
            self.bytes += len(raw)
            if number == 1:
                if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    yield number, InvalidInput("the file is UTF-16; convert it to UTF-8 first")
                    return
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if len(raw) > LINE_MAX and not raw.endswith(b"\n"):
                while more := self._stream.readline(LINE_MAX):
                    self.bytes += len(more)
                    if more.endswith(b"\n"):
                        break
                yield number, InvalidInput(f"the line is longer than {LINE_MAX:,} bytes")
                continue
            try:
                text = raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield number, InvalidInput(f"the line is not UTF-8: byte {error.start + 1} cannot be read")
                continue
            yield number, text if text.strip() else ""

    def _plain(self, lines: Iterable[tuple[int, str | InvalidInput]]) -> Iterator[Row]:
        for number, line in lines:
            if isinstance(line, InvalidInput):
                yield Row(number, line)
            elif line:
                yield Row(number, Item(line.strip()))

    def _json(self, lines: Iterable[tuple[int, str | InvalidInput]]) -> Iterator[Row]:
        for number, line in lines:
            if isinstance(line, InvalidInput):
                yield Row(number, line)
            elif line:
                try:
                    yield Row(number, self._item(_record(line)))
                except InvalidInput as error:
                    yield Row(number, error)

    def _markdown(self, lines: Iterable[tuple[int, str | InvalidInput]]) -> Iterator[Row]:
        for got in list_items(lines, LINE_MAX):
            if isinstance(got, Piece):
                yield Row(got.line, Item(got.text, metadata=got.metadata))
            elif isinstance(got, tuple):
                yield Row(*got)
            else:
                self.skipped += got

    def _item(self, record: Mapping[str, Any]) -> Item:
        given: dict[str, Any] = {}
        metadata: dict[str, Any] = {}
        for target, path in self._fields.items():
            got = _pick(record, path) if path else None
            if got is None or (got == "" and target != "text"):
                continue
            if target.startswith("metadata."):
                metadata[target.removeprefix("metadata.")] = got
            else:
                given[target] = _typed(target, got, path)
        if "text" not in given:
            path = self._fields["text"]
            raise InvalidInput(f"the row has no field {path!r}; name the one with the text: --map text=FIELD")
        if self._keep_rest:
            used = {p for p in self._fields.values() if p} | {p.split(".")[0] for p in self._fields.values()}
            metadata = {k: v for k, v in record.items() if k not in used} | metadata
        return Item(**given | {"metadata": {**given.get("metadata", {}), **metadata}})


def parse_map(given: Sequence[str]) -> dict[str, str]:
    """``["text=content,kind=type", "key="]`` as a mapping. Raises InvalidInput."""
    found: dict[str, str] = {}
    for pair in (p for one in given for p in one.split(",") if p.strip()):
        target, equals, path = pair.partition("=")
        if not equals or not target.strip():
            raise InvalidInput(f"--map takes FIELD=PATH, not {pair[:60]!r}")
        found[target.strip()] = path.strip()
    return found


def take(
    source: Source, stream: Callable[[Iterable[Item]], Iterator[Outcome]], tally: Tally,
    progress: Callable[[], None] | None = None,
) -> Tally:  # fmt: skip
    """Send a source's rows through `Reverie.import_stream`; keep only counts. The tally is right at any moment."""
    lines: deque[int] = deque()

    def items() -> Iterator[Item]:
        for row in source:
            if isinstance(row.item, InvalidInput):
                tally.refuse(row.line, row.item)
            else:
                lines.append(row.line)
                yield row.item
            if progress and tally.rows % 64 == 0:
                progress()

    for got in stream(items()):
        line = lines.popleft()
        if got.error is not None:
            tally.refuse(line, got.error)
        else:
            tally.count(got)
        if progress and tally.rows % 64 == 0:
            progress()
    return tally


def _told(name: str, first: str | InvalidInput) -> str:
    """The format, from the file's name or its first line that is not blank."""
    start = first.lstrip() if isinstance(first, str) else ""
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if start.startswith("{"):
        return "jsonl"
    if suffix != "txt" and re.match(r"#{1,6} |[-*+] |\d{1,9}[.)] ", start):
        return "markdown"
    return "lines"


def _record(line: str) -> Mapping[str, Any]:
    try:
        got = json.loads(line)
    except RecursionError:
        raise InvalidInput("the JSON is nested too deeply") from None
    except ValueError as error:
        hint = "; is it one JSON array? Then: jq -c '.[]'" if line.strip() in {"[", "{"} else ""
        raise InvalidInput(f"the line is not JSON: {error}{hint}") from None
    if not isinstance(got, dict):
        hint = "; for an array: jq -c '.[]'" if isinstance(got, list) else ""
        raise InvalidInput(f"the line holds {type(got).__name__}, not a JSON object{hint}")
    return got


def _pick(record: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path; a field whose own name has the dots comes first. None where there is nothing."""
    if path in record:
        return record[path]
    here: Any = record
    for part in path.split("."):
        if isinstance(here, dict):
            here = here.get(part)
        elif isinstance(here, list) and part.isascii() and part.isdecimal() and int(part[:9]) < len(here):
            here = here[int(part[:9])]
        else:
            return None
    return here


def _typed(target: str, got: Any, path: str) -> Any:
    """A field in the type that `Item` wants; what is left is the writer's to refuse."""
    if target in _TIMES:
        try:
            return as_utc(datetime.fromisoformat(got.strip()))
        except (ValueError, OverflowError, AttributeError, TypeError):
            raise InvalidInput(f"{path} {str(got)[:40]!r} is no ISO 8601 time") from None
    if target == "metadata" and not isinstance(got, dict):
        raise InvalidInput(f"{path} is no JSON object; map single values with metadata.NAME=FIELD")
    if target in {"external_id", "session", "key", "principal", "client"} and type(got) is int:
        return str(got)
    if target == "kind" and isinstance(got, str):
        return got.strip().lower()
    if target == "importance" and isinstance(got, str):
        try:
            return float(got)
        except ValueError:
            raise InvalidInput(f"{path} {got[:40]!r} is no number") from None
    if target == "durable" and not isinstance(got, bool):
        raise InvalidInput(f"{path} must be true or false")
    if target == "text" and not isinstance(got, str):
        raise InvalidInput(f"{path} holds {type(got).__name__}, not a text")
    return got


def _digest(item: Item) -> str:
    """Ten letters that are equal for equal rows."""
    body = json.dumps(dataclasses.asdict(item), sort_keys=True, default=str)
    return blake2b(body.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


__all__ = ["FORMATS", "Row", "Source", "Tally", "parse_map", "take"]
