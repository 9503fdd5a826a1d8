"""Wheels install into an empty environment without a compiler and work there; the source archive holds all they need.

The wheel is the one that `WIDTHWISE_WHEEL` names, or one in `dist` that is newer than the sources, or one that is made
of the tree in which `make setup` has built the package. The wheels of `make wheels` are tried with every Python that
this machine has.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import ROOT

CHECK = ROOT / "scripts" / "wheel_check.py"
#: The oldest system that the wheels of `make wheels` may ask for.
GLIBC = (2, 28)


def sources() -> Iterator[Path]:
    """The files that a wheel is made of."""
    yield from (ROOT / name for name in ("pyproject.toml", "CMakeLists.txt"))
    for folder in ("src", "native"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so":
                yield path


def current(pattern: str) -> list[Path]:
    """The files in `dist` that are newer than all sources."""
    newest = max(path.stat().st_mtime for path in sources())
    return [path for path in sorted((ROOT / "dist").glob(pattern)) if path.stat().st_mtime > newest]


def fits(wheel: Path, minor: int) -> bool:
    """Whether a wheel is for a Python 3.x."""
    python_tag, abi = wheel.name.split("-")[2:4]
    oldest = int(python_tag.removeprefix("cp3"))
    return oldest <= minor if abi == "abi3" else oldest == minor


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for this Python."""
    if named := os.environ.get("WIDTHWISE_WHEEL"):
        return Path(named).resolve()
    for path in current("widthwise-*.whl"):
        if fits(path, sys.version_info[1]):
            return path
    folder = tmp_path_factory.mktemp("wheel")
    # The settings of `make setup`: with others everything would be compiled again. CMake and Ninja are in this folder.
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--config-settings=cmake.define.WIDTHWISE_WERROR=ON", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, "PATH": programs})
    (built,) = folder.glob("widthwise-*.whl")
    return built


@pytest.mark.slow
def test_a_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        names = {name for name in content.namelist() if not name.endswith("/")}
        (native,) = {name for name in names if name.startswith("widthwise/_native.") and name.endswith(".so")}
        package = {f"widthwise/{path.relative_to(ROOT / 'src/widthwise')}" for path in sources() if "src" in path.parts}
        assert {name for name in names if ".dist-info/" not in name} == package | {native}
        for name in package:
            assert content.read(name) == (ROOT / "src" / name).read_bytes(), name
    if "abi3" in wheel.name:
        assert native == "widthwise/_native.abi3.so"


@pytest.mark.slow
def test_a_wheel_installs_and_works_without_a_compiler(wheel: Path) -> None:
    command = [sys.executable, str(CHECK), str(wheel), "--site", sysconfig.get_path("purelib")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_check_notices_a_wheel_that_does_not_work(wheel: Path, tmp_path: Path) -> None:
    broken = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as content, zipfile.ZipFile(broken, "w") as copy:
        for name in content.namelist():
            if not name.startswith("widthwise/_native."):
                copy.writestr(name, content.read(name))
    command = [sys.executable, str(CHECK), str(broken), "--site", sysconfig.get_path("purelib")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "_native" in done.stdout + done.stderr


@pytest.mark.slow
def test_the_wheels_of_make_wheels_work_with_every_python_of_this_machine() -> None:
    wheels = current("widthwise-*manylinux*.whl")
    if not wheels:
        pytest.skip("dist has no wheels that are newer than the sources: make wheels")
    listed = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "pythons.py")], capture_output=True, text=True, check=True
    )
    tried = set()
    for python in json.loads(listed.stdout):
        for wheel in (wheel for wheel in wheels if fits(wheel, python["minor"])):
            command = [sys.executable, str(CHECK), str(wheel), "--python", python["path"]]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{wheel.name}, {python['path']}\n{done.stdout}{done.stderr}"
            tried.add(wheel)
    assert tried == set(wheels)


def test_the_wheels_of_make_wheels_run_on_older_systems() -> None:
    wheels = current("widthwise-*manylinux*.whl")
    if not wheels:
        pytest.skip("dist has no wheels that are newer than the sources: make wheels")
    for wheel in wheels:
        tags = [(int(major), int(minor)) for major, minor in re.findall(r"manylinux_(\d+)_(\d+)_", wheel.name)]
        assert tags and min(tags) <= GLIBC, wheel.name
        with zipfile.ZipFile(wheel) as content:
            (native,) = [content.read(name) for name in content.namelist() if name.endswith(".so")]
        versions = [(int(a), int(b)) for a, b in re.findall(rb"GLIBC_(\d+)\.(\d+)", native)]
        assert versions and max(versions) <= GLIBC, wheel.name
        assert b"libstdc++" not in native and b"libc++.so" not in native


def test_the_source_archive_holds_what_a_build_needs(tmp_path: Path) -> None:
    program = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("widthwise-*.tar.gz")
    with tarfile.open(archive) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    wanted = {str(path.relative_to(ROOT)) for path in sources()} | {
        "README.md",
        "LICENSE",
        "Makefile",
        "constraints.txt",
    }
    assert wanted <= names
    assert not [name for name in names if name.startswith(("build/", "dist/", ".venv", "docs/results/"))]
