"""The pinned requirements agree with each other and name no place; the bill of materials lists them."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from places import ROOT

LOCKS = ("requirements-dev.lock", "requirements-learn.lock")


#: PyTorch and what needs it: which build fits depends on the machine.
ON_TORCH = {"torch", "stable-baselines3", "sb3-contrib"}
_PIN = r"^([\w.-]+)(?:\[[\w, .-]+\])?==([^\s;]+)"  # a package may have extras


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(name: str) -> dict[str, str]:
    """The versions in a file of requirements, by package."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {normal(package): version for package, version in re.findall(_PIN, text, re.MULTILINE)}


def extras() -> dict[str, set[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"": project["dependencies"], **project["optional-dependencies"]}
    names = {
        extra: {normal(re.split(r"[<>=!~; \[]", line, maxsplit=1)[0]) for line in wanted[extra]} for extra in wanted
    }
    return {extra: packages - {"widthwise"} for extra, packages in names.items()}  # `all` refers to the other extras


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_what_the_constraints_pin(name: str) -> None:
    constraints, lock = pinned("constraints.txt"), pinned(name)
    assert len(lock) > 20
    different = {
        item: (lock[item], constraints[item]) for item in lock if lock[item] != constraints.get(item, lock[item])
    }
    assert not different, "make lock brings them into step"


def test_the_locks_hold_every_requirement_and_every_constraint() -> None:
    locked = pinned(LOCKS[0]).keys() | pinned(LOCKS[1]).keys()
    wanted = extras()
    # These have no files for every supported Python.
    guided = wanted.pop("fuzz") | (wanted.pop("box2d") - wanted["gym"])
    assert guided <= pinned("constraints.txt").keys()
    missing = set().union(*wanted.values()) | pinned("constraints.txt").keys()
    assert missing - guided <= locked, "make lock brings them into step"
    assert wanted["dev"] - ON_TORCH | wanted[""] | wanted["audit"] <= pinned(LOCKS[0]).keys()
    assert wanted["learn"] | wanted[""] | ON_TORCH <= pinned(LOCKS[1]).keys()


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_all_that_its_packages_need(name: str) -> None:
    """As far as the packages are installed here: pip refuses a file of hashes from which a requirement is missing."""
    lock = pinned(name)
    missing = {}
    for package in lock:
        with contextlib.suppress(metadata.PackageNotFoundError):
            for requirement in map(Requirement, metadata.requires(package) or ()):
                here = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
                if here and normal(requirement.name) not in lock:
                    missing[package] = requirement.name
    assert not missing


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_of_a_lock_has_hashes_and_no_place(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for block in re.findall(r"^[A-Za-z0-9].*\n(?:^[ \t].*\n)*", text, re.MULTILINE):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block
    assert not re.search(r"://|--index|--extra-index|--find-links| @ |file:|/", text.split("\n", 1)[1])


@pytest.mark.skipif(importlib.util.find_spec("cyclonedx_py") is None, reason="needs the extra audit: make sbom")
def test_the_bill_of_materials_lists_what_is_pinned(tmp_path: Path) -> None:
    target = tmp_path / "sbom.json"
    script = ROOT / "scripts" / "sbom.py"
    done = subprocess.run([sys.executable, str(script), str(target)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    bill = json.loads(target.read_text(encoding="utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "widthwise"
    assert bill["metadata"]["component"]["version"]
    listed = {normal(part["name"]): part["version"] for part in bill["components"]}
    assert listed == pinned(LOCKS[0]) | pinned(LOCKS[1])
    assert str(ROOT) not in target.read_text(encoding="utf-8")
