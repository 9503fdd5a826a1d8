"""A user who checks types strictly finds the types of the public API complete."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import widthwise as ww
from places import ROOT

CLIENT = ROOT / "tests" / "fixtures" / "typed_client.py"
SOURCE = Path(ww.__file__).parent.parent


def check(file: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run mypy in a folder that has no settings of ours."""
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    command += ["--ignore-missing-imports", f"--cache-dir={folder / 'cache'}", str(file)]
    environment = {**os.environ, "MYPYPATH": str(SOURCE)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def test_the_package_is_marked_as_typed() -> None:
    assert (SOURCE / "widthwise" / "py.typed").is_file()


@pytest.mark.slow
def test_a_strict_user_finds_complete_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    done = check(CLIENT, tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        'import widthwise as ww\nlength: str = ww.solve(ww.example("corridor"), 3).cost\n', encoding="utf-8"
    )
    text = check(wrong, tmp_path).stdout
    assert "[arg-type]" in text and "[assignment]" in text


@pytest.mark.torch
def test_the_typed_program_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = runpy.run_path(str(CLIENT), run_name="__main__")
    assert "exhausted" in capsys.readouterr().out
    assert program["learn"](str(tmp_path / "run")).steps > 0
