"""The write path (design section 7): validate, screen, look once, embed once, insert or restate. No model is asked."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypeAlias

from reverie.clock import Clock, Ids, as_utc
from reverie.embedding import Embedding, Vector
from reverie.errors import InvalidInput, Refused, ReverieError, SecretFound, StoreError
from reverie.model import Channel, Kind, Memory, Origin, Sighting, State
from reverie.settings import Settings
from reverie.store import crashpoints
from reverie.store.port import ScopeStore, Tx
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures
from reverie.vectors.index import NamespaceIndex

BATCH = 256
NEIGHBOURS = 8  # nearest rows at or over the restatement threshold that the guard is asked about
ID_MAX = 256


@dataclass(frozen=True, slots=True)
class Item:
    """One statement to remember. Only ``text`` is needed; see `Reverie.remember` for the rest."""

    text: str
    kind: Kind | str | None = None
    key: str | None = None
    external_id: str | None = None
    session: str | None = None
    principal: str | None = None
    channel: Channel | str | None = None
    client: str | None = None
    importance: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None
    written_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    durable: bool = True
    gist: str | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one item.

    ``id`` is the memory that now states it. ``restated``: it was there already, and only a sighting was added; ``how``
    says "same text" or "guard". ``known``: its external id had been taken before, and nothing was written.
    ``masked``: kinds of secrets that were replaced. ``superseded``: the row that a stable key retired.
    """

    id: str
    restated: bool = False
    known: bool = False
    how: str | None = None
    masked: tuple[str, ...] = ()
    superseded: str | None = None
    error: None = None


@dataclass(frozen=True, slots=True)
class NotRemembered:
    """An item of a batch that was refused; the others went on."""

    error: ReverieError
    id: None = None
    restated: bool = False


Outcome: TypeAlias = Remembered | NotRemembered


