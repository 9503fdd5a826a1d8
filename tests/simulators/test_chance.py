"""Chance: found in environments, refused by default, foreseen or met with other luck where that is asked for."""

from __future__ import annotations

import json
import random
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import broken_simulators as broken
import dice_simulators as dice
import widthwise as ww
from dice_simulators import field, place
from widthwise.cli.main import main
from widthwise.core.errors import command_line_advice
from widthwise.simulators import generators
from widthwise.simulators.chance import ChanceError, check_chance, refusal

FOLDER = str(Path(broken.__file__).parent)
GYMNASIUM = find_spec("gymnasium") is not None
needs_gymnasium = pytest.mark.skipif(not GYMNASIUM, reason="needs gymnasium")
needs_minigrid = pytest.mark.skipif(find_spec("minigrid") is None, reason="needs minigrid")


@pytest.mark.parametrize(("kind", "expected"), [
    (broken.Walk, "none"),
    (dice.IdleDice, "unused"),
    (dice.Dice, "random"),
    (broken.Seeded, "random"),
    (dice.OwnReseed, "random"),
    (dice.Declared, "declared"),
    (dice.GlobalDice, "unrepeatable"),
    (dice.SystemDice, "unrepeatable"),
    (broken.Sticky, "unrepeatable"),
    (broken.ForgottenCounter, "unrepeatable"),
])  # fmt: skip
def test_simulators_written_by_hand(kind: Any, expected: str) -> None:
    random.seed(1)  # the dice of two of them: other states of the generators may repeat by chance
    np.random.seed(1)
    finding = check_chance(kind())
    assert finding.kind == expected, str(finding)
    assert finding.stochastic == (expected not in ("none", "unused"))


@needs_gymnasium
@pytest.mark.parametrize(("name", "options", "expected"), [
    ("FrozenLake-v1", {}, "random"),
    ("FrozenLake-v1", {"is_slippery": False}, "unused"),
    ("CliffWalking-v1", {}, "unused"),
    ("CliffWalking-v1", {"is_slippery": True}, "random"),
    ("Taxi-v4", {"is_rainy": True}, "random"),
    ("Blackjack-v1", {}, "random"),
    ("CartPole-v1", {}, "none"),
    ("Acrobot-v1", {}, "none"),
    pytest.param("MiniGrid-Dynamic-Obstacles-5x5-v0", {}, "random", marks=needs_minigrid),
    pytest.param("MiniGrid-DoorKey-5x5-v0", {}, "none", marks=needs_minigrid),
    pytest.param("ALE/Pong-v5", {}, "random", marks=pytest.mark.atari),
    pytest.param("ALE/Pong-v5", {"repeat_action_probability": 0.0}, "none", marks=pytest.mark.atari),
    pytest.param("atari:pong", {"sticky": 0.25}, "declared", marks=pytest.mark.atari),
    pytest.param("atari:pong", {}, "none", marks=pytest.mark.atari),
])  # fmt: skip
@pytest.mark.parametrize("seed", [0, 1])
def test_environments(name: str, options: dict[str, Any], expected: str, seed: int) -> None:
    finding = check_chance(ww.simulator(name, **options), seed)
    assert finding.kind == expected, str(finding)
    assert finding.steps <= 400
    if expected == "random":
        assert finding.generators and finding.detail.startswith("action ")


def test_generators_are_found_wherever_they_are() -> None:
    class Slots:
        __slots__ = ("dice",)

        def __init__(self) -> None:
            self.dice = np.random.default_rng(1)

    class Spread:
        shared = random.Random(1)

        def __init__(self) -> None:
            hidden = np.random.RandomState(2)
            self.deep = {"list": [(Slots(), 3)]}
            self.bits = np.random.PCG64(3)
            self.draw = lambda: hidden.random()
            self.itself = self

    result = {place.name: place for place in generators.find(Spread())}
    assert set(result) == {
        "the global generator of random",
        "the global generator of numpy",
        "Spread.shared",
        "deep['list'][0][0].dice",
        "bits",
        "draw.0",
    }
    for item in result.values():
        generator = item.get()
        with generators.shared_kept():
            states = []
            for seed in (1, 2, 1):
                generators.seed_generator(generator, seed)
                states.append(generators.state_of(generator))
        assert states[0] != states[1] and states[0] == states[2]


def test_classes_of_extension_modules_need_not_name_a_module() -> None:
    class Nameless(type):
        @property
        def __module__(cls) -> str:  # type: ignore[override]
            raise AttributeError("__module__")

    class Body(metaclass=Nameless):
        def __init__(self) -> None:
            self.dice = random.Random(0)

    class World(broken.Walk):
        def __init__(self) -> None:
            super().__init__()
            self.body = Body()

    assert "body.dice" in [place.name for place in generators.find(World())]


