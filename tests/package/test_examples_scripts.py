"""The example scripts run, and what they claim holds."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

import widthwise as ww
from places import ROOT

FOLDER = ROOT / "examples"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_and_prints(script: str) -> None:
    ended = subprocess.run(
        [sys.executable, str(FOLDER / script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip()
    assert ended.stderr == ""


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_uses_public_names_only(script: str) -> None:
    tree = ast.parse((FOLDER / script).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not any(module.startswith("widthwise.") for module in modules), f"{script}:{node.lineno}"  # type: ignore[attr-defined]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ww":
            assert node.attr in ww.__all__, f"{script}:{node.lineno}: ww.{node.attr}"


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 5
