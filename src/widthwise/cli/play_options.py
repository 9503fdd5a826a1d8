"""The planner and the features that the options of `play` describe."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from widthwise.cli.chance import mode_of
from widthwise.core.errors import UsageError
from widthwise.online.planner_registry import LEVEL_PLANNERS, level_planner
from widthwise.online.presets import DEFAULT, preset_settings

if TYPE_CHECKING:
    from widthwise.core.defaults import Defaults
    from widthwise.core.level import Width
    from widthwise.core.simulator import Simulator
    from widthwise.online.acting import OnlinePlanner
    from widthwise.simulator_search.levels import OnSimulator
    from widthwise.simulators.features import Tiles

#: What --low-features and --high-features take.
FEATURES = (
    "observation, bins, bins:N, bins:N:quantiles, cells, cells+key, pixels, ram, b-prost, tiles:WxH, "
    "tiles:WxH:V, tiles:WxH:gray, "
    "minigrid:PART+PART (pose, position, direction, carrying, doors, blocked, boxes, situation), "
    "or module:function, a function of a step"
)

_TILES = re.compile(r"(\d+)x(\d+)(?:[:x](\d+))?(:gray)?")


def planning_agent(args: argparse.Namespace, options: dict[str, Any], *, keep_observations: bool) -> OnlinePlanner:
    """The agent that the options describe; defaults come from the simulator."""
    from widthwise.cli.play_settings import LEVELS, agent_settings, play_settings, with_settings
    from widthwise.core.budget import Budget
    from widthwise.online.acting import OnlinePlanner
    from widthwise.online.defaults import default_planner, planning_defaults
    from widthwise.simulators.names import simulator

    settings = play_settings(args.set)
    world = simulator(args.env, **options)
    preset = args.preset or DEFAULT
    defaults = planning_defaults(world, preset)
    planner = given = make_planner(args, world, defaults)
    if any(name in settings for name in LEVELS):
        planner = with_settings(planner or default_planner(defaults), settings)
    agent = OnlinePlanner(
        world,
        planner,
        budget=Budget(steps=args.budget, nodes=args.nodes),
        features=None if args.low_features is None else features_of(args.low_features, world),
        keep_observations=keep_observations,
        defaults=defaults,
        preset=preset,
        chance=mode_of(args),
        life_penalty=args.life_penalty,
        widen=given is None,
        **agent_settings(settings, preset_settings(preset, world)["behaviour"]),
    )
    if not args.quiet and given is None and (defaults.notes or len(agent.planners) == 1):
        print(describe(agent, args.env), file=sys.stderr)
    return agent


def make_planner(args: argparse.Namespace, world: Simulator, defaults: Defaults) -> OnSimulator | None:
    """The planner that the options describe; None if they leave the choice to the simulator's defaults."""
    widths_given = None if args.width is None else [_width(text) for text in args.width.split(",")]
    above = upper_features(args, world)
    name = args.planner
    if name is None:
        if above or len(widths_given or ()) > 1 or args.high_planner or args.low_planner:
            name = "hiw"
        elif widths_given is None:
            return None
        else:
            name = defaults.planner if defaults.planner in LEVEL_PLANNERS and defaults.planner != "bfs" else "riw"
    if name != "hiw" and (args.high_planner or args.low_planner):
        option = "--high-planner" if args.high_planner else "--low-planner"
        raise UsageError(f"{option} is for the levels of hiw and cannot be combined with --planner {name}")
    if name == "ihiw":
        return _discovering(above, widths_given)
    if name != "hiw":
        if above:
            raise UsageError(
                f"--high-features and --tiles are for the upper levels of hiw; use --low-features with {name}"
            )
        if widths_given is not None and len(widths_given) != 1:
            raise UsageError(f"{name} has one level and takes one width, not {args.width}")
        if name == "bfs" and widths_given is not None:
            raise UsageError("bfs takes no --width")
        repeat = {"repeat": defaults.repeat} if name == "riw" and args.low_features is None else {}
        flat: OnSimulator = level_planner(name, (widths_given or [defaults.widths[-1]])[0], **repeat)
        return flat
    return _hierarchy(args, widths_given, above, defaults)


def _hierarchy(
    args: argparse.Namespace, widths_given: list[Width] | None, features: list[Any], defaults: Defaults
) -> OnSimulator:
    from widthwise.task_search.hiw import HIW

    ours = defaults.widths if len(defaults.widths) > 1 else (defaults.high_width, 1)
    widths = widths_given or [ours[0]] * max(1, len(features)) + [ours[-1]]
    above = len(widths) - 1
    if above < 1:
        raise UsageError("hiw takes one width per level, high level first, for at least two levels: --width 1,1")
    if len(features) not in ({0, 1} if above == 1 else {above}):
        raise UsageError(
            f"hiw with the widths {args.width} has {above} upper levels: give --high-features or --tiles {above} times"
        )
    if not features and len(defaults.features) <= above:
        raise UsageError(
            f"{args.env} declares no features for the upper level of hiw: give --high-features WHAT or --tiles WxH, or "
            "leave --planner out"
        )
    planner: Any = level_planner(args.low_planner or "riw", widths[-1])
    for level in range(above - 1, -1, -1):
        upper = features[level] if features else None
        planner = HIW(upper, high=level_planner(args.high_planner or "criw", widths[level]), low=planner)
    hierarchy: OnSimulator = planner
    return hierarchy


