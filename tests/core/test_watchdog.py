"""Calls into a simulator that do not return: they end with exit code 23, and what was played is kept."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

import broken_contracts as broken
import widthwise as ww
from cli_tools import call

FOLDER = str(Path(broken.__file__).parent)
INTERRUPTIBLE = ["Hangs", "Sleeps"]
STUBBORN = ["HangsWithTheLock", "HangsAndSwallows"]


@pytest.mark.parametrize("name", [*INTERRUPTIBLE, *STUBBORN])
@pytest.mark.parametrize("limit", [["--step-timeout", "0.5"], ["--max-time", "1.5"]], ids=["step", "time"])
def test_play_ends_and_keeps_the_record(name: str, limit: list[str], tmp_path: Path) -> None:
    record = tmp_path / "episode.jsonl"
    arguments = ["--planner", "riw", "--chance", "foresee", "--quiet", "--json", "--record", str(record)]
    done = call("play", f"broken_contracts:{name}", *arguments, *limit, PYTHONPATH=FOLDER)
    assert done.code == 23, done.err
    assert name in done.err and "did not return in time" in done.err
    assert "(action " in done.err
    assert "Traceback" not in done.err
    assert json.loads(done.out)["status"] == "out-of-time"
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert (lines[0]["kind"], lines[-1]["kind"], lines[-1]["status"]) == ("header", "result", "out-of-time")
    assert [path.name for path in tmp_path.iterdir()] == ["episode.jsonl"]


@pytest.mark.parametrize(("name", "code"), [("Hangs", 12), ("HangsWithTheLock", 23)])
def test_check_env_ends(name: str, code: int) -> None:
    arguments = ["--max-time", "0.1", "--step-timeout", "0.5"]
    done = call("check-env", f"broken_contracts:{name}", *arguments, PYTHONPATH=FOLDER)
    assert done.code == code
    assert "did not return in time" in done.out + done.err


@pytest.mark.torch
@pytest.mark.parametrize("name", ["Hangs", "HangsWithTheLock"])
def test_train_ends(name: str, tmp_path: Path) -> None:
    arguments = ["--interactions", "300", "--algorithm", "pi-iw", "--step-timeout", "0.5", "--out", str(tmp_path / "r")]
    done = call("train", f"broken_contracts:{name}", *arguments, PYTHONPATH=FOLDER)
    assert done.code == 23, done.err
    assert name in done.err and "did not return in time" in done.err
    if name == "HangsWithTheLock":  # otherwise it is known that there is no checkpoint yet
        assert f"widthwise train broken_contracts:{name} --resume {tmp_path / 'r'}" in done.err


@pytest.mark.parametrize("name", ["hangs_when_made", "hangs_with_the_lock_when_made"])
@pytest.mark.parametrize("command", ["play", "check-env"])
def test_a_constructor_that_hangs_is_ended(command: str, name: str) -> None:
    done = call(command, f"broken_contracts:{name}", "--step-timeout", "0.5", PYTHONPATH=FOLDER)
    assert done.code == 23, done.err
    assert f"broken_contracts:{name}: creating the environment did not return in time" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", ["hangs_when_made", "hangs_with_the_lock_when_made"])
def test_play_prints_a_result_when_the_constructor_hangs(name: str) -> None:
    done = call("play", f"broken_contracts:{name}", "--step-timeout", "0.5", "--json", PYTHONPATH=FOLDER)
    result = json.loads(done.out)
    assert (done.code, result["status"], result["score"], result["steps"]) == (23, "out-of-time", 0, 0)


@pytest.mark.parametrize("name", ["hangs_in_features", "hangs_with_the_lock_in_features"])
def test_a_feature_function_that_hangs_is_ended(name: str) -> None:
    features = ["--low-features", f"broken_contracts:{name}", "--planner", "riw"]
    done = call("play", "maze-small", *features, "--step-timeout", "0.5", PYTHONPATH=FOLDER)
    assert done.code == 23, done.err
    assert re.search("(maze-small|Maze): a feature function did not return in time", done.err)
    assert "Traceback" not in done.err


def test_in_python_making_and_features_are_watched_too() -> None:
    with ww.watching(0.3):
        with pytest.raises(ww.OutOfTime, match="creating the environment did not return in time"):
            ww.simulator("broken_contracts:hangs_when_made")
        agent = ww.OnlinePlanner("maze-small", ww.RolloutIW(1), features=broken.hangs_in_features)
        with pytest.raises(ww.OutOfTime, match="Maze: a feature function did not return in time"):
            agent.run(0)


def test_in_python_a_step_that_hangs_raises() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with ww.watching(0.3):
        agent = ww.OnlinePlanner(broken.Hangs(), ww.RolloutIW(1), chance="foresee")
        with pytest.raises(ww.OutOfTime, match=r"Hangs: step \d+ \(action \d\) did not return in time"):
            agent.run(0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_quick_steps_are_not_disturbed() -> None:
    def play(**options: Any) -> list[int]:
        return ww.OnlinePlanner(broken.Walk(), ww.RolloutIW(1), **options).run(0).actions  # type: ignore[attr-defined]

    with ww.watching(0.3, max_time=60) as watch:
        assert watch is not None
        watched = play()
    assert watched == play()
