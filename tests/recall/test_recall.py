"""Recall: what is found, in which order, with which parts; what is absent; budgets, near copies, the past."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

import reverie
from reverie.clock import FixedClock
from reverie.errors import InvalidInput
from reverie.recall.packing import pack, tokens
from reverie.recall.words import terms


def texts(hits) -> list[str]:
    return [h.memory.text for h in hits]


def test_vector_and_text_meet_in_one_score_with_visible_parts(mem):
    mem.remember("Robin lives in Berlin")
    mem.remember("The staging database listens on port 5432")
    (first, *_) = mem.recall("where does Robin live?")
    assert first.memory.text == "Robin lives in Berlin"
    p, s = first.parts, mem.settings
    assert set(p) == {"vector", "text", "similarity", "confidence", "recency", "utility", "importance"}
    assert p["text"] == 1.0 and 0 < p["vector"] <= 1
    assert p["similarity"] == pytest.approx((1 - s.text_share) * p["vector"] + s.text_share * p["text"])
    total = sum(
        float(s["weight_" + n]) * p[n] for n in ("similarity", "confidence", "recency", "utility", "importance")
    )
    assert first.score == pytest.approx(total)


def test_words_of_rows_that_are_not_held_count_for_no_other(mem):
    """A row that had left live when the index was read is not in it: its words must not be taken for those of the next one."""
    made = [mem.remember(f"the lamp number {n} is red").id for n in range(4)]
    mem.forget(made[1])
    index = mem._index
    with index.lock:
        index.refresh()
        index.reload()
        seqs = np.asarray(index.columns["seq"][:3])
        asked = np.arange(seqs[0], seqs[0] + 5)
        assert index.positions_of(asked).tolist() == [0, 1, 2]
    assert all(0 <= h.parts["text"] <= 1 for h in mem.recall("the lamp"))


def test_text_search_answers_alone_without_an_embedder(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder="none") as mem:
        mem.remember("Grüße aus München")
        mem.remember("nothing else")
        assert texts(mem.recall("munchen")) == ["Grüße aus München"]
        assert mem.recall("kein treffer") == []


def test_what_is_not_live_is_absent_and_visible_with_a_flag(mem):
    kept = mem.remember("the blue gate is open").id
    gone = mem.remember("the blue gate was painted").id
    mem.forget(gone)
    old = mem.remember("the blue gate key is with Ana").id
    new = mem.revise(old, "the blue gate key is with Bea").id
    assert {h.memory.id for h in mem.recall("blue gate")} == {kept, new}
    flagged = mem.recall("blue gate", states=["archived", "superseded"])
    assert {h.memory.id for h in flagged} == {gone, old}
    assert {h.memory.id for h in mem.recall("blue gate", states=["live", "archived"])} == {kept, new, gone}


def test_kinds_and_trust_filter(mem):
    mem.remember("the gate opens at nine", "fact")
    mem.remember("the gate should open later", "preference")
    mem.remember("the gate opens at noon", "fact", channel="person")
    assert texts(mem.recall("gate", kinds=["preference"])) == ["the gate should open later"]
    assert texts(mem.recall("gate", trusted_only=True)) == ["the gate opens at noon"]


def test_newer_verified_and_useful_rows_win_among_equals(mem, clock: FixedClock):
    old = mem.remember("alpha beta one").id
    clock.advance(days=60)
    new = mem.remember("alpha beta two").id
    assert [h.memory.id for h in mem.recall("alpha beta", 2)] == [new, old]
    mem.verify(old)
    mem.set("weight_confidence", 1.0)
    assert next(h.memory.id for h in mem.recall("alpha beta", 1)) == old


def test_equal_scores_go_to_the_older_id_and_repeat_exactly(mem):
    ids = [mem.remember(f"gamma delta {w}").id for w in ("aa", "bb", "cc")]
    with_same_vectors = mem.recall("gamma delta", 3)
    assert [h.memory.id for h in mem.recall("gamma delta", 3)] == [h.memory.id for h in with_same_vectors]
    assert {h.memory.id for h in with_same_vectors} == set(ids)


class OneDirection:
    """Every text gets the same vector: everything is a near copy of everything."""

    model_id, dim = "one-direction:4", 4

    def embed(self, texts, kind="document"):
        return np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(texts), 1))


def test_near_copies_are_collapsed_only_where_the_guard_agrees(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder=OneDirection(), settings={"restate_similarity": 1.0}) as mem:
        # Written as two kinds, so that neither the write path nor a merge joins them.
        a = mem.remember("Ana Abbott lives in Lisbon.", "fact").id
        b = mem.remember("Ana Abbott lives in Lisbon", "episode").id
        c = mem.remember("Ana Abbott lives in Lisbon since 2020.", "fact").id
        hits = mem.recall("where does Ana live?", 10)
        shown = {h.memory.id: h.also for h in hits}
        assert c in shown
        assert len(shown) == 2 and ({a, b} & set(shown)) and {x for also in shown.values() for x in also} <= {a, b}


def test_a_port_that_differs_by_a_digit_is_never_collapsed_away(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder=OneDirection()) as mem:
        for port in (5432, 5433, 5434):
            mem.remember(f"The staging database listens on port {port}")
        assert len(mem.recall("staging port")) == 3


def test_a_token_budget_is_kept_and_gists_stand_in(mem):
    long = "the harbour log " + "and a long story " * 40
    mem.remember(long, gist="harbour log, in short")
    mem.remember("the harbour is deep")
    hits = mem.recall("harbour log", budget_tokens=20)
    assert sum(tokens(h.text) for h in hits) <= 20
    assert {h.text for h in hits} == {"harbour log, in short", "the harbour is deep"}
    assert pack([h.memory for h in hits], 1) == []


def test_as_of_answers_as_the_memory_stood(mem, clock: FixedClock):
    old = mem.remember("the meeting is on Monday").id
    monday = clock.now()
    clock.advance(days=1)
    new = mem.revise(old, "the meeting is on Tuesday").id
    tuesday = clock.now()
    clock.advance(days=1)
    mem.forget(new)
    clock.advance(days=1)
    assert [h.memory.id for h in mem.recall("meeting", as_of=monday)] == [old]
    assert [h.memory.id for h in mem.recall("meeting", as_of=tuesday)] == [new]
    assert mem.recall("meeting") == []
    assert mem.recall("meeting", as_of=monday - timedelta(days=1)) == []
    assert mem.recall("meeting", as_of=monday)[0].memory.state == "live"


def test_as_of_respects_validity(mem, clock: FixedClock):
    now = clock.now()
    mem.remember("the rent is 800", valid_from=now, valid_to=now + timedelta(days=10))
    clock.advance(days=5)
    assert len(mem.recall("rent", as_of=clock.now())) == 1
    clock.advance(days=10)
    assert mem.recall("rent", as_of=clock.now()) == []


def test_hits_are_counted_after_a_flush_and_strengthen(mem):
    id_ = mem.remember("a note on harbours").id
    mem.recall("harbours")
    mem.recall("harbours", log=False)
    mem.flush()
    row = mem.get(id_)
    assert (row.recall_count, row.access_count, row.revision) == (1, 1, 1)
    assert row.last_recalled_at is not None and row.strength > 1


def test_hits_that_could_not_be_kept_are_told(mem, monkeypatch):
    monkeypatch.setattr("reverie.recall.hits.BUFFER_MAX", 1)
    mem.remember("a note on harbours")
    mem.recall("harbours")
    mem.recall("harbours")
    assert "1 recalls were not counted" in mem.stats()["hits_not_written"]
    assert mem.doctor()["level"] == "yellow"


def test_a_write_of_another_handle_is_recalled_at_once(mem, url):
    mem.recall("anything")
    with reverie.open(url, embedder="hashing") as other:
        other.remember("a sudden thought about lanterns")
        assert texts(mem.recall("lanterns")) == ["a sudden thought about lanterns"]
        mem.forget(mem.recall("lanterns")[0].memory.id)
        assert other.recall("lanterns") == []


@pytest.mark.parametrize(
    "bad", [{"query": ""}, {"query": "  "}, {"query": "x", "limit": 0}, {"query": "x", "limit": 1001},
            {"query": "x", "kinds": ["idea"]}, {"query": "x", "states": ["gone"]}, {"query": "x", "budget_tokens": 0}]
)  # fmt: skip
def test_bad_queries_are_refused_with_a_reason(mem, bad):
    with pytest.raises(InvalidInput):
        mem.recall(**bad)


def test_terms_of_a_query():
    assert terms("Where does Robin's cat live?") == ["robin", "cat", "live"]
    assert terms("who is it") == ["who", "is", "it"]
    assert terms("東京都 server") == ["東京", "京都", "server"]
