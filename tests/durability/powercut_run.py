"""The workload of the power cut, recorded once for each setting of ``synchronous``, and the cuts through it."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks import records, unsound
from powercut import Event, Recorder, after_cut
from program import PAIRS, SETTINGS, Act, Now

from reverie.embed import default_embedder
from reverie.errors import StoreError
from reverie.memory import Reverie
from reverie.model import Channel, Origin, Scope
from reverie.settings import Settings
from reverie.store.sqlite.store import SqliteStore

WRITES = 100
CHECKPOINT_PAGES = 60  # a checkpoint every few writes, so that it is cut too


@dataclass(frozen=True)
class Cut:
    """What one power cut left."""

    acknowledged: int
    lost: int
    problems: tuple[str, ...]


def opened(path: str, vfs: str, synchronous: str, now: Now) -> Reverie:
    """A handle on a store that writes through the recorder."""
    store = SqliteStore(path, vfs=vfs, synchronous=synchronous)
    inner: Any = store
    inner._writer.wal_autocheckpoint(CHECKPOINT_PAGES)
    return Reverie(
        store, Scope(), settings=Settings(SETTINGS), clock=now, ids=now, embedder=default_embedder("hashing"),
        origin=Origin("local", Channel.PERSON),
    )  # fmt: skip


def record(folder: Path, synchronous: str) -> list[Event]:
    """One-row writes, a close and an opening half-way, a curation and its undo, each acknowledged."""
    folder.mkdir()
    recorder = Recorder(f"cut-{synchronous}-{folder.name}", folder)
    now = Now()
    path = str(folder / "notes.db")
    texts = [f"Drawer {i} of the archive holds the file of case {i * 37}" for i in range(WRITES - 2 * len(PAIRS))]
    texts += [text for pair in PAIRS for text in pair]
    mem = opened(path, recorder.name, synchronous, now)
    try:
        for n, text in enumerate(texts):
            now.begin(Act(n, "remember"))
            got = mem.remember(text, external_id=f"x{n}")
            recorder.acknowledge(json.dumps({"external": f"x{n}", "id": got.id, "text": text}))
            if n == WRITES // 2:
                mem.close()
                mem = opened(path, recorder.name, synchronous, now)
            if n % 25 == 24:
                mem.recall(text)
                mem.flush()
        now.begin(Act(len(texts), "curate"))
        run = mem.curate()
        assert len(run)
        recorder.acknowledge(json.dumps({"run": run.id}))
        recorder.acknowledge(json.dumps({"run": mem.undo(run.id).id}))
    finally:
        mem.close()
        recorder.unregister()
    return recorder.events


def cut(events: Sequence[Event], at: int, model: str, seed: int, folder: Path) -> Cut:
    """Rebuild the files after a cut, open them as a restarted machine would, and count what is missing."""
    image, lines = after_cut(events, at, model, random.Random(seed))
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)
    path = str(folder / "notes.db")
    problems: list[str] = []
    lost = 0
    try:
        problems = unsound(path)
        held = records(path)
        rows = {m["id"]: m for m in held["memory"]}
        seen = {s["external_id"]: s for s in held["sighting"]}
        runs = {r["id"]: r["status"] for r in held["run"]}
        for got in map(json.loads, lines):
            if "run" in got:
                lost += runs.get(got["run"]) != "done"
            else:
                sighting = seen.get(got["external"])
                lost += sighting is None or (sighting["wording"] or rows[got["id"]]["text"]) != got["text"]
    except StoreError as error:
        problems.append(f"{type(error).__name__}: {error}")
        lost = len(lines)
    shutil.rmtree(folder)
    return Cut(len(lines), lost, tuple(f"{model} cut at {at}, seed {seed}: {p}" for p in problems))


def cuts(events: Sequence[Event], n: int, model: str, chance: random.Random, folder: Path) -> list[Cut]:
    """n cuts spread over the recording, none twice."""
    points = sorted(chance.sample(range(1, len(events) + 1), min(n, len(events))))
    folder.mkdir(exist_ok=True)
    return [cut(events, at, model, chance.randrange(2**32), folder / f"{model}-{at}") for at in points]
