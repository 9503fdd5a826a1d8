"""`--chance` of `play` and `train`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dice_simulators as dice
from cli_tools import call
from widthwise.cli.main import main

FOLDER = str(Path(dice.__file__).parent)


def command(*more: str, code: int, **environment: str) -> tuple[dict[str, Any], str]:
    arguments = ["play", "dice_simulators:Dice", "--planner", "riw", "--low-features", "dice_simulators:place"]
    done = call(*arguments, "--json", *more, PYTHONPATH=FOLDER, **environment)
    assert done.code == code, done.err
    return json.loads(done.out), done.err


def test_play_refuses_with_an_object_and_remedies(tmp_path: Path) -> None:
    record = tmp_path / "episode.jsonl"
    result, message = command("--record", str(record), code=34)
    assert (result["status"], result["chance"]["kind"]) == ("refused", "random")
    assert result["reason"].startswith("Dice: steps depend on chance (dice)")
    for remedy in ("--chance reseed", "--chance foresee", "make the environment deterministic"):
        assert remedy in message and remedy in result["reason"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("chance", ["foresee", "reseed"])
def test_play_is_the_same_in_every_process(chance: str) -> None:
    results = [command("--chance", chance, code=0, PYTHONHASHSEED=seed)[0] for seed in ("1", "2")]
    for result in results:
        del result["seconds"], result["chance"]["check_seconds"]
    assert results[0] == results[1]
    assert (results[0]["chance"]["mode"], results[0]["status"]) == (chance, "ended")
    assert (results[0]["as_planned"] is None) == (chance == "foresee")


def test_play_says_at_the_start_what_it_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    arguments = ["--planner", "riw", "--low-features", "dice_simulators:place", "--max-steps", "2"]
    assert main(["play", "dice_simulators:Dice", *arguments, "--chance", "foresee"]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("chance: Dice: steps depend on chance (dice)")
    assert "the planner knows the random outcomes (--chance foresee)" in shown.err.splitlines()[0]
    assert "checked in 30 steps" in shown.err.splitlines()[0]
    assert "chance: the planner knows the random outcomes" in shown.out
    assert main(["play", "dice_simulators:IdleDice", *arguments]) == 0
    shown = capsys.readouterr()
    assert "use random numbers (dice), but no outcome differed in" in shown.err
    assert "chance" not in shown.out
    assert main(["play", "broken_simulators:Walk", *arguments]) == 0
    assert "chance" not in capsys.readouterr().err


def test_chance_that_shows_late_keeps_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    record = tmp_path / "episode.jsonl"
    arguments = ["play", "dice_simulators:LateDice", "--planner", "riw", "--low-features", "dice_simulators:place"]
    arguments += ["--budget", "200", "--quiet", "--json", "--record", str(record)]
    codes = []
    for seed in range(20):
        codes.append(main([*arguments, "--seed", str(seed)]))
        shown = capsys.readouterr()
        if codes[-1] == 34:
            break
    assert codes[-1] == 34
    result = json.loads(shown.out)
    assert result["status"] == "refused" and result["steps"] > 0
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert len(lines) == 2 + result["steps"]


@pytest.mark.torch
def test_train_refuses_and_continues_exactly_with_other_luck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    arguments = ["train", "dice_simulators:Dice", "--algorithm", "pi-iw", "--interactions", "300", "--json"]
    assert main([*arguments, "--out", str(tmp_path / "no")]) == 34
    shown = capsys.readouterr()
    assert json.loads(shown.out)["status"] == "refused"
    assert "--chance reseed" in shown.err
    assert not (tmp_path / "no").exists()
    for chance in ("foresee", "reseed"):
        folder = tmp_path / chance
        arguments[-1] = "--quiet"
        assert main([*arguments, "--json", "--chance", chance, "--out", str(folder)]) == 0
        assert json.loads(capsys.readouterr().out)["chance"] == chance
        assert json.loads((folder / "config.json").read_text())["settings"]["chance"] == chance
        other = "reseed" if chance == "foresee" else "foresee"
        assert main(["train", "--resume", str(folder), "--chance", other, "--interactions", "400"]) == 2
        assert "was started with chance" in capsys.readouterr().err
