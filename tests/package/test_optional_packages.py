"""Without an optional package the tests that need it are skipped with a reason that names the extra, and never fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from optional_packages import PACKAGES, missing, needed_by
from places import ROOT, TESTS

# Runs pytest as if a package were not installed.
PROGRAM = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == sys.argv[1] else real(name, *more)
import pytest
sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def without(package: str, *arguments: str) -> tuple[int, str]:
    """The exit code and the output of pytest without a package."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, package, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("package", "extra", "module"),
    [
        ("torch", "learn", "learning/test_formulas.py"),
        ("ale_py", "atari", "simulators/test_atari.py"),
        ("unified_planning", "up", "up/test_up_engine.py"),
        ("starlette", "serve", "service/test_service_bounds.py"),
        ("starlette", "serve", "package/test_fuzzing.py"),
        ("mcp", "mcp", "service/test_mcp.py"),
        ("httpx", "dev", "service/test_serve.py"),
        ("schemathesis", "dev", "service/test_openapi.py"),
    ],
)
def test_a_module_that_needs_a_missing_package_is_skipped(package: str, extra: str, module: str) -> None:
    code, output = without(package, str(TESTS / module))
    assert code in (0, 5), output  # 5: no test was collected
    assert f"{package} is not installed: pip install 'widthwise[{extra}]'" in output
    assert "failed" not in output and "error" not in output and "passed" not in output


def test_a_test_with_a_marker_is_skipped_and_its_neighbours_run(tmp_path: Path) -> None:
    (tmp_path / "test_both.py").write_text(
        "import pytest\n\n@pytest.mark.torch\ndef test_learning():\n    raise AssertionError\n\n"
        "def test_planning():\n    pass\n"
    )
    arguments = ["--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), "--confcutdir", str(TESTS)]
    code, output = without("torch", *arguments, "-p", "conftest", str(tmp_path / "test_both.py"))
    assert code == 0, output
    assert "s." in output and "torch is not installed" in output


def test_modules_are_marked_by_what_they_import(tmp_path: Path) -> None:
    module = tmp_path / "test_module.py"
    for text, markers in (
        ("import torch.nn\n", ["torch"]),
        ("from widthwise.learning.network import Network\nimport ale_py\n", ["torch", "atari"]),
        ("from widthwise.learning.learning_settings import LearningSettings\n", []),
        ("import torchless\n\ndef test():\n    import torch\n", []),
    ):
        module.write_text(text)
        assert needed_by(module) == markers


def test_markers_of_other_kinds_skip_nothing() -> None:
    assert missing(["slow", "parametrize"]) is None
    assert set(PACKAGES) == {"torch", "atari", "up", "serve", "mcp", "client", "openapi"}
