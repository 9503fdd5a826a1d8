"""The trainer: one tree and many, saving and going on, ablations, and that it learns."""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

import widthwise as ww
from learning_tools import PoorWalk, Walk, walker
from places import ROOT
from widthwise.core.simulator import Step
from widthwise.learning.inference import Inference
from widthwise.learning.learning_settings import LearningSettings
from widthwise.learning.updater import TrainingDivergedError
from widthwise.online.defaults import default_features
from widthwise.online.lockstep import run_together
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.tree import NONE
from widthwise.simulators.features import Cells, Tiles
from widthwise.simulators.maze import Maze
from widthwise.simulators.names import simulator
from widthwise.training.algorithms import planning_settings
from widthwise.training.clocks import TimedSimulator
from widthwise.training.configuration import Configuration
from widthwise.training.ended_episode import EndedEpisode
from widthwise.training.trainer import Trainer

ROOMS = """\
limit: 20
#######
#A.#.K#
#.....#
#..#.D#
#######
"""


def rounds(trainer: Trainer, count: int) -> list[EndedEpisode]:
    return [ended for _ in range(count) for ended in trainer.round()]


def maze_trainer(trees: int = 1, name: str = "pi-hiw", refresh: bool = False, **settings: Any) -> Trainer:
    chosen = planning_settings(name, Maze(ROOMS), **{"steps_per_action": 10, **settings})
    return Trainer(lambda: Maze(ROOMS), Configuration(chosen, LearningSettings(batch=8), trees=trees, refresh=refresh))


def same(left: Any, other: Any) -> bool:
    """Whether two states are the same, times aside."""
    if isinstance(left, torch.Tensor):
        return torch.equal(left, other)
    if isinstance(left, dict):
        return left.keys() == other.keys() and all(same(left[key], other[key]) for key in left if key != "seconds")
    if isinstance(left, list | tuple):
        return len(left) == len(other) and all(same(a, b) for a, b in zip(left, other, strict=True))
    return bool(left == other)


def test_the_clock_around_a_simulator_leaves_it_its_features() -> None:
    agent = maze_trainer(dynamic=False).players[0].agent
    assert isinstance(agent.simulator, TimedSimulator)
    assert [type(feature) for feature in default_features(agent.simulator)] == [Cells, Tiles]


def test_long_episodes_of_evaluation_do_not_keep_every_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("widthwise.training.node_evaluator.KNOWN", 10)
    trainer = walker()
    places = [Step(np.full(9, place, np.float32)) for place in range(40)]
    messages = [trainer.evaluate([first, second]) for _ in range(2) for first, second in itertools.pairwise(places)]
    assert messages[:39] == messages[39:]
    assert len(trainer.evaluate._known) <= 10 + 2 and len(trainer.evaluate._marks) <= 10 + 2


def test_the_network_is_asked_once_about_what_looks_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, asked, evaluated = maze_trainer(trees=2), list[Any](), Inference.__call__

    def asks(self: Inference, seen: Sequence[Any]) -> list[Evaluation]:
        asked.extend(seen)
        return evaluated(self, seen)

    monkeypatch.setattr(Inference, "__call__", asks)
    rounds(trainer, 1)
    looks = {item.tobytes() for item in asked}
    assert 0 < len(looks) == len(asked) < trainer.interactions - trainer.config.learning.calibration
    steps = [Step(item) for item in asked]
    before = trainer.evaluate([*steps, *steps])
    inference = trainer.updater.inference
    alone = [trainer.evaluate.parts(evaluated(inference, [step.observation])[0]) for step in steps]
    assert before == [*alone, *alone]  # what looks the same is judged the same
    asked.clear()
    trainer.evaluate(steps)
    assert not asked
    trainer.updater.publish()  # other weights, as far as anybody knows
    trainer.evaluate(steps)
    assert len(asked) == len(steps)


def through_a_file(state: dict[str, Any]) -> dict[str, Any]:
    """Saved and loaded without running any code from the file."""
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    loaded: dict[str, Any] = torch.load(file, weights_only=True)
    return loaded


@pytest.mark.parametrize(
    "make",
    [
        lambda: walker(),
        lambda: walker(trees=3),
        lambda: walker(refresh=True),
        lambda: walker(make=PoorWalk),
        lambda: maze_trainer(trees=2),
        lambda: maze_trainer(high_width="n", tiles=(3, 2)),
        lambda: maze_trainer(name="pi-iw"),
    ],
    ids=["walk", "three", "refresh", "poor", "maze", "n", "pi-iw"],
)
def test_a_run_continues_as_if_it_had_not_stopped(make: Any) -> None:
    whole = make()
    rounds(whole, 31)
    saved = through_a_file(whole.state())
    first = rounds(whole, 25)
    stopped = make()
    stopped.restore(saved)
    assert same(stopped.state(), saved)
    assert rounds(stopped, 25) == first and first
    assert same(stopped.state(), whole.state())


