"""π-IW, π-IW+ and π-HIW as settings of the same planner; every part can be switched on or off separately.

| part | π-IW | π-IW+ | π-HIW |
|---|---|---|---|
| `guided`: the network's policy chooses actions in rollouts | yes | yes | yes |
| `dynamic`: the network's last hidden layer gives the features of the lowest level | yes | yes | yes |
| `value`: the network's value is a lower bound when returns are backed up | no | yes | yes |
| `doubt`: a positive value is not used again in states that the agent has visited in this episode | no | yes | yes |
| `ties`: subtree sizes decide between actions of equal return | no | yes | yes |
| `high_features`: Count-based Rollout IW above all that, over `tiles` of the image or the environment's `own` \
  high-level features | no | no | yes |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from widthwise.core.contract import environment_name
from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.simulator import Simulator
from widthwise.online.policies import Behaviour
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.online.values import check_discount
from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
from widthwise.simulator_search.rollout_iw import RolloutIW
from widthwise.task_search.hiw import HIW
from widthwise.training.algorithm_registry import ALGORITHMS, AUTO
from widthwise.training.upper_level import upper_level

#: The features that the upper level may have.
HIGH_FEATURES = ("tiles", "own")


@dataclass(frozen=True, slots=True)
class PlanningSettings:
    """How a learning algorithm plans: the parts that are switched on, and their settings."""

    algorithm: str = "pi-hiw"
    guided: bool = True
    dynamic: bool = True
    value: bool = True
    doubt: bool = True
    ties: bool = True
    tiles: tuple[int, int] | None = (2, 2)  # across and down; None: no hierarchy
    colours: int = 256  # values a tile may have
    gray: bool = False  # tiles of the brightness, not of the colour channels
    high_features: str = "tiles"  # or "own": the environment's own high-level features, and no tiles
    width: Width = 1
    high_width: Width = 1
    selection_temperature: float = 0.005  # of Count-based Rollout IW
    behaviour: Behaviour = field(default_factory=Behaviour)
    target_temperature: float = 0.001
    target_prior: bool = False  # targets are proportional to the network's policy as well
    discount: float = 0.99
    steps_per_action: int = 30  # simulator steps for one executed action
    nodes: int = 500  # kept in the tree
    life_penalty: float = 0.0  # what a lost life takes from the return of a step
    clip_rewards: bool = False  # a reward counts as 1 at most, and as -1 at least
    untried_worth: bool = True  # without a value, a node with untried actions is worth at least a leaf
    root_actions: bool = False  # every action of the root is executed at least once
    ends_novel: bool = False  # ends of episodes take novelty from other nodes
    reward_temperature: float = 0.0  # of the behaviour; 0: that of `behaviour`
    count_temperature: float = 0.0
    tie_tolerance: float = 0.0

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        for name in ("target_temperature", "steps_per_action", "nodes"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)!r}")
        if self.high_features not in HIGH_FEATURES:
            raise UsageError(f"high_features must be {' or '.join(HIGH_FEATURES)}, not {self.high_features!r}")
        if self.high_features == "own" and self.tiles is not None:
            raise UsageError("the upper level has tiles or the environment's own features: set tiles=none")
        for name in ("life_penalty", "reward_temperature", "count_temperature"):
            if not 0 <= getattr(self, name) < math.inf:
                raise UsageError(f"{name} must be a number of at least 0, not {getattr(self, name)!r}")
        check_discount(self.discount)
        self.acts_by()  # refuses what a behaviour refuses

    def planner(self) -> HIW | RolloutIW:
        """The planner: Rollout IW, in a hierarchy below Count-based Rollout IW."""
        low = RolloutIW(self.width, ends_novel=self.ends_novel)
        if not self.hierarchical:
            return low
        from widthwise.simulators.features import Tiles

        high = CountRolloutIW(self.high_width, self.selection_temperature, self.ends_novel)
        # A level of HIW without its own features uses those of the environment.
        return HIW(None if self.tiles is None else Tiles(*self.tiles, self.colours, gray=self.gray), high=high, low=low)

    @property
    def hierarchical(self) -> bool:
        """Whether there is a level above the network's features."""
        return self.tiles is not None or self.high_features == "own"

    def acts_by(self) -> Behaviour:
        """The behaviour policy; without `ties` it depends on the returns alone."""
        behaviour = self.behaviour if self.ties else replace(self.behaviour, formula="none")
        return replace(
            behaviour,
            reward_temperature=self.reward_temperature or behaviour.reward_temperature,
            count_temperature=self.count_temperature or behaviour.count_temperature,
            tie_tolerance=self.tie_tolerance or behaviour.tie_tolerance,
        )

    @property
    def title(self) -> str:
        """The name of the algorithm as the paper writes it."""
        if not self.hierarchical:
            return "π-IW+" if self.value or self.ties else "π-IW"
        return f"π-HIW({self.high_width},{self.width})"


