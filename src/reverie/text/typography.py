"""Typography and markup folded: odd spaces, quotes, full-width and other digits, bold, bullets, tags."""

from __future__ import annotations

import re
import unicodedata

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
_THOUSANDS = re.compile(r"(?<![\w.,-])([1-9]\d{0,2})((?: 000){1,4})(?![\w.,]{0,20}\d)")
_TAGS = re.compile(r"<(b|i|em|strong)>([^<>\n]{1,200})</\1>")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]{1,400})>")
# "__Deadline:__": two words or a label, so that `__init__` stays.
_UNDERLINED = re.compile(r"(?<!\w)__(?=[^\s_])([^_\n]{0,200}[: ][^_\n]{0,200})__(?!\w)")
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*\n]{1,400})(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![\w*/.])\*(?=[^\s*.])([^*\n]{1,200})(?<=\S)\*(?![\w*/]|\.\w)")
# "_The Night Tram_": words, or a capitalised one, so that `_id_` stays.
_UNDER_ITALIC = re.compile(
    r"(?<![\w*/.`])_(?=[^\s_])(?=[^_\n]{0,200} |[A-Z][a-z]{2})([^_\n]{1,200})(?<=\S)_(?![\w*/`]|\.\w)"
)
# Pictographs that only draw the eye; a tick or a cross says something.
_PIN = re.compile(
    "(?m)^[ \\t]*(?:[\U0001f4cc\U0001f4cd\U0001f4dd\U0001f4a1\U0001f516\U0001f514\U0001f5d2\u2139]\ufe0f?[ \\t]+)+"
)
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*+•◦▪‣·–]|--)[ \t]+(?![\d \t])|^[ \t]*(?:#{1,6}|>+)[ \t]+(?![\d \t])")
# "- 857 rows were read": a bullet. "- 5", "- 5 °C", "- 5 euros": perhaps a sign.
_BULLET_NUMBER = re.compile(
    r"(?m)^[ \t]*[-*•◦▪‣·][ \t]+(?=\d\S*[ \t]+(?![°%$€£]|degrees?\b|percent\b|euros?\b|dollars?\b)\S+[ \t]+\S)"
)
_MAX = re.compile(r"\b([Mm]ax)\.(?=[ \t]?\d)")
_DIGIT_DASH = re.compile(r"(?<=\d)–(?=\d)")


def fold(text: str) -> str:
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
    if "_" in text:
        text = _UNDER_ITALIC.sub(r"\1", text)
    if "ax." in text:
        text = _MAX.sub(r"\1", text)
    if "–" in text:
        text = _DIGIT_DASH.sub("-", text)
    return _BULLET_NUMBER.sub("", _BULLET.sub("", text))


def _wide(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def _joined_thousands(match: re.Match[str]) -> str:
    return match[1] + match[2].replace(" ", "")
