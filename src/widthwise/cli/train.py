"""`widthwise train`: learn a policy and a value from search, in a run folder that survives any stop."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.cli.chance import add_chance, add_step_timeout, described, note, print_refusal
from widthwise.cli.check_env import option
from widthwise.cli.common import duration, seed, whole_number
from widthwise.cli.signals import stopping
from widthwise.core.errors import UsageError, WidthwiseError
from widthwise.core.showing import counted
from widthwise.online.presets import NAMES

if TYPE_CHECKING:
    from widthwise.cli.train_view import TrainView
    from widthwise.training.run import Record, Training

ALGORITHMS = ("pi-iw", "pi-iw+", "pi-hiw")

#: What to say at the end of a run that had nothing to learn from.
NO_REWARD = (
    "No training episode was rewarded, so nothing was learned. Try more simulator steps per action (--budget), other "
    "tiles (--tiles), more --interactions; `widthwise play ENV` with the same options shows sooner whether they help. "
    "See docs/guide/choosing.md."
)

#: What to say at the end of a run in which no episode has ended.
NO_EPISODE = (
    "No training episode has ended, so nothing was learned: episodes take longer than this run. Give more "
    "--interactions, or a smaller --budget (simulator steps per action). See docs/guide/choosing.md."
)

_DESCRIPTION = """\
Learn from search: a network is trained on what the planner finds, and guides the planner in turn.
The run folder DIR gets the configuration, a line of JSON per episode and evaluation, figures for
TensorBoard and checkpoints, at least one a minute. However a run ends, `--resume DIR` goes on with
it, and the lines are the same as if it had never stopped."""

_EPILOG = """\
ENV is maze-small, maze-large, corridor, maze:FILE, atari:GAME, the id of a Gymnasium environment,
or module:attribute.

examples:
  widthwise train maze-small --algorithm pi-hiw --interactions 300_000 --out runs/small
  widthwise train --resume runs/small
  widthwise train maze-large --algorithm pi-hiw --tiles 4x4 --trees 8 --interactions 1e6 --out runs/large
  widthwise train atari:pong --algorithm pi-iw --interactions 200_000 --evaluation-steps 300 --out runs/pong
  widthwise play maze-small --policy runs/small --network-only

settings for --set: the parts that can be switched (guided, dynamic, value, doubt, ties: on or off),
high_features (tiles or own), tiles, colours, width, high_width, interactions and nodes per step,
discount, behaviour, target_temperature, selection_temperature; and of learning: updates, batch,
replay, learning_rate, decay, epsilon, clip, l2, value_factor, momentum, smooth, patient, calibration,
encoded

