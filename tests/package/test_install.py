"""A wheel can be built, installed into an empty environment and used there."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from places import ROOT


@pytest.mark.slow
def test_a_wheel_installs_and_solves(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
    ]
    # Ninja and CMake come from this environment.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    build += [f"--config-settings=build-dir={tmp_path / 'build'}", str(ROOT)]
    subprocess.run(build, check=True, env={**os.environ, "PATH": path})
    (wheel,) = tmp_path.glob("widthwise-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("widthwise/_native.") and name.endswith(".so") for name in names)
    for wanted in ("py.typed", "_native.pyi", "cli/main.py", "classical/examples/domains/corridor.pddl"):
        assert f"widthwise/{wanted}" in names
    assert not any(name.startswith(("tests/", "native/", "benchmarks/")) for name in names)

    folder = tmp_path / "fresh"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True)
    program = str(folder / "bin" / "widthwise")
    subprocess.run([program, "examples", "corridor", "--out", str(tmp_path / "task")], check=True)
    paths = [str(tmp_path / "task" / name) for name in ("domain.pddl", "problem.pddl")]
    plan = subprocess.run([program, "solve", *paths], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert plan.stdout.endswith("; cost = 21 (unit cost)\n")
