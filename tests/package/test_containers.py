"""The entry point of the containers, the planutils package and the recipes work as far as a shell can show it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import TORN, files, texts
from places import ROOT
from widthwise.classical.checks import validate

PACKAGING = ROOT / "packaging"
PLANUTILS = PACKAGING / "planutils" / "widthwise"
PAGE = ROOT / "docs" / "guide" / "containers.md"
SCRIPTS = [PACKAGING / "plan", *(PLANUTILS / name for name in ("install", "run", "uninstall"))]
#: What a build of the package needs from the repository.
SOURCES = {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "native", "src"}


def call(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with the programs of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def check_plan(folder: Path, name: str) -> None:
    """Whether a file holds a valid plan for the task in a folder."""
    verdict = validate(folder / "domain.pddl", folder / "problem.pddl", folder / name)
    assert verdict.valid, verdict.reason


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A folder with a task."""
    files(tmp_path, "corridor")
    return tmp_path


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_can_be_executed_and_have_no_mistakes_of_the_shell(script: Path) -> None:
    assert os.access(script, os.X_OK)
    shell = script.read_text(encoding="utf-8").splitlines()[0].removeprefix("#!/bin/")
    assert shell in ("sh", "bash")
    checker = shutil.which("shellcheck")
    done = call(checker, script, folder=ROOT) if checker else call(shell, "-n", script, folder=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_entry_point_writes_a_valid_plan(task: Path) -> None:
    done = call(PACKAGING / "plan", "domain.pddl", "problem.pddl", "plan.txt", folder=task)
    assert done.returncode == 0, done.stderr
    check_plan(task, "plan.txt")


def test_the_entry_point_passes_options_and_exit_codes_on(task: Path) -> None:
    options = ("--planner", "iw", "--width", "1")
    done = call(PACKAGING / "plan", "domain.pddl", "problem.pddl", "plan.txt", *options, folder=task)
    assert done.returncode == 12, done.stderr
    texts(task, (task / "domain.pddl").read_text(encoding="utf-8"), TORN)
    assert call(PACKAGING / "plan", "domain.pddl", "problem.pddl", "plan.txt", folder=task).returncode == 11
    assert not (task / "plan.txt").exists()


def test_the_entry_point_says_what_is_missing(task: Path) -> None:
    done = call(PACKAGING / "plan", "domain.pddl", "problem.pddl", folder=task)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: plan DOMAIN PROBLEM PLANFILE")


def test_file_names_may_contain_spaces(task: Path) -> None:
    (task / "domain.pddl").rename(task / "a domain.pddl")
    done = call(PACKAGING / "plan", "a domain.pddl", "problem.pddl", "a plan.txt", folder=task)
    assert done.returncode == 0, done.stderr
    (task / "a domain.pddl").rename(task / "domain.pddl")
    check_plan(task, "a plan.txt")


def test_the_planutils_package_has_what_planutils_asks_for() -> None:
    manifest = json.loads((PLANUTILS / "manifest.json").read_text(encoding="utf-8"))
    assert {"name", "description", "install-size", "dependencies"} <= manifest.keys()
    assert manifest["dependencies"] == []
    service = manifest["endpoint"]["services"]["solve"]
    assert service["template"] == "planner"
    assert service["call"].format(package_name="widthwise", domain="D", problem="P") == "widthwise D P plan"


def test_the_planutils_package_runs_and_is_removed(task: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    package = tmp_path_factory.mktemp("packages") / "widthwise"
    shutil.copytree(PLANUTILS, package)
    programs = package / "environment" / "bin"
    programs.mkdir(parents=True)  # as `install` makes it, with the program of this environment
    (programs / "widthwise").symlink_to(Path(sys.executable).parent / "widthwise")
    for arguments, name in (((), "plan"), (("other.txt",), "other.txt"), (("third.txt", "--first"), "third.txt")):
        done = call(package / "run", "domain.pddl", "problem.pddl", *arguments, folder=task)
        assert done.returncode == 0, done.stderr
        check_plan(task, name)
    assert call(package / "run", "domain.pddl", folder=task).returncode == 2
    assert call(package / "uninstall", folder=package).returncode == 0
    assert not (package / "environment").exists()


def dockerfile() -> list[list[str]]:
    """The instructions of the Dockerfile, as words."""
    text = (PACKAGING / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [shlex.split(line) for line in text.splitlines() if line and not line.startswith("#")]


def test_the_docker_image_copies_what_a_build_needs_and_runs_the_entry_point() -> None:
    instructions = dockerfile()
    begins = [number for number, words in enumerate(instructions) if words[0] == "FROM"]
    assert len(begins) == 2
    build, final = instructions[: begins[1]], instructions[begins[1] :]
    copied = {word for words in build if words[0] == "COPY" for word in words[1:-1]}
    assert copied == SOURCES and all((ROOT / name).exists() for name in copied)
    assert ["COPY", "--chmod=755", "packaging/plan", "/usr/local/bin/plan"] in final
    assert ["ENTRYPOINT", "[plan]"] in final
    assert ["USER", "1000"] in final
    assert not any("g++" in words for words in final)
    ignored = (PACKAGING / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line[1:] for line in ignored if line.startswith("!")} == SOURCES | {"packaging/plan"}


def apptainer() -> dict[str, str]:
    """The sections of the recipe for Apptainer; a section that stands twice has both texts."""
    sections: dict[str, str] = {}
    text = (PACKAGING / "Apptainer.widthwise").read_text(encoding="utf-8")
    for name, body in re.findall(r"^%([a-z]+[^\n]*)\n((?:(?:    [^\n]*)?\n)*)", text, re.MULTILINE):
        sections[name] = sections.get(name, "") + body
    return sections


def test_the_apptainer_recipe_copies_what_a_build_needs_and_its_script_plans(task: Path) -> None:
    sections = apptainer()
    copied = dict(line.split() for line in sections["files"].splitlines() if line.strip())
    assert copied.keys() == SOURCES | {"packaging/plan"}
    assert all((ROOT / name).exists() for name in copied)
    script = sections["runscript"].replace(copied["packaging/plan"], str(PACKAGING / "plan"))
    done = call("sh", "-c", script, "run", "domain.pddl", "problem.pddl", "plan.txt", folder=task)
    assert done.returncode == 0, done.stderr
    check_plan(task, "plan.txt")
    assert call("sh", "-n", "-c", sections["post"], folder=task).returncode == 0
    assert "Name Widthwise" in sections["labels"]


def test_the_commands_of_the_page_plan(task: Path) -> None:
    """The program is run as the page calls it; what stands before the arguments is the container."""
    blocks = re.findall(r"^```\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    runs = [line for block in blocks for line in block.splitlines() if line.partition(" domain.pddl")[1]]
    assert len(runs) == 4
    for number, line in enumerate(runs):
        container, arguments = re.split(r" (?=domain\.pddl)", line)
        assert container.split()[:2] in (
            ["packaging/plan"],
            ["docker", "run"],
            ["apptainer", "run"],
            ["planutils", "run"],
        )
        words = shlex.split(arguments.replace("plan.txt", f"plan{number}.txt"))
        done = call(PACKAGING / "plan", *words, folder=task)
        assert done.returncode == 0, done.stderr
        check_plan(task, f"plan{number}.txt")
