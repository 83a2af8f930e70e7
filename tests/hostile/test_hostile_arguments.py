"""Hostile arguments: wrong types, wild numbers and dates, strange names; each refused with a sentence."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from hostile import refused, state, survives
from reverie.errors import InvalidInput, NotFound, PolicyRefusal, ReverieError
from reverie.memory import Reverie

EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
NAN, INF = float("nan"), float("inf")


def nested(depth: int) -> dict[str, Any]:
    """A mapping of mappings."""
    found: dict[str, Any] = {}
    for _ in range(depth):
        found = {"a": found}
    return found


REFUSED: dict[str, dict[str, Any]] = {
    "importance nan": {"importance": NAN},
    "importance inf": {"importance": INF},
    "importance negative": {"importance": -0.1},
    "importance over 1": {"importance": 1.01},
    "importance bool": {"importance": True},
    "importance text": {"importance": "0.5"},
    "importance huge": {"importance": 10**400},
    "kind unknown": {"kind": "rumour"},
    "kind list": {"kind": ["fact"]},
    "kind number": {"kind": 1},
    "channel unknown": {"channel": "radio"},
    "channel curator": {"channel": "curator"},
    "key empty": {"key": ""},
    "key blank": {"key": " "},
    "key nul": {"key": "a\0b"},
    "key surrogate": {"key": "\ud800"},
    "key long": {"key": "k" * 257},
    "key number": {"key": 5},
    "external id empty": {"external_id": ""},
    "external id surrogate": {"external_id": "\udc00"},
    "external id number": {"external_id": 7},
    "external id newline": {"external_id": "a\nb"},
    "session control": {"session": "\x1b[31m"},
    "principal bytes": {"principal": b"x"},
    "client object": {"client": object()},
    "metadata text": {"metadata": "x"},
    "metadata list": {"metadata": [1]},
    "metadata number": {"metadata": 5},
    "metadata nan": {"metadata": {"a": NAN}},
    "metadata deep nan": {"metadata": {"a": [{"b": -INF}]}},
    "metadata object": {"metadata": {"a": object()}},
    "metadata bytes": {"metadata": {"a": b"x"}},
    "metadata set": {"metadata": {"a": {1}}},
    "metadata surrogate": {"metadata": {"a": "\ud800"}},
    "metadata surrogate key": {"metadata": {"\ud800": 1}},
    "metadata tuple key": {"metadata": {(1, 2): 3}},
    "metadata huge number": {"metadata": {"a": 10**5000}},
    "metadata too large": {"metadata": {"a": "x" * 20_000}},
    "metadata depth 5000": {"metadata": nested(5000)},
    "metadata itself": {"metadata": (lambda m: m.update(a=m) or m)({})},
    "occurred text": {"occurred_at": "2026-01-01"},
    "occurred number": {"occurred_at": 0},
    "valid from date": {"valid_from": date(2026, 1, 1)},
    "written text": {"written_at": "2026-01-01"},
    "written number": {"written_at": 1},
    "occurred before time": {"occurred_at": datetime(1, 1, 1, tzinfo=EAST)},
    "occurred after time": {"occurred_at": datetime.max.replace(tzinfo=WEST)},
    "written before time": {"written_at": datetime(1, 1, 1, tzinfo=EAST)},
    "valid to after time": {"valid_to": datetime.max.replace(tzinfo=WEST)},
    "validity backwards": {"valid_from": datetime(2026, 2, 1), "valid_to": datetime(2026, 1, 1)},
    "gist number": {"gist": 5},
    "gist long": {"gist": "g" * 9_000},
    "durable text": {"durable": "no"},
    "durable none": {"durable": None},
    "durable list": {"durable": []},
    "durable huge": {"durable": 2**70},
}


@pytest.mark.parametrize("name", REFUSED)
def test_remember_refuses_a_hostile_argument(mem: Reverie, name: str) -> None:
    given = REFUSED[name]
    assert isinstance(refused(mem, lambda: mem.remember("a text with a hostile argument", **given)), InvalidInput)


@pytest.mark.parametrize("name", REFUSED)
def test_batch_goes_on_past_a_hostile_argument(mem: Reverie, name: str) -> None:
    bad = {"text": "a text with a hostile argument", **REFUSED[name]}
    before, refused_one, after = mem.remember_many(["the one before it", bad, "the one after it"])
    assert isinstance(refused_one.error, InvalidInput)
    assert before.id is not None
    assert after.id is not None
    assert len(mem.memories()) == 3


@pytest.mark.parametrize(
    "item",
    [5, None, b"x", ["a"], {"text": 5}, {}, {"words": "x"}, {"text": "x", "id": "y"}, {1: 2}, object()],
    ids=range(10),
)
def test_batch_goes_on_past_what_is_no_item(mem: Reverie, item: Any) -> None:
    first, second = mem.remember_many([item, "the one after it"])
    assert isinstance(first.error, InvalidInput)
    assert second.id is not None


@pytest.mark.parametrize("items", [5, None, "one text", b"bytes", {"text": "a mapping"}], ids=repr)
def test_remember_many_refuses_what_is_no_list(mem: Reverie, items: Any) -> None:
    # A text is a sequence of letters: without a check it would become a memory for each letter.
    refused(mem, lambda: mem.remember_many(items))


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (datetime(1, 1, 1), datetime(1, 1, 1, tzinfo=UTC)),
        (datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)),
        (datetime(2026, 3, 29, 2, 30), datetime(2026, 3, 29, 2, 30, tzinfo=UTC)),
        (datetime(2026, 1, 1, 5, tzinfo=EAST), datetime(2025, 12, 31, 15, tzinfo=UTC)),
        (datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)),
    ],
    ids=str,
)
def test_dates_at_the_edge_are_kept_and_harm_nothing(mem: Reverie, given: datetime, stored: datetime) -> None:
    got = mem.remember("something at the edge of time", occurred_at=given, written_at=given, valid_from=given)
    row = mem.get(got.id)
    assert (row.occurred_at, row.written_at, row.valid_from) == (stored, stored, stored)
    assert got.id in [h.memory.id for h in mem.recall("edge of time")]
    mem.curate()
    assert len(state(mem)) >= 2
    mem.recall("edge of time", as_of=given)


@pytest.mark.parametrize("depth", [10, 50, 300, 600, 800, 950])
def test_metadata_that_was_taken_can_be_read_from_any_depth_of_calls(mem: Reverie, depth: int) -> None:
    # A row that is taken and cannot be read again would take recall, listing and export of all others with it.
    given = nested(depth)
    got = survives(mem, lambda: mem.remember("a text with deep metadata", metadata=given))

    def called_from(calls: int) -> None:
        if calls:
            called_from(calls - 1)
            return
        assert [m.metadata for m in mem.memories()][1:] == ([given] if not isinstance(got, ReverieError) else [])
        mem.recall("deep metadata")
        state(mem)

    called_from(400)


@pytest.mark.parametrize("given", [{1: "a", "1": "b"}, {None: 1}, {True: 1}, {1.5: 1}], ids=repr)
def test_metadata_keys_are_kept_exactly_or_refused(mem: Reverie, given: Any) -> None:
    got: Any = survives(mem, lambda: mem.remember("a text with odd keys", metadata=given))
    assert isinstance(got, InvalidInput) or mem.get(got.id).metadata == given


IDS: dict[str, Any] = {
    "empty": "",
    "unknown": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "nul": "a\0b",
    "surrogate": "\ud800",
    "long": "x" * 1_000_000,
    "sql": "' OR 1=1 --",
    "wildcard": "%",
    "json": '"], ["',
    "number": 5,
    "none": None,
    "bytes": b"x",
    "list": ["a"],
    "mapping": {"a": 1},
    "object": object(),
}


TAKE_AN_ID = ("get", "history", "pin", "verify", "forget", "restore", "revise", "undo", "apply", "reject")


@pytest.mark.parametrize("name", IDS)
def test_verbs_refuse_a_hostile_id(mem: Reverie, name: str) -> None:
    for verb in TAKE_AN_ID:
        rest = ("a corrected text",) if verb == "revise" else ()
        error = refused(mem, lambda: getattr(mem, verb)(IDS[name], *rest))  # noqa: B023 - called at once
        assert isinstance(error, (NotFound, InvalidInput)), (verb, error)


RECALLS: dict[str, dict[str, Any]] = {
    "limit 0": {"limit": 0},
    "limit negative": {"limit": -1},
    "limit 1001": {"limit": 1001},
    "limit huge": {"limit": 2**70},
    "limit true": {"limit": True},
    "limit false": {"limit": False},
    "limit float": {"limit": 1.5},
    "limit nan": {"limit": NAN},
    "limit text": {"limit": "5"},
    "limit list": {"limit": []},
    "budget 0": {"budget_tokens": 0},
    "budget negative": {"budget_tokens": -5},
    "budget float": {"budget_tokens": 1.5},
    "budget true": {"budget_tokens": True},
    "kinds text": {"kinds": "fact"},
    "kinds number": {"kinds": 5},
    "kinds unknown": {"kinds": ["rumour"]},
    "kinds nested": {"kinds": [["fact"]]},
    "states number": {"states": 5},
    "states unknown": {"states": ["gone"]},
    "states text": {"states": "live"},
    "as_of text": {"as_of": "2026-01-01"},
    "as_of number": {"as_of": 5},
    "as_of date": {"as_of": date(2026, 1, 1)},
    "as_of before time": {"as_of": datetime(1, 1, 1, tzinfo=EAST)},
}


@pytest.mark.parametrize("name", RECALLS)
def test_recall_refuses_a_hostile_argument(mem: Reverie, name: str) -> None:
    assert isinstance(refused(mem, lambda: mem.recall("harmless row", **RECALLS[name])), InvalidInput)


@pytest.mark.parametrize("limit", [1, 1000])
def test_recall_takes_limits_at_the_bounds(mem: Reverie, limit: int) -> None:
    assert len(mem.recall("harmless row", limit)) == 1


CALLS: dict[str, Any] = {
    "memories limit 0": lambda m: m.memories(limit=0),
    "memories limit negative": lambda m: m.memories(limit=-1),
    "memories limit text": lambda m: m.memories(limit="5"),
    "memories state": lambda m: m.memories(state="gone"),
    "memories kind": lambda m: m.memories(kind=5),
    "journal limit text": lambda m: m.journal(limit="x"),
    "journal limit none": lambda m: m.journal(limit=None),
    "journal limit huge": lambda m: m.journal(limit=2**70),
    "journal run surrogate": lambda m: m.journal(run="\ud800"),
    "journal run list": lambda m: m.journal(run=["a"]),
    "runs limit huge": lambda m: m.runs(limit=2**70),
    "runs limit text": lambda m: m.runs("x"),
    "undo huge": lambda m: m.undo(2**70),
    "undo float": lambda m: m.undo(1.5),
    "undo bool": lambda m: m.undo(True),
    "undo before time": lambda m: m.undo(datetime(1, 1, 1, tzinfo=EAST)),
    "plan unknown": lambda m: m.plan("dream"),
    "plan list": lambda m: m.plan([]),
    "set unknown": lambda m: m.set("nonsense", 1),
    "set name number": lambda m: m.set(5, 1),
    "set out of bounds": lambda m: m.set("recall_limit", 0),
    "set nan": lambda m: m.set("weight_similarity", NAN),
    "set type": lambda m: m.set("recall_limit", "many"),
    "set list": lambda m: m.set("recall_limit", []),
    "forget reason none": lambda m: m.forget(m.memories()[0].id, None),
    "forget reason number": lambda m: m.forget(m.memories()[0].id, 5),
    "forget reason surrogate": lambda m: m.forget(m.memories()[0].id, "\ud800"),
    "forget reason long": lambda m: m.forget(m.memories()[0].id, "x" * 1_000_000),
    "pin none": lambda m: m.pin(m.memories()[0].id, None),
    "pin text": lambda m: m.pin(m.memories()[0].id, "no"),
    "import nowhere": lambda m: m.import_export("/nowhere/at/all.jsonl"),
    "import number": lambda m: m.import_export(5),
    "import nul": lambda m: m.import_export("a\0b"),
    "export nowhere": lambda m: m.export("/nowhere/at/all.jsonl"),
    "export nul": lambda m: m.export("a\0b"),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_verbs_refuse_a_hostile_argument(mem: Reverie, name: str) -> None:
    refused(mem, lambda: CALLS[name](mem))


def test_names_with_sql_and_marks_are_only_names(mem: Reverie) -> None:
    odd = ["'; DROP TABLE memory; --", '"', "a b", "%", "_", "📌", "ключ", "NULL", "\u202egnp"]
    for n, name in enumerate(odd):
        got = mem.remember(
            f"Value {n} under an odd name", key=name, external_id=name, session=name, principal=name, client=name
        )
        row = mem.get(got.id)
        assert (row.key, row.origin.session, row.origin.principal, row.origin.client) == (name,) * 4
        assert mem.remember("sent twice", external_id=name).id == got.id
        newer = mem.remember(f"Newer value {n} under an odd name", key=name)
        assert newer.superseded == got.id
    assert len(mem.memories()) == 1 + len(odd)


def test_refused_key_writes_nothing(place: Any) -> None:
    # A refused statement that stayed behind, live and without its key, would contradict the one that kept the key.
    with place.open(channel="person") as person:
        person.remember("The door code is 4711", key="door")
        with place.open(channel="agent") as agent:
            error = refused(agent, lambda: agent.remember("The door code is 0000", key="door", external_id="e1"))
            assert isinstance(error, PolicyRefusal)
            got = agent.remember_many(["one before", {"text": "The door code is 0001", "key": "door"}, "one after"])
            assert [o.error is None for o in got] == [True, False, True]
            assert [m.text for m in agent.memories(state=None)] == ["The door code is 4711", "one before", "one after"]
            assert {r.cycle for r in agent.runs()} == {"key"}, "a refused act is no act that was done"
