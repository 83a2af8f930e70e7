"""Numbers that belong to a person, known by form and checksum: accounts, cards, addresses of machines, national ids.

Each recogniser yields (start, end) of what it is sure of. A checksum decides wherever there is one; where there is none
(US social security and UK insurance numbers) the form must be the official one. Linear: every repetition is bounded.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

__all__ = ["addresses", "cards", "ibans", "national_ids", "phones"]

Spans = Iterator[tuple[int, int]]

# Length of an IBAN by country (SWIFT's registry). The length says where one ends: a blank and a word may follow it.
_IBAN_LENGTHS = {
    country: int(length)
    for country, length in re.findall(
        r"([A-Z]{2})(\d\d)",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 "
        "LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 "
        "QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20",
    )
}
_IBAN = re.compile(r"(?<!\w)([A-Za-z]{2})\d{2}(?:[ -]?[A-Za-z0-9]){11,40}")
_CARD = re.compile(r"(?<![\w.,])\d(?:[ -]?\d){11,18}(?![\w]|[.,]\d)")
_CARD_ISSUERS = re.compile(
    r"4|5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|3[47]|30[0-5]|3[689]|35|6011|62|64[4-9]|65|1800|2131"
    r"|50|5[6-9]|6"
)
_V4 = re.compile(r"(?<![\w.\-])(?:\d{1,3}\.){3}\d{1,3}(?![\w\-]|\.\d)")
_V6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:\.[\d.]{5,11})?(?![\w:])")
_VERSION = re.compile(r"(?i)(?:\bv|\bver\.?|version|release|build)[ :=]{0,2}$")


def ibans(text: str) -> Spans:
    """Bank accounts: the country's length and the remainder by 97."""
    for match in _IBAN.finditer(text):
        length, taken = _IBAN_LENGTHS.get(match[1].upper(), 0), 0
        for place in range(match.start(), match.end()):
            taken += text[place].isalnum()
            if taken == length:
                end = place + 1
                kept = re.sub(r"[ -]", "", text[match.start() : end]).upper()
                inside = end < len(text) and text[end].isalnum()
                if not inside and int("".join(str(int(c, 36)) for c in kept[4:] + kept[:4])) % 97 == 1:
                    yield match.start(), end
                break


def cards(text: str) -> Spans:
    """Payment cards of 13 to 19 digits, of 12 beside the word "card": a known issuer and Luhn's digit."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        known = _CARD_ISSUERS.match(digits) and len(set(digits)) > 1
        near = len(digits) > 12 or "card" in text[max(match.start() - 40, 0) : match.end() + 40].lower()
        if known and near and _luhn(digits):
            yield match.span()


def addresses(text: str) -> Spans:
    """IP addresses of both versions, but for the machine's own (127.0.0.1, ::1) and the empty one; no version numbers."""
    for pattern in (_V4, _V6):
        for match in pattern.finditer(text):
            start, found = match.start(), match[0].rstrip(":." if pattern is _V4 else ".")
            if pattern is _V6 and found.count(":") < 2:
                continue
            if _VERSION.search(text[max(start - 12, 0) : start]):
                continue
            try:
                address = ipaddress.ip_address(found)
            except ValueError:
                continue
            if pattern is _V6 and not (re.search(r"[0-9]", found) and re.search(r"\w{3}", found)):
                continue  # a::b is code
            if not address.is_loopback and not address.is_unspecified:
                yield start, start + len(found)


_TRUNK = r"(?:[ ]?\(0\)[ ]?)?"
_SEPARATOR = r"[ .\-/]?"
_EXTENSION = r"(?:[ ]?(?:x|ext\.?)[ ]?\d{1,5})?"
_PHONE = re.compile(
    rf"(?<![\w+.,\-/])(?<!\d )(?:"
    rf"(?:\+|00[1-9])\d{{0,3}}{_SEPARATOR}{_TRUNK}\(?\d{{1,4}}\)?(?:{_SEPARATOR}\d{{2,4}}){{2,5}}"
    rf"|\(\d{{2,5}}\)[ \-]?\d{{2,4}}(?:[ .\-]?\d{{2,4}}){{1,3}}"
    rf"|\d{{3}}([.\-])\d{{3}}\1\d{{4}}"
    rf"|0[1-9]\d{{0,3}}(?:[ .\-/]\d{{2,4}}){{2,4}}"
    rf"|0[1-9]\d{{1,3}}[ /\-]\d{{5,8}}(?:-\d{{1,4}})?"
    rf"){_EXTENSION}(?![\w]|[.,\-/]\d)"
)
_CALLED = re.compile(
    r"(?i)\b(?:phone|telephone|tel|mobile|cell|fax|handy|telefon|whatsapp|desk|call (?:me|us|him|her|them)|ring"
    r"|text (?:me|us|him|her|them)|reach\w* (?:me|us|him|her|them)|dial(?:led)?)\b[^\d\n+(]{0,20}"
    rf"(\+?\(?\d\)?(?:{_SEPARATOR}[()]?\d){{6,14}}{_EXTENSION})(?!\w|[.,]\d)"
)


