"""A few steps of Montezuma's Revenge, planned with HIW(n,1) over 8x11 tiles of the screen (needs ale-py).

Every step looks 60 steps ahead in the tree of what could happen; the high level tells screens apart by their tiles, the
low level looks at the 128 bytes of the console's memory.
"""

from __future__ import annotations

from importlib.util import find_spec

import widthwise as ww


def main(steps: int = 5) -> None:
    if find_spec("ale_py") is None:
        print("skipped: this example needs ale-py (pip install 'widthwise[atari]')")
        return
    game = ww.simulator("atari:montezuma_revenge")
    planner = ww.HIW(ww.Tiles(8, 11, 32), high=ww.CountRolloutIW("n"), low=ww.RolloutIW(1))
    limits = ww.Budget(steps=60, nodes=2000)
    agent = ww.OnlinePlanner(game, planner, features=ww.Ram(), budget=limits, max_steps=steps)
    episode = agent.run(seed=0)
    for number, record in enumerate(episode.records, 1):
        print(f"step {number}: {record.nodes} nodes in the tree, {record.high_level_states[0]} high-level states known")
    print(f"score {episode.score:g}; {episode.interactions} interactions, {episode.restores} restores")


if __name__ == "__main__":
    main()
