"""Hostile texts and queries: each is refused with a sentence and nothing written, or kept exactly and found again."""

from __future__ import annotations

import pytest

from hostile import BAD, EMPTY, HUGE, KEPT, QUERIES, refused, state, timed
from reverie.errors import InvalidInput
from reverie.memory import Reverie

HUGE_MS = 50


@pytest.mark.parametrize("name", [*EMPTY, *BAD])
def test_remember_refuses_what_cannot_be_kept(mem: Reverie, name: str) -> None:
    text = (EMPTY | BAD)[name]
    assert isinstance(refused(mem, lambda: mem.remember(text)), InvalidInput)


@pytest.mark.parametrize("name", ["empty", "zero width", "nul", "high surrogate", "1 MB"])
def test_every_text_of_the_facade_is_checked(mem: Reverie, name: str) -> None:
    text = (EMPTY | BAD)[name]
    (id_,) = (m.id for m in mem.memories())
    refused(mem, lambda: mem.revise(id_, text))
    refused(mem, lambda: mem.remember("fine by itself", gist=text))
    (got,) = mem.remember_many([text])
    assert isinstance(got.error, InvalidInput)
    assert mem.get(id_).state == "live"


@pytest.mark.parametrize("name", HUGE)
def test_remember_refuses_ten_megabytes_at_once(mem: Reverie, name: str) -> None:
    text = HUGE[name]
    assert isinstance(refused(mem, lambda: mem.remember(text)), InvalidInput)

    def again() -> None:
        with pytest.raises(InvalidInput):
            mem.remember(text)

    took = timed(again)
    assert took < HUGE_MS, f"{took:.0f} ms to refuse {name}"


@pytest.mark.parametrize("name", KEPT)
def test_remember_keeps_exactly_and_finds_again(mem: Reverie, name: str) -> None:
    text = KEPT[name]
    got = mem.remember(text, external_id="odd", gist=text[:2000], metadata={"odd": [text[:2000]]})
    row = mem.get(got.id)
    assert row.text == text
    assert row.gist == text[:2000]
    assert row.metadata == {"odd": [text[:2000]]}
    assert got.id in [h.memory.id for h in mem.recall(text)]
    assert mem.remember(text).restated, "the same text is a restatement of itself"
    mem.curate()
    assert mem.get(got.id).text == text
    assert [r["text"] for r in state(mem) if r["type"] == "memory" and r["id"] == got.id] == [text]
    mem.forget(got.id)
    assert got.id not in [h.memory.id for h in mem.recall(text)]


def test_batch_of_hostile_texts_keeps_all_that_can_be_kept(mem: Reverie) -> None:
    texts = [t for pair in zip(KEPT.values(), [*EMPTY.values(), *BAD.values()] * 3, strict=False) for t in pair]
    found = mem.remember_many(texts)
    assert len(found) == len(texts)
    good = set(KEPT.values())
    assert [o.error is None for o in found] == [t in good for t in texts]
    assert all(isinstance(o.error, InvalidInput) for o in found if o.error is not None)
    for text, outcome in zip(texts, found, strict=True):
        if outcome.id is not None and not outcome.restated:
            assert mem.get(outcome.id).text == text


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_recall_takes_any_query_as_plain_words(mem: Reverie, query: str) -> None:
    for text in ("OR and AND are operators", "column filters such as place:s1", "a NEAR miss", "body and place"):
        mem.remember(text)
    before = state(mem)
    if not query.strip():
        assert isinstance(refused(mem, lambda: mem.recall(query)), InvalidInput)
        return
    found = mem.recall(query, log=False)
    assert len(found) <= 5
    assert state(mem) == before
    mem.recall(query)  # and the log of queries takes it, too
    mem.flush()
    assert mem.stats()["hits_not_written"] is None


@pytest.mark.parametrize("query", ["\ud800", "half \udfff", "", " ", "\n"])
def test_recall_refuses_what_is_no_text(mem: Reverie, query: str) -> None:
    assert isinstance(refused(mem, lambda: mem.recall(query)), InvalidInput)


def test_recall_of_an_operator_finds_the_word(mem: Reverie) -> None:
    got = mem.remember("NEAR is a word like any other")
    mem.remember("something else entirely")
    for query in ("NEAR", "NEAR(", '"NEAR"', "NEAR*", "-NEAR", "^NEAR", "body:NEAR"):
        assert mem.recall(query)[0].memory.id == got.id, query


def test_recall_of_an_empty_namespace_is_empty(mem: Reverie) -> None:
    (id_,) = (m.id for m in mem.memories())
    mem.forget(id_)
    for query in QUERIES:
        assert not query.strip() or mem.recall(query) == []


@pytest.mark.parametrize(
    "name", ["1 MB of words", "1 MB of digits", "1 MB of brackets", "1 MB of marks", "1 MB of stars"]
)
def test_texts_of_a_megabyte_stay_boring_where_they_are_allowed(mem: Reverie, name: str) -> None:
    piece = {"words": "word ", "digits": "90,1.", "brackets": "([{", "marks": "\u0301", "stars": "**a* "}[
        name.split()[-1]
    ]
    text = ("a" + piece * 1_000_000)[: 1_000_000 // (2 if "marks" in name else 1)]
    mem.set("text_max_bytes", 1_048_576)
    got = mem.remember(text)
    assert mem.get(got.id).text == text
    took = timed(lambda: mem.remember(text), 1)
    assert took < 5_000, f"{took:.0f} ms"
