"""How wide are the goals that a run of the suite left open? A profile of each, as a table in Markdown.

widthwise bench classical --suite paper --planner auto --seeds 1 --max-nodes 100000 --out runs/auto-100k
python benchmarks/open_goals.py runs/auto-100k --nodes 1000000

What came of it stands in docs/results/single-goals.md.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from pathlib import Path

import widthwise as ww
from widthwise.classical.collection import domain_of
from widthwise.classical.profile import GoalProfile, profile


def open_goals(run: Path) -> list[tuple[str, str, str, str]]:
    """The goals that no line of the run solved, as (row, folder, instance, goal)."""
    met: Counter[tuple[str, str, str, str]] = Counter()
    for text in (run / "results.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["failure"] is None:
            for goal, status in zip(line["goal"], line["status"], strict=True):
                met[line["row"], line["folder"], line["instance"], goal] += status == ww.Status.SOLVED
    return sorted(goal for goal, solved in met.items() if not solved)


def table_line(row: str, instance: str, expected: GoalProfile) -> str:
    """A line of the table."""
    tried = ", ".join(f"{attempt.planner} {attempt.status} {attempt.generated:,}" for attempt in expected.attempts)
    by = expected.solved_by or "-"
    length = "-" if expected.plan is None else str(len(expected.plan))
    return f"| {row} | {instance} | {expected.goal} | {expected.width} | {by} | {length} | {tried} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("run", type=Path, metavar="RUN", help="a folder of `widthwise bench classical`")
    parser.add_argument("--benchmarks", type=Path, default=os.environ.get("WIDTHWISE_BENCHMARKS"), metavar="DIR")
    parser.add_argument("--nodes", type=int, default=1_000_000, help="of every search (default: 1000000)")
    parser.add_argument("--megabytes", type=int, default=3000, help="of every search (default: 3000)")
    args = parser.parse_args()
    if args.benchmarks is None:
        parser.error("give --benchmarks DIR or set WIDTHWISE_BENCHMARKS")
    print("| row | instance | goal | width | solved by | plan | searches |\n|---|---|---|--:|---|--:|---|")
    for row, folder, instance, name in open_goals(args.run):
        problem = args.benchmarks / folder / f"{instance}.pddl"
        task = ww.load(domain_of(problem), problem)
        goal = next(goal for goal in task.goals if goal.name == name)
        budget = ww.Budget(nodes=args.nodes, bytes=args.megabytes * 1_000_000)
        print(table_line(row, instance, next(profile(task, [goal], budget=budget))), flush=True)


if __name__ == "__main__":
    main()
