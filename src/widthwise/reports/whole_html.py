"""The report on whole problems as a page, and its plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from widthwise.core.errors import MissingExtraError
from widthwise.core.showing import counted
from widthwise.reports.axes import count_axis, from_zero, log_axis
from widthwise.reports.page import made_by, page, pictures, prose
from widthwise.reports.plots import STYLE as PLOT_STYLE
from widthwise.reports.plots import to_svg
from widthwise.reports.records import Record, SuiteRun
from widthwise.reports.whole_suite import Whole, reason_of, status_of
from widthwise.reports.whole_text import LEGEND, coverage, errors, lost, summary


def whole_plots(whole: Whole) -> dict[str, str]:
    """The cactus plot: how many problems each planner has solved within so much CPU time."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "plot") from None
    with matplotlib.rc_context(PLOT_STYLE):
        return {"solved-over-time": to_svg(cactus(Figure, whole))}


def solved_times(whole: Whole, column: str) -> list[float]:
    """When the plans of a planner were there, ascending: one for each problem, the median seed's."""
    times = []
    for problem in whole.all_problems:
        own = sorted(
            line["plan_seconds"] if status_of(line) == "solved" else float("inf") for line in whole.of(column, problem)
        )
        if own and own[(len(own) - 1) // 2] != float("inf"):
            times.append(own[(len(own) - 1) // 2])
    return sorted(times)


def cactus(figure_class: Any, whole: Whole) -> Any:
    """The figure of problems solved over CPU time, a curve for each planner."""
    figure = figure_class(figsize=(7.5, 4.5))
    axes = figure.add_subplot()
    limits = [run.config["settings"]["limits"] for run in whole.runs]
    limit = max((limit for own in limits for limit in (own["cpu"], own["wall"]) if limit is not None), default=None)
    solved = {column: solved_times(whole, column) for column in whole.columns}
    end = max([limit or 0.1, *(times[-1] for times in solved.values() if times)])
    for column, times in solved.items():
        xs, ys = [0.01, *(max(time, 0.01) for time in times)], list(range(len(times) + 1))
        axes.step([*xs, end], [*ys, ys[-1]], where="post", label=f"{column} ({len(times)})", linewidth=1.3)
    axes.set(xscale="log", xlabel="CPU seconds until the plan was there", ylabel="problems solved")
    axes.set_xlim(0.009, 1.1 * end)
    axes.set_ylim(*from_zero([len(whole.all_problems)]))
    log_axis(axes.xaxis)
    count_axis(axes.yaxis, 8)
    axes.legend(loc="upper left")
    axes.set_title(f"{counted(len(whole.all_problems), 'problem')}")
    return figure


def whole_page(whole: Whole, plots: Mapping[str, str], title: str = "Whole problems") -> str:
    """The whole page: tables, what is lost, plots, every problem, and how the runs were made."""
    wrong = errors(whole)
    losses = lost(whole, whole.columns[0]) if len(whole.columns) > 1 else []
    parts = ["<h2>Domains</h2>", f"<p>{prose(LEGEND)}</p>", _table(coverage(whole))]
    parts += ["<h2>Planners</h2>", _table(summary(whole))]
    if losses:
        parts += [f"<h2>Domains that {escape(whole.columns[0])} loses</h2>", _list(losses)]
    if wrong:
        parts += ["<h2>Worth knowing</h2>", f"<div class=errors>{_list(wrong)}</div>"]
    parts += pictures(plots)
    parts.append(f"<details><summary>Every problem</summary>{_table(_every(whole))}</details>")
    parts += ["<h2>Runs</h2>", *(_run(run) for run in whole.runs)]
    return page(title, parts)


def _every(whole: Whole) -> list[list[str]]:
    """Every problem: cost and CPU seconds until the plan was there, or why there is none."""
    rows = [["problem", *whole.columns]]
    for problem in whole.all_problems:
        texts = [", ".join(map(_outcome, whole.of(column, problem))) or "-" for column in whole.columns]
        rows.append([" ".join(problem), *texts])
    return rows


def _outcome(line: Record) -> str:
    if status_of(line) == "solved":
        return f"{line['cost']:g} in {line['plan_seconds']:.2f} s"
    return status_of(line) if status_of(line) != "failed" else f"failed: {reason_of(line)[:60]}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in rows[0])
    body = "".join(
        "<tr>"
        + "".join(f"<td{' class=worse' if text.endswith('▼') else ''}>{prose(text)}</td>" for text in row)
        + "</tr>"
        for row in rows[1:]
    )
    return f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _list(texts: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{prose(text)}</li>" for text in texts) + "</ul>"


def _run(run: SuiteRun) -> str:
    settings = run.config["settings"]
    limits = ", ".join(f"{name} {value:g}" for name, value in settings["limits"].items() if value is not None)
    planners = {f"planner {name}": command for name, command in settings["planners"].items()}
    return made_by(run.folder.name, run.config, {"limits": limits, **planners})
