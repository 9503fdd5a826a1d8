"""Widthwise is imported and solves where modules of Linux are missing, and what needs them says so by name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import files
from places import ROOT
from widthwise.core import budget
from widthwise.core.errors import UsageError
from widthwise.experiments.limited import Limits

#: Begins a program as if Python had been built without these modules.
WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
for name in {hidden!r}:
    sys.modules.pop(name, None)
"""
HIDDEN = ("resource", "fcntl", "termios", "tty", "pwd", "grp")
#: The packages that need no optional package.
PACKAGES = ("core", "task_search", "portfolio", "theory", "classical", "experiments", "cli")


def without_modules(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a Python that lacks the modules."""
    text = WITHOUT.format(hidden=HIDDEN) + program
    return subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def test_every_package_is_imported_and_a_task_is_solved(tmp_path: Path) -> None:
    modules = [
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        for package in PACKAGES
        for path in sorted((ROOT / "src" / "widthwise" / package).rglob("*.py"))
        if path.name not in ("__init__.py", "ray_pool.py")
    ]
    assert len(modules) > 80
    program = f"import importlib\nfor name in {modules!r}: importlib.import_module(name)\n"
    program += "from widthwise.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    done = without_modules(program, "solve", *files(tmp_path, "corridor"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("; cost = 21 (unit cost)\n")


def test_a_suite_without_locks_says_what_is_missing(tmp_path: Path) -> None:
    files(tmp_path / "tasks" / "corridor", "corridor")
    program = "from widthwise.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    arguments = ["bench", "classical", "--benchmarks", str(tmp_path / "tasks"), "--out", str(tmp_path / "run")]
    done = without_modules(program, *arguments)
    assert done.returncode == 34, done.stderr
    assert "fcntl" in done.stderr and "Linux and macOS" in done.stderr
    assert "Traceback" not in done.stderr


def test_limits_of_whole_processes_need_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    for limits in ({"cpu": 1.0}, {"megabytes": 100.0}):
        with pytest.raises(UsageError, match="need Linux"):
            Limits(**limits)
    assert Limits(wall=1.0).wall == 1.0


def test_the_memory_limit_is_that_of_the_machine_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    available = budget.machine_bytes()
    monkeypatch.setattr(budget, "Path", lambda name: Path("/nowhere") / Path(name).name)
    everything = budget.machine_bytes()
    assert available is not None and everything is not None
    assert everything >= available


def test_flags_for_one_kind_of_processor_stand_behind_a_check() -> None:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    (guarded,) = re.findall(r"^if\(WIDTHWISE_X86\)$(.*?)^endif\(\)$", text, re.MULTILINE | re.DOTALL)
    assert "-mavx2" in guarded and "-mavx512f" in guarded
    assert not re.search(r"-m(avx|fma|arch|tune)", text.replace(guarded, ""))
