"""The library prints nothing by itself; it logs to the logger `widthwise`, which is silent unless configured."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
from pathlib import Path

import pytest

import widthwise as ww

SOURCE = Path(ww.__file__).parent
# The command line prints. A status line prints to the stream that it is given.
PRINTS = {"core/terminal.py"}


def test_nothing_but_the_command_line_prints() -> None:
    result = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith("cli/") or name in PRINTS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                result.append(f"{name}:{node.lineno}")
    assert result == []


SCRIPT = """
import widthwise as ww
task = ww.example("blocks", blocks=5)
result = ww.solve(task, improve=True, budget=ww.Budget(seconds=0.5))
assert ww.validate(task, result)
for result_of_goal in ww.solve_each_goal(task, "ihiw"):
    assert result_of_goal.plan is not None
assert ww.OnlinePlanner("corridor", max_steps=3).run(seed=0).steps == 3
assert ww.check_simulator("corridor", seconds=0.1).ok
"""


def test_solving_and_playing_write_nothing() -> None:
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=120)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_the_logger_is_silent_by_default_and_tells_of_runs_when_asked(caplog: pytest.LogCaptureFixture) -> None:
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("widthwise").handlers)
    with caplog.at_level(logging.DEBUG, logger="widthwise"):
        ww.solve(ww.example("corridor", length=3), "ihiw")
        ww.solve(ww.example("blocks", blocks=4))
        ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=1).run(seed=0)
    texts = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    assert ("widthwise.classical.solve", "DEBUG", "solving corridor-length-3-door-0 with IHIW(1,1)") in texts
    packages = {name.split(".")[1] for name, _, _ in texts}
    assert packages >= {"classical", "task_search", "portfolio", "online"}
    assert {level for _, level, _ in texts} == {"DEBUG", "INFO"}
    assert any("<Result solved by IHIW(1,1)" in text for _, level, text in texts if level == "INFO")
    assert any("<Episode" in text for _, level, text in texts if level == "INFO")
