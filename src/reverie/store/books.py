"""What curation keeps beside the memories, in the statements that every store shares."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from reverie.clock import from_us, to_us
from reverie.model import Kind, Link, Memory, TrainingSignal
from reverie.store import rows
from reverie.store.bookkeeping import BookReads, BookTx
from reverie.store.records import CallRecord, Pair, Spent, Vertex, Waiting
from reverie.store.session import Row, Session

LONG_AGO = -(2**62)


class SqlBookReads(BookReads):
    """Answers from the session of the reads that it is a part of."""

    _s: Session

    def sharing_attributes(self, keys: Iterable[bytes]) -> list[tuple[bytes, int]]:
        asked = json.dumps([[k.hex()] for k in keys])
        return [(r[0], r[1]) for r in self._s.all("sharing_attributes", keys=asked)]

    def pairs(self, step: str, limit: int) -> list[Pair]:
        return [_pair(r) for r in self._s.all("pairs", status="waiting", step=step, limit=limit)]

    def pairs_for_review(self, limit: int) -> list[Pair]:
        return [_pair(r) for r in self._s.all("pairs_for_review", limit=limit)]

    def pair(self, low: str, high: str) -> Pair | None:
        row = self._s.one("pair", low=low, high=high)
        return _pair(row) if row else None

    def pair_counts(self) -> list[Waiting]:
        return [Waiting(r[0], r[1], r[2], from_us(r[3])) for r in self._s.all("pair_counts")]

    def verdicts(self, keys: Iterable[bytes]) -> dict[bytes, tuple[str, str]]:
        asked = json.dumps([[k.hex()] for k in keys])
        return {r[0]: (r[1], r[2]) for r in self._s.all("verdicts", keys=asked)}

    def spent(self, since: datetime) -> Spent:
        return _spent(self._s, since)

    def calls(self, limit: int = 100) -> list[CallRecord]:
        return [CallRecord(from_us(r[0]), *r[1:]) for r in self._s.all("calls", limit=limit)]

    def verbose(self, chars: int, recalls: int, limit: int) -> tuple[list[Memory], int]:
        found = self._s.all("verbose", chars=chars, recalls=recalls, limit=limit)
        n = len(found) if len(found) < limit else _number(self._s.one("verbose_count", chars=chars, recalls=recalls))
        return [rows.memory(r) for r in found], n

    def unsynced(self, limit: int) -> tuple[list[tuple[Memory, int]], int]:
        found = self._s.all("unsynced", limit=limit)
        n = len(found) if len(found) < limit else _number(self._s.one("unsynced_count"))
        return [(rows.memory(r), r[-1]) for r in found], n

    def vertices(self, ids: Iterable[str]) -> list[Vertex]:
        found = self._s.all("vertices", ids=self._s.listed(ids))
        return [Vertex(r[0], r[1], r[2], r[3], bool(r[4]), r[5], from_us(r[6])) for r in found]

    def links_of(self, ids: Iterable[str]) -> list[Link]:
        return [rows.link(r) for r in self._s.all("links_of_many", ids=self._s.listed(ids))]

    def signals(self, *, since: datetime | None = None, pending: bool = True, limit: int = 100) -> list[TrainingSignal]:
        moment = LONG_AGO if since is None else to_us(since)
        return [_signal(r) for r in self._s.all("signals", since=moment, pending=int(pending), limit=limit)]

    def signals_of(self, memory: str) -> list[TrainingSignal]:
        return [_signal(r) for r in self._s.all("signals_of", memory=memory)]


class SqlBookTx(BookTx):
    """Writes through the session of the transaction that it is a part of."""

    _s: Session

    def note_attributes(self, rows: Sequence[tuple[str, Sequence[bytes]]]) -> None:
        for id_, keys in rows:
            for key in dict.fromkeys(keys):
                self._s.do("note_attribute", attribute=key, id=id_)

    def note_pairs(self, pairs: Sequence[Pair]) -> None:
        given = [
            [p.low, p.high, p.similarity, p.step, p.reason, p.status, p.verdict, p.model, p.asked, to_us(p.at)]
            for p in pairs
        ]
        if given:
            self._s.do("note_pairs", pairs=json.dumps(given))

    def drop_pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        for low, high in pairs:
            self._s.do("drop_pair", low=low, high=high)

    def drop_pairs_of(self, ids: Sequence[str]) -> None:
        if ids:
            self._s.do("drop_pairs_of", ids=self._s.listed(ids))

    def keep_verdicts(self, given: Sequence[tuple[bytes, Sequence[bytes], str, str]], at: datetime) -> None:
        for key, hashes, answer, model in given:
            texts = " ".join(h.hex() for h in hashes)
            self._s.do("keep_verdict", question=key, texts=texts, answer=answer, model=model, at=to_us(at))

    def begin_call(
        self, at: datetime, *, run: str, model: str, purpose: str, questions: int, tokens: int, cost: int
    ) -> int:
        row = self._s.one(
            "begin_call", at=to_us(at), run=run, model=model, purpose=purpose, questions=questions, tokens=tokens,
            cost=cost,
        )  # fmt: skip
        return _number(row)

    def end_call(self, n: int, *, outcome: str, tokens_in: int, tokens_out: int, cost: int, seconds: float) -> None:
        given = {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost": cost, "seconds": seconds}
        self._s.do("end_call", n=n, outcome=outcome, **given)

    def spent(self, since: datetime) -> Spent:
        return _spent(self._s, since)

    def forget_calls(self, before: datetime) -> int:
        return self._s.run("old_calls", before=to_us(before))

    def restore_call(self, call: CallRecord) -> None:
        n = self.begin_call(
            call.at, run=call.run, model=call.model, purpose=call.purpose, questions=call.questions, tokens=0, cost=0
        )
        self.end_call(
            n, outcome=call.outcome, tokens_in=call.tokens_in, tokens_out=call.tokens_out, cost=call.cost,
            seconds=call.seconds,
        )  # fmt: skip

    def put_vertices(self, given: Sequence[tuple[Vertex, int]]) -> None:
        for v, mod in given:
            self._s.do(
                "put_vertex", memory=v.memory, kind=v.kind, label=v.label, heat=v.heat, pinned=int(v.pinned),
                state=v.state, mod=mod, at=to_us(v.at),
            )  # fmt: skip

    def add_signal(
        self, memory: str, type_: str, source: str, at: datetime, *, predicted: Kind | None = None,
        corrected: Kind | None = None, strength: str = "normal",
    ) -> bool:  # fmt: skip
        told = _told(predicted, corrected, strength)
        given = {"memory": memory, "type": type_, "source": source, "at": to_us(at)}
        return bool(self._s.run("insert_signal", **given, **told, pending=1))

    def settle_signal(
        self, memory: str, type_: str, source: str, *, pending: bool, predicted: Kind | None = None,
        corrected: Kind | None = None, strength: str = "normal",
    ) -> bool:  # fmt: skip
        told = _told(predicted, corrected, strength)
        given = {"memory": memory, "type": type_, "source": source, "pending": int(pending)}
        return bool(self._s.run("settle_signal", **given, **told))

    def signals_of(self, memory: str) -> list[TrainingSignal]:
        return [_signal(r) for r in self._s.all("signals_of", memory=memory)]


def _number(row: Row | None) -> int:
    return int(row[0]) if row and row[0] is not None else 0


def _spent(session: Session, since: datetime) -> Spent:
    row = session.one("spent", since=to_us(since))
    return Spent(*(int(n) for n in row)) if row else Spent()


def _pair(r: Row) -> Pair:
    return Pair(r[0], r[1], r[2], r[3], r[4], r[5], from_us(r[9]), r[6], r[7], r[8])


def _told(predicted: Kind | None, corrected: Kind | None, strength: str) -> dict[str, Any]:
    kinds = {"predicted": predicted, "corrected": corrected}
    return {k: v.value if v else None for k, v in kinds.items()} | {"strength": strength}


def _signal(r: Row) -> TrainingSignal:
    kinds = [Kind(k) if k else None for k in r[5:7]]
    return TrainingSignal(r[0], r[1], r[2], from_us(r[3]), bool(r[4]), kinds[0], kinds[1], r[7])
