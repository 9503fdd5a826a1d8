"""The door to unified-planning: an engine for its operation modes, and bridges between its problems and tasks.

`register()` adds the engine `widthwise` to an environment. unified-planning is imported when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from widthwise.up.bridge import from_unified_planning, sequential_plan, to_unified_planning
from widthwise.up.supported import require_unified_planning

if TYPE_CHECKING:
    from widthwise.up.engine import WidthwiseEngine

#: The name of the engine in unified-planning.
ENGINE = "widthwise"

__all__ = [
    "ENGINE",
    "WidthwiseEngine",
    "from_unified_planning",
    "register",
    "sequential_plan",
    "to_unified_planning",
]


def register(environment: Any = None) -> None:
    """Add the engine `widthwise` to an environment of unified-planning. A second call changes nothing.

    Args:
        environment: The environment. Without it, the global environment.

    Raises:
        MissingExtraError: unified-planning is not installed.

    Example:
        >>> import widthwise.up
        >>> widthwise.up.register()
        >>> from unified_planning.shortcuts import get_environment
        >>> "widthwise" in get_environment().factory.engines
        True
    """
    require_unified_planning("the engine for unified-planning")
    from unified_planning.environment import get_environment

    factory = get_environment(environment).factory
    if ENGINE not in factory.engines:
        factory.add_engine(ENGINE, __name__, "WidthwiseEngine")


def __getattr__(name: str) -> Any:
    """Import the engine when it is first used."""
    if name == "WidthwiseEngine":
        require_unified_planning("the engine for unified-planning")
        from widthwise.up.engine import WidthwiseEngine

        globals()[name] = WidthwiseEngine
        return WidthwiseEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
