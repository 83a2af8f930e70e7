"""Many rows at once: what goes in by hundreds is what goes in one by one, on each store."""

from __future__ import annotations

import pytest
from test_store import memory

import reverie
from reverie.errors import Conflict
from reverie.model import Scope, State
from reverie.text.signatures import signatures

MANY = 450


def rows(n: int = MANY) -> list:
    made = [
        memory(i, f"Shelf {i} holds {i * 3} boxes of Grüße\\ \t 'and' 東京 number {i}", key=f"k{i}")
        for i in range(1, n)
    ]
    return [*made, memory(n, "a long text " + "word " * 700, metadata={"a": ["ü", None]}, gist="long")]


def test_many_rows_at_once_are_as_rows_one_by_one(store):
    at_once, singly = store.scope(Scope("t", "at once")), store.scope(Scope("t", "singly"))
    given = [(m, signatures(m.text)) for m in rows()]
    at_once.transact(lambda tx: tx.insert_many(given))
    singly.transact(lambda tx: [tx.insert(m, s) for m, s in given])
    with at_once.read() as a, singly.read() as b:
        assert list(a.dump(journal=True)) == list(b.dump(journal=True))
        assert a.uncurated() == b.uncurated() and len(a.uncurated()) == MANY
        for word in ("東京", "boxes", "number", "word", "449"):
            assert len(a.postings(word, 0)) == len(b.postings(word, 0)) > 0
        assert [m.text for _, m in a.page(states=list(State))] == [m.text for m in rows()]
        order = a.uncurated_seqs()
        assert order == sorted(order)
    at_once.transact(lambda tx: tx.insert(memory(9000), []))
    with at_once.read() as a:
        assert a.uncurated_seqs()[-1] > order[-1]


def test_vectors_by_hundreds_are_counted_and_known_ones_left(scope):
    pairs = [(i.to_bytes(16, "big"), bytes([i % 250]) * 16) for i in range(1, MANY)]
    assert scope.transact(lambda tx: tx.put_vectors("m", 4, pairs[:200])) == 200
    assert scope.transact(lambda tx: tx.put_vectors("m", 4, [*pairs, *pairs[:5]])) == MANY - 1 - 200
    with scope.read() as r:
        assert r.vectors("m", [h for h, _ in pairs]) == dict(pairs)


def test_a_row_that_clashes_takes_the_whole_lot_back(scope):
    scope.transact(lambda tx: tx.insert(memory(5000, "the same text"), []))
    given = [(m, []) for m in [*rows(), memory(5001, "The same  text")]]
    with pytest.raises(Conflict):
        scope.transact(lambda tx: tx.insert_many(given))
    with scope.read() as r:
        assert r.count()["live"] == 1
    scope.transact(lambda tx: tx.insert_many(given[:-1]))


def test_a_large_export_is_read_back(url, tmp_path):
    with reverie.open(url, "a", embedder="hashing:32") as mem:
        mem.remember_many([f"Ticket {i} is about gate {i % 7}" for i in range(1200)])
        mem.export(tmp_path / "x.jsonl", journal=True)
        with reverie.open(url, "b", embedder="hashing:32") as copy:
            copy.import_export(tmp_path / "x.jsonl")
            assert list(copy.export(journal=True))[1:] == list(mem.export(journal=True))[1:]
            copy.curate()
            assert [h.text for h in copy.recall("ticket 77", 3)] == [h.text for h in mem.recall("ticket 77", 3)]
