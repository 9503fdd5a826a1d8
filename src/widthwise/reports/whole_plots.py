"""The plot of the report on whole problems."""

from __future__ import annotations

from typing import Any

from widthwise.core.errors import MissingExtraError
from widthwise.core.showing import counted
from widthwise.reports.axes import count_axis, from_zero, log_axis
from widthwise.reports.plots import STYLE as PLOT_STYLE
from widthwise.reports.plots import to_svg
from widthwise.reports.whole_suite import Problem, Whole, status_of


def whole_plots(whole: Whole) -> dict[str, str]:
    """The cactus plot: how many problems each planner has solved within so much CPU time."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "plot") from None
    with matplotlib.rc_context(PLOT_STYLE):
        return {"solved-over-time": to_svg(cactus(Figure, whole))}


def solved_problems(whole: Whole, column: str) -> list[tuple[float, Problem]]:
    """When the plans of a planner were there, ascending: one for each problem, the median seed's."""
    times = []
    for problem in whole.all_problems:
        own = sorted(
            line["plan_seconds"] if status_of(line) == "solved" else float("inf") for line in whole.of(column, problem)
        )
        if own and own[(len(own) - 1) // 2] != float("inf"):
            times.append((own[(len(own) - 1) // 2], problem))
    return sorted(times)


def solved_times(whole: Whole, column: str) -> list[float]:
    """When the plans of a planner were there, ascending."""
    return [seconds for seconds, _ in solved_problems(whole, column)]


def end_of_time(whole: Whole) -> float:
    """The right end of the plot: the largest limit of the runs, or the last plan."""
    limits = [run.config["settings"]["limits"] for run in whole.runs]
    limit = max((limit for own in limits for limit in (own["cpu"], own["wall"]) if limit is not None), default=None)
    return max([limit or 0.1, *(time for column in whole.columns for time in solved_times(whole, column)[-1:])])


def cactus(figure_class: Any, whole: Whole) -> Any:
    """The figure of problems solved over CPU time, a curve for each planner."""
    figure = figure_class(figsize=(7.5, 4.5))
    axes = figure.add_subplot()
    end = end_of_time(whole)
    for column in whole.columns:
        times = solved_times(whole, column)
        xs, ys = [0.01, *(max(time, 0.01) for time in times)], list(range(len(times) + 1))
        axes.step([*xs, end], [*ys, ys[-1]], where="post", label=f"{column} ({len(times)})", linewidth=1.3)
    axes.set(xscale="log", xlabel="CPU seconds until the plan was found", ylabel="problems solved")
    axes.set_xlim(0.009, 1.1 * end)
    axes.set_ylim(*from_zero([len(whole.all_problems)]))
    log_axis(axes.xaxis)
    count_axis(axes.yaxis, 8)
    axes.legend(loc="upper left")
    axes.set_title(f"{counted(len(whole.all_problems), 'problem')}")
    return figure
