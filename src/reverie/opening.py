"""Opening a namespace of a store: what `reverie.open` does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from reverie.checks import name, one_of, required_name
from reverie.clock import Clock, Ids, SystemClock, Ulids
from reverie.embed import default_embedder
from reverie.embed.port import Embedder
from reverie.errors import InvalidInput
from reverie.memory import Reverie
from reverie.model import Channel, Origin, Scope
from reverie.settings import Settings, load


def open_memory(
    url: str | Path, namespace: str = "default", *, tenant: str = "default", clock: Clock | None = None,
    embedder: Embedder | str | None = None, settings: Mapping[str, object] | Settings | None = None,
    ids: Ids | None = None, principal: str = "local", channel: Channel | str = Channel.AGENT,
    client: str | None = None, session: str | None = None,
) -> Reverie:  # fmt: skip
    """Open a namespace of a store; what `reverie.open` is.

    Args:
        url: a path to a file, made where it is missing. Its folder must exist.
        namespace, tenant: the scope; 1 to 256 characters each.
        clock: `SystemClock` by default. ids: ULIDs by default.
        embedder: an embedder, or a spec ("onnx", "hashing", "none", "http:MODEL@URL"); by default the setting
            ``embedder``. Loaded at its first use. An HTTP one takes its key from ``REVERIE_EMBEDDER_KEY``.
        settings: overrides over ``reverie.toml`` and the environment.
        principal, channel, client, session: the origin of what is written through this handle.

    Raises:
        InvalidInput: a bad name, channel or spec. UnknownSetting: a bad setting. StoreError: the file cannot be opened.
    """
    where = str(url)
    if "://" in where:
        raise InvalidInput(f"{where.split('://')[0]} stores are not in this version; give a path to a file")
    if not where.strip() or "\0" in where:
        raise InvalidInput("give the path of a file, such as notes.db")
    scope = Scope(required_name(tenant, "tenant"), required_name(namespace, "namespace"))
    origin = Origin(
        required_name(principal, "principal"),
        one_of(Channel, channel, "channel") or Channel.AGENT,
        name(client, "client"),
        name(session, "session"),
    )
    chosen = settings if isinstance(settings, Settings) else load(settings)
    spec = embedder if embedder is not None else str(chosen.embedder)
    made: Embedder | None
    if not isinstance(spec, str):
        made = spec
    else:
        key = os.environ.get("REVERIE_EMBEDDER_KEY")  # a secret: neither a setting nor in a file
        made = default_embedder(spec, api_key=key, threads=int(chosen.embedder_threads))
    from reverie.store.sqlite.store import SqliteStore

    store = SqliteStore(where, busy_seconds=float(chosen.busy_seconds), synchronous=str(chosen.synchronous))
    clock = clock or SystemClock()
    try:
        return Reverie(
            store, scope, settings=chosen, clock=clock, ids=ids or Ulids(clock), embedder=made,
            origin=origin,
        )  # fmt: skip
    except BaseException:
        store.close()
        raise
