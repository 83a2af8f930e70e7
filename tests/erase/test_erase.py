"""What an erasure takes and what it leaves, on both stores; who may ask; receipts, undo, the chain, what comes back."""

from __future__ import annotations

import dataclasses
import json
import random

import apsw
import psycopg
import pytest
from histories import History, judge
from searching import data_of, files_of, search, tables_of

import reverie
from reverie.clock import FixedClock
from reverie.curation.acts import act
from reverie.curation.plan import Plan, Proposal, StepPlan
from reverie.errors import (
    Conflict,
    InvalidInput,
    LeaseHeld,
    NotFound,
    PolicyRefusal,
    StoreBusy,
    StoreCorrupt,
    StoreError,
)
from reverie.model import Kind, State
from reverie.store.codec import dumps
from reverie.store.erasing import Eraser
from reverie.store.records import Pair
from reverie.testing import ScriptedJudge
from reverie.text.normalise import text_hash
from reverie.transfer.copying import copy, tally
from reverie.transitions import Archive, Derive, MergeInto, SetGist, Supersede
from servers import named

QUICK = {"busy_seconds": 0.5}


@pytest.fixture
def mem(url, clock, ids):
    """A person's open namespace."""
    with reverie.open(url, embedder="hashing", clock=clock, ids=ids, channel="person", settings=QUICK) as opened:
        yield opened


def other(mem, name: str, **how) -> reverie.Reverie:
    """Another handle on the same store."""
    given = {
        "embedder": "hashing",
        "clock": mem._clock,
        "ids": mem._ids,
        "channel": "person",
        "settings": QUICK,
        **how,
    }
    return reverie.open(mem._store.url if hasattr(mem._store, "url") else mem._store.path, name, **given)


def erase(mem, *, wipe: bool = False, **what):
    """Confirmed at once. Bytes are overwritten when somebody looks for them, with those of earlier ones."""
    return mem.erase(**what, confirm=mem.erase(**what).token, wipe=wipe)


def do(mem, *moves, verb="curate"):
    given = {"actor": mem._origin, "clock": mem._clock, "ids": mem._ids}
    return mem._scope.transact(lambda tx: act(tx, verb, list(moves), "a test", **given))


def texts(mem) -> list[str]:
    return [m.text for m in mem.memories(state=None)]


def everything(mem, request) -> dict[str, bytes]:
    mem.finish_erasures()
    url = getattr(mem._store, "url", None)
    if url is None:
        return files_of(mem._store.path)
    server = request.getfixturevalue("server")
    return tables_of(server, url) | data_of(server, url, everything=False)


# asking
def test_a_preview_changes_nothing_and_a_stale_token_neither(mem):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    before = list(mem.export(journal=True))
    seen = mem.erase(memory=id_)
    assert (seen.done, seen.ids, seen.counts["memories"], seen.to_dict()["token"]) == (False, (id_,), 1, seen.token)
    assert list(mem.export(journal=True)) == before and mem.erase(memory=id_).token == seen.token
    mem.pin(id_)
    with pytest.raises(Conflict, match="look again"):
        mem.erase(memory=id_, confirm=seen.token)
    with pytest.raises(Conflict):
        mem.erase(everything=True, confirm=seen.token)
    assert texts(mem) == ["Zqbadago lives in Oslo."]
    assert erase(mem, memory=id_).done  # a pin does not stand in a person's way


def test_only_a_person_erases(mem):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    with other(mem, "default", channel="agent") as agent:
        for ask in (lambda: agent.erase(memory=id_), lambda: agent.reapply([]), agent.finish_erasures):
            with pytest.raises(PolicyRefusal, match="person"):
                ask()
        assert agent.erasures() == []


@pytest.mark.parametrize(
    "what", [{}, {"memory": "x", "everything": True}, {"memory": "x", "principal": "y"}, {"principal": ""},
             {"principal": 3}, {"everything": "yes"}, {"principal": "erased"}, {"everything": True, "reason": ""},
             {"everything": True, "confirm": 7}],
)  # fmt: skip
def test_what_is_asked_badly_is_refused(mem, what):
    mem.remember("Zqbadago lives in Oslo.")
    with pytest.raises(InvalidInput):
        mem.erase(**what)
    assert len(texts(mem)) == 1


