"""What a best-first search did not store: the successors of its nodes that have no node in the tree.

A best-first search keeps one node per state and drops what it prunes. The successors are computed again here, and
compared with the states of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from widthwise import _native
from widthwise.core.trace import NONE, TracedSearch

#: The most states of a tree that are compared, and the most successors that are computed.
MOST_STATES, MOST_SUCCESSORS = 200_000, 150_000


def judged(traced: TracedSearch, nodes: Sequence[int]) -> list[list[int]] | None:
    """How best-first width search judged nodes: novelty, open goals, effects of the relaxed plan; else None."""
    search = traced.search
    if not isinstance(search, _native.Bfws):
        return None
    return [list(search.evaluation(node)) for node in nodes]


def dropped_successors(
    traced: TracedSearch, nodes: Sequence[int], operator_number: Callable[[int], int]
) -> dict[str, Any] | None:
    """The successors of expanded nodes that did not become their children.

    Args:
        traced: The search.
        nodes: The nodes that a page shows, in the order of their places on it.
        operator_number: The number of an operator on the page.

    Returns:
        `of`: by place, each successor as the number of its operator and the node that has the same state, or -1 if
        no node has; `examined`: up to which node successors were computed; `prunes`: whether a state that no node has
        was pruned, and not left for later. None for a search with novelty tables, or if the tree is too large.
    """
    search = traced.search
    if not isinstance(search, _native.BestFirst) or search.node_count > MOST_STATES:
        return None
    parents, operators, _, _, flags = (np.frombuffer(column, dtype="<u4") for column in search.columns())
    with_state = {search.state(node): node for node in range(search.node_count)}
    children = {(int(parent), int(op)) for parent, op in zip(parents, operators, strict=True) if parent != NONE}
    rows: dict[int, list[list[int]]] = {}
    computed, examined = 0, search.node_count
    for place, node in enumerate(nodes):
        if not flags[node] & _native.EXPANDED:
            continue
        if computed >= MOST_SUCCESSORS:
            examined = node
            break
        successors = traced.operators.successors(search.state(node))
        computed += len(successors)
        own = [
            [operator_number(operator), with_state.get(state, -1)]
            for operator, state in successors
            if (node, operator) not in children
        ]
        if own:
            rows[place] = own
    return {"of": rows, "examined": examined, "prunes": isinstance(search, _native.Bfws)}
