"""The blocks of a page of Markdown, and a session that runs them in the order in which a reader would.

* A ``python`` block is executed; a ``text`` block right after it is what it prints.
* In a ``console`` block each ``$ `` line is run. Lines that follow it are its output; with none, none is compared. A line
  ``...`` stands for any number of lines. A command must end with code 0, unless ``$ echo $?`` follows and shows another.
* ``<!-- setup: ... -->`` is run and not shown: Python, or commands where its first line begins with ``$ ``.
* A ``postgresql://`` URL of the host ``db.example`` stands for an empty database of a real server, one for each name.

Ids, times, scores and speeds differ from run to run: they are compared by their form. An id that a page shows stands for
the one that the command really gave, wherever the page uses it again.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from reverie.doors.cli.verbs import app

ROOT = Path(__file__).parents[2]
_PIECE = re.compile(
    r"^```(?P<lang>\w*)[^\n]*\n(?P<body>.*?)^```$|^<!-- setup:(?P<setup>.*?)-->", re.MULTILINE | re.DOTALL
)
_ID = re.compile(r"\b(?:[0-7][0-9A-HJKMNP-TV-Z]{25}|(?:pair|erase)-[0-9a-f]{16})\b")
_FORMS = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+]00:00)?"), "<time>"),
    (re.compile(r"^(seconds|rows per second|bytes)\s+[\d.,]+$"), r"\1 <n>"),
    (re.compile(r'("seconds"|"rows_per_second"): [\d.]+'), r"\1: <n>"),
    (re.compile(r"\b\d\.\d{3}\b"), "<score>"),
    (re.compile(r"(curated by )\S+ until \d\d:\d\d:\d\d UTC"), r"\1<who>"),
    (re.compile(r"(vectors\s+)[0-9a-f]{12}$"), r"\1<digest>"),
    (re.compile(r"^((?:postgresql|pgvector|schema)\s+)[\d.]+$"), r"\1<version>"),
    (re.compile(r"\s{2,}"), "  "),
)
_URL = re.compile(r"postgresql://[\w.@:-]*\bdb\.example/\w+")
_METACHARACTERS = set("|<>;&`") | {"$("}


@dataclass(frozen=True)
class Block:
    """A fenced block, or a hidden set-up, and the line that it begins on."""

    lang: str
    text: str
    line: int
    hidden: bool = False


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text("utf-8")
    found = []
    for m in _PIECE.finditer(text):
        line = text.count("\n", 0, m.start()) + 1
        if m["setup"] is not None:
            body = m["setup"].strip("\n ") + "\n"
            found.append(Block("console" if body.startswith("$ ") else "python", body, line, hidden=True))
        else:
            found.append(Block(m["lang"], m["body"], line))
    return found


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block with the output shown for it."""
    command: str | None = None
    shown: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
        elif command is not None and command.endswith("\\"):
            command = command[:-1] + line.strip().removeprefix("> ")
        else:
            shown.append(line)
    if command is not None:
        yield command, shown


def needs_a_server(page: Path) -> bool:
    """Whether a block that is run names a database."""
    return any(_URL.search(b.text) for b in blocks(page) if b.lang in ("python", "console"))


def plain(line: str) -> str:
    """A line with everything replaced that differs from run to run."""
    line = line.rstrip()
    for pattern, form in _FORMS:
        line = pattern.sub(form, line)
    return _ID.sub("<id>", line)


