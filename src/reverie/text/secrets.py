"""Credentials in text: where they stand, and the text without them. A finding never holds the value.

Three kinds of recogniser. *Shapes*: tokens whose prefix or form says what they are (cloud keys, tokens, JWT, private
keys, webhook addresses). *Places*: a password in a URL, an Authorization header, a command line. *Names*: a value that
stands beside a word such as "password" or "api key" and looks like no ordinary word. A random string with no such
name beside it is not reported: commit hashes, digests and identifiers look just like it (precision before recall).

Everything is linear: each recogniser starts at a literal that `str.find` can see, and every repetition is bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reverie.text.secret_values import DULL, mixed, passwordish, placeholder, slug, tokenish

__all__ = ["Finding", "find_secrets", "mask"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A credential at text[start:end], of this kind (lower-case words with hyphens). It does not hold the value."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Finding]:
    """Return the credentials in `text`, by place, not overlapping. Takes any string; raises nothing."""
    found: list[Finding] = []
    taken: list[Finding] = []
    for recogniser in (_private_keys, _shapes, _places, _names):
        found.extend(recogniser(text))
    # Earlier and longer first: what lies inside an accepted finding is the same credential seen twice.
    for finding in sorted(found, key=lambda f: (f.start, -f.end)):
        if taken and finding.start < taken[-1].end:
            if finding.end > taken[-1].end:
                taken[-1] = Finding(taken[-1].start, finding.end, taken[-1].kind)
        else:
            taken.append(finding)
    return taken


def mask(text: str) -> tuple[str, list[Finding]]:
    """Return `text` with each credential replaced by `[secret:KIND]`, and the findings (places in the text given).

    Masking a masked text changes nothing.
    """
    findings = find_secrets(text)
    parts, at = [], 0
    for finding in findings:
        parts += [text[at : finding.start], f"[secret:{finding.kind}]"]
        at = finding.end
    return "".join([*parts, text[at:]]), findings


# -- shapes ------------------------------------------------------------------------------------------------------------

_SETS = {
    "a": "A-Za-z0-9",
    "w": r"A-Za-z0-9_\-",
    "h": "a-f0-9", "H": "A-Fa-f0-9",
    "u": "A-Z0-9",
    "b": r"A-Za-z0-9+/",
    "x": r"A-Za-z0-9._=\-",
}

# kind, literal prefixes, characters that follow (see _SETS), how few and how many
_PREFIXED = """
aws AKIA,ASIA,ABIA,ACCA u 16 16|aws A3T u 17 17|aws ABSK b 109 300|aws bedrock-api-key- b 20 800|gcp AIza w 35 35
gcp GOCSPX- w 24 40|gcp ya29. w 20 400|github ghp_,gho_,ghu_,ghs_,ghr_ a 36 255|github github_pat_ w 60 255
gitlab glpat-,gldt-,glft-,glrt-,glsoat-,glffct-,glimt-,glagent-,gloas-,glptt- x 20 300|gitlab GR1348941 w 20 20
gitlab glcbt- w 20 60|gitlab _gitlab_session= a 32 32|slack xoxb-,xoxp-,xoxa-,xoxr-,xoxs-,xoxo-,xoxe.,xoxe-,xoxc-,xoxd- x 10 300
slack xapp- w 15 300|stripe sk_live_,sk_test_,sk_prod_,rk_live_,rk_test_,rk_prod_,pk_live_ a 10 255|stripe whsec_ b 24 80
anthropic sk-ant- w 20 200|openai sk-proj-,sk-svcacct-,sk-admin- w 20 300|openrouter sk-or-v1- h 48 64|npm npm_ a 36 36
pypi pypi-AgE w 16 400|hugging-face hf_ a 30 40|hugging-face api_org_ a 34 34|sendgrid SG. x 40 80|twilio SK H 32 32
digitalocean dop_v1_,doo_v1_,dor_v1_ h 64 64|databricks dapi h 32 34|grafana glsa_ w 41 41|grafana glc_ b 32 400|grafana eyJrIjoi a 70 400
linear lin_api_ a 40 40|notion ntn_ a 40 60|perplexity pplx- a 40 56|planetscale pscale_tkn_,pscale_pw_,pscale_oauth_ x 32 64
postman PMAK- w 59 59|pulumi pul- h 40 40|readme rdme_ a 60 80|rubygems rubygems_ h 48 48|shopify shpat_,shpca_,shppa_,shpss_ a 32 32
shippo shippo_live_,shippo_test_ H 40 40|square sq0atp-,sq0csp-,EAAA w 22 60|vault hvs.,hvb. w 24 300|doppler dp.pt.,dp.st. x 40 50
age AGE-SECRET-KEY-1 u 58 58|1password ops_eyJ b 200 2000|1password A3- x 29 36|adobe p8e- a 32 32|alibaba LTAI a 16 24
artifactory AKCp a 60 75|artifactory cmVmd a 59 59|clojars CLOJARS_ a 60 60|cloudflare v1.0- w 100 200|clickhouse 4b1d a 38 38
duffel duffel_test_,duffel_live_ x 43 43|dynatrace dt0c01. x 80 100|easypost EZAK,EZTK a 54 54|facebook EAAM,EAAC a 100 300
flutterwave FLWSECK_TEST-,FLWPUBK_TEST- w 12 40|fly fo1_,fm1a_,fm1r_,fm2_ b 40 800|fly fo1_ w 43 43|frameio fio-u- x 60 70
heroku HRKU- w 36 70|infracost ico- a 32 32|intra42 s-s4t2ud-,s-s4t2af- h 64 64|mailgun key- h 32 32|mailchimp pubkey- h 32 32
newrelic NRAK-,NRII-,NRJS- w 19 40|octopus API- u 26 26|openshift sha256~ w 43 43|prefect pnu_ a 36 36|plaid access-sandbox-,access-production- w 36 36
scalingo tk-us- w 48 48|sendinblue xkeysib- w 80 84|sentry sntrys_ b 60 500|sentry sntryu_ h 64 64|settlemint sm_aat_,sm_pat_,sm_sat_ a 16 16
sourcegraph sgp_ w 40 60|sourcegraph slk_ h 64 64|travis travis_ w 22 22|typeform tfp_ x 50 70|yandex AQVN w 35 45|groq gsk_ a 40 60|xai xai- a 60 90
lob live_,test_ h 35 35|gocardless live_ x 40 40|replicate r8_ a 36 40|supabase sbp_ h 40 40|dropbox sl. x 100 400|telegram-app bot_ w 35 35
docker dckr_pat_ w 24 40|vercel vcp_,vck_ a 24 60|figma figd_ w 38 50|atlassian ATATT3,ATCTT3,ATBB x 20 300|airtable pat x 79 79
tailscale tskey- w 20 80|aiven AVNS_ w 15 25|deno ddp_ a 36 36|mapbox sk.eyJ,pk.eyJ x 40 160|sourcegraph sgd_ w 64 64|beamer b_ x 44 44|nvidia nvapi- w 60 70
"""

_LEFT = r"(?<![A-Za-z0-9])"
_SHAPES: list[tuple[str, str, re.Pattern[str]]] = []  # kind, a literal that must occur, the pattern; group 1 is masked
for _line in _PREFIXED.replace("\n", "|").strip("|").split("|"):
    _kind, _prefixes, _set, _few, _many = _line.split()
    for _prefix in _prefixes.split(","):
        _body = f"[{_SETS[_set]}]{{{_few},{_many}}}"
        _SHAPES.append((_kind, _prefix, re.compile(f"{_LEFT}({re.escape(_prefix)}{_body})")))
_SHAPES += [
    (kind, literal, re.compile(pattern))
    for kind, literal, pattern in (
        ("jwt", "ey", rf"{_LEFT}(?<![_\-.])(ey[\w\-]{{15,4000}}\.ey[\w\-/\\]{{15,8000}}\.[\w\-/\\]{{0,2000}}=?=?)"),
        ("jwt", "ZXlK", rf"{_LEFT}(ZXlK[A-Za-z0-9+/_\-]{{60,8000}}={{0,2}})"),
        ("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{43,80})"),
        ("discord-webhook", "/api/webhooks/", r"/api/webhooks/(\d{10,20}/[\w\-]{50,90})"),
        ("teams-webhook", ".webhook.office.com/", r"\.webhook\.office\.com/webhookb2/([\w\-@]{36,80}/IncomingWebhook/[\w\-/]{30,90})"),
        ("discord", ".", rf"{_LEFT}(?<![\w.\-])([MNO][\w\-]{{22,26}}\.[\w\-]{{6}}\.[\w\-]{{27,40}})(?![\w\-])"),
        ("telegram", ":", r"(?<![\w.])((?:bot)?\d{7,11}:[A-Za-z0-9][\w\-]{33,35})(?![\w\-])"),
        ("azure", "Q~", r"(?<![\w~.\-])([\w~.]{3}\dQ~[\w~.\-]{31,34})(?![\w~\-])"),
        ("azure", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{40,100}={0,2})"),
        ("azure", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{30,120}={0,2})"),
        ("terraform", ".atlasv1.", r"(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w\-=]{60,70})"),
        ("maxmind", "_mmk", rf"{_LEFT}([A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk)"),
        ("harness", "at.", rf"{_LEFT}([ps]at\.[\w\-]{{22}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{20}})"),
        ("authress", "acc", rf"{_LEFT}((?:sc|ext|scauth|authress)_[A-Za-z0-9]{{5,30}}\.[A-Za-z0-9]{{4,6}}\.acc[_\-][A-Za-z0-9\-]{{10,32}}\.[\w+/=\-]{{30,120}})"),
        ("facebook", "", r"(?<!\w)(\d{15,16}(?:\||%7C|%)[\w\-]{27,40})"),
        ("mailchimp", "-us", rf"{_LEFT}([a-f0-9]{{32}}-us\d\d?)(?![A-Za-z0-9])"),
        ("vault", "s.", r"(?<![\w.\-/])(s\.(?=[a-z]{0,20}\d)[A-Za-z0-9]{24})(?![\w.])"),
        ("sonar", "_", rf"{_LEFT}(sq[upa]_[a-f0-9]{{40}})"),
    )
]  # fmt: skip
_SK = re.compile(rf"{_LEFT}(?<![_\-])(sk-[\w\-]{{20,300}})")


def _shapes(text: str) -> Iterator[Finding]:
    for kind, literal, pattern in _SHAPES:
        if literal in text:
            for match in pattern.finditer(text):
                if not placeholder(match[1]) and len(set(match[1])) > 9:
                    yield Finding(*match.span(1), kind)
    if "sk-" in text:  # many services write keys so; a slug ("sk-learn-pipeline-for-churn") has no run of mixed signs
        for match in _SK.finditer(text):
            runs = re.split(r"[-_]", match[1])
            if not placeholder(match[1]) and any(len(run) > 14 and mixed(run) for run in runs):
                yield Finding(*match.span(1), "api-key")


_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,\-]|\\[nr]){0,20000}")


def _private_keys(text: str) -> Iterator[Finding]:
    at, end = 0, -1
    while (match := _BEGIN.search(text, at)) is not None:
        if end < match.end():  # searched for once, not once a header: a text of headers only stays linear
            end = text.find("-----END ", match.end())
            end = len(text) + 20_001 if end < 0 else end
        if end - match.end() < 20_000:
            close = text.find("-----", end + 9, end + 60)
            at = close + 5 if close >= 0 else end + 9
        else:  # cut off: everything that can still be key material goes
            body = _KEY_BODY.match(text, match.end())
            at = body.end() if body else match.end()
        if at - match.start() > 100:  # less is a note about the header
            yield Finding(match.start(), at, "private-key")


# -- places ------------------------------------------------------------------------------------------------------------

_URL = re.compile(r"""://([^\s/:@"'`<>]{0,100}):([^\s/"'`<>]{3,200})@(?=[\w\[.\-])""")
_HEADER = re.compile(
    r"(?i)(?<![a-z])(bearer|basic|authorization:[ \t]{0,4}(?:token|digest|apikey))[ \t]{1,4}([\w.+/=~\-]{8,4000})"
)
_COMMAND = re.compile(
    r"""(?:--?(?:user|u|proxy-user|U)(?:=|[ \t]{1,4})["']?[^\s:"']{1,64}:([^\s"']{3,200}))|"""
    r"""(?:--?(?:password|passwd|token|api-key|apikey|secret|access-token)[ \t]{1,4}["']?([^\s"'\-<$\[{][^\s"']{3,300}))|"""
    r"""(?:\bsshpass -p ?["']?([^\s"'$<]{4,200}))|(?:\bIDENTIFIED BY ["']([^"'\n]{3,200}))|(?:\bPASSWORD '([^'\n]{3,200})')"""
)
_COMMAND_WORDS = ("-u", "-U", "--", "sshpass", "IDENTIFIED", "PASSWORD '")


