"""The shell blocks of docs/howto/serve.md, run against a real server as a reader would run them; its other files are read."""

from __future__ import annotations

import configparser
import os
import subprocess
from pathlib import Path

from blocks import ROOT, blocks

from server_process import REVERIE, started

PAGE = ROOT / "docs" / "howto" / "serve.md"


def test_every_command_of_the_page_works(tmp_path):
    db = str(tmp_path / "reverie.db")
    with started(db) as server:
        given = {**os.environ, "AT": server.address, "KEY": server.key or "", "DB": db, "REVERIE_EMBEDDER": "hashing",
                 "PATH": f"{Path(REVERIE).parent}:{os.environ['PATH']}"}  # fmt: skip
        said = []
        script = "set -euo pipefail\n" + "\n".join(b.text for b in blocks(PAGE) if b.lang == "sh")
        got = subprocess.run(["bash", "-c", script], env=given, capture_output=True, text=True, timeout=60)
        said.append(got.stdout)
        assert got.returncode == 0, got.stderr + got.stdout
    out = said[0]
    assert '"restated":false' in out and "Harborlight" in out and "<memory " in out
    assert "event: end" in out and '"status": "done"' in out
    assert "support-bot" in out and out.count("rv_") >= 2


def test_the_unit_and_the_container_file_read_well():
    (unit,) = [b.text for b in blocks(PAGE) if b.lang == "ini"]
    parser = configparser.ConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit)
    assert parser["Service"]["ExecStart"].endswith("reverie serve")
    (container,) = [b.text for b in blocks(PAGE) if b.lang == "dockerfile"]
    words = {line.split()[0] for line in container.splitlines()}
    assert words <= {"FROM", "RUN", "USER", "WORKDIR", "VOLUME", "EXPOSE", "ENV", "HEALTHCHECK", "CMD"}
