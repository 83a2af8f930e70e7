"""What every store must do, whatever it is made of."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from reverie.errors import BadVector, Closed, Conflict, StoreError
from reverie.model import Channel, Entry, Kind, Memory, Origin, Relation, RunRecord, Scope, Sighting, State
from reverie.store.records import Parked
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures
from reverie.transitions import Edge

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def memory(n: int, text: str | None = None, **given) -> Memory:
    text = text or f"note {n} about subject s{n}x"
    origin = given.pop("origin", Origin())
    return Memory(
        id=f"{n:026d}", kind=Kind(given.pop("kind", "fact")), text=text, text_hash=text_hash(text), norm_hash=norm_hash(text),
        origin=origin, trust=origin.trust, written_at=NOW, stated_at=NOW, strength_at=NOW, **given,
    )  # fmt: skip


def put(scope, *rows: Memory) -> None:
    def work(tx):
        for m in rows:
            tx.insert(m, signatures(m.text))
            tx.sight(Sighting(m.id, m.origin, NOW))

    scope.transact(work)


def entry(run: str = "r", index: int = 0, **given) -> Entry:
    blank = {"step": "s", "move": "Archive", "reason": "why", "evidence": {}, "before": {}, "after": {}, "added": {},
             "detail": {}, "status": "applied", "at": NOW, "hash": b"", "previous": b""}  # fmt: skip
    return Entry(n=0, run=run, index=index, **(blank | given))


def test_a_row_comes_back_as_it_went_in(scope):
    rich = memory(
        1, "Grüße aus 東京 \u202e rtl 🎉", gist="short", derived=True, metadata={"a": [1, {"b": "ü"}]}, key="k",
        origin=Origin("p", Channel.WEB, "c", "s"), occurred_at=NOW - timedelta(days=1), valid_from=NOW, valid_to=NOW,
        importance=0.25, utility=0.75, strength=2.5, half_life_days=7.0, pinned=True, durable=False,
    )  # fmt: skip
    put(scope, rich)
    with scope.read() as r:
        assert r.rows([rich.id])[rich.id] == rich
        assert r.rows(["nobody"]) == {}


def test_two_scopes_never_see_each_other(store):
    a, b, c = (store.scope(Scope(*x)) for x in (("t", "one"), ("t", "two"), ("u", "one")))
    for n, s in enumerate((a, b, c)):
        put(s, memory(7, f"the secret word of scope {n} is banana{n}"))
    for n, s in enumerate((a, b, c)):
        with s.read() as r:
            (row,) = r.rows([memory(7).id]).values()
            assert f"banana{n}" in row.text
            assert [len(r.postings(f"banana{m}", 0)) for m in range(3)] == [int(m == n) for m in range(3)]
            assert r.count()["live"] == 1 and len(list(r.dump(journal=True))) >= 2
            assert len(list(r.changes(0, None)[1])) == 1
    assert store.scopes() == [Scope("t", "one"), Scope("t", "two"), Scope("u", "one")]


def test_a_scope_that_was_never_written_is_empty_and_not_listed(store):
    with store.scope(Scope("new", "one")).read() as r:
        assert r.count()["live"] == 0 and r.find_live(b"x" * 16, None) is None and not r.uncurated()
    assert store.scopes() == []


def test_one_live_row_a_text_and_kind(scope):
    put(scope, memory(1, "the same text"))
    with pytest.raises(Conflict):
        put(scope, memory(2, "The  same text."))
    put(scope, memory(3, "the same text", kind="episode"))
    with scope.read() as r:
        assert r.count()["live"] == 2


def test_work_that_raises_leaves_nothing(scope):
    def work(tx):
        tx.insert(memory(1), [])
        raise Conflict("no")

    with pytest.raises(Conflict):
        scope.transact(work)
    with scope.read() as r:
        assert r.rows([memory(1).id]) == {}
    put(scope, memory(1))


def test_a_transaction_inside_a_transaction_is_refused(scope):
    with pytest.raises(StoreError, match="inside"):
        scope.transact(lambda tx: scope.transact(lambda inner: None))


def test_change_raises_the_revision_and_refuses_a_stale_row(scope):
    put(scope, memory(1))

    def archive(tx):
        row = tx.rows([memory(1).id])[memory(1).id]
        tx.change(row, {"state": State.ARCHIVED, "archived_at": NOW}, {"access_count": 2})
        return row

    old = scope.transact(archive)
    with scope.read() as r:
        row = r.rows([old.id])[old.id]
        assert (row.revision, row.state, row.access_count, row.archived_at) == (2, State.ARCHIVED, 2, NOW)
    with pytest.raises(Conflict, match="changed since"):
        scope.transact(lambda tx: tx.change(old, {"gist": "x"}, {}))


@pytest.mark.parametrize("column", ["text", "text_hash", "written_at", "origin", "id"])
def test_no_move_changes_a_text_or_where_it_came_from(scope, column):
    put(scope, memory(1))

    def work(tx):
        row = tx.rows([memory(1).id])[memory(1).id]
        tx.change(row, {column: getattr(memory(2), column)}, {})

    with pytest.raises(StoreError, match=column):
        scope.transact(work)
    with scope.read() as r:
        assert r.rows([memory(1).id])[memory(1).id] == memory(1)


def test_coming_back_to_live_over_an_equal_live_text_is_a_conflict(scope):
    put(scope, memory(1, "the text"))
    scope.transact(lambda tx: tx.change(tx.rows([memory(1).id])[memory(1).id], {"state": State.ARCHIVED}, {}))
    put(scope, memory(2, "the text"))
    with pytest.raises(Conflict):
        scope.transact(lambda tx: tx.change(tx.rows([memory(1).id])[memory(1).id], {"state": State.LIVE}, {}))


def test_accesses_are_not_edits(scope):
    put(scope, memory(1))
    id_ = memory(1).id
    scope.transact(lambda tx: (tx.tick(NOW, 3), tx.recalled(id_, at=NOW + timedelta(days=30), count=2)))
    scope.transact(lambda tx: tx.restated(id_, at=NOW + timedelta(days=1)))
    with scope.read() as r:
        m = r.rows([id_])[id_]
    assert (m.revision, m.recall_count, m.access_count, m.epoch) == (1, 2, 3, 3)
    assert m.last_recalled_at == NOW + timedelta(days=30) and m.stated_at == NOW + timedelta(days=1)
    assert m.strength == pytest.approx(2.5)  # halved by 30 days, strengthened by two hits


def test_external_ids_are_taken_once(scope):
    put(scope, memory(1))
    sight = Sighting(memory(1).id, Origin(), NOW, external_id="x1")
    scope.transact(lambda tx: tx.sight(sight))
    with pytest.raises(Conflict):
        scope.transact(lambda tx: tx.sight(sight))
    with scope.read() as r:
        assert r.find_external(["x1", "x2"]) == {"x1": memory(1).id}


def test_vectors_are_kept_by_text_and_model_and_refused_where_they_do_not_fit(scope):
    put(scope, memory(1), memory(2))
    h1, h2 = memory(1).text_hash, memory(2).text_hash
    assert scope.transact(lambda tx: tx.put_vectors("m", 2, [(h1, b"\0" * 8), (h1, b"\1" * 8)])) == 1
    with pytest.raises(BadVector):
        scope.transact(lambda tx: tx.put_vectors("m", 2, [(h2, b"\0" * 12)]))
    with pytest.raises(BadVector):
        scope.transact(lambda tx: tx.put_vectors("m", 3, [(h2, b"\0" * 12)]))
    with scope.read() as r:
        assert r.vectors("m", [h1, h2]) == {h1: b"\0" * 8}
        assert r.vectors("other", [h1]) == {}
        assert [i for i, _, _ in r.without_vector("m", 10)[0]] == [memory(2).id]


def test_changes_tell_every_write_once_and_in_any_process(scope):
    put(scope, memory(1), memory(2))
    with scope.read() as r:
        version, rows = r.changes(0, None)
        assert sorted(x.id for x in rows) == [memory(1).id, memory(2).id]
    scope.transact(lambda tx: tx.change(tx.rows([memory(1).id])[memory(1).id], {"state": State.ARCHIVED}, {}))
    scope.transact(lambda tx: tx.put_vectors("m", 1, [(memory(2).text_hash, b"\0" * 4)], [memory(2).id]))
    with scope.read() as r:
        later, rows = r.changes(version, "m")
        assert {(x.id, x.live, x.vector) for x in rows} == {
            (memory(1).id, False, None), (memory(2).id, True, b"\0" * 4)
        }  # fmt: skip
        assert later > version and not list(r.changes(later, "m")[1])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Robin's cats sleep", "robin"), ("Robin’s cats", "ROBIN"), ("Grüße aus München", "munchen"),
        ("die Straße", "strasse"), ("東京都に住んでいる", "東京"), ("我住在北京的海淀区", "海淀"), ("서울에서 일하는 민수", "서울"),
        ("EXA_API_KEY must be set", "exa_api_key"), ("ÉCOLE d'été", "ecole"), ("she painted it", "painting"),
        ("παράδειγμα", "ΠΑΡΆΔΕΙΓΜΑ"), ("ｆｕｌｌ width", "full"),
    ],
)  # fmt: skip
def test_text_search_folds_case_and_diacritics_and_finds_unspaced_scripts(scope, text, word):
    from reverie.recall.words import terms

    put(scope, memory(1, text), memory(2, "nothing of the kind"))
    with scope.read() as r:
        assert [len(r.postings(t, 0)) for t in terms(word)] == [1] * len(terms(word))


@pytest.mark.parametrize("word", ['"', "a OR b", "NEAR(a b)", "place:s1", "*", "-x", "(", "^a", "a:b", "'", "\\", "%"])
def test_query_syntax_in_a_word_is_just_text(scope, word):
    put(scope, memory(1, "plain words"))
    with scope.read() as r:
        assert r.postings(word, 0) in ([], [1])


def test_the_curators_queue_holds_what_changed_and_stamps_can_be_taken_back(scope):
    put(scope, memory(1), memory(2))
    with scope.read() as r:
        queue = r.uncurated()
        assert queue == [(memory(1).id, 1), (memory(2).id, 1)]
    assert scope.transact(lambda tx: tx.stamp("run", [(memory(1).id, 1), (memory(2).id, 99)], NOW)) == 1
    with scope.read() as r:
        assert r.uncurated() == [(memory(2).id, 1)]
        assert r.rows([memory(1).id])[memory(1).id].curated_at == NOW
    assert scope.transact(lambda tx: tx.unstamp("run")) == 1
    with scope.read() as r:
        assert r.rows([memory(1).id])[memory(1).id].curated_at is None


def test_shared_clauses_are_found_for_what_is_uncurated(scope):
    put(scope, memory(1, "Ana lives in Oslo. The port is 80."), memory(2, "Ana lives in Oslo."), memory(3, "Unlike."))
    with scope.read() as r:
        shared = {}
        for signature, seq in r.shared_clauses():
            shared.setdefault(signature, set()).add(seq)
        assert {1, 2} in shared.values() and all(3 not in s for s in shared.values())
        everything = r.uncurated()
    scope.transact(lambda tx: tx.stamp("run", everything, NOW))
    with scope.read() as r:
        assert r.shared_clauses() == []


def test_the_journal_numbers_and_chains_entries_for_each_scope(store):
    a, b = store.scope(Scope("t", "a")), store.scope(Scope("t", "b"))
    for s in (a, b, a):
        run = RunRecord(f"r{id(s)}{s.scope.namespace}", "tidy", "me", NOW, None, "running", {}, {})
        if s is not a or not _runs(a):
            s.transact(lambda tx, run=run: tx.start_run(run))
        s.transact(lambda tx, s=s: tx.add_entry(entry(index=len(_entries(s))), counted=True))
    assert [e.n for e in _entries(a)] == [1, 2] and [e.n for e in _entries(b)] == [1]
    first, second = _entries(a)
    assert second.previous == first.hash and first.previous == b"\0" * 32
    with a.read() as r:
        assert r.departed(NOW) == 2 and r.departed(NOW + timedelta(seconds=1)) == 0
    a.transact(lambda tx: tx.mark_undone(1, 2))
    with a.read() as r:
        assert r.departed(NOW) == 1 and r.entry(1).undone_by == 2


def _entries(scope):
    with scope.read() as r:
        return r.entries()


def _runs(scope):
    with scope.read() as r:
        return r.runs()


def test_entries_are_found_by_run_by_memory_and_by_time(scope):
    put(scope, memory(1), memory(2))
    id_ = memory(1).id

    def work(tx):
        tx.start_run(RunRecord("r1", "tidy", "me", NOW, None, "running", {}, {}))
        tx.add_entry(entry("r1", 0, after={id_: {"state": "archived"}}, detail={"ids": [id_]}), counted=False)
        tx.add_entry(entry("r1", 1, detail={"ids": [memory(2).id]}, at=NOW + timedelta(hours=1)), counted=False)

    scope.transact(work)
    with scope.read() as r:
        assert [e.index for e in r.entries(run="r1")] == [0, 1]
        assert [e.index for e in r.entries(memory=id_)] == [0]
        assert [e.index for e in r.entries(since=NOW + timedelta(minutes=1))] == [1]
        assert [e.index for e in r.entries(newest_first=True)] == [1, 0]
    found = scope.transact(lambda tx: tx.later_settings([id_, memory(2).id], 0))
    assert found == {id_: 1}  # the second entry set no column


def test_parked_plans_wait_once_and_are_settled_once(scope):
    plan = Parked("p1", "r", "s", "why", NOW, "waiting", {"a": 1})
    assert scope.transact(lambda tx: tx.park(plan, b"d" * 16)) == "p1"
    assert scope.transact(lambda tx: tx.park(dataclasses.replace(plan, id="p2"), b"d" * 16)) == "p1"
    with scope.read() as r:
        assert r.parked() == [plan]
    assert scope.transact(lambda tx: tx.settle_parked("p1", "approved"))
    assert not scope.transact(lambda tx: tx.settle_parked("p1", "approved"))
    with scope.read() as r:
        assert r.parked() == [] and r.parked(status=None)[0].status == "approved"


def test_edges_are_drawn_once_and_read_from_both_ends(scope):
    put(scope, memory(1), memory(2))
    edge = Edge(memory(1).id, Relation.CONTRADICTS, memory(2).id)
    assert scope.transact(lambda tx: tx.edge(edge, NOW, {"why": "x"}))
    assert not scope.transact(lambda tx: tx.edge(edge, NOW))
    with scope.read() as r:
        assert r.links(memory(1).id) == r.links(memory(2).id) != []
    assert scope.transact(lambda tx: tx.edge(dataclasses.replace(edge, remove=True), NOW))
    with scope.read() as r:
        assert r.links(memory(1).id) == []


def test_pairs_ruled_apart_are_remembered_in_either_order(scope):
    a, b, c = b"a" * 16, b"b" * 16, b"c" * 16
    assert scope.transact(lambda tx: tx.keep_apart([(b, a)], "undone", NOW)) == 1
    assert scope.transact(lambda tx: tx.keep_apart([(a, b)], "again", NOW)) == 0
    with scope.read() as r:
        assert r.apart([(a, b), (a, c)]) == {(a, b)}


def test_a_snapshot_does_not_see_later_writes(scope):
    put(scope, memory(1))
    with scope.read() as r:
        assert r.count()["live"] == 1
        put(scope, memory(2))
        assert r.count()["live"] == 1
    with scope.read() as r:
        assert r.count()["live"] == 2


def test_settings_signals_activity_and_recalls_are_kept_in_their_scope(store):
    a, b = store.scope(Scope("t", "a")), store.scope(Scope("t", "b"))
    put(a, memory(1))
    put(b, memory(1))

    def work(tx):
        tx.set_setting("recall_limit", "3")
        assert tx.add_signal(memory(1).id, "reclassify_pending", "curator", NOW)
        assert not tx.add_signal(memory(1).id, "reclassify_pending", "curator", NOW)
        tx.add_activity(NOW, "curation_cycle", "r", {"merged": 0})
        tx.log_recalls([("what?", NOW, [memory(1).id])], keep=10)

    a.transact(work)
    with a.read() as r:
        assert r.settings() == {"recall_limit": "3"} and r.activity()[0]["merged"] == 0
    with b.read() as r:
        assert r.settings() == {} and r.activity() == []


def test_a_closed_store_says_so(store):
    scope = store.scope(Scope())
    store.close()
    store.close()
    with pytest.raises(Closed):
        scope.transact(lambda tx: None)
    with pytest.raises(Closed), scope.read():
        pass


def test_a_sound_store_has_no_problems(store, scope):
    put(scope, memory(1))
    assert store.problems() == [] and store.facts()["schema"] >= 1
