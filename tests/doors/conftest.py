"""The command line in this process (`cli`) and as a subprocess (`command`), each on a store of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from reverie.doors.cli.verbs import app


@dataclass(frozen=True)
class Got:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        lines = self.out.splitlines()
        assert len(lines) == 1, self.out
        return json.loads(lines[0])

    @property
    def error(self) -> dict[str, str]:
        """The error of a command with --json."""
        return json.loads(self.err)


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "notes.db")


@pytest.fixture
def environ(db: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("REVERIE_")}
    return kept | {"REVERIE_EMBEDDER": "hashing", "REVERIE_SYNCHRONOUS": "off", "REVERIE_DB": db, "COLUMNS": "100"}


@pytest.fixture
def cli(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Got]:
    """Run a verb in this process."""
    for name in [n for n in os.environ if n.startswith("REVERIE_")]:
        monkeypatch.delenv(name)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def run(*args: str, stdin: str | bytes = "") -> Got:
        result = CliRunner().invoke(app, list(args), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Got(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def command(environ: dict[str, str]) -> Callable[..., Got]:
    """Run the real command as a subprocess."""

    def run(*args: str, stdin: str = "", env: Mapping[str, str | None] | None = None, cwd: Path | None = None) -> Got:
        merged = {k: v for k, v in (environ | dict(env or {})).items() if v is not None}
        reverie = Path(sys.executable).with_name("reverie")
        done = subprocess.run(
            [str(reverie), *args],
            input=stdin,
            capture_output=True,
            text=True,
            env=merged,
            timeout=60,
            cwd=cwd,
            check=False,
        )
        return Got(done.returncode, done.stdout, done.stderr)

    return run