def test_what_is_not_there_is_not_found_and_a_second_time_neither(mem):
    with pytest.raises(NotFound):
        mem.erase(memory="nothing")
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    made = erase(mem, memory=id_)
    with pytest.raises(NotFound, match="erased already"):
        mem.erase(memory=id_)
    assert mem.erase(principal="nobody").empty
    again = mem.erase(principal="nobody", confirm=mem.erase(principal="nobody").token)
    assert again.empty and not again.done
    assert [e["receipt"]["id"] for e in mem.erasures()] == [made.id]


def test_a_reason_must_not_hold_what_goes(mem):
    id_ = mem.remember("Zqbadago lives in Oslo.", principal="zqana").id
    with pytest.raises(InvalidInput, match="reason stays"):
        mem.erase(memory=id_, reason="They said: Zqbadago lives in Oslo.")
    with pytest.raises(InvalidInput, match="reason stays"):
        mem.erase(principal="zqana", reason="zqana asked for it")
    assert erase(mem, memory=id_, reason="a letter of 3 May").receipt["reason"] == "a letter of 3 May"


# what goes with a memory
def test_versions_merged_and_derived_rows_go_and_others_are_told(mem, request):
    old = mem.remember("Zqbadago lives in Zqoslo.").id
    new = mem.revise(old, "Zqbadago lives in Zqbergen.").id
    twin = mem.remember("Zqbadago now resides in zqbergen town.").id
    do(mem, MergeInto(twin, new))
    made = mem._ids.new()
    do(
        mem,
        Derive(made, Kind.FACT, "Zqbadago lives in Zqbergen. Zqfifi sings.", (new, mem.remember("Zqfifi sings.").id)),
    )
    doubted = mem.remember("Zqbadago is tall.").id
    newer = mem.remember("Zqbadago is short.").id
    do(mem, Supersede(doubted, newer))
    same = mem.remember("zqbadago LIVES in zqbergen", "episode").id
    seen = mem.erase(memory=old)
    assert set(seen.ids) == {old, new, twin, made}
    assert (seen.counts["versions"], seen.counts["merged"], seen.counts["derived"]) == (1, 1, 1)
    assert {a.id: a.why for a in seen.also} == {same: "says the same"}
    erase(mem, memory=old)
    assert {mem.get(i).state for i in seen.ids} == {State.ERASED}
    assert not search(everything(mem, request), {"zqoslo"[:8], "zqbadag", "zqoslo"})
    assert {a.id: a.why for a in mem.erase(memory=newer).also} == {doubted: "gave way to it, as another statement"}
    assert {a.id: a.why for a in mem.erase(memory=doubted).also} == {newer: "took its place, as another statement"}
    erase(mem, memory=same)
    assert not search(everything(mem, request), {"zqbergen"})


def test_a_survivor_stays_and_is_told_but_loses_a_gist_of_both(mem, request):
    survivor = mem.remember("The gate is red and made of oak.").id
    gone = mem.remember("The gate is red, zqpainter said.").id
    do(mem, MergeInto(gone, survivor))
    gist = "The gate: red, oak, so zqpainter."
    entry = do(mem, SetGist(survivor, gist))[0]
    seen = mem.erase(memory=gone)
    assert [a.id for a in seen.also] == [survivor] and seen.counts["gists"] == 1
    erase(mem, memory=gone)
    assert (mem.get(survivor).gist, mem.get(survivor).state) == (None, State.LIVE)
    assert not search(everything(mem, request), {"zqpainte"})
    undone = mem.undo(entry.n)
    assert not undone.entries and undone.conflicts[0].why == "what it says was erased"


