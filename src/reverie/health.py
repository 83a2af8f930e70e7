"""What is wrong right now, as data: every door shows the same (law 12)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from reverie.curation import review as reviewing
from reverie.curation.journal import check_chain
from reverie.curation.spending import MILLION, day_of
from reverie.embedding import Embedding
from reverie.judge.port import Judge
from reverie.model import RunRecord, StepHealth
from reverie.policy import BLAST_WINDOW, allowance
from reverie.settings import Settings
from reverie.store.port import ScopeStore, Store
from reverie.store.records import Spent, Waiting

CYCLES = ("tidy", "rehearse", "sleep")
PROBE = "Is the embedder there?"
STUCK_AFTER = timedelta(hours=1)
NEARLY = 0.9  # share of a day's cap from which on health says so
OVERDUE_INTERVALS = 3  # of the schedule: with a worker about, no backlog is older than two and a little

THRESHOLDS = ("restate_similarity", "merge_similarity", "propose_similarity", "collapse_similarity")


def uncalibrated(store: Store, model: str, settings: Settings) -> list[str]:
    """What is known of thresholds that mean nothing for this model."""
    from reverie.embed import calibration

    kept = store.calibration(model)
    record = calibration.Calibration.from_dict(kept) if kept else calibration.shipped_calibration(model)
    return calibration.warnings(record, {n: float(settings[n]) for n in THRESHOLDS}, model)


def figures(scope: ScopeStore, embedding: Embedding, hits_failed: str | None) -> dict[str, Any]:
    """Counts by state, what waits and how the last run went: cheap, with no integrity check."""
    model = embedding.model_id
    with scope.read() as r:
        counts = r.count()
        waiting = r.without_vector(model, 1)[1] if model else 0
        last = next((x for x in r.runs(limit=200) if x.cycle in CYCLES), None)
        parked = len(r.parked())
    trouble = embedding.trouble
    return {
        "tenant": scope.scope.tenant,
        "namespace": scope.scope.namespace,
        "memories": counts,
        "embedder": model,
        "without_vector": waiting,
        "parked_plans": parked,
        "last_curated": last.finished_at if last else None,
        "last_status": last.status if last else None,
        "last_errors": dict(last.errors) if last else {},
        "embedder_trouble": f"{trouble.at:%Y-%m-%d %H:%M:%S}: {trouble.reason}" if trouble else None,
        "hits_not_written": hits_failed,
    }


def examine(
    store: Store, scope: ScopeStore, embedding: Embedding, settings: Settings, now: datetime, hits_failed: str | None,
    judge: Judge | None = None, *, deep: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Check the store, the journal, the steps, the worker, the embedder, the judge and the backlog of one scope.

    ``deep``: read the whole store and the whole journal too, for their integrity; without it the store is not checked, and
    ``journal`` says None of being sound.

    Returns:
        ``ok`` (no problem), ``level`` (green, yellow: look when you can, red: something is broken), ``problems`` (red),
        ``warnings`` (yellow), ``facts`` (versions and settings in force), ``steps`` (per step: last success, last failure
        and its reason, whether it fails now), ``backlog`` (what waits, since when, for how many seconds), ``lease`` (who
        curates, until when), ``worker`` (when one last came), ``judge`` (who, how its login and breaker stand, what it used
        today and the caps, pairs that wait for it, what it was last asked), ``review`` (what waits for a person), ``journal``.
    """
    problems = [f"store: {p}" for p in store.problems()] if deep else []
    facts = store.facts()
    warnings = _of_facts(facts)
    with scope.read() as r:
        counts = r.count()
        recent = r.runs(limit=200)
        runs = [x for x in recent if x.cycle in CYCLES]
        asked = next((x for x in recent if x.cycle == "judge"), None)
        pairs, spent, review = r.pair_counts(), r.spent(day_of(now)), reviewing.count(r)
        parked = r.parked()
        chain = check_chain(r) if deep else None
        waiting = r.without_vector(embedding.model_id, 1)[1] if embedding.model_id else 0
        allowed = allowance(counts["live"], r.departed(now - BLAST_WINDOW), settings)
        steps = r.steps()
        lease = r.lease()
        unwiped = len(r.unwiped())
        since = r.waiting_since()
        last_slot = r.last_slot()
    if chain is not None and not chain:
        problems.append(f"journal: entry {chain.broken_at}: {chain.why}")
    failing = [
        s for s in steps if s.failing and (s.cycle != "judge" or judge is not None)
    ]  # one that was taken away harms nobody
    problems += [f"step {name_of(s)} failed: {s.reason} (at {s.failed_at:%Y-%m-%d %H:%M})" for s in failing]
    stuck = [x for x in runs if x.finished_at is None and now - x.started_at > STUCK_AFTER]
    warnings += [f"run {x.id} began {x.started_at:%Y-%m-%d %H:%M} and never finished" for x in stuck]
    late = _overdue(settings, now, counts["uncurated"], since, last_slot)
    if late is not None:
        (warnings if last_slot is None else problems).append(late)
    if embedding.model_id:
        warnings += uncalibrated(store, embedding.model_id, settings)
    if unwiped:
        warnings.append(f"{unwiped} erasure(s) left bytes in the store's files: run reverie erase --finish")
    if parked:
        warnings.append(f"{len(parked)} plan(s) wait for review: {parked[0].reason}")
    warnings += _of_judge(asked, spent, settings, now)
    if embedding.embedder is not None:
        embedding.documents([PROBE])  # what failed an hour ago says little; what fails now is told
    trouble = embedding.trouble
    if trouble is not None:
        problems.append(f"embedder: {trouble.reason} (since {trouble.at:%Y-%m-%d %H:%M:%S})")
    if waiting:
        warnings.append(f"{waiting} memories have no vector of {embedding.model_id} yet; text search covers them")
    if hits_failed:
        warnings.append(f"recall hits could not be written: {hits_failed}")
    finished = [x for x in runs if x.finished_at is not None]
    return {
        "ok": not problems,
        "level": "red" if problems else "yellow" if warnings else "green",
        "problems": problems,
        "warnings": warnings,
        "facts": facts,
        "memories": counts,
        "steps": {
            name_of(s): {
                "last_success": s.succeeded_at, "last_failure": s.failed_at, "why": s.reason, "failing": s.failing,
            } for s in steps
        },
        "backlog": {
            "uncurated": counts["uncurated"], "waiting_since": since if counts["uncurated"] else None,
            "age_seconds": _seconds(now, since) if counts["uncurated"] else 0.0, "without_vector": waiting,
            "parked_plans": len(parked),
        },
        "lease": {"holder": lease.holder, "until": lease.until, "fence": lease.fence, "ended": lease.until <= now}
        if lease
        else {},
        "worker": {"last_came": last_slot},
        "judge": _judge(judge, asked, spent, settings, [w for w in pairs if w.status == "waiting"]),
        "review": review,
        "allowance": {"this_run": allowed.run, "in_30_days": allowed.month},
        "journal": {"entries": chain.entries, "sound": bool(chain)} if chain is not None else {"entries": None, "sound": None},
        "last_curated": finished[0].finished_at if finished else None,
        "embedder": embedding.model_id,
    }  # fmt: skip


