"""Options of environments that a preset adds, and the length of the search for a demonstration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.training.configure import configure
from widthwise.training.launch import begin, refuse_changes
from widthwise.training.learned_agent import learned_agent
from widthwise.training.overrides import parse_overrides
from widthwise.training.run_settings import RunSettings

pytestmark = pytest.mark.torch

SMALL = {"replay": 50, "steps_per_action": 2, "nodes": 10, "updates": 0, "archive": 0}
SHORT: dict[str, Any] = {"network_episodes": 1, "planner_episodes": 0, "evaluation_steps": 3, "overrides": SMALL}


def pong(folder: Path, options: dict[str, Any], *, recorded: bool = False) -> Path:
    pytest.importorskip("ale_py")
    run = begin(folder, RunSettings("atari:pong", 140, options=options, recorded=recorded, **SHORT))
    run.run()
    run.folder.close()
    return folder


@pytest.mark.atari
def test_a_policy_plays_with_the_options_that_its_run_was_given(tmp_path: Path) -> None:
    folder = pong(tmp_path / "run", {"limit": 12})
    learned_agent(folder, "atari:pong", {"limit": 12}, network_only=False)
    with pytest.raises(UsageError, match="trained with other options"):
        learned_agent(folder, "atari:pong", {"limit": 13}, network_only=False)


@pytest.mark.atari
@pytest.mark.parametrize(
    ("recorded", "same", "other"),
    [
        ({"limit": 12}, {"limit": 12}, {"limit": 13}),  # from before the preset had options
        ({"stack": 8, "spread": True, "limit": 12}, {"limit": 12}, {"stack": 8}),
        ({"stack": 6, "spread": True}, {"stack": 6}, {"stack": 8}),
        ({"stack": 6}, {"stack": 6}, {"spread": True}),
    ],
)
def test_a_run_continues_with_the_options_that_were_given(
    tmp_path: Path, recorded: dict[str, Any], same: dict[str, Any], other: dict[str, Any]
) -> None:
    folder = pong(tmp_path / "run", recorded, recorded=True)
    refuse_changes(folder, {"options": same})
    refuse_changes(folder, {"options": recorded})
    with pytest.raises(UsageError, match="it cannot continue with"):
        refuse_changes(folder, {"options": other})


@pytest.mark.atari
def test_a_stack_that_cannot_be_spread_is_not_spread(tmp_path: Path) -> None:
    settings = RunSettings("atari:pong", 1_000, options={"stack": 12})
    assert settings.options == {"stack": 12}
    configure(settings)


@pytest.mark.parametrize(
    ("interactions", "archive", "expected"),
    [
        (10_000, 0.8, 8_000),
        (10_000, 700, 700),
        (600, 0.8, 472),  # the calibration takes 128
        (600, 5_000, 472),
        (100, 0.8, 1),
        (10_000, 0, 0),
    ],
)
def test_the_search_ends_with_the_run(interactions: int, archive: float, expected: int) -> None:
    settings = RunSettings("corridor", interactions, overrides={"archive": archive})
    assert configure(settings).learning.archive == expected
    assert configure(RunSettings.of(json.loads(json.dumps(settings.describe())))).learning.archive == expected


def test_what_a_short_run_finds_is_learned(tmp_path: Path) -> None:
    call = ["train", "corridor", "--preset", "demonstration", "--set", "rehearsal=20", "--interactions", "600"]
    assert main([*call, "--out", str(tmp_path / "run"), "--quiet"]) == 0
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["demonstration_score"] == 1.0 and result["updates"] >= 20


def test_a_share_of_the_run_is_a_value_of_archive() -> None:
    assert parse_overrides(["archive=0.8"]) == {"archive": 0.8}
    assert parse_overrides(["archive=2e4"]) == {"archive": 20_000}
    with pytest.raises(UsageError, match=r"archive must be a whole number or a share of the run below 1, not '1\.5'"):
        parse_overrides(["archive=1.5"])
    with pytest.raises(UsageError, match="archive cannot be"):
        configure(RunSettings("corridor", 1_000, overrides={"archive": 1.5}))


def test_a_misspelt_setting_gets_a_hint() -> None:
    with pytest.raises(UsageError, match=r"unknown setting 'learning_rat'; did you mean learning_rate\?$"):
        parse_overrides(["learning_rat=0.1"])
    with pytest.raises(UsageError, match="unknown setting 'xyz'; the settings are archive, "):
        parse_overrides(["xyz=1"])
