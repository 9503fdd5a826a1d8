"""`widthwise play`: results, records, planners and features from the command line, exit codes."""

from __future__ import annotations

import gzip
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from cli_tools import call, start
from widthwise.cli.main import main

MAZE = ["play", "maze-small", "--tiles", "4x4", "--budget", "100"]


def played(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    """The result of a call, as an object."""
    assert main([*arguments, "--json", "--quiet"]) == code
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def lines(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_it_plays_what_the_library_plays(capsys: pytest.CaptureFixture[str]) -> None:
    result = played(capsys, *MAZE, "--seed", "3")
    planner = ww.HIW(ww.Tiles(4, 4), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1))
    agent = ww.OnlinePlanner(ww.simulator("maze-small"), planner, features=ww.Cells(), budget=ww.Budget(steps=100))
    episode = agent.run(seed=3)
    assert result["actions"] == episode.actions
    assert result["interactions"] == episode.interactions
    assert (result["status"], result["planner"], result["score"]) == ("ended", "HIW(1,1)", 1.0)


@pytest.mark.parametrize("name", ["episode.jsonl", "episode.jsonl.gz"])
def test_a_record_can_be_replayed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    result = played(capsys, *MAZE, "--record", str(path))
    header, *steps, last = lines(path)
    assert (header["kind"], header["env"], header["seed"]) == ("header", "maze-small", 0)
    assert header["budget"] == {"steps": 100, "nodes": 500}
    assert [step["step"] for step in steps] == list(range(result["steps"]))
    assert (last["kind"], last["actions"], last["final"]["key"]) == ("result", result["actions"], 1)
    maze = ww.simulator("maze-small")
    now = maze.reset()
    score = 0.0
    for step in steps:
        assert step["position"] == list(now.info["position"])
        assert step["key"] == now.info["key"]
        now = maze.step(maze.action_names.index(step["action"]))  # type: ignore[attr-defined]
        score += now.reward
        assert (step["reward"], step["score"]) == (now.reward, score)
        assert step["kept"] <= step["nodes"]
        assert sum(step["behaviour"]) == pytest.approx(1)
    assert now.done
    assert sum(step["interactions"] for step in steps) == result["interactions"]
    assert [child.name for child in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--planner", "riw"], "RIW(1)"),
        (["--planner", "riw", "--width", "2", "--low-features", "tiles:4x4:8"], "RIW(2)"),
        (["--planner", "criw", "--width", "n", "--low-features", "cells+key"], "CRIW(n)"),
        (["--planner", "iw", "--low-features", "pixels"], "IW(1)"),
        (["--planner", "bfs"], "IW(n)"),
        (["--planner", "ihiw"], "IHIW(1,1)"),
        (["--width", "n,1"], "HIW(n,1)"),
        (["--width", "1,1,1", "--tiles", "2x2", "--tiles", "4x4", "--values", "16"], "HIW(1,1,1)"),
        (["--high-planner", "iw", "--low-planner", "bfs"], "HIW(1,n)"),
    ],
)
def test_planners_by_name(arguments: list[str], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = played(capsys, "play", "maze-small", *arguments, "--max-steps", "4")
    assert (result["planner"], result["steps"], result["status"]) == (name, 4, "stopped")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--planner", "riw", "--tiles", "2x2"], "upper levels"),
        (["--planner", "riw", "--width", "1,1"], "one level"),
        (["--planner", "riw", "--high-planner", "criw"], "--high-planner is for the levels of hiw"),
        (["--planner", "ihiw", "--low-planner", "riw"], "--low-planner is for the levels of hiw"),
        (["--planner", "hiw", "--width", "1"], "one width per level"),
        (["--width", "3,1"], "1, 2 or n"),
        (["--width", "1,1,1", "--tiles", "2x2"], "2 times"),
        (["--tiles", "2by2"], "does not describe tiles"),
        (["--values", "8"], "needs --tiles"),
        (["--planner", "bfs", "--width", "1"], "no --width"),
        (["--planner", "ihiw", "--width", "2,1"], "1,1"),
        (["--low-features", "smells"], "smells"),
        (["--low-features", "no_such_module:f"], "no_such_module"),
        (["--low-features", "json:no_such_name"], "no function"),
        (["--low-features", ":f"], "Empty module name"),
        (["--low-features", ".m:f"], ".m:f"),
        (["--low-features", "bins:²"], "number of intervals"),
        (["--set", "count_temperature=1e-320"], "a temperature must be above 0, at least 1e-100"),
        (["--record", "/no/such/folder/x.jsonl"], "does not exist"),
    ],
)
def test_wrong_calls_are_one_message(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "maze-small", *arguments]) == 2
    messages = capsys.readouterr()
    assert reason in messages.err
    assert messages.out == ""
    assert "Traceback" not in messages.err


