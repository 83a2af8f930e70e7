"""What serving keeps in a scope: jobs that were asked for, and answers for requests that come again. Port and statements."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from datetime import datetime

from reverie.clock import from_us, to_us
from reverie.store.records import Answered, JobRecord
from reverie.store.session import Row, Session


class JobReads(ABC):
    """The reads of it."""

    @abstractmethod
    def job(self, id_: str) -> JobRecord | None:
        """One job."""

    @abstractmethod
    def jobs(self, limit: int = 50) -> list[JobRecord]:
        """Jobs, newest first."""

    @abstractmethod
    def answer(self, token: bytes) -> Answered | None:
        """What was answered under a token."""


class JobTx(ABC):
    """The writes of it, inside a transaction."""

    @abstractmethod
    def add_job(self, job: JobRecord, *, forget_before: datetime) -> None:
        """Note a new job, and forget those that ended and were asked for before a time."""

    @abstractmethod
    def claim_job(self, id_: str, at: datetime) -> bool:
        """Begin a job that waits; False where another has begun it."""

    @abstractmethod
    def tell_job(self, job: JobRecord) -> bool:
        """Write how a job stands; False where it has ended before. Whether somebody asked for its end is left as it is."""

    @abstractmethod
    def stop_job(self, id_: str) -> bool:
        """Ask a job to end; False where it has."""

    @abstractmethod
    def begin_answer(self, token: bytes, request: bytes, at: datetime, *, forget_before: datetime) -> bool:
        """Claim a token for a request; False where it is taken. Those from before a time are forgotten first."""

    @abstractmethod
    def renew_answer(self, token: bytes, at: datetime, *, before: datetime) -> bool:
        """Claim a token again that was claimed before a time and never answered: its process died."""

    @abstractmethod
    def finish_answer(self, token: bytes, began: datetime, status: int, body: str) -> None:
        """Keep the answer given under a token that was claimed at this time; one that another has claimed since is left."""

    @abstractmethod
    def drop_answer(self, token: bytes, began: datetime) -> None:
        """Give a token back that was claimed at this time and not answered: the request may be made again."""


class SqlJobReads(JobReads):
    """Answers from the session of the reads that it is a part of."""

    _s: Session

    def job(self, id_: str) -> JobRecord | None:
        row = self._s.one("job", id=id_)
        return _job(row) if row else None

    def jobs(self, limit: int = 50) -> list[JobRecord]:
        return [_job(r) for r in self._s.all("jobs", limit=limit)]

    def answer(self, token: bytes) -> Answered | None:
        row = self._s.one("answer", token=token)
        return Answered(bytes(row[0]), row[1], row[2], from_us(row[3])) if row else None


class SqlJobTx(JobTx):
    """Writes through the session of the transaction that it is a part of."""

    _s: Session

    def add_job(self, job: JobRecord, *, forget_before: datetime) -> None:
        self._s.do("forget_jobs", before=to_us(forget_before))
        self._s.do(
            "add_job", id=job.id, verb=job.verb, status=job.status, request=json.dumps(dict(job.request)),
            progress=json.dumps(dict(job.progress)), principal=job.principal,
            asked_at=to_us(job.asked_at), beat_at=to_us(job.beat_at),
        )  # fmt: skip

    def claim_job(self, id_: str, at: datetime) -> bool:
        return bool(self._s.run("claim_job", id=id_, at=to_us(at)))

    def tell_job(self, job: JobRecord) -> bool:
        ended = None if job.finished_at is None else to_us(job.finished_at)
        given = {"status": job.status, "run": job.run, "error": job.error, "finished_at": ended}
        told = json.dumps(dict(job.progress))
        return bool(self._s.run("tell_job", id=job.id, progress=told, beat_at=to_us(job.beat_at), **given))

    def stop_job(self, id_: str) -> bool:
        return bool(self._s.run("stop_job", id=id_))

    def begin_answer(self, token: bytes, request: bytes, at: datetime, *, forget_before: datetime) -> bool:
        self._s.do("forget_answers", before=to_us(forget_before))
        return bool(self._s.run("begin_answer", token=token, request=request, at=to_us(at)))

    def renew_answer(self, token: bytes, at: datetime, *, before: datetime) -> bool:
        return bool(self._s.run("renew_answer", token=token, at=to_us(at), before=to_us(before)))

    def finish_answer(self, token: bytes, began: datetime, status: int, body: str) -> None:
        self._s.do("finish_answer", token=token, at=to_us(began), status=status, body=body)

    def drop_answer(self, token: bytes, began: datetime) -> None:
        self._s.do("drop_answer", token=token, at=to_us(began))


def _job(r: Row) -> JobRecord:
    asked, beat, ended = (None if t is None else from_us(t) for t in (r[4], r[5], r[10]))
    return JobRecord(
        r[0], r[1], r[2], r[3], asked, beat, json.loads(r[6]), json.loads(r[11]), bool(r[7]), r[8], r[9], ended  # type: ignore[arg-type]
    )  # fmt: skip
