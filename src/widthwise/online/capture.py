"""An agent in the middle of an episode as plain data, and back, so that a stopped run can continue exactly.

Snapshots and observations are not in it. The simulator is deterministic, so they come from doing the same actions
again: from the beginning of the episode to the root, and from there to every node of the tree. No code is loaded, and
the data fits any simulator of the same environment.
"""

from __future__ import annotations

from typing import Any

from widthwise.core.errors import InputError, UsageError, in_terms
from widthwise.core.simulator import Step
from widthwise.online.acting import OnlinePlanner
from widthwise.online.episode import Episode
from widthwise.simulator_search.tree import NONE, Nodes, Regions, Tree

_NODES = ("parent", "action", "depth", "features", "terminal", "children", "live", "free")
_REGIONS = (*_NODES, "of", "entry")
_TREE = ("item_sizes", "reward", "prior", "value", "version", "root")
_EPISODE = ("actions", "rewards", "interactions", "restores", "seconds", "terminated")


def capture(agent: OnlinePlanner, seed: int) -> dict[str, Any]:
    """The state of an agent between two actions; `seed` is the seed of its episode."""
    tree, at = agent.driver.tree, agent.driver.at
    return {
        "seed": seed,
        "episode": {name: _copy(getattr(agent.episode, name)) for name in _EPISODE},
        "random": list(agent.rng.getstate()[1]),
        "steps": agent.driver.steps,
        "restores": agent.driver.restores,
        "guided": agent.driver.guided,
        "at": at if at in tree.nodes.live and not tree.over(at) else NONE,
        "tree": {name: _copy(getattr(tree, name)) for name in _TREE},
        "nodes": _columns(tree.nodes, _NODES),
        "regions": [
            {
                **_columns(regions, _REGIONS),
                "search": [None if search is None else _known(search) for search in regions.search],
            }
            for regions in tree.regions
        ],
        "top": _known(agent.planning.top),
    }


def resume(agent: OnlinePlanner, state: dict[str, Any]) -> list[Step]:
    """Put an agent back to where it was captured; returns what its episode has seen, the root last."""
    driver = agent.driver
    agent.guidance.begin(agent)
    if not state.get("guided", True):  # earlier versions had no end of guidance
        agent.guidance.end(agent)
    agent.luck.begin(state["seed"])
    seen = [driver.reset(state["seed"])]
    tree, world = driver.tree, driver.simulator
    agent.episode = Episode(**{name: _copy(state["episode"][name]) for name in _EPISODE})
    for number, (action, reward) in enumerate(zip(agent.episode.actions, agent.episode.rewards, strict=True)):
        if agent.luck.fresh:
            agent.luck.draw(agent.luck.of_step(number))
        seen.append(world.step(action))
        _same(seen[-1].reward == reward)
    for name in _TREE:
        setattr(tree, name, _copy(state["tree"][name]))
    _fill(tree.nodes, state["nodes"], _NODES)
    for regions, columns in zip(tree.regions, state["regions"], strict=True):
        _fill(regions, columns, _REGIONS)
        regions.search = [None] * len(regions.entry)
    _look_again(agent, tree, seen[-1])
    agent.planning = agent.hierarchy(agent.rng)
    for level, (regions, columns) in enumerate(zip(tree.regions, state["regions"], strict=True)):
        regions.search = [None] * len(regions.entry)  # making the hierarchy has begun some
        for region, saved in enumerate(columns["search"]):
            if saved is not None:
                regions.search[region] = agent.planning.search(level, region)
                regions.search[region].restore(saved)
    top: Any = agent.planning.top
    top.restore(state["top"])
    agent.rng.setstate((3, tuple(state["random"]), None))
    driver.steps, driver.restores = state["steps"], state["restores"]
    if agent.doubts is not None:
        agent.doubts.stood = {agent.doubts.recognise(step.observation) for step in seen[:-1]}
    if state["at"] != NONE:
        world.load(tree.snapshot[state["at"]])
        driver.at = state["at"]
    return seen


def _look_again(agent: OnlinePlanner, tree: Tree, root: Step) -> None:
    """Observations and snapshots of all nodes, by doing their actions again."""
    world, nodes = agent.driver.simulator, tree.nodes
    rows = len(nodes.parent)
    tree.observation, tree.snapshot = [None] * rows, [None] * rows
    for node in nodes.live:
        step = root
        if node != tree.root:
            world.load(tree.snapshot[nodes.parent[node]])
            step = world.step(nodes.action[node])
            ends = tree.ends_branch(nodes.parent[node], step)
            _same(step.reward == tree.reward[node] and ends == nodes.terminal[node])
        tree.mark(node, step)
        tree.observation[node] = step.observation
        tree.snapshot[node] = None if step.done else world.save()
    agent.driver.at = NONE


def _known(search: Any) -> dict[str, Any]:
    """The state of a search beyond the tree."""
    if not hasattr(search, "state") or not hasattr(search, "restore"):
        raise UsageError(f"{type(search).__name__} cannot be saved: it lacks state() and restore(state)")
    known: dict[str, Any] = search.state()
    return known


def _columns(nodes: Nodes, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: _copy(getattr(nodes, name)) for name in names}


def _fill(nodes: Nodes | Regions, columns: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        setattr(nodes, name, _copy(columns[name]))


def _copy(value: Any) -> Any:
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _same(agrees: bool) -> None:
    if not agrees:
        raise InputError(
            "the simulator does not behave as it did when the run was saved: is it the same environment in the same "
            f"version, and is it deterministic ({in_terms(python='see check_simulator', command='run check-env')})?"
        )
