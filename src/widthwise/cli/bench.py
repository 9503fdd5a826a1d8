"""`widthwise bench`: run a suite of tasks into a run folder."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

_DESCRIPTION = """\
Solve every single goal of many PDDL tasks with several planners and seeds. The results are
appended to DIR/results.jsonl as they come; a run that was stopped, or that crashed, goes on
with --resume. `widthwise report DIR` then makes the table."""

_EPILOG = """\
examples:
  widthwise bench classical --benchmarks ~/benchmarks --out runs/paper
  widthwise bench classical --suite gripper --planner iw:2 --planner ihiw:1,1 --out runs/gripper
  widthwise bench classical --domains blocks,depot --first 5 --seeds 1 --out runs/quick"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser("bench", help="run a suite of tasks", description="Run a suite of tasks.")
    suites = parser.add_subparsers(metavar="SUITE", required=True, dest="bench")
    classical = suites.add_parser(
        "classical",
        help="single goals of PDDL tasks, as in the paper's table",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = classical.add_argument
    add(
        "--benchmarks",
        type=Path,
        metavar="DIR",
        help="a folder of folders of PDDL files (default: $WIDTHWISE_BENCHMARKS)",
    )
    add(
        "--suite",
        default="paper",
        metavar="NAME",
        help="paper (default), the name of a folder, or all folders",
    )
    add("--domains", metavar="A,B", help="only these rows of the suite, by row or folder")
    add("--first", type=int, metavar="N", help="only the first N instances of each row")
    add(
        "--planner",
        action="append",
        metavar="NAME:WIDTH",
        help="a planner such as iw:2 or ihiw:1,1; repeatable (default: iw:1, iw:2 and ihiw:1,1)",
    )
    add("--seeds", type=int, default=3, metavar="N", help="run with seeds 0 to N-1 (default: 3)")
    add(
        "--relevance",
        choices=("task", "goal", "none"),
        help="leave out what cannot matter for the whole goal (task), each goal, or nothing "
        "(default: goal for auto, task for others)",
    )
    add("--max-nodes", type=int, default=10_000, metavar="N", help="generated nodes per goal (default: 10000)")
    add("--max-time", type=float, metavar="S", help="seconds per goal")
    add("--max-memory", type=float, metavar="MB", help="megabytes per goal")
    add("--workers", metavar="N|ray", help="local processes, or ray for a cluster (default: one per core)")
    add(
        "--ray-address",
        metavar="A",
        help="the cluster to use with --workers ray (default: start a local one)",
    )
    add("--resume", action="store_true", help="go on with a run that was stopped")
    add("--out", type=Path, required=True, metavar="DIR", help="the run folder")
    classical.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the suite; results go to the run folder, progress to stderr."""
    from widthwise.core.budget import Budget
    from widthwise.experiments.classical import KEYS, Setup, jobs_of
    from widthwise.experiments.progress import Progress
    from widthwise.experiments.rows import paper_table, suite_rows
    from widthwise.experiments.runner import describe_run, make_pool, run_jobs
    from widthwise.experiments.store import RunStore
    from widthwise.experiments.summary import summarize

    budget = Budget(
        nodes=args.max_nodes,
        seconds=args.max_time,
        bytes=None if args.max_memory is None else int(args.max_memory * 1e6),
    )
    planners = tuple(args.planner or Setup().planners)
    setup = Setup(planners, args.seeds, args.relevance, budget)
    told = os.environ.get("WIDTHWISE_BENCHMARKS")
    benchmarks = args.benchmarks or (Path(told) if told else None)
    domains = [name.strip() for name in args.domains.split(",") if name.strip()] if args.domains else []
    rows = suite_rows(args.suite, benchmarks, domains, args.first)
    for row in rows:
        if not row.instances:
            print(f"note: {row.name} is left out, there are no problems in {row.folder}", file=sys.stderr)
    rows = [row for row in rows if row.instances]
    settings = {
        "suite": args.suite,
        "benchmarks": None if benchmarks is None else str(benchmarks.resolve()),
        "rows": {row.name: len(row.instances) for row in rows},
        **setup.settings(),
    }
    config = {"kind": "classical", **describe_run(settings), "rows": [row.describe() for row in rows]}
    if args.suite == "paper":
        config["published"] = {"name": "paper", "rows": paper_table()}
    pool = make_pool(args.workers, args.ray_address)
    jobs = list(jobs_of(rows, setup, ship=args.workers == "ray"))
    store = RunStore.open(args.out, config, KEYS, resume=args.resume)
    try:
        run_jobs(store, jobs, pool, Progress(sys.stderr))
        result = summarize([row.name for row in rows], store.lines)
        store.finish(result)
    except KeyboardInterrupt:
        print(
            f"stopped: go on with the same command and --resume, {len(store.lines)} lines are kept",
            file=sys.stderr,
        )
        return 130
    finally:
        store.close()
    failed = f", {result['failures']} lines failed" if result["failures"] else ""
    print(f"{args.out}: {result['solved']} of {result['goals']} goals solved{failed}")
    return 0
