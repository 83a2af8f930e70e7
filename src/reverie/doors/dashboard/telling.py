"""Moves, plans and runs as a page tells them: two texts with their differing words, columns before and after, reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from reverie.curation.plan import LeftAlone, Plan, Proposal
from reverie.errors import NotFound
from reverie.model import Entry
from reverie.serving.host import Guarded
from reverie.transitions import Connect, Supersede

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_SHOWN = 4_000  # characters of a text that are compared
_PRODUCT = 250_000  # words of one text times words of the other, beyond which what differs is marked as a whole
Marked = tuple[tuple[str, bool], ...]

# what a move did, read with the memory before it; and the tone of its mark
VERBS: Mapping[str, tuple[str, str]] = {
    "MergeInto": ("Merged", "merge"), "Supersede": ("Superseded", "change"), "Archive": ("Archived", "rest"),
    "Restore": ("Restored", "good"), "Quarantine": ("Quarantined", "doubt"), "Release": ("Released", "good"),
    "Promote": ("Trusted from now on", "good"), "MarkStale": ("Marked stale", "rest"), "SetKind": ("Kind changed", "change"),
    "SetGist": ("Given a gist", "change"), "Weigh": ("Weighed", "change"), "Pin": ("Pinned", "good"),
    "Verify": ("Verified", "good"), "SetKey": ("Given a key", "change"), "Sight": ("Stated again", "merge"),
    "Connect": ("Linked", "doubt"), "Disconnect": ("Link taken away", "rest"), "Derive": ("Derived", "good"),
    "Signal": ("Noted for learning", "rest"),
}  # fmt: skip
_OFF = {"Pin": "Unpinned", "Verify": "No longer verified"}


def compared(a: str, b: str) -> tuple[Marked, Marked]:
    """Both texts in parts, each with whether the other lacks it."""
    a, b = _cut(a), _cut(b)
    ours, theirs = _WORDS.findall(a), _WORDS.findall(b)
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start] == theirs[start]:
        start += 1
    end = 0
    while end < min(len(ours), len(theirs)) - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    mid_a, mid_b = ours[start : len(ours) - end], theirs[start : len(theirs) - end]
    if len(mid_a) * len(mid_b) > _PRODUCT:
        codes: Iterable[tuple[str, int, int, int, int]] = [("replace", 0, len(mid_a), 0, len(mid_b))]
    else:
        codes = SequenceMatcher(None, mid_a, mid_b, autojunk=False).get_opcodes()
    left, right = [("".join(ours[:start]), False)], [("".join(theirs[:start]), False)]
    for what, i, j, k, m in codes:
        left.append(("".join(mid_a[i:j]), what != "equal"))
        right.append(("".join(mid_b[k:m]), what != "equal"))
    left.append(("".join(ours[len(ours) - end :]), False))
    right.append(("".join(theirs[len(theirs) - end :]), False))
    return _kept(left), _kept(right)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " …"


def _kept(parts: Sequence[tuple[str, bool]]) -> Marked:
    found: list[tuple[str, bool]] = []
    for text, differs in parts:
        bare = text.strip() if differs else ""
        if not bare:  # spaces alone are not worth a mark
            found.append((text, False))
            continue
        start = text.index(bare)
        found += [(text[:start], False), (bare, True), (text[start + len(bare) :], False)]
    return tuple(p for p in found if p[0])


def unmarked(text: str) -> Marked:
    """A text that is compared with nothing."""
    return ((_cut(text), False),)


def texts_of(mem: Guarded, ids: Iterable[str]) -> dict[str, str]:
    """What these memories say. One that is gone by now has no text."""
    found = {}
    for id_ in dict.fromkeys(ids):
        try:
            found[id_] = mem.get(id_).text
        except NotFound:
            continue
    return found


@dataclass(frozen=True, slots=True)
class Side:
    """One text of a change. ``sign``: + stays or comes, - goes, = stays as it is, ~ in doubt."""

    id: str
    sign: str
    parts: Marked | None


@dataclass(frozen=True, slots=True)
class Told:
    """One change: the texts concerned, and why."""

    title: str
    tone: str
    sides: tuple[Side, ...]
    why: str
    facts: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str, str], ...] = ()
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Changes of one sort, under one heading."""

    title: str
    tone: str
    count: int
    items: tuple[Told, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class PlanTold:
    """A plan as a page shows it."""

    groups: tuple[Group, ...]
    apart: tuple[Told, ...]
    apart_more: int
    waiting: Mapping[str, int]
    errors: Mapping[str, str]
    moves: int
    asked: Mapping[str, int] = field(default_factory=dict)


_PAIRS = {"Supersede": ("-", "+"), "Quarantine": ("+", "-"), "Connect": ("~", "~")}
_HEADS = {
    "MergeInto": "Merge", "Supersede": "Supersede", "Quarantine": "Quarantine", "Connect": "Clashes, for review",
    "Archive": "Archive", "MarkStale": "Mark as stale", "SetGist": "Give a gist", "Signal": "Ask for another look at the kind",
}  # fmt: skip


def plan(mem: Guarded, given: Plan, most: int) -> PlanTold:
    """A plan in groups: what is merged, superseded, doubted, archived; and what is left alone and why."""
    by_move: dict[str, list[Proposal]] = {}
    for p in given.proposals:
        by_move.setdefault(p.move.name, []).append(p)
    doubted = {p.move.subjects()[0] for p in by_move.get("Quarantine", ())}
    told_there = [p for p in by_move.get("Connect", ()) if p.move.subjects()[0] in doubted]
    by_move["Connect"] = [p for p in by_move.get("Connect", ()) if p not in told_there]
    order = [*(h for h in _HEADS if by_move.get(h)), *(n for n in by_move if n not in _HEADS and by_move[n])]
    shown = {name: by_move[name][:most] for name in order}
    near = given.left_alone[:most]
    texts = texts_of(mem, [*_ids(p for ps in shown.values() for p in ps), *(i for a in near for i in (a.a, a.b))])
    groups = tuple(
        Group(_HEADS.get(name, name), VERBS.get(name, ("", "rest"))[1], len(by_move[name]),
              _together(ps, texts) if name == "MergeInto" else tuple(_proposal(p, texts) for p in ps),
              len(by_move[name]) - len(ps))
        for name, ps in shown.items()
    )  # fmt: skip
    return PlanTold(
        groups, tuple(_near(a, texts) for a in near), len(given.left_alone) - len(near),
        {s.step: s.left_over for s in given.steps if s.left_over}, given.errors, len(given),
        {k: v for k, v in given.asked.items() if v},
    )  # fmt: skip


def _ids(proposals: Iterable[Proposal]) -> Iterable[str]:
    for p in proposals:
        yield from (*p.move.subjects(), *p.move.others())
        if "trusted" in p.evidence:
            yield str(p.evidence["trusted"])


def _together(proposals: Sequence[Proposal], texts: Mapping[str, str]) -> tuple[Told, ...]:
    """Each survivor once, with all that goes into it."""
    groups: dict[str, list[Proposal]] = {}
    for p in proposals:
        groups.setdefault(p.move.others()[0], []).append(p)
    found = []
    for survivor, losers in groups.items():
        kept = texts.get(survivor)
        sides = []
        for p in losers:
            gone = p.move.subjects()[0]
            left, right = compared(texts.get(gone, ""), kept or "")
            sides.append(Side(gone, "-", left if gone in texts else None))
        top = right if len(losers) == 1 else unmarked(kept or "")
        whys = dict.fromkeys(p.reason for p in losers)
        found.append(
            Told("Merge", "merge", (Side(survivor, "+", top if kept is not None else None), *sides), "; ".join(whys),
                 _facts(losers[0]) if len(losers) == 1 else ())
        )  # fmt: skip
    return tuple(found)


def _facts(p: Proposal) -> tuple[tuple[str, str], ...]:
    """What a proposal rests on."""
    found = [(k, _short(p.evidence[k])) for k in ("guard", "detail", "similarity", "verdict") if p.evidence.get(k)]
    return (*found, *((("judge", p.model),) if p.model else ()))


def _short(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)[:200]


def _proposal(p: Proposal, texts: Mapping[str, str]) -> Told:
    title, tone = VERBS.get(p.move.name, (p.move.name, "rest"))
    if p.move.name in _PAIRS:
        older, newer = _older_newer(p)
        sides = _two(older, newer, texts, _PAIRS[p.move.name])
    else:
        ids = p.move.subjects() or p.move.others()
        sides = tuple(Side(i, "=", unmarked(texts[i]) if i in texts else None) for i in ids)
    return Told(title, tone, sides, p.reason, _facts(p))


def _older_newer(p: Proposal) -> tuple[str, str]:
    if isinstance(p.move, Supersede):
        return p.move.id, p.move.by
    if isinstance(p.move, Connect):
        return p.move.target, p.move.source
    return str(p.evidence.get("trusted", "")), p.move.subjects()[0]


def _two(a: str, b: str, texts: Mapping[str, str], signs: tuple[str, str]) -> tuple[Side, ...]:
    left, right = compared(texts.get(a, ""), texts.get(b, ""))
    found = (Side(a, signs[0], left if a in texts else None), Side(b, signs[1], right if b in texts else None))
    return tuple(s for s in found if s.id)


def _near(a: LeftAlone, texts: Mapping[str, str]) -> Told:
    verdict = "Different" if a.outcome == "different" else "Not sure, so kept"
    why = f"{a.reason}{f' ({a.detail})' if a.detail.strip(' /') else ''}"
    return Told(verdict, "rest", _two(a.a, a.b, texts, ("=", "=")), why, (("similarity", f"{a.similarity:.3f}"),))


_QUIET = frozenset({"state", "strength_at", "archived_at", "merged_into", "superseded_by", "curated_at", "stated_at"})


def entries(mem: Guarded, given: Sequence[Entry]) -> tuple[Told, ...]:
    """Journal lines, each with the texts concerned and what it changed."""
    texts = texts_of(mem, (i for e in given for i in ids_of(e)))
    return tuple(entry(e, texts) for e in given)


_FIRST = ("MergeInto", "Supersede", "Quarantine", "Connect", "Archive", "Restore", "Release", "Promote", "SetGist")


def grouped(mem: Guarded, given: Sequence[Entry]) -> tuple[Group, ...]:
    """Journal lines under what was done, the weighty first."""
    by_title: dict[tuple[int, str], list[Told]] = {}
    for told in entries(mem, given):
        move = told.entry.move if told.entry else ""
        rank = _FIRST.index(move) if move in _FIRST else len(_FIRST)
        by_title.setdefault((rank, told.title), []).append(told)
    return tuple(
        Group(title, told[0].tone, len(told), tuple(told))
        for (_, title), told in sorted(by_title.items(), key=lambda g: g[0])
    )


def ids_of(e: Entry) -> tuple[str, ...]:
    """The memories of a journal line."""
    return tuple(str(i) for i in e.detail.get("ids", ()))


def entry(e: Entry, texts: Mapping[str, str]) -> Told:
    """One journal line."""
    title, tone = verb(e)
    ids = ids_of(e)
    if len(ids) == 2:
        signs = ("-", "+") if e.move in ("MergeInto", "Supersede") and e.undoes is None else ("=", "=")
        sides = _two(ids[0], ids[1], texts, signs)
    else:
        sides = tuple(Side(i, "=", unmarked(texts[i]) if i in texts else None) for i in ids[:4])
    why = e.reason if e.status == "applied" else str(e.detail.get("skipped", e.reason))
    facts: tuple[tuple[str, str], ...] = (("judge", e.model),) if e.model else ()
    return Told(title, tone, sides, why, facts, columns(e), e)


def verb(e: Entry) -> tuple[str, str]:
    """What a journal line says was done, and the tone of it."""
    title, tone = VERBS.get(e.move, (e.move, "rest"))
    move: Mapping[str, Any] = e.detail.get("move") or {}
    if e.move in _OFF and move.get("on") is False:
        title, tone = _OFF[e.move], "rest"
    if e.move == "Connect" and move.get("relation") == "contradicts":
        title = "Flagged as a contradiction"
    if e.undoes is not None:
        title, tone = f"{'Done again' if e.detail.get('again') else 'Taken back'}: {title.lower()}", "rest"
    if e.status != "applied":
        title, tone = f"Skipped: {title.lower()}", "rest"
    return title, tone


def columns(e: Entry, only: str | None = None) -> tuple[tuple[str, str, str], ...]:
    """What the line set: column, before, after; of one memory, where one is named."""
    found = []
    for id_, after in e.after.items():
        if only is not None and id_ != only:
            continue
        before = e.before.get(id_, {})
        for name, value in after.items():
            old = before.get(name)
            if name not in _QUIET and old != value:
                found.append((name.replace("_", " "), _said(old), _said(value)))
    return tuple(found)


def _said(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _short(value)
