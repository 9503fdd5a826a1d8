"""`widthwise bench mazes` and `bench atari`: training runs of several algorithms and seeds, over processes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.common import whole_number
from widthwise.cli.train import add_evaluation, add_settings, shared_settings
from widthwise.core.showing import counted
from widthwise.online.presets import DEFAULT, FIRST
from widthwise.training.algorithm_registry import ALGORITHMS

if TYPE_CHECKING:
    from widthwise.experiments.learning_suites import Suite

_DESCRIPTION = """\
Train several algorithms with several seeds, one process per run, into DIR/runs. With --resume every
run continues from its own checkpoint. `widthwise report DIR` makes the table and the learning curves,
also while the suite is running."""

#: The default number of interactions of a run, and of seeds.
_MAZE_RUNS, _ATARI_RUNS = {"steps": 1_000_000, "seeds": 3}, {"steps": 100_000, "seeds": 1}
_MAZES = ("maze-small", "maze-large")
_GAMES = ("montezuma_revenge", "private_eye", "venture", "pong", "frostbite", "breakout")

_MAZES_EPILOG = """\
examples:
  widthwise bench mazes --interactions 1e6 --seeds 3 --out runs/mazes
  widthwise bench mazes --environments maze-large --algorithms pi-hiw --tiles 4x4,8x8 --out runs/large
  widthwise bench mazes --algorithms pi-hiw:tiles=4x4,pi-hiw:tiles=4x4:value=off --seeds 5 --out runs/value"""
_ATARI_EPILOG = """\
examples:
  widthwise bench atari --interactions 300_000 --games montezuma_revenge --out runs/montezuma
  widthwise bench atari --interactions 100_000 --seeds 1 --algorithms pi-iw,pi-hiw --out runs/atari"""


def add_suites(suites: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register both suites with `bench`."""
    mazes = _suite(suites, "mazes", "training runs in mazes, as in the paper's figure", _MAZES_EPILOG, **_MAZE_RUNS)
    mazes.add_argument("--environments", metavar="A,B", help=f"the mazes (default {','.join(_MAZES)})")
    mazes.set_defaults(run=run_mazes)
    atari = _suite(
        suites, "atari", "training runs in Atari games, compared with the paper's table", _ATARI_EPILOG, **_ATARI_RUNS
    )
    atari.add_argument("--games", metavar="A,B", help=f"the games (default {','.join(_GAMES)}), or all of the paper's")
    atari.set_defaults(run=run_atari)


