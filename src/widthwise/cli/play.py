"""`widthwise play`: an episode in a simulator with planning before every action, with a view, a record or a video."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.chance import add_chance, add_step_timeout, described, note, print_refusal
from widthwise.cli.check_env import add_options, options_of
from widthwise.cli.common import amount, check_target, check_video_names, duration, seed, whole_number
from widthwise.cli.play_options import FEATURES, planning_agent, policy_agent, title
from widthwise.cli.train import add_preset
from widthwise.core.errors import OutOfTime, OutputError, SimulatorError, UsageError, WidthwiseError
from widthwise.core.showing import counted as count
from widthwise.online.planner_registry import LEVEL_PLANNERS, SIMULATOR_PLANNERS
from widthwise.online.presets import DEFAULT
from widthwise.version import __version__

if TYPE_CHECKING:
    from widthwise._native import Watchdog
    from widthwise.cli.play_watch import EpisodeWatch
    from widthwise.online.acting import OnlinePlanner
    from widthwise.online.episode import Episode, StepRecord
    from widthwise.simulator_search.tree import Tree

#: The hint after an episode with score 0.
NO_SCORE = (
    "hint: the score is 0; try a larger --budget or --nodes, another --planner, other --tiles or --low-features "
    "(docs/guide/choosing.md)"
)

_DESCRIPTION = """\
Play one episode in a simulator. Before every action the planner uses a budget of simulator steps;
the subtree below the executed action is kept. On a terminal a view of the maze, or a table of the
actions, is updated at every step; otherwise one line per step is written to stderr."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE (your own maze), atari:GAME, the id of
a Gymnasium environment, or module:attribute.

examples:
  widthwise play maze-small --delay 0.1
  widthwise play maze-large --gif maze.gif
  widthwise play maze-small --explore page.html
  widthwise play maze-small --planner criw --low-features cells+key
  widthwise play maze-small --preset paper --seed 2
  widthwise play maze-small --policy runs/small --gif learned.gif
  widthwise play atari:montezuma_revenge --width n,1 --tiles 8x11 --values 32 \\
      --budget 200 --nodes 5000 --max-steps 60 --record episode.jsonl --gif episode.gif

docs/guide/choosing.md explains how to choose the planner, the features and the budget.

