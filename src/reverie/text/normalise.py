"""The canonical form of a text: equal canonical forms are one text, with no guard and no embedding.

Folding removes what carries no claim: markup, quotes, harmless punctuation, spacing, the case of ordinary words. It
keeps what may carry one: a question mark, signs and operators, `#`, decimal points, and the case inside code-like
tokens (a flag `-p` is not `-P`). NFKC is not used whole because it makes `x²` into `x2` and `①` into `1`; only
compatibility forms that are mere typography (full-width ASCII, ligatures, odd spaces) are folded.

All functions are pure and run in time linear in the text.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import pairwise

from reverie.text.lexicon import bag, listed
from reverie.text.typography import fold

SENTENCE = "."
"""The piece that stands between two sentences, lines or `;` parts."""

_CODE_SPAN = re.compile(r"`([^`\n]{1,400})`")
_CODE_WORD = re.compile(r"(?<![\w])(?=[A-Za-z]*[A-Z])(?=[A-Za-z])")
_CODED = "\ue000"
_PLAIN_NAME = re.compile(r"[A-Za-z]{1,12}-?\d{1,4}(?:\.\d{1,4}){0,3}")
_DOTTED_NAME = re.compile(r"[A-Z]?[a-z]+\.(?:js|io|ai|com|org|net|co|app|dev|me|so)")
_FOLDED_SUFFIX = re.compile(r"[$€£]?\d[\d.,:]*(?:AM|PM|am|pm|Am|Pm|ST|ND|RD|TH|st|nd|rd|th|K|k)")
_CODE_MARK = re.compile(r"[\d_/\\.@=<>{}$~:^&%#|+\[\]()]")
_ABBREVIATIONS = bag(
    "dr mr mrs ms prof st jr sr vs etc e.g i.e eg ie approx no nr vol fig inc ltd co corp dept est a.m p.m u.s "
    "u.k ca cf"
)
_OPENERS = bag(
    "in on at for during when if after before since with by every each to from within whenever while as until "
    "under over without besides instead unless once whilst although though because despite twice given upon"
)
# Acronyms that would fold to a word of their own: "ask WHO", "keep US out".
_CAPITALS = frozenset(listed("US WHO IT AM OR NO ON IN ME AS IS BY SO DO HE HI PA OH MA AT BE"))
_ANSWERS = frozenset(("no", "yes", "not", "never"))
_OPEN, _CLOSE = "([{\"'¿¡", ")]}\"'"
_PAIR = {")": "(", "]": "[", "}": "{"}
# The only units whose case is their meaning: a megabit is not a megabyte.
_BITS = {
    "Mb": "mbit",
    "Gb": "gbit",
    "Kb": "kbit",
    "Tb": "tbit",
    "MBps": "mbyteps",
    "GBps": "gbyteps",
    "Mg": "megagram",
    "MW": "megawatt",
    "mW": "milliwatt",
}
_LONG_TOKEN = 256
_TAIL = ".,;:!?"


def _exact(token: str) -> str:
    """Fold the case of a word only where it says nothing: not in a code span, in a name like `HttpClient` or
    `Hunter2`."""
    if token[0] == _CODED:
        return token[1:]
    if token.isalpha():
        return token if not token[1:].islower() and not token.isupper() and len(token) > 1 else token.lower()
    return token if _PLAIN_NAME.fullmatch(token) and not _FOLDED_SUFFIX.fullmatch(token) else _case(token)


def _case(token: str) -> str:
    """Fold the case of an ordinary word; keep it in a code-like token."""
    if token.isalpha():
        return _BITS.get(token) or token.lower()
    if token[0] == "-" or _CODE_MARK.search(token):
        if _PLAIN_NAME.fullmatch(token) or _DOTTED_NAME.fullmatch(token) or _FOLDED_SUFFIX.fullmatch(token):
            return token.lower()
        return token
    return token.lower()


def _strip(token: str) -> tuple[str, str]:
    """Split a raw token into its core and the telling mark after it: '', ',', ':', '?' or the sentence mark."""
    mark = ""
    start, end = 0, len(token)
    if end > _LONG_TOKEN:  # the look inside for a matching bracket would be quadratic
        return token, mark
    while start < end and token[start] in _OPEN:
        # An opening bracket that closes inside the token is part of it: `{id}` or `(a)b`.
        char = token[start]
        if char in "{[" or (
            char == "(" and ")" in token[start:end] and not token[start:end].rstrip(_TAIL).endswith(")")
        ):
            break
        start += 1
    while end > start:
        char = token[end - 1]
        if char in _TAIL:
            if char == "?":
                mark = "?"
            elif mark != "?":
                if char in "!.;":
                    mark = SENTENCE
                elif mark == "":
                    mark = char
            end -= 1
        elif char in "\"'":
            if char == "'" and start == 0 and end > 1 and token[end - 2] in "sS":
                break  # users' : a possessive
            end -= 1
        elif char in _CLOSE and _PAIR[char] not in token[start : end - 1]:
            end -= 1
        else:
            break
    core = token[start:end]
    if (
        mark == SENTENCE
        and token[end : end + 1] == "."
        and (core.lower() in _ABBREVIATIONS or (len(core) == 1 and core.isalpha()))
    ):
        mark = ""
    return core, mark


def pieces(text: str, exact: bool = False) -> list[str]:
    """The tokens of the canonical form, in order; `exact` keeps the case of names and of code.

    `.` stands between sentences (also for `;`, `!` and a new line), `?` after a question, `:` after a label, and `,`
    only where it decides the reading: after an opening adjunct ("At work, ...") and after "no" ("No, they may")."""
    out: list[str] = []
    append = out.append
    fresh = True
    opener = coded = False
    commas: list[int] = []
    case = _case
    shouted = text.isupper()
    if exact:
        case = _exact
        if "`" in text:
            text = _CODE_SPAN.sub(lambda match: _CODE_WORD.sub(_CODED, match[1]), text)
    for number, line in enumerate(fold(text).split("\n")):
        if number and out and out[-1] not in ".?":
            append(SENTENCE)
            fresh = True
        for raw in line.split():
            if raw.isalpha():
                word = raw.lower() if raw.islower() or not exact else _exact(raw)
                if raw in _BITS:
                    word = _BITS[raw]
                elif raw in _CAPITALS and not shouted and not (raw == "AM" and out and out[-1][0].isdigit()):
                    word = raw
                append(word)
                if fresh:
                    fresh = False
                    opener = word in _OPENERS
                continue
            core, mark = _strip(raw)
            if core:
                bare = core.strip("-–")
                if not bare:
                    # A dash between words is punctuation; before a digit it may be a sign, so it is kept until then.
                    append("-")
                    continue
                word = case(core)
                coded = coded or (core[0] == _CODED and not out)
                if core in _CAPITALS and not shouted and not (core == "AM" and out and out[-1][0].isdigit()):
                    word = core
                append(word)
                if fresh:
                    fresh = False
                    opener = word in _OPENERS
            if mark:
                if mark == ",":
                    alone = len(out) == 1 or (len(out) > 1 and out[-2] in ".?:")
                    if alone:
                        fresh = True  # "FYI, at work, ...": the clause only begins now
                    if out and (opener or out[-1] in _ANSWERS):
                        append(",")
                        opener = False
                    elif out:
                        commas.append(len(out))
                    continue
                if out and out[-1] not in ".?":
                    append(mark)
                elif mark == "?" and out:
                    out[-1] = "?"
                fresh = True
                opener = False
    return _tidy(_appositions(out, commas) if len(commas) > 1 else out, coded)


def _appositions(out: list[str], commas: list[int]) -> list[str]:
    """Put back the commas of "Ewa, Bo's niece, is ill": without them it is another Ewa."""
    back: set[int] = set()
    for at, end in pairwise(commas):
        inner = out[at:end]
        if at in back or not 0 < end - at <= 6 or end >= len(out) or out[end] in ".?:,":
            continue
        if not any(piece.endswith("'s") or piece == "of" for piece in inner) or any(piece in ".?:," for piece in inner):
            continue
        if at <= 3 or any(piece in ".?:," for piece in out[at - 4 : at]):
            back.update((at, end))
    if not back:
        return out
    return [piece for i, word in enumerate(out) for piece in ((",", word) if i in back else (word,))]


def _tidy(out: list[str], coded: bool) -> list[str]:
    """Drop the dashes that are punctuation and the last sentence mark; let the first letter lose its case."""
    if "-" in out:
        last = len(out) - 1
        out = [piece for i, piece in enumerate(out) if piece != "-" or (i < last and out[i + 1][0].isdigit())]
    while out and out[-1] == SENTENCE:
        out.pop()
    if out and not coded and out[0][0].isupper() and not out[0][1:2].isupper():
        out[0] = out[0][0].lower() + out[0][1:]
    return out


def norm_text(text: str) -> str:
    """The canonical form of a text; equality of it is exact normalised equality (field-notes 3.A.7, 3.A.10).

    A text that holds nothing but punctuation is its own canonical form, so that "..." never equals "!!!".
    """
    return " ".join(pieces(text, exact=True)) or " ".join(text.split())


def text_hash(text: str) -> bytes:
    """16 bytes (BLAKE2b) of the exact text in UTF-8. Raises `UnicodeEncodeError` on a lone surrogate."""
    return blake2b(text.encode(), digest_size=16).digest()


def norm_hash(text: str) -> bytes:
    """16 bytes (BLAKE2b) of `norm_text`. Raises `UnicodeEncodeError` on a lone surrogate."""
    return blake2b(norm_text(text).encode(), digest_size=16).digest()
