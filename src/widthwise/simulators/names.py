"""Simulators by name."""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from importlib.util import find_spec
from typing import Any

from widthwise.core.contract import describe_exception
from widthwise.core.errors import MissingExtraError, SimulatorError, UnsupportedError, UsageError, WidthwiseError
from widthwise.core.simulator import Simulator
from widthwise.core.watchdog import watched_making
from widthwise.simulators.mazes import MAZES
from widthwise.simulators.options import check_options, known_options

#: Options of every Gymnasium environment that are not passed on to it.
OURS = ("copy", "shared", "deterministic", "actions", "action_repeat")


def simulator(env: Any, **options: Any) -> Simulator:
    """A simulator from a name, a Gymnasium environment, a PDDL task, or an object that already is a simulator.

    Args:
        env: A simulator, a Gymnasium environment, a `Task`, or a name: `maze-small`, `maze-large`, `corridor`,
            `maze:FILE` for your own maze, `atari:GAME`, the id of a Gymnasium environment, or `module:attribute`
            (a simulator, an environment, or a function that returns one).
        options: Options of the environment.

    Returns:
        The simulator.

    Raises:
        UsageError: There is no such environment or option, or the object is not a simulator.
        SimulatorError: Making the environment raised an exception.
        MissingExtraError: The environment needs a package that is not installed.

    Example:
        >>> env = ww.simulator("maze-small")
        >>> env.reset(seed=0).observation.shape
        (84, 84, 3)
    """
    if isinstance(env, str):
        with watched_making(env):
            return _named(env, options)
    if hasattr(env, "as_simulator"):
        converted: Simulator = env.as_simulator(**options)
        return converted
    if hasattr(env, "unwrapped") and hasattr(env, "action_space"):
        return wrap(env, **options)
    missing = [name for name in ("actions", "reset", "step", "save", "load") if not hasattr(env, name)]
    if missing:
        raise UsageError(
            f"{type(env).__name__} is not a simulator: it has no {', '.join(missing)}. Give a name, a Gymnasium "
            "environment, or an object with actions, reset, step, save and load"
        )
    if options:
        raise UsageError(f"an existing simulator takes no options: leave out {', '.join(options)}")
    ready: Simulator = env
    return ready


def _named(name: str, options: dict[str, Any]) -> Simulator:
    kind, colon, rest = name.partition(":")
    if name in MAZES or kind == "maze" or "\n" in name:
        from widthwise.simulators.maze import Maze, MazeLayout

        if "\n" in name:
            layout = MazeLayout.parse(rest.lstrip("\n") if kind == "maze" else name)
        else:
            layout = MazeLayout.parse(MAZES[name], name) if name in MAZES else MazeLayout.read(rest)
        return _make(Maze, name, layout, **options)
    if kind == "atari" and colon:
        from widthwise.simulators.atari import Atari

        return _make(Atari, name, rest, **options)
    if colon and "/" not in kind and not rest.partition("/")[2]:
        return _from_module(kind, rest, options)
    return _from_gymnasium(name, options)


def _make(kind: Any, name: str, *arguments: Any, **options: Any) -> Simulator:
    first = list(inspect.signature(kind).parameters)[: len(arguments)]
    check_options(name, kind, options)
    if taken := [option for option in options if option in first]:
        raise UsageError(f"the option {taken[0]!r} of {name} is already determined by the name: leave it out")
    environment: Simulator = kind(*arguments, **options)
    return environment


