"""What the clients of these tests do: a fixed list of acts with every verb in it, run once or resumed after a kill.

Times and ids follow from the number of the act, so that a resumed client ends with the same rows as one that was never
interrupted. A client re-sends what was not answered under the same external ids and texts, as real ones do.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import reverie
from reverie import writing
from reverie.curation.plan import Plan
from reverie.errors import Refused
from reverie.judge.questions import Verdict
from reverie.memory import Reverie
from reverie.testing import ScriptedJudge

SETTINGS = {"slice_rows": 2, "stale_days": 1000.0, "candidate_similarity": 0.3, "collapse_cap": 2, "reconcile_cap": 1}
UNSYNCED = SETTINGS | {"synchronous": "off"}  # of lives that nobody kills: their waits for the disk would show nothing
BATCH = 4  # items of one transaction of an import: several batches out of few items
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
JUDGE = ScriptedJudge(lambda q: Verdict.UNRELATED, tokens=10)  # asked on the way, and changes nothing
Say = Callable[[str], None]


@dataclass(frozen=True)
class Act:
    """One thing that a client does. Acts of lanes 1 and 2 that follow one another run in two threads at once."""

    n: int
    verb: str
    items: tuple[dict[str, Any], ...] = ()
    of: int | None = None  # the act that this one is about
    lane: int = 0
    embedder: str = "hashing"
    days: int = 0
    query: str = ""

    @property
    def at(self) -> datetime:
        """When it happens, whatever the clock on the wall says."""
        return START + timedelta(days=self.days, minutes=self.n)

    @property
    def external(self) -> list[str]:
        """The external ids that it writes."""
        return [i["external_id"] for i in self.items if i["text"]]


PAIRS = (
    ("The staging database listens on port 5432", "Please note that the staging database listens on port 5432"),
    ("Robin lives in Berlin", "Remember: Robin lives in Berlin"),
    ("The invoice service retries three times", "Please note that the invoice service retries three times"),
    ("Kim prefers tea over coffee", "Remember: Kim prefers tea over coffee"),
    ("The backup of the wiki runs at 04:30", "Please note that the backup of the wiki runs at 04:30"),
    ("Deploys are frozen in December", "Remember: deploys are frozen in December"),
    ("The key rotation takes 15 minutes", "Please note that the key rotation takes 15 minutes"),
    ("Sasha owns the search index", "Remember: Sasha owns the search index"),
)


def build() -> tuple[Act, ...]:
    """The whole programme: 46 acts that reach every crash point."""
    acts: list[Act] = []

    def add(verb: str, *items: Any, **given: Any) -> int:
        n = len(acts)
        made = tuple(
            {"text": i, "external_id": f"x{n}-{k}"} if isinstance(i, str) else {"external_id": f"x{n}-{k}", **i}
            for k, i in enumerate(items)
        )
        acts.append(Act(n, verb, made, **given))
        return n

    # The embedder is away at first: these rows wait for their vectors.
    for text in (PAIRS[0][0], "The red bicycle stands in cellar 7", PAIRS[1][0]):
        add("remember", text, embedder="none")
    # Two threads, one text of which both write.
    for i in range(5):
        for lane in (1, 2):
            add("remember", f"Machine {i * 2 + lane} of the lab has {i + 3 * lane} fans", lane=lane)
    for lane in (1, 2):
        add("remember", "The lab closes at eight", lane=lane)
    add(
        "remember_many", *[f"Shelf {i} holds box number {i * 13}" for i in range(6)], "", "Shelf 2 holds box number 26."
    )
    add("remember", "the LAB closes at eight.")
    add("remember", "- Shelf 3 holds **box** number 39")
    wrong = add("remember", "The meeting is on Monday in room 4")
    add("remember", {"text": "Oslo", "key": "office"})
    gone = add("remember", "The temporary password of the printer is on the sticker")
    add("remember", {"text": "The office moved to Bergen", "key": "office"})
    add("revise", "The meeting is on Tuesday in room 4", of=wrong)
    add("forget", of=gone)
    pinned = add("remember", "Never restart the mail server by day")
    add("pin", of=pinned)
    add("import", *[p[1] for p in PAIRS[:4]], *[p[0] for p in PAIRS[2:4]], "One more line of the import", PAIRS[4][0])
    add("recall", query="which port does the staging database listen on?")
    merged = add("curate")
    add("remember", "The projector needs a new lamp")
    add("recall", query="where does Robin live?")
    add("undo", of=merged)
    add("import", *[t for p in PAIRS[4:8] for t in p])
    for i in range(3):
        add("remember", {"text": f"Somebody mentioned colour {i} once", "importance": 0.1})
    add("apply")
    add("remember", {"text": "The office moved to Tromso", "key": "office"})
    faded = add("curate", days=120)
    add("remember", "The lamp of the projector was replaced", days=120)
    add("undo", of=faded, days=120)
    add("recall", query="the projector", days=120)
    add("remember", "The programme is over", days=120)
    return tuple(acts)


@dataclass
class Now:
    """Clock and ids in one: both follow from the act that the asking thread is at."""

    life: int = 0
    _local: threading.local = field(default_factory=threading.local)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _count: Counter[int] = field(default_factory=Counter)

    def begin(self, act: Act) -> None:
        self._local.act = act

    def now(self) -> datetime:
        act: Act | None = getattr(self._local, "act", None)
        return act.at if act else START

    def new(self) -> str:
        act: Act | None = getattr(self._local, "act", None)
        n = act.n if act else 999_999
        with self._lock:
            self._count[n] += 1
            return f"{n:06d}{self._count[n]:06d}{self.life:014d}"


class Client:
    """Runs acts on one store and says what was answered.

    Args:
        path: the store's file.
        acts: the programme.
        say: takes one line for each answer.
        answered: lines that an earlier life of this client has heard.
        life: 0 for the first, 1 for a resumed one: ids of two lives never collide.
        opened: opens a handle; tests put a faulty store in here.
    """

    def __init__(
        self, path: str, acts: tuple[Act, ...], say: Say, answered: Iterable[str] = (), life: int = 0,
        opened: Callable[..., Reverie] | None = None,
    ) -> None:  # fmt: skip
        self._path = path
        self._acts = acts
        self._say = say
        self._now = Now(life)
        self._opened = opened or reverie.open
        self._settings = UNSYNCED if life else SETTINGS
        self._mem: Reverie | None = None
        self._embedder = ""
        self.done, self.ids = read(answered)

    def run(self) -> None:
        """All acts that were not answered yet, in order."""
        usual, writing.BATCH = writing.BATCH, BATCH
        left = [a for a in self._acts if a.n not in self.done]
        try:
            while left:
                if not left[0].lane:
                    self._one(left.pop(0))
                    continue
                together = []
                while left and left[0].lane:
                    together.append(left.pop(0))
                self._threads(together)
        finally:
            writing.BATCH = usual
            self.close()

    def _threads(self, acts: list[Act]) -> None:
        self._open(acts[0].embedder)
        errors: list[BaseException] = []

        def lane(number: int) -> None:
            try:
                for act in acts:
                    if act.lane == number:
                        self._one(act)
            except BaseException as error:
                errors.append(error)

        running = [threading.Thread(target=lane, args=(n,)) for n in sorted({a.lane for a in acts})]
        for t in running:
            t.start()
        for t in running:
            t.join()
        if errors:
            raise errors[0]

    def _open(self, embedder: str) -> Reverie:
        if self._mem is None or self._embedder != embedder:
            self.close()
            self._mem = self._opened(
                self._path, embedder=embedder, clock=self._now, ids=self._now, settings=self._settings, channel="person",
                judge=JUDGE,
            )  # fmt: skip
            self._embedder = embedder
        return self._mem

    def close(self) -> None:
        if self._mem is not None:
            self._mem.close()
            self._mem = None

    def _one(self, act: Act) -> None:
        self._now.begin(act)
        mem = self._open(act.embedder)
        got = getattr(self, f"_{act.verb}")(mem, act)
        self._answer(act, **got)

    def _answer(self, act: Act, **got: Any) -> None:
        self.ids |= got.get("ids", {})
        self._say(json.dumps({"n": act.n, **got}))

    # the verbs
    def _remember(self, mem: Reverie, act: Act) -> dict[str, Any]:
        (item,) = act.items
        return {"ids": {item["external_id"]: mem.remember(**item).id}}

    def _remember_many(self, mem: Reverie, act: Act) -> dict[str, Any]:
        got = mem.remember_many(act.items)
        return {"ids": {i["external_id"]: o.id for i, o in zip(act.items, got, strict=True) if o.error is None}}

    def _import(self, mem: Reverie, act: Act) -> dict[str, Any]:
        ids: dict[str, str] = {}
        for item, outcome in zip(act.items, mem.import_stream(act.items), strict=True):
            assert outcome.error is None, outcome.error
            ids[item["external_id"]] = outcome.id
            self._say(json.dumps({"part": act.n, "ids": {item["external_id"]: outcome.id}}))
        return {"ids": ids}

    def _revise(self, mem: Reverie, act: Act) -> dict[str, Any]:
        (item,) = act.items
        old = self._target(act)
        try:
            new = mem.revise(old, item["text"], external_id=item["external_id"]).id
        except Refused:
            row = mem.get(old)
            new = row.superseded_by or ""
            if row.state != "superseded" or mem.get(new).text != item["text"]:
                raise
        return {"ids": {item["external_id"]: new}}

    def _forget(self, mem: Reverie, act: Act) -> dict[str, Any]:
        if mem.get(self._target(act)).state != "archived":
            mem.forget(self._target(act))
        return {}

    def _pin(self, mem: Reverie, act: Act) -> dict[str, Any]:
        mem.pin(self._target(act))
        return {}

    def _recall(self, mem: Reverie, act: Act) -> dict[str, Any]:
        hits = mem.recall(act.query, 3)
        mem.flush()
        return {"top": hits[0].memory.id}

    def _curate(self, mem: Reverie, act: Act) -> dict[str, Any]:
        return {"run": mem.curate().id}

    def _apply(self, mem: Reverie, act: Act) -> dict[str, Any]:
        plan = json.loads(json.dumps(mem.plan().to_dict()))
        return {"run": mem.apply(Plan.from_dict(plan)).id}

    def _undo(self, mem: Reverie, act: Act) -> dict[str, Any]:
        assert act.of is not None
        # By time, not by run: a run that was killed and begun again is taken back whole.
        return {"run": mem.undo(self._acts[act.of].at).id}

    def _target(self, act: Act) -> str:
        assert act.of is not None
        return self.ids[self._acts[act.of].items[0]["external_id"]]


def read(lines: Iterable[str]) -> tuple[set[int], dict[str, str]]:
    """The numbers of the answered acts and the ids that were given, from what a client said."""
    done: set[int] = set()
    ids: dict[str, str] = {}
    for line in lines:
        got = json.loads(line)
        ids |= got.get("ids", {})
        if "n" in got:
            done.add(got["n"])
    return done, ids


def rest(path: str, passes: int = 6) -> int:
    """Curate until nothing changes; the number of passes that took. Fails when there is no end."""
    now = Now(life=9)
    now.begin(Act(900_000, "rest", days=120))
    with reverie.open(path, embedder="hashing", clock=now, ids=now, settings=UNSYNCED, channel="person",
                      judge=JUDGE) as mem:  # fmt: skip
        for n in range(passes):
            run = mem.curate()
            assert not run.errors, run.errors
            if not len(run) and not run.counts["embedded"] and not run.counts["curated"]:
                return n
    raise AssertionError(f"curation has not come to rest after {passes} passes")
