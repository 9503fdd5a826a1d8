"""The planner and the features that the options of `play` describe."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from widthwise.core.errors import UsageError

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner
    from widthwise.planners.iw import Width
    from widthwise.planners.simulated import OnSimulator
    from widthwise.simulators.features import Tiles

PLANNERS = ("hiw", "riw", "criw", "iw", "bfs", "ihiw")

_TILES = re.compile(r"(\d+)x(\d+)(?:[:x](\d+))?")


def make_planner(args: argparse.Namespace, settings: Mapping[str, Any], levels: int) -> OnSimulator:
    """The planner that was asked for; `settings` are the preset's, `levels` have default features."""
    name = args.planner or _default_name(args, settings, levels)
    given = None if args.width is None else [_width(text) for text in args.width.split(",")]
    if name == "ihiw":
        return _discovering(args, given)
    if name != "hiw":
        if args.tiles:
            raise UsageError(f"--tiles are for the upper levels of hiw; for {name} give --low-features tiles:WxH")
        if given is not None and len(given) != 1:
            raise UsageError(f"{name} has one level and so one width, not {args.width}")
        flat: OnSimulator = _flat(name, (given or [settings["width"]])[0], given)
        return flat
    tiles = args.tiles or []
    widths = given or [settings["high_width"]] * max(1, len(tiles)) + [settings["width"]]
    above = len(widths) - 1
    if above < 1:
        raise UsageError("hiw has a width per level, two at least, high level first: --width 1,1")
    if len(tiles) not in ({0, 1} if above == 1 else {above}):
        raise UsageError(f"hiw with the widths {args.width} has {above} upper levels: give --tiles {above} times")
    if args.values is not None and not tiles:
        raise UsageError("--values says how many values a tile has: give --tiles too")

    from widthwise.planners.hierarchical import HIW

    planner: Any = _flat(args.low_planner or "riw", widths[-1])
    for level in range(above - 1, -1, -1):
        features = tiles_of(tiles[level], args.values) if tiles else None
        planner = HIW(features, high=_flat(args.high_planner or "criw", widths[level]), low=planner)
    made: OnSimulator = planner
    return made


def _default_name(args: argparse.Namespace, settings: Mapping[str, Any], levels: int) -> str:
    """The preset's planner; hiw if an option asks for more than one level, riw where features for two are missing."""
    if args.tiles or args.high_planner or args.low_planner or "," in (args.width or ""):
        return "hiw"
    return "riw" if levels < 2 else str(settings["planner"])


def _discovering(args: argparse.Namespace, given: list[Width] | None) -> OnSimulator:
    from widthwise.planners.incremental import IHIW

    if args.tiles:
        raise UsageError("ihiw finds its upper level by itself: --tiles are for hiw")
    if given not in (None, [1, 1]):
        raise UsageError("on simulators ihiw has the widths 1,1")
    return IHIW()


def _flat(name: str, width: Width, given: object = None) -> Any:
    from widthwise.planners.bfs import BFS
    from widthwise.planners.count_rollout_iw import CountRolloutIW
    from widthwise.planners.iw import IW
    from widthwise.planners.rollout_iw import RolloutIW

    if name == "bfs":
        if given is not None:
            raise UsageError("bfs has no width")
        return BFS()
    return {"riw": RolloutIW, "criw": CountRolloutIW, "iw": IW}[name](width)


def _width(text: str) -> Width:
    if text.strip() not in ("1", "2", "n"):
        raise UsageError(f"on simulators a width is 1, 2 or n, not {text.strip()!r}")
    return "n" if text.strip() == "n" else int(text)


def agent_features(args: argparse.Namespace) -> Any:
    """The features of the lowest level; None for the environment's own."""
    text = args.low_features
    if text is None:
        return None
    from widthwise.online.defaults import observation
    from widthwise.simulators.features import Cells, Ram, Tiles

    plain: dict[str, Any] = {
        "cells": Cells,
        "cells+key": lambda: Cells(key=True),
        "ram": Ram,
        "pixels": lambda: Tiles(84, 84),
        "observation": lambda: observation,
    }
    if text in plain:
        return plain[text]()
    kind, _, rest = text.partition(":")
    if kind == "tiles" and rest:
        return tiles_of(rest, None)
    if rest:
        return _own(kind, rest)
    raise UsageError(
        f"there are no features {text!r}: take {', '.join(plain)}, tiles:WxH, tiles:WxH:V, or module:function"
    )


def _own(module: str, name: str) -> Any:
    """A function of a step from somebody's own module."""
    if "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, "")  # people mean a file in the current folder
    try:
        function = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        raise UsageError(f"{module}:{name}: {error}") from None
    if not callable(function):
        raise UsageError(f"{module} has no function {name!r}")
    return function


def tiles_of(text: str, values: int | None) -> Tiles:
    """Tiles from `8x11`, `8x11x32` or `8x11:32`."""
    from widthwise.simulators.features import Tiles

    found = _TILES.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} are no tiles: write width x height, such as 4x4, or with values 8x11:32")
    width, height, own = found.groups()
    return Tiles(int(width), int(height), int(own) if own else values or 256)


def policy_agent(args: argparse.Namespace, options: dict[str, Any]) -> OnlinePlanner:
    """The agent that acts with what a run has learned; options that describe another planner are refused."""
    from widthwise.experiments.policy import learned_agent

    for name, value in (
        ("--planner", args.planner),
        ("--preset", args.preset),
        ("--width", args.width),
        ("--high-planner", args.high_planner),
        ("--low-planner", args.low_planner),
        ("--tiles", args.tiles),
        ("--values", args.values),
        ("--low-features", args.low_features),
    ):
        if value is not None:
            raise UsageError(f"{name} is for planning without a policy: the run in {args.policy} says how it plans")
    agent = learned_agent(
        args.policy, args.env, options, network_only=args.network_only, chance=args.chance, trust=args.trust
    )
    budget = agent.budget
    agent.budget = replace(
        budget, steps=args.budget or budget.steps, nodes=args.nodes or budget.nodes, seconds=args.max_time
    )
    return agent


def title(args: argparse.Namespace, agent: OnlinePlanner) -> str:
    """What plays, in a word or two."""
    if args.policy is None:
        return agent.planner.name
    return "the network alone" if args.network_only else f"π-{agent.planner.name}"