exit codes: 0 trained to the end; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (a checkpoint is written first);
1 stopped by a full disk or by losses that are no numbers (the last checkpoint is good); 31, 34, 2 as always"""


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
        help="the simulator (with --resume only needed if it is module:attribute, to say that you know this code)",
    )
    add = parser.add_argument
    add(
        "--algorithm",
        choices=ALGORITHMS,
        help="what learns (default pi-hiw, or pi-iw+ where its upper level has no features)",
    )
    add("--interactions", type=whole_number, metavar="N", help="simulator steps of the whole run")
    add("--seed", type=seed, metavar="N", help="seed of everything (default 0)")
    add("--out", type=Path, metavar="DIR", help="the run folder, a new one")
    add("--resume", type=Path, metavar="DIR", help="go on with the run in DIR; a larger --interactions makes it longer")
    add(
        "--trust",
        action="store_true",
        help="with --resume: import and run whatever code the folder names; without it the names are to be repeated",
    )
    add("--option", type=option, action="append", metavar="NAME=VALUE", help="an option of the environment")
    add("--json", action="store_true", help="print the result as JSON")
    add("--quiet", action="store_true", help="show the result only")
    add_step_timeout(parser)
    add_settings(parser.add_argument_group("the algorithm"))
    add_evaluation(parser.add_argument_group("evaluation"))
    parser.set_defaults(run=run)


def add_settings(group: argparse._ArgumentGroup, *, tiles: bool = True) -> None:
    """The options that vary an algorithm."""
    add_preset(group)
    if tiles:
        group.add_argument("--tiles", metavar="WxH", help="tiles of the image for the high level of pi-hiw")
    group.add_argument("--trees", type=whole_number, metavar="K", help="episodes planned in lock-step (default 1)")
    group.add_argument("--budget", type=whole_number, metavar="N", help="simulator steps per action")
    group.add_argument("--nodes", type=whole_number, metavar="N", help="nodes kept in the tree")
    group.add_argument(
        "--refresh", action="store_true", default=None, help="after an update, evaluate the kept tree anew"
    )
    add_chance(group)
    for name, what in (
        ("guided", "rollouts choose actions uniformly, not by the network's policy"),
        ("dynamic", "the lowest level has the environment's features, not the network's"),
        ("value", "returns are backed up without the network's value"),
        ("doubt", "the network's value is believed again where the agent has stood before"),
        ("ties", "subtree sizes do not decide between equal returns"),
    ):
        group.add_argument(f"--no-{name}", action="store_true", help=what)
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any other setting (see below); repeatable"
    )


def add_preset(group: argparse._ArgumentGroup) -> None:
    """The option that chooses a named set of settings; `None` where it is not given."""
    group.add_argument(
        "--preset",
        choices=NAMES,
        help="the settings that no other option gives: default (what works), paper (those of the paper), authors "
        "(those of the program that its authors published); docs/guide/presets.md lists them",
    )


def add_evaluation(group: argparse._ArgumentGroup) -> None:
    """The options that say how often and how long a run is evaluated."""
    add = group.add_argument
    add("--evaluate-every", type=whole_number, metavar="N", help="interactions (default: a twentieth of the run)")
    add(
        "--evaluation-share",
        type=float,
        metavar="X",
        help="what evaluations may take, as a share of the training interactions (default 0.25; no bound, 0, if "
        "--evaluate-every is given)",
    )
    add("--network-episodes", type=whole_number, metavar="N", help="episodes of the network alone (default 3)")
    add("--planner-episodes", type=int, metavar="N", help="episodes of planner and network (default 1; 0 for none)")
    add("--evaluation-steps", type=whole_number, metavar="N", help="end an evaluation episode after N steps")


def shared_settings(args: argparse.Namespace, *, tiles: bool = True) -> dict[str, Any]:
    """What was given of the settings that single runs and benches of runs have in common."""
    named = {
        "preset": args.preset,
        "parts": parts_of(args, tiles=tiles) or None,
        "trees": args.trees,
        "refresh": args.refresh,
        "evaluate_every": args.evaluate_every,
        "network_episodes": args.network_episodes,
        "planner_episodes": args.planner_episodes,
        "evaluation_steps": args.evaluation_steps,
        "chance": args.chance,
        "evaluation_share": 0.0 if args.evaluate_every and args.evaluation_share is None else args.evaluation_share,
    }
    return {name: value for name, value in named.items() if value is not None}


def parts_of(args: argparse.Namespace, *, tiles: bool = True) -> dict[str, str]:
    """The settings of the algorithm and of learning that were given, as texts."""
    from widthwise.training.run_settings import parse_parts

    texts = list(args.set)
    texts += [f"tiles={args.tiles}"] if tiles and args.tiles else []
    texts += [f"interactions={args.budget}"] if args.budget else []
    texts += [f"nodes={args.nodes}"] if args.nodes else []
    texts += [f"{name}=off" for name in ("guided", "dynamic", "value", "doubt", "ties") if getattr(args, f"no_{name}")]
    return parse_parts(texts)


def given_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The settings of a run that were given in so many words; the others have defaults."""
    named = {
        "environment": args.env,
        "algorithm": args.algorithm,
        "interactions": args.interactions,
        "seed": args.seed,
        "options": dict(args.option) if args.option else None,
    }
    given = {name: value for name, value in named.items() if value is not None}
    return {**given, **shared_settings(args)}


