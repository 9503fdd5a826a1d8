"""A bonus in the back-up for entering high-level states in which the agent has rarely been.

A search sees novelty within its tree only, and a tree lasts for one episode at most. The visits that are counted here
last for a run: a path to a high-level state that the agent has never entered is worth more than one to a state in which
every episode has been.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from widthwise.simulator_search.tree import NONE

if TYPE_CHECKING:
    from widthwise.simulator_search.tree import Regions, Tree


class Rarity:
    """How often the agent has entered each state of the highest level, and what entering it is worth.

    Args:
        bonus: The bonus for a state that was never entered. One that was entered n times has bonus / sqrt(n + 1).
    """

    def __init__(self, bonus: float) -> None:
        self.bonus = bonus
        self.visits: Counter[bytes] = Counter()

    def enter(self, tree: Tree, before: bytes | None = None) -> bytes | None:
        """Count the high-level state of the root, unless the agent was in it before.

        Args:
            tree: The tree after an executed action, or at the beginning of an episode.
            before: The high-level state before the action.

        Returns:
            The high-level state of the root; None if the tree has a single level.
        """
        features = self.state(tree)
        if features is not None and features != before:
            self.visits[features] += 1
        return features

    def state(self, tree: Tree) -> bytes | None:
        """The high-level state of the root; None if the tree has a single level."""
        if not tree.regions:
            return None
        regions = tree.regions[-1]
        return regions.features[regions.of[tree.root]]

    def bonuses(self, tree: Tree) -> dict[int, float]:
        """The bonus of each node with which a path enters a high-level state for the first time.

        Where the episode ends or a life is lost there is none: an end must not look better because it is rare.
        """
        if not tree.regions:
            return {}
        regions = tree.regions[-1]
        return {
            entry: self.bonus / math.sqrt(self.visits[regions.features[region]] + 1)
            for region in regions.live
            if regions.parent[region] != NONE
            and (entry := regions.entry[region]) not in tree.ends
            and entry not in tree.lost
            and not _entered_before(regions, region)
        }


def _entered_before(regions: Regions, region: int) -> bool:
    """Whether the path to a region has been in its high-level state before."""
    features, before = regions.features[region], regions.parent[region]
    while before != NONE:
        if regions.features[before] == features:
            return True
        before = regions.parent[before]
    return False
