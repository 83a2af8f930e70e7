"""Whether a longer text says all that a shorter one says, and takes nothing back."""

from __future__ import annotations

from reverie.text.analysis import Analysis
from reverie.text.lexicon import bag, hard, slots
from reverie.text.tokens import Clause

_SHORTEST = 3
_PRONOUNS = bag("it he she they this these those its his her their them him that such there then so same")
_TAKES_BACK = bag(
    "left leave leaves leaving gone died dies dead expires expiring following text wrote "
    "written replaces supersedes supersede "
    "overrides override reverted revert undone undo void nullified lapsed closed shut "
    "sold lost resigned retired "
    "contrary opposite rather actually meanwhile afterwards later earlier "
    "wrong outdated old legacy deprecated false incorrect invalid obsolete rumour rumor joke example "
    "hypothetical draft rejected "
    "ideas options proposal proposals wishlist todo fiction fictional story unless except however but although "
    "though instead "
    "was were had did used ignore disregard retracted disputed myth question unverified unconfirmed temporary "
    "temporarily "
    "expired ended cancelled canceled revoked withdrawn lie lies lied mistaken mistake error typo corrected "
    "correction denied "
    "quote quotes template sample dream dreamt dreamed novel imagine pretend scenario proposed alternative "
    "alternatives"
)


def absorbs(long: Analysis, short: Analysis) -> bool:
    """Every clause of `short` stands in `long`, in a block and in order, and the rest of `long` only adds."""
    n = len(short.clause_signatures)
    total = len(long.clause_signatures)
    if not 0 < n < total or not long.english or not short.english:
        return False
    first = short.clause_signatures[0]
    if first not in long.clause_signatures:
        return False
    start = long.clause_signatures.index(first)
    if long.clause_signatures[start : start + n] != short.clause_signatures:
        return False
    if start and short.clauses[0].tokens[0] in _PRONOUNS:
        return False  # whom it means stands in the clauses before
    if any(part.end or len(part.tokens) < _SHORTEST for part in short.clauses):
        return False
    extras = [part for i, part in enumerate(long.clauses) if not start <= i < start + n]
    if any(_rivals(extra, part) for extra in extras for part in short.clauses):
        return False
    return all(_only_adds(part, before=i < start) for i, part in enumerate(long.clauses) if not start <= i < start + n)


def _rivals(extra: Clause, part: Clause) -> bool:
    """Whether two clauses differ in one place only: "The port is 80. The port is 81." says what holds no more."""
    ours, theirs = set(extra.tokens), set(part.tokens)
    return len(ours - theirs) <= 1 and len(theirs - ours) <= 1


def _only_adds(clause: Clause, before: bool) -> bool:
    if clause.end or (before and len(clause.tokens) <= _SHORTEST):
        return False
    words, named = hard(), slots()
    for token in clause.tokens:
        if token in _TAKES_BACK or words.get(token) in ("negation", "modality"):
            return False
        if "environment" in named.get(token, ()):
            return False
    return True
