"""Random strings that match a Go RE2 pattern, enough of it for the gitleaks rules."""

from __future__ import annotations

import random
import re
import string
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

PRINTABLE = string.ascii_letters + string.digits + "-_."
CONTEXT = r"[\w.-]{0,50}?"


def convert(pattern: str) -> str:
    """RE2 to Python: POSIX classes, \\z; flags in mid-pattern are dropped, samples have the case written."""
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    return re.sub(r"\(\?-?i:", "(?:", re.sub(r"\(\?-?[is]\)", "", pattern))


def natural(pattern: str, name: str) -> str:
    """The part that a rule leaves open between a service's name and the value, written as people write it."""
    pattern = pattern.replace(CONTEXT, "").replace(r"(?:[ \t\w.-]{0,20})", name).replace(r"""[\s'"]{0,3}""", "")
    pattern = pattern.replace(r"(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)", r"(?:=|:| = |: )").replace(
        r"""[\x60'"\s=]{0,5}""", ""
    )
    return pattern.replace(r"""(?:[\x60'"\s;]|\\[nr]|$)""", "")


def sample(pattern: str, rng: random.Random) -> tuple[str, str]:
    """Return a match and what its first group holds (the whole match where it has no group)."""
    groups: dict[int, str] = {}
    text = _walk(parser.parse(convert(pattern)), rng, groups)
    return text, groups.get(1, text)


def _walk(nodes: Any, rng: random.Random, groups: dict[int, str]) -> str:
    return "".join(_one(kind, value, rng, groups) for kind, value in nodes)


def _one(kind: Any, value: Any, rng: random.Random, groups: dict[int, str]) -> str:
    if kind is c.LITERAL:
        return chr(value)
    if kind is c.ANY:
        return rng.choice(PRINTABLE)
    if kind is c.NOT_LITERAL:
        return rng.choice([s for s in PRINTABLE if s != chr(value)])
    if kind is c.IN:
        return rng.choice(_members(value))
    if kind in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        few, many, inner = value
        many = few + 8 if many is c.MAXREPEAT else min(int(many), few + 60)
        return "".join(_walk(inner, rng, groups) for _ in range(rng.randint(few, many)))
    if kind is c.SUBPATTERN:
        number, _, _, inner = value
        text = _walk(inner, rng, groups)
        if number:
            groups[number] = text
        return text
    if kind is c.BRANCH:
        return _walk(rng.choice(value[1]), rng, groups)
    if kind is c.GROUPREF:
        return groups.get(value, "")
    return ""  # anchors and look-arounds take no room


def _members(value: Any) -> str:
    signs, negated = "", False
    for kind, item in value:
        if kind is c.NEGATE:
            negated = True
        elif kind is c.LITERAL:
            signs += chr(item)
        elif kind is c.RANGE:
            signs += "".join(map(chr, range(item[0], item[1] + 1)))
        elif kind is c.CATEGORY:
            signs += {c.CATEGORY_DIGIT: string.digits, c.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
                      c.CATEGORY_SPACE: " ", c.CATEGORY_NOT_SPACE: PRINTABLE}[item]  # fmt: skip
    return "".join(s for s in PRINTABLE if s not in signs) if negated else signs
