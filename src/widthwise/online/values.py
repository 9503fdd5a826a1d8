"""What the search saw of the future: returns and subtree sizes, backed up through the tree in one reverse pass."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from widthwise.core.tree import NONE, Tree


@dataclass(slots=True)
class LookAhead:
    """The actions of the root: what each is worth, and how many nodes lie below it.

    `returns` is None for actions that were not explored, `counts` then 0. `value` is the estimate of the root itself.
    """

    returns: list[float | None]
    counts: list[int]
    value: float


def look_ahead(tree: Tree, discount: float = 0.99, doubted: Container[int] = ()) -> LookAhead:
    """Back up rewards and node counts from the leaves to the root.

    A node is worth the best of its children, r + discount * worth, and at least its own value estimate where a network
    gave one. Without one, a node with unexplored actions is worth at least 0: nobody has to follow a bad child. The end
    of an episode is worth nothing more. Of `doubted` nodes an estimate above 0 is not believed, and a doubted root is
    worth the best of its actions. A hierarchy needs no case of its own, as its levels share the one tree.
    """
    nodes = tree.nodes
    parent, terminal, children = nodes.parent, nodes.terminal, nodes.children
    reward, value = tree.reward, tree.value
    rows = len(parent)
    best: list[float | None] = [None] * rows  # of a node's children
    size = [0] * rows  # nodes below
    worth = [0.0] * rows  # a node seen from its parent
    for node in reversed(nodes.live):
        mine = best[node]
        if terminal[node]:
            mine = 0.0
        elif (estimate := value[node]) is not None:
            if node in doubted and estimate > 0.0:
                estimate = 0.0
            mine = estimate if mine is None or estimate > mine else mine
        elif mine is None or (mine < 0.0 and NONE in children[node]):
            mine = 0.0
        worth[node] = here = reward[node] + discount * mine
        above = parent[node]
        if above != NONE:
            other = best[above]
            if other is None or here > other:
                best[above] = here
            size[above] += size[node] + 1
    root = children[tree.root]
    estimate = best[tree.root] if tree.root in doubted else value[tree.root]
    return LookAhead(
        returns=[None if child == NONE else worth[child] for child in root],
        counts=[0 if child == NONE else size[child] + 1 for child in root],
        value=0.0 if estimate is None else estimate,
    )
