"""The fields of requests: one table for the checks, the OpenAPI document and the tools of the protocol server."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from widthwise.core.errors import WidthwiseError
from widthwise.portfolio.planner_names import NAMES
from widthwise.service.limits import ServiceLimits

Schema = dict[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}
_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}
_MOST_SEED = 2**63 - 1
_MOST_NODES = 2**53
_ATOMS = {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 10_000}}

#: What each kind of request has in addition to the fields that all have, in the order of the documentation.
KINDS: dict[str, tuple[str, ...]] = {
    "solve": ("goals", "planner", "width", "high", "seed", "max_nodes", "improve"),
    "validate": ("plan", "goals"),
    "profile": ("seed", "max_nodes"),
    "explain": ("plan", "goals"),
}
_EVERY = ("domain", "problem")
_LIMITS = ("max_time", "max_memory")
_REQUIRED = {"solve": (), "validate": ("plan",), "profile": (), "explain": ()}

#: What each kind of request does, in one sentence.
SUMMARIES = {
    "solve": "Find a plan for a PDDL task; every plan is validated before it is returned.",
    "validate": "Execute a plan on a PDDL task step by step and check the goal.",
    "profile": "Find the width of every goal of a PDDL task, and the first planner that solves it.",
    "explain": "Explain why a task or a plan fails: the line and column of a mistake in PDDL, the step of a plan that "
    "cannot be executed, or the goals that cannot be reached.",
}


class BadRequest(WidthwiseError):
    """A request does not have the documented form."""

    exit_code = 2


def fields(limits: ServiceLimits) -> dict[str, Schema]:
    """Every field that a request may have, as JSON schema."""
    text = {"type": "string", "minLength": 1, "maxLength": limits.body_bytes}
    return {
        "domain": {**text, "description": "The text of the PDDL domain."},
        "problem": {**text, "description": "The text of the PDDL problem."},
        "plan": {
            "type": "string",
            "maxLength": limits.body_bytes,
            "description": "The plan, one action such as (move a b) per line.",
        },
        "goals": {
            **_ATOMS,
            "description": "Conditions such as (on a b) that replace the goal of the problem. All have to hold.",
        },
        "planner": {"type": "string", "enum": list(NAMES), "default": "auto", "description": "The planner."},
        "width": {
            "type": "string",
            "maxLength": 100,
            "description": "The width, such as 2, or one width per level, such as 1,1, high level first.",
        },
        "high": {**_ATOMS, "description": "The high-level features of the planner hiw, such as (holding *)."},
        "seed": {
            "type": "integer",
            "minimum": 0,
            "maximum": _MOST_SEED,
            "description": "Permutes the order of operators. The same seed gives the same plan.",
        },
        "max_nodes": {
            "type": "integer",
            "minimum": 1,
            "maximum": _MOST_NODES,
            "description": "The maximum number of nodes to generate; in a profile, per search.",
        },
        "improve": {
            "type": "boolean",
            "default": False,
            "description": "Improve the first plan until the time limit is reached or no further improvement is found.",
        },
        "max_time": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": limits.seconds,
            "default": limits.seconds,
            "description": "Seconds of work on this request.",
        },
        "max_memory": {
            "type": "number",
            "minimum": 1,
            "maximum": limits.megabytes,
            "default": limits.megabytes,
            "description": "Megabytes for the task and the search.",
        },
    }


def schema(kind: str, limits: ServiceLimits) -> Schema:
    """The JSON schema of one kind of request."""
    known = fields(limits)
    names = (*_EVERY, *KINDS[kind], *_LIMITS)
    return {
        "type": "object",
        "properties": {name: known[name] for name in names},
        "required": [*_EVERY, *_REQUIRED[kind]],
        "additionalProperties": False,
    }


def read_request(kind: str, data: object, limits: ServiceLimits, *, ignore_unknown: bool = False) -> dict[str, Any]:
    """Check a request and return the job that it describes.

    Args:
        kind: One of `KINDS`.
        data: The request as plain data.
        limits: The limits of the service.
        ignore_unknown: Drop fields with other names instead of refusing them, as other services do.

    Returns:
        The job: its kind, its fields, and both limits.

    Raises:
        BadRequest: A field is missing, unknown or has a value that is not allowed.

    Example:
        >>> from widthwise.service.fields import read_request
        >>> from widthwise.service.limits import ServiceLimits
        >>> job = read_request("solve", {"domain": "(define ...", "problem": "(define ..."}, ServiceLimits(seconds=5))
        >>> job["kind"], job["max_time"]
        ('solve', 5)
    """
    shape = schema(kind, limits)
    known: dict[str, Schema] = shape["properties"]
    if not isinstance(data, Mapping):
        raise BadRequest(f"a request is an object with the fields {_listed(shape['required'])}")
    unknown = [name for name in data if name not in known]
    if unknown and not ignore_unknown:
        raise BadRequest(f"there is no field {str(unknown[0])[:100]!r}; the fields are {_listed(list(known))}")
    for name in shape["required"]:
        if data.get(name) is None:
            raise BadRequest(f"the field {name!r} is missing: give {_called(known[name])}")
    job: dict[str, Any] = {"kind": kind}
    for name, allowed in known.items():
        job[name] = data.get(name, allowed.get("default"))
        if name in data and job[name] is None:
            raise BadRequest(f"the field {name!r} is null: leave it out, or give {_called(allowed)}")
        if name in data and (problem := _problem(job[name], allowed)):
            raise BadRequest(f"the field {name!r} {problem}")
    return job


def _called(allowed: Schema) -> str:
    return _NAMES[allowed["type"]]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _problem(value: object, allowed: Schema) -> str:
    """What is wrong with a value, as the end of a sentence; nothing if it is allowed."""
    kind = allowed["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"has to be {_NAMES[kind]}"
    if isinstance(value, str):
        return _text_problem(value, allowed)
    if isinstance(value, list):
        if len(value) > allowed["maxItems"]:
            return f"has more than {allowed['maxItems']:,} entries"
        wrong = next((problem for entry in value if (problem := _problem(entry, allowed["items"]))), "")
        return wrong and f"has an entry that {wrong}"
    if isinstance(value, int | float) and kind != "boolean":
        return _number_problem(value, allowed)
    return ""


def _text_problem(value: str, allowed: Schema) -> str:
    if "enum" in allowed and value not in allowed["enum"]:
        return f"has to be one of {', '.join(allowed['enum'])}"
    if len(value) < allowed.get("minLength", 0):
        return "is empty"
    if len(value) > allowed.get("maxLength", math.inf):
        return f"is longer than {allowed['maxLength']:,} characters"
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair is not a character
        return "is not Unicode text"
    return ""


def _number_problem(value: float, allowed: Schema) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "has to be a number"
    shown = str(value)[:40]
    if "minimum" in allowed and value < allowed["minimum"]:
        return f"is {shown}: the minimum is {allowed['minimum']:,}"
    if "exclusiveMinimum" in allowed and value <= allowed["exclusiveMinimum"]:
        return f"is {shown}: give a number above {allowed['exclusiveMinimum']}"
    if "maximum" in allowed and value > allowed["maximum"]:
        return f"is {shown}: the maximum is {allowed['maximum']:,}"
    return ""
