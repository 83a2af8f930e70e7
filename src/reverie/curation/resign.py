"""Making the stored signatures anew after the guard has changed. They are made of the texts; no memory changes."""

from __future__ import annotations

from datetime import datetime

from reverie.model import State
from reverie.store.port import ScopeStore
from reverie.store.verbs import Tx
from reverie.text.signatures import GRAMMAR, signatures

PAGE = 500


def resign_if_needed(store: ScopeStore, now: datetime) -> int:
    """Sign every row again where the scope's signatures are of another guard. Returns how many; 0 as a rule.

    In pages, so that writers wait for none of it long; an interruption starts it over.
    """
    with store.read() as r:
        if r.grammar() in (None, GRAMMAR):
            return 0
    after, n = 0, 0
    while True:
        with store.read() as r:
            page = r.page(states=list(State), after=after, limit=PAGE)
        if not page:
            break
        after = page[-1][0]
        made = [(m.id, signatures(m.text)) for _, m in page if m.state is not State.ERASED]

        def work(tx: Tx, made: list[tuple[str, list[bytes]]] = made) -> None:
            for id_, found in made:
                tx.resign(id_, found)
            tx.waits(now)

        store.transact(work)
        n += len(made)
    store.transact(lambda tx: tx.set_grammar(GRAMMAR))
    return n
