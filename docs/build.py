"""Writes docs/reference from the code: ``python docs/build.py``. A test keeps the pages up to date (tests/docs)."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MADE = "This page is made by `python docs/build.py`; change the code, not the page.\n"

# what to do about each error
ADVICE = {
    "ReverieError": "Catch this one to catch all.",
    "InvalidInput": "Read the message: it names the value and the bound. Nothing was written.",
    "SecretFound": "Take the credential out, or set `secrets` to `mask`.",
    "UnknownSetting": "Compare with [the settings](settings.md); the message suggests near names.",
    "NotFound": "Check the id, and whether the handle is of the right tenant and namespace.",
    "Refused": "Nothing is wrong with the value; the rules say no.",
    "PolicyRefusal": "See [what policy refuses](states.md#what-policy-refuses).",
    "Conflict": "Read the row again, then decide again.",
    "StoreError": "Look at the disk. What was acknowledged before is safe; what raised this was not written.",
    "StoreBusy": "Try again, or raise `busy_seconds`.",
    "StoreCorrupt": "Stop writing, keep the file, and restore an export or a copy.",
    "LeaseHeld": "Wait for the other curator to end, and try again.",
    "LeaseLost": "Nothing is wrong with the store: the curator that took over goes on with the work.",
    "StoreTooNew": "Upgrade Reverie; older versions do not open newer stores.",
    "EmbedderError": "No vector was made. Writing does not raise this: the memory waits for one. `calibrate` may.",
    "EmbedderUnavailable": "Check the service or the installed files; text search goes on meanwhile.",
    "BadVector": "The model gave something that is no direction; look at the embedder.",
    "TooLarge": "Send less at once; `import` streams.",
    "Unauthorised": "See [keys](../howto/serve.md#keys).",
    "Stale": "Read the row again, then decide again: somebody was there before you.",
    "Forbidden": "Use a key that has the right, or make one.",
    "TooMany": "Wait for `seconds`, and try again.",
    "Closed": "Open the namespace again.",
}
# what a reader of the settings should know beyond the help
NOTES = {
    "merge_similarity": "In this version only `calibrate` looks at it.",
    "propose_similarity": 'With `similarity = "source"` no pair below it merges.',
    "strength_days": "Taken over by a memory when it is written.",
    "secrets": "See [keep secrets out](../howto/secrets.md).",
    "embedder": "See [choose an embedder](../howto/embedders.md).",
}
TABLES = {
    "meta": "Counters of the whole file. `mod` grows with every transaction that changes what recall can see.",
    "scope": "One row for each (tenant, namespace): its number, its epoch, when it was last used, since when the curator's "
    "queue has not been empty, and who holds the lease.",
    "memory": "One row for each memory, whatever its state. `uncurated` is the curator's queue.",
    "clause": "The guard's signatures of each text and of its clauses. Equal signatures are candidates for a merge.",
    "sighting": "The evidence: who stated a memory, when, through which channel, in which wording.",
    "link": "Directed edges between two memories.",
    "model": "The embedding models whose vectors are kept, with their dimension.",
    "embedding": "One float32 vector for each (text hash, model). A vector can never be out of date.",
    "memory_text": "The full-text index (FTS5, without a copy of the texts).",
    "run": "One row for each curation run, undo and act of a caller.",
    "entry": "The journal: one row for each move made or skipped, each hashed over the one before.",
    "entry_row": "Which memories an entry set (role 0) or let gather (role 1).",
    "stamp": "What `curated_at` was before a run stamped it, so that undo restores it too.",
    "apart": "Pairs ruled not to be the same, by the hashes of their normalised texts. Never proposed again.",
    "parked": "Plans that a blast cap held back.",
    "activity": "One record for each curation cycle, with every count.",
    "signal": "Training signals, without texts: acts and the step `reclassify` write them, nothing learns from them in this "
    "version. Withdrawn ones are not pending.",
    "attribute": "Which attribute of which subject a memory speaks of: those that share one may contradict each other.",
    "pair": "Pairs of memories that wait for a judge or for a person, and why.",
    "verdict": "What a judge has answered, by a hash of the question, so that it is not asked again.",
    "spend": "One row for each call to a model: when, for what, and what it came to.",
    "vertex": "Memories as the graph has them, and as of which change.",
    "erasure": "One row for each erasure: its receipt, with no word of what went, and when its bytes were overwritten.",
    "recall_query": "The last 1,000 queries of a namespace.",
    "recall_hit": "Which memories each of those queries found, by rank.",
    "api_key": "Keys of servers: what each may do, and a hash of its secret.",
    "key_use": "What each key used on each UTC day.",
    "job": "Curation that callers asked for, and how it goes.",
    "answer": "Answers that are given again to a request with the same Idempotency-Key, for a day.",
    "setting": "Settings that a namespace overrides.",
    "slot": "Slots of the schedule that were claimed, so that each runs once.",
    "step": "Per cycle and step: when it last succeeded, when it last failed, and why.",
}
RECORDS = {
    "reverie-export": "The header, always the first line.",
    "memory": "One memory, whatever its state, in the order of the ids.",
    "sighting": "One time that a memory was stated, in the order of the memories.",
    "link": "One directed edge between two memories.",
    "epoch": "The interaction counter of the namespace. This and all below: with `--journal` only.",
    "run": "One curation run, undo or act.",
    "entry": "One journal entry. The hash chain is checked when it is read back.",
    "stamp": "What `curated_at` was before and after a run, in microseconds since 1970.",
    "apart": "A pair ruled not to be the same.",
    "parked": "A plan that was held back, with its status.",
    "activity": "The counts of one curation cycle.",
    "erasure": "The receipt of one erasure. Its SHA-256 is checked when it is read back.",
    "signal": "One training signal.",
}
FIELDS = {
    "steps": "the names of the steps that ran",
    "type": "which record this is",
    "version": "of the format, 1",
    "tenant": "where it was exported from; an import goes where it is told",
    "namespace": "as tenant",
    "journal": "whether the journal follows",
    "grammar": "the version of the guard under which the curator has looked at the memories",
    "id": "26 characters",
    "kind": "episode, fact, preference, procedure, concept or problem",
    "text": "exactly as it was given; empty once it is erased",
    "tombstone": "only of an erased memory: a keyed hash of the text that it had, in hex",
    "receipt": "an object: see [erase](../howto/erase.md)",
    "wiped_at": "when its last bytes were overwritten, or null",
    "gist": "a shorter wording, or null",
    "derived": "whether the curator composed it",
    "metadata": "an object",
    "key": "the stable name, or null",
    "principal": "who",
    "channel": "person, agent, tool, web, import or curator",
    "client": "through which program, or null",
    "session": "in which conversation, or null",
    "trust": "provisional or trusted",
    "confidence": "default, verified or stale",
    "recall_count": "how often recall gave it",
    "access_count": "recalls and restatements",
    "epoch": "the interaction counter at its last use; of the namespace in the record `epoch`",
    "importance": "0 to 1",
    "utility": "0 to 1",
    "strength": "of a memory: grows by 1 a recall, halves every half_life_days; of a signal: medium, normal or high",
    "strength_at": "the moment of that strength",
    "half_life_days": "days",
    "pinned": "true or false",
    "durable": "false for an experience that may be retired",
    "state": "live, merged, superseded, archived, quarantined or erased",
    "merged_into": "the survivor's id, or null",
    "superseded_by": "the successor's id, or null",
    "memory": "the id of the memory",
    "at": "the moment; in `entry` and `signal` microseconds since 1970",
    "wording": "where it differs from the memory's text, else null",
    "external_id": "the id that the source gave, or null",
    "source": "of a link: the id the edge starts at; of a signal: store, delete, pin, weight, kind, feedback or curator",
    "signal": "accept, reject, reclassify, reclassify_pending, correction, confirmation or rejection",
    "pending": "1 while it waits, 0 when it was withdrawn",
    "predicted": "the kind that the memory had, or null",
    "corrected": "the kind that it should have, or null",
    "relation": "see [the glossary](../glossary.md#link)",
    "target": "the id the edge ends at",
    "evidence": "an object: why",
    "used_at": "microseconds since 1970",
    "cycle": "tidy, write (a restatement that the guard found), undo, or the verb of a caller",
    "actor": "the principal",
    "started_at": "the moment",
    "finished_at": "the moment, or null",
    "status": "of a run: running, done, parked, failed, conflicts; of an entry: applied, skipped; "
    "of a parked plan: waiting, approved, rejected",
    "counts": "an object of numbers",
    "errors": "an object: step to reason",
    "n": "1, 2, 3 … in each namespace",
    "run": "the id of the run",
    "index": "the place in the run",
    "step": "the step, or the verb of a caller",
    "move": "see [the moves](states.md)",
    "reason": "in words",
    "before": "the columns before: of an entry an object by memory id; of a stamp a moment",
    "after": "the columns after, in the same form",
    "added": "what counters gained, by memory id",
    "detail": "an object: the whole move, its rows, edges drawn, why it was skipped",
    "model": "of a judge; null in this version",
    "tokens": "of a judge; 0 in this version",
    "undoes": "the entry that this one takes back, or null",
    "undone_by": "the entry that took this one back, or null",
    "counted": "whether the blast caps count it",
    "hash": "SHA-256 over the hash before and the fields, in hex",
    "low": "hash of one normalised text, in hex",
    "high": "hash of the other",
    "plan": "the plan, as `reverie plan --out` writes it",
    "digest": "equal for equal proposals, in hex",
    "action": "what was done",
} | dict.fromkeys(
    ("occurred_at", "written_at", "stated_at", "valid_from", "valid_to", "curated_at", "archived_at",
     "last_recalled_at"), "ISO 8601 in UTC with microseconds, or null",
)  # fmt: skip


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = list(head)
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    for row in rows:
        cells = " | ".join(c.strip().replace("|", "\\|") for c in row)
        lines.append(f"| {cells} |")
    return "\n".join(lines) + "\n"


def prose(text: str | None) -> str:
    """A docstring as Markdown: source marks gone, double backquotes single."""
    return re.sub(r"\s*\[S\d(?: S\d)*\]", "", inspect.cleandoc(text or "")).replace("``", "`")


def sections(text: str | None) -> str:
    """A docstring with Args, Returns and Raises as Markdown."""
    out: list[str] = []
    for line in prose(text).splitlines():
        if line.strip() in ("Args:", "Returns:", "Raises:"):
            out += ["", f"**{line.strip()[:-1]}**", ""]
            inside = line.strip() == "Args:"
        elif line.startswith("        "):
            out[-1] += " " + line.strip()
        elif line.startswith("    ") and inside:
            name, colon, rest = line.strip().partition(": ")
            out.append(f"* `{name}`: {rest}" if colon else f"* {line.strip()}")
        else:
            out.append(line.strip() if line.startswith("    ") else line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def settings() -> str:
    from reverie.settings import TABLE

    def bounds(s: Any) -> str:
        if s.choices:
            return ", ".join(s.choices)
        return "" if s.low is None else f"{plain(s.low)} to {plain(s.high)}"

    def plain(n: float) -> str:
        return f"{n:,.0f}" if n == int(n) else f"{n:g}"

    rows = (
        (f"`{s.name}`", f"`{s.default}`" + (f" {s.unit}" if s.unit else ""), bounds(s),
         "process" if s.of_process else "namespace", prose(f"{s.help} {NOTES.get(s.name, '')}"))
        for s in TABLE
    )  # fmt: skip
    return f"""# Settings

