"""Checks of a captured agent: every column has the right length, every number lies within its bounds.

A checkpoint may be damaged or forged. `resume` puts its contents into the tree unchanged, so everything that would
make a search fail later is refused here.
"""

from __future__ import annotations

from typing import Any

from widthwise.core.shape import Mismatch, Shape, anything, fields, items, number, optional, switch, table, whole
from widthwise.simulator_search.driver import SET
from widthwise.simulator_search.tree import NONE

_COUNT = whole(0)
_LABELS = items(whole(-1))
_OPEN = items(items(anything, 2))


def _bytes(value: Any, place: str) -> None:
    if not isinstance(value, bytes):
        raise Mismatch(f"{place} holds no bytes")


_COLUMNS: dict[str, Shape] = {
    "parent": items(whole(NONE)),
    "action": items(whole(NONE)),
    "depth": items(whole(0, 2**31)),
    "features": items(_bytes),
    "terminal": items(switch),
    "children": items(_LABELS),
    "live": items(_COUNT),
    "free": items(_COUNT),
}
#: What a search of any kind may have in addition to its table; each is a list of pairs.
_SEARCH = fields({"table": _bytes, "exhausted": switch}, dict.fromkeys(("owned", "open", "queue", "counts"), _OPEN))
_AGENT = fields(
    {
        "seed": whole(0, 2**63 - 1),
        "episode": fields(
            {
                "actions": items(_COUNT),
                "rewards": items(number),
                "interactions": _COUNT,
                "restores": _COUNT,
                "seconds": number,
                "terminated": switch,
            }
        ),
        "random": items(whole(0, 2**32 - 1), 625),
        "steps": _COUNT,
        "restores": _COUNT,
        "at": whole(NONE),
        "tree": fields(
            {
                "item_sizes": items(whole(SET, 4)),
                "reward": items(number),
                "prior": items(optional(items(number))),
                "value": items(optional(number)),
                "version": items(_COUNT),
                "root": _COUNT,
            }
        ),
        "nodes": fields(_COLUMNS),
        "regions": items(
            fields({**_COLUMNS, "of": items(whole(NONE)), "entry": items(_COUNT), "search": items(optional(_SEARCH))})
        ),
        "top": _SEARCH,
    },
    {"guided": switch},
)


def check_captured(state: Any, actions: int, levels: int, place: str = "agent") -> None:
    """Refuse data that cannot be the state of an agent.

    Args:
        state: what `capture` returned, from a file.
        actions: how many actions the simulator has.
        levels: how many levels the agent's planner has.
        place: what to call it in messages.

    Raises:
        Mismatch: something has the wrong shape, or two parts contradict each other; the message names the place.
    """
    _AGENT(state, place)
    tree, nodes, regions, episode = state["tree"], state["nodes"], state["regions"], state["episode"]
    _agree(
        len(regions) == levels - 1 and len(tree["item_sizes"]) == levels,
        f"{place}.regions",
        "the levels of the planner",
    )
    _agree(len(episode["actions"]) == len(episode["rewards"]), f"{place}.episode", "its other columns")
    _agree(all(action < actions for action in episode["actions"]), f"{place}.episode", "the actions of the simulator")
    _agree(not episode["terminated"], f"{place}.episode", "an episode that continues")
    rows = len(nodes["parent"])
    for name in ("reward", "prior", "value", "version"):
        _agree(len(tree[name]) == rows, f"{place}.tree.{name}", "the nodes")
    live = _check_rows(nodes, tree["item_sizes"][0], f"{place}.nodes")
    _agree(bool(live) and nodes["live"][0] == tree["root"], f"{place}.tree.root", "the list of nodes")
    _agree(state["at"] == NONE or state["at"] in live, f"{place}.at", "the nodes")
    _check_tree(nodes, live, tree["root"], actions, f"{place}.nodes")
    for node in live:
        prior = tree["prior"][node]
        _agree(
            prior is None or (len(prior) == actions and min(prior) >= 0),
            f"{place}.tree.prior",
            "the actions of the simulator",
        )
    known = [live]
    for level, columns in enumerate(regions, 1):
        known.append(_check_regions(columns, live, rows, tree["item_sizes"][level], f"{place}.regions[{level - 1}]"))
        for region, search in enumerate(columns["search"]):
            if search is not None:
                _agree(region in known[level], f"{place}.regions[{level - 1}].search[{region}]", "the regions")
                below = nodes if level == 1 else regions[level - 2]
                _check_search(search, below, known[level - 1], f"{place}.regions[{level - 1}].search[{region}]")
    _check_search(state["top"], regions[-1] if regions else nodes, known[-1], f"{place}.top")


