"""Training from Python with `import widthwise as ww` alone: begin, watch, stop, resume, load, act, save."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
from tiny_world import TinyWorld
from widthwise.cli.main import main

pytestmark = pytest.mark.torch

QUICK: dict[str, Any] = {"planner_episodes": 0, "network_episodes": 1, "batch": 8, "steps_per_action": 10}


def lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run without times."""
    texts = [
        text for name in ("episodes", "evaluations") for text in (folder / f"{name}.jsonl").read_text().splitlines()
    ]
    return [{name: value for name, value in json.loads(text).items() if "second" not in name} for text in texts]


def test_train_load_and_act(tmp_path: Path) -> None:
    events: list[ww.TrainingProgress] = []
    result = ww.train("corridor", 400, out=tmp_path / "run", seed=3, callback=events.append, **QUICK)
    assert result.finished and result.interactions >= 400 and result.best is not None
    assert result.figures == json.loads((tmp_path / "run" / "result.json").read_text())
    assert next(event.event for event in events if event.event != "action") in ("begin", "message")
    assert events[-1].event == "end" and events[-1].interactions == result.interactions
    evaluations = [event.evaluation for event in events if event.event == "evaluation"]
    assert len(evaluations) == result.evaluations and all("network_score" in (figures or ()) for figures in evaluations)
    policy = result.policy()
    step = ww.simulator("corridor").reset(seed=0)
    probabilities = policy.probabilities(step)
    assert sum(probabilities) == pytest.approx(1) and policy.act(step) == probabilities.index(max(probabilities))
    alone, planned = policy.play(seed=1, network_only=True), policy.play(seed=1)
    assert alone.interactions == alone.steps and planned.interactions > planned.steps
    assert "finished" in repr(result) and "Training run" in result._repr_html_() and "corridor" in repr(policy)


def test_a_policy_is_saved_and_loaded_without_the_rest_of_the_run(tmp_path: Path) -> None:
    result = ww.train("corridor", 200, out=tmp_path / "run", **QUICK)
    policy = result.policy()
    policy.save(tmp_path / "policy")
    again = ww.Policy.load(tmp_path / "policy")
    step = ww.simulator("corridor").reset(seed=0)
    assert again.probabilities(step) == policy.probabilities(step)
    with pytest.raises(ww.WidthwiseError):
        policy.save(tmp_path / "policy")
    with pytest.raises(ww.InputError):
        ww.Policy.load(tmp_path / "nowhere")
    with pytest.raises(ww.UsageError, match="was trained in corridor"):
        ww.Policy.load(tmp_path / "policy", "maze-small")


def test_a_run_that_a_callback_stopped_continues_with_the_same_lines(tmp_path: Path) -> None:
    whole = ww.train("corridor", 400, out=tmp_path / "whole", seed=1, **QUICK)

    def stop(progress: ww.TrainingProgress) -> None:
        if progress.interactions >= 150:
            progress.stop()

    stopped = ww.train("corridor", 400, out=tmp_path / "parts", seed=1, callback=stop, **QUICK)
    assert not stopped.finished and 150 <= stopped.interactions < 400
    result = ww.train(out=tmp_path / "parts", resume=True)
    assert result.finished and result.interactions == whole.interactions
    assert lines(tmp_path / "parts") == lines(tmp_path / "whole")
    longer = ww.train("corridor", 500, out=tmp_path / "parts", resume=True)
    assert longer.interactions >= 500


def test_the_command_line_and_python_make_the_same_run(tmp_path: Path) -> None:
    ww.train("corridor", 300, out=tmp_path / "python", seed=2, planner_episodes=0, steps_per_action=10)
    command = ["train", "corridor", "--interactions", "300", "--seed", "2", "--planner-episodes", "0"]
    assert main([*command, "--set", "steps_per_action=10", "--quiet", "--out", str(tmp_path / "command")]) == 0
    assert lines(tmp_path / "python") == lines(tmp_path / "command")


def make_world() -> TinyWorld:
    return TinyWorld()


