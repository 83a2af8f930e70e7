"""The briefing of one UTC day, from the journal and nothing else: so that it cannot tell what did not happen [S4].

Pure: runs, entries, parked plans and activity records of the day go in, a `Briefing` comes out. Its counts are those of
entries that stand: applied, and not taken back since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from reverie.curation.signals import OF_ACTS
from reverie.model import Entry, Relation, RunRecord, Scope
from reverie.store.records import Parked

ITEMS = 10  # that a section lists; the rest is "+N more"
TEXT = 200  # characters of a memory, a reason or an error that are shown
READINGS = ("people", "agent")
CURATION = frozenset({"tidy", "rehearse", "sleep"})  # runs of any other name are callers' acts, or bookkeeping
BOOKKEEPING = frozenset({"judge", "undo", "write"})
WRITES = frozenset({"write", "remember", "revise", "key"})
MILLION = 1_000_000

# section: (title, word of the headline, told to the agent), in the order in which they are told
SECTIONS: Mapping[str, tuple[str, str, bool]] = {
    "failures": ("Failures", "", True),
    "review": ("Needs review", "", True),
    "new": ("New knowledge", "new", True),
    "merged": ("Merged", "merged", True),
    "superseded": ("Superseded", "superseded", True),
    "promoted": ("Trusted from now on", "promoted", True),
    "archived": ("Archived", "archived", True),
    "quarantined": ("Quarantined", "quarantined", True),
    "contradictions": ("Contradictions", "flagged", True),
    "signals": ("Marked for another look at their kind", "flagged", False),
    "gists": ("Given a gist", "shortened", False),
    "stale": ("Marked stale", "gone stale", False),
    "other": ("Other moves", "changed otherwise", False),
    "undone": ("Taken back", "", True),
    "redone": ("Done again", "", True),
    "left_over": ("Left over", "", True),
    "acts": ("Done by callers", "", False),
    "restated": ("Recognised as restatements when they were written", "", False),
}
_DEEDS = {
    "Derive": "new", "MergeInto": "merged", "Supersede": "superseded", "Promote": "promoted", "Archive": "archived",
    "Quarantine": "quarantined", "Signal": "signals", "SetGist": "gists", "MarkStale": "stale",
}  # fmt: skip
_JOINTS = {"merged": "into", "superseded": "by", "contradictions": "against"}
_SETTLES = frozenset({"Release", "Archive", "Supersede", "MergeInto"})
_SPEND = ("calls", "failed_calls", "questions", "tokens", "unusable", "unreached", "capped")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that happened, as of a moment.

    ``memories`` are the ids concerned, ``texts`` what they say (None: gone), shortened, on one line, and without characters
    that nobody sees; ``joint`` stands between the two of a pair. ``entry`` is the journal's number.
    """

    at: datetime
    why: str
    memories: tuple[str, ...] = ()
    entry: int | None = None
    joint: str = ""
    texts: tuple[str | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "at": self.at.isoformat(), "memories": list(self.memories), "texts": list(self.texts), "why": self.why,
            "entry": self.entry,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """One heading: how many, the newest of them, each memory once, and how many ``more`` are not listed."""

    name: str
    count: int
    items: tuple[Item, ...]
    more: int = 0

    @property
    def title(self) -> str:
        """Its heading."""
        return SECTIONS[self.name][0]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        items = [i.to_dict() for i in self.items]
        return {"name": self.name, "title": self.title, "count": self.count, "items": items, "more": self.more}


@dataclass(frozen=True, slots=True)
class Briefing:
    """What happened in one scope on one UTC day, as it was known at ``as_of``.

    ``counts`` holds every count of `SECTIONS`, zeros too, and those of runs, failed runs, skipped moves and held-back plans;
    ``spend`` what a judge came to, its ``cost`` in the currency of the prices. ``reading`` is "people" or "agent".
    """

    scope: Scope
    day: date
    as_of: datetime
    reading: str
    headline: str
    notes: tuple[str, ...]
    sections: tuple[Section, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    spend: Mapping[str, float] = field(default_factory=dict)

    @property
    def memories(self) -> tuple[str, ...]:
        """The ids that its items speak of, each once."""
        return tuple(dict.fromkeys(m for s in self.sections for i in s.items for m in i.memories))

    def with_texts(self, texts: Mapping[str, str]) -> Briefing:
        """The same, with what the memories say."""

        def told(item: Item) -> Item:
            return replace(item, texts=tuple(shown(texts[m]) if m in texts else None for m in item.memories))

        return replace(self, sections=tuple(replace(s, items=tuple(map(told, s.items))) for s in self.sections))

    def text(self) -> str:
        """Lines of plain text."""
        from reverie.briefing_text import text

        return text(self)

    def markdown(self) -> str:
        """Markdown; what memories say stands in code spans, so that none of it is markup."""
        from reverie.briefing_text import markdown

        return markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "tenant": self.scope.tenant, "namespace": self.scope.namespace, "day": self.day.isoformat(),
            "as_of": self.as_of.isoformat(), "reading": self.reading, "headline": self.headline, "notes": list(self.notes),
            "counts": dict(self.counts), "spend": dict(self.spend), "sections": [s.to_dict() for s in self.sections],
        }  # fmt: skip


def shown(text: str, most: int = TEXT) -> str:
    """A text on one line, shortened, with characters that nobody sees or that reorder what is seen as their numbers."""
    flat = " ".join(text[: 8 * most].split())
    flat = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in flat)
    return flat if len(flat) <= most and len(text) <= 8 * most else flat[: most - 1].rstrip() + "…"