def test_saving_changes_nothing_and_is_not_changed_later() -> None:
    saving, quiet = walker(), walker()
    for _ in range(20):
        saving.state()
        saving.round()
        quiet.round()
    state = saving.state()
    before = through_a_file(state)
    rounds(saving, 20)
    rounds(quiet, 20)
    assert same(saving.state(), quiet.state())
    assert same(state, before)


def test_another_environment_is_noticed() -> None:
    trainer = maze_trainer()
    rounds(trainer, 20)
    saved = trainer.state()
    other = ROOMS.replace("K", "x").replace("D", "K").replace("x", "D").replace("A.", "A#")
    chosen = planning_settings("pi-hiw", Maze(other), steps_per_action=10)
    with pytest.raises(ww.InputError, match="does not behave as it did"):
        Trainer(lambda: Maze(other), Configuration(chosen, LearningSettings(batch=8))).restore(saved)
    with pytest.raises(ww.UsageError, match="saved with 1 tree, not with 2"):
        maze_trainer(trees=2).restore(saved)


def test_one_tree_is_the_sequential_algorithm() -> None:
    """Before anything was learned, episodes are those of an agent that plays alone."""
    trainer = maze_trainer()
    actions: list[list[int]] = []
    while not actions:
        if trainer.round():
            actions.append(trainer.players[0].agent.episode.actions)
    other = maze_trainer()
    agent = other.agent(Maze(ROOMS))
    assert agent.run(seed=trainer.players[0].seed).actions == actions[0]
    together = [other.agent(Maze(ROOMS)) for _ in range(3)]
    seeds = [trainer.players[0].seed, 5, 6]
    assert run_together(together, other.evaluate, seeds)[0].actions == actions[0]


def test_updates_per_action() -> None:
    trainer = walker(trees=3)
    ended = []
    while not ended:
        assert trainer.updater.updates == 0  # nothing to learn from yet
        before = trainer.actions
        ended = trainer.round()
    assert trainer.updater.updates == trainer.actions - before
    rounds(trainer, 5)
    assert trainer.updater.updates == trainer.actions - before >= 18
    assert len(trainer.replay) == sum(len(episode) for episode in trainer.replay.episodes)
    spent = sum(player.agent.driver.steps for player in trainer.players if not player.agent.over)
    assert trainer.interactions >= spent + trainer.config.learning.calibration


def test_a_round_is_one_action_of_one_tree_and_of_several_as_many_as_take_long_enough() -> None:
    alone, several = walker(), walker(trees=3, patient=False)
    alone.round()
    assert alone.actions == 1
    for _ in range(10):
        begun = [0 if player.agent.over else player.agent.driver.steps for player in several.players]
        several.round()
        for item, steps in zip(several.players, begun, strict=True):
            # two times the interactions of an action, and not another action after that
            made = item.agent.driver.steps - steps
            assert item.agent.over or 8 <= made < 12


def test_trees_that_wait_for_a_reward_end_together_and_take_other_weights() -> None:
    trainer = walker(make=PoorWalk, trees=3)
    first = trainer.updater.network.layers[-1].weight.clone()
    while trainer.episodes < 6:
        trainer.round()
    assert trainer.updater.updates == 0
    assert not torch.equal(trainer.updater.network.layers[-1].weight, first)


def test_without_a_reward_nothing_is_learned_and_every_episode_begins_with_other_weights() -> None:
    trainer = walker(make=PoorWalk)
    seen = [trainer.updater.network.layers[-1].weight.clone()]
    while len(seen) < 4:
        while not trainer.round():
            assert torch.equal(trainer.updater.network.layers[-1].weight, seen[-1])
        assert trainer.updater.updates == 0 and not trainer.ready()
        before = trainer.interactions
        trainer.round()
        assert trainer.interactions > before + trainer.config.learning.calibration  # a new walk to set it by
        seen.append(trainer.updater.network.layers[-1].weight.clone())
        assert not torch.equal(seen[-1], seen[-2])
    trainer.replay.episodes[-1].returns[0] = 1.0
    assert trainer.ready()
    trainer.round()
    assert trainer.updater.updates == 1
    assert any(square.any() for square in trainer.updater.optimiser.squares)
    trainer.replay.episodes[-1].returns[0] = 0.0
    assert not trainer.ready()  # forgotten again
    while not trainer.round():
        pass
    trainer.round()  # the next episode begins as the very first did
    assert trainer.updater.updates == 1
    assert not any(square.any() for square in trainer.updater.optimiser.squares)
    assert not trainer.updater.network.policy.weight.any()
    assert all(bool((norm.weight == 1).all()) for norm in trainer.updater.network.norms)  # type: ignore[union-attr]


