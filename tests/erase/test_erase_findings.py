"""What a reading with fresh eyes found in erasing, each as a test that failed before it was mended. On both stores."""

from __future__ import annotations

import json

import pytest

import reverie
from reverie.errors import InvalidInput
from reverie.model import Channel, Origin


@pytest.fixture
def ana(mem):
    return mem.speaking(Origin("ana", Channel.PERSON))


@pytest.fixture
def ben(mem):
    return mem.speaking(Origin("ben", Channel.PERSON))


def gone(mem, **target):
    return mem.erase(**target, confirm=mem.erase(**target).token)


def test_what_was_archived_or_corrected_does_not_come_back(ana, ben):
    """A memory that was merged into one that goes takes over its state."""
    ana.set("restate_similarity", 1.0)
    first = ben.remember("Olga has a budget of 9000 euro.").id
    ana.remember("Note: Olga has a budget of 9000 euro.")
    assert len(ana.curate()) >= 1
    survivor = next(m for m in ana.memories(state=None) if m.state == "live")
    merged = next(m for m in ana.memories(state="merged"))
    ana.forget(survivor.id, "it is wrong")
    whose = "ben" if survivor.origin.principal == "ben" else "ana"
    gone(ana, principal=whose)
    assert ana.get(merged.id).state in ("archived", "erased") and first
    assert ana.recall("Olga's budget") == []


def test_an_answer_in_hand_is_kept_by_nobody(ana, clock):
    scope, now = ana._scope, clock.now()
    ana.remember("Ana lives in Oslo.")
    assert scope.transact(lambda tx: tx.begin_answer(b"t" * 16, b"r" * 16, now, forget_before=now))
    gone(ana, everything=True)
    scope.transact(lambda tx: tx.finish_answer(b"t" * 16, now, 200, json.dumps({"text": "Ana lives in Oslo."})))
    with scope.read() as r:
        assert r.answer(b"t" * 16) is None


def test_what_somebody_said_word_for_word_stays_theirs(ana, ben):
    """A derived row that another has stated goes with nobody."""
    source = ben.remember("Ben's door code is on the blue card.").id
    from test_erase import do

    from reverie.model import Kind
    from reverie.transitions import Derive

    made = ben._ids.new()
    do(ben, Derive(made, Kind.FACT, "The door code is on a card.", (source,)))
    assert ana.remember("The door code is on a card.").id == made
    preview = ana.erase(principal="ben")
    assert made not in preview.ids and made in {a.id for a in preview.also}
    gone(ana, principal="ben")
    assert ana.get(made).text == "The door code is on a card."


def test_a_reason_that_quotes_goes_too(ana):
    id_ = ana.remember("Quorvex Tamblin owes 900 euro.").id
    other = ana.remember("The gate is red.").id
    ana.forget(other, "Tamblin, who owes 900 euro, settled it")
    gone(ana, memory=id_)
    assert all("Tamblin" not in e.reason for e in ana.journal())
    assert ana.check_journal()


def test_a_principal_s_receipt_finds_all_of_theirs_again(mem, ana, ben, url, tmp_path, clock):
    """After a backup was restored: what they alone said goes, and what was merged into it from others stays."""
    ben.remember("Ben's garden has nine plum trees.")
    shared = ana.remember("The gate is red.").id
    ben.remember("The gate is red.", metadata={"by": "ben"})
    mem.export(tmp_path / "backup.jsonl", journal=True)
    receipt = gone(ana, principal="ben").to_dict()
    with reverie.open(url, "restored", embedder="hashing", clock=clock, channel="person", principal="ana") as back:
        back.import_export(tmp_path / "backup.jsonl")
        preview = back.reapply([receipt])
        assert preview.target.sort == "principal"
        back.reapply([receipt], confirm=preview.token)
        told = json.dumps(list(back.export(journal=True)))
        assert "plum" not in told and '"ben"' not in told
        assert back.get(shared).text == "The gate is red."
        with pytest.raises(InvalidInput, match="by itself"):
            back.import_stream and back.remember("Ben is back.", principal="ben") and back.reapply([receipt, receipt])


def test_an_export_that_denies_its_journal_has_none(mem, ana, url, tmp_path):
    ana.remember("The gate is red.")
    ana.curate()
    mem.export(tmp_path / "a.jsonl", journal=True)
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    head = json.loads(lines[0]) | {"journal": False}
    (tmp_path / "b.jsonl").write_text("\n".join([json.dumps(head), *lines[1:]]))
    with reverie.open(url, "other", embedder="none") as other:
        with pytest.raises(InvalidInput, match="header says"):
            other.import_export(tmp_path / "b.jsonl")
        assert other.check_journal() and other.doctor()["problems"] == []
