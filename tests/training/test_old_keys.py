"""Runs, checkpoints and suites with the keys of version 0.1 continue; only `old_keys` knows these keys."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from places import FIXTURES, SUPPORT
from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.experiments.learning_suites import folders_of, key_of
from widthwise.training.configuration import Configuration
from widthwise.training.old_keys import upgrade_config, upgrade_suite_line, upgrade_suite_settings
from widthwise.training.overrides import parse_overrides
from widthwise.training.run_settings import RunSettings

WORLD = "tiny_world:TinyWorld"


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of 150 interactions; `expected` has the lines of the same run continued to 300 by the program of then."""
    monkeypatch.syspath_prepend(str(SUPPORT))
    with tarfile.open(FIXTURES / "run-before-steps-per-action.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "training"


def lines(path: Path) -> list[dict[str, Any]]:
    """Lines without times."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in record.items() if "second" not in name} for record in records]


@pytest.mark.torch
def test_a_recorded_run_continues_with_the_lines_it_had_then(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", WORLD, "--resume", str(recorded), "--interactions", "300", "--quiet"]) == 0, (
        capsys.readouterr()
    )
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        now, then = lines(recorded / name), lines(recorded / "expected" / name)
        assert len(now) == len(then)
        for ours, theirs in zip(now, then, strict=True):
            assert ours == {
                key: pytest.approx(value, rel=1e-4) if isinstance(value, float) else value
                for key, value in theirs.items()
            }
    config = json.loads((recorded / "config.json").read_text())
    assert config["settings"]["overrides"]["steps_per_action"] == 6 and "parts" not in config["settings"]
    assert config["configuration"]["planning"]["algorithm"] == "pi-iw+" and "algorithm" not in config


@pytest.mark.torch
def test_options_of_a_recorded_run_are_compared_by_their_values(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = ["--budget", "6", "--set", "batch=8", "--set", "learning_rate=0.001", "--set", "calibration=8", "--no-ties"]
    call = ["train", WORLD, "--resume", str(recorded), "--interactions", "160", "--quiet"]
    assert main([*call, "--budget", "7", *same[2:]]) == 2
    assert "was started with overrides" in capsys.readouterr().err
    assert main([*call, *same]) == 0


def test_every_old_key_becomes_one_of_today(recorded: Path) -> None:
    old = json.loads((recorded / "config.json").read_text())
    new = upgrade_config(old)
    assert new["settings"]["overrides"] == {
        "batch": 8, "learning_rate": 0.001, "calibration": 8, "steps_per_action": 6, "ties": False
    }  # fmt: skip
    configuration = Configuration.read(new["configuration"])
    assert (configuration.planning.steps_per_action, configuration.planning.algorithm) == (6, "pi-iw+")
    assert upgrade_config(new) == new
    assert RunSettings.of(new["settings"]).describe() == new["settings"]


@pytest.mark.torch
def test_the_old_name_of_a_setting_is_read_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    short = ["--interactions", "60", "--evaluation-steps", "2", "--planner-episodes", "0", "--set", "calibration=8"]
    assert main(["train", "corridor", "--set", "interactions=7", *short, "--quiet", "--out", str(out)]) == 0
    assert "the setting interactions is now called steps_per_action" in capsys.readouterr().err
    assert json.loads((out / "config.json").read_text())["configuration"]["planning"]["steps_per_action"] == 7
    with pytest.raises(UsageError, match="steps_per_action is given twice"):
        parse_overrides(["interactions=7", "steps-per-action=8"])


def test_a_suite_with_old_keys_finds_its_lines_and_folders(tmp_path: Path, recorded: Path) -> None:
    line = upgrade_suite_line({"environment": "corridor", "parts": "tiles=2x2,interactions=7,learning_rate=1e-3"})
    assert line == {"environment": "corridor", "overrides": "tiles=2x2,steps_per_action=7,learning_rate=0.001"}
    assert upgrade_suite_settings({"parts": {"interactions": "7"}}) == {"overrides": {"steps_per_action": 7}}
    settings = RunSettings.of(upgrade_config(json.loads((recorded / "config.json").read_text()))["settings"])
    (tmp_path / "runs").mkdir()
    old = recorded.rename(tmp_path / "runs" / "tiny_world-TinyWorld-pi-iw+-interactions-6-seed3")
    other = RunSettings("corridor", 10, "pi-iw", overrides={"steps_per_action": 7})
    assert folders_of([settings, other], tmp_path) == [
        old,
        tmp_path / "runs" / "corridor-pi-iw-steps_per_action-7-seed0",
    ]
    assert key_of(other)["overrides"] == "steps_per_action=7"
