"""The hosted workflow runs make targets that exist, on every supported Python."""

from __future__ import annotations

import re
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
    found = [step["run"] for step in job["steps"] if "run" in step]
    for name, values in matrix.items():
        found = [one.replace(f"${{{{ matrix.{name} }}}}", str(value)) for one in found for value in values]
    return found


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
    for target in ("test", "sanitize", "tsan", "fuzz", "faults", "oracles", "locked", "sbom"):
        assert f"make {target} " in run, target


def test_every_supported_python_is_tested(jobs: dict[str, Any]) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    oldest = re.search(r'requires-python = ">=3\.(\d+)"', project)
    assert oldest is not None
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    assert tested == [f"3.{minor}" for minor in range(int(oldest[1]), 15)]
