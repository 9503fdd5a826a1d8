"""Presets: named sets of settings, for planning and for learning, in Python and on the command line."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from places import ROOT
from tiny_world import TinyWorld
from widthwise.cli.main import main
from widthwise.learning.learning_settings import LearningSettings
from widthwise.online.defaults import planning_defaults
from widthwise.online.presets import KINDS, NAMES, PRESETS, kind_of
from widthwise.training.algorithms import PlanningSettings, planning_settings

PAGE = ROOT / "docs" / "guide" / "presets.md"


def test_every_preset_gives_a_value_to_the_same_settings() -> None:
    for name in PRESETS:
        for kind in KINDS:
            assert set(PRESETS[name].of_kind(kind)) == set(PRESETS["default"].of_kind("other")), (name, kind)
    known = {field.name for kind in (PlanningSettings, LearningSettings) for field in fields(kind)}
    assert set(PRESETS["default"].settings) <= known | {"planner", "play_life_penalty", "play_tiles"}


def test_the_defaults_of_learning_are_those_of_the_default_preset() -> None:
    default, learning = PRESETS["default"].settings, LearningSettings()
    for field in fields(LearningSettings):
        assert default.get(field.name, getattr(learning, field.name)) == getattr(learning, field.name)


@pytest.mark.parametrize(
    "name, kind",
    [("maze-small", "small maze"), ("maze-large", "large maze"), ("corridor", "corridor")],
)
def test_mazes_are_distinguished_by_their_size(name: str, kind: str) -> None:
    assert kind_of(ww.simulator(name)) == kind


def test_the_papers_settings_are_the_preset_paper() -> None:
    small, large = (ww.preset_settings("paper", ww.simulator(name)) for name in ("maze-small", "maze-large"))
    assert (small["steps_per_action"], small["nodes"], small["tiles"]) == (30, 500, (2, 2))
    assert (large["steps_per_action"], large["nodes"], large["tiles"]) == (30, 500, (4, 4))
    atari = PRESETS["paper"].of_kind("atari")
    assert (atari["tiles"], atari["colours"], atari["high_width"], atari["steps_per_action"]) == ((8, 11), 32, "n", 100)
    assert PRESETS["authors"].of_kind("atari")["nodes"] == 5000
    with pytest.raises(ww.UsageError, match="default, paper, authors, demonstration"):
        ww.preset_settings("papers")


def test_an_agent_takes_what_is_not_given_from_the_preset() -> None:
    env = ww.simulator("maze-small")
    agent = ww.OnlinePlanner(env, preset="paper")
    assert (agent.budget.steps, agent.budget.nodes) == (30, 500)
    assert agent.planner == ww.HIW(high=ww.CountRolloutIW(1, 0.005), low=ww.RolloutIW(1))
    assert len(agent.driver.functions[1](env.reset(0))) == 2 * 2 * 3  # type: ignore[misc]
    agent = ww.OnlinePlanner(env, ww.RolloutIW(1), preset="authors", budget=ww.Budget(steps=7))
    assert (agent.budget.steps, agent.budget.nodes, agent.behaviour.formula) == (7, 5000, "counts")
    assert agent.planner == ww.RolloutIW(1)


@pytest.mark.parametrize("environment", ["maze-small", "maze-large", "corridor"])
def test_mazes_are_solved_without_any_option(environment: str, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(5):
        assert main(["play", environment, "--seed", str(seed), "--goal-score", "1", "--quiet", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["score"] == 1


def test_an_episode_without_a_score_says_what_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    poor = ["play", "corridor", "--planner", "riw", "--low-features", "tiles:1x1", "--quiet"]
    assert main(poor) == 0
    assert "the score is 0; try a larger --budget" in capsys.readouterr().err
    assert main(["play", "corridor", "--quiet"]) == 0
    assert "the score is 0" not in capsys.readouterr().err


def test_play_takes_a_preset_and_options_override_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "episode.jsonl"
    common = ["play", "maze-small", "--preset", "paper", "--max-steps", "1", "--quiet"]
    for more, budget, levels in (([], 30, "CountRolloutIW(1"), (["--budget", "9", "--width", "n,1"], 9, "'n'")):
        assert main([*common, *more, "--record", str(record)]) == 0
        header = json.loads(record.read_text().splitlines()[0])
        assert (header["preset"], header["budget"]["steps"]) == ("paper", budget)
        assert levels in header["levels"]
        record.unlink()
    capsys.readouterr()


def test_algorithms_take_presets_and_settings_override_them() -> None:
    env = ww.simulator("maze-small")
    paper = planning_settings("pi-hiw", env, preset="paper")
    assert (paper.tiles, paper.steps_per_action, paper.target_temperature, paper.doubt) == ((2, 2), 30, 0.01, False)
    assert planning_settings("pi-hiw", env, preset="paper", steps_per_action=50).steps_per_action == 50
    assert planning_settings("pi-hiw", env).steps_per_action == 100
    assert planning_settings("pi-iw", env, preset="paper").tiles is None
    assert planning_settings("pi-hiw", env, preset="authors").behaviour.formula == "counts"


@pytest.mark.torch
def test_a_training_run_keeps_its_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    short = ["--interactions", "80", "--evaluation-steps", "2", "--planner-episodes", "0", "--quiet"]
    assert main(["train", "corridor", "--preset", "paper", "--set", "epsilon=0.5", *short, "--out", str(out)]) == 0
    config = json.loads((out / "config.json").read_text())
    assert config["settings"]["preset"] == "paper"
    learning: dict[str, Any] = config["configuration"]["learning"]
    assert (learning["replay"], learning["patient"], learning["epsilon"]) == (10_000, False, 0.5)
    assert main(["train", "--resume", str(out), "--preset", "authors"]) == 2
    assert "preset" in capsys.readouterr().err


def test_with_a_demonstration_most_of_the_run_looks_for_it() -> None:
    from widthwise.training.configure import configure
    from widthwise.training.run_settings import RunSettings

    chosen = configure(RunSettings("maze-small", 10_000, preset="demonstration"))
    assert (chosen.learning.archive, chosen.learning.replanning, chosen.learning.value_factor) == (8_000, True, 0.0)
    acting = chosen.planning.acts_by()
    assert (acting.formula, acting.tie_tolerance, chosen.planning.value) == ("prior", 1.0, False)
    given = configure(RunSettings("maze-small", 10_000, preset="demonstration", overrides={"archive": 700}))
    assert given.learning.archive == 700
    assert RunSettings("atari:pong", 10, preset="demonstration").options == {"stack": 8, "spread": True}
    assert RunSettings("atari:pong", 10, preset="demonstration", options={"stack": 2}).options == {"stack": 2}
    spread = RunSettings("atari:pong", 10, preset="demonstration", options={"spread": False})
    assert spread.options == {"stack": 8, "spread": False}
    assert RunSettings("corridor", 10, preset="demonstration").options == {}


def test_in_atari_games_learning_begins_with_a_demonstration() -> None:
    from widthwise.training.run_settings import RunSettings

    default, shown_first = (PRESETS[name].of_kind("atari") for name in ("default", "demonstration"))
    assert default == shown_first and default["archive"] == 0.8
    settings = RunSettings("atari:pong", 10)
    assert settings.options == {"stack": 8, "spread": True}
    assert RunSettings("atari:pong", 10, preset="paper").options == {}
    # A run that was begun before presets had options continues without them.
    recorded = RunSettings.of({**settings.describe(), "options": {"limit": 9}})
    assert recorded.options == replace(recorded, make=lambda: TinyWorld()).options == {"limit": 9}
    assert RunSettings("atari:pong", 10, make=lambda: TinyWorld()).options == {}


def test_a_run_without_a_preset_is_one_of_the_first_version() -> None:
    from widthwise.training.configure import configure
    from widthwise.training.old_keys import upgrade_settings
    from widthwise.training.run_settings import RunSettings

    given: dict[str, Any] = {"environment": "maze-small", "algorithm": "pi-hiw", "interactions": 10}
    first = configure(RunSettings.of(upgrade_settings(given)))
    assert (first.planning.tiles, first.planning.steps_per_action, first.learning) == ((2, 2), 30, LearningSettings())
    assert configure(RunSettings(**given)).planning.tiles == (4, 4)


def test_the_page_lists_every_setting_in_which_presets_differ() -> None:
    """Each row of its table is: kind, setting, and the value in each preset."""
    listed = set()
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 2 + len(NAMES) and re.fullmatch(r"`\w+`", cells[1]):
            listed.add((cells[0], cells[1].strip("`"), *cells[2:]))
    assert listed == set(differences())


def differences() -> list[tuple[str, ...]]:
    """The rows of the table: kinds of environments, setting, and its value in each preset."""
    rows = []
    for setting in PRESETS["default"].settings:
        kinds: dict[tuple[str, ...], list[str]] = {}
        for kind in KINDS:
            values = tuple(shown(PRESETS[name].of_kind(kind)[setting]) for name in NAMES)
            if len(set(values)) > 1:
                kinds.setdefault(values, []).append(kind)
        for values, alike in kinds.items():
            groups = {KINDS: "all", tuple(kind for kind in KINDS if kind != "atari"): "all but atari"}
            named = groups.get(tuple(alike))
            rows += [(kind, setting, *values) for kind in ([named] if named else alike)]
    return rows


def test_training_in_atari_games_keeps_as_many_nodes_as_the_preset_says() -> None:
    class Game(TinyWorld):
        preset_kind = "atari"

    nodes = {name: planning_settings("pi-iw", Game(), preset=name).nodes for name in NAMES}
    assert nodes == {"default": 5_000, "paper": 500, "authors": 5_000, "demonstration": 5_000}


def test_the_penalty_of_play_in_atari_games_is_not_that_of_learning() -> None:
    class Game(TinyWorld):
        preset_kind = "atari"

    assert ww.OnlinePlanner(Game()).rules.life_penalty == 10_000
    assert ww.OnlinePlanner(Game(), life_penalty=0).rules.life_penalty == 0
    assert ww.OnlinePlanner(Game(), preset="paper").rules.life_penalty == 0
    assert ww.OnlinePlanner(TinyWorld()).rules.life_penalty == 0
    assert planning_settings("pi-iw", Game()).life_penalty == 1_000
    assert planning_defaults(Game(), network=True).life_penalty == 0


def test_the_tiles_of_play_in_large_mazes_are_not_those_of_learning() -> None:
    env = ww.simulator("maze-large")
    step = env.reset(seed=0)
    for preset, played, learned in (("default", 48, (8, 8)), ("paper", 48, (4, 4)), ("authors", 16, (4, 4))):
        high = ww.OnlinePlanner(env, preset=preset).driver.functions[1]
        assert high is not None and len(high(step)) == played
        assert planning_settings("pi-hiw", env, preset=preset).tiles == learned


def test_every_deviation_on_the_page_is_a_setting() -> None:
    from widthwise.training.configuration import setting_fields

    named = set()
    for section in ("## Every deviation as a setting", "## Settings of learning beyond the paper"):
        text = PAGE.read_text(encoding="utf-8").partition(section)[2].partition("\n## ")[0]
        rows = [line for line in text.splitlines() if line.startswith("| ") and "`" in line]
        assert len(rows) > 9
        named |= {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert named <= set(setting_fields())
    deviations = "gray value_support untried_worth ends_novel nodes patient doubt replay zero_heads raw_input"
    temperatures = "target_temperature reward_temperature count_temperature"
    beyond = "tree_targets segment bootstrap shift root_actions life_penalty"
    assert {*deviations.split(), *temperatures.split(), *beyond.split()} <= named


def test_the_preset_authors_has_what_the_page_says_of_their_program() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("## Every deviation as a setting")[2].partition("\n## ")[0]
    settings = PRESETS["authors"].of_kind("atari")
    compared = set()
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`(\w+)`", cells[0])
        if len(cells) != 5 or not names:
            continue
        values = cells[4].partition(":")[0].split(", ")
        for name, value in zip(names, values, strict=True):
            if name in settings:  # the temperatures of the behaviour come with its formula
                compared.add(name)
                number = float(value.replace(",", "")) if value[0].isdigit() else None
                assert settings[name] == ({"on": True, "off": False}.get(value, value) if number is None else number)
    assert len(compared) > 14
    assert not ww.OnlinePlanner("corridor", preset="authors").rules.untried
    assert ww.OnlinePlanner("corridor", preset="authors", untried_worth=True).rules.untried


def shown(value: Any) -> str:
    """A value as the page writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def test_the_authors_tiles_are_gray_and_gray_can_be_selected_alone() -> None:
    env = ww.simulator("maze-small")
    step = env.reset(seed=0)
    counts = {}
    for name in NAMES:
        high = ww.OnlinePlanner(env, preset=name).driver.functions[1]
        assert high is not None
        counts[name] = len(high(step))
    assert counts == {"default": 48, "paper": 12, "authors": 4, "demonstration": 48}
    assert planning_settings("pi-hiw", env, preset="authors").gray
    assert not planning_settings("pi-hiw", env, preset="authors", gray=False).gray
    assert planning_settings("pi-hiw", env, gray=True).gray


def test_gray_tiles_by_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "corridor", "--tiles", "2x2:gray", "--max-steps", "2", "--quiet", "--json"]) in (0, 12)
    assert main(["play", "corridor", "--tiles", "2x2:green", "--max-steps", "2", "--quiet"]) == 2
