"""The write path (design section 7): look once, embed once, insert or restate. No model is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from reverie.clock import Clock, Ids
from reverie.embedding import Embedding
from reverie.errors import BadVector, Conflict, InvalidInput, PolicyRefusal, Refused, ReverieError, StoreError
from reverie.intake import Intake, Item, NotRemembered, Outcome, Prepared, Remembered
from reverie.model import Confidence, Memory, Origin, State
from reverie.policy import lower
from reverie.settings import Settings
from reverie.store import crashpoints
from reverie.store.port import ScopeStore
from reverie.store.verbs import Tx
from reverie.text.signatures import signatures
from reverie.transitions import Move, Pin, Verify
from reverie.vectors.index import NamespaceIndex

BATCH = 256
NEIGHBOURS = 8  # nearest rows at or over the restatement threshold that the guard is asked about


class _NothingWritten(Exception):
    """Takes a transaction back in which every item was refused, so that not even a counter moves."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        super().__init__("every item was refused")
        self.outcomes = outcomes


class Writer:
    """Writes statements into one scope."""

    def __init__(
        self, store: ScopeStore, index: NamespaceIndex, embedding: Embedding, settings: Settings, clock: Clock,
        ids: Ids, origin: Origin,
    ) -> None:  # fmt: skip
        self._store = store
        self._index = index
        self._embedding = embedding
        self._settings = settings
        self._clock = clock
        self._ids = ids
        self._intake = Intake(settings, clock, ids, origin)

    def remember(self, item: Item) -> Remembered:
        """One statement. Raises InvalidInput (nothing written) or StoreError."""
        (got,) = self.batch([item])
        if isinstance(got, NotRemembered):
            raise got.error
        return got

    def stream(self, items: Iterable[Item | ReverieError]) -> Iterator[Outcome]:
        """Any number of statements in batches, in constant memory. One bad item never fails its batch."""
        source = iter(items)
        while chunk := list(islice(source, BATCH)):
            yield from self.batch(chunk)
            crashpoints.hit("import.after_batch")

    def batch(self, items: Sequence[Item | ReverieError]) -> list[Outcome]:
        """A few hundred statements in one embedding call and one transaction."""
        with self._store.coming():
            return self._batch(items)

    def _batch(self, items: Sequence[Item | ReverieError]) -> list[Outcome]:
        outcomes: list[Outcome | None] = [None] * len(items)
        ready: list[tuple[int, Prepared]] = []
        for i, item in enumerate(items):
            try:
                if isinstance(item, ReverieError):
                    raise item
                ready.append((i, self._intake.prepare(item)))
            except InvalidInput as error:
                outcomes[i] = NotRemembered(error)
            except ReverieError as error:
                if isinstance(error, StoreError):
                    raise
                outcomes[i] = NotRemembered(error)
        self._look_up([p for _, p in ready])
        if ready:
            try:
                written = self._store.transact(lambda tx: self._write(tx, [p for _, p in ready]))
            except _NothingWritten as refused:
                written = refused.outcomes
            for (i, _), outcome in zip(ready, written, strict=True):
                outcomes[i] = outcome
        return [o for o in outcomes if o is not None]

    # looking, outside the transaction
    def _look_up(self, prepared: list[Prepared]) -> None:
        """Exact look-ups, then one embedding call for what is new, then the nearest rows of each."""
        if not prepared:
            return
        new: list[Prepared] = []
        with self._store.read() as r:
            external = [p.sighting.external_id for p in prepared if p.sighting.external_id]
            known = r.find_external(external) if external else {}
            for p in prepared:
                if p.sighting.external_id in known:
                    p.exact = known[p.sighting.external_id]
                    continue
                same = r.find_live(p.memory.norm_hash, p.memory.kind if p.kind_given else None)
                if same is not None:
                    p.exact = same.id
                else:
                    new.append(p)
            if new:
                self._index.refresh(r)
        if not new:
            return
        for p in new:
            p.signatures = signatures(p.memory.text)  # here, not in the transaction that others wait for
        texts = list({p.memory.text_hash: p.memory.text for p in new}.items())
        vectors = dict(zip((h for h, _ in texts), self._embedding.documents([t for _, t in texts]), strict=True))
        crashpoints.hit("write.after_embed")
        if not any(v is not None for v in vectors.values()):
            return
        threshold = float(self._settings.restate_similarity)
        asking = []
        for p in new:
            p.vector = vectors[p.memory.text_hash]
            if p.vector is not None and p.memory.key is None:
                asking.append((p, p.vector))
        found = self._index.near_each([v for _, v in asking], NEIGHBOURS, threshold)
        for (p, _), near in zip(asking, found, strict=True):
            p.near = near

    # writing, inside the transaction
    def _write(self, tx: Tx, prepared: list[Prepared]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        epoch = tx.tick(self._clock.now(), len(prepared))
        fresh: list[Prepared] = []
        for p in prepared:
            try:
                with tx.atomic():
                    outcomes.append(self._write_one(tx, p, epoch, fresh))
            except Refused as error:
                fresh[:] = [f for f in fresh if f is not p]
                outcomes.append(NotRemembered(error))
        vectors = [(p.memory.text_hash, p.vector.tobytes()) for p in fresh if p.vector is not None]
        if outcomes and all(isinstance(o, NotRemembered) for o in outcomes):
            raise _NothingWritten(outcomes)
        if fresh:
            tx.waits(self._clock.now())
        self._signal(tx, zip(prepared, outcomes, strict=True))
        if vectors and self._embedding.model_id:
            try:
                with tx.atomic():
                    tx.put_vectors(self._embedding.model_id, len(vectors[0][1]) // 4, vectors)
            except BadVector as error:  # the model behind the id has changed: the row is kept, and health is told
                self._embedding.failed(error)
        return outcomes

    def _write_one(self, tx: Tx, p: Prepared, epoch: int, fresh: list[Prepared]) -> Remembered:
        external = p.sighting.external_id
        if external is not None:
            known = tx.find_external([external])
            if external in known:
                self._not_anothers(tx, p, known[external])
                return Remembered(known[external], restated=True, known=True, how="external id", masked=p.masked)
        same = tx.find_live(p.memory.norm_hash, p.memory.kind if p.kind_given else None)
        if p.memory.key is not None:
            return self._keyed(tx, p, epoch, fresh, same)
        if same is not None and lower(same.trust, p.memory.trust):
            return self._believe(tx, p, same, epoch, fresh)
        if same is not None:
            return self._restate(tx, p, same, "same text")
        near = self._near(tx, p, fresh)
        if near is not None:
            return self._restate(tx, p, near, "guard")
        return self._insert(tx, p, epoch, fresh)

    def _signal(self, tx: Tx, written: Iterable[tuple[Prepared, Outcome]]) -> None:
        """Signal what was given as an example to learn from: the memory that now states it [S1]."""
        told = [(p.memory.origin.principal, o.id) for p, o in written if p.train and o.id is not None and not _known(o)]
        if told:
            from reverie.curation.signals import note

            note(tx, told, clock=self._clock, ids=self._ids)

    def _near(self, tx: Tx, p: Prepared, fresh: list[Prepared]) -> Memory | None:
        """A live row, or one of this very batch, at or over the threshold whose text the guard clears."""
        threshold = float(self._settings.restate_similarity)
        candidates = list(p.near)
        if p.vector is not None:
            candidates += [
                f.memory.id for f in fresh if f.vector is not None and float(f.vector @ p.vector) >= threshold
            ]
        if not candidates:
            return None
        from reverie.text import guard

        mine = guard.analyse(p.memory.text)
        rows = tx.rows(candidates)
        for id_ in candidates:
            row = rows.get(id_)
            if row is None or row.state is not State.LIVE or (p.kind_given and row.kind is not p.memory.kind):
                continue
            if (row.valid_from, row.valid_to) != (p.memory.valid_from, p.memory.valid_to):
                continue
            if lower(row.trust, p.memory.trust):
                continue  # more trusted words are kept as they are: curation merges the other into them
            ruling = guard.compare(guard.analyse(row.text), mine)
            if ruling.outcome is guard.Outcome.SAME and ruling.keeps != "b":
                return row
        return None

    def _restate(self, tx: Tx, p: Prepared, row: Memory, how: str) -> Remembered:
        """A sighting with the new wording wherever it differs, an access, and the time."""
        wording = p.memory.text if p.memory.text != row.text else None
        tx.sight(dataclasses.replace(p.sighting, memory=row.id, wording=wording))
        tx.restated(row.id, at=min(p.sighting.at, self._clock.now()))  # nobody states a thing tomorrow
        if how == "guard":
            from reverie.curation.restatements import note

            note(tx, row, p.memory, p.sighting, clock=self._clock, ids=self._ids)
        return Remembered(row.id, restated=True, how=how, masked=p.masked)

    def _believe(
        self, tx: Tx, p: Prepared, old: Memory, epoch: int, fresh: list[Prepared], *, keep_key: bool = True
    ) -> Remembered:
        """Somebody more trusted says what stands there already: their own row takes its place, with nothing of the other's
        beside the text: gist, metadata and validity are not theirs."""
        from reverie.curation.acts import act, supersede

        row = dataclasses.replace(p.memory, epoch=epoch, key=p.memory.key or (old.key if keep_key else None))
        given: dict[str, Any] = {"actor": row.origin, "clock": self._clock, "ids": self._ids}
        if old.protected:  # by whom is less trusted: their pin does not stand in the way
            off: Move = Pin(old.id, on=False) if old.pinned else Verify(old.id, on=False)
            both = old.pinned and old.confidence is Confidence.VERIFIED
            moves = [off, Verify(old.id, on=False)] if both else [off]
            act(tx, "believe", moves, "somebody more trusted says the same", **given)
        supersede(tx, old.id, row.id, create=(row, p.sighting), **given)
        fresh.append(p)
        return Remembered(row.id, masked=p.masked, superseded=old.id)

    def _not_anothers(self, tx: Tx, p: Prepared, id_: str) -> None:
        """An external id under which somebody less trusted wrote other words does not swallow these. Raises Conflict."""
        row = tx.rows([id_]).get(id_)
        if row is not None and row.norm_hash != p.memory.norm_hash and lower(row.trust, p.memory.trust):
            raise Conflict(
                f"the external id {p.sighting.external_id!r} stands for another text, written by {row.origin.principal}; "
                "give this one another id, or forget that memory"
            )

    def _insert(self, tx: Tx, p: Prepared, epoch: int, fresh: list[Prepared]) -> Remembered:
        tx.insert(dataclasses.replace(p.memory, epoch=epoch), p.signatures or signatures(p.memory.text))
        tx.sight(p.sighting)
        fresh.append(p)
        return Remembered(p.memory.id, masked=p.masked)

    def _keyed(self, tx: Tx, p: Prepared, epoch: int, fresh: list[Prepared], same: Memory | None) -> Remembered:
        """A stable key: the new value supersedes the one that held the key [S4]."""
        from reverie.curation.acts import rekey, supersede

        holder = tx.find_key(str(p.memory.key))
        if same is not None and lower(p.memory.trust, same.trust) and same.key != p.memory.key:
            raise PolicyRefusal("a trusted memory has this text: who is less trusted cannot give it a key")
        unkeyed = dataclasses.replace(p, memory=dataclasses.replace(p.memory, key=None))
        if same is not None and lower(same.trust, p.memory.trust):
            got = self._believe(tx, unkeyed, same, epoch, fresh, keep_key=False)
            holder = None if holder is not None and holder.id == same.id else holder
        elif holder is not None and holder.norm_hash == p.memory.norm_hash:
            return self._restate(tx, p, holder, "same text")
        elif same is not None:  # the text is there already, without this key
            got = self._restate(tx, p, same, "same text")
        else:
            got = self._insert(tx, unkeyed, epoch, fresh)
        if holder is not None:
            supersede(tx, holder.id, got.id, actor=p.memory.origin, clock=self._clock, ids=self._ids)
        rekey(tx, got.id, str(p.memory.key), actor=p.memory.origin, clock=self._clock, ids=self._ids)
        return dataclasses.replace(got, superseded=holder.id if holder else None)

    def revise(self, old: Memory, item: Item) -> Remembered:
        """Insert a corrected wording that supersedes the old row, in one transaction. See `Reverie.revise`."""
        from reverie.curation.acts import supersede

        prepared = self._intake.prepare(item)
        if prepared.memory.text == old.text:
            raise InvalidInput("the revised text is the same as the old one")
        (vector,) = self._embedding.documents([prepared.memory.text])
        model = self._embedding.model_id

        def work(tx: Tx) -> None:
            now = tx.rows([old.id]).get(old.id)
            if now is None or now.revision != old.revision:
                raise Conflict(f"memory {old.id} has changed since it was read; read it again")
            same = tx.find_live(prepared.memory.norm_hash, prepared.memory.kind)
            if same is not None and same.id != old.id:
                raise Conflict(f"memory {same.id} states this text already; forget {old.id}, or merge by curating")
            epoch = tx.tick(self._clock.now())
            row = dataclasses.replace(prepared.memory, epoch=epoch, key=prepared.memory.key or now.key)
            supersede(
                tx, old.id, row.id, actor=row.origin, clock=self._clock, ids=self._ids, create=(row, prepared.sighting)
            )
            self._signal(tx, [(prepared, got)])
            if vector is not None and model:
                tx.put_vectors(model, len(vector), [(row.text_hash, vector.tobytes())])

        got = Remembered(prepared.memory.id, masked=prepared.masked, superseded=old.id)
        self._store.transact(work)
        return got


def _known(outcome: Outcome) -> bool:
    return isinstance(outcome, Remembered) and outcome.known
