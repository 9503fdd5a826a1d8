"""Presets: named sets of settings for planning and learning on simulators.

`default` is what works in practice, `paper` the settings that the paper gives, `authors` those of its authors' program,
`demonstration` learns from the best trajectory of search and planning without a network.
A preset gives a value to every setting in which presets differ; an option or argument given explicitly overrides it.
Presets differ by the kind of environment, which an environment declares with the attribute `preset_kind`.
The page docs/guide/presets.md lists the differences and the reasons; a test compares it with this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator

DEFAULT = "default"
#: The defaults of version 0.1, for runs that were begun with it; not offered for new ones.
FIRST = "0.1"

#: The kinds of environments for which presets differ.
KINDS = ("corridor", "small maze", "large maze", "atari", "other")


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings by name: those for every environment, and those for kinds of environments.

    Settings of planning: `planner` (hiw or riw), `play_life_penalty` and `play_tiles` (None: as `tiles`) for planning
    without a network; `tiles`, `colours`, `gray`, `high_width`, `width`, `steps_per_action` (simulator steps), `nodes`
    (kept in the tree), `behaviour`, `untried_worth`, `discount`. The others are settings of learning, with the names
    that `train --set` has; an `archive` below 1 is a share of the interactions of a run.
    """

    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of environments, by their prefix

    def of_kind(self, kind: str) -> dict[str, Any]:
        """All settings for a kind of environment."""
        return {**self.settings, **self.kinds.get(kind, {})}


Settings = Mapping[str, Any]

_PLANNING: Settings = {
    "planner": "hiw",
    "play_life_penalty": 0.0,
    "play_tiles": None,
    "tiles": (4, 4),
    "colours": 256,
    "gray": False,
    "high_width": 1,
    "width": 1,
    "steps_per_action": 100,
    "nodes": 500,
    "selection_temperature": 0.005,
    "behaviour": "ties",
    "untried_worth": True,
    "discount": 0.99,
}
#: The settings of a run that begins with a search, as they are without one.
_ALONE: Settings = {
    "dynamic": True,
    "value": True,
    "tie_tolerance": 0.0,
    "target_prior": False,
    "life_penalty": 0.0,
    "clip_rewards": False,
    "value_factor": 1.0,
    "archive": 0,
    "replanning": False,
    "rehearsal": 5_000,
    "interim": 0,
    "demonstration_share": 0.25,
    "self_imitation": False,
    "start_share": 0.0,
}
_NETWORK: Settings = {
    "value_support": "auto",
    "zero_heads": True,
    "raw_input": False,
}
_LEARNING: Settings = {
    **_ALONE,
    **_NETWORK,
    "target_temperature": 0.001,
    "doubt": True,
    "replay": 2_000,
    "epsilon": 0.01,
    "l2": 1e-4,
    "smooth": True,
    "patient": True,
    "calibration": 128,
}
_PAPER: Settings = {
    **_PLANNING,
    **_ALONE,
    **_NETWORK,
    "steps_per_action": 30,
    "target_temperature": 0.01,
    "doubt": False,
    "replay": 10_000,
    "epsilon": 0.1,
    "l2": 1e-3,
    "smooth": False,
    "patient": False,
    "calibration": 0,
}
_ATARI: Settings = {"tiles": (8, 11), "colours": 32, "high_width": "n", "steps_per_action": 100}
_PAPER_KINDS: Mapping[str, Settings] = {
    "corridor": {"tiles": (2, 2)},
    "small maze": {"tiles": (2, 2)},
    "large maze": {"tiles": (4, 4)},
    "atari": _ATARI,
    "other": {"tiles": (2, 2)},
}

