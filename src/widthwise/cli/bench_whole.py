"""`widthwise bench classical --suite whole`: whole problems within limits, also with other planners."""

from __future__ import annotations

import argparse
import shlex

from widthwise.cli.bench import rows_of, run_suite
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted


def run_whole(args: argparse.Namespace) -> int:
    """Run the suite; results go to the run folder, progress to stderr."""
    from widthwise.experiments.limited import Limits
    from widthwise.experiments.scratch import remove_stale
    from widthwise.experiments.systems import other_system, own_system
    from widthwise.experiments.whole import KEYS, WholeSetup, jobs_of, summarize

    wall = 60.0 if args.max_time is None and args.cpu_time is None else args.max_time
    limits = Limits(wall, args.cpu_time, 2000.0 if args.max_memory is None else args.max_memory)
    if args.seeds is not None and args.seeds < 1:
        raise UsageError(f"--seeds must be a number of at least 1, not {args.seeds}")
    seeded = args.seeds is not None
    more = shlex.split(args.options)
    if args.max_nodes is not None:
        more += ["--max-nodes", str(args.max_nodes)]
    if args.relevance is not None:
        more += ["--relevance", args.relevance]
    if args.novelty not in (None, "values"):
        more += ["--novelty", args.novelty]
    planners = args.planner or ["auto"]
    if planners == ["none"]:
        planners = []
        if not args.against:
            raise UsageError("--planner none runs only other planners: name at least one with --against")
    systems = [own_system(text, limits, more, seeded=seeded) for text in planners]
    systems += [other_system(text) for text in args.against]
    setup = WholeSetup(systems, limits, list(range(args.seeds)) if seeded else [None])
    rows = rows_of(args)
    remove_stale()
    jobs = list(jobs_of(rows, setup, ship=args.workers == "ray"))
    store = run_suite(args, kind="whole", rows=rows, settings=setup.settings(), jobs=jobs, keys=KEYS)
    if store is None:
        return 130
    result = summarize([row.name for row in rows], store.lines)
    store.finish(result)
    store.close()
    print(f"{args.out}: {counted(result['problems'], 'problem')}")
    for name, counts in result["planners"].items():
        others = ", ".join(f"{count} {status}" for status, count in counts["statuses"].items() if status != "solved")
        print(f"  {name}: {counts['solved']} solved" + (f"; {others}" if others else ""))
    return 0
