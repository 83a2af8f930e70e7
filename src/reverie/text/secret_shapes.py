"""Credentials whose form says what they are: prefixed tokens, JWT, webhook addresses, private keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.text.secret_values import documented, mixed

__all__ = ["private_keys", "shaped"]

_SETS = {
    "a": "A-Za-z0-9",
    "b": "A-Za-z0-9+/",
    "h": "a-f0-9",
    "H": "A-Fa-f0-9",
    "u": "A-Z0-9",
    "w": r"A-Za-z0-9_\-",
    "x": r"A-Za-z0-9._=\-",
}

# kind, literal prefixes, signs that follow (see _SETS), how few and how many of them
_PREFIXED = """
aws AKIA,ASIA,ABIA,ACCA u 16 16 | aws A3T u 17 17 | aws ABSK b 109 300 | aws bedrock-api-key- b 20 800
gcp AIza w 35 35 | gcp GOCSPX- w 24 40 | gcp ya29. w 20 400 | github ghp_,gho_,ghu_,ghs_,ghr_ a 36 255
github github_pat_ w 60 255 | gitlab glpat-,gldt-,glft-,glrt-,glsoat-,glffct-,glimt-,glagent-,gloas-,glptt- x 20 300
gitlab GR1348941 w 20 20 | gitlab glcbt- w 20 60 | gitlab _gitlab_session= a 32 32
slack xoxb-,xoxp-,xoxa-,xoxr-,xoxs-,xoxo-,xoxe.,xoxe-,xoxc-,xoxd- x 10 300 | slack xapp- w 15 300
stripe sk_live_,sk_test_,sk_prod_,rk_live_,rk_test_,rk_prod_,pk_live_ a 10 255 | stripe whsec_ b 24 80
anthropic sk-ant- w 20 200 | openai sk-proj-,sk-svcacct-,sk-admin- w 20 300 | openrouter sk-or-v1- h 48 64
npm npm_ a 36 36 | pypi pypi-AgE w 16 400 | hugging-face hf_ a 30 40 | hugging-face api_org_ a 34 34
sendgrid SG. x 40 80 | twilio SK H 32 32 | digitalocean dop_v1_,doo_v1_,dor_v1_ h 64 64 | databricks dapi h 32 34
grafana glsa_ w 41 41 | grafana glc_ b 32 400 | grafana eyJrIjoi a 70 400 | linear lin_api_ a 40 40
notion ntn_ a 40 60 | perplexity pplx- a 40 56 | planetscale pscale_tkn_,pscale_pw_,pscale_oauth_ x 32 64
postman PMAK- w 59 59 | pulumi pul- h 40 40 | readme rdme_ a 60 80 | rubygems rubygems_ h 48 48
shopify shpat_,shpca_,shppa_,shpss_ a 32 32 | shippo shippo_live_,shippo_test_ H 40 40
square sq0atp-,sq0csp-,EAAA w 22 60 | vault hvs.,hvb. w 24 300 | doppler dp.pt.,dp.st. x 40 50
age AGE-SECRET-KEY-1 u 58 58 | 1password ops_eyJ b 200 2000 | 1password A3- x 29 36 | adobe p8e- a 32 32
alibaba LTAI a 16 24 | artifactory AKCp a 60 75 | artifactory cmVmd a 59 59 | clojars CLOJARS_ a 60 60
cloudflare v1.0- w 100 200 | clickhouse 4b1d a 38 38 | duffel duffel_test_,duffel_live_ x 43 43
dynatrace dt0c01. x 80 100 | easypost EZAK,EZTK a 54 54 | facebook EAAM,EAAC a 100 300
flutterwave FLWSECK_TEST-,FLWPUBK_TEST- w 12 40 | fly fo1_,fm1a_,fm1r_,fm2_ b 40 800 | fly fo1_ w 43 43
frameio fio-u- x 60 70 | heroku HRKU- w 36 70 | infracost ico- a 32 32 | intra42 s-s4t2ud-,s-s4t2af- h 64 64
mailgun key- h 32 32 | mailchimp pubkey- h 32 32 | newrelic NRAK-,NRII-,NRJS- w 19 40 | octopus API- u 26 26
openshift sha256~ w 43 43 | prefect pnu_ a 36 36 | plaid access-sandbox-,access-production- w 36 36
scalingo tk-us- w 48 48 | sendinblue xkeysib- w 80 84 | sentry sntrys_ b 60 500 | sentry sntryu_ h 64 64
settlemint sm_aat_,sm_pat_,sm_sat_ a 16 16 | sourcegraph sgp_ w 40 60 | sourcegraph slk_ h 64 64
travis travis_ w 22 22 | typeform tfp_ x 50 70 | yandex AQVN w 35 45 | groq gsk_ a 40 60 | xai xai- a 60 90
lob live_,test_ h 35 35 | gocardless live_ x 40 40 | replicate r8_ a 36 40 | supabase sbp_ h 40 40
dropbox sl. x 100 400 | telegram-app bot_ w 35 35 | docker dckr_pat_ w 24 40 | vercel vcp_,vck_ a 24 60
figma figd_ w 38 50 | atlassian ATATT3,ATCTT3,ATBB x 20 300 | airtable pat x 79 79 | tailscale tskey- w 20 80
aiven AVNS_ w 15 25 | deno ddp_ a 36 36 | mapbox sk.eyJ,pk.eyJ x 40 160 | sourcegraph sgd_ w 64 64 | beamer b_ x 44 44
nvidia nvapi- w 60 70
"""

_LEFT = r"(?<![A-Za-z0-9])"
_OTHERS = (  # kind, a literal that must occur (found much faster than a pattern), the pattern whose group 1 is masked
    ("jwt", "ey", rf"{_LEFT}(?<![_\-.])(ey[\w\-]{{15,4000}}\.ey[\w\-/\\]{{15,8000}}\.[\w\-/\\]{{0,2000}}=?=?)"),
    ("jwt", "ZXlK", rf"{_LEFT}(?<![+/_\-])(ZXlK[\w+/\-]{{60,8000}}={{0,2}})"),
    ("slack-webhook", "hooks.slack.com/", r"slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,80})"),
    ("discord-webhook", "/api/webhooks/", r"/api/webhooks/(\d{10,20}/[\w\-]{50,90})"),
    ("teams-webhook", ".webhook.office.com/", r"office\.com/webhookb2/([\w\-@]{36,80}/IncomingWebhook/[\w\-/]{30,90})"),
    ("discord", ".", rf"{_LEFT}(?<![_.\-])([MNO][\w\-]{{22,26}}\.[\w\-]{{6}}\.[\w\-]{{27,40}})(?![\w\-])"),
    ("telegram", ":", r"(?<![\w.])((?:bot)?\d{7,11}:[A-Za-z0-9][\w\-]{33,35})(?![\w\-])"),
    ("azure", "Q~", r"(?<![\w~.\-])([\w~.]{3}\dQ~[\w~.\-]{31,34})(?![\w~\-])"),
    ("azure", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{40,100}={0,2})"),
    ("azure", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{30,120}={0,2})"),
    ("terraform", ".atlasv1.", rf"{_LEFT}([A-Za-z0-9]{{14}}\.atlasv1\.[\w\-=]{{60,70}})"),
    ("maxmind", "_mmk", rf"{_LEFT}([A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}_mmk)"),
    ("harness", "at.", rf"{_LEFT}([ps]at\.[\w\-]{{22}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{20}})"),
    (
        "authress",
        "acc",
        rf"{_LEFT}([a-z]{{2,8}}_[a-z0-9]{{5,30}}\.[a-z0-9]{{4,6}}\.acc[_\-][a-z0-9\-]{{10,32}}\.[\w+/=\-]{{30,120}})",
    ),
    ("facebook", "|", r"(?<!\w)(\d{15,16}\|[\w\-]{27,40})"),
    ("mailchimp", "-us", rf"{_LEFT}([a-f0-9]{{32}}-us\d\d?)(?![A-Za-z0-9])"),
    ("vault", "s.", r"(?<![\w.\-/])(s\.(?=[a-z]{0,20}\d)[A-Za-z0-9]{24})(?![\w.])"),
    ("sonar", "sq", rf"{_LEFT}(sq[upa]_[a-f0-9]{{40}})"),
)
_SK = re.compile(rf"{_LEFT}(?<![_\-])(sk-[\w\-]{{20,300}})")
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,\-]++|\\[nr]){0,2000}+")
_LONGEST_KEY = 20_000


@cache  # paid by the first text, not by the import
def _table() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    table = []
    for row in _PREFIXED.replace("\n", "|").strip("|").split("|"):
        kind, prefixes, signs, few, many = row.split()
        for prefix in prefixes.split(","):
            pattern = f"{_LEFT}({re.escape(prefix)}[{_SETS[signs]}]{{{few},{many}}})"
            table.append((kind, prefix, re.compile(pattern)))
    table += [(kind, literal, re.compile(pattern)) for kind, literal, pattern in _OTHERS]
    return tuple(table)


def shaped(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of each token whose form is a known service's; documented examples are left alone."""
    for kind, literal, pattern in _table():
        if literal in text:
            for match in pattern.finditer(text):
                if not documented(match[1]):
                    yield *match.span(1), kind
    if "sk-" in text:  # many services write keys so; a slug ("sk-learn-pipeline-for-churn") has no run of mixed signs
        for match in _SK.finditer(text):
            if not documented(match[1]) and any(len(run) > 14 and mixed(run) for run in re.split(r"[-_]", match[1])):
                yield *match.span(1), "api-key"


def private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of each private key in PEM or PGP form, whole or cut off."""
    at, end = 0, -1
    while (match := _BEGIN.search(text, at)) is not None:
        if end < match.end():  # searched for once, not once a header: a text of headers only stays linear
            end = text.find("-----END ", match.end())
            end = len(text) + _LONGEST_KEY if end < 0 else end
        if end - match.end() < _LONGEST_KEY:
            close = text.find("-----", end + 9, end + 60)
            at = close + 5 if close >= 0 else end + 9
        else:  # cut off: everything that can still be key material goes
            body = _KEY_BODY.match(text, match.end(), match.end() + _LONGEST_KEY)
            at = body.end() if body else match.end()
        if at - match.start() > 100:  # less is a note about the header
            yield match.start(), at, "private-key"
