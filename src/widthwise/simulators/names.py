"""Simulators by name."""

from __future__ import annotations

import difflib
import importlib
import sys
from importlib.util import find_spec
from typing import Any

from widthwise.core.contract import describe_exception
from widthwise.core.errors import MissingExtraError, SimulatorError, UsageError, WidthwiseError
from widthwise.core.simulator import Simulator
from widthwise.simulators.mazes import MAZES


def simulator(env: Any, **options: Any) -> Simulator:
    """A simulator from a name, a Gymnasium environment, a PDDL task, or anything that already is one.

    Names: `maze-small`, `maze-large`, `corridor`; `maze:FILE` for a maze of one's own; `atari:GAME`; the id
    of any Gymnasium environment; `module:attribute`, a simulator or environment or a function that makes
    one. Options go to whatever is made.
    """
    if isinstance(env, str):
        return _named(env, options)
    if hasattr(env, "as_simulator"):
        made: Simulator = env.as_simulator(**options)
        return made
    if hasattr(env, "unwrapped") and hasattr(env, "action_space"):
        from widthwise.simulators.gymnasium_env import GymnasiumSimulator

        return GymnasiumSimulator(env, **options)
    missing = [name for name in ("actions", "reset", "step", "save", "load") if not hasattr(env, name)]
    if missing:
        raise UsageError(
            f"{type(env).__name__} is no simulator: it lacks {', '.join(missing)}. Give a name, a Gymnasium "
            "environment, or an object with actions, reset, step, save and load"
        )
    if options:
        raise UsageError(f"a ready simulator takes no options, not even {', '.join(options)}")
    ready: Simulator = env
    return ready


def _named(name: str, options: dict[str, Any]) -> Simulator:
    kind, colon, rest = name.partition(":")
    if name in MAZES or kind == "maze" or "\n" in name:
        from widthwise.simulators.maze import Maze, Plan

        if "\n" in name:
            plan = Plan.parse(rest.lstrip("\n") if kind == "maze" else name)
        else:
            plan = Plan.parse(MAZES[name], name) if name in MAZES else Plan.read(rest)
        return _make(Maze, name, plan, **options)
    if kind == "atari" and colon:
        from widthwise.simulators.atari import Atari

        return _make(Atari, name, rest, **options)
    if colon and "/" not in kind and not rest.partition("/")[2]:
        return _from_module(kind, rest, options)
    return _from_gymnasium(name, options)


def _make(kind: Any, name: str, *arguments: Any, **options: Any) -> Simulator:
    try:
        made: Simulator = kind(*arguments, **options)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise UsageError(f"{name}: {str(error).partition(') ')[2] or error}") from None
    return made


def _from_module(module: str, attribute: str, options: dict[str, Any]) -> Simulator:
    if "" not in sys.path and "." not in sys.path:
        # People mean a file in the current folder; `python -m` finds it, an installed script does not.
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"{module}:{attribute}: {error}") from None
    except (Exception, SystemExit) as error:
        raise SimulatorError(f"{module}:{attribute}: importing it raised {describe_exception(error)}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, dir(found), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UsageError(f"{module} has no {part!r}{hint}")
        found = getattr(found, part)
    if not callable(found) or hasattr(found, "as_simulator"):
        return simulator(found, **options)
    try:
        made = found(**options)
    except WidthwiseError:
        raise
    except TypeError as error:
        if options and "argument" in str(error):  # an option that it does not take
            raise UsageError(f"{module}:{attribute}: {error}") from error
        raise SimulatorError(f"{module}:{attribute}: making it raised {describe_exception(error)}") from error
    except (Exception, SystemExit) as error:
        raise SimulatorError(f"{module}:{attribute}: making it raised {describe_exception(error)}") from error
    return simulator(made)


def _from_gymnasium(name: str, options: dict[str, Any]) -> Simulator:
    if find_spec("gymnasium") is None:
        if "/" in name or name.rpartition("-v")[2].isdigit():
            raise MissingExtraError(f"the Gymnasium environment {name}", "gym")
        raise UsageError(f"{name!r} is no simulator{_near(name, [])}")
    import gymnasium

    from widthwise.simulators import gym_mazes
    from widthwise.simulators.gymnasium_env import STRATEGIES, GymnasiumSimulator

    gym_mazes.register()
    for module, prefix in (("ale_py", "ALE/"), ("minigrid", ("MiniGrid-", "BabyAI-"))):
        if name.startswith(prefix) and find_spec(module) is not None:
            importlib.import_module(module)
    ours = {key: options[key] for key in ("copy", "shared", "deterministic") if key in options}
    theirs = {key: value for key, value in options.items() if key not in ours}
    if ours.get("copy", "auto") not in STRATEGIES:
        raise UsageError(f"copy={ours['copy']!r} is no way to copy; take one of {', '.join(STRATEGIES)}")
    try:
        env = gymnasium.make(name, disable_env_checker=True, **theirs)
    except gymnasium.error.UnregisteredEnv:
        raise UsageError(f"{name!r} is no simulator{_near(name, list(gymnasium.registry))}") from None
    except (gymnasium.error.Error, ImportError, TypeError, ValueError) as error:
        if str(error).startswith("Malformed"):
            raise UsageError(f"{name!r} is no simulator{_near(name, [])}") from None
        raise UsageError(f"{name}: {error}") from None
    return GymnasiumSimulator(env, **ours)


def _near(name: str, registered: list[str]) -> str:
    from widthwise.simulators.atari_games import PAPER_GAMES, ale_name

    known = [*MAZES, *(f"atari:{ale_name(game)}" for game in PAPER_GAMES), *registered]
    low = {one.lower(): one for one in known}
    game = f"atari:{ale_name(name)}"
    close = [game] if game in low else difflib.get_close_matches(name.lower(), low, 1)
    hint = f"; did you mean {low[close[0]]}?" if close else ""
    return f"{hint} (names: {', '.join(MAZES)}, maze:FILE, atari:GAME, a Gymnasium id, module:attribute)"