def test_an_impatient_run_learns_after_the_first_episode() -> None:
    trainer = walker(make=PoorWalk, patient=False)
    while not trainer.round():
        assert trainer.updater.updates == 0
    assert trainer.updater.updates == 1


def test_other_weights_wait_until_no_tree_is_in_an_episode() -> None:
    trainer = walker(trees=2, make=PoorWalk)
    trainer.round()
    trainer.players[0].agent.episode.terminated = True
    before = trainer.updater.network.layers[-1].weight.clone()
    trainer.round()
    assert torch.equal(trainer.updater.network.layers[-1].weight, before)


def test_nodes_know_the_version_of_the_network() -> None:
    for refresh in (False, True):
        trainer = walker(refresh=refresh, steps_per_action=2)
        while trainer.updater.updates < 5 or trainer.players[0].agent.over:
            trainer.round()
        tree = trainer.players[0].agent.driver.tree
        versions = {tree.version[node] for node in tree.nodes.live}
        if refresh:
            assert versions == {trainer.updater.updates}
            node = tree.nodes.live[-1]
            result = trainer.updater.inference([tree.observation[node]])[0]
            assert tree.value[node] == pytest.approx(result.value, abs=1e-5)
            assert tree.nodes.features[node] == result.features
        else:
            assert max(versions) < trainer.updater.updates


def test_what_is_not_finite_stops_the_run_before_the_weights_change() -> None:
    trainer = walker()
    while not trainer.updater.updates:
        trainer.round()
    state = trainer.updater.state()
    trainer.replay.episodes[0].targets[:] = float("nan")
    with pytest.raises(TrainingDivergedError, match=r"training diverged at update \d+"):
        rounds(trainer, 30)
    weights = {name for name, _ in trainer.updater.network.named_parameters()}
    now = trainer.updater.state()
    assert all(torch.equal(now["network"][name], state["network"][name]) for name in weights) or (
        now["updates"] > state["updates"]
    )
    assert all(torch.isfinite(now["network"][name]).all() for name in weights)


@pytest.mark.parametrize("part", ["guided", "dynamic", "value"])
def test_each_part_can_be_switched_off_alone(part: str) -> None:
    trainer = maze_trainer(**{part: False})  # type: ignore[arg-type]
    rounds(trainer, 3)
    tree = trainer.players[0].agent.driver.tree
    node = tree.nodes.live[0]
    result = {"guided": tree.prior[node], "value": tree.value[node]}
    for name, value in result.items():
        assert (value is None) == (name == part)
    cells = all(len(tree.nodes.features[node]) == 4 for node in tree.nodes.live)  # the cell, in 32 bits
    assert cells == (part == "dynamic")


def test_evaluation_leaves_training_alone() -> None:
    looked, quiet = walker(), walker()
    for _ in range(15):
        looked.evaluate_network(Walk(), 2, seed=1)
        looked.evaluate_planner(Walk(), 1, seed=1)
        looked.round()
        quiet.round()
    assert same(looked.state(), quiet.state())


def test_it_learns_to_walk() -> None:
    trainer = walker()
    rounds(trainer, 150)
    assert [item.score for item in trainer.evaluate_network(Walk(), 3)] == [1.0] * 3
    greedy = trainer.evaluate_network(Walk(), 1, temperature=0)[0]
    assert (greedy.steps, greedy.actions) == (6, [1] * 6)
    planned = trainer.evaluate_planner(Walk())[0]
    assert (planned.score, planned.steps) == (1.0, 6)
    tree = trainer.players[0].agent.driver.tree
    assert tree.root != NONE


def test_vectors_numbers_and_dictionaries_can_be_learned_from() -> None:
    pytest.importorskip("gymnasium")
    for name, options in (("CartPole-v1", {}), ("FrozenLake-v1", {"is_slippery": False, "deterministic": True})):
        env = simulator(name, **options)
        config = Configuration(planning_settings("pi-iw+", env, steps_per_action=5), LearningSettings(batch=8))
        trainer = Trainer(lambda name=name, options=options: simulator(name, **options), config)  # type: ignore[misc]
        rounds(trainer, 40)
        assert trainer.updater.updates > 0


PROGRAM = (
    "import sys; sys.path[:0] = ['tests/training', 'tests/support']; import test_trainer as t; print(t.fingerprint())"
)


def fingerprint() -> str:
    """What forty rounds in a maze came to."""
    trainer = maze_trainer(trees=2)
    ended = rounds(trainer, 40)
    weights = b"".join(tensor.numpy().tobytes() for tensor in trainer.updater.state()["network"].values())
    return f"{[(item.score, item.steps, item.losses) for item in ended]} {hashlib.sha256(weights).hexdigest()}"


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": "77"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == fingerprint()