def test_a_generator_of_the_module_is_found() -> None:
    names = [place.name for place in generators.find(broken.Sticky())]
    assert "Sticky.dice" in names
    assert not any("broken_simulators" in name for name in names)
    broken.module_dice = random.Random(1)  # type: ignore[attr-defined]
    try:
        assert "broken_simulators.module_dice" in [place.name for place in generators.find(broken.Walk())]
    finally:
        del broken.module_dice  # type: ignore[attr-defined]


def test_the_check_puts_global_generators_back() -> None:
    random.seed(5)
    np.random.seed(5)
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    check_chance(dice.GlobalDice())
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # type: ignore[index]


@pytest.mark.parametrize("kind", [dice.Dice, dice.GlobalDice, dice.Declared, broken.Sticky])
def test_chance_is_refused_by_default(kind: Any) -> None:
    with pytest.raises(ChanceError, match=r"chance='reseed'.*chance='foresee'") as caught:
        ww.OnlinePlanner(kind(), ww.RolloutIW(1), features=place).run(0)
    assert caught.value.exit_code == 34
    assert str(caught.value).startswith(kind.__name__ + ": ")
    assert caught.value.finding is not None and caught.value.finding.stochastic


def test_an_unknown_way_is_refused() -> None:
    with pytest.raises(ww.UsageError, match="chance='pray' is unknown"):
        ww.OnlinePlanner(broken.Walk(), ww.RolloutIW(1), chance="pray")  # type: ignore[arg-type]


def played(kind: Any, chance: Any, seed: int = 0, planner: Any = None, **options: Any) -> Any:
    agent = ww.OnlinePlanner(kind(), planner or ww.RolloutIW(1), features=place, chance=chance, **options)
    return agent.run(seed)


def test_foresight_restores_the_dice() -> None:
    """What the tree promised happens, when the same generator is used in the same way."""
    episode = played(dice.Dice, "foresee")
    world = dice.Dice()
    world.reset(0)
    seen = [world.step(action) for action in episode.actions]
    assert [step.reward for step in seen] == episode.rewards
    assert seen[-1].done
    assert all(record.luck is None for record in episode.records)


