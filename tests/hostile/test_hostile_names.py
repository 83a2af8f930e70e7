"""Hostile names wherever a name can be given: each is refused with a sentence, or kept exactly and apart from all others."""

from __future__ import annotations

from typing import Any

import pytest

from hostile import refused, state
from reverie.errors import InvalidInput, ReverieError

NAMES = {
    "sql": "'; DROP TABLE memory; --",
    "quotes": "\"'`[]();--/**/",
    "doubled quotes": "a''b\"\"c",
    "backslashes": "\\ \\' \\x00 \\\\",
    "percent": "% %s %(tenant)s %%",
    "underscore": "_",
    "colons": ":tenant ::text :1",
    "braces": "{here} {} {{0}} <name>",
    "dollars": "$1 $$ $q$",
    "tsquery": "a & !b | (c <-> d:*)",
    "arrays": '{a,"b",NULL}',
    "settings": "reverie.every_scope=yes",
    "yes": "yes",
    "null": "NULL",
    "path": "../../etc/passwd",
    "spaces inside": "a  b",
    "right to left": "\u202egnp\u202c \u05e9\u05dc\u05d5\u05dd",
    "combining": "e\u0301",
    "composed": "\u00e9",
    "case": "DEFAULT",
    "turkish": "\u0130stanbul",
    "emoji": "👨‍👩‍👧‍👦",
    "every plane": "".join(chr((plane << 16) + 0x4E00) for plane in range(17)),
    "longest": "n" * 256,
    "longest of four bytes": "\U0001f600" * 64,
    "nul": "a\0b",
    "nul alone": "\0",
    "high surrogate": "\ud800",
    "low surrogate": "a\udfff",
    "bytes kept": "caf\udce9",
    "newline": "a\nb",
    "escape": "\x1b[31m",
    "empty": "",
    "blank": " \u00a0",
    "too long": "n" * 257,
}
NEVER = ("nul", "nul alone", "high surrogate", "low surrogate", "bytes kept", "empty", "blank", "too long")


@pytest.mark.parametrize("name", NAMES)
def test_scope_of_a_hostile_name_is_refused_or_a_scope_of_its_own(place: Any, name: str) -> None:
    given = NAMES[name]
    with place.open() as plain:
        plain.remember("Only the plain one knows of this", key="k", external_id="e")
        before = state(plain)
        for where in ({"namespace": given}, {"tenant": given, "namespace": place.tenant}):
            try:
                odd = place.open(**where)
            except InvalidInput as error:
                assert len(str(error).split()) >= 3
                assert name not in ("sql", "quotes", "percent", "every plane"), error
                continue
            assert name not in NEVER
            with odd:
                assert odd.memories(state=None) == []
                got = odd.remember("Only the odd one knows of this", key="k", external_id="e")
                assert [h.text for h in odd.recall("who knows of this?")] == ["Only the odd one knows of this"]
                odd.set("recall_limit", 3)
                odd.curate()
                odd.flush()
                assert odd.check_journal()
                assert odd.scope.namespace == where["namespace"]
                assert [m.id for m in odd.memories()] == [got.id]
            with place.open(**where) as again:
                assert [m.id for m in again.memories()] == [got.id]
                assert again.settings.recall_limit == 3
        assert state(plain) == before
        assert [h.text for h in plain.recall("who knows of this?")] == ["Only the plain one knows of this"]


@pytest.mark.parametrize("name", NAMES)
def test_field_of_a_hostile_name_is_refused_or_kept_exactly(mem: Any, name: str) -> None:
    given = NAMES[name]
    for field in ("key", "external_id", "principal", "session", "client"):
        try:
            got = mem.remember(f"A row under a hostile {field}", **{field: given})
        except ReverieError as error:
            assert isinstance(error, InvalidInput), field
            assert name not in ("sql", "quotes", "percent", "every plane"), error
            refused(mem, lambda: mem.remember("Another such row", **{field: given}))  # noqa: B023 - called at once
            continue
        assert name not in NEVER, field
        row = mem.get(got.id)
        (sighting,) = mem.history(got.id).sightings
        if field == "key":
            assert row.key == given
            newer = mem.remember("Another row under that name", key=given)
            assert newer.superseded == got.id
            assert mem.get(newer.id).key == given
        elif field == "external_id":
            assert sighting.external_id == given
            assert mem.remember("Sent again", external_id=given).id == got.id
            assert mem.remember("Sent under a like name", external_id=given[:-1] + "~").id != got.id
        else:
            assert getattr(row.origin, field) == getattr(sighting.origin, field) == given
    assert name not in NEVER or len(mem.memories(state=None)) == 1
    assert mem.check_journal()


@pytest.mark.parametrize("name", NAMES)
def test_metadata_and_reasons_of_hostile_text_are_refused_or_kept_exactly(mem: Any, name: str) -> None:
    given = NAMES[name]
    (id_,) = (m.id for m in mem.memories())
    try:
        got = mem.remember("A row with hostile metadata", metadata={given: [given, {"a": given}]})
    except InvalidInput:
        assert name in NEVER
    else:
        assert mem.get(got.id).metadata == {given: [given, {"a": given}]}
    try:
        mem.forget(id_, given)
    except InvalidInput:
        assert mem.get(id_).state == "live"
    else:
        assert mem.journal(limit=1)[0].reason == given
        assert mem.check_journal()


@pytest.mark.parametrize("name", NAMES)
def test_setting_of_a_hostile_name_or_value_is_refused(mem: Any, name: str) -> None:
    given = NAMES[name]
    refused(mem, lambda: mem.set(given, 1))
    refused(mem, lambda: mem.set("recall_limit", given))
    refused(mem, lambda: mem.set("embedder_threads", given))
