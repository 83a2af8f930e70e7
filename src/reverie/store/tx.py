"""The verbs of one write transaction on one scope, in the statements that every store shares."""

from __future__ import annotations

import dataclasses
import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from reverie.clock import to_us
from reverie.errors import BadVector, Conflict, LeaseLost, NotFound, StoreError
from reverie.model import Entry, Lease, Memory, Relation, RunRecord, Sighting
from reverie.store import erasing, rows
from reverie.store.books import SqlBookTx
from reverie.store.codec import GENESIS, chain_hash, dumps, hashed_fields
from reverie.store.jobs import SqlJobTx
from reverie.store.port import LEAP
from reverie.store.records import Parked
from reverie.store.session import Session
from reverie.store.verbs import MUTABLE, Tx
from reverie.transitions import Edge


class SqlTx(SqlBookTx, SqlJobTx, Tx):
    """Bound to one scope and one running transaction. An adapter adds rows and vectors in its own way."""

    def __init__(self, session: Session) -> None:
        self._s = session
        self._mod: int | None = None

    def mod(self) -> int:
        """This transaction's version number; taken once, when the first visible change is made."""
        if self._mod is None:
            self._mod = self._next_mod()
        return self._mod

    @abstractmethod
    def _next_mod(self) -> int:
        """Raise the version counter, and what it is then."""

    @contextmanager
    def atomic(self) -> Iterator[None]:
        self._savepoint("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._savepoint("ROLLBACK TO part")
            raise
        finally:
            self._savepoint("RELEASE part")

    @abstractmethod
    def _savepoint(self, words: str) -> None: ...

    # reading inside the transaction
    def rows(self, ids: Iterable[str]) -> dict[str, Memory]:
        found = {}
        for id_ in dict.fromkeys(ids):
            row = self._s.one("row", id=id_)
            if row is not None:
                found[id_] = rows.memory(row)
        return found

    def find_live(self, norm_hash: bytes, kind: str | None) -> Memory | None:
        return rows.first_of_kind(self._s.all("find_live", norm_hash=norm_hash), kind)

    def find_key(self, key: str) -> Memory | None:
        row = self._s.one("find_key", key=key)
        return rows.memory(row) if row else None

    def find_external(self, external_ids: Sequence[str]) -> dict[str, str]:
        return {r[0]: r[1] for r in self._s.all("find_external", ids=self._s.listed(external_ids))}

    # rows
    def resign(self, id_: str, signatures: Sequence[bytes]) -> None:
        self._s.do("remove_clauses", id=id_)
        for signature in dict.fromkeys(signatures):
            self._s.do("add_clause", signature=signature, id=id_)
        self._s.do("look_again", id=id_)

    def set_grammar(self, grammar: int) -> None:
        self._s.do("set_grammar", grammar=grammar)

    def waits(self, at: datetime) -> None:
        self._s.do("waits", at=to_us(at))

    def caught_up(self, at: datetime) -> None:
        self._s.do("caught_up", at=to_us(at))

    def sight(self, sighting: Sighting) -> None:
        o = sighting.origin
        run = self._s.run if sighting.external_id is not None else self._s.do  # nothing else can clash
        new = run(
            "insert_sighting", memory=sighting.memory, principal=o.principal, channel=o.channel.value, client=o.client,
            session=o.session, at=to_us(sighting.at), occurred_at=rows.us(sighting.occurred_at),
            wording=sighting.wording, external_id=sighting.external_id,
        )  # fmt: skip
        if sighting.external_id is not None and not new:
            raise Conflict(f"the external id {sighting.external_id!r} is known already")

    def move_sighting(self, from_: str, to: str, wording: str | None, becomes: str | None) -> bool:
        return bool(self._s.run("move_sighting", source=from_, to=to, wording=wording, becomes=becomes))

    def change(self, before: Memory, set_: Mapping[str, Any], add: Mapping[str, int], *, recheck: bool = False) -> None:
        if not MUTABLE.issuperset(set_):
            raise StoreError(f"no move may set {', '.join(sorted(set(set_) - MUTABLE))}")
        counters = {name: getattr(before, name) + n for name, n in add.items() if n}
        after = dataclasses.replace(before, **set_, **counters)
        values = rows.change_values(after)
        if not self._change(before, values | {"recheck": int(recheck), "mod": self.mod()}):
            raise Conflict(f"memory {before.id} has changed since it was read")

    @abstractmethod
    def _change(self, before: Memory, values: Mapping[str, Any]) -> int:
        """Run ``change``; rows changed. Raises Conflict where a unique key forbids it, and stays usable."""

    def recalled(self, id_: str, *, at: datetime, count: int = 1) -> None:
        self._s.do("access", n=count, at=to_us(at), mod=self.mod(), id=id_)

    def restated(self, id_: str, *, at: datetime) -> None:
        self._s.do("restate", at=to_us(at), mod=self.mod(), id=id_)

    def edge(self, edge: Edge, at: datetime, evidence: Mapping[str, Any] | None = None) -> bool:
        key = {"source": edge.source, "relation": Relation(edge.relation).value, "target": edge.target}
        if edge.remove:
            return bool(self._s.run("remove_link", **key))
        return bool(self._s.run("add_link", **key, at=to_us(at), evidence=dumps(evidence or {}) or None))

    def put_vectors(
        self, model: str, dim: int, vectors: Iterable[tuple[bytes, bytes]], touch: Sequence[str] = ()
    ) -> int:
        number, known = self._model(model, dim)
        if known != dim:
            raise BadVector(f"model {model!r} has {known} dimensions in this store, not {dim}")
        given = list(vectors)
        for _, data in given:
            if len(data) != dim * 4:
                raise BadVector(f"a vector of {len(data) // 4} values was given for {dim} dimensions")
        new = self._put(number, given)
        if touch:
            self._s.do("touch", mod=self.mod(), ids=self._s.listed(touch))
        return new

    def _model(self, model: str, dim: int) -> tuple[int, int]:
        """The number and dimension of a model; a new one is noted with this dimension."""
        found = self._s.one("model_id", model=model)
        if found is None:
            self._s.do("add_model", model=model, dim=dim)
            found = self._s.one("model_id", model=model)
        return (found[0], found[1]) if found else (0, 0)

    @abstractmethod
    def _put(self, model: int, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Store vectors under a model's number; how many were new."""

    # the journal
    def start_run(self, run: RunRecord) -> None:
        self._s.do(
            "start_run", id=run.id, cycle=run.cycle, actor=run.actor, started_at=to_us(run.started_at), **_end(run)
        )

    def finish_run(self, run: RunRecord) -> None:
        self._s.do("finish_run", id=run.id, **_end(run))

    def cut_off_runs(self, at: datetime) -> int:
        return self._s.run("cut_off_runs", at=to_us(at))

    def add_entry(self, entry: Entry, *, counted: bool) -> Entry:
        last, previous = self._s.one("last_entry") or (0, GENESIS)
        n = last + 1
        fields = hashed_fields(entry)
        digest = chain_hash(previous, fields)
        body = {k: fields[k] for k in ("evidence", "before", "after", "added", "detail")}
        self._s.do(
            "insert_entry", n=n, run=entry.run, idx=entry.index, step=entry.step, move=entry.move, reason=entry.reason,
            status=entry.status, at=to_us(entry.at), body=dumps(body), model=entry.model, tokens=entry.tokens,
            undoes=entry.undoes, counted=int(counted), previous=previous, hash=digest,
        )  # fmt: skip
        set_ = set(entry.after) - {entry.detail.get("bump")}
        touched = dict.fromkeys((*entry.after, *entry.detail.get("ids", ())))
        self._entry_rows(n, [(id_, int(id_ not in set_)) for id_ in touched])
        return dataclasses.replace(entry, n=n, previous=previous, hash=digest)

    def _entry_rows(self, n: int, rows_: Sequence[tuple[str, int]]) -> None:
        for id_, role in rows_:
            self._s.do("insert_entry_row", memory=id_, entry=n, role=role)

    def restore_entry(self, entry: Entry) -> bool:
        last, previous = self._s.one("last_entry") or (0, GENESIS)
        fits = erasing.restore_entry(self._s, dataclasses.replace(entry, n=last + 1, previous=previous))
        touched = dict.fromkeys((*entry.after, *entry.detail.get("ids", ())))
        set_ = set(entry.after) - {entry.detail.get("bump")}
        self._entry_rows(last + 1, [(id_, int(id_ not in set_)) for id_ in touched])
        return fits

    def mark_undone(self, entry: int, by: int | None) -> None:
        self._s.do("mark_undone", by=by, n=entry)

    def unstamp(self, run: str) -> int:
        return self._s.run("unstamp", run=run)

    def later_settings(self, ids: Sequence[str], after: int) -> dict[str, int]:
        return {r[0]: r[1] for r in self._s.all("later_settings", ids=self._s.listed(ids), after=after)}

    def keep_apart(self, pairs: Iterable[tuple[bytes, bytes]], reason: str, at: datetime) -> int:
        return sum(
            self._s.run("keep_apart", low=min(a, b), high=max(a, b), reason=reason, at=to_us(at)) for a, b in pairs
        )

    def forget_apart(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        for a, b in pairs:
            self._s.do("forget_apart", low=min(a, b), high=max(a, b))

    def park(self, parked: Parked, digest: bytes) -> str:
        same = self._s.one("same_parked", digest=digest)
        if same:
            return str(same[0])
        self._s.do(
            "park", id=parked.id, run=parked.run, step=parked.step, digest=digest, reason=parked.reason,
            at=to_us(parked.at), status=parked.status, body=dumps(parked.plan),
        )  # fmt: skip
        return parked.id

    def settle_parked(self, id_: str, status: str) -> bool:
        return bool(self._s.run("settle_parked", status=status, id=id_))

    # logs
    def add_activity(self, at: datetime, action: str, run: str | None, detail: Mapping[str, Any]) -> None:
        self._s.do("add_activity", at=to_us(at), action=action, run=run, detail=dumps(detail) or "{}")

    def log_recalls(self, recalls: Sequence[tuple[str, datetime, Sequence[str]]], keep: int) -> None:
        for text, at, ids in recalls:
            row = self._s.one("add_query", text=text, at=to_us(at))
            for rank, id_ in enumerate(ids):
                self._s.do("add_hit", query=row[0] if row else 0, rank=rank, id=id_)
        self._s.do("old_hits", keep=keep)
        self._s.do("old_queries", keep=keep)

    def set_setting(self, name: str, value: str | None) -> None:
        if value is None:
            self._s.do("unset_setting", name=name)
        else:
            self._s.do("set_setting", name=name, setting=value)

    # the worker
    def take_lease(self, holder: str, now: datetime, until: datetime, *, gone: Lease | None = None) -> Lease | None:
        fence = gone.fence if gone else -1
        row = self._s.one("take_lease", holder=holder, now=to_us(now), until=to_us(until), gone=fence)
        return Lease(holder, int(row[0]), until) if row else None

    def renew_lease(self, lease: Lease, now: datetime, until: datetime) -> Lease:
        given = {"holder": lease.holder, "fence": lease.fence, "now": to_us(now), "until": to_us(until)}
        if not self._s.run("renew_lease", **given):
            raise LeaseLost(self._lost(lease, now))
        return dataclasses.replace(lease, until=until)

    def check_lease(self, lease: Lease, now: datetime) -> Lease:
        held = rows.lease(self._s.one("lease"))
        if held is None or (held.holder, held.fence) != (lease.holder, lease.fence) or held.until <= now:
            raise LeaseLost(self._lost(lease, now))
        return held

    def _lost(self, lease: Lease, now: datetime) -> str:
        held = rows.lease(self._s.one("lease"))
        if held is not None and (held.holder, held.fence) == (lease.holder, lease.fence):
            return (
                f"the lease of {lease.holder} ended at {held.until:%H:%M:%S}; it is {now:%H:%M:%S}: nothing was written"
            )
        return f"the lease of {lease.holder} is no longer its own ({held.holder if held else 'nobody'} has it): nothing was written"

    def end_lease(self, lease: Lease) -> bool:
        return bool(self._s.run("end_lease", holder=lease.holder, fence=lease.fence))

    def claim_slot(self, cycle: str, key: str, at: datetime, *, with_model: bool) -> bool:
        known = self._s.one("slot", cycle=cycle, key=key)
        if known is not None and known[0] is not None:
            return False
        self._s.do("claim_slot", cycle=cycle, key=key, at=to_us(at), with_model=int(with_model))
        return True

    def finish_slot(self, cycle: str, key: str, at: datetime, *, forget_before: datetime) -> None:
        self._s.do("finish_slot", cycle=cycle, key=key, at=to_us(at))
        self._s.do("old_slots", before=to_us(forget_before))

    def note_steps(self, cycle: str, outcomes: Mapping[str, str | None], at: datetime) -> None:
        for name, why in outcomes.items():
            if why is None:
                self._s.do("step_passed", cycle=cycle, name=name, at=to_us(at))
            else:
                self._s.do("step_failed", cycle=cycle, name=name, at=to_us(at), reason=why)

    def erased_among(self, ids: Iterable[str]) -> set[str]:
        wanted = set(ids)
        return wanted - {r[0] for r in self._s.all("kept_among", ids=self._s.listed(sorted(wanted)))}

    def traces(self) -> erasing.Traces:
        return erasing.Traces(self._s)

    def eraser(self) -> erasing.Eraser:
        return erasing.Eraser(self._s, self.mod, self._leap_version)

    def _leap_version(self) -> None:
        """Raise the version counter by `LEAP` and one."""
        self._leap(LEAP)
        self._mod = None
        self.mod()

    @abstractmethod
    def _leap(self, by: int) -> None:
        """Raise the version counter by more than one."""

    def restore(self, kind: str, fields: Mapping[str, Any]) -> None:
        f = fields
        if kind == "stamp":
            self._s.do("insert_stamp", run=f["run"], memory=f["memory"], before=f["before"], after=f["after"])
        elif kind == "epoch":
            self._s.do("set_epoch", epoch=f["epoch"], used_at=f["used_at"])
        elif kind == "signal":
            given = {"memory": f["memory"], "type": f["signal"], "source": f["source"], "at": f["at"]}
            told = {
                "predicted": f.get("predicted"),
                "corrected": f.get("corrected"),
                "strength": f.get("strength", "normal"),
            }
            self._s.do("insert_signal", **given, **told, pending=f["pending"])
        elif kind == "step":
            names = {"cycle": f["cycle"], "name": f["name"]}
            passed = {"passed": f["succeeded_at"]} if f["succeeded_at"] is not None else {}
            failed = {"failed": f["failed_at"]} if f["failed_at"] is not None else {}
            # What came last is written last.
            for how, at in (passed | failed if f["failing"] else failed | passed).items():
                if how == "passed":
                    self._s.do("step_passed", **names, at=at)
                else:
                    self._s.do("step_failed", **names, at=at, reason=f["reason"])
        else:
            raise NotFound(f"an export has no {kind!r} records that are restored so")


def _end(run: RunRecord) -> dict[str, Any]:
    return {
        "finished_at": rows.us(run.finished_at), "status": run.status, "counts": dumps(run.counts) or "{}",
        "errors": dumps(run.errors) or "{}", "steps": json.dumps(run.steps),
    }  # fmt: skip
