"""The best trajectory so far is learned while the search for a demonstration continues (`interim`)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from coin_world import Coins
from demonstration_tools import trainer_of, until_acting
from learning_tools import ROOMS, rounds, same
from widthwise.core.errors import UsageError
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.maze import Maze
from widthwise.training import demonstration
from widthwise.training.checkpoint_shape import check_trainer
from widthwise.training.configure import configure
from widthwise.training.replanning import Trajectory
from widthwise.training.run_settings import RunSettings
from widthwise.training.trainer import Trainer

pytestmark = pytest.mark.torch


def until_shown(trainer: Trainer) -> None:
    """Up to the end of the first rehearsal, while the search is not over."""
    first = trainer.demonstration
    assert first is not None
    while not first.actions or first.rehearsing():
        trainer.round()


@pytest.mark.parametrize("replanning", [True, False])
def test_the_network_has_learned_a_trajectory_before_the_search_is_over(replanning: bool) -> None:
    trainer = trainer_of(interim=4, rehearsal=400, archive=6_000, replanning=replanning)
    until_shown(trainer)
    first = trainer.demonstration
    assert first is not None and first.searching() and first.score == 1.0
    assert first.interactions < 6_000 and trainer.repeats_demonstration()
    episode = trainer.evaluate_network(Maze(ROOMS), temperature=0.0)[0]
    assert (episode.score, episode.actions) == (1.0, first.actions)
    until_acting(trainer)
    assert first.over and first.score == 1.0 and 6_000 <= first.interactions < 6_500


def test_the_search_finds_the_same_whether_it_pauses_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for interim in (0, 3, 20):
        trainer = trainer_of(interim=interim, archive=3_000)
        first = trainer.demonstration
        assert first is not None
        raw: list[Trajectory | None] = []
        monkeypatch.setattr(first, "_rewarded", lambda first=first, raw=raw: raw.append(first._best()) or raw[-1])
        until_acting(trainer)
        found.append((raw[-1], first.score, first.interactions, len(first.actions or ())))
    assert found[0] == found[1] and found[0] == found[2]


def test_only_a_higher_score_is_learned_before_the_end_and_then_also_a_shorter_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trainer = trainer_of(interim=4)
    first = trainer.demonstration
    assert first is not None
    best: list[Trajectory | None] = [None]
    monkeypatch.setattr(first, "_best", lambda: best[0])
    scores: list[float] = []
    monkeypatch.setattr(demonstration, "cut_loops", lambda *given: (given[2], scores[-1], 10))

    def learned(score: float, actions: int, *, final: bool, gain: float = 1.0) -> bool:
        best[0] = Trajectory(score, gain, [0] * actions)
        scores.append(score)
        first.over = final
        first.candidate = first._rewarded() if final else first._learnable()
        return first.accept(trainer.input_format)[0]

    assert not learned(0.0, 3, final=False, gain=0.0) and not first.actions
    assert learned(1.0, 9, final=False) and first.rehearsing()
    first.mastered = True
    assert not learned(1.0, 5, final=False) and not first.rehearsing()
    assert learned(2.0, 12, final=False)
    assert first.replayed == 10 + 9 + 10 + 12
    assert not learned(3.0, 60, final=False)  # replays at pauses would take more than a twentieth of the search
    assert not learned(2.0, 12, final=True)
    assert learned(2.0, 11, final=True) and first.actions == [0] * 11
    assert learned(3.0, 60, final=True) and first.replayed == 41


def coins(
    out: Path, interim: int, share: float, interactions: int = 8_000
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The result of a run and its evaluations."""
    ww.train(
        lambda: Coins(600),
        interactions,
        algorithm="pi-iw",
        out=out,
        archive=6_400,
        rehearsal=40,
        interim=interim,
        self_imitation=True,
        behaviour="prior",
        steps_per_action=20,
        evaluate_every=400,
        evaluation_share=share,
        evaluation_steps=200,
        network_episodes=1,
        planner_episodes=0,
    )
    lines = (out / "evaluations.jsonl").read_text().splitlines()
    return json.loads((out / "result.json").read_text()), [json.loads(line) for line in lines]


