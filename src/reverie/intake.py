"""The door of the write path: what is taken, what is refused with a reason, and the row that an item would become."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from reverie.checks import flag, json_object, moment, name, one_of, share, text_of
from reverie.clock import Clock, Ids
from reverie.embedding import Vector
from reverie.errors import InvalidInput, ReverieError, SecretFound
from reverie.model import Channel, Kind, Memory, Origin, Sighting
from reverie.settings import Settings
from reverie.text.normalise import norm_hash, text_hash


@dataclass(frozen=True, slots=True)
class Item:
    """One statement to remember. Only ``text`` is needed; see `Reverie.remember` for the rest."""

    text: str
    kind: Kind | str | None = None
    key: str | None = None
    external_id: str | None = None
    session: str | None = None
    principal: str | None = None
    channel: Channel | str | None = None
    client: str | None = None
    importance: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None
    written_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    durable: bool = True
    gist: str | None = None
    train: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one item.

    ``id`` is the memory that now states it. ``restated``: it was there already, and only a sighting was added; ``how``
    says "same text" or "guard". ``known``: its external id had been taken before, and nothing was written.
    ``masked``: kinds of secrets that were replaced. ``superseded``: the row that a stable key retired.
    """

    id: str
    restated: bool = False
    known: bool = False
    how: str | None = None
    masked: tuple[str, ...] = ()
    superseded: str | None = None
    error: None = None


@dataclass(frozen=True, slots=True)
class NotRemembered:
    """An item of a batch that was refused; the others went on."""

    error: ReverieError
    id: None = None
    restated: bool = False


Outcome: TypeAlias = Remembered | NotRemembered


@dataclass(slots=True)
class Prepared:
    memory: Memory
    sighting: Sighting
    kind_given: bool
    masked: tuple[str, ...]
    signatures: list[bytes] = field(default_factory=list)
    exact: str | None = None
    near: list[str] = field(default_factory=list)
    vector: Vector | None = None
    train: bool = False


class Intake:
    """Turns items into rows, or refuses them. Nothing is written here."""

    def __init__(self, settings: Settings, clock: Clock, ids: Ids, origin: Origin) -> None:
        self._settings = settings
        self._clock = clock
        self._ids = ids
        self._origin = origin

    def prepare(self, item: Item) -> Prepared:
        """Check one item and make the row that it would become.

        Raises:
            InvalidInput: empty or over-long text, NUL, a lone surrogate, an unknown kind or channel, numbers out of
                bounds, metadata that is not JSON or too large, a validity that ends before it begins.
            SecretFound: the text or its metadata holds a credential and the setting says to refuse.
        """
        text = text_of(item.text, int(self._settings.text_max_bytes))
        metadata = json_object(item.metadata, "metadata", int(self._settings.metadata_max_bytes))
        text, masked = self._screen(text)
        if metadata and self._settings.secrets != "keep" and self._secret_in(metadata):
            raise SecretFound("the metadata holds what looks like a credential; take it out and try again")
        now = self._clock.now()
        kind = one_of(Kind, item.kind, "kind") or Kind(str(self._settings.default_kind))
        origin = Origin(
            principal=name(item.principal, "principal") or self._origin.principal,
            channel=one_of(Channel, item.channel, "channel") or self._origin.channel,
            client=name(item.client, "client") or self._origin.client,
            session=name(item.session, "session") or self._origin.session,
        )
        if origin.channel is Channel.CURATOR:
            raise InvalidInput("the channel 'curator' is not for callers: curator output is never evidence")
        written = moment(item.written_at, "written_at") or now
        valid_from, valid_to = moment(item.valid_from, "valid_from"), moment(item.valid_to, "valid_to")
        if valid_from and valid_to and valid_to < valid_from:
            raise InvalidInput("valid_to lies before valid_from")
        memory = Memory(
            id=self._ids.new(),
            kind=kind,
            text=text,
            text_hash=text_hash(text),
            norm_hash=norm_hash(text),
            origin=origin,
            trust=origin.trust,
            written_at=written,
            stated_at=written,
            occurred_at=moment(item.occurred_at, "occurred_at"),
            valid_from=valid_from,
            valid_to=valid_to,
            gist=None if item.gist is None else self._screen(text_of(item.gist, 8_192))[0],
            metadata=metadata,
            key=name(item.key, "key"),
            importance=share(item.importance, "importance", 0.5),
            durable=flag(item.durable, "durable"),
            strength_at=written,
            half_life_days=float(self._settings.strength_days),
        )
        sighting = Sighting(memory.id, origin, written, memory.occurred_at, None, name(item.external_id, "external_id"))
        return Prepared(memory, sighting, item.kind is not None, masked, train=flag(item.train, "train"))

    @staticmethod
    def _secret_in(metadata: Mapping[str, Any]) -> bool:
        from reverie.text.secrets import find_secrets

        return bool(find_secrets(json.dumps(metadata, ensure_ascii=False)))

    def _screen(self, text: str) -> tuple[str, tuple[str, ...]]:
        from reverie.text.secrets import find_secrets, mask

        mode = self._settings.secrets
        if mode == "keep":
            return text, ()
        if mode == "mask":
            clean, found = mask(text)
            return clean, tuple(f.kind for f in found)
        found = find_secrets(text)
        if found:
            kinds = ", ".join(sorted({f.kind for f in found}))
            raise SecretFound(
                f'the text holds what looks like a credential ({kinds}); take it out, or set secrets = "mask"'
            )
        return text, ()


def as_item(given: str | Mapping[str, Any] | Item | InvalidInput) -> Item | InvalidInput:
    """An item, or the reason why it is none: a batch goes on either way."""
    if isinstance(given, (Item, InvalidInput)):
        return given
    if isinstance(given, str):
        return Item(given)
    try:
        return Item(**given)
    except TypeError as error:
        return InvalidInput(f"an item must be a text or a mapping of remember's arguments: {error}")
