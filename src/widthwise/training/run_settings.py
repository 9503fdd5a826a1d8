"""The settings of a training run: the environment, the algorithm, how far it goes, and how it is evaluated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from widthwise.core.errors import UsageError
from widthwise.online.presets import DEFAULT, FIRST, complete_options
from widthwise.training.algorithm_registry import AUTO

if TYPE_CHECKING:
    from widthwise.core.simulator import Simulator

#: The interactions that evaluations may take by default, as a share of the training interactions.
EVALUATION_SHARE = 0.25
#: The most updates by which the weights of a free-running actor may be behind, by default.
MAX_LAG = 1_000


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything that decides what a run does.

    Args:
        environment: the name of the environment, as `simulator` takes it.
        interactions: simulator steps of the whole run.
        algorithm: `pi-iw`, `pi-iw+`, `pi-hiw`, or `auto` for what suits the environment.
        seed: the seed of everything.
        options: options of the environment; a preset may add some.
        preset: the preset for the settings of planning and learning that `overrides` does not name.
        overrides: values for settings of `PlanningSettings` and `LearningSettings`, by name.
        trees: episodes that are planned in lock-step.
        refresh: whether the kept tree is evaluated again after every update.
        evaluate_every: interactions between two evaluations; 0: a twentieth of the run.
        network_episodes: episodes of the network alone in an evaluation.
        planner_episodes: episodes of planner and network in an evaluation.
        evaluation_steps: the most steps of an evaluation episode; None: 10,000.
        chance: what to do where steps depend on chance: `refuse`, `foresee` or `reseed`.
        evaluation_share: the interactions that evaluations may take, as a share of the training interactions; 0: no
            bound.
        actors: processes, or Ray actors, that plan and act for one learner.
        asynchronous: whether actors run freely instead of in step.
        max_lag: the most updates between the weights of a block and its arrival, where actors run freely.
        make: makes a simulator of an environment that was given in Python; it is not written down.
        recorded: whether these are the settings of a run that was begun before: its options are complete, and a preset
            adds none.

    Raises:
        UsageError: a value is out of range.

    Example:
        >>> RunSettings("corridor", 1_000, overrides={"steps_per_action": 20})
    """

    environment: str
    interactions: int
    algorithm: str = AUTO
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    preset: str = DEFAULT
    overrides: Mapping[str, Any] = field(default_factory=dict)
    trees: int = 1
    refresh: bool = False
    evaluate_every: int = 0
    network_episodes: int = 3
    planner_episodes: int = 1
    evaluation_steps: int | None = None
    chance: str = "refuse"
    evaluation_share: float = EVALUATION_SHARE
    actors: int = 1
    asynchronous: bool = False
    max_lag: int = MAX_LAG
    make: Callable[[], Simulator] | None = field(default=None, repr=False, compare=False)
    recorded: bool = field(default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse values out of range, and add the options of the preset."""
        if not self.recorded and self.make is None:
            object.__setattr__(self, "options", complete_options(self.preset, self.environment, self.options))
        least_values = {"interactions": 1, "trees": 1, "actors": 1, "max_lag": 1, "network_episodes": 1}
        for name, least in {**least_values, "planner_episodes": 0}.items():
            if getattr(self, name) < least:
                raise UsageError(f"{name.replace('_', ' ')}: {getattr(self, name)} is below {least}")
        if not 0 <= self.evaluation_share < math.inf:
            raise UsageError(f"evaluation share: {self.evaluation_share} is not a number of at least 0")

    @property
    def interval(self) -> int:
        """Interactions between two evaluations."""
        return self.evaluate_every or max(1, self.interactions // 20)

    def describe(self) -> dict[str, Any]:
        """The settings as plain data; the interval as a number, so that a longer run keeps it."""
        from widthwise.training.overrides import plain_overrides

        data = asdict(replace(self, make=None))
        del data["make"], data["recorded"]
        return {
            **data,
            "options": dict(self.options),
            "overrides": plain_overrides(self.overrides),
            "evaluate_every": self.interval,
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> RunSettings:
        """The settings from plain data with today's keys; raises `UsageError` if an override cannot be read."""
        from widthwise.training.overrides import check_overrides

        known = {item.name for item in fields(cls)} - {"make", "recorded"}
        values = {name: value for name, value in data.items() if name in known}
        return cls(**{**values, "overrides": check_overrides(values.get("overrides", {}))}, recorded=True)

    @property
    def variation(self) -> str:
        """The settings that differ from those of the algorithm, for a label: `4x4`, `value=off`."""
        from widthwise.training.overrides import override_texts

        texts = [] if self.preset in (DEFAULT, FIRST) else [f"preset {self.preset}"]
        texts += [
            text if name == "tiles" else f"{name}={text}" for name, text in override_texts(self.overrides).items()
        ]
        texts += [f"{self.trees} trees"] if self.trees > 1 else []
        texts += [f"{self.actors} actors"] if self.actors > 1 else []
        texts += ["async"] if self.asynchronous else []
        texts += ["refresh"] if self.refresh else []
        return ", ".join(texts)
