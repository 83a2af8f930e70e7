"""Credentials that only the word beside them gives away: "the password is ...", API_KEY=..., "client_secret": "..."."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reverie.text.secret_values import DULL, mixed, passwordish, placeholder, tokenish

__all__ = ["named"]

_PASSWORDS = (  # lower case; in the languages that notes are most often written in
    r"pass(?:[ _-]?(?:word|wd|phrase|code))s?|pwd|(?<![a-z])(?:pin(?: code)?|pw|pass)(?![a-z])|passwort|kennwort"
    r"|contrase[nñ]a|mot de passe|senha|parola|wachtwoord|has[lł]o|l[oö]senord|salasana|[sş]ifre|парол[ья]"
    r"|密码|密碼|口令|パスワード|비밀번호|mật khẩu|كلمة المرور|पासवर्ड|סיסמה|kata sandi"
)
_TOKENS = (
    r"secrets?|token|credentials?|creds|bearer|api[ _-]?keys?|api-schlüssel|clé (?:d'|d’)?api|clave (?:de )?api"
    r"|chiave api|ключ api|密钥|密鑰"
    r"|(?:access|auth|private|signing|encryption|master|account|license|deploy|session|shared|client"
    r"|service|ssh|webhook|secret)[ _-]?keys?"
)
_NAME = re.compile(f"(?P<password>{_PASSWORDS})|{_TOKENS}")
_HINT_WORDS = """
pass pwd secret token cred key bearer pin pw kennwort contras senha parola wachtwoord has senord salasana ifre парол
ключ 密 口令 パス 비밀 khẩu كلمة पास סיסמה sandi api
"""
_HINTS = _HINT_WORDS.split()

_TAIL = re.compile(r"(?:(?<=[a-z])[A-Z]|[_\-.]|\d)[\w.\-]{0,30}+")  # the rest of an identifier: password_prod, keyId
_NEUTRAL = re.compile(  # what makes "token_count" and "password policy" speak of something else
    r"(?i)count|limit|len(?:gth)?\b|size|type|budget|usage|policy|field|expir|ttl|rotat|manager|rules?\b|requirement"
    r"|format|strength|prompt|reset link|hint|strategy|name\b|ur[il]\b|path|file|hash|fingerprint|checksum|public"
    r"|primary|foreign|max|(?<![a-z])(?:min|per)\b|cost|price|window|bucket|cache"
)
_HEAD = re.compile(r"(?i)(?<![a-z])(?:max|min|num|public|primary|foreign|cache|sort|next|page|per)[ _-]?$")
_QUERY = re.compile(r"[?&][\w\-]{0,11}$")

# Every repetition is possessive: one name costs a handful of attempts, whatever follows it.
_VERBS = r"is|was|are|to|ist|lautet|est|es|è|é|jest"
_GAP = (
    r"(?:[ \t]{0,2}[(\[][^()\[\]\n]{1,40}+[)\]]"
    rf"|[ \t]{{1,2}}+(?!(?:{_VERBS}|=|:)[ \t])[\w./'’@\-]{{1,30}}+){{0,5}}"
)
_SEPARATOR = (
    r"[\"'`*_\])|]{0,4}[ \t]{0,20}+(?:(?P<sign>value=|=>|:=|={1,3}|:|：|＝|->|→|[|>])"
    rf"|(?:(?:{_VERBS}|是|は|이|为|為)(?![A-Za-z])"
    r"(?:[ \t]{1,2}(?:now|still|currently|set to|jetzt|maintenant|ahora))?[ \t]{0,2}:?))"
)
_VALUE = (
    r"""(?:"(?P<double>[^"\n]{1,400}+)"|'(?P<single>[^'\n]{1,400}+)'|`(?P<tick>[^`\n]{1,400}+)`"""
    r"""|(?P<bare>[^\s"'`<>|]{1,2000}+))"""
)
_ASSIGNED = re.compile(f"(?i)(?P<gap>{_GAP}){_SEPARATOR}[ \\t]{{0,20}}\\n?[ \\t]{{0,8}}[*_|]{{0,2}}[ \\t]?{_VALUE}")
_DIRECT = re.compile(f"[ \\t]{{1,3}}{_VALUE}")
_PAIR = re.compile(r"(?i)[ \t]{0,4}(?::|=|are|is)?[ \t]{0,4}[\w.@\-]{2,60}+ ?[/:] ?([^\s\"'`<>|]{4,200})")
_REACH = 2400
_NESTED = 8
"""Names judged inside one run without blanks: a crafted "token:token:token:..." would otherwise cost its square."""

