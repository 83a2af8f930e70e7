"""Lossless export: one JSON record a line, the header first."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reverie.errors import StoreError
from reverie.store.port import ScopeStore
from reverie.text.signatures import GRAMMAR

FORMAT = "reverie-export"
VERSION = 1


def records(scope: ScopeStore, *, journal: bool) -> Iterator[dict[str, Any]]:
    """The header, then every record with its ``type``, from one snapshot and in an order of its own."""
    with scope.read() as r:
        yield {
            "type": FORMAT, "version": VERSION, "tenant": scope.scope.tenant, "namespace": scope.scope.namespace,
            "journal": journal, "grammar": r.grammar() or GRAMMAR,
        }  # fmt: skip
        for kind, fields in r.dump(journal=journal):
            yield {"type": kind, **fields}


def write(scope: ScopeStore, path: Path, *, journal: bool) -> int:
    """Write the records to a file, whole or not at all. Returns how many there were, the header aside.

    Raises StoreError."""
    part = path.with_name(path.name + ".part")
    n = 0
    try:
        with part.open("w", encoding="utf-8") as out:
            for record in records(scope, journal=journal):
                out.write(json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n")
                n += record["type"] != FORMAT
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"the export {path} cannot be written: {error}") from error
    return n
