"""Options of environments: refused with near matches, before anything runs, if the environment does not accept them."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from widthwise.core.errors import UsageError


def check_options(name: str, make: Callable[..., Any], options: dict[str, Any], more: Iterable[str] = ()) -> None:
    """Refuse options that a class or function does not take; `more` are taken elsewhere.

    Of a class with `**kwargs` the parameters of its parents count too. What takes any keyword is left to itself.
    """
    known = known_options(make)
    for option, value in options.items():
        if option in more:
            continue
        if known is not None and option not in known:
            names = sorted({*known, *more})
            close = difflib.get_close_matches(option, names, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UsageError(f"{name} has no option {option!r}{hint} (its options: {', '.join(names) or 'none'})")
        if known is not None and isinstance(known[option], bool) and not isinstance(value, bool):
            raise UsageError(f"{name}: the option {option} must be true or false, not {value!r}")


def known_options(make: Callable[..., Any]) -> dict[str, Any] | None:
    """The keyword parameters of a class or function with their defaults; None if it takes any keyword."""
    functions = [make]
    if isinstance(make, type):
        functions = [vars(kind)["__init__"] for kind in make.__mro__ if "__init__" in vars(kind) and kind is not object]
    known: dict[str, Any] = {}
    for function in functions:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return None
        for parameter in parameters[1 if isinstance(make, type) else 0 :]:
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                known.setdefault(parameter.name, parameter.default)
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            return known  # nothing is passed on
    return known if isinstance(make, type) else None
