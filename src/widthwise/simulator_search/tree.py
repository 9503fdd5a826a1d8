"""The coloured tree of a simulator search: one tree of nodes, and for each level above a column of regions.

A high-level node is not a separate tree. It is a *region*: a connected part of the one tree whose nodes share the
features of that level (and are in the same region of every level above). Nodes and regions are stored in columns with
the same names, so that a search over nodes and a search over regions share their code.

Rows of removed nodes are reused for later nodes; `live` lists nodes in the order of creation, parents before children.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from widthwise.core.simulator import Step

if TYPE_CHECKING:
    from widthwise.simulator_search.rarity import Rarity

NONE = -1  # no parent, no child


@dataclass(frozen=True, slots=True)
class BackUpRules:
    """What returns are made of when they are backed up through a tree.

    Args:
        life_penalty: What a lost life takes from the return of a step. Above 0, a step that loses a life also ends its
            branch of the tree: what follows is played with one life less, and is all new.
        reward_limit: Rewards count as this at most, and as its negative at least.
        untried: Whether a node with untried actions is worth at least what a leaf is worth, if no network values it.
    """

    life_penalty: float = 0.0
    reward_limit: float = math.inf
    untried: bool = True

    def counted(self, reward: float) -> float:
        """What a reward counts as."""
        return min(max(reward, -self.reward_limit), self.reward_limit)


class Nodes:
    """The nodes of one level, as columns."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.action: list[int] = []  # the label of a node among its parent's children
        self.depth: list[int] = []
        self.features: list[bytes] = []
        self.terminal: list[bool] = []
        self.children: list[list[int]] = []  # tree nodes by label
        self.live: list[int] = []
        self.free: list[int] = []

    def new(self, parent: int, depth: int, features: bytes, terminal: bool, children: list[int]) -> int:
        """Fill a free row, or a new one; the caller sets its label when it adds it to the children of a node."""
        if self.free:
            row = self.free.pop()
            self.parent[row], self.action[row], self.depth[row] = parent, NONE, depth
            self.features[row], self.terminal[row], self.children[row] = features, terminal, children
        else:
            row = len(self.parent)
            self.parent.append(parent)
            self.action.append(NONE)
            self.depth.append(depth)
            self.features.append(features)
            self.terminal.append(terminal)
            self.children.append(children)
        self.live.append(row)
        return row


class Regions(Nodes):
    """The regions of one upper level; the `children` of a region are the first tree nodes of other regions."""

    def __init__(self) -> None:
        super().__init__()
        self.of: list[int] = []  # the region of each tree node
        self.entry: list[int] = []  # the first tree node of each region
        self.search: list[Any] = []  # the search inside each region, if it has started

    def begin(self, entry: int, parent: int, features: bytes, terminal: bool) -> int:
        """Add a region that begins at a tree node and was reached from the region `parent`, if any."""
        depth = 0 if parent == NONE else self.depth[parent] + 1
        region = self.new(parent, depth, features, terminal, [])
        if region == len(self.entry):
            self.entry.append(entry)
            self.search.append(None)
        else:
            self.entry[region] = entry
            self.search[region] = None
        return region


