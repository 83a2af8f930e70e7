"""Old stores open with today's code, new ones are made once, and what cannot be opened says why without a secret."""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import apsw
import psycopg
import pytest

import reverie
from reverie.clock import CountingIds, FixedClock, from_us
from reverie.errors import InvalidInput, StoreError, StoreTooNew
from reverie.opening import open_store
from reverie.settings import Settings
from reverie.store.postgres import connection
from reverie.store.queries import migrations
from reverie.text.normalise import norm_hash, text_hash
from servers import named

RELEASED = sorted((Path(__file__).parents[1] / "data" / "released").glob("sqlite_*.db.gz"))
# Fields that a newer version writes into every record of a type, with what an older record has there.
ADDED = {
    "run": {"steps": []},
    "signal": {"predicted": None, "corrected": None, "strength": "normal"},
    "reverie-export": {"grammar": 1},
}
AFTER = datetime(2026, 8, 1, tzinfo=UTC)
TENANTS = ["acme", "other"]


@pytest.fixture(params=RELEASED, ids=lambda path: path.name.split(".")[0])
def released(request, tmp_path):
    """A store as an older version left it, and the exports it gave of itself by tenant."""
    path = tmp_path / "old.db"
    with gzip.open(request.param) as packed, path.open("wb") as out:
        shutil.copyfileobj(packed, out)
    with gzip.open(request.param.with_name(request.param.name.replace(".db.gz", ".json.gz"))) as packed:
        return path, json.load(packed)


def opened(path, tenant: str = "acme") -> reverie.Reverie:
    return reverie.open(
        path,
        "notes",
        tenant=tenant,
        embedder="none",
        clock=FixedClock(AFTER),
        ids=CountingIds(10_000),
        channel="person",
    )


def as_of_today(records: list[dict]) -> list[dict]:
    return [ADDED.get(r["type"], {}) | r for r in records]


# the embedded store
def test_every_released_schema_is_kept():
    """The last schema is the one in work: the others have been released, and a file of each is opened below."""
    assert RELEASED and len(RELEASED) >= len(migrations("sqlite")) - 1
    assert [int(p.name[7:11]) for p in RELEASED] == list(range(1, len(RELEASED) + 1))


@pytest.mark.parametrize("tenant", TENANTS)
def test_an_old_store_says_what_it_said(released, tenant):
    path, exports = released
    for _ in range(2):  # opening it twice is fine
        with opened(path, tenant) as mem:
            assert list(mem.export(journal=True)) == as_of_today(exports[tenant])
            assert mem.check_journal() and mem.check_journal().entries > 20
            found = mem.doctor()
            assert found["ok"] and not found["problems"]
            assert found["facts"]["schema"] == len(migrations("sqlite"))


@pytest.mark.parametrize("tenant", TENANTS)
def test_an_old_store_goes_on(released, tenant):
    path, exports = released
    before = {r["id"]: r for r in exports[tenant] if r["type"] == "memory"}
    with opened(path, tenant) as mem:
        hits = mem.recall("Which room does guest 0 sleep in?", 50)
        assert hits and {h.memory.id for h in hits} <= {i for i, m in before.items() if m["state"] == "live"}
        some = next(m for m in before.values() if m["state"] == "live" and len(m["text"].split()) > 3)
        assert some["id"] in {i for h in mem.recall(some["text"], 50) for i in (h.memory.id, *h.also)}
        got = mem.remember("What was never written before.")
        assert not got.restated and mem.remember(some["text"], some["kind"]).restated
        run = mem.curate()
        assert not run.errors and not run.skipped and not mem.curate().entries
        assert mem.history(some["id"]).sightings
        assert mem.check_journal() and mem.doctor()["ok"]
        other = TENANTS[1 - TENANTS.index(tenant)]
    with opened(path, other) as mem:
        assert list(mem.export(journal=True)) == as_of_today(exports[other])


