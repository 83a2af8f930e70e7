"""Copying a store: there and back gives an equal export, undo and what waits go on working, and a bad copy is not called good."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import InvalidInput, StoreCorrupt
from reverie.opening import open_store
from reverie.settings import Settings
from reverie.transfer import copying

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
SCOPES = [("default", "notes"), ("default", "other"), ("acme", "notes")]


def opened(url, namespace="notes", tenant="default", at=START + timedelta(days=120)):
    return reverie.open(
        url,
        namespace,
        tenant=tenant,
        embedder="hashing:32",
        clock=FixedClock(at),
        ids=CountingIds(7000),
        channel="person",
    )


def fill(url) -> None:
    """Something in every table: merges, an undo, a parked plan, keys, sightings, a setting, recalls."""
    clock, ids = FixedClock(START), CountingIds()
    for tenant, namespace in SCOPES:
        with reverie.open(
            url, namespace, tenant=tenant, embedder="hashing:32", clock=clock, ids=ids, channel="person"
        ) as mem:
            for i in range(10):
                mem.remember(
                    f"The guest {i} sleeps in room {i} of {tenant}", external_id=f"e{i}", metadata={"n": [i, "ü"]}
                )
                mem.remember(f"Please note that the guest {i} sleeps in room {i} of {tenant}")
            mem.remember("東京 is where Zoë keeps the key 🎉", kind="preference", key="key", gist="key: 東京")
            mem.remember("Nagoya is where Zoë keeps the key", kind="preference", key="key")
            rows = [mem.remember(f"Shelf {i} holds {i * 3} boxes", importance=0.1).id for i in range(20)]
            run = mem.curate()
            mem.undo(run.entries[0].n)
            mem.pin(rows[0])
            mem.forget(rows[1])
            mem.set("demote_days", 100)
            mem.recall("which room has guest 3?")
            mem.flush()
            clock.advance(days=110)
            assert mem.curate().status == "parked"
            mem.remember("Something that still waits for the curator")


def everything(url) -> dict[tuple[str, str], list]:
    found = {}
    for tenant, namespace in SCOPES:
        with opened(url, namespace, tenant) as mem:
            found[tenant, namespace] = list(mem.export(journal=True))
    return found


def copy(source, target, **given) -> list[copying.Copied]:
    a, b = open_store(str(source), Settings()), open_store(str(target), Settings())
    try:
        return list(copying.copy(a, b, **given))
    finally:
        a.close()
        b.close()


@pytest.fixture
def full(tmp_path):
    """An embedded store with something in every table."""
    path = tmp_path / "full.db"
    fill(path)
    return path


def test_there_and_back_gives_an_equal_export(full, url, tmp_path):
    there = copy(full, url)
    back = copy(url, tmp_path / "back.db")
    assert [(c.scope, c.digest, c.counts) for c in there] == [(c.scope, c.digest, c.counts) for c in back]
    assert {
        "memory",
        "sighting",
        "link",
        "run",
        "entry",
        "stamp",
        "apart",
        "parked",
        "activity",
        "query",
        "setting",
        "vector",
    } <= (set(there[0].counts))
    assert everything(full) == everything(url) == everything(tmp_path / "back.db")


def test_undo_plans_and_recall_go_on_working(full, url):
    copy(full, url)
    with opened(url) as mem, opened(full) as old:
        assert mem.check_journal() and mem.settings.demote_days == 100
        assert [h.memory.id for h in mem.recall("guest 3", log=False)] == [
            h.memory.id for h in old.recall("guest 3", log=False)
        ]
        assert mem.stats()["without_vector"] == 0
        (parked,) = mem.parked()
        assert len(mem.apply(parked.id)) == len(old.apply(old.parked()[0].id)) > 0
        run = next(r for r in mem.runs() if r.cycle == "tidy" and r.counts.get("MergeInto"))
        got, was = mem.undo(run.id), old.undo(run.id)
        assert len(got) == len(was) > 0 and len(got.conflicts) == len(was.conflicts)
        assert [(m.text, m.state) for m in mem.memories(state=None)] == [
            (m.text, m.state) for m in old.memories(state=None)
        ]


def test_a_store_that_holds_something_is_not_copied_over(full, url):
    with opened(url, "other") as mem:
        mem.remember("I was here first")
    with pytest.raises(InvalidInput, match="default/other is not empty"):
        copy(full, url)
    with opened(url) as mem:
        assert mem.memories(state=None) == []  # nothing was written at all


def test_only_what_was_asked_for(full, url):
    assert [c.scope.namespace for c in copy(full, url, only=lambda s: s.tenant == "default")] == ["notes", "other"]


@pytest.mark.parametrize("kind", ["memory", "sighting", "link", "entry", "apart", "setting", "query", "vector"])
def test_a_copy_that_lacks_a_record_is_not_called_good(full, url, kind, monkeypatch):
    take = copying.take
    put = copying._vectors

    def drops(scope, records, where):
        kept = list(records)
        last = max((n for n, r in kept if r["type"] == kind), default=0)
        if kind == "memory":  # one on which nothing else rests
            last = next(n for n, r in kept if r["type"] == kind and r["text"].startswith("Something that still"))
            gone = next(r["id"] for n, r in kept if n == last)
            return take(scope, iter([(n, r) for n, r in kept if n != last and r.get("memory") != gone]), where)
        return take(scope, iter([(n, r) for n, r in kept if n != last]), where)

    monkeypatch.setattr(copying, "take", drops)
    if kind == "vector":
        monkeypatch.setattr(copying, "_vectors", lambda tx, model, dim, page: put(tx, model, dim, page[1:]))
    with pytest.raises(StoreCorrupt, match="does not equal its source"):
        copy(full, url)


def test_a_journal_that_was_edited_is_not_copied(full, url):
    with opened(full) as mem:
        mem._store._writer.execute("UPDATE entry SET reason = 'x' WHERE n = 2")
    with pytest.raises(StoreCorrupt, match="does not hash"):
        copy(full, url)


def test_the_command_copies_and_says_that_it_has_compared(full, url):
    command = [sys.executable, "-c", "from reverie.doors.cli import main; main()", "copy", str(full), url, "--json"]
    got = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(got.stdout)
    assert told["verified"] and [(s["tenant"], s["namespace"]) for s in told["scopes"]] == sorted(SCOPES)
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2 and "not empty" in again.stderr
