"""The OpenAPI document of the service, made from the table of fields."""

from __future__ import annotations

from typing import Any

from widthwise.classical.examples import find
from widthwise.service.fields import KINDS, SUMMARIES, schema
from widthwise.service.limits import ServiceLimits
from widthwise.version import __version__

_ERROR = {"$ref": "#/components/schemas/Error"}
_CODES = {
    "400": "The request does not have the documented form.",
    "403": "The request is for another host, or from a web page of another site.",
    "413": "The request is too large.",
    "415": "The request is not JSON.",
    "422": "The PDDL or the plan has a mistake, or uses something that is not supported.",
    "429": "Too many requests are already waiting. Try again later.",
    "500": "The worker process ended before it answered.",
    "503": "The service is shutting down.",
}
_ANSWERS = {
    "solve": "How the search ended: `status` is solved, unsolvable (proved), exhausted, out-of-nodes, out-of-time or "
    "out-of-memory; `plan` is a list of actions, `plan_text` is the same as a plan file.",
    "validate": "`status` is valid or not-valid, or a limit that was reached; `reason` and `step` say what fails.",
    "profile": "The width of every goal, as `widthwise profile --json` prints it.",
    "explain": "`explanation` says in words what fails and why.",
}
_SOLVER = "The interface of solver.planning.domains. The answer has a `status`, ok or error, and a `result`."
_PACKAGES = "The interface of planning-as-a-service."


def document(limits: ServiceLimits) -> dict[str, Any]:
    """The OpenAPI document of a service with these limits.

    Args:
        limits: The limits; they appear as the largest allowed values.

    Returns:
        The document as plain data.

    Example:
        >>> from widthwise.service.limits import ServiceLimits
        >>> from widthwise.service.openapi import document
        >>> document(ServiceLimits())["openapi"]
        '3.1.0'
    """
    paths: dict[str, Any] = {}
    for kind in KINDS:
        body = schema(kind, limits)
        answers = {"200": _answer(_ANSWERS[kind], {"$ref": "#/components/schemas/Answer"}), **_errors()}
        paths[f"/api/{kind}"] = {"post": _operation(kind, SUMMARIES[kind], body, answers, example=_example(kind))}
    foreign = _foreign(schema("solve", limits))
    ok = {"200": _answer(_SOLVER, {"$ref": "#/components/schemas/SolverAnswer"})}
    ok["400"] = _answer(_CODES["400"], {"$ref": "#/components/schemas/SolverAnswer"})
    others = {**_errors("403", "413", "415", "429", "500", "503"), **ok}
    paths["/solve"] = {"post": _operation("solverSolve", _SOLVER, foreign, others)}
    paths["/validate"] = {"post": _operation("solverValidate", _SOLVER, _foreign(schema("validate", limits)), others)}
    paths["/solve-and-validate"] = {"post": _operation("solverBoth", _SOLVER, foreign, others)}
    paths |= _package_paths(foreign)
    paths |= {
        "/health": _get("health", "Whether the service is running, and how many requests it has.", _object()),
        "/metrics": _get("metrics", "The metrics of the service, for Prometheus.", None),
        "/openapi.json": _get("document", "This document.", _object()),
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Widthwise",
            "version": __version__,
            "description": "Width-based planning for PDDL tasks. "
            f"A request is processed for at most {limits.seconds:g} seconds "
            f"with at most {limits.megabytes:g} MB, and has at most {limits.body_bytes:,} bytes. "
            f"{limits.workers} requests are processed at the same time; {limits.queue} more wait.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


def _schemas() -> dict[str, Any]:
    place = {"type": "integer", "minimum": 1}
    error = {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["request", "input", "unsupported", "service"]},
            "message": {"type": "string"},
            "where": {"type": "string", "description": "domain, problem, goal or plan"},
            "line": place,
            "column": place,
            "expected": {"type": "string"},
            "hint": {"type": "string"},
        },
        "required": ["kind", "message"],
    }
    return {
        "Answer": {
            "type": "object",
            "properties": {
                "status": {"type": "string"},
                "queue_seconds": {"type": "number", "description": "Seconds in the queue."},
                "work_seconds": {"type": "number", "description": "Seconds of work."},
            },
            "required": ["status", "queue_seconds"],
        },
        "Error": {"type": "object", "properties": {"error": error}, "required": ["error"]},
        "SolverAnswer": {
            "type": "object",
            "properties": {"status": {"type": "string", "enum": ["ok", "error"]}, "result": {"type": "object"}},
            "required": ["status", "result"],
        },
        "PackageError": {"type": "object", "properties": {"Error": {"type": "string"}}, "required": ["Error"]},
    }


