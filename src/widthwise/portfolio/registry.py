"""Planners by name, for the command line and `solve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from widthwise.core.errors import UsageError
from widthwise.core.level import Width
from widthwise.core.model import LevelFeatures, Model
from widthwise.core.result import Outcome
from widthwise.core.showing import counted
from widthwise.portfolio.auto import Auto
from widthwise.portfolio.planner_names import NAMES
from widthwise.task_search.backward import Backward
from widthwise.task_search.bfs import BFS
from widthwise.task_search.bfws import BFWS, GBFS
from widthwise.task_search.hiw import HIW
from widthwise.task_search.ihiw import IHIW
from widthwise.task_search.iw import IW
from widthwise.task_search.siw import SIW


class Planner(Protocol):
    """The protocol of planners for tasks. `solve(task, planner)` takes any object with these attributes.

    `widths` may be empty. `examples/own_task_planner.py` is a planner in Python.

    Example:
        >>> planner = ww.IW(2)
        >>> planner.name, planner.widths
        ('IW(2)', (2,))
    """

    @property
    def name(self) -> str:
        """The name in results."""

    @property
    def widths(self) -> tuple[Width, ...]:
        """The widths of its levels, highest first; empty if it has none."""

    def run(self, model: Model) -> Outcome:
        """Search until the goal or a limit (`model.limit`) is reached, or no node is left; returns the outcome."""


_WITHOUT_WIDTH: dict[str, Callable[[], Planner]] = {
    "auto": Auto,
    "bfs": BFS,
    "bfws": BFWS,
    "gbfs": GBFS,
    "backward": Backward,
}
_YES_NO = {"yes": True, "no": False}
_ORDER = {"breadth-first": False, "depth-first": True}
#: The choices inside IHIW by name, with their values; the default first.
CHOICES: Mapping[str, Mapping[str, Any]] = {
    "pick": {"last": "last", "random": "random"},
    "rebuild": {"changed": "changed", "new": "new"},
    "entry-in-table": _YES_NO,
    "negated": {"no": False, "yes": True},
    "stuck": {"wake": "wake", "stop": "stop"},
    "high-order": _ORDER,
    "low-order": _ORDER,
}


def parse_widths(text: str) -> tuple[Width, ...]:
    """Widths as the paper writes them: `2`, `1,1` (high level first), `n` for all features of a level."""
    widths: list[Width] = []
    for part in text.split(","):
        part = part.strip()
        if part == "n":
            widths.append("n")
        elif part.isascii() and part.isdigit() and int(part) > 0:
            widths.append(int(part))
        else:
            raise UsageError(
                f"{text!r} is not a width: give a width such as 2, or one per level such as 1,1 (high level first); n "
                "stands for all features"
            )
    return tuple(widths)


def parse_choices(text: str) -> dict[str, Any]:
    """Choices inside IHIW as the command line writes them: `pick=random,negated=yes`."""
    choices: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in CHOICES:
            raise UsageError(f"ihiw has no choice {name!r}; its choices are {', '.join(CHOICES)}")
        if value not in CHOICES[name]:
            raise UsageError(f"write the choice {name} of ihiw as {name}={'|'.join(CHOICES[name])}, not {part!r}")
        if name in choices:
            raise UsageError(f"the choice {name} of ihiw is given twice")
        choices[name] = CHOICES[name][value]
    return choices


def make_planner(
    name: str,
    widths: Sequence[Width] | None = None,
    high: Sequence[LevelFeatures] = (),
    choices: Mapping[str, Any] | None = None,
) -> Planner:
    """A planner by name, with its widths (high level first), the features of its upper levels, and choices inside it.

    `choices` are for ihiw, by the names of `CHOICES`.
    """
    if name not in NAMES:
        raise UsageError(f"unknown planner {name!r}; the planners are {', '.join(NAMES)}")
    if high and name != "hiw":
        raise UsageError(f"high-level features are for the planner hiw, not for {name}")
    if choices is not None and name != "ihiw":
        raise UsageError(f"the planner {name} has no choices of ihiw", command="leave out --ihiw")
    if name in _WITHOUT_WIDTH:
        if widths is not None:
            raise UsageError(f"the planner {name} takes no width")
        return _WITHOUT_WIDTH[name]()
    if name == "siw":
        return _serialised(widths or (2,))
    if name == "iw":
        return IW(_counted(name, widths or (1,), 1)[0])
    if name == "ihiw":
        upper, lower = _counted(name, widths or (1, 1), 2)
        options = {choice.replace("-", "_"): value for choice, value in (choices or {}).items()}
        above = IW(upper, depth_first=options.pop("high_order", False))
        return IHIW(high=above, low=IW(lower, depth_first=options.pop("low_order", False)), **options)
    if not high:
        raise UsageError(
            "hiw needs high-level features",
            python="give a planner such as ww.HIW(['(have-key)']), or use 'ihiw', which discovers them",
            command="give --high ATOM-PATTERN, or use --planner ihiw, which discovers them",
        )
    levels = _counted(name, widths or (1,) * (len(high) + 1), len(high) + 1)
    planner: IW | HIW = IW(levels[-1])
    for width, features in zip(reversed(levels[:-1]), reversed(high), strict=True):
        planner = HIW(features, high=IW(width), low=planner)
    return planner


def _serialised(widths: Sequence[Width]) -> SIW:
    if len(widths) == 2:
        return SIW(IHIW(high=IW(widths[0]), low=IW(widths[1])))
    width = _counted("siw", widths, 1)[0]
    return SIW(IW("n") if width == "n" else width)


def _counted(name: str, widths: Sequence[Width], count: int) -> Sequence[Width]:
    if len(widths) != count:
        raise UsageError(
            f"the planner {name} has {counted(count, 'level')} here and takes one width per level, "
            f"not {','.join(map(str, widths))}"
        )
    return widths
