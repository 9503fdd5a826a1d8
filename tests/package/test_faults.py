"""Every write fails once, and every allocation that the meter can refuse: nothing is lost, and one message says so.

`WIDTHWISE_FAULTS=all` tries every fault with every error, once and for good; without it each is tried in one way.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli_tools import call
from fault_tools import Faults
from places import FIXTURES, SUPPORT
from widthwise.cli.main import main
from widthwise.core.budget import Budget
from widthwise.experiments import runner
from widthwise.experiments.jobs import Done, Job, done, work
from widthwise.experiments.scratch import remove_stale, scratch_folder

TASKS = FIXTURES / "0.1.0" / "tasks"
TASK = [str(TASKS / "corridor" / "domain.pddl"), str(TASKS / "corridor" / "p01.pddl")]
WORLD = "tiny_world:TinyWorld"
TRAIN = ["train", WORLD, "--interactions", "40", "--evaluate-every", "20", "--budget", "6", "--tiles", "2x1"]
TRAIN += ["--set", "batch=4", "--set", "calibration=4", "--network-episodes", "1", "--planner-episodes", "0", "--quiet"]


def ways(number: int) -> list[tuple[int, bool]]:
    """The errors to try at the operation of a number, and whether they last."""
    every = [(code, lasting) for code in (errno.ENOSPC, errno.EIO) for lasting in (False, True)]
    return every if os.environ.get("WIDTHWISE_FAULTS") == "all" else [every[number % 4]]


class Inline:
    """Runs jobs in this process."""

    def run(self, jobs: Sequence[Job]) -> Iterator[Done]:
        for job in jobs:
            for index, outcome in enumerate(work(job)):
                yield done(job, index, outcome)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SUPPORT))
    monkeypatch.setattr(runner, "make_pool", lambda *_: Inline())


def plain(path: Path) -> Any:
    """Lines of JSON, or one value, without what depends on the clock or the call."""
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    left_out = ("seconds", "command", "per_second")
    return [{k: v for k, v in json.loads(line).items() if not any(name in k for name in left_out)} for line in lines]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def message(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    messages = capsys.readouterr()
    assert "Traceback" not in messages.err, messages.err
    return messages.out, messages.err


def test_a_plan_is_shown_whatever_fails_when_it_is_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "plan.txt"
    solve = ["solve", *TASK, "--planner", "bfs", "--plan-out", str(target)]
    with Faults(tmp_path).installed() as counted:
        assert main(solve) == 0
    plan, _ = message(capsys)
    assert counted.count >= 3 and target.read_text() == plan
    for number in range(1, counted.count + 1):
        for code, lasting in ways(number):
            target.write_text("the old plan\n")
            with Faults(tmp_path, number, code, lasting=lasting).installed():
                assert main(solve) == 1
            out, err = message(capsys)
            assert out == plan
            assert f"{target}: cannot be written ({os.strerror(code)})" in err
            assert target.read_text() == "the old plan\n"
            assert [path.name for path in tmp_path.iterdir()] == ["plan.txt"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_plan_for_a_full_device_is_shown_and_the_device_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    for more in ([], ["--json"]):
        assert main(["solve", *TASK, "--first", "--plan-out", "/dev/full", *more]) == 1
        out, err = message(capsys)
        assert "(walk p0 p1)" in out
        assert "/dev/full: cannot be written (No space left on device)" in err
    assert Path("/dev/full").is_char_device()


@pytest.mark.torch
def test_training_loses_nothing_whatever_write_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "run"
    with Faults(whole).installed() as counted:
        assert main([*TRAIN, "--out", str(whole)]) == 0
    for number in range(1, counted.count + 1):
        for code, lasting in ways(number):
            shutil.rmtree(folder, ignore_errors=True)
            with Faults(folder, number, code, lasting=lasting).installed():
                ended = main([*TRAIN, "--out", str(folder)])
            _, err = message(capsys)
            assert ended in (0, 1), (number, err)
            if ended == 1:
                assert os.strerror(code) in err and str(folder) in err, (number, err)
                if (folder / "config.json").exists():
                    again = ["train", WORLD, "--resume", str(folder), "--quiet"]
                else:  # it failed before there was a run
                    shutil.rmtree(folder, ignore_errors=True)
                    again = [*TRAIN, "--out", str(folder)]
                assert main(again) == 0, (number, message(capsys)[1])
            for name in ("episodes.jsonl", "evaluations.jsonl", "result.json"):
                assert plain(folder / name) == plain(whole / name), (number, name)
            assert not list(folder.rglob("*.part")), number


def test_a_suite_loses_nothing_whatever_write_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "run"
    bench = ["bench", "classical", "--benchmarks", str(TASKS), "--suite", "all", "--planner", "iw:2", "--seeds", "1"]
    with Faults(whole).installed() as counted:
        assert main([*bench, "--out", str(whole)]) == 0
    for number in range(1, counted.count + 1):
        for code, lasting in ways(number):
            shutil.rmtree(folder, ignore_errors=True)
            with Faults(folder, number, code, lasting=lasting).installed():
                ended = main([*bench, "--out", str(folder)])
            _, err = message(capsys)
            assert ended == 1 and os.strerror(code) in err and str(folder) in err, (number, err)
            assert main([*bench, "--out", str(folder), "--resume"]) == 0, (number, message(capsys)[1])
            assert plain(folder / "results.jsonl") == plain(whole / "results.jsonl"), number
            assert plain(folder / "result.json") == plain(whole / "result.json"), number
            assert not list(folder.rglob("*.part")), number


def test_a_report_names_the_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("widthwise.reports.plots.make_plots", lambda records: {"plot": "<svg/>"})  # drawing is slow
    run, out = FIXTURES / "0.1.0" / "classical", tmp_path / "out"
    report = ["report", str(run), "--out", str(out / "page.html"), "--markdown", str(out / "page.md")]
    report += ["--plots", str(out / "plots")]
    with Faults(out).installed() as counted:
        assert main(report) == 0
    table, _ = message(capsys)
    complete = contents(out)
    assert len(complete) == 3
    failures = 0
    for number in range(1, counted.count + 1):
        for code, lasting in ways(number):
            shutil.rmtree(out, ignore_errors=True)
            with Faults(out, number, code, lasting=lasting).installed():
                ended = main(report)
            shown, err = message(capsys)
            assert shown == table
            if ended == 0:  # making a folder that is there already failed, which does no harm
                assert contents(out) == complete
                continue
            assert ended == 1, (number, code, lasting)
            failures += 1
            assert str(out) in err and f"cannot be written ({os.strerror(code)})" in err and "None" not in err
            assert not out.exists() or not list(out.rglob("*.part"))
    assert failures >= counted.count - 2


def played(text: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(text).items() if name != "seconds"}


@pytest.mark.parametrize("names", [["record.jsonl"], ["record.jsonl.gz"], ["film.gif"], ["record.jsonl", "film.gif"]])
def test_the_result_of_an_episode_is_shown_whatever_file_cannot_be_written(
    names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "film.gif" in names:
        pytest.importorskip("PIL")
    play = ["play", "maze-small", "--budget", "5", "--max-steps", "3", "--json", "--quiet"]
    for name in names:
        play += ["--gif" if name.endswith(".gif") else "--record", str(tmp_path / name)]
    with Faults(tmp_path).installed() as counted:
        assert main(play) == 0
    result = played(message(capsys)[0])
    assert counted.count >= 3 * len(names)
    before = 2 if names[0].startswith("record") else 0  # the file is opened and its header written before the episode
    for number in range(1, counted.count + 1):
        for code, lasting in ways(number):
            for name in names:
                (tmp_path / name).write_text("the old file\n")
            with Faults(tmp_path, number, code, lasting=lasting).installed():
                assert main(play) == 1, number
            out, err = message(capsys)
            assert (number <= before and not out) or played(out) == result, number
            failed = [name for name in names if f"{tmp_path / name}: cannot be written ({os.strerror(code)})" in err]
            assert failed, (number, err)
            for name in names:
                kept = (tmp_path / name).read_bytes() == b"the old file\n"
                assert kept or name not in failed, (number, name)
            assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names), number


def test_an_encoder_that_fails_leaves_no_film_and_the_result_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL")

    class Encoder:
        """Takes all frames and writes half a film, as ffmpeg does when the disk is full at the end."""

        def get_writer(self, path: Path, **_: Any) -> Any:
            path.write_bytes(b"ftyp and some frames")
            return contextlib.nullcontext(SimpleNamespace(append_data=lambda frame: None))

    monkeypatch.setattr("widthwise.reports.film.video", Encoder)
    play = ["play", "maze-small", "--budget", "5", "--max-steps", "3", "--quiet", "--mp4", str(tmp_path / "film.mp4")]
    assert main(play) == 1
    out, err = message(capsys)
    assert out.startswith("stopped: score 0 after 3 steps")
    assert f"{tmp_path / 'film.mp4'}: cannot be written (the encoder could not complete the video)" in err
    assert not list(tmp_path.iterdir())


def test_an_example_that_cannot_be_written_is_named_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    write = ["examples", "ferry", "--out", str(out), "--force"]
    with Faults(out).installed() as counted:
        assert main(write) == 0
    assert counted.count >= 6
    for number in range(1, counted.count + 1):
        for code, lasting in ways(number):
            shutil.rmtree(out, ignore_errors=True)
            with Faults(out, number, code, lasting=lasting).installed():
                assert main(write) == 1, number
            _, err = message(capsys)
            assert f"{out}" in err and f"cannot be written ({os.strerror(code)})" in err and ".part" not in err, err
            assert number == 1 or ".pddl: " in err, err
            assert not list(tmp_path.rglob("*.part"))
            main(write)
            assert sorted(path.name for path in out.iterdir()) == ["domain.pddl", "problem.pddl"]
            message(capsys)


PLANNERS = ["auto", "iw --width 2", "ihiw", "hiw --high (have-key)", "bfs", "siw", "bfws", "gbfs", "backward"]


@pytest.mark.parametrize("planner", PLANNERS)
def test_every_allocation_that_the_meter_can_refuse_is_refused_once(
    planner: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A limit refuses an allocation only if it would be a new peak: so every peak in turn is forbidden."""
    name, _, more = planner.partition(" ")
    solve = ["solve", *TASK, "--planner", name, *(more.split(" ", 1) if more else []), "--json"]
    solve += ["--first"] if name == "auto" else []
    meters: list[Any] = []
    start = Budget.start
    monkeypatch.setattr(Budget, "start", lambda self: meters.append(start(self)) or meters[-1])  # type: ignore[func-returns-value]
    assert main(solve) == 0
    plan = json.loads(message(capsys)[0])["plan"]
    limit, tried = meters[0].peak_bytes - 1, 0
    while limit > 0 and tried < 500:
        meters.clear()
        code = main([*solve, "--max-memory", repr(limit / 1e6)])
        result = json.loads(message(capsys)[0])
        # Another search of the schedule may solve it in less memory; otherwise the limit is named.
        assert (code, result["status"]) in ((0, "solved"), (22, "out-of-memory")), (limit, code, result["status"])
        assert code or len(result["plan"]) >= len(plan)
        assert meters[0].peak_bytes <= limit
        limit, tried = min(limit, meters[0].peak_bytes) - 1, tried + 1
    assert tried > 1


