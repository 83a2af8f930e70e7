"""Named SQL statements, read from ``.sql`` files: none is written inside Python, none is made of outside text.

``common.sql`` holds what every store runs; ``<dialect>/queries.sql`` holds what one of them says in its own way, and the
parts that fill the braces of the common statements.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TypeAlias

Texts: TypeAlias = dict[str, str]

_HEADER = re.compile(r"^-- (name|part): ([a-z_]+)\s*$", re.MULTILINE)
_BRACES = re.compile(r"\{([a-z_]+)(?: ([^{}]+))?\}")


def _read(*path: str) -> tuple[Texts, Texts]:
    """(statements, parts) of one file."""
    text = resources.files("reverie.store").joinpath("sql", *path).read_text(encoding="utf-8")
    pieces = _HEADER.split(text)[1:]
    found: dict[str, Texts] = {"name": {}, "part": {}}
    for kind, name, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        found[kind][name] = body.strip()
    return found["name"], found["part"]


def _filled(statement: str, parts: Texts) -> str:
    def fill(match: re.Match[str]) -> str:
        part, given = parts[match[1]], match[2]
        if match[1] == "here":
            return part.replace("{alias}", f"{given}." if given else "")
        return part.replace("{name}", given) if given else part

    return _BRACES.sub(fill, statement)


@cache
def queries(dialect: str) -> Texts:
    """The statements of ``sqlite`` or ``postgres`` by name, parameters written ``:name``."""
    common, shared = _read("common.sql")
    own, parts = _read(dialect, "queries.sql")
    if both := common.keys() & own.keys():
        raise ValueError(f"{dialect} says again what is common: {sorted(both)}")
    return {name: _filled(text, shared | parts) for name, text in (common | own).items()}


@cache
def migrations(dialect: str) -> tuple[tuple[int, str, str], ...]:
    """(number, name, SQL) of every migration, in order. Numbers start at 1 and leave no gap."""
    folder = resources.files("reverie.store").joinpath("sql", dialect, "migrations")
    found = sorted((int(f.name[:4]), f.name, f.read_text(encoding="utf-8")) for f in folder.iterdir()
                   if f.name.endswith(".sql"))  # fmt: skip
    if [n for n, _, _ in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"migrations of {dialect} are not numbered 1, 2, 3 …: {[name for _, name, _ in found]}")
    return tuple(found)
