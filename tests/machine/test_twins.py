"""One random history on both stores, compared after every step: whatever the store is made of, the memory is the same."""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from reverie.clock import CountingIds, FixedClock
from reverie.embed import default_embedder
from reverie.errors import ReverieError
from reverie.memory import Reverie
from reverie.model import Channel, Origin, Scope
from reverie.opening import open_store
from reverie.recall import hits
from reverie.recall.recall import Hit
from reverie.settings import BY_NAME, Settings
from reverie.store.port import Store
from reverie.store.postgres.connection import Q
from reverie.store.postgres.session import PostgresSession
from reverie.store.session import Row

FORMS = st.sampled_from(
    ["{s} lives in {o}.", "{s} lives in {o}", "Note: {s} lives in {o}.", "{o} is where {s} lives.", "{s}'s home is in {o}.",
     "{s} does not live in {o}.",
     "{s} works on port {n}.", "The port of {s} is {n}.", "{s} lives in {o}. The port of {s} is {n}.", "{S} LIVES IN {O}."]
)  # fmt: skip
NOTES = st.builds(
    lambda form, s, o, n: form.format(s=s, o=o, n=n, S=s.upper(), O=o.upper()),
    FORMS, st.sampled_from(["Ana", "Zoë"]), st.sampled_from(["Oslo", "Kyōto"]), st.sampled_from([80, 443]),
)  # fmt: skip
PHRASES = st.sampled_from(
    ["Grüße aus München", "gru\u0308sse aus MUNCHEN", "東京都に住んでいる", "我住在北京的海淀区", "서울에서 일하는 민수",
     "it runs v2.1 now", "it runs v2.10 now", "foo-bar is open", "foo bar is open", "the party 🎉 began",
     "Robin's cats", "Robin’s cats sleep",
     "EXA_API_KEY is set", "50% of a\\b 'c' \"d\" & e | f:*", "she painted it", "painting", "  spaces\nand lines  "]
)  # fmt: skip
LONG = st.builds(
    lambda word, n: " ".join([word] * n + ["end"]), st.sampled_from(["bee", "蜂", "b-e"]), st.integers(250, 400)
)
REFUSED = st.sampled_from(["", "   ", "nul \0 here", "the password is hunter2hunter2", "x"]).map(
    lambda t: t * 40_000 if t == "x" else t
)
TEXTS = st.one_of(NOTES, NOTES, NOTES, PHRASES, PHRASES, LONG, REFUSED)
QUERIES = st.one_of(
    NOTES, PHRASES,
    st.sampled_from(["MUNCHEN", "東京", "北京", "서울", "v2.1", "foo-bar", "🎉", "robin", "lives", "port 80", "bee", "蜂蜂",
                     "& | !", "%", "ANA", "zoe kyoto", "exa_api_key", "paint", "nobody", " "]),
)  # fmt: skip
KINDS = st.sampled_from([None, None, "fact", "preference", "episode"])
CHANNELS = st.sampled_from([None, None, "person", "web"])
KEYS = st.sampled_from([None, None, "home", "port"])
EXTERNAL = st.sampled_from([None, None, None, "x1", "x2", "ü3"])
IMPORTANCE = st.sampled_from([None, 0.1, 0.2, 0.9])
METADATA = st.sampled_from([None, None, {"b": 1, "a": ["ü", {"c": None}]}])
ITEMS = st.fixed_dictionaries(
    {"text": TEXTS, "kind": KINDS, "channel": CHANNELS, "key": KEYS, "external_id": EXTERNAL, "importance": IMPORTANCE,
     "metadata": METADATA}
)  # fmt: skip
SETTINGS = st.sampled_from(
    [("blast_run_rows", 0), ("blast_run_share", 0), ("blast_month_share", 0), ("blast_run_rows", None), ("blast_run_share", None),
     ("blast_month_share", 1), ("demote_days", 20), ("demote_days", None), ("stale_days", 5), ("restate_similarity", 0.9),
     ("restate_similarity", None), ("collapse_similarity", 0.8), ("text_share", 0.1), ("recall_limit", 2), ("secrets", "mask"),
     ("strength_days", 2.5), ("default_kind", "concept"), ("text_share", 7), ("nonsense", 1), ("busy_seconds", 1)]
)  # fmt: skip
MANY = st.lists(st.one_of(ITEMS, ITEMS, TEXTS), min_size=6, max_size=14)
WHO = st.integers(0, 1)
DAYS = st.sampled_from([0, 0, 0.01, 1, 10, 35, 100])
VERBS = st.sampled_from(["pin", "unpin", "verify", "unverify", "forget", "forget", "restore", "restore"])
NOWHERE = st.sampled_from(["nobody", "", "ü", "9" * 300])

LEAST = int(BY_NAME["exact_rows_max"].low or 0)

