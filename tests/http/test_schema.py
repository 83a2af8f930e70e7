"""Whatever the schema allows is answered as the schema says: generated requests to every operation, alone and in chains."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import checks

from reverie.clock import CountingIds, FixedClock
from served import opened

EXAMPLES = int(os.environ.get("REVERIE_TEST_EXAMPLES", "12"))
MANY = int(os.environ.get("REVERIE_TEST_EXAMPLES", "200"))
CHECKS = [
    checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
    checks.response_headers_conformance, checks.response_schema_conformance,
]  # fmt: skip
BATCH = 10
QUIET = [
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
    HealthCheck.function_scoped_fixture,
]


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return str(value).encode("utf-8", "replace")


@pytest.fixture
def schema(url):
    with ExitStack() as stack:
        served = opened(stack, url, FixedClock(), CountingIds())
        for n in range(5):
            served.remember(f"Ana lives in house {n} of Oslo.")
        key = {"authorization": f"Bearer {served.key}"}
        yield schemathesis.openapi.from_asgi("/v1/openapi.json", served.client.app, headers=key), key


def each_operation(schema, key, examples: int) -> int:
    from hypothesis import given

    n = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith("/events"):
            continue  # a stream without an end is no answer to check

        @settings(max_examples=examples, deadline=None, suppress_health_check=QUIET, database=None, derandomize=True,
                  phases=[Phase.explicit, Phase.generate])  # fmt: skip
        @given(case=operation.as_strategy())
        def every(case):
            nonlocal n
            n += 1
            case.call_and_validate(headers=key, checks=CHECKS)

        every()
    return n


def test_every_operation_answers_as_its_schema_says(schema):
    assert each_operation(*schema, EXAMPLES) >= 40


@pytest.mark.slow
def test_every_operation_answers_as_its_schema_says__many(schema):
    n = each_operation(*schema, MANY)
    print(f"{n} requests")
    assert n >= 40 * MANY * 0.5


def in_chains(schema, key, examples: int) -> None:
    machine = schema.as_state_machine()

    class Chains(machine):
        def get_call_kwargs(self, case):
            return {"headers": key}

        def validate_response(self, response, case, additional_checks=(), **how):
            case.validate_response(response, checks=CHECKS)

    batches = max(1, examples // BATCH)
    how = settings(max_examples=BATCH, stateful_step_count=8, deadline=None, suppress_health_check=QUIET, database=None,
                   derandomize=batches == 1, phases=[Phase.generate])  # fmt: skip
    changed = 0
    for _ in range(batches):
        try:
            run_state_machine_as_test(Chains, settings=how)
        except FlakyStrategyDefinition:
            changed += 1  # the server answered a repeated request otherwise than before, as it had changed meanwhile
    assert changed <= batches // 2


def test_chains_of_requests_answer_as_their_schema_says(schema):
    in_chains(*schema, EXAMPLES)


@pytest.mark.slow
def test_chains_of_requests_answer_as_their_schema_says__many(schema):
    in_chains(*schema, MANY)
