"""The environments that Widthwise adds to Gymnasium, by their ids. Registering them imports none of them."""

from __future__ import annotations

#: The mazes: their ids in Gymnasium and their names in Widthwise.
MAZE_IDS = {
    "widthwise/MazeSmall-v0": "maze-small",
    "widthwise/MazeLarge-v0": "maze-large",
    "widthwise/Corridor-v0": "corridor",
}
#: A PDDL task as an environment.
PDDL_ID = "widthwise/PDDL-v0"


def register() -> None:
    """Make the mazes and PDDL tasks known to Gymnasium."""
    import gymnasium

    for name, maze in MAZE_IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="widthwise.simulators.gym_mazes:MazeEnv", kwargs={"maze": maze})
    if PDDL_ID not in gymnasium.registry:
        gymnasium.register(PDDL_ID, entry_point="widthwise.gym.pddl_env:PDDLEnv")
