"""A power cut on a simulated disk: what SQLite wrote is recorded, and files are rebuilt as they would be after a cut.

The recorder is a VFS over the real one (shared memory and locks go straight through), so the store under test is the
real store. The disk that it stands for keeps what was synced. Of the rest it keeps nothing ("drop"), a random subset
of the writes ("subset"), or random sectors of them ("torn"). Names are modelled too: a file that was made or unlinked
since the folder was last synced may be missing or still there; SQLite syncs the folder with the first sync of a new
journal, and where it unlinks with the sync flag. Not modelled: a disk that lies about syncing, and one that damages
sectors that nobody wrote.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
MODELS = ("drop", "subset", "torn")


@dataclass(frozen=True)
class Event:
    """One thing that happened: open, write, truncate, sync, unlink, or an acknowledgement to the client."""

    what: str
    name: str = ""
    offset: int = 0
    data: bytes = b""
    line: str = ""
    folder: bool = False  # an unlink or a sync that makes names durable too


class Recorder(apsw.VFS):
    """Registers a VFS under ``name`` that records into ``events``; only files of ``folder`` count."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.events: list[Event] = []
        self._folder = str(folder)
        self._fresh: set[str] = set()  # journals whose name was not made durable yet
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None or not path.startswith(self._folder):
            return apsw.VFSFile("", name, flags)
        short = Path(path).name
        if not Path(path).exists():
            self.events.append(Event("open", short))
            if short.endswith(("-wal", "-journal")):
                self._fresh.add(short)
        return _File(self, short, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        super().xDelete(name, sync)
        if name.startswith(self._folder):
            self.events.append(Event("unlink", Path(name).name, folder=bool(sync)))

    def synced(self, name: str) -> None:
        self.events.append(Event("sync", name, folder=name in self._fresh))
        self._fresh.discard(name)

    def acknowledge(self, line: str) -> None:
        """The client has its answer: from here on it must survive."""
        self.events.append(Event("ack", line=line))


class _File(apsw.VFSFile):
    def __init__(self, recorder: Recorder, short: str, name: Any, flags: list[int]) -> None:
        self._recorder = recorder
        self._short = short
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._recorder.events.append(Event("write", self._short, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._recorder.events.append(Event("truncate", self._short, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._recorder.synced(self._short)


@dataclass
class _Disk:
    """What is durable, and what is not yet."""

    files: dict[str, bytearray] = field(default_factory=dict)
    pending: dict[str, list[Event]] = field(default_factory=dict)
    names: list[Event] = field(default_factory=list)  # openings and unlinkings that the folder does not hold yet
    durable: set[str] = field(default_factory=set)
    acknowledged: list[str] = field(default_factory=list)
    gone: dict[str, bytearray] = field(default_factory=dict)  # content of files whose unlinking may be lost

    def see(self, e: Event) -> None:
        if e.what == "open":
            self.files[e.name] = bytearray()
            self.pending[e.name] = []
            self.gone.pop(e.name, None)
            self.names.append(e)
        elif e.what in ("write", "truncate"):
            self.pending[e.name].append(e)
        elif e.what == "sync":
            for p in self.pending[e.name]:
                change(self.files[e.name], p)
            self.pending[e.name] = []
            if e.folder:
                self._sync_names()
        elif e.what == "unlink":
            content = self.files.pop(e.name, bytearray())
            self.pending.pop(e.name, None)
            if e.name in self.durable:
                self.gone[e.name] = content
            self.names.append(e)
            if e.folder:
                self._sync_names()
        else:
            self.acknowledged.append(e.line)

    def _sync_names(self) -> None:
        self.names = []
        self.gone = {}
        self.durable = set(self.files)


def change(content: bytearray, e: Event) -> None:
    """Let a write or a truncation happen to a file's content."""
    if e.what == "truncate":
        del content[e.offset :]
        content.extend(bytes(e.offset - len(content)))
        return
    if len(content) < e.offset:
        content.extend(bytes(e.offset - len(content)))
    content[e.offset : e.offset + len(e.data)] = e.data


def after_cut(
    events: Sequence[Event], cut: int, model: str, chance: random.Random
) -> tuple[dict[str, bytes], list[str]]:
    """The files as they would be if the power had failed after ``cut`` events, and what was acknowledged by then."""
    disk = _Disk()
    for e in events[:cut]:
        disk.see(e)
    image: dict[str, bytes] = {}
    for name, content in disk.files.items():
        if name not in disk.durable and (model == "drop" or chance.random() < 0.5):
            continue  # its name never reached the folder
        image[name] = _kept(bytearray(content), disk.pending[name], model, chance)
    for name, content in disk.gone.items():
        if name not in image and (model == "drop" or chance.random() < 0.5):
            image[name] = bytes(content)  # its unlinking never reached the folder
    return image, disk.acknowledged


def _kept(content: bytearray, pending: list[Event], model: str, chance: random.Random) -> bytes:
    for p in pending:
        if model == "drop":
            return bytes(content)
        if model == "subset" or p.what == "truncate":
            if chance.random() < 0.5:
                change(content, p)
        else:
            for start in range(0, len(p.data), SECTOR):
                if chance.random() < 0.5:
                    change(content, Event("write", p.name, p.offset + start, p.data[start : start + SECTOR]))
    return bytes(content)
