"""The target `command`: damaged files through the command line, which ends with a documented exit code."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
from pathlib import Path

from fuzzing.cases import Case, write_case
from fuzzing.reading import generate_plan
from fuzzing.tasks import PLANNERS, texts

#: Solved, unsolvable, not solved, out of memory, out of time, bad input, unsupported, wrong usage.
EXIT_CODES = frozenset({0, 2, 11, 12, 22, 23, 31, 34})
LIMITS = ["--max-time", "5", "--max-memory", "100"]


def generate(rng: random.Random) -> Case:
    """Files and a command line for them; `{}` stands for the folder with the files."""
    task = ["{}/domain.pddl", "{}/problem.pddl"]
    if rng.random() < 0.2:
        return {**generate_plan(rng), "arguments.json": json.dumps(["validate", *task, "{}/plan.txt"]).encode()}
    domain, problem = texts(rng, damaged=0.6)
    arguments = ["solve", *task, "--planner", rng.choice(PLANNERS), "--max-nodes", "2000"]
    kind = rng.random()
    if kind < 0.15:
        arguments = ["ground", *task, *rng.choice(([], ["--json"]))]
    elif kind < 0.3:
        arguments += ["--each-goal", *rng.choice(([], ["--json"]))]
    elif kind < 0.4:
        arguments = ["profile", *task, "--max-nodes", "300"]
    elif kind < 0.6:
        arguments += ["--json"]
    return {
        "domain.pddl": domain,
        "problem.pddl": problem,
        "arguments.json": json.dumps([*arguments, *LIMITS]).encode(),
    }


def check_case(case: Case) -> str:
    """Run a command in this process; the outcome is the exit code."""
    from widthwise.cli.main import main

    said, printed = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as name:
        folder = write_case(Path(name), case)
        arguments = [word.replace("{}", str(folder)) for word in json.loads(case["arguments.json"])]
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            try:
                code = main(arguments)
            except SystemExit as end:  # what argparse raises
                code = end.code if isinstance(end.code, int) else 1
    if code not in EXIT_CODES and not (arguments[0] == "validate" and code == 1):
        raise AssertionError(f"exit code {code}: {said.getvalue()}")
    if code in (2, 31, 34) and not said.getvalue().strip():
        raise AssertionError(f"no message for exit code {code}")
    if "--json" in arguments and code in (0, 11, 12):
        json.loads(printed.getvalue())
    return f"exit {code}"
