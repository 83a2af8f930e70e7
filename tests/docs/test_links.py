"""Links lead somewhere, every page can be reached, and every promise names a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from blocks import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(p for n in ("README.md", "CONTRIBUTING.md", "SECURITY.md") if (p := ROOT / n).is_file())]
)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its blocks."""
    return _FENCED.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    found = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in found}


def links(page: Path) -> list[str]:
    return [x for x in _LINK.findall(prose(page)) if "://" not in x and not x.startswith("mailto:")]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    for link in links(page):
        where, _, anchor = link.partition("#")
        target = (page.parent / where).resolve() if where else page
        assert target.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in anchors(target), f"{page.name}: no heading {link}"


def test_links_are_there() -> None:
    assert sum(len(links(p)) for p in PAGES) >= 90


def test_every_page_is_reached_from_the_index() -> None:
    seen, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        waiting += [(page.parent / x.partition("#")[0]).resolve() for x in links(page) if x.partition("#")[0]]
    lost = {p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] != "decisions"} - seen
    assert not lost, [str(p) for p in lost]


def functions(path: Path) -> set[str]:
    """Test functions and classes of a file."""
    return {
        n.name for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, (ast.FunctionDef, ast.ClassDef))
    } | set(re.findall(r"^(\w+) = ", path.read_text("utf-8"), re.MULTILINE))


def test_promises_name_tests_that_exist() -> None:
    page = (DOCS / "promises.md").read_text("utf-8")
    promises = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    numbered = [p for p in promises if re.match(r"\d+\. ", p)]
    assert [int(p.partition(".")[0]) for p in numbered] == list(range(1, len(numbered) + 1))
    assert len(numbered) >= 15
    for promise in numbered:
        title = promise.splitlines()[0]
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", promise)
        assert named, f"no test enforces: {title}"
        for part in ("**Limit.**", "**Last measured.**"):
            assert part in promise, f"{title}: {part}"
        for path, function in named:
            assert (ROOT / path).is_file(), f"{title}: {path}"
            assert not function or function in functions(ROOT / path), f"{title}: {path}::{function}"


def test_nothing_names_a_machine_or_a_host() -> None:
    """Pages are read elsewhere: no path of the machine they were written on, no address but of examples."""
    bad = re.compile(r"(?<![\w.])/(?:work|home|root|Users|tmp|mnt)/\w")
    allowed = re.compile(r"https?://(?:[\w-]+\.)*(?:localhost|example|127\.0\.0\.1)\b")
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not bad.search(text), (page, bad.search(text))
        for found in re.findall(r"https?://[^\s)>`\"']+", text):
            assert allowed.match(found) or found.startswith("https://keepachangelog.com"), (page, found)
