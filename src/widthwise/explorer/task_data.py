"""A traced run on a task as plain data for a page: counts, stages, trees, the plan, and the goals along it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from widthwise.classical.result import Result, TracedRun
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted
from widthwise.core.trace import TracedSearch
from widthwise.explorer.sampling import MOST_NODES, shares
from widthwise.explorer.tree_data import Names, branch, goal_node, tree_data
from widthwise.version import __version__

#: Which trees a page has: those that lead to the plan, all, or the one of a search by its number, from 1 on.
Stages = Literal["plan", "all"] | int

_BEST_FIRST = (
    "A best-first search ({}) orders nodes and keeps one for each state. A node marked as pruned is a dead end, from "
    "which not even a relaxed plan reaches the goal. {}"
)
_DROPPED = "A node lists the successors that did not become its children, with the node that has the same state."
_TOO_LARGE = "The tree has too many nodes to compute which of their successors were duplicates."


def task_data(result: Result, traced: TracedRun, stages: Stages = "plan") -> dict[str, Any]:
    """Everything that the page of a run on a task shows.

    Args:
        result: The result of the run.
        traced: What the run kept.
        stages: Which trees the page has.

    Returns:
        Plain data.

    Raises:
        UsageError: There is no search with the number given.
    """
    task, searches = traced.task, traced.trace.searches
    names = Names(task)
    steps, places = _plan(traced, names)
    wanted = _wanted(searches, places, stages)
    trees, notes = {}, []
    best_first: dict[str, dict[str, None]] = {}  # the planners, by what the page says about their successors
    limits = shares([searches[number].search.node_count for number in wanted], MOST_NODES)
    for number, limit in zip(wanted, limits, strict=True):
        tree, selection = tree_data(searches[number], names, limit)
        trees[number] = tree
        if selection.note:
            notes.append(selection.note if len(wanted) == 1 else f"{searches[number].planner}: {selection.note}")
        if not searches[number].widths:
            about_successors = _TOO_LARGE if tree["dropped"] is None else _DROPPED
            best_first.setdefault(about_successors, {})[searches[number].planner] = None
    notes += [_BEST_FIRST.format(", ".join(planners), about) for about, planners in best_first.items()]
    if not searches and traced.path is None:
        notes.append("The run ended before a search began, so there is no tree.")
    elif not searches:
        notes.append(f"{result.planner} searches in a form that cannot be shown as a tree; the page shows the plan.")
    for step in steps:
        tree_number, node = step.pop("at")
        if tree_number in trees:
            shown_numbers = trees[tree_number]["numbers"]
            step["tree"], step["node"] = tree_number, node if shown_numbers is None else shown_numbers.index(node)
    goals = _goals(traced, steps, names)
    return {
        "kind": "task",
        "title": f"{task.name}: {result.planner}",
        "domain": task.domain.name,
        "problem": task.name,
        "planner": result.planner,
        "status": str(result.status),
        "reason": result.reason,
        "goal": result.goal,
        "cost": result.cost,
        "unitCost": result.unit_cost,
        "generated": result.generated,
        "expanded": result.expanded,
        "pruned": result.pruned,
        "highLevelNodes": result.high_level_nodes,
        "seed": result.seed,
        "version": __version__,
        "notes": notes,
        "searches": [_search(traced_search, places, number) for number, traced_search in enumerate(searches)],
        "stages": [
            {"planner": stage.planner, "reason": stage.reason, "generated": stage.generated, "status": stage.status}
            for stage in result.stages
        ],
        "story": [
            {"feature": entry.feature, "branch": entry.branch, "candidates": entry.candidates, "search": entry.search}
            for entry in result.story
        ],
        "trees": {str(number): tree for number, tree in trees.items()},
        "plan": None if traced.path is None else steps,
        "goals": goals,
        "features": names.all(),
        "falsehoods": names.false(),
    }


def _search(traced: TracedSearch, places: Sequence[tuple[int, int]], number: int) -> dict[str, Any]:
    """One search of the time line."""
    return {
        "planner": traced.planner,
        "stage": traced.stage,
        "generated": traced.search.generated,
        "reached": goal_node(traced) is not None,
        "plan": any(tree == number for tree, _ in places),
    }


def _wanted(searches: Sequence[TracedSearch], places: Sequence[tuple[int, int]], stages: Stages) -> list[int]:
    """The numbers of the searches whose trees the page has."""
    if stages == "all":
        return list(range(len(searches)))
    if stages == "plan":
        used = sorted({tree for tree, _ in places if tree >= 0})
        return used or list(range(len(searches)))[-1:]
    if not 1 <= stages <= len(searches):
        raise UsageError(f"there is no search {stages}: the run had {counted(len(searches), 'search', 'searches')}")
    return [stages - 1]


def _plan(traced: TracedRun, names: Names) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """The steps of the plan, from the initial state on, and the tree and node of each."""
    if traced.path is None:
        return [], []
    task, operators = traced.task, traced.operators
    places = _places(traced)
    costs = task.native.cost if task.normal.uses_costs else None
    state = operators.first
    rows: list[dict[str, Any]] = [{"name": "", "cost": 0.0, "adds": [], "deletes": [], "at": places[0]}]
    for operator, place in zip(traced.path, places[1:], strict=True):
        after = operators.apply(state, operator)
        rows.append(
            {
                "name": task.operator_name(operator),
                "cost": 1.0 if costs is None else costs[operator],
                "adds": [names.number(atom) for atom in after if atom not in state],
                "deletes": [names.number(atom) for atom in state if atom not in after],
                "at": place,
            }
        )
        state = after
    return rows, places


def _places(traced: TracedRun) -> list[tuple[int, int]]:
    """The search and the node of every state of the plan; (-1, -1) where it is in no tree.

    The plan is the path of one search, or those of several searches one after another.
    """
    assert traced.path is not None
    rest = list(traced.path)
    places = [(-1, -1)] * (len(rest) + 1)
    for number in range(len(traced.trace.searches) - 1, -1, -1):
        search = traced.trace.searches[number]
        goal = goal_node(search)
        path = None if goal is None else search.search.path(goal)
        if goal is None or path is None or path != rest[len(rest) - len(path) :]:
            continue
        first = len(rest) - len(path)
        for offset, node in enumerate(branch(search, goal)):
            places[first + offset] = (number, node)
        rest = rest[:first]
        if not rest:
            break
    return places


def _goals(traced: TracedRun, steps: Sequence[dict[str, Any]], names: Names) -> list[dict[str, Any]]:
    """Every goal, with the steps at which it holds along the plan, as ranges from the first to the last."""
    wanted = [(atom, True) for atom in traced.goal.positive] + [(atom, False) for atom in traced.goal.negative]
    state = set(traced.operators.first)
    true = {(atom, sign): [(atom in state) == sign] for atom, sign in wanted}
    for step in steps[1:]:
        adds, deletes = set(step["adds"]), set(step["deletes"])
        for (atom, sign), held in true.items():
            number = names.number(atom)
            now = number in adds or ((held[-1] == sign) and number not in deletes)
            held.append(now == sign)
    goals = []
    for (atom, sign), held in true.items():
        name = traced.task.atoms[atom]
        goals.append({"name": name if sign else f"(not {name})", "ranges": _ranges(held)})
    return goals


def _ranges(held: Sequence[bool]) -> list[list[int]]:
    """The ranges of places with True: first and last."""
    ranges: list[list[int]] = []
    for place, now in enumerate(held):
        if now and ranges and ranges[-1][1] == place - 1:
            ranges[-1][1] = place
        elif now:
            ranges.append([place, place])
    return ranges
