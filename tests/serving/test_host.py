"""Keys, rights, shared namespaces and jobs: what every door of a server stands on. On both stores."""

from __future__ import annotations

import inspect

import pytest

from reverie.errors import Forbidden, InvalidInput, NotFound, Stale, TooMany, Unauthorised
from reverie.memory import Reverie
from reverie.model import Channel
from reverie.serving import keys, rights
from reverie.serving.host import Host
from reverie.serving.jobs import Jobs, Runner
from reverie.settings import Settings


class Seconds:
    """A clock that only goes forward, when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def host(url, clock, ids, seconds):
    opened = Host(url, settings=Settings(), clock=clock, ids=ids, embedder="hashing:32", seconds=seconds)
    yield opened
    opened.close()


def key(host, **given):
    return keys.create(host.store, host.clock, **({"name": "ana"} | given))[0]


def caller(host, **given):
    return host.caller(key(host, **given))


# rights
NOT_FOR_DOORS = {
    "close",
    "flush",
    "speaking",
    "look_again",
    "scope",
    "settings",
    "store_path",
    "store_made",
    "trouble",
    "rows_of",
    "store",
}


def test_every_verb_of_the_facade_has_a_right():
    """A new verb goes through no door before somebody has said which right it takes."""
    public = {n for n, _ in inspect.getmembers(Reverie) if not n.startswith("_")}
    assert public - NOT_FOR_DOORS == set(rights.VERBS) & public
    assert set(rights.VERBS) - public - {"erase", "erasures", "finish_erasures", "reapply"} == {"keys", "metrics"}
    assert set(rights.VERBS.values()) == {*rights.RIGHTS, rights.OPERATOR}


@pytest.mark.parametrize("verb", sorted(v for v, right in rights.VERBS.items() if right != rights.OPERATOR))
def test_a_verb_takes_its_right(host, verb):
    right = rights.VERBS[verb]
    others = [r for r in rights.RIGHTS if r != right]
    assert caller(host, allow=[right]).may(verb)
    assert caller(host, allow=[verb]).may(verb)
    refused = caller(host, allow=others)
    assert not refused.may(verb)
    if hasattr(Reverie, verb):
        with pytest.raises(Forbidden, match="does not allow"):
            refused.on("notes").call(verb)


def test_what_is_no_verb_is_not_there(host):
    mem = caller(host, allow=["owner"]).on("notes")
    for name in ("close", "_scope", "_writer", "speaking", "flush", "nonsense"):
        with pytest.raises((AttributeError, InvalidInput)):
            mem.call(name)
        assert not hasattr(mem, name)


# keys
def test_a_key_is_kept_as_a_hash_alone(host):
    text = key(host)
    secret = text.rsplit("_", 1)[1]
    (kept,) = host.store.keys("default")
    assert secret not in repr(kept)
    assert host.caller(text).key == kept


@pytest.mark.parametrize("wrong", [None, "", "rv_", "rv_aaaaaaaaaaaa_" + "b" * 32, "é" * 50, "rv_" + "a" * 1_000, "\0"])
def test_no_key_and_a_wrong_key_say_the_same(host, wrong):
    key(host)
    with pytest.raises(Unauthorised, match="give a valid key"):
        host.caller(wrong)


def test_a_secret_of_another_key_opens_nothing(host):
    one, two = key(host), key(host, name="ben")
    mixed = one[:16] + two[16:]
    with pytest.raises(Unauthorised):
        host.caller(mixed)


def test_a_revoked_key_is_refused_within_seconds(host, seconds):
    text = key(host)
    found = host.caller(text).key
    keys.revoke(host.store, host.clock, "default", found.id)
    seconds.now += keys.KNOWN_SECONDS + 0.1
    with pytest.raises(Unauthorised):
        host.caller(text)
    with pytest.raises(NotFound):
        keys.revoke(host.store, host.clock, "default", found.id)
    with pytest.raises(NotFound):
        keys.revoke(host.store, host.clock, "other", found.id)


def test_a_key_ends_with_its_days(host, clock):
    text = key(host, days=3)
    clock.advance(days=2.9)
    host.caller(text)
    clock.advance(days=0.2)
    with pytest.raises(Unauthorised):
        host.caller(text)


@pytest.mark.parametrize(
    "given",
    [
        {"name": ""}, {"name": "a\nb"}, {"allow": []}, {"allow": ["nonsense"]}, {"namespaces": []}, {"namespaces": ["a*b"]},
        {"channel": "curator"}, {"channel": "nobody"}, {"days": 0}, {"limits": {"nonsense": 1}},
        {"limits": {"requests_per_minute": 0}}, {"tenant": ""},
    ],
)  # fmt: skip
def test_a_key_that_cannot_be_is_not_made(host, given):
    with pytest.raises(InvalidInput):
        key(host, **given)
    assert host.store.keys_in_force(host.clock.now()) == 0


# callers
def test_origin_comes_from_the_key(host):
    mem = caller(host, principal="ana", channel="person").on("notes", session="s1")
    got = mem.get(mem.remember("The port is 80.").id)
    assert (got.origin.principal, got.origin.channel, got.origin.session) == ("ana", Channel.PERSON, "s1")
    assert got.trust == "trusted"
    other = caller(host, name="bot").on("notes")
    assert other.get(got.id) == got
    assert other.get(other.remember("The gate is red.").id).trust == "provisional"


def test_a_tenant_sees_its_own(host):
    ours = caller(host, tenant="acme", namespaces=["notes"])
    theirs = caller(host, tenant="other", namespaces=["*"], allow=["owner"])
    id_ = ours.on("notes").remember("The port is 80.").id
    assert theirs.on("notes").recall("port") == []
    with pytest.raises(NotFound):
        theirs.on("notes").get(id_)
    with pytest.raises(NotFound):
        ours.on("private")
    assert ours.namespaces() == ["notes"] and theirs.namespaces() == []


def test_names_of_namespaces_may_end_in_a_star(host):
    some = caller(host, namespaces=["user-*", "shared"])
    for name in ("user-", "user-7", "shared"):
        some.on(name)
    for name in ("user", "shared2", "other", "*"):
        with pytest.raises(NotFound):
            some.on(name)


def test_a_revision_that_was_not_read_is_refused(host):
    mem = caller(host, channel="person", allow=["owner"]).on("notes")
    id_ = mem.remember("The port is 80.").id
    read = mem.get(id_).revision
    mem.pin(id_, revision=read)
    for verb, given in (("pin", [False]), ("verify", []), ("forget", []), ("restore", []), ("revise", ["The port is 81."]),
                        ("reclassify", ["concept"]), ("weigh", [0.5])):  # fmt: skip
        before = mem.get(id_)
        with pytest.raises(Stale, match=f"at revision {before.revision}, not {read}"):
            mem.call(verb, id_, *given, revision=read)
        assert mem.get(id_) == before


def test_settings_of_a_namespace_are_seen_by_every_process(host, url, clock, ids, seconds):
    mem = caller(host, allow=["owner"]).on("notes")
    mem.remember("The port is 80.")
    with Reverie_of(url, clock) as elsewhere:
        elsewhere.set("recall_limit", 3)
    seconds.now += 3
    assert caller(host).on("notes").settings.recall_limit == 3
    mem.set("recall_limit", 4)
    assert caller(host, name="c").on("notes").settings.recall_limit == 4


def Reverie_of(url, clock):
    import reverie

    return reverie.open(url, "notes", embedder="hashing:32", clock=clock)


# pages
def test_pages_go_on_where_the_last_ended(host):
    mem = caller(host).on("notes")
    ids = [mem.remember(f"Number {n} is taken.", kind="fact" if n % 2 else "concept").id for n in range(25)]
    found, cursor, sizes = [], None, []
    while True:
        page = mem.browse(cursor=cursor, limit=10)
        found += [m.id for m in page.memories]
        sizes.append(len(page.memories))
        cursor = page.cursor
        if cursor is None:
            break
    assert found == ids[::-1] and sizes == [10, 10, 5]
    assert [m.id for m in mem.browse(kind="concept", limit=1_000).memories] == ids[::-2]
    assert mem.browse(state="archived").memories == () and mem.browse(trust="trusted").memories == ()
    for wrong in ("x", "-1", "", "0", "9" * 40, 3):
        with pytest.raises(InvalidInput):
            mem.browse(cursor=wrong)


# limits
def test_a_rate_is_kept(host, seconds):
    ring, found = host.ring, caller(host, limits={"requests_per_minute": 60}).key
    for _ in range(60):
        ring.count(found)
    with pytest.raises(TooMany) as refused:
        ring.count(found)
    assert 0 < refused.value.seconds <= 1
    seconds.now += 1.01
    ring.count(found)
    with pytest.raises(TooMany):
        ring.count(found)


def test_a_day_s_limit_holds_across_processes_and_ends_with_the_day(host, url, clock, ids, seconds):
    text = key(host, limits={"writes_per_day": 10, "bytes_per_day": 1_000})
    other = Host(url, settings=Settings(), clock=clock, ids=ids, embedder="none", seconds=seconds)
    try:
        for at in (host, other):
            for _ in range(5):
                at.ring.count(at.caller(text).key, writes=1, bytes_=10)
            at.ring.flush()
        host.ring.flush()
        host.ring.count(host.caller(text).key)  # reading goes on
        with pytest.raises(TooMany, match="writes_per_day"):
            other.ring.count(other.caller(text).key, writes=1)
        with pytest.raises(TooMany, match="bytes_per_day"):
            other.ring.count(other.caller(text).key, bytes_=2_000)
        assert other.ring.used(other.caller(text).key).writes == 10
        clock.advance(days=1)
        other.ring.count(other.caller(text).key, writes=1)
    finally:
        other.close()


# jobs
@pytest.fixture
def jobs(host):
    made = Jobs(host, Runner(host))
    yield made
    made.close()


def ended(jobs, who, id_, namespace="notes"):
    seen = None
    while seen is None or seen.status in ("waiting", "running"):
        seen = jobs.wait(who, namespace, id_, seen, 10)
    return seen


def test_a_job_curates_and_is_told_of_everywhere(host, jobs, url, clock, ids):
    who = caller(host)
    mem = who.on("notes")
    for text in ("Ana lives in Oslo.", "Note: Ana lives in Oslo."):
        mem.remember(text)
    asked = jobs.curate(who, "notes")
    done = ended(jobs, who, asked.id)
    assert done.status == "done" and done.run == mem.runs()[0].id and done.finished_at
    other = Host(url, settings=Settings(), clock=clock, ids=ids, embedder="none")
    try:
        elsewhere = Jobs(other)
        again = elsewhere.get(other.caller(key(host, name="b")), "notes", asked.id)
        assert (again.status, again.run) == ("done", done.run)
        assert [j.id for j in elsewhere.all(other.caller(key(host, name="c")), "notes")] == [asked.id]
        elsewhere.close()
    finally:
        other.close()
    for wrong in ("nothing", "\0", "é"):
        with pytest.raises(NotFound):
            jobs.get(who, "notes", wrong)
    with pytest.raises(Forbidden):
        jobs.curate(caller(host, allow=["reader"]), "notes")
    with pytest.raises(InvalidInput):
        jobs.curate(who, "notes", "nonsense")
    with pytest.raises(NotFound):
        jobs.get(caller(host, tenant="other"), "notes", asked.id)


def test_a_job_is_stopped_from_another_process(host, jobs, url, clock, ids, monkeypatch):
    """The judge takes its time; whoever asks for the end is heard with the next beat."""
    import threading

    began = threading.Event()

    def slow(self, cycle="tidy", *, ask=True, stop=bool, pause=None, tell=None):
        began.set()
        while not stop():
            pause(0.05)
        return Reverie.plan_and_stop(self)

    def stopped(self):
        with self._leasehold() as lease:
            return self._executor(lease, lambda: True).apply(self.plan())

    monkeypatch.setattr(Reverie, "plan_and_stop", stopped, raising=False)
    monkeypatch.setattr(Reverie, "curate", slow)
    who = caller(host)
    who.on("notes").remember("Ana lives in Oslo.")
    asked = jobs.curate(who, "notes")
    began.wait(10)
    other = Host(url, settings=Settings(), clock=clock, ids=ids, embedder="none")
    try:
        elsewhere = Jobs(other)
        assert elsewhere.stop(other.caller(key(host, name="b")), "notes", asked.id).stop
        assert ended(jobs, who, asked.id).status == "stopped"
        elsewhere.close()
    finally:
        other.close()


def test_a_job_whose_process_died_is_lost(host, jobs, clock):
    from reverie.store.records import JobRecord

    who = caller(host)
    mem = who.on("notes")
    mem.remember("Ana lives in Oslo.")
    now = clock.now()
    gone = JobRecord("J1", "curate", "running", "ana", now, now, {}, {})
    host.store.scope(mem.scope).transact(lambda tx: tx.add_job(gone, forget_before=now))
    assert jobs.get(who, "notes", "J1").status == "running"
    clock.advance(seconds=31)
    assert jobs.get(who, "notes", "J1").status == "lost"
    assert jobs.all(who, "notes")[0].status == "lost"


def test_what_fails_in_a_job_is_kept(host, jobs, monkeypatch):
    def broken(self, *_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(Reverie, "curate", broken)
    who = caller(host)
    asked = jobs.curate(who, "notes")
    done = ended(jobs, who, asked.id)
    assert (done.status, done.error) == ("failed", "ZeroDivisionError")