def planning_settings(
    algorithm: str, simulator: Simulator | None = None, *, preset: str = DEFAULT, **overrides: Any
) -> PlanningSettings:
    """The settings of planning of an algorithm in an environment.

    Args:
        algorithm: `pi-iw`, `pi-iw+`, `pi-hiw`, or `auto`: pi-hiw where the environment has features for the upper
            level, pi-iw+ elsewhere, with the settings that the environment declares for it (`training_defaults`).
        simulator: the environment; its own high-level features take precedence over tiles of its image.
        preset: the preset for the settings that are not given.
        overrides: values for settings of `PlanningSettings`, by name.

    Returns:
        The settings.

    Raises:
        UsageError: there is no such algorithm or setting, the environment has no features for the upper level of
            pi-hiw, or a setting is for the upper level of another algorithm.

    Example:
        >>> planning_settings("auto", ww.simulator("CartPole-v1")).algorithm
        'pi-iw+'
    """
    if algorithm not in ALGORITHMS and algorithm != AUTO:
        raise UsageError(f"there is no algorithm {algorithm!r}; the algorithms are {', '.join(ALGORITHMS)}")
    known = {item.name for item in fields(PlanningSettings)} - {"algorithm"}
    for name in overrides:
        if name not in known:
            raise UsageError(f"unknown setting {name!r} of planning; the settings are {', '.join(sorted(known))}")
    _refuse_upper_level(algorithm, overrides)
    values = {name: value for name, value in preset_settings(preset, simulator).items() if name in known}
    values["behaviour"] = Behaviour(values["behaviour"])
    declared: dict[str, Any] = {}
    if algorithm in (AUTO, "pi-hiw"):
        chosen, upper = _upper_level(algorithm, simulator, overrides)
        values |= upper
        declares: Any = getattr(simulator, "training_defaults", None)
        if algorithm == AUTO and chosen == "pi-iw+" and preset == DEFAULT and callable(declares):
            declared = dict(declares())
            if unknown := sorted(set(declared) - known):
                where = f"training_defaults() of {environment_name(simulator)}"
                raise UsageError(
                    f"{where}: unknown setting {unknown[0]!r}; the settings are {', '.join(sorted(known))}"
                )
        algorithm = chosen
    return PlanningSettings(algorithm, **{**values, **ALGORITHMS[algorithm], **declared, **overrides})


def _refuse_upper_level(algorithm: str, overrides: Mapping[str, Any]) -> None:
    """Refuse settings of an upper level where the algorithm has none."""
    if algorithm in (AUTO, "pi-hiw"):
        return
    for name in ("tiles", "high_features"):
        if overrides.get(name) is not None:
            raise UsageError(f"{algorithm} has no upper level: leave out {name}, or use the algorithm pi-hiw")


def _upper_level(
    algorithm: str, simulator: Simulator | None, overrides: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The name of the algorithm, and the settings of the upper level that suit an environment."""
    if overrides.get("high_features") == "own":
        return "pi-hiw", {"tiles": None}
    if simulator is None or "tiles" in overrides or "high_features" in overrides:
        return "pi-hiw", {}
    upper = upper_level(simulator)
    if upper is not None:
        own = upper.features == "own"
        return "pi-hiw", {"tiles": None, "high_features": "own", "high_width": upper.width} if own else {}
    if algorithm == AUTO:
        return "pi-iw+", {}
    declare = "give the simulator an attribute default_features: a function of a step for each level, lowest first"
    raise UsageError(
        f"{environment_name(simulator)} has neither an image for the tiles of pi-hiw nor high-level features",
        python=f"use the algorithm pi-iw+, or {declare}",
        command=f"use --algorithm pi-iw+, or {declare}",
    )
