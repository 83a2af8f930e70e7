"""Random histories, then an erasure: what was erased stands in no file and no table, and all else is as it was."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import numpy as np
import pytest
from histories import History, judge, records, said, tangled
from searching import data_of, files_of, search, tables_of, words

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import NotFound
from reverie.model import Scope
from reverie.text.normalise import norm_hash, text_hash
from reverie.text.signatures import signatures

SEED = int(os.environ.get("REVERIE_TEST_SEED", "1"))
MEMORY = Path("/dev/shm")
SORTS = ("memory", "principal", "memory", "principal", "memory", "everything", "memory")
FRAGMENT = 32  # bytes of a vector that are looked for
MAY_CHANGE = {"gist", "principal", "channel", "client", "session", "trust", "metadata", "key", "state", "merged_into",
              "archived_at", "superseded_by"}  # fmt: skip


@dataclass
class Gone:
    """What must be found nowhere."""

    words: set[str] = field(default_factory=set)
    stays: set[str] = field(default_factory=set)  # in any namespace: a word may be made twice
    raw: set[bytes] = field(default_factory=set)
    vectors: list = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request):
    """(URL, what to read of its files and tables): in memory where there is such a folder, as a sync costs nothing there."""
    if request.param == "sqlite":
        folder = Path(tempfile.mkdtemp(prefix="reverie-erase-", dir=MEMORY if MEMORY.is_dir() else None))
        path = str(folder / "notes.db")
        yield path, lambda **how: files_of(path)
        shutil.rmtree(folder)
        return
    server = request.getfixturevalue("server")
    url = server.database()
    yield url, lambda **how: tables_of(server, url) | data_of(server, url, **how)
    server.drop(url)


def trial(url: str, seed: int, sort: str, gone: Gone, *, wipe: bool) -> None:
    """One history in a namespace of its own, and one erasure; what is gone from now on is added to ``gone``."""
    rng, clock = random.Random(f"{SEED} {seed}"), FixedClock()
    name = f"n{seed}"
    with reverie.open(url, name, tenant="acme", embedder="hashing:64", clock=clock, ids=CountingIds(seed * 10_000),
                      channel="person", judge=judge()) as mem:  # fmt: skip
        history = History(mem, clock, rng)
        history.live(40)
        mem.flush()
        before, rows = said(mem), {m.id: m for m in mem.memories(state=None)}
        were: dict[str, list[dict]] = {}
        for id_, record in records(mem):
            were.setdefault(id_, []).append(record)
        merged, people = tangled(mem)
        one = rng.choice(merged if merged and rng.random() < 0.6 else list(rows))
        who = rng.choice(people if people and rng.random() < 0.8 else ["ben", "dora", "ana"])
        asked = {"memory": one, "principal": who, "everything": True}[sort]
        preview = mem.erase(**{sort: asked})
        assert not preview.done and said(mem) == before
        made = mem.erase(**{sort: asked}, confirm=preview.token, wipe=wipe)
        assert made.done and set(made.ids) == set(preview.ids) and made.counts == preview.counts
        assert mem.check_journal() and not [p for p in mem.doctor()["problems"] if not p.startswith("step")]
        after = said(mem)
        staying = set().union(*map(words, after.values()))
        gone.words |= set().union(*map(words, before.values())) - staying
        gone.counts.update(made.counts)
        held = {m.text_hash for m in mem.memories(state=None)} | {m.norm_hash for m in mem.memories(state=None)}
        signed = {s for m in mem.memories(state=None) if m.text for s in signatures(m.text)}
        for id_ in made.ids:
            text = rows[id_].text
            gone.raw |= {h for h in (text_hash(text), norm_hash(text), *signatures(text)) if h not in held | signed}
            if text_hash(text) not in held:
                (vector,) = mem._embedding.documents([text])
                gone.vectors.append(vector)
        check_others(mem, made, were)
        if sort == "everything":
            assert not list(mem.export())[1:]
            assert mem.erase(everything=True).empty
        elif sort == "principal":
            assert mem.erase(principal=who).empty
            assert all(r.actor != who for r in mem.runs(1000))
        else:
            with pytest.raises(NotFound):
                mem.erase(memory=asked)
        mem.curate()
        mem.recall("who lives there?")
        assert mem.check_journal()
        gone.stays |= set().union(*map(words, said(mem).values()))


def check_others(mem: reverie.Reverie, made, were: dict[str, list[dict]]) -> None:
    """Whoever has not lost a statement is what it was, but for a gist that held something of it."""
    now: dict[str, list[dict]] = {}
    for id_, record in records(mem):
        now.setdefault(id_, []).append(record)
    changed = 0
    for id_, old in were.items():
        if id_ in made.ids:
            continue
        if now[id_] == old:
            continue
        changed += 1
        one, other = old[0], now[id_][0]
        assert {k for k in one if one[k] != other[k]} <= MAY_CHANGE, (id_, one, other)
        assert all(s in old for s in now[id_][1:])  # nothing new was said of it
    counts = made.counts
    assert changed <= counts.get("kept", 0) + counts.get("gists", 0) + counts.get("freed", 0)
    new = set(now) - set(were)
    assert len(new) <= counts.get("rewritten", 0)


def vectors_of(scope) -> list[bytes]:
    with scope.read() as r:
        return [data for model, _ in r.models() for page in r.vector_pages(model) for _, data in page]


def fragments(vectors: list, kept: bytes) -> set[bytes]:
    """Pieces of each vector that tell it from those which stay."""
    found = set()
    for vector in vectors:
        body = vector.tobytes()
        pieces = [body[i : i + FRAGMENT] for i in range(0, len(body) - FRAGMENT + 1, 4)]
        telling = [p for p in pieces if np.count_nonzero(np.frombuffer(p, "<f4")) >= 6 and p not in kept]
        found |= {*telling[:1], *telling[-1:]}
    return found


def run(place, numbers: range, *, whole: bool = False) -> Gone:
    url, look = place
    gone = Gone()
    for n in numbers:
        trial(url, n, SORTS[n % len(SORTS)], gone, wipe=n % 5 == 0)
    with reverie.open(url, "last", embedder="none", channel="person") as mem:
        assert mem.finish_erasures() == 0  # of this namespace none waits, and the wipe is the store's
        mem._store.wipe()
        kept = [data for n in numbers for data in vectors_of(mem._store.scope(Scope("acme", f"n{n}")))]
    gone.words -= gone.stays
    raw = gone.raw | fragments(gone.vectors, b"".join(kept))
    left = search(look(everything=whole) if "://" in url else look(), gone.words, raw)
    assert not left, left[:20]
    return gone


@pytest.mark.parametrize("batch", range(1))
def test_what_is_erased_is_found_nowhere(place, batch, record_property):
    gone = run(place, range(batch * 10, batch * 10 + 10), whole=batch == 0)
    assert gone.counts["memories"] > 20 and len(gone.words) > 60
    record_property("figures", {**gone.counts, "words": len(gone.words), "raw": len(gone.raw) + len(gone.vectors)})


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(1, 10))
def test_what_is_erased_is_found_nowhere_many_times(place, batch, record_property):
    gone = run(place, range(batch * 10, batch * 10 + 10), whole=True)
    assert gone.counts["memories"] > 20 and len(gone.words) > 60
    record_property("figures", {**gone.counts, "words": len(gone.words), "raw": len(gone.raw) + len(gone.vectors)})


def test_the_search_catches_a_plain_delete(place, request):
    """The control: the rows are gone from every answer, and their words are not from the files."""
    url, _ = place
    with reverie.open(
        url, "n", tenant="acme", embedder="hashing:64", clock=FixedClock(), ids=CountingIds(), channel="person"
    ) as mem:
        history = History(mem, FixedClock(), random.Random(SEED))
        for _ in range(30):
            history.write()
        before = set().union(*map(words, said(mem).values()))
    if "://" in url:
        server = request.getfixturevalue("server")
        server.tamper(url, "DELETE FROM memory", "VACUUM memory")
        places = {"tables": tables_of(server, url), "files": data_of(server, url, everything=False)}
    else:
        c = apsw.Connection(url)
        c.execute("PRAGMA foreign_keys = OFF; DELETE FROM memory; PRAGMA wal_checkpoint(TRUNCATE)")
        c.close()
        places = {"files": files_of(url)}
    for where in places.values():
        assert len({line.split()[0] for line in search(where, before)}) > len(before) // 4