_examples = itertools.count(1)


class Twins(RuleBasedStateMachine):
    """Two tenants with a namespace of one name, in a store of each kind. The lists go: embedded store, PostgreSQL."""

    memories = Bundle("memories")
    runs = Bundle("runs")
    plans = Bundle("plans")

    def __init__(self, served: Store, **settings_: object) -> None:
        super().__init__()
        self.settings = Settings(settings_)
        self.folder = Path(tempfile.mkdtemp())
        self.clock = FixedClock()
        self.stores = [open_store(str(self.folder / "twin.db"), Settings()), served]
        self.ids = [CountingIds(), CountingIds()]
        self.flush_seconds, hits.FLUSH_SECONDS = hits.FLUSH_SECONDS, 3600.0  # the history says when hits are written
        number = next(_examples)
        self.tenants = [f"one{number}", f"two{number}"]
        self.mems = [self.opened(Scope(t, "notes")) for t in self.tenants]
        self.made: list[set[str]] = [set(), set()]
        self.last: list[Any] = [None, None]
        self.touched = 0

    def opened(self, scope: Scope) -> list[Reverie]:
        """A handle of this scope on each store."""
        return [
            Reverie(
                store, scope, settings=self.settings, clock=self.clock, ids=ids, embedder=default_embedder("hashing:32"),
                origin=Origin("ana", Channel.AGENT), owns_store=False,
            )
            for store, ids in zip(self.stores, self.ids, strict=True)
        ]  # fmt: skip

    def both(self, who: int, verb: str, *given: Any, **named: Any) -> Any:
        """Call a verb on both stores: equal answers, or errors of one type. Gives the answer, None for an error."""
        self.touched = who
        answers = [outcome(mem, verb, given, named) for mem in self.mems[who]]
        equal(*answers)
        return answers[0][1] if answers[0][0] == "done" else None

    def keep(self, who: int, *ids: str | None) -> list[tuple[int, str]]:
        """Note the ids that this tenant has made, and give them as later rules know them."""
        found = [i for i in ids if i is not None]
        assert not self.made[1 - who] & set(found)
        self.made[who] |= set(found)
        return [(who, i) for i in found]

    # writing
    @initialize(
        target=memories, notes=st.tuples(MANY, MANY), restate=st.sampled_from([1.0, 1.0, None]), park=st.booleans()
    )
    def begin(self, notes, restate, park):
        for who in (0, 1):
            self.both(
                who, "set", "restate_similarity", restate
            )  # 1: what would be restated is left for curation to merge
            if park:
                self.both(who, "set", "blast_run_rows", 0)
                self.both(who, "set", "blast_run_share", 0)
        return multiple(*(m for who, items in enumerate(notes) for m in self.remember_all(who, items)))

    def remember_all(self, who, items):
        got = self.both(who, "remember_many", items)
        return self.keep(who, *(g.id for g in got))

    @rule(target=memories, who=WHO, item=ITEMS)
    def remember(self, who, item):
        got = self.both(who, "remember", **item)
        return multiple(*self.keep(who, got.id if got else None))

    @rule(target=memories, who=WHO, items=MANY)
    def remember_many(self, who, items):
        return multiple(*self.remember_all(who, items))

    @rule(target=memories, which=memories, text=TEXTS, channel=CHANNELS)
    def revise(self, which, text, channel):
        got = self.both(which[0], "revise", which[1], text, channel=channel)
        return multiple(*self.keep(which[0], got.id if got else None))

    # a person's verbs
    @rule(which=memories, verb=VERBS)
    def act(self, which, verb):
        on = {"on": False} if verb.startswith("un") else {}
        self.both(which[0], verb.removeprefix("un"), which[1], **on)

    @rule(target=memories, which=memories, same_kind=st.booleans())
    def forget_say_again_and_restore(self, which, same_kind):
        who, id_ = which
        gone = self.both(who, "forget", id_)
        if gone is None:
            return multiple()
        got = self.both(who, "remember", gone.text, gone.kind if same_kind else None, key=gone.key)
        self.both(who, "restore", id_)  # a conflict, where the text or the key is taken by now
        return multiple(*self.keep(who, got.id if got else None))

    @rule(which=memories, verb=VERBS, id_=NOWHERE)
    def ask_for_what_is_anothers_or_nowhere(self, which, verb, id_):
        who = 1 - which[0]
        assert self.both(who, verb.removeprefix("un"), which[1]) is None
        assert self.both(who, "history", which[1]) is None
        assert not self.both(who, "journal", memory=which[1])
        for ask in ("get", "forget", "history", "undo", "apply", "reject"):
            assert self.both(who, ask, id_) is None

    @rule(who=WHO, setting=SETTINGS)
    def set(self, who, setting):
        self.both(who, "set", *setting)

    # reading
    @rule(
        who=WHO, query=QUERIES, limit=st.sampled_from([None, 1, 3, 50]), kinds=st.sampled_from([None, None, ["fact"]]),
        days=DAYS, past=st.sampled_from([None, None, None, 0, 30]),
        states=st.sampled_from([None, None, None, None, ["archived", "merged"]]),
        trusted=st.sampled_from([False, False, False, True]), budget=st.sampled_from([None, None, 20]),
        log=st.booleans(), flush=st.booleans(),
    )  # fmt: skip
    def recall(self, who, query, limit, kinds, days, past, states, trusted, budget, log, flush):
        self.clock.advance(days=days)
        as_of = None if past is None else self.clock.now() - timedelta(days=past)
        found = self.both(who, "recall", query, limit, kinds=kinds, as_of=as_of, states=states, trusted_only=trusted,
                          budget_tokens=budget, log=log)  # fmt: skip
        if flush:
            self.both(who, "flush")
        best_first = [(-h.score, h.memory.id) for h in found or []]
        assert best_first == sorted(best_first)
        assert {i for h in found or [] for i in (h.memory.id, *h.also)} <= self.made[who]

    @rule(which=memories)
    def look(self, which):
        self.both(which[0], "get", which[1])
        self.both(which[0], "history", which[1])
        self.both(which[0], "journal", memory=which[1])

    # curation
    @rule(target=plans, who=WHO)
    def plan(self, who):
        return (who, self.both(who, "plan"))

    @rule(target=runs, plan=consumes(plans), approved=st.booleans())
    def apply_a_plan_that_may_be_old(self, plan, approved):
        run = self.both(plan[0], "apply", plan[1], approved=approved)
        return (plan[0], run.id)

    @rule(target=runs, who=WHO, days=DAYS)
    def curate(self, who, days):
        self.clock.advance(days=days)
        run = self.both(who, "curate")
        assert not run.errors
        self.both(who, "journal", run=run.id)
        return (who, run.id)

    @rule(target=runs, who=WHO, approve=st.booleans())
    def settle_what_is_parked(self, who, approve):
        waiting = self.both(who, "parked")
        if not waiting:
            return multiple()
        run = self.both(who, "apply" if approve else "reject", waiting[0].id)
        return (who, run.id) if run else multiple()

    @rule(which=runs, how=st.sampled_from(["run", "run", "entry", "time"]), back=st.integers(0, 5), days=DAYS)
    def undo(self, which, how, back, days):
        who, target = which
        if how == "entry":
            newest = self.both(who, "journal", limit=back + 1)
            target = newest[-1].n if newest else 1
        elif how == "time":
            target = self.clock.now() - timedelta(days=days)
        got = self.both(who, "undo", target)
        # Taking back a restatement makes a row of its own.
        self.keep(who, *(e.detail.get("created") for e in (got.entries if got else ())))

    # comparing
    @invariant()
    def stores_agree(self):
        """Everything a scope holds, revisions and settings included, on both stores; and the other tenant is untouched."""
        for who, mems in enumerate(self.mems):
            if who != self.touched and self.last[who] is not None:
                mems = mems[:1] if len(self.made[0]) % 2 else mems[1:]  # one look is enough, at either
            found = [whole(mem) for mem in mems]
            equal(*found, *([self.last[who]] if who != self.touched and self.last[who] is not None else []))
            self.last[who] = found[0]

    def teardown(self):
        try:
            for who, mems in enumerate(self.mems):
                every = self.both(who, "memories", state=None)
                assert {m.id for m in every} <= self.made[who]
                for m in every:
                    self.both(who, "history", m.id)
                self.both(who, "stats")
                self.both(who, "runs")
                self.both(who, "activity", 50)
                self.both(who, "journal", limit=10_000)
                assert self.both(who, "check_journal")
                exports = [list(mem.export(journal=True)) for mem in mems]
                equal(*exports)
                self.change_places(who, exports[0])
            assert self.stores[0].problems() == []
        finally:
            hits.FLUSH_SECONDS = self.flush_seconds
            for mem in itertools.chain(*self.mems):
                mem.close()
            self.stores[0].close()
            shutil.rmtree(self.folder)

    def change_places(self, who: int, exported: list[dict[str, Any]]) -> None:
        """What one store exports the other takes in, and says the same."""
        copies = self.opened(Scope(self.tenants[who], "copy"))
        for mem, copy in zip(self.mems[who], reversed(copies), strict=True):
            path = self.folder / f"{who}.jsonl"
            mem.export(path, journal=True)
            copy.import_export(path)
            assert list(copy.export(journal=True))[1:] == exported[1:]
            assert copy.check_journal()


