"""Readers of other people's notes: any bytes become rows, a second reading writes nothing, memory stays flat."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reverie
from reverie.errors import InvalidInput
from reverie.intake import Item
from reverie.transfer import sources
from reverie.transfer.sources import FORMATS, Source, Tally, parse_map, take


def rows(text: str | bytes, **options):
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return list(Source(io.BytesIO(raw), "src", **options))


def items(text, **options):
    found = [r.item for r in rows(text, **options)]
    assert all(isinstance(i, Item) for i in found), found
    return found


def texts(text, **options):
    return [i.text for i in items(text, **options)]


def why(text, **options):
    (row,) = rows(text, **options)
    assert isinstance(row.item, InvalidInput)
    return str(row.item)


@pytest.fixture
def mem(tmp_path):
    with reverie.open(tmp_path / "s.db", embedder="none", settings={"synchronous": "off"}, channel="import") as opened:
        yield opened


# the formats
def test_lines():
    assert texts("\ufeffone\r\n\n  two  \nthree") == ["one", "two", "three"]
    assert [r.line for r in rows("one\n\n\ntwo\n")] == [1, 4]
    assert rows("") == [] and rows("\n \n\t\n") == []


@pytest.mark.parametrize(
    ("name", "first", "wanted"),
    [
        ("a.jsonl", "x", "jsonl"), ("a.ndjson", "x", "jsonl"), ("a.JSON", "x", "jsonl"), ("a.md", "x", "markdown"),
        ("a.txt", "- x", "lines"), ("a.txt", '{"text": "x"}', "jsonl"), ("-", '{"text": "x"}', "jsonl"),
        ("notes", "# Title", "markdown"), ("notes", "1. x", "markdown"), ("notes", "* x", "markdown"),
        ("notes", "-x", "lines"), ("notes", "2026 was good", "lines"), ("stdin", "\n\n- x", "markdown"),
    ],
)  # fmt: skip
def test_the_format_is_told_from_the_name_or_the_first_line(name, first, wanted):
    source = Source(io.BytesIO(first.encode()), "src", name=name)
    list(source)
    assert source.format == wanted
    forced = Source(io.BytesIO(first.encode()), "src", name=name, format="lines")
    assert [r.item.text for r in forced] == [first.strip()]


def test_json_rows_with_their_own_names():
    (one,) = items(json.dumps({
        "text": "t", "kind": " Fact ", "key": "k", "external_id": 12, "session": 7, "importance": "0.25",
        "metadata": {"a": 1}, "occurred_at": "2026-01-02T03:04:05+02:00", "durable": False, "gist": "g",
        "principal": "ceo", "channel": "person", "client": "c", "unknown": [1], "valid_to": None, "written_at": "",
    }))  # fmt: skip
    assert (one.text, one.kind, one.key, one.external_id, one.session) == ("t", "fact", "k", "12", "7")
    assert (one.importance, one.metadata, one.durable, one.gist) == (0.25, {"a": 1}, False, "g")
    assert one.occurred_at.isoformat() == "2026-01-02T01:04:05+00:00" and one.written_at is None
    assert (one.principal, one.channel, one.client) == (None, None, None), "a file does not say who speaks"


def test_json_rows_with_a_map():
    fields = parse_map(["text=content,kind=type", "external_id=id", "occurred_at=meta.date",
                        "metadata.speaker=who.0.name", "session=", "principal=by",
                        "importance=meta.deep.weight"])  # fmt: skip
    row = {"content": "c", "type": "fact", "id": 5, "meta": {"date": "2026-01-02", "deep": {"weight": 0.5}},
           "by": "ann", "who": [{"name": "Bo"}], "session": "s", "left": 1, "a.b": 2}  # fmt: skip
    (one,) = items(json.dumps(row), fields=fields)
    assert (one.text, one.kind, one.external_id, one.session, one.principal) == ("c", "fact", "5", None, "ann")
    assert one.metadata == {"speaker": "Bo"} and one.importance == 0.5
    (rest,) = items(json.dumps(row), fields=fields, keep_rest=True)
    assert rest.metadata == {"speaker": "Bo", "left": 1, "a.b": 2, "session": "s"}
    assert texts('{"a.b": "its own name", "a": {"b": "the path"}}', fields={"text": "a.b"}) == ["its own name"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('{"text": ', "not JSON"), ("[1]", "jq"), ("[", "jq"), ("3", "int, not a JSON object"),
        ('{"content": "x"}', "--map text="),
        ('{"text": 3}', "holds int"), ('{"text": "t", "occurred_at": "soon"}', "ISO 8601"),
        ('{"text": "t", "occurred_at": 1700000000}', "ISO 8601"), ('{"text": "t", "importance": "much"}', "no number"),
        ('{"text": "t", "occurred_at": "0001-01-01T00:00:00+10:00"}', "the years"),
        ('{"text": "t", "durable": "yes"}', "true or false"), ('{"text": "t", "metadata": "m"}', "no JSON object"),
        ("[" * 100_000, "nested too deeply"), ('{"text": "t", "x": ' + "9" * 5000 + "}", "not JSON"),
    ],
)  # fmt: skip
def test_a_bad_json_row_says_why(line, part):
    assert part in why(line, format="jsonl")


def test_bytes_that_are_no_text():
    assert [type(r.item).__name__ for r in rows(b"one\n\xff\xfe\nthree")] == ["Item", "InvalidInput", "Item"]
    assert "UTF-16" in why("one".encode("utf-16"))


def test_an_endless_line_is_one_error(monkeypatch):
    monkeypatch.setattr(sources, "LINE_MAX", 100)
    got = rows("a" * 1000 + "\nshort\n" + "b" * 99 + "\n" + "c" * 100, format="lines")
    assert [isinstance(r.item, Item) for r in got] == [False, True, True, True]
    assert [r.line for r in got] == [1, 2, 3, 4]


def test_markdown_lists():
    source = Source(io.BytesIO(b"""\