def _from_module(module: str, attribute: str, options: dict[str, Any]) -> Simulator:
    if "" not in sys.path and "." not in sys.path:
        # For modules in the current folder: `python -m` finds them, an installed script does not.
        sys.path.insert(0, "")
    try:
        target: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UsageError(f"{module}:{attribute}: {error}") from None
    except (Exception, SystemExit) as error:
        raise SimulatorError(f"{module}:{attribute}: the import raised {describe_exception(error)}") from error
    for part in attribute.split("."):
        if not hasattr(target, part):
            close = difflib.get_close_matches(part, dir(target), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UsageError(f"the module {module} has no attribute {part!r}{hint}")
        target = getattr(target, part)
    if not callable(target) or hasattr(target, "as_simulator"):
        return simulator(target, **options)
    check_options(f"{module}:{attribute}", target, options)
    try:
        environment = target(**options)
    except WidthwiseError:
        raise
    except TypeError as error:
        if options and "argument" in str(error):  # an option that it does not take
            raise UsageError(f"{module}:{attribute}: {error}") from error
        raise SimulatorError(f"{module}:{attribute}: creating it raised {describe_exception(error)}") from error
    except (Exception, SystemExit) as error:
        raise SimulatorError(f"{module}:{attribute}: creating it raised {describe_exception(error)}") from error
    return simulator(environment)


def _from_gymnasium(name: str, options: dict[str, Any]) -> Simulator:
    if find_spec("gymnasium") is None:
        if "/" in name or name.rpartition("-v")[2].isdigit():
            raise MissingExtraError(f"the Gymnasium environment {name}", "gym")
        raise UsageError(f"{name!r} is not a simulator{_near(name, [])}")
    import gymnasium

    from widthwise.simulators import gym_registry
    from widthwise.simulators.gymnasium_env import STRATEGIES

    gym_registry.register()
    for module, prefix in (("ale_py", "ALE/"), ("minigrid", ("MiniGrid-", "BabyAI-"))):
        if name.startswith(prefix):
            if find_spec(module) is None:
                raise _missing(name, module)
            importlib.import_module(module)
    ours = {key: options[key] for key in OURS if key in options}
    theirs = {key: value for key, value in options.items() if key not in ours}
    if ours.get("copy", "auto") not in STRATEGIES:
        raise UsageError(f"unknown copy strategy {ours['copy']!r}; choose one of {', '.join(STRATEGIES)}")
    _check_gymnasium(name, theirs)
    try:
        env = gymnasium.make(name, disable_env_checker=True, **theirs)
    except gymnasium.error.UnregisteredEnv:
        raise UsageError(f"{name!r} is not a simulator{_near(name, list(gymnasium.registry))}") from None
    except (gymnasium.error.Error, ImportError, TypeError, ValueError) as error:
        if str(error).startswith("Malformed"):
            raise UsageError(f"{name!r} is not a simulator{_near(name, [])}") from None
        raise UsageError(f"{name}: {error}") from None
    return wrap(env, **ours)


def _missing(name: str, module: str) -> WidthwiseError:
    """The error for an environment whose package is not installed."""
    if module == "ale_py":
        return MissingExtraError(f"the Gymnasium environment {name}", "atari")
    return UnsupportedError(f"the Gymnasium environment {name} needs the package {module}: pip install {module}")


def _check_gymnasium(name: str, options: dict[str, Any]) -> None:
    """Refuse options that neither the environment nor `gymnasium.make` accepts."""
    import gymnasium
    from gymnasium.envs import registration

    try:
        spec = gymnasium.spec(name)
        entry: Any = spec.entry_point
        maker = entry if callable(entry) else registration.load_env_creator(entry)
    except (gymnasium.error.Error, ImportError, AttributeError):
        return  # creating the environment raises the fitting error
    general = [option for option in known_options(gymnasium.make) or () if option not in ("id", "disable_env_checker")]
    fixed = [option for option in spec.kwargs if option not in general]
    check_options(name, maker, options, [*general, *fixed, *OURS])


def wrap(env: Any, **options: Any) -> Simulator:
    """A Gymnasium environment as the simulator for its kind."""
    from widthwise.simulators.gymnasium_env import GymnasiumSimulator
    from widthwise.simulators.minigrid import MiniGridSimulator, is_minigrid

    return MiniGridSimulator(env, **options) if is_minigrid(env) else GymnasiumSimulator(env, **options)


def _near(name: str, registered: list[str]) -> str:
    from widthwise.simulators.atari_games import PAPER_GAMES, ale_name

    known = [*MAZES, *(f"atari:{ale_name(game)}" for game in PAPER_GAMES), *registered]
    low = {candidate.lower(): candidate for candidate in known}
    game = f"atari:{ale_name(name)}"
    close = [game] if game in low else difflib.get_close_matches(name.lower(), low, 1)
    hint = f"; did you mean {low[close[0]]}?" if close else ""
    return f"{hint} (names: {', '.join(MAZES)}, maze:FILE, atari:GAME, a Gymnasium id, module:attribute)"
