"""Environments of training runs that are given as objects or factories instead of names."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from widthwise.core.contract import environment_name
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator
from widthwise.simulators.names import simulator

#: Makes a simulator of the environment of a run.
MakeSimulator = Callable[[], Simulator]
#: Ends the recorded name of an environment that no name can make again.
GIVEN = " (given in Python)"


def named_environment(environment: Any) -> tuple[str, MakeSimulator | None]:
    """The name under which a run records its environment, and how to make a simulator of it.

    Args:
        environment: A name, a function without arguments that returns a simulator or environment, or a simulator or
            Gymnasium environment, which is copied.

    Returns:
        The name, and a function that makes a simulator; None where the name is enough.

    Raises:
        UsageError: The environment is not a simulator, or cannot be copied.
    """
    if isinstance(environment, str):
        return environment, None
    if isinstance(environment, type) or (callable(environment) and not hasattr(environment, "step")):
        return _factory(environment)
    wrapped = simulator(environment)
    name = f"{environment_name(wrapped)}{GIVEN}"
    template = _copied(environment, name)
    return name, partial(_copied_simulator, template, name)


def _factory(factory: Callable[[], Any]) -> tuple[str, MakeSimulator]:
    module, name = getattr(factory, "__module__", ""), getattr(factory, "__qualname__", type(factory).__name__)
    attribute: Any = sys.modules.get(module)
    for part in name.split("."):
        attribute = getattr(attribute, part, None)
    # A factory that can be imported again has a name from which the command line can continue the run.
    importable = attribute is factory and module != "__main__"
    return f"{module}:{name}" if importable else f"{name}{GIVEN}", partial(_made_simulator, factory)


def _made_simulator(factory: Callable[[], Any]) -> Simulator:
    return simulator(factory())


def _copied_simulator(template: Any, name: str) -> Simulator:
    return simulator(_copied(template, name))


def _copied(environment: Any, name: str) -> Any:
    try:
        return copy.deepcopy(environment)
    except Exception as error:
        raise UsageError(
            f"{name} cannot be copied ({type(error).__name__}: {error}): give a function that makes the environment"
        ) from error
