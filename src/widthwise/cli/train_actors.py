"""The options of `widthwise train` that concern actors, and what its result says about them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from widthwise.cli.common import whole_number
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.training.run_trainer import Record
    from widthwise.training.transport import ActorOptions


def add_actors(group: argparse._ArgumentGroup) -> None:
    """The options of actors: how many, where, and whether they wait for each other."""
    add = group.add_argument
    add(
        "--actors",
        metavar="N|ray|ray:N",
        help="processes that plan and act for one learner (default 1); ray: one Ray actor per core of the cluster",
    )
    add(
        "--async",
        dest="asynchronous",
        action="store_true",
        default=None,
        help="actors do not wait for each other; the lines of the run then depend on timing",
    )
    add(
        "--max-lag",
        type=whole_number,
        metavar="N",
        help="with --async: the maximum number of updates by which an actor's weights may be behind (default 1000)",
    )
    add("--ray-address", metavar="A", help="the Ray cluster (default: a local one is started)")
    add("--device", choices=("cpu", "cuda"), help="where the learner trains (default cpu)")
    add("--learner-threads", type=whole_number, metavar="N", help="threads of torch in the learner (default 1)")
    add(
        "--actor-timeout",
        type=float,
        metavar="S",
        help="replace an actor that has not answered for S seconds (default 600)",
    )


def actor_options(args: argparse.Namespace, given: dict[str, Any]) -> ActorOptions:
    """Where actors run; puts their number into `given`."""
    from widthwise.training.transport import ActorOptions, cluster_actors, parse_actors

    engine, count = (None, None) if args.actors is None else parse_actors(args.actors)
    if args.ray_address is not None and engine != "ray":
        raise UsageError("--ray-address needs --actors ray")
    if (args.asynchronous or args.max_lag) and args.actors is None and args.resume is None:
        raise UsageError("--async and --max-lag need --actors")
    values = {
        "engine": engine,
        "address": args.ray_address,
        "timeout": args.actor_timeout,
        "device": args.device,
        "threads": args.learner_threads,
    }
    options = ActorOptions(
        step_timeout=args.step_timeout, **{name: value for name, value in values.items() if value is not None}
    )
    if engine is not None and (count is not None or args.resume is None):
        given["actors"] = count or cluster_actors(options)
    return options


def actors_text(result: Record) -> list[str]:
    """What the actors have sent and lost, and where the time went; nothing for a run in one process."""
    if "bytes_per_episode" not in result:
        return []
    lost = f", {result['actors_lost']} lost with {counted(result['episodes_lost'], 'episode')}"
    seconds, replay, most = result["time_seconds"], result["replay_bytes"], result["replay_bytes_at_most"]
    total = sum(seconds.values()) or 1.0
    shares = ", ".join(f"{name.replace('_', ' ')} {spent / total:.0%}" for name, spent in seconds.items())
    return [
        f"{counted(result['actors'], 'actor')}{lost if result['actors_lost'] else ''}: "
        f"{result['bytes_per_episode']:,} bytes per episode, {result['bytes_per_weight_update']:,} per weight update",
        f"replay memory: {replay / 1e6:,.1f} MB of at most {most / 1e6:,.1f} MB",
        f"time of all processes: {shares}",
    ]
