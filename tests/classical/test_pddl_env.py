"""A PDDL task as a Gymnasium environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from cli_tools import call

gymnasium = pytest.importorskip("gymnasium")
DEAD_END = (
    "(define (domain d) (:predicates (a) (b)) (:action jump :parameters () :precondition (a) :effect (not (a))))",
    "(define (problem p) (:domain d) (:init (a)) (:goal (b)))",
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    assert call("examples", "corridor", "--size", "length=4", "--out", str(tmp_path / "corridor")).code == 0
    return {name: str(tmp_path / "corridor" / f"{name}.pddl") for name in ("domain", "problem")}


def make(**options: Any) -> Any:
    return gymnasium.make("widthwise.gym:widthwise/PDDL-v0", **options)


def task_atoms(env: Any) -> Any:
    return env.unwrapped.task.atoms


def test_gymnasium_accepts_the_environment(files: dict[str, str]) -> None:
    from gymnasium.utils.env_checker import check_env

    env = make(**files, render_mode="ansi")
    check_env(env.unwrapped)
    env.reset(seed=0)
    assert env.render().splitlines() == [name for name, on in zip(task_atoms(env), env.reset()[0], strict=True) if on]


def test_the_plan_of_a_planner_reaches_the_goal_and_masks_show_what_applies(files: dict[str, str]) -> None:
    task = ww.load(files["domain"], files["problem"])
    env = make(**files)
    observation, info = env.reset()
    names, rewards, done = env.unwrapped.action_names, [], False
    for step in ww.solve(task, "ihiw").plan or ():
        assert not done
        number = names.index(str(step))
        state = task.state([int(atom) for atom in np.flatnonzero(observation)])
        assert np.flatnonzero(info["action_mask"]).tolist() == task.applicable(state)
        assert env.unwrapped.action_masks()[number]
        observation, reward, done, truncated, info = env.step(number)
        assert info["applies"] and not truncated
        rewards.append(reward)
    assert done and info["goal"]
    assert rewards == [0.0] * (len(rewards) - 1) + [1.0]


def test_an_action_that_does_not_apply_changes_nothing(files: dict[str, str]) -> None:
    env = make(**files, reward="cost")
    before, info = env.reset()
    after, reward, done, _, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert np.array_equal(before, after) and reward == 0 and not done and not info["applies"]
    assert env.step(int(np.flatnonzero(info["action_mask"])[0]))[1] == -1


def test_a_state_without_actions_ends_the_episode_without_the_goal() -> None:
    task = ww.parse(*DEAD_END)
    env = make(task=task)
    env.reset()
    _, reward, terminated, _, info = env.step(0)
    assert terminated and reward == 0 and not info["goal"] and not info["action_mask"].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs domain=FILE and problem=FILE"),
        ({"domain": "nowhere.pddl", "problem": "p.pddl"}, "nowhere.pddl"),
        ({"task": "task", "domain": "d.pddl"}, "not both"),
        ({"task": "task", "reward": "gold"}, "gold"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    if "task" in options:
        options = {**options, "task": ww.example("corridor")}
    with pytest.raises(ww.WidthwiseError, match=message):
        make(**options)


def test_the_command_line_plays_it(files: dict[str, str]) -> None:
    options = [word for name, path in files.items() for word in ("--option", f"{name}={path}")]
    ended = call("play", "widthwise/PDDL-v0", *options, "--quiet", "--goal-score", "1", "--max-steps", "30")
    assert ended.code == 0, ended.err