@dataclass
class Session:
    """One reader of one page: a folder, an environment, what Python has defined, and the ids that were given.

    ``database`` gives the URL of an empty database, for pages that name one.
    """

    page: str
    database: Callable[[], str] | None = None
    databases: dict[str, str] = field(default_factory=dict)
    code: int = 0
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__page__"})
    ids: dict[str, str] = field(default_factory=dict)
    ran: dict[str, int] = field(default_factory=lambda: {"python": 0, "console": 0})

    def real(self, text: str) -> str:
        """The text with the real database in the place of each that it names."""

        def found(match: re.Match[str]) -> str:
            if match[0] not in self.databases:
                assert self.database is not None, f"{self.page}: {match[0]} needs a server"
                self.databases[match[0]] = self.database()
            return self.databases[match[0]]

        return _URL.sub(found, text)

    def run(self, page: Path) -> None:
        """Run every block of a page."""
        found = blocks(page)
        for at, block in enumerate(found):
            where = f"{self.page}:{block.line}"
            if block.lang == "python":
                said = self.python(block.text, where)
                after = found[at + 1] if at + 1 < len(found) else None
                if not block.hidden and after and after.lang == "text" and _follows(page, block, after):
                    self.compare(after.text.splitlines(), said.splitlines(), where)
            elif block.lang == "console":
                self.console(block.text, where)
            else:
                continue
            self.ran[block.lang] += not block.hidden

    def python(self, text: str, where: str) -> str:
        """Execute a block in the page's namespace; what it printed."""
        out = io.StringIO()
        code = compile("\n" * (int(where.rpartition(":")[2])) + self.real(text), where, "exec")
        with contextlib.redirect_stdout(out):
            exec(code, self.names)
        return out.getvalue()

    def console(self, text: str, where: str) -> None:
        """Run the commands of a block."""
        given = list(commands(text))
        assert given, f"{where}: a console block without a command"
        for at, (command, shown) in enumerate(given):
            asked = at + 1 < len(given) and given[at + 1][0].strip() == "echo $?"
            if command.strip() == "echo $?":
                said = str(self.code)
            else:
                said = self.command(command, where)
                assert asked or self.code == 0, f"{where}: `{command}` ended with {self.code}:\n{said}"
            if shown:
                self.compare(shown, said.splitlines(), f"{where}: `{command}`")

    def command(self, command: str, where: str) -> str:
        """Run one command; what it said on both streams."""
        for shown, real in self.ids.items():
            command = command.replace(shown, real)
        command = self.real(command)
        words = shlex.split(command, comments=True)
        if words[0] == "export" and len(words) == 2:
            name, _, value = words[1].partition("=")
            os.environ[name] = value
            self.code = 0
            return ""
        if words[0] in {"make", "git", "cd", "pip"} or words[:3] == ["python", "-m", "pip"]:
            self.code = 0
            return checked_only(words, where)
        # A worker takes the signals of its process, and steps back from others: not in this one.
        if words[0] == "reverie" and "worker" not in words and not any(m in command for m in _METACHARACTERS):
            result = CliRunner().invoke(app, words[1:])
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            self.code = result.exit_code
            return result.output
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            env=os.environ | {"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        self.code = done.returncode
        return done.stdout

    def compare(self, shown: list[str], said: list[str], where: str) -> None:
        """The output that a page shows, against the real one; ids that are shown are bound to the real ones."""
        told = f"{where} shows\n" + "\n".join(shown) + "\nand the real output is\n" + "\n".join(said)
        while said and not said[-1].strip():
            said = said[:-1]
        at, loose = 0, False
        for line in shown:
            if line.strip() == "...":
                loose = True
                continue
            while loose and at < len(said) and plain(said[at]) != plain(line):
                at += 1
            assert at < len(said), f"{line!r} is missing: {told}"
            assert plain(said[at]) == plain(line), f"{plain(line)!r} is not {plain(said[at])!r}: {told}"
            for ours, theirs in zip(_ID.findall(line), _ID.findall(said[at]), strict=True):
                assert self.ids.setdefault(ours, theirs) == theirs, f"the id {ours} stands for two: {told}"
            at, loose = at + 1, False
        assert loose or at == len(said), f"more was said than is shown: {told}"


def checked_only(words: list[str], where: str) -> str:
    """Commands of a checkout and of an installation are not run here; that what they name exists is checked."""
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert set(words[1:]) <= set(targets), f"{where}: the Makefile has no {words[1:]}"
    extras = re.findall(r"\[([\w,]+)\]", " ".join(words))
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for extra in ",".join(extras).split(",") if extras else []:
        assert extra in known, f"{where}: there is no extra {extra!r}"
    return ""


def _follows(page: Path, first: Block, second: Block) -> bool:
    """Whether nothing but blank lines stands between two blocks."""
    lines = page.read_text("utf-8").splitlines()
    end = first.line + first.text.count("\n") + 1
    return not any(lines[end : second.line - 1])
