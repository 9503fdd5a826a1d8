"""Your own level on a simulator: random search of limited depth, alone and as a level of HIW.

A level is an object with `name`, `width` and `search(space, rng)`. Its search is written once and runs on any level: on
the lowest a node is a state and a label an action; above, a node is a region of states that share the features of that
level, and asking for a successor resumes the search inside of it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import widthwise as ww
from own_simulator import Ring, charged, place


@dataclass(frozen=True)
class RandomSearch:
    """Expands nodes at random, none deeper than `depth` below the root of its space."""

    depth: int = 10
    width: int = 1  # it has no novelty

    @property
    def name(self) -> str:
        """What it is called."""
        return f"random({self.depth})"

    def search(self, space: ww.Space, rng: random.Random) -> ww.LevelSearch:
        """A search in a space."""
        return RandomSearchIn(space, self.depth, rng)


class RandomSearchIn:
    """The search at work: `open` are the nodes in which something was not tried yet."""

    def __init__(self, space: ww.Space, depth: int, rng: random.Random) -> None:
        self.space, self.depth, self.rng = space, depth, rng
        self.reset()

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to try."""
        return not self.open

    def reset(self) -> None:
        """Begin with the nodes that are in the tree."""
        space = self.space
        self.open: list[int] = []
        self.deepest = space.nodes.depth[space.root] + self.depth
        pending = [space.root]
        for node in pending:
            self.enter(node)
            pending += [space.own[entry] for entry in space.known(node) if not space.outside(entry)]

    def enter(self, node: int) -> None:
        """Keep a node if it may be expanded."""
        nodes = self.space.nodes
        if not nodes.terminal[node] and nodes.depth[node] < self.deepest and self.space.untried(node):
            self.open.append(node)

    def resume(self) -> ww.Requests:
        """Expand nodes until one leaves the region, or nothing is left."""
        space = self.space
        while self.open:
            node = self.rng.choice(self.open)
            entry = yield from space.successor(node, self.rng.choice(space.untried(node)))
            if not space.untried(node):
                self.open.remove(node)
            if entry is None:
                continue
            if space.outside(entry):
                return entry
            self.enter(space.own[entry])
        return None


def main() -> None:
    flat = RandomSearch(depth=8)
    planners: list[tuple[str, ww.LevelPlanner | ww.HIW]] = [
        ("alone", flat),
        ("above RIW(1)", ww.HIW(charged, high=RandomSearch(depth=3), low=ww.RolloutIW(1))),
        ("below RIW(1)", ww.HIW(charged, high=ww.RolloutIW(1), low=RandomSearch(depth=12))),
    ]
    scores = {}
    for where, planner in planners:
        budget = ww.Budget(steps=400)
        episode = ww.OnlinePlanner(Ring(), planner, features=place, budget=budget, max_steps=40).run(seed=0)
        scores[where] = episode.score
        print(f"random search {where}: score {episode.score:g} after {episode.steps} steps")
    assert scores["above RIW(1)"] == 1


if __name__ == "__main__":
    main()
