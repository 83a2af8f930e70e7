"""One thing changed in a text: whatever it was, the judge never says that the two say the same."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from reverie.judge.questions import Verdict
from reverie.judge.rules import relate

# {p} a person, {q} another, {c} a city, {n} a number, {d} a date, {e} an environment, {k} a colour, {u} a unit.
SENTENCES = """
{p} lives in {c}.
{p} moved to {c} on {d}.
{p} works in the {c} office and reports to {q}.
{p} owes {q} {n} euros.
{p} is {n} years old.
{p}'s birthday is {d}.
{p}'s favourite colour is {k}.
{p} booked flight {n} to {c} for {d}.
{p} does not eat meat on workdays.
{p} prefers the {k} theme to the plain one.
The {e} database listens on port {n}.
In {e}, the request timeout is {n} {u}.
The {e} cluster has {n} nodes and is owned by {q}.
Backups of the {e} database are kept for {n} {u}.
The nightly job in {e} takes about {n} {u}.
The report for {c} is due on {d}.
The launch in {c} is on {d}, and {p} presents it.
The lease of the {c} office ends on {d}.
The rent of the flat in {c} is {n} euros a month.
The {k} car in front of the {c} office belongs to {p}.
The door of the archive is {k}.
Use the {k} cable for rack {n}.
`max_retries` is set to {n} in {e}.
Version {n} of the importer runs in {e}.
{p} leads the team of {n} people in {c}.
Each request may take at most {n} {u}.
The meeting with {q} is on {d} in {c}.
{p} approved the budget of {n} dollars on {d}.
Deploys to {e} need the approval of {q}.
The alarm in {c} rings after {n} {u}.
""".strip().splitlines()
VALUES = {
    "p": "Ana Abbott,Bo Castro,Carla Dvorak,Deniz Eriksen",
    "q": "Ewa Farouk,Finn Garcia,Gita Hughes,Hugo Ivanov",
    "c": "Lisbon,Oslo,Turin,Kyoto",
    "n": "12,47,350,5432",
    "d": "3 May 2026,14 July 2026,1 March 2027,28 February 2026",
    "e": "staging,production,testing",
    "k": "red,blue,green,black",
    "u": "seconds,minutes,hours",
}
CHANGES = {
    "n": "numeral",
    "p": "name",
    "q": "name",
    "u": "unit",
    "d": "date",
    "e": "environment",
    "k": "colour",
    "c": "name",
}
_VERB = re.compile(
    r" (is|are|has|lives|moved|works|owes|booked|prefers|listens|takes|ends|belongs|runs|leads|may|approved|need|rings) "
)


def fill(sentence: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w)\}", lambda match: values[match[1]], sentence)


def denied(text: str) -> str:
    """The text with its verb denied."""
    if " does not " in text:
        return text.replace(" does not eat ", " eats ", 1)
    match = _VERB.search(text)
    if match is None:
        return f"Do not u{text[1:]}" if text.startswith("Use") else f"It is not true that {text}"
    verb = match[1]
    if verb in ("is", "are", "has", "may"):
        return text.replace(f" {verb} ", f" {verb} not " if verb != "has" else " does not have ", 1)
    return text.replace(f" {verb} ", f" never {verb} ", 1)


def modal(text: str) -> str:
    """The text as a plan or a guess."""
    match = _VERB.search(text)
    if match is None or match[1] == "may":
        return f"Perhaps {text[0].lower()}{text[1:]}"
    verbs = {"is": "might be", "are": "might be", "has": "might have"}
    return text.replace(f" {match[1]} ", f" {verbs.get(match[1], 'might have ' + match[1])} ", 1)


def pairs(seed: int) -> Iterator[tuple[str, str, str]]:
    """(what changed, the text, the text with that one change), for every sentence and each of its values."""
    rng = random.Random(seed)
    for sentence in SENTENCES:
        values = {slot: rng.choice(options.split(",")) for slot, options in VALUES.items()}
        text = fill(sentence, values)
        yield "negation", text, denied(text)
        yield "modality", text, modal(text)
        for slot in dict.fromkeys(re.findall(r"\{(\w)\}", sentence)):
            for other in VALUES[slot].split(","):
                if other != values[slot]:
                    yield CHANGES[slot], text, fill(sentence, {**values, slot: other})


PAIRS = [pair for seed in range(6) for pair in pairs(seed)]


def test_every_kind_of_change_is_tried_and_at_least_a_thousand_in_all():
    counts = Counter(kind for kind, _, _ in PAIRS)
    assert set(counts) == {"numeral", "name", "negation", "unit", "date", "environment", "colour", "modality"}
    assert min(counts.values()) >= 40
    assert len({(a, b) for _, a, b in PAIRS}) >= 1000


@pytest.mark.parametrize("kind", sorted({kind for kind, _, _ in PAIRS}))
def test_one_change_is_never_the_same(kind):
    same = [(a, b) for k, a, b in PAIRS if k == kind and relate(a, b).verdict is Verdict.SAME]
    assert same == []


def test_one_change_inside_a_longer_note_is_never_the_same():
    before, after = "Please keep in mind what we agreed on. ", " Ask Ivo for the details."
    same = [(a, b) for _, a, b in PAIRS[::3] if relate(before + a + after, before + b + after).verdict is Verdict.SAME]
    assert same == []


def test_a_plan_or_another_environment_contradicts_nothing():
    for kind, a, b in PAIRS:
        if kind in ("modality", "environment"):
            assert relate(a, b).verdict is not Verdict.CONTRADICTS, (a, b)
