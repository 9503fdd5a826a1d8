"""The section on long searches: the best score and the archive over the interactions, and the best trajectories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from widthwise.core.showing import counted
from widthwise.reports.axes import from_zero
from widthwise.reports.page.charts import Axis, Chart, Curve
from widthwise.reports.page.content import PageBlock, Section, listed, paragraphs, pictures, tiles
from widthwise.reports.page.origin import origin
from widthwise.reports.page.tables import Column, table
from widthwise.reports.search_runs import SearchGroup, SearchRecords
from widthwise.reports.search_text import HEAD, LEGEND, problems, rows

_KEY = "searches"


def search_section(groups: Sequence[SearchGroup], plots: Mapping[str, str]) -> Section:
    """The section of some searches."""
    runs = [run for group in groups for run in group.runs]
    blocks = [tiles(f"{_KEY}-tiles", [_tile(group) for group in groups])]
    if any(group.curve("score") for group in groups) or not all(run.finished for run in runs):
        title = "Archive: high-level states of the finest level"
        blocks += [
            _chart(groups, "score", "Best score", "best score"),
            _chart(groups, "high_level_states", title, "high-level states"),
        ]
    if plots:
        blocks.append(pictures(f"{_KEY}-static", plots))
    wrong = problems(groups)
    blocks.append(
        listed(f"{_KEY}-problems", "Failures and unfinished searches", wrong, "warn")
        if wrong
        else paragraphs(f"{_KEY}-problems", ["Every search used all of its interactions."], "fine")
    )
    columns = [Column(name, text=number in (0, len(HEAD) - 1)) for number, name in enumerate(HEAD)]
    blocks += [
        table(f"{_KEY}-table", "Best trajectories", columns, rows(groups)),
        paragraphs(f"{_KEY}-legend", [LEGEND]),
        *origin(_KEY, runs, _details),
    ]
    return Section(_KEY, "Searches", blocks)


def _tile(group: SearchGroup) -> tuple[str, str, str]:
    scores = [run.best["score"] for run in group.runs if run.best]
    seeds = counted(len(group.runs), "seed")
    return group.environment, f"{max(scores):g}" if scores else "-", f"best score of {seeds}"


def _chart(groups: Sequence[SearchGroup], name: str, title: str, unit: str) -> PageBlock:
    curves = []
    for colour, group in enumerate(groups):
        points = group.curve(name)
        curves.append(
            Curve(
                _label(group, groups),
                [point.interactions for point in points],
                [point.mean for point in points],
                [point.low for point in points],
                [point.high for point in points],
                colour,
            )
        )
    low, high = from_zero([value for curve in curves for value in (*curve.lows, *curve.highs)])
    longest = max((run.reached for group in groups for run in group.runs), default=1)
    several = any(len(group.runs) > 1 for group in groups)
    caption = "Mean over seeds; the band spans the minimum to the maximum." if several else ""
    return Chart(
        f"{_KEY}-{name.replace('_', '-')}",
        title,
        Axis("interactions", 0, max(1, longest)),
        Axis(unit, low, high),
        curves,
        caption,
        kind="steps",
        sync=_KEY,
    ).block()


def _label(group: SearchGroup, groups: Sequence[SearchGroup]) -> str:
    same = [other for other in groups if other.environment == group.environment]
    return group.environment if len(same) == 1 else f"{group.environment}, {group.settings}"


def _details(run: SearchRecords) -> dict[str, str]:
    settings = run.config["settings"]
    return {
        "environment": str(settings["environment"]),
        "seed": str(run.seed),
        "interactions": f"{run.reached:,}",
        "features": str(settings.get("features", "")),
    }
