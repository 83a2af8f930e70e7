"""The write path: restatements, keys, external ids, revisions, failures of the embedder, batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import reverie
from reverie.errors import EmbedderUnavailable, InvalidInput, SecretFound


def test_the_issues_own_example(tmp_path):
    mem = reverie.open(tmp_path / "notes.db", namespace="default", embedder="hashing")
    got = mem.remember("Robin lives in Berlin", kind="fact", session="s1")
    assert not got.restated
    assert mem.remember("Robin lives in Berlin").restated
    assert [h.memory.id for h in mem.recall("where does Robin live?", limit=5)] == [got.id]
    plan = mem.plan()
    run = mem.apply(plan)
    assert run.id and run.counts["skipped"] == 0 and run.entries == ()
    mem.undo(run.id)
    mem.close()


def test_a_restatement_is_sighted_with_its_wording_and_moves_the_time(mem, clock):
    first = mem.remember("The gate opens at nine.", session="s1")
    clock.advance(days=2)
    again = mem.remember("the gate  opens at nine", session="s2", external_id="x9")
    assert again.restated and again.id == first.id and again.how == "same text"
    history = mem.history(first.id)
    assert [(s.origin.session, s.wording) for s in history.sightings] == [
        ("s1", None), ("s2", "the gate  opens at nine")
    ]  # fmt: skip
    row = history.memory
    assert row.stated_at - row.written_at == timedelta(days=2) and row.access_count == 1 and row.revision == 1
    assert row.text == "The gate opens at nine."


class Close:
    """A text's vector by its length in words: near enough for the write path to ask the guard."""

    model_id, dim = "close:4", 4

    def embed(self, texts, kind="document"):
        return np.array([[1, 0.01 * len(t.split()), 0, 0] for t in texts], dtype=np.float32)


def test_a_near_text_is_a_restatement_only_if_the_guard_clears_it(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder=Close()) as mem:
        a = mem.remember("The retry limit is 3.")
        assert mem.remember("Reminder: the retry limit is three").id == a.id
        assert not mem.remember("The retry limit is 4.").restated
        assert not mem.remember("The retry limit is not 3.").restated


def test_a_restatement_that_the_guard_found_can_be_taken_back(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder=Close()) as mem:
        a = mem.remember("The retry limit is 3.").id
        mem.remember("Reminder: the retry limit is three", external_id="e1", session="s2")
        entry = mem.history(a).entries[-1]
        assert entry.move == "Sight"
        before = list(mem.export())
        undone = mem.undo(entry.run)
        assert sorted(m.text for m in mem.memories()) == ["Reminder: the retry limit is three", "The retry limit is 3."]
        (new,) = [m for m in mem.memories() if m.id != a]
        assert [(s.external_id, s.origin.session) for s in mem.history(new.id).sightings] == [("e1", "s2")]
        assert mem.get(a).access_count == 0 and not mem.plan()
        assert mem.check_journal()
        mem.undo(undone.id)
        assert [m.text for m in mem.memories()] == ["The retry limit is 3."]
        assert len(before) == len(list(mem.export())) - 1


def test_near_copies_inside_one_batch_become_one_row(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder=Close()) as mem:
        got = mem.remember_many(["The retry limit is 3.", "Note: the retry limit is 3", "the retry limit is three"])
        assert len({g.id for g in got}) == 1 and len(mem.memories()) == 1


def test_a_key_supersedes_and_the_same_value_restates(mem):
    a = mem.remember("theme is dark", key="theme").id
    assert mem.remember("theme is dark", key="theme").restated
    got = mem.remember("theme is light", key="theme")
    assert got.superseded == a and mem.get(a).superseded_by == got.id
    assert [m.key for m in mem.memories()] == ["theme"]
    mem.remember("accent is blue")
    moved = mem.remember("accent is blue", key="theme")
    assert moved.restated and mem.get(moved.id).key == "theme"


def test_a_keyed_value_of_higher_trust_is_not_replaced_by_an_agent(mem):
    mem.remember("theme is dark", key="theme", channel="person")
    got = mem.remember_many([{"text": "theme is light", "key": "theme"}, "another note"])
    assert isinstance(got[0].error, reverie.ReverieError) and not got[1].error
    assert [m.text for m in mem.memories()] == ["theme is dark", "another note"]


def test_external_ids_make_writing_idempotent(mem):
    rows = [{"text": f"row {i} of s{i}x", "external_id": f"e{i}"} for i in range(20)]
    first = mem.remember_many(rows)
    before = list(mem.export())
    again = mem.remember_many(rows)
    assert [g.id for g in again] == [g.id for g in first] and all(g.known for g in again)
    assert list(mem.export()) == before


def test_one_bad_item_never_fails_its_batch(mem):
    got = mem.remember_many(
        ["fine one", "", {"text": "x", "importance": 9}, {"txet": "y"}, "fine two", "a\0b", "\ud800"]
    )
    assert [g.error is None for g in got] == [True, False, False, False, True, False, False]
    assert [m.text for m in mem.memories()] == ["fine one", "fine two"]


class Down:
    """An embedder that can be switched off."""

    model_id, dim, down = "down:8", 8, True

    def embed(self, texts, kind="document"):
        if self.down:
            raise EmbedderUnavailable("the embedder is down")
        return np.eye(8, dtype=np.float32)[[len(t) % 8 for t in texts]]


