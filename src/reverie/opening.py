"""Opening a namespace of a store: what `reverie.open` does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.checks import name, one_of, required_name
from reverie.clock import Clock, Ids, SystemClock, Ulids
from reverie.embed import default_embedder
from reverie.embed.port import Embedder
from reverie.errors import InvalidInput
from reverie.memory import Reverie
from reverie.model import Channel, Origin, Scope
from reverie.settings import Settings, load
from reverie.store.port import Store

if TYPE_CHECKING:
    from reverie.curation.projection import Projection
    from reverie.judge.port import Judge

POSTGRES = ("postgresql", "postgres")


def open_memory(
    url: str | Path, namespace: str = "default", *, tenant: str = "default", clock: Clock | None = None,
    embedder: Embedder | str | None = None, settings: Mapping[str, object] | Settings | None = None,
    ids: Ids | None = None, principal: str = "local", channel: Channel | str = Channel.AGENT,
    client: str | None = None, session: str | None = None, judge: Judge | None = None,
    projection: Projection | None = None,
) -> Reverie:  # fmt: skip
    """Open a namespace of a store; what `reverie.open` is.

    Args:
        url: a path to a file, made where it is missing (its folder must exist); or ``postgresql://…``, a libpq URL of a
            database with pgvector, for which the extra ``reverie[postgres]`` must be installed.
        namespace, tenant: the scope; 1 to 256 characters each.
        clock: `SystemClock` by default. ids: ULIDs by default.
        embedder: an embedder, or a spec ("onnx", "hashing", "none", "http:MODEL@URL"); by default the setting
            ``embedder``. Loaded at its first use. An HTTP one takes its key from ``REVERIE_EMBEDDER_KEY``.
        settings: overrides over ``reverie.toml`` and the environment.
        principal, channel, client, session: the origin of what is written through this handle.
        judge: who is asked what code cannot decide; by default the model of the settings ``judge_url`` and ``judge_model``,
            or nobody. Its key comes from ``REVERIE_JUDGE_API_KEY``.
        projection: a graph database that is to follow the store (`reverie.curation.projection.Projection`).

    Raises:
        InvalidInput: a bad name, channel or spec. UnknownSetting: a bad setting. StoreError: the file cannot be opened,
            or the server cannot be reached.
    """
    where = str(url)
    scope = Scope(required_name(tenant, "tenant"), required_name(namespace, "namespace"))
    origin = Origin(
        required_name(principal, "principal"),
        one_of(Channel, channel, "channel") or Channel.AGENT,
        name(client, "client"),
        name(session, "session"),
    )
    chosen = settings if isinstance(settings, Settings) else load(settings)
    made = open_embedder(embedder, chosen)
    store = open_store(where, chosen)
    clock = clock or SystemClock()
    try:
        return Reverie(
            store, scope, settings=chosen, clock=clock, ids=ids or Ulids(clock), embedder=made,
            origin=origin, judge=judge or open_judge(chosen), projection=projection,
        )  # fmt: skip
    except BaseException:
        store.close()
        raise


def open_embedder(embedder: Embedder | str | None, settings: Settings) -> Embedder | None:
    """The embedder itself, or one by its spec, by default the setting's. Loaded at its first use. Raises InvalidInput."""
    spec = embedder if embedder is not None else str(settings.embedder)
    if not isinstance(spec, str):
        return spec
    key = os.environ.get("REVERIE_EMBEDDER_KEY")  # a secret: neither a setting nor in a file
    return default_embedder(spec, api_key=key, threads=int(settings.embedder_threads))


def open_judge(settings: Settings) -> Judge | None:
    """The model that the settings name; None where they name none. Nothing is called yet. Raises InvalidInput."""
    url, model = str(settings.judge_url).strip(), str(settings.judge_model).strip()
    if not url and not model:
        return None
    if not url or not model:
        raise InvalidInput("a judge needs both settings, judge_url and judge_model")
    from reverie.judge.model import ModelJudge

    return ModelJudge(
        url, model, api_key=os.environ.get("REVERIE_JUDGE_API_KEY"), api=str(settings.judge_api),
        azure=str(settings.judge_azure_version) or False, deadline_seconds=float(settings.judge_seconds),
        retries=int(settings.judge_retries), concurrency=int(settings.judge_concurrency),
        max_output_tokens=int(settings.judge_output_tokens), price_in=float(settings.judge_price_in),
        price_out=float(settings.judge_price_out), mask=bool(settings.judge_mask),
        allow_http=bool(settings.judge_plain_http),
    )  # fmt: skip


def open_store(url: str, settings: Settings) -> Store:
    """The store behind a path or URL. Raises InvalidInput for a scheme that there is no store for, StoreError."""
    scheme, found, _ = url.partition("://")
    if found and scheme not in POSTGRES:
        raise InvalidInput(f"there is no store for {scheme}://; give the path of a file, or postgresql://…")
    if not url.strip() or "\0" in url:
        raise InvalidInput("give the path of a file, such as notes.db, or a postgresql:// URL")
    given = {"busy_seconds": float(settings.busy_seconds), "synchronous": str(settings.synchronous)}
    if found:
        from reverie.store.postgres.store import PostgresStore

        return PostgresStore(url, transaction_seconds=float(settings.transaction_seconds), **given)  # type: ignore[arg-type]
    from reverie.store.sqlite.store import SqliteStore

    return SqliteStore(url, **given)  # type: ignore[arg-type]
