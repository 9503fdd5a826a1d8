"""`widthwise bench`: run a suite of tasks into a run folder."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.common import add_novelty
from widthwise.cli.parser import Parser
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.experiments.jobs import Job
    from widthwise.experiments.rows import Row
    from widthwise.experiments.store import RunStore

from widthwise.cli import bench_learning

_DESCRIPTION = """\
Solve many PDDL tasks with several planners. The suites `paper`, `all` and the name of a
folder solve every goal of a task separately. The suite `whole` solves whole problems, each
in a separate process with a time and a memory limit. Results are appended to
DIR/results.jsonl as they arrive. --resume continues a run that was stopped or that
crashed. `widthwise report DIR` prints the table."""

_EPILOG = """\
examples:
  widthwise bench classical --benchmarks ~/benchmarks --out runs/paper
  widthwise bench classical --suite gripper --planner iw:2 --planner ihiw:1,1 --out runs/gripper
  widthwise bench classical --domains blocks,depot --first 5 --seeds 1 --out runs/quick
  widthwise bench classical --suite whole --planner auto --cpu-time 10 --out runs/whole
  widthwise bench classical --suite whole --benchmarks my-tasks --max-time 60 --out runs/mine \\
      --against 'lama=fast-downward.py --alias lama-first --plan-file {plan} {domain} {problem}'"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser("bench", help="run a suite of tasks", description="Run a suite of tasks.")
    suites = parser.add_subparsers(metavar="SUITE", required=True, dest="bench")
    classical = suites.add_parser(
        "classical",
        help="PDDL tasks: single goals, as in the paper's table, or whole problems",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = classical.add_argument
    add(
        "--benchmarks",
        type=Path,
        metavar="DIR",
        help="a folder of PDDL files, or a folder of such folders (default: $WIDTHWISE_BENCHMARKS)",
    )
    add(
        "--suite",
        default="paper",
        metavar="NAME",
        help="paper (default), whole, the name of a folder, or all folders",
    )
    add("--domains", metavar="A,B", help="only these rows of the suite, named by row or by folder")
    add("--first", type=int, metavar="N", help="only the first N instances of each row")
    add("--instances", metavar="3,10,20", help="only these instances of each row, counted from 1")
    add(
        "--planner",
        action="append",
        metavar="NAME:WIDTH",
        help="a planner such as iw:2, ihiw:1,1 or auto; may be repeated (default: iw:1, iw:2 and ihiw:1,1). With "
        "--suite whole the default is auto, and none runs only the planners given with --against",
    )
    add(
        "--seeds",
        type=int,
        metavar="N",
        help="run with the seeds 0 to N-1 (default: 3; --suite whole: one run without a seed)",
    )
    add(
        "--relevance",
        choices=("task", "goal", "none"),
        help="drop what is irrelevant to the whole goal (task) or to the goal being solved (goal), or drop nothing "
        "(none); default: goal for auto, task for the others",
    )
    add_novelty(classical)
    classical.set_defaults(novelty=None)  # a suite that is resumed has its own
    add("--max-nodes", type=int, metavar="N", help="generated nodes per goal (default: 10000; --suite whole: no limit)")
    add(
        "--max-time",
        type=float,
        metavar="S",
        help="seconds per goal (default: no limit; --suite whole: 60 per problem)",
    )
    add(
        "--max-memory",
        type=float,
        metavar="MB",
        help="megabytes per goal (default: no limit; --suite whole: 2000 per problem)",
    )
    add(
        "--workers",
        metavar="N|ray",
        help="number of local processes, or ray for a cluster (default: one process per core)",
    )
    add(
        "--ray-address",
        metavar="A",
        help="the cluster to use with --workers ray (default: start a local one)",
    )
    add("--resume", action="store_true", help="continue a run that was stopped")
    add("--out", type=Path, required=True, metavar="DIR", help="the run folder")
    whole = classical.add_argument_group("only for --suite whole")
    whole.add_argument(
        "--cpu-time", type=float, metavar="S", help="CPU seconds per problem, reading and grounding included"
    )
    whole.add_argument(
        "--options", metavar="TEXT", default="", help="more options for `widthwise solve`, as one argument: '--seed 1'"
    )
    if isinstance(classical, Parser):
        classical.any_value.add("--options")
    whole.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="also run another planner; its command contains {domain}, {problem} and {plan}; may be repeated",
    )
    classical.set_defaults(run=run)
    bench_learning.add_suites(suites)


def run(args: argparse.Namespace) -> int:
    """Run the suite; results go to the run folder, progress to stderr."""
    if args.suite == "whole":
        from widthwise.cli.bench_whole import run_whole

        return run_whole(args)
    for name, value in (("--cpu-time", args.cpu_time), ("--options", args.options), ("--against", args.against)):
        if value:
            raise UsageError(f"{name} needs --suite whole")
    return _single_goals(args)


