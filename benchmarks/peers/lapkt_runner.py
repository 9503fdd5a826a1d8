"""Measure lapkt's IW(k) search; its front end is tarski with clingo, which has a runner of its own.

`IW_Planner` runs every width up to its bound and prints its counts. `generated` there are the kept nodes
of all widths, `pruned` the pruned ones of the last width, and successors that were met before are in
neither: the counts of the last width are taken apart here, the missing successors are added by the report.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import Any

from peer_measure import Quiet, Search, arguments, cpu_seconds, filled, limit_seconds, peak_mb


def main() -> None:
    args = arguments()
    quiet = Quiet()
    planner_class = importlib.import_module("lapkt.planner").IW_Planner
    front_end = importlib.import_module("lapkt.pddl.tarski")
    base = peak_mb()
    start = cpu_seconds()
    planner = planner_class()
    planner.log_filename = planner.plan_filename = os.devnull
    front_end.ground_generate_task(args.domain, args.problem, planner)
    planner.setup(True)
    fields: dict[str, object] = {
        "load": cpu_seconds() - start,
        "atoms": planner.num_atoms(),
        "operators": planner.num_actions(),
        "base_mb": base,
    }
    if args.what == "search":
        limit_seconds(args.seconds + 5)
        fields |= _width(planner, quiet, args.width)
    else:
        fields["peak_mb"] = peak_mb()
    quiet.report(**fields)


def _width(planner: Any, quiet: Quiet, width: int) -> dict[str, object]:
    below = Search(0, 0, 0.0, "")
    for bound in range(1, width):
        kept = filled(lambda bound=bound: _iw(planner, quiet, bound, pruned=False))  # type: ignore[misc]
        numbers = [float(str(kept[name])) for name in ("generated", "expanded", "seconds")]
        below = Search(round(numbers[0]), round(numbers[1]), numbers[2], "")

    def run() -> Search:
        both = _iw(planner, quiet, width, pruned=True)
        return Search(
            both.generated - below.generated,
            both.expanded - below.expanded,
            max(both.seconds - below.seconds, 1e-9),
            both.status,
        )

    return filled(run)


def _iw(planner: Any, quiet: Quiet, bound: int, *, pruned: bool) -> Search:
    planner.iw_bound = bound
    quiet.printed()
    planner.solve()
    text = quiet.printed()
    generated = _last(r"Nodes generated during search: (\d+)", text)
    if pruned:
        generated += _last(r"Nodes pruned by bound: (\d+)", text)
    expanded = _last(r"Nodes expanded during search: (\d+)", text)
    status = "exhausted" if "NOT I-REACHABLE" in text else "solved"
    return Search(round(generated), round(expanded), _last(r"Total time: ([\d.e+-]+)", text), status)


def _last(pattern: str, text: str) -> float:
    return float(re.findall(pattern, text)[-1])


if __name__ == "__main__":
    main()
