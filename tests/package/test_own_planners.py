"""Planners, levels and features written by users, with public names only."""

from __future__ import annotations

import ast
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from cli_tools import files
from places import ROOT
from sim_fakes import Corridor, both, key, looked_up, place, random_features, random_graph

EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(EXAMPLES))
OWN = ["own_task_planner.py", "own_planner.py", "own_level.py", "own_simulator.py", "function_features.py"]


def own_task(name: str, folder: Path) -> ww.Task:
    sizes = {"blocks": {"blocks": 4}, "ferry": {"cars": 2}, "elevator": {}, "corridor": {"length": 6}}
    return ww.load(*files(folder, name, **sizes[name]))


@pytest.mark.parametrize("script", [*OWN, "corridor_by_hand.py"])
def test_examples_of_own_code_import_public_names_only(script: str) -> None:
    tree = ast.parse((EXAMPLES / script).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not str(node.module).startswith("widthwise")
        if isinstance(node, ast.Import):
            assert all(name.name == "widthwise" or not name.name.startswith("widthwise") for name in node.names)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ww":
            assert node.attr in ww.__all__


class BreadthFirst:
    """BFS in Python, on the public methods of a model."""

    name = "own"
    widths = ()

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def run(self, model: ww.Model) -> ww.Outcome:
        if self.answer is not None:
            return self.answer
        paths: dict[ww.State, list[int]] = {model.init: []}
        queue = [model.init]
        for state in queue:
            if model.is_goal(state):
                return ww.Outcome(ww.Status.SOLVED, path=paths[state], generated=len(paths))
            if (status := model.limit(len(paths))) is not None:
                return ww.Outcome(status, generated=len(paths))
            for operator, child in model.successors(state):
                if child not in paths:
                    paths[child] = [*paths[state], operator]
                    queue.append(child)
        return ww.Outcome(ww.Status.UNSOLVABLE, generated=len(paths))


@pytest.mark.parametrize("name", ["corridor", "blocks", "ferry", "elevator"])
def test_a_search_in_python_finds_plans_as_short_as_native_breadth_first_search(name: str, tmp_path: Path) -> None:
    task = own_task(name, tmp_path)
    for goal in [None, *task.goals]:
        ours, native = ww.solve(task, BreadthFirst(), goal=goal), ww.solve(task, ww.BFS(), goal=goal)
        assert ours.status is native.status is ww.Status.SOLVED
        assert len(ours.plan or ()) == len(native.plan or ())


def test_a_disjunctive_goal_holds_where_one_part_does(tmp_path: Path) -> None:
    task = own_task("corridor", tmp_path)
    for goal in ("(or (have-key) (at p1))", "(or (not (at p0)) (have-key))", "(not (at p0))"):
        ours, native = ww.solve(task, BreadthFirst(), goal=goal), ww.solve(task, ww.BFS(), goal=goal)
        assert len(ours.plan or ()) == len(native.plan or ()) == 1


def test_limits_end_a_search_in_python(tmp_path: Path) -> None:
    task = own_task("blocks", tmp_path)
    assert ww.solve(task, BreadthFirst(), budget=ww.Budget(nodes=5)).status is ww.Status.OUT_OF_NODES
    assert ww.solve(task, BreadthFirst(), budget=ww.Budget(seconds=1e-9)).status is ww.Status.OUT_OF_TIME


def test_random_numbers_of_a_model_follow_the_seed(tmp_path: Path) -> None:
    drawn = []

    class Draws(BreadthFirst):
        def run(self, model: ww.Model) -> ww.Outcome:
            drawn.append(model.random().random())
            return super().run(model)

    for seed in (3, 3, 4):
        ww.solve(own_task("corridor", tmp_path), Draws(), seed=seed)
    assert drawn[0] == drawn[1] != drawn[2]


def test_faults_of_own_planners_are_named(tmp_path: Path) -> None:
    task = own_task("corridor", tmp_path)
    with pytest.raises(ww.UsageError, match=re.escape("own: run(model) returned [1, 2], not a widthwise.Outcome")):
        ww.solve(task, BreadthFirst([1, 2]))
    with pytest.raises(ww.WidthwiseError, match="a fault of BreadthFirst"):
        ww.solve(task, BreadthFirst(ww.Outcome(ww.Status.SOLVED, path=[])))

    class Nameless:
        def run(self, model: ww.Model) -> ww.Outcome:
            return ww.Outcome(ww.Status.EXHAUSTED)

    with pytest.raises(ww.UsageError, match="lacks name and widths"):
        ww.solve(task, Nameless())  # type: ignore[arg-type]


def random_search(depth: int) -> Any:
    from own_level import RandomSearch

    return RandomSearch(depth)


@pytest.mark.parametrize("seed", range(6))
def test_an_own_level_sees_every_path_up_to_its_depth(seed: int) -> None:
    """Without a budget a random search of depth 3 has tried every action in every node above."""
    graph = random_graph(seed)
    agent = ww.OnlinePlanner(
        graph, random_search(3), features=looked_up(random_features(seed)), budget=ww.Budget(steps=10**6), max_steps=1
    )
    for _ in agent.begin(seed):
        pass
    for _ in agent.plan(agent.planning):
        pass
    nodes = agent.driver.tree.nodes
    assert max(nodes.depth) == 3
    for node in nodes.live:
        expanded = nodes.depth[node] < 3 and not nodes.terminal[node]
        assert all((child != -1) == expanded for child in nodes.children[node])


@pytest.mark.parametrize("where", ["high", "low", "both"])
def test_an_own_level_fits_any_place_in_a_hierarchy(where: str) -> None:
    high = random_search(4) if where != "low" else ww.RolloutIW(1)
    low = random_search(20) if where != "high" else ww.RolloutIW(1)
    planner = ww.HIW(key, high=high, low=low)
    assert planner.name == "HIW(1,1)"
    played = [
        ww.OnlinePlanner(Corridor(4), planner, features=place, budget=ww.Budget(steps=600), max_steps=20).run(seed=1)
        for _ in range(2)
    ]
    assert played[0].score == 1
    assert played[0].actions == played[1].actions


def test_what_is_no_level_is_refused() -> None:
    class NoWidth:
        def search(self, space: ww.Space, rng: random.Random) -> Any:
            return None

    from own_level import RandomSearch

    for planner in (NoWidth(), RandomSearch, object()):
        with pytest.raises(ww.UsageError, match=re.escape("name, width and search(space, rng)")):
            ww.OnlinePlanner(Corridor(4), planner, features=both)  # type: ignore[arg-type]
