"""Planning in the mazes without any learning: RIW, CRIW and HIW over tile sizes, budgets and seeds.

python benchmarks/mazes.py [--run FOLDER] [--workers N] [--quick] [--out docs/results/mazes-planning.md]

Lines go to runs/mazes-planning/results.jsonl as episodes end; the same call continues an interrupted run. The report
and its plots are written from those lines. Needs matplotlib for the plots.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import widthwise as ww
from widthwise.experiments.jobs import Job, Outcome, Part
from widthwise.experiments.pool import LocalPool
from widthwise.experiments.progress import RowProgress
from widthwise.experiments.runner import run_jobs

sys.path.insert(0, str(Path(__file__).resolve().parent))  # workers import this file by its name

from resumable_run import report, resumable_run

MAZES = ("maze-small", "maze-large")
BUDGETS = (30, 100, 300)
NODES = (500, 2000)  # kept in the tree; 500 is the paper's
KEYS = ("row", "instance", "planner", "seed")
#: Planner and features: what the flat ones look at, or what the upper level of HIW looks at (cells below).
PLANNERS = (
    "RIW(1) cells",
    "CRIW(1) cells",
    "RIW(1) 2x2",
    "CRIW(1) 2x2",
    "HIW(1,1) 2x2",
    "RIW(1) 4x4",
    "CRIW(1) 4x4",
    "HIW(1,1) 4x4",
)


def agent_of(maze: str, planner: str, budget: int, nodes: int) -> ww.OnlinePlanner:
    """The agent that a planner's name stands for."""
    kind, _, what = planner.partition(" ")
    features: Any = ww.Cells() if what == "cells" else ww.Tiles(*map(int, what.split("x")))
    plan: Any
    if kind.startswith("HIW"):
        plan = ww.HIW(features, high=ww.CountRolloutIW(1), low=ww.RolloutIW(1))
        features = ww.Cells()
    else:
        plan = ww.RolloutIW(1) if kind.startswith("RIW") else ww.CountRolloutIW(1)
    limits = ww.Budget(steps=budget, nodes=nodes)
    return ww.OnlinePlanner(ww.simulator(maze), plan, features=features, budget=limits, keep_observations=False)


def prepare(payload: Mapping[str, Any]) -> Callable[[Part], Outcome]:
    """A worker's job: the episodes of one agent, seed by seed."""
    agent = agent_of(payload["maze"], payload["planner"], payload["budget"], payload["nodes"])

    def play(part: Part) -> Outcome:
        episode = agent.run(part["seed"])
        return {
            "score": episode.score,
            "steps": episode.steps,
            "interactions": episode.interactions,
            "restores": episode.restores,
            "high_level_states": max((sum(record.high_level_states) for record in episode.records), default=0),
            "seconds": episode.seconds,
        }

    return play


def jobs_of(seeds: int) -> list[Job]:
    """All episodes, one job per agent; larger budgets take longer."""
    return [
        Job(
            "mazes:prepare",
            {"maze": maze, "planner": planner, "budget": budget, "nodes": nodes},
            [
                {"row": maze, "instance": f"{budget} steps, {nodes} nodes", "planner": planner, "seed": seed}
                for seed in range(seeds)
            ],
            weight=budget**0.5 * (3 if maze == "maze-large" else 1),
        )
        for maze in MAZES
        for nodes in NODES
        for budget in BUDGETS
        for planner in PLANNERS
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/mazes-planning"), help="the run folder")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--quick", action="store_true", help="two seeds instead of ten")
    parser.add_argument("--out", type=Path, help="write the report here, and its plots beside it")
    options = parser.parse_args(arguments)
    seeds = 2 if options.quick else 10
    settings = {"seeds": seeds, "nodes": NODES, "budgets": BUDGETS, "planners": PLANNERS}
    with resumable_run(options.run, settings, KEYS, arguments) as (store, _):
        run_jobs(store, jobs_of(seeds), LocalPool(options.workers), RowProgress(sys.stderr))
    if options.out:
        from mazes_report import write_report

        report(options.out, options.run, store, write_report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
