"""Gymnasium environments as simulators: saved by themselves, pickled, or copied."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise.simulators.gymnasium_env import GymnasiumSimulator

gymnasium = pytest.importorskip("gymnasium")


class Dice(gymnasium.Env):  # type: ignore[name-defined]
    """Draws a number a step; reuses its array; counts in a nested object."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Dict({"sum": gymnasium.spaces.Box(0, 1e9, (1,))})

    def __init__(self):
        self.sum = np.zeros(1, np.float32)
        self.nested = {"all": []}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sum[:] = 0
        self.nested["all"].clear()
        return {"sum": self.sum}, {}

    def step(self, action):
        drawn = int(self.np_random.integers(10))
        self.nested["all"].append(drawn)
        self.sum += drawn * (action + 1)
        return {"sum": self.sum}, float(drawn), False, False, {"count": len(self.nested["all"])}


class Own(Dice):
    """Saves itself."""

    saves = 0

    def clone_state(self, include_rng=False):
        type(self).saves += 1
        assert include_rng
        return self.sum.copy(), list(self.nested["all"]), self.np_random.bit_generator.state

    def restore_state(self, state):
        self.sum[:], self.nested["all"][:] = state[0], state[1]
        self.np_random.bit_generator.state = state[2]


class Local(Dice):
    """Holds what can be copied but not pickled."""

    def __init__(self):
        super().__init__()
        self.helper = lambda: 1


def walk(env, actions):
    return [(s.observation["sum"].tolist(), s.reward, s.truncated, s.info) for s in map(env.step, actions)]


@pytest.mark.parametrize(("kind", "copy"), [
    (Dice, "auto"), (Dice, "pickle"), (Dice, "deepcopy"), (Own, "auto"), (Own, "own"), (Own, "pickle"), (Local, "auto"),
])  # fmt: skip
def test_save_and_load(kind, copy):
    inner = kind()
    wrapped = gymnasium.wrappers.TimeLimit(gymnasium.wrappers.OrderEnforcing(inner), 8)
    before = Own.saves
    env: Any = ww.simulator(wrapped, copy=copy)
    env.reset(seed=4)
    walk(env, [0, 1, 1])
    snapshot = env.save()
    first = walk(env, [1, 0, 1, 1, 0])
    assert first[-1][2]  # the eighth step is the last one
    for _ in range(3):
        env.load(snapshot)
        assert walk(env, [1, 0, 1, 1, 0]) == first
    env.reset(seed=99)
    env.load(snapshot)
    assert walk(env, [1, 0, 1, 1, 0]) == first
    assert env.env is wrapped
    assert wrapped.unwrapped is inner  # whoever holds the environment holds the same one afterwards
    assert (Own.saves > before) == (kind is Own and copy != "pickle")
    if kind is not Local:
        other = ww.simulator(gymnasium.wrappers.TimeLimit(gymnasium.wrappers.OrderEnforcing(kind()), 8), copy=copy)
        other.reset(seed=0)
        other.load(pickle.loads(pickle.dumps(snapshot)))
        assert walk(other, [1, 0, 1, 1, 0]) == first
        env.load(pickle.loads(pickle.dumps(snapshot)))
        assert walk(env, [1, 0, 1, 1, 0]) == first
        assert wrapped.unwrapped is inner


def test_observations_are_kept():
    env: Any = ww.simulator(Dice())
    first = env.reset(seed=0)
    env.step(1)
    assert first.observation["sum"].tolist() == [0]


def test_a_space_that_draws_is_part_of_the_state():
    class Sampling(Dice):
        def __init__(self):
            super().__init__()
            self.action_space = gymnasium.spaces.Discrete(2, seed=1)

        def step(self, action):
            seen = super().step(action)
            return (*seen[:4], {"sample": int(self.action_space.sample())})

    env: Any = ww.simulator(Sampling(), copy="deepcopy")
    env.reset(seed=0)
    snapshot = env.save()
    first = walk(env, [0] * 20)
    env.load(snapshot)
    assert walk(env, [0] * 20) == first


def test_what_cannot_be_simulated():
    with pytest.raises(ww.UsageError, match="finite set of actions"):
        ww.simulator("Pendulum-v1")
    with pytest.raises(ww.UsageError, match="no methods to save"):
        ww.simulator(Dice(), copy="own")
    with pytest.raises(ww.UsageError, match="unknown copy strategy"):
        ww.simulator(Dice(), copy="xerox")
    with pytest.raises(ww.UsageError, match="cannot be pickled"):
        ww.simulator(Local(), copy="pickle").save()

    class Stuck(Dice):
        def __init__(self):
            super().__init__()
            self.file = (number for number in range(3))

    env: Any = ww.simulator(Stuck(), copy="deepcopy")
    env.reset(seed=0)
    with pytest.raises(ww.UsageError, match="neither pickled nor copied"):
        env.save()
    env = ww.simulator(Stuck(), shared=["file"])
    env.reset(seed=0)
    env.load(env.save())


