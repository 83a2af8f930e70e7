"""PostgreSQL's row-level security is a second wall: a statement that forgets its scope still sees and touches one only."""

from __future__ import annotations

import random

import psycopg
import pytest

import reverie
from reverie.clock import CountingIds, FixedClock
from reverie.errors import NotFound
from reverie.model import Scope, State
from reverie.settings import Settings
from reverie.store.codec import GENESIS
from reverie.store.postgres.store import PostgresStore
from reverie.store.records import ErasureRecord, JobRecord, Pair
from servers import named

# Without the policy, and why: a scope's row holds no text and is looked up by name to enter; full-text search cannot use
# its index behind a policy, so its words carry the scope themselves.
EXCEPTIONS = {"scope", "memory_text"}
HERE, THERE = Scope("acme", "notes"), Scope("other", "notes")


@pytest.fixture(scope="module")
def full(server):
    """The URL of a database in which two tenants have a row in every table."""
    url = server.database()
    for scope in (HERE, THERE):
        fill(url, scope)
    yield url
    server.drop(url)


def fill(url: str, scope: Scope) -> None:
    clock = FixedClock()
    with reverie.open(
        url,
        scope.namespace,
        tenant=scope.tenant,
        embedder="hashing:32",
        clock=clock,
        ids=CountingIds(),
        channel="person",
    ) as mem:
        for text in ("Ana lives in Oslo.", "Note: Ana lives in Oslo.", "The port is 80.", "The gate is red."):
            mem.remember(text)
        mem.undo(mem.curate().id)
        mem.remember("The gate is blue.", key="gate")
        mem.remember("The gate is green now.", key="gate")
        mem.set("recall_limit", 3)
        mem.set("blast_run_rows", 0)
        mem.set("blast_run_share", 0)
        mem.remember("nobody will miss this", importance=0.1)
        clock.advance(days=200)
        assert mem.curate().parked
        mem.recall("the gate")
        mem.flush()
        some = mem.memories()[0].id

        def rest(tx):
            tx.add_signal(some, "reclassify_pending", "curator", clock.now())
            tx.claim_slot("tidy", "1", clock.now(), with_model=False)
            tx.note_steps("tidy", {"exact": None}, clock.now())
            tx.note_pairs([Pair(some, some + "x", 0.9, "collapse", "wording", "waiting", clock.now())])
            tx.keep_verdicts([(b"k" * 16, [b"h" * 16], "{}", "m")], clock.now())
            tx.eraser().receipt(ErasureRecord("e", clock.now(), "local", {"id": "e"}))
            now = clock.now()
            tx.add_job(JobRecord("j", "curate", "waiting", "ana", now, now, {}, {}), forget_before=now)
            tx.begin_answer(b"t" * 16, b"r" * 16, now, forget_before=now)
            tx.begin_call(clock.now(), run="r", model="m", purpose="Relate", questions=1, tokens=1, cost=0)

        mem._scope.transact(rest)


@pytest.fixture
def inside(full):
    """A connection as the ordinary role, in a transaction that has entered `HERE`."""
    store = PostgresStore(full)
    session = store.begin(HERE, write=True)
    session.answer_at_once()
    yield session.connection
    store.give_back(session.connection)
    store.close()


def scoped_tables(connection) -> set[str]:
    """The tables that have both columns of a scope."""
    found = connection.execute(
        """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
        WHERE c.relnamespace = 'reverie'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname IN ('tenant', 'namespace')
        GROUP BY 1 HAVING count(*) = 2"""
    )
    return {str(r[0]) for r in found}


def walled(connection) -> list[str]:
    """The tables that the wall should stand around."""
    tables = sorted(scoped_tables(connection) - EXCEPTIONS)
    assert len(tables) >= 18
    return tables


def tenants(connection, table: str) -> set[tuple[str, str]]:
    return set(connection.execute(f"SELECT tenant, namespace FROM reverie.{table}").fetchall())


def test_every_table_with_a_scope_is_behind_the_wall_or_named_here(server, full):
    with psycopg.connect(server.of(named(full))) as c:
        secured = c.execute(
            """SELECT c.relname FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
            WHERE c.relnamespace = 'reverie'::regnamespace AND c.relrowsecurity AND c.relforcerowsecurity
              AND p.polcmd = '*' AND p.polpermissive AND p.polroles = '{0}'"""
        )
        names = [str(r[0]) for r in secured]
        assert len(names) == len(set(names)), "two policies on one table: permissive ones open it further"
        assert set(names) == scoped_tables(c) - EXCEPTIONS
        every = {
            r[0]
            for r in c.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'reverie' AND tablename NOT LIKE 'procrastinate%'"
            )
        }
        # What is shared by all scopes: versions, calibrations, names of models; keys, which stand above them.
        assert every == scoped_tables(c) | {"meta", "model", "api_key", "key_use"}


def test_the_fixture_has_rows_of_both_tenants_in_every_table(server, full):
    with psycopg.connect(server.of(named(full))) as c:
        for table in scoped_tables(c):
            assert tenants(c, table) == {("acme", "notes"), ("other", "notes")}, table


def test_a_select_without_a_where_sees_one_scope(inside):
    for table in walled(inside):
        assert tenants(inside, table) == {("acme", "notes")}, table
        assert inside.execute(f"SELECT count(*) FROM {table} WHERE tenant = 'other'").fetchone() == (0,)


def test_an_update_or_delete_without_a_where_touches_one_scope(server, full, inside):
    with psycopg.connect(server.of(named(full)), autocommit=True) as admin:
        for table in walled(inside):
            here, everywhere = (
                c.execute(f"SELECT count(*) FROM reverie.{table}{where}").fetchone()[0]
                for c, where in ((admin, " WHERE tenant = 'acme'"), (admin, ""))
            )
            assert 0 < here < everywhere
            assert inside.execute(f"UPDATE {table} SET tenant = tenant").rowcount == here, table
            with inside.transaction(force_rollback=True):
                assert inside.execute(f"DELETE FROM {table}").rowcount == here, table


