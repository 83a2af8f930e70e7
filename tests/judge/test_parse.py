"""The total parser: any bytes become an answer that `checking` lets through, or `Unanswered`; nothing is mended."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reverie.judge.checking import checked
from reverie.judge.parse import DEPTH, SIZE, answers, read_object
from reverie.judge.questions import (
    ANSWERS,
    Abstract,
    Abstracted,
    Act,
    Candidate,
    Cause,
    Composed,
    Condense,
    FindNames,
    Groups,
    Identified,
    Identify,
    Label,
    Labelled,
    Names,
    Portray,
    Portrayed,
    Proposed,
    Relate,
    Related,
    SameEntity,
    Suggest,
    Unanswered,
    Verdict,
)
from reverie.judge.reply import Got, Lost, Outcome, outcome, seconds
from reverie.model import Kind
from reverie.text.personal import Mask


def shown(text: str) -> Candidate:
    return Candidate(text, text, text.encode("utf-8", "replace"))


A, B, C = shown("Alice pays 10 euros."), shown("Bob pays 20 euros."), shown("Nobody pays.")
PAIR = Relate(A, B)
QUESTIONS = [
    PAIR, SameEntity((A, B, C)), Identify(A, (B, C)), Abstract((A, B), (C,)), Condense((A, B), 60), Suggest(A, (B,)),
    FindNames(A), Portray((A, B), ("money", "people")), Label(A, ("x", "y")),
]  # fmt: skip


def one(question: Any, raw: bytes | str | dict[str, Any]) -> Any:
    (got,) = answers([question], json.dumps(raw) if isinstance(raw, dict) else raw)
    return got


@pytest.mark.parametrize(
    ("question", "raw", "answer"),
    [
        (PAIR, {"items": [{"item": 0, "verdict": "same", "because": "x"}], "more": 1}, Related(Verdict.SAME)),
        (SameEntity((A, B, C)), {"groups": [[0, 2], [1]]}, Groups(((0, 2),))),
        (Identify(A, (B, C)), {"number": 1}, Identified(1)),
        (Identify(A, (B, C)), {"number": None}, Identified(None)),
        (Condense((A, B), 60), {"text": " Alice pays 10 euros. "}, Composed("Alice pays 10 euros.")),
        (Suggest(A, (B,)), {"text": None}, Composed(None)),
        (FindNames(A), {"names": ["Alice", "Alice"]}, Names(("Alice",))),
        (Label(A, ("x", "y")), {"number": 1}, Labelled("y")),
        (
            Portray((A, B), ("money", "people")),
            {"parts": [{"heading": 1, "text": "Alice pays.", "sources": [0, 0]}]},
            Portrayed((("people", "Alice pays.", (0,)),)),
        ),
        (
            Abstract((A, B), (C,)),
            {
                "proposals": [
                    {"act": "replace", "sources": [0, 1], "known": 0, "kind": "fact", "text": "Alice pays."},
                    {"act": "merge", "sources": [1], "known": 0, "kind": None, "text": None},
                ]
            },
            Abstracted(
                (Proposed(Act.REPLACE, (0, 1), 0, Kind.FACT, "Alice pays."), Proposed(Act.MERGE, (1,), 0, None, None))
            ),
        ),
    ],
)
def test_good_answers(question: Any, raw: dict[str, Any], answer: Any) -> None:
    assert one(question, raw) == answer
    assert type(answer) is ANSWERS[type(question)]


@pytest.mark.parametrize(
    ("question", "raw", "cause"),
    [
        (PAIR, {"items": [{"item": True, "verdict": "same"}]}, Cause.MALFORMED),
        (PAIR, {"items": [{"item": "0", "verdict": "same"}]}, Cause.MALFORMED),
        (PAIR, {"items": [{"item": 0.0, "verdict": "same"}]}, Cause.MALFORMED),
        (PAIR, {"items": [{"item": 0, "verdict": "SAME"}]}, Cause.MALFORMED),
        (PAIR, {"items": [{"item": 0, "verdict": ["same"]}]}, Cause.MALFORMED),
        (PAIR, {"items": [{"item": 1, "verdict": "same"}]}, Cause.WRONG_NUMBER),
        (PAIR, {"items": {"item": 0}}, Cause.MALFORMED),
        (PAIR, {"items": []}, Cause.MALFORMED),
        (PAIR, {}, Cause.MALFORMED),
        (SameEntity((A, B)), {"groups": [[0, 2]]}, Cause.WRONG_NUMBER),
        (SameEntity((A, B, C)), {"groups": [[0, 1], [1, 2]]}, Cause.MALFORMED),
        (SameEntity((A, B)), {"groups": [["0", "1"]]}, Cause.MALFORMED),
        (Identify(A, (B,)), {"number": 1}, Cause.WRONG_NUMBER),
        (Identify(A, (B,)), {"number": -1}, Cause.WRONG_NUMBER),
        (Identify(A, ()), {"number": 0}, Cause.WRONG_NUMBER),
        (Identify(A, (B,)), {"number": "0"}, Cause.MALFORMED),
        (Condense((A,), 60), {"text": None}, Cause.MALFORMED),
        (Condense((A,), 60), {"text": ["x"]}, Cause.MALFORMED),
        (Condense((A,), 60), {"text": "  "}, Cause.MALFORMED),
        (Condense((A,), 60), {"text": "Alice pays 99 euros."}, Cause.UNSUPPORTED),
        (Condense((A,), 10), {"text": "Alice pays 10 euros."}, Cause.UNSUPPORTED),
        (Condense((A,), 60), {"text": "Alice \ud800 pays."}, Cause.MALFORMED),
        (FindNames(A), {"names": ["Carol"]}, Cause.UNSUPPORTED),
        (FindNames(A), {"names": [1]}, Cause.MALFORMED),
        (FindNames(A), {"names": ["Alice"] * 1001}, Cause.MALFORMED),
        (Label(A, ("x",)), {"number": 1}, Cause.WRONG_NUMBER),
        (Label(A, ("x",)), {"label": "x"}, Cause.MALFORMED),
        (Portray((A,), ("h",)), {"parts": [{"heading": 1, "text": "x", "sources": [0]}]}, Cause.WRONG_NUMBER),
        (Portray((A,), ("h",)), {"parts": [{"heading": 0, "text": "x", "sources": []}]}, Cause.MALFORMED),
        (Portray((A,), ("h",)), {"parts": ["x"]}, Cause.MALFORMED),
        (Abstract((A,)), {"proposals": [{"act": "delete", "sources": [0]}]}, Cause.MALFORMED),
        (Abstract((A,)), {"proposals": [{"act": "abstract", "sources": [1], "kind": "fact", "text": "x"}]}, Cause.WRONG_NUMBER),
        (Abstract((A,)), {"proposals": [{"act": "abstract", "sources": [0], "kind": "episode", "text": "x"}]}, Cause.MALFORMED),
        (Abstract((A,)), {"proposals": [{"act": "abstract", "sources": [0], "kind": "fact", "text": None}]}, Cause.MALFORMED),
        (Abstract((A,)), {"proposals": [{"act": "abstract", "kind": "fact", "text": "x"}]}, Cause.MALFORMED),
        (Abstract((A,)), {"proposals": [7]}, Cause.MALFORMED),
    ],
)  # fmt: skip
def test_answers_that_are_not_taken(question: Any, raw: dict[str, Any], cause: Cause) -> None:
    got = one(question, raw)
    assert isinstance(got, Unanswered)
    assert got.cause is cause


GOOD = '{"items":[{"item":0,"verdict":"same"}]}'


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        f"  \n{GOOD}\n\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f'Here\'s the "answer" you {{asked}} for: {GOOD} I hope [this] helps}}',
        f"<think>I could say {GOOD.replace('same', 'unsure')}</think>{GOOD}",
        f"drafting {GOOD.replace('same', 'unsure')}\n</think>\n\n{GOOD}",
    ],
)
def test_what_stands_around_one_object_is_taken_off(raw: bytes | str) -> None:
    assert one(PAIR, raw) == Related(Verdict.SAME)


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\xff", b"\x00", "null", "[]", "7", '"x"', "{", "{}}", GOOD[:-1], GOOD + GOOD, GOOD.replace("]", ",]"),
        GOOD.replace("}", ",}", 1), GOOD.replace('"', "'"), f"[{GOOD}, {GOOD}]",
        f"[{GOOD}]", f"```json\n[\n{GOOD}\n]\n```", '{"items":NaN}', '{"items":-Infinity}',
        '{"items":[{"item":0,"item":0,"verdict":"same"}]}', '{"items":[],"items":[{"item":0,"verdict":"same"}]}',
        '{"items":[{"item":0,"verdict":"same"}],"n":' + "9" * 5000 + "}", '{"n":1.' + "9" * 5000 + "}",
        '{"n":' * 100_000, '{"n":' + "[" * 100_000 + "]" * 100_000 + "}", "{" * 100_000, '{"n":"' + "\\" * 99_999,
        '{"items":[{"item":0,"verdict":"same"}]' + ',"a":' + "[" * (DEPTH + 1) + "]" * (DEPTH + 1) + "}",
    ],
)  # fmt: skip
def test_what_is_malformed_is_not_mended(raw: bytes | str) -> None:
    started = time.process_time()
    got = one(PAIR, raw)
    assert isinstance(got, Unanswered)
    assert got.cause is Cause.MALFORMED
    assert time.process_time() - started < 1
    assert len(got.detail) < 80


def test_long_replies() -> None:
    assert one(PAIR, b" " * (SIZE + 1)).cause is Cause.TOO_LARGE
    assert one(PAIR, '{"items":[{"item":0,"verdict":"same"}],"s":"' + "x" * 1_000_000 + '"}') == Related(Verdict.SAME)
    assert one(Condense((A,), 60), {"text": "x" * 1_000_000}).cause is Cause.UNSUPPORTED
    for crafted in ('{"a":"' * 150_000, '{"a' * 300_000, '"{' * 400_000, "{}" * 500_000, '{"a":{' * 160_000):
        started = time.process_time()
        assert isinstance(one(PAIR, crafted), Unanswered)
        assert time.process_time() - started < 3


def test_an_item_by_itself() -> None:
    def verdicts(*items: tuple[int, str]) -> list[Any]:
        raw = json.dumps({"items": [{"item": k, "verdict": v} for k, v in items]})
        return [getattr(a, "verdict", getattr(a, "cause", None)) for a in answers([PAIR] * 3, raw)]

    same, other = Verdict.SAME, Verdict.UNRELATED
    assert verdicts((2, "same"), (0, "same"), (1, "unrelated")) == [same, other, same]
    assert verdicts((0, "same"), (0, "same"), (2, "same")) == [same, Cause.MALFORMED, same]
    assert verdicts((0, "same"), (0, "unrelated"), (1, "same"), (2, "same")) == [Cause.MALFORMED, same, same]
    assert verdicts((0, "same"), (0, "maybe"), (1, "same"), (2, "same")) == [Cause.MALFORMED, same, same]
    assert verdicts((0, "same"), (1, "same"), (2, "same"), (3, "same")) == [same] * 3
    assert verdicts((0, "same"), (1, "same"), (3, "same")) == [same, same, Cause.WRONG_NUMBER]
    assert [a.cause for a in answers([PAIR] * 3, "no")] == [Cause.MALFORMED] * 3


def test_placeholders_are_put_back_and_invented_ones_are_malformed() -> None:
    mask = Mask(["Alice"])
    question = Condense((shown("Alice has a@example.com."),), 100)
    masked = mask.mask(question.sources[0].text)
    assert answers([question], json.dumps({"text": masked}), mask.unmask) == [Composed("Alice has a@example.com.")]
    (got,) = answers([question], json.dumps({"text": "[PERSON_2] has it."}), mask.unmask)
    assert got.cause is Cause.MALFORMED


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 30), st.integers(), st.floats(), st.text(max_size=20),
    st.sampled_from(["same", "contradicts", "abstract", "merge", "link", "replace", "fact", "Alice pays 10 euros.", "[EMAIL_1]"]),
)  # fmt: skip
KEYS = st.sampled_from(
    ["items", "item", "verdict", "groups", "number", "proposals", "act", "sources", "known", "kind", "text", "names", "parts",
     "heading", "choices", "message", "content", "output", "usage", "status", "error", "code", "x"]
)  # fmt: skip
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
SHAPED = st.one_of(
    st.fixed_dictionaries({"items": st.lists(st.fixed_dictionaries({"item": LEAVES, "verdict": LEAVES}) | JSON, max_size=6)}),
    st.fixed_dictionaries({"groups": st.lists(st.lists(st.integers(-1, 4)) | JSON, max_size=4)}),
    st.fixed_dictionaries({"number": LEAVES, "text": LEAVES, "names": st.lists(LEAVES, max_size=4)}),
    st.fixed_dictionaries(
        {"proposals": st.lists(
            st.fixed_dictionaries(
                {"act": LEAVES, "sources": st.lists(st.integers(-1, 3)), "known": LEAVES, "kind": LEAVES, "text": LEAVES}
            ),
            max_size=4,
        )}
    ),
    st.fixed_dictionaries(
        {"parts": st.lists(
            st.fixed_dictionaries({"heading": LEAVES, "text": LEAVES, "sources": st.lists(st.integers(-1, 3))}), max_size=4
        )}
    ),
    JSON,
)  # fmt: skip
RAW = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300),
    SHAPED.map(json.dumps),
    SHAPED.map(lambda v: f"So:\n```json\n{json.dumps(v)}\n```"),
    st.tuples(SHAPED.map(json.dumps), st.integers(0, 200)).map(lambda v: v[0][: v[1]]),
    st.text(alphabet='{}[]",:\\ 0123456789.eE-+tfnulasx\ud800\x00', max_size=80),
)


@settings(max_examples=1200)
@given(raw=RAW, which=st.sampled_from(QUESTIONS), several=st.integers(1, 25))
@example(raw='{"items":[{"item":0,"verdict":"\\ud800"}]}', which=PAIR, several=1)
def test_anything_becomes_an_answer_or_unanswered(raw: bytes | str, which: Any, several: int) -> None:
    questions = [which] * (several if isinstance(which, Relate) else 1)
    got = answers(questions, raw, Mask().unmask)
    assert len(got) == len(questions)
    for answer in got:
        assert isinstance(answer, Unanswered) or type(answer) is ANSWERS[type(which)]
        assert checked(which, answer) == answer
        if isinstance(answer, Unanswered):
            assert answer.cause in (Cause.MALFORMED, Cause.WRONG_NUMBER, Cause.UNSUPPORTED, Cause.TOO_LARGE)


ENVELOPES = st.one_of(
    st.binary(max_size=200),
    JSON.map(lambda v: json.dumps(v).encode()),
    st.fixed_dictionaries({"choices": JSON, "usage": JSON}).map(lambda v: json.dumps(v).encode()),
    st.fixed_dictionaries({"output": JSON, "status": LEAVES, "incomplete_details": JSON, "usage": JSON}).map(
        lambda v: json.dumps(v).encode()
    ),
    st.fixed_dictionaries({"error": JSON}).map(lambda v: json.dumps(v).encode()),
)


@settings(max_examples=400)
@given(
    status=st.sampled_from([200, 201, 204, 301, 400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 503, 529, 999]),
    body=ENVELOPES,
    api=st.sampled_from(["responses", "chat"]),
)
def test_any_status_and_body_have_an_outcome(status: int, body: bytes, api: Any) -> None:
    got = outcome(Got(status, body, None), api)
    assert isinstance(got, Outcome)
    assert (got.cause is None) <= (200 <= status < 300)
    assert isinstance(got.text, str)
    assert all(n is None or 0 <= n < 10**9 for n in (got.tokens_in, got.tokens_out))


def test_what_was_lost_has_an_outcome() -> None:
    assert outcome(Lost(Cause.UNAVAILABLE, "x"), "chat").again
    assert not outcome(Lost(Cause.TIMEOUT, "x"), "chat").again


DATE = "Fri, 02 Jan 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("after", "date", "wait"),
    [
        (None, DATE, None), ("7", None, 7.0), (" 0 ", None, 0.0), ("-1", None, None), ("1e9", None, None), ("²", None, None),
        ("soon", DATE, None), ("Fri, 02 Jan 2026 10:00:09 GMT", DATE, 9.0), ("Fri, 02 Jan 2026 09:00:00 GMT", DATE, 0.0),
        ("Fri, 02 Jan 2026 10:00:09 GMT", None, None), ("Fri, 02 Jan 2026 10:00:09 GMT", "x", None),
        ("Fri, 02 Jan 2026 10:00:09 -0000", DATE, None), ("9" * 400, None, float("inf")),
    ],
)  # fmt: skip
def test_retry_after(after: str | None, date: str | None, wait: float | None) -> None:
    assert seconds(after, date) == wait


def test_an_envelope_is_no_place_for_prose() -> None:
    assert isinstance(read_object(f"so: {GOOD}"), Unanswered)
    assert isinstance(read_object(f"so: {GOOD}", around=True), dict)
