"""Nearest rows by pgvector: an exact scan in a small namespace, an HNSW index of its own in a large one.

An index over all namespaces loses recall behind a filter (0.37 measured at a tenth of the rows); one index a namespace and
model does not, and costs nothing to those that are small.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.model import Scope
from reverie.store.postgres.connection import Q, Vector, connect, psycopg, translated

if TYPE_CHECKING:
    from reverie.store.postgres.session import PostgresSession
    from reverie.store.postgres.store import PostgresStore

_PLACE = re.compile(r"<([a-z]+)>")
WIDTH, WIDEST = 120, 1000  # how many candidates a search keeps in hand (hnsw.ef_search)
HNSW_DIMENSIONS = 2000  # the most that pgvector's HNSW takes for single precision


def nearest(
    session: PostgresSession, model: int, dim: int, query: bytes, limit: int, wanted: Mapping[str, Any]
) -> list[tuple[int, float]]:
    """(sequence number, cosine) of the live rows nearest to a vector, best first. Exact where no index of its own exists."""
    session.one("scan_widely", width=str(min(WIDEST, max(WIDTH, 4 * limit))))
    statement = Q["nearest"].replace("<dim>", str(int(dim)))
    given = {"query": Vector(np.frombuffer(query, dtype="<f4")), "model": model, "limit": limit, **wanted}
    found = session.connection.cursor(binary=True).execute(statement, given | session.here)
    return [(int(r[0]), float(r[1])) for r in found.fetchall()]


def tend(store: PostgresStore, scope: Scope, rows: int) -> str | None:
    """Make the namespace's HNSW index where it holds ``rows`` live rows or more and has none; drop it below half of that.

    Built concurrently: writers go on. Returns what was done, or None.
    """
    with store.scope(scope).read() as r:
        live = r.count()["live"]
        models = [(name, dim, r.model_number(name)) for name, dim in r.models() if dim <= HNSW_DIMENSIONS]
    done = []
    with translated(store.url), connect(store.url) as connection:
        connection.execute(Q["room_to_build"])
        known = dict(connection.execute(Q["vector_indexes"]).fetchall())
        for name, dim, number in models:
            index = index_name(scope, number)
            if live >= rows and not known.get(index, False):
                _run(connection, "drop_vector_index", index)  # one that was cut off while it was built
                _run(connection, "build_vector_index", index, dim=dim, scope=scope, model=number)
                done.append(f"made an HNSW index for {name}")
            elif live < rows // 2 and index in known:
                _run(connection, "drop_vector_index", index)
                done.append(f"dropped the HNSW index for {name}")
    return "; ".join(done) or None


def index_name(scope: Scope, model: int) -> str:
    """The index of one namespace and model."""
    digest = hashlib.sha256(f"{scope.tenant}\0{scope.namespace}".encode()).hexdigest()[:16]
    return f"vector_near_{digest}_{model}"


def _run(
    connection: psycopg.Connection, name: str, index: str, dim: int = 0, scope: Scope | None = None, model: int = 0
) -> None:  # fmt: skip
    """DDL takes no parameters: names and values are quoted by the driver."""
    parts = {
        "name": psycopg.sql.Identifier(index), "dim": psycopg.sql.Literal(dim), "model": psycopg.sql.Literal(model),
        "tenant": psycopg.sql.Literal(scope.tenant if scope else ""),
        "namespace": psycopg.sql.Literal(scope.namespace if scope else ""),
    }  # fmt: skip
    text = _PLACE.sub(lambda match: parts[match[1]].as_string(connection), Q[name].replace("%%", "%"))
    connection.execute(text)
