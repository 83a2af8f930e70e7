"""The reference is what the code is: made from it, and nothing is missing on either side."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from blocks import ROOT

from reverie import errors
from reverie.doors.cli.reference import commands
from reverie.settings import TABLE
from reverie.states import LEGAL
from reverie.transitions import MOVES

REFERENCE = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(build: ModuleType) -> dict[str, str]:
    """Every page of the reference as the code would have it now."""
    return build.pages()


def text(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def test_reference_is_up_to_date(pages: dict[str, str]) -> None:
    stale = [name for name, made in pages.items() if not (REFERENCE / name).is_file() or text(name) != made]
    assert not stale, "run: python docs/build.py"


def test_reference_holds_no_page_that_nothing_makes(pages: dict[str, str]) -> None:
    assert {p.name for p in REFERENCE.iterdir()} == set(pages)


def test_commands_and_reference_name_each_other() -> None:
    there = {" ".join(path) for path, _ in commands()}
    assert set(re.findall(r"^###+ (.+)$", text("cli.md"), re.MULTILINE)) == there


def test_settings_and_reference_name_each_other() -> None:
    assert re.findall(r"^\| `(\w+)` \|", text("settings.md"), re.MULTILINE) == [s.name for s in TABLE]


def test_errors_and_reference_name_each_other() -> None:
    assert sorted(re.findall(r"^\| (?:&nbsp;)*`(\w+)` \|", text("errors.md"), re.MULTILINE)) == errors.__all__


def test_moves_and_reference_name_each_other() -> None:
    found = re.findall(r"^\| `(\w+)` \|", text("states.md"), re.MULTILINE)
    assert found == list(LEGAL)
    assert set(found) == set(MOVES)


def test_verbs_and_reference_name_each_other(build: ModuleType) -> None:
    part = text("python.md").partition("\n## Reverie\n")[2].partition("\n## AsyncReverie\n")[0]
    found = re.findall(r"^### (\w+)$", part, re.MULTILINE)
    assert found == build.verbs()
    assert {"remember", "recall", "plan", "apply", "undo", "close", "flush"} <= set(found)


def test_verbs_are_explained(build: ModuleType) -> None:
    import reverie

    assert not [n for n in build.verbs() if not getattr(reverie.Reverie, n).__doc__]


def test_exported_names_are_in_the_reference() -> None:
    import reverie

    page = text("python.md")
    assert not [n for n in reverie.__all__ if n != "__version__" and n not in page]


def test_pages_name_only_settings_and_commands_that_exist() -> None:
    """What prose calls a setting or a command must be one."""
    names = {s.name for s in TABLE}
    verbs = {path[0] for path, _ in commands()}
    for page in prose():
        said = page.read_text("utf-8")
        for found in re.findall(r"`REVERIE_([A-Z_]+)(?:=[^`]*)?`", said):
            assert found.lower() in names | OTHER_VARIABLES, f"{page.name}: REVERIE_{found}"
        for found in re.findall(r"`reverie ([a-z]+)", said):
            assert found in verbs, f"{page.name}: reverie {found}"
        for block in re.findall(r"^```sh\n(.*?)^```$", said, re.MULTILINE | re.DOTALL):  # shown, not run
            for found in re.findall(r"^reverie ([a-z]+)", block, re.MULTILINE):
                assert found in verbs, f"{page.name}: reverie {found}"
            for found in re.findall(r"^make ([a-z-]+)", block, re.MULTILINE):
                assert re.search(rf"^{found}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE), found
        for found in re.findall(r"\bmem\.([a-z_]+)\(", said):
            assert found in VERBS, f"{page.name}: mem.{found}"


OTHER_VARIABLES = {
    "db",
    "namespace",
    "tenant",
    "config",
    "docs_embedder",
    "embedder_key",
    "api_key",
    "test_seed",
    "shared_data",
    "crashpoint",
    "judge_api_key",
}


def _verbs() -> set[str]:
    import reverie

    return {n for n in dir(reverie.Reverie) if n[0] != "_"}


VERBS = _verbs()


def prose() -> list[Path]:
    """The pages that people wrote."""
    docs = ROOT / "docs"
    return [
        *(p for p in docs.rglob("*.md") if p.relative_to(docs).parts[0] not in ("reference", "decisions")),
        *(p for n in ("README.md", "CONTRIBUTING.md", "SECURITY.md") if (p := ROOT / n).is_file()),
    ]
