"""The shapes of the files in run folders: settings, lines of results, summaries. Every reader checks them first."""

from __future__ import annotations

from typing import Any

from widthwise.core.continuing import CONTINUED_BY
from widthwise.core.shape import (
    Mismatch,
    Shape,
    anything,
    both,
    fields,
    items,
    number,
    optional,
    switch,
    table,
    text,
    whole,
)

_SEED = whole(0)
_NUMBERS = items(number)
#: The origin of a run; no reader depends on it.
_MADE: dict[str, Shape] = {
    "command": text,
    "commit": optional(text),
    "versions": table(text),
    "machine": table(anything),
    CONTINUED_BY: items(
        fields({"interactions": whole(0), "versions": table(text), "commit": optional(text)}), most=1_000
    ),
}
_PUBLISHED_ROWS = table(table(fields({name: optional(number) for name in ("coverage", "nodes", "seconds")})))
_ROWS = items(fields({"name": text}, {"note": optional(text)}))

#: What decides a training run; the bounds keep a forged folder from asking for more than any machine has.
_RUN_SETTINGS = fields(
    {},
    {
        "environment": text,
        "algorithm": text,
        "interactions": whole(1),
        "seed": _SEED,
        "options": table(anything),
        "overrides": table(anything),
        "parts": table(text),  # of version 0.1
        "trees": whole(1, 4096),
        "refresh": switch,
        "preset": text,
        "chance": text,
        "evaluate_every": whole(0),
        "network_episodes": whole(1),
        "planner_episodes": whole(0),
        "evaluation_steps": optional(whole(1)),
        "evaluation_share": number,
        "actors": whole(1, 4096),
        "asynchronous": switch,
        "max_lag": whole(1),
    },
)
#: `algorithm` is of version 0.1 and has become `configuration`.
_CONFIGURED = {"algorithm": table(anything), "configuration": table(anything)}
_TRAINING = fields({}, {"label": text, "settings": _RUN_SETTINGS, **_CONFIGURED, **_MADE})
#: What a training run needs to continue, and to be reported.
_NAMED = dict.fromkeys(("environment", "algorithm", "seed"), anything)
RESUMED = both(_TRAINING, fields({"settings": fields({**_NAMED, "interactions": anything}), "configuration": anything}))
REPORTED = both(_TRAINING, fields({"settings": fields(_NAMED), "label": anything}))
_LEARNING = fields(
    {},
    {
        "settings": fields(
            {},
            {
                "environments": items(text),
                "algorithms": items(text),
                "seeds": items(_SEED),
                "interactions": whole(1),
                "evaluate_every": whole(1),
                "overrides": table(anything),
                "parts": table(text),  # of version 0.1
            },
        ),
        "published": table(table(number)),
        **_MADE,
    },
)
_CLASSICAL = fields(
    {
        "settings": fields(
            {"planners": items(text), "seeds": items(_SEED), "relevance": text, "budget": table(optional(number))}
        ),
        "rows": _ROWS,
    },
    {"published": fields({}, {"rows": _PUBLISHED_ROWS}), **_MADE},
)
_WHOLE = fields(
    {
        "settings": fields(
            {
                "planners": table(text),
                "limits": fields({"wall": optional(number), "cpu": optional(number)}, {"megabytes": optional(number)}),
            },
            {"seeds": items(optional(_SEED))},
        ),
        "rows": _ROWS,
    },
    _MADE,
)
#: What a report of a suite needs.
SUITES = {"classical": _CLASSICAL, "whole": _WHOLE}
_KINDS = {"training": _TRAINING, "learning": _LEARNING}


def config(value: Any, place: str) -> None:
    """The settings of a run of any kind: the fields present have their types. Readers determine which are required."""
    fields({}, {"kind": text, **_MADE})(value, place)
    _KINDS.get(value.get("kind", ""), anything)(value, place)


_FAILURE = fields({"kind": text, "reason": text})
_LINE_MADE: dict[str, Shape] = {"versions": table(text), "commit": optional(text), "command": text}
_PART = {"row": text, "instance": text, "planner": text, "width": text}


def _failed_or(shape: Shape) -> Shape:
    """A line of a suite: it has a failure, or else the fields of the shape."""

    def check(value: Any, place: str) -> None:
        fields({"failure": optional(_FAILURE)})(value, place)
        if value["failure"] is None:
            shape(value, place)

    return check


def _equally_long(*names: str) -> Shape:
    def check(value: Any, place: str) -> None:
        if len({len(value[name]) for name in names}) > 1:
            raise Mismatch(f"{', '.join(names)} are not equally long")

    return check


#: A line of single goals: one task, planner and seed.
GOALS_LINE = both(
    fields({**_PART, "seed": _SEED, "relevance": text}, _LINE_MADE),
    _failed_or(
        both(
            fields(
                {
                    "goal": items(text),
                    "status": items(text),
                    "generated": items(whole()),
                    "true_at_start": items(whole(0, 1)),
                    "seconds": _NUMBERS,
                }
            ),
            _equally_long("goal", "status", "generated", "true_at_start", "seconds"),
        )
    ),
)


def _solved_has_cost(value: Any, place: str) -> None:
    if value["status"] == "solved":
        fields({"cost": number, "plan_length": whole(), "plan_seconds": number})(value, place)


#: A line of whole problems: one problem, planner and seed.
WHOLE_LINE = both(
    fields({**_PART, "seed": optional(_SEED)}, {"cpu_seconds": number, **_LINE_MADE}),
    _failed_or(both(fields({"status": text, "reason": text}), _solved_has_cost)),
)
#: A line of a suite of training runs.
SUITE_LINE = both(
    # `parts` is of version 0.1 and has become `overrides`.
    fields({"environment": text, "algorithm": text, "seed": _SEED}, {"overrides": text, "parts": text}),
    _failed_or(fields({"interactions": whole()})),
)
#: A search: its settings, a line of its progress, and its result.
SEARCH = fields({"settings": fields({"environment": text, "seed": _SEED}, {"features": text})}, {"kind": text, **_MADE})
_BEST = {
    "interactions": whole(),
    "score": optional(number),
    "steps": whole(),
    "found_at": whole(),
    "high_level_states": items(whole()),
    "seconds": number,
}
SEARCH_LINE = fields(_BEST)
SEARCH_RESULT = fields({**_BEST, "finished": switch}, {"replayed": switch})
EPISODE = fields(
    {"interactions": whole(), "score": number, "steps": whole()},
    {"start": whole(), **{name: optional(number) for name in ("policy_loss", "value_loss")}},
)
EVALUATION = fields(
    {"interactions": whole()},
    {
        "evaluation_interactions": whole(),
        **{
            name: optional(number)
            for name in ("network_score", "network_steps", "planner_score", "planner_steps", "seconds")
        },
    },
)
LINES = {"classical": GOALS_LINE, "whole": WHOLE_LINE, "learning": SUITE_LINE}
