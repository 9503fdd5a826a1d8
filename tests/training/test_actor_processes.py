"""Actors as processes: the same lines after kill -9 of anything, signals to any of them, nothing left behind."""

from __future__ import annotations

import json
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli_tools import call, start
from learning_tools import HangingWalk
from places import ROOT, SUPPORT
from widthwise.core.processes import tree
from widthwise.training import launch
from widthwise.training.actor_messages import Capture
from widthwise.training.local_transport import LocalTransport
from widthwise.training.run import TrainingListener
from widthwise.training.run_settings import RunSettings
from widthwise.training.transport import ActorOptions, Answer, Lost

pytest.importorskip("torch")

WORLD = "tiny_world:TinyWorld"
TINY = ["train", WORLD, "--budget", "6", "--set", "batch=8", "--evaluate-every", "400", "--tiles", "2x1", "--seed", "3"]
SHORT = [*TINY, "--interactions", "900", "--actors", "2"]
LONG = [*TINY, "--interactions", "1_000_000", "--actors", "2"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))


def lines(folder: Path) -> list[list[dict[str, Any]]]:
    """Both files of lines without what depends on the clock."""
    contents = []
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        records = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
        contents.append([{key: value for key, value in record.items() if "seconds" not in key} for record in records])
    return contents


def children(parent: int) -> list[int]:
    """The evaluator and the actors of a run, in the order in which they were started."""
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def wait_for_episodes(process: subprocess.Popen[str], folder: Path, size: int) -> None:
    while not (folder / "episodes.jsonl").exists() or (folder / "episodes.jsonl").stat().st_size < size:
        assert process.poll() is None
        time.sleep(0.02)


def ended(pids: list[int]) -> bool:
    """Whether all of these processes end; a zombie has ended too."""

    def alive(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    for _ in range(600):
        if not any(map(alive, pids)):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never disturbed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    ran = call(*SHORT, "--json", "--out", str(folder), PYTHONPATH=str(SUPPORT))
    assert ran.code == 0, ran.err
    result = json.loads(ran.out)
    assert result["actors"] == 2
    assert result["actors_lost"] == 0
    assert len(lines(folder)[1]) == 4
    return folder


def test_kill_9_of_an_actor_and_then_of_the_learner_leaves_the_same_lines(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(*LONG, "--out", str(folder))
    wait_for_episodes(process, folder, 400)
    first = children(process.pid)
    assert len(first) >= 2
    os.kill(first[-1], signal.SIGKILL)
    while not (folder / "faults.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.02)
    size = (folder / "episodes.jsonl").stat().st_size
    wait_for_episodes(process, folder, size + 400)
    left = children(process.pid)
    process.kill()
    process.communicate()
    assert ended(left)
    fault = json.loads((folder / "faults.jsonl").read_text().splitlines()[0])
    assert "killed by SIGKILL" in fault["reason"]
    # The lines of the long run begin as those of the short one, up to where the short one ends.
    both = [json.loads(line) for line in (folder / "episodes.jsonl").read_bytes().splitlines()[:-1]]
    for old, new in zip(lines(whole)[0], both, strict=False):
        assert old == {key: value for key, value in new.items() if "seconds" not in key}


@pytest.mark.slow
@pytest.mark.parametrize("target", ["learner", "actor"])
def test_a_signal_to_any_of_them_ends_all_with_a_checkpoint(whole: Path, tmp_path: Path, target: str) -> None:
    folder = tmp_path / "run"
    process = start(*SHORT, "--out", str(folder), TINY_WORLD_WAITS="0.002")
    wait_for_episodes(process, folder, 100)
    running = children(process.pid)
    os.kill(process.pid if target == "learner" else running[-1], signal.SIGTERM)
    _, err = process.communicate(timeout=600)
    assert process.returncode == (143 if target == "learner" else 130), err
    assert "stopped: continue with" in err
    assert ended(running)
    again = call("train", WORLD, "--resume", str(folder), "--quiet")
    assert again.code == 0, again.err
    assert lines(folder) == lines(whole)


@pytest.mark.slow
def test_an_actor_that_hangs_is_replaced(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(*SHORT, "--actor-timeout", "30", "--out", str(folder), TINY_WORLD_WAITS="0.002")
    wait_for_episodes(process, folder, 100)
    os.kill(children(process.pid)[-1], signal.SIGSTOP)
    _, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    assert "did not answer for 30 s; it is replaced" in err
    assert lines(folder) == lines(whole)


def test_an_actor_whose_step_does_not_return_is_replaced(tmp_path: Path) -> None:
    # Evaluations come only at the end, so the step that hangs is one of training.
    make = partial(HangingWalk, str(tmp_path / "marker"), os.getpid())
    overrides = {"steps_per_action": 4, "batch": 8}
    chosen = RunSettings(
        "walk", 300, "pi-iw+", actors=2, evaluate_every=300, planner_episodes=0, overrides=overrides, make=make
    )
    run = launch.begin(tmp_path / "run", chosen, TrainingListener(), options=ActorOptions(step_timeout=8.0))
    try:
        result = run.run()
    finally:
        run.folder.close()
    assert result is not None
    assert result["actors_lost"] == 1
    fault = json.loads((tmp_path / "run" / "faults.jsonl").read_text())
    assert fault["reason"] == "a call into its simulator did not return in time"


class StartsProcess:
    """Unpacking it starts a process that inherits every descriptor that can be inherited."""

    def __reduce__(self) -> Any:
        return partial(subprocess.Popen, ["sleep", "300"], close_fds=False), ()


def started_transport(patch: pytest.MonkeyPatch, contents: bytes) -> LocalTransport:
    """A transport with an actor whose contents are no specification, so that it answers orders with an error."""
    patch.setattr("widthwise.training.local_transport.packed", lambda spec: contents)
    transport = LocalTransport()
    transport.start(SimpleNamespace(index=0))  # type: ignore[arg-type]
    transport.send(0, 1, Capture(), None)
    return transport


def test_an_actor_does_not_import_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    transport = started_transport(monkeypatch, b"no specification")
    (answer,) = transport.receive(600)
    transport.close()
    assert isinstance(answer, Answer)
    assert answer.error is not None


@pytest.mark.parametrize("killed", [False, True])
def test_processes_of_a_simulator_neither_stay_nor_hide_the_end_of_their_actor(
    monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    transport = started_transport(monkeypatch, pickle.dumps(StartsProcess()))
    (answer,) = transport.receive(600)
    assert isinstance(answer, Answer)
    actor, child = tree(transport._processes[0].process.pid)
    if killed:
        os.kill(actor, signal.SIGKILL)
        assert transport.receive(600) == [Lost(0, "its process was killed by SIGKILL, perhaps because memory ran out")]
        os.kill(child, signal.SIGKILL)
    transport.close()
    assert ended([actor, child])


@pytest.mark.slow
def test_the_commands_of_the_page_on_scale_do_what_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "guide" / "training-at-scale.md").read_text(encoding="utf-8")
    commands = re.findall(r"^```\n(widthwise [^\n]+)\n```", page, re.MULTILINE)
    assert len(commands) == 3
    results = []
    for command in commands:
        words = shlex.split(command)
        done = subprocess.run(
            [sys.executable, "-m", *words, "--json", "--quiet"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout))
    assert [result["actors"] for result in results] == [2, 2, 2]
    assert results[2]["interactions"] >= 5_000 > results[0]["interactions"] >= 4_000
    free = lines(tmp_path / "runs" / "free")[0]
    assert all(0 <= line["lag"] <= 500 for line in free)
