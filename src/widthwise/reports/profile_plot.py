"""The picture of a width profile: how many goals each planner was the first to solve, and what each goal took."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from widthwise.core.errors import MissingExtraError, UsageError
from widthwise.core.showing import counted

FORMATS = ("png", "svg", "pdf")
UNSOLVED = "not solved"
# From what is easy to what is hard, light to dark, and what is not solved apart.
_COLOURS = ("#c9d6df", "#9ecae1", "#4a98c9", "#f2a65a", "#d1603d", "#7b3f61", "#4b2142", "#2b1a2f")
_MISSING = "#bbbbbb"


def check_plot(path: Path) -> None:
    """Refuse a plot that cannot be drawn, before any work is done for it."""
    if path.suffix[1:].lower() not in FORMATS:
        raise UsageError(f"{path}: the file name of a plot must end in .{', .'.join(FORMATS)}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("the plot of a profile", "plot") from None


def draw_profile(title: str, goals: Sequence[Mapping[str, Any]], order: Sequence[str], kind: str = "png") -> bytes:
    """Draw a profile: `goals` as `GoalProfile.to_json` gives them, `order` the names of what may have solved one."""
    import matplotlib
    from matplotlib.figure import Figure

    names = [*order, UNSOLVED]
    colours = dict(zip(order, _COLOURS, strict=False)) | {UNSOLVED: _MISSING}
    by = [goal["solved_by"] or UNSOLVED for goal in goals]
    with matplotlib.rc_context({"svg.hashsalt": "widthwise", "font.size": 9}):
        figure = Figure(figsize=(9.0, max(2.8, min(0.9 + 0.2 * len(goals), 9.0))), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.7))
        figure.suptitle(f"{title}: the width of {counted(len(goals), 'goal')}")
        shown = [name for name in names if name in by or name in ("IW(1)", "IHIW(1,1)", "IW(2)")]
        bars = left.barh(shown, [by.count(name) for name in shown], color=[colours[name] for name in shown])
        left.bar_label(bars, padding=3)
        left.set(xlabel="goals", title="solved first by")
        left.invert_yaxis()
        left.margins(x=0.15)
        left.xaxis.get_major_locator().set_params(integer=True)
        _nodes(right, goals, by, colours)
        for axes in (left, right):
            axes.spines[["top", "right"]].set_visible(False)
        stream = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else {"CreationDate": None} if kind == "pdf" else None
        figure.savefig(stream, format=kind, dpi=150, metadata=metadata)
    return stream.getvalue()


def _nodes(axes: Any, goals: Sequence[Mapping[str, Any]], by: Sequence[str], colours: Mapping[str, str]) -> None:
    """The nodes of each goal, in the order of the file; by name as long as the names can be read."""
    nodes = [max(1, goal["generated"]) for goal in goals]
    places = range(len(goals))
    axes.hlines(places, 1, nodes, color="#dddddd", linewidth=1, zorder=1)
    axes.scatter(nodes, places, c=[colours[name] for name in by], s=26, edgecolors="#444444", linewidths=0.4, zorder=2)
    axes.set(xscale="log", xlabel="generated nodes of that search", title="search effort per goal")
    axes.set_xlim(0.8, 2 * max(nodes, default=1))
    axes.invert_yaxis()
    if len(goals) <= 40:
        axes.set_yticks(places, [goal["goal"] for goal in goals])
    else:
        axes.set_ylabel("goals in the order of the file")