def _places(text: str) -> Iterator[Finding]:
    if "://" in text and "@" in text:
        for match in _URL.finditer(text):
            if match[2] != match[1] and not placeholder(match[2]) and match[2].lower() not in DULL:
                yield Finding(*match.span(2), "url-password")
    lower = text.lower()
    if "bearer" in lower or "basic" in lower or "authorization" in lower:
        for match in _HEADER.finditer(text):
            value = match[2]
            good = (
                _basic(value) if match[1].lower() == "basic" else len(value) > 15 and mixed(value) and not slug(value)
            )
            if good and not placeholder(value):
                yield Finding(*match.span(2), "authorization")
    if any(word in text for word in _COMMAND_WORDS):
        for match in _COMMAND.finditer(text):
            group = match.lastindex or 0
            value = match[group]
            user = group == 1 and "curl" not in text[max(match.start() - 300, 0) : match.start()]
            if not user and not placeholder(value) and value.lower() not in DULL and passwordish(value):
                yield Finding(*match.span(group), "password" if group != 2 else "token")


def _basic(value: str) -> bool:
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return 3 <= len(raw) <= 300 and b":" in raw and raw.decode("latin-1").isprintable()


# -- names -------------------------------------------------------------------------------------------------------------

_PASSWORD_NAMES = (
    r"pass(?:[ _-]?(?:word|wd|phrase|code))s?|pwd|passwort|kennwort|contrase[nñ]a|mot de passe|senha|parola|wachtwoord|has[lł]o"
    r"|l[oö]senord|salasana|[sş]ifre|парол[ья]|密码|密碼|口令|パスワード|비밀번호|mật khẩu|كلمة المرور|पासवर्ड|סיסמה|kata sandi|\bpin(?: code)?\b"
)
_TOKEN_NAMES = (
    r"secrets?|token|credentials?|creds|api[ _-]?keys?|(?:access|auth|private|signing|encryption|master|account|license|deploy|session|shared"
    r"|client|service|ssh|webhook|secret)[ _-]?keys?|bearer|api-schlüssel|clé (?:d'|d’)?api|clave (?:de )?api|chiave api|ключ api|密钥|密鑰"
)
_NAME = re.compile(f"(?i)(?P<password>{_PASSWORD_NAMES})|(?:{_TOKEN_NAMES})")
_NAME_HINTS = ("pass", "pwd", "secret", "token", "cred", "key", "bearer", "pin", "kennwort", "contras", "senha", "parola", "wachtwoord",
               "has", "senord", "salasana", "ifre", "парол", "密", "口令", "パス", "비밀", "khẩu", "كلمة", "पास", "סיסמה", "sandi", "api")  # fmt: skip