def _suite(
    suites: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    what: str,
    epilog: str,
    *,
    steps: int,
    seeds: int,
) -> argparse.ArgumentParser:
    parser = suites.add_parser(
        name,
        help=what,
        description=_DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--interactions", type=whole_number, metavar="N", help=f"simulator steps of every run (default {steps:,})")
    add("--seeds", type=whole_number, metavar="N", help=f"run with the seeds 0 to N-1 (default {seeds})")
    names = ", ".join(ALGORITHMS)
    add("--algorithms", metavar="A,B", help=f"{names}; with settings as in pi-hiw:tiles=4x4:value=off")
    add("--tiles", metavar="A,B", help="run pi-hiw once with each of these tilings, such as 2x2,4x4:gray")
    add(
        "--workers",
        metavar="N|ray",
        help="processes (default: one per core), or ray: then all nodes of the cluster need access to DIR, under the "
        "same path",
    )
    add("--ray-address", metavar="A", help="the Ray cluster (default: a local one is started)")
    add(
        "--resume",
        action="store_true",
        help="continue a suite that was stopped, or extend a finished one with more --interactions",
    )
    add("--out", type=Path, required=True, metavar="DIR", help="the folder of the suite")
    add_settings(parser.add_argument_group("settings of all runs"), tiles=False)
    add_evaluation(parser.add_argument_group("evaluation"))
    return parser


def run_mazes(args: argparse.Namespace) -> int:
    """Train in mazes."""
    from widthwise.experiments.learning_suites import Suite, expand_tiles

    algorithms = expand_tiles(_list(args.algorithms) or list(ALGORITHMS), _list(args.tiles) or ["2x2", "4x4", "8x8"])
    common = _common(args, _MAZE_RUNS["steps"])
    return _run(
        args, Suite(_list(args.environments) or _MAZES, algorithms, args.seeds or _MAZE_RUNS["seeds"], common), {}
    )


def run_atari(args: argparse.Namespace) -> int:
    """Train in Atari games; the published scores go into the folder."""
    from widthwise.experiments.learning_suites import Suite, expand_tiles, paper_scores
    from widthwise.simulators.atari_games import PAPER_GAMES, ale_name

    games = list(PAPER_GAMES) if args.games == "all" else _list(args.games) or list(_GAMES)
    environments = [f"atari:{ale_name(game.removeprefix('atari:'))}" for game in games]
    algorithms = expand_tiles(_list(args.algorithms) or ["pi-iw", "pi-hiw"], _list(args.tiles))
    # An episode with the planner takes more interactions than a short run has.
    common = {"planner_episodes": 0, "network_episodes": 1, **_common(args, _ATARI_RUNS["steps"])}
    published = {name: scores for name, scores in paper_scores().items() if name in environments}
    return _run(args, Suite(environments, algorithms, args.seeds or _ATARI_RUNS["seeds"], common), published)


def _list(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _common(args: argparse.Namespace, interactions: int) -> dict[str, Any]:
    """The settings of all runs; the interval of evaluations as a number, so that a longer suite keeps it."""
    from widthwise.core import run_shapes
    from widthwise.core.run_folder import CONFIG, read_json
    from widthwise.core.shape import both, fields, whole

    wanted = args.interactions or interactions
    began = args.out / CONFIG
    known = both(run_shapes.config, fields({"settings": fields({}, {"evaluate_every": whole(0)})}))
    stored = read_json(began, known)["settings"] if args.resume and began.exists() else {}
    every = stored.get("evaluate_every", max(1, wanted // 20))
    of_first = bool(stored) and "preset" not in stored  # a suite without a preset was begun by version 0.1
    old = {"preset": FIRST, "evaluation_share": 0.0} if of_first else {"preset": DEFAULT}
    return {"interactions": wanted, "evaluate_every": every, **old, **shared_settings(args, tiles=False)}


def _run(args: argparse.Namespace, suite: Suite, published: dict[str, dict[str, float]]) -> int:
    from widthwise.cli.bench import print_changes
    from widthwise.cli.bench_progress import SuiteProgress
    from widthwise.core.provenance import describe_run
    from widthwise.experiments.learning_suites import KEYS, check, jobs_of
    from widthwise.experiments.runner import make_pool, run_jobs
    from widthwise.experiments.store import RunStore, Upgrade
    from widthwise.training.launch import need_torch
    from widthwise.training.old_keys import upgrade_suite_line, upgrade_suite_settings

    need_torch("a suite of training runs")
    runs = check(suite)
    pool = make_pool(args.workers, args.ray_address)
    config = {"kind": "learning", **describe_run(suite.settings()), "published": published}
    upgrade = Upgrade(upgrade_suite_settings, upgrade_suite_line)
    store = RunStore(args.out, config, KEYS, resume=args.resume, longer="interactions", upgrade=upgrade)
    print_changes(store.config, config)
    try:
        last = {store.key(line): line for line in store.lines}
        # A run that failed, or that is to become longer, continues from its checkpoint.
        wanted = suite.common["interactions"]
        store.done = {key for key, line in last.items() if line["failure"] is None and line["interactions"] >= wanted}
        run_jobs(store, list(jobs_of(runs, args.out)), pool, SuiteProgress(sys.stderr, args.out, runs))
        last = {store.key(line): line for line in store.lines}
        failed = sum(line["failure"] is not None for line in last.values())
        store.finish({"runs": len(runs), "failures": failed})
    except KeyboardInterrupt:
        print("stopped: repeat the command with --resume to continue; every run has its checkpoint", file=sys.stderr)
        return 130
    finally:
        store.close()
    failures = f", {failed} failed" if failed else ""
    print(f"{args.out}: {counted(len(runs), 'run')}{failures}; see widthwise report {args.out}")
    return 0