_MARK = re.compile(r"\[secret:[a-z0-9\-]{1,30}\]")


def named(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of each value that stands beside a telling name and looks like a credential."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form has two signs; places must stay
        lower = re.sub(r"[A-Z]+", lambda capitals: capitals[0].lower(), text)
    if not any(hint in lower for hint in _HINTS):
        return
    at = run = nested = 0
    for name in _NAME.finditer(lower):
        if name.start() < at or _in_mask(text, name.start()):  # in the value of the name before, or in a mask of ours
            continue
        nested = nested + 1 if name.start() < run else 0
        if nested > _NESTED:
            continue
        found, reached = _beside(text, name)
        if name.start() >= run:
            run = reached
        if found is not None:
            yield found
            at = found[1]
        elif tail := _TAIL.match(text, name.end()):
            at = tail.end()  # other names in the same identifier are given the same value


def _in_mask(text: str, place: int) -> bool:
    opened = text.rfind("[", max(place - 40, 0), place)
    mark = _MARK.match(text, opened) if opened >= 0 else None
    return mark is not None and mark.end() > place


def _beside(text: str, name: re.Match[str]) -> tuple[tuple[int, int, str] | None, int]:
    """Return the credential given to the name, if any, and how far the value that was judged reaches."""
    place, reached = name.end(), name.end()
    if tail := _TAIL.match(text, place):
        if _NEUTRAL.search(tail[0]):
            return None, reached
        place = tail.end()
    elif text[place : place + 1].isalpha() and text[place - 1 : place + 1].isascii():
        return None, reached  # "tokenizer", "secretary", "passwordless"
    head = text[max(name.start() - 12, 0) : name.start()]
    if _HEAD.search(head):
        return None, reached
    password = name["password"] is not None
    if name[0].startswith("cred") and (pair := _PAIR.match(text, place)) and passwordish(pair[1]):
        return (*pair.span(1), "password"), pair.end()
    for pattern in (_ASSIGNED, _DIRECT):
        match = pattern.match(text, place, place + _REACH)
        if match is None:
            continue
        group = match.lastgroup or "bare"
        start, end = match.span(group)
        reached = max(reached, end)
        if group == "bare":
            end = start + len(_trimmed(match[group], head))
        value = text[start:end]
        if pattern is _DIRECT:
            good = _direct_password(value, group, name[0]) if password else tokenish(value, adjacent=False)
        elif _NEUTRAL.search(match["gap"]):
            continue
        else:
            adjacent = bool(match["sign"]) and not match["gap"]
            judge = _password if password else _token
            good = judge(value, name[0], adjacent, quoted=group != "bare")
        if good:
            return (start, end, "password" if password else _kind(name[0])), reached
    return None, reached


def _password(value: str, name: str, adjacent: bool, quoted: bool) -> bool:
    if passwordish(value, _digits(name)):
        return True
    if placeholder(value) or value.lower() in DULL or " " in value:
        return False
    # A word in quotes after "password =", or words joined by hyphens after "passphrase": deliberate enough.
    return (quoted and adjacent and len(value) > 5 and value.isascii()) or ("phrase" in name and value.count("-") > 1)


def _token(value: str, name: str, adjacent: bool, quoted: bool) -> bool:
    return tokenish(value, adjacent)


def _direct_password(value: str, group: str, name: str) -> bool:
    """Judge what follows a password's name with nothing between: "password hunter2024", "passcode 4821"."""
    if value.isdigit():
        return len(value) >= _digits(name) and name not in ("pin", "pass", "pw")
    return len(value) > 7 and passwordish(value) and name != "pass" and (group != "bare" or mixed(value))


def _digits(name: str) -> int:
    """How many digits alone make a password: a PIN has four, a number beside "password" is often a count."""
    return 4 if name.startswith("pin") or "code" in name else 6


def _trimmed(value: str, head: str) -> str:
    """Return an unquoted value without the punctuation of its sentence, or the rest of its query string."""
    if head.endswith(("?", "&")) or _QUERY.search(head):
        value = value.split("&", 1)[0].split("#", 1)[0]
    value = value.rstrip(".,;:")
    for opening, closing in ("()", "[]", "{}"):
        if value.endswith(closing) and opening not in value:
            value = value.rstrip(closing).rstrip(".,;:")
    return value


def _kind(name: str) -> str:
    if "token" in name or "bearer" in name:
        return "token"
    return "secret" if "secret" in name or "cred" in name else "api-key"
