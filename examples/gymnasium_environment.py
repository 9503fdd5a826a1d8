"""Planning in a Gymnasium environment: Widthwise finds out how to save and load it (needs gymnasium).

The frozen lake: reach the far corner of the ice without falling into a hole.
"""

from __future__ import annotations

from importlib.util import find_spec

import widthwise as ww


def position(step: ww.Step) -> bytes:
    """The field that the agent stands on."""
    return bytes([int(step.observation)])


def main() -> None:
    if find_spec("gymnasium") is None:
        print("skipped: this example needs Gymnasium (pip install 'widthwise[gym]')")
        return
    import gymnasium

    # A slippery lake is random; planning needs one that is not.
    lake = ww.simulator(gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=False))
    agent = ww.OnlinePlanner(lake, ww.RolloutIW(width=1), features=position, budget=ww.Budget(steps=100))
    episode = agent.run(seed=0)
    print(f"score {episode.score:g} after {episode.steps} steps, {episode.interactions} interactions")
    names = ("left", "down", "right", "up")
    print("actions:", " ".join(names[action] for action in episode.actions))
    assert episode.score == 1


if __name__ == "__main__":
    main()
