"""How things stand: health, backlog, spend and the worker; and the keys of the tenant."""

from __future__ import annotations

from datetime import timedelta

from starlette.responses import Response

from reverie.doors.dashboard import morning, running
from reverie.doors.dashboard.visit import Visit
from reverie.errors import InvalidInput, NotFound
from reverie.model import Channel
from reverie.serving import keys as making
from reverie.serving.keys import in_force
from reverie.serving.rights import RIGHTS, ROLES
from reverie.store.records import ApiKey, KeyUse

SHOWN = 200
_ROLES = {frozenset(rights): role for role, rights in ROLES.items()}


# health
def health(v: Visit) -> Response:
    """How things stand at a glance. The full check reads the whole store, so it takes a press of a button."""
    now = v.site.host.clock.now()
    stats = v.mem.stats()
    level, causes = morning.glance(stats, now)
    chart = [c for c in running.month(v) if c.tones == ("tokens",)]
    return v.html(
        "health.html", stats=stats, level=level, causes=causes, found=None, spend=running.spent(v), now=now, chart=chart,
        settings=v.mem.settings,
    )  # fmt: skip


def examine(v: Visit) -> Response:
    """The full check."""
    found = v.mem.doctor()
    level = {"red": "bad", "yellow": "look", "green": "good"}[found["level"]]
    return v.html(
        "health.html", stats=v.mem.stats(), level=level, causes=[*found["problems"], *found["warnings"]], found=found,
        spend=running.spent(v), now=v.site.host.clock.now(), chart=[], settings=v.mem.settings,
    )  # fmt: skip


# keys
def _keys(v: Visit) -> list[ApiKey]:
    v.who.need("keys")
    found = making.seen_by(v.site.host.store, v.who.key)
    return sorted(found, key=lambda k: (k.revoked_at is not None, k.created_at), reverse=False)


def _listed(v: Visit, status: int = 200, made: str | None = None, wrong: str | None = None) -> Response:
    now = v.site.host.clock.now()
    found = _keys(v)
    ring = v.site.host.ring
    rows = [(k, ring.used(k) if in_force(k, now) else KeyUse(), in_force(k, now)) for k in found[:SHOWN]]
    channels = [c.value for c in Channel if c is not Channel.CURATOR]
    return v.html(
        "keys.html", status=status, rows=rows, made=made, wrong=wrong, channels=channels, roles=ROLES, rights=RIGHTS,
        role=lambda k: _ROLES.get(frozenset(k.verbs)), limits=making.LIMITS, now=now, soon=now + timedelta(days=7),
        form=v.form, more=max(0, len(found) - SHOWN),
    )  # fmt: skip


def keys(v: Visit) -> Response:
    """The tenant's keys."""
    return _listed(v)


def _split(given: str) -> list[str]:
    return [part for part in given.replace(",", " ").split() if part]


def _whole(v: Visit, name: str) -> int | None:
    given = v.field(name).strip()
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise InvalidInput(f"{name.replace('_', ' ')} is a whole number")
    return int(given)


def make_key(v: Visit) -> Response:
    """Make a key of this tenant. Its text is on this one page, and nowhere else."""
    v.who.need("keys")
    try:
        limits = {name: n for name in making.LIMITS if (n := _whole(v, name)) is not None}
        text, _ = making.create(
            v.site.host.store, v.site.host.clock, name=v.field("name").strip(), tenant=v.who.key.tenant,
            namespaces=_split(v.field("namespaces")) or ["*"], allow=_split(v.field("allow")) or ["agent"],
            principal=v.field("principal").strip() or None, channel=v.field("channel") or Channel.AGENT, limits=limits,
            days=_whole(v, "days"), by=v.who.key,
        )  # fmt: skip
    except InvalidInput as error:
        return _listed(v, 422, wrong=str(error))
    return _listed(v, made=text)


def _of_path(v: Visit) -> ApiKey:
    found = next((k for k in _keys(v) if k.id == v.param("id")), None)
    if found is None:
        raise NotFound
    return found


def ask_revoke(v: Visit) -> Response:
    """Ask once more: a key that was taken out of force stays so."""
    return v.html("revoke.html", key=_of_path(v), mine=_of_path(v).id == v.who.key.id)


def revoke(v: Visit) -> Response:
    """Take a key out of force."""
    key = _of_path(v)
    making.revoke(v.site.host.store, v.site.host.clock, v.who.key.tenant, key.id, by=v.who.key)
    v.site.host.ring.forget(key.id)
    return v.to("/keys", "revoked")