class Tree:
    """A search tree over a simulator.

    A node stores the data of its generation: reward, features of every level, observation, snapshot, and, if a network
    is used, a policy prior and a value.
    """

    def __init__(self, actions: int, levels: int, item_sizes: Sequence[int] | None = None) -> None:
        self.actions = actions
        self.item_sizes = list(item_sizes or [1] * levels)  # bytes per feature value, per level
        self.nodes = Nodes()
        self.regions = [Regions() for _ in range(levels - 1)]  # of level 1, 2, …
        self.reward: list[float] = []
        self.observation: list[Any] = []
        self.snapshot: list[Any] = []
        self.prior: list[Sequence[float] | None] = []
        self.value: list[float | None] = []
        self.version: list[int] = []  # of the network that gave prior and value
        self.ends: set[int] = set()  # nodes where the episode ended, except by a step limit
        self.lives: dict[int, int] = {}  # of nodes, where the simulator shows them
        self.lost: set[int] = set()  # nodes whose step lost a life
        self.rules = BackUpRules()
        self.rarity: Rarity | None = None  # adds a bonus for rare high-level states to returns
        self.root = NONE

    @property
    def levels(self) -> int:
        """The number of levels, including the tree nodes."""
        return len(self.regions) + 1

    def counted_rewards(self) -> Sequence[float]:
        """The rewards of all rows as they count when returns are backed up."""
        if self.rules.reward_limit == math.inf:
            return self.reward
        return [self.rules.counted(reward) for reward in self.reward]

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.nodes.live)

    def add(
        self,
        parent: int,
        action: int,
        features: Sequence[bytes],
        *,
        reward: float = 0.0,
        terminal: bool = False,
        observation: Any = None,
        snapshot: Any = None,
        prior: Sequence[float] | None = None,
        value: float | None = None,
    ) -> int:
        """Add a node with its features, lowest level first; a node without a parent becomes the root."""
        nodes = self.nodes
        depth = 0 if parent == NONE else nodes.depth[parent] + 1
        node = nodes.new(parent, depth, features[0], terminal, [NONE] * self.actions)
        if node == len(self.reward):
            self.reward.append(reward)
            self.observation.append(observation)
            self.snapshot.append(snapshot)
            self.prior.append(prior)
            self.value.append(value)
            self.version.append(0)
            for regions in self.regions:
                regions.of.append(NONE)
        else:
            self.reward[node], self.observation[node], self.snapshot[node] = reward, observation, snapshot
            self.prior[node], self.value[node] = prior, value
        if parent == NONE:
            self.root = node
        else:
            nodes.children[parent][action] = node
            nodes.action[node] = action
        if self.regions:
            self._colour(node, parent, features, terminal)
        return node

    def _colour(self, node: int, parent: int, features: Sequence[bytes], terminal: bool) -> None:
        """Set the region of a node on every level: its parent's, unless features of this level or above changed."""
        within = parent != NONE  # no change so far, from the top level down
        for level in range(len(self.regions), 0, -1):
            regions = self.regions[level - 1]
            before = NONE if parent == NONE else regions.of[parent]
            if within and regions.features[before] == features[level]:
                regions.of[node] = before
                continue
            # A region in another region of the level above is the first of its search and has no parent in it.
            region = regions.begin(node, before if within else NONE, features[level], terminal)
            regions.of[node] = region
            if before != NONE:
                regions.action[region] = len(regions.children[before])
                regions.children[before].append(node)
            within = False

    def mark(self, node: int, step: Step) -> None:
        """Note whether the step to a node ended the episode, and whether it lost a life."""
        if step.terminated:
            self.ends.add(node)
        lives = step.info.get("lives")
        if lives is not None:
            if self.loses_life(self.nodes.parent[node], step):
                self.lost.add(node)
            self.lives[node] = lives

    def loses_life(self, parent: int, step: Step) -> bool:
        """Whether a step from a node loses a life."""
        lives: int | None = step.info.get("lives")
        return lives is not None and lives < self.lives.get(parent, lives)

    def ends_branch(self, parent: int, step: Step) -> bool:
        """Whether nothing is planned after a step from a node: the episode ends, or a life is lost and that counts."""
        return step.done or (self.rules.life_penalty > 0 and self.loses_life(parent, step))

    def over(self, node: int) -> bool:
        """Whether the episode is over at a node, so that there is no state to continue from."""
        return self.nodes.terminal[node] and self.snapshot[node] is None

    def continue_after(self, node: int) -> None:
        """Let planning continue after a node: its step was executed, so that a lost life is lost."""
        if self.over(node):
            return
        self.nodes.terminal[node] = False
        for regions in self.regions:
            region = regions.of[node]
            if regions.entry[region] == node:
                regions.terminal[region] = False

    def recolour(self, features: Sequence[bytes]) -> None:
        """Recompute the regions of a tree with two levels from new high-level features, one vector per row."""
        self.regions = [Regions()]
        self.regions[0].of = [NONE] * len(self.reward)
        for node in self.nodes.live:
            vectors = (self.nodes.features[node], features[node])
            self._colour(node, self.nodes.parent[node], vectors, self.nodes.terminal[node])

    def reroot(self, root: int) -> None:
        """Make a node the root and drop all nodes and regions that are not below it."""
        nodes = self.nodes
        keep = {root}
        parent = nodes.parent
        live = [root]
        dropped = []
        for node in nodes.live:
            if parent[node] in keep:
                keep.add(node)
                live.append(node)
            elif node != root:
                dropped.append(node)
        nodes.live = live
        for node in dropped:
            self.observation[node] = self.snapshot[node] = self.prior[node] = None
        self.ends.difference_update(dropped)
        self.lost.difference_update(dropped)
        for node in dropped:
            self.lives.pop(node, None)
        nodes.free += reversed(dropped)
        nodes.parent[root] = NONE
        self.root = root
        for regions in self.regions:
            self._reroot_regions(regions, keep)

    def _reroot_regions(self, regions: Regions, keep: set[int]) -> None:
        first = regions.of[self.root]
        regions.entry[first] = self.root
        live, entry = regions.live, regions.entry
        regions.live = [region for region in live if entry[region] in keep]
        dropped = [region for region in live if entry[region] not in keep]
        for region in dropped:
            regions.search[region] = None
        regions.free += reversed(dropped)
        regions.parent[first] = NONE
        regions.children[first] = [node for node in regions.children[first] if node in keep]
        for label, node in enumerate(regions.children[first]):
            regions.action[regions.of[node]] = label

    def path(self, node: int) -> list[int]:
        """The actions from the root to a node."""
        actions = []
        while node != self.root:
            actions.append(self.nodes.action[node])
            node = self.nodes.parent[node]
        return actions[::-1]

    def high_level_states(self) -> list[int]:
        """The number of different abstract states per upper level, lowest first."""
        return [len({regions.features[region] for region in regions.live}) for regions in self.regions]
