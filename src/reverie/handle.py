"""An open namespace: the parts that the façade's verbs work with, made when they are first needed, and closed with it."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self

from reverie.clock import Clock, Ids
from reverie.curation.executor import Executor
from reverie.curation.leasing import Leasehold, this_process
from reverie.curation.pace import Tell, untold
from reverie.embed.port import Embedder
from reverie.embedding import Embedding
from reverie.errors import Closed, Stale, UnknownSetting
from reverie.model import Memory, Origin, Scope
from reverie.recall.hits import HitBuffer
from reverie.recall.recall import Recaller
from reverie.recall.words import Words
from reverie.settings import BY_NAME, Settings
from reverie.store.port import ScopeStore, Store
from reverie.vectors.index import NamespaceIndex
from reverie.writing import Writer

if TYPE_CHECKING:
    from reverie.curation.asking import Asker
    from reverie.curation.projection import Projection
    from reverie.curation.runner import Runner
    from reverie.judge.port import Judge


class _Made:
    """What a handle has made, shared by all who speak through it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.index: NamespaceIndex | None = None
        self.words: Words | None = None
        self.settings = Settings()


class Handle:
    """Holds one scope. The verbs are `reverie.memory.Reverie`'s."""

    def __init__(
        self, store: Store, scope: Scope, *, settings: Settings, clock: Clock, ids: Ids, embedder: Embedder | None,
        origin: Origin, owns_store: bool = True, judge: Judge | None = None, projection: Projection | None = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._owns = owns_store
        self._base = settings
        self._clock = clock
        self._ids = ids
        self._origin = origin
        self._closed = False
        self._scope: ScopeStore = store.scope(scope)
        self._embedding = Embedding(embedder, clock)
        self._made = _Made()
        self._judge = judge
        self._projection = projection
        self._hits = HitBuffer(self._scope, clock)
        with self._scope.read() as r:
            self.settings = overlaid(settings, r.settings())

    def speaking(self, origin: Origin) -> Self:
        """This open namespace in the name of another caller: all its parts are shared, and closing it closes nothing."""
        twin = copy.copy(self)
        twin._origin = origin
        twin._owns = False
        return twin

    def look_again(self) -> None:
        """Read the namespace's own settings anew: another process may have changed them."""
        with self._scope.read() as r:
            self.settings = overlaid(self._base, r.settings())

    @property
    def settings(self) -> Settings:
        """What is in force here: the process's settings under those of the namespace."""
        return self._made.settings

    @settings.setter
    def settings(self, given: Settings) -> None:
        self._made.settings = given

    # the parts, made when first needed
    @property
    def scope(self) -> Scope:
        """The tenant and namespace that this handle holds."""
        return self._scope.scope

    @property
    def store_path(self) -> str:
        """Where the store is: a path, or a URL without its password."""
        return self._store.path

    @property
    def trouble(self) -> str | None:
        """Why the embedder gives no vectors just now, so that text search answers alone; None when all is well."""
        trouble = self._embedding.trouble
        return f"{trouble.at:%Y-%m-%d %H:%M:%S}: {trouble.reason}" if trouble else None

    @property
    def store(self) -> Store:
        """The store behind it: for what stands above a namespace, such as keys."""
        return self._store

    @property
    def store_made(self) -> bool:
        """Whether opening this handle has made the store."""
        return self._store.made

    @property
    def _index(self) -> NamespaceIndex:
        with self._made.lock:
            made = self._made.index
            if made is None or (not made.dim and self._embedding.dim):  # at first, and when a service has come up
                most = int(self.settings.exact_rows_max)
                made = NamespaceIndex(self._scope, self._embedding.model_id, self._embedding.dim, most)
                self._made.index = made
            return made

    def _writer(self) -> Writer:
        self._check_open()
        return Writer(self._scope, self._index, self._embedding, self.settings, self._clock, self._ids, self._origin)

    def _leasehold(self, *, beat: bool = False) -> Leasehold:
        """The lease of this namespace, to be entered by whoever curates."""
        self._check_open()
        seconds = float(self.settings.lease_seconds)
        return Leasehold(self._scope, self._clock, this_process(), seconds, beat=beat)

    def _executor(
        self, lease: Leasehold, stop: Callable[[], bool] = bool, pause: Callable[[float], object] | None = None,
        tell: Tell = untold,
    ) -> Executor:  # fmt: skip
        self._check_open()
        return Executor(
            self._scope, self.settings, self._clock, self._ids, self._embedding, self._origin, lease, stop, pause,
            self._projection, tell,
        )  # fmt: skip

    def _runner(self) -> Runner:
        from reverie.curation.resign import resign_if_needed  # late, here and below: opening needs none of it
        from reverie.curation.runner import Runner

        self._check_open()
        self._hits.flush()
        resign_if_needed(self._scope, self._clock.now())
        return Runner(
            self._scope, self._index.whole(), self._embedding, self.settings, self._clock, floor=self._floor(),
            judged=self._judge is not None,
        )  # fmt: skip

    def _asker(self) -> Asker | None:
        """Who asks the judge on behalf of one run; None without a judge."""
        from reverie.curation.asking import Asker

        if self._judge is None:
            return None
        everywhere, actor = self._store.spent_everywhere, self._origin.principal
        return Asker(self._judge, self._scope, everywhere, self.settings, self._clock, self._ids, actor)

    def _floor(self) -> float:
        """The least cosine of the embedder in use at which a pair is worth a look (design section 3)."""
        from reverie.embed import calibration

        given, model = float(self.settings.candidate_similarity), self._embedding.model_id
        if given or model is None:
            return given or float(self.settings.propose_similarity)
        kept = self._store.calibration(model)
        record = calibration.Calibration.from_dict(kept) if kept else calibration.shipped_calibration(model)
        return record.floor if record else float(self.settings.propose_similarity)

    def _check_open(self) -> None:
        if self._closed:
            raise Closed("this memory was closed; open it again")

    @staticmethod
    def _fits(row: Memory | None, revision: int | None) -> None:
        """Raise Stale where a row is not at the revision that the caller has read."""
        if row is not None and revision is not None and row.revision != revision:
            raise Stale(f"memory {row.id} is at revision {row.revision}, not {revision}: read it again")

    def _recaller(self) -> Recaller:
        self._check_open()
        index, words = self._index, self._made.words
        if words is None or words.index is not index:
            words = self._made.words = Words(index)
        return Recaller(self._scope, index, self._embedding, self.settings, self._clock, self._hits, words)

    def flush(self) -> None:
        """Write buffered recall hits now."""
        self._hits.flush()

    def close(self) -> None:
        """Flush and close. Closing twice is fine."""
        if self._closed:
            return
        try:
            self._hits.flush()
        finally:
            self._closed = True
            if self._owns:
                self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Reverie {self.scope.tenant}/{self.scope.namespace}{' closed' if self._closed else ''}>"


def overlaid(base: Settings, stored: Mapping[str, str]) -> Settings:
    """The settings of a namespace: the process's, with the overrides that the store keeps."""
    try:
        return base.over(stored)
    except UnknownSetting:
        # An override of a version that knew more settings must not lock its owner out.
        return base.over({k: v for k, v in stored.items() if k in BY_NAME})
