"""`widthwise train`: learn a policy and a value from search, in a run folder that can be resumed."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.chance import add_chance, add_step_timeout, described, note, print_refusal
from widthwise.cli.check_env import add_options, options_of
from widthwise.cli.common import duration, seed, whole_number
from widthwise.cli.signals import stopping
from widthwise.cli.train_actors import actor_options, actors_text, add_actors
from widthwise.cli.watch import live_page, port_number
from widthwise.core.errors import OutOfTime, UsageError, WidthwiseError
from widthwise.core.showing import counted
from widthwise.online.presets import NAMES
from widthwise.training.algorithm_registry import ALGORITHMS

if TYPE_CHECKING:
    from widthwise.cli.train_view import TrainView
    from widthwise.training.run import TrainingRun
    from widthwise.training.run_trainer import Record

#: The message at the end of a run without any reward.
NO_REWARD = (
    "No training episode had a reward, so nothing was learned. Try more simulator steps per action (--budget), other "
    "tiles (--tiles) or more --interactions; `widthwise play ENV` with the same options is a quicker test of them. "
    "See docs/guide/choosing.md."
)

#: The message at the end of a run in which no episode has ended.
NO_EPISODE = (
    "No training episode has ended, so nothing was learned: an episode takes longer than this run. Give more "
    "--interactions, or a smaller --budget (simulator steps per action). See docs/guide/choosing.md."
)

_DESCRIPTION = """\
Learn from search: a network is trained on the results of the planner and guides the planner in turn.
The run folder DIR holds the configuration, one line of JSON per episode and per evaluation, events
for TensorBoard, and checkpoints, at least one a minute. However a run ends, `--resume DIR` continues
it, and its lines are the same as those of an uninterrupted run."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE, atari:GAME, the id of a Gymnasium environment,
or module:attribute.

examples:
  widthwise train maze-small --algorithm pi-hiw --interactions 300_000 --out runs/small
  widthwise train --resume runs/small
  widthwise train maze-large --algorithm pi-hiw --tiles 4x4 --trees 8 --interactions 1e6 --out runs/large
  widthwise train maze-large --actors 2 --interactions 1e6 --out runs/large-2
  widthwise train atari:pong --interactions 200_000 --evaluation-steps 300 --out runs/pong
  widthwise play maze-small --policy runs/small --network-only

settings of planning for --set: guided, dynamic, value, doubt, ties (on or off), high_features
(tiles or own), tiles, colours, gray, width, high_width, steps_per_action, nodes, discount,
behaviour, target_temperature, target_prior, selection_temperature, reward_temperature,
count_temperature, tie_tolerance, life_penalty, clip_rewards, untried_worth, root_actions,
ends_novel; settings of learning: updates, batch, replay, learning_rate, decay, epsilon, clip, l2,
value_factor, momentum, smooth, patient, calibration, encoded, tree_targets, tree_share,
tree_values, segment, bootstrap, shift, value_support, zero_heads, raw_input, archive, replanning,
rehearsal, interim, demonstration_share, self_imitation, start_share, rare_bonus

exit codes: 0 trained to the end; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (a checkpoint is written first);
1 stopped by a full disk or because training diverged (the last checkpoint is valid); 31 bad input,
34 unsupported, 2 wrong usage"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "train",
        help="learn a policy from search, into a run folder",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "env",
        nargs="?",
        metavar="ENV",
        help="the environment (with --resume only needed if it is module:attribute, to confirm that this code may run)",
    )
    add = parser.add_argument
    add(
        "--algorithm",
        choices=tuple(ALGORITHMS),
        help="the learning algorithm (default pi-hiw, or pi-iw+ if the environment has no features for an upper level)",
    )
    add(
        "--interactions",
        type=whole_number,
        metavar="N",
        help="simulator steps of the whole run; it ends after the round that reaches them, and makes at least the "
        "random steps before the first episode (128)",
    )
    add("--seed", type=seed, metavar="N", help="seed of the run (default 0)")
    add("--out", type=Path, metavar="DIR", help="the run folder, which must be new")
    add("--resume", type=Path, metavar="DIR", help="continue the run in DIR; a larger --interactions makes it longer")
    add(
        "--trust",
        action="store_true",
        help="with --resume: import and run any code that the folder names; otherwise the names must be repeated",
    )
    add_options(parser)
    add("--json", action="store_true", help="print the result as JSON")
    add("--quiet", action="store_true", help="show the result only")
    add("--live", action="store_true", help="serve a page on 127.0.0.1 that shows the run while it is running")
    add("--port", type=port_number, metavar="N", help="with --live: the port of the page (default: any free port)")
    add_step_timeout(parser)
    add_settings(parser.add_argument_group("planning and learning"))
    add_actors(parser.add_argument_group("actors"))
    add_evaluation(parser.add_argument_group("evaluation"))
    parser.set_defaults(run=run)


