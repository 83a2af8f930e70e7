"""The canonical form of a text: equal canonical forms are one text, with no guard and no embedding.

Folding removes what carries no claim: markup, quotes, harmless punctuation, spacing, the case of ordinary words. It
keeps what may carry one: a question mark, signs and operators, `#`, decimal points, and the case inside code-like
tokens (a flag `-p` is not `-P`). NFKC is not used whole because it makes `x²` into `x2` and `①` into `1`; only
compatibility forms that are mere typography (full-width ASCII, ligatures, odd spaces) are folded.

All functions are pure and run in time linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

from reverie.text.lexicon import bag, listed

SENTENCE = "."
"""The piece that stands between two sentences, lines or `;` parts."""

_TABLE: dict[int, str | None] = {
    **dict.fromkeys(range(0x2000, 0x200B), " "),  # typographic spaces
    **{0xFF01 + i: chr(0x21 + i) for i in range(94)},  # full-width ASCII
    0x00A0: " ",
    0x202F: " ",
    0x205F: " ",
    0x3000: " ",
    0x1680: " ",
    0x2018: "'",
    0x2019: "'",
    0x201A: "'",
    0x201B: "'",
    0x02BC: "'",
    0x2032: "'",
    0x201C: '"',
    0x201D: '"',
    0x201E: '"',
    0x00AB: '"',
    0x00BB: '"',
    0x2033: '"',
    0x2010: "-",
    0x2011: "-",
    0x2212: "-",
    0x2012: "–",
    0x2014: " -- ",
    0x2015: " -- ",
    0x2026: "...",
    0x3002: ". ",
    0xFF61: ". ",
    0x3001: ", ",
    0x061F: "?",
    0x060C: ", ",
    0x061B: "; ",
    0x06D4: ". ",
    0x0964: ". ",
    0x2028: "\n",
    0x2029: "\n",
    0x0085: "\n",
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
    # Invisible marks: direction, zero width, soft hyphen, byte order, emoji presentation. The joiners U+200C and U+200D
    # stay: they change words in Persian and in the Indic scripts, and whole emoji.
    **dict.fromkeys((0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x00AD, 0xFE0F, 0x061C), None),
    **dict.fromkeys(range(0x202A, 0x202F), None),
    **dict.fromkeys(range(0x2066, 0x206A), None),
    0x0060: None,  # back-tick: the mark of a code span
    0x066B: ".",
    0x066C: ",",
    # The decimal digits of other scripts.
    **{
        zero + i: str(i)
        for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0)
        for i in range(10)
    },
}
_HALF_WIDTH = re.compile("[\uff65-\uff9f]+")
# Narrow spaces inside a number, and plain ones before whole thousands: "1 000".
_THIN = re.compile("(?<=\\d)[\u2009\u202f](?=\\d{3}(?!\\d))")
_THOUSANDS = re.compile(r"(?<![\w.,-])([1-9]\d{0,2})((?: 000)+)(?![\w.,]*\d)")
_TAGS = re.compile(r"<(b|i|em|strong)>([^<>\n]{1,200})</\1>")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,400})>")
# "__Deadline:__": two words or a label, so that `__init__` stays.
_UNDERLINED = re.compile(r"(?<!\w)__(?=[^\s_])([^_\n]{0,200}[: ][^_\n]{0,200})__(?!\w)")
_CODE_SPAN = re.compile(r"`([^`\n]{1,400})`")
_CODE_WORD = re.compile(r"(?<![\w])(?=[A-Za-z]*[A-Z])(?=[A-Za-z])")
_CODED = "\ue000"
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*\n]{1,400})(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![\w*/.])\*(?=[^\s*.])([^*\n]{1,200})(?<=\S)\*(?![\w*/.])")
# Pictographs that only draw the eye; a tick or a cross says something.
_PIN = re.compile(
    "(?m)^[ \\t]*(?:[\U0001f4cc\U0001f4cd\U0001f4dd\U0001f4a1\U0001f516\U0001f514\U0001f5d2\u2139]\ufe0f?[ \\t]+)+"
)
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*+•◦▪‣·–]|--)[ \t]+(?![\d \t])|^[ \t]*(?:#{1,6}|>+)[ \t]+(?![\d \t])")
_DIGIT_DASH = re.compile(r"(?<=\d)–(?=\d)")
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


def _fold(text: str) -> str:
    """Fold typography and markup; case and word-internal punctuation stay."""
    if text.isascii():
        text = text.replace("`", "")
    else:
        text = _PIN.sub("", _THIN.sub("", _HALF_WIDTH.sub(_wide, unicodedata.normalize("NFC", text))))
        text = text.translate(_TABLE).replace("straße", "strasse").replace("Straße", "Strasse")
    if "<" in text:
        text = _AUTOLINK.sub(r"\1", _TAGS.sub(r"\2", text))
    if "&amp;" in text:
        text = text.replace("&amp;", "&")
    if "__" in text:
        text = _UNDERLINED.sub(r"\1", text)
    if " 000" in text:
        text = _THOUSANDS.sub(_joined_thousands, text)
    if "*" in text:
        text = _ITALIC.sub(r"\1", _BOLD.sub(r"\1", text))
    if "–" in text:
        text = _DIGIT_DASH.sub("-", text)
    return _BULLET.sub("", text)


def _wide(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def _joined_thousands(match: re.Match[str]) -> str:
    return match[1] + match[2].replace(" ", "")


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
    for number, line in enumerate(_fold(text).split("\n")):
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
    for at, end in reversed(list(zip(commas, commas[1:], strict=False))):
        inner = out[at:end]
        if not 0 < end - at <= 6 or end >= len(out) or out[end] in ".?:,":
            continue
        if not any(piece.endswith("'s") or piece == "of" for piece in inner) or any(piece in ".?:," for piece in inner):
            continue
        if at > 3 and not any(mark in out[at - 4 : at] for mark in ".?:,"):
            continue
        out = [*out[:at], ",", *inner, ",", *out[end:]]
    return out


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
