"""`predict` of agents: programs step the environment, and the agent plans from its true state or refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import widthwise as ww
from cli_tools import call
from widthwise.simulator_search.driver import Driver
from widthwise.simulator_search.shortening import Shortening
from widthwise.simulators.spaces import Actions
from widthwise.training.batches import rows_of

gymnasium = pytest.importorskip("gymnasium")
spaces = gymnasium.spaces


def lake() -> Any:
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def test_evaluate_policy_of_stable_baselines_runs() -> None:
    evaluation = pytest.importorskip("stable_baselines3.common.evaluation")
    from stable_baselines3.common.monitor import Monitor

    agent = ww.OnlinePlanner(lake())
    rewards, lengths = evaluation.evaluate_policy(
        agent, Monitor(agent.env), n_eval_episodes=3, return_episode_rewards=True
    )
    assert rewards == [1.0, 1.0, 1.0] and lengths == [6, 6, 6]


def test_other_environments_than_that_of_the_agent_are_refused() -> None:
    evaluation = pytest.importorskip("stable_baselines3.common.evaluation")
    env = gymnasium.make("Taxi-v4")
    agent = ww.OnlinePlanner(env)
    with pytest.raises(ww.UsageError, match=r"never reset.*agent\.env"):
        evaluation.evaluate_policy(agent, env, warn=False)
    agent.env.reset(seed=1)
    other = gymnasium.make("Taxi-v4")
    with pytest.raises(ww.UsageError, match="not the one that the environment of this agent returned last"):
        agent.predict(other.reset(seed=2)[0])
    # The same observation of another environment: the second prediction finds that nothing was stepped.
    seen, _ = agent.env.reset(seed=3)
    agent.predict(seen)
    with pytest.raises(ww.UsageError, match="not stepped since"):
        agent.predict(seen)
    with pytest.raises(ww.UsageError, match=r"4 observations \(a vectorised environment\)"):
        agent.predict(np.full(4, seen))


def test_planning_leaves_the_environment_as_it_was() -> None:
    """The same actions in an environment without an agent show the same, whatever was tried in between."""
    agent, alone = ww.OnlinePlanner(gymnasium.make("CartPole-v1"), budget=ww.Budget(steps=30)), None
    alone = gymnasium.make("CartPole-v1")
    seen, _ = agent.env.reset(seed=5)
    assert np.array_equal(seen, alone.reset(seed=5)[0])
    for _ in range(8):
        action, _ = agent.predict(seen, deterministic=True)
        seen, reward, *ends, _ = agent.env.step(action)
        expected, other_reward, *other_ends, _ = alone.step(int(action))
        assert np.array_equal(seen, expected) and reward == other_reward and ends == other_ends
    # The next episode continues the generator of the environment, not one that planning has used.
    assert np.array_equal(agent.env.reset()[0], alone.reset()[0])


def test_an_agent_continues_where_another_action_was_executed() -> None:
    agent = ww.OnlinePlanner(lake())
    seen, _ = agent.env.reset(seed=0)
    agent.predict(seen)
    seen, *_ = agent.env.step(0)  # against the wall: nothing moves
    total = 0.0
    for _ in range(6):
        action, _ = agent.predict(seen)
        seen, reward, done, _, _ = agent.env.step(action)
        total += float(reward)
    assert done and total == 1
    with pytest.raises(ww.UsageError, match="the episode is over"):
        agent.predict(seen)


def test_chance_is_refused_and_the_environment_stays_as_it_was() -> None:
    agent = ww.OnlinePlanner(gymnasium.make("FrozenLake-v1", is_slippery=True))
    seen, _ = agent.env.reset(seed=0)
    with pytest.raises(ww.WidthwiseError, match="chance"):
        agent.predict(seen)
    agent = ww.OnlinePlanner(gymnasium.make("FrozenLake-v1", is_slippery=True), chance="reseed")
    seen, _ = agent.env.reset(seed=0)
    action, _ = agent.predict(seen)
    assert agent.env.action_space.contains(action)


def test_simulators_that_are_no_gymnasium_environments_have_one() -> None:
    agent = ww.OnlinePlanner("corridor", ww.RolloutIW(1))
    seen, _ = agent.env.reset(seed=0)
    assert agent.env.observation_space.contains(seen)
    action, state = agent.predict(seen[np.newaxis], state="kept")
    assert action.shape == (1,) and state == "kept"


@pytest.mark.parametrize("make", [lambda: gymnasium.make_vec("CartPole-v1", 2), None])
def test_vectorised_environments_are_refused_by_name(make: Any) -> None:
    if make is None:
        vectors = pytest.importorskip("stable_baselines3.common.vec_env")
        make = lambda: vectors.DummyVecEnv([lake])  # noqa: E731
    with pytest.raises(ww.UsageError, match="vectorised environment"):
        ww.OnlinePlanner(make())


@pytest.mark.parametrize(
    ("space", "grid", "count"),
    [
        (spaces.Box(-2, 2, (1,)), "grid:5", 5),
        (spaces.Box(-1, 1, (2,)), "grid:3", 9),
        (spaces.Box(-1, 1, (2,)), "grid:3x4", 12),
        (spaces.Dict({"go": spaces.Discrete(2), "force": spaces.Box(0, 1, (1,))}), "grid:3", 6),
    ],
)
def test_continuous_actions_are_a_declared_grid(space: Any, grid: str, count: int) -> None:
    actions = Actions(space, grid=grid)
    made = [actions(number) for number in range(actions.count)]
    assert actions.count == count == len(set(actions.names()))
    assert all(space.contains(action) for action in made)
    if isinstance(space, spaces.Box):
        assert np.array_equal(made[0], space.low) and np.array_equal(made[-1], space.high)


@pytest.mark.parametrize(
    ("space", "grid", "message"),
    [
        (spaces.Box(-2, 2, (1,)), None, "finite set of actions"),
        (spaces.Box(-2, 2, (1,)), "5", "does not describe a grid"),
        (spaces.Box(-2, 2, (1,)), "grid:1", "at least 2"),
        (spaces.Box(-2, 2, (3,)), "grid:2x2", "2 numbers"),
        (spaces.Box(-2, 2, (3,)), "grid:11", "coarser grid"),
        (spaces.Box(-np.inf, np.inf, (1,)), "grid:5", "needs bounds"),
        (spaces.Discrete(3), "grid:5", "continuous"),
    ],
)
def test_grids_that_do_not_fit_are_refused(space: Any, grid: str | None, message: str) -> None:
    with pytest.raises(ww.UsageError, match=message):
        Actions(space, grid=grid)


def test_the_command_line_takes_a_grid() -> None:
    ended = call("play", "Pendulum-v1", "--max-steps", "2")
    assert ended.code == 2 and "--actions grid:5" in ended.err
    ended = call("play", "Pendulum-v1", "--actions", "grid:3", "--max-steps", "2", "--quiet")
    assert ended.code == 0, ended.err
    ended = call("play", "Pendulum-v1", "--actions", "grid:3", "--option", "actions=grid:3")
    assert ended.code == 2 and "only one" in ended.err
    ended = call("check-env", "Pendulum-v1", "--actions", "grid:2", "--max-time", "0.05")
    assert ended.code == 0, ended.out


def test_batches_of_observations_are_taken_apart() -> None:
    assert rows_of(np.zeros(3), np.zeros(3))[0]
    single, rows = rows_of({"a": np.ones((2, 3)), "b": np.array([4, 5])}, {"a": np.zeros(3), "b": 0})
    assert not single and [int(row["b"]) for row in rows] == [4, 5]
    with pytest.raises(ww.UsageError, match="shape"):
        rows_of(np.zeros((2, 4)), np.zeros(3))


class Road:
    """A road of 30 metres; an action goes 1 or 3 of them, and every step costs 1."""

    actions, deterministic = 2, True

    def reset(self, seed: int | None = None) -> ww.Step:
        self.place = 0.0
        return ww.Step(np.array([self.place]))

    def step(self, action: int) -> ww.Step:
        self.place += (1.0, 3.0)[action]
        return ww.Step(np.array([self.place]), -1.0, terminated=self.place >= 30)

    def save(self) -> float:
        return self.place

    def load(self, snapshot: float) -> None:
        self.place = snapshot


@pytest.mark.parametrize(("known", "limit", "length"), [(20, 1_000, 10), (10, 1_000, None), (20, 5, None)])
def test_a_shorter_path_to_the_goal_is_found(known: int, limit: int, length: int | None) -> None:
    driver = Driver(Road(), [ww.Bins(2, low=[0], high=[30])])
    driver.add(-1, -1, driver.reset(0))
    search = Shortening(driver, 1, 16, 1.0, is_goal=lambda step: step.terminated, stopped=lambda: False)
    path = search.run(ww.Bins(10, low=[0], high=[30]), known, -float(known), limit)
    assert path == (None if length is None else [1] * length)
    assert driver.steps <= limit


def test_where_only_survival_counts_a_long_path_is_followed() -> None:
    episode = ww.OnlinePlanner("CartPole-v1", shorten=4_000, max_steps=60).run(seed=0)
    assert episode.score == 60
    assert sum(record.interactions <= 1 for record in episode.records) > 20
