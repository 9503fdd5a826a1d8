"""Importing this module makes the environments of Widthwise known to Gymnasium.

`import widthwise.gym`, then `gymnasium.make("widthwise/PDDL-v0", domain=..., problem=...)`; or without the import
`gymnasium.make("widthwise.gym:widthwise/PDDL-v0", ...)`. The ids are `widthwise/PDDL-v0`, `widthwise/MazeSmall-v0`,
`widthwise/MazeLarge-v0` and `widthwise/Corridor-v0`.
"""

from importlib.util import find_spec

from widthwise.core.errors import MissingExtraError
from widthwise.simulators.gym_registry import register

if find_spec("gymnasium") is None:
    raise MissingExtraError("widthwise.gym", "gym")
register()
