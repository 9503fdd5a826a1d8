"""Run folders and checkpoints of earlier versions: their keys become today's here, and nowhere else.

| then | now |
|---|---|
| `settings.parts`, texts | `settings.overrides`, values |
| `algorithm`, the whole configuration | `configuration` |
| `algorithm.algorithm`, how the algorithm plans | `configuration.planning` |
| `algorithm.algorithm.name` | `configuration.planning.algorithm` |
| `algorithm.algorithm.interactions` | `configuration.planning.steps_per_action` |
| `parts` in a line of a suite, a text | `overrides`, a text |

Data that already has today's keys is returned as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from widthwise.online.presets import FIRST
from widthwise.training.overrides import OLD_NAMES, override_texts, parse_overrides, plain_overrides

#: The values that settings had before they existed. A run from then continues with them.
BEFORE: dict[str, dict[str, Any]] = {
    "planning": {
        "doubt": False,
        "high_features": "tiles",
        "gray": False,
        "life_penalty": 0.0,
        "clip_rewards": False,
        "untried_worth": True,
        "root_actions": False,
        "ends_novel": False,
        "reward_temperature": 0.0,
        "count_temperature": 0.0,
        "target_prior": False,
        "tie_tolerance": 0.0,
    },
    "learning": {
        "encoded": False,
        "tree_targets": 0,
        "tree_share": 0.5,
        "tree_values": True,
        "segment": 0,
        "bootstrap": 0,
        "shift": 0,
        "value_support": "auto",
        "zero_heads": True,
        "raw_input": False,
        "archive": 0,
        "replanning": False,
        "rehearsal": 5_000,
        "interim": 0,
        "demonstration_share": 0.25,
        "self_imitation": False,
        "start_share": 0.0,
        "rare_bonus": 0.0,
    },
}


def upgrade_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The `config.json` of a training run with today's keys; raises `UsageError` if a setting cannot be read."""
    upgraded = dict(config)
    if isinstance(upgraded.get("settings"), Mapping):
        upgraded["settings"] = upgrade_settings(upgraded["settings"])
    if "configuration" not in upgraded and "algorithm" in upgraded:
        upgraded["configuration"] = upgraded.pop("algorithm")
    if isinstance(upgraded.get("configuration"), Mapping):
        upgraded["configuration"] = upgrade_configuration(upgraded["configuration"])
    return upgraded


def upgrade_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run; without a preset it was begun by version 0.1, without bounded evaluations and actors."""
    before = {"preset": FIRST, "evaluation_share": 0.0, "actors": 1, "asynchronous": False, "max_lag": 1_000}
    upgraded = {**before, **settings}
    parts = upgraded.pop("parts", None)
    if parts is not None and "overrides" not in upgraded:
        texts = [f"{name}={text}" for name, text in parts.items()]
        upgraded["overrides"] = plain_overrides(parse_overrides(texts))
    return upgraded


def upgrade_configuration(data: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration in `config.json` and in checkpoints, settings that did not exist then included."""
    upgraded = dict(data)
    if "planning" not in upgraded and "algorithm" in upgraded:
        upgraded["planning"] = upgraded.pop("algorithm")
        if isinstance(upgraded["planning"], Mapping):
            names = {"name": "algorithm", **OLD_NAMES}
            upgraded["planning"] = {names.get(name, name): value for name, value in upgraded["planning"].items()}
    for part, values in BEFORE.items():
        if isinstance(upgraded.get(part), Mapping):
            upgraded[part] = {**values, **upgraded[part]}
    planning = upgraded.get("planning")
    if isinstance(planning, Mapping) and isinstance(planning.get("behaviour"), Mapping):
        upgraded["planning"] = {**planning, "behaviour": {"tie_tolerance": 0.0, **planning["behaviour"]}}
    return upgraded


def upgrade_checkpoint(about: Any) -> Any:
    """The description of the run in a checkpoint, with today's keys."""
    if not isinstance(about, Mapping):
        return about
    configuration = about.get("configuration", about.get("algorithm"))
    if not isinstance(configuration, Mapping):
        return about
    upgraded = {name: value for name, value in about.items() if name != "algorithm"}
    return {**upgraded, "configuration": upgrade_configuration(configuration)}


def upgrade_suite_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a suite of training runs, as plain data; raises `UsageError` if one cannot be read."""
    upgraded = dict(settings)
    parts = upgraded.pop("parts", None)
    if parts is not None and "overrides" not in upgraded:
        texts = [f"{name}={text}" for name, text in parts.items()]
        upgraded["overrides"] = plain_overrides(parse_overrides(texts))
    return upgraded


def upgrade_suite_line(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line of a suite of training runs; raises `UsageError` if its settings cannot be read."""
    if "overrides" in line or "parts" not in line:
        return dict(line)
    texts = override_texts(parse_overrides([part for part in line["parts"].split(",") if part]))
    upgraded = {name: value for name, value in line.items() if name != "parts"}
    return {**upgraded, "overrides": ",".join(f"{name}={value}" for name, value in texts.items())}
