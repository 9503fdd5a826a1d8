"""Where training episodes begin: some at a state of the demonstration, the others at a reset.

An episode from a reset has to repeat a long demonstration before it sees a reward. One that begins at a late state of
it plans near the reward at once. Once the agent reaches the score of the demonstration from a state, earlier states are
tried: the *frontier* moves from the end of the demonstration towards the reset.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from widthwise.online.start import Start

#: How far before the frontier an episode may begin: a share of the demonstration.
REACH = 0.1
#: The share of these episodes that begin at the frontier or before it; the others begin anywhere behind it as well.
AT_FRONTIER = 0.5


@dataclass(frozen=True, slots=True)
class Starts:
    """The states of a demonstration at which episodes may begin.

    Args:
        seed: The seed of the reset.
        actions: The actions of the demonstration.
        frontier: The first of its states, by the number of actions before it, from which the agent has reached its
            score.
    """

    seed: int
    actions: tuple[int, ...]
    frontier: int

    @property
    def reach(self) -> int:
        """How many actions before the frontier an episode may begin."""
        return max(1, int(REACH * len(self.actions)))

    def draw(self, share: float, seed: int) -> Start | None:
        """Where an episode begins.

        Args:
            share: The share of episodes that begin at one of these states.
            seed: The seed of the episode.

        Returns:
            The start; None: the reset.
        """
        rng = random.Random(f"start {seed}")
        last = len(self.actions) - 1  # nothing may be left to do after the last action
        if rng.random() >= share or last < 1:
            return None
        first = max(1, min(last, self.frontier - self.reach))
        if rng.random() < AT_FRONTIER:
            last = max(first, min(last, self.frontier))
        return Start(self.seed, self.actions[: rng.randint(first, last)])

    def moved(self, start: int, reached: bool) -> int:
        """The frontier after an episode.

        Args:
            start: The actions before the state at which the episode began; 0 for the reset.
            reached: Whether it has reached the score of the demonstration.

        Returns:
            The frontier. It moves back a little if an episode fails that began at or behind it.
        """
        if reached:
            return min(self.frontier, start)
        return self.frontier if start < self.frontier else min(len(self.actions), self.frontier + self.reach)
