"""The mazes: how they are written, played and drawn."""

from __future__ import annotations

import pickle
from collections import deque
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise.simulators.maze import MOVES, Maze, MazeLayout
from widthwise.simulators.mazes import MAZES

NOOP, UP, DOWN, LEFT, RIGHT = range(5)
TINY = """\
limit: 7
#####
#A.K#
#..D#
#####
"""


def shortest(plan: MazeLayout) -> tuple[int, int]:
    """Steps to the key and to the door with the key, by a search that knows only the drawing."""
    start = (plan.agent, plan.agent == plan.key)
    depth, queue, to_key = {start: 0}, deque([start]), None
    while queue:
        place, key = queue.popleft()
        if key and to_key is None:
            to_key = depth[place, key]
        if key and place == plan.door:
            return to_key or 0, depth[place, key]
        for down, right in MOVES.values():
            row, column = place[0] + down, place[1] + right
            if plan.cells[row][column] == "#":
                continue
            after = ((row, column), key or (row, column) == plan.key)
            if after not in depth:
                depth[after] = depth[place, key] + 1
                queue.append(after)
    raise AssertionError("there is no way")


def solve_by_simulator(env: Maze) -> list[int]:
    """A shortest solution by breadth-first search that uses nothing but save, load and step."""
    env.reset()
    queue, seen = deque([(env.save(), list[int]())]), {env.save()[0]}
    while queue:
        snapshot, path = queue.popleft()
        for action in range(env.actions):
            env.load(snapshot)
            step = env.step(action)
            if step.reward > 0:
                return [*path, action]
            state = env.save()
            if not step.terminated and state[0] not in seen:
                seen.add(state[0])
                queue.append((state, [*path, action]))
    raise AssertionError("there is no way")


@pytest.mark.parametrize(("name", "size", "limit", "key", "total"), [
    ("maze-small", 20, 200, 21, 36),
    ("maze-large", 32, 500, 37, 62),
    ("corridor", None, 100, 10, 20),
])  # fmt: skip
def test_the_mazes_are_what_they_promise(name, size, limit, key, total):
    plan = MazeLayout.parse(MAZES[name], name)
    assert shortest(plan) == (key, total)
    assert plan.limit == limit
    if size:
        assert (len(plan.cells), len(plan.cells[0])) == (size, size)
    env: Any = ww.simulator(name)
    path = solve_by_simulator(env)
    assert len(path) == total
    env.reset(seed=1)
    rewards = [env.step(action).reward for action in path]
    assert rewards == [0.0] * (total - 1) + [1.0]


def test_rules():
    env = Maze(TINY)
    first = env.reset()
    assert (first.reward, first.terminated, first.truncated) == (0.0, False, False)
    assert first.info == {"cell": 6, "position": (1, 1), "key": 0}
    assert env.action_names == ("no-op", "up", "down", "left", "right")
    begin = env.save()
    wall = env.step(UP)
    assert (wall.reward, wall.terminated) == (-1.0, True)
    assert wall.info["position"] == (1, 1)
    with pytest.raises(ww.UsageError, match="has ended"):
        env.step(UP)
    env.load(begin)
    assert env.step(NOOP).info["position"] == (1, 1)
    # The door without the key does nothing.
    env.load(begin)
    for action in (DOWN, RIGHT, RIGHT):
        step = env.step(action)
    assert step.info["position"] == (2, 3)
    assert (step.reward, step.terminated) == (0.0, False)
    assert env.step(UP).info["key"] == 1
    last = env.step(DOWN)
    assert (last.reward, last.terminated, last.truncated) == (1.0, True, False)


def test_the_limit_counts_from_the_snapshot():
    env = Maze(TINY)
    env.reset()
    for _ in range(3):
        env.step(NOOP)
    snapshot = env.save()
    for _ in range(3):
        env.load(snapshot)
        ends = [env.step(NOOP).truncated for _ in range(4)]
        assert ends == [False, False, False, True]
    assert Maze(TINY, limit=2).limit == 2