{MADE}
Each later source wins over the earlier ones:

1. the default in the table below;
2. `reverie.toml` in the working folder, or the file that `REVERIE_CONFIG` names: `demote_days = 60`;
3. the environment: `REVERIE_` and the name in capitals, such as `REVERIE_DEMOTE_DAYS=60`;
4. the argument `settings=` of `reverie.open`;
5. what a namespace keeps in its store: `reverie settings set demote_days 60`, or `mem.set("demote_days", 60)`.

Settings of the **process** are read when a store is opened; a namespace cannot override them. An unknown name or a
value out of its bounds raises `UnknownSetting`, wherever it came from. `reverie settings` shows the values in force
and where each was set.

{table(("setting", "default", "bounds", "set for", "what it does"), rows)}"""


def errors() -> str:
    from reverie import errors as module
    from reverie.doors.cli.app import _CODES

    def code(cls: type) -> str:
        return str(next((n for kind, n in _CODES if issubclass(cls, kind)), 1))

    def walk(cls: type, depth: int) -> Iterable[tuple[type, int]]:
        yield cls, depth
        for sub in cls.__subclasses__():
            if sub.__module__ == module.__name__:
                yield from walk(sub, depth + 1)

    rows = (
        ("&nbsp;" * 4 * d + f"`{c.__name__}`", prose(c.__doc__).splitlines()[0], ADVICE[c.__name__], code(c))
        for c, d in walk(module.ReverieError, 0)
    )
    return f"""# Errors

