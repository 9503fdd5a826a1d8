"""Training episodes that begin at a state of the demonstration."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import widthwise as ww
from demonstration_tools import trainer_of, until_acting
from learning_tools import ROOMS, rounds, same
from widthwise.core.errors import UsageError
from widthwise.core.shape import Mismatch
from widthwise.learning.learning_settings import LearningSettings
from widthwise.online.start import Start
from widthwise.reports.training_runs import read_training
from widthwise.simulators.maze import Maze
from widthwise.training.checkpoint import read_checkpoint
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.starts import Starts
from widthwise.training.trainer import Trainer

pytestmark = pytest.mark.torch
#: What the preset `demonstration` plans with: the network guides, and the default planner continues.
GUIDES: dict[str, Any] = {"self_imitation": True, "dynamic": False, "value": False, "tie_tolerance": 1.0}


def solution(trainer: Trainer) -> list[int]:
    assert trainer.demonstration is not None and trainer.demonstration.actions
    return trainer.demonstration.actions


def within_an_episode(trainer: Trainer) -> Trainer:
    """A trainer in the middle of an episode that began at an early state of the demonstration."""
    until_acting(trainer)
    assert trainer.demonstration is not None
    while "start" not in trainer.state()["players"][0]:
        trainer.demonstration.frontier = 1
        trainer.round()
    return trainer


def drawn(starts: Starts, share: float = 1.0, count: int = 2_000) -> Counter[int | None]:
    """How often each number of actions leads to a start; None is the reset."""
    return Counter(
        None if start is None else len(start.actions) for start in map(partial(starts.draw, share), range(count))
    )


def test_starts_are_drawn_by_the_seed_and_the_share() -> None:
    starts = Starts(7, tuple(range(20)), 20)
    assert drawn(starts) == drawn(starts)
    assert abs(drawn(starts, 0.5)[None] - 1_000) < 100
    assert set(drawn(starts, 0.0)) == {None} and None not in drawn(starts, 1.0)
    start = starts.draw(1.0, 3)
    assert start is not None and start.seed == 7 and start.actions == starts.actions[: len(start.actions)]
    assert set(drawn(Starts(7, (1,), 1))) == {None}  # nothing would be left to do


def test_episodes_begin_a_little_before_the_frontier_or_behind_it() -> None:
    assert set(drawn(Starts(0, tuple(range(40)), 40))) == {36, 37, 38, 39}
    middle = drawn(Starts(0, tuple(range(40)), 20))
    assert set(middle) == set(range(16, 40))
    assert sum(middle[place] or 0 for place in range(16, 21)) > 1_000  # half of them, and their share of the others
    assert set(drawn(Starts(0, tuple(range(40)), 0))) == set(range(1, 40))


def test_the_frontier_moves_with_success_and_failure() -> None:
    starts = Starts(0, tuple(range(40)), 20)
    assert starts.moved(17, True) == 17 and starts.moved(30, True) == 20 and starts.moved(0, True) == 0
    assert starts.moved(17, False) == 20  # it was only tried
    assert starts.moved(20, False) == 24 and starts.moved(39, False) == 24  # a little, so that most is kept
    assert Starts(0, tuple(range(40)), 0).moved(0, False) == 4


def test_an_agent_begins_after_the_actions_that_lead_to_its_start() -> None:
    trainer = trainer_of()
    until_acting(trainer)
    known = solution(trainer)
    actions, seed = known[:-2], trainer.config.seed
    agent = ww.OnlinePlanner(Maze(ROOMS))
    for _ in agent.begin(5, Start(seed, tuple(actions))):
        raise AssertionError
    world = Maze(ROOMS)
    world.reset(seed)
    steps = [world.step(action) for action in actions]
    assert (agent.driver.tree.observation[agent.driver.tree.root] == steps[-1].observation).all()
    assert agent.episode.actions == actions and agent.episode.rewards == [step.reward for step in steps]
    assert agent.driver.steps == len(actions)
    while not agent.over:
        for _ in agent.act():
            raise AssertionError
    assert agent.episode.score == 1.0 and agent.episode.actions[: len(actions)] == actions


def test_actions_that_end_the_episode_lead_to_the_reset() -> None:
    trainer = trainer_of()
    until_acting(trainer)
    known = solution(trainer)
    agent = ww.OnlinePlanner(Maze(ROOMS))
    for _ in agent.begin(5, Start(trainer.config.seed, tuple(known))):
        raise AssertionError
    assert not agent.over
    assert agent.episode.actions == [] and agent.driver.steps == len(known)


def test_an_agent_knows_where_it_has_been_before_its_start() -> None:
    """The value of a network is not used again in these states, as in an episode from the reset."""
    trainer = trainer_of(doubt=True, value=True)
    until_acting(trainer)
    actions, agent = solution(trainer)[:4], trainer.players[0].agent
    trainer.together([agent.begin(3, Start(5, tuple(actions)))])
    assert agent.doubts is not None and agent.luck.seed == 5
    world = Maze(ROOMS)
    steps = [world.reset(5), *(world.step(action) for action in actions)]
    assert agent.doubts.stood == {agent.doubts.recognise(step.observation) for step in steps[:-1]}


@pytest.mark.parametrize("planning", [{}, GUIDES])
def test_episodes_begin_at_states_of_the_demonstration(planning: dict[str, Any]) -> None:
    trainer = trainer_of(rehearsal=200, start_share=0.999, **planning)
    until_acting(trainer)
    starts = set()
    for _ in range(6):
        player = trainer.players[0]
        starts.add(player.start)
        known, before = solution(trainer), trainer.interactions
        assert player.agent.episode.actions[: player.start] == known[: player.start]
        while not (ended := trainer.round()):
            pass
        own = ended[0]
        assert own.start == player.start and own.steps >= own.start and own.score == 1.0
        assert own.interactions <= trainer.interactions - before + len(known) + 10  # the first round was before
        rounds(trainer, 1)
    assert len(starts) > 1


def test_the_steps_that_lead_to_a_start_are_interactions() -> None:
    trainer = trainer_of(rehearsal=20, start_share=0.999)
    while trainer.preparing():
        trainer.round()
    before, actions = trainer.interactions, trainer.actions
    rounds(trainer, 1)
    player = trainer.players[0]
    assert player.start and trainer.interactions - before == player.agent.driver.steps >= player.start
    assert trainer.actions == actions + 1


def test_nothing_is_learned_from_the_actions_that_lead_to_a_start() -> None:
    trainer = trainer_of(rehearsal=20, start_share=0.999)
    until_acting(trainer)
    player = trainer.players[0]
    while not (ended := trainer.round()):
        pass
    played, rewards = player.played(), player.agent.episode.rewards
    assert player.start and len(played) == ended[0].steps - player.start
    assert played.returns.tolist() == pytest.approx([0.99**power for power in range(len(played))][::-1])
    assert sum(rewards) == 1.0


def test_an_episode_on_an_earlier_demonstration_does_not_move_the_frontier() -> None:
    trainer = trainer_of()
    until_acting(trainer)
    first, known = trainer.demonstration, solution(trainer)
    assert first is not None
    rewards = [0.0] * (len(known) - 1) + [1.0]
    first.judge_start(3, first.seed + 1, rewards, known)
    first.judge_start(3, first.seed, rewards, [known[0] + 1, *known[1:]])
    frontiers = [first.frontier]
    first.judge_start(3, first.seed, [*rewards, -0.25], known)  # its score was reached before
    frontiers.append(first.frontier)
    first.judge_start(0, 99, rewards, [])
    frontiers.append(first.frontier)
    assert frontiers == [None, 3, 0]


@pytest.mark.parametrize("trees", [1, 3])
@pytest.mark.parametrize("planning", [{}, GUIDES])
def test_a_run_continues_exactly_within_such_an_episode(planning: dict[str, Any], trees: int) -> None:
    trainer, again = (trainer_of(rehearsal=200, start_share=0.7, trees=trees, **planning) for _ in range(2))
    until_acting(trainer)
    begun = 0
    for _ in range(12):
        rounds(trainer, 1)
        state = trainer.state()
        begun += sum("start" in player for player in state["players"])
        check_trainer(state, again)
        again.restore(state)
        rounds(trainer, 1)
        rounds(again, 1)
        assert same(trainer.state(), again.state())
    assert begun


def test_past_the_end_of_the_demonstration_the_agent_plans_without_the_network() -> None:
    trainer = trainer_of(rehearsal=200, **GUIDES)
    until_acting(trainer)
    known = solution(trainer)
    trainer.updater.network.demonstrated.fill_(4)
    trainer.updater.publish()
    agent = trainer.agent(Maze(ROOMS))
    for start, guides in ((Start(0, tuple(known[:3])), True), (Start(0, tuple(known[:4])), False), (None, True)):
        trainer.together([agent.begin(3, start)])
        assert (agent.evaluates, agent.driver.guided) == (guides, guides)


def test_such_an_episode_can_become_the_demonstration() -> None:
    """It is a trajectory from a reset, so that it is replayed like any other."""
    trainer = trainer_of(rehearsal=200, start_share=0.999, **GUIDES)
    until_acting(trainer)
    first, known = trainer.demonstration, solution(trainer)
    assert first is not None
    first.score, first.actions = 0.5, known[:5]
    while first.source == "search":
        trainer.round()
    assert first.score == 1.0 and first.actions is not None and first.actions[:2] == known[:2] and first.seed == 0
    assert trainer.summary()["demonstration_source"] == "episode"
    again = trainer_of(rehearsal=200, start_share=0.999, **GUIDES)
    again.restore(trainer.state())
    assert again.summary()["demonstration_source"] == "episode"


def test_with_other_random_numbers_episodes_begin_at_a_reset() -> None:
    trainer = trainer_of(start_share=0.999)
    until_acting(trainer)
    assert trainer.starts() is not None
    trainer.chance = "reseed"
    assert trainer.starts() is None


def test_damaged_starts_are_refused() -> None:
    trainer = within_an_episode(trainer_of(rehearsal=20, start_share=0.999))
    state = trainer.state()
    for start in (state["players"][0]["start"] + 1, 0, -1, "one"):
        state["players"][0]["start"] = start
        with pytest.raises(Mismatch, match=r"players\[0\]"):
            check_trainer(state, trainer)
    state = trainer.state()
    for name, wrong in (("source", "elsewhere"), ("frontier", -1), ("frontier", "one")):
        state = trainer.state()
        state["demonstration"][name] = wrong
        with pytest.raises(Mismatch, match=rf"demonstration\.{name}"):
            check_trainer(state, trainer)


def test_the_frontier_moves_to_the_reset_as_the_agent_learns() -> None:
    """Without imitation: what is learned are the episodes that began at states of the demonstration."""
    trainer = trainer_of(rehearsal=0, start_share=0.999)
    until_acting(trainer)
    demonstration = trainer.demonstration
    assert demonstration is not None
    frontiers = [len(solution(trainer))]
    for _ in range(200):
        for ended in trainer.round():
            before = frontiers[-1]
            frontiers.append(demonstration.frontier or 0)
            assert frontiers[-1] == (min(before, ended.start) if ended.score == 1.0 else frontiers[-1])
    assert min(frontiers) == 1 and len(set(frontiers)) > 2
    again = trainer_of(rehearsal=0, start_share=0.999)
    again.restore(trainer.state())
    assert again.demonstration is not None and again.demonstration.frontier == demonstration.frontier


@pytest.mark.parametrize("wrong", [-0.1, 1.0, float("nan")])
def test_some_episodes_begin_at_a_reset(wrong: float) -> None:
    with pytest.raises(UsageError, match="start_share must be at least 0 and below 1"):
        LearningSettings(start_share=wrong, archive=100)


def test_without_a_demonstration_starts_are_refused() -> None:
    with pytest.raises(UsageError, match="start_share needs a demonstration: set archive too"):
        LearningSettings(start_share=0.5)


@pytest.mark.parametrize("actors", [1, 2])
def test_scores_of_a_run_are_those_of_episodes_from_a_reset(tmp_path: Path, actors: int) -> None:
    settings: dict[str, Any] = {
        "archive": 1_500,
        "rehearsal": 100,
        "start_share": 0.5,
        "steps_per_action": 10,
        "batch": 8,
    }
    out = tmp_path / "run"
    ww.train("corridor", 4_000, algorithm="pi-hiw", evaluate_every=2_000, actors=actors, out=out, **settings)
    lines = [json.loads(line) for line in (out / "episodes.jsonl").read_text().splitlines()]
    own = [line for line in lines if "start" not in line]
    assert own and len(own) < len(lines) and all(line["steps"] >= line.get("start", 0) for line in lines)
    result = json.loads((out / "result.json").read_text())
    assert result["episodes"] == len(lines)
    assert result["recent_score"] == pytest.approx(fmean(line["score"] for line in own[-20:]))
    run = read_training([out])[0].runs[0]
    assert run.episodes == own and len(run.continued) == len(lines) - len(own)
    checkpoint = read_checkpoint(out / "checkpoint" / "current.ckpt").data["run"]
    assert checkpoint["from_reset"] == len(own)
    assert checkpoint["episode_interactions"] == sum(line["episode_interactions"] for line in own)
