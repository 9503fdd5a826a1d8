"""`widthwise search`: one long search in an environment, without acting; the result is the best trajectory."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from widthwise.cli.chance import CHOICES, add_step_timeout, mode_of, print_refusal
from widthwise.cli.check_env import add_options, options_of
from widthwise.cli.common import amount, check_video_names, duration, seed, whole_number
from widthwise.cli.signals import stopping
from widthwise.cli.trajectory_film import add_video_options, film_trajectory, save_videos
from widthwise.core.errors import OutOfTime, UsageError
from widthwise.core.showing import counted
from widthwise.core.terminal import StatusLine

if TYPE_CHECKING:
    from widthwise.exploration.search_run import ExplorationRun, SearchResult
    from widthwise.simulator_search.archive_search import ArchiveSearch
    from widthwise.simulator_search.driver import FeatureFunction

_DESCRIPTION = """\
Search an environment for the trajectory with the highest score. No action is executed before the
search ends: it keeps an archive of high-level states, each with a saved state of the simulator,
chooses rarely visited states and explores from them. The best trajectory is replayed from a reset before it
is reported, and saved in the run folder as soon as it is found."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE, atari:GAME, the id of a Gymnasium environment,
or module:attribute.

examples:
  widthwise search corridor --interactions 3_000
  widthwise search maze-small --interactions 20_000 --out runs/way
  widthwise search maze-small --interactions 20_000 --gif way.gif
  widthwise search atari:venture --interactions 20_000 --out runs/venture
  widthwise search atari:venture --interactions 100_000 --out runs/venture --resume

exit codes: 0 a trajectory was found that has a positive score or ends an episode of costs; 12 none was found;
23 --max-time (the best trajectory so far is printed); 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (a checkpoint
is written first); 31 bad input; 34 unsupported input; 2 wrong usage"""

_PIPE_SECONDS = 10.0
_TERMINAL_SECONDS = 0.2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "search",
        help="search an environment for the best trajectory, without acting",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("env", metavar="ENV", help="the environment")
    add("--interactions", type=whole_number, required=True, metavar="N", help="simulator steps of the whole search")
    add("--seed", type=seed, default=0, metavar="N", help="seed of the search and of the reset (default 0)")
    add("--out", type=Path, metavar="DIR", help="the run folder: checkpoints, progress, the best trajectory so far")
    add("--resume", action="store_true", help="continue the search in DIR; a larger --interactions makes it longer")
    add_options(parser)
    add("--max-time", type=amount, metavar="S", help="stop after S seconds with the best trajectory so far")
    add("--json", action="store_true", help="print the result as JSON")
    add("--quiet", action="store_true", help="show the result only")
    add(
        "--chance",
        choices=CHOICES[:2],
        help="if steps depend on chance: refuse (default; exit code 34) or foresee (the search knows the random "
        "outcomes)",
    )
    add_step_timeout(parser)
    add_video_options(parser)
    group = parser.add_argument_group("the search")
    group.add_argument(
        "--tiles",
        action="append",
        metavar="WxH[:V]",
        help="tiles of the image for the archive, V values each (default 8); once per level, highest level first "
        "(default: chosen for the environment)",
    )
    group.add_argument("--rollout", type=whole_number, metavar="N", help="steps per visit (default 27)")
    group.add_argument(
        "--hold", type=amount, metavar="X", help="mean number of steps for which an action is repeated (default 5)"
    )
    group.add_argument(
        "--widths",
        metavar="W,...",
        help="widths at which rollouts are pruned, tried in this order: 1, 2, n, or all for no pruning (default all)",
    )
    group.add_argument("--no-improve", action="store_true", help="keep the first path to a high-level state")
    group.add_argument(
        "--no-through", action="store_true", help="end a rollout when it reaches a known high-level state"
    )
    group.add_argument("--no-gains", action="store_true", help="do not distinguish states by what was gained so far")
    group.add_argument(
        "--no-scenes", action="store_true", help="do not distinguish scenes, images of which most is the same"
    )
    group.add_argument(
        "--survive",
        type=whole_number,
        metavar="N",
        help="keep a state only if no life is lost within N steps after it (default 4)",
    )
    group.add_argument("--no-survive", action="store_true", help="keep states shortly before a lost life too")
    group.add_argument(
        "--restart",
        type=whole_number,
        metavar="N",
        help="begin again with an empty archive after N interactions without a higher gain, after 2N in the second "
        "attempt, and so on (default 100,000; 0: never)",
    )
    group.add_argument("--no-shared-counts", action="store_true", help="count the visits of every gain separately")
    group.add_argument(
        "--no-count-steps", action="store_true", help="count every visit as one, however many steps it took"
    )
    group.add_argument("--archive-memory", type=float, metavar="MB", help="maximum size of the archive (default 1000)")
    group.add_argument("--no-lives", action="store_true", help="continue a rollout when a life is lost")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Search, print the result, and return the exit code."""
    from widthwise.core.watchdog import watching
    from widthwise.exploration.search import begin_search
    from widthwise.exploration.search_run import SearchListener
    from widthwise.simulators.chance import ChanceError

    check_video_names(args)
    view = SearchView(quiet=args.quiet)
    with watching(args.step_timeout, exit_code=23) as watch:
        if watch is not None:
            watch.prepare(args.env, "", "", "", "", _advice(args))
        try:
            search = begin_search(
                args.env,
                args.interactions,
                seed=args.seed,
                features=_features(args),
                planner=_planner(args),
                out=args.out,
                resume=args.resume,
                max_seconds=args.max_time,
                chance=mode_of(args),
                options=options_of(args),
                listener=SearchListener(improved=view.improved, moved=view.moved, say=view.say),
            )
        except (ChanceError, OutOfTime) as error:
            if args.json:
                print_refusal(error, args.env)
            raise
        view.begin(search)
        return _finish(args, search, view)


