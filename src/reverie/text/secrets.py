"""Credentials in text: where they stand, and the text without them. A finding never holds the value.

Three kinds of recogniser. *Shapes*: tokens whose prefix or form says what they are (cloud keys, tokens, JWT, private
keys, webhook addresses). *Places*: a password in a URL, an Authorization header, a command line. *Names*: a value that
stands beside a word such as "password" or "api key" and looks like no ordinary word. A random string with no such
name beside it is not reported: commit hashes, digests and identifiers look just like it (precision before recall).
The recognisers live in secret_shapes, here, and in secret_names; secret_values judges a value by its own signs.

Everything is linear: each recogniser starts at a literal that `str.find` can see, and every repetition is bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reverie.text.secret_names import named
from reverie.text.secret_shapes import private_keys, shaped
from reverie.text.secret_values import DULL, mixed, passwordish, placeholder, slug

__all__ = ["Finding", "find_secrets", "mask"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A credential at text[start:end], of this kind (lower-case words with hyphens). It does not hold the value."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> list[Finding]:
    """Return the credentials in `text`, by place, not overlapping. Takes any string; raises nothing."""
    found: list[tuple[int, int, int, str]] = []
    for rank, recogniser in enumerate((private_keys, shaped, _placed, named)):
        found.extend((start, rank, end, kind) for start, end, kind in recogniser(text))
    taken: list[Finding] = []
    for start, _, end, kind in sorted(found):  # at one place the surer recogniser names the kind
        if taken and start < taken[-1].end:  # the same credential seen twice: one finding over both
            taken[-1] = Finding(taken[-1].kind, taken[-1].start, max(end, taken[-1].end))
        else:
            taken.append(Finding(kind, start, end))
    return taken


def mask(text: str) -> tuple[str, list[Finding]]:
    """Return `text` with each credential replaced by `[secret:KIND]`, and the findings (places in the text given).

    The masks themselves are no findings: masking the outcome again changes nothing in ordinary text, and in a crafted
    one can only mask more.
    """
    findings = find_secrets(text)
    parts, at = [], 0
    for finding in findings:
        parts += [text[at : finding.start], f"[secret:{finding.kind}]"]
        at = finding.end
    return "".join([*parts, text[at:]]), findings


_URL = re.compile(r"""://([^\s/:@"'`<>]{0,100}):([^\s/"'`<>]{3,200})@(?=[\w\[.\-])""")
_HEADER = re.compile(
    r"(?i)(?<![a-z])(bearer|basic|authorization:[ \t]{0,4}(?:token|digest|apikey))[ \t]{1,4}([\w.+/=~\-]{8,4000})"
)
_COMMAND = re.compile(
    r"""(?:--?(?:user|u|proxy-user|U)(?:=|[ \t]{1,4})["']?[^\s:"']{1,64}:([^\s"']{3,200}))|"""
    r"""(?:--?(?:password|passwd|token|api-?key|secret|access-token)[ \t]{1,4}["']?([^\s"'\-<$\[{][^\s"']{3,300}))|"""
    r"""(?:\bsshpass -p ?["']?([^\s"'$<]{4,200}))|(?:\bIDENTIFIED BY ["']([^"'\n]{3,200}))|"""
    r"""(?:\bPASSWORD '([^'\n]{3,200})')"""
)
_COMMAND_WORDS = ("-u", "-U", "--", "sshpass", "IDENTIFIED", "PASSWORD '")


def _placed(text: str) -> Iterator[tuple[int, int, str]]:
    if "://" in text and "@" in text:
        for match in _URL.finditer(text):
            if match[2] != match[1] and not placeholder(match[2]) and match[2].lower() not in DULL:
                yield *match.span(2), "url-password"
    lower = text.lower()
    if "bearer" in lower or "basic" in lower or "authorization" in lower:
        for match in _HEADER.finditer(text):
            value = match[2]
            good = (
                _basic(value) if match[1].lower() == "basic" else len(value) > 15 and mixed(value) and not slug(value)
            )
            if good and not placeholder(value):
                yield *match.span(2), "authorization"
    if any(word in text for word in _COMMAND_WORDS):
        for match in _COMMAND.finditer(text):
            group = match.lastindex or 0
            value = match[group]
            user = group == 1 and "curl" not in text[max(match.start() - 300, 0) : match.start()]
            if not user and not placeholder(value) and value.lower() not in DULL and passwordish(value):
                yield *match.span(group), "token" if group == 2 else "password"


def _basic(value: str) -> bool:
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return 3 <= len(raw) <= 300 and b":" in raw and raw.decode("latin-1").isprintable()