{MADE}
Every error is in `reverie.errors`, as one tree: catching a class catches what is indented under it. An empty answer is
never an error, and an error is never an empty answer. In a batch (`remember_many`, `import_stream`) a bad item gives a
`NotRemembered` with the error in it, and the others go on.

The last column is the exit code of the command line.

{table(("error", "meaning", "what to do", "exit"), rows)}"""


def states() -> str:
    from reverie.model import State
    from reverie.states import LEAVES_WITHOUT_SURVIVOR, LEGAL, PERSON_ONLY
    from reverie.transitions import MOVES

    arrows = ["stateDiagram-v2", "    [*] --> live: remember, Derive"]
    for move, (start, end) in LEGAL.items():
        if end is not None:
            arrows += [f"    {s.value} --> {end.value}: {move}" for s in State if s in start]

    def starts(found: frozenset[State]) -> str:
        return "any but erased" if len(found) == 5 else ", ".join(s.value for s in State if s in found) or "no row"

    rows = (
        (f"`{m}`", starts(s), e.value if e else "as it was", "a caller" if m in PERSON_ONLY else "a plan",
         "yes" if m in LEAVES_WITHOUT_SURVIVOR else "", prose(MOVES[m].__doc__))
        for m, (s, e) in LEGAL.items()
    )  # fmt: skip
    return f"""# States and moves