---
tags:
  - not a note
---
Some prose that is no list.

# Work
## Servers ##
- The database listens
  on port 5432
- The cache:

  a second paragraph
    1. nested item
       goes on
    2) another
- ```
  - inside a fence
  ```
* * *
lazy prose
not lazy
### Paths
+ [x] done
lazy continuation

after a blank line it is prose
- [ ] open
-
# Home
10. ten
"""), "src", name="n.md")  # fmt: skip
    got = [(r.line, r.item.text, dict(r.item.metadata)) for r in source]
    servers = "Work > Servers"
    assert got == [
        (9, "The database listens\non port 5432", {"heading": servers}),
        (11, "The cache:\n\na second paragraph", {"heading": servers}),
        (14, "nested item\ngoes on", {"heading": servers, "under": "The cache:"}),
        (16, "another", {"heading": servers, "under": "The cache:"}),
        (17, "```\n- inside a fence\n```", {"heading": servers}),
        (24, "[x] done\nlazy continuation", {"heading": "Work > Servers > Paths"}),
        (28, "[ ] open", {"heading": "Work > Servers > Paths"}),
        (31, "ten", {"heading": "Home"}),
    ]
    assert source.skipped == 5


def test_a_list_item_has_an_end(monkeypatch):
    monkeypatch.setattr(sources, "LINE_MAX", 50)
    got = rows("- a\n" + "  more words\n" * 10 + "- b\n", format="markdown")
    assert isinstance(got[0].item, InvalidInput) and got[1].item.text == "b"


def test_a_rule_at_the_start_is_no_front_matter():
    assert texts("---\n- a\n- b\n", name="x.md") == ["a", "b"]


# properties
@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.sampled_from([*FORMATS, None]), st.booleans())
def test_any_bytes_become_rows(raw, format_, rest):
    source = Source(io.BytesIO(raw), "src", format=format_, keep_rest=rest, fields={"metadata.x": "a.0.b", "kind": "k"})
    got = list(source)
    assert all(isinstance(r.item, (Item, InvalidInput)) for r in got)
    assert source.bytes == len(raw) or raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    assert [r.line for r in got] == sorted(r.line for r in got)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from(
        ["2026-01-01", "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "fact", "0.5"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "0"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
NAMES = st.sampled_from([*sources._OWN, "principal", "channel", "a", "a.b"])


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(NAMES, JSON, max_size=6), st.booleans())
def test_any_json_is_an_item_or_an_error_and_so_it_is_to_the_writer(mem, record, rest):
    line = json.dumps(record)
    fields = {"principal": "principal", "channel": "channel", "metadata.deep": "a.b.0"}
    (row,) = rows(line, format="jsonl", fields=fields, keep_rest=rest)
    assert isinstance(row.item, (Item, InvalidInput))
    again = rows(line, format="jsonl", fields=fields, keep_rest=rest)
    assert repr(again) == repr([row]), "the same row, the same id"
    tally = _take(mem, line, format="jsonl", fields=fields, keep_rest=rest)
    assert tally.rows == 1 and all(kind != "TypeError" for _, kind, _ in tally.reasons)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["- a", "  - b", "\t* c", "1. d", "text", "  text", "", "```", "~~~~", "# H", "### H3",
                                 "---", "    deep", "- ```x", "-", "- - e", "* * *"]), max_size=25))  # fmt: skip
def test_markdown_loses_no_line_inside_a_list(lines):
    source = Source(io.BytesIO("\n".join(lines).encode()), "src", format="markdown")
    got = list(source)
    assert all(isinstance(r.item, Item) and r.item.text.strip() for r in got)
    assert len(got) + source.skipped <= len(lines)


# into the store
def _take(mem, text, **options):
    source = Source(io.BytesIO(text.encode("utf-8", "surrogatepass")), "src", **options)
    return take(source, mem.import_stream, Tally())


def test_what_becomes_of_each_row_is_counted(mem):
    body = "\n".join(
        [json.dumps({"text": f"note {n}"}) for n in range(5)]
        + [
            "{",
            json.dumps({"text": "NOTE 0."}),
            json.dumps({"text": "x", "kind": "poem"}),
            json.dumps({"text": "a\0b"}),
        ]
    )
    tally = _take(mem, body)
    assert (tally.written, tally.restated, tally.known, tally.refused, tally.rows) == (5, 1, 0, 3, 9)
    assert [line for line, _, _ in tally.reasons] == [6, 8, 9]
    assert [kind for _, kind, _ in tally.reasons] == ["InvalidInput"] * 3


def test_only_the_first_reasons_are_kept_by_line(mem):
    tally = _take(mem, "\n".join("{" if n % 2 else json.dumps({"text": "x", "kind": "poem"}) for n in range(1000)))
    assert tally.refused == 1000 and [line for line, _, _ in tally.reasons] == list(range(1, 11))


@pytest.mark.parametrize("text", [
    "\n".join(f"line {n % 7} of many" for n in range(40)),
    "\n".join(json.dumps({"text": f"row {n}", "id": n}) for n in range(40)),
    "# H\n" + "\n".join(f"- item {n}\n  - under {n}" for n in range(40)),
])  # fmt: skip
def test_a_second_reading_writes_nothing(mem, text):
    _take(mem, text)
    before = list(mem.export())
    again = _take(mem, text)
    assert again.known == again.rows > 0 and list(mem.export()) == before


def test_ids_depend_on_label_place_and_content():
    def ids(text, label="src", **options):
        return [r.item.external_id for r in Source(io.BytesIO(text.encode()), label, **options)]

    assert ids("a\na") != ids("a\na")[::-1] and len(set(ids("a\na"))) == 2
    assert set(ids("a", "x")).isdisjoint(ids("a", "y")) and set(ids("a")).isdisjoint(ids("b"))
    assert ids("a\nb")[0] == ids("a\nc")[0]
    assert all(len(i) <= 256 and i.isprintable() for i in ids("a", "l\n" * 500))


def test_a_reading_that_was_cut_goes_on(mem, tmp_path):
    lines = [f"note number {n}" for n in range(1000)]
    whole = "\n".join(lines)

    class Cut(io.BytesIO):
        served = 0

        def readline(self, *size):
            self.served += 1
            if self.served > 700:
                raise KeyboardInterrupt
            return super().readline(*size)

    tally = Tally()
    with pytest.raises(KeyboardInterrupt):
        take(Source(Cut(whole.encode()), "src"), mem.import_stream, tally)
    assert tally.written == mem.stats()["memories"]["live"] == 512, "whole batches stand"
    rest = _take(mem, whole)
    assert (rest.known, rest.written, rest.refused) == (512, 488, 0)
    with reverie.open(tmp_path / "other.db", embedder="none", channel="import") as other:
        _take(other, whole)
        assert [m.text for m in other.each()] == [m.text for m in mem.each()] == lines


@pytest.mark.parametrize("bad", [["text"], ["=x"], ["nope=x"], ["metadata.=x"]])
def test_a_bad_map_is_refused(bad):
    with pytest.raises(InvalidInput):
        Source(io.BytesIO(b""), "src", fields=parse_map(bad))


_GROWTH = """
import resource, sys
import reverie
from reverie.store.sqlite import connection
from reverie.transfer.sources import Source, Tally, take