def _single_goals(args: argparse.Namespace) -> int:
    from widthwise.core.budget import Budget
    from widthwise.experiments.classical import KEYS, Setup, jobs_of, novelty_of, upgrade_settings
    from widthwise.experiments.rows import paper_table
    from widthwise.experiments.summary import summarize

    budget = Budget(
        nodes=10_000 if args.max_nodes is None else args.max_nodes,
        seconds=args.max_time,
        bytes=None if args.max_memory is None else int(args.max_memory * 1e6),
    )
    planners = tuple(args.planner or Setup().planners)
    novelty = args.novelty or (novelty_of(args.out) if args.resume else Setup().novelty)
    setup = Setup(planners, 3 if args.seeds is None else args.seeds, args.relevance, budget, novelty)
    rows = rows_of(args)
    more = {"published": {"name": "paper", "rows": paper_table()}} if args.suite == "paper" else {}
    jobs = list(jobs_of(rows, setup, ship=args.workers == "ray"))
    store = run_suite(
        args,
        kind="classical",
        rows=rows,
        settings=setup.settings(),
        jobs=jobs,
        keys=KEYS,
        more=more,
        upgrade=upgrade_settings,
    )
    if store is None:
        return 130
    result = summarize([row.name for row in rows], store.lines)
    store.finish(result)
    store.close()
    failed = f", {counted(result['failures'], 'line')} failed" if result["failures"] else ""
    print(f"{args.out}: {result['solved']:,} of {counted(result['goals'], 'goal')} solved{failed}")
    return 0


def benchmarks_of(args: argparse.Namespace) -> Path | None:
    """Where the tasks are."""
    variable = os.environ.get("WIDTHWISE_BENCHMARKS")
    folder: Path | None = args.benchmarks or (Path(variable) if variable else None)
    return folder


def rows_of(args: argparse.Namespace) -> list[Row]:
    """The rows to run; prints a note for each row without instances."""
    from widthwise.experiments.rows import suite_rows

    domains = [name.strip() for name in args.domains.split(",") if name.strip()] if args.domains else []
    numbers = [_place(text) for text in args.instances.split(",")] if args.instances else []
    rows = suite_rows(args.suite, benchmarks_of(args), domains, args.first, numbers)
    for row in rows:
        if not row.instances:
            print(f"note: the row {row.name} is skipped: {row.folder} contains none of its problems", file=sys.stderr)
    return [row for row in rows if row.instances]


def _place(text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise UsageError(
            f"--instances: {text.strip()!r} is not a whole number; write instances as 3,10,20, counted from 1"
        )
    return int(text)


def print_changes(began: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Print how the program that resumes a suite differs from the one that started it."""
    from widthwise.core.continuing import differences_since
    from widthwise.core.provenance import changes_since

    part = "run" if now["kind"] == "learning" else "line"
    for change in changes_since(began, now):
        print(
            f"note: this run was started by another version: {change}. Every {part} records the version that wrote it",
            file=sys.stderr,
        )
    writer = began.get("versions", {}).get("widthwise", "")
    for sentence in differences_since(now["kind"], writer):
        print(f"note: since {writer}: {sentence}", file=sys.stderr)


def run_suite(
    args: argparse.Namespace,
    *,
    kind: str,
    rows: Sequence[Row],
    settings: Mapping[str, Any],
    jobs: Iterable[Job],
    keys: Sequence[str],
    more: Mapping[str, Any] | None = None,
    upgrade: Callable[[Mapping[str, Any]], dict[str, Any]] = dict,
) -> RunStore | None:
    """Run what is missing of a suite. Returns the open run folder with all its lines, or None if it was stopped.

    `upgrade` turns the settings of earlier versions into today's.
    """
    from widthwise.core.provenance import describe_run, stamp_of
    from widthwise.experiments.progress import RowProgress
    from widthwise.experiments.runner import make_pool, run_jobs
    from widthwise.experiments.store import RunStore, Upgrade

    benchmarks = benchmarks_of(args)
    settings = {
        "suite": args.suite,
        "benchmarks": None if benchmarks is None else str(benchmarks.resolve()),
        "rows": {row.name: len(row.instances) for row in rows},
        **settings,
    }
    config = {"kind": kind, **describe_run(settings), "rows": [row.describe() for row in rows], **(more or {})}
    pool = make_pool(args.workers, args.ray_address)
    store = RunStore(args.out, config, keys, resume=args.resume, upgrade=Upgrade(upgrade))
    print_changes(store.config, config)
    try:
        run_jobs(store, jobs, pool, RowProgress(sys.stderr), stamp_of(config))
    except KeyboardInterrupt:
        saved = counted(len(store.lines), "line is", "lines are")
        print(f"stopped: {saved} saved; repeat the command with --resume to continue", file=sys.stderr)
        store.close()
        return None
    except BaseException:
        store.close()
        raise
    return store
