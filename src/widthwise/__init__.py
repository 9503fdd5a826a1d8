"""Hierarchical width-based planning and learning: `task = load(domain, problem)`, then `solve(task)`."""

from widthwise.classical.load import Domain, load
from widthwise.classical.plan import Plan
from widthwise.classical.solve import Result, solve, solve_each_goal
from widthwise.classical.task import Goal, Task
from widthwise.classical.validate import validate
from widthwise.core.budget import Budget
from widthwise.core.errors import (
    InputError,
    Interrupted,
    OutOfMemory,
    OutOfTime,
    UnsupportedError,
    UsageError,
    WidthwiseError,
)
from widthwise.core.result import Status
from widthwise.planners.auto import Auto
from widthwise.planners.bfs import BFS, DFS
from widthwise.planners.hierarchical import HIW
from widthwise.planners.incremental import IHIW
from widthwise.planners.iw import IW
from widthwise.version import __version__

__all__ = [
    "BFS",
    "DFS",
    "HIW",
    "IHIW",
    "IW",
    "Auto",
    "Budget",
    "Domain",
    "Goal",
    "InputError",
    "Interrupted",
    "OutOfMemory",
    "OutOfTime",
    "Plan",
    "Result",
    "Status",
    "Task",
    "UnsupportedError",
    "UsageError",
    "WidthwiseError",
    "__version__",
    "load",
    "solve",
    "solve_each_goal",
    "validate",
]
