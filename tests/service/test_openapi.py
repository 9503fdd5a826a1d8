"""The service does what its own OpenAPI document says: random requests made from it find no server error."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from service_tools import Running, serving, texts


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with serving("--max-time", "0.5", "--max-memory", "200", "--workers", "2") as running:
        yield running


@pytest.fixture(scope="module")
def api(service: Running) -> Any:
    return schemathesis.openapi.from_url(f"{service.url}/openapi.json")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["allowed", "wrong"])
def test_every_answer_is_one_that_the_document_describes(api: Any, mode: GenerationMode) -> None:
    """Requests that the document allows, and requests that it does not; all checks of Schemathesis."""
    asked = 0
    for operation in api.get_all_operations():

        @given(case=operation.ok().as_strategy(generation_mode=mode))
        @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
        def check(case: schemathesis.Case[Any]) -> None:
            nonlocal asked
            asked += 1
            case.call_and_validate(excluded_checks=[positive_data_acceptance])  # texts need not be PDDL

        with contextlib.suppress(Unsatisfiable):  # a request without a body cannot be wrong
            check()
    assert asked > 60


def test_the_examples_of_the_document_work(service: Running) -> None:
    count = 0
    for path, methods in service.get("/openapi.json").json()["paths"].items():
        example = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        if "example" in example:
            answer = service.post(path, example["example"])
            assert answer.status_code == 200 and answer.json()["status"] in ("solved", "valid")
            count += 1
    assert count == 4


def test_the_limits_are_in_the_document(service: Running) -> None:
    body = service.get("/openapi.json").json()["paths"]["/api/solve"]["post"]["requestBody"]
    fields = body["content"]["application/json"]["schema"]["properties"]
    assert (fields["max_time"]["maximum"], fields["max_memory"]["maximum"]) == (0.5, 200)
    for name in ("max_time", "max_memory"):
        assert service.post("/api/solve", {**texts(), name: fields[name]["maximum"] + 1}).status_code == 400
