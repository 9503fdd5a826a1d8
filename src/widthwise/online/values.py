"""What the search saw of the future: returns and subtree sizes, backed up through the tree in one reverse pass."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass

from widthwise.core.errors import UsageError
from widthwise.simulator_search.tree import NONE, Tree


@dataclass(slots=True)
class LookAhead:
    """The actions of the root: what each is worth, and how many nodes lie below it.

    `returns` is None for actions that were not explored, `counts` then 0. `value` is the estimate of the root itself,
    `prior` the network's policy there, where there is a network.
    """

    returns: list[float | None]
    counts: list[int]
    value: float
    prior: Sequence[float] | None = None


#: Returns this close (relative to their size) are the same: sums in another order differ by less.
TOLERANCE = 1e-9
#: Where every step costs something, an end that costs more than this many times the worst step is a failure.
FAILURE = 2.0


def check_discount(discount: float) -> None:
    """Refuse a discount of future rewards that is out of range.

    Raises:
        UsageError: It is not above 0 and at most 1.
    """
    if not 0 < discount <= 1:
        raise UsageError(f"discount must be above 0 and at most 1, not {discount!r}")


def look_ahead(tree: Tree, discount: float = 0.99, doubted: Container[int] = (), leaf: float = 0.0) -> LookAhead:
    """Back up rewards and node counts from the leaves to the root.

    A node is worth the best of its children, r + discount * worth, and at least its own value estimate where a network
    gave one. Without one, a node with unexplored actions is worth at least `leaf`: there may be something better than
    a bad child. The end of an episode is worth nothing more; if a limit of steps ended it, it is worth `leaf`, and so
    is a failure: an end that costs far more than any step, where every step costs something. A `leaf` above 0 means
    that every step gives something and ends are to be avoided: a node is then worth the mean of its
    explored children, as a single long way among many ends is not a safe one. Of `doubted` nodes an estimate above 0 is
    not used, and a doubted root is worth the best of its actions. `tree.rules` say what a lost life takes from the
    return of a step, and how much a reward counts. `tree.rarity` adds a bonus where a path enters a rare high-level
    state. A hierarchy needs no other special case, as its levels share the one tree.
    """
    worth, size, best = back_up(tree, discount, doubted, leaf)
    root = tree.nodes.children[tree.root]
    estimate = best[tree.root] if tree.root in doubted else tree.value[tree.root]
    return LookAhead(
        returns=[None if child == NONE else worth[child] for child in root],
        counts=[0 if child == NONE else size[child] + 1 for child in root],
        value=0.0 if estimate is None else estimate,
        prior=tree.prior[tree.root],
    )


def leaf_value(tree: Tree, discount: float = 0.99) -> float:
    """What a node is worth where the tree ends: continuing with the median reward of a step.

    Where every step costs something, the cost is paid forever: a node with little behind it must not look better than a
    way to the goal. Where some steps cost and others give, as with rewards for coming closer, it is worth 0. Where
    every step gives something, the end of the episode is what to avoid: continuing then ends as often as the steps in
    the tree do. A living node is worth more than an end at its depth, and more the deeper it is.
    """
    nodes, reward = tree.nodes, tree.counted_rewards()
    rewards = [reward[node] for node in nodes.live if node != tree.root and not nodes.terminal[node]]
    if not rewards:
        return 0.0
    rewards.sort()
    usual, discount = rewards[len(rewards) // 2], min(discount, 0.999)
    if rewards[0] > 0.0:
        living = len(rewards) / (len(rewards) + len(tree.ends))
        return usual / (1.0 - discount * living)
    return usual / (1.0 - discount) if rewards[-1] < 0.0 else 0.0


def only_survival_counts(tree: Tree) -> bool:
    """Whether all steps in the tree give the same reward above 0, and some end the episode."""
    nodes, reward = tree.nodes, tree.counted_rewards()
    rewards = {reward[node] for node in nodes.live if node != tree.root and not nodes.terminal[node]}
    return len(rewards) == 1 and min(rewards) > 0.0 and bool(tree.ends)


def undecided(seen: LookAhead) -> bool:
    """Whether no explored action looks better than another one."""
    returns = [value for value in seen.returns if value is not None]
    return not returns or max(returns) - min(returns) <= TOLERANCE * max(1.0, abs(max(returns)))


def goal_reward(tree: Tree, discount: float = 0.99, leaf: float = 0.0) -> float:
    """The least reward of an end that is a goal: worth more than every step that continues, and not a failure."""
    nodes, reward = tree.nodes, tree.counted_rewards()
    steps = [reward[node] for node in nodes.live if node != tree.root and not nodes.terminal[node]]
    least = math.nextafter(max(steps, default=0.0) + discount * leaf, math.inf)
    return max(least, failure(tree, leaf))


def goal_path(tree: Tree, discount: float = 0.99, leaf: float = 0.0) -> list[int] | None:
    """The actions of the best path from the root, if it ends at a goal (see `goal_reward`), not at a limit of steps."""
    nodes = tree.nodes
    if not tree.ends:
        return None
    least = goal_reward(tree, discount, leaf)
    if all(tree.reward[node] < least for node in tree.ends):
        return None
    worth = back_up(tree, discount, (), leaf)[0]
    node, path = tree.root, []
    while not nodes.terminal[node]:
        children = [child for child in nodes.children[node] if child != NONE]
        if not children:
            return None
        node = max(children, key=worth.__getitem__)
        path.append(nodes.action[node])
    return path if node in tree.ends and tree.reward[node] >= least else None


def failure(tree: Tree, leaf: float) -> float:
    """Ends below this reward are failures, where every step costs something: `FAILURE` times the worst step."""
    nodes = tree.nodes
    if leaf >= 0.0 or not tree.ends:
        return -math.inf
    reward = tree.counted_rewards()
    rewards = [reward[node] for node in nodes.live if node != tree.root and not nodes.terminal[node]]
    return FAILURE * min(rewards, default=0.0)


def back_up(
    tree: Tree, discount: float, doubted: Container[int], leaf: float
) -> tuple[list[float], list[int], list[float | None]]:
    """For every row what it is worth from its parent, the nodes below it, and the best of its children."""
    nodes = tree.nodes
    parent, terminal, children = nodes.parent, nodes.terminal, nodes.children
    reward, value, ends, untried = tree.counted_rewards(), tree.value, tree.ends, tree.rules.untried
    penalty = tree.rules.life_penalty
    lost = tree.lost if penalty else frozenset[int]()
    bonuses = {} if tree.rarity is None else tree.rarity.bonuses(tree)
    failing = failure(tree, leaf)
    rows = len(parent)
    best: list[float | None] = [None] * rows  # of a node's children
    size = [0] * rows  # nodes below
    total = [0.0] * rows  # of what a node's children are worth
    explored = [0] * rows  # how many children a node has
    worth = [0.0] * rows  # a node seen from its parent
    for node in reversed(nodes.live):
        mine = best[node]
        if terminal[node]:
            mine = 0.0 if leaf == 0.0 or (node in ends and reward[node] >= failing) else leaf
        elif (estimate := value[node]) is not None:
            if node in doubted and estimate > 0.0:
                estimate = 0.0
            mine = estimate if mine is None or estimate > mine else mine
        elif mine is not None and leaf > 0.0:
            mine = total[node] / explored[node]
        elif mine is None or (untried and mine < leaf and NONE in children[node]):
            mine = leaf
        here = reward[node] + discount * mine
        if node in lost:
            here -= penalty
        if node in bonuses:
            here += bonuses[node]
        worth[node] = here
        above = parent[node]
        if above != NONE:
            other = best[above]
            if other is None or here > other:
                best[above] = here
            size[above] += size[node] + 1
            total[above] += here
            explored[above] += 1
    return worth, size, best