@dataclass(slots=True)
class _Prepared:
    memory: Memory
    sighting: Sighting
    kind_given: bool
    masked: tuple[str, ...]
    signatures: list[bytes] = field(default_factory=list)
    exact: str | None = None
    near: list[str] = field(default_factory=list)
    vector: Vector | None = None


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
        self._origin = origin

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
        ready: list[tuple[int, _Prepared]] = []
        for i, item in enumerate(items):
            try:
                if isinstance(item, ReverieError):
                    raise item
                ready.append((i, self.prepare(item)))
            except InvalidInput as error:
                outcomes[i] = NotRemembered(error)
            except ReverieError as error:
                if isinstance(error, StoreError):
                    raise
                outcomes[i] = NotRemembered(error)
        self._look_up([p for _, p in ready])
        if ready:
            written = self._store.transact(lambda tx: self._write(tx, [p for _, p in ready]))
            for (i, _), outcome in zip(ready, written, strict=True):
                outcomes[i] = outcome
        return [o for o in outcomes if o is not None]

    # at the door
    def prepare(self, item: Item) -> _Prepared:
        """Check one item and make the row that it would become.

        Raises:
            InvalidInput: empty or over-long text, NUL, a lone surrogate, an unknown kind or channel, numbers out of
                bounds, metadata that is not JSON or too large, a validity that ends before it begins.
            SecretFound: the text or its metadata holds a credential and the setting says to refuse.
        """
        text = checked_text(item.text, int(self._settings.text_max_bytes))
        metadata = self._metadata(item.metadata)
        text, masked = self._screen(text)
        if metadata and self._settings.secrets != "keep" and self._secret_in(metadata):
            raise SecretFound("the metadata holds what looks like a credential; take it out and try again")
        now = self._clock.now()
        kind = _one_of(Kind, item.kind, "kind") or Kind(str(self._settings.default_kind))
        origin = Origin(
            principal=_name(item.principal, "principal") or self._origin.principal,
            channel=_one_of(Channel, item.channel, "channel") or self._origin.channel,
            client=_name(item.client, "client") or self._origin.client,
            session=_name(item.session, "session") or self._origin.session,
        )
        if origin.channel is Channel.CURATOR:
            raise InvalidInput("the channel 'curator' is not for callers: curator output is never evidence")
        written = as_utc(item.written_at) if item.written_at else now
        valid_from, valid_to = _time(item.valid_from), _time(item.valid_to)
        if valid_from and valid_to and valid_to < valid_from:
            raise InvalidInput("valid_to lies before valid_from")
        memory = Memory(
            id=self._ids.new(),
            kind=kind,
            text=text,
            text_hash=text_hash(text),
            norm_hash=norm_hash(text),
            origin=origin,
            trust=origin.trust,
            written_at=written,
            stated_at=written,
            occurred_at=_time(item.occurred_at),
            valid_from=valid_from,
            valid_to=valid_to,
            gist=None if item.gist is None else checked_text(item.gist, 8_192),
            metadata=metadata,
            key=_name(item.key, "key"),
            importance=_share(item.importance, "importance", 0.5),
            durable=item.durable,
            strength_at=written,
            half_life_days=float(self._settings.strength_days),
        )
        sighting = Sighting(
            memory.id, origin, written, memory.occurred_at, None, _name(item.external_id, "external_id")
        )
        return _Prepared(memory, sighting, item.kind is not None, masked)

    @staticmethod
    def _secret_in(metadata: Mapping[str, Any]) -> bool:
        from reverie.text.secrets import find_secrets

        return bool(find_secrets(json.dumps(metadata, ensure_ascii=False)))

    def _screen(self, text: str) -> tuple[str, tuple[str, ...]]:
        from reverie.text.secrets import find_secrets, mask

        mode = self._settings.secrets
        if mode == "keep":
            return text, ()
        if mode == "mask":
            clean, found = mask(text)
            return clean, tuple(f.kind for f in found)
        found = find_secrets(text)
        if found:
            kinds = ", ".join(sorted({f.kind for f in found}))
            raise SecretFound(
                f'the text holds what looks like a credential ({kinds}); take it out, or set secrets = "mask"'
            )
        return text, ()

    def _metadata(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            raise InvalidInput(f"metadata must be a mapping, not {type(given).__name__}")
        if not given:
            return {}
        try:
            raw = json.dumps(dict(given), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError, UnicodeEncodeError) as error:
            raise InvalidInput(f"metadata is not plain JSON: {error}") from error
        limit = int(self._settings.metadata_max_bytes)
        if len(raw) > limit:
            raise InvalidInput(f"metadata has {len(raw)} bytes, more than {limit}")
        loaded: dict[str, Any] = json.loads(raw)
        return loaded

    # looking, outside the transaction
    def _look_up(self, prepared: list[_Prepared]) -> None:
        """Exact look-ups, then one embedding call for what is new, then the nearest rows of each."""
        if not prepared:
            return
        new: list[_Prepared] = []
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
        if not new:
            return
        for p in new:
            p.signatures = signatures(p.memory.text)  # here, not in the transaction that others wait for
        texts = list({p.memory.text_hash: p.memory.text for p in new}.items())
        vectors = dict(zip((h for h, _ in texts), self._embedding.documents([t for _, t in texts]), strict=True))
        crashpoints.hit("write.after_embed")
        if not any(v is not None for v in vectors.values()):
            return
        self._index.refresh()
        threshold = float(self._settings.restate_similarity)
        for p in new:
            p.vector = vectors[p.memory.text_hash]
            if p.vector is not None and p.memory.key is None:
                near = self._index.nearest(p.vector, NEIGHBOURS, at_least=threshold)
                p.near = [self._index.ids[self._index.position[seq]] for seq, _ in near]

    # writing, inside the transaction
    def _write(self, tx: Tx, prepared: list[_Prepared]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        epoch = tx.tick(self._clock.now(), len(prepared))
        fresh: list[_Prepared] = []
        for p in prepared:
            try:
                with tx.atomic():
                    outcomes.append(self._write_one(tx, p, epoch, fresh))
            except Refused as error:
                fresh[:] = [f for f in fresh if f is not p]
                outcomes.append(NotRemembered(error))
        vectors = [(p.memory.text_hash, p.vector.tobytes()) for p in fresh if p.vector is not None]
        if vectors and self._embedding.model_id:
            tx.put_vectors(self._embedding.model_id, len(vectors[0][1]) // 4, vectors)
        return outcomes

    def _write_one(self, tx: Tx, p: _Prepared, epoch: int, fresh: list[_Prepared]) -> Remembered:
        external = p.sighting.external_id
        if external is not None:
            known = tx.find_external([external])
            if external in known:
                return Remembered(known[external], restated=True, known=True, how="external id", masked=p.masked)
        same = tx.find_live(p.memory.norm_hash, p.memory.kind if p.kind_given else None)
        if p.memory.key is not None:
            return self._keyed(tx, p, epoch, fresh, same)
        if same is not None:
            return self._restate(tx, p, same, "same text")
        near = self._near(tx, p, fresh)
        if near is not None:
            return self._restate(tx, p, near, "guard")
        return self._insert(tx, p, epoch, fresh)

    def _near(self, tx: Tx, p: _Prepared, fresh: list[_Prepared]) -> Memory | None:
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
            ruling = guard.compare(guard.analyse(row.text), mine)
            if ruling.outcome is guard.Outcome.SAME and ruling.keeps != "b":
                return row
        return None

    def _restate(self, tx: Tx, p: _Prepared, row: Memory, how: str) -> Remembered:
        """A sighting with the new wording wherever it differs, an access, and the time."""
        wording = p.memory.text if p.memory.text != row.text else None
        tx.sight(dataclasses.replace(p.sighting, memory=row.id, wording=wording))
        tx.restated(row.id, at=p.sighting.at)
        return Remembered(row.id, restated=True, how=how, masked=p.masked)

    def _insert(self, tx: Tx, p: _Prepared, epoch: int, fresh: list[_Prepared]) -> Remembered:
        tx.insert(dataclasses.replace(p.memory, epoch=epoch), p.signatures or signatures(p.memory.text))
        tx.sight(p.sighting)
        fresh.append(p)
        return Remembered(p.memory.id, masked=p.masked)

    def _keyed(self, tx: Tx, p: _Prepared, epoch: int, fresh: list[_Prepared], same: Memory | None) -> Remembered:
        """A stable key: the new value supersedes the one that held the key [S4]."""
        from reverie.curation.acts import rekey, supersede

        holder = tx.find_key(str(p.memory.key))
        if holder is not None and holder.norm_hash == p.memory.norm_hash:
            return self._restate(tx, p, holder, "same text")
        if same is not None:  # the text is there already, without this key
            got = self._restate(tx, p, same, "same text")
        else:
            unkeyed = dataclasses.replace(p, memory=dataclasses.replace(p.memory, key=None))
            got = self._insert(tx, unkeyed, epoch, fresh)
        if holder is not None:
            supersede(tx, holder.id, got.id, actor=p.memory.origin, clock=self._clock, ids=self._ids)
        rekey(tx, got.id, str(p.memory.key), actor=p.memory.origin, clock=self._clock, ids=self._ids)
        return dataclasses.replace(got, superseded=holder.id if holder else None)


def checked_text(text: object, most: int) -> str:
    """The text if it may be stored; InvalidInput says what is wrong with it."""
    if not isinstance(text, str):
        raise InvalidInput(f"a text must be a string, not {type(text).__name__}")
    if (
        not text.strip()
        or not any(c.isprintable() and not c.isspace() for c in text[:4096])
        and not any(c.isprintable() and not c.isspace() for c in text)
    ):
        raise InvalidInput("the text is empty")
    if len(text) > most:
        raise InvalidInput(f"the text has {len(text)} characters, more than the {most} bytes allowed; split it")
    if "\0" in text:
        raise InvalidInput("the text holds a NUL character; take it out")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(
            "the text holds half of a surrogate pair, which no UTF-8 can store; decode it right"
        ) from None
    if size > most:
        raise InvalidInput(f"the text has {size} bytes, more than the {most} allowed; split it")
    return text


def _one_of(enum: Any, given: object, what: str) -> Any:
    if given is None:
        return None
    try:
        return enum(given)
    except ValueError:
        raise InvalidInput(f"{what} {given!r} is not one of {', '.join(e.value for e in enum)}") from None


def _name(given: object, what: str) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str) or not given.strip() or len(given) > ID_MAX:
        raise InvalidInput(f"{what} must be a text of 1 to {ID_MAX} characters")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{what} holds half of a surrogate pair") from None
    if any(ord(c) < 32 for c in given):
        raise InvalidInput(f"{what} holds a control character")
    return given


def _share(given: object, what: str, default: float) -> float:
    if given is None:
        return default
    if (
        isinstance(given, bool)
        or not isinstance(given, (int, float))
        or not math.isfinite(given)
        or not 0 <= given <= 1
    ):
        raise InvalidInput(f"{what} must be a number from 0 to 1, not {given!r}")
    return float(given)


def _time(given: datetime | None) -> datetime | None:
    if given is None:
        return None
    if not isinstance(given, datetime):
        raise InvalidInput(f"times are datetimes, not {type(given).__name__}")
    return as_utc(given)