_TAIL = re.compile(r"(?:(?<=[a-z])[A-Z]|[_\-.]|\d)[\w.\-]{0,30}")
_NEUTRAL = re.compile(
    r"(?i)count|limit|len(?:gth)?\b|size|type|budget|usage|policy|field|expir|ttl|rotat|manager|rules?\b|requirement|format|strength|prompt|reset link"
    r"|hint|strategy|name\b|ur[il]\b|path|file|hash|public|primary|foreign|max|(?<![a-z])(?:min|per)\b|cost|price|window|bucket|cache"
)
_GAP = r"(?:[ \t]{0,2}[(\[][^()\[\]\n]{1,40}[)\]]|[ \t]{1,2}(?!(?:is|was|are|to|ist|est|es|=|:)[ \t])[\w./'’@\-]{1,30}){0,5}"
_SEPARATOR = (
    r"[\"'`*_\])|]{0,4}[ \t]{0,20}(?:(?P<sign>value=|=>|:=|={1,3}|:|：|＝|->|→|[|>])|(?P<verb>(?:is|was|are|to|ist|lautet|est|es|è|é|jest|是|は|이|为|為)(?![A-Za-z])"
    r"(?:[ \t]{1,2}(?:now|still|currently|set to|jetzt|maintenant|ahora))?[ \t]{0,2}:?))"
)
_VALUE = r"""[ \t]{0,20}\n?[ \t]{0,8}[*_|]{0,2}[ \t]?(?:"(?P<double>[^"\n]{1,400})"|'(?P<single>[^'\n]{1,400})'|`(?P<tick>[^`\n]{1,400})`|(?P<bare>[^\s"'`<>|]{1,2000}))"""
_ASSIGNED = re.compile(f"(?i)(?P<gap>{_GAP}){_SEPARATOR}{_VALUE}")
_DIRECT = re.compile(
    r"""(?P<gap>)(?P<verb>)(?P<sign>)[ \t]{1,3}(?:"(?P<double>[^"\n]{4,400})"|'(?P<single>[^'\n]{4,400})'|`(?P<tick>[^`\n]{4,400})`|(?P<bare>[^\s"'`<>|]{8,2000}))"""
)
_REACH = 2400
_MARK = re.compile(r"\[secret:[a-z0-9\-]{1,30}\]")


