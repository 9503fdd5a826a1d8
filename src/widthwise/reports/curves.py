"""Learning curves, as SVG: training episodes and the network alone, with the spread over seeds."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from widthwise.core.errors import MissingExtraError
from widthwise.reports.training import Group, Point

_COLOURS = ("#1f5fa8", "#d1602a", "#2e8b57", "#8e4ec6", "#b8860b", "#c2377e", "#4f6d7a", "#6b8e23")
_PANELS = (
    ("score of training episodes", "score", False),
    ("steps of training episodes", "steps", False),
    ("score of the network alone", "network_score", True),
)


def learning_curves(groups: Sequence[Group]) -> dict[str, str]:
    """A plot per environment, by name, as SVG texts that are the same for the same records."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "plot") from None
    with matplotlib.rc_context({"svg.hashsalt": "widthwise", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}):
        plots = {}
        for environment in dict.fromkeys(group.environment for group in groups):
            own = [group for group in groups if group.environment == environment]
            plots[f"learning-{_file_name(environment)}"] = _svg(_figure(Figure, environment, own))
        return plots


def _file_name(environment: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in environment).strip("-")


def _svg(figure: Any) -> str:
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None}, bbox_inches="tight", dpi=150)
    return stream.getvalue()


def _figure(figure_class: Any, environment: str, groups: Sequence[Group]) -> Any:
    figure = figure_class(figsize=(12.5, 3.9))
    seeds = {len(group.runs) for group in groups}
    runs = f"{min(seeds)} seeds" if len(seeds) == 1 and seeds != {1} else "1 seed" if seeds == {1} else "some seeds"
    figure.suptitle(f"{environment}: mean over {runs}, the shade from the least to the greatest", fontsize=10)
    for axes, (title, name, evaluated) in zip(figure.subplots(1, len(_PANELS)), _PANELS, strict=True):
        for index, group in enumerate(groups):
            points = group.evaluations(name) if evaluated else group.episodes(name)
            _curve(axes, points, group.label, _COLOURS[index % len(_COLOURS)])
        axes.set(title=title, xlabel="interactions")
        axes.set_xlim(left=0)
        if name == "steps":
            axes.set_ylim(bottom=0)
        axes.xaxis.set_major_formatter(_thousands)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=min(4, len(labels)), frameon=False)
    rows = -(-len(labels) // 4)
    figure.subplots_adjust(left=0.05, right=0.99, top=0.84, bottom=0.17 + 0.06 * rows, wspace=0.17)
    return figure


def _curve(axes: Any, points: Sequence[Point], label: str, colour: str) -> None:
    xs = [point.interactions for point in points]
    axes.plot(
        xs,
        [point.mean for point in points],
        color=colour,
        label=label,
        linewidth=1.4,
        marker="." if len(points) < 3 else None,
    )
    if any(point.low != point.high for point in points):
        low, high = [point.low for point in points], [point.high for point in points]
        axes.fill_between(xs, low, high, color=colour, alpha=0.15, linewidth=0)


def _thousands(value: float, _: object) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"
