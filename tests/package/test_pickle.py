"""Tasks, results and what belongs to them can be pickled, copied and sent to other processes."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from cli_tools import files, texts

AXIOMS = (
    """(define (domain towers) (:requirements :adl :derived-predicates)
      (:predicates (on ?a ?b) (above ?a ?b) (free ?a))
      (:functions (total-cost) - number)
      (:derived (above ?a ?b) (or (on ?a ?b) (exists (?c) (and (on ?a ?c) (above ?c ?b)))))
      (:action put :parameters (?a ?b) :precondition (and (free ?a) (not (above ?b ?a)))
        :effect (and (on ?a ?b) (not (free ?a)) (increase (total-cost) 3))))""",
    """(define (problem three) (:domain towers) (:objects a b c)
      (:init (free a) (free b) (= (total-cost) 0)) (:goal (and (above a c) (forall (?x) (not (on ?x ?x)))))
      (:metric minimize (total-cost)))""",
)


def twice(value: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(value)), copy.deepcopy(value)]


@pytest.fixture(params=["blocks", "axioms"])
def task(request: pytest.FixtureRequest, tmp_path: Path) -> ww.Task:
    if request.param == "axioms":
        return ww.load(*texts(tmp_path, *AXIOMS))
    return ww.load(*files(tmp_path, "blocks", blocks=5))


def solved(task: ww.Task) -> dict[str, Any]:
    """What a search finds, without times and memory."""
    data = ww.solve(task, "ihiw", seed=3, relevance="none").to_json()
    return {name: data[name] for name in ("status", "plan", "cost", "generated", "pruned", "features", "story")}


def test_a_task_from_a_pickle_is_the_same_task(task: ww.Task) -> None:
    before = solved(task)
    assert before["status"] == "solved"
    for again in twice(task):
        assert again.atoms == task.atoms and again.operators == task.operators
        assert [goal.name for goal in again.goals] == [goal.name for goal in task.goals]
        assert again.seconds == task.seconds
        assert solved(again) == before


def test_so_are_a_restricted_task_and_one_with_another_goal(task: ww.Task) -> None:
    for other in (task.restricted(task.goals[0]), task.with_goal(task.goals[0].name)):
        for again in twice(other):
            assert (again.atoms, again.operators, again.goal) == (other.atoms, other.operators, other.goal)
            assert solved(again) == solved(other)


def test_states_keep_their_atoms_and_work_with_the_task_from_the_pickle(task: ww.Task) -> None:
    again = pickle.loads(pickle.dumps(task))
    states = [task.init, *(state for _, state in task.successors(task.init))]
    for state, copied in zip(states, pickle.loads(pickle.dumps(states)), strict=True):
        assert copied == state and hash(copied) == hash(state) and copied.atoms() == state.atoms()
        assert again.successors(copied) == task.successors(state)
    assert copy.deepcopy(states) == states


def test_a_result_keeps_everything_but_the_search(task: ww.Task) -> None:
    result = ww.solve(task, "ihiw")
    assert result.search is not None
    for again in twice(result):
        assert again == result and again.to_json() == result.to_json()
        assert again.search is None


def test_the_others_are_equal_to_what_was_pickled(task: ww.Task, tmp_path: Path) -> None:
    result = ww.solve(task)
    plan = ww.Plan(tuple(result.plan or ()), result.cost or 0)
    values: list[Any] = [plan, ww.Budget(nodes=3, seconds=1.5), ww.Status.SOLVED, task.goal, *task.goals]
    values += [ww.IW(2), ww.HIW(["(a)"]), ww.IHIW(), ww.Auto(), ww.BFWS(), ww.SIW(2), ww.RolloutIW(1)]
    for value in values:
        assert twice(value) == [value, value]
    domain = ww.Domain(tmp_path / "domain.pddl")
    for again in twice(domain):
        assert again.problem(tmp_path / "problem.pddl").atoms == task.atoms


def test_an_episode_and_its_steps(tmp_path: Path) -> None:
    agent = ww.OnlinePlanner(ww.simulator("corridor"), ww.RolloutIW(1), max_steps=3)
    episode = agent.run(0)
    assert twice(episode) == [episode, episode]
    step = agent.simulator.reset(0)
    assert (pickle.loads(pickle.dumps(step)).observation == step.observation).all()


def test_errors_keep_their_advice() -> None:
    error = ww.UsageError("wrong", python="do this", command="do --that")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.command, type(again)) == ("wrong: do this", "do --that", ww.UsageError)


def test_other_processes_solve_tasks_and_send_results(tmp_path: Path) -> None:
    tasks = [ww.load(*files(tmp_path / str(blocks), "blocks", blocks=blocks)) for blocks in (3, 4, 5)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(ww.solve, tasks, ["ihiw"] * 3))
    for task, result in zip(tasks, results, strict=True):
        here = ww.solve(task, "ihiw")
        assert (result.plan, result.generated, result.cost) == (here.plan, here.generated, here.cost)
