"""A run that begins with a search for a demonstration: what it learns from it, and that it goes on exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from demonstration_tools import trainer_of, until_acting
from learning_tools import ROOMS, rounds, same
from widthwise.core.errors import InputError, UsageError
from widthwise.core.shape import Mismatch
from widthwise.learning.input_format import InputFormat
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.maze import Maze
from widthwise.training import demonstration as module
from widthwise.training.algorithms import planning_settings
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.configuration import Configuration
from widthwise.training.demonstration import Demonstration
from widthwise.training.replanning import Trajectory
from widthwise.training.trainer import Trainer

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("patient", [True, False])
def test_a_run_searches_then_rehearses_then_acts(patient: bool) -> None:
    trainer = trainer_of(patient=patient)
    first = trainer.demonstration
    assert first is not None and first.searching()
    rounds(trainer, 1)
    assert 0 < first.interactions <= 750 + module.STEPS and trainer.interactions == first.interactions + 8
    until_acting(trainer)
    assert first.interactions == 3_000 and first.score == 1.0 and first.actions
    assert 0 < first.rehearsed <= 180 and trainer.updater.updates == first.rehearsed + 1  # one for the first action
    assert first.rehearsed == 180 or trainer.repeats_demonstration()
    summary = trainer.summary()
    assert summary["demonstration_score"] == 1.0 and summary["demonstration_steps"] == len(first.actions)


def test_the_network_repeats_what_it_was_shown() -> None:
    trainer = trainer_of(rehearsal=400)
    until_acting(trainer)
    assert trainer.demonstration is not None
    episode = trainer.evaluate_network(Maze(ROOMS), temperature=0.0)[0]
    assert (episode.score, episode.actions) == (1.0, trainer.demonstration.actions)


@pytest.mark.parametrize(
    ("answers", "updates"),
    [([True], 20), ([False, True], 40), ([False] * 3 + [True], 80), ([False] * 6, 120)],
)
def test_the_rehearsal_ends_when_the_network_repeats_the_trajectory(
    monkeypatch: pytest.MonkeyPatch, answers: list[bool], updates: int
) -> None:
    trainer, given = trainer_of(rehearsal=40), iter(answers)
    monkeypatch.setattr(trainer, "repeats_demonstration", lambda: next(given))
    until_acting(trainer)
    assert trainer.demonstration is not None and trainer.demonstration.rehearsed == updates


def test_whether_the_network_repeats_the_trajectory() -> None:
    trainer = trainer_of(rehearsal=0)
    until_acting(trainer)
    assert not trainer.repeats_demonstration()
    trainer.learn(400)
    shown = trainer.replay.demonstration
    assert shown is not None and trainer.repeats_demonstration()
    shown.targets[3] = shown.targets[3][::-1]
    assert not trainer.repeats_demonstration()


@pytest.mark.parametrize(
    ("replanning", "before"),
    [*((False, count) for count in (0, 2, 7, 10)), *((True, count) for count in (1, 3, 4, 6, 8, 11))],
)
def test_a_run_continues_exactly_from_every_phase(replanning: bool, before: int) -> None:
    trainer, again = trainer_of(replanning=replanning), trainer_of(replanning=replanning)
    rounds(trainer, before)
    state = trainer.state()
    check_trainer(state, again)
    again.restore(state)
    rounds(trainer, 9)
    rounds(again, 9)
    assert same(trainer.state(), again.state())


def test_planning_and_search_share_the_interactions() -> None:
    trainer = trainer_of(replanning=True, rehearsal=0, archive=6_000)
    first = trainer.demonstration
    assert first is not None and first._replanning is not None
    plans, phases, searched = first._replanning, [], 0
    while first.searching():
        planning, end = first._phase()
        phases.append((planning is not None, end))
        first.advance()
        searched = first._search.interactions if first._search is not None else searched
    # Both find the goal; where scores are equal, the search continues.
    assert list(dict.fromkeys(phases)) == [(True, 1_500), (False, 2_700), (False, 4_800), (True, 6_000)]
    assert searched > 2_800 and first._search is None
    assert plans.best is not None and first.candidate is not None
    assert first.candidate.score == plans.best.score == 1.0
    assert 6_000 <= first.interactions < 6_000 + 2 * 10 + len(first.actions or ())


@pytest.mark.parametrize(
    ("planned", "found", "leads"),
    [(2.0, 1.0, True), (1.0, 1.0, False), (None, 1.0, False), (-3.0, None, True), (0.0, None, False)],
)
def test_the_one_with_the_higher_score_continues(
    planned: float | None, found: float | None, leads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = trainer_of(replanning=True).demonstration
    assert first is not None and first._replanning is not None
    gain = 1.0 if planned else 0.0  # a score below 0 may contain rewards, as in Pong
    first._replanning.best = None if planned is None else Trajectory(planned, gain, [0])
    first._opened()
    first.interactions = 1_400
    monkeypatch.setattr(first, "_found", lambda: None if found is None else Trajectory(found, found, [1]))
    planning, end = first._phase()
    assert (planning is not None, end) == ((True, 3_000) if leads else (False, 2_400))
    best = first._best()
    assert best is not None and best.score == max(score for score in (planned, found) if score is not None)


@pytest.mark.parametrize("limit", [*range(1, 26), 997, 10_001])
def test_every_round_makes_progress(limit: int) -> None:
    first = trainer_of(replanning=True, archive=limit).demonstration
    assert first is not None
    while first.searching():
        assert first.advance() > 0
    assert limit <= first.interactions <= limit + 150


def damaged(state: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**state, "demonstration": {**state["demonstration"], **changes}}


def test_damaged_states_of_planning_are_refused() -> None:
    trainer = trainer_of(replanning=True)
    assert trainer.demonstration is not None and trainer.demonstration._replanning is not None
    trainer.demonstration._replanning.advance(50, 750)
    state = trainer.state()
    planned = state["demonstration"]["planned"]
    state["demonstration"]["interactions"] = 50
    assert planned["executed"] > 0
    check_trainer(state, trainer)
    best = {"score": 1.0, "gain": 1.0, "actions": [0, 1], "ended": False}
    for change in (
        {"executed": 2**62},
        {"best": {**best, "actions": [99]}},
        {"best": {**best, "actions": [], "ended": True}},
        {"pass": {**planned["pass"], "worth": [1.0]}},
        {"pass": {**planned["pass"], "trials": 2**40}},
        {"pass": {**planned["pass"], "trajectory": {**best, "actions": [77]}}},
        {"pass": None},
    ):
        with pytest.raises(Mismatch, match=r"demonstration\.planned"):
            check_trainer(damaged(state, planned={**planned, **change}), trainer)
    with pytest.raises(Mismatch, match=r"demonstration\.interactions"):
        check_trainer(damaged(state, interactions=2**50), trainer)


def test_a_planned_trajectory_without_a_reward_shows_nothing() -> None:
    trainer = trainer_of(replanning=True, archive=40)
    first = trainer.demonstration
    assert first is not None
    while first.searching():
        first.advance()
    assert first.score is None and first.actions == []


def test_the_state_is_small_after_the_search() -> None:
    trainer = trainer_of()
    rounds(trainer, 2)
    assert trainer.state()["demonstration"]["search"] is not None
    until_acting(trainer)
    assert trainer.state()["demonstration"]["search"] is None


@pytest.mark.atari
def test_the_search_keeps_no_history_of_frames() -> None:
    world = ww.simulator("atari:pong", stack=8, spread=True, frame_skip=4, limit=100)
    chosen = planning_settings("pi-iw", world, steps_per_action=10)
    learning = LearningSettings(archive=900, rehearsal=0)
    trainer = Trainer(lambda: world, Configuration(chosen, learning))
    first = trainer.demonstration
    assert first is not None
    assert first.simulator.reset(0).observation.shape == (8, 84, 84)
    single = first.searched.reset(0)
    assert single.observation.shape == (1, 84, 84) and single.info["frame"] == first.simulator.reset(0).info["frame"]
    while first.searching():
        first.advance()
    assert first.searched.step(1).info["frame"] % 4 == first.simulator.reset(0).info["frame"] % 4


def test_another_environment_is_refused() -> None:
    trainer, again = trainer_of(), trainer_of()
    until_acting(trainer)
    state = trainer.state()
    state["demonstration"]["score"] = 7.0
    with pytest.raises(InputError, match="a score of 7, and of 1"):
        again.restore(state)
    state["demonstration"]["actions"] = ["left"]
    with pytest.raises(Mismatch, match=r"demonstration\.actions"):
        check_trainer(state, again)


def test_a_search_without_a_reward_shows_nothing() -> None:
    world = Maze(ROOMS)
    first = Demonstration(world, 12, 10, 0)
    while first.searching():
        first.advance()
    assert first.score is None and first.actions == [] and not first.rehearsing()
    assert first.episode(InputFormat.of(world.reset(0).observation), 0.99) is None


@pytest.mark.parametrize("wrong", [{"archive": -1}, {"rehearsal": -1}, {"demonstration_share": 1.0}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        LearningSettings(**wrong)


def test_actors_begin_with_what_the_learner_was_shown(tmp_path: Path) -> None:
    lines = []
    for actors in (1, 2):
        out = tmp_path / str(actors)
        ww.train(
            "corridor",
            2_600,
            algorithm="pi-iw",
            actors=actors,
            out=out,
            archive=1_500,
            rehearsal=100,
            steps_per_action=20,
            ties=True,
            behaviour="prior",
        )
        lines.append((out / "result.json").read_text())
    assert all('"demonstration_score": 1.0' in text for text in lines)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_there_is_no_evaluation_before_there_is_something_to_evaluate(share: float, tmp_path: Path) -> None:
    ww.train(
        "corridor",
        2_200,
        algorithm="pi-iw",
        out=tmp_path / "run",
        evaluate_every=100,
        evaluation_share=share,
        archive=1_500,
        rehearsal=50,
        steps_per_action=20,
    )
    lines = (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()
    reached = [json.loads(line)["interactions"] for line in lines]
    assert reached[0] > 1_500 and reached[-1] >= 2_200
    assert len(set(reached)) == len(reached) >= 3
