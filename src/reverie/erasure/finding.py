"""Where the words of an erasure stand: journal, gists, queries, verdicts, plans, logs. Read only, in one snapshot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from reverie.erasure import emptying
from reverie.erasure.lineage import Lineage, lineage
from reverie.erasure.target import COUNTS, Erasure, Target
from reverie.erasure.words import Words
from reverie.erasure.words import words as words_of
from reverie.model import Entry, State
from reverie.store.codec import dumps
from reverie.store.erasing import NOBODY, Traces

TOKEN_CHARS = 16
COMPARED = 50  # memories that go, up to which those that stay are compared with each
ALIKE, ENOUGH = 0.6, 3  # share of the shorter text's words, and how many at least


@dataclass(slots=True)
class Found:
    """All that an erasure takes away, and what is left of what it empties."""

    target: Target
    lineage: Lineage
    words: Words = field(default_factory=Words)
    texts: set[bytes] = field(default_factory=set)  # hashes of texts of which no vector may stay
    norms: set[bytes] = field(default_factory=set)
    gists: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)  # as they will stand
    parked: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    verdicts: list[bytes] = field(default_factory=list)
    errors: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    activity: list[int] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def token(self) -> str:
        """Of the target, and of the ids, revisions and sightings of all that would go or change."""
        line = self.lineage
        rows = [(i, m.revision, len(line.stated.get(i, ()))) for i, m in sorted(line.rows.items())]
        around = [(i, [s.n for s in d]) for i, d in sorted(line.drops.items())]
        moved = [sorted(line.moves), sorted(line.freed), sorted(m.id for m, _ in line.reborn)]
        body = dumps([self.target.to_dict(), rows, around, moved])
        return "erase-" + hashlib.sha256(body.encode()).hexdigest()[:TOKEN_CHARS]

    def preview(self) -> Erasure:
        """What would go, as data."""
        ids = tuple(sorted(self.lineage.rows))
        return Erasure(self.target, False, self.token, ids, self.counts, self.lineage.others())


def find(traces: Traces, target: Target) -> Found:
    """Everything that a target means, in this snapshot or transaction."""
    line = lineage(traces, target)
    found = Found(target, line)
    if target.sort == "everything":
        # Whatever happened in the scope goes, so that a namespace that has been emptied before has nothing left.
        found.counts = traces.everything()
        return found
    _gather(found)
    ids = set(line.rows)
    if ids or line.drops or line.moves:
        _look_at_what_stays(traces, found)
        _journal(traces, found, ids)
        _books(traces, found, ids)
    found.counts = _counts(traces, found)
    return found


def _gather(found: Found) -> None:
    line, words = found.lineage, found.words
    for row in line.rows.values():
        words.goes(row.text, row.gist, row.key, metadata=row.metadata)
        found.texts.add(row.text_hash)
        found.norms.add(row.norm_hash)
    for stated in (*line.stated.values(), *line.drops.values()):
        for s in stated:
            words.goes(s.sighting.wording, s.sighting.external_id)
    for row, _, _ in line.moves.values():
        words.goes(row.gist, row.key, metadata=row.metadata)
        found.gists += [row.id] if row.gist else []
    for _, theirs in line.reborn:
        words.stays(*(s.sighting.wording for s in theirs))
    words.texts -= {s.sighting.wording or "" for _, theirs in line.reborn for s in theirs}


def _look_at_what_stays(traces: Traces, found: Found) -> None:
    """Take the words that other memories hold from those that give something away; find gists, and who says the same."""
    line, words = found.lineage, found.words
    texts = {m.text for m in line.rows.values()}
    dropped = {s.n for stated in line.drops.values() for s in stated}
    gists: dict[str, str] = {}
    few = found.target.sort != "principal" and len(line.rows) <= COMPARED
    alike = [words_of(m.text) for m in line.rows.values()] if few else []
    for row in traces.kept():
        if row.id in line.rows:
            continue
        moved = row.id in line.moves
        words.stays(row.text, None if moved else row.key, metadata=None if moved else row.metadata)
        if row.gist and not moved and (words.speaks(row.gist)):
            gists[row.id] = row.gist
        if row.norm_hash in found.norms:
            found.norms.discard(row.norm_hash)
            if found.target.sort != "principal":
                line.also.setdefault(
                    row.id, "says the same" + ("" if row.state is State.LIVE else f"; it is {row.state}")
                )
        elif any(_alike(words_of(row.text), w) for w in alike):
            line.also.setdefault(row.id, "says much of it in the same words")
        found.texts.discard(row.text_hash)
    for n, memory, wording, _ in traces.wordings():
        if memory in line.rows or n in dropped:
            continue
        if found.target.sort != "principal" and wording in texts:
            # It was once a memory of its own, or will not be one again: the same words under another memory.
            line.drops.setdefault(memory, []).extend(s for s in traces.sightings(memory) if s.n == n)
        else:
            words.stays(wording)
    found.gists += [id_ for id_, gist in gists.items() if words.speaks(gist)]


def _alike(one: set[str], other: set[str]) -> bool:
    shared = len(one & other)
    return shared >= ENOUGH and shared >= ALIKE * min(len(one), len(other))


def _journal(traces: Traces, found: Found, ids: Set[str]) -> None:
    """Entries that speak of it. Twice: what a gist was made of is known only once all entries have been seen."""
    words, principal = found.words, found.target.principal
    composed: dict[str, set[str]] = {}  # gist: the rows that it was given to
    for entry in traces.entries():
        sources = set(entry.evidence.get("sources", ()))
        if entry.move == "SetGist" and not sources.isdisjoint(ids):
            for gist in emptying.composed(entry):
                composed.setdefault(gist, set()).update(entry.detail.get("ids", ()))
    words.texts |= set(composed)
    for rows in composed.values():
        for id_, row in traces.rows(rows - ids).items():
            if row.gist in composed and id_ not in found.gists:
                found.gists.append(id_)
    for entry in traces.entries():
        if entry.move == emptying.MOVE or emptying.is_emptied(entry):
            continue
        if emptying.names(entry, ids, words, principal):
            found.entries.append(emptying.emptied(entry))


def _books(traces: Traces, found: Found, ids: Set[str]) -> None:
    words, principal = found.words, found.target.principal
    for id_, reason, body in traces.parked():
        plan = json.loads(body)
        left = emptying.plan_without(plan, lambda p: emptying.tells(p, ids, words, principal))
        if left is not None or words.quotes(reason):
            found.parked.append((id_, left or plan, NOBODY))
    asked = {n for n, memory in traces.hits() if memory in ids}
    found.queries = [n for n, text in traces.queries() if n in asked or words.speaks(text)]
    gone = {h.hex() for h in found.texts | {m.text_hash for m in found.lineage.rows.values()}}
    for key, hashes, answer in traces.verdicts():
        if not hashes.isdisjoint(gone) or emptying.tells(_json(answer), ids, words, principal):
            found.verdicts.append(key)
    for run, told in traces.errors():
        errors: Mapping[str, str] = json.loads(told)
        if any(_quoted(words, v) for v in errors.values()):
            found.errors.append((run, {k: NOBODY if _quoted(words, v) else v for k, v in errors.items()}))
    found.activity = [n for n, told in traces.activity() if emptying.tells(json.loads(told), ids, words, principal)]
    found.steps = [(cycle, name) for cycle, name, why in traces.steps() if _quoted(words, why)]
    found.jobs = [i for i, told, why in traces.jobs()
                  if _quoted(words, why) or emptying.tells([_json(t) for t in told], ids, words, principal)]  # fmt: skip


def _quoted(words: Words, text: str | None) -> bool:
    """An error message may cut what it quotes: any rare word is enough, as little is lost with it."""
    return words.speaks(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _counts(traces: Traces, found: Found) -> dict[str, int]:
    line = found.lineage
    touched = found.entries
    counts = dict.fromkeys(COUNTS, 0) | dict(line.counts)
    counts |= {
        "memories": len(line.rows),
        "sightings": sum(len(s) for s in (*line.stated.values(), *line.drops.values())),
        "kept": len(line.drops.keys() | line.moves.keys()), "rewritten": len(line.reborn), "freed": len(line.freed),
        "links": traces.links(sorted(line.rows)), "gists": len(found.gists),
        "vectors": sum(traces.vectors(m, found.texts) for m in traces.models()),
        "journal_images": len(touched), "verdicts": len(found.verdicts), "parked_plans": len(found.parked),
        "queries": len(found.queries), "logs": len(found.errors) + len(found.activity) + len(found.steps) + len(found.jobs),
        "names": traces.runs_of(found.target.principal) if found.target.principal else 0,
    }  # fmt: skip
    return counts


__all__ = ["Found", "find"]
