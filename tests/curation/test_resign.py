"""A guard that has changed finds what the old signatures hid."""

from __future__ import annotations

from reverie.text.signatures import GRAMMAR


def test_signatures_of_an_older_guard_are_made_anew_before_planning(mem):
    mem.remember("Ana Abbott lives in Lisbon.")
    mem.remember("Ana Abbott's home is in Lisbon.")
    mem._scope.transact(lambda tx: tx.set_grammar(0))
    for m in mem.memories():
        mem._scope.transact(lambda tx, m=m: tx.resign(m.id, [m.id.encode()[-16:]]))
    mem._scope.transact(lambda tx: tx.set_grammar(GRAMMAR))
    assert not mem.plan()  # of the right number, and yet useless
    mem._scope.transact(lambda tx: tx.set_grammar(0))
    assert mem.curate().counts["MergeInto"] == 1
    assert not mem.curate().entries
