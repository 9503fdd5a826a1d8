"""The classical suite: run folders that survive anything, and the same lines whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from bench_tools import PROGRAM, SIZES, in_order, lines, make_benchmarks, raw_lines, without_seconds
from widthwise.classical.examples import EXAMPLES
from widthwise.classical.load import load
from widthwise.classical.solve import solve_each_goal
from widthwise.cli.main import main
from widthwise.core.budget import Budget
from widthwise.experiments.cutting import next_cut
from widthwise.experiments.jobs import Job
from widthwise.experiments.pool import LocalPool
from widthwise.experiments.rows import paper_rows, paper_table, suite_rows
from widthwise.experiments.runner import run_jobs
from widthwise.experiments.store import RunStore
from widthwise.portfolio.registry import make_planner, parse_widths


@pytest.fixture
def benchmarks(tmp_path):
    return make_benchmarks(tmp_path / "benchmarks")


def bench(benchmarks, out, *more):
    return main(["bench", "classical", "--benchmarks", str(benchmarks), "--suite", "all", "--out", str(out), *more])


def test_a_run_keeps_every_goal_of_every_instance(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    assert bench(benchmarks, out, "--seeds", "2", "--workers", "2") == 0
    actual = lines(out)
    instances = sum(map(len, SIZES.values()))
    assert len(actual) == instances * 3 * 2
    keys = {(item["row"], item["instance"], item["planner"], item["width"], item["seed"]) for item in actual}
    assert len(keys) == len(actual)
    for item in actual:
        assert item["failure"] is None and item["relevance"] == "task" and item["folder"] == item["row"]
        lengths = {len(item[name]) for name in ("goal", "status", "generated", "plan_length", "true_at_start")}
        assert len(lengths) == 1
    hard = [item for item in actual if (item["row"], item["planner"], item["width"]) == ("gripper", "iw", "1")]
    assert hard and all(status == "exhausted" for item in hard for status in item["status"])
    wide = [item for item in actual if (item["row"], item["planner"], item["width"]) == ("gripper", "iw", "2")]
    assert all(status == "solved" for item in wide for status in item["status"])
    assert all(length == 3 for item in wide for length in item["plan_length"])  # pick, move, drop
    config, result = (json.loads((out / name).read_text()) for name in ("config.json", "result.json"))
    assert config["settings"]["seeds"] == [0, 1] and config["settings"]["budget"] == {"nodes": 10000}
    assert {"widthwise", "python", "numpy"} <= set(config["versions"])
    assert result["failures"] == 0 and result["lines"] == len(actual)
    assert result["solved"] == sum(item["status"].count("solved") for item in actual)
    captured = capsys.readouterr()
    assert "goals solved" in captured.out
    assert "gripper done" in captured.err and "\r" not in captured.err


def test_the_same_bytes_under_two_hash_seeds(benchmarks, tmp_path):
    texts = []
    for hash_seed in ("1", "2"):
        out = tmp_path / f"run{hash_seed}"
        command = [*PROGRAM, "bench", "classical", "--suite", "all"]
        command += ["--benchmarks", str(benchmarks), "--seeds", "2", "--workers", "1", "--out", str(out)]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": hash_seed}, check=True, capture_output=True)
        texts.append(json.dumps(lines(out)))
    assert texts[0] == texts[1]


def test_a_killed_run_resumes_to_the_lines_of_one_that_was_not(benchmarks, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert bench(benchmarks, whole, "--workers", "2") == 0
    command = [*PROGRAM, "bench", "classical", "--suite", "all"]
    command += ["--benchmarks", str(benchmarks), "--workers", "2", "--out", str(killed)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    path = killed / "results.jsonl"
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= 3:
            break
        time.sleep(0.001)
    process.kill()
    process.wait()
    before = path.read_bytes()
    assert before.count(b"\n") >= 3
    assert bench(benchmarks, killed, "--resume", "--workers", "2") == 0
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert in_order(lines(killed)) == in_order(lines(whole))
    results = [json.loads((out / "result.json").read_text()) for out in (killed, whole)]
    assert without_seconds(results[0]) == without_seconds(results[1])


def test_a_torn_line_is_dropped_and_made_again(benchmarks, tmp_path):
    out = tmp_path / "run"
    bench(benchmarks, out, "--seeds", "1", "--workers", "1")
    whole = lines(out)
    path = out / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    assert bench(benchmarks, out, "--seeds", "1", "--resume", "--workers", "1") == 0
    assert lines(out) == whole


def test_a_broken_line_in_the_middle_is_not_passed_over(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    bench(benchmarks, out, "--seeds", "1", "--workers", "1")
    raw = (out / "results.jsonl").read_bytes().splitlines(keepends=True)
    raw[1] = b"{not json}\n"
    (out / "results.jsonl").write_bytes(b"".join(raw))
    assert bench(benchmarks, out, "--seeds", "1", "--resume") == 31
    assert "results.jsonl:2" in capsys.readouterr().err


def test_an_existing_folder_and_other_settings_are_refused(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    bench(benchmarks, out, "--seeds", "1", "--domains", "ferry")
    assert bench(benchmarks, out, "--seeds", "1", "--domains", "ferry") == 2
    assert "--resume" in capsys.readouterr().err
    assert bench(benchmarks, out, "--seeds", "2", "--domains", "ferry", "--resume") == 2
    message = capsys.readouterr().err
    assert "seeds was [0], now [0, 1]" in message and "budget" not in message
    assert bench(benchmarks, out, "--seeds", "1", "--domains", "ferry", "--max-nodes", "5", "--resume") == 2
    assert "budget" in capsys.readouterr().err
    assert bench(benchmarks, out, "--seeds", "1", "--domains", "ferry", "--resume") == 0


def test_a_broken_instance_is_a_line_with_its_reason(benchmarks, tmp_path, capsys):
    (benchmarks / "ferry" / "p02.pddl").write_text("(define (problem broken)")
    out = tmp_path / "run"
    assert bench(benchmarks, out, "--seeds", "1", "--domains", "ferry") == 0
    failed = [line for line in lines(out) if line["failure"] is not None]
    assert {line["instance"] for line in failed} == {"p02"} and len(failed) == 3
    assert "p02.pddl" in failed[0]["failure"]["reason"] and "traceback" not in failed[0]["failure"]
    assert json.loads((out / "result.json").read_text())["failures"] == 3
    assert "3 lines failed" in capsys.readouterr().out


def test_relevance_and_budget_reach_the_search(benchmarks, tmp_path):
    small, goal = tmp_path / "small", tmp_path / "goal"
    bench(benchmarks, small, "--seeds", "1", "--domains", "blocks", "--max-nodes", "4")
    result = lines(small)
    assert max(count for line in result for count in line["generated"]) == 4
    assert any("out-of-nodes" in line["status"] for line in result)
    bench(benchmarks, goal, "--seeds", "1", "--domains", "gripper", "--relevance", "goal")
    for line in lines(goal):
        assert line["relevance"] == "goal"
        assert all(status == "solved" for status in line["status"]) or line["width"] == "1"


def test_auto_cuts_a_task_to_each_goal_and_the_others_to_the_whole_goal(benchmarks, tmp_path):
    out = tmp_path / "run"
    assert bench(benchmarks, out, "--seeds", "1", "--domains", "blocks", "--planner", "auto", "--planner", "iw:1") == 0
    result = lines(out)
    assert {(line["planner"], line["relevance"]) for line in result} == {("auto", "goal"), ("iw", "task")}
    assert all(status == "solved" for line in result if line["planner"] == "auto" for status in line["status"])


def test_every_line_says_what_made_it(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    assert bench(benchmarks, out, "--seeds", "1", "--domains", "ferry", "--planner", "iw:1") == 0
    (line,) = raw_lines(out)
    config = json.loads((out / "config.json").read_text())
    assert line["versions"] == {name: config["versions"][name] for name in ("widthwise", "python")}
    assert line["commit"] == config["commit"] and line["command"] == config["command"] and line["seed"] == 0
    assert "another program" not in capsys.readouterr().err


def test_a_run_resumed_by_another_program_says_so_and_continues(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    options = ["--seeds", "1", "--domains", "blocks", "--planner", "iw:1"]
    assert bench(benchmarks, out, *options) == 0
    config = json.loads((out / "config.json").read_text())
    config["commit"], config["versions"]["widthwise"] = "f00d", "0.0.1"
    (out / "config.json").write_text(json.dumps(config))
    first, *_ = (out / "results.jsonl").read_text().splitlines(keepends=True)
    (out / "results.jsonl").write_text(first)
    capsys.readouterr()
    assert bench(benchmarks, out, *options, "--resume") == 0
    messages = capsys.readouterr().err
    assert "widthwise 0.0.1 then" in messages and "commit f00d then" in messages
    assert len(raw_lines(out)) == 3 and all(line["commit"] != "f00d" for line in raw_lines(out))


def test_cutting_once_finds_what_cutting_anew_finds(benchmarks, tmp_path):
    out = tmp_path / "run"
    assert bench(benchmarks, out, "--seeds", "2", "--relevance", "goal") == 0
    actual = raw_lines(out)
    assert len(actual) == sum(map(len, SIZES.values())) * 3 * 2
    for line in actual:
        folder = benchmarks / line["folder"]
        task = load(folder / "domain.pddl", folder / f"{line['instance']}.pddl")
        planner = make_planner(line["planner"], parse_widths(line["width"]))
        seed, budget = line["seed"], Budget(nodes=10_000)
        results = list(solve_each_goal(task, planner, budget=budget, seed=seed, relevance="goal"))
        assert line["goal"] == [result.goal for result in results]
        assert line["status"] == [str(result.status) for result in results]
        assert line["generated"] == [result.generated for result in results]
        assert line["plan_length"] == [None if result.plan is None else len(result.plan) for result in results]
        # What it takes to cut the task for a goal is part of the goal's seconds.
        pairs = zip(line["seconds"], line["relevance_seconds"], strict=True)
        assert all(total >= cut > 0 for total, cut in pairs)


def test_equal_cuts_share_their_operators(benchmarks):
    folder = benchmarks / "blocks"
    task = load(folder / "domain.pddl", folder / "p03.pddl")
    first, second = task.goals[:2]
    cut = next_cut(task, first, None)
    small, _ = cut.ordered(0)
    assert small.cut is not None and [small.atoms[atom] for atom in cut.goal.positive] == [first.name]
    assert next_cut(task, first, cut).ordered(0)[0] is small
    other = next_cut(task, second, cut)
    shared = other.task.cut.atoms == cut.task.cut.atoms and other.task.cut.operators == cut.task.cut.operators  # type: ignore[union-attr]
    assert (other.ordered(0)[0] is small) == shared
    assert cut.ordered(1)[0] is not small and cut.ordered(0)[0] is small


@pytest.mark.parametrize(
    "options, message",
    [
        (["--planner", "iv:1"], "unknown planner 'iv'"),
        (["--planner", "iw:1", "--planner", "iw:1"], "given twice"),
        (["--planner", "iw:0"], "not a width"),
        (["--domains", "grippr"], "did you mean gripper"),
        (["--workers", "many"], "--workers"),
        (["--seeds", "0"], "--seeds"),
        (["--first", "0"], "--first"),
        (["--ray-address", "auto"], "--workers ray"),
        (["--max-nodes", "0"], "budget"),
    ],
)
def test_wrong_calls_make_no_folder(benchmarks, tmp_path, capsys, options, message):
    out = tmp_path / "run"
    assert bench(benchmarks, out, *options) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def boom(payload):
    """A job of the tests: parts that end well, raise, or kill their worker."""

    def run(part):
        if part["do"] == "raise":
            raise ValueError("no good")
        if part["do"] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return {"value": payload["value"]}

    return run


def test_a_worker_that_dies_costs_only_its_own_part(tmp_path):
    jobs = [
        Job(f"{__name__}:boom", {"value": value}, [{"row": value, "do": do} for do in order])
        for value, order in enumerate((("well", "die", "well2"), ("raise", "well"), ("die", "die2", "well")))
    ]
    store = RunStore(tmp_path / "run", {"settings": {}}, ("row", "do"), resume=False)
    run_jobs(store, jobs, LocalPool(2))
    result = {store.key(line): line for line in store.lines}
    assert len(result) == len(store.lines) == 8
    assert result[0, "well"]["value"] == 0 and result[0, "well2"]["value"] == 0
    assert "SIGKILL" in result[0, "die"]["failure"]["reason"]
    assert result[1, "raise"]["failure"]["kind"] == "ValueError"
    assert "no good" in result[1, "raise"]["failure"]["traceback"]
    assert result[1, "well"]["failure"] is None and result[2, "well"]["failure"] is None
    store.close()


def boom_together(payload):
    """A job of the tests whose parts share their work: one of them may kill the worker."""

    def run(parts):
        return [boom(payload)(part) for part in parts]

    return run


def test_of_parts_that_go_together_only_the_guilty_one_is_lost(tmp_path):
    parts = [{"row": 0, "do": do} for do in ("well", "die", "well2")]
    job = Job(f"{__name__}:boom_together", {"value": 7}, parts, together=True)
    raising = Job(f"{__name__}:boom_together", {"value": 8}, [{"row": 1, "do": "raise"}], together=True)
    store = RunStore(tmp_path / "run", {"settings": {}}, ("row", "do"), resume=False)
    run_jobs(store, [job, raising], LocalPool(1), stamp={"made": "here"})
    result = {store.key(line): line for line in store.lines}
    assert len(result) == len(store.lines) == 4
    assert result[0, "well"]["value"] == result[0, "well2"]["value"] == 7
    assert "SIGKILL" in result[0, "die"]["failure"]["reason"]
    assert result[1, "raise"]["failure"]["kind"] == "ValueError"
    assert all(line["made"] == "here" for line in store.lines)
    store.close()


def test_two_processes_cannot_write_one_run(tmp_path):
    store = RunStore(tmp_path / "run", {"settings": {}}, ("row",), resume=False)
    with pytest.raises(Exception, match="another process"):
        RunStore(tmp_path / "run", {"settings": {}}, ("row",), resume=True)
    store.close()


def test_ctrl_c_stops_at_once_and_the_run_continues_later(benchmarks, tmp_path):
    # A job of minutes: the run is stopped while it works on it.
    folder = benchmarks / "slow"
    folder.mkdir()
    (folder / "domain.pddl").write_text(EXAMPLES["blocks"].domain())
    (folder / "p01.pddl").write_text(EXAMPLES["blocks"].problem(blocks=30))
    out = tmp_path / "run"
    command = [*PROGRAM, "bench", "classical", "--suite", "slow"]
    command += [
        "--benchmarks",
        str(benchmarks),
        "--seeds",
        "1",
        "--planner",
        "bfs",
        "--max-nodes",
        "100000000",
    ]
    command += ["--max-time", "60", "--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (out / "config.json").exists():
        time.sleep(0.01)
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    _, messages = process.communicate()
    assert process.returncode == 130
    assert "--resume" in messages and "Traceback" not in messages and not (out / "result.json").exists()


def test_planners_without_a_width_run_too(benchmarks, tmp_path):
    out = tmp_path / "run"
    options = ["--seeds", "1", "--suite", "ferry", "--planner", "bfs", "--planner", "auto", "--planner", "iw"]
    assert bench(benchmarks, out, *options) == 0
    result = {(line["planner"], line["width"]): line["status"] for line in lines(out)}
    assert sorted(result) == [("auto", ""), ("bfs", ""), ("iw", "1")]
    assert set(result["auto", ""]) == set(result["bfs", ""]) == {"solved"}


@pytest.mark.slow
def test_ray_gives_the_same_lines(benchmarks, tmp_path):
    pytest.importorskip("ray")
    local, cluster = tmp_path / "local", tmp_path / "ray"
    bench(benchmarks, local, "--seeds", "1")
    assert bench(benchmarks, cluster, "--seeds", "1", "--workers", "ray") == 0
    assert in_order(lines(cluster)) == in_order(lines(local))


def test_the_paper_s_rows_are_those_of_its_table():
    table = paper_table()
    assert len(table) == 35
    assert table["Miconic"]["IW(2)"] == {"coverage": 0.0, "nodes": None, "seconds": None}
    assert table["Gripper"]["IHIW(1,1)"] == {"coverage": 100.0, "nodes": 2140.0, "seconds": 0.36}


@pytest.mark.ipc
def test_the_paper_s_rows_count_its_instances():
    folder = os.environ.get("WIDTHWISE_BENCHMARKS")
    if not folder:
        pytest.skip("WIDTHWISE_BENCHMARKS is not set")
    rows = {row.name: row for row in paper_rows(Path(folder))}
    assert set(paper_table()) - set(rows) == {"Cybersecurity"}
    assert [row.name for row in rows.values() if "instances are present" in row.note] == ["Trucks"]
    assert rows["Freecell"].instances[-1].name == "p17" and len(rows["Rovers"].instances) == 34
    assert rows["Miconic"].instances[1].name == "s1-1" and rows["8puzzle"].source == "generated"
    chosen = suite_rows("paper", Path(folder), ["blocks", "Zeno"], 2)
    assert [(row.name, len(row.instances)) for row in chosen] == [("Blocks World", 2), ("Zeno", 2)]