def test_a_gist_goes_with_its_source_though_its_words_stay(clock, ids, url):
    """The journal names what a gist was made of: no word of its own need give it away."""
    both = ScriptedJudge(lambda q: None)
    with reverie.open(url, embedder="hashing", clock=clock, ids=ids, channel="person", judge=both) as mem:
        a, b = (mem.remember(t).id for t in ("The gate is red.", "The gate was painted red."))
        mem.remember("Ana painted a lot, and red was her gate.")
        do(mem, MergeInto(b, a))
        from reverie.curation.applying import Numbering, apply_move
        from reverie.model import RunRecord

        def work(tx):
            tx.start_run(RunRecord("r", "tidy", "x", clock.now(), None, "done", {}, {}))
            p = Proposal(SetGist(a, "gate painted red"), "a model's words, checked", {}, {"sources": [a, b]})
            apply_move(tx, p, "condense", Numbering("r"), clock, mem._origin)

        mem._scope.transact(work)
        assert mem.erase(memory=b).counts["gists"] == 1
        erase(mem, memory=b)
        assert mem.get(a).gist is None


def test_what_was_split_off_takes_its_first_record_with_it(mem, request):
    """A restatement that was undone is a memory of its own; the entry of the first decision holds its text."""
    mem.set("restate_similarity", 0.5)
    first = mem.remember("The lamp of zqhallway is broken.").id
    got = mem.remember("Note: the lamp of zqhallway is broken!!", metadata={"of": "zqsecret"})
    assert got.id == first and got.how == "guard"
    undone = mem.undo(mem.journal(memory=first)[-1].n)
    split = undone.entries[0].detail["created"]
    erase(mem, memory=split)
    assert not search(everything(mem, request), {"zqsecret"})
    assert mem.get(first).text.startswith("The lamp") and mem.check_journal()


def test_words_in_logs_and_memory_of_this_process_go(mem, request):
    id_ = mem.remember("Zqbadago lives in Zqbergen.").id
    mem.remember("The port is 80.")
    mem.recall("where is zqbadago")
    mem.recall("port")
    plan = mem.plan()
    erase(mem, memory=id_)
    mem.flush()
    assert not search(everything(mem, request), {"zqbadago", "zqbergen"})
    assert "zqbadago" not in repr(mem._embedding._queries) + repr(mem._hits._waiting)
    assert [h.memory.text for h in mem.recall("zqbadago port")] == ["The port is 80."]
    with mem._scope.read() as r:
        assert [q for _, q in r.traces().queries()] == ["port"]
    assert plan is not None


@pytest.mark.parametrize("whole", [False, True])
def test_a_plan_that_is_older_brings_no_word_back(mem, request, whole):
    id_ = mem.remember("Zqbadago lives in Zqbergen by the sea.").id
    made = mem.remember("The harbour is open, all the year.").id
    keep = mem.remember("The port is 80.").id
    empty = mem.plan()
    given = (
        (SetGist(id_, "Zqbadago of Zqbergen"), "words of zqbadago", {"of": "zqbergen"}),
        (MergeInto(id_, keep), "words of zqbadago", {}),
        (SetGist(made, "Open harbour of zqbadago"), "composed", {"sources": [made, id_]}),
        (SetGist(keep, "port 80"), "cut", {"sources": [keep]}),
    )
    proposals = tuple(Proposal(move, why, {}, evidence) for move, why, evidence in given)
    text = mem.get(id_).text
    pair = Pair(made, keep, 0.8, "collapse", "a pair", "waiting", mem._clock.now())
    noted = {
        "embed": ((id_, text_hash(text), text),), "attributes": ((id_, (text_hash("k" + text),)),),
        "pairs": (dataclasses.replace(pair, low=id_, high=made, reason="zqbergen / open"), pair),
    }  # fmt: skip
    archived = StepPlan("demote", tuple(Proposal(Archive(i), "zqbadago", {}) for i in (id_,)), **noted)
    plan: Plan = dataclasses.replace(empty, steps=(StepPlan("condense", proposals), archived))
    mem.set("blast_run_rows", 0)
    erase(mem, **({"everything": True} if whole else {"memory": id_}))
    run = mem.apply(plan)
    assert [e.status for e in run.skipped] == ["skipped"] * (5 if whole else 4) and not run.parked
    with mem._scope.read() as r:
        assert [w.count for w in r.pair_counts()] == ([] if whole else [1])
        assert not r.sharing_attributes([text_hash("k" + text)])
        assert not [m for m, _ in r.models() if r.vectors(m, [text_hash(text)])]
    assert not search(everything(mem, request), {"zqbadago", "zqbergen"}) and mem.check_journal()
    if not whole:
        assert (mem.get(keep).gist, mem.get(made).gist) == ("port 80", None)
        assert [e.detail["skipped"] for e in run.skipped] == [f"{id_} was erased"] * 4


