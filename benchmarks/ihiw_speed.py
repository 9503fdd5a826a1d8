"""How fast IHIW(1,1) generates nodes, compared with IW(1) on the same goals, and how its time is spent.

One task per row of the paper's table, from the middle of the row; every goal with 10,000 nodes. Prints and writes
`docs/results/ihiw-speed.md`. Run: `python benchmarks/ihiw_speed.py` with WIDTHWISE_BENCHMARKS set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import widthwise as ww
from page_width import wrapped
from paper_page import made_by, parsed, parser
from widthwise import _native
from widthwise.classical.collection import domain_of, problems_in
from widthwise.core.model import Model
from widthwise.task_search.ihiw import IHIW, IncrementalSearch

ROWS = {
    "Barman": "barman-sat11-strips", "Blocks World": "blocks", "Depots": "depot", "Driverlog": "driverlog",
    "Elevator": "elevators-sat08-strips", "Floortile": "floortile-sat11-strips", "Freecell": "freecell",
    "Grid": "grid", "Gripper": "gripper", "Logistics": "logistics00", "Miconic": "miconic", "Mprime": "mprime",
    "Mystery": "mystery", "NoMystery": "nomystery-sat11-strips", "OpenStacksIPC6": "openstacks-sat08-strips",
    "ParcPrinter": "parcprinter-08-strips", "Parking": "parking-sat11-strips", "Pipes-NonTan": "pipesworld-notankage",
    "Rovers": "rovers", "Satellite": "satellite", "Scanalyzer": "scanalyzer-08-strips",
    "Sokoban": "sokoban-sat08-strips", "Storage": "storage", "Tpp": "tpp", "Transport": "transport-sat08-strips",
    "Trucks": "trucks-strips", "Woodworking": "woodworking-sat08-strips", "Zeno": "zenotravel",
}  # fmt: skip
BUDGET = 10_000
MOST_GOALS = 20
FILL_SECONDS = 0.3  # each goal set is repeated until it has taken this long


class Timed:
    """A native search that notes how long each of its methods takes."""

    def __init__(self, search: _native.Search, seconds: dict[str, float]) -> None:
        self._search = search
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._search, name)
        if not callable(value):
            return value

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return value(*args, **kwargs)
            finally:
                self._seconds[name] = self._seconds.get(name, 0.0) + time.process_time() - start

        return timed


def measure(models: list[Callable[[], Model]], run: Callable[[Model], int]) -> float:
    """Nodes per second of CPU over all goals, repeated until there is something to measure."""
    nodes, spent = 0, 0.0
    while spent < FILL_SECONDS:
        for make in models:
            model = make()
            start = time.process_time()
            nodes += run(model)
            spent += time.process_time() - start
    return nodes / spent


def row(name: str, problem: Path) -> str:
    task = ww.load(domain_of(problem), problem).restricted()
    operators = task.ordered(None)
    goals = [goal for goal in task.goals if goal.reachable][:MOST_GOALS]

    def model(goal: ww.Goal) -> Callable[[], Model]:
        return lambda: Model(operators, list(goal.positive), list(goal.negative), _native.Meter(), BUDGET)

    models = [model(goal) for goal in goals]
    flat = measure(models, lambda item: ww.IW(1).run(item).generated)
    incremental = measure(models, lambda item: IHIW().run(item).generated)
    seconds: dict[str, float] = {}

    def timed(item: Model) -> int:
        search = IncrementalSearch(IHIW(), item)
        search.search = Timed(search.search, seconds)  # type: ignore[assignment]
        return search.run().generated

    measure(models, timed)
    own = seconds.get("resume", 0.0)
    more = seconds.get("restructure", 0.0) + seconds.get("discover", 0.0)
    share = f"{more / own:.2f}" if own else "-"
    return (
        f"| {name} | {problem.stem} | {task.native.atom_count} | {len(goals)} | {incremental / 1e6:.2f} | "
        f"{flat / 1e6:.1f} | {incremental / flat:.2f} | {share} |"
    )


def main() -> None:
    args = parsed(parser(__doc__, "docs/results/ihiw-speed.md"))
    lines = [
        "# Speed of IHIW(1,1) compared with IW(1)",
        "",
        f"`python benchmarks/ihiw_speed.py`, {made_by()}, {os.cpu_count()} cores. "
        f"One task from the middle of each row, up to {MOST_GOALS} goals, {BUDGET} nodes each, "
        "relevance against the whole goal; millions of generated nodes per second of CPU, including everything that a "
        "planner does (set-up, discovery, restructuring, rebuilding tables). The last column is the time of discovery "
        "and restructuring (tables rebuilt included) over the time of the searches.",
        "",
        "| row | task | atoms | goals | IHIW(1,1) M/s | IW(1) M/s | ratio | restructuring / search |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, folder in ROWS.items():
        problems = problems_in(Path(args.benchmarks) / folder)
        line = row(name, problems[len(problems) // 2])
        print(line, flush=True)
        lines.append(line)
    Path(args.out).write_text(wrapped("\n".join(lines) + "\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
