"""Axes of plots: ticks with thousands separators, and ranges that neither cut a curve off nor exaggerate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: The part of an axis that stays free beyond the outermost value, so that no curve lies on the frame.
MARGIN = 0.05


def number(value: float, _: object = None) -> str:
    """The label of a tick: `0.5`, `2,500`."""
    return f"{value:,.6g}" if abs(value) < 1000 else f"{value:,.0f}"


def count_axis(axis: Any, ticks: int = 5) -> None:
    """Label a linear axis of counts: few ticks, at whole numbers, with thousands separators; in millions from 2M on."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=ticks, integer=True, steps=[1, 2, 2.5, 5, 10]))

    def label(value: float, _: object) -> str:
        millions = max(axis.get_view_interval()) >= 2_000_000
        return f"{value / 1_000_000:,.6g}M" if millions and value else number(value)

    axis.set_major_formatter(FuncFormatter(label))


def log_axis(axis: Any) -> None:
    """Label a logarithmic axis by numbers (`1,000`) instead of powers."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(number))
    axis.set_minor_formatter(NullFormatter())


def from_zero(values: Iterable[float], least: float = 1.0) -> tuple[float, float]:
    """The range of an axis that holds 0 and all values, at least `least` long, with a margin where values are.

    A score that changes by a thousandth is then a level line, not a leap.
    """
    known = list(values)
    low, high = min([0.0, *known]), max([0.0, *known])
    if high - low < least:
        low, high = (low, low + least) if high > 0 or low == 0 else (high - least, high)
    room = MARGIN * (high - low)
    return (low - room if low < 0 else 0.0), (high + room if high > 0 else room)
