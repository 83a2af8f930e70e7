"""Every example of the documentation is executed as it stands, in a fresh folder a page."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from blocks import ROOT, Session, blocks, needs_a_server

# The pages show what the default embedder gives; the hashing one must give the same but for the scores. Set this to onnx
# after a change to the pages, to see that it does.
EMBEDDER = os.environ.get("REVERIE_DOCS_EMBEDDER", "hashing")
DOCS = ROOT / "docs"
# The reference is made from the code, decisions are prose: neither is a place for a session.
PAGES = sorted(
    [
        *(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] not in ("reference", "decisions")),
        *(p for n in ("README.md", "CONTRIBUTING.md") if (p := ROOT / n).is_file()),
    ]
)
LEAST = {"python": 30, "console": 40}


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the embedder of the tests, and the environment put back afterwards."""
    for name in [n for n in os.environ if n.startswith("REVERIE_")]:
        monkeypatch.delenv(name)
    for name in ("REVERIE_DB", "REVERIE_NAMESPACE", "REVERIE_TENANT", "REVERIE_SECRETS", "REVERIE_CONFIG"):
        monkeypatch.setenv(name, "")  # a page may export these: so they are taken away again
        monkeypatch.delenv(name)
    monkeypatch.setenv("REVERIE_EMBEDDER", EMBEDDER)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_do_what_the_page_says(page: Path, reader: Path, request: pytest.FixtureRequest) -> None:
    session = Session(str(page.relative_to(ROOT)))
    if needs_a_server(page):
        server = request.getfixturevalue("server")
        session.database = lambda: server.database(template=None)
    session.run(page)
    for url in session.databases.values():
        server.drop(url)
    for name, value in session.names.items():
        if name == "mem" and hasattr(value, "close"):
            value.close()


def test_examples_are_there() -> None:
    """Were the pattern of a block to break, nothing would be run and everything would pass."""
    found = [(p.name, b.lang) for p in PAGES for b in blocks(p) if not b.hidden]
    for lang, least in LEAST.items():
        assert sum(1 for _, given in found if given == lang) >= least, lang
    assert {"python", "console"} <= {given for name, given in found if name == "quickstart.md"}
    howtos = {p.name for p in PAGES if p.parent.name == "howto"}
    assert len(howtos) >= 14
    assert not howtos - {name for name, given in found if given in ("python", "console")}, "a how-to without an example"


def test_every_fence_has_a_language_that_somebody_reads() -> None:
    """A misspelled language would be an example that nobody runs."""
    for page in PAGES:
        fences = re.findall(r"^```(\w*)", page.read_text("utf-8"), re.MULTILINE)
        assert len(fences) % 2 == 0, page
        assert set(fences[::2]) <= {
            "python",
            "console",
            "text",
            "sh",
            "toml",
            "json",
            "markdown",
            "ini",
            "dockerfile",
        }, page
