"""Named SQL statements, read from ``.sql`` files: none is written inside Python, none is made of outside text."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_HEADER = re.compile(r"^-- name: ([a-z_]+)\s*$", re.MULTILINE)


class Queries:
    """The statements of one dialect, as attributes: ``queries.find_live``."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def __getattr__(self, name: str) -> str:
        try:
            return self._texts[name]
        except KeyError:
            raise AttributeError(f"there is no query {name!r}") from None

    def names(self) -> list[str]:
        """Every statement's name."""
        return sorted(self._texts)


@cache
def queries(dialect: str) -> Queries:
    """The statements of ``sqlite`` (or, later, ``postgres``)."""
    text = resources.files("reverie.store").joinpath("sql", dialect, "queries.sql").read_text(encoding="utf-8")
    parts = _HEADER.split(text)
    return Queries({name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)})


@cache
def migrations(dialect: str) -> tuple[tuple[int, str, str], ...]:
    """(number, name, SQL) of every migration, in order. Numbers start at 1 and leave no gap."""
    folder = resources.files("reverie.store").joinpath("sql", dialect, "migrations")
    found = sorted((int(f.name[:4]), f.name, f.read_text(encoding="utf-8")) for f in folder.iterdir()
                   if f.name.endswith(".sql"))  # fmt: skip
    if [n for n, _, _ in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"migrations of {dialect} are not numbered 1, 2, 3 …: {[name for _, name, _ in found]}")
    return tuple(found)