def test_a_write_works_while_the_embedder_is_down_and_curation_makes_up_for_it(tmp_path):
    embedder = Down()
    with reverie.open(tmp_path / "n.db", embedder=embedder) as mem:
        id_ = mem.remember("a note in the dark").id
        assert [h.memory.id for h in mem.recall("dark")] == [id_]
        assert mem.doctor()["level"] == "red" and mem.stats()["without_vector"] == 1
        run = mem.curate()
        assert run.counts["embedded"] == 0 and run.counts["embed_failed"] == 1
        embedder.down = False
        assert mem.curate().counts["embedded"] == 1
        assert mem.doctor()["level"] != "red" and mem.stats()["without_vector"] == 0
        assert mem.recall("a note in the dark")[0].parts["vector"] == pytest.approx(1)
        assert mem.curate().counts["embedded"] == 0


class Unreachable:
    """A service that alone knows its dimension, and is down."""

    calls = 0

    def _down(self):
        type(self).calls += 1
        raise EmbedderUnavailable("nobody answers")

    model_id = property(_down)
    dim = property(_down)

    def embed(self, texts, kind="document"):
        self._down()


def test_nothing_but_vectors_is_missing_while_an_embedder_of_unknown_dimension_is_down(tmp_path):
    with reverie.open(tmp_path / "n.db", embedder=Unreachable()) as mem:
        id_ = mem.remember("the harbour is deep").id
        assert [h.memory.id for h in mem.recall("harbour")] == [id_]
        assert mem.recall("harbour", states=["archived"]) == []
        assert mem.recall("harbour", as_of=mem.get(id_).written_at)
        assert mem.curate().status == "done" and mem.stats()["memories"]["live"] == 1
        assert mem.doctor()["level"] == "red" and "nobody answers" in mem.doctor()["problems"][0]


def test_a_slow_failure_is_not_waited_for_again_at_once(tmp_path, clock):
    class Slow(Unreachable):
        def _down(self):
            clock.advance(seconds=30)
            super()._down()

        model_id, dim = "slow:8", 8

        def embed(self, texts, kind="document"):
            self._down()

    Slow.calls = 0
    with reverie.open(tmp_path / "n.db", embedder=Slow(), clock=clock) as mem:
        for i in range(5):
            mem.remember(f"note {i} of s{i}x")
            mem.recall("note")
        assert Slow.calls == 1
        clock.advance(seconds=700)
        mem.remember("a later note")
        assert Slow.calls == 2


def test_secrets_are_refused_masked_or_kept_by_setting(tmp_path):
    secret = "ghp_" + "a1B2" * 9
    with reverie.open(tmp_path / "n.db", embedder="hashing") as mem:
        with pytest.raises(SecretFound) as caught:
            mem.remember(f"the deploy token is {secret}")
        assert secret not in str(caught.value)
        with pytest.raises(SecretFound):
            mem.remember("a note", metadata={"deep": [{"token": secret}]})
        with pytest.raises(SecretFound):
            mem.remember("a note", gist=f"token {secret}")
        mem.set("secrets", "mask")
        got = mem.remember(f"the deploy token is {secret}")
        assert got.masked and secret not in mem.get(got.id).text
        mem.set("secrets", "keep")
        assert secret in mem.get(mem.remember(f"the token is {secret}").id).text


def test_trust_comes_from_the_channel(mem):
    found = {
        c: mem.get(mem.remember(f"said by {c}", channel=c).id).trust
        for c in ("person", "agent", "web", "tool", "import")
    }
    assert found == {"person": "trusted"} | dict.fromkeys(("agent", "web", "tool", "import"), "provisional")
    with pytest.raises(InvalidInput, match="curator"):
        mem.remember("I am the curator", channel="curator")


def test_times_keep_their_moment_whatever_the_zone(mem):
    when = datetime.fromisoformat("2024-02-29T12:00:00+05:30")
    row = mem.get(mem.remember("leap day", occurred_at=when, written_at=datetime(2024, 3, 1)).id)
    assert row.occurred_at == when and row.occurred_at.tzinfo is UTC
    assert row.written_at == datetime(2024, 3, 1, tzinfo=UTC)


def test_statements_of_different_validity_stay_two(mem, clock):
    now = clock.now()
    mem.remember(
        "Ana Abbott works at Corvus.", valid_from=now - timedelta(days=900), valid_to=now - timedelta(days=500)
    )
    mem.remember("Corvus is Ana Abbott's employer.", valid_from=now)
    mem.curate()
    assert len(mem.memories()) == 2


async def _async_use(path):
    mem = await reverie.aopen(path, embedder="hashing")
    async with mem:
        got = await mem.remember("an async note")
        hits = await mem.recall("async")
        assert [m.id async for m in mem.each()] == [got.id]
        return got.id, hits[0].memory.id


def test_async_callers_get_the_same_verbs(tmp_path):
    import asyncio

    a, b = asyncio.run(_async_use(tmp_path / "n.db"))
    assert a == b


def test_a_closed_handle_says_so(mem):
    mem.close()
    mem.close()
    with pytest.raises(reverie.ReverieError, match="closed"):
        mem.remember("x y")


@pytest.mark.parametrize("bad", [{"url": ""}, {"url": "/no/such/folder/x.db"}, {"url": "postgresql://h/db"},
                                 {"url": "x.db", "namespace": ""}, {"url": "x.db", "namespace": "a\nb"},
                                 {"url": "x.db", "channel": "telepathy"}, {"url": "x.db", "embedder": "magic"}])  # fmt: skip
def test_bad_openings_are_refused_with_a_reason(bad, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(reverie.ReverieError) as caught:
        reverie.open(**bad)
    assert len(str(caught.value)) > 15
