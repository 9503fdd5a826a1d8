"""Whatever needs an optional package that is missing names the command that installs it, and shows no traceback.

Each package is hidden in a process of its own, in which every command that needs it is called.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cli_tools import files
from places import ROOT
from widthwise.cli.main import COMMANDS

#: The package, the extra that has it, and the commands that need it. {0} is a folder; in it are a task and a run.
ENTRIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "torch": (
        "learn",
        (
            "train maze-small --interactions 10 --out {0}/new",
            "train --resume {0}/run",
            "play maze-small --policy {0}/run",
            "bench mazes --out {0}/suite",
        ),
    ),
    "gymnasium": (
        "gym",
        ("play CartPole-v1", "check-env CartPole-v1", "search CartPole-v1 --interactions 10"),
    ),
    "ale_py": (
        "atari",
        (
            "play atari:pong",
            "play ALE/Pong-v5",
            "check-env atari:pong",
            "search atari:pong --interactions 10",
            "bench atari --out {0}/atari",
        ),
    ),
    "matplotlib": ("plot", ("profile {0}/domain.pddl {0}/problem.pddl --plot {0}/plot.png",)),
    "PIL": ("video", ("play maze-small --quiet --gif {0}/film.gif",)),
    "imageio": ("video", ("play maze-small --quiet --mp4 {0}/film.mp4",)),
    "imageio_ffmpeg": ("video", ("play maze-small --quiet --mp4 {0}/film.mp4",)),
    "ray": ("ray", ("bench classical --benchmarks {0}/tasks --workers ray --out {0}/suite",)),
    "starlette": ("serve", ("serve --port 0",)),
    "uvicorn": ("serve", ("serve --port 0",)),
    "mcp": ("mcp", ("mcp",)),
}
#: Packages that some commands look for first.
FIRST = {"ale_py": ("gymnasium", "torch")}
PROGRAM = """
import contextlib, importlib.machinery, io, json, sys

hidden = sys.argv[1]
find = importlib.machinery.PathFinder.find_spec.__func__

def find_spec(cls, name, path=None, target=None):
    return None if name.split(".")[0] == hidden else find(cls, name, path, target)

importlib.machinery.PathFinder.find_spec = classmethod(find_spec)
from widthwise.cli.main import main

for command in json.loads(sys.argv[2]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(command.split())
        except SystemExit as ended:
            code = ended.code
    print(json.dumps([code, err.getvalue()]))
"""


def without(package: str, program: str, *arguments: str) -> str:
    """What a program prints in a Python that lacks a package."""
    done = subprocess.run(
        [sys.executable, "-c", program, package, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", ENTRIES)
def test_every_command_names_what_to_install(package: str, tmp_path: Path) -> None:
    extra, commands = ENTRIES[package]
    if commands[0].split()[0] not in COMMANDS:
        pytest.skip(f"there is no command {commands[0].split()[0]}")
    for other in FIRST.get(package, ()):
        pytest.importorskip(other)
    files(tmp_path, "corridor")
    files(tmp_path / "tasks" / "corridor", "corridor")
    (tmp_path / "run").mkdir()
    ended = without(package, PROGRAM, json.dumps([command.format(tmp_path) for command in commands]))
    for command, line in zip(commands, ended.splitlines(), strict=True):
        code, message = json.loads(line)
        assert f"pip install 'widthwise[{extra}]'" in message, f"{command}\n{message}"
        assert code == 34, command


def test_environments_of_other_packages_name_the_package() -> None:
    if importlib.util.find_spec("gymnasium") is None:
        pytest.skip("needs gymnasium")
    (line,) = without("minigrid", PROGRAM, json.dumps(["play MiniGrid-DoorKey-5x5-v0"])).splitlines()
    code, message = json.loads(line)
    assert code == 34
    assert message.endswith("needs the package minigrid: pip install minigrid\n")


def extras() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return dict(project["optional-dependencies"])


def extras_of_all() -> set[str]:
    (everything,) = extras()["all"]
    match = re.fullmatch(r"widthwise\[([a-z,]+)\]", everything)
    assert match is not None
    return set(match[1].split(","))


def test_every_extra_has_a_row_on_the_page_about_installing() -> None:
    page = (ROOT / "docs" / "guide" / "install.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9]+)` \| `pip install 'widthwise\[([a-z0-9]+)\]'` \|", page, re.MULTILINE))
    assert all(name == extra for name, extra in rows.items())
    assert extras_of_all() | {"all"} == set(rows)


def test_every_extra_that_a_user_can_switch_on_is_tried_here() -> None:
    # The engine of unified-planning is called by that package, which is then installed.
    assert {extra for extra, _ in ENTRIES.values()} | {"up"} == extras_of_all()
