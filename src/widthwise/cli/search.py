"""`widthwise search`: one long search in an environment, without acting; the result is the best trajectory."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from widthwise.cli.chance import CHOICES, STEP_TIMEOUT, add_step_timeout, print_refusal
from widthwise.cli.check_env import add_options, option_text, options_of
from widthwise.cli.common import amount, check_video_names, seed, whole_number
from widthwise.cli.search_view import SearchView, shown
from widthwise.cli.signals import stopping
from widthwise.cli.trajectory_film import add_video_options, film_trajectory, save_videos
from widthwise.core.errors import OutOfTime

if TYPE_CHECKING:
    from widthwise._native import Watchdog
    from widthwise.exploration.search_run import ExplorationRun, SearchResult

Returned = TypeVar("Returned")

_DESCRIPTION = """\
Search an environment for the trajectory with the highest score. No action is executed before the
search ends: it keeps an archive of high-level states, each with a saved state of the simulator,
chooses rarely visited states and explores from them. The best trajectory is replayed from a reset before it
is reported. The run folder has the best trajectory so far."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE, atari:GAME, the id of a Gymnasium environment,
or module:attribute.

examples:
  widthwise search corridor --interactions 3_000
  widthwise search maze-small --interactions 20_000 --out runs/way
  widthwise search maze-small --interactions 20_000 --gif way.gif
  widthwise search atari:venture --interactions 20_000 --out runs/venture
  widthwise search atari:venture --interactions 100_000 --out runs/venture --resume
  widthwise search maze-small --interactions 20_000 --policy runs/small

exit codes: 0 a trajectory was found that has a positive score or ends an episode of costs; 12 none was found;
23 --max-time (the best trajectory so far is printed); 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (a checkpoint
is written first); 31 bad input; 34 unsupported input; 2 wrong usage"""

#: Seconds after --max-time in which the rollout in hand and the replay of its trajectory may end by themselves.
_SLACK = 1.0
#: The hint after a search without a result.
_NOTHING = (
    "hint: try more --interactions or, where observations are images, other --tiles; docs/guide/search.md says which "
    "trajectories are reported"
)


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
    add("--seed", type=seed, metavar="N", help="seed of the search and of the reset (default 0)")
    add("--out", type=Path, metavar="DIR", help="the run folder: checkpoints, progress, the best trajectory so far")
    add(
        "--resume",
        action="store_true",
        help="continue the search in DIR with its settings; a larger --interactions makes it longer",
    )
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
        "--through",
        action=argparse.BooleanOptionalAction,
        help="continue a rollout that reaches a known high-level state, or end it there (default: end it where these "
        "are single situations, as in MiniGrid)",
    )
    group.add_argument("--no-gains", action="store_true", help="do not distinguish states by what was gained so far")
    group.add_argument(
        "--no-scenes", action="store_true", help="do not distinguish scenes, images of which most is the same"
    )
    group.add_argument(
        "--no-lowest",
        action="store_true",
        help="do not distinguish the values of the lowest features that the environment declares, such as the cells of "
        "a maze",
    )
    survive = group.add_mutually_exclusive_group()
    survive.add_argument(
        "--survive",
        type=whole_number,
        metavar="N",
        help="keep a state only if no life is lost within N steps after it (default 4)",
    )
    survive.add_argument("--no-survive", action="store_true", help="keep states shortly before a lost life too")
    group.add_argument(
        "--restart",
        type=_number_or_zero,
        metavar="N",
        help="begin again with an empty archive after N interactions without a higher gain, after 2N in the second "
        "attempt, and so on (default 100,000; 0: never)",
    )
    group.add_argument("--no-shared-counts", action="store_true", help="count the visits of every gain separately")
    group.add_argument(
        "--no-count-steps", action="store_true", help="count every visit as one, however many steps it took"
    )
    group.add_argument(
        "--policy",
        type=Path,
        metavar="RUN",
        help="follow the network of a training run in half of the visits; the options of the environment are those of "
        "the run",
    )
    group.add_argument(
        "--follow", type=float, metavar="X", help="with --policy: the share of visits that follow it (default 0.5)"
    )
    group.add_argument("--archive-memory", type=float, metavar="MB", help="maximum size of the archive (default 1000)")
    group.add_argument("--no-lives", action="store_true", help="continue a rollout when a life is lost")
    parser.set_defaults(run=run)


def _number_or_zero(text: str) -> int:
    """An option's value that is a whole number, 0 included."""
    return 0 if text == "0" else whole_number(text)


