"""The hosted workflow runs make targets that exist, on every supported Python; the hooks of git do what lint does."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from places import ROOT


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    return dict(workflow["jobs"])


def commands(job: dict[str, Any]) -> list[str]:
    """The commands of a job, one for every value of its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    result = [step["run"] for step in job["steps"] if "run" in step]
    for name, values in matrix.items():
        result = [item.replace(f"${{{{ matrix.{name} }}}}", str(value)) for item in result for value in values]
    return result


def test_every_command_is_a_make_target_that_exists(jobs: dict[str, Any]) -> None:
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", rules, re.MULTILINE))
    asked = [command for job in jobs.values() for command in commands(job)]
    assert asked
    for command in asked:
        word, target, *_ = command.split()
        assert word == "make", command
        assert target in targets, command


def test_tests_sanitizers_fuzzing_faults_and_oracles_are_all_run(jobs: dict[str, Any]) -> None:
    run = " ".join(command for job in jobs.values() for command in commands(job))
    for target in ("lint", "docs", "test", "sanitize", "tsan", "fuzz", "faults", "oracles", "locked", "sbom", "wheels"):
        assert f"make {target} " in run, target


def test_every_supported_python_is_tested(jobs: dict[str, Any]) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    oldest = re.search(r'requires-python = ">=3\.(\d+)"', project)
    assert oldest is not None
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    assert tested == [f"3.{minor}" for minor in range(int(oldest[1]), 15)]


def test_wheels_are_built_for_every_platform_and_tested_with_every_python() -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    platforms = {(runner["system"], runner["processor"]) for runner in job["strategy"]["matrix"]["include"]}
    assert platforms == {("linux", "x86_64"), ("linux", "aarch64"), ("macos", "arm64")}
    assert any(step.get("uses", "").startswith("pypa/cibuildwheel@v") for step in job["steps"])
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert settings["cibuildwheel"]["build"].split() == [f"cp3{minor}-*" for minor in range(11, 15)]
    script = settings["cibuildwheel"]["test-command"].split()[1].removeprefix("{project}/")
    assert (ROOT / script).is_file()
    assert settings["scikit-build"]["wheel"]["py-api"] == "cp312"


def test_the_hooks_of_git_run_the_commands_of_make_lint() -> None:
    yaml = pytest.importorskip("yaml")
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook["entry"] for repository in config["repos"] for hook in repository["hooks"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    lines = [line.strip().replace("$(BIN)/", ".venv/bin/") for line in recipe[1].splitlines()]
    # A hook is given the changed files; make names all of them, or the folder.
    assert [re.sub(r" (\.|\$\(\w+\))$", "", line) for line in lines] == hooks


def test_the_templates_of_issues_are_forms_that_name_their_fields() -> None:
    yaml = pytest.importorskip("yaml")
    for name in ("bug", "feature"):
        form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8"))
        assert form["name"] and form["description"]
        for field in form["body"]:
            assert field["type"] == "markdown" or (field["id"] and field["attributes"]["label"])