class _Lists:
    """Gathers items newest first: a count for each section, its newest items, each thing once."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._items: dict[str, list[Item]] = {}
        self._seen: dict[str, set[object]] = {}

    def add(self, name: str, item: Item, n: int = 1) -> None:
        self.counts[name] += n
        seen = self._seen.setdefault(name, set())
        key = item.memories[0] if item.memories else item.why
        if key not in seen:
            seen.add(key)
            if len(seen) <= ITEMS:
                self._items.setdefault(name, []).append(item)

    def sections(self, reading: str) -> Iterator[Section]:
        for name, (_, _, for_agent) in SECTIONS.items():
            items = self._items.get(name, ())
            if items and (for_agent or reading == "people"):
                yield Section(name, self.counts[name], tuple(items), len(self._seen[name]) - len(items))


def brief(
    scope: Scope, day: date, as_of: datetime, *, runs: Sequence[RunRecord], entries: Iterable[tuple[Entry, str]],
    parked: Sequence[Parked], left_over: Mapping[str, int], left_at: datetime | None, began: datetime | None,
    reading: str = "people",
) -> Briefing:  # fmt: skip
    """The briefing of a day.

    Args:
        runs: that began on the day, newest first. entries: of the day, newest first, each with the name of its run.
        parked: plans held back on the day. left_over, left_at: by step, of the day's last activity record, and its time.
        began: when the first entry of the journal was made.
    """
    lists = _Lists()
    waiting = sorted((p for p in parked if p.status == "waiting"), key=lambda p: (p.at, p.id))
    plans = [Item(p.at, shown(f"plan {p.id} of {p.step}: {p.reason}")) for p in waiting]
    skipped = _tell_entries(lists, entries, plans)
    _tell_failures(lists, runs)
    for step, n in sorted(left_over.items()):
        lists.add("left_over", Item(left_at or as_of, f"{step}: {n:,} more than one pass takes; they wait"), n)
    for r in runs:
        if "cap" in r.errors:
            lists.add("left_over", Item(r.finished_at or r.started_at, shown(f"judge: {r.errors['cap']}")), 0)
    counts = {name: lists.counts[name] for name in SECTIONS}
    curated = [r for r in runs if r.cycle in CURATION]
    counts |= {
        "runs": len(curated), "failed": sum(_failed(r) for r in runs), "skipped": skipped,
        "held_back": sum(r.counts.get("parked", 0) for r in curated),
    }  # fmt: skip
    return Briefing(
        scope, day, as_of, reading, _headline(counts), tuple(_notes(day, as_of, runs, counts, began)),
        tuple(lists.sections(reading)), counts, _spend(runs),
    )  # fmt: skip


def _tell_entries(lists: _Lists, entries: Iterable[tuple[Entry, str]], plans: list[Item]) -> int:
    """Sort the day's entries under the headings, parked plans in between by time; how many were skipped."""
    skipped = erased = 0
    acts: dict[str, tuple[str, datetime]] = {}
    doubted: set[tuple[str, str]] = set()  # (run, memory): what drew an edge there is told as the quarantine
    settled: set[str] = set()  # memories and pairs about which something was decided later in the day
    for e, cycle in entries:
        if e.status != "applied":
            skipped += 1
            continue
        if e.undone_by is not None:
            continue
        item = _item(e)
        ids = item.memories
        pair = "\n".join(ids)
        if cycle in CURATION and e.undoes is None:
            name = _section(e)
            if name == "quarantined":
                doubted.add((e.run, ids[0]))
            if name == "contradictions" and (e.run, ids[0]) in doubted:
                continue
            item = replace(item, joint=_JOINTS.get(name, ""))
            lists.add(name, item)
            if name in ("quarantined", "contradictions") and not settled & {*ids, pair}:
                while plans and plans[-1].at >= e.at:
                    lists.add("review", plans.pop())
                lists.add("review", item)
        elif e.undoes is not None:
            if e.move == "Signal" and e.detail["move"]["source"] in OF_ACTS:
                continue  # it goes with the act that it tells of
            again = bool(e.detail.get("again"))
            lists.add("redone" if again else "undone", replace(item, why=f"{e.move}, {item.why}"))
        elif cycle == "write":
            lists.add("restated", item)
        else:
            acts.setdefault(e.run, (cycle, e.at))
            erased += int(e.detail.get("memories", 0)) if cycle == "erase" else 0
        if e.undoes is None and e.move in _SETTLES:
            settled.add(ids[0])
        elif e.undoes is None and e.move == "Disconnect":
            settled.add(pair)
    while plans:
        lists.add("review", plans.pop())
    times = Counter(verb for verb, _ in acts.values())
    newest = dict(reversed(acts.values()))  # of each verb
    for verb, at in sorted(newest.items(), key=lambda v: v[1], reverse=True):
        more = f" ({erased:,} {'memory' if erased == 1 else 'memories'})" if verb == "erase" else ""
        lists.add("acts", Item(at, f"{shown(verb)}: {times[verb]:,}{more}"), times[verb])
    return skipped


