"""The façade that every door uses: one open namespace with all the verbs."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from reverie.clock import Clock, Ids, SystemClock, Ulids, as_utc
from reverie.curation.acts import act, supersede
from reverie.curation.executor import Executor, Run
from reverie.curation.journal import Chain, check_chain
from reverie.curation.plan import Plan
from reverie.curation.runner import Runner
from reverie.curation.undo import Undoer, Undone
from reverie.embed import default_embedder
from reverie.embed.port import Embedder
from reverie.embedding import Embedding
from reverie.errors import Closed, Conflict, InvalidInput, NotFound, UnknownSetting
from reverie.model import Channel, Entry, Kind, Link, Memory, Origin, RunRecord, Scope, Sighting, State
from reverie.recall.hits import HitBuffer
from reverie.recall.recall import Hit, Recaller
from reverie.recall.words import Words
from reverie.settings import BY_NAME, Settings, load
from reverie.store.port import Parked, ScopeStore, Store, Tx
from reverie.transitions import Archive, Move, Pin, Promote, Release, Restore, Verify
from reverie.vectors.index import NamespaceIndex
from reverie.writing import Item, NotRemembered, Outcome, Remembered, Writer


@dataclasses.dataclass(frozen=True, slots=True)
class History:
    """Everything known of one memory: the row, what went into it, its evidence, edges and every move."""

    memory: Memory
    versions: tuple[Memory, ...]
    sightings: tuple[Sighting, ...]
    links: tuple[Link, ...]
    entries: tuple[Entry, ...]


class Reverie:
    """One namespace of a store. Obtain it from `reverie.open`; close it, or use it as a context manager.

    All methods may be called from several threads at once.
    """

    def __init__(
        self, store: Store, scope: Scope, *, settings: Settings, clock: Clock, ids: Ids, embedder: Embedder | None,
        origin: Origin, owns_store: bool = True,
    ) -> None:  # fmt: skip
        self._store = store
        self._owns = owns_store
        self._base = settings
        self._clock = clock
        self._ids = ids
        self._origin = origin
        self._closed = False
        self._lock = threading.Lock()
        self._scope: ScopeStore = store.scope(scope)
        self._embedding = Embedding(embedder, clock)
        self._index_made: NamespaceIndex | None = None
        self._words: Words | None = None
        self._hits = HitBuffer(self._scope, clock)
        with self._scope.read() as r:
            self.settings = _overlaid(settings, r.settings())

    # the parts, made when first needed
    @property
    def scope(self) -> Scope:
        """The tenant and namespace that this handle holds."""
        return self._scope.scope

    @property
    def _index(self) -> NamespaceIndex:
        with self._lock:
            if self._index_made is None:
                dim = self._embedding.dim
                self._index_made = NamespaceIndex(self._scope, self._embedding.model_id if dim else None, dim)
            elif not self._index_made.dim and self._embedding.dim:  # a service that was down has come up
                self._index_made = NamespaceIndex(self._scope, self._embedding.model_id, self._embedding.dim)
            return self._index_made

    def _writer(self) -> Writer:
        self._check_open()
        return Writer(self._scope, self._index, self._embedding, self.settings, self._clock, self._ids, self._origin)

    def _executor(self) -> Executor:
        self._check_open()
        return Executor(self._scope, self.settings, self._clock, self._ids, self._embedding, self._origin)

    def _check_open(self) -> None:
        if self._closed:
            raise Closed("this memory was closed; open it again")

    # writing
    def remember(
        self, text: str, kind: Kind | str | None = None, *, key: str | None = None, external_id: str | None = None,
        session: str | None = None, principal: str | None = None, channel: Channel | str | None = None,
        client: str | None = None, importance: float | None = None, metadata: Mapping[str, Any] | None = None,
        occurred_at: datetime | None = None, written_at: datetime | None = None, valid_from: datetime | None = None,
        valid_to: datetime | None = None, durable: bool = True, gist: str | None = None,
    ) -> Remembered:  # fmt: skip
        """Keep one statement; a restatement of a live one is recognised and only sighted [S2].

        Args:
            text: 1 to ``text_max_bytes`` bytes of UTF-8 (default 32 KiB). Stored exactly as given.
            kind: episode, fact, preference, procedure, concept or problem (default: the setting ``default_kind``).
            key: a stable name; a new value under it supersedes the old one [S4].
            external_id: the id that the source gives it; writing it twice writes once.
            session, principal, channel, client: the origin, where it differs from that of `open`. The channel decides
                the trust: person is trusted, all others start provisional.
            importance: 0 to 1 (default 0.5).
            metadata: plain JSON, to ``metadata_max_bytes``.
            occurred_at: when it happened. written_at: when it was first written down, for imports (default now).
            valid_from, valid_to: the time in which it holds.
            durable: kept for good (default), or an experience that may be retired once consolidated.
            gist: a shorter wording to show where room is short.

        Returns:
            ``got.id`` is the memory that now states it, ``got.restated`` whether it was there already.

        Raises:
            InvalidInput: the text or a field cannot be taken; nothing was written. SecretFound: it holds a credential.
            PolicyRefusal: the key's value has higher trust than the caller. StoreError: the store failed.
        """
        return self._writer().remember(
            Item(
                text, kind, key, external_id, session, principal, channel, client, importance, metadata or {},
                occurred_at, written_at, valid_from, valid_to, durable, gist,
            )
        )  # fmt: skip

    def remember_many(
        self, items: Iterable[str | Mapping[str, Any] | Item], *, progress: Callable[[int], None] | None = None
    ) -> list[Outcome]:
        """Keep many statements; one outcome for each, in order. A bad item has ``error`` set and fails no other.

        Items are texts, mappings of `remember`'s arguments, or `Item`. ``progress`` is called with the number done so
        far. For more than memory holds, use `import_stream`.
        """
        got = []
        for outcome in self.import_stream(items):
            got.append(outcome)
            if progress and len(got) % 256 == 0:
                progress(len(got))
        if progress:
            progress(len(got))
        return got

    def import_stream(self, items: Iterable[str | Mapping[str, Any] | Item]) -> Iterator[Outcome]:
        """As `remember_many`, but one outcome at a time and in constant memory."""
        return self._writer().stream(_item(i) for i in items)

    def revise(self, id: str, text: str, **fields: Any) -> Remembered:  # noqa: A002
        """A corrected wording: a new row that supersedes the old one, which stays readable (law 2).

        Takes the keyword arguments of `remember`. Kind, key, importance, metadata and validity carry over.

        Raises:
            NotFound: no such memory. PolicyRefusal: it is pinned or verified, not live, or trusted while the caller is
                not a person. Conflict: another live memory has that text. InvalidInput: the text cannot be taken.
        """
        writer = self._writer()
        old = self.get(id)
        carried: dict[str, Any] = {
            "kind": old.kind, "importance": old.importance, "metadata": dict(old.metadata),
            "occurred_at": old.occurred_at, "valid_from": old.valid_from, "valid_to": old.valid_to,
            "durable": old.durable,
        }  # fmt: skip
        item = _item({"text": text, **carried, **fields})
        if isinstance(item, InvalidInput):
            raise item
        prepared = writer.prepare(item)
        if prepared.memory.text == old.text:
            raise InvalidInput("the revised text is the same as the old one")
        (vector,) = self._embedding.documents([prepared.memory.text])
        model = self._embedding.model_id

        def work(tx: Tx) -> None:
            now = tx.rows([id]).get(id)
            if now is None or now.revision != old.revision:
                raise Conflict(f"memory {id} has changed since it was read; read it again")
            same = tx.find_live(prepared.memory.norm_hash, prepared.memory.kind)
            if same is not None and same.id != id:
                raise Conflict(f"memory {same.id} states this text already; forget {id}, or merge by curating")
            epoch = tx.tick(self._clock.now())
            row = dataclasses.replace(prepared.memory, epoch=epoch, key=prepared.memory.key or now.key)
            supersede(
                tx, id, row.id, actor=row.origin, clock=self._clock, ids=self._ids, create=(row, prepared.sighting)
            )
            if vector is not None and model:
                tx.put_vectors(model, len(vector), [(prepared.memory.text_hash, vector.tobytes())])

        self._scope.transact(work)
        return Remembered(prepared.memory.id, masked=prepared.masked, superseded=id)

    # reading
    def recall(
        self, query: str, limit: int | None = None, *, kinds: Iterable[Kind | str] | None = None,
        budget_tokens: int | None = None, as_of: datetime | None = None, trusted_only: bool = False,
        states: Iterable[State | str] | None = None, log: bool = True,
    ) -> list[Hit]:  # fmt: skip
        """The memories that answer a query, best first.

        Args:
            query: any text; its first 8,192 characters are looked at.
            limit: 1 to 1,000 (default: the setting ``recall_limit``, 10).
            kinds: only these kinds.
            budget_tokens: stop at about this many tokens, with gists where whole texts do not fit.
            as_of: answer as the memory stood then. trusted_only: only trusted rows.
            states: look among these states instead of the live rows.
            log: count the hits; they are written within a second, and the last second of them may be lost in a crash.

        Returns:
            Hits with ``memory``, ``score`` and ``parts`` (vector, text, similarity, confidence, recency, utility,
            importance). Without an embedder, or while it is down, text search answers alone.

        Raises:
            InvalidInput: an empty query or an argument out of bounds.
        """
        self._check_open()
        index = self._index
        if self._words is None or self._words.index is not index:
            self._words = Words(index)
        recaller = Recaller(
            self._scope, index, self._embedding, self.settings, self._clock, self._hits, self._words
        )
        return recaller.recall(
            query, limit, kinds=kinds, budget_tokens=budget_tokens, as_of=as_of, trusted_only=trusted_only,
            states=states, log=log,
        )  # fmt: skip

    def get(self, id: str) -> Memory:  # noqa: A002
        """One memory, whatever its state. Raises NotFound."""
        self._check_open()
        with self._scope.read() as r:
            found = r.rows([id]).get(id)
        if found is None:
            raise NotFound(f"there is no memory {id!r} in this namespace")
        return found

    def memories(
        self, *, state: State | str | None = "live", kind: Kind | str | None = None, limit: int | None = None
    ) -> list[Memory]:
        """Memories in one state (None: all), in the order in which they were written."""
        return list(self.each(state=state, kind=kind, limit=limit))

    def each(
        self, *, state: State | str | None = "live", kind: Kind | str | None = None, limit: int | None = None
    ) -> Iterator[Memory]:
        """As `memories`, one at a time in constant memory."""
        self._check_open()
        try:
            states = [State(state)] if state is not None else list(State)
            wanted = Kind(kind) if kind is not None else None
        except ValueError as error:
            raise InvalidInput(str(error)) from None
        after, given = 0, 0
        while True:
            with self._scope.read() as r:
                page = r.page(states=states, after=after, limit=500)
            for seq, memory in page:
                after = seq
                if wanted is None or memory.kind is wanted:
                    yield memory
                    given += 1
                    if limit is not None and given >= limit:
                        return
            if not page:
                return

    def history(self, id: str) -> History:  # noqa: A002
        """Every version, move and source of a memory: what it superseded or took in, who stated it, what was done."""
        memory = self.get(id)
        with self._scope.read() as r:
            versions = r.rows(r.merged_ids(id))
            return History(
                memory,
                tuple(sorted(versions.values(), key=lambda m: (m.written_at, m.id))),
                tuple(r.sightings([id], merged=True)),
                tuple(r.links(id)),
                tuple(r.entries(memory=id)),
            )

    # a person's verbs
    def pin(self, id: str, on: bool = True) -> Memory:  # noqa: A002
        """Protect a memory from every step, or (``on=False``) stop protecting it."""
        return self._act("pin" if on else "unpin", Pin(id, on), "asked by the caller")

    def verify(self, id: str, on: bool = True) -> Memory:  # noqa: A002
        """Confirm a memory: it never goes stale and nothing retires it. A person's word also makes it trusted."""
        return self._act("verify" if on else "unverify", Verify(id, on), "asked by the caller")

    def forget(self, id: str, reason: str = "asked by the caller") -> Memory:  # noqa: A002
        """Archive a memory: out of recall, whole, and restorable. Raises PolicyRefusal for a pinned or verified one."""
        return self._act("forget", Archive(id), reason)

    def restore(self, id: str, reason: str = "asked by the caller") -> Memory:  # noqa: A002
        """Bring a memory back to live from archived, merged, superseded or quarantined.

        Raises Conflict where another live memory has its text or key.
        """
        state = self.get(id).state
        move: Move = Release(id) if state is State.QUARANTINED else Restore(id)
        return self._act("restore", move, reason)

    def _act(self, verb: str, move: Move, reason: str) -> Memory:
        self._check_open()
        id_ = move.subjects()[0]
        moves = [move]
        if verb == "verify" and self._origin.channel is Channel.PERSON and self.get(id_).trust != "trusted":
            moves.append(Promote(id_))

        def work(tx: Tx) -> Memory:
            act(tx, verb, moves, reason, actor=self._origin, clock=self._clock, ids=self._ids)
            return tx.rows([id_])[id_]

        return self._scope.transact(work)

    # curation
    def plan(self, cycle: str = "tidy") -> Plan:
        """What curation would do now, with a reason for each move and what it leaves alone. Writes nothing."""
        self._check_open()
        self._hits.flush()
        return Runner(self._scope, self._index, self._embedding, self.settings, self._clock).plan(cycle)

    def apply(self, plan: Plan | str, *, approved: bool = False) -> Run:
        """Do exactly what a plan says; rows that changed since are skipped and told.

        ``plan`` may be the id of a parked plan, which this approves. ``approved`` lifts the blast caps: a person has
        read the plan.
        """
        if isinstance(plan, str):
            return self._approve(plan)
        return self._executor().apply(plan, approved=approved)

    def curate(self, cycle: str = "tidy") -> Run:
        """Plan and apply."""
        return self.apply(self.plan(cycle))

    def parked(self) -> list[Parked]:
        """Plans that a blast cap held back, waiting for `apply` or `reject`."""
        with self._scope.read() as r:
            return r.parked()

    def reject(self, id: str) -> None:  # noqa: A002
        """Turn a parked plan down. Raises NotFound."""
        if not self._scope.transact(lambda tx: tx.settle_parked(id, "rejected")):
            raise NotFound(f"no plan {id!r} is waiting")

    def _approve(self, id_: str) -> Run:
        waiting = {p.id: p for p in self.parked()}
        if id_ not in waiting:
            raise NotFound(f"no plan {id_!r} is waiting")
        run = self._executor().apply(Plan.from_dict(waiting[id_].plan), approved=True)
        self._scope.transact(lambda tx: tx.settle_parked(id_, "approved"))
        return run

    def undo(self, target: str | int | datetime) -> Undone:
        """Take back a run (its id), one entry (its number), or everything since a time, newest first.

        Whatever newer edits have touched is left and listed in ``conflicts``. Undoing an undo does the thing again.
        """
        self._check_open()
        runs: Sequence[str] = ()
        with self._scope.read() as r:
            if isinstance(target, str):
                if not r.runs(ids=[target]):
                    raise NotFound(f"there is no run {target!r} in this namespace")
                entries, runs = r.entries(run=target, limit=-1), [target]
            elif isinstance(target, datetime):
                entries = [e for e in r.entries(since=as_utc(target), limit=-1) if e.undoes is None]
                runs = list(dict.fromkeys(e.run for e in entries))
            else:
                one = r.entry(target)
                if one is None:
                    raise NotFound(f"there is no journal entry {target}")
                entries = [one]
        return Undoer(self._scope, self._clock, self._ids, self._origin).undo(entries, runs=runs)

    # the journal and the state of things
    def journal(self, *, run: str | None = None, memory: str | None = None, limit: int = 100) -> list[Entry]:
        """Journal entries: of a run or a memory in order, or else the newest first."""
        self._check_open()
        with self._scope.read() as r:
            return r.entries(run=run, memory=memory, limit=limit, newest_first=run is None and memory is None)

    def runs(self, limit: int = 50) -> list[RunRecord]:
        """Runs and acts, newest first."""
        with self._scope.read() as r:
            return r.runs(limit=limit)

    def activity(self, limit: int = 10) -> list[dict[str, Any]]:
        """Activity records of curation, newest first, every count in each [S1]."""
        with self._scope.read() as r:
            return r.activity(limit)

    def check_journal(self) -> Chain:
        """Walk the hash chain; falsy, with the first bad entry, when somebody edited the journal."""
        with self._scope.read() as r:
            return check_chain(r)

    def stats(self) -> dict[str, Any]:
        """Counts by state, what waits, and what is wrong, as plain data."""
        self._check_open()
        with self._scope.read() as r:
            counts = r.count()
            model = self._embedding.model_id
            waiting = r.without_vector(model, 1)[1] if model else 0
            last = next((x for x in r.runs(limit=20) if x.cycle == "tidy"), None)
            parked = len(r.parked())
        trouble = self._embedding.trouble
        return {
            "tenant": self.scope.tenant,
            "namespace": self.scope.namespace,
            "memories": counts,
            "embedder": model,
            "without_vector": waiting,
            "parked_plans": parked,
            "last_curated": last.finished_at if last else None,
            "last_status": last.status if last else None,
            "last_errors": dict(last.errors) if last else {},
            "embedder_trouble": f"{trouble.at:%Y-%m-%d %H:%M:%S}: {trouble.reason}" if trouble else None,
            "hits_not_written": self._hits.failed,
        }

    def doctor(self) -> dict[str, Any]:
        """What is wrong right now: see `reverie.health.examine`. Reads the whole store once for its integrity check."""
        from reverie.health import examine

        self._check_open()
        return examine(
            self._store, self._scope, self._embedding, self.settings, self._clock.now(), self._hits.failed
        )

    def set(self, name: str, value: object) -> None:
        """Override a setting in this namespace, kept in the store; None takes the override away."""
        if name not in BY_NAME:
            Settings({name: value})  # raises with a hint
        text = None if value is None else str(BY_NAME[name].parse(value))
        self._scope.transact(lambda tx: tx.set_setting(name, text))
        with self._scope.read() as r:
            self.settings = _overlaid(self._base, r.settings())

    # moving
    def export(self, path: str | Path | None = None, *, journal: bool = False) -> Iterator[dict[str, Any]] | int:
        """Every memory, sighting and link as plain records, losslessly; with ``journal``, the journal too.

        With a path, writes JSONL there (whole or not at all) and returns the number of records.
        """
        from reverie.transfer.exporting import records, write

        self._check_open()
        self._hits.flush()
        return (
            records(self._scope, journal=journal) if path is None else write(self._scope, Path(path), journal=journal)
        )

    def import_export(self, path: str | Path) -> int:
        """Read a lossless export into this namespace, which must not hold those ids. Returns the number of records."""
        from reverie.transfer.restoring import restore

        self._check_open()
        return restore(self._scope, Path(path))

    # the end
    def flush(self) -> None:
        """Write buffered recall hits now."""
        self._hits.flush()

    def close(self) -> None:
        """Flush and close. Closing twice is fine."""
        if self._closed:
            return
        try:
            self._hits.flush()
        finally:
            self._closed = True
            if self._owns:
                self._store.close()

    def __enter__(self) -> Reverie:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Reverie {self.scope.tenant}/{self.scope.namespace}{' closed' if self._closed else ''}>"