def _finish(args: argparse.Namespace, search: ExplorationRun, view: SearchView) -> int:
    def stop() -> None:
        search.stopping = True

    try:
        with stopping(stop):
            result = search.run()
    finally:
        view.status.clear()
        if search.folder is not None:
            search.folder.close()
    print(json.dumps(result.describe(), ensure_ascii=False) if args.json else text(args.env, result))
    if result.actions and (args.gif is not None or args.mp4 is not None):
        save_videos(args, film_trajectory(search.search.simulator, args.seed, result.actions, args.env))
    if search.stopping:
        if args.out is not None:
            print(f"stopped: {_advice(args)}", file=sys.stderr)
        return 130
    if not result.finished:
        return 23
    return 12 if result.score is None else 0


def _advice(args: argparse.Namespace) -> str:
    if args.out is None:
        return ""
    return f"continue with widthwise search {args.env} --interactions {args.interactions} --out {args.out} --resume"


def _planner(args: argparse.Namespace) -> ArchiveSearch:
    from widthwise.simulator_search.archive_search import ArchiveSearch

    given = {
        "rollout": args.rollout,
        "hold": args.hold,
        "widths": None if args.widths is None else _widths(args.widths),
        "improve": False if args.no_improve else None,
        "through": False if args.no_through else None,
        "lives": False if args.no_lives else None,
        "survive": 0 if args.no_survive else args.survive,
        "gains": False if args.no_gains else None,
        "scenes": False if args.no_scenes else None,
        "shared_counts": False if args.no_shared_counts else None,
        "count_steps": False if args.no_count_steps else None,
        "restart": args.restart,
        "memory_mb": args.archive_memory,
    }
    return ArchiveSearch(**{name: value for name, value in given.items() if value is not None})


def _widths(text: str) -> tuple[int | str, ...]:
    return tuple(int(part) if part.strip().isdigit() else part.strip() for part in text.split(","))


def _features(args: argparse.Namespace) -> list[FeatureFunction] | None:
    if not args.tiles:
        return None
    from widthwise.online.defaults import default_features
    from widthwise.simulators.features import Tiles
    from widthwise.simulators.names import simulator

    levels: list[FeatureFunction] = []
    for level in args.tiles:
        grid, _, values = level.partition(":")
        try:
            width, height = (int(part) for part in grid.split("x"))
            levels.append(Tiles(width, height, int(values or 8)))
        except ValueError:
            raise UsageError(f"--tiles {level}: write WxH or WxH:V, such as 11x8 or 16x12:8") from None
    return [*levels, default_features(simulator(args.env, **options_of(args)))[0]]


def text(environment: str, result: SearchResult) -> str:
    """The result for people."""
    states = ", ".join(f"{count:,}" for count in result.high_level_states)
    took = (
        f"{counted(result.interactions, 'interaction')}, {duration(result.seconds)}; high-level states: {states} "
        f"({result.features})"
    )
    if result.score is None:
        return f"{environment}: no trajectory was found that has a positive score or ends an episode of costs\n{took}"
    end = ", the episode ends there" if result.ended else ""
    return (
        f"{environment}: score {result.score:g} in {counted(result.steps, 'step')}{end}; found after "
        f"{counted(result.found_at, 'interaction')}, replayed from a reset\n{took}"
    )


class SearchView:
    """Shows a search on stderr: a status line on a terminal, a line now and then in a pipe."""

    def __init__(self, *, quiet: bool) -> None:
        self.status, self.quiet = StatusLine(sys.stderr), quiet
        self.pause = _TERMINAL_SECONDS if self.status.live else _PIPE_SECONDS
        self.shown = time.monotonic()

    def begin(self, run: ExplorationRun) -> None:
        """Show what the archive distinguishes states by."""
        if not self.quiet:
            self.say(f"features: {run.features}")

    def improved(self, run: ExplorationRun) -> None:
        """Show a better trajectory; the line stays."""
        best = run.search.best
        if not self.quiet and best is not None:
            self.say(f"{run.interactions:>9,} interactions: score {best.score:g} in {counted(best.steps, 'step')}")

    def moved(self, run: ExplorationRun) -> None:
        """Show where the search is, if it was not shown just now."""
        now = time.monotonic()
        if self.quiet or now - self.shown < self.pause:
            return
        self.shown = now
        best = "none" if run.search.best is None else f"{run.search.best.score:g}"
        states = "+".join(f"{count:,}" for count in run.search.archive.regions)
        line = f"{run.interactions:,} of {run.limit:,} interactions, best score {best}, high-level states {states}"
        if self.status.live:
            self.status.show(line)
        else:
            self.say(line)

    def say(self, text: str) -> None:
        """A line that stays."""
        self.status.print(text)
