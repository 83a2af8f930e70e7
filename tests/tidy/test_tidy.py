"""The shape of the code: imports point down, SQL is named, files are short, names are exported, promises are kept."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import reverie

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "reverie"
FILES = sorted(SRC.rglob("*.py"))
LONGEST = 400

# The lower a layer, the less it may know. A module imports only from its own layer or from lower ones.
LAYERS = [
    {"errors", "clock", "checks", "model", "settings", "states", "transitions", "policy"},
    {"text", "embed", "judge"},
    {"embedding", "store"},
    {"vectors"},
    {"briefing", "briefing_text", "intake", "history", "writing", "curation", "recall", "transfer", "erasure"},
    {"health"},
    {"handle"},
    {"curating", "erasing", "learning", "reporting"},
    {"memory"},
    {"opening"},
    {"work"},
    {"serving"},
    {"aio", "testing"},
    {"doors"},
]


def layer(name: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if name in names)


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("reverie."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("reverie.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_imports_point_down(path):
    mine = path.relative_to(SRC).parts[0].removesuffix(".py")
    if mine == "__init__":
        return
    wrong = [name for name in imports(path) if layer(name) > layer(mine)]
    assert not wrong, f"{path.relative_to(SRC)} is in a lower layer than {wrong}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_files_are_read_in_one_sitting(path):
    assert len(path.read_text().splitlines()) <= LONGEST


def test_sql_stands_in_sql_files():
    """Only pragmas, transaction words and migrations may be executed from Python text."""
    allowed = re.compile(r"^(PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b")
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "execute":
                first = node.args[0]
                if isinstance(first, ast.JoinedStr):
                    first = first.values[0]
                if isinstance(first, ast.Constant):
                    assert allowed.match(str(first.value)), f"{path}:{node.lineno}"


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_every_named_query_is_used_and_every_used_query_exists(dialect):
    """By a session's verb, or by its place in Q."""
    from reverie.store.queries import queries

    files = [*(SRC / "store").glob("*.py"), *(SRC / "store" / dialect).glob("*.py")]
    text = "\n".join(p.read_text() for p in files)
    used = set(re.findall(r'(?:\.(?:all|one|each|run|do|many|copy|_number)|\brun)\(\s*"([a-z_]+)"', text))
    used |= set(re.findall(r'(?:\bQ\[|_run\(connection, |name = |else )"([a-z_]+)"', text))
    used |= {"entries", "entries_newest", "lock_scope", "scope_number"} & set(queries(dialect))  # chosen by a condition
    assert used >= set(queries(dialect)), "not used"
    known = set(queries("sqlite")) | set(queries("postgres"))  # an adapter may override what the shared code runs
    assert set(re.findall(r'\.(?:all|one|each|run|do|many|copy)\(\s*"([a-z_]+)"', text)) <= known, "not there"


def test_both_dialects_have_the_same_tables_and_columns():
    """Column for column, the scope aside: what is read is read by the same code."""
    from reverie.store.queries import migrations

    tables = {}
    for dialect in ("sqlite", "postgres"):
        found = {}
        for _, _, sql in migrations(dialect):
            for name, body in re.findall(r"CREATE TABLE ([a-z_0-9]+) \(([^;]*)\)[^;]*;", sql):
                found[name] = set(re.findall(r"^  ([a-z_]+) ", body, re.M))
            for name, column in re.findall(r"ALTER TABLE ([a-z_0-9]+) ADD COLUMN ([a-z_]+)", sql):
                found[name].add(column)
            for name in re.findall(r"DROP TABLE ([a-z_0-9]+)", sql):
                del found[name]
            for old, new in re.findall(r"ALTER TABLE ([a-z_0-9]+) RENAME TO ([a-z_0-9]+)", sql):
                found[new] = found.pop(old)
        tables[dialect] = {n: c - {"scope", "tenant", "namespace", "n"} for n, c in found.items() if n != "memory_text"}
    sqlite, postgres = tables["sqlite"], tables["postgres"]
    postgres["scope"] -= {"number", "mod"}  # a file has one counter for all its scopes, and its own numbers
    assert sqlite == postgres


def test_exports_are_what_is_visible_and_importable():
    assert set(dir(reverie)) == set(reverie.__all__)
    for name in reverie.__all__:
        assert getattr(reverie, name) is not None


def test_public_things_are_explained():
    silent = []
    for path in FILES:
        tree = ast.parse(path.read_text())
        if ast.get_docstring(tree) is None and path.name != "__init__.py":
            silent.append(str(path.relative_to(SRC)))
        for node in tree.body:
            public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if public and ast.get_docstring(node) is None:
                silent.append(f"{path.relative_to(SRC)}:{node.name}")
    assert not silent


def test_importing_reverie_loads_no_model_no_http_client_and_no_command_line():
    code = (
        "import sys, reverie; reverie.open; "
        "print([m for m in ('onnxruntime', 'tokenizers', 'httpx2', 'openai', 'typer', 'rich', 'pydantic', 'reverie.text.guard') "
        "if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_every_crash_point_is_placed_in_the_code():
    from reverie.store.crashpoints import ALL

    text = "\n".join(p.read_text() for p in FILES)
    placed = set(re.findall(r'crashpoints\.hit\("([a-z_.]+)"\)', text))
    assert placed == set(ALL)


def test_nothing_names_a_path_of_a_machine():
    bad = re.compile(r"/(?:work|home|root|Users)/[a-z]+/(?!cameron)")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for name in tracked:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".sql", ".txt", ".yml") and "tests/data" not in name:
            found = [line for line in path.read_text(errors="replace").splitlines() if bad.search(line)]
            assert not [f for f in found if "/home/ana" not in f and "/home/user" not in f], (name, found[:3])
