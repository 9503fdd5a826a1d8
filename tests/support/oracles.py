"""Programs of others that judge plans and tasks: VAL, unified-planning's validator, Fast Downward's search.

None of them is needed to run the tests; a test that misses its oracle is skipped and says how to get it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NO_VAL = "VAL is not there: make val, or set WIDTHWISE_VAL to its program Validate"
NO_FAST_DOWNWARD = "Fast Downward is not there: pip install up-fast-downward, or put fast-downward on PATH"


class NoOpinion(Exception):
    """An oracle does not support, or does not understand, what it was asked."""


def find_val() -> Path | None:
    """VAL's program for plans: named by WIDTHWISE_VAL, on PATH, or built by `make val`."""
    named = os.environ.get("WIDTHWISE_VAL")
    if named:
        return Path(named)
    for name in ("Validate", "validate"):
        path = shutil.which(name)
        if path:
            return Path(path)
    built = ROOT / "build" / "val" / "bin" / "Validate"
    return built if built.exists() else None


def find_fast_downward() -> list[str] | None:
    """The command of Fast Downward: on PATH, or from the package up-fast-downward."""
    path = shutil.which("fast-downward") or shutil.which("fast-downward.py")
    if path:
        return [path]
    package = importlib.util.find_spec("up_fast_downward")
    if package is None or package.origin is None:
        return None
    return [sys.executable, str(Path(package.origin).parent / "downward" / "fast-downward.py")]


def val_accepts(val: Path, domain: Path, problem: Path, steps: Sequence[str]) -> bool:
    """Whether VAL calls a plan valid."""
    plan = problem.with_name("plan-for-val.txt")
    plan.write_text("".join(f"{step}\n" for step in steps), encoding="utf-8")
    done = subprocess.run(
        [str(val), str(domain), str(problem), str(plan)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=300,
    )
    if "Plan valid" in done.stdout:
        return True
    if re.search(r"Plan failed|Goal not satisfied|Plan invalid", done.stdout):
        return False
    raise NoOpinion(done.stdout[-2000:] + done.stderr[-500:])


def fast_downward_finds_plan(command: Sequence[str], domain: Path, problem: Path, folder: Path) -> bool:
    """Whether Fast Downward's blind search finds a plan; it looks at every state before it says no."""
    arguments = ["--sas-file", str(folder / "out.sas"), "--plan-file", str(folder / "sas_plan")]
    arguments += [str(domain), str(problem), "--search", "astar(blind())"]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, errors="replace", check=False, cwd=folder, timeout=300
    )
    if done.returncode == 0:
        return True
    if done.returncode in (10, 11):  # proved by the translator, proved by the search
        return False
    raise NoOpinion(f"exit code {done.returncode}: {done.stdout[-1500:]}{done.stderr[-500:]}")


class UnifiedPlanning:
    """unified-planning's reader and its validator of sequential plans, for one task."""

    def __init__(self, domain: Path, problem: Path) -> None:
        from pyparsing import ParseBaseException
        from unified_planning.exceptions import UPException
        from unified_planning.io import PDDLReader
        from unified_planning.shortcuts import get_environment

        get_environment().credits_stream = None
        self.reader: Any = PDDLReader()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.problem: Any = self.reader.parse_problem(str(domain), str(problem))
        except (UPException, ParseBaseException, AssertionError, NotImplementedError, SyntaxError) as error:
            raise NoOpinion(f"{type(error).__name__}: {error}") from None

    def accepts(self, steps: Sequence[str]) -> bool:
        """Whether it calls a plan valid."""
        from unified_planning.engines import SequentialPlanValidator
        from unified_planning.engines.results import ValidationResultStatus
        from unified_planning.exceptions import UPException

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plan = self.reader.parse_plan_string(self.problem, "".join(f"{step}\n" for step in steps))
                validator: Any = SequentialPlanValidator()
                if not validator.supports(self.problem.kind):
                    raise NoOpinion(f"not supported: {self.problem.kind}")
                result = validator.validate(self.problem, plan)
        except (UPException, AssertionError, NotImplementedError) as error:
            raise NoOpinion(f"{type(error).__name__}: {error}") from None
        return bool(result.status == ValidationResultStatus.VALID)