@pytest.mark.parametrize("tenant", TENANTS)
def test_what_an_old_version_did_can_be_undone(released, tenant):
    path, exports = released
    last = [r for r in exports[tenant] if r["type"] == "run" and r["cycle"] == "tidy"][-1]
    applied = [
        e for e in exports[tenant] if e["type"] == "entry" and e["run"] == last["id"] and e["status"] == "applied"
    ]
    with opened(path, tenant) as mem:
        undone = mem.undo(last["id"])
        assert len(undone) == len(applied) > 0 and not undone.conflicts
        for entry in applied:
            for id_, columns in entry["before"].items():
                assert {c: getattr(mem.get(id_), c) for c in columns} == columns
        assert mem.check_journal()
        mem.undo(undone.id)  # and done again
        rows = {r["id"]: r for r in mem.export() if r["type"] == "memory"}
        for entry in applied:
            assert all(rows[id_][c] == v for id_, columns in entry["after"].items() for c, v in columns.items())


def test_an_old_store_moves_to_postgresql(released, server, tmp_path):
    path, exports = released
    url = server.database()
    with opened(path) as old, opened(url) as new:
        old.export(tmp_path / "old.jsonl", journal=True)
        new.import_export(tmp_path / "old.jsonl")
        assert list(new.export(journal=True)) == as_of_today(exports["acme"])
        assert new.check_journal() and new.doctor()["ok"]
        assert [p.move for p in new.plan().proposals] == [p.move for p in old.plan().proposals]
    server.drop(url)


def test_past_queries_outlive_a_migration(released):
    """No export holds them; a table of theirs was made anew."""
    c = apsw.Connection(str(released[0]))
    asked = c.execute(
        "SELECT q.text, count(*) FROM recall_query q JOIN recall_hit h ON h.query = q.n GROUP BY q.n"
    ).fetchall()
    c.close()
    kept = []
    for tenant in TENANTS:
        with opened(released[0], tenant) as mem, mem._scope.read() as r:
            whole = list(r.dump(journal=True, whole=True))
            kept += [(fields["text"], len(fields["hits"])) for kind, fields in whole if kind == "query"]
    assert sorted(kept) == sorted(asked) != []


def test_what_waited_for_the_curator_goes_on_waiting(released):
    """The migration knows since when at the latest: since the namespace was last used."""
    c = apsw.Connection(str(released[0]))
    c.execute("UPDATE memory SET uncurated = 1 WHERE scope = (SELECT scope FROM scope WHERE tenant = 'acme')")
    names = {name for _, name, *_ in c.execute("PRAGMA table_info(scope)")}
    column = "waiting_since" if "waiting_since" in names else "used_at"  # a later schema says so itself
    (told,) = c.execute(f"SELECT {column} FROM scope WHERE tenant = 'acme'").fetchone()
    c.close()
    since = []
    for tenant in TENANTS:
        with opened(released[0], tenant) as mem, mem._scope.read() as r:
            since.append(r.waiting_since())
            assert bool(r.count()["uncurated"]) == (tenant == "acme")
    assert since == [from_us(told), None]