def _names(text: str) -> Iterator[Finding]:
    lower = text.lower()
    if not any(hint in lower for hint in _NAME_HINTS):
        return
    at = 0
    for match in _NAME.finditer(text):
        if match.start() < at or _in_mask(text, match.start()):  # the value of the name before, or a mask of ours
            continue
        finding = _beside(text, match)
        if finding is not None:
            at = finding.end
            yield finding


def _in_mask(text: str, place: int) -> bool:
    opened = text.rfind("[", max(place - 40, 0), place)
    mark = _MARK.match(text, opened) if opened >= 0 else None
    return mark is not None and mark.end() > place


def _beside(text: str, name: re.Match[str]) -> Finding | None:
    """Return the value that the name at `name` is given, if it looks like a credential."""
    place = name.end()
    if tail := _TAIL.match(text, place):
        if _NEUTRAL.search(tail[0]):
            return None
        place = tail.end()
    elif text[place : place + 1].isalpha() and text[place : place + 1].isascii() and name[0][-1:].isascii():
        return None  # "tokenizer", "secretary", "passwordless"
    head = text[max(name.start() - 12, 0) : name.start()]
    if re.search(r"(?i)(?:max|min|num|public|primary|foreign|cache|sort|next|page|per|csrf-?meta)[ _-]?$", head):
        return None
    password = name["password"] is not None
    for pattern in (_ASSIGNED, _DIRECT):
        match = pattern.match(text, place, place + _REACH)
        if match is None:
            continue
        group = match.lastgroup or "bare"
        start, end = match.span(group)
        quoted = group != "bare"
        if not quoted:
            end = start + len(_bare(match[group], head))
        value = text[start:end]
        if not value or _NEUTRAL.search(match["gap"] or ""):
            continue
        near = bool(match["sign"]) and not match["gap"]
        if pattern is _DIRECT:
            good = (
                (passwordish(value) and len(value) > 7 and (mixed(value) or quoted))
                if password
                else len(value) > 19 and tokenish(value, False)
            )
        elif password:
            good = passwordish(value) or (quoted and near and _quoted_password(value))
        else:
            good = tokenish(value, near)
        if good:
            return Finding(start, end, "password" if password else _name_kind(name[0]))
    return None


def _bare(value: str, head: str) -> str:
    if head.endswith(("?", "&")) or re.search(r"[?&][\w\-]{0,11}$", head):
        value = value.split("&", 1)[0].split("#", 1)[0]
    value = value.rstrip(".,;:")
    while (
        value and value[-1] in ")]}" and value.count(value[-1]) > value.count({")": "(", "]": "[", "}": "{"}[value[-1]])
    ):
        value = value[:-1].rstrip(".,;:")
    return value


def _quoted_password(value: str) -> bool:
    return (
        len(value) > 5 and " " not in value and value.lower() not in DULL and not placeholder(value) and value.isascii()
    )


def _name_kind(name: str) -> str:
    lower = name.lower()
    return (
        "token"
        if "token" in lower or "bearer" in lower
        else "secret"
        if "secret" in lower or "cred" in lower
        else "api-key"
    )