def test_a_curator_and_an_eraser_do_not_meet(mem):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    with mem._leasehold():
        token = mem.erase(memory=id_).token
        with pytest.raises(LeaseHeld):
            mem.erase(memory=id_, confirm=token)
    assert mem.erase(memory=id_, confirm=token).done


def test_another_handle_lets_go_too(mem):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    mem.remember("The port is 80.")
    with other(mem, "default") as second:
        assert second.recall("zqbadago", 1)[0].memory.id == id_
        erase(mem, memory=id_)
        assert all(h.memory.id != id_ for h in second.recall("zqbadago lives in oslo"))
        second.flush()  # what the first recall found is counted nowhere
        with second._scope.read() as r:
            assert all("zqbadago" not in q or n for n, q in r.traces().queries())
            assert not [q for _, q in r.traces().queries() if q == "zqbadago"]


def test_another_handle_sees_an_erased_namespace_empty_and_what_is_written_then(mem):
    """The file gives the numbers of the rows again: what another handle has kept by number must not stand for others."""
    for n in range(5):
        mem.remember(f"Zqbadago {n} lives in Oslo.")
    with other(mem, "default") as second:
        assert len(second.recall("zqbadago oslo", 9)) == 5
        erase(mem, everything=True)
        second.flush()
        with second._scope.read() as r:
            assert r.traces().queries() == []
        mem.remember("The harbour of Bergen is open.")
        mem.remember("Oslo has a harbour too.")
        assert [h.memory.text for h in second.recall("oslo harbour", 9)][:1] == ["Oslo has a harbour too."]
        assert len(second.recall("harbour", 9)) == 2 and not second._index.ids[2:]
        assert second.remember("Oslo has a harbour too.").restated


def test_a_graph_database_is_told(url, clock, ids):
    class Graph:
        def __init__(self):
            self.seen = {}

        def put(self, scope, vertices, links):
            if self.seen is None:
                raise OSError("away")
            self.seen |= {v.memory: v for v in vertices}

    graph = Graph()
    with reverie.open(url, embedder="none", clock=clock, ids=ids, channel="person", projection=graph) as mem:
        a, b = (mem.remember(f"Zqbadago {n} lives in Oslo.").id for n in ("one", "two"))
        mem.curate()
        assert "Zqbadago" in graph.seen[a].label
        erase(mem, memory=a)
        assert (graph.seen[a].label, graph.seen[a].state) == ("", "erased")
        graph.seen = None
        made = erase(mem, memory=b, wipe=True)
        assert made.done and made.wiped_at and "graph database was not told" in made.beyond[0]