def outcome(mem: Reverie, verb: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[str, Any]:
    """What became of a call. Only Reverie's own errors are an answer."""
    try:
        got = getattr(mem, verb)(*given, **named)
    except ReverieError as error:
        return ("refused", type(error))
    return ("done", got)


def whole(mem: Reverie) -> list[Any]:
    """What `stats` says and every record, as a copy would take it; hits that wait are left waiting."""
    with mem._scope.read() as r:
        return [mem.stats(), r.uncurated(), r.count(), *r.dump(journal=True, whole=True)]


def equal(*things: Any) -> None:
    """Fail where these differ; scores and their parts may by 1e-6."""
    first = comparable(things[0])
    for thing in things[1:]:
        assert comparable(thing) == first


def comparable(thing: Any) -> Any:
    """Plain data that is equal for equal answers of two stores."""
    if isinstance(thing, Hit):
        parts = {name: pytest.approx(value, abs=1e-6) for name, value in thing.parts.items()}
        return (thing.memory, pytest.approx(thing.score, abs=1e-6), parts, thing.text, thing.also)
    if isinstance(thing, (list, tuple)):
        return [comparable(t) for t in thing]
    if hasattr(thing, "to_dict"):
        return thing.to_dict()
    if isinstance(getattr(thing, "error", None), Exception):
        return ("not remembered", type(thing.error))
    return thing


def shuffle_what_has_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a statement without an outermost ORDER BY come in another order each time, as a busy server may hand them."""
    rng = random.Random(20_261_130)
    every, each = PostgresSession.all, PostgresSession.each

    def ordered(name: str) -> bool:
        text, inner = Q[name], 1
        while inner:
            text, inner = re.subn(r"\([^()]*\)", "", text)
        return "ORDER BY" in text

    def shuffled(rows: list[Row]) -> list[Row]:
        rng.shuffle(rows)
        return rows

    def all_(self: PostgresSession, name: str, /, **given: Any) -> list[Row]:
        return every(self, name, **given) if ordered(name) else shuffled(every(self, name, **given))

    def each_(self: PostgresSession, name: str, /, **given: Any) -> Iterator[Row]:
        return each(self, name, **given) if ordered(name) else iter(shuffled(list(each(self, name, **given))))

    monkeypatch.setattr(PostgresSession, "all", all_)
    monkeypatch.setattr(PostgresSession, "each", each_)


@pytest.fixture(scope="module")
def served(server):
    """One database for all examples: each takes tenants of its own."""
    url = server.database()
    store = open_store(url, Settings())
    yield store
    assert store.problems() == []
    store.close()
    server.drop(url)


def test_same_history_same_memory(served):
    run_state_machine_as_test(lambda: Twins(served), settings=settings(max_examples=15, stateful_step_count=25))


def test_same_history_where_postgresql_searches_vectors_itself(served, monkeypatch):
    shuffle_what_has_no_order(monkeypatch)
    few = settings(max_examples=8, stateful_step_count=25, phases=[Phase.generate])  # shrinking takes minutes
    run_state_machine_as_test(lambda: Twins(served, exact_rows_max=LEAST), settings=few)


@pytest.mark.slow
def test_same_history_same_memory__long(served):
    many = int(os.environ.get("REVERIE_TEST_TWINS", "500"))
    run_state_machine_as_test(lambda: Twins(served), settings=settings(max_examples=many, stateful_step_count=50))


# Where the two are known to differ. Each line goes once it is mended: the marks are strict.
@pytest.fixture
def pair(served):
    """One scope on each store, as an example has it."""
    twins = Twins(served)
    yield twins
    twins.teardown()


@pytest.mark.parametrize("verb", ["get", "history", "pin", "forget", "undo", "reject"])
def test_an_id_with_a_nul_is_not_found(pair, verb):
    assert pair.both(0, verb, "a\0b") is None


def test_a_row_that_was_not_used_for_a_century_is_recalled(served, tmp_path):
    for store in (open_store(str(tmp_path / "old.db"), Settings()), served):
        mem = Reverie(
            store, Scope("a century", "notes"), settings=Settings(), clock=FixedClock(), ids=CountingIds(), embedder=None,
            origin=Origin(), owns_store=False,
        )  # fmt: skip
        old = mem.remember("the bridge was built", written_at=datetime(1900, 1, 1, tzinfo=UTC)).id
        assert mem.recall("bridge")
        try:
            mem.flush()
            assert mem.get(old).recall_count == 1 and 1 <= mem.get(old).strength < 1.001
        finally:
            mem._hits._waiting.clear()  # or closing would fail too
            mem.close()
            if store is not served:
                store.close()


def test_the_first_plan_of_a_handle_sees_the_vectors(served):
    twins = Twins(served, exact_rows_max=LEAST)
    try:
        twins.remember_all(0, ["bee " * 295 + "end", "bee " * 259 + "end"])
        twins.both(0, "plan")
    finally:
        twins.teardown()