def test_what_is_seen():
    env: Any = ww.simulator("maze-small")
    image = env.reset().observation
    assert image.shape == (84, 84, 3)
    assert image.dtype == np.uint8
    assert not image.flags.writeable
    row, column = 1, 7
    middle = (int((row + 0.5) * 4.2), int((column + 0.5) * 4.2))
    assert tuple(image[middle]) == (0, 0, 255)
    assert tuple(image[int(17.5 * 4.2), int(6.5 * 4.2)]) == (255, 0, 0)  # the key
    assert tuple(image[int(14.5 * 4.2), int(18.5 * 4.2)]) == (0, 255, 0)  # the door
    assert tuple(image[0, 0]) == (128, 128, 128)
    for action in solve_by_simulator(ww.simulator("maze-small"))[:21]:  # type: ignore[arg-type]
        step = env.step(action)
    assert step.info["key"] == 1
    step = env.step(UP)
    # Taken, it is gone from the picture.
    assert tuple(step.observation[int(17.5 * 4.2), int(6.5 * 4.2)]) == (0, 0, 0)
    assert env.step(NOOP).observation is step.observation


def test_every_cell_weighs_the_same():
    """Tiles of a maze show where the agent is, not on which pixel a cell happens to begin."""
    for name, cells in (("maze-small", 5), ("maze-large", 8)):
        env: Any = ww.simulator(name)
        blue = set()
        for row in range(1, cells):
            for column in range(1, cells):
                if env.layout.cells[row][column] == ".":
                    env.load((2 * (row * env.columns + column), 0, False))
                    image = env.step(NOOP).observation
                    blue.add(round(float(image[:21, :21, 2].mean()), 1))
        assert len(blue) == 1


def test_drawing_and_copies():
    env = Maze(TINY)
    env.reset()
    env.step(RIGHT)
    env.step(RIGHT)
    assert env.draw() == "#####\n#..A#\n#..D#\n#####"
    copy = pickle.loads(pickle.dumps(env))
    assert copy.draw() == env.draw()
    assert copy.save() == env.save()
    assert copy.step(DOWN).reward == env.step(DOWN).reward == 1.0


@pytest.mark.parametrize(("text", "message"), [
    ("", "no rows"),
    ("#####\n#A.K#\n####\n", r"m:3: this row has 4 cells, but the first row has 5"),
    ("####\n#AK#\n####", r"the door \(D\) is missing"),
    ("####\n#AKD\n#x##", r"m:3:2: unknown character 'x'"),
    ("#AKD#\n#..A#", r"m:2:4: a second A"),
    ("limit: many\n#AKD#", r"m:1: the limit 'many'"),
    ("limit: 0\n#AKD#", r"m:1: the limit '0'"),
    ("start: 1\n#.KD#", r"m:1: write the start as row,column"),
    ("start: 0,0\n#.KD#", "wall"),
    ("start: 9,0\n#.KD#", "outside"),
    ("start: 0,1\n#AKD#", "only once"),
    ("#A" + "." * 90 + "KD#", "at most 84"),
])  # fmt: skip
def test_mistakes_in_a_drawing(text, message):
    with pytest.raises(ww.InputError, match=message):
        MazeLayout.parse(text, "m")


def test_mazes_of_ones_own(tmp_path):
    file = tmp_path / "tiny.txt"
    file.write_text(TINY)
    env: Any = ww.simulator(f"maze:{file}", limit=9)
    assert (env.limit, env.rows, env.columns) == (9, 4, 5)
    assert ww.simulator(TINY).limit == 7  # type: ignore[attr-defined]
    with pytest.raises(ww.InputError, match="nowhere"):
        ww.simulator(f"maze:{tmp_path / 'nowhere.txt'}")
    with pytest.raises(ww.UsageError, match="at least 1 step"):
        Maze(TINY, limit=0)


def test_gymnasium_likes_the_mazes():
    gymnasium = pytest.importorskip("gymnasium")
    import widthwise.gym  # noqa: F401
    from widthwise.simulators.gym_registry import MAZE_IDS

    from gymnasium.utils.env_checker import check_env  # isort: skip

    for name in MAZE_IDS:
        env = gymnasium.make(name, render_mode="rgb_array")
        check_env(env.unwrapped)
        image, _ = env.reset(seed=3)
        assert np.array_equal(image, env.render())
    text = gymnasium.make("widthwise/Corridor-v0", render_mode="ansi")
    text.reset()
    assert "K" in text.render()