#: Search and planning look for a trajectory first, and the network learns it.
_SHOWN: Settings = {
    "dynamic": False,
    "value": False,  # that of a single trajectory is too high elsewhere
    "behaviour": "prior",
    "tie_tolerance": 1.0,
    "target_prior": True,
    "life_penalty": 1_000.0,
    "clip_rewards": True,
    "value_factor": 0.0,
    "archive": 0.8,  # of the interactions of the run
    "replanning": True,
    "rehearsal": 8_000,
    "interim": 4,
    "demonstration_share": 0.5,
    "self_imitation": True,
    "start_share": 0.0,
}
#: With the last four frames, equal observations of a long trajectory can need different actions.
_SHOWN_OPTIONS: Mapping[str, Settings] = {"atari:": {"stack": 8, "spread": True}}
#: An option that a preset adds only together with another one: not every stack can be spread.
_TOGETHER = {"spread": "stack"}
_DEFAULT_KINDS: Mapping[str, Settings] = {
    "corridor": {"tiles": (2, 2)},
    # With features of a network below, finer tiles are better than with cells.
    "large maze": {"tiles": (8, 8), "play_tiles": (4, 4)},
    # The penalty is more than any reward.
    "atari": {**_ATARI, "planner": "riw", "nodes": 5_000, "play_life_penalty": 10_000.0, **_SHOWN},
    "other": {"steps_per_action": 30, "tiles": (2, 2)},
}

PRESETS: dict[str, Preset] = {
    DEFAULT: Preset(
        "what works in practice",
        {**_PLANNING, **_LEARNING},
        _DEFAULT_KINDS,
        _SHOWN_OPTIONS,
    ),
    "paper": Preset("the settings that the paper gives", _PAPER, _PAPER_KINDS),
    "authors": Preset(
        "the settings of the program that the paper's authors published",
        {
            **_PAPER,
            "nodes": 5_000,
            "behaviour": "counts",
            "untried_worth": False,
            "gray": True,
            "value_support": "authors",
            "zero_heads": False,
            "raw_input": True,
        },
        _PAPER_KINDS,
    ),
    "demonstration": Preset(
        "search and planning first, then learning from the best trajectory; the default in Atari games",
        {**_PLANNING, **_LEARNING, **_SHOWN},
        _DEFAULT_KINDS,
        _SHOWN_OPTIONS,
    ),
    FIRST: Preset("the defaults of version 0.1", {**_PLANNING, **_LEARNING, "steps_per_action": 30}, _PAPER_KINDS),
}
#: The presets to choose from.
NAMES = tuple(name for name in PRESETS if name != FIRST)


def preset_settings(name: str = DEFAULT, simulator: Simulator | None = None) -> dict[str, Any]:
    """The settings of a preset for an environment.

    Args:
        name: `default`, `paper`, `authors` or `demonstration`.
        simulator: The environment; without it, the settings are those for an unknown kind.

    Returns:
        A value for each setting, by name.

    Raises:
        UsageError: There is no such preset.

    Example:
        >>> ww.preset_settings("paper", ww.simulator("maze-small"))["steps_per_action"]
        30
    """
    if name not in PRESETS:
        raise UsageError(f"there is no preset {name!r}; the presets are {', '.join(NAMES)}")
    return PRESETS[name].of_kind("other" if simulator is None else kind_of(simulator))


def preset_options(name: str, environment: str) -> dict[str, Any]:
    """The options that a preset gives to the environment of a training run, by its name."""
    given = PRESETS[name].options if name in PRESETS else {}
    chosen = (options for prefix, options in given.items() if environment.startswith(prefix))
    return {key: value for options in chosen for key, value in options.items()}


def complete_options(name: str, environment: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the environment of a training run: those that were given, and those that a preset adds."""
    added = {key: value for key, value in preset_options(name, environment).items() if _TOGETHER.get(key) not in given}
    return {**added, **given}


def kind_of(simulator: Simulator) -> str:
    """The kind that an environment declares, one of `KINDS`; raises `UsageError` if there is no such kind."""
    kind = getattr(simulator, "preset_kind", "other")
    if kind not in KINDS:
        raise UsageError(f"preset_kind of {type(simulator).__name__} is {kind!r}; the kinds are {', '.join(KINDS)}")
    return str(kind)
