"""Memories: the list and its search, one memory's life, and what a person may do to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.responses import Response

from reverie.doors.dashboard import telling
from reverie.doors.dashboard.visit import Visit
from reverie.errors import InvalidInput, NotFound
from reverie.model import Entry, Kind, Memory, Relation, Sighting, State, Trust

PAGE = 40
FOUND = 25
STATES = tuple(s.value for s in State if s is not State.ERASED)
LIFE_MOST = 200  # events of one memory's life that are shown: the newest


def listed(v: Visit) -> Response:
    """Memories, newest first; or those that answer a query, best first."""
    state, kind, trust = v.asked("state") or "live", v.asked("kind"), v.asked("trust")
    q, cursor = v.asked("q"), v.asked("cursor")
    wanted = None if state == "all" else state
    hits: list[Any] = []
    page = None
    if q is not None and q.strip():
        v.mem.browse(state=wanted, kind=kind, trust=trust, limit=1)  # checks the filters
        states = None if wanted == "live" else list(STATES) if wanted is None else [wanted]
        hits = v.mem.recall(q, FOUND, kinds=[kind] if kind else None, states=states, log=False)
        hits = [h for h in hits if trust is None or h.memory.trust == trust]
    else:
        page = v.mem.browse(state=wanted, kind=kind, trust=trust, cursor=cursor, limit=PAGE)
    top = max((h.score for h in hits), default=1.0) or 1.0
    return v.html(
        "memories.html", q=q or "", hits=hits, page=page, top=top, stats=v.mem.stats(), now=v.site.host.clock.now(),
        state=state, kind=kind or "", trust=trust or "", states=STATES, kinds=[k.value for k in Kind],
        trusts=[t.value for t in Trust], filtered=bool(kind or trust or state != "live" or q),
    )  # fmt: skip


def new(v: Visit) -> Response:
    """A form for a new memory."""
    v.who.need("remember")
    return v.html("new.html", kinds=[k.value for k in Kind], default=str(v.mem.settings["default_kind"]))


def remember(v: Visit) -> Response:
    """Keep what was written."""
    got = v.mem.remember(
        v.field("text").strip(),
        v.field("kind") or None,
        importance=_share(v, "importance"),
        train=bool(v.field("train")),
    )
    return v.to(v.at("memories", got.id), "restated" if got.restated else "remembered")


@dataclass(frozen=True, slots=True)
class Event:
    """One point in a memory's life."""

    at: datetime
    title: str
    tone: str
    who: str = ""
    why: str = ""
    wording: str | None = None
    other: str | None = None
    other_text: str | None = None
    entry: Entry | None = None
    columns: tuple[tuple[str, str, str], ...] = ()


def one(v: Visit) -> Response:
    """One memory, whole: its text, what is known of it, and its life."""
    told = v.mem.history(v.param("id"))
    m: Memory = told.memory
    runs = {r.id: r for r in v.mem.runs(2_000)} if told.entries else {}
    others = {i for e in told.entries for i in telling.ids_of(e)} | {
        i for k in told.links for i in (k.source, k.target)
    }
    versions = {x.id: x.text for x in told.versions}
    texts = versions | telling.texts_of(v.mem, sorted(others - {m.id} - set(versions))[:LIFE_MOST])
    life = _life(m, told.sightings, told.entries, runs, texts)
    successor = m.superseded_by or m.merged_into
    return v.html(
        "memory.html", m=m, life=life[:LIFE_MOST], more=max(0, len(life) - LIFE_MOST), now=v.site.host.clock.now(),
        versions=[(x, *telling.compared(x.text, m.text)) for x in told.versions if x.id != m.id][:20],
        links=[k for k in told.links if k.relation not in (Relation.MERGED_INTO, Relation.SUPERSEDED_BY)],
        texts=texts, successor=successor, successor_text=texts.get(successor or ""),
        sightings=told.sightings, voices=len({s.origin.principal for s in told.sightings}), kinds=[k.value for k in Kind],
    )  # fmt: skip


