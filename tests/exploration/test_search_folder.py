"""The run folder of a search: what continues, what is kept, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from coin_world import Coins
from widthwise.cli.main import main
from widthwise.core.errors import InputError, OutOfTime, UsageError
from widthwise.core.run_folder import CONFIG, RESULT
from widthwise.core.simulator import Step
from widthwise.exploration import search_folder
from widthwise.exploration.search import begin_search
from widthwise.exploration.search_folder import PROGRESS
from widthwise.exploration.search_run import ExplorationRun
from widthwise.training.checkpoint import CURRENT, FOLDER, About, read_checkpoint, write_checkpoint
from widthwise.training.search_shape import check_search
from widthwise.training.search_state import capture


def result_of(folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    return result


def stopped_after(run: ExplorationRun, visits: int) -> None:
    left = visits

    def stop(moved: ExplorationRun) -> None:
        nonlocal left
        left -= 1
        moved.stopping = left <= 0

    run.listener.moved = stop
    run.run()
    assert run.folder is not None
    run.folder.close()


def test_a_search_without_a_checkpoint_starts_from_the_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["search", "corridor", "--interactions", "3_000", "--out"]
    assert main([*call, str(tmp_path / "whole")]) == main([*call, str(tmp_path / "killed")]) == 0
    shutil.rmtree(tmp_path / "killed" / FOLDER)
    (tmp_path / "killed" / RESULT).unlink()
    capsys.readouterr()
    assert main([*call, str(tmp_path / "killed"), "--resume"]) == 0
    assert "stopped before its first checkpoint, so it starts from the beginning" in capsys.readouterr().err
    whole, again = result_of(tmp_path / "whole"), result_of(tmp_path / "killed")
    assert {**whole, "seconds": 0} == {**again, "seconds": 0}


def test_a_folder_without_settings_is_taken_again(tmp_path: Path) -> None:
    for name in (".lock", PROGRESS, f".{CONFIG}.77.part"):
        (tmp_path / name).write_text("")
    assert ww.search("corridor", 3_000, out=tmp_path).score == 1.0
    with pytest.raises(UsageError, match="exists already"):
        ww.search("corridor", 3_000, out=tmp_path)


@pytest.mark.parametrize("replayed", [True, False])
def test_a_better_trajectory_than_that_of_the_checkpoint_is_kept(replayed: bool, tmp_path: Path) -> None:
    def begin(interactions: int = 9_000, *, resume: bool = False) -> ExplorationRun:
        return begin_search(Coins(400), interactions, out=tmp_path / "run", planner={"restart": 0}, resume=resume)

    stopped_after(begin(), 20)
    early = tmp_path / "early"
    shutil.copytree(tmp_path / "run" / FOLDER, early)
    stopped_after(begin(resume=True), 600)
    better = result_of(tmp_path / "run")
    (tmp_path / "run" / RESULT).write_text(json.dumps({**better, "replayed": replayed, "finished": True}))
    shutil.rmtree(tmp_path / "run" / FOLDER)
    early.rename(tmp_path / "run" / FOLDER)  # as if the process had been killed before its next checkpoint
    run = begin(resume=True)
    assert run.search.best is not None and run.search.best.score < better["score"]
    stopped_after(run, 1)
    kept = result_of(tmp_path / "run")
    names = ("score", "steps", "actions", "found_at")
    assert [kept[name] for name in names] == [better[name] for name in names]
    assert kept["replayed"] and not kept["finished"] and kept["interactions"] < better["interactions"]
    run = begin(resume=True)
    result = run.run()
    assert run.folder is not None
    run.folder.close()
    whole = ww.search(Coins(400), 9_000, planner=ww.ArchiveSearch(restart=0))
    assert (result.score, result.steps, result.actions) == (whole.score, whole.steps, whole.actions)


def test_a_trajectory_that_the_environment_does_not_repeat_is_given_up(tmp_path: Path) -> None:
    run = begin_search(Coins(400), 9_000, out=tmp_path, planner={"restart": 0})
    stopped_after(run, 20)
    own = result_of(tmp_path)
    for changed in (
        {"score": 1e6, "replayed": False},
        {"score": 1e6, "replayed": True},
        {"score": 1e6, "actions": [99]},
        {"score": "high"},
    ):
        (tmp_path / RESULT).write_text(json.dumps({**own, **changed}))
        stopped_after(begin_search(Coins(400), 9_000, out=tmp_path, planner={"restart": 0}, resume=True), 1)
        assert result_of(tmp_path)["score"] < 1e6
    (tmp_path / RESULT).write_text("{")
    stopped_after(begin_search(Coins(400), 9_000, out=tmp_path, planner={"restart": 0}, resume=True), 1)
    assert result_of(tmp_path)["score"] >= own["score"]


OWN_FEATURES = """
import sys
from functools import partial
import widthwise as ww