@pytest.mark.parametrize(("planner", "relevance"), [("iw:2", "task"), ("auto", "goal")])
def test_every_allocation_of_a_suite_that_the_meter_can_refuse_is_refused_once(
    planner: str, relevance: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    meters: list[Any] = []
    start = Budget.start
    monkeypatch.setattr(Budget, "start", lambda self: meters.append(start(self)) or meters[-1])  # type: ignore[func-returns-value]
    bench = ["bench", "classical", "--benchmarks", str(TASKS), "--suite", "all", "--planner", planner, "--seeds", "1"]
    bench += ["--relevance", relevance, "--out", str(tmp_path / "run")]
    assert main(bench) == 0, message(capsys)[1]
    whole = plain(tmp_path / "run" / "results.jsonl")
    limit, tried, endings = max(meter.peak_bytes for meter in meters) - 1, 0, set()
    while limit > 0 and tried < (500 if os.environ.get("WIDTHWISE_FAULTS") == "all" else 60):
        meters.clear()
        shutil.rmtree(tmp_path / "run")
        ended = main([*bench, "--max-memory", repr((limit + 0.5) / 1e6)])
        _, err = message(capsys)
        lines = plain(tmp_path / "run" / "results.jsonl")
        assert len(lines) == len(whole), (limit, err)
        for line in lines:
            if line["failure"] is not None:
                assert line["failure"]["kind"] == "OutOfMemory" and "traceback" not in line["failure"], (limit, line)
                endings.add("failure")
            else:
                assert set(line["status"]) <= {"solved", "out-of-memory"}, (limit, line["status"])
                endings |= set(line["status"])
        assert ended in (0, 1), (limit, ended)
        peak = max(meter.peak_bytes for meter in meters)
        assert peak <= limit
        limit, tried = min(limit, peak) - 1, tried + 1
    assert tried > 10 and {"failure", "solved"} <= endings, (tried, endings)


@pytest.mark.torch
def test_figures_for_tensorboard_that_cannot_be_written_do_not_end_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    code = "import sys\nimport widthwise.training.folder as place\nplace.EVENTS = '../blocked/events'\n"
    code += "from widthwise.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    (tmp_path / "blocked").write_text("")
    arguments = [*TRAIN[:-1], "--out", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, env=environment
    )
    assert ended.returncode == 0, ended.stderr
    assert "TensorBoard are incomplete" in ended.stderr and "Traceback" not in ended.stderr


def test_folders_of_killed_processes_are_removed_and_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    stale = tmp_path / "widthwise-scratch-dead"
    stale.mkdir()
    (stale / ".lock").write_text("")
    (stale / "plan.txt").write_text("")
    other = tmp_path / "somebody-else"
    other.mkdir()
    with scratch_folder() as folder:
        assert remove_stale() == 1
        assert folder.is_dir() and other.is_dir() and not stale.exists()
    assert not folder.exists()


def test_what_a_killed_demo_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    code = "import os, signal, sys\nimport widthwise.classical.load as place\n"
    code += "def end(*files): {}\nplace.load = end\n"
    code += "from widthwise.cli.main import main\nsys.exit(main(['demo', '--no-training']))"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}

    def demo(end: str) -> int:
        command = [sys.executable, "-c", code.format(end)]
        return subprocess.run(command, capture_output=True, check=False, env=environment).returncode

    assert demo("os.kill(os.getpid(), signal.SIGKILL)") == -9
    (left,) = tmp_path.iterdir()
    assert left.name.startswith("widthwise-scratch-") and (left / "domain.pddl").exists()
    assert demo("os.kill(os.getpid(), signal.SIGTERM)") == 143
    assert not list(tmp_path.iterdir())


def test_a_run_that_another_process_writes_is_refused(tmp_path: Path) -> None:
    from widthwise.experiments.store import RunStore

    store = RunStore(tmp_path / "run", {"settings": {}}, ("name",), resume=False)
    bench = ["bench", "classical", "--benchmarks", str(TASKS), "--suite", "all", "--out", str(tmp_path / "run")]
    (tmp_path / "run" / "config.json").unlink()
    ended = call(*bench, "--resume")
    assert ended.code == 2 and "another process is writing this run" in ended.err
    store.close()
