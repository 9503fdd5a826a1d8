"""Limits are kept, Ctrl-C stops at once with the counts so far, and nothing ends in a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_tools import call, environment, files, on_terminal, start, texts
from widthwise.cli.main import main

#: A task that nobody can ground: a hundred million operators.
ENDLESS = (
    "(define (domain many) (:predicates (go) (put ?a ?b ?c ?d))"
    " (:action put-it :parameters (?a ?b ?c ?d) :precondition (go) :effect (put ?a ?b ?c ?d)))",
    f"(define (problem many-100) (:domain many) (:objects {' '.join(f'o{n}' for n in range(100))})"
    " (:init (go)) (:goal (put o0 o1 o2 o3)))",
)


def worked(process: int) -> float:
    """The seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(arguments: list[str], after: float, written: Path | None = None) -> tuple[int, str, str]:
    """Start a call, press Ctrl-C after so many seconds of its work and not before a file is there: how it ended."""
    process = start(*arguments)
    # Work, not time: on a busy machine the program may still be starting after any number of seconds.
    while process.poll() is None and (worked(process.pid) < after or not (written is None or written.exists())):
        time.sleep(0.02)
    assert process.poll() is None, "the call ended before it could be interrupted"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)  # without Ctrl-C these calls would not end
    return process.returncode, out, err


def test_ctrl_c_during_search_gives_the_counts_so_far(tmp_path: Path) -> None:
    paths = files(tmp_path, "8puzzle", side=4)
    for planner in (["bfs"], ["iw", "--width", "3"]):
        code, out, err = interrupted(["solve", *paths, "--planner", *planner], 0.8)
        assert code == 130
        assert out == ""
        assert err.startswith("interrupted: ")
        assert "nodes generated" in err
        assert "Traceback" not in err


def test_ctrl_c_during_search_gives_an_object(tmp_path: Path) -> None:
    paths = files(tmp_path, "8puzzle", side=4)
    code, out, _ = interrupted(["solve", *paths, "--planner", "bfs", "--json"], 0.8)
    data = json.loads(out)
    assert code == 130
    assert data["status"] == "interrupted"
    assert data["generated"] > 1000


@pytest.mark.parametrize("form", ["text", "json"])
def test_ctrl_c_during_improvement_keeps_the_plan(form: str, tmp_path: Path) -> None:
    paths, plan = files(tmp_path, "8puzzle", side=4), tmp_path / "plan.txt"
    arguments = ["solve", *paths, "--max-time", "600", "--plan-out", str(plan)]
    code, out, err = interrupted([*arguments, *(["--json"] if form == "json" else [])], 0.5, plan)
    assert code == 0  # there is a plan
    assert "Traceback" not in err
    saved = plan.read_text(encoding="utf-8")
    if form == "text":
        assert out == saved
        assert "it was interrupted" in " ".join(err.split())
    else:
        data = json.loads(out)
        assert data["status"] == "solved"
        assert data["plan"] == [step for step in saved.splitlines() if not step.startswith(";")]
        assert (data["stages"][-1]["planner"], data["stages"][-1]["status"]) == ("improvement", "interrupted")
    assert main(["validate", *paths, str(plan)]) == 0


@pytest.mark.parametrize("command", ["solve", "ground"])
def test_ctrl_c_during_grounding(command: str, tmp_path: Path) -> None:
    paths = texts(tmp_path, *ENDLESS)
    code, out, err = interrupted([command, *paths, "--max-memory", "3000"], 0.8)
    assert code == 130
    assert out == ""
    assert err.startswith("widthwise: interrupted")
    assert "Traceback" not in err


def test_a_time_limit_is_kept_and_covers_grounding(tmp_path: Path) -> None:
    for paths in (texts(tmp_path / "many", *ENDLESS), files(tmp_path / "p", "8puzzle", side=4)):
        ended = call("solve", *paths, "--planner", "bfs", "--max-time", "1", "--json")
        data = json.loads(ended.out)
        assert (ended.code, data["status"]) == (23, "out-of-time")
        assert data["budget"] == {"seconds": 1.0}


@pytest.mark.parametrize(
    ("name", "sizes", "arguments"),
    [
        ("8puzzle", {"side": 4}, ["--planner", "bfs"]),
        ("8puzzle", {"side": 4}, ["--planner", "ihiw", "--width", "n,n"]),
        ("blocks", {"blocks": 1000}, []),
    ],
)
def test_a_megabyte_is_soon_used_up(
    name: str, sizes: dict[str, int], arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = files(tmp_path, name, **sizes)
    assert main(["solve", *paths, *arguments, "--max-memory", "1", "--json"]) == 22
    assert json.loads(capsys.readouterr().out)["status"] == "out-of-memory"


def test_a_node_limit_is_kept_exactly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = files(tmp_path, "8puzzle", side=4)
    for planner in ("bfs", "ihiw", "auto"):
        assert main(["solve", *paths, "--planner", planner, "--max-nodes", "10_00", "--json"]) == 12
        data = json.loads(capsys.readouterr().out)
        if data["status"] == "out-of-nodes":
            assert data["generated"] == 1000


def test_head_may_close_the_pipe(tmp_path: Path) -> None:
    paths = files(tmp_path, "blocks", blocks=60)
    command = [sys.executable, "-m", "widthwise", "ground", *paths, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_full_disk_is_one_message() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "widthwise", "examples"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment(),
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("widthwise: the output cannot be written")
    assert "Traceback" not in ended.stderr


def test_progress_is_for_terminals_only(tmp_path: Path) -> None:
    paths = files(tmp_path, "8puzzle", side=4)
    # Limited by time, so that the search lasts long enough for a line on a machine of any speed.
    arguments = ["solve", *paths, "--planner", "bfs", "--max-time", "2"]
    assert "k/s" not in call(*arguments).err
    ended = on_terminal(*arguments)
    assert (ended.code, ended.out) == (23, "")
    text = ended.err
    assert "k/s" in text
    assert "kept" in text
    assert text.rindex("\x1b[K") < text.index("out-of-time")