def test_a_row_cannot_be_put_or_moved_into_another_scope(inside):
    for table in walled(inside):
        columns = [
            str(r[0])
            for r in inside.execute(
                """SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
                AND attidentity = ''""",
                [table],
            )
        ]
        given = ", ".join({"tenant": "'other'"}.get(c, c) for c in columns)
        for statement in (
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {given} FROM {table}",
            f"UPDATE {table} SET tenant = 'other'",
            f"UPDATE {table} SET namespace = 'elsewhere'",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"), inside.transaction():
                inside.execute(statement)


def test_with_no_scope_entered_nothing_is_there(full):
    with psycopg.connect(full) as c:
        for table in walled(c):
            assert tenants(c, table) == set(), table
            assert c.execute(f"UPDATE reverie.{table} SET tenant = tenant").rowcount == 0
            assert c.execute(f"DELETE FROM reverie.{table}").rowcount == 0


def test_a_connection_that_goes_back_to_the_pool_forgets_its_scope(full):
    store = PostgresStore(full)
    with store.scope(HERE).read() as r:
        assert r.count()["live"]
    assert len(store.scopes()) == 2  # this sees all of them
    connection = store._pool.getconn()
    for table in walled(connection):
        assert tenants(connection, table) == set(), table
    store.give_back(connection)
    store.close()


def test_facts_tell_whether_the_wall_stands(server, full):
    """The control: what the tests above see is the policy's doing, as it does not hold an administrator."""
    ordinary, admin = PostgresStore(full), PostgresStore(server.of(named(full)))
    assert ordinary.facts()["row_level_security"] is True
    assert admin.facts()["row_level_security"] is False
    session = admin.begin(HERE, write=False)
    assert all(len(tenants(session.connection, t)) == 2 for t in walled(session.connection))
    admin.give_back(session.connection)
    with ordinary.scope(HERE).read() as r, admin.scope(HERE).read() as other:
        assert list(r.dump(journal=True, whole=True)) == list(other.dump(journal=True, whole=True))  # the first wall
    for store in (ordinary, admin):
        store.close()


@pytest.mark.parametrize("role", ["ordinary", "admin"])
def test_nobody_ever_reads_anothers_canary(server, role):
    """Many random reads of ten tenants, most of them for what another tenant has; as administrator the first wall stands alone."""
    url = server.database()
    store = PostgresStore(url if role == "ordinary" else server.of(named(url)), busy_seconds=5)
    names = [Scope(f"t{n}", "notes") for n in range(10)]
    ids = CountingIds()
    mems = [
        reverie.Reverie(store, s, settings=Settings(), clock=FixedClock(), ids=ids, embedder=None,
                        origin=reverie.Origin(), owns_store=False)
        for s in names
    ]  # fmt: skip
    made: list[list[str]] = []
    for n, mem in enumerate(mems):
        texts = [
            f"canary{n}x sings in the garden",
            f"the shared garden has gate {n} canary{n}x",
            "the same words for all",
        ]
        made.append(
            [mem.remember(t, metadata={"canary": f"canary{n}x"}, external_id=f"e{i}").id for i, t in enumerate(texts)]
        )
        mem.forget(made[-1][0])
    with store.scope(names[0]).read() as r:
        seqs = {seq for mem in mems for seq, _ in _pages(mem)}
        assert len(seqs) == 30 and r.count()["live"] == 2
    chance = random.Random(7)
    looks = [
        lambda r, n, other: r.rows(made[other]),
        lambda r, n, other: r.rows_by_seq(seqs),
        lambda r, n, other: r.rows_by_seq(r.postings("garden", 0)),
        lambda r, n, other: r.rows_by_seq(r.postings(f"canary{other}x", 0)),
        lambda r, n, other: r.find_external(["e0", "e1"]),
        lambda r, n, other: r.sightings(made[other]),
        lambda r, n, other: (r.links(made[other][0]), r.merged_ids(made[other][0]), r.entries(memory=made[other][0])),
        lambda r, n, other: (r.entries(), r.runs(), r.activity(50), r.parked(status=None)),
        lambda r, n, other: list(r.history_rows(None)) + list(r.changes(0, None)[1]) + list(r.changes(1, None)[1]),
        lambda r, n, other: (
            r.demotable(FixedClock().advance(days=9), 1.0, 50) + r.fading(FixedClock().advance(days=9), 50)
        ),
        lambda r, n, other: (r.uncurated(), r.shared_clauses(), r.without_vector("m", 50)),
        lambda r, n, other: list(r.dump(journal=True, whole=True)),
        lambda r, n, other: mems[n].recall(f"canary{other}x garden same words", 50, log=False),
        lambda r, n, other: mems[n].recall(f"canary{other}x", 50, states=["archived"]),
    ]
    for _ in range(600):
        n, other = chance.randrange(10), chance.randrange(10)
        with store.scope(names[n]).read() as r:
            shown = repr(chance.choice(looks)(r, n, other))
        for stranger in set(range(10)) - {n}:
            assert f"canary{stranger}x" not in shown
            assert not any(id_ in shown for id_ in made[stranger])
    for n, mem in enumerate(mems):
        with pytest.raises(NotFound):
            mem.get(made[n - 1][0])
        assert mem.journal()[-1].previous == GENESIS
        mem.close()
    store.close()
    server.drop(url)


def _pages(mem):
    with mem._scope.read() as r:
        return r.page(states=list(State))
