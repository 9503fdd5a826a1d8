"""Charts of a page: their data as the scripts assets/chart_data.js and assets/charts.js draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from widthwise.reports.page.content import PageBlock, prose


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its label, its range where it is given, and whether it is logarithmic."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve: its points, and for each the lowest and the highest value where it is a mean.

    Args:
        label: its name in the legend.
        xs: where its points are, ascending.
        ys: their values.
        lows: the lowest values; empty without a spread.
        highs: the highest values.
        colour: the number of its colour.
        dashed: whether its line is dashed.
        notes: a text for each point that is shown when it is hovered.
    """

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    colour: int = 0
    dashed: bool = False
    notes: Sequence[str] = ()

    def data(self) -> dict[str, Any]:
        """The curve as the script reads it."""
        spread = list(self.lows) != list(self.highs)
        return {
            "label": self.label,
            "x": _rounded(self.xs),
            "y": _rounded(self.ys),
            **({"low": _rounded(self.lows), "high": _rounded(self.highs)} if spread else {}),
            "colour": self.colour,
            **({"dashed": True} if self.dashed else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and caption.

    Args:
        key: the name of its block.
        title: its heading.
        x: the horizontal axis.
        y: the vertical axis.
        curves: what is drawn.
        caption: what it shows, in a sentence or two.
        kind: `lines`; `steps`, which keep their value until the next point; `stack`, areas on top of each other;
            `points`, a scatter plot.
        wide: whether it takes the whole width.
        sync: charts of the same name move their cursors together.
        diagonal: whether the line of equal values is drawn.
    """

    key: str
    title: str
    x: Axis
    y: Axis
    curves: Sequence[Curve]
    caption: str = ""
    kind: str = "lines"
    wide: bool = False
    sync: str = ""
    diagonal: bool = False

    def block(self) -> PageBlock:
        """The chart as a block of a page."""
        data = {
            "kind": self.kind,
            "title": self.title,
            "x": _axis(self.x),
            "y": _axis(self.y),
            "curves": [curve.data() for curve in self.curves if curve.xs],
            **({"sync": self.sync} if self.sync else {}),
            **({"diagonal": True} if self.diagonal else {}),
        }
        caption = f"<p>{prose(self.caption)}</p>" if self.caption else ""
        empty = "" if data["curves"] else "<p class=empty>Nothing has been recorded yet.</p>"
        html = f"<figure><figcaption><h3>{escape(self.title)}</h3>{caption}</figcaption>{empty}</figure>"
        return PageBlock(self.key, html, data, style="chart wide" if self.wide else "chart")


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "label": axis.label,
        **({} if axis.low is None else {"low": axis.low}),
        **({} if axis.high is None else {"high": axis.high}),
        **({"log": True} if axis.log else {}),
    }


def _rounded(values: Sequence[float]) -> list[float]:
    """Six digits are more than a chart can show."""
    return [int(value) if value == int(value) and abs(value) < 1e15 else float(f"{value:.6g}") for value in values]
