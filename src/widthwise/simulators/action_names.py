"""The names of the actions of a Gymnasium environment."""

from __future__ import annotations

from enum import Enum
from typing import Any

#: Names of actions that environments of Gymnasium give in their documentation only.
KNOWN_NAMES = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("south", "north", "east", "west", "pick up", "drop off"),
    "CartPoleEnv": ("left", "right"),
    "MountainCarEnv": ("left", "coast", "right"),
    "AcrobotEnv": ("-1", "0", "+1"),
    "LunarLander": ("nothing", "left engine", "main engine", "right engine"),
    "BlackjackEnv": ("stick", "hit"),
}


def action_names(env: Any) -> tuple[str, ...]:
    """The names of the actions of an environment, from its methods or attributes; empty if it has none."""
    core = env.unwrapped
    method = getattr(core, "get_action_meanings", None)
    if callable(method):
        return tuple(str(name).lower() for name in method())
    enum = getattr(core, "actions", None)
    if isinstance(enum, type) and issubclass(enum, Enum):
        return tuple(str(action.name) for action in sorted(enum, key=lambda action: int(action.value)))
    for name in ("ACTION_MEANING", "ACTION_MEANINGS", "action_names", "ACTION_NAMES"):
        meaning = getattr(core, name, None)
        if isinstance(meaning, dict):
            return tuple(str(meaning[key]).lower() for key in sorted(meaning))
        if isinstance(meaning, list | tuple):
            return tuple(map(str, meaning))
    return KNOWN_NAMES.get(type(core).__name__, ())