{MADE}
Only live memories are recalled by default. Every arrow can be taken back with `undo`.

```mermaid
{chr(10).join(arrows)}
```

No move leads to `erased`: [`erase`](../howto/erase.md) is a verb of its own, which no plan may hold and no undo takes back.
`redact` is not there yet.

## Moves

A plan holds nothing but these moves. *By*: `a caller` means that only a verb such as `pin` makes it, and a plan that
holds one is refused. *Counts*: whether the [blast caps](../explain/blast-caps.md) count it.

{table(("move", "from", "to", "by", "counts", "what it does"), rows)}
In this version the cycle `tidy` plans `MergeInto`, `Archive` and `MarkStale`; callers' verbs make `Archive`,
`Restore`, `Release`, `Supersede`, `Promote`, `SetKind`, `Weigh`, `Signal`, `Pin`, `Verify` and `SetKey`. The
others are legal in a plan that you build yourself. The moves over entities (`MintEntity`, `MergeEntity`, `Confirm`,
`FlagDuplicate`) and `Redact` are not there yet.

## What policy refuses

Whoever proposes it, a move is skipped (in a plan) or raises `PolicyRefusal` (from a caller) where

* the memory is pinned or verified and the move would retire it (`MergeInto`, `Supersede`, `Archive`, `Quarantine`);
* a provisional memory would supersede a trusted one, unless a person asks;
* a trusted memory would be merged into a provisional one;
* a merge would cross kinds, or join memories that hold for different times (`valid_from`, `valid_to`);
* the survivor or successor is not live, or is the memory itself;
* the memory that would be merged away is kept under a stable key;
* a derived text has no sources, or a number or name that stands in none of them;
* the plan is of another tenant or namespace;
* the row has changed since the plan read it, or the move is not legal from its state.
"""


def schema() -> str:
    import apsw

    from reverie.store.queries import migrations

    connection = apsw.Connection(":memory:")
    found = migrations("sqlite")
    for _, _, sql in found:
        connection.execute(sql)
    names = [
        str(n) for (n,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' "
            "AND name NOT GLOB 'memory_text_*' ORDER BY rowid"
        )
    ]  # fmt: skip
    _same(names, TABLES, "tables")
    parts = []
    for name in names:
        columns = connection.execute(f"SELECT name FROM pragma_table_info('{name}')")
        parts.append((f"`{name}`", TABLES[name], ", ".join(f"`{c}`" for (c,) in columns)))
    return f"""# The stores: tables