# a principal
def test_a_principal_goes_and_what_others_said_stays_in_their_words(mem, request):
    mine = mem.remember("Zqalone likes zqtea.", principal="zqben").id
    shared = mem.remember(
        "The bridge is closed.", principal="zqben", session="zqsess", metadata={"by": "zqben"}, key="bridge"
    ).id
    mem.remember("the bridge is CLOSED", principal="cleo", channel="agent")
    mem.remember("The bridge is closed.", principal="dora", channel="agent")
    theirs = mem.remember("The harbour is open.", principal="cleo").id
    mem.remember("The Harbour is open!", principal="zqben", external_id="zqext")
    mem.set("restate_similarity", 0.5)
    lost = mem.remember("The lamp of the hall is zqbroken.", principal="zqben").id
    assert mem.remember("Note: the lamp of the hall is zqbroken!!", principal="cleo", channel="agent").id == lost
    into = mem.remember("The well is deep, zqben found.", principal="zqben").id
    freed = mem.remember("The well is a deep one.", principal="cleo").id
    do(mem, MergeInto(freed, into))
    with other(mem, "default", principal="zqben") as ben:
        ben.pin(theirs)
        ben.pin(theirs, on=False)
    seen = mem.erase(principal="zqben")
    assert set(seen.ids) == {mine, lost, into}
    assert (seen.counts["kept"], seen.counts["rewritten"], seen.counts["freed"]) == (2, 1, 1)
    made = erase(mem, principal="zqben")
    row = mem.get(shared)
    assert (row.text, row.origin.principal, row.trust, row.metadata, row.key) == (
        "The bridge is closed.", "dora", "provisional", {}, None,
    )  # fmt: skip
    assert [s.origin.principal for s in mem.history(theirs).sightings] == ["cleo"]
    assert (mem.get(freed).state, mem.get(freed).merged_into) == (State.LIVE, None)
    reborn = next(m for m in mem.memories() if m.text.startswith("Note: the lamp"))
    assert (reborn.origin.principal, reborn.trust) == ("cleo", "provisional")
    assert {r.actor for r in mem.runs(100)} <= {"local", "erased", "cleo", "dora"}
    assert "zqben" not in json.dumps(made.receipt) + repr(mem.erasures())
    gone = {"zqalone", "zqtea", "zqsess", "zqext"}
    assert not search(everything(mem, request), {g[:8] for g in gone})
    blob = b"".join(everything(mem, request).values()).lower()
    assert not [g for g in (*gone, "zqben") if g.encode() in blob]
    assert mem.check_journal() and mem.doctor()["ok"] and mem.erase(principal="zqben").empty


def test_who_erases_himself_is_named_nowhere(mem, request):
    mem.remember("The bridge is closed.", principal="cleo")
    with other(mem, "default", principal="zqben") as ben:
        ben.remember("The gate is red.")
        made = erase(ben, principal="zqben")
        assert made.actor == "erased"
    assert b"zqben" not in b"".join(everything(mem, request).values()).lower()


# everything
def test_everything_of_a_namespace_goes_and_nothing_of_another(mem, request, clock):
    clocks = FixedClock()
    History(mem, clocks, random.Random(3)).live(20)
    with other(mem, "two", judge=judge()) as two:
        History(two, clocks, random.Random(4)).live(20)
        two.flush()
        mem.flush()
        with two._scope.read() as r:
            before = tally(r)
        made = erase(mem, everything=True)
        with two._scope.read() as r:
            assert (tally(r).digest, tally(r).counts) == (before.digest, before.counts)
        assert two.check_journal() and two.doctor()["facts"]
    assert made.counts["memories"] == len(made.tombstones) > 10
    assert mem.settings.wording == "select"  # the overrides are gone, here too
    assert list(mem.export())[1:] == [] and mem.stats()["memories"]["erased"] == 0
    with mem._scope.read() as r:
        assert {k for k, _ in r.dump(journal=True, whole=True)} == {"epoch", "run", "entry", "erasure"}
    assert mem.check_journal().entries == 1 and mem.erase(everything=True).empty
    assert mem.remember("A first one again.").id and mem.curate().status == "done" and mem.doctor()["ok"]


# the journal
def entries(mem, statement: str, request) -> None:
    """Edit the journal behind Reverie's back."""
    if hasattr(mem._store, "url"):
        request.getfixturevalue("server").tamper(mem._store.url, statement)
    else:
        c = apsw.Connection(mem._store.path)
        c.execute(statement)
        c.close()


