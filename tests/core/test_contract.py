"""The contract of simulators: every fault is one message with the right exit code, and nothing played is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import broken_contracts as broken
import widthwise as ww
from cli_tools import call
from widthwise.cli.main import main
from widthwise.core.contract import Guarded, environment_name, guarded, structure_of

FOLDER = str(Path(broken.__file__).parent)
FAULTS = [pytest.param(kind, words, id=kind.__name__) for kind, words in broken.FAULTS.items()]


def features(step: ww.Step) -> Any:
    """The place in the picture, whatever the observation is."""
    seen = step.observation["image"] if isinstance(step.observation, dict) else step.observation
    return bytes([int(np.argmax(seen))])


def run(kind: type, **options: Any) -> Any:
    return ww.OnlinePlanner(kind(), ww.RolloutIW(1), features=features, **options).run(seed=0)


def test_a_sound_simulator_plays() -> None:
    assert run(broken.Walk).terminated  # type: ignore[attr-defined]


@pytest.mark.parametrize(("kind", "words"), FAULTS)
def test_a_fault_in_python_is_one_error_with_its_cause(kind: type, words: str) -> None:
    with pytest.raises(ww.SimulatorError) as caught:
        run(kind)
    assert words in str(caught.value)
    assert str(caught.value).startswith(kind.__name__ + ": ")
    assert "\n" not in str(caught.value)
    if " raised " in words:
        assert caught.value.__cause__ is not None


@pytest.mark.parametrize(("kind", "words"), FAULTS)
def test_a_fault_in_play_is_one_message_and_keeps_the_record(
    kind: type, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    record = tmp_path / "episode.jsonl"
    arguments = ["play", f"broken_contracts:{kind.__name__}", "--planner", "riw", "--quiet", "--json"]
    arguments += ["--low-features", "test_contract:features", "--record", str(record)]
    assert main(arguments) == 31
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.err.startswith("widthwise: ") and shown.err.count("\n") == 1
    if kind in (broken.ManyActions, broken.NoActions):
        return  # refused before anything was played
    result = json.loads(shown.out)
    assert (result["status"], words in result["reason"]) == ("failed", True)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert lines[0]["kind"] == "header"
    assert (lines[-1]["kind"], lines[-1]["status"]) == ("result", "failed")
    assert len(lines) == 2 + result["steps"]
    assert [path.name for path in tmp_path.iterdir()] == ["episode.jsonl"]


@pytest.mark.torch
@pytest.mark.parametrize(("kind", "words"), FAULTS)
def test_a_fault_in_train_is_one_message(
    kind: type, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind is broken.OtherKeys:
        pytest.skip("the network takes no dictionaries")
    monkeypatch.syspath_prepend(FOLDER)
    arguments = ["train", f"broken_contracts:{kind.__name__}", "--algorithm", "pi-iw", "--quiet"]
    assert main([*arguments, "--interactions", "200", "--out", str(tmp_path / "run")]) == 31
    shown = capsys.readouterr()
    assert words.replace("after step 0 ", "") in shown.err.replace("after step 0 ", "")
    assert "Traceback" not in shown.err


@pytest.mark.torch
def test_a_fault_after_the_first_checkpoint_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(broken.Late, "after", 45)  # no check, calibration or evaluation goes that far
    arguments = ["train", "broken_contracts:NanReward", "--algorithm", "pi-iw", "--quiet", "--set", "calibration=20"]
    arguments += ["--interactions", "2000", "--out", str(tmp_path / "run"), "--evaluation-steps", "3"]
    assert main(arguments) == 31
    shown = capsys.readouterr()
    assert "returned the reward nan" in shown.err
    assert f"widthwise train broken_contracts:NanReward --resume {tmp_path / 'run'}" in shown.err
    assert (tmp_path / "run" / "checkpoint" / "current.ckpt").exists()


@pytest.mark.torch
def test_an_episode_that_is_over_at_reset_is_refused_by_train_and_ends_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    arguments = ["broken_contracts:OverAtReset", "--quiet"]
    assert (
        main(["train", *arguments, "--algorithm", "pi-iw", "--interactions", "9", "--out", str(tmp_path / "r")]) == 31
    )
    assert "OverAtReset: the episode is over at reset(0)" in capsys.readouterr().err
    assert main(["play", *arguments, "--planner", "riw"]) == 0
    assert "at reset" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["play", "check-env"])
def test_a_simulator_that_ends_the_process_when_it_is_made_is_named(command: str) -> None:
    done = call(command, "broken_contracts:ExitsWhenMade", PYTHONPATH=FOLDER)
    assert done.code == 31
    assert "ExitsWhenMade: creating it raised SystemExit: 0" in done.err


def test_a_module_that_ends_the_process_is_named(tmp_path: Path) -> None:
    (tmp_path / "ending_module.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    done = call("play", "ending_module:thing", PYTHONPATH=str(tmp_path))
    assert done.code == 31
    assert "the import raised SystemExit" in done.err


def test_ctrl_c_inside_a_step_is_the_users() -> None:
    class Pressed(broken.Late):
        def fault(self, seen: ww.Step) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):  # the handler runs between two instructions
                pass
            return seen

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for handler in (signal.default_int_handler, _raises):
            signal.signal(signal.SIGINT, handler)
            with pytest.raises(ww.RunInterrupted) as raised:
                run(Pressed)
            assert raised.value.result.interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _raises(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def test_numbers_of_numpy_become_pythons() -> None:
    class Numpy(broken.Walk):  # type: ignore[name-defined]
        def show(self) -> ww.Step:
            seen = super().show()
            seen.reward, seen.terminated = np.float32(0.5), np.bool_(seen.terminated)
            return seen

    env = guarded(Numpy())
    env.reset(0)
    seen = env.step(1)
    assert (type(seen.reward), type(seen.terminated)) == (float, bool)
    assert json.dumps(run(Numpy).rewards)


def test_lists_and_texts_may_have_any_length() -> None:
    class Grows(broken.Walk):  # type: ignore[name-defined]
        def show(self) -> ww.Step:
            seen = super().show()
            seen.observation = {"image": seen.observation, "list": [1] * self.steps, "text": "x" * self.steps}
            return seen

    assert run(Grows).terminated
    assert structure_of((1, b"ab", [1])) == (int, (bytes, 2, None), list)


def test_a_simulator_is_guarded_once() -> None:
    env = guarded(broken.Walk(), "mine")  # type: ignore[attr-defined]
    assert guarded(env) is env
    assert (env.name, environment_name(broken.Walk())) == ("mine", "Walk")  # type: ignore[attr-defined]
    assert isinstance(ww.OnlinePlanner(broken.Walk(), ww.RolloutIW(1)).driver.simulator, Guarded)  # type: ignore[attr-defined]


def test_names_of_environments() -> None:
    pytest.importorskip("gymnasium")
    assert environment_name(ww.simulator("CartPole-v1")) == "CartPole-v1"
    assert environment_name(ww.simulator("maze-small")) == "Maze"


def test_a_fault_leaves_no_traceback_on_the_terminal() -> None:
    text = "import broken_contracts, sys; from widthwise.cli.main import main; "
    text += "sys.exit(main(['play', 'broken_contracts:ExitsInStep', '--planner', 'riw', '--quiet']))"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": FOLDER}
    )
    assert done.returncode == 31
    assert done.stdout.startswith("failed: score 0 after 0 steps")
    assert done.stderr.count("\n") == 1
