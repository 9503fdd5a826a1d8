"""The section about the network alone during runs, from the curves of `atari_levers.py --evaluate-every N`.

Every run has a point at the start and after every N interactions: the scores of episodes of the network alone, without
and with sticky actions. A game counts as rising if the network scores more at the end of the runs than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from atari_runs import Lines, Runs, count_row, difference, row, with_interval
from widthwise.core.files import write_whole
from widthwise.reports.axes import count_axis
from widthwise.reports.plots import STYLE, to_svg

#: The fields of a point of a curve after its interactions, by the field of a line that has the same scores.
PLACES = {"network_scores": 1, "sticky_scores": 2}
#: The mean over the seeds, the least and the greatest.
Band = tuple[float, float, float]

TEXT = """\
## The network alone during the runs

Means over {seeds} seeds after so many interactions; {greedy} episodes per point, {sticky} with sticky actions. The last
two columns are the score at the end minus that at the start, when the network has learned nothing, and minus that after
{early:,} interactions, with 95 % intervals from a bootstrap over the seeds.

{greedy_table}

With sticky actions:

{sticky_table}

| | games above 0 | games with the whole interval above 0 | games below 0 |
|---|--:|--:|--:|
{counts}

![The network alone during the runs]({folder}/curves.svg)

*The network alone, without (blue) and with sticky actions (orange): mean, least and greatest of the seeds. Gray: random
actions; green: the planner alone.*
"""


class Curves:
    """The curves of the runs of a variant: the mean scores of every seed at every point.

    Args:
        lines: The lines of a campaign.
        variant: The variant.
    """

    def __init__(self, lines: Lines, variant: str) -> None:
        self.lines = sorted(
            (line for line in lines if line["variant"] == variant and line.get("curve")), key=lambda line: line["seed"]
        )
        self.games = {line["game"] for line in self.lines}
        self.points = min((len(line["curve"]) for line in self.lines), default=0)
        # Lines of before have no such field. A point is taken soon after a multiple of the interval was passed.
        ends = [line["curve"][self.points - 1][0] / (self.points - 1) for line in self.lines if self.points > 1]
        guessed = round(min(ends, default=0) / 1_000) * 1_000
        self.every: int = self.lines[0].get("evaluate_every", guessed) if self.lines else 0

    def means(self, game: str, field: str) -> list[list[float]]:
        """The means of the seeds at every point."""
        return [
            [fmean(line["curve"][point][PLACES[field]]) for line in self.lines if line["game"] == game]
            for point in range(self.points)
        ]

    def bands(self, game: str, field: str) -> list[Band]:
        """The mean over the seeds, the least and the greatest at every point."""
        return [(fmean(means), min(means), max(means)) for means in self.means(game, field)]


def section(lines: Lines, variant: str, games: Sequence[str], folder: Path) -> str:
    """The section, whose figure goes to the folder; empty if the runs of a game have no curves."""
    curves = Curves(lines, variant)
    if curves.points < 3 or not curves.games.issuperset(games):
        return ""
    shown = sorted({round(share * (curves.points - 1) / 5) for share in range(6)})
    early = shown[1]
    heads = [
        "game",
        *(f"{point * curves.every:,}" for point in shown),
        "end − start",
        f"end − {early * curves.every:,}",
    ]
    tables, counts = {}, []
    for field, label in {"network_scores": "network alone", "sticky_scores": "network alone, sticky"}.items():
        rows, gains = [row(heads), "|---|" + "--:|" * (len(heads) - 1)], []
        for game in games:
            means = curves.means(game, field)
            gaps = [[last - first for last, first in zip(means[-1], means[point], strict=True)] for point in (0, early)]
            gains.append([difference(gap, [0.0]) for gap in gaps])
            rows.append(
                row([game, *(f"{fmean(means[point]):,.1f}" for point in shown), *map(with_interval, gains[-1])])
            )
        tables[field] = "\n".join(rows)
        for name, column in zip(heads[-2:], zip(*gains, strict=True), strict=True):
            counts.append(count_row(f"{label}, {name}", column))
    write_whole(folder / "curves.svg", to_svg(draw(curves, Runs.of(lines), games)))
    point = curves.lines[0]["curve"][0]
    return TEXT.format(
        seeds=len({line["seed"] for line in curves.lines}),
        greedy=len(point[1]),
        sticky=len(point[2]),
        early=early * curves.every,
        greedy_table=tables["network_scores"],
        sticky_table=tables["sticky_scores"],
        counts="\n".join(counts),
        folder=folder.name,
    )


def draw(curves: Curves, runs: Runs, games: Sequence[str]) -> Any:
    """A panel for each game."""
    columns = min(4, len(games))
    rows = -(-len(games) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(2.6 * columns, 1.9 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        interactions = [point * curves.every for point in range(curves.points)]
        for panel, game in zip(panels, games, strict=False):
            for field, colour in {"network_scores": "#2b6cb0", "sticky_scores": "#dd6b20"}.items():
                middle, low, high = zip(*curves.bands(game, field), strict=True)
                panel.plot(interactions, middle, color=colour, linewidth=1.4)
                panel.fill_between(interactions, low, high, color=colour, alpha=0.15, linewidth=0)
            for variant, field, colour in (
                ("random", "network_scores", "#718096"),
                ("play", "planner_scores", "#2f855a"),
            ):
                panel.axhline(fmean(runs.means[game, variant, field]), color=colour, linewidth=0.9, linestyle="--")
            panel.set_title(game.replace("_", " "), fontsize=9)
            count_axis(panel.xaxis, 2)
            count_axis(panel.yaxis, 4)
        for panel in panels[len(games) :]:
            panel.set_visible(False)
        figure.supxlabel("interactions", fontsize=9)
        figure.supylabel("score", fontsize=9)
    return figure
