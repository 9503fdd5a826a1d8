"""π-IW, π-IW+ and π-HIW as configurations of the same parts; every part can be switched alone.

| part | π-IW | π-IW+ | π-HIW |
|---|---|---|---|
| `guided`: the network's policy chooses actions in rollouts | yes | yes | yes |
| `dynamic`: the network's last hidden layer is the features of the lowest level | yes | yes | yes |
| `value`: the network's value is a lower bound when returns are backed up | no | yes | yes |
| `doubt`: where the agent has stood in this episode, the network's value is not believed again | no | yes | yes |
| `ties`: the size of subtrees decides between actions of the same worth | no | yes | yes |
| `tiles`: Count-based Rollout IW over tiles of the image above all that | no | no | yes |
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator
from widthwise.online.policies import Behaviour
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.planners.count_rollout_iw import CountRolloutIW
from widthwise.planners.hierarchical import HIW
from widthwise.planners.iw import Width
from widthwise.planners.rollout_iw import RolloutIW


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
        if not 0 < self.discount <= 1:
            raise UsageError(f"a discount is above 0 and at most 1, not {self.discount!r}")

    def planner(self) -> HIW | RolloutIW:
        """What plans: Rollout IW, below Count-based Rollout IW over tiles where there is a hierarchy."""
        low = RolloutIW(self.width)
        if self.tiles is None:
            return low
        from widthwise.simulators.features import Tiles

        high = CountRolloutIW(self.high_width, self.selection_temperature)
        return HIW(features=Tiles(*self.tiles, self.colours), high=high, low=low)

    def acts_by(self) -> Behaviour:
        """The behaviour policy: the rewards alone where subtree sizes are not to decide."""
        return self.behaviour if self.ties else replace(self.behaviour, formula="none")

    @property
    def title(self) -> str:
        """How the paper writes it."""
        if self.tiles is None:
            return "π-IW+" if self.value or self.ties else "π-IW"
        return f"π-HIW({self.high_width},{self.width})"


#: What the names stand for, before the environment has its say.
PARTS: dict[str, dict[str, Any]] = {
    "pi-iw": {"value": False, "doubt": False, "ties": False, "tiles": None},
    "pi-iw+": {"tiles": None},
    "pi-hiw": {},
}


def algorithm(name: str, simulator: Simulator | None = None, *, preset: str = DEFAULT, **settings: Any) -> Algorithm:
    """An algorithm by its name, set up for an environment by a preset; `settings` override single parts."""
    if name not in PARTS:
        raise UsageError(f"there is no algorithm {name!r}; the algorithms are {', '.join(PARTS)}")
    known = {one.name for one in fields(Algorithm)} - {"name"}
    for setting in settings:
        if setting not in known:
            raise UsageError(f"an algorithm has no setting {setting!r}; the settings are {', '.join(sorted(known))}")
    chosen = {key: value for key, value in preset_settings(preset, simulator).items() if key in known}
    chosen["behaviour"] = Behaviour(chosen["behaviour"])
    return Algorithm(name, **{**chosen, **PARTS[name], **settings})