def test_the_chain_verifies_and_hides_no_tamperer(mem, request):
    a, b = (mem.remember(t).id for t in ("Zqbadago lives in Oslo.", "The port is 80."))
    for id_ in (a, b):
        mem.pin(id_)
        mem.pin(id_, on=False)
    erase(mem, memory=a)
    assert mem.check_journal().entries == 7
    first, last = mem.journal(memory=a)[0], mem.journal(memory=a)[-1]
    assert (first.reason, dict(first.evidence), last.move) == ("erased", {}, "Erase")
    whole = {e.n: e for e in mem.journal(limit=100)}
    body = lambda e: dumps({k: getattr(e, k) if k != "detail" else dict(e.detail) for k in  # noqa: E731
                            ("evidence", "before", "after", "added", "detail")}).replace("'", "''")  # fmt: skip
    for n, column, value in (
        (first.n, "reason", "another"),  # what is left of an emptied entry is vouched for
        (first.n, "status", "skipped"),
        (last.n, "reason", "nobody asked"),
        (last.n, "body", body(last).replace('"emptied":[[1', '"emptied":[[2')),
        (next(e.n for e in whole.values() if b in e.after and e.n not in (first.n,)), "reason", "erased"),
    ):
        was = body(whole[n]) if column == "body" else getattr(whole[n], column)
        entries(mem, f"UPDATE entry SET {column} = '{value}' WHERE n = {n}", request)
        assert not mem.check_journal() and mem.check_journal().broken_at <= n, (n, column)
        entries(mem, f"UPDATE entry SET {column} = '{was}' WHERE n = {n}", request)
        assert mem.check_journal()
    mine = next(
        e for e in whole.values() if b in e.after and e.move == "Pin"
    )  # to pose as emptied takes an erasure's word
    posing = '{"added":{},"after":{},"before":{},"detail":{"emptied":true,"ids":[]},"evidence":{}}'
    entries(mem, f"UPDATE entry SET body = '{posing}', reason = 'erased' WHERE n = {mine.n}", request)
    assert mem.check_journal().broken_at == mine.n and "no erasure says so" in str(mem.check_journal().why)


def test_an_erasure_cannot_be_undone(mem):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    forgotten = mem.forget(id_)
    run = mem.runs(1)[0].id
    erase(mem, memory=id_)
    erased = mem.runs(1)[0].id
    for target, why in ((erased, "cannot be taken back"), (run, "was erased")):
        undone = mem.undo(target)
        assert not undone.entries and why in undone.conflicts[0].why
    undone = mem.undo(mem._clock.now().replace(year=2020))
    assert not undone.entries and forgotten and mem.get(id_).text == ""
    for verb in (mem.restore, mem.pin, mem.forget, mem.verify):
        with pytest.raises((PolicyRefusal, Conflict)):
            verb(id_)
    assert mem.check_journal()


def test_the_briefing_tells_of_it(mem):
    mem.remember("Zqbadago lives in Oslo.", principal="ben")
    mem.remember("Zqfifi sings.", principal="ben")
    erase(mem, principal="ben")
    assert "erase: 1 (2 memories)" in mem.briefing().text()


def test_what_waits_for_the_curator_waits_since_when_it_did(mem):
    first = mem.remember("Zqbadago lives in Oslo.").id
    since = mem._clock.now()
    mem._clock.advance(hours=1)
    last = mem.remember("The port is 80.").id
    mem._clock.advance(hours=1)
    for id_, left in ((first, since), (last, None)):
        erase(mem, memory=id_)
        with mem._scope.read() as r:
            assert r.waiting_since() == left


# receipts, exports, what comes back
def test_an_export_and_a_copy_carry_tombstones_and_receipts(mem, tmp_path, server):
    a = mem.remember("Zqbadago lives in Oslo.").id
    mem.remember("The port is 80.")
    mem.pin(a)
    made = erase(mem, memory=a)
    mem.export(tmp_path / "e.jsonl", journal=True)
    assert "qbadago" not in (tmp_path / "e.jsonl").read_text()
    with other(mem, "again") as back:
        back.import_export(tmp_path / "e.jsonl")
        assert list(back.export(journal=True))[1:] == list(mem.export(journal=True))[1:]
        assert back.check_journal() and back.get(a).text_hash.hex() == made.tombstones[a] and back.doctor()["ok"]
    target = server.database()
    with reverie.open(target, "x", embedder="none") as to:
        (copied, *_) = copy(mem._store, to._store, only=lambda s: s.namespace == "default")
        assert copied.counts["erasure"] == 1
        with pytest.raises(InvalidInput, match="not empty"):
            list(copy(mem._store, to._store, only=lambda s: s.namespace == "default"))
    server.drop(target)


