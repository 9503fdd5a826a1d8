"""Ctrl-C, SIGTERM and SIGHUP end a run with the best result so far, in Python and on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_cli_stop import ENDLESS, worked  # type: ignore[import-not-found]

import widthwise as ww
from cli_tools import environment, files, start, texts
from widthwise import _native
from widthwise.classical.profile import profile
from widthwise.cli.main import main
from widthwise.core.result import Status


def press(*_: object) -> None:
    """Press Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def soon() -> Iterator[None]:
    """Press Ctrl-C soon, while a kernel works."""
    timer = threading.Timer(0.3, press)
    timer.start()
    yield
    timer.join()


@pytest.fixture
def puzzle(tmp_path: Path) -> ww.Task:
    """A task whose breadth-first search does not end."""
    return ww.load(*files(tmp_path, "8puzzle", side=4))


def test_ctrl_c_in_a_search_raises_with_the_result_so_far(puzzle: ww.Task, soon: None) -> None:
    with pytest.raises(ww.RunInterrupted) as raised:
        ww.solve(puzzle, "bfs")
    assert isinstance(raised.value, ww.RunInterrupted)
    result = raised.value.result
    assert result.status is Status.INTERRUPTED
    assert result.generated > 1000


def test_ctrl_c_ends_a_loop_over_tasks(puzzle: ww.Task) -> None:
    begun = []
    with pytest.raises(KeyboardInterrupt):
        for number in range(3):
            begun.append(number)
            ww.solve(puzzle, "bfs", watch=press)  # between two kernels
    assert begun == [0]


def test_ctrl_c_between_two_kernels_keeps_the_counts_of_the_search_at_work(puzzle: ww.Task) -> None:
    seen: list[int] = []

    def watch(search: _native.Search | _native.BestFirst) -> None:
        seen.append(search.generated)
        press()

    result = ww.solve(puzzle, "bfs", watch=watch, on_interrupt="return")
    assert result.status is Status.INTERRUPTED
    assert result.generated >= seen[-1] > 0 and result.expanded > 0


def test_the_result_is_returned_where_that_is_asked_for(puzzle: ww.Task, soon: None) -> None:
    result = ww.solve(puzzle, "bfs", on_interrupt="return")
    assert result.status is Status.INTERRUPTED and result.generated > 1000
    with pytest.raises(ww.UsageError, match="on_interrupt"):
        ww.solve(puzzle, on_interrupt="ignore")  # type: ignore[arg-type]


def test_ctrl_c_in_an_improvement_keeps_the_plan(puzzle: ww.Task) -> None:
    def solved() -> ww.Result:
        return ww.solve(puzzle, improve=True, budget=ww.Budget(seconds=600), on_plan=press, on_interrupt="return")

    result = solved()
    assert result.status is Status.SOLVED and result.plan
    assert ww.validate(puzzle.domain, puzzle.problem, result.plan).valid
    with pytest.raises(ww.RunInterrupted) as raised:
        ww.solve(puzzle, improve=True, budget=ww.Budget(seconds=600), on_plan=press)
    assert raised.value.result.plan == result.plan


def test_who_stops_the_meter_gets_the_result(puzzle: ww.Task) -> None:
    meter = _native.Meter()
    result = ww.solve(puzzle, "bfs", meter=meter, watch=lambda search: meter.interrupt())
    assert result.status is Status.INTERRUPTED


def test_ctrl_c_ends_the_iteration_over_goals(tmp_path: Path) -> None:
    task = ww.load(*files(tmp_path, "8puzzle", side=4))
    results = list(ww.solve_each_goal(task, "bfs", watch=press, on_interrupt="return"))
    assert [result.status for result in results].index(Status.INTERRUPTED) == len(results) - 1
    assert len(results) < len(task.goals)
    before = []
    with pytest.raises(ww.RunInterrupted) as raised:
        before.extend(ww.solve_each_goal(task, "bfs", watch=press))
    assert raised.value.result.status is Status.INTERRUPTED


def test_ctrl_c_ends_a_profile(puzzle: ww.Task) -> None:
    ladder = (("BFS", ww.BFS()),)
    budget = ww.Budget(nodes=10**9)
    goals = [puzzle.goal, puzzle.goal]
    profiles = list(profile(puzzle, goals, budget=budget, ladder=ladder, watch=press, on_interrupt="return"))
    assert [item.status for item in profiles] == [Status.INTERRUPTED]
    with pytest.raises(ww.RunInterrupted) as raised:
        list(profile(puzzle, goals, budget=budget, ladder=ladder, watch=press))
    assert raised.value.result.status is Status.INTERRUPTED


