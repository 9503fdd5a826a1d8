"""Learning curves, as SVG: training episodes, evaluations, losses and the cost of evaluations, over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from widthwise.core.errors import MissingExtraError
from widthwise.reports.axes import count_axis, from_zero, number
from widthwise.reports.plots import STYLE, to_svg
from widthwise.reports.training_runs import Group, Point

_COLOURS = ("#1f5fa8", "#d1602a", "#2e8b57", "#8e4ec6", "#b8860b", "#c2377e", "#4f6d7a", "#6b8e23")
_FEW = 30  # with this many points or fewer, each is marked

Series = tuple[str, Callable[[Group], Sequence[Point]]]  # what it is called where a panel has several
Panel = tuple[str, str, tuple[Series, ...]]

#: The panels: title, label of the vertical axis, and the series drawn there. Panels of scores share one axis.
PANELS: tuple[Panel, ...] = (
    ("training episodes (planner + network)", "score", (("", lambda group: group.curve("score")),)),
    ("evaluations: network alone", "score", (("", lambda group: group.evaluations("network_score")),)),
    ("evaluations: planner + network", "score", (("", lambda group: group.evaluations("planner_score")),)),
    ("steps of training episodes", "steps", (("", lambda group: group.curve("steps")),)),
    (
        "losses of the latest update",
        "loss",
        (
            ("policy loss", lambda group: group.curve("policy_loss")),
            ("value loss", lambda group: group.curve("value_loss")),
        ),
    ),
    (
        "cost of evaluations, not part of training",
        "evaluation interactions so far",
        (("", lambda group: group.evaluation_cost()),),
    ),
)
_LINES: Any = ("-", "--")


def learning_curves(groups: Sequence[Group]) -> dict[str, str]:
    """A plot per environment, by name, as SVG texts that are the same for the same records."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "plot") from None
    with matplotlib.rc_context(STYLE):
        plots = {}
        for environment in dict.fromkeys(group.environment for group in groups):
            own = [group for group in groups if group.environment == environment]
            plots[f"learning-{_file_name(environment)}"] = to_svg(learning_figure(Figure, environment, own))
        return plots


def _file_name(environment: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in environment).strip("-")


def learning_figure(figure_class: Any, environment: str, groups: Sequence[Group]) -> Any:
    """The figure of one environment: two rows of panels, scores above.

    The panels on the right, evaluations with the planner and what evaluations cost, are left out where neither was
    recorded: the runs of early versions have no such figures.
    """
    recorded = any(points_of(group) for panel in PANELS[2::3] for _, points_of in panel[2] for group in groups)
    columns = 3 if recorded else 2
    panels = [panel for number, panel in enumerate(PANELS) if number % 3 < columns]
    figure = figure_class(figsize=(0.5 + 4 * columns, 7.4))
    figure.suptitle(f"{environment}: {_seeds(groups)}", fontsize=11)
    longest = max((run.reached for group in groups for run in group.runs), default=0)
    scores: list[float] = []
    grid = list(figure.subplots(2, columns).flat)
    for axes, (title, unit, series) in zip(grid, panels, strict=True):
        values = _draw(axes, groups, series)
        axes.set(title=title, xlabel="training interactions", ylabel=unit)
        axes.set_xlim(0, max(1, longest) * 1.03)
        count_axis(axes.xaxis)
        if unit == "score":
            scores += values
            axes.yaxis.set_major_formatter(number)
        elif unit == "loss":
            axes.set_ylim(*from_zero(values, 0.0 if any(values) else 1.0))
        else:
            axes.set_ylim(*from_zero(values))
            count_axis(axes.yaxis, 6)
        if not values:
            axes.text(0.5, 0.5, "nothing recorded", transform=axes.transAxes, ha="center", va="center", color="#777777")
    for axes in grid[:columns]:
        axes.set_ylim(*from_zero(scores))
    handles, labels = _legend(grid, panels, groups)
    rows = -(-len(labels) // 4)
    figure.legend(handles, labels, loc="lower center", ncols=min(4, len(labels)), frameon=False)
    figure.subplots_adjust(left=0.18 / columns, right=0.99, top=0.9, bottom=0.1 + 0.03 * rows, wspace=0.24, hspace=0.36)
    return figure


def _seeds(groups: Sequence[Group]) -> str:
    """Over how many seeds the curves are."""
    counts = {group.seeds for group in groups}
    if counts == {1}:
        return "one seed"
    seeds = f"{min(counts)} seeds" if len(counts) == 1 else f"{min(counts)} to {max(counts)} seeds"
    return f"mean over {seeds}, shaded from the minimum to the maximum"


def _draw(axes: Any, groups: Sequence[Group], series: Sequence[Series]) -> list[float]:
    """Draw the series of a panel, and return all values that are to be seen there."""
    values: list[float] = []
    for index, group in enumerate(groups):
        for (name, points_of), line in zip(series, _LINES, strict=False):
            points = points_of(group)
            colour = _COLOURS[index % len(_COLOURS)]
            _curve(axes, points, f"{group.label}, {name}" if name else group.label, colour, line)
            values += [value for point in points for value in (point.low, point.high)]
    return values


def _curve(axes: Any, points: Sequence[Point], label: str, colour: str, line: str) -> None:
    if not points:
        return
    xs = [point.interactions for point in points]
    means = [point.mean for point in points]
    marker = "o" if len(points) <= _FEW else None
    axes.plot(xs, means, color=colour, label=label, linewidth=1.4, linestyle=line, marker=marker, markersize=3)
    if any(point.low != point.high for point in points):
        low, high = [point.low for point in points], [point.high for point in points]
        axes.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)


def _legend(grid: Sequence[Any], panels: Sequence[Panel], groups: Sequence[Group]) -> tuple[list[Any], list[str]]:
    """An entry per algorithm, and one per kind of line where a panel has several kinds."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=_COLOURS[index % len(_COLOURS)]) for index in range(len(groups))]
    labels = [group.label for group in groups]
    for axes, (_, _, series) in zip(grid, panels, strict=True):
        if len(series) > 1 and axes.lines:
            kinds = [Line2D([], [], color="#444444", linestyle=line) for line in _LINES[: len(series)]]
            axes.legend(kinds, [name for name, _ in series], loc="best", frameon=False)
    return handles, labels
