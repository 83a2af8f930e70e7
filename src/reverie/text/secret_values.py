"""Does a value look like a credential? Judged by its own signs; what stands beside it, `secret_names` reads."""

from __future__ import annotations

import re

__all__ = ["DULL", "documented", "mixed", "passwordish", "placeholder", "slug", "tokenish"]

_JUDGED = 256
"""Signs of a value that are looked at: enough to tell, and a run of a thousand costs no more."""

_WILD = re.compile(
    r"[<>]|\$\{|\{\{|\}\}|^\$[A-Z][A-Z0-9_]*$|^\$[a-z_]+$|^%\w+%$|^[{\[]|^[@&][a-z_]+$|\*{3}|\.{3}|…|•|_{4}|#{4}|\(.{0,80}\)$"
    r"|(?<![A-Za-z0-9])[xX]{4}|[xX]{6}"
)
_WORDS = re.compile(
    r"(?i)example|placeholder|redacted|(?<![a-z])(?:masked|todo|dummy|sample)|change[-_]?(?:me|this|it)|not[-_]set|getenv"
    r"|(?:^|[-_])fake(?:[-_]|$)|(?:insert|replace|enter|put)[-_]|^your|(?:^|[-_.])(?:your|my|the|some|any)[-_ ]"
    r"|^(?:process\.env|os\.environ|env\.|secrets?\.|vault:|config\.|settings\.|self\.|this\.|var\.|data\.|ssm:|op://)"
    r"|(?:key|token|password|secret|pass)[-_]?here"
)
_MANUAL = re.compile(r"(?i)example|placeholder|redacted|your[-_]?(?:api|key|token|secret|own)")
_ALL_CAPS_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")

_DULL_WORDS = """
password passwd pass pwd passphrase passcode secret secrets token tokens key keys apikey credential credentials user
username login auth authorization bearer basic digest admin root guest postgres mysql redis mongo rabbitmq test
testing required optional none null nil undefined true false yes no string str bytes int bool text varchar unknown
empty blank missing invalid valid expired hidden hashed encrypted plaintext plain-text stored saved rotated reset
changed same different unchanged default disabled enabled wrong correct incorrect here below above env vault n/a tbd
refresh access private public redacted removed 1password lastpass bitwarden keychain email
"""
DULL = frozenset(_DULL_WORDS.split())
"""Words that stand beside such names in ordinary prose and code; none is worth masking."""

_UNITS = (
    "days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?|weeks?|months?|years?|char(?:acter)?s?|bytes?|bits?|digits?|words?|times"
    "|tokens?|usd|eur|percent|st|nd|rd|th|fa|factor|stellig"
)
_NUMBERED = (
    "sha|md|hs|rs|es|ps|aes|rsa|ed|oauth|argon|pbkdf|bcrypt|scrypt|utf|base|https?|ipv?|tls|ssl|x|k|s|v|version|step|level"
    "|option|line|page|issue|ticket|day|week|q|h|id|ecdsa|ecdh|curve|chacha|blake|crc|totp|win|port|auth|web|mp|gpt|cl|o|rfc"
    "|iso|pkcs|python|py|node|c"
)
_LOOKALIKE = re.compile(
    rf"""(?ix)
    (?: \d{{1,4}}[-/.:]\d{{1,2}} (?:[-/.:T]\d{{1,4}})* (?:[T ]\S*|z|am|pm)?            # dates, times, versions, ratios
      | v?\d+(?:[.,]\d+)*[a-z%]{{0,3}}\+?                                             # numbers, versions
      | \d+[-_ ]?(?:{_UNITS})\S{{0,12}}                                               # 90days, 12-characters
      | (?:{_NUMBERED})[-_]?\d{{1,5}}[a-z]{{0,2}}(?:[-_/.][a-z]{{0,8}}\d{{0,4}}){{0,3}} # sha256, gpt-4o
      | \#[0-9a-f]{{3,8}}                                                             # colours
      | [\w.+\-]{{1,64}}@[\w\-]{{1,63}}(?:\.[\w\-]{{1,63}}){{1,4}}                    # mail addresses
      | (?:[\w\-]{{1,63}}\.){{1,5}}[a-z]{{2,12}}(?::\d+)?(?:/\S*)?                    # hosts, files, dotted names
      | (?:https?|ftp|s3|gs|file|arn|urn):\S+ | [a-z]:\\\S*                           # addresses
      | [a-z_]\w*[(\[].*                                                              # code
    )"""
)
_PASSWORD_SIGNS = re.compile(r"[!@#$%^&*+=?~|](?![!?*|=]*$)")
_PART = re.compile(r"[-_./:~@=]+")
_MIXED_PART = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_HUMPS = re.compile(r"(?:[A-Z]?[a-z]{2,20}+|[A-Z]{2,6}(?![a-z])){1,6}+\d{0,2}")
_PLAIN_MIX = re.compile(r"[A-Za-z]{2,15}\d{1,4}|\d{1,4}[a-z]{1,8}")
# Where one kind of sign ends and another begins. A capital before small letters opens a word: no change of its own.
_CHANGE = re.compile(
    r"(?<=[a-z])(?=[^a-z])|(?<=[A-Z])(?=[^A-Za-z])|(?<=[0-9])(?=[^0-9])|(?<=[^A-Za-z0-9])(?=[A-Za-z0-9])"
)