@pytest.mark.parametrize("kind", ["object", "lambda", "function", "class"])
def test_environments_may_be_objects_and_factories(kind: str, tmp_path: Path) -> None:
    environment: Any = {
        "object": TinyWorld(),
        "lambda": lambda: TinyWorld(),
        "function": make_world,
        "class": TinyWorld,
    }[kind]
    options: dict[str, Any] = {**QUICK, "algorithm": "pi-iw+", "trees": 2}
    result = ww.train(environment, 200, out=tmp_path / "run", **options)
    assert result.finished
    assert result.policy(environment).play(seed=0, network_only=True).steps > 0
    longer = ww.train(environment, 300, out=tmp_path / "run", resume=True)
    assert longer.interactions >= 300
    recorded = json.loads((tmp_path / "run" / "config.json").read_text())["settings"]["environment"]
    if kind in ("object", "lambda"):
        assert recorded.endswith("(given in Python)")
        with pytest.raises(ww.WidthwiseError, match="given in Python"):
            ww.train(out=tmp_path / "run", resume=True, interactions=400)
    else:
        assert recorded == f"{environment.__module__}:{environment.__qualname__}"
        with pytest.raises(ww.UsageError, match="names code"):
            ww.train(out=tmp_path / "run", resume=True, interactions=400)
        with pytest.raises(ww.UsageError, match="names code"):
            ww.Policy.load(tmp_path / "run")
        assert ww.Policy.load(tmp_path / "run", trust=True).environment == recorded


def test_wrong_arguments_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(ww.UsageError, match="needs an environment"):
        ww.train("corridor", out=out)
    with pytest.raises(ww.UsageError, match="setting 'tile'"):
        ww.train("corridor", 100, out=out, tile=(2, 2))
    with pytest.raises(ww.UsageError):
        ww.train(object(), 100, out=out)
    with pytest.raises(ww.UsageError):
        ww.train("corridor", 0, out=out)
    with pytest.raises(ww.WidthwiseError):
        ww.train(out=out, resume=True)
    assert not out.exists()
    ww.train("corridor", 100, out=out, **QUICK)
    with pytest.raises(ww.WidthwiseError):
        ww.train("corridor", 100, out=out, **QUICK)
    with pytest.raises(ww.UsageError, match="seed"):
        ww.train("corridor", 200, out=out, seed=5, resume=True)


class Uncopied(TinyWorld):
    def __deepcopy__(self, memo: object) -> Uncopied:
        raise TypeError("a handle cannot be copied")


def test_an_object_that_cannot_be_copied_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ww.UsageError, match="give a function that makes the environment"):
        ww.train(Uncopied(), 100, out=tmp_path / "run")


def test_ctrl_c_keeps_the_run(tmp_path: Path) -> None:
    def interrupt(progress: ww.TrainingProgress) -> None:
        if progress.interactions > 100:
            raise KeyboardInterrupt

    with pytest.raises(ww.RunInterrupted) as raised:
        ww.train("corridor", 400, out=tmp_path / "run", callback=interrupt, **QUICK)
    assert isinstance(raised.value.result, ww.TrainingResult) and not raised.value.result.finished
    assert ww.train(out=tmp_path / "run", resume=True).finished


def test_training_prints_nothing_and_logs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    call = f"import widthwise as ww; ww.train('corridor', 100, out={str(tmp_path / 'run')!r}, planner_episodes=0)"
    ended = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=False, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    with caplog.at_level(logging.INFO, logger="widthwise"):
        ww.train("corridor", 100, out=tmp_path / "logged", **QUICK)
    assert any("evaluation" in record.getMessage() for record in caplog.records)


def test_a_policy_is_evaluated_by_stable_baselines3(tmp_path: Path) -> None:
    evaluation = pytest.importorskip("stable_baselines3.common.evaluation")
    gymnasium = pytest.importorskip("gymnasium")
    options = {"is_slippery": False}
    result = ww.train("FrozenLake-v1", 400, out=tmp_path / "run", options=options, **QUICK)
    policy = result.policy()
    env = gymnasium.make("FrozenLake-v1", **options)
    seen, _ = env.reset(seed=0)
    action, state = policy.predict(seen, state="kept", deterministic=True)
    assert state == "kept" and env.action_space.contains(int(action))
    assert int(action) == policy.act(ww.simulator("FrozenLake-v1", **options).reset(seed=0))
    batch, _ = policy.predict([seen, seen], deterministic=True)
    assert [int(number) for number in batch] == [int(action)] * 2
    mean, deviation = evaluation.evaluate_policy(policy, env, n_eval_episodes=2, warn=False)
    assert 0 <= mean <= 1 and deviation >= 0


def test_continuous_actions_are_trained_on_a_grid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("gymnasium")
    run = tmp_path / "run"
    short = ["--interactions", "60", "--budget", "10", "--set", "batch=8", "--evaluation-steps", "2", "--quiet"]
    call = ["train", "Pendulum-v1", "--actions", "grid:5", *short, "--planner-episodes", "0", "--out", str(run)]
    assert main(call) == 0, capsys.readouterr().err
    lines_of_run = (run / "config.json").read_text()
    assert "grid:5" in lines_of_run
    assert ww.Policy.load(run).agent().simulator.actions == 5
