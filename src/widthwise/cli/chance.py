"""`--chance`: what `play`, `train` and `bench` do if steps depend on chance, and how they report it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from widthwise.cli.common import amount
from widthwise.core.errors import OutOfTime

if TYPE_CHECKING:
    from widthwise.simulators.chance import Chance, ChanceError, Mode

CHOICES = ("refuse", "foresee", "reseed")


def add_chance(group: Any) -> None:
    """The option; its default is None, which stands for `refuse` or for what a run was trained with."""
    group.add_argument(
        "--chance",
        choices=CHOICES,
        help="what to do if steps depend on chance: refuse (default; exit code 34); foresee (restore random generators "
        "with the state, so that the planner knows the random outcomes); or reseed (execute actions with new random "
        "numbers and plan again from the state that results)",
    )


#: Seconds for one call into the simulator.
STEP_TIMEOUT = 60.0


def add_step_timeout(group: Any) -> None:
    """The limit for one call into the simulator."""
    group.add_argument(
        "--step-timeout",
        type=amount,
        default=STEP_TIMEOUT,
        metavar="S",
        help="stop with exit code 23 if one call into the simulator takes longer than S seconds (default "
        f"{STEP_TIMEOUT:g})",
    )


def print_refusal(error: ChanceError | OutOfTime, environment: str) -> None:
    """Print as JSON that a run ended before it started: it was refused, or a time limit was reached."""
    result: dict[str, Any] = {"status": "refused", "env": environment, "reason": str(error)}
    result["exit_code"] = error.exit_code
    if isinstance(error, OutOfTime):
        result |= {"status": error.status, "score": 0.0, "steps": 0}
    else:
        result["chance"] = None if error.finding is None else error.finding.describe()
    print(json.dumps(result, ensure_ascii=False))


def note(finding: Chance | None, mode: str) -> str | None:
    """A line for the start of a run that depends on chance; None for the others."""
    if finding is None or finding.kind == "none":
        return None
    cost = f"checked in {finding.steps} steps, {finding.seconds:.2f} s" if finding.steps else "not checked further"
    text = f"chance: {finding.environment}: {finding} ({cost})"
    if finding.kind == "unused":
        return text
    return f"{text}; {described(mode)}"


def described(mode: str) -> str:
    """A mode of --chance in words."""
    if mode == "reseed":
        return "actions are executed with new random numbers (--chance reseed)"
    return "the planner knows the random outcomes (--chance foresee)"


def mode_of(args: argparse.Namespace) -> Mode:
    """The mode given with --chance."""
    chosen: Mode = args.chance or "refuse"
    return chosen
