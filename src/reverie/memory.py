"""The façade that every door uses: one open namespace with all the verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.checks import REASON_MAX, every, flag, known_id, one_of, path_of, position, required_name, whole
from reverie.curating import LIMIT_MAX, Curating
from reverie.curation.acts import act
from reverie.erasing import Erasing
from reverie.errors import InvalidInput, NotFound, PolicyRefusal, UnknownSetting
from reverie.handle import overlaid
from reverie.history import History, Page, history_of
from reverie.intake import Item, NotRemembered, Outcome, Remembered, as_item
from reverie.learning import Learning
from reverie.model import Channel, Kind, Memory, State, Trust
from reverie.recall.recall import Hit
from reverie.reporting import Reporting
from reverie.settings import BY_NAME, Settings
from reverie.store.verbs import Tx
from reverie.transitions import Archive, Move, Pin, Promote, Release, Restore, Signal, Verify

if TYPE_CHECKING:
    from reverie.embed.calibration import Calibration
    from reverie.recall.context import Context

CONTEXT_MOST = 100  # memories that one context is packed from


class Reverie(Curating, Erasing, Learning, Reporting):
    """One namespace of a store. Obtain it from `reverie.open`; close it, or use it as a context manager.

    All methods may be called from several threads at once.
    """

    # writing
    def remember(
        self, text: str, kind: Kind | str | None = None, *, key: str | None = None, external_id: str | None = None,
        session: str | None = None, principal: str | None = None, channel: Channel | str | None = None,
        client: str | None = None, importance: float | None = None, metadata: Mapping[str, Any] | None = None,
        occurred_at: datetime | None = None, written_at: datetime | None = None, valid_from: datetime | None = None,
        valid_to: datetime | None = None, durable: bool = True, gist: str | None = None,
        train: bool = False,
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
            train: an example of what is worth keeping, for the models that learn from it (signal ``accept``) [S1].

        Returns:
            ``got.id`` is the memory that now states it, ``got.restated`` whether it was there already.

        Raises:
            InvalidInput: the text or a field cannot be taken; nothing was written. SecretFound: it holds a credential.
            PolicyRefusal: the key's value has higher trust than the caller. StoreError: the store failed.
        """
        return self._writer().remember(
            Item(
                text, kind, key, external_id, session, principal, channel, client, importance, {} if metadata is None else metadata,
                occurred_at, written_at, valid_from, valid_to, durable, gist, train,
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
        if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
            raise InvalidInput(f"give a list of texts or mappings, not one {type(items).__name__}")
        return self._writer().stream(as_item(i) for i in items)

    def revise(self, id: str, text: str, *, revision: int | None = None, **fields: Any) -> Remembered:  # noqa: A002
        """A corrected wording: a new row that supersedes the old one, which stays readable (law 2).

        ``revision``: the one that was read. Takes the keyword arguments of `remember`. Kind, key, importance, metadata and
        validity carry over.

        Raises:
            NotFound: no such memory. PolicyRefusal: it is pinned or verified, not live, or trusted while the caller is
                not a person. Conflict: another live memory has that text. Stale: it is not at the ``revision`` given.
            InvalidInput: the text cannot be taken.
        """
        old = self.get(id)
        self._fits(old, revision)
        carried: dict[str, Any] = {
            "kind": old.kind, "importance": old.importance, "metadata": dict(old.metadata),
            "occurred_at": old.occurred_at, "valid_from": old.valid_from, "valid_to": old.valid_to,
            "durable": old.durable,
        }  # fmt: skip
        item = as_item({"text": text, **carried, **fields})
        if isinstance(item, InvalidInput):
            raise item
        return self._writer().revise(old, item)

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
        return self._recaller().recall(
            query, limit, kinds=kinds, budget_tokens=budget_tokens, as_of=as_of, trusted_only=trusted_only,
            states=states, log=log,
        )  # fmt: skip

    def know(self, query: str, limit: int | None = None, **how: Any) -> list[Hit]:
        """As `recall`, over knowledge only: what holds, and not what merely happened (episodes) [S4]. No ``kinds``."""
        return self.recall(query, limit, kinds=[k for k in Kind if k is not Kind.EPISODE], **how)

    def context(
        self, query: str, budget_tokens: int = 1_000, *, trusted_only: bool = False, know: bool = False,
    ) -> Context:  # fmt: skip
        """What fits into a prompt: the hits of a query packed to a budget, fenced as data, with trust and time of each.

        ``know``: knowledge only. Raises InvalidInput as `recall`.
        """
        from reverie.recall.context import packed

        kinds = [k for k in Kind if k is not Kind.EPISODE] if flag(know, "know") else None
        whole(budget_tokens, "budget_tokens", 1, LIMIT_MAX)
        found = self.recall(query, CONTEXT_MOST, kinds=kinds, trusted_only=trusted_only)
        return packed(found, budget_tokens)

    def get(self, id: str) -> Memory:  # noqa: A002
        """One memory, whatever its state. Raises NotFound."""
        self._check_open()
        with self._scope.read() as r:
            found = r.rows([known_id(id)]).get(id)
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
        states = every(State, state, "state")
        wanted = one_of(Kind, kind, "kind")
        if limit is not None:
            whole(limit, "limit", 1, LIMIT_MAX)
        return self._each(states, wanted, limit)

    def _each(self, states: list[State], wanted: Kind | None, limit: int | None) -> Iterator[Memory]:
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

    def browse(
        self, *, state: State | str | None = "live", kind: Kind | str | None = None, trust: Trust | str | None = None,
        cursor: str | None = None, limit: int = 50,
    ) -> Page:  # fmt: skip
        """Memories in pages, the last written first; None stands for all.

        ``cursor``: of the page before, for the next one. ``limit``: 1 to 1,000. Raises InvalidInput.
        """
        self._check_open()
        states, kinds, trusts = every(State, state, "state"), every(Kind, kind, "kind"), every(Trust, trust, "trust")
        whole(limit, "limit", 1, 1_000)
        before = position(cursor)
        with self._scope.read() as r:
            found = r.browse(states=states, kinds=kinds, trusts=trusts, before=before, limit=limit + 1)
        return Page(tuple(m for _, m in found[:limit]), str(found[limit - 1][0]) if len(found) > limit else None)

    def history(self, id: str) -> History:  # noqa: A002
        """Every version, move and source of a memory: what it superseded or took in, who stated it, what was done."""
        self.get(id)
        with self._scope.read() as r:
            return history_of(r, id)

    # a person's verbs
    # ``revision``, here and in revise, reclassify and weigh: the one that the caller has read; the row must still be at it.
    def pin(self, id: str, on: bool = True, *, revision: int | None = None) -> Memory:  # noqa: A002
        """Protect a memory from every step, or (``on=False``) stop protecting it. A pin is also a strong signal [S1].

        Raises NotFound, and Stale where the row is not at the ``revision`` given.
        """
        told = [Signal(id, "accept", "pin", strength="high")] if flag(on, "on") else []
        return self._act("pin" if on else "unpin", Pin(id, on), "asked by the caller", told, revision=revision)

    def verify(self, id: str, on: bool = True, *, revision: int | None = None) -> Memory:  # noqa: A002
        """Confirm a memory: it never goes stale and nothing retires it. A person's word also makes it trusted.

        Raises NotFound, and Stale where the row is not at the ``revision`` given.
        """
        verb = "verify" if flag(on, "on") else "unverify"
        return self._act(verb, Verify(id, on), "asked by the caller", revision=revision)

    def forget(
        self, id: str, reason: str = "asked by the caller", train: bool = False, *, revision: int | None = None  # noqa: A002
    ) -> Memory:  # fmt: skip
        """Archive a memory: out of recall, whole, and restorable. Raises PolicyRefusal for a pinned or verified one.

        ``train``: an example of what is not worth keeping, for the models that learn from it (signal ``reject``) [S1].
        ``revision``: the one that was read; Stale is raised where the row has moved on.
        """
        told = [Signal(id, "reject", "delete")] if flag(train, "train") else []
        return self._act("forget", Archive(id), reason, told, revision=revision)

    def restore(self, id: str, reason: str = "asked by the caller", *, revision: int | None = None) -> Memory:  # noqa: A002
        """Bring a memory back to live from archived, merged, superseded or quarantined.

        Raises Conflict where another live memory has its text or key, Stale where the row is not at the ``revision`` given.
        """
        state = self.get(id).state
        if state is State.QUARANTINED and self._origin.channel is not Channel.PERSON:
            raise PolicyRefusal(f"memory {id} is quarantined: only a person lets it out again")
        move: Move = Release(id) if state is State.QUARANTINED else Restore(id)
        return self._act("restore", move, reason, revision=revision)

    def _act(
        self, verb: str, move: Move, reason: str, told: Sequence[Move] = (), *, revision: int | None = None
    ) -> Memory:
        self._check_open()
        id_ = known_id(move.subjects()[0])
        reason = required_name(reason, "the reason", most=REASON_MAX)
        moves = [move, *told]
        if verb == "verify" and self._origin.channel is Channel.PERSON and self.get(id_).trust != "trusted":
            moves.append(Promote(id_))

        def work(tx: Tx) -> Memory:
            self._fits(tx.rows([id_]).get(id_), revision)
            act(tx, verb, moves, reason, actor=self._origin, clock=self._clock, ids=self._ids)
            return tx.rows([id_])[id_]

        return self._scope.transact(work)

    # the state of things
    def stats(self) -> dict[str, Any]:
        """Counts by state, what waits, and what is wrong, as plain data."""
        from reverie.health import figures

        self._check_open()
        return figures(self._scope, self._embedding, self._hits.failed)

    def calibrate(self, pairs: Sequence[tuple[str, str]] | None = None) -> Calibration:
        """Measure what a cosine of the embedder in use means, and keep the record in the store.

        ``pairs``: own restatement pairs, at least 20; by default a built-in set in several languages. `doctor` warns of
        thresholds that do nothing. Raises InvalidInput without an embedder, EmbedderUnavailable while it is down.
        """
        from reverie.embed.calibration import calibrate

        self._check_open()
        embedder = self._embedding.embedder
        if embedder is None:
            raise InvalidInput("there is no embedder to calibrate: open the store with onnx, hashing or http:MODEL@URL")
        made = calibrate(embedder, pairs, made_at=self._clock.now().isoformat(timespec="seconds"))
        self._store.keep_calibration(made.model_id, made.to_dict())
        return made

    def doctor(self, *, deep: bool = True) -> dict[str, Any]:
        """What is wrong right now: see `reverie.health.examine`.

        ``deep``: read the whole store and journal too, for their integrity; without it this is cheap.
        """
        from reverie.health import examine

        self._check_open()
        return examine(
            self._store, self._scope, self._embedding, self.settings, self._clock.now(), self._hits.failed, self._judge,
            deep=flag(deep, "deep"),
        )  # fmt: skip

    def set(self, name: str, value: object) -> None:
        """Override a setting in this namespace, kept in the store; None takes the override away."""
        required_name(name, "the setting's name")
        if name not in BY_NAME:
            Settings({name: value})  # raises with a hint
        if BY_NAME[name].of_process:
            raise UnknownSetting(f"{name} is read when the store is opened; set it in reverie.toml or the environment")
        text = None if value is None else str(BY_NAME[name].parse(value))
        self._scope.transact(lambda tx: tx.set_setting(name, text))
        with self._scope.read() as r:
            self.settings = overlaid(self._base, r.settings())

    # moving
    def export(self, path: str | Path | None = None, *, journal: bool = False) -> Iterator[dict[str, Any]] | int:
        """Every memory, sighting and link as plain records, losslessly; with ``journal``, the journal too.

        With a path, writes JSONL there (whole or not at all) and returns the number of records.
        """
        from reverie.transfer.exporting import records, write

        self._check_open()
        self._hits.flush()
        return (
            records(self._scope, journal=journal)
            if path is None
            else write(self._scope, path_of(path), journal=journal)
        )

    def import_export(self, path: str | Path) -> int:
        """Read a lossless export into this namespace, which must be empty. Returns the number of records.

        What was erased here after the export was made is erased again.
        """
        from reverie.transfer.restoring import restore

        self._check_open()
        n = restore(self._scope, path_of(path))
        self._erase_again()
        return n


__all__ = ["History", "Hit", "NotRemembered", "Outcome", "Remembered", "Reverie"]