def upper_features(args: argparse.Namespace, world: Simulator) -> list[Any]:
    """The features given for the upper levels, highest level first."""
    if args.tiles and args.high_features:
        raise UsageError("--tiles WxH is short for --high-features tiles:WxH: give only one of them")
    if args.values is not None and not args.tiles:
        raise UsageError("--values is the number of values of a tile and needs --tiles")
    if args.high_features:
        return [features_of(text, world) for text in args.high_features]
    return [tiles_of(text, args.values) for text in args.tiles or ()]


def _discovering(above: list[Any], widths_given: list[Width] | None) -> OnSimulator:
    from widthwise.task_search.ihiw import IHIW

    if above:
        raise UsageError("ihiw discovers its high-level features: --high-features and --tiles are for hiw")
    if widths_given not in (None, [1, 1]):
        raise UsageError("on simulators ihiw takes the widths 1,1 only")
    return IHIW()


def _width(text: str) -> Width:
    if text.strip() not in ("1", "2", "n"):
        raise UsageError(f"on simulators a width must be 1, 2 or n, not {text.strip()!r}")
    return "n" if text.strip() == "n" else int(text)


def features_of(text: str, world: Simulator) -> Any:
    """The features with this name; `bins` are fitted to the simulator."""
    from widthwise.simulators.bins import BINS, Bins
    from widthwise.simulators.bprost import BProst
    from widthwise.simulators.features import Cells, Ram, Tiles
    from widthwise.simulators.minigrid import MiniGrid
    from widthwise.simulators.observations import Observation

    plain: dict[str, Any] = {
        "cells": Cells,
        "cells+key": lambda: Cells(key=True),
        "ram": Ram,
        "pixels": lambda: Tiles(84, 84),
        "observation": Observation,
        "bins": lambda: Bins.fit(world),
        "b-prost": lambda: BProst.fit(world),
    }
    if text in plain:
        return plain[text]()
    kind, _, rest = text.partition(":")
    if kind == "tiles" and rest:
        return tiles_of(rest, None)
    if kind == "bins" and rest:
        number, _, way = rest.partition(":")
        if not number.isdecimal():
            raise UsageError(f"{text!r}: give the number of intervals, as in bins:{BINS} or bins:{BINS}:quantiles")
        return Bins.fit(world, int(number), kind=way or "grid")  # type: ignore[arg-type]
    if kind == "minigrid" and rest:
        return MiniGrid(*rest.split("+"))
    if rest:
        return _own(kind, rest)
    raise UsageError(f"unknown features {text!r}: choose from {FEATURES}")


def _own(module: str, name: str) -> Any:
    """A function of a step from a module of the user."""
    if "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, "")  # modules in the current folder
    try:
        function = getattr(importlib.import_module(module), name, None)
    except (ImportError, TypeError, ValueError) as error:  # the last two: a name such as .module or an empty one
        raise UsageError(f"{module}:{name}: {error}") from None
    if not callable(function):
        raise UsageError(f"the module {module} has no function {name!r}")
    return function


def describe(agent: OnlinePlanner, env: str) -> str:
    """One line about the planner that was chosen by default, and why."""
    defaults, budget = agent.defaults, agent.budget
    flat = "" if len(agent.planners) > 1 else f" (flat: {_why_flat(agent)})"
    limit = "" if budget.steps is None else f"; {budget.steps} simulator steps per action"
    if agent.patience > 1 and budget.steps is not None:
        limit += f", up to {agent.patience * budget.steps:,} while all actions look equally good"
    notes = "".join(f"; {note}" for note in defaults.notes)
    return f"{env}: {agent.planner.name}{flat}{limit}{notes}"


def _why_flat(agent: OnlinePlanner) -> str:
    if len(agent.defaults.features) < 2:
        return "there are no features for a hierarchy"
    return "the preset's planner here; --planner hiw plans in a hierarchy"


def tiles_of(text: str, values: int | None) -> Tiles:
    """Tiles from `8x11`, `8x11x32` or `8x11:32`, with `:gray` at the end for the brightness."""
    from widthwise.simulators.features import Tiles

    match = _TILES.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} does not describe tiles: write WxH, such as 4x4, or WxH:VALUES, such as 8x11:32")
    width, height, own, gray = match.groups()
    return Tiles(int(width), int(height), int(own) if own else values or 256, gray=gray is not None)


def policy_agent(args: argparse.Namespace, options: dict[str, Any]) -> OnlinePlanner:
    """The agent that acts with the policy of a run; options that describe another planner are refused."""
    from widthwise.training.learned_agent import learned_agent

    for name, value in (
        ("--planner", args.planner),
        ("--preset", args.preset),
        ("--width", args.width),
        ("--high-planner", args.high_planner),
        ("--low-planner", args.low_planner),
        ("--tiles", args.tiles),
        ("--values", args.values),
        ("--high-features", args.high_features),
        ("--low-features", args.low_features),
        ("--life-penalty", args.life_penalty),
        ("--set", args.set or None),
    ):
        if value is not None:
            raise UsageError(
                f"{name} cannot be combined with --policy: the run in {args.policy} determines the planner"
            )
    for name, value in (("--budget", args.budget), ("--nodes", args.nodes)):
        if args.network_only and value is not None:
            raise UsageError(f"{name} cannot be combined with --network-only: the network alone plans nothing")
    agent = learned_agent(
        args.policy, args.env, options, network_only=args.network_only, chance=args.chance, trust=args.trust
    )
    budget = agent.budget
    agent.budget = replace(budget, steps=args.budget or budget.steps, nodes=args.nodes or budget.nodes)
    return agent


def title(args: argparse.Namespace, agent: OnlinePlanner) -> str:
    """The name of the planner for the view and the result."""
    if args.policy is None:
        return agent.planner.name
    return "the network alone" if args.network_only else f"π-{agent.planner.name}"
