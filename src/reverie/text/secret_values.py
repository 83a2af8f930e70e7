"""Does a value look like a credential? Judged by its signs alone; `secrets` knows what stands beside it."""

from __future__ import annotations

import re

__all__ = ["DULL", "mixed", "passwordish", "placeholder", "slug", "tokenish"]

_WILD = re.compile(r"[<>]|\$\{|\{\{|\}\}|^\$[A-Z][A-Z0-9_]*$|^\$[a-z_]+$|^%\w+%$|^\{|\*{3}|\.{3}|…|•|(?<![A-Za-z0-9])[xX]{4}|[xX]{6}|_{4}|#{4}|^\[|\(\)|\(.*\)$|^@|^&|^!\w+ ")
_WORDS = re.compile(
    r"(?i)example|placeholder|redacted|(?<![a-z])(?:masked|todo|dummy|sample)|change[-_]?(?:me|this|it)|(?:^|[-_])fake(?:[-_]|$)|insert[-_]|replace[-_]?(?:me|with|this)"
    r"|(?:^|[-_.])(?:your|my|the|some|any)[-_ ]|^your|\[secret:|not[-_]set|^(?:process\.env|os\.environ|env\.|secrets?\.|vault:|config\.|settings\.|self\.|var\.|data\.|ssm:|op://)"
    r"|getenv|(?:key|token|password|secret|pass)[-_]?here"
)
_ALL_CAPS_NAME = re.compile(r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")

DULL = frozenset(
    "password passwd pass pwd passphrase passcode secret secrets token tokens key keys apikey credential credentials user username "
    "login auth authorization bearer basic digest admin root guest postgres mysql redis mongo rabbitmq test testing required "
    "optional none null nil undefined true false yes no string str bytes int bool text varchar unknown empty blank missing "
    "invalid valid expired hidden hashed encrypted plaintext plain-text stored saved rotated reset changed same different "
    "unchanged default disabled enabled wrong correct incorrect here below above env vault n/a tbd refresh access private "
    "public redacted removed 1password lastpass bitwarden keychain email".split()
)
"""Words that stand beside such names in ordinary prose and code; none is worth masking."""

_LOOKALIKE = re.compile(
    r"""(?ix)
    (?: \d{1,4}[-/.:]\d{1,2}(?:[-/.:T]\d{1,4})* (?:[T ]\S*|z|am|pm)?    # dates, times, versions, ratios
      | v?\d+(?:[.,]\d+)*[a-z%]{0,3}\+?                                 # numbers with a unit, versions
      | \d+[-_ ]?(?:days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?|weeks?|months?|years?|chars?|characters?|bytes?|bits?|digits?|words?|times|tokens?|usd|eur|percent|st|nd|rd|th|fa|factor)\S{0,12}
      | (?:sha|md|hs|rs|es|ps|aes|rsa|ed|oauth|argon|pbkdf|bcrypt|scrypt|utf|base|http|https|ip|ipv|tls|ssl|x|k|s|v|version|step|level|option|line|page|issue|ticket|day|week|q|h|id|ecdsa|ecdh|curve|chacha|blake|crc|totp|win|port|auth|web|mp|gpt|cl|o|rfc|iso|pkcs|python|py|node|es|c)[-_]?\d{1,5}[a-z]{0,2}(?:[-_/.][a-z]{0,8}\d{0,4}){0,3}
      | \#[0-9a-f]{3,8}                                                 # colours
      | [\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63}){1,4}              # addresses
      | (?:[\w\-]{1,63}\.){1,5}[a-z]{2,12}(?::\d+)?(?:/\S*)?            # hosts, files, dotted names
      | (?:https?|ftp|s3|gs|file|arn|urn):\S+ | [a-z]:\\\S*   # addresses
      | [a-z_]\w*\(.* | [a-z_]\w*\[.*                                   # code
    )"""
)  # fmt: skip
_PASSWORD_SIGNS = frozenset("!@#$%^&*+=?~|")
_PART = re.compile(r"[-_./:~@=]+")
_MIXED_PART = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_HUMPS = re.compile(r"(?:[A-Z]?[a-z]{2,20}|[A-Z]{2,6}(?![a-z])){1,6}\d{0,2}")


def placeholder(value: str) -> bool:
    """Say whether `value` stands for a credential without being one: <your-key>, ${VAR}, ****, process.env.X, EXAMPLE."""
    if _WILD.search(value) or _WORDS.search(value) or _ALL_CAPS_NAME.match(value):
        return True
    return len(value) > 5 and len(set(value)) < 3


def mixed(value: str) -> bool:
    """Say whether letters and digits alternate as they do in no word: at least two changes, or upper case inside."""
    if not any(c.isdigit() for c in value):
        # No digit: only a long run that changes case as no CamelCase name does.
        return len(value) > 19 and value.isascii() and not _HUMPS.fullmatch(value) and _changes(value) > len(value) // 4
    return any(c.isalpha() for c in value) and _changes(value) >= 2


def slug(value: str) -> bool:
    """Say whether `value` is words and short numbers joined by hyphens, dots or underscores: a name, not a secret."""
    parts = [part for part in _PART.split(value) if part]
    return all(_plain(part) for part in parts)


def passwordish(value: str, digits_suffice: int = 6) -> bool:
    """Say whether `value` could be a password that someone wrote beside the word: mixed signs, or digits enough."""
    bare = value.strip(".,;:!?")
    if len(bare) < 4 or bare.lower() in DULL or _LOOKALIKE.fullmatch(bare) or placeholder(value):
        return bare.isdigit() and len(bare) >= digits_suffice and len(set(bare)) > 1
    letters, digits = any(c.isalpha() for c in bare), any(c.isdigit() for c in bare)
    if letters and (any(c in _PASSWORD_SIGNS for c in value.rstrip("!?*|=")) and len(bare) > 5):
        return True
    if letters and digits:
        parts = _PART.split(bare)
        return len(parts) == 1 or not slug(bare) or sum(bool(_MIXED_PART.search(part)) for part in parts) > 1
    return (
        letters
        and len(bare) > 7
        and bare.isascii()
        and bare.isalpha()
        and _changes(bare) > 2
        and not _HUMPS.fullmatch(bare)
    )


def tokenish(value: str, adjacent: bool) -> bool:
    """Say whether `value` could be a key or token: long and mixed; from 8 signs where it is `adjacent` to "name =", else 16."""
    bare = value.strip(".,;:!?")
    if len(bare) < (8 if adjacent else 16) or bare.lower() in DULL or placeholder(value) or _LOOKALIKE.fullmatch(bare):
        return False
    if len(set(bare)) < 6 or slug(bare) or not mixed(bare):
        return False
    return len(bare) > 11 or _changes(bare) >= 3


def _changes(value: str) -> int:
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.isalpha() else "s" for c in value]
    # A capital before small letters opens a word; it is no change of its own.
    return sum(a != b and not (a == "u" and b == "l") for a, b in zip(kinds, kinds[1:], strict=False))


def _plain(part: str) -> bool:
    if part.isdigit():
        return len(part) < 9
    if part.isalpha():
        return bool(_HUMPS.fullmatch(part)) or part.islower() or part.isupper() or not part.isascii()
    return len(part) < 7 or bool(re.fullmatch(r"[A-Za-z]{2,15}\d{1,4}|\d{1,4}[a-z]{1,8}", part))
