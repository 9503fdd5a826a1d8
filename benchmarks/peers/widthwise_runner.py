"""Measure Widthwise: `widthwise ground`, IW(k) through the Python interface, and growth with task size.

For `growth` the two positional arguments are the name of a bundled family and a folder for its files.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Sized
from pathlib import Path
from typing import Any

from peer_measure import Quiet, Search, arguments, cpu_seconds, filled, limit_seconds, peak_mb, reset_peak

GROWTH_NODES = 1_000_000


def main() -> None:
    args = arguments()
    quiet = Quiet()
    if args.what == "ground":
        fields = _ground(args)
    elif args.what == "search":
        fields = _search(args)
    else:
        fields = _growth(args)
    quiet.report(**fields)


def _ground(args: argparse.Namespace) -> dict[str, object]:
    tool = str(Path(sys.executable).with_name("widthwise"))
    command = [tool, "ground", args.domain, args.problem, "--json"]
    start = cpu_seconds()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    cpu = cpu_seconds() - start
    result = json.loads(done.stdout)
    return {
        "parse": result["seconds"]["parse"],
        "ground": result["seconds"]["ground"],
        "command_cpu": cpu,
        "atoms": _count(result["atoms"]),
        "operators": _count(result["operators"]),
        "peak_mb": peak_mb(),
    }


def _search(args: argparse.Namespace) -> dict[str, object]:
    ww = importlib.import_module("widthwise")
    base = peak_mb()
    task = ww.load(args.domain, args.problem)
    budget = {"seconds": args.seconds}
    limit_seconds(args.seconds + 5)
    calls: list[float] = []
    fields = filled(lambda: _iw(ww, task, args.width, budget, calls))
    # What a caller waits for: the search and the making of its result.
    call = sum(calls) / len(calls)
    return fields | {"call_cpu": call, "base_mb": base}


def _growth(args: argparse.Namespace) -> dict[str, object]:
    ww = importlib.import_module("widthwise")
    family = importlib.import_module("widthwise.classical.examples").EXAMPLES[args.domain]
    folder = Path(args.problem)
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(family.domain())
    problem.write_text(family.problem(0, **args.sizes))
    task = ww.load(str(domain), str(problem))
    budget = {"nodes": GROWTH_NODES, "seconds": args.seconds}
    reset_peak()
    before = peak_mb()
    first = ww.solve(task, ww.IW(args.width), budget=ww.Budget(**budget))
    grown = (peak_mb() - before) * 2**20
    fields = filled(lambda: _iw(ww, task, args.width, budget, []))
    kept = first.generated - first.pruned
    return fields | {
        "sizes": args.sizes,
        "atoms": _count(task.atoms),
        "kept": kept,
        "grown_bytes": grown,
    }


def _iw(ww: Any, task: Any, width: int, budget: dict[str, Any], calls: list[float]) -> Search:
    start = cpu_seconds()
    result = ww.solve(task, ww.IW(width), budget=ww.Budget(**budget))
    calls.append(cpu_seconds() - start)
    status = getattr(result.status, "value", result.status)
    # What the search itself took, as the peers report it; the whole call stands beside it.
    return Search(result.generated, result.expanded, max(result.search.seconds, 1e-9), str(status))


def _count(value: int | Sized) -> int:
    return value if isinstance(value, int) else len(value)


if __name__ == "__main__":
    main()