connection.CACHE_KIB = 2_048  # or the page cache, which has a bound of its own, would fill up meanwhile

class Made:
    def __init__(self, rows): self.rows, self.n = rows, 0
    def readline(self, size):
        if self.n == self.rows: return b""
        self.n += 1
        return b'{"text": "container %d left the terminal %d on time", "x": 1}\\n' % (self.n, self.n % 97)

peaks = []
with reverie.open(sys.argv[1], embedder="none", settings={"synchronous": "off"}, channel="import") as mem:
    for rows in (10_000, 100_000):
        tally = take(Source(Made(rows), str(rows), format="jsonl"), mem.import_stream, Tally())
        assert tally.rows == rows and not tally.refused
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(peaks[0], peaks[1])
"""


@pytest.mark.slow
def test_a_hundred_thousand_rows_do_not_grow_memory(tmp_path):
    env = {k: v for k, v in os.environ.items() if not k.startswith("REVERIE_")}
    done = subprocess.run([sys.executable, "-c", _GROWTH, str(Path(tmp_path) / "big.db")], capture_output=True,
                          text=True, check=True, env=env)  # fmt: skip
    early, late = map(int, done.stdout.split())
    assert late - early < 20_000, f"{early} KiB after 10,000 rows, {late} KiB after 110,000"