def run(args: argparse.Namespace) -> int:
    """Train, print the result, and return the exit code."""
    from widthwise.core.watchdog import watching

    with watching(args.step_timeout, exit_code=23) as watch:
        if watch is not None:  # the last checkpoint is good, so that nothing else has to be written
            watch.prepare(args.env or str(args.resume), "", "", "", "", _advice(args))
        return _run(args)


def _advice(args: argparse.Namespace) -> str:
    """What to do after the process had to end."""
    from widthwise.training.trust import resume_call

    folder = args.resume or args.out
    if folder is None:
        return ""
    return f"if {folder} has a checkpoint, go on from the last one: {resume_call(folder, args.env or '')}"


def _run(args: argparse.Namespace) -> int:
    from widthwise.cli.train_view import TrainView
    from widthwise.simulators.chance import ChanceError
    from widthwise.training import launch

    launch.need_torch()
    given = given_settings(args)
    view = TrainView(sys.stderr, quiet=args.quiet)
    try:
        training = _begin(args, given, view)
    except ChanceError as error:
        if args.json:
            print_refusal(error, args.env or str(args.resume))
        raise
    told = note(getattr(training.learner, "finding", None), training.chance or "refuse")
    if told is not None and not args.quiet:
        view.say(told)
    return report(training, as_json=args.json)


def _begin(args: argparse.Namespace, given: dict[str, Any], view: TrainView) -> Training:
    """The run that the options describe: a new one, or one that goes on."""
    from widthwise.training import launch
    from widthwise.training.run_settings import RunSettings

    if args.resume is not None:
        if args.out is not None and args.out.resolve() != args.resume.resolve():
            raise UsageError(f"a run goes on in its own folder: leave --out away, or give --out {args.resume}")
        launch.refuse_changes(args.resume, given)
        return launch.resume(args.resume, view, given.get("interactions"), given=given, trust=args.trust)
    if args.trust:
        raise UsageError("--trust is for --resume: it says that the code named in the folder may be run")
    for name, value in (("ENV", args.env), ("--interactions", args.interactions), ("--out", args.out)):
        if value is None:
            raise UsageError(f"{name} is missing (a run that is there already goes on with --resume DIR)")
    return launch.begin(args.out, RunSettings(**{"algorithm": "auto", **given}), view)


def report(training: Training, *, as_json: bool) -> int:
    """Run to the end or to Ctrl-C, and say what came of it."""
    from widthwise.training.trust import resume_call

    folder = training.folder.folder
    again = resume_call(folder, training.checkpoints.about.environment)
    try:
        with stopped_by_signals(training):
            result = training.run()
    except WidthwiseError as error:
        raise type(error)(f"{error}\n  the last good checkpoint is kept: {again}") from None
    finally:
        training.folder.close()
    if result is None:
        print(f"stopped: go on with {again}", file=sys.stderr)
        return 130
    print(json.dumps(result, ensure_ascii=False) if as_json else text(folder, result))
    return 0


def text(folder: Path, result: Record) -> str:
    """The result for people."""
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
    if not result["reward_seen"]:
        lines.append(NO_REWARD if result["episodes"] else NO_EPISODE)
    best = result["best"]
    lines.append(
        f"best network alone: score {best['network_score']:.2f} in {counted(round(best['network_steps']), 'step')}, "
        f"at {counted(best['interactions'], 'interaction')}"
    )
    if result.get("chance"):
        lines.append(f"chance: {described(result['chance'])}")
    return "\n".join(lines)


def stopped_by_signals(training: Training) -> AbstractContextManager[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end a run after the action in hand, with a checkpoint; a second does not wait."""

    def stop() -> None:
        training.stopping = True

    return stopping(stop)