exit codes: 0 the episode ended or --max-steps was reached; 12 the --goal-score was not reached;
23 --max-time was reached; 130 Ctrl-C (the steps so far are saved); 1 a file could not be written
(the result is printed); 31 bad input; 34 unsupported input; 2 wrong usage"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "play",
        help="plan and act in a simulator, with a live view, a recording or a video",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("env", metavar="ENV", help="the simulator")
    group = parser.add_argument_group("planning")
    group.add_argument(
        "--planner",
        choices=SIMULATOR_PLANNERS,
        help="the planner (default: chosen for ENV); bfs is iw with width n",
    )
    add_preset(group)
    group.add_argument(
        "--width",
        metavar="W",
        help="the width of each level, high level first: 1, 2 or n, as in 1,1 or n,1 (default: the preset's)",
    )
    group.add_argument(
        "--high-planner",
        choices=LEVEL_PLANNERS,
        help="the planner of the upper levels of hiw (default criw)",
    )
    group.add_argument(
        "--low-planner",
        choices=LEVEL_PLANNERS,
        help="the planner of the lowest level of hiw (default riw)",
    )
    group.add_argument(
        "--tiles",
        action="append",
        metavar="WxH",
        help="high-level features: the image in WxH tiles; give it once per upper level, highest level first "
        "(default: the preset's)",
    )
    group.add_argument(
        "--high-features",
        action="append",
        metavar="WHAT",
        help="high-level features, as for --low-features; give it once per upper level, highest level first",
    )
    group.add_argument(
        "--values", type=whole_number, metavar="V", help="number of values of a tile, 2 to 256 (default 256)"
    )
    group.add_argument(
        "--low-features",
        metavar="WHAT",
        help=f"features of the lowest level: {FEATURES} (default: the environment's own)",
    )
    group.add_argument(
        "--budget",
        type=whole_number,
        metavar="N",
        help="simulator steps per action (default: chosen for ENV, or the policy's)",
    )
    group.add_argument(
        "--nodes",
        type=whole_number,
        metavar="N",
        help="maximum number of nodes in the tree (default: chosen for ENV, or the policy's)",
    )
    group.add_argument(
        "--life-penalty",
        type=float,
        metavar="X",
        help="the amount that planning subtracts from the return of a step that loses a life "
        "(default: chosen for ENV; Atari games 10000)",
    )
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of planning, as behaviour=counts"
    )
    group.add_argument(
        "--policy", type=Path, metavar="RUN", help="act with the policy that `train` learned in the run folder RUN"
    )
    group.add_argument(
        "--trust",
        action="store_true",
        help="with --policy: allow importing and running the code that the settings in RUN name",
    )
    group.add_argument(
        "--network-only", action="store_true", help="with --policy: act with the network, without search"
    )
    group.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="seed of the planner and the simulator (default 0)"
    )
    add_options(group)
    add_chance(group)
    group = parser.add_argument_group("limits")
    group.add_argument("--max-steps", type=whole_number, metavar="N", help="execute at most N actions")
    group.add_argument("--max-time", type=amount, metavar="S", help="stop after S seconds")
    add_step_timeout(group)
    group.add_argument("--goal-score", type=float, metavar="R", help="exit code 12 if the score stays below R")
    group = parser.add_argument_group("output")
    group.add_argument(
        "--record", type=Path, metavar="FILE", help="write the episode as JSON lines (compressed if FILE ends in .gz)"
    )
    group.add_argument(
        "--gif", type=Path, metavar="FILE", help="write a video of the episode and the search tree as an animated GIF"
    )
    group.add_argument("--mp4", type=Path, metavar="FILE", help="write the same video as MP4")
    group.add_argument(
        "--explore",
        type=Path,
        metavar="FILE",
        help="write a page for the browser: for every step its tree, the states in it, and how the action was chosen",
    )
    group.add_argument(
        "--every", type=whole_number, default=1, metavar="N", help="show only every Nth step in the video"
    )
    group.add_argument(
        "--delay", type=amount, default=0.0, metavar="S", help="on a terminal, show every step for S seconds"
    )
    group.add_argument("--json", action="store_true", help="print the result as JSON")
    group.add_argument("--quiet", action="store_true", help="show the result only")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play, print the result, and return the exit code."""
    from widthwise.core.watchdog import watching

    until = None if args.max_time is None else time.perf_counter() + args.max_time
    with watching(args.step_timeout, max_time=args.max_time, exit_code=23) as watchdog:
        return _run(args, until, watchdog)


def _run(args: argparse.Namespace, until: float | None, watchdog: Watchdog | None) -> int:
    from widthwise.cli.play_watch import EpisodeWatch
    from widthwise.simulators.chance import ChanceError

    for path in (args.record, args.explore):
        if path is not None:
            check_target(path)
    check_video_names(args)
    options = options_of(args)
    if watchdog is not None:
        watchdog.prepare(args.env, _late(args, 0.0, 0)[1], "", "", "")
    try:
        agent = _agent(args, options)
    except (ChanceError, OutOfTime) as error:
        if args.json:
            print_refusal(error, args.env)
        raise
    agent.max_steps = args.max_steps
    header: dict[str, Any] = {
        "kind": "header",
        "env": args.env,
        "options": {name: repr(value) for name, value in options.items()},
        "planner": title(args, agent),
        "levels": repr(agent.planner),
        "low_features": args.low_features,
        "budget": {"steps": agent.budget.steps, "nodes": agent.budget.nodes},
        "preset": None if args.policy is not None else args.preset or DEFAULT,
        "settings": args.set,
        "max_steps": args.max_steps,
        "seed": args.seed,
        "chance": agent.luck.mode,
        "version": __version__,
    }
    if args.policy is not None:
        header |= {"policy": str(args.policy), "network_only": args.network_only}
    if args.record is not None:
        from widthwise.core.provenance import describe_run

        origin = describe_run({}, ["widthwise", *sys.argv[1:]])
        header |= {name: origin[name] for name in ("command", "commit", "versions", "machine")}
    with EpisodeWatch(args, agent, header) as watch:
        clock = agent.recorder = _Clock(agent, watch, until, watchdog)
        fault: WidthwiseError | None = None
        replayed = _replayed(agent)
        try:
            _say_chance(args, agent)
            replayed = _replayed(agent)
            clock.limit(steps=0)
            episode = agent.run(args.seed, on_interrupt="return")
        except (SimulatorError, ChanceError, OutOfTime) as error:  # what was played so far is kept
            episode, fault = agent.episode, error
        late = clock.late and not episode.terminated
        result = _result(agent, header, late, _replayed(agent) - replayed, fault)
        if result["status"] != "refused" or episode.steps:
            watch.end(episode, result)
    if args.json:
        print(json.dumps(result, ensure_ascii=False))
    elif result["status"] != "refused" or episode.steps:
        print(_text(result))
    for failure in watch.failures:
        print(f"widthwise: {failure}", file=sys.stderr)
    if fault is not None:
        raise fault
    if watch.failures and not episode.interrupted:
        return OutputError.exit_code
    if episode.advice is not None and args.policy is None and not args.json:
        print(NO_SCORE, file=sys.stderr)
    if episode.terminated and not episode.steps:
        print("note: the episode ended at reset, before the first action", file=sys.stderr)
    return _exit_code(episode, late, args.goal_score)


def _agent(args: argparse.Namespace, options: dict[str, Any]) -> OnlinePlanner:
    """The agent that the options describe."""
    if args.policy is not None:
        return policy_agent(args, options)
    if args.network_only:
        raise UsageError("--network-only needs --policy RUN")
    return planning_agent(args, options, keep_observations=_filmed(args))


def _say_chance(args: argparse.Namespace, agent: OnlinePlanner) -> None:
    """Check for chance before the first episode, and print the result."""
    if args.network_only:
        return  # it does not plan
    text = note(agent.luck.check(args.seed), agent.luck.mode)
    if text is not None and not args.quiet:
        print(text, file=sys.stderr)


def _filmed(args: argparse.Namespace) -> bool:
    """Whether observations are kept, for pictures of states."""
    return args.gif is not None or args.mp4 is not None or args.explore is not None


def _replayed(agent: OnlinePlanner) -> int:
    """The steps taken so far to return to snapshots, where states are restored by replaying actions."""
    steps: int = getattr(agent.simulator, "replayed_steps", 0)
    return steps


class _Clock:
    """Passes every step on, and ends the episode when the time limit is reached."""

    def __init__(
        self, agent: OnlinePlanner, watch: EpisodeWatch, until: float | None, watchdog: Watchdog | None = None
    ) -> None:
        self.agent, self.watch, self.until, self.watchdog = agent, watch, until, watchdog
        self.late = False
        self._prepare()

    def __call__(self, tree: Tree, record: StepRecord) -> None:
        """A step was taken."""
        self.watch.step(tree, record)
        self._prepare()
        self.limit(steps=self.agent.episode.steps + 1)

    def limit(self, steps: int) -> None:
        """Let the agent plan for as long as the time limit allows, or end the episode after this many steps."""
        if self.until is None:
            return
        left = self.until - time.perf_counter()
        if left > 0:
            self.agent.budget = replace(self.agent.budget, seconds=left)
        else:
            self.late = True
            self.agent.max_steps = steps

    def _prepare(self) -> None:
        """Prepare what is written if the process has to end while the simulator hangs."""
        if self.watchdog is None:
            return
        watch = self.watch
        result, shown = _late(watch.args, watch.score, watch.steps)
        record = watch.record if watch.record is not None and watch.record.path.suffix != ".gz" else None
        files = ("", "", "")
        if record is not None:
            files = (str(record.draft), json.dumps({"kind": "result", **result}) + "\n", str(record.path))
        self.watchdog.prepare(watch.args.env, shown, *files)


def _late(args: argparse.Namespace, score: float, steps: int) -> tuple[dict[str, Any], str]:
    """The result of an episode that is cut off by the watchdog, and the line that is printed for it."""
    result = {"status": "out-of-time", "env": args.env, "seed": args.seed, "score": score, "steps": steps}
    text = json.dumps(result) if args.json else f"out-of-time: score {score:g} after {count(steps, 'step')}"
    return result, text + "\n"


def _result(
    agent: OnlinePlanner, header: dict[str, Any], late: bool, replayed: int, fault: WidthwiseError | None = None
) -> dict[str, Any]:
    from widthwise.simulators.chance import ChanceError

    episode, finding = agent.episode, agent.luck.finding
    ended = "interrupted" if episode.interrupted else "ended" if episode.terminated else "stopped"
    if fault is not None:
        ended = "failed"
        ended = "out-of-time" if isinstance(fault, OutOfTime) else ended
        ended = "refused" if isinstance(fault, ChanceError) else ended
    return {
        "status": "out-of-time" if late else ended,
        **({} if fault is None else {"reason": str(fault)}),
        "env": header["env"],
        "planner": header["planner"],
        "seed": header["seed"],
        "score": episode.score,
        "steps": episode.steps,
        "interactions": episode.interactions,
        "restores": episode.restores,
        "replayed_steps": replayed,
        "high_level_states": max((sum(record.high_level_states) for record in episode.records), default=0),
        "seconds": episode.seconds,
        "chance": {"mode": agent.luck.mode, **(finding.describe() if finding is not None else {})},
        "as_planned": sum(record.as_planned is True for record in episode.records) if agent.luck.fresh else None,
        "actions": episode.actions,
        "rewards": episode.rewards,
    }


def _text(result: dict[str, Any]) -> str:
    known = result["high_level_states"]
    hierarchy = f", at most {count(known, 'high-level state')} in the tree" if known else ""
    replayed = f" ({count(result['replayed_steps'], 'step')} replayed for restores)" if result["replayed_steps"] else ""
    chance = ""
    if result["chance"].get("stochastic"):
        chance = f"\nchance: {described(result['chance']['mode'])}"
    if result["as_planned"] is not None:
        chance += f"; {result['as_planned']} of {count(result['steps'], 'step')} had the planned result"
    return (
        f"{result['status']}: score {result['score']:g} after {count(result['steps'], 'step')}, "
        f"by {result['planner']}\n"
        f"{count(result['interactions'], 'interaction')} with the simulator, "
        f"{count(result['restores'], 'restore')}{replayed}{hierarchy}; {duration(result['seconds'])}{chance}"
    )


def _exit_code(episode: Episode, late: bool, goal: float | None) -> int:
    if episode.interrupted:
        return 130
    if goal is not None and episode.score >= goal:
        return 0
    if late:
        return 23
    return 0 if goal is None else 12
