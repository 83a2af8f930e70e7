"""A plan to read: what would be merged, as a diff with the differing words marked, and what is left alone and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from reverie.doors.cli.show import hang, rows, safe, short
from reverie.transitions import Archive, Connect, MarkStale, MergeInto, Supersede

if TYPE_CHECKING:
    from reverie.curation.plan import LeftAlone, Plan, Proposal

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_DIFFED = 4_000  # characters of a text that is shown whole; a longer one only around its first difference
_EXCERPT = 900
_APART = "kept_apart_"
_WORDED = {
    "MergeInto": "merged", "Archive": "archived", "demoted": "archived", "MarkStale": "marked stale",
    "stale_marked": "marked stale", "Supersede": "superseded", "Quarantine": "quarantined", "SetGist": "given a gist",
    "summarized": "given a gist", "Signal": "signalled", "reclassified": "signalled", "Connect": "links drawn",
}  # fmt: skip
_PAIRED = {
    "Supersede": ("Supersede", ("-", "+")),
    "Quarantine": ("Quarantine", ("+", "-")),
    "Connect": ("Clashes, for review", ("~", "~")),
}
_SIDES = {"-": ("red", "bold reverse red"), "+": ("green", "bold reverse green"), "~": ("", "bold yellow")}


def words(a: str, b: str, signs: tuple[str, str]) -> tuple[Text, Text, list[tuple[str, str]]]:
    """Both texts with the differing words marked, and these words in pairs."""
    a, b = _excerpts(safe(a), safe(b))
    (plain_a, loud_a), (plain_b, loud_b) = _SIDES[signs[0]], _SIDES[signs[1]]
    left, right, pairs = Text(style=plain_a), Text(style=plain_b), []
    ours, theirs = _WORDS.findall(a), _WORDS.findall(b)
    for what, i, j, k, m in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        x, y = "".join(ours[i:j]), "".join(theirs[k:m])
        left.append(x, style=None if what == "equal" else loud_a)
        right.append(y, style=None if what == "equal" else loud_b)
        if what != "equal":
            pairs.append((x, y))
    return left, right, pairs


def _excerpts(a: str, b: str) -> tuple[str, str]:
    """Long texts cut to where they first differ."""
    if max(len(a), len(b)) <= _DIFFED:
        return a, b
    same = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, same - _EXCERPT // 3)
    return tuple(  # type: ignore[return-value]
        f"{'… ' if start else ''}{t[start : start + _EXCERPT]}{' …' if len(t) > start + _EXCERPT else ''}"
        for t in (a, b)
    )


def _told(pairs: Sequence[tuple[str, str]]) -> str:
    """The differing words for readers without colours."""
    shown = [f"{_quoted(x)} → {_quoted(y)}" for x, y in pairs if x.strip() or y.strip()][:4]
    more = len(pairs) - len(shown)
    return "; ".join(shown) + (f"; +{more} more" if shown and more > 0 else "")


def _quoted(text: str) -> str:
    return f"“{short(text.strip(), 40)}”" if text.strip() else "nothing"


def merges(out: Console, given: Sequence[Proposal], texts: Mapping[str, str], limit: int) -> None:
    """Each survivor once, with all that goes into it beneath."""
    groups: dict[str, list[Proposal]] = {}
    for p in given:
        groups.setdefault(p.move.others()[0], []).append(p)
    if groups:
        out.print(Text(f"Merge {len(given)} into {len(groups)}", style="bold"))
    shown = list(groups.items())[: limit or None]
    for survivor, losers in shown:
        kept = texts.get(survivor, "")
        marked = words(texts.get(losers[0].move.subjects()[0], ""), kept, ("-", "+"))[1]
        hang(out, marked if len(losers) == 1 else Text(safe(kept), style="green"), 2, "+")
        for p in losers:
            gone, _, pairs = words(texts.get(p.move.subjects()[0], ""), kept, ("-", "+"))
            hang(out, gone, 2, "-")
            why = " · ".join(x for x in (
                p.reason, f"guard: {p.evidence.get('guard', '?')}", str(p.evidence.get("detail", "")), _told(pairs),
            ) if x)  # fmt: skip
            hang(out, Text(safe(why), style="dim"), 4)
        out.print()
    if len(shown) < len(groups):
        out.print(f"  … and {len(groups) - len(shown)} more groups (--limit 0 shows all)\n")


def listed(out: Console, title: str, given: Sequence[Proposal], texts: Mapping[str, str], limit: int) -> None:
    """Moves of one row each, as a short list."""
    if not given:
        return
    out.print(Text(f"{title} {len(given)}", style="bold"))
    for p in given[: limit or None]:
        ids = p.move.subjects() or p.move.others()
        note = Text(short(" | ".join(texts.get(i, i) for i in ids), 90)) + Text(f"  ({safe(p.reason)})", style="dim")
        hang(out, note, 2, "·")
    if limit and len(given) > limit:
        out.print(f"  … and {len(given) - limit} more")
    out.print()


def two(
    out: Console, title: str, given: Sequence[Proposal], texts: Mapping[str, str], limit: int, signs: tuple[str, str]
) -> None:
    """Moves that set one memory against another: the older with the first sign, the newer with the second."""
    pairs = [(p, *_older_newer(p)) for p in given]
    if not pairs:
        return
    out.print(Text(f"{title} {len(pairs)}", style="bold"))
    for p, older, newer in pairs[: limit or None]:
        left, right, differing = words(texts.get(older, ""), texts.get(newer, ""), signs)
        hang(out, left, 2, signs[0])
        hang(out, right, 2, signs[1])
        hang(out, Text(safe(" · ".join(x for x in (p.reason, _told(differing)) if x)), style="dim"), 4)
    if limit and len(pairs) > limit:
        out.print(f"  … and {len(pairs) - limit} more (--limit 0 shows all)")
    out.print()


def _older_newer(p: Proposal) -> tuple[str, str]:
    if isinstance(p.move, Supersede):
        return p.move.id, p.move.by
    if isinstance(p.move, Connect):
        return p.move.target, p.move.source
    return str(p.evidence.get("trusted", "")), p.move.subjects()[0]


def left_alone(out: Console, pairs: Sequence[LeftAlone], texts: Mapping[str, str], limit: int) -> None:
    """Near misses in the order given: both texts, and what keeps them two."""
    if not pairs:
        return
    out.print(Text(f"Left alone {len(pairs)}", style="bold"))
    for a in pairs[: limit or None]:
        left, right, _ = words(texts.get(a.a, ""), texts.get(a.b, ""), ("~", "~"))
        hang(out, left, 2, "=")
        hang(out, right, 2, "=")
        verdict = "different" if a.outcome == "different" else "not sure, so kept"
        why = f"{verdict}: {a.reason}{f' ({a.detail})' if a.detail.strip(' /') else ''} · similarity {a.similarity:.3f}"
        hang(out, Text(safe(why), style="dim"), 4)
    if limit and len(pairs) > limit:
        out.print(f"  … and {len(pairs) - limit} more (--near 0 shows all)")
    out.print()


def plan(out: Console, given: Plan, texts: Mapping[str, str], *, limit: int = 20, near: int = 10) -> None:
    """The whole plan for people."""
    by_move: dict[str, list[Proposal]] = {}
    for p in given.proposals:
        by_move.setdefault(p.move.name, []).append(p)
    merges(out, by_move.pop(MergeInto.__name__, []), texts, limit)
    doubted = {p.move.subjects()[0] for p in by_move.get("Quarantine", ())}
    by_move["Connect"] = [p for p in by_move.get("Connect", ()) if p.move.subjects()[0] not in doubted]  # told above
    for name, (title, signs) in _PAIRED.items():
        two(out, title, by_move.pop(name, []), texts, limit, signs)
    titles = {Archive.__name__: "Archive", MarkStale.__name__: "Mark as stale"}
    for name, proposals in by_move.items():
        listed(out, titles.get(name, name), proposals, texts, min(limit, 10) if limit else 0)
    left_alone(out, given.left_alone, texts, near)
    counts(out, given.counts)
    waiting = {s.step: s.left_over for s in given.steps if s.left_over}
    if waiting:
        out.print("Waiting for the next run: " + ", ".join(f"{k} {v}" for k, v in waiting.items()))
    errors(out, given.errors)
    if not given:
        out.print("Nothing to do." if not given.errors else "Nothing was planned.")


def counts(out: Console, given: Mapping[str, int]) -> None:
    """Totals that are not zero; what a step counts under a word of its own beside the move is said once."""
    told = {_WORDED.get(k, k): v for k, v in given.items() if v and not k.startswith(_APART)}
    apart = {k.removeprefix(_APART): v for k, v in given.items() if v and k.startswith(_APART)}
    for title, part in (("Totals", told), ("Kept apart", apart)):
        if part:
            line = ", ".join(f"{k.replace('_', ' ')} {v:,}" for k, v in sorted(part.items()))
            hang(out, Text(line), 12, title)


def errors(out: Console, given: Mapping[str, str]) -> None:
    """Steps that failed."""
    if given:
        out.print(rows("Failed", ("step", "why"), given.items()))


__all__ = ["counts", "errors", "left_alone", "listed", "merges", "plan", "words"]
