"""The suite of whole problems: one line for every planner and problem, whatever a planner does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bench_tools import PROGRAM, gone, in_order, lines, make_benchmarks, raw_lines
from widthwise.cli.main import main
from widthwise.experiments.limited import Limits
from widthwise.experiments.systems import other_system, own_system

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of whole processes need Linux")

FAKE = """
import os, sys, time
mode, domain, problem, plan = sys.argv[1:]
if mode == "crash": os.abort()
if mode == "error": sys.exit("no such thing")
if mode == "hog":
    held = []
    while True: held.append(b"x" * 1000000)
if mode == "spin":
    while True: pass
if mode == "liar": open(plan, "w").write("(pick ball1 rooma left)\\n")
if mode == "babble": open(plan, "w").write("here is your plan\\n")
if mode == "silent": open(plan, "w").close()
if mode == "unsolvable": sys.exit(11)
if mode == "hang":
    open(os.environ["FAKE_PID"], "w").write(str(os.getpid()))
    time.sleep(1000000)
"""


@pytest.fixture
def benchmarks(tmp_path):
    return make_benchmarks(tmp_path / "benchmarks")


@pytest.fixture
def fake(tmp_path):
    script = tmp_path / "fake.py"
    script.write_text(FAKE)

    def against(*modes):
        words = (
            ("--against", f"{mode}={sys.executable} {script} {mode} {{domain}} {{problem}} {{plan}}") for mode in modes
        )
        return [word for pair in words for word in pair]

    return against


def bench(folder, out, *more):
    call = ["bench", "classical", "--suite", "whole", "--benchmarks", str(folder), "--out", str(out), "--workers", "1"]
    return main([*call, *more])


def test_whole_problems_with_validated_plans(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    options = ["--planner", "auto", "--planner", "iw:1", "--cpu-time", "60", "--domains", "gripper,blocks"]
    assert bench(benchmarks, out, *options, "--instances", "1,3") == 0
    actual = {(line["row"], line["instance"], line["planner"]): line for line in raw_lines(out)}
    assert len(actual) == 6 and len(raw_lines(out)) == 6  # gripper has no third problem
    for (row, _, planner), line in actual.items():
        assert line["failure"] is None and line["seed"] is None and line["versions"] and line["command"]
        if planner == "auto":
            assert line["status"] == "solved" and line["plan_length"] == line["cost"] > 0 and line["exit_code"] == 0
            assert 0 < line["plan_seconds"] <= line["cpu_seconds"] and line["generated"] > 0
        elif row == "gripper":
            assert line["status"] == "exhausted" and "IW(1)" in line["reason"] and line["cost"] is None
    config, result = (json.loads((out / name).read_text()) for name in ("config.json", "result.json"))
    assert config["kind"] == "whole" and config["settings"]["limits"] == {
        "wall": None,
        "cpu": 60.0,
        "megabytes": 2000.0,
    }
    assert list(config["settings"]["planners"]) == ["auto", "iw:1"]
    assert result["planners"]["auto"]["solved"] == 3 and result["planners"]["auto"]["rows"] == {
        "blocks": 2,
        "gripper": 1,
    }
    printed = capsys.readouterr()
    assert "auto: 3 solved" in printed.out and "blocks done" in printed.err


def test_whatever_a_planner_does_costs_one_line(benchmarks, tmp_path, fake):
    out = tmp_path / "run"
    modes = ("crash", "error", "hog", "liar", "babble", "silent", "unsolvable")
    # The limit is far above what a build with sanitizers takes, which is several times the usual.
    options = ["--cpu-time", "60", "--max-memory", "800", "--domains", "gripper", "--instances", "1"]
    assert bench(benchmarks, out, *options, *fake(*modes), "--planner", "auto") == 0
    result = {line["planner"]: line for line in raw_lines(out)}
    assert {name: line["status"] for name, line in result.items()} == {
        "auto": "solved",
        "crash": "failed",
        "error": "failed",
        "hog": "out-of-memory",
        "liar": "invalid",
        "babble": "invalid",
        "silent": "invalid",
        "unsolvable": "unsolvable",
    }
    assert "SIGABRT" in result["crash"]["reason"] and "no such thing" in result["error"]["reason"]
    assert "no action" in result["liar"]["reason"] and "memory limit" in result["hog"]["reason"]
    assert all(line["plan_length"] is None for name, line in result.items() if name != "auto")


def test_limits_of_time(benchmarks, tmp_path, fake, monkeypatch):
    monkeypatch.setenv("FAKE_PID", str(tmp_path / "pid"))
    first = ["--domains", "gripper", "--instances", "1", "--planner", "none"]
    assert bench(benchmarks, tmp_path / "cpu", *first, "--cpu-time", "0.4", *fake("spin")) == 0
    (line,) = raw_lines(tmp_path / "cpu")
    assert line["status"] == "out-of-time" and "CPU" in line["reason"]
    assert bench(benchmarks, tmp_path / "wall", *first, "--max-time", "3", *fake("hang")) == 0
    (line,) = raw_lines(tmp_path / "wall")
    assert line["status"] == "out-of-time" and line["wall_seconds"] > 3


def test_a_run_continues_where_it_stopped(benchmarks, tmp_path, capsys):
    out = tmp_path / "run"
    options = ["--planner", "auto", "--planner", "iw:2", "--cpu-time", "60", "--domains", "gripper"]
    assert bench(benchmarks, out, *options) == 0
    whole = lines(out)
    path = out / "results.jsonl"
    kept = path.read_bytes().splitlines(keepends=True)[:1]
    path.write_bytes(b"".join(kept) + b'{"row": "grip')
    assert bench(benchmarks, out, *options, "--resume") == 0
    assert in_order(lines(out)) == in_order(whole) and path.read_bytes().startswith(kept[0])
    capsys.readouterr()
    assert bench(benchmarks, out, *options[:-2], "--domains", "blocks", "--resume") == 2
    assert "different settings" in capsys.readouterr().err


def test_seeds_and_options_reach_the_planner(benchmarks, tmp_path):
    out = tmp_path / "run"
    options = ["--domains", "ferry", "--cpu-time", "60", "--seeds", "2", "--planner", "iw:2"]
    assert bench(benchmarks, out, *options, "--max-nodes", "3", "--options=--relevance task") == 0
    assert [line["seed"] for line in raw_lines(out)] == [0, 1]
    assert all(line["status"] == "out-of-nodes" and line["generated"] == 3 for line in raw_lines(out))


def test_a_folder_of_problems_is_a_suite(benchmarks, tmp_path):
    out = tmp_path / "run"
    assert bench(benchmarks / "gripper", out, "--cpu-time", "60", "--first", "1") == 0
    assert [(line["row"], line["instance"], line["status"]) for line in raw_lines(out)] == [
        ("gripper", "p01", "solved")
    ]


def test_stopping_a_run_stops_the_planners(benchmarks, tmp_path, fake):
    pid = tmp_path / "pid"
    command = [*PROGRAM, "bench", "classical", "--suite", "whole", "--benchmarks", str(benchmarks), "--workers", "1"]
    command += ["--out", str(tmp_path / "run"), "--max-time", "1000", *fake("hang")]
    environment = {**os.environ, "FAKE_PID": str(pid)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    while not (pid.exists() and pid.read_text()):
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, messages = process.communicate()
    assert process.returncode == 130 and "--resume" in messages and "Traceback" not in messages
    assert gone(int(pid.read_text()))


@pytest.mark.parametrize(
    "options, message",
    [
        (["--planner", "auto", "--planner", "auto"], "given twice"),
        (["--planner", "iv"], "unknown planner 'iv'"),
        (["--instances", "0"], "--instances"),
        (["--instances", "third"], "'third'"),
        (["--instances", "1", "--first", "1"], "--first"),
        (["--cpu-time", "0"], "above 0"),
        (["--seeds", "0"], "--seeds"),
        (["--against", "lama"], "NAME="),
        (["--against", "lama=run {domain} {plan}"], "{problem} is missing"),
        (["--against", "lama='run {domain} {problem} {plan}"], "cannot be read"),
        (["--suite", "all", "--cpu-time", "3"], "--suite whole"),
    ],
)
def test_wrong_calls_make_no_folder(benchmarks, tmp_path, capsys, options, message):
    out = tmp_path / "run"
    assert bench(benchmarks, out, *options) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_commands_of_planners():
    own = own_system("ihiw:1,1", Limits(wall=10, megabytes=1000), ["--first"], seeded=True)
    assert (own.name, own.width) == ("ihiw", "1,1")
    text = " ".join(own.command)
    assert "--planner ihiw --width 1,1 --seed {seed} --max-time 9.3 --max-memory 900" in text and "--first" in text
    assert "--width" not in own_system("auto", Limits(cpu=5)).command
    other = other_system("mine=sh -c 'run {domain}' {problem} {plan}")
    assert other.command == ("sh", "-c", "run {domain}", "{problem}", "{plan}")


@pytest.mark.slow
def test_ray_gives_the_same_lines(benchmarks, tmp_path):
    pytest.importorskip("ray")
    local, cluster = tmp_path / "local", tmp_path / "ray"
    options = ["--cpu-time", "60", "--domains", "gripper"]
    assert bench(benchmarks, local, *options) == 0
    assert bench(benchmarks, cluster, *options, "--workers", "ray") == 0
    assert in_order(lines(cluster)) == in_order(lines(local))