def run(args: argparse.Namespace) -> int:
    """Search, print the result, and return the exit code."""
    from widthwise.core.watchdog import watching

    check_video_names(args)
    with watching(args.step_timeout, max_time=args.max_time, slack=_SLACK, exit_code=23) as watch:
        search, view = _begin(args, watch)
        _limited(args, search, view, watch, search.explore)
    with watching(args.step_timeout, exit_code=23) as watch:  # the time limit is for the search
        result = _limited(args, search, view, watch, search.finish)
    if search.folder is not None:
        search.folder.close()
    print(shown(args, result))
    if args.gif is not None or args.mp4 is not None:
        with watching(args.step_timeout, exit_code=23):
            _save_videos(args, search, result)
    if search.stopping or not result.finished:
        if args.out is not None:
            print(f"stopped: {_advice(args)}", file=sys.stderr)
        return 130 if search.stopping else 23
    if result.score is None and not (args.json or args.quiet):
        print(_NOTHING, file=sys.stderr)
    return 12 if result.score is None else 0


def _begin(args: argparse.Namespace, watch: Watchdog | None) -> tuple[ExplorationRun, SearchView]:
    """The search, begun or continued, and what shows its progress."""
    from widthwise.exploration.search import begin_search
    from widthwise.exploration.search_run import SearchListener
    from widthwise.simulators.chance import ChanceError

    view = SearchView(quiet=args.quiet)

    def improved(run: ExplorationRun) -> None:
        view.improved(run)
        _prepare(args, run, watch)

    if watch is not None:
        watch.prepare(args.env, "", "", "", "")
    try:
        search = begin_search(
            args.env,
            args.interactions,
            seed=args.seed,
            tiles=args.tiles,
            planner=_planner(args),
            out=args.out,
            resume=args.resume,
            max_seconds=args.max_time,
            chance=args.chance,
            options=options_of(args) or None,
            policy=args.policy,
            listener=SearchListener(improved=improved, moved=view.moved, say=view.say),
        )
    except (ChanceError, OutOfTime) as error:
        if args.json:
            print_refusal(error, args.env)
        raise
    view.begin(search)
    return search, view


def _prepare(args: argparse.Namespace, search: ExplorationRun, watch: Watchdog | None) -> None:
    """Prepare what is printed if the process has to end while the simulator hangs."""
    if watch is not None:
        watch.prepare(args.env, shown(args, search.replayed()) + "\n", "", "", "", _advice(args))


def _limited(
    args: argparse.Namespace,
    search: ExplorationRun,
    view: SearchView,
    watch: Watchdog | None,
    part: Callable[[], Returned],
) -> Returned:
    """Run a part of the search; if a call of the simulator does not return, print the best trajectory before it."""

    def stop() -> None:
        search.stopping = True

    _prepare(args, search, watch)
    try:
        with stopping(stop):
            return part()
    except BaseException as error:
        if search.folder is not None:
            search.folder.close()
        if not isinstance(error, OutOfTime):
            raise
        view.status.clear()
        print(shown(args, search.replayed()))
        again = f"\n  from the last checkpoint: {_advice(args)}" if args.out is not None else ""
        raise OutOfTime(f"{error}{again}") from None
    finally:
        view.status.clear()


def _save_videos(args: argparse.Namespace, search: ExplorationRun, result: SearchResult) -> None:
    from widthwise.core.contract import guarded, innermost

    if not result.actions:
        print("no video was written, because there is no trajectory", file=sys.stderr)
        return
    simulator = guarded(innermost(search.search.simulator))  # with the limits of this moment
    save_videos(args, film_trajectory(simulator, search.search.seed, result.actions, args.env))


def _advice(args: argparse.Namespace) -> str:
    """How to continue; the folder has all settings but these."""
    from widthwise.training.trust import code_named

    if args.out is None:
        return ""
    out = [f"--out={args.out}"] if str(args.out).startswith("-") else ["--out", str(args.out)]
    call = ["widthwise", "search", args.env, "--interactions", str(args.interactions), *out]
    if code_named({"options": options_of(args)}):  # code that a folder names is not run unless it is given again
        for name, value in args.option:
            call += ["--option", option_text(name, value)]
        call += [] if args.actions is None else ["--actions", args.actions]
    if args.step_timeout != STEP_TIMEOUT:
        call += ["--step-timeout", f"{args.step_timeout:g}"]
    return f"continue with {shlex.join(call)} --resume"


def _planner(args: argparse.Namespace) -> dict[str, Any]:
    """The settings of the planner that were given."""
    given = {
        "rollout": args.rollout,
        "hold": args.hold,
        "widths": None if args.widths is None else _widths(args.widths),
        "improve": False if args.no_improve else None,
        "through": args.through,
        "lives": False if args.no_lives else None,
        "survive": 0 if args.no_survive else args.survive,
        "gains": False if args.no_gains else None,
        "scenes": False if args.no_scenes else None,
        "lowest": False if args.no_lowest else None,
        "shared_counts": False if args.no_shared_counts else None,
        "count_steps": False if args.no_count_steps else None,
        "restart": args.restart,
        "follow": args.follow,
        "memory_mb": args.archive_memory,
    }
    return {name: value for name, value in given.items() if value is not None}


def _widths(text: str) -> tuple[int | str, ...]:
    return tuple(int(part) if part.strip().isdecimal() else part.strip() for part in text.split(","))