def add_settings(group: argparse._ArgumentGroup, *, tiles: bool = True) -> None:
    """The options for settings of planning and learning."""
    add_preset(group)
    if tiles:
        group.add_argument(
            "--tiles",
            metavar="WxH",
            help="tiles of the image for the upper level of pi-hiw; WxH:gray takes those of its brightness",
        )
    group.add_argument("--trees", type=whole_number, metavar="K", help="episodes planned in lock-step (default 1)")
    group.add_argument("--budget", type=whole_number, metavar="N", help="simulator steps per action (steps_per_action)")
    group.add_argument("--nodes", type=whole_number, metavar="N", help="nodes kept in the tree")
    group.add_argument(
        "--refresh", action="store_true", default=None, help="after an update, evaluate the kept tree again"
    )
    add_chance(group)
    for name, what in (
        ("guided", "rollouts choose actions uniformly, not by the network's policy"),
        ("dynamic", "the lowest level uses the environment's features, not the network's"),
        ("value", "returns are backed up without the network's value"),
        ("doubt", "the network's value is also used in states that the agent has visited before"),
        ("ties", "subtree sizes do not decide between equal returns"),
    ):
        group.add_argument(f"--no-{name}", action="store_true", help=what)
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other setting that `widthwise train --help` lists; may be repeated",
    )


def add_preset(group: argparse._ArgumentGroup) -> None:
    """The option that chooses a preset; `None` if it is not given."""
    group.add_argument(
        "--preset",
        choices=NAMES,
        help="the values of settings that no option gives: default, paper (those of the paper), authors (those of the "
        "program that its authors published) or demonstration (train: most interactions look for a good trajectory, "
        "and the network learns it first; the default in Atari games); docs/guide/presets.md lists them",
    )


def add_evaluation(group: argparse._ArgumentGroup) -> None:
    """The options of evaluations: how often, how many episodes, how long."""
    add = group.add_argument
    add(
        "--evaluate-every",
        type=whole_number,
        metavar="N",
        help="interactions between evaluations (default: a twentieth of the run)",
    )
    add(
        "--evaluation-share",
        type=float,
        metavar="X",
        help="the interactions that evaluations may take, as a share of the training interactions (default 0.25; "
        "0, no bound, if --evaluate-every is given)",
    )
    add("--network-episodes", type=whole_number, metavar="N", help="episodes of the network alone (default 3)")
    add("--planner-episodes", type=int, metavar="N", help="episodes of planner and network (default 1; 0 for none)")
    add(
        "--evaluation-steps",
        type=whole_number,
        metavar="N",
        help="end an evaluation episode after N steps (default 10,000)",
    )


def shared_settings(args: argparse.Namespace, *, tiles: bool = True) -> dict[str, Any]:
    """The settings that were given, of those that `train` and `bench` share."""
    named = {
        "preset": args.preset,
        "overrides": overrides_of(args, tiles=tiles) or None,
        "trees": args.trees,
        "refresh": args.refresh,
        "evaluate_every": args.evaluate_every,
        "network_episodes": args.network_episodes,
        "planner_episodes": args.planner_episodes,
        "evaluation_steps": args.evaluation_steps,
        "chance": args.chance,
        "evaluation_share": 0.0 if args.evaluate_every and args.evaluation_share is None else args.evaluation_share,
        "asynchronous": getattr(args, "asynchronous", None),
        "max_lag": getattr(args, "max_lag", None),
    }
    return {name: value for name, value in named.items() if value is not None}


def overrides_of(args: argparse.Namespace, *, tiles: bool = True) -> dict[str, Any]:
    """The values of the settings of planning and learning that were given."""
    from widthwise.training.overrides import OLD_NAMES, parse_overrides

    for text in args.set:
        old = text.partition("=")[0].strip()
        if old in OLD_NAMES:
            print(f"note: the setting {old} is now called {OLD_NAMES[old]}", file=sys.stderr)
    overrides = parse_overrides([*args.set, *([f"tiles={args.tiles}"] if tiles and args.tiles else [])])
    options = {
        "steps_per_action": args.budget,
        "nodes": args.nodes,
        **{name: False for name in ("guided", "dynamic", "value", "doubt", "ties") if getattr(args, f"no_{name}")},
    }
    for name, value in options.items():
        if value is not None:
            if name in overrides:
                raise UsageError(f"{name} is given twice")
            overrides[name] = value
    return overrides


