"""A server that hangs up, or is restarted: nothing acknowledged is lost, and an open handle goes on by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from backends import Axe, Stubborn, restart, slow_log_writer, start, stop
from checks import Canonical, broken_promises, canonical_of, differences, records, refuse, seeded, unsound
from program import build, rest

import reverie
from reverie.errors import LeaseHeld, StoreError
from reverie.memory import Reverie
from reverie.store import crashpoints

if TYPE_CHECKING:
    from servers import Server

CUTS = 12  # in one life of a client
LIVES, LIVES_SLOW = 3, 60
WRITERS, WRITES = 6, 25
Sound = Callable[[str, str], None]


@pytest.fixture
def database(server: Server) -> Any:
    """The URL of a new database."""
    url = server.database()
    yield url
    server.drop(url)


def ends_alike(axe: Axe, server: Server, url: str, expected: Canonical) -> tuple[list[str], Stubborn]:
    """Let a client live in this process while the axe falls; what was wrong in the end, and the client."""
    lines: list[str] = []
    client = Stubborn(axe, url, build(), lines.append)
    client.run()
    axe.settle()
    rest(url)
    held = records(url)
    wrong = unsound(url, server) + broken_promises(held, build(), lines) + differences(canonical_of(held), expected)
    return wrong, client


@pytest.mark.parametrize("lives", [LIVES, pytest.param(LIVES_SLOW, marks=pytest.mark.slow)])
@pytest.mark.parametrize("waits", [True, False], ids=["between statements", "while it works"])
@pytest.mark.timeout(2400)
def test_client_that_is_cut_off_at_any_statement_loses_nothing_and_ends_alike(
    server: Server, monkeypatch: pytest.MonkeyPatch, uninterrupted: Canonical, waits: bool, lives: int
) -> None:
    chance = seeded("cut off")
    failures = waited = ended = most = 0
    for life in range(lives + 1):  # the first one is not cut off: it counts the statements
        url = server.database()
        axe = Axe(server, url)
        cuts = sorted(chance.sample(range(1, most), CUTS)) if life else []
        axe.arm(*cuts, waits=waits)
        with monkeypatch.context() as patch, axe.watching(patch):
            wrong, client = ends_alike(axe, server, url, uninterrupted)
        server.drop(url)
        refuse(wrong, f"a life that was cut off before statements {cuts} went wrong")
        assert life or not client.failed
        most = most or axe.statements * 3 // 4  # the rest is how it is looked at afterwards
        failures, waited, ended = failures + len(client.failed), waited + client.waited, ended + axe.ended
    print(f"{lives} lives of {most} statements with {CUTS} cuts each: {ended} connections ended,")
    print(f"{failures} failures told, {waited} times a lease had to run out")
    assert failures, "no cut was felt: the test shows nothing"


def cut_at(server: Server, url: str, monkeypatch: pytest.MonkeyPatch, expected: Canonical, points: set[str]) -> None:
    """A life in which the client is cut off the first time that it comes by each of these points."""
    axe = Axe(server, url)
    left = set(points)
    guard = threading.Lock()

    def hit(name: str) -> None:
        with guard:
            now = name in left
            left.discard(name)
        if now:
            axe.strike()

    monkeypatch.setattr(crashpoints, "hit", hit)
    wrong, client = ends_alike(axe, server, url, expected)
    assert not left, f"these points were not reached: {left}"
    print(f"{len(points)} cuts: {axe.ended} connections ended, {len(client.failed)} failures told")
    assert axe.ended, "nobody was cut off: the test shows nothing"
    refuse(wrong, f"a cut at {points} broke a promise")


def test_client_that_is_cut_off_at_every_crash_point_ends_alike(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch, uninterrupted: Canonical
) -> None:
    cut_at(server, database, monkeypatch, uninterrupted, set(crashpoints.ALL))


@pytest.mark.slow
@pytest.mark.parametrize("point", crashpoints.ALL)
def test_client_that_is_cut_off_at_one_crash_point_ends_alike(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch, uninterrupted: Canonical, point: str
) -> None:
    cut_at(server, database, monkeypatch, uninterrupted, {point})


def test_writers_that_are_cut_off_again_and_again_lose_nothing(server: Server, database: str, sound: Sound) -> None:
    axe = Axe(server, database)
    acknowledged: dict[str, str] = {}
    failed: list[BaseException] = []
    heard = threading.Condition()
    over = threading.Event()

    def write(mem: Reverie, w: int) -> None:
        for n in range(WRITES):
            text, external = f"Writer {w} counted {n * 7 + w} crates in hall {n}", f"w{w}-{n}"
            while True:
                try:
                    got = mem.remember(text, external_id=external).id
                    break
                except BaseException as error:
                    failed.append(error)
                    if not isinstance(error, StoreError):
                        return
            with heard:
                acknowledged[external] = got
                heard.notify_all()

    def cut() -> None:
        # One cut for every few answers: each falls somewhere into the writes of all the others.
        for n in range(5, WRITERS * WRITES, 5):
            with heard:
                heard.wait_for(lambda n=n: len(acknowledged) >= n or over.is_set(), 60)  # type: ignore[misc]
            axe.strike()

    with reverie.open(database, embedder="hashing") as mem:
        writers = [threading.Thread(target=write, args=(mem, w)) for w in range(WRITERS)]
        cutter = threading.Thread(target=cut)
        for t in [*writers, cutter]:
            t.start()
        for t in writers:
            t.join()
        over.set()
        with heard:
            heard.notify_all()
        cutter.join()
        print(f"{len(acknowledged)} acknowledged, {axe.ended} cut off, {len(failed)} failures told")
        assert [e for e in failed if not isinstance(e, StoreError)] == []
        assert failed, "no writer felt a cut: the test shows nothing"
        assert len(acknowledged) == WRITERS * WRITES
        assert {m.id for m in mem.memories()} == set(acknowledged.values())
        assert len({m.text for m in mem.memories()}) == WRITERS * WRITES
        after = mem.remember("The handle works as if nothing had been").id
        assert mem.recall("the handle works", 1)[0].memory.id == after
    sound(database, "cuts left an unsound store")


def test_group_that_is_cut_off_is_told_in_our_own_words(server: Server, database: str, sound: Sound) -> None:
    """Writers that share a transaction all learn that it failed, from an error of this library."""
    axe = Axe(server, database)
    told: list[BaseException] = []
    with reverie.open(database, embedder="hashing") as mem:
        mem.remember("The first row makes the scope")
        store: Any = mem._store
        committer = store._committer(mem.scope)
        struck = threading.Lock()

        def work(tx: Any) -> None:
            if struck.acquire(blocking=False):
                axe.strike()
            tx.tick(mem._clock.now())

        def write() -> None:
            try:
                mem._scope.transact(work)
            except BaseException as error:
                told.append(error)

        threads = [threading.Thread(target=write) for _ in range(WRITERS)]
        with committer.held():
            for t in threads:
                t.start()
            while len(committer._queue) < WRITERS:
                pass
        for t in threads:
            t.join()
        assert [type(e).__name__ for e in told if not isinstance(e, StoreError)] == []
        assert len(told) == WRITERS
        assert mem.remember("The next write goes through").id
    sound(database, "a group that failed left an unsound store")


VERBS: dict[str, Callable[[Reverie, str], object]] = {
    "remember": lambda m, i: m.remember("The boat lies at pier 5"),
    "remember_many": lambda m, i: [o.id or pytest.fail(str(o)) for o in m.remember_many(["Pier 6 is free", "So is 7"])],
    "recall": lambda m, i: m.recall("ladder")[0],
    "get": lambda m, i: m.get(i),
    "memories": lambda m, i: m.memories()[0],
    "history": lambda m, i: m.history(i),
    "pin": lambda m, i: m.pin(i),
    "forget": lambda m, i: m.forget(i),
    "revise": lambda m, i: m.revise(i, f"{m.get(i).text}, it is said now"),
    "curate": lambda m, i: m.curate(),
    "plan": lambda m, i: m.plan(),
    "journal": lambda m, i: m.journal(),
    "stats": lambda m, i: m.stats(),
    "export": lambda m, i: list(m.export(journal=True)),  # type: ignore[arg-type]
    "set": lambda m, i: m.set("recall_limit", 3),
}


def at_once_or_after(axe: Axe, mem: Reverie, id_: str, verb: str) -> int:
    """Call a verb; where the store fails it, once more. How often it failed."""
    try:
        VERBS[verb](mem, id_)
    except StoreError:
        try:
            VERBS[verb](mem, id_)
        except LeaseHeld:
            # That of the call that failed, which could not give it back: it ends by itself after lease_seconds.
            assert verb == "curate"
            axe.time_passes()
            VERBS[verb](mem, id_)
        return 1
    return 0


@pytest.mark.parametrize("verb", VERBS)
def test_idle_handle_that_was_cut_off_works_at_the_next_call(server: Server, database: str, verb: str) -> None:
    axe = Axe(server, database)
    with reverie.open(database, embedder="hashing") as mem:
        id_ = mem.remember("The ladder hangs behind the shed").id
        mem.recall("ladder", log=False)
        assert axe.strike()
        assert at_once_or_after(axe, mem, id_, verb) == 0, "a connection that was lost while it lay idle was told"


LONG = {"curate"}  # it has some sixty statements


@pytest.mark.parametrize("verb", [pytest.param(v, marks=pytest.mark.slow) if v in LONG else v for v in VERBS])
def test_handle_that_is_cut_off_within_a_call_fails_in_our_own_words_and_goes_on(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """At every statement of the verb: StoreError or an answer, and the next call works."""
    felt = 0
    with reverie.open(database, embedder="hashing") as mem:
        first = mem.remember("The ladder hangs behind the shed").id
        mem.remember("Please note that the ladder hangs behind the shed")
        mem.recall("ladder", log=False)
        axe = Axe(server, database)
        n = 0
        while True:
            n += 1
            other = mem.remember(f"Row {n} of {verb} lies in drawer {n * 3}").id  # one that may be forgotten or revised
            with monkeypatch.context() as patch, axe.watching(patch):
                axe.arm(n)
                felt += at_once_or_after(axe, mem, other, verb)
            if axe.statements < n:
                break
        assert mem.get(first).text == "The ladder hangs behind the shed"
        assert mem.check_journal()
    print(f"{verb}: cut at each of {n - 1} statements, {felt} failures told")
    assert n > 2


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_open_handle_outlives_a_restart_of_the_server(server: Server, database: str, sound: Sound, how: str) -> None:
    axe = Axe(server, database)
    with reverie.open(database, embedder="hashing") as mem:
        kept = [mem.remember(f"The lamp in room {n} has bulb {n * 3}").id for n in range(20)]
        mem.recall("lamp", log=False)
        restart(server, how)
        failed = at_once_or_after(axe, mem, kept[0], "remember") + at_once_or_after(axe, mem, kept[1], "recall")
        failed += at_once_or_after(axe, mem, kept[2], "curate")
        print(f"{how}: {failed} of three calls had to be repeated")
        assert {m.id for m in mem.memories()} >= set(kept)
        assert mem.recall("which bulb has the lamp in room 7?", 1)[0].memory.id == kept[7]
    sound(database, "the restart left an unsound store")


def test_write_waits_for_a_server_that_is_down_for_a_moment(server: Server, database: str) -> None:
    with reverie.open(database, embedder="hashing") as mem:
        mem.remember("One before")
        stop(server, "immediate")
        ended: list[object] = []

        def write() -> None:
            try:
                ended.append(mem.remember("One in between", external_id="between").id)
            except BaseException as error:
                ended.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        start(server)
        writer.join()
        assert isinstance(ended[0], (str, StoreError)), ended
        again = mem.remember("One in between", external_id="between").id
        assert isinstance(ended[0], StoreError) or again == ended[0]
        assert [m.text for m in mem.memories()] == ["One before", "One in between"]


def written_and_killed(server: Server, url: str, synchronous: str) -> tuple[int, int]:
    """Writes that were acknowledged before the server was killed, and how many of them are gone after it has recovered."""
    with reverie.open(url, embedder="hashing", settings={"synchronous": synchronous}) as mem:
        said = [mem.remember(f"Barrel {n} holds {n * 11} litres").id for n in range(60)]
        restart(server, "immediate")
    with reverie.open(url, embedder="none") as mem:
        held = {m.id for m in mem.memories()}
    return len(said), sum(id_ not in held for id_ in said)


def test_server_that_is_killed_keeps_what_was_acknowledged(server: Server, database: str, sound: Sound) -> None:
    slow_log_writer(server, True)
    try:
        said, lost = written_and_killed(server, database, "full")
    finally:
        slow_log_writer(server, False)
    print(f"full: {said} acknowledged, {lost} lost")
    assert lost == 0
    sound(database, "the kill left an unsound store")


def test_server_that_is_killed_loses_what_did_not_wait_for_the_log(
    server: Server, database: str, sound: Sound
) -> None:  # fmt: skip
    # The control: with synchronous=off a commit is acknowledged before it is in the log.
    slow_log_writer(server, True)
    try:
        said, lost = written_and_killed(server, database, "off")
    finally:
        slow_log_writer(server, False)
    print(f"off: {said} acknowledged, {lost} lost")
    assert lost, "nothing was lost without waiting for the log: the test above cannot tell"
    sound(database, "the kill left an unsound store")