@pytest.mark.parametrize("name", ["CartPole-v1", "FrozenLake-v1", "Taxi-v4", "widthwise/MazeSmall-v0"])
def test_environments_by_name(name):
    if name not in gymnasium.registry and "/" not in name:
        pytest.skip(f"this Gymnasium has no {name}")
    options = {"is_slippery": False} if name.startswith("FrozenLake") else {}  # otherwise steps depend on chance
    report = ww.check_simulator(name, seconds=0.3, **options)
    assert report.ok, str(report)


def test_minigrid():
    pytest.importorskip("minigrid")
    report = ww.check_simulator("MiniGrid-DoorKey-5x5-v0", seconds=0.5)
    assert report.ok, str(report)
    assert report.bytes["snapshot"] < 10_000


def test_walls_of_a_minigrid_are_not_copied_one_by_one():
    pytest.importorskip("minigrid")
    env: Any = ww.simulator("MiniGrid-KeyCorridorS6R3-v0", copy="pickle")
    env.reset(seed=0)
    env.load(env.save())
    core = env.env.unwrapped
    walls = {id(thing) for thing in core.grid.grid if thing is not None and thing.type == "wall"}
    assert len(walls) == 1
    assert len(pickle.dumps(env.save())) < 4_000


def test_a_wall_that_was_changed_keeps_the_change():
    pytest.importorskip("minigrid")
    env: Any = ww.simulator("MiniGrid-Empty-5x5-v0")
    env.reset(seed=0)
    core = env.env.unwrapped
    core.grid.get(0, 0).cur_pos = (7, 7)
    snapshot = env.save()
    env.reset(seed=1)
    env.load(snapshot)
    assert core.grid.get(0, 0).cur_pos == (7, 7)
    assert core.grid.get(1, 0).cur_pos is None


def test_minigrid_features_tell_a_blocked_door_from_a_free_one():
    pytest.importorskip("minigrid")
    env: Any = ww.simulator("MiniGrid-BlockedUnlockPickup-v0")
    first = env.reset(seed=0)
    features = ww.MiniGrid("blocked"), ww.MiniGrid("situation")
    core = env.env.unwrapped
    place = next(index for index, thing in enumerate(core.grid.grid) if thing is not None and thing.type == "ball")
    column, row = place % core.width, place // core.width
    ball = core.grid.get(column, row)
    core.grid.set(column, row, None)
    free = env.step(0)
    assert [int(feature(first)[0]) for feature in features[:1]] == [1]
    assert [int(feature(free)[0]) for feature in features[:1]] == [0]
    assert features[1](first) != features[1](free)
    core.carrying = ball
    carried = env.step(0)
    assert features[1](carried) != features[1](free)


@pytest.mark.parametrize("way", ["auto", "replay"])
def test_a_repeated_action_adds_up_its_rewards_and_stops_at_the_end(way):
    single: Any = ww.simulator("CartPole-v1", copy=way)
    repeated: Any = ww.simulator("CartPole-v1", copy=way, action_repeat=4)
    assert repeated.limit == 125
    single.reset(seed=0)
    repeated.reset(seed=0)
    snapshot = repeated.save()
    for _ in range(2):
        repeated.load(snapshot)
        rewards, done, steps = 0.0, False, 0
        single.reset(seed=0)
        while not done:
            step = repeated.step(1)
            for _ in range(4):
                if not done:
                    last = single.step(1)
                    rewards, done, steps = rewards + last.reward, last.done, steps + 1
            assert step.done == last.done and np.array_equal(step.observation, last.observation)
            assert step.reward == 4 or step.done
        assert steps == rewards == 4 * ((steps - 1) // 4) + step.reward


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "8"])
def test_an_action_is_repeated_a_whole_number_of_times(wrong):
    with pytest.raises(ww.UsageError, match="action_repeat"):
        ww.simulator("CartPole-v1", action_repeat=wrong)


def test_actions_need_not_begin_at_zero():
    class Shifted(Dice):
        action_space = gymnasium.spaces.Discrete(2, start=3)

        def step(self, action):
            assert action in (3, 4)
            return super().step(action - 3)

    env = GymnasiumSimulator(Shifted())
    env.reset(seed=0)
    assert env.actions == 2
    env.step(0)
    env.step(1)


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_snapshots_of_every_kind_pass_all_checks(way):
    report = ww.check_simulator("CartPole-v1", seconds=0.3, copy=way)
    assert report.ok, str(report)
    assert "skipped" not in {check.verdict for check in report.checks if "pickl" in check.name}
