"""Masking: what is seen, what is left alone, and that everything comes back as it was."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.text.personal import KINDS, Mask, UnknownPlaceholder, find_personal, people_pattern


def kinds(text: str, people: list[str] | None = None) -> list[tuple[str, str]]:
    return [(kind, text[start:end]) for start, end, kind in find_personal(text, people_pattern(people or []))]


SEEN = [
    ("EMAIL", "robin.goodwin+list@mail.example.co.uk"), ("EMAIL", "ärger@müller.de"), ("EMAIL", "o'neil@example.com"),
    ("IBAN", "DE89 3704 0044 0532 0130 00"), ("IBAN", "GB82WEST12345698765432"), ("IBAN", "gb82west12345698765432"),
    ("IBAN", "NL91ABNA0417164300"), ("IBAN", "FR14 2004 1010 0505 0001 3M02 606"), ("IBAN", "NO9386011117947"),
    ("CARD", "4111 1111 1111 1111"), ("CARD", "5500-0000-0000-0004"), ("CARD", "340000000000009"), ("CARD", "6011000000000004"),
    ("IP", "203.0.113.7"), ("IP", "10.20.30.40"), ("IP", "2001:db8::8a2e:370:7334"), ("IP", "fe80::1ff:fe23:4567:890a"),
    ("IP", "2001:0db8:85a3:0000:0000:8a2e:0370:7334"), ("IP", "::ffff:203.0.113.7"),
    ("ID", "078-05-1120"), ("ID", "12345678Z"), ("ID", "X1234567L"), ("ID", "111.444.777-35"), ("ID", "RSSMRA85T10A562S"),
    ("ID", "131052-308T"), ("ID", "811218-9876"), ("ID", "AB 12 34 56 C"), ("ID", "2 55 08 14 168 025 38"),
    ("PHONE", "+49 30 901820"), ("PHONE", "+1 (415) 555-2671"), ("PHONE", "+44 20 7946 0958"), ("PHONE", "(415) 555-2671"),
    ("PHONE", "415-555-2671"), ("PHONE", "+41 (0)44 668 18 00"), ("PHONE", "030/901820-0"), ("PHONE", "01 42 68 53 00"),
    ("PHONE", "0049 30 901820"), ("PHONE", "555.123.4567 x89"),
    ("LOGIN", "robin:hunter"), ("LOGIN", "robin"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), SEEN)
@pytest.mark.parametrize("around", ["{}", "It is {}.", "Take ({}), then go on", "a: {}, b", "« {} »"])
def test_it_is_seen_whatever_stands_around(kind: str, value: str, around: str) -> None:
    text = around.format(f"https://{value}@example.org/" if kind == "LOGIN" else value)
    found = kinds(text)
    assert found == [(kind, value)]
    mask = Mask()
    assert mask.mask(text) == text.replace(value, f"[{kind}_1]")
    assert mask.unmask(mask.mask(text)) == text


LEFT = [
    "The build took 12345678 ms on 2026-01-05 12:34:56, commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39.",
    "Version 10.0.19041.1 and v1.2.3.4, release 2.31.0, Chrome 120.0.6099.109.",
    "Listen on 127.0.0.1:8080, ::1 and 0.0.0.0; std::vector<int>::iterator, a::b, 12:34:56.",
    "Order 4111111111111112 of 2026-11-30T10:00:00.000Z, total 1,234,567.89, ratio 16:9, 3.14159265358979.",
    "Between 1995-2005 and 2010-2020; pages 100-200; 1.000.000 rows; 10 000 000 lines; ISBN 978-3-16-148410-0.",
    "id 550e8400-e29b-41d4-a716-446655440000, port 5432, 192.168.0.0/16 is a network, 999.999.999.999",
    "DE00 3704 0044 0532 0130 00 is no account; GB82 is a prefix; 1764500000000 is a time in ms.",
    "12345678A has the wrong letter, 000-12-3456 and 666-12-3456 were never given, 12.12.2024 is a day",
    "user@localhost, @robin, a@b, foo@2x.png is a file, 1+1@home, https://example.org/@robin/12345",
    "[EMAIL] and [PERSON_X] and [TODO_1] are no placeholders; neither is EMAIL_1.",
]


@pytest.mark.parametrize("text", LEFT)
def test_it_leaves_alone_what_only_looks_like_it(text: str) -> None:
    found = [f for f in kinds(text) if f not in [("IP", "192.168.0.0"), ("EMAIL", "foo@2x.png")]]
    assert found == []


def test_people_by_list_as_whole_words_in_any_case() -> None:
    people = ["Robin", "Robin Goodwin", "Anh", "J. Doe", " ", "x"]
    assert kinds("robin goodwin met ROBIN, Robinson and Hanh; anh's friend J. Doe too", people) == [
        ("PERSON", "robin goodwin"), ("PERSON", "ROBIN"), ("PERSON", "anh"), ("PERSON", "J. Doe"),
    ]  # fmt: skip
    mask = Mask(people)
    assert mask.mask("Robin  Goodwin, robin goodwin, Robin") == "[PERSON_1], [PERSON_1], [PERSON_2]"
    assert mask.unmask("[PERSON_1] and [person_2]") == "Robin  Goodwin and Robin"
    assert people_pattern([]) is None


def test_credentials_are_masked_too() -> None:
    mask, secret = Mask(), "ghp_" + "a1B2" * 9
    masked = mask.mask(f"The token is {secret}; see https://robin:hunter2@example.org/x")
    assert masked == "The token is [SECRET_1]; see https://[LOGIN_1]@example.org/x"
    assert secret in mask.unmask(masked)


def test_equal_values_share_a_placeholder_over_all_texts_of_a_prompt() -> None:
    mask = Mask()
    assert mask.mask("a@example.com, b@example.com, A@Example.com") == "[EMAIL_1], [EMAIL_2], [EMAIL_1]"
    assert mask.mask("b@example.com") == "[EMAIL_2]"
    assert mask.mask("+49 30 901820 or +4930901820") == "[PHONE_1] or [PHONE_1]"


def test_a_text_that_holds_a_placeholder_survives() -> None:
    mask, text = Mask(), "Use [EMAIL_1] or [person_12], not a@example.com or [TEXT_1]."
    assert mask.mask(text) == "Use [TEXT_1] or [TEXT_2], not [EMAIL_1] or [TEXT_3]."
    assert mask.unmask(mask.mask(text)) == text


@pytest.mark.parametrize("text", ["[EMAIL_1]", "x [PHONE_99] y", "[secret_1]"])
def test_a_placeholder_that_was_never_given_is_told(text: str) -> None:
    with pytest.raises(UnknownPlaceholder):
        Mask().unmask(text)


PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from([value for _, value in SEEN]),
    st.sampled_from(
        [f"[{kind}_{n}]" for kind in KINDS for n in (1, 2)] + ["https://u:pw1@h/", " ", "Robin", "@", "+", "::"]
    ),
    st.text(alphabet="0123456789 -./+():", max_size=30),
)


@given(st.lists(st.lists(PIECES, max_size=6).map("".join), max_size=4))
def test_every_text_comes_back(texts: list[str]) -> None:
    mask = Mask(["Robin"])
    masked = [mask.mask(text) for text in texts]
    assert masked == [Mask(["Robin"]).mask(texts[0]), *masked[1:]] if texts else True
    spelled: dict[str, set[str]] = {}
    for text, shown in zip(texts, masked, strict=True):
        values = [text[start:end] for start, end, _ in find_personal(text, people_pattern(["Robin"]))]
        for placeholder, value in zip(re.findall(r"\[[A-Z]+_\d+\]", shown), values, strict=True):
            spelled.setdefault(placeholder, set()).add(value)
    for text, shown in zip(texts, masked, strict=True):
        if all(len(spelled[p]) == 1 for p in re.findall(r"\[[A-Z]+_\d+\]", shown)):
            assert mask.unmask(shown) == text


@given(st.text(max_size=300))
def test_findings_lie_in_order_and_apart(text: str) -> None:
    at = 0
    for start, end, kind in find_personal(text):
        assert at <= start < end <= len(text)
        assert kind in KINDS
        at = end


@pytest.mark.parametrize(
    "piece",
    [
        "1 ",
        "a@",
        "a.",
        "+1",
        "(0)",
        "0-",
        ":1",
        "://a:",
        "1.1.",
        "DE12 ",
        "call me ",
        "1",
        "-",
        "A" * 6 + "1",
        "[EMAIL_",
        "@a.",
    ],
)
def test_crafted_text_costs_no_more_than_its_length(piece: str) -> None:
    started = time.process_time()
    find_personal(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 3


def test_on_a_set_made_for_it(shared_data: Path) -> None:
    """Recall is a share of what the set marks, precision of what was found; both for the types that are covered."""
    names = {
        "EMAIL_ADDRESS": "EMAIL", "PHONE_NUMBER": "PHONE", "IBAN_CODE": "IBAN", "CREDIT_CARD": "CARD", "IP_ADDRESS": "IP",
        "US_SSN": "ID",
    }  # fmt: skip
    marked, caught, found, true = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for line in (shared_data / "pii" / "presidio_synth_v2.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        spans = [(s["start"], s["end"], names.get(s["type"], "")) for s in row["spans"]]
        mine = find_personal(row["text"])
        for start, end, kind in spans:
            marked[kind] += 1
            caught[kind] += any(a <= start and b >= end for a, b, _ in mine)
        for a, b, kind in mine:
            found[kind] += 1
            true[kind] += any(kind == k and start < b and a < end for start, end, k in spans)
    for kind, least in {"EMAIL": 1.0, "IBAN": 1.0, "IP": 1.0, "ID": 1.0, "CARD": 0.98, "PHONE": 0.8}.items():
        assert caught[kind] >= least * marked[kind], (kind, caught[kind], marked[kind])
        assert true[kind] == found[kind], kind