def test_a_migrated_store_has_the_schema_of_a_new_one(released, tmp_path):
    """Column for column and index for index, whatever the order in which they came."""
    open_store(str(released[0]), Settings()).close()
    open_store(str(tmp_path / "new.db"), Settings()).close()
    shapes = []
    for path in (released[0], tmp_path / "new.db"):
        c = apsw.Connection(str(path))
        tables = [r[0] for r in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
        columns = {t: sorted(r[1:] for r in c.execute(f"PRAGMA table_xinfo({t})")) for t in tables}
        indexes = sorted(
            c.execute("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        )
        shapes.append((columns, indexes))
        c.close()
    assert shapes[0] == shapes[1]


# both stores
@pytest.fixture(params=["sqlite", "postgres"])
def nothing(request, tmp_path):
    """A place where no store has been yet."""
    if request.param == "sqlite":
        yield str(tmp_path / "new.db")
        return
    server = request.getfixturevalue("server")
    url = server.database(template=None)
    yield url
    server.drop(url)


def test_a_fresh_store_gets_the_schema(nothing):
    dialect = "postgres" if "://" in nothing else "sqlite"
    for _ in range(2):
        store = open_store(nothing, Settings())
        assert store.facts()["schema"] == len(migrations(dialect))
        assert store.scopes() == [] and store.problems() == []
        store.close()
    with opened(nothing) as mem:
        mem.remember("the first note")
        assert [m.text for m in mem.memories()] == ["the first note"]


def test_threads_that_open_an_empty_store_at_once_all_succeed(nothing):
    ready = threading.Barrier(6)
    came: list[object] = []

    def work(n: int) -> None:
        ready.wait()
        try:
            with opened(nothing, f"t{n}") as mem:
                came.append(mem.remember(f"note {n}").restated)
        except BaseException as error:
            came.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert came == [False] * 6


def test_processes_that_open_an_empty_store_at_once_all_succeed(nothing):
    program = (
        "import sys, reverie; print('ready', flush=True); sys.stdin.readline()\n"
        "with reverie.open(sys.argv[1], tenant=sys.argv[2], embedder='none') as mem: print(mem.remember('a note').restated)"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, nothing, f"t{n}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        for n in range(3)
    ]  # fmt: skip
    for p in started:
        assert p.stdout.readline() == "ready\n"
    for p in started:
        p.stdin.write("go\n")
        p.stdin.flush()
    assert [p.communicate(timeout=60) for p in started] == [("False\n", "")] * 3


@pytest.mark.parametrize("how_much", [1, 98])
def test_a_store_of_a_newer_version_is_left_alone(nothing, request, how_much):
    store = open_store(nothing, Settings())
    newer = store.facts()["schema"] + how_much
    store.close()
    if "://" in nothing:
        request.getfixturevalue("server").tamper(nothing, f"UPDATE meta SET value = '{newer}' WHERE name = 'schema'")
    else:
        c = apsw.Connection(nothing)
        c.execute(f"PRAGMA user_version = {newer}")
        c.close()
    for _ in range(2):
        with pytest.raises(StoreTooNew, match=rf"schema {newer}.*upgrade"):
            opened(nothing)


# PostgreSQL
def test_a_migration_that_fails_leaves_nothing(server, monkeypatch):
    url = server.database(template=None)
    broken = [(1, "0001_broken.sql", "CREATE TABLE meta (name text PRIMARY KEY, value text); SELECT 1 / 0")]
    with monkeypatch.context() as patch:
        patch.setattr(connection, "migrations", lambda dialect: broken)
        with pytest.raises(StoreError, match="division by zero"):
            opened(url)
    with psycopg.connect(url) as c:
        assert c.execute("SELECT to_regnamespace('reverie')").fetchone() == (None,)
    opened(url).close()
    server.drop(url)


def bare(server) -> str:
    """A database that has no extension yet, owned by the ordinary role."""
    url = server.database(template=None)
    server.tamper(url, "DROP EXTENSION vector")
    return url


def test_a_server_without_pgvector_is_told_what_to_do(server, monkeypatch):
    url = bare(server)
    with monkeypatch.context() as patch:
        patch.setitem(connection.Q, "create_extension", "CREATE EXTENSION IF NOT EXISTS vector_that_is_nowhere")
        with pytest.raises(StoreError, match=r"no pgvector.*install pgvector 0\.8.*CREATE EXTENSION vector"):
            opened(url)
    with psycopg.connect(url) as c:  # nothing half made is left
        assert c.execute("SELECT to_regnamespace('reverie')").fetchone() == (None,)
    server.tamper(url, "CREATE EXTENSION vector")
    opened(url).close()
    server.drop(url)


def test_a_role_that_may_not_make_the_extension_is_told_what_to_do(server):
    url = bare(server)
    with psycopg.connect(server.of(named(url))) as c:
        found = c.execute(
            "SELECT trusted FROM pg_available_extension_versions WHERE name = 'vector' ORDER BY version DESC LIMIT 1"
        ).fetchone()
    if found and found[0]:
        opened(url).close()  # the owner of a database may make a trusted extension
        server.drop(url)
        pytest.skip("pgvector is a trusted extension on this server: whoever may make the schema may make it")
    with pytest.raises(StoreError, match=r"no pgvector.*CREATE EXTENSION vector as an administrator"):
        opened(url)
    server.drop(url)


def test_a_role_that_may_make_nothing_is_told_so(server):
    url = server.database(template=None)
    server.tamper(url, f"ALTER DATABASE {named(url)} OWNER TO postgres")
    with pytest.raises(StoreError, match="GRANT CREATE ON DATABASE"):
        opened(url)
    server.drop(url)


@pytest.fixture(scope="module")
def locked(server):
    """The URL of a role that must give its password, with PASSWORD in its place."""
    server._run("CREATE ROLE locked LOGIN PASSWORD 'the right one'")
    with psycopg.connect(server.admin, autocommit=True) as c:
        (path,) = c.execute("SHOW hba_file").fetchone()
        (old,) = c.execute("SELECT pg_read_file(%s)", [path]).fetchone()
        lines = ["local all locked scram-sha-256", "host all locked all scram-sha-256", *old.splitlines()]
        tell = psycopg.sql.SQL("COPY (SELECT unnest(CAST({} AS text[]))) TO {}").format(lines, path)
        c.execute(tell)
        c.execute("SELECT pg_reload_conf()")
    url = server.url("template_reverie").replace("//reverie@", "//locked:PASSWORD@")
    for _ in range(10_000):  # the server reads its file in its own time
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return url
    pytest.fail("the server asks for no password")


def refused(url: str, secrets: list[str], within: float = 8.0) -> str:
    """Opening fails with a StoreError, soon, and neither it nor what it came from shows a secret."""
    start = time.monotonic()
    with pytest.raises(StoreError) as caught:
        reverie.open(url, embedder="none")
    assert time.monotonic() - start < within
    said: list[str] = []
    error: BaseException | None = caught.value
    while error is not None:
        said.append(str(error))
        error = error.__cause__ or error.__context__
    assert not [s for s in secrets for line in said if s in line]
    return said[0]


def test_a_wrong_password_is_told_and_not_shown(locked):
    assert "password authentication failed" in refused(locked.replace("PASSWORD", "hunter2"), ["hunter2"])
    refused(locked.replace("PASSWORD", "p%40ss%2Fword"), ["p@ss/word", "p%40ss%2Fword"])
    assert "no password supplied" in refused(locked.replace(":PASSWORD", ""), [])
    with pytest.raises(StoreError, match="permission denied"):  # the right one comes in, and may nothing
        reverie.open(locked.replace("PASSWORD", "the%20right%20one"), embedder="none")


def test_a_role_or_a_database_that_is_not_there_is_told(server):
    url = server.url("template_reverie")
    assert '"nobody" does not exist' in refused(url.replace("reverie@", "nobody:hunter2@"), ["hunter2"])
    assert '"nowhere" does not exist' in refused(
        server.url("nowhere").replace("reverie@", "reverie:hunter2@"), ["hunter2"]
    )


@pytest.mark.parametrize(
    "url",
    ["postgresql://me:hunt%zzer2@h/db", "postgresql://me:hunter2@[::bad/db", "postgresql://me:hunter2@h/db?nonsense=1"],
)
def test_what_is_no_url_is_refused_and_not_shown(url):
    with pytest.raises((InvalidInput, StoreError)) as caught:
        reverie.open(url, embedder="none")
    assert "hunt" not in str(caught.value)


def test_a_role_for_which_an_administrator_has_made_the_schema_can_open_it(server):
    url = server.database(template=None)
    server.tamper(url, f"ALTER DATABASE {named(url)} OWNER TO postgres", "CREATE SCHEMA reverie AUTHORIZATION reverie")
    opened(url).close()


@pytest.fixture
def port():
    """A port of this machine on which nobody listens."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        yield s.getsockname()[1]


@pytest.mark.parametrize("query", ["", "?sslmode=require", "?password=hunter2"])
def test_an_unreachable_server_is_told(port, query):
    said = refused(f"postgresql://reverie:hunter2@127.0.0.1:{port}/notes{query}", ["hunter2"])
    assert f"postgresql://127.0.0.1:{port}/notes" in said


def test_a_host_without_a_name_is_told():
    refused("postgresql://reverie:hunter2@host.invalid/notes", ["hunter2"])


@pytest.mark.slow
def test_a_server_that_never_answers_is_given_up():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        refused(f"postgresql://reverie:hunter2@127.0.0.1:{s.getsockname()[1]}/notes", ["hunter2"], within=15)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:hunter2@host/notes",
        "sqlite://notes.db",
        "http://host/",
        "POSTGRES+psycopg://host/notes",
        "://",
        "x://",
    ],
)
def test_a_scheme_without_a_store_is_refused(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="postgresql://") as caught:
        reverie.open(url, embedder="none")
    assert "hunter2" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_both_names_of_the_scheme_are_known(server, scheme):
    url = server.database()
    with reverie.open(url.replace("postgresql://", f"{scheme}://"), embedder="none") as mem:
        assert mem.doctor()["facts"]["store"] == "postgresql"
    server.drop(url)


def test_numbers_of_migrations_leave_no_gap():
    for dialect in ("sqlite", "postgres"):
        assert [n for n, _, _ in migrations(dialect)] == list(
            itertools.islice(itertools.count(1), len(migrations(dialect)))
        )


def test_an_older_schema_of_postgresql_is_brought_up_to_date(server, monkeypatch):
    """Made by the first migration alone, filled as that version filled it, and opened by today's code."""
    url = server.database(template=None)
    with monkeypatch.context() as then:
        then.setattr(connection, "migrations", lambda dialect: migrations(dialect)[:1])
        open_store(url, Settings()).close()
    columns = (
        "tenant, namespace, id, kind, text, text_hash, norm_hash, principal, channel, trust, written_at, stated_at, curated_at, "
        "importance, utility, strength, half_life_days, confidence, state, uncurated, mod"
    )
    rows = []
    for n, text in enumerate(("Robin lives in Berlin.", "Robin moved to Lisbon.")):
        us = 1_767_225_600_000_000 + n * 86_400_000_000
        hashes = f"'\\x{text_hash(text).hex()}', '\\x{norm_hash(text).hex()}'"
        rows.append(
            f"INSERT INTO memory ({columns}) VALUES ('acme', 'notes', '{n:026d}', 'fact', '{text}', {hashes}, 'local', 'person', "
            f"'trusted', {us}, {us}, {us}, 0.5, 0.5, 1, 30, 'default', 'live', 0, 1)"
        )
    scope = "INSERT INTO scope (tenant, namespace, grammar, mod) VALUES ('acme', 'notes', 1, 1)"
    signal = (
        "INSERT INTO signal (tenant, namespace, memory, type, source, at) VALUES "
        f"('acme', 'notes', '{0:026d}', 'reclassify_pending', 'curator', 1767225600000000)"
    )
    server.tamper(url, scope, *rows, signal)
    with opened(url) as mem:
        assert mem.doctor()["facts"]["schema"] == len(migrations("postgres"))
        assert [(s.type, s.strength, s.predicted) for s in mem.signals()] == [("reclassify_pending", "normal", None)]
        assert mem.curate().counts["superseded"] == 1  # examined again, by steps that had not seen it
        assert [m.text for m in mem.memories()] == ["Robin moved to Lisbon."]
    server.drop(url)