def test_the_search_comes_to_its_end_although_replays_take_the_rest_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "REPLAYED", 1.0)
    found = {}
    for interim in (0, 4):
        result, evaluations = coins(tmp_path / f"run{interim}", interim, 1.0, 6_600)
        assert 6_400 <= result["demonstration_interactions"] < 6_900
        assert evaluations[-1]["interactions"] == result["interactions"]
        assert result["interactions"] > (7_000 if interim else 6_600)
        found[interim] = result["demonstration_score"], result["demonstration_steps"]
    assert found[0] == found[4]


def test_an_evaluation_of_what_was_learned_waits_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "REPLAYED", 0.4)
    places = {}
    for share in (0.0, 0.1):
        result, evaluations = coins(tmp_path / f"run{share}", 4, share)
        places[share] = [line["interactions"] for line in evaluations]
        assert places[share][-1] == result["interactions"]
    assert places[0.0][0] == places[0.1][0]
    assert places[0.0][1] < places[0.1][1] < 6_400  # the search goes on


@pytest.mark.parametrize("replanning", [True, False])
@pytest.mark.parametrize("before", [0, 1, 2, 3, 4, 6, 9, 12, 16])
def test_a_run_continues_exactly_from_every_phase(replanning: bool, before: int) -> None:
    trainer, again = (trainer_of(replanning=replanning, interim=5) for _ in range(2))
    rounds(trainer, before)
    state = trainer.state()
    check_trainer(state, again)
    again.restore(state)
    rounds(trainer, 9)
    rounds(again, 9)
    assert same(trainer.state(), again.state())


def test_a_run_of_before_continues_without_pauses() -> None:
    trainer, again = trainer_of(), trainer_of()
    until_acting(trainer)
    state = trainer.state()
    for name in ("over", "pauses"):
        del state["demonstration"][name]
    check_trainer(state, again)
    again.restore(state)
    assert again.demonstration is not None and again.demonstration.over and not again.preparing()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_what_was_learned_is_evaluated_and_kept_while_the_search_continues(share: float, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"archive": 6_000, "rehearsal": 200, "interim": 4, "steps_per_action": 20}
    ww.train(
        "corridor",
        7_000,
        algorithm="pi-iw",
        out=tmp_path / "run",
        evaluate_every=500,
        evaluation_share=share,
        behaviour="prior",
        **settings,
    )
    lines = (tmp_path / "run" / "evaluations.jsonl").read_text().splitlines()
    evaluations = [json.loads(line) for line in lines]
    early = [line for line in evaluations if line["interactions"] < 6_000]
    assert len(early) == 1 and early[0]["network_score"] == 1.0  # no second trajectory scores more
    assert early[0]["best"] and 1_200 <= early[0]["interactions"] < 5_500


def test_a_run_that_is_stopped_during_the_search_has_a_policy(tmp_path: Path) -> None:
    out = tmp_path / "run"

    def stop(progress: ww.TrainingProgress) -> None:
        if progress.evaluation is not None:
            progress.stop()

    result = ww.train(
        "corridor",
        8_000,
        algorithm="pi-iw",
        out=out,
        archive=7_500,
        rehearsal=200,
        interim=9,
        steps_per_action=20,
        evaluate_every=500,
        callback=stop,
    )
    assert not result.finished and not (out / "result.json").exists()
    world, policy = ww.simulator("corridor"), ww.Policy(out)
    step, score = world.reset(seed=0), 0.0
    while not step.done:
        step = world.step(policy.act(step))
        score += step.reward
    assert score == 1.0


@pytest.mark.parametrize("wrong", [-1, 20_000])
def test_wrong_settings_are_refused(wrong: int) -> None:
    with pytest.raises(UsageError, match="interim"):
        LearningSettings(interim=wrong)


@pytest.mark.parametrize(("name", "value"), [("interim", 1), ("replanning", True)])
def test_parts_of_a_search_are_refused_without_one(name: str, value: object) -> None:
    settings = RunSettings("maze-small", 1_000, overrides={name: value, "archive": 0})
    with pytest.raises(UsageError, match=f"{name} needs a search for a demonstration"):
        configure(settings)
    configure(replace(settings, preset="demonstration", overrides={"archive": 0}))
