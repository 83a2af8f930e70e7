"""Texts with a planted credential in 30 formats, and look-alikes. All are made at test time: none stands in a file."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
UPPER32 = string.ascii_uppercase + "234567"

SENTENCES = [
    "Robin set this up on Monday: {}",
    "note to self {} and rotate it next month",
    "The staging deploy used {}, which still works.",
    "Found in the build log:\n```\n{}\n```\nplease clean up",
    "- {}\n- ask Nadia about the invoice",
    "{}",
    "Der Zugang lautet {} (bitte nicht weitergeben).",
    "El cliente nos envió {} por correo.",
    "用户提供了 {} ，用于测试。",
    "ticket #4821: customer pasted {} into the chat",
]
WORDS = ["river", "copper", "lantern", "violet", "harbor", "maple", "falcon", "garden", "silver", "orbit", "pepper"]
WORDS += ["winter", "canyon", "velvet"]


def pick(rng: random.Random, signs: str, n: int) -> str:
    """n random signs, with a digit and (where the alphabet has one) a capital, as issued tokens nearly always have."""
    while True:
        made = "".join(rng.choice(signs) for _ in range(n))
        if any(c.isdigit() for c in made) and any(c.isalpha() for c in made) and len(set(made)) > min(9, n // 2):
            return made


def uuid(rng: random.Random) -> str:
    return "-".join(pick(rng, HEX, n) for n in (8, 4, 4, 4, 12))


def b64(rng: random.Random, n: int) -> str:
    return base64.b64encode(rng.randbytes(n)).decode()


def password(rng: random.Random) -> str:
    word = rng.choice(WORDS)
    return rng.choice(
        [
            lambda: word.capitalize() + str(rng.randrange(10, 9999)) + rng.choice("!@#$%&*"),
            lambda: word + str(rng.randrange(10, 99999)),
            lambda: pick(rng, ALNUM + "!@#$%^&*", rng.randrange(10, 20)),
            lambda: (
                word.replace("e", "3").replace("a", "4").replace("i", "1").replace("o", "0")
                + rng.choice("!$&9")
                + rng.choice(WORDS)
            ),
            lambda: pick(rng, ALNUM, rng.randrange(10, 24)),
            lambda: f"{word}#{rng.choice(WORDS)}.{rng.randrange(1, 99)}",
        ]
    )()


def token(rng: random.Random) -> str:
    return rng.choice(
        [
            lambda: pick(rng, HEX, rng.choice([32, 40, 64])),
            lambda: pick(rng, ALNUM, rng.randrange(20, 48)),
            lambda: pick(rng, URLSAFE, 43).strip("-_") + "Z9",
            lambda: base64.b64encode(rng.randbytes(rng.choice([24, 30, 32]))).decode(),
            lambda: uuid(rng),
        ]
    )()


def jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    signature = base64.urlsafe_b64encode(rng.randbytes(32)).decode().rstrip("=")
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': rng.randrange(10**9), 'name': 'x'})}.{signature}"


def pem(rng: random.Random) -> str:
    kind = rng.choice(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
    body = base64.b64encode(rng.randbytes(rng.choice([120, 600, 1200]))).decode()
    lines = "\n".join(body[i : i + 64] for i in range(0, len(body), 64))
    return f"-----BEGIN {kind}PRIVATE " + f"KEY-----\n{lines}\n-----END {kind}PRIVATE " + "KEY-----"


Maker = Callable[[random.Random], tuple[str, str]]  # -> (fragment, the value in it that has to go)


def bare(make: Callable[[random.Random], str]) -> Maker:
    def both(rng: random.Random) -> tuple[str, str]:
        value = make(rng)
        return value, value

    return both


def framed(make: Callable[[random.Random], str], *frames: str) -> Maker:
    def both(rng: random.Random) -> tuple[str, str]:
        value = make(rng)
        return rng.choice(frames).replace("@@", value), value

    return both


def basic(rng: random.Random) -> str:
    return base64.b64encode(f"{rng.choice(WORDS)}:{password(rng)}".encode()).decode()


FORMATS: dict[str, Maker] = {
    "aws id": bare(lambda r: r.choice(["AK", "AS"]) + "IA" + pick(r, UPPER32, 16)),
    "aws secret": framed(
        lambda r: pick(r, ALNUM + "/+", 40),
        "aws_secret_access_key = @@",
        "AWS_SECRET_ACCESS_KEY=@@",
        "secret access key: @@",
    ),
    "gcp": bare(lambda r: "AI" + "za" + pick(r, URLSAFE, 34) + "x"),
    "azure": framed(
        lambda r: base64.b64encode(r.randbytes(64)).decode(),
        "DefaultEndpointsProtocol=https;AccountName=files;AccountKey=@@;EndpointSuffix=core",
    ),
    "github": bare(lambda r: "gh" + r.choice("pousr") + "_" + pick(r, ALNUM, 36)),
    "github pat": bare(lambda r: "github" + "_pat_" + pick(r, ALNUM, 22) + "_" + pick(r, ALNUM, 59)),
    "gitlab": bare(lambda r: "gl" + "pat-" + pick(r, URLSAFE, 19) + "x"),
    "slack": bare(
        lambda r: (
            "xo"
            + f"x{r.choice('bpa')}-{r.randrange(10**11, 10**12)}-{r.randrange(10**11, 10**12)}-{pick(r, ALNUM, 24)}"
        )
    ),
    "slack hook": framed(
        lambda r: f"T{pick(r, ALNUM, 8)}/B{pick(r, ALNUM, 8)}/{pick(r, ALNUM, 24)}",
        "https://hooks.slack" + ".com/services/@@",
    ),
    "stripe": bare(
        lambda r: r.choice("sr") + "k_" + r.choice(["live", "test"]) + "_" + pick(r, ALNUM, r.choice([24, 99]))
    ),
    "openai": bare(
        lambda r: "s" + "k-" + r.choice([lambda: "proj-" + pick(r, URLSAFE, 120) + "x", lambda: pick(r, ALNUM, 48)])()
    ),
    "anthropic": bare(lambda r: "s" + "k-ant-api03-" + pick(r, URLSAFE, 93) + "AA"),
    "npm, pypi": bare(
        lambda r: r.choice(
            [lambda: "np" + "m_" + pick(r, ALNUM, 36), lambda: "py" + "pi-AgEIcHlwaS5vcmc" + pick(r, URLSAFE, 80) + "x"]
        )()
    ),
    "hugging face": bare(lambda r: "h" + "f_" + "".join(r.choice(string.ascii_letters) for _ in range(34))),
    "sendgrid": bare(lambda r: "S" + f"G.{pick(r, URLSAFE, 22)}.{pick(r, URLSAFE, 42)}x"),
    "twilio": bare(lambda r: "S" + "K" + pick(r, HEX, 32)),
    "telegram": bare(lambda r: f"{r.randrange(10**9, 10**10)}:A" + pick(r, URLSAFE, 33) + "x"),
    "discord": bare(lambda r: f"M{pick(r, ALNUM, 23)}.G{pick(r, URLSAFE, 4)}x.{pick(r, URLSAFE, 37)}x"),
    "jwt": bare(jwt),
    "private key": bare(pem),
    "url": framed(
        lambda r: pick(r, ALNUM + "!$*", 12),
        "postgres://app:@@@db.internal:5432/main",
        "redis://:@@@10.0.0.4:6379/0",
        "https://deploy:@@@git.example.org/team/repo.git",
        "amqp://worker:@@@mq/vhost",
    ),
    "password prose": framed(
        password,
        "the password is @@",
        "password for the admin panel is @@",
        "Password: @@",
        "pwd: @@",
        "his password was @@",
        "passphrase is `@@`",
        "I changed the wifi password to @@",
        "password (staging): @@",
        "my login is sam and my password is @@",
    ),
    "password code": framed(
        password,
        "DB_PASSWORD=@@",
        'password = "@@"',
        "db_password: '@@'",
        '{"user": "sam", "password": "@@"}',
        "dbPassword: '@@'",
        "PGPASSWORD=@@ psql -h db",
        "<password>@@</password>",
        "spring.datasource.password=@@",
    ),
    "password abroad": framed(
        password,
        "Das Passwort lautet @@",
        "Passwort: @@",
        "la contraseña es @@",
        "le mot de passe est @@",
        "a senha é @@",
        "密码：@@",
        "密码是 @@",
        "パスワードは @@",
        "пароль: @@",
        "비밀번호: @@",
        "wachtwoord is @@",
        "hasło to: @@",
    ),
    "api key prose": framed(
        token,
        "api key: @@",
        "The API key for the weather service is @@",
        "our api-key is @@",
        "API_KEY=@@",
        "apiKey: '@@'",
        "X-Api-Key: @@",
        "export STRIPE_API_KEY='@@'",
    ),
    "token": framed(
        token,
        "token=@@",
        "access_token: @@",
        'auth_token = "@@"',
        "https://api.example.org/v1/items?access_token=@@&page=2",
        "the token is @@",
        "the bot token for the alerts channel is @@",
        "REFRESH_TOKEN: @@",
        "| token | @@ |",
    ),
    "client secret": framed(
        token,
        "client_secret: @@",
        "client secret = @@",
        '"clientSecret": "@@"',
        "the webhook secret is @@",
        "SECRET_KEY_BASE=@@",
        "signing key: @@",
    ),
    "bearer": framed(
        token,
        "Authorization: Bearer @@",
        'curl -H "Authorization: Bearer @@" https://api.example.org',
        "send bearer @@ in the header",
    ),
    "basic": framed(basic, "Authorization: Basic @@", "-H 'Authorization: Basic @@'"),
    "command line": framed(
        password,
        "curl -u admin:@@ https://example.org/export",
        "sshpass -p @@ ssh root@10.0.0.4",
        "backup --password @@ --all",
        "mysql --user=root --password=@@",
    ),
}


def planted(n: int, seed: int = 1) -> Iterator[tuple[str, str, str]]:
    """Yield n (format, text, value) in turn over the formats."""
    rng = random.Random(seed)
    names = list(FORMATS)
    for i in range(n):
        fragment, value = FORMATS[names[i % len(names)]](rng)
        yield names[i % len(names)], rng.choice(SENTENCES).replace("{}", fragment), value


def lookalikes(n: int, seed: int = 2) -> Iterator[str]:
    """Yield n texts with no credential in them: what notes about software are full of."""
    rng = random.Random(seed)

    def made() -> str:
        word, other, third = rng.sample(WORDS, 3)
        number = rng.randrange(2, 9999)
        return rng.choice(
            [
                f"Reverted commit {pick(rng, HEX, 40)} because {word} broke.",
                f"See {pick(rng, HEX, 7)} and {pick(rng, HEX, 12)} for the {word} fix",
                f"The {word} record has id {uuid(rng)}.",
                f"request_id={uuid(rng)} user_id={number} trace={pick(rng, HEX, 32)}",
                f"sha256:{pick(rng, HEX, 64)} is the digest of the {word} image",
                f"The MD5 of {word}.zip is {pick(rng, HEX, 32)}",
                f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}"',
                f"![{word}](data:image/png;base64,{base64.b64encode(rng.randbytes(90)).decode()})",
                f"base64 of the word is {base64.b64encode(word.encode()).decode()}",
                f"/home/{word}/projects/{other}-service/src/{third}/handlers/v{number}/index.test.ts",
                f"Use #{pick(rng, HEX, 6)} for {word} and #{pick(rng, HEX, 3)} for {other}.",
                f"We moved from gpt-4o-mini-2024-07-18 to claude-sonnet-4-5-2025{number % 1000:04d} for {word}",
                f"Model Qwen2.5-Coder-{number % 70}B-Instruct-Q4_K_M.gguf runs on {word}",
                f"The password policy requires {number % 30 + 8} characters and a digit.",
                f"The password must be at least {number % 20 + 8} characters long",
                f"Password: see the {word} entry in 1Password",
                f"password is stored in the {word} vault, item {word}-{other}-{number}",
                f"Tokens are limited to {number} per minute; max_tokens={number}, token_count: {number}",
                f"The token limit is {number}k and the tokenizer is cl100k_base",
                f"set API_KEY=<your-{word}-key> before you start",
                f"export OPENAI_API_KEY=$OPENAI_API_KEY && run {word}",
                "password = os.environ['DB_PASSWORD']",
                "token = settings.ACCESS_TOKEN",
                'api_key: "${STRIPE_API_KEY}"',
                "api_key = process.env.API_KEY",
                "SECRET_KEY: {{ vault_secret_key }}",
                f"password: {'*' * rng.randrange(4, 12)}",
                f"api key: {'x' * rng.randrange(6, 20)}",
                "password: changeme",
                f"the secret of {word} soup is patience, and {other}",
                f"She is the token {word} person; the key is to stay calm about {number}",
                f"primary key: {word}_{other}_id, cache key: user:{number}:{word}, sort key is created_at_{number}",
                f"The API key is kept in {word}/{other}/prod-{number} in Vault",
                f"api key rotation every {number % 90 + 1} days, see RFC-{number}",
                f"keyboard shortcut: ctrl+shift+{number % 9}; keyword: {word}{number % 100}",
                f"postgres://localhost:5432/{word}_{number} and redis://cache:6379/0",
                "postgres://user:password@localhost:5432/app is only an example",
                f"mailto {word}.{other}@example.org, git@github.com:{word}/{other}.git",
                f"https://example.org/{word}/{other}?page={number}&ref={pick(rng, LOWER, 8)}",
                f"https://www.youtube.com/watch?v={pick(rng, ALNUM, 11)}",
                f"version {number % 9}.{number % 30}.{number % 7}-rc.{number % 5}+build.{pick(rng, HEX, 8)}",
                f"Serial {pick(rng, UPPER32, 12)}, order {pick(rng, UPPER32, 10)}",
                f"IBAN DE{rng.randrange(10**19, 10**20)}, phone +49 151 {rng.randrange(10**7, 10**8)}",
                f"secretary {word.capitalize()} will reset passwords on 2026-0{number % 9 + 1}-1{number % 9}",
                f"sk-learn-{word}-pipeline-{other}-v{number} and sk-{word}-{other}-{third}",
                f"skip the {word}: use kubernetes-{pick(rng, LOWER, 9)}-{pick(rng, LOWER, 5)} pod",
                f"s3://{word}-{other}-bucket/exports/2026/{number}/part-0000{number % 10}.parquet",
                f"The password hint is the {word} of the {other}.",
                f"password reset link expires after {number % 48}h; token type: bearer",
                f"author: {word.capitalize()} | key: {word} | value: {number}",
                f"Bearer of bad news: {word} failed {number} times. basic authentication is deprecated",
                f"-----BEGIN CERTIFICATE-----\n{b64(rng, 300)}\n-----END CERTIFICATE-----",
                f"ssh-ed25519 {base64.b64encode(rng.randbytes(51)).decode()} {word}@laptop",
                f"Das Passwort wird nach {number % 90} Tagen geändert. La contraseña es obligatoria.",
                f"密码长度至少 {number % 20} 位。パスワードは必須です。",
                f"token: string, password: str, secret: bytes, id: {number}",
                f"Authentication uses OAuth2 with PKCE; the token is signed with RS256 and {word}",
            ]
        )

    for _ in range(n):
        yield made()
