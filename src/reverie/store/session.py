"""What the shared reads and writes need of a database: named statements, run with named values, in one scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = Sequence[Any]


class Session(Protocol):
    """A connection that runs statements of one dialect by name; the values of the scope are added to those given."""

    def all(self, name: str, /, **given: Any) -> list[Row]:
        """Every row of the answer."""
        ...

    def one(self, name: str, /, **given: Any) -> Row | None:
        """The first row, or None."""
        ...

    def each(self, name: str, /, **given: Any) -> Iterator[Row]:
        """The rows one after another, in constant memory where the driver can."""
        ...

    def run(self, name: str, /, **given: Any) -> int:
        """Run a statement that changes rows; returns how many it changed."""
        ...

    def do(self, name: str, /, **given: Any) -> None:
        """As `run`, without asking how many rows it changed: an adapter need not wait for the answer."""
        ...

    def listed(self, values: Iterable[Any]) -> Any:
        """A list as a parameter of ``{in name}``."""
        ...
