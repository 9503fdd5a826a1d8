"""What earns its place in the schedule for single goals: choices x rows of the paper's table, on a sample of goals.

`python benchmarks/single_goals.py --goals 20` prints a Markdown table and, below it, the goals that the schedule leaves
open with what is known of their width. Needs WIDTHWISE_BENCHMARKS or --benchmarks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import widthwise as ww
from widthwise.classical.profile import GoalProfile, profile
from widthwise.experiments.classical import load_instance
from widthwise.experiments.rows import Instance, paper_rows, paper_table
from widthwise.portfolio.registry import Planner
from widthwise.portfolio.schedule import Turn
from widthwise.portfolio.single_goal import SingleGoal
from widthwise.task_search.guided import Guided


def schedule(*turns: tuple[Planner, float]) -> SingleGoal:
    """A schedule of other turns."""
    return SingleGoal(tuple(Turn(planner, share, "to compare") for planner, share in turns))


CHOICES: dict[str, Planner] = {
    "IW(1)": ww.IW(1),
    "IW(2)": ww.IW(2),
    "IHIW(1,1)": ww.IHIW(),
    "IHIW(2,1)": ww.IHIW(high=ww.IW(2)),
    "IW(1), IHIW, IW(2)": schedule((ww.IW(1), 1), (ww.IHIW(stuck="stop"), 1), (ww.IW(2), 1)),
    "the same by turns": schedule((ww.IW(1), 0.3), (ww.IHIW(), 0.2), (ww.IW(2), 0.3)),
    "guided": Guided(),
    "guided, no novelty": Guided(novelty=False),
    "guided, patience 50": Guided(patience=50),
    "guided, patience 1000": Guided(patience=1000),
    "auto, guided 40%": schedule((ww.IW(1), 0.1), (Guided(), 0.4), (ww.IW(2), 0.3), (ww.IHIW(), 0.2)),
    "auto": SingleGoal(),
}


@dataclass(frozen=True, slots=True)
class Job:
    """Some goals of one instance."""

    row: str
    instance: Instance
    goals: Sequence[int]  # empty: all
    choices: Sequence[str]
    nodes: int
    seeds: int
    widest: int  # nodes per search for what the schedule leaves open; 0: do not look


@dataclass(frozen=True, slots=True)
class Done:
    """One goal: by choice, how many seeds solved it and the nodes of each that did."""

    row: str
    goal: str
    solved: dict[str, list[int]]
    open: GoalProfile | None


def work(job: Job) -> list[Done]:
    """Solve the goals of a job with every choice and seed."""
    task = load_instance(job.instance, ww.Budget())
    actual = []
    for number, goal in enumerate(task.goals):
        if number not in job.goals:
            continue
        solved: dict[str, list[int]] = {}
        small = task.restricted(goal) if goal.reachable else task
        wanted = small.renumbered(goal) if goal.reachable else goal
        for choice in job.choices:
            results = [
                ww.solve(
                    small,
                    CHOICES[choice],
                    budget=ww.Budget(nodes=job.nodes),
                    seed=seed,
                    goal=wanted,
                    relevance="none",
                )
                for seed in range(job.seeds)
            ]
            solved[choice] = [result.generated for result in results if result.status is ww.Status.SOLVED]
        left = None
        if job.widest and not solved.get("auto", [0]):
            first = ww.Budget(nodes=job.widest, bytes=3_000_000_000)
            left = next(profile(task, [goal], budget=first))
        actual.append(Done(job.row, f"{job.instance.name} {goal.name}", solved, left))
    return actual


def sample(counts: Sequence[int], wanted: int) -> list[list[int]]:
    """Goals spread evenly over instances with so many goals each: per instance, which."""
    places = [(instance, goal) for instance, count in enumerate(counts) for goal in range(count)]
    chosen = places
    if len(places) > wanted:
        chosen = [places[int((n + 0.5) * len(places) / wanted)] for n in range(wanted)]
    result: list[list[int]] = [[] for _ in counts]
    for instance, goal in chosen:
        result[instance].append(goal)
    return result


def count_goals(instance: Instance) -> int:
    """How many goals an instance has; none if it cannot be read."""
    try:
        return len(load_instance(instance, ww.Budget()).goals)
    except ww.WidthwiseError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--benchmarks", default=os.environ.get("WIDTHWISE_BENCHMARKS"))
    parser.add_argument("--rows", help="only these, by name, with commas between")
    parser.add_argument("--choices", help="only these, with semicolons between")
    parser.add_argument("--goals", type=int, default=20, help="goals per row, spread evenly")
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--widest", type=int, default=0, help="look for the width of open goals with so many nodes")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    if not args.benchmarks:
        sys.exit("give --benchmarks DIR or set WIDTHWISE_BENCHMARKS")
    choices = args.choices.split(";") if args.choices else list(CHOICES)
    rows = [row for row in paper_rows(Path(args.benchmarks)) if not args.rows or row.name in args.rows.split(",")]
    published = paper_table()
    print("| row | goals | paper's best | " + " | ".join(choices) + " |")
    print("|---|--:|--:|" + "--:|" * len(choices))
    means: dict[str, list[float]] = defaultdict(list)
    left: list[Done] = []
    with ProcessPoolExecutor(args.workers) as pool:
        for row in rows:
            goals = sample(list(pool.map(count_goals, row.instances)), args.goals)
            jobs = [
                Job(row.name, instance, chosen, choices, args.nodes, args.seeds, args.widest)
                for instance, chosen in zip(row.instances, goals, strict=True)
                if chosen
            ]
            done = [item for items in pool.map(work, jobs) for item in items]
            best = max(item["coverage"] or 0.0 for item in published[row.name].values())
            cells = []
            for choice in choices:
                share = 100 * sum(len(item.solved[choice]) for item in done) / len(done) / args.seeds
                means[choice].append(share)
                nodes = [count for item in done for count in item.solved[choice]]
                cells.append(f"{share:.1f} ({fmean(nodes):.0f})" if nodes else f"{share:.1f}")
            print(f"| {row.name} | {len(done)} | {best:.1f} | " + " | ".join(cells) + " |", flush=True)
            left += [item for item in done if item.open is not None]
    print("| mean of rows | | | " + " | ".join(f"{fmean(means[choice]):.1f}" for choice in choices) + " |")
    if args.widest:
        print("\n| left open by auto | width | solved by | nodes | plan | ladder |\n|---|--:|---|--:|--:|---|")
    for item in left:
        assert item.open is not None
        tried = ", ".join(f"{attempt.planner} {attempt.status} {attempt.generated}" for attempt in item.open.attempts)
        by = item.open.solved_by or str(item.open.status)
        length = "-" if item.open.plan is None else str(len(item.open.plan))
        width = item.open.width
        print(f"| {item.row} {item.goal} | {width} | {by} | {item.open.generated} | {length} | {tried} |")


if __name__ == "__main__":
    main()