def test_ctrl_c_ends_reading_and_grounding(tmp_path: Path) -> None:
    paths = texts(tmp_path, *ENDLESS)
    threading.Timer(0.3, press).start()
    with pytest.raises(KeyboardInterrupt):
        ww.load(*paths, budget=ww.Budget(seconds=60, bytes=3_000_000_000))


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def ended_by(
    number: int, arguments: list[str], ready: Callable[[subprocess.Popen[str]], bool], **more: str
) -> tuple[int, str, str]:
    """Start a call, send it a signal once it is ready, and say how it ended."""
    process = start(*arguments, **more)
    while process.poll() is None and not ready(process):
        signal.sigtimedwait([], 0.02)
    assert process.poll() is None, process.communicate()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return process.returncode, out, err


def works(seconds: float) -> Callable[[subprocess.Popen[str]], bool]:
    return lambda process: worked(process.pid) >= seconds


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_in_an_improvement_prints_the_best_plan(number: int, tmp_path: Path) -> None:
    paths, plan = files(tmp_path, "8puzzle", side=4), tmp_path / "plan.txt"
    arguments = ["solve", *paths, "--max-time", "600", "--plan-out", str(plan)]
    code, out, _ = ended_by(number, arguments, lambda process: plan.exists())
    assert code == 0  # there is a plan
    assert out == plan.read_text(encoding="utf-8")
    assert main(["validate", *paths, str(plan)]) == 0


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("command", ["solve", "ground", "profile"])
def test_a_signal_without_a_plan_has_its_own_exit_code(command: str, number: int, tmp_path: Path) -> None:
    if command == "ground":
        arguments = ["ground", *texts(tmp_path, *ENDLESS), "--max-memory", "3000"]
    elif command == "solve":
        arguments = ["solve", *files(tmp_path, "8puzzle", side=4), "--planner", "bfs", "--json"]
    else:
        arguments = ["profile", *texts(tmp_path, *ENDLESS), "--max-memory", "3000", "--json"]
    code, out, _ = ended_by(number, arguments, works(1.0))
    assert code == CODES[signal.Signals(number)]
    if command != "ground":
        assert json.loads(out)["status"] == "interrupted"


def test_a_signal_in_play_keeps_what_was_played(tmp_path: Path) -> None:
    record = tmp_path / "episode.jsonl"
    arguments = ["play", "maze-small", "--planner", "riw", "--json", "--record", str(record), "--budget", "2000"]
    code, out, _ = ended_by(signal.SIGTERM, [*arguments, "--nodes", "100000"], works(2.0))
    assert code == 143
    assert json.loads(out)["status"] == "interrupted"
    assert record.read_text(encoding="utf-8").count("\n") > 1


def test_a_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    """As with nohup."""
    paths = files(tmp_path, "8puzzle", side=4)
    process = subprocess.Popen(
        [sys.executable, "-m", "widthwise", "solve", *paths, "--planner", "bfs", "--max-nodes", "500000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    while process.poll() is None and worked(process.pid) < 0.2:
        signal.sigtimedwait([], 0.02)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert process.returncode == 12


@pytest.mark.parametrize(
    "work",
    [
        "ww.solve(ww.load({puzzle!r}, {problem!r}), 'bfs')",
        "ww.solve(ww.load({puzzle!r}, {problem!r}), ww.HIW(lambda state: len(state), low=ww.IW('n')))",
        "[ww.solve(ww.load({puzzle!r}, {problem!r}), 'iw') for _ in iter(int, 1)]",
        "ww.load({many!r}, {endless!r}, budget=ww.Budget(bytes=3_000_000_000))",
    ],
)
def test_the_interpreter_ends_while_a_daemon_thread_works(work: str, tmp_path: Path) -> None:
    puzzle, problem = files(tmp_path / "puzzle", "8puzzle", side=4)
    many, endless = texts(tmp_path / "many", *ENDLESS)
    script = (
        "import threading, time\nimport widthwise as ww\nfrom widthwise import _native\n"
        f"work = lambda: {work.format(puzzle=puzzle, problem=problem, many=many, endless=endless)}\n"
        "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.7)\nprint('done')\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_a_bench_keeps_the_lines(number: int, tmp_path: Path) -> None:
    domain, problem = files(tmp_path / "tasks" / "tiles", "8puzzle", side=4)
    Path(problem).rename(Path(domain).with_name("p01.pddl"))
    out = tmp_path / "run"
    call = ["bench", "classical", "--suite", "all", "--benchmarks", str(tmp_path / "tasks"), "--out", str(out)]
    call += ["--planner", "iw:1", "--planner", "bfs", "--max-nodes", "1000000000", "--workers", "1", "--seeds", "1"]
    lines = out / "results.jsonl"
    code, _, err = ended_by(number, call, lambda process: lines.exists() and lines.stat().st_size > 0)
    assert code == CODES[signal.Signals(number)]
    assert "--resume" in err
    assert lines.read_bytes().endswith(b"\n")
