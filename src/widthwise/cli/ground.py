"""`widthwise ground`: read and ground a task, and show what it consists of."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING

from widthwise.cli.common import add_limits, add_task, budget_of, check_stdin, duration, stoppable
from widthwise.core.showing import counted as count

if TYPE_CHECKING:
    from widthwise.classical.task import Task

_DESCRIPTION = """\
Read a task and ground it: all atoms and operators that are reachable if delete effects are
ignored. Prints a summary, or with --json all of them by name."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "ground",
        help="show the grounded task",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_task(parser)
    add_limits(parser, nodes=False)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object: atoms, operators, goals, init (lists of names), novelty_features, seconds",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ground and print."""
    from widthwise.classical.load import load

    check_stdin(args.domain, args.problem)
    meter = budget_of(args).start()
    with stoppable(meter):
        task = load(args.domain, args.problem, meter=meter)
    if args.json:
        data = {
            "atoms": task.atoms,
            "operators": task.operators,
            "goals": [goal.name for goal in task.goals],
            "init": [task.atoms[atom] for atom in task.native.init],
            "novelty_features": task.feature_count(),
            "seconds": task.seconds,
        }
        json.dump(data, sys.stdout, indent=1)
        print()
        return 0
    for name, text in _rows(task):
        print(f"{name:<14} {text}")
    print(
        f"read in {duration(task.seconds['parse'])}, grounded in {duration(task.seconds['ground'])}, "
        f"{meter.peak_bytes / 1e6:.1f} MB",
        file=sys.stderr,
    )
    return 0


def _rows(task: Task) -> list[tuple[str, str]]:
    native = task.native
    goals = [goal.name for goal in task.goals]
    rows = [
        ("task", f"{task.name} (domain {task.domain.name})"),
        ("atoms", f"{native.atom_count:,}{_by_name(task.atoms)}"),
        ("operators", f"{native.operator_count:,}{_by_name(task.operators)}"),
    ]
    if negated := len(task.complements()):
        rows.append(
            (
                "features",
                f"{task.feature_count():,}: {count(native.atom_count, 'true atom')}, {count(negated, 'false atom')}",
            )
        )
    if native.axiom_count:
        rows.append(("axioms", f"{native.axiom_count:,}"))
    rows.append(("true at start", count(len(native.init), "atom")))
    shown = " ".join(goals[:4]) + (" ..." if len(goals) > 4 else "")
    rows.append(("goals", f"{len(goals):,}: {shown}" if goals else "0"))
    if not task.goal.reachable:
        rows.append(("note", "the goal is unreachable even if delete effects are ignored"))
    return rows


def _by_name(names: list[str]) -> str:
    """How many there are of each predicate or action."""
    counts = Counter(name[1:-1].partition(" ")[0] for name in names)
    parts = [f"{name} {number:,}" for name, number in counts.items()]
    return f" ({', '.join(parts[:8])}{', ...' if len(parts) > 8 else ''})" if parts else ""