def test_a_record_goes_into_a_pipe_and_does_not_replace_it(tmp_path: Path) -> None:
    pipe, texts = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: texts.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    assert main(["play", "corridor", "--max-steps", "2", "--quiet", "--record", str(pipe)]) in (0, 12)
    reader.join()
    assert pipe.is_fifo() and json.loads(texts[0].splitlines()[0])["kind"] == "header"


def test_a_video_does_not_replace_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.gif")
    assert main(["play", "maze-small", "--gif", str(tmp_path / "pipe.gif")]) == 2
    assert "is not a regular file" in capsys.readouterr().err


def test_features_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own_play_features.py").write_text(
        "def f(step):\n    return bytes([step.info['cell'] % 256, step.info['cell'] // 256])\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    result = played(capsys, "play", "corridor", "--planner", "riw", "--low-features", "own_play_features:f")
    assert result["steps"] > 0


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert played(capsys, *MAZE, "--goal-score", "1")["score"] == 1
    assert played(capsys, *MAZE, "--goal-score", "1", "--max-steps", "5", code=12)["status"] == "stopped"
    late = played(capsys, "play", "maze-large", "--budget", "1e6", "--nodes", "1e6", "--max-time", "0.5", code=23)
    assert late["status"] == "out-of-time"


def test_a_time_limit_before_the_first_action_still_gives_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    late = played(capsys, *MAZE, "--max-time", "1e-9", code=23)
    assert (late["status"], late["steps"], late["score"]) == ("out-of-time", 0, 0)
    assert main([*MAZE, "--max-time", "1e-9", "--quiet"]) == 23
    assert capsys.readouterr().out.startswith("out-of-time: score 0 after 0 steps")


def test_ctrl_c_saves_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "episode.jsonl"
    process = start("play", "maze-large", "--planner", "riw", "--budget", "300", "--record", str(path))
    assert process.stderr is not None
    for _ in range(3):
        assert process.stderr.readline().startswith("step ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.startswith("interrupted: score 0 after ")
    assert "Traceback" not in err
    header, *steps, last = lines(path)
    assert header["kind"] == "header"
    assert last["status"] == "interrupted"
    assert len(steps) == last["steps"] >= 2  # the third was shown, perhaps not yet taken
    assert [child.name for child in tmp_path.iterdir()] == ["episode.jsonl"]


def test_a_line_per_step_in_a_pipe() -> None:
    ended = call("play", "corridor", "--max-steps", "3")
    messages = ended.err.splitlines()
    assert ended.code == 0
    assert [line.split(":")[0] for line in messages] == ["step 1", "step 2", "step 3"]
    assert "\x1b" not in ended.err
    assert ended.out.startswith("stopped: score 0 after 3 steps, by HIW(1,1)\n")
    assert call("play", "corridor", "--max-steps", "3", "--quiet").err == ""


def test_an_unknown_environment_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "maze-smal"]) == 2
    assert "did you mean maze-small?" in capsys.readouterr().err


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.atari
def test_a_hierarchy_in_a_game_has_whole_vectors_above(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["play", "atari:pong", "--planner", "hiw", "--preset", preset, "--budget", "5", "--max-steps", "1"]
    assert played(capsys, *call)["planner"] == "HIW(n,1)"


@pytest.mark.atari
def test_atari_is_recorded_with_its_lives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "episode.jsonl"
    result = played(
        capsys, "play", "atari:montezuma_revenge", "--width", "n,1", "--budget", "20", "--max-steps", "2",
        "--record", str(path),
    )  # fmt: skip
    assert result["planner"] == "HIW(n,1)"
    assert result["interactions"] == 40
    assert [line["lives"] for line in lines(path)[1:-1]] == [6, 6]


def test_a_dictionary_of_observations_is_no_hindrance(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("minigrid")
    result = played(capsys, "play", "MiniGrid-Empty-5x5-v0", "--planner", "criw", "--budget", "60")
    assert result["steps"] > 0


@pytest.mark.atari
def test_the_reason_for_a_flat_planner_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    for name, reason in (
        ("atari:pong", "(flat: the preset's planner here; --planner hiw plans in a hierarchy)"),
        ("CartPole-v1", "(flat: there are no features for a hierarchy)"),
    ):
        assert main(["play", name, "--max-steps", "1", "--budget", "2"]) == 0
        assert reason in capsys.readouterr().err
