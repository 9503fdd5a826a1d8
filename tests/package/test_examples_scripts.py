"""The example scripts run, and what they claim holds."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from places import ROOT

FOLDER = ROOT / "examples"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name != "bundled.py")


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


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 5
