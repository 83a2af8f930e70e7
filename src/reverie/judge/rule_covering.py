"""Whether an older text says nothing beyond what a newer one gives another value to: only then may the newer take its place.

An update of one value retires one statement. A note of three sentences that is superseded for one of them loses two.
"""

from __future__ import annotations

from reverie.text.analysis import analyse
from reverie.text.concepts import load
from reverie.text.slot_facts import SAID, facts_of
from reverie.text.slot_reading import readings
from reverie.text.slots import CLAUSES, facts


def says_no_more(older: str, newer: str) -> bool:
    """Whether each clause of the older text stands in the newer, or is a single statement about an attribute that the newer
    gives a value to as well. False where a text is too long to be read, or says values only in passing."""
    one, two = analyse(older), analyse(newer)
    if one.too_long or two.too_long or not one.clauses or len(one.clauses) > CLAUSES:
        return False
    lexicon, signed = load(), set(two.clause_signatures)
    given = {(fact.attribute, fact.subject) for fact in facts(newer)}
    for clause, signature in zip(one.clauses, one.clause_signatures, strict=True):
        if signature in signed:
            continue
        told = [facts_of(reading, lexicon) for reading in readings(clause, lexicon)]
        if not any(
            sum(fact.kind == SAID for fact in statement) == 1
            and any((fact.attribute, fact.subject) in given for fact in statement)
            for statement in told
        ):
            return False
    return True
