"""Gymnasium environments without options: they are solved, whatever they show and however actions are numbered."""

from __future__ import annotations

import json

import numpy as np
import pytest

import widthwise as ww
from cli_tools import call
from widthwise.simulator_search.driver import pack
from widthwise.simulators.spaces import MOST_ACTIONS, Actions

gymnasium = pytest.importorskip("gymnasium")
spaces = gymnasium.spaces


@pytest.mark.parametrize(
    ("name", "options", "score"),
    [
        ("FrozenLake-v1", ["--option", "is_slippery=false"], 1.0),
        ("CliffWalking-v1", [], -13.0),
        ("Taxi-v4", [], 1.0),
        ("MiniGrid-Empty-5x5-v0", [], 0.9),
        ("MiniGrid-DoorKey-5x5-v0", [], 0.9),
        ("MiniGrid-BlockedUnlockPickup-v0", [], 0.9),
    ],
)
def test_play_solves_it_without_options(name: str, options: list[str], score: float) -> None:
    if name.startswith("MiniGrid"):
        pytest.importorskip("minigrid")
    for seed in range(2):
        ended = call("play", name, *options, "--json", "--seed", str(seed), "--goal-score", str(score))
        assert ended.code == 0, ended.err
        assert json.loads(ended.out)["score"] >= score
        assert ended.err.startswith(f"{name}: ")  # one line says what plans


def test_options_are_values_and_unknown_ones_are_refused() -> None:
    ended = call("play", "FrozenLake-v1", "--option", "is_slipery=false")
    assert ended.code == 2
    assert "no option 'is_slipery'; did you mean is_slippery?" in ended.err
    ended = call("play", "FrozenLake-v1", "--option", "is_slippery=maybe")
    assert ended.code == 2
    assert "true or false" in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "FrozenLake-v1", "--option", "is_slippery=false", "--tiles", "2x2"],
        ["play", "FrozenLake-v1", "--option", "is_slippery=false", "--low-features", "tiles:4x4"],
        ["play", "FrozenLake-v1", "--option", "is_slippery=false", "--planner", "hiw"],
        ["play", "CartPole-v1", "--planner", "riw", "--low-features", "observation"],
    ],
)
def test_features_that_do_not_fit_are_one_message(arguments: list[str]) -> None:
    ended = call(*arguments)
    assert ended.code == 2
    assert "Traceback" not in ended.err
    assert "HIW(" not in ended.err.splitlines()[-1]


@pytest.mark.parametrize(
    "seen",
    [
        7,
        -3,
        np.int64(2**40),
        np.array([1, -2], np.int64),
        np.array([[1, 2], [3, 4]], np.uint16),
        {"b": 1, "a": (2, np.array([True, False]))},
        ((1, 2), "text"),
    ],
)
def test_discrete_observations_of_any_kind_are_features(seen: object) -> None:
    features = ww.Observation()
    first, other = features(ww.Step(seen)), features(ww.Step(seen))
    assert pack(first) == pack(other)
    assert pack(first)[0]


def test_wide_numbers_stay_different() -> None:
    features = ww.Observation()
    numbers = [0, -1, 2**31, 2**32, 2**40, 2**40 + 1]
    assert len({pack(features(ww.Step(number)))[0] for number in numbers}) == len(numbers)


def test_floats_are_cut_into_the_same_bins_by_the_same_seed() -> None:
    first, second = (ww.Bins.fit(ww.simulator("CartPole-v1"), 8, seed=3) for _ in range(2))
    step = ww.simulator("CartPole-v1").reset(seed=0)
    assert first(step).tolist() == second(step).tolist()
    quantiles = ww.Bins.fit(ww.simulator("CartPole-v1"), 4, kind="quantiles")
    assert set(quantiles(step)) <= set(range(4))
    with pytest.raises(ww.UsageError, match="4 floats"):
        first(ww.Step(np.zeros(3)))
    grid = ww.Bins(10, low=[0], high=[1])
    assert [int(grid(ww.Step(np.array([x])))[0]) for x in (0.05, 0.95, 1.05, -0.05)] == [0, 9, 10, -1]


