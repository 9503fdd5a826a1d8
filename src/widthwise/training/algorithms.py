"""π-IW, π-IW+ and π-HIW as configurations of the same parts; every part can be switched alone.

| part | π-IW | π-IW+ | π-HIW |
|---|---|---|---|
| `guided`: the network's policy chooses actions in rollouts | yes | yes | yes |
| `dynamic`: the network's last hidden layer is the features of the lowest level | yes | yes | yes |
| `value`: the network's value is a lower bound when returns are backed up | no | yes | yes |
| `doubt`: where the agent has stood in this episode, the network's value is not believed again | no | yes | yes |
| `ties`: the size of subtrees decides between actions of the same worth | no | yes | yes |
| `high_features`: Count-based Rollout IW above all that, over `tiles` of the image or the environment's `own` \
  high-level features | no | no | yes |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from widthwise.core.contract import environment_name
from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.simulator import Simulator
from widthwise.online.policies import Behaviour
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
from widthwise.simulator_search.rollout_iw import RolloutIW
from widthwise.task_search.hiw import HIW
from widthwise.training.upper_level import upper_level

#: What the upper level may look at.
HIGH_FEATURES = ("tiles", "own")
#: The name that stands for pi-hiw where the environment has features for its upper level, and for pi-iw+ elsewhere.
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Which parts are switched on, and how they are set."""

    name: str = "pi-hiw"
    guided: bool = True
    dynamic: bool = True
    value: bool = True
    doubt: bool = True
    ties: bool = True
    tiles: tuple[int, int] | None = (2, 2)  # across and down; None: no hierarchy
    colours: int = 256  # values a tile may have
    high_features: str = "tiles"  # or "own": the environment's own high-level features, and no tiles
    width: Width = 1
    high_width: Width = 1
    selection_temperature: float = 0.005  # of Count-based Rollout IW
    behaviour: Behaviour = field(default_factory=Behaviour)
    target_temperature: float = 0.001
    discount: float = 0.99
    interactions: int = 30  # simulator steps for one executed action
    nodes: int = 500  # kept in the tree

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        for name in ("target_temperature", "interactions", "nodes"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is above 0, not {getattr(self, name)!r}")
        if self.high_features not in HIGH_FEATURES:
            raise UsageError(f"high_features is {' or '.join(HIGH_FEATURES)}, not {self.high_features!r}")
        if self.high_features == "own" and self.tiles is not None:
            raise UsageError("the upper level looks at tiles or at the environment's own features: set tiles=none")
        if not 0 < self.discount <= 1:
            raise UsageError(f"a discount is above 0 and at most 1, not {self.discount!r}")

    def planner(self) -> HIW | RolloutIW:
        """What plans: Rollout IW, below Count-based Rollout IW where there is a hierarchy."""
        low = RolloutIW(self.width)
        if not self.hierarchical:
            return low
        from widthwise.simulators.features import Tiles

        high = CountRolloutIW(self.high_width, self.selection_temperature)
        # Without features a level of HIW looks at those of the environment.
        return HIW(None if self.tiles is None else Tiles(*self.tiles, self.colours), high=high, low=low)

    @property
    def hierarchical(self) -> bool:
        """Whether there is a level above the network's features."""
        return self.tiles is not None or self.high_features == "own"

    def acts_by(self) -> Behaviour:
        """The behaviour policy: the rewards alone where subtree sizes are not to decide."""
        return self.behaviour if self.ties else replace(self.behaviour, formula="none")

    @property
    def title(self) -> str:
        """How the paper writes it."""
        if not self.hierarchical:
            return "π-IW+" if self.value or self.ties else "π-IW"
        return f"π-HIW({self.high_width},{self.width})"


#: What the names stand for, before the environment has its say.
PARTS: dict[str, dict[str, Any]] = {
    "pi-iw": {"value": False, "doubt": False, "ties": False, "tiles": None},
    "pi-iw+": {"tiles": None},
    "pi-hiw": {},
}


def algorithm(name: str, simulator: Simulator | None = None, *, preset: str = DEFAULT, **settings: Any) -> Algorithm:
    """An algorithm by its name, set up for an environment by a preset.

    Args:
        name: `pi-iw`, `pi-iw+`, `pi-hiw`, or `auto`: pi-hiw where the environment has features for its upper level,
            pi-iw+ elsewhere.
        simulator: the environment; its own high-level features take precedence over tiles of its image.
        preset: the settings that are not given.
        settings: settings of `Algorithm` to override.

    Returns:
        The algorithm.

    Raises:
        UsageError: there is no such algorithm or setting, or the environment has nothing for the upper level of pi-hiw.

    Example:
        >>> algorithm("auto", ww.simulator("CartPole-v1")).name
        'pi-iw+'
    """
    if name not in PARTS and name != AUTO:
        raise UsageError(f"there is no algorithm {name!r}; the algorithms are {', '.join(PARTS)}")
    known = {one.name for one in fields(Algorithm)} - {"name"}
    for setting in settings:
        if setting not in known:
            raise UsageError(f"an algorithm has no setting {setting!r}; the settings are {', '.join(sorted(known))}")
    chosen = {key: value for key, value in preset_settings(preset, simulator).items() if key in known}
    chosen["behaviour"] = Behaviour(chosen["behaviour"])
    if name in (AUTO, "pi-hiw"):
        name, upper = _upper_level(name, simulator, settings)
        chosen |= upper
    return Algorithm(name, **{**chosen, **PARTS[name], **settings})


def _upper_level(name: str, simulator: Simulator | None, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of the algorithm, and the settings of the upper level that suit an environment."""
    if settings.get("high_features") == "own":
        return "pi-hiw", {"tiles": None}
    if simulator is None or "tiles" in settings or "high_features" in settings:
        return "pi-hiw", {}
    upper = upper_level(simulator)
    if upper is not None:
        own = upper.features == "own"
        return "pi-hiw", {"tiles": None, "high_features": "own", "high_width": upper.width} if own else {}
    if name == AUTO:
        return "pi-iw+", {}
    raise UsageError(
        f"{environment_name(simulator)} has neither an image for the tiles of pi-hiw nor high-level features",
        python="take the algorithm pi-iw+, or give the simulator an attribute default_features: a function of a step "
        "for each level, lowest first",
        command="take --algorithm pi-iw+, or give the simulator an attribute default_features: a function of a step "
        "for each level, lowest first",
    )