@pytest.mark.parametrize("edit", ["receipt", "entry"])
def test_an_edited_export_of_an_erasure_is_refused(mem, tmp_path, edit):
    a = mem.remember("Zqbadago lives in Oslo.").id
    mem.pin(a)
    erase(mem, memory=a)
    mem.export(tmp_path / "e.jsonl", journal=True)
    lines = (tmp_path / "e.jsonl").read_text().splitlines()
    for n, line in enumerate(lines):
        r = json.loads(line)
        if edit == "receipt" and r["type"] == "erasure":
            r["receipt"]["tombstones"] = {}
        if edit == "entry" and r["type"] == "entry" and r["move"] == "Pin":
            r["status"] = "skipped"
        lines[n] = json.dumps(r)
    (tmp_path / "f.jsonl").write_text("\n".join(lines))
    with other(mem, "again") as back, pytest.raises(StoreCorrupt):
        back.import_export(tmp_path / "f.jsonl")


def test_a_receipt_is_applied_again_after_a_restore(mem, tmp_path, request):
    a = mem.remember("Zqbadago lives in Oslo.").id
    mem.remember("The port is 80.")
    mem.pin(a)
    mem.export(tmp_path / "old.jsonl", journal=True)
    made = erase(mem, memory=a).to_dict()
    assert made["key"] not in repr(mem.erasures()) and mem.erasures()[0]["receipt"] == made["receipt"]
    with other(mem, "restored") as back:
        back.import_export(tmp_path / "old.jsonl")
        copied = back.remember("Zqbadago lives in Oslo.", "episode").id  # the same words under another id
        assert set(back.reapply(mem.erasures()).ids) == {a}
        seen = back.reapply([made])
        assert set(seen.ids) == {a, copied}
        back.reapply([made], confirm=seen.token)
        assert back.check_journal() and back.reapply([made]).empty
        assert [m.text for m in back.memories()] == ["The port is 80."]
        assert not search(everything(back, request), {"zqbadago"})
        edited = {**made["receipt"], "tombstones": {}}
        for bad in ([edited], [{"receipt": edited}], ["x"], [{**made, "key": "zz"}]):
            with pytest.raises(InvalidInput):
                back.reapply(bad)


def test_an_older_export_is_erased_again_as_it_comes_in(mem, tmp_path, request):
    a = mem.remember("Zqbadago lives in Oslo.").id
    mem.export(tmp_path / "old.jsonl")
    mem.export(tmp_path / "journaled.jsonl", journal=True)
    erase(mem, everything=True)
    with pytest.raises(InvalidInput, match="name a new one"):
        mem.import_export(tmp_path / "journaled.jsonl")
    mem.import_export(tmp_path / "old.jsonl")
    assert mem.get(a).state is State.ERASED and len(mem.erasures()) == 2
    assert not search(everything(mem, request), {"zqbadago"}) and mem.check_journal()


# bytes that linger
def test_a_reader_who_keeps_the_bytes_is_told_and_it_is_finished_later(mem, request):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    if hasattr(mem._store, "url"):
        holder = psycopg.connect(request.getfixturevalue("server").of(named(mem._store.url)))
        holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        holder.execute("SELECT 1 FROM pg_class")
    else:
        holder = apsw.Connection(mem._store.path)
        holder.execute("BEGIN; SELECT count(*) FROM memory").fetchall()
    made = erase(mem, memory=id_, wipe=True)
    assert made.done and made.wiped_at is None and "bytes" in made.beyond[0] and texts(mem) == [""]
    assert any("erase --finish" in w for w in mem.doctor()["warnings"]) and mem.doctor()["level"] == "yellow"
    with pytest.raises(StoreBusy):
        mem.finish_erasures()
    holder.close()
    assert mem.finish_erasures() == 1 and mem.finish_erasures() == 0
    assert mem.erasures()[0]["wiped_at"] and not mem.doctor()["warnings"]
    assert not search(everything(mem, request), {"zqbadago"})