def placeholder(value: str) -> bool:
    """Say whether `value` only stands for a credential: <your-key>, ${VAR}, ****, process.env.X, ...EXAMPLE."""
    value = value[:_JUDGED]
    if _WILD.search(value) or _WORDS.search(value) or _ALL_CAPS_NAME.fullmatch(value):
        return True
    return len(value) > 5 and len(set(value)) < 3


def documented(value: str) -> bool:
    """Say whether a token of a known form comes from a manual: ...EXAMPLE, xxxx, your-key, few different signs."""
    value = value[:_JUDGED]
    return len(set(value)) < 10 or bool(_WILD.search(value) or _MANUAL.search(value))


def mixed(value: str) -> bool:
    """Say whether letters and digits alternate as they do in no word; without digits, a long run of changing case."""
    value = value[:_JUDGED]
    changes = len(_CHANGE.findall(value))
    if not any(c.isdigit() for c in value):
        return len(value) > 19 and value.isascii() and not _HUMPS.fullmatch(value) and changes > len(value) // 4
    return any(c.isalpha() for c in value) and changes >= 2


def slug(value: str) -> bool:
    """Say whether `value` is words and short numbers joined by hyphens, dots, slashes: a name or path, no secret."""
    return all(_plain(part) for part in _PART.split(value[:_JUDGED]) if part)


def passwordish(value: str, digits_suffice: int = 6) -> bool:
    """Say whether `value` could be a password written beside the word: signs that no word mixes, or digits enough."""
    bare = value[:_JUDGED].strip(".,;:!?")
    if bare.isdigit():
        return len(bare) >= digits_suffice and len(set(bare)) > 1
    if len(bare) < 4 or bare.lower() in DULL or _LOOKALIKE.fullmatch(bare) or placeholder(value):
        return False
    letters, digits = any(c.isalpha() for c in bare), any(c.isdigit() for c in bare)
    if letters and len(bare) > 5 and _PASSWORD_SIGNS.search(value[:_JUDGED]):
        return True
    if letters and digits:
        parts = [part for part in _PART.split(bare) if part]
        return len(parts) == 1 or not slug(bare) or sum(bool(_MIXED_PART.search(part)) for part in parts) > 1
    alone = bare.isascii() and bare.isalpha() and len(bare) > 7
    return alone and len(_CHANGE.findall(bare)) > 2 and not _HUMPS.fullmatch(bare)


def tokenish(value: str, adjacent: bool) -> bool:
    """Say whether `value` could be a key: mixed, and 16 signs long, or 8 where it is `adjacent` to "name ="."""
    bare = value[:_JUDGED].strip(".,;:!?")
    if len(bare) < (8 if adjacent else 16) or bare.lower() in DULL or placeholder(value) or _LOOKALIKE.fullmatch(bare):
        return False
    if len(set(bare)) < 6 or slug(bare) or not mixed(bare):
        return False
    return len(bare) > 11 or len(_CHANGE.findall(bare)) >= 3


def _plain(part: str) -> bool:
    if part.isdigit():
        return len(part) < 9
    if part.isalpha():
        return part.islower() or part.isupper() or not part.isascii() or bool(_HUMPS.fullmatch(part))
    return len(part) < 7 or bool(_PLAIN_MIX.fullmatch(part))