def _agree(fits: bool, place: str, other: str) -> None:
    if not fits:
        raise Mismatch(f"{place} does not fit {other}")


def _check_rows(columns: dict[str, Any], size: int, place: str) -> set[int]:
    """The rows in use: columns of one length, rows in use or free and never both, features of one length."""
    rows = len(columns["parent"])
    for name in ("action", "depth", "features", "terminal", "children"):
        _agree(len(columns[name]) == rows, f"{place}.{name}", "its other columns")
    live = set(columns["live"])
    together = [*columns["live"], *columns["free"]]
    _agree(sorted(together) == list(range(rows)), f"{place}.live", "its other columns")
    lengths = {len(columns["features"][row]) for row in live}
    item = 4 if size == SET else size
    same = len(lengths) <= 1 or size == SET
    _agree(same and all(length % item == 0 for length in lengths), f"{place}.features", "each other")
    return live


def _check_tree(nodes: dict[str, Any], live: set[int], root: int, actions: int, place: str) -> None:
    """Nodes form one tree: every one but the root is a child of a node before it."""
    seen: set[int] = set()
    for node in nodes["live"]:
        children = nodes["children"][node]
        _agree(len(children) == actions, f"{place}.children[{node}]", "the actions of the simulator")
        _agree(all(child == NONE or child in live for child in children), f"{place}.children[{node}]", "the nodes")
        _agree(not (nodes["terminal"][node] and any(child != NONE for child in children)), place, "a tree")
        parent, action = nodes["parent"][node], nodes["action"][node]
        if node == root:
            _agree(parent == NONE, f"{place}.parent[{node}]", "a tree")
        else:
            fits = parent in seen and 0 <= action < actions and nodes["children"][parent][action] == node
            _agree(fits, f"{place}.parent[{node}]", "a tree")
        seen.add(node)
    _agree(sum(child != NONE for node in live for child in nodes["children"][node]) == len(live) - 1, place, "a tree")


def _check_regions(columns: dict[str, Any], live: set[int], rows: int, size: int, place: str) -> set[int]:
    """Every node lies in a region in use, and every region in use begins at a node that lies in it."""
    regions = _check_rows(columns, size, place)
    _agree(len(columns["of"]) == rows, f"{place}.of", "the nodes")
    for name in ("entry", "search"):
        _agree(len(columns[name]) == len(columns["parent"]), f"{place}.{name}", "the regions")
    _agree(all(columns["of"][node] in regions for node in live), f"{place}.of", "the regions")
    for region in regions:
        entry, parent = columns["entry"][region], columns["parent"][region]
        _agree(entry in live and columns["of"][entry] == region, f"{place}.entry[{region}]", "the nodes")
        _agree(parent == NONE or parent in regions, f"{place}.parent[{region}]", "the regions")
        _agree(all(node in live for node in columns["children"][region]), f"{place}.children[{region}]", "the nodes")
    return regions


def _check_search(search: dict[str, Any], nodes: dict[str, Any], live: set[int], place: str) -> None:
    """The state of a search refers to nodes of its level and to their labels."""
    for name in ("owned", "open", "queue"):
        for pair in search.get(name, ()):
            node = pair[0] if len(pair) == 2 else None
            _agree(type(node) is int and node in live, f"{place}.{name}", "the nodes")
            if name == "owned":
                whole(None)(pair[1], f"{place}.{name}")
            else:
                _LABELS(pair[1], f"{place}.{name}")
                _agree(
                    all(label < len(nodes["children"][node]) for label in pair[1]),
                    f"{place}.{name}",
                    "the children of its nodes",
                )
    for pair in search.get("counts", ()):
        _agree(len(pair) == 2 and isinstance(pair[0], bytes), f"{place}.counts", "features and counts")
        _COUNT(pair[1], f"{place}.counts")


def _visited(value: Any, place: str) -> None:
    """A high-level state and how often it was entered."""
    items(anything)(value, place)
    _agree(len(value) == 2, place, "a state and its count")
    _bytes(value[0], place)
    whole(1)(value[1], place)


PLAYERS = items(
    fields(
        {"episode": whole(-1)},
        {
            "targets": items(items(number)),
            "agent": table(anything),
            "delivered": whole(0),
            "start": whole(0),
            "visits": items(_visited),
        },
    ),
)
