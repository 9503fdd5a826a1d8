"""`play --set`: what a preset changes in planning can be changed one by one."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

import widthwise as ww
from widthwise.cli.main import main
from widthwise.cli.play_options import planning_agent
from widthwise.cli.play_settings import AGENT, BEHAVIOUR, LEVELS, NAMES, play_settings, with_settings
from widthwise.core.errors import UsageError
from widthwise.online.acting import OnlinePlanner
from widthwise.online.presets import preset_settings


def agent_of(monkeypatch: pytest.MonkeyPatch, *options: str) -> OnlinePlanner:
    agents = []

    def build(args: argparse.Namespace, *rest: Any, **more: Any) -> OnlinePlanner:
        agents.append(planning_agent(args, *rest, **more))
        return agents[-1]

    monkeypatch.setattr("widthwise.cli.play.planning_agent", build)
    assert main(["play", "maze-small", "--quiet", "--max-steps", "1", *options]) == 0
    return agents[0]


def test_without_settings_they_are_those_of_the_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(monkeypatch)
    assert agent.behaviour == ww.Behaviour(preset_settings("default", ww.simulator("maze-small"))["behaviour"])
    levels: Any = agent.planner
    assert levels.high.temperature == 0.005 and not levels.low.ends_novel


def test_each_setting_reaches_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "discount": "0.5",
        "clip_rewards": "on",
        "untried_worth": "off",
        "root_actions": "on",
        "behaviour": "counts",
        "reward_temperature": "0.5",
        "count_temperature": "7",
        "tie_tolerance": "0.25",
        "ends_novel": "on",
        "selection_temperature": "0.5",
    }
    assert set(texts) == set(NAMES) == {*AGENT, *BEHAVIOUR, *LEVELS}
    agent = agent_of(monkeypatch, *(part for name, text in texts.items() for part in ("--set", f"{name}={text}")))
    assert agent.discount == 0.5 and agent.root_actions
    assert agent.rules.reward_limit == 1.0 and not agent.rules.untried
    assert agent.behaviour == ww.Behaviour("counts", 0.5, 7.0, 0.25)
    levels: Any = agent.planner
    assert levels.high.temperature == 0.5 and levels.high.ends_novel and levels.low.ends_novel


def test_a_part_of_the_behaviour_leaves_the_formula_of_the_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(monkeypatch, "--preset", "authors", "--set", "count_temperature=3")
    assert agent.behaviour == ww.Behaviour("counts", count_temperature=3.0)


def test_zero_stands_for_the_value_of_the_behaviour(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_of(monkeypatch, "--set", "count_temperature=0", "--set", "reward_temperature=0")
    assert agent.behaviour == agent_of(monkeypatch).behaviour


def test_settings_of_levels_that_the_planner_does_not_have_are_refused() -> None:
    with pytest.raises(UsageError, match=r"selection_temperature has no effect on RIW\(1\)"):
        with_settings(ww.RolloutIW(1), {"selection_temperature": 0.1})
    with pytest.raises(UsageError, match="ends_novel has no effect"):
        with_settings(ww.IW(1), {"ends_novel": True})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("updates=8", "'updates' is not a setting of planning without a network; the settings are discount"),
        ("behavior=ties", "did you mean behaviour"),
        ("life_penalty=1", "'life_penalty' has an option of its own"),
        ("behaviour=x", "behaviour must be one of"),
        ("discount", "write NAME=VALUE"),
    ],
)
def test_wrong_settings_have_one_message(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        play_settings([text])


def test_a_policy_brings_its_own_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "maze-small", "--policy", "nowhere", "--set", "discount=0.5"]) == 2
    assert "--set cannot be combined with --policy" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["discount=2", "discount=-1", "discount=0"])
def test_a_discount_out_of_range_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "maze-small", "--set", text]) == 2
    assert "discount must be above 0 and at most 1" in capsys.readouterr().err


def test_a_setting_of_the_default_planner_leaves_the_rest_of_the_defaults(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gymnasium")
    calls = []

    def build(args: argparse.Namespace, *rest: Any, **more: Any) -> OnlinePlanner:
        calls.append(planning_agent(args, *rest, **more))
        return calls[-1]

    monkeypatch.setattr("widthwise.cli.play.planning_agent", build)
    shown = []
    for options in ([], ["--set", "ends_novel=off"], ["--set", "ends_novel=on"], ["--planner", "riw"]):
        main(["play", "MountainCar-v0", "--max-steps", "1", *options])
        shown.append(capsys.readouterr().err.splitlines()[0])
    assert [agent.widens for agent in calls] == [True, True, True, False]
    planners: list[Any] = [agent.planner for agent in calls]
    assert [planner.ends_novel for planner in planners] == [False, False, True, False]
    assert shown[0] == shown[1] == shown[2] != shown[3]
