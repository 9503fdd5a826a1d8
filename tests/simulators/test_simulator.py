"""Simulators by name, and PDDL tasks as simulators."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import pytest

import widthwise as ww
from cli_tools import files
from widthwise.core.errors import MissingExtraError
from widthwise.core.simulator import Simulator
from widthwise.simulators.atari_games import PAPER_GAMES, ale_name


def test_a_simulator_is_taken_as_it_is():
    env: Any = ww.simulator("corridor")
    assert ww.simulator(env) is env
    assert isinstance(env, Simulator)
    with pytest.raises(ww.UsageError, match="takes no options"):
        ww.simulator(env, limit=3)
    with pytest.raises(ww.UsageError, match="int is not a simulator: it has no actions"):
        ww.simulator(3)


def test_modules(tmp_path, monkeypatch):
    (tmp_path / "my_worlds.py").write_text(
        "from widthwise.simulators import Maze\n"
        "tiny = Maze('#AKD#')\n"
        "def make(limit=5):\n    return Maze('#AKD#', limit)\n"
        "class Box:\n    maze = Maze\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert ww.simulator("my_worlds:tiny").limit == 200  # type: ignore[attr-defined]
    assert ww.simulator("my_worlds:make").limit == 5  # type: ignore[attr-defined]
    assert ww.simulator("my_worlds:make", limit=8).limit == 8  # type: ignore[attr-defined]
    assert ww.simulator("my_worlds:Box.maze", layout="#AKD#").columns == 5  # type: ignore[attr-defined]
    with pytest.raises(ww.UsageError, match="my_worlds has no attribute 'tny'; did you mean tiny"):
        ww.simulator("my_worlds:tny")
    with pytest.raises(ww.UsageError, match="No module named 'my_wolds'"):
        ww.simulator("my_wolds:tiny")


@pytest.mark.parametrize(("name", "near"), [
    ("maze-larg", "maze-large"),
    ("coridor", "corridor"),
    ("montezuma_revenge", "atari:montezuma_revenge"),
    ("Ms. Pac-man", "atari:ms_pacman"),
])  # fmt: skip
def test_near_misses(name, near):
    with pytest.raises(ww.UsageError, match=f"did you mean {near}"):
        ww.simulator(name)


def test_gymnasium_near_miss():
    pytest.importorskip("gymnasium")
    with pytest.raises(ww.UsageError, match="did you mean CartPole-v"):
        ww.simulator("cartpol-v1")
    with pytest.raises(ww.UsageError):
        ww.simulator("CartPole-v77")


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'widthwise\[atari\]'"):
        ww.simulator("atari:pong")
    import widthwise.simulators.names as names

    monkeypatch.setattr(names, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'widthwise\[gym\]'"):
        ww.simulator("CartPole-v1")
    with pytest.raises(ww.UsageError, match="did you mean maze-small"):
        ww.simulator("maze-smal")


def test_names_of_games():
    assert len(PAPER_GAMES) == len(set(PAPER_GAMES)) == 53
    for name in ("Ms. Pac-man", "MsPacman", "ms_pacman", "Ms Pacman"):
        assert ale_name(name) == "ms_pacman"
    assert ale_name("Montezuma's revenge") == ale_name("MontezumaRevenge") == "montezuma_revenge"
    assert ale_name("HERO") == "hero"
    assert ale_name("Q*bert") == "qbert"


def test_a_task_as_a_simulator(tmp_path):
    task = ww.load(*files(tmp_path, "corridor", length=3))
    env: Any = ww.simulator(task, limit=50)
    plan = ww.solve(task, "bfs").plan
    assert plan is not None
    first = env.reset()
    assert first.observation.sum() == len(task.init)
    assert not first.done
    numbers = [env.action_names.index(str(step)) for step in plan]
    begin = env.save()
    rewards = [env.step(number).reward for number in numbers]
    assert rewards == [0.0] * (len(numbers) - 1) + [1.0]
    with pytest.raises(ww.UsageError, match="over"):
        env.step(0)
    env.load(pickle.loads(pickle.dumps(begin)))
    useless = next(op for op in range(env.actions) if op not in env.applicable)
    stay = env.step(useless)
    assert stay.info == {"applies": False}
    assert stay.observation.tolist() == first.observation.tolist()
    with pytest.raises(ww.UsageError, match="actions 0 to"):
        env.step(env.actions)
    held = ww.Atoms([task.atom("(at p0)")])(first)
    assert held.tolist() == [1]


def test_costs_and_limits_of_a_task(tmp_path):
    task = ww.load(*files(tmp_path, "corridor", length=3))
    env: Any = ww.simulator(task, limit=2, reward="cost")
    env.reset()
    assert env.step(env.applicable[0]).reward == -1.0
    last = env.step(env.applicable[0])
    assert (last.terminated, last.truncated) == (False, True)
    with pytest.raises(ww.UsageError, match="reward"):
        ww.simulator(task, reward="praise")
    report = ww.check_simulator(task, seconds=0.2)
    assert report.ok, str(report)
