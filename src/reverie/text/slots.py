"""Slots: which attribute of which subject a text gives a value to, so that contradictions are found by equality.

Rows whose slots share a key and differ in value are candidates: "Bea is based in Quito" and "Bea moved to Turin" share the
key of Bea's residence. No vector is needed, and none could tell 5432 from 5433. English only; any other text has no slots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from reverie.text.analysis import analyse
from reverie.text.concepts import load
from reverie.text.slot_facts import SAID, Fact, facts_of
from reverie.text.slot_fragments import fragments
from reverie.text.slot_reading import readings

CLAUSES = 24  # clauses of a text that are read; a longer text says too much to be superseded by one value
SHORT = 8  # tokens of a clause that the grammar reads as a whole; in a longer one values are told in passing
SLOTS = 48  # slots of one text at most
_CACHED = 16_384
_CACHE_CHARS = 4096


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that a text gives to one attribute of one subject.

    ``key`` (16 bytes) is equal for texts that speak of the same attribute of the same subject, whatever their wording.
    ``value`` is canonical and empty where the text only says that something is or is not so; ``negated`` says which.
    ``single``: the attribute takes one value at a time; where that is undecided it is False. ``label`` is for people.
    """

    key: bytes
    value: str
    negated: bool
    single: bool
    label: str


def key_of(fact: Fact) -> bytes:
    """The 16-byte hash of the subject and attribute of a fact."""
    return blake2b(f"{fact.attribute}\x1d{fact.subject}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def label_of(fact: Fact) -> str:
    """The subject and attribute of a fact in a few words, for people."""
    subject = " ".join(fact.subject.replace("\x00", "_").replace("\x01", " ").split())[:80]
    name = fact.attribute.partition(":")[0]
    return subject if fact.kind == SAID else f"{subject} · {_LABELS.get(name, name)}"


_LABELS = {
    "live": "lives in", "employ": "works at", "born": "was born", "manage": "is managed by", "lead": "is led by",
    "chair": "is chaired by", "own": "is owned by", "locate": "is in", "origin": "comes from", "speak": "speaks", "use": "uses",
    "allergy": "is allergic to", "prefer": "prefers", "order": "orders", "marriage": "is married to", "earn": "earns",
    "owe": "owes", "cost": "costs", "measure": "value", "in passing": "value",
}  # fmt: skip


def _facts(text: str) -> tuple[Fact, ...]:
    lexicon = load()
    analysis = analyse(text)
    if analysis.too_long or not analysis.english:
        return ()
    out: dict[Fact, None] = {}
    for clause in analysis.clauses[:CLAUSES]:
        for reading in readings(clause, lexicon):
            for fact in facts_of(reading, lexicon):
                out[fact] = None
        if len(clause.tokens) > SHORT:
            for fact in fragments(clause.tokens, lexicon):
                out[fact] = None
    return tuple(out)[:SLOTS]


_cached: Callable[[str], tuple[Fact, ...]] = lru_cache(maxsize=_CACHED)(_facts)


def facts(text: str) -> tuple[Fact, ...]:
    """The facts of a text with their words, at most `SLOTS`; cached for texts of at most 4,096 characters."""
    return _cached(text) if len(text) <= _CACHE_CHARS else _facts(text)


def forget() -> None:
    """Let go of every text: something was erased."""
    _cached.cache_clear()  # type: ignore[attr-defined]


def slots(text: str) -> tuple[Slot, ...]:
    """The slots of a text, in order, at most `SLOTS`. Pure, total, and bounded by the limits of `analyse`."""
    return tuple(Slot(key_of(f), f.value, f.negated, f.single, label_of(f)) for f in facts(text))