def _judge(
    judge: Judge | None, asked: RunRecord | None, spent: Spent, settings: Settings, waiting: list[Waiting]
) -> dict[str, Any]:
    state = getattr(judge, "state", None)
    return {
        "model": judge.model_id if judge else None,
        "login": getattr(state, "login", None),
        "breaker": getattr(state, "breaker", None),
        "capability": getattr(state, "capability", None),
        "calls_today": spent.calls, "failed_today": spent.failures, "tokens_today": spent.tokens,
        "cost_today": spent.cost / MILLION,
        "tokens_a_run": int(settings.judge_night_tokens), "tokens_a_day": int(settings.judge_day_tokens),
        "cost_a_day": float(settings.judge_day_cost) or None,
        "pairs_waiting": sum(w.count for w in waiting),
        "waiting_since": min((w.since for w in waiting), default=None),
        "last_asked": asked.started_at if asked else None,
    }  # fmt: skip


def _of_judge(asked: RunRecord | None, spent: Spent, settings: Settings, now: datetime) -> list[str]:
    """Caps that ended the last asking, or that are nearly reached; answers of no use."""
    found = []
    if asked is not None and (cap := asked.errors.get("cap")) and day_of(asked.started_at) == day_of(now):
        left = asked.counts.get("judge_capped", 0)
        found.append(f"judge: {cap}; {left} questions wait for the next run")
    elif spent.tokens >= NEARLY * int(settings.judge_day_tokens):
        found.append(f"judge: {spent.tokens:,} of {int(settings.judge_day_tokens):,} tokens of the day are used")
    if asked is not None and asked.counts.get("judge_unusable") and "judge" not in asked.errors:
        n, of = asked.counts["judge_unusable"], asked.counts["judge_questions"]
        found.append(f"judge: {n} of {of} answers of {asked.started_at:%Y-%m-%d %H:%M} could not be used")
    return found


def name_of(step: StepHealth) -> str:
    """The step's name as health shows it; the run as a whole, and the judge, go by the name of the cycle."""
    return step.cycle if step.name == "cycle" else step.name


def _of_facts(facts: Mapping[str, Any]) -> list[str]:
    """What the store's own settings make doubtful."""
    found = []
    if facts.get("synchronous") not in (None, "full", "extra"):
        found.append(f"synchronous is {facts['synchronous']}: a power cut may lose acknowledged writes")
    if facts.get("fsync", "on") != "on" or facts.get("full_page_writes", "on") != "on":
        found.append("the server runs with fsync or full_page_writes off: a power cut may lose or break the store")
    if facts.get("row_level_security") is False:
        found.append(f"the role {facts['user']} is above row-level security: use one that is no superuser")
    return found


def _overdue(
    settings: Settings, now: datetime, uncurated: int, since: datetime | None, last_slot: datetime | None
) -> str | None:
    """That memories wait for longer than a worker would let them, or None."""
    patience = timedelta(seconds=OVERDUE_INTERVALS * float(settings.curate_interval_seconds))
    if not uncurated or since is None or now - since <= patience:
        return None
    who = "no worker ever came" if last_slot is None else f"a worker last came {last_slot:%Y-%m-%d %H:%M}"
    return f"{uncurated} memories have waited for the curator since {since:%Y-%m-%d %H:%M}; {who}"


def _seconds(now: datetime, since: datetime | None) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0
