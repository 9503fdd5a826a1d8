"""Plots of a classical suite, as SVG: nodes of one planner against another's, and coverage over nodes."""

from __future__ import annotations

import io
from collections import defaultdict
from statistics import median
from typing import Any

from widthwise.core.errors import MissingExtraError
from widthwise.core.showing import counted
from widthwise.reports.axes import log_axis
from widthwise.reports.records import Records

Goal = tuple[str, str, str]  # row, instance, goal
Steps = tuple[list[float], list[float]]  # nodes, and the percent that is solved within them
#: How all plots look; the salt makes their bytes the same every time.
STYLE: Any = {"svg.hashsalt": "widthwise", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}


def make_plots(records: Records) -> dict[str, str]:
    """All plots that these records allow, by name, as SVG texts that are the same for the same records."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "plot") from None
    with matplotlib.rc_context(STYLE):
        plots = {}
        if "IW(2)" in records.columns and "IHIW(1,1)" in records.columns:
            plots["nodes-ihiw-iw2"] = to_svg(_scatter(Figure, records, "IW(2)", "IHIW(1,1)"))
        plots["coverage-over-nodes"] = to_svg(coverage_figure(Figure, records))
        return plots


def nodes_by_goal(records: Records, column: str) -> dict[Goal, list[float]]:
    """The nodes that every goal took a planner, one number per seed; infinity where it was not solved."""
    counts: dict[Goal, list[float]] = defaultdict(list)
    for name, line in records.lines:
        if name != column or line["failure"] is not None:
            continue
        for goal, status, nodes in zip(line["goal"], line["status"], line["generated"], strict=True):
            counts[line["row"], line["instance"], goal].append(nodes if status == "solved" else float("inf"))
    return counts


def to_svg(figure: Any) -> str:
    """A figure as an SVG text."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None}, bbox_inches="tight", dpi=150)
    return stream.getvalue()


def _scatter(figure_class: Any, records: Records, across: str, up: str) -> Any:
    """Nodes per goal, the median over seeds; goals that only one of the two solves lie on the edges."""
    first, second = nodes_by_goal(records, across), nodes_by_goal(records, up)
    points = [(median(first[goal]), median(second[goal])) for goal in first if goal in second]
    solved = [value for point in points for value in point if value != float("inf")]
    limit = float(records.budget or max(solved, default=1.0))
    edge = 2.0 * limit
    figure = figure_class(figsize=(5.2, 5.0))
    axes = figure.add_subplot()
    shown = [(min(x, edge), min(y, edge)) for x, y in points if min(x, y) != float("inf")]
    # Thousands of points would make a page of megabytes: they are drawn as a picture inside the plot.
    axes.scatter(
        [x for x, _ in shown],
        [y for _, y in shown],
        s=6,
        alpha=0.25,
        linewidths=0,
        color="#1f5fa8",
        rasterized=True,
    )
    axes.plot([1, limit], [1, limit], color="#888888", linewidth=0.8)
    axes.axvline(limit * 1.4, color="#888888", linewidth=0.6, linestyle=":")
    axes.axhline(limit * 1.4, color="#888888", linewidth=0.6, linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=(0.8, 3 * limit), ylim=(0.8, 3 * limit))
    log_axis(axes.xaxis)
    log_axis(axes.yaxis)
    only_first = sum(1 for x, y in points if y == float("inf") > x)
    only_second = sum(1 for x, y in points if x == float("inf") > y)
    axes.set_xlabel(f"nodes of {across} (right of the dotted line: solved by {up} only, {only_second:,})")
    axes.set_ylabel(f"nodes of {up} (above it: solved by {across} only, {only_first:,})")
    axes.set_title(f"Generated nodes per goal, {counted(len(shown), 'goal')}")
    return figure


def coverage_figure(figure_class: Any, records: Records) -> Any:
    """The share of goals solved within x nodes, rows weighted equally on the left and goals on the right."""
    figure = figure_class(figsize=(9.5, 4.0))
    left, right = figure.subplots(1, 2, sharey=True)
    curves = {column: coverage_steps(records, column) for column in records.columns}
    ends = [xs[-1] for pair in curves.values() for xs, _ in pair]
    limit = max([float(records.budget or 1), *ends])
    for column, pair in curves.items():
        for axes, (xs, ys) in zip((left, right), pair, strict=False):
            axes.step([*xs, limit], [*ys, ys[-1]], where="post", label=column, linewidth=1.3)
    for axes, title in ((left, "mean of rows"), (right, "all goals")):
        # A little more than the range, so that no curve lies on the frame.
        axes.set(xscale="log", xlim=(0.9, 1.15 * limit), ylim=(0, 103), xlabel="generated nodes", title=title)
        log_axis(axes.xaxis)
    left.set_ylabel("solved within a given number of nodes, %")
    left.legend(loc="upper left")
    return figure


def coverage_steps(records: Records, column: str) -> list[Steps]:
    """The curves of a planner, where they rise: with rows weighted equally, and with goals weighted equally."""
    by_row: dict[str, list[float]] = defaultdict(list)
    for (row, _, _), nodes in nodes_by_goal(records, column).items():
        by_row[row].extend(nodes)
    if not by_row:
        return []
    rows = [(value, 1.0 / len(values) / len(by_row)) for values in by_row.values() for value in values]
    count = sum(len(values) for values in by_row.values())
    goals = [(value, 1.0 / count) for values in by_row.values() for value in values]
    return [_steps(rows), _steps(goals)]


def _steps(weighted: list[tuple[float, float]]) -> Steps:
    """The points at which a curve of summed weights rises."""
    xs, ys = [1.0], [0.0]
    for nodes, weight in sorted(weighted):
        if nodes == float("inf"):
            break
        if nodes == xs[-1]:
            ys[-1] += 100.0 * weight
        else:
            xs.append(nodes)
            ys.append(ys[-1] + 100.0 * weight)
    return xs, ys
