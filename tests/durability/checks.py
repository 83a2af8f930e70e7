"""What must hold of a store that is opened again after its process or its machine died."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest
from program import BATCH, Act

import reverie
from reverie.store.sqlite.connection import connect

if TYPE_CHECKING:
    from servers import Server

Canonical = list[tuple[Any, ...]]
Records = dict[str, list[dict[str, Any]]]
_SAME = re.compile(r"same\((\w), (\w)\)")

# What no schema can say: (what is wrong, query that counts it). "same(a, b)" says that two rows are of one scope.
INVARIANTS = (
    (
        "memories without evidence",
        "SELECT count(*) FROM memory m WHERE NOT EXISTS "
        "(SELECT 1 FROM sighting s WHERE same(s, m) AND s.memory = m.seq)",
    ),
    (
        "memories without a signature",
        "SELECT count(*) FROM memory m WHERE NOT EXISTS (SELECT 1 FROM clause c WHERE same(c, m) AND c.memory = m.seq)",
    ),
    (
        "merged or superseded memories whose survivor is missing",
        "SELECT count(*) FROM memory m WHERE coalesce(m.merged_into, m.superseded_by) IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM memory s WHERE same(s, m) AND s.id = coalesce(m.merged_into, m.superseded_by))",
    ),
    (
        "merged memories without a survivor named",
        "SELECT count(*) FROM memory WHERE state = 'merged' AND merged_into IS NULL",
    ),
    (
        "journal entries of unknown runs",
        "SELECT count(*) FROM entry e WHERE NOT EXISTS (SELECT 1 FROM run r WHERE same(r, e) AND r.id = e.run)",
    ),
    (
        "journal entries that name memories which are not there",
        "SELECT count(*) FROM entry_row e WHERE NOT EXISTS "
        "(SELECT 1 FROM memory m WHERE same(m, e) AND m.id = e.memory)",
    ),
)
ONLY_SQLITE = (
    (
        "memories that text search lacks",
        "SELECT abs((SELECT count(*) FROM memory) - (SELECT count(*) FROM memory_text_docsize))",
    ),
)
ONLY_POSTGRES = (
    (
        "memories that text search lacks",
        "SELECT abs((SELECT count(*) FROM memory) - "
        "(SELECT count(DISTINCT (tenant, namespace, memory)) FROM memory_text))",
    ),
    (
        "vectors of another length than their model's",
        "SELECT count(*) FROM embedding e JOIN model m USING (model) WHERE vector_dims(e.data) <> m.dim",
    ),
    (
        "transactions that nobody will end",
        "SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()",
    ),
)


def seeded(name: str) -> random.Random:
    """A source of randomness whose seed is printed, and taken from REVERIE_TEST_SEED where that is set."""
    seed = int(os.environ.get("REVERIE_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"{name}: REVERIE_TEST_SEED={seed}")
    return random.Random(seed)


def unsound(path: str, server: Server | None = None) -> list[str]:
    """What is wrong with the store itself, with its journal, or between its tables; empty when it is sound.

    Args:
        path: the store's file, or its URL. server: where the URL leads, whose administrator no policy keeps from looking.
    """
    with reverie.open(path, embedder="none") as mem:  # first, as what died before it had tables gets them now
        found = list(mem._store.problems())
        chain = mem.check_journal()
        if not chain:
            found.append(f"journal entry {chain.broken_at}: {chain.why}")
    counted = in_file(path) if server is None else in_database(path, server)
    return [*found, *(f"{n} {what}" for what, n in counted if n)]


def in_file(path: str) -> list[tuple[str, int]]:
    """The invariants over a file, with how often each is broken."""
    connection = connect(path, busy_seconds=5, synchronous="full")
    try:
        one_scope = [(what, _SAME.sub(r"\1.scope = \2.scope", query)) for what, query in INVARIANTS]
        return [(what, int(connection.execute(query).get)) for what, query in [*one_scope, *ONLY_SQLITE]]
    finally:
        connection.close()


def in_database(url: str, server: Server) -> list[tuple[str, int]]:
    """The invariants over a database, with how often each is broken."""
    import psycopg

    one_scope = r"(\1.tenant, \1.namespace) = (\2.tenant, \2.namespace)"
    queries = [(what, _SAME.sub(one_scope, query)) for what, query in INVARIANTS]
    with psycopg.connect(server.of(database(url)), options="-csearch_path=reverie,public", autocommit=True) as c:
        return [(what, int(c.execute(query).fetchone()[0])) for what, query in [*queries, *ONLY_POSTGRES]]  # type: ignore[index]


def database(url: str) -> str:
    """The database of a URL."""
    return url.split("?")[0].rsplit("/", 1)[1]


def records(path: str) -> Records:
    """A lossless export by record type."""
    found: Records = {"memory": [], "sighting": [], "link": [], "run": [], "entry": []}
    with reverie.open(path, embedder="none") as mem:
        exported = mem.export(journal=True)
        assert not isinstance(exported, int)
        for record in exported:
            found.setdefault(record["type"], []).append(record)
    return found


def broken_promises(held: Records, acts: tuple[Act, ...], lines: Iterable[str]) -> list[str]:
    """Every acknowledged act whose effect is not there, and every batch of which a part is there."""
    rows = {m["id"]: m for m in held["memory"]}
    seen = {s["external_id"]: s for s in held["sighting"] if s["external_id"]}
    runs = {r["id"]: r for r in held["run"]}
    answers: dict[int, dict[str, Any]] = {}
    ids: dict[str, str] = {}
    texts = {i["external_id"]: i["text"] for a in acts for i in a.items}
    found = []
    for line in lines:
        got = json.loads(line)
        ids |= got.get("ids", {})
        if "n" in got:
            answers[got["n"]] = got
    for external, id_ in ids.items():
        sighting = seen.get(external)
        if sighting is None or id_ not in rows:
            found.append(f"lost: {external} {texts[external]!r}")
        elif sighting["memory"] != id_:
            found.append(f"moved: {external} was answered as {id_}, and is at {sighting['memory']}")
        elif (sighting["wording"] or rows[id_]["text"]) != texts[external]:
            found.append(f"changed: {external} reads {sighting['wording'] or rows[id_]['text']!r}")
    for act in acts:
        for start in range(0, len(act.items), BATCH):  # one transaction each
            part = [i["external_id"] in seen for i in act.items[start : start + BATCH] if i["text"]]
            if any(part) and not all(part):
                found.append(f"half written: a batch of act {act.n}")
        got = answers.get(act.n)
        if got is not None:
            found += _missing(act, acts, got, rows, runs, ids)
    return found


def _missing(
    act: Act, acts: tuple[Act, ...], got: dict[str, Any], rows: dict[str, Any], runs: dict[str, Any],
    ids: dict[str, str],
) -> list[str]:  # fmt: skip
    target = rows[ids[acts[act.of].items[0]["external_id"]]] if act.of is not None and acts[act.of].items else {}
    wrong = {
        "revise": target.get("state") != "superseded",
        "forget": target.get("state") != "archived",
        "pin": not target.get("pinned"),
        "recall": "top" in got and not rows[got["top"]]["recall_count"],
        "curate": "run" in got and runs.get(got["run"], {}).get("status") != "done",
        "apply": "run" in got and runs.get(got["run"], {}).get("status") != "done",
        "undo": "run" in got and runs.get(got["run"], {}).get("status") != "done",
    }
    return [f"undone: act {act.n}, {act.verb}"] if wrong.get(act.verb) else []


def canonical(path: str) -> Canonical:
    """All that a client can tell apart of the memories, without ids and times that depend on the run."""
    return canonical_of(records(path))


def canonical_of(held: Records) -> Canonical:
    """As `canonical`, of what was exported."""
    rows = {m["id"]: m for m in held["memory"]}
    said: dict[str, list[tuple[str, ...]]] = {id_: [] for id_ in rows}
    for s in held["sighting"]:
        said[s["memory"]].append((s["external_id"] or "", s["wording"] or "", s["principal"], s["channel"]))
    links = sorted((rows[x["source"]]["text"], x["relation"], rows[x["target"]]["text"]) for x in held["link"])

    def text_of(id_: str | None) -> str:
        return rows[id_]["text"] if id_ else ""

    found = [
        (
            m["text"], m["state"], m["kind"], text_of(m["merged_into"]), text_of(m["superseded_by"]), m["key"] or "",
            m["pinned"], m["confidence"], m["trust"], m["importance"], m["access_count"] - m["recall_count"],
            m["recall_count"] > 0, tuple(sorted(said[id_])),
        )
        for id_, m in rows.items()
    ]  # fmt: skip
    return [*sorted(found), ("links", *links)]


def differences(found: Canonical, expected: Canonical) -> list[str]:
    """Rows that one side has and the other has not, as lines."""
    return [f"- {r}" for r in expected if r not in found] + [f"+ {r}" for r in found if r not in expected]


def refuse(found: list[str], about: str) -> None:
    """Fail the test with all of them."""
    if found:
        pytest.fail(f"{about}:\n" + "\n".join(found[:12]))
