"""The table of searches as text and as Markdown, and their plot."""

from __future__ import annotations

from collections.abc import Sequence

from widthwise.core.errors import MissingExtraError
from widthwise.reports.axes import count_axis, from_zero
from widthwise.reports.plots import STYLE, to_svg
from widthwise.reports.search_runs import SearchGroup
from widthwise.reports.text import aligned

HEAD = (
    "environment",
    "seed",
    "interactions",
    "score",
    "steps",
    "found after",
    "high-level states",
    "seconds",
    "folder",
)
LEGEND = (
    "The best trajectory of each search, replayed from a reset. `found after` is the number of "
    "interactions of the search until then; the high-level states are those of each level, the highest first."
)


def rows(groups: Sequence[SearchGroup]) -> list[list[str]]:
    """The lines of the table as texts, the best score first within a group."""
    lines = []
    for group in groups:
        for run in sorted(group.runs, key=lambda run: -(run.best["score"] if run.best else float("-inf"))):
            best, last = run.best, run.result or (run.lines[-1] if run.lines else None)
            lines.append(
                [
                    group.environment,
                    str(run.seed),
                    f"{run.reached:,}",
                    "-" if best is None else f"{best['score']:g}",
                    "-" if best is None else f"{best['steps']:,}",
                    "-" if best is None else f"{best['found_at']:,}",
                    "-" if last is None else " + ".join(f"{count:,}" for count in last["high_level_states"]),
                    "-" if last is None else f"{last['seconds']:,.1f}",
                    str(run.folder),
                ]
            )
    return lines


def problems(groups: Sequence[SearchGroup]) -> list[str]:
    """Searches that are not finished, and searches without a trajectory, with what to do."""
    sentences = []
    for group in groups:
        for run in group.runs:
            if not run.finished:
                goal = run.config["settings"].get("interactions")
                of = f" of {goal:,}" if isinstance(goal, int) else ""
                sentences.append(f"{run.folder} is not finished: {run.reached:,}{of} interactions")
            if run.best is None:
                sentences.append(
                    f"{run.folder}: no trajectory was found that has a positive score or ends an episode of costs; "
                    "try more --interactions or other --tiles"
                )
    return sentences


def search_table(groups: Sequence[SearchGroup]) -> str:
    """The table for a terminal."""
    wrong = problems(groups)
    parts = ["Problems with the runs:\n" + "\n".join(f"  {line}" for line in wrong)] if wrong else []
    return "\n\n".join([*parts, aligned([list(HEAD), *rows(groups)], left=(0, 8)), LEGEND.replace("`", '"')])


def search_markdown(groups: Sequence[SearchGroup], plots: Sequence[str] = ()) -> str:
    """The table as a Markdown page; `plots` are links to pictures."""
    rule = [":--", *["--:"] * 7, ":--"]
    lines = "\n".join("| " + " | ".join(row) + " |" for row in [HEAD, rule, *rows(groups)])
    wrong = problems(groups)
    listed = ["\n".join(f"- {line}" for line in wrong)] if wrong else []
    return "\n\n".join([lines, LEGEND, *listed, *(f"![{name}]({name})" for name in plots)]) + "\n"


def search_plots(groups: Sequence[SearchGroup]) -> dict[str, str]:
    """The best score over the interactions, as an SVG text."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "plot") from None
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.5, 4.2))
        axes = figure.add_subplot()
        values = []
        for group in groups:
            points = group.curve("score")
            xs = [point.interactions for point in points]
            (line,) = axes.step(xs, [point.mean for point in points], where="post", label=group.environment)
            lows, highs = [point.low for point in points], [point.high for point in points]
            axes.fill_between(xs, lows, highs, step="post", alpha=0.15, color=line.get_color(), linewidth=0)
            values += [*lows, *highs]
        axes.set(xlabel="interactions", ylabel="best score", ylim=from_zero(values), title="Best score of the search")
        count_axis(axes.xaxis)
        axes.legend(loc="best")
        return {"search-score": to_svg(figure)}