class Cell:
    def __call__(self, step):
        return step.observation

def cell(step, scale=1):
    return step.observation

def end(seconds, resume):
    return ww.search("corridor", seconds, features=[cell, partial(cell, scale=2), Cell()], out="run", resume=resume)

if __name__ == "__main__":
    print(end(int(sys.argv[1]), len(sys.argv) > 2).score)
"""


def test_a_search_with_features_that_are_functions_continues_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_FEATURES)
    for arguments in (["2000"], ["4000", "resume"]):
        done = subprocess.run([sys.executable, "own.py", *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.strip() == "1.0", done.stderr
    assert "0x" not in (tmp_path / "run" / CONFIG).read_text()


def test_the_end_of_the_time_is_no_fault_of_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ww.search("corridor", 2_000, out=tmp_path)

    def late(*_: Any) -> None:
        raise OutOfTime("save() did not return in time")

    monkeypatch.setattr(search_folder, "restore", late)
    with pytest.raises(OutOfTime, match="continue it with a longer time limit"):
        ww.search("corridor", 4_000, out=tmp_path, resume=True)
    monkeypatch.undo()
    assert ww.search("corridor", 4_000, out=tmp_path, resume=True).interactions == 4_000


WRONG: dict[str, Any] = {
    "parents": lambda state: np.zeros(len(state["parents"]) // 8, np.int64).tobytes(),
    "actions": lambda state: np.full(len(state["actions"]) // 2, 900, np.uint16).tobytes(),
    "visits": lambda state: state["visits"] * np.nan,
    "everywhere": lambda state: state["everywhere"] - 1,
    "score": lambda state: state["score"][:-1],
    "node": lambda state: state["node"] + 10**9,
    "level": lambda state: state["level"][::-1],
    "length": lambda state: state["length"] + 1,
    "best": lambda state: [*state["best"][:2], 10**9, *state["best"][3:]],
    "attempt": lambda _: ["a", "b", "c"],
    "given_up": lambda _: "all",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_checkpoint_that_makes_no_sense_is_refused(name: str, tmp_path: Path) -> None:
    ww.search("corridor", 3_000, out=tmp_path)
    path = tmp_path / FOLDER / CURRENT
    checkpoint = read_checkpoint(path)
    state = checkpoint.data["search"]
    check_search(state, ww.simulator("corridor").actions)
    state[name] = WRONG[name](state)
    for file in (tmp_path / FOLDER).iterdir():
        file.unlink()
    write_checkpoint(path, About(**checkpoint.about), checkpoint.data)
    with pytest.raises(InputError, match="not a valid checkpoint"):
        ww.search("corridor", 6_000, out=tmp_path, resume=True)


class Cents:
    """Three coins of 0.1, 0.2 and 0.3; the first can be taken from the third step on. Sums depend on the order."""

    actions, deterministic = 4, True

    def _step(self, reward: float) -> Step:
        return Step(np.array([self.time, *self.taken]), reward, self.time >= 8, False, {})

    def reset(self, seed: int | None = None) -> Step:
        self.time, self.taken = 0, (0, 0, 0)
        return self._step(0.0)

    def step(self, action: int) -> Step:
        free = action > 0 and not self.taken[action - 1] and (action > 1 or self.time >= 2)
        if free:
            self.taken = tuple(int(taken or coin + 1 == action) for coin, taken in enumerate(self.taken))  # type: ignore[assignment]
        self.time += 1
        return self._step(action / 10 if free else 0.0)

    def save(self) -> Any:
        return self.time, self.taken

    def load(self, snapshot: Any) -> None:
        self.time, self.taken = snapshot


def test_equal_rewards_in_another_order_are_an_equal_score() -> None:
    result = ww.search(Cents(), 5_000)
    assert result.steps == 3 and result.score == pytest.approx(0.6)
    search = ww.ArchiveSearch().begin(Cents(), [lambda step: step.observation], 0)
    for _ in range(50):
        search.visit(100)
    gains = [round(10 * gain) for gain, _ in search.archive.top.ranked]  # type: ignore[attr-defined]
    assert len(gains) == len(set(gains))
    check_search(capture(search), 4)