def _life(
    m: Memory, sightings: tuple[Sighting, ...], entries: tuple[Entry, ...], runs: dict[str, Any], texts: dict[str, str]
) -> list[Event]:
    """What happened to it, the newest first."""
    found = [Event(m.written_at, "Written", "good", _by(m.origin), wording=None)]
    mine = [s for s in sightings if s.memory == m.id]
    for s in mine:
        if s.at > m.written_at:
            found.append(Event(s.at, "Stated again", "merge", _by(s.origin), wording=s.wording))
    for e in entries:
        if e.move == "Sight" and e.undoes is None and any(s.at == e.at for s in mine):
            continue  # told by its sighting
        title, tone = telling.verb(e)
        ids = telling.ids_of(e)
        other = next((i for i in ids if i != m.id), None)
        if e.move == "MergeInto" and ids and ids[0] != m.id and e.undoes is None:
            title = "Took in a restatement"
        elif e.move == "Supersede" and ids and ids[0] != m.id and e.undoes is None:
            title = "Took the place of an older one"
        run = runs.get(e.run)
        who = run.actor if run is not None else ""
        where = f"{e.step}" if run is None or run.cycle == e.step else f"{run.cycle}, {e.step}"
        why = e.reason if e.status == "applied" else str(e.detail.get("skipped", e.reason))
        found.append(
            Event(e.at, title, tone, f"{who} · {where}" if who else where, why, other=other,
                  other_text=texts.get(other or ""), entry=e, columns=telling.columns(e, m.id))
        )  # fmt: skip
    if m.last_recalled_at is not None:
        times = f"{m.recall_count:,} time{'' if m.recall_count == 1 else 's'} so far"
        found.append(Event(m.last_recalled_at, "Last recalled", "rest", why=times))
    return sorted(found, key=lambda x: (x.at, x.entry.n if x.entry else 0), reverse=True)


def _by(origin: Any) -> str:
    parts = [f"{origin.principal} · {origin.channel.value}"]
    return " · ".join([*parts, *([f"session {origin.session}"] if origin.session else [])])


# what a person may do: each takes the revision that the page has shown
def _revision(v: Visit) -> int:
    given = v.field("revision")
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise InvalidInput("the form does not say which revision of the memory it was made for")
    return int(given)


def _share(v: Visit, name: str) -> float | None:
    given = v.field(name).strip()
    if not given:
        return None
    try:
        return float(given)
    except ValueError:
        raise InvalidInput(f"{name} is a number from 0 to 1") from None


def _pin(v: Visit, id_: str) -> str:
    v.mem.pin(id_, True, revision=_revision(v))
    return "pinned"


def _unpin(v: Visit, id_: str) -> str:
    v.mem.pin(id_, False, revision=_revision(v))
    return "unpinned"


def _verify(v: Visit, id_: str) -> str:
    v.mem.verify(id_, True, revision=_revision(v))
    return "verified"


def _unverify(v: Visit, id_: str) -> str:
    v.mem.verify(id_, False, revision=_revision(v))
    return "unverified"


def _forget(v: Visit, id_: str) -> str:
    reason = v.field("reason").strip() or "asked by the caller"
    v.mem.forget(id_, reason, bool(v.field("train")), revision=_revision(v))
    return "forgotten"


def _restore(v: Visit, id_: str) -> str:
    v.mem.restore(id_, v.field("reason").strip() or "asked by the caller", revision=_revision(v))
    return "restored"


def _weigh(v: Visit, id_: str) -> str:
    v.mem.weigh(id_, _share(v, "importance"), _share(v, "utility"), revision=_revision(v))
    return "weighed"


def _reclassify(v: Visit, id_: str) -> str:
    v.mem.reclassify(id_, v.field("kind"), revision=_revision(v))
    return "reclassified"


def _feedback(v: Visit, id_: str) -> str:
    v.mem.feedback(id_, v.field("verdict"))
    return "told"


ACTS: dict[str, Callable[[Visit, str], str]] = {
    "pin": _pin, "unpin": _unpin, "verify": _verify, "unverify": _unverify, "forget": _forget, "restore": _restore,
    "weigh": _weigh, "reclassify": _reclassify, "feedback": _feedback,
}  # fmt: skip


def act(v: Visit) -> Response:
    """Do one of these to a memory, and show it again."""
    id_, name = v.param("id"), v.param("act")
    if name == "revise":
        got = v.mem.revise(id_, v.field("text").strip(), revision=_revision(v))
        return v.to(v.at("memories", got.id), "revised")
    if name not in ACTS:
        raise NotFound
    return v.to(v.at("memories", id_), ACTS[name](v, id_))