def _section(e: Entry) -> str:
    if e.move == "Connect" and e.detail["move"]["relation"] == Relation.CONTRADICTS.value:
        return "contradictions"
    return "other" if e.move == "Signal" and e.detail.get("known") else _DEEDS.get(e.move, "other")


def _item(e: Entry) -> Item:
    ids = tuple(str(i) for i in e.detail.get("ids", ())) or tuple(e.after)
    created = e.detail.get("created")
    return Item(e.at, shown(e.reason), (str(created), *ids)[:2] if created and e.move == "Derive" else ids[:2], e.n)


def _failed(r: RunRecord) -> bool:
    """Whether a run failed by itself: the judge's failures are those of the run in which it was asked."""
    alone = set(r.errors) - ({"cap"} if r.cycle == "judge" else {"judge"})
    return r.status == "cut off" or bool(alone) or (r.status == "failed" and not r.errors)


def _tell_failures(lists: _Lists, runs: Sequence[RunRecord]) -> None:
    """What failed and why, the same failure once with how often."""
    times: Counter[str] = Counter()
    newest: dict[str, datetime] = {}
    for r in runs:
        told = [f"{r.cycle}, {step}: {why}" for step, why in r.errors.items() if step != "cap"]
        for line in (told or [f"{r.cycle}: {r.status}"]) if _failed(r) else ():
            times[line] += 1
            newest.setdefault(line, r.finished_at or r.started_at)
    for line, at in newest.items():
        n = times[line]
        lists.add("failures", Item(at, shown(line) + (f" ({n} times)" if n > 1 else "")), n)


def _headline(counts: Mapping[str, int]) -> str:
    words: Counter[str] = Counter()
    for name, (_, word, _) in SECTIONS.items():
        if word:
            words[word] += counts[name]
    told = ", ".join(f"{n:,} {word}" for word, n in words.items() if n) or "nothing changed"
    line = f"While you were away: {told} in {_many(counts['runs'], 'run')}."
    if not counts["runs"]:
        line = "While you were away: no curation ran."
    if counts["failed"]:
        line += f" {_many(counts['failed'], 'run')} failed."
    if counts["review"]:
        line += f" {counts['review']:,} need{'s' if counts['review'] == 1 else ''} review."
    return line


def _notes(
    day: date, as_of: datetime, runs: Sequence[RunRecord], counts: Mapping[str, int], began: datetime | None
) -> Iterator[str]:
    curated = [r for r in runs if r.cycle in CURATION]
    if not runs and not any(counts.values()):
        if began is None:
            yield "Nothing has been journaled yet."
        elif day < began.date():
            yield f"This day lies before the first entry of the journal, which is of {began.date().isoformat()}."
        else:
            yield "Nothing was journaled on this day."
    elif curated and not any(_looked(r) for r in curated) and not any(r.cycle in WRITES for r in runs):
        yield "No new input: no run found a memory that it had not examined before."
    if day == as_of.date():
        yield "The day is not over: this is what is known so far."
    if counts["skipped"]:
        yield f"{_many(counts['skipped'], 'move')} skipped: the memory had changed since, or a rule forbade it."
    if counts["held_back"]:
        yield f"A blast cap held back {_many(counts['held_back'], 'plan')}."
    unfinished = sum(r.finished_at is None for r in runs)
    if unfinished:
        yield f"{_many(unfinished, 'run')} not finished."


def _looked(r: RunRecord) -> bool:
    """Whether a run examined anything, or may have: one that did not end well does not say."""
    return r.status != "done" or bool(r.counts.get("curated") or r.counts.get("skipped"))


def _spend(runs: Sequence[RunRecord]) -> dict[str, float]:
    asked = [r.counts for r in runs if r.cycle == "judge"]
    told: dict[str, float] = {name: sum(c.get(f"judge_{name}", 0) for c in asked) for name in _SPEND}
    return told | {"cost": sum(c.get("judge_cost", 0) for c in asked) / MILLION}


def _many(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
