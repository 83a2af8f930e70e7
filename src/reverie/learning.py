"""The verbs of learning: what a caller's acts tell the models that are retrained from them [S1]. Part of the façade.

A recall hit tells them nothing, or they would be flooded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from reverie.checks import flag, known_id, moment, one_of, required_name, share, whole
from reverie.curation.acts import act
from reverie.errors import InvalidInput, NotFound
from reverie.handle import Handle
from reverie.model import Channel, Kind, Memory, TrainingSignal
from reverie.store.verbs import Tx
from reverie.text.signatures import signatures
from reverie.transitions import Move, SetKind, Signal, Weigh

VERDICTS = ("confirmation", "rejection", "correction")
SIGNALS_MAX = 2**31


class Learning(Handle):
    """A handle that learns from its callers. The rest of the façade is `reverie.memory.Reverie`."""

    # learning
    def reclassify(
        self, id: str, kind: Kind | str, train: bool = True, *, revision: int | None = None  # noqa: A002
    ) -> Memory:  # fmt: skip
        """Give a live memory another kind; its text, and all that is known of it, stay. One of that kind already is left alone.

        ``train``: tell the models (signal ``reclassify``, source "kind"). A pinned or verified memory takes a person.

        Raises:
            NotFound: no such memory. Conflict: another live memory of that kind has its text. PolicyRefusal: it is not live, or
            protected while the caller is not a person. InvalidInput: no such kind. Stale: it is not at the ``revision`` given.
        """
        wanted, tell = one_of(Kind, required_name(kind, "kind"), "kind"), flag(train, "train")

        def moves(row: Memory) -> list[Move]:
            if wanted is None or wanted is row.kind:
                return []
            told = Signal(row.id, "reclassify", "kind", row.kind, wanted)
            return [SetKind(row.id, wanted), *([told] if tell else [])]

        person = self._origin.channel is Channel.PERSON
        return self._acted(
            "reclassify", id, moves, "its kind was corrected", person=person, look_again=True, revision=revision
        )

    def weigh(
        self, id: str, importance: float | None = None, utility: float | None = None, train: bool = True,  # noqa: A002
        *, revision: int | None = None,
    ) -> Memory:  # fmt: skip
        """Set how important or useful a live memory is, each 0 to 1; None leaves one as it is.

        ``train``: tell the models (signal ``accept``, source "weight", strength medium). Raises NotFound, InvalidInput where
        neither is given or one is out of bounds, PolicyRefusal where it is not live, Stale where it is not at ``revision``.
        """
        if importance is None and utility is None:
            raise InvalidInput("say what to set: importance, utility or both")
        given = {"importance": importance, "utility": utility}
        bounded = {k: share(v, k, 0.0) for k, v in given.items() if v is not None}
        tell = flag(train, "train")

        def moves(row: Memory) -> list[Move]:
            told = Signal(row.id, "accept", "weight", strength="medium")
            return [Weigh(row.id, **bounded), *([told] if tell else [])]

        return self._acted("weigh", id, moves, "asked by the caller", revision=revision)

    def feedback(self, id: str, verdict: str, kind: Kind | str | None = None) -> TrainingSignal:  # noqa: A002
        """Say of a memory that it is right (``confirmation``), wrong (``rejection``), or of another kind (``correction``).

        Tells the models (source "feedback") and changes no memory. ``kind``: the right one, for a correction only.

        Returns:
            The signal that waits: this one, or an earlier one that says the same.

        Raises:
            NotFound: no such memory. InvalidInput: no such verdict; a correction without a kind, or to the kind that it has.
        """
        if verdict not in VERDICTS:
            raise InvalidInput(f"feedback is one of {', '.join(VERDICTS)}, not {str(verdict)[:40]!r}")
        right = one_of(Kind, kind, "kind")
        if (right is not None) is not (verdict == "correction"):
            raise InvalidInput("a correction needs the right kind, and nothing else takes one")

        def moves(row: Memory) -> list[Move]:
            if right is row.kind:
                raise InvalidInput(f"memory {row.id} is a {row.kind} already: that is a confirmation")
            return [Signal(row.id, verdict, "feedback", row.kind, right)]

        row = self._acted("feedback", id, moves, "said by the caller")
        with self._scope.read() as r:
            given = [s for s in r.signals_of(row.id) if (s.type, s.source) == (verdict, "feedback")]
        return given[-1]

    def signals(self, limit: int = 100, *, since: datetime | None = None, pending: bool = True) -> list[TrainingSignal]:
        """Training signals, newest first; no text is in one. ``pending`` False: those that were withdrawn too."""
        self._check_open()
        whole(limit, "limit", 0, SIGNALS_MAX)
        with self._scope.read() as r:
            return r.signals(since=moment(since, "since"), pending=flag(pending, "pending"), limit=limit)

    def _acted(
        self, verb: str, id_: str, moves: Callable[[Memory], Sequence[Move]], reason: str, *, person: bool = True,
        look_again: bool = False, revision: int | None = None,
    ) -> Memory:  # fmt: skip
        """Make the moves that follow from a row as it stands, in one transaction and one run; the row afterwards.

        ``look_again``: the curator has not yet compared it as it is now.
        """
        self._check_open()
        id_ = known_id(id_)

        def work(tx: Tx) -> Memory:
            row = tx.rows([id_]).get(id_)
            if row is None:
                raise NotFound(f"there is no memory {id_!r} in this namespace")
            self._fits(row, revision)
            made = list(moves(row))
            if not made:
                return row
            act(tx, verb, made, reason, actor=self._origin, clock=self._clock, ids=self._ids, person=person)
            if look_again:
                tx.resign(id_, signatures(row.text))
                tx.waits(self._clock.now())
            return tx.rows([id_])[id_]

        return self._scope.transact(work)