def _package_paths(body: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "string"}
    names = [
        {"name": name, "in": "path", "required": True, "schema": {**text, "examples": [value]}}
        for name, value in (("package", "widthwise"), ("service", "solve"))
    ]
    either = {"anyOf": [{"$ref": "#/components/schemas/PackageError"}, _ERROR]}
    missing = {"404": _answer("There is no such package or service.", either)}
    link = _object(result={**text, "description": "Where the result will be available."})
    wrong = {"400": _answer(_CODES["400"], {"$ref": "#/components/schemas/PackageError"})}
    begun = {
        "200": _answer("The job has started.", link),
        **missing,
        **_errors("403", "413", "415", "429", "503"),
        **wrong,
    }
    job = [{"name": "job", "in": "path", "required": True, "schema": text}]
    gone = _errors("403", "404", "413", "400", "500", "503")
    state = {"200": _answer("`status` is PENDING, ok or error.", _object(status=text)), **gone}
    adaptor = {"type": "object", "properties": {"adaptor": text}}
    check = _operation("resultAs", "The result of a job, in the form of an adaptor.", adaptor, state, required=False)
    return {
        "/package": _get("packages", f"{_PACKAGES} The services it offers.", _object()),
        "/package/{package}/{service}": {
            "parameters": names,
            "get": {
                "operationId": "package",
                "summary": f"{_PACKAGES} The arguments of the service.",
                "responses": {"200": _answer("The manifest.", _object()), **missing, **_errors("403")},
            },
            "post": _operation("packageSolve", f"{_PACKAGES} Start a job.", body, begun),
        },
        "/check/{job}": {
            "parameters": job,
            "get": {"operationId": "result", "summary": f"{_PACKAGES} The result of a job.", "responses": state},
            "post": check,
            "delete": {"operationId": "cancel", "summary": "End a job and drop its result.", "responses": state},
        },
    }


def _operation(
    name: str,
    summary: str,
    body: dict[str, Any],
    answers: dict[str, Any],
    *,
    required: bool = True,
    example: dict[str, Any] | None = None,
) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": body}
    if example is not None:
        content["example"] = example
    request = {"required": required, "content": {"application/json": content}}
    return {"operationId": name, "summary": summary, "requestBody": request, "responses": dict(sorted(answers.items()))}


def _get(name: str, summary: str, answer: dict[str, Any] | None) -> dict[str, Any]:
    content = (
        {"text/plain": {"schema": {"type": "string"}}} if answer is None else {"application/json": {"schema": answer}}
    )
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "responses": {"200": {"description": summary, "content": content}, **_errors("403")},
        }
    }


def _answer(description: str, shape: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": shape}}}


def _errors(*codes: str) -> dict[str, Any]:
    texts = {**_CODES, "404": "There is no such job, or its result was dropped."}
    return {code: _answer(texts[code], _ERROR) for code in codes or _CODES}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties} if properties else {"type": "object"}


def _foreign(shape: dict[str, Any]) -> dict[str, Any]:
    """The schema of requests of other services: their other fields are ignored."""
    return {**shape, "additionalProperties": True}


def _example(kind: str) -> dict[str, Any]:
    family = find("corridor")
    data = {"domain": family.domain(), "problem": family.problem(length=2)}
    return (
        data
        if kind in ("solve", "profile")
        else {**data, "plan": "(walk p0 p1)\n(walk p1 p2)\n(take-key p2)\n(walk p2 p1)\n(walk p1 p0)"}
    )
