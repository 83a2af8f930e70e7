"""What is wrong right now, as data: every door shows the same (law 12)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from reverie.curation.journal import check_chain
from reverie.embedding import Embedding
from reverie.policy import BLAST_WINDOW, allowance
from reverie.settings import Settings
from reverie.store.port import ScopeStore, Store

CYCLES = ("tidy", "rehearse", "sleep")
PROBE = "Is the embedder there?"
STUCK_AFTER = timedelta(hours=1)


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
    store: Store, scope: ScopeStore, embedding: Embedding, settings: Settings, now: datetime, hits_failed: str | None
) -> dict[str, Any]:
    """Check the store, the journal, the embedder and the backlog of one scope.

    Returns:
        ``ok`` (no problem), ``level`` (green, yellow: look when you can, red: something is broken), ``problems`` (red),
        ``warnings`` (yellow), ``facts`` (versions and settings in force), ``steps`` (per step: last success, last
        failure and its reason), ``backlog``, ``journal``.
    """
    problems = [f"store: {p}" for p in store.problems()]
    warnings: list[str] = []
    facts = store.facts()
    if facts.get("synchronous") not in (None, "full", "extra"):
        warnings.append(f"synchronous is {facts['synchronous']}: a power cut may lose acknowledged writes")
    with scope.read() as r:
        counts = r.count()
        runs = [x for x in r.runs(limit=200) if x.cycle in CYCLES]
        parked = r.parked()
        chain = check_chain(r)
        waiting = r.without_vector(embedding.model_id, 1)[1] if embedding.model_id else 0
        allowed = allowance(counts["live"], r.departed(now - BLAST_WINDOW), settings)
    if not chain:
        problems.append(f"journal: entry {chain.broken_at}: {chain.why}")
    steps: dict[str, dict[str, Any]] = {}
    for run in runs:  # newest first
        if run.finished_at is None:
            if now - run.started_at > STUCK_AFTER:
                warnings.append(f"run {run.id} began {run.started_at:%Y-%m-%d %H:%M} and never finished")
            continue
        for name, why in run.errors.items():
            steps.setdefault(name, {}).setdefault("last_failure", {"at": run.finished_at, "why": why})
        if not run.errors:
            steps.setdefault("cycle", {}).setdefault("last_success", run.finished_at)
    finished = [x for x in runs if x.finished_at is not None]
    if finished and finished[0].errors:
        problems += [f"step {name} failed in the last run: {why}" for name, why in finished[0].errors.items()]
    if embedding.model_id:
        warnings += uncalibrated(store, embedding.model_id, settings)
    if parked:
        warnings.append(f"{len(parked)} plan(s) wait for review: {parked[0].reason}")
    if embedding.embedder is not None:
        embedding.documents([PROBE])  # what failed an hour ago says little; what fails now is told
    trouble = embedding.trouble
    if trouble is not None:
        problems.append(f"embedder: {trouble.reason} (since {trouble.at:%Y-%m-%d %H:%M:%S})")
    if waiting:
        warnings.append(f"{waiting} memories have no vector of {embedding.model_id} yet; text search covers them")
    if hits_failed:
        warnings.append(f"recall hits could not be written: {hits_failed}")
    return {
        "ok": not problems,
        "level": "red" if problems else "yellow" if warnings else "green",
        "problems": problems,
        "warnings": warnings,
        "facts": facts,
        "memories": counts,
        "steps": steps,
        "backlog": {"uncurated": counts["uncurated"], "without_vector": waiting, "parked_plans": len(parked)},
        "allowance": {"this_run": allowed.run, "in_30_days": allowed.month},
        "journal": {"entries": chain.entries, "sound": bool(chain)},
        "last_curated": finished[0].finished_at if finished else None,
        "embedder": embedding.model_id,
    }
