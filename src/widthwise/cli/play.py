"""`widthwise play`: an episode in a simulator, planned before every step, watched, recorded and filmed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.chance import add_chance, add_step_timeout, described, note, print_refusal
from widthwise.cli.check_env import option
from widthwise.cli.common import amount, check_target, duration, seed, whole_number
from widthwise.cli.play_options import FEATURES, PLANNERS, planning_agent, policy_agent, title
from widthwise.cli.train import add_preset
from widthwise.core.errors import OutOfTime, OutputError, SimulatorError, UsageError, WidthwiseError
from widthwise.core.showing import counted as count
from widthwise.online.presets import DEFAULT
from widthwise.version import __version__

if TYPE_CHECKING:
    from widthwise._native import Watchdog
    from widthwise.cli.play_watch import EpisodeWatch
    from widthwise.online.acting import Episode, OnlinePlanner, StepRecord
    from widthwise.simulator_search.tree import Tree

#: What to say after an episode without a score.
NO_SCORE = (
    "hint: the score is 0; try a larger --budget or --nodes, another --planner, other --tiles or --low-features "
    "(docs/guide/choosing.md)"
)

_DESCRIPTION = """\
Play one episode in a simulator: plan with a budget of simulator steps, act, keep the part of the
tree that is still ahead, and so on until the episode ends. On a terminal the maze (or the
figures) are shown as it goes; in a pipe there is one line per step on stderr."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE (a maze of your own), atari:GAME, the id of
a Gymnasium environment, or module:attribute.

examples:
  widthwise play maze-small --delay 0.1
  widthwise play maze-large --gif maze.gif
  widthwise play maze-small --planner criw --low-features cells+key
  widthwise play maze-small --preset paper --seed 2
  widthwise play maze-small --policy runs/small --gif learned.gif
  widthwise play atari:montezuma_revenge --width n,1 --tiles 8x11 --values 32 \\
      --budget 200 --nodes 5000 --max-steps 60 --record episode.jsonl --gif episode.gif

docs/guide/choosing.md helps to choose the planner, the features and the budget.