{MADE}
One SQLite file in WAL mode, schema {len(found)}. While it is open there are two files beside it, `-wal` and `-shm`:
copy all three, or better, [export](../howto/move-and-back-up.md). The schema is not an interface: read it to
understand, use the verbs to change. Migrations go forward only and run when a newer Reverie opens the file; an older
Reverie refuses a newer file with `StoreTooNew`.

Times are microseconds since 1970 in UTC, hashes are 16 bytes of BLAKE2b (32 of SHA-256 in the journal), JSON is text.
All but `meta` and `model` belong to one scope.

On PostgreSQL the same tables stand in the schema `reverie`, column for column; `tenant` and `namespace` take the place of
the scope's number in every key, and row-level security lets a transaction see one scope only.

{table(("table", "what it is for", "columns"), parts)}
A unique index over (scope, normalised text, kind) among live rows, and one over (scope, key), close the race between
looking and writing: see [idempotence](../explain/idempotence.md).
"""


def export_format() -> str:
    seen: dict[str, dict[str, None]] = {}
    for record in _sample():
        seen.setdefault(str(record["type"]), {}).update(dict.fromkeys(record))
    _same(seen, RECORDS, "records")
    _same({f for fields in seen.values() for f in fields}, FIELDS, "fields")
    rows = (
        (f"`{kind}`", RECORDS[kind], ", ".join(f"`{f}`" for f in fields if f != "type"))
        for kind, fields in seen.items()
    )
    names = dict.fromkeys(f for fields in seen.values() for f in fields)
    return f"""# The export format

{MADE}
`reverie export` and `Reverie.export` write JSON lines in UTF-8: one record a line, the header first, keys sorted, in an
order that does not depend on the store. Two namespaces with equal exports hold the same memories. `reverie import` and
`Reverie.import_export` read them into an empty namespace, ids and all, and refuse a newer version.

Not in it, because it can be made again: vectors, the full-text index, the guard's signatures. Not in it, because it is
not of the memories: overridden settings and the log of queries.

## Records

{table(("type", "what it is", "fields"), rows)}
## Fields

