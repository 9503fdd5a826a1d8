"""MiniGrid environments, with features that see where the agent is, what it carries and what is open."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.defaults import Defaults
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.simulators.copying import Layers
from widthwise.simulators.gymnasium_env import GymnasiumSimulator
from widthwise.simulators.minigrid_snapshots import GridLayers

#: What a step's info has under "minigrid": one number each, `doors` and `blocked` one for each door.
PARTS = ("pose", "position", "direction", "carrying", "doors", "blocked", "boxes", "situation")


def is_minigrid(env: Any) -> bool:
    """Whether an environment is one of MiniGrid (or BabyAI), by its attributes."""
    core = getattr(env, "unwrapped", None)
    if not any(kind.__name__ == "MiniGridEnv" for kind in type(core).__mro__):
        return False
    return all(hasattr(core, name) for name in ("grid", "agent_pos", "agent_dir", "carrying"))


class MiniGridSimulator(GymnasiumSimulator):
    """A MiniGrid environment; `info["minigrid"]` has what `MiniGrid` features look at."""

    def __init__(self, env: Any, *, copy: str = "auto", **options: Any) -> None:
        super().__init__(env, copy=copy, **options)
        if copy == "auto" and isinstance(self._rest, Layers) and self._own is None:
            self._rest = GridLayers(self._rest)

    def information(self, info: dict[str, Any]) -> dict[str, Any]:
        """The info of the environment, and the parts of the state that features look at."""
        core = self.env.unwrapped
        column, row = (int(number) for number in core.agent_pos)
        cell, direction, width = row * core.width + column, int(core.agent_dir), core.width
        doors: dict[int, int] = {}
        obstacles, boxes = set(), 0
        for place, thing in enumerate(core.grid.grid):
            if thing is None:
                continue
            if thing.type == "door":
                doors[place] = 0 if thing.is_open else 2 if thing.is_locked else 1
            elif thing.type in ("ball", "box", "key"):
                obstacles.add(place)
                boxes += thing.type == "box"
        blocked = tuple(
            int(not obstacles.isdisjoint((door - 1, door + 1, door - width, door + width))) for door in doors
        )
        carrying, locked = _number(core.carrying), tuple(state == 2 for state in doors.values())
        situation = zlib.crc32(repr((carrying, locked, blocked, boxes)).encode()) >> 1
        info["minigrid"] = {
            "pose": (4 * cell + direction,),
            "position": (cell,),
            "direction": (direction,),
            "carrying": (carrying,),
            "doors": tuple(doors.values()),
            "blocked": blocked,
            "boxes": (boxes,),
            "situation": (situation,),
        }
        return info

    def planning_defaults(self) -> Defaults:
        """A hierarchy: above the situation and the doors, below where the agent stands.

        The situation is one feature, so that width 1 keeps every combination of what is carried, locked and blocked:
        a key that has done its work is dropped, a ball that is in the way is put elsewhere. A key that lies in a
        doorway is another situation than a key that lies elsewhere, so that the first place where it is dropped is not
        the only one that is searched from.
        """
        return Defaults(
            planner="hiw",
            widths=(1, 1),
            features=(MiniGrid("pose"), MiniGrid("situation", "doors")),
            steps_per_action=500,
            nodes=120_000,
            patience=240,
            settle=True,
            notes=(
                "high-level features: what is carried, locked, blocked and open; low-level features: where the agent "
                "stands",
            ),
        )


class MiniGrid:
    """Features of a MiniGrid environment, by name.

    Args:
        parts: The names: `pose` (cell and direction as one number), `position`, `direction`, `carrying`, `doors` (open,
            closed or locked, for each door), `blocked` (for each door, whether a ball, box or key lies next to it),
            `boxes` (their number), `situation` (one number for what is carried, which doors are locked,
            which are blocked, and the number of boxes).

    Raises:
        UsageError: There is no such part; when called, the environment is not MiniGrid.

    Example:
        >>> high = ww.MiniGrid("carrying", "doors")
        >>> planner = ww.HIW(high, high=ww.CountRolloutIW(2), low=ww.RolloutIW(1))
        >>> agent = ww.OnlinePlanner("MiniGrid-DoorKey-8x8-v0", planner, features=ww.MiniGrid("pose"))  # needs minigrid
    """

    values = None

    def __init__(self, *parts: str) -> None:
        unknown = [part for part in parts if part not in PARTS]
        if unknown or not parts:
            wrong = f"unknown part {unknown[0]!r}" if unknown else "no part is given"
            raise UsageError(f"MiniGrid features: {wrong}; the parts are {', '.join(PARTS)}")
        self.parts = parts
        self.count: int | None = None

    def __call__(self, step: Step) -> npt.NDArray[np.int32]:
        """The features of a step.

        Raises `UsageError` if the step does not come from a MiniGrid environment.
        """
        known = step.info.get("minigrid")
        if known is None:
            raise UsageError(f"{self!r} needs a MiniGrid environment")
        vector = np.array([number for part in self.parts for number in known[part]], np.int32)
        self.count = len(vector)
        return vector

    def __repr__(self) -> str:
        return f"MiniGrid({', '.join(map(repr, self.parts))})"


def _number(thing: Any) -> int:
    """A number for what is carried: its type and colour."""
    if thing is None:
        return 0
    kind, colour, _ = thing.encode()
    return 1 + 16 * int(kind) + int(colour)