PLANNERS = [
    ww.RolloutIW(1),
    ww.CountRolloutIW(1),
    ww.IW(1),
    ww.IHIW(),
    ww.HIW(lambda step: bytes([place(step)[0] // 10]), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1)),
]


@pytest.mark.parametrize("planner", PLANNERS, ids=lambda item: item.name)
def test_an_episode_with_other_luck_is_what_the_simulator_does(planner: Any) -> None:
    episode = played(dice.Dice, "reseed", 3, planner)
    assert 0 < sum(record.as_planned for record in episode.records) < episode.steps
    world = dice.Dice()
    world.reset(3)
    for record in episode.records:
        generators.reseed(world, record.luck, generators.find(world))
        step = world.step(record.action)
        assert step.reward == record.reward
    assert step.done
    again = played(dice.Dice, "reseed", 3, planner)
    assert (again.actions, again.rewards) == (episode.actions, episode.rewards)
    assert played(dice.Dice, "reseed", 4, planner).actions != episode.actions


def test_a_subtree_is_kept_only_if_what_was_planned_has_happened() -> None:
    episode = played(dice.Dice, "reseed", 3)
    for record in episode.records:
        assert record.as_planned or record.kept == 1
    assert any(record.kept > 1 for record in episode.records)
    none = played(dice.Dice, "reseed", 3, keep_subtree=False)
    assert all(record.kept == 1 for record in none.records)


def test_without_chance_other_luck_changes_nothing() -> None:
    episode = played(broken.Walk, "reseed")
    assert all(record.as_planned for record in episode.records)
    assert episode.actions == played(broken.Walk, "refuse").actions


def test_executed_steps_with_other_luck_are_counted() -> None:
    episode = played(dice.Dice, "reseed", 3, max_steps=5)
    before = episode.interactions
    foreseen = played(dice.Dice, "foresee", 3, max_steps=1)
    assert episode.records[0].interactions == foreseen.records[0].interactions + 1
    assert before == sum(record.interactions for record in episode.records)


def test_chance_that_shows_late_ends_the_episode() -> None:
    """The check before the episode finds nothing; executed actions are done again with other luck."""
    agent = ww.OnlinePlanner(dice.LateDice(), ww.RolloutIW(1), features=place, budget=ww.Budget(steps=200))
    with pytest.raises(ChanceError, match="executed step"):
        for seed in range(20):
            agent.run(seed)
            assert agent.luck.finding is not None and agent.luck.finding.kind == "unused"
    idle = ww.OnlinePlanner(dice.IdleDice(), ww.RolloutIW(1), features=place, budget=ww.Budget(steps=200))
    assert [idle.run(seed).score for seed in range(20, 25)] == [1.0] * 5


@needs_gymnasium
def test_a_slippery_lake_is_crossed_with_foresight_and_seldom_with_other_luck() -> None:
    scores = {}
    for chance in ("foresee", "reseed"):
        agent: Any = ww.OnlinePlanner(
            ww.simulator("FrozenLake-v1"), ww.RolloutIW(1), features=field, budget=ww.Budget(steps=100), chance=chance
        )
        scores[chance] = sum(agent.run(seed).score for seed in range(10))
    assert scores["foresee"] == 10
    assert scores["reseed"] < 7
    with pytest.raises(ChanceError, match="FrozenLake-v1: steps depend on chance"):
        ww.OnlinePlanner(ww.simulator("FrozenLake-v1"), ww.RolloutIW(1), features=field).run(0)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("chance", "world"), [("foresee", dice.Dice), ("reseed", dice.Dice), ("refuse", dice.IdleDice)]
)
def test_a_training_run_with_chance_continues_as_if_it_had_not_stopped(chance: Any, world: Any) -> None:
    from widthwise.learning.learning_settings import LearningSettings
    from widthwise.training.algorithms import planning_settings
    from widthwise.training.configuration import Configuration
    from widthwise.training.trainer import Trainer

    config = Configuration(
        planning_settings("pi-iw", world(), steps_per_action=12, nodes=60), LearningSettings(batch=4, calibration=8)
    )
    whole = Trainer(world, config, chance)
    ended = [whole.round() for _ in range(120)]
    first = Trainer(world, config, chance)
    for _ in range(50):
        first.round()
    second = Trainer(world, config, chance)
    second.restore(first.state())
    assert [second.round() for _ in range(70)] == ended[50:]
    assert any(ended[50:])
    assert second.interactions == whole.interactions


@pytest.mark.torch
def test_chance_that_shows_late_ends_training() -> None:
    from widthwise.learning.learning_settings import LearningSettings
    from widthwise.training.algorithms import planning_settings
    from widthwise.training.configuration import Configuration
    from widthwise.training.trainer import Trainer

    chosen = planning_settings("pi-iw", dice.LateDice(), steps_per_action=12, nodes=60)
    trainer = Trainer(dice.LateDice, Configuration(chosen, LearningSettings(batch=4, calibration=8)))
    assert trainer.finding.kind == "unused"
    with pytest.raises(ChanceError, match="executed step"):
        for _ in range(3000):
            trainer.round()


@pytest.mark.torch
@needs_gymnasium
def test_a_network_alone_foresees_nothing_and_is_not_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    folder = str(tmp_path / "run")
    arguments = ["dice_simulators:Dice", "--quiet"]
    train = ["--algorithm", "pi-iw", "--interactions", "100", "--chance", "reseed", "--out", folder]
    assert main(["train", *arguments, *train]) == 0
    assert main(["play", *arguments, "--policy", folder, "--network-only"]) == 0
    assert main(["play", *arguments, "--policy", folder, "--max-steps", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["chance"]["mode"] == "reseed"
    assert main(["play", *arguments, "--policy", folder, "--chance", "refuse"]) == 34


@pytest.mark.atari
def test_sticky_actions_are_executed_with_other_luck_and_can_be_filmed(tmp_path: Path) -> None:
    env: Any = ww.simulator("atari:breakout", sticky=0.5)
    env.reset(0)
    for _ in range(5):
        env.step(1)
    snapshot, seen = env.save(), []
    for luck in (1, 2, 1 + 64, 1):
        env.load(snapshot)
        env.reseed(luck)
        seen.append([env.step(action).info["ram"].tobytes() for action in (2, 3, 2, 3, 2, 3)])
    assert seen[0] == seen[2] == seen[3] != seen[1]
    env.load(snapshot)
    before = [env.step(action).info["ram"].tobytes() for action in (2, 3, 2)]
    env.step(0)  # the emulator forgets which action came before the snapshot
    env.load(snapshot)
    assert [env.step(action).info["ram"].tobytes() for action in (2, 3, 2)] == before

    from widthwise.cli.play_watch import Follower

    agent = ww.OnlinePlanner(env, ww.RolloutIW(1), chance="reseed", budget=ww.Budget(steps=5), max_steps=6)
    follower = Follower(env, 0)
    agent.recorder = lambda tree, record: follower.step(record.action, record.luck)
    agent.run(0)
    tree = agent.driver.tree
    assert follower.now is not None
    assert follower.now.observation == tree.observation[tree.root]


@pytest.mark.parametrize("command", [False, True])
def test_a_refusal_recommends_what_the_caller_supports(command: bool) -> None:
    finding, broken_load = (check_chance(kind()) for kind in (dice.Dice, broken.Unmoved))
    with command_line_advice() if command else nullcontext():
        everything, search, load = (
            str(error) for error in (refusal(finding), refusal(finding, ("foresee",)), refusal(broken_load))
        )
    reseed, foresee = ("--chance reseed", "--chance foresee") if command else ("chance='reseed'", "chance='foresee'")
    assert f"use {reseed} (" in everything and f" or {foresee} (" in everything
    assert f"use {foresee} (" in search and reseed not in search
    assert "chance" not in load and load.endswith("check-env" if command else "check_simulator")