def test_an_erasure_that_fails_erases_nothing(mem, monkeypatch):
    id_ = mem.remember("Zqbadago lives in Oslo.").id
    mem.pin(id_)
    with mem._scope.read() as r:
        before = list(r.dump(journal=True, whole=True))
    for at in ("memory", "entry", "queries", "receipt"):
        with monkeypatch.context() as broken:
            broken.setattr(Eraser, at, lambda *given: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                erase(mem, memory=id_)
        with mem._scope.read() as r:
            assert list(r.dump(journal=True, whole=True)) == before
    assert mem.recall("zqbadago", log=False)[0].memory.id == id_ and erase(mem, memory=id_).done


def test_a_wipe_that_fails_is_told_with_the_receipt(mem, monkeypatch):
    id_ = mem.remember("Zqbadago lives in Oslo.").id

    def full():
        raise StoreError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(mem._store, "wipe", full)
        made = erase(mem, memory=id_, wipe=True)
    assert made.done and made.key and made.wiped_at is None and made.beyond == ("the disk is full",)
    assert mem.doctor()["level"] == "yellow" and mem.finish_erasures() == 1


def test_several_erasures_can_be_wiped_at_once(mem, request):
    for n in range(3):
        id_ = mem.remember(f"Zqbadag{'oiu'[n]} lives in Oslo, house {n}.").id
        seen = mem.erase(memory=id_)
        assert mem.erase(memory=id_, confirm=seen.token, wipe=False).wiped_at is None
    assert mem.finish_erasures() == 3
    assert not search(everything(mem, request), {"zqbadago", "zqbadagi", "zqbadagu"})


def test_long_texts_are_gone_from_their_overflow_too(mem, request):
    """Texts too long for a page lie elsewhere: on pages of their own, or in another table."""
    rng = random.Random(7)
    words = ["zq" + "".join(rng.choice("bdfgklmnprtv") + rng.choice("aiou") for _ in range(5)) for _ in range(1500)]
    id_ = mem.remember(" ".join(words), metadata={"of": words[:200]}, gist=" ".join(words[:100])).id
    mem.remember("The port is 80.")
    if hasattr(mem._store, "url"):  # written, before it is erased
        assert mem._store.tend(mem.scope, rows=1)
    assert len(search(everything(mem, request), {w[:8] for w in words})) > 1000
    erase(mem, memory=id_)
    assert not search(everything(mem, request), {w[:8] for w in words})
    assert mem.doctor()["ok"]


def test_vectors_are_gone_from_an_index_too(server, clock, ids):
    url = server.database()
    with reverie.open(url, embedder="hashing:64", clock=clock, ids=ids, channel="person") as mem:
        made = [mem.remember(f"Zqbadago {n} lives in street {n * 7} of town {n * 3}.").id for n in range(50)]
        assert "HNSW" in str(mem._store.tend(mem.scope, rows=10))
        (vector,) = mem._embedding.documents([mem.get(made[7]).text])
        body = vector.tobytes()
        assert search(data_of(server, url, everything=False), set(), [body])
        erase(mem, memory=made[7], wipe=True)
        assert not search(data_of(server, url, everything=False), set(), [body])
        assert mem.recall("street 56", 3) and mem.doctor()["ok"]
    server.drop(url)


def test_what_the_role_may_not_vacuum_is_told(server, clock, ids):
    """Samples belong to whoever owns the database: an administrator can clean them."""
    url = server.database()
    server.tamper(url, f"ALTER DATABASE {named(url)} OWNER TO postgres")
    with reverie.open(url, embedder="none", clock=clock, ids=ids, channel="person") as mem:
        made = erase(mem, memory=mem.remember("Zqbadago lives in Oslo.").id, wipe=True)
        assert made.wiped_at and [b for b in made.beyond if "pg_statistic" in b]
    server.drop(url)
