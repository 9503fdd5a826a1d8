"""What the nodes of a tree teach besides its root: for each node its own look-ahead and what it is worth.

A node gives a sample once, when it leaves the tree: no later search adds to what was seen below it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from widthwise.online.values import TOLERANCE, LookAhead, back_up
from widthwise.simulator_search.tree import NONE, Tree

#: With fewer explored actions there is nothing to compare.
LEAST_EXPLORED = 2


@dataclass(slots=True)
class TreeSample:
    """A node to learn from: what it shows, what its actions are worth, and what it is worth itself."""

    observation: Any
    look_ahead: LookAhead
    worth: float


def tree_samples(
    tree: Tree, kept: int, most: int, *, discount: float = 0.99, doubted: Container[int] = (), leaf: float = 0.0
) -> list[TreeSample]:
    """Samples from the nodes that leave the tree when its root moves.

    Nodes with fewer than two explored actions are left out. Of the others those come first whose explored actions
    differ in return, then those with the most nodes below them, then those generated first.

    Args:
        tree: the tree, still with its old root, which gives no sample.
        kept: the new root; the nodes below it stay. `NONE` if no node stays.
        most: the most samples.
        discount: the discount of future rewards.
        doubted: nodes whose value is not used, as in `look_ahead`.
        leaf: what a leaf is worth, as in `look_ahead`.

    Returns:
        The samples. In `look_ahead.value` the value of the network counts at most as much as the best explored action:
        an estimate must not make an untried action look better than everything that was seen.
    """
    nodes = tree.nodes
    worth, size, best = back_up(tree, discount, doubted, leaf)
    staying = set() if kept == NONE else {kept}
    ranked: list[tuple[bool, int, int, int]] = []
    for order, node in enumerate(nodes.live):
        if node == kept or nodes.parent[node] in staying:
            staying.add(node)
            continue
        if node == tree.root or nodes.terminal[node]:
            continue
        returns = [worth[child] for child in nodes.children[node] if child != NONE]
        if len(returns) < LEAST_EXPLORED:
            continue
        alike = max(returns) - min(returns) <= TOLERANCE * max(1.0, abs(max(returns)))
        ranked.append((alike, -size[node], order, node))
    samples = []
    for _, _, _, node in sorted(ranked)[:most]:
        highest = best[node]
        assert highest is not None  # it has explored actions
        estimate = tree.value[node]
        if estimate is not None:
            estimate = highest if node in doubted else min(estimate, highest)
        look_ahead = LookAhead(
            returns=[None if child == NONE else worth[child] for child in nodes.children[node]],
            counts=[0 if child == NONE else size[child] + 1 for child in nodes.children[node]],
            value=leaf if estimate is None else estimate,
            prior=tree.prior[node],
        )
        samples.append(TreeSample(tree.observation[node], look_ahead, highest))
    return samples