exit codes: 0 the episode ran to its end or to --max-steps; 12 the --goal-score was not reached;
23 --max-time ended it; 130 Ctrl-C (what was played so far is saved); 1 a file could not
be written (the result is printed); 31, 34, 2 as always"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "play",
        help="plan and act in a simulator, with a live view, a record or a film",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("env", metavar="ENV", help="the simulator")
    group = parser.add_argument_group("planning")
    group.add_argument(
        "--planner", choices=PLANNERS, help="the planner (default: what suits ENV); bfs is iw with the width n"
    )
    add_preset(group)
    group.add_argument(
        "--width", metavar="W", help="its widths, high level first: 1, 2 or n, as in 1,1 or n,1 (default: the preset's)"
    )
    group.add_argument(
        "--high-planner",
        choices=[name for name in PLANNERS if "hiw" not in name],
        help="what hiw searches with above (default criw)",
    )
    group.add_argument(
        "--low-planner",
        choices=[name for name in PLANNERS if "hiw" not in name],
        help="what hiw searches with inside high-level states (default riw)",
    )
    group.add_argument(
        "--tiles",
        action="append",
        metavar="WxH",
        help="high-level features: the image in WxH tiles; once per level above the lowest, highest first "
        "(default: the preset's)",
    )
    group.add_argument(
        "--high-features",
        action="append",
        metavar="WHAT",
        help="high-level features, as for --low-features; once per level above the lowest, highest first",
    )
    group.add_argument("--values", type=whole_number, metavar="V", help="values of a tile, 2 to 256 (default 256)")
    group.add_argument(
        "--low-features",
        metavar="WHAT",
        help=f"features of the lowest level: {FEATURES} (default: the environment's own)",
    )
    group.add_argument(
        "--budget",
        type=whole_number,
        metavar="N",
        help="simulator steps per action (default: what suits ENV, or the policy's)",
    )
    group.add_argument(
        "--nodes", type=whole_number, metavar="N", help="nodes in the tree (default: what suits ENV, or the policy's)"
    )
    group.add_argument(
        "--policy", type=Path, metavar="RUN", help="act with what `train` has learned in the run folder RUN"
    )
    group.add_argument(
        "--trust", action="store_true", help="with --policy: import and run whatever code the settings in RUN name"
    )
    group.add_argument("--network-only", action="store_true", help="with --policy: the network alone, without search")
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of planner and simulator (default 0)")
    group.add_argument(
        "--option", type=option, action="append", default=[], metavar="NAME=VALUE", help="an option of the environment"
    )
    add_chance(group)
    group = parser.add_argument_group("how far")
    group.add_argument("--max-steps", type=whole_number, metavar="N", help="act at most N times")
    group.add_argument("--max-time", type=amount, metavar="S", help="stop after S seconds")
    add_step_timeout(group)
    group.add_argument("--goal-score", type=float, metavar="R", help="exit code 12 if the score stays below R")
    group = parser.add_argument_group("what to see and keep")
    group.add_argument(
        "--record", type=Path, metavar="FILE", help="write the episode as JSON lines (compressed if it ends in .gz)"
    )
    group.add_argument("--gif", type=Path, metavar="FILE", help="write a film of the episode and the search tree")
    group.add_argument("--mp4", type=Path, metavar="FILE", help="the same as MP4")
    group.add_argument("--every", type=whole_number, default=1, metavar="N", help="film every Nth step only")
    group.add_argument(
        "--delay", type=amount, default=0.0, metavar="S", help="on a terminal, show every step for S seconds"
    )
    group.add_argument("--json", action="store_true", help="print the result as JSON")
    group.add_argument("--quiet", action="store_true", help="show the result only")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play, print the result, and return the exit code."""
    from widthwise.core.watchdog import watching

    with watching(args.step_timeout, max_time=args.max_time, exit_code=23) as watchdog:
        return _run(args, watchdog)


def _run(args: argparse.Namespace, watchdog: Watchdog | None) -> int:
    from widthwise.cli.play_watch import EpisodeWatch
    from widthwise.simulators.chance import ChanceError

    for path in (args.record, args.gif, args.mp4):
        if path is not None:
            check_target(path)
    for path, ending in ((args.gif, ".gif"), (args.mp4, ".mp4")):
        if path is not None and path.suffix.lower() != ending:
            raise UsageError(f"--{ending[1:]} writes a film in the format of its name: {path} does not end in {ending}")
    options = dict(args.option)
    if watchdog is not None:
        watchdog.prepare(args.env, "", "", "", "")
    try:
        agent = _agent(args, options)
    except ChanceError as error:
        if args.json:
            print_refusal(error, args.env)
        raise
    agent.max_steps = args.max_steps
    world: Any = agent.simulator
    header: dict[str, Any] = {
        "kind": "header",
        "env": args.env,
        "options": {name: repr(value) for name, value in options.items()},
        "planner": title(args, agent),
        "levels": repr(agent.planner),
        "low_features": args.low_features,
        "budget": {"steps": agent.budget.steps, "nodes": agent.budget.nodes},
        "preset": None if args.policy is not None else args.preset or DEFAULT,
        "max_steps": args.max_steps,
        "seed": args.seed,
        "chance": agent.luck.mode,
        "version": __version__,
    }
    if args.policy is not None:
        header |= {"policy": str(args.policy), "network_only": args.network_only}
    if args.record is not None:
        from widthwise.core.provenance import describe_run

        made = describe_run({}, ["widthwise", *sys.argv[1:]])
        header |= {name: made[name] for name in ("command", "commit", "versions", "machine")}
    with EpisodeWatch(args, world, header) as watch:
        agent.recorder = _Clock(agent, watch, args.max_time, watchdog)
        fault: WidthwiseError | None = None
        replayed = _replayed(agent)
        try:
            _say_chance(args, agent)
            replayed = _replayed(agent)
            episode = agent.run(args.seed, on_interrupt="return")
        except (SimulatorError, ChanceError, OutOfTime) as error:  # what was played so far is kept
            episode, fault = agent.episode, error
        late = agent.recorder.late and not episode.terminated
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
        print("note: the episode was over at reset, before the first action", file=sys.stderr)
    return _exit_code(episode, late, args.goal_score)


def _agent(args: argparse.Namespace, options: dict[str, Any]) -> OnlinePlanner:
    """The agent that the options describe."""
    if args.policy is not None:
        return policy_agent(args, options)
    if args.network_only:
        raise UsageError("--network-only is for a network: give --policy RUN too")
    return planning_agent(args, options, keep_observations=_filmed(args))


def _say_chance(args: argparse.Namespace, agent: OnlinePlanner) -> None:
    """Check for chance before the first episode, and say what was found."""
    if args.network_only:
        return  # it does not plan, so it foresees nothing
    text = note(agent.luck.check(args.seed), agent.luck.mode)
    if text is not None and not args.quiet:
        print(text, file=sys.stderr)


def _filmed(args: argparse.Namespace) -> bool:
    return args.gif is not None or args.mp4 is not None


def _replayed(agent: OnlinePlanner) -> int:
    """The steps taken so far to return to snapshots, where states are restored by replaying actions."""
    steps: int = getattr(agent.simulator, "replayed_steps", 0)
    return steps


class _Clock:
    """Hears of every step: passes it on, and ends the episode when its time is up."""

    def __init__(
        self, agent: OnlinePlanner, watch: EpisodeWatch, seconds: float | None, watchdog: Watchdog | None = None
    ) -> None:
        self.agent, self.watch, self.watchdog = agent, watch, watchdog
        self._prepare()
        self.until = None if seconds is None else time.perf_counter() + seconds
        self.late = False

    def __call__(self, tree: Tree, record: StepRecord) -> None:
        """A step was taken."""
        self.watch.step(tree, record)
        self._prepare()
        if self.until is None:
            return
        left = self.until - time.perf_counter()
        if left > 0:
            self.agent.budget = replace(self.agent.budget, seconds=left)
        else:
            self.late = True
            self.agent.max_steps = self.agent.episode.steps + 1  # the step in hand is the last

    def _prepare(self) -> None:
        """Say what is to be written if the process has to end while the simulator hangs."""
        if self.watchdog is None:
            return
        args, watch = self.watch.args, self.watch
        told = {"status": "out-of-time", "env": args.env, "seed": args.seed, "score": watch.score, "steps": watch.steps}
        shown = json.dumps(told) if args.json else f"out-of-time: score {watch.score:g} after {watch.steps} steps"
        record = watch.record if watch.record is not None and watch.record.path.suffix != ".gz" else None
        files = ("", "", "")
        if record is not None:
            files = (str(record.draft), json.dumps({"kind": "result", **told}) + "\n", str(record.path))
        self.watchdog.prepare(args.env, shown + "\n", *files)


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
        "high_level_states": max((sum(one.high_level_states) for one in episode.records), default=0),
        "seconds": episode.seconds,
        "chance": {"mode": agent.luck.mode, **(finding.describe() if finding is not None else {})},
        "as_planned": sum(one.as_planned is True for one in episode.records) if agent.luck.fresh else None,
        "actions": episode.actions,
        "rewards": episode.rewards,
    }


def _text(result: dict[str, Any]) -> str:
    known = result["high_level_states"]
    hierarchy = f", at most {count(known, 'high-level state')} known at once" if known else ""
    replayed = f" ({count(result['replayed_steps'], 'step')} replayed for them)" if result["replayed_steps"] else ""
    chance = ""
    if result["chance"].get("stochastic"):
        chance = f"\nchance: {described(result['chance']['mode'])}"
    if result["as_planned"] is not None:
        chance += f"; {result['as_planned']} of {count(result['steps'], 'step')} did what the tree said"
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