{table(("field", "meaning"), ((f"`{n}`", FIELDS[n]) for n in names))}"""


def _sample() -> Iterable[Mapping[str, Any]]:
    """An export that has every record type in it."""
    import reverie
    from reverie.clock import CountingIds, FixedClock
    from reverie.embed import HashingEmbedder

    clock = FixedClock()
    with tempfile.TemporaryDirectory() as folder, reverie.open(
        Path(folder) / "sample.db", embedder=HashingEmbedder(), clock=clock, ids=CountingIds(),
        settings={"blast_run_rows": 0, "synchronous": "off"},
    ) as mem:  # fmt: skip
        first = mem.remember("Robin lives in Berlin")
        mem.remember("Note: Robin lives in Berlin.")
        mem.remember("The old printer took A3 paper", importance=0.1)
        mem.undo(mem.curate().id)
        clock.advance(days=100)
        mem.curate()
        mem.revise(first.id, "Robin lives in Hamburg", train=True)
        gone = mem.remember("Robin is said to snore")
        person = mem.speaking(reverie.Origin("local", reverie.Channel.PERSON))
        person.erase(memory=gone.id, confirm=person.erase(memory=gone.id).token)
        return list(mem.export(journal=True))  # type: ignore[arg-type]


def _same(found: Iterable[str], said: Iterable[str], what: str) -> None:
    missing, extra = sorted(set(found) - set(said)), sorted(set(said) - set(found))
    if missing or extra:
        raise SystemExit(f"docs/build.py: {what} without a description: {missing}; described but not there: {extra}")


def verbs() -> list[str]:
    """The public verbs of the façade, in the order in which they are defined."""
    from reverie.memory import Reverie

    return [n for cls in Reverie.__mro__[:-1] for n, v in vars(cls).items() if n[0] != "_" and callable(v)]


def signature(name: str, given: Any) -> str:
    """A signature with plain annotations, one argument a line where it is long."""
    sig = inspect.signature(given)
    parts, star = [], False
    for p in sig.parameters.values():
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        note = "" if p.annotation is p.empty else f": {p.annotation}"
        default = p.default.value if isinstance(p.default, enum.Enum) else p.default
        parts.append(("**" if p.kind is p.VAR_KEYWORD else "") + p.name + note)
        if p.default is not p.empty:
            parts[-1] += f" = {default!r}"
    back = "" if sig.return_annotation in (sig.empty, "None") else f" -> {sig.return_annotation}"
    line = f"{name}({', '.join(parts)}){back}"
    return line if len(line) <= 100 else f"{name}(\n    " + ",\n    ".join(parts) + f",\n){back}"


def python() -> str:
    import reverie
    from reverie import testing
    from reverie.curation.journal import Chain
    from reverie.curation.plan import LeftAlone, Proposal, StepPlan
    from reverie.curation.undo import Kept, Undone
    from reverie.erasure.target import Also, Erasure, Target
    from reverie.memory import Reverie
    from reverie.model import Entry, Link, Relation, RunRecord, Sighting
    from reverie.store.records import Parked
    from reverie.work.visit import Visit

    parts = [
        f"# Python\n\n{MADE}\nThe façade of version {reverie.__version__}: how to open a namespace, every verb, and "
        "what the verbs give back.\nThe names in `reverie.__all__` can be imported from `reverie`; the other classes "
        "below are only given back.\n\n## Opening\n"
    ]
    for name, given in (("reverie.open", reverie.open), ("await reverie.aopen", reverie.aopen)):
        parts.append(
            f"\n### {name.split('.')[1]}\n\n```python\n{signature(name, given)}\n```\n\n{sections(given.__doc__)}"
        )
    parts.append(f"\n## Reverie\n\n{sections(Reverie.__doc__)}\n`scope` and `settings` are what the handle holds.\n")
    for name in verbs():
        verb = getattr(Reverie, name)
        parts.append(f"\n### {name}\n\n```python\n{signature(f'mem.{name}', verb)}\n```\n\n{sections(verb.__doc__)}")
    parts.append(f"\n## AsyncReverie\n\n{sections(reverie.AsyncReverie.__doc__)}")
    parts.append(f"\n## Worker\n\n{sections(reverie.Worker.__doc__)}")
    for name in ("start", "stop", "run", "tick", "due", "visit", "ask_to_stop"):
        verb = getattr(reverie.Worker, name)
        parts.append(
            f"\n### worker.{name}\n\n```python\n{signature(f'worker.{name}', verb)}\n```\n\n{sections(verb.__doc__)}"
        )
    parts.append("\n## Words\n\n")
    enums = (reverie.Kind, reverie.Channel, reverie.Trust, reverie.Confidence, reverie.State, Relation)
    parts.append(
        table(
            ("enum", "values", ""),
            ((f"`{e.__name__}`", ", ".join(x.value for x in e), prose(e.__doc__)) for e in enums),
        )
    )
    parts.append('\nA text such as `"fact"` is taken wherever an enum is.\n\n## What verbs give back\n')
    for cls in (reverie.Memory, reverie.Item, reverie.Remembered, reverie.NotRemembered, reverie.Hit, reverie.History,
                Sighting, Link, reverie.Plan, StepPlan, Proposal, LeftAlone, reverie.Run, Undone, Kept, Entry, RunRecord,
                Parked, Chain, Erasure, Target, Also, Visit, reverie.Scope, reverie.Origin):  # fmt: skip
        shown = ", ".join(f"`{f.name}`" for f in dataclasses.fields(cls))
        extra = [n for n, v in vars(cls).items() if isinstance(v, property)]
        more = f" And: {', '.join(f'`{n}`' for n in extra)}." if extra else ""
        parts.append(f"\n### {cls.__name__}\n\n{sections(cls.__doc__)}\nFields: {shown}.{more}\n")
    parts.append(f"\n### Settings\n\n{sections(reverie.Settings.__doc__)}\nSee [the table](settings.md).\n")
    parts.append(f"\n### ReverieError\n\n{sections(reverie.ReverieError.__doc__)}\nSee [the errors](errors.md).\n")
    names = ", ".join(f"`{n}`" for n in testing.__all__)
    parts.append(f"\n## reverie.testing\n\n{sections(testing.__doc__)}\n{names}.\n")
    return "".join(parts)


def http() -> str:
    """Every address of the HTTP door, from its schema."""
    import reverie
    from reverie.doors.http import build
    from reverie.doors.http.base import NOT_OFFERED, OFFERED
    from reverie.serving.host import Host
    from reverie.serving.jobs import Jobs
    from reverie.serving.rights import ROLES, VERBS

    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder) / "docs.db", settings=reverie.Settings(), embedder="none")
        app = build(host, Jobs(host), dashboard=False, mcp=False)
        schema = app.schema()  # type: ignore[attr-defined]
        host.close()
    right = {at: VERBS[verb] for verb, at in OFFERED.items()} | {
        f"{m} /v1/keys{more}": VERBS["keys"] for m, more in (("GET", ""), ("POST", ""), ("DELETE", "/{id}"))
    }
    jobs = "/v1/namespaces/{namespace}/jobs"
    right |= {f"GET {jobs}{more}": VERBS["runs"] for more in ("", "/{id}", "/{id}/events")}
    right |= {
        f"POST {jobs}/{{id}}/stop": VERBS["curate"],
        "GET /health": VERBS["doctor"],
        "GET /metrics": VERBS["metrics"],
    }
    parts = [
        f"# HTTP\n\n{MADE}\nEvery address of version {reverie.__version__}. `/v1/openapi.json` is the schema, with the shape of "
        "each request and answer. How to\nstart a server and make keys: [serve it](../howto/serve.md).\n"
    ]
    by_tag: dict[str, list[tuple[str, str, str]]] = {}
    for path, of in schema["paths"].items():
        for method, operation in of.items():
            at = f"{method.upper()} {path}"
            first = operation.get("description", "").split("\n\n")[0]
            row = (f"`{at}`", right.get(at, "any"), prose(first))
            by_tag.setdefault(operation["tags"][0], []).append(row)
    for tag, rows in by_tag.items():
        parts.append(f"\n## {tag.capitalize()}\n\n{table(('address', 'right', ''), rows)}")
    parts.append(
        "\nWithout a key: `GET /health/live`, `GET /health/ready`. MCP is at `/mcp`, the dashboard at `/`.\n\n## Rights\n\n"
        + table(("role", "rights"), ((f"`{r}`", ", ".join(rights)) for r, rights in ROLES.items()))
        + "\n## Not offered\n\n"
        + table(("verb", "why"), ((f"`{v}`", why) for v, why in NOT_OFFERED.items()))
    )
    return "".join(parts)


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    from reverie.doors.cli.reference import render

    return {
        "cli.md": render(), "settings.md": settings(), "errors.md": errors(), "states.md": states(),
        "schema.md": schema(), "http.md": http(), "export-format.md": export_format(), "python.md": python(),
    }  # fmt: skip


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / "reference" / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"docs/reference/{name}\n")