def phones(text: str) -> Spans:
    """Phone numbers: international, with an area code in brackets, grouped as they are written, or beside a word for it."""
    for match in _PHONE.finditer(text):
        if 8 <= sum(c.isdigit() for c in match[0]) <= 17 and not _date(match[0]):
            yield match.span()
    for match in _CALLED.finditer(text):
        if not _date(match[1]) and match[1].count("(") == match[1].count(")"):
            yield match.span(1)


def _date(found: str) -> bool:
    return bool(re.match(r"(?:19|20)\d\d[ .\-/]\d\d?[ .\-/]\d\d?\b|\d\d?[./\-]\d\d?[./\-](?:19|20)\d\d\b", found))


def _luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + at % 2) for at, d in enumerate(reversed(digits))]
    return sum(d // 10 + d % 10 for d in doubled) % 10 == 0


def _ssn(found: str) -> bool:
    area, group, serial = re.split(r"[- ]", found)
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _dni(found: str) -> bool:
    number = found.upper().replace("-", "").translate(str.maketrans("XYZ", "012")) if found[0].isalpha() else found
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(re.sub(r"\D", "", number[:-1])) % 23] == found[-1].upper()


def _nir(found: str) -> bool:
    digits = found.upper().replace(" ", "").replace("2A", "19").replace("2B", "18")
    return len(digits) == 15 and digits.isdigit() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def _cpf(found: str) -> bool:
    digits = [int(c) for c in found if c.isdigit()]
    for end in (9, 10):
        total = sum(d * (end + 1 - at) for at, d in enumerate(digits[:end]))
        if total * 10 % 11 % 10 != digits[end]:
            return False
    return len(set(digits)) > 1


_ODD_START = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD_VALUES = (*_ODD_START, *_ODD_START, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", _ODD_VALUES, strict=True))


def _codice(found: str) -> bool:
    total = sum(_ODD[c] if at % 2 == 0 else int(c, 36) - (10 if c.isalpha() else 0) for at, c in enumerate(found[:15]))
    return chr(65 + total % 26) == found[15]


def _hetu(found: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(found[:6] + found[7:10]) % 31] == found[10]


def _personnummer(found: str) -> bool:
    digits = re.sub(r"\D", "", found)[-10:]
    return 1 <= int(digits[2:4]) <= 12 and 1 <= int(digits[4:6]) <= 31 and _luhn(digits)


def _official(found: str) -> bool:
    return found[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


_NATIONAL: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?<![\w\-])\d{3}([- ])\d{2}\1\d{4}(?![\w\-])"), _ssn),  # US: no checksum
    (re.compile(r"(?<![\w\-])(?:\d{8}|[XYZxyz]-?\d{7})-?[A-Za-z](?!\w)"), _dni),  # Spain
    (re.compile(r"(?<!\w)[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?!\w)"), _nir),  # France
    (re.compile(r"(?<!\w)\d{3}\.\d{3}\.\d{3}-\d\d(?!\w)"), _cpf),  # Brazil
    (re.compile(r"(?<!\w)[A-Z]{6}\d\d[A-EHLMPR-T]\d\d[A-Z]\d{3}[A-Z](?!\w)"), _codice),  # Italy
    (re.compile(r"(?<!\w)\d{6}[-+A-F]\d{3}[0-9A-FHJ-NPR-Y](?!\w)"), _hetu),  # Finland
    (re.compile(r"(?<![\w\-])(?:19|20)?\d{6}[-+]\d{4}(?![\w\-])"), _personnummer),  # Sweden
    (
        re.compile(r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?!\w)"),
        _official,
    ),  # UK: no checksum
)


def national_ids(text: str) -> Spans:
    """National identity and insurance numbers of eight countries."""
    for pattern, valid in _NATIONAL:
        for match in pattern.finditer(text):
            if valid(match[0]):
                yield match.span()