@pytest.mark.parametrize(
    ("space", "count"),
    [
        (spaces.Discrete(3, start=5), 3),
        (spaces.MultiDiscrete([2, 3]), 6),
        (spaces.MultiBinary(3), 8),
        (spaces.Tuple((spaces.Discrete(2), spaces.MultiBinary(1))), 4),
    ],
)
def test_finite_actions_are_numbered_once_each(space: object, count: int) -> None:
    actions = Actions(space)
    made = [actions(number) for number in range(actions.count)]
    assert actions.count == count == len(set(actions.names()))
    assert all(space.contains(action) for action in made)  # type: ignore[attr-defined]


def test_too_many_or_endless_actions_are_refused() -> None:
    with pytest.raises(ww.UsageError, match=f"{MOST_ACTIONS:,}"):
        Actions(spaces.MultiBinary(20))
    with pytest.raises(ww.UsageError, match="finite set of actions"):
        Actions(spaces.Box(0, 1))


def test_an_environment_that_cannot_be_copied_is_replayed() -> None:
    class Locked(gymnasium.Wrapper):  # type: ignore[name-defined]
        def __init__(self, env: object) -> None:
            super().__init__(env)
            self.lock = (number for number in range(2))  # can be neither pickled nor copied

    lake = Locked(gymnasium.make("FrozenLake-v1", is_slippery=False))
    env = ww.simulator(lake)
    episode = ww.OnlinePlanner(env).run(seed=0)
    assert episode.score == 1
    assert env.replayed_steps > 0  # type: ignore[attr-defined]


def test_where_every_step_gives_something_ends_are_avoided() -> None:
    """A reward of 1 per step; one action goes on towards an end, the other one stays, which shows nothing new."""

    class Cliff:
        actions = 2

        def reset(self, seed: int | None = None) -> ww.Step:
            self.place = 0
            return ww.Step(self.place)

        def step(self, action: int) -> ww.Step:
            self.place += action
            return ww.Step(self.place, 1.0, terminated=self.place == 6)

        def save(self) -> int:
            return self.place

        def load(self, snapshot: int) -> None:
            self.place = snapshot

    for seed in range(5):
        agent = ww.OnlinePlanner(Cliff(), ww.RolloutIW(1), budget=ww.Budget(steps=50, nodes=200), max_steps=20)
        assert agent.run(seed=seed).score == 20


def test_cartpole_stands_for_a_hundred_steps() -> None:
    """Without options; an episode of 500 steps is in the table of docs/results/gymnasium.md."""
    for seed in range(2):
        ended = call("play", "CartPole-v1", "--json", "--quiet", "--seed", str(seed), "--max-steps", "100")
        assert json.loads(ended.out)["score"] == 100


def test_play_shows_what_replaying_costs() -> None:
    lake = ("play", "FrozenLake-v1", "--option", "is_slippery=false", "--quiet", "--budget", "50")
    replayed = call(*lake, "--option", "copy=replay", "--json")
    result = json.loads(replayed.out)
    assert replayed.code == 0, replayed.err
    assert result["replayed_steps"] > result["steps"]  # every restore does the actions of the episode again
    shown = call(*lake, "--option", "copy=replay")
    assert f"({result['replayed_steps']:,} steps replayed for restores)" in shown.out
    copied = json.loads(call(*lake, "--json").out)
    assert copied["replayed_steps"] == 0
    assert copied["actions"] == result["actions"]
    assert "replayed" not in call(*lake).out


def test_an_environment_and_a_simulator_of_five_names_are_enough() -> None:
    assert ww.OnlinePlanner(gymnasium.make("FrozenLake-v1", is_slippery=False)).run(seed=0).score == 1

    class Line:
        actions = 2

        def reset(self, seed: int | None = None) -> ww.Step:
            self.place = 0
            return ww.Step(self.place)

        def step(self, action: int) -> ww.Step:
            self.place += 1 if action else -1
            return ww.Step(self.place, float(self.place == 5), terminated=self.place == 5)

        def save(self) -> int:
            return self.place

        def load(self, snapshot: int) -> None:
            self.place = snapshot

    assert ww.OnlinePlanner(Line(), max_steps=50).run(seed=0).score == 1
