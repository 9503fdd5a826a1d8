"""The command that `widthwise search` prints to continue a search that was stopped."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from widthwise.cli.main import main

WORLD = """
import numpy as np
from widthwise.core.simulator import Step


class Row:
    actions, deterministic = 2, True

    def __init__(self, kind="a:b", size=3):
        self.kind, self.place = kind, 0

    def reset(self, seed=None):
        self.place = 0
        return Step(np.array([0]))

    def step(self, action):
        self.place = min(300, self.place + action)
        return Step(np.array([self.place]), float(action))

    def save(self):
        return self.place

    def load(self, snapshot):
        self.place = snapshot
"""


@pytest.mark.parametrize("options", [["--option", "kind=rows:Row"], ["--option", "size=4", "--step-timeout", "7.5"]])
def test_the_command_that_is_printed_continues_the_search(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.py").write_text(WORLD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    call = ["search", "rows:Row", *options, "--interactions", "1_000_000", "--out=-run", "--max-time", "0.4"]
    assert main([*call, "--quiet"]) == 23
    printed = capsys.readouterr().err
    found = re.search(r"continue with (widthwise search .*--resume)", printed)
    assert found is not None
    again = shlex.split(found[1])[1:]
    assert ("--option" in again) == ("kind=rows:Row" in options)
    assert ("--step-timeout" in again) == ("--step-timeout" in options)
    assert main([*again, "--max-time", "0.2", "--quiet"]) == 23
    assert "continue with" in capsys.readouterr().err


def test_widths_that_are_no_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "corridor", "--interactions", "100", "--widths", "1,²"]) == 2
    assert "widths" in capsys.readouterr().err