def _item(given: str | Mapping[str, Any] | Item) -> Item | InvalidInput:
    """An item, or the reason why it is none: a batch goes on either way."""
    if isinstance(given, Item):
        return given
    if isinstance(given, str):
        return Item(given)
    try:
        return Item(**given)
    except TypeError as error:
        return InvalidInput(f"an item must be a text or a mapping of remember's arguments: {error}")


def _overlaid(base: Settings, stored: Mapping[str, str]) -> Settings:
    try:
        return base.over(stored)
    except UnknownSetting:
        # An override of a version that knew more settings must not lock its owner out.
        return base.over({k: v for k, v in stored.items() if k in BY_NAME})


def open_memory(
    url: str | Path, namespace: str = "default", *, tenant: str = "default", clock: Clock | None = None,
    embedder: Embedder | str | None = None, settings: Mapping[str, object] | Settings | None = None,
    ids: Ids | None = None, principal: str = "local", channel: Channel | str = Channel.AGENT,
    client: str | None = None, session: str | None = None,
) -> Reverie:  # fmt: skip
    """Open a namespace of a store; what `reverie.open` is.

    Args:
        url: a path to a file, made where it is missing. Its folder must exist.
        namespace, tenant: the scope; 1 to 256 characters each.
        clock: `SystemClock` by default. ids: ULIDs by default.
        embedder: an embedder, or a spec ("onnx", "hashing", "none", "http:MODEL@URL"); by default the setting
            ``embedder``. Loaded at its first use.
        settings: overrides over ``reverie.toml`` and the environment.
        principal, channel, client, session: the origin of what is written through this handle.

    Raises:
        InvalidInput: a bad name, channel or spec. UnknownSetting: a bad setting. StoreError: the file cannot be opened.
    """
    where = str(url)
    if "://" in where:
        raise InvalidInput(f"{where.split('://')[0]} stores are not in this version; give a path to a file")
    if not where.strip() or "\0" in where:
        raise InvalidInput("give the path of a file, such as notes.db")
    for name, value in (("namespace", namespace), ("tenant", tenant), ("principal", principal)):
        if not isinstance(value, str) or not value.strip() or len(value) > 256 or any(ord(c) < 32 for c in value):
            raise InvalidInput(f"{name} must be a text of 1 to 256 characters without control characters")
    try:
        origin = Origin(principal, Channel(channel), client, session)
    except ValueError:
        raise InvalidInput(f"channel {channel!r} is not one of {', '.join(Channel)}") from None
    chosen = settings if isinstance(settings, Settings) else load(settings)
    spec = embedder if embedder is not None else str(chosen.embedder)
    made = default_embedder(spec, threads=int(chosen.embedder_threads)) if isinstance(spec, str) else spec
    from reverie.store.sqlite.store import SqliteStore

    store = SqliteStore(where, busy_seconds=float(chosen.busy_seconds), synchronous=str(chosen.synchronous))
    clock = clock or SystemClock()
    try:
        return Reverie(
            store, Scope(tenant, namespace), settings=chosen, clock=clock, ids=ids or Ulids(clock), embedder=made,
            origin=origin,
        )  # fmt: skip
    except BaseException:
        store.close()
        raise


__all__ = ["Hit", "History", "NotRemembered", "Outcome", "Remembered", "Reverie", "open_memory"]
