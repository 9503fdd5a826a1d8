"""Settings of learning beyond the paper: samples from trees, parts of episodes, refreshed values, a fitted support."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import widthwise as ww
from cliff import Cliff
from learning_tools import ROOMS, Walk, rounds, same
from widthwise.core.errors import UsageError
from widthwise.core.shape import Mismatch
from widthwise.learning.input_format import InputFormat
from widthwise.learning.learning_settings import LearningSettings
from widthwise.learning.network import HIDDEN, Network
from widthwise.learning.replay_memory import EpisodeData, ReplayMemory, Sampling, shift_images
from widthwise.learning.support import fitting_scale, named_support
from widthwise.simulators.maze import Maze
from widthwise.training.algorithms import PlanningSettings, planning_settings
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.configuration import Configuration
from widthwise.training.old_keys import upgrade_configuration
from widthwise.training.player import lives_lost
from widthwise.training.trainer import Trainer

pytestmark = pytest.mark.torch
#: Each setting with a value other than its default.
LEVERS: dict[str, dict[str, Any]] = {
    "learning": {
        "tree_targets": 4, "segment": 3, "bootstrap": 2, "shift": 2, "value_support": "fitted", "zero_heads": False,
        "raw_input": True,
    },
    "planning": {
        "life_penalty": 1.0, "clip_rewards": True, "untried_worth": False, "root_actions": True, "ends_novel": True,
        "reward_temperature": 0.5, "count_temperature": 2.0, "tie_tolerance": 0.3,
    },
}  # fmt: skip
SINGLE = [(part, name) for part, values in LEVERS.items() for name in values]


def maze_trainer(planning: dict[str, Any], learning: dict[str, Any], trees: int = 1) -> Trainer:
    chosen = planning_settings("pi-hiw", Maze(ROOMS), **{"steps_per_action": 10, **planning})
    ways = LearningSettings(batch=8, patient=False, calibration=0, **learning)
    return Trainer(lambda: Maze(ROOMS), Configuration(chosen, ways, trees=trees))


def went_on(trainer: Trainer, again: Trainer) -> bool:
    """Whether a trainer and another one that was restored from its state do the same."""
    state = trainer.state()
    check_trainer(state, again)
    again.restore(state)
    rounds(trainer, 12)
    rounds(again, 12)
    return same(trainer.state(), again.state())


@pytest.mark.parametrize(("part", "name"), SINGLE)
def test_each_setting_alone_learns_and_continues_from_a_state(part: str, name: str) -> None:
    chosen: dict[str, dict[str, Any]] = {"planning": {}, "learning": {}, part: {name: LEVERS[part][name]}}
    trainer, again = (maze_trainer(chosen["planning"], chosen["learning"]) for _ in range(2))
    rounds(trainer, 27)
    assert trainer.updater.updates and went_on(trainer, again)


@pytest.mark.parametrize("trees", [1, 3])
def test_all_settings_together_continue_from_a_state(trees: int) -> None:
    trainer, again = (maze_trainer(LEVERS["planning"], LEVERS["learning"], trees) for _ in range(2))
    rounds(trainer, 17)
    assert trainer.replay.nodes and trainer.updater.updates and went_on(trainer, again)


def test_settings_that_did_not_exist_keep_a_run_as_it_was() -> None:
    before, now = Configuration().describe(), Configuration()
    for part, name in [*SINGLE, ("learning", "tree_share"), ("learning", "tree_values")]:
        del before[part][name]
    upgraded = upgrade_configuration(before)
    assert upgraded == now.describe()  # checkpoints compare all settings
    assert Configuration.read(upgraded) == now


@pytest.mark.parametrize(
    "wrong",
    [{"tree_targets": -1}, {"tree_share": 1.0}, {"shift": 17}, {"value_support": "large"}, {"bootstrap": 10_001}],
)
def test_values_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        LearningSettings(**wrong)


def test_penalties_and_temperatures_out_of_range_are_refused() -> None:
    for name in ("life_penalty", "reward_temperature", "count_temperature"):
        with pytest.raises(UsageError, match=name):
            replace(PlanningSettings(), **{name: -1.0})  # type: ignore[arg-type]
    both_set = planning_settings("pi-iw+", reward_temperature=0.5, count_temperature=3.0).acts_by()
    assert (both_set.reward_temperature, both_set.count_temperature) == (0.5, 3.0)
    given = ww.Behaviour("prior", tie_tolerance=0.3)
    assert planning_settings("pi-iw+", behaviour=given).acts_by() == given
    assert planning_settings("pi-iw+", behaviour=given, tie_tolerance=0.1).acts_by().tie_tolerance == 0.1


def data(returns: list[float]) -> EpisodeData:
    numbers = np.array(returns, np.float32)
    return EpisodeData([(number.reshape(1),) for number in numbers], np.stack([numbers, -numbers], 1), numbers)


def test_a_loss_that_only_a_tree_contains_is_no_reward() -> None:
    """With `patient`, learning begins at the first reward: the step into a wall that was only planned is none."""
    replay = ReplayMemory(InputFormat((1,), False), 10, 64, sampling=Sampling(tree_share=0.25))
    replay.add_nodes(data([0.0, -1.0]))
    replay.add(data([0.0, 0.0]))
    assert replay.usable() and not replay.rewarded()
    replay.add_nodes(data([0.0, 0.5]))
    assert replay.rewarded()
    replay.clear()
    replay.add(data([0.0, -1.0]))  # the agent took it
    assert replay.rewarded()


def test_a_share_of_a_batch_comes_from_nodes_of_the_tree() -> None:
    replay = ReplayMemory(InputFormat((1,), False), 10, 64, sampling=Sampling(tree_share=0.25, tree_values=False))
    replay.add_nodes(data([5.0, 6.0]))
    assert set(replay.sample().returns.tolist()) == {5.0, 6.0}  # there is nothing else yet
    replay.add(data([1.0, 2.0, 3.0]))
    batch = replay.sample()
    assert sum(batch.returns > 4) == 16 and len(replay) == 5 and replay.rewarded()
    assert (batch.value_weights[batch.returns > 4] == 0).all()
    assert batch.value_weights.mean() == pytest.approx(1.0)
    for _ in range(30):
        replay.add_nodes(data([7.0, 8.0]))
    assert sum(len(portion) for portion in replay.nodes) == 40  # four times the transitions
    again = ReplayMemory(InputFormat((1,), False), 10, 64, sampling=replay.sampling)
    again.restore(replay.state())
    assert (again.sample().observations == replay.sample().observations).all() and len(again) == len(replay)


def test_values_of_the_network_replace_the_end_of_a_return() -> None:
    replay = ReplayMemory(InputFormat((1,), False), 10, 64, sampling=Sampling(bootstrap=2, discount=0.5))
    replay.add(data([4.0, 6.0, 8.0, 16.0]))  # rewards 1, 2, 0, 16
    refreshed = replay.sample(lambda seen: np.array([100.0 + float(parts[0][0]) for parts in seen]))
    expected = {4.0: 4 + 0.25 * (108 - 8), 6.0: 6 + 0.25 * (116 - 16), 8.0: 8.0, 16.0: 16.0}
    for shown, value in zip(refreshed.observations[:, 0].tolist(), refreshed.returns.tolist(), strict=True):
        assert value == pytest.approx(expected[shown])


def test_images_are_shifted_with_their_borders_repeated() -> None:
    images = np.arange(2 * 6 * 5 * 1, dtype=np.uint8).reshape(2, 6, 5, 1)
    before, rng = images.copy(), np.random.default_rng(3)
    offsets = np.random.default_rng(3).integers(-2, 3, size=(2, 2))
    shift_images(images, 2, rng)
    assert (images != before).any()
    for image, old, (down, right) in zip(images, before, offsets, strict=True):
        for row in range(6):
            for column in range(5):
                source = old[min(max(row + down, 0), 5), min(max(column + right, 0), 4)]
                assert image[row, column] == source


def test_a_fitted_support_follows_the_returns() -> None:
    assert [fitting_scale(value) for value in ([0.0], [0.3, -0.1], [1.0], [-5.0])] == [0.0, 0.5, 1.0, 8.0]
    support = named_support("fitted")
    assert support is not None
    network = Network(InputFormat((3,), False), 2, support)
    network.fit([0.0])
    assert network.value_unit == 0.0
    network.fit([3.0, -1.0])
    assert network.value_unit == 4.0
    network.fit([2.0])
    assert network.value_unit == 4.0  # it never shrinks
    # Logits that stand for a value of about 2: a Gaussian around it.
    points = torch.from_numpy(support.points)
    with torch.no_grad():
        network.value.bias.copy_(-((points * 4 - 2.0) ** 2) / (2 * 0.5**2))

    def value() -> float:
        probabilities = torch.softmax(network.value(torch.zeros(1, HIDDEN)), 1)[0].double().detach()
        return float(probabilities @ points) * network.value_unit

    assert value() == pytest.approx(2.0, abs=0.01)
    network.fit([15.0])
    assert network.value_unit == 16.0 and value() == pytest.approx(2.0, abs=0.15)
    two_hot = network.two_hot([15.0, 0.5])
    assert (two_hot @ support.points * 16).tolist() == pytest.approx([15.0, 0.5], abs=1e-4)


def test_a_part_of_an_episode_ends_with_what_the_search_saw() -> None:
    trainer = maze_trainer({"discount": 0.5}, {"segment": 4})
    rounds(trainer, 5)
    (part,) = trainer.replay.episodes
    rewards = trainer.players[0].agent.episode.rewards
    assert len(part) == 4 and trainer.players[0].delivered == 4
    seen = sum(0.5**step * reward for step, reward in enumerate(rewards[:4]))
    after = float(part.returns[3]) - rewards[3]
    assert float(part.returns[0]) == pytest.approx(seen + 0.5**3 * after)
    while not trainer.players[0].agent.over:
        trainer.round()
    parts = [len(episode) for episode in trainer.replay.episodes]
    assert sum(parts) == trainer.players[0].agent.episode.steps and set(parts[:-1]) == {4}


def test_lost_lives_and_clipped_rewards_are_part_of_the_returns() -> None:
    chosen = planning_settings("pi-iw", Cliff(), steps_per_action=4, dynamic=False, life_penalty=2.0, clip_rewards=True)
    trainer = Trainer(Cliff, Configuration(chosen, LearningSettings(batch=4, patient=False)))
    player = trainer.players[0]
    while not len(trainer.replay):
        trainer.round()
    episode, played = player.agent.episode, trainer.replay.episodes[0]
    # A pit gives 3, which counts as 1, and takes a life.
    counted = [1.0 - 2.0 if reward == 3.0 else reward for reward in episode.rewards]
    assert player.lost == [reward == 3.0 for reward in episode.rewards]
    for step in range(len(counted)):
        later = sum(0.99**k * reward for k, reward in enumerate(counted[step:]))
        assert float(played.returns[step]) == pytest.approx(later, abs=1e-5)
    assert episode.score == sum(episode.rewards)
    steps = [ww.Step(0, info={"lives": lives}) for lives in (3, 3, 2, 2)]
    assert lives_lost(steps) == [False, True, False] and lives_lost([ww.Step(0), ww.Step(1)]) == [False]


def test_damaged_samples_are_refused() -> None:
    trainer = maze_trainer({}, {"tree_targets": 4, "segment": 3, "value_support": "fitted"})
    rounds(trainer, 8)
    changes: list[tuple[Callable[[Any], object], str]] = [
        (lambda state: state["replay"]["nodes"][0].update(returns=torch.zeros(1000)), "nodes"),
        (lambda state: state["players"][0].update(delivered=10_000), "delivered"),
        (lambda state: state["learner"]["network"]["value_scale"].fill_(-1.0), "value_scale"),
    ]
    for damage, message in changes:
        state = trainer.state()
        damage(state)
        with pytest.raises(Mismatch, match=message):
            check_trainer(state, trainer)


def test_samples_of_an_action_are_bounded() -> None:
    trainer = Trainer(
        Walk,
        Configuration(
            planning_settings("pi-iw+", Walk(), steps_per_action=4),
            LearningSettings(batch=8, tree_targets=4, segment=2),
        ),
    )
    rounds(trainer, 10)
    assert trainer.replay.nodes and trainer.replay.episodes
    assert all(len(portion) <= 4 for portion in trainer.replay.nodes)