def given_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The settings of a run that were given; the others have defaults."""
    named = {
        "environment": args.env,
        "algorithm": args.algorithm,
        "interactions": args.interactions,
        "seed": args.seed,
        "options": options_of(args) or None,
    }
    given = {name: value for name, value in named.items() if value is not None}
    return {**given, **shared_settings(args)}


def run(args: argparse.Namespace) -> int:
    """Train, print the result, and return the exit code."""
    from widthwise.core.watchdog import watching

    with watching(args.step_timeout, exit_code=23) as watch:
        if watch is not None:  # the last checkpoint is valid, so nothing has to be written
            watch.prepare(args.env or str(args.resume), "", "", "", "", _advice(args))
        return _run(args)


def _advice(args: argparse.Namespace) -> str:
    """How to continue after the process was ended."""
    from widthwise.training.trust import resume_call

    folder = args.resume or args.out
    if folder is None:
        return ""
    return f"if {folder} has a checkpoint, continue from it: {resume_call(folder, args.env or '')}"


def _run(args: argparse.Namespace) -> int:
    from widthwise.cli.train_view import TrainView
    from widthwise.simulators.chance import ChanceError
    from widthwise.training import launch

    if args.port is not None and not args.live:
        raise UsageError("--port is for --live")
    launch.need_torch()
    given = given_settings(args)
    view = TrainView(sys.stderr, quiet=args.quiet)
    try:
        training_run = _begin(args, given, view)
    except (ChanceError, OutOfTime) as error:
        if args.json:
            print_refusal(error, args.env or str(args.resume))
        raise
    chance = note(getattr(training_run.trainer, "finding", None), training_run.chance or "refuse")
    if chance is not None and not args.quiet:
        view.say(chance)
    with live_page(training_run.folder.folder, args.port or 0, view.say) if args.live else nullcontext():
        return report(training_run, as_json=args.json)


def _begin(args: argparse.Namespace, given: dict[str, Any], view: TrainView) -> TrainingRun:
    """The run that the options describe: a new one, or one that continues."""
    from widthwise.training import launch
    from widthwise.training.run_settings import RunSettings

    options = actor_options(args, given)
    if args.resume is not None:
        if args.out is not None and args.out.resolve() != args.resume.resolve():
            raise UsageError(f"a run continues in its own folder: leave out --out, or give --out {args.resume}")
        launch.refuse_changes(args.resume, given)
        return launch.resume(
            args.resume, view, given.get("interactions"), given=given, trust=args.trust, options=options
        )
    if args.trust:
        raise UsageError("--trust needs --resume: it allows the code that the folder names to run")
    for name, value in (("ENV", args.env), ("--interactions", args.interactions), ("--out", args.out)):
        if value is None:
            raise UsageError(f"{name} is missing (to continue an existing run, give --resume DIR)")
    return launch.begin(args.out, RunSettings(**given), view, options=options)


def report(training_run: TrainingRun, *, as_json: bool) -> int:
    """Run to the end or to Ctrl-C, and print the result."""
    from widthwise.training.trust import resume_call

    folder = training_run.folder.folder
    again = resume_call(folder, training_run.checkpoints.about.environment)
    try:
        with stopped_by_signals(training_run):
            result = training_run.run()
    except UsageError:  # the same call would fail again
        raise
    except WidthwiseError as error:
        raise type(error)(f"{error}\n  to continue from the last valid checkpoint: {again}") from None
    finally:
        training_run.folder.close()
    if result is None:
        print(f"stopped: continue with {again}", file=sys.stderr)
        return 130
    print(json.dumps(result, ensure_ascii=False) if as_json else text(folder, result))
    return 0


def text(folder: Path, result: Record) -> str:
    """The result as text."""
    from widthwise.cli.train_view import demonstration

    lines = [
        f"{folder}: {counted(result['interactions'], 'interaction')}, {counted(result['episodes'], 'episode')}, "
        f"{duration(result['seconds'])} ({result['interactions_per_second']:,.0f} interactions/s)"
    ]
    if result["recent_score"] is not None:
        lines.append(
            f"recent episodes: score {result['recent_score']:.2f} in {counted(round(result['recent_steps']), 'step')}"
        )
    lines.append(
        f"{counted(result['evaluations'], 'evaluation')} took "
        f"{counted(result['evaluation_interactions'], 'more interaction')}"
    )
    lines += actors_text(result)
    if shown := demonstration(result):
        lines.append(shown)
    if not result["reward_seen"] and result.get("demonstration_score") is None:
        lines.append(NO_REWARD if result["episodes"] else NO_EPISODE)
    best = result["best"]
    lines.append(
        f"best network alone: score {best['network_score']:.2f} in {counted(round(best['network_steps']), 'step')}, "
        f"at {counted(best['interactions'], 'interaction')}"
    )
    if result.get("chance"):
        lines.append(f"chance: {described(result['chance'])}")
    return "\n".join(lines)


def stopped_by_signals(training_run: TrainingRun) -> AbstractContextManager[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end a run after the current action with a checkpoint, a second at once."""

    def stop() -> None:
        training_run.stopping = True

    return stopping(stop)
