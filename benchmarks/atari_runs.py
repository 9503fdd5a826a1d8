"""Lines of `atari_levers.py`: the means of each seed, and differences between them with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from atari_scores import SAMPLES, SHARE, Interval

Lines = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Runs:
    """The lines of a campaign: the means of each seed by game, variant and field."""

    means: dict[tuple[str, str, str], list[float]]

    @classmethod
    def of(cls, lines: Lines) -> Runs:
        """Group lines, in the order of their seeds."""
        means: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        for line in sorted(lines, key=lambda line: line["seed"]):
            for field in ("planner_scores", "network_scores", "sticky_scores"):
                if line.get(field):
                    means[line["game"], line["variant"], field].append(fmean(line[field]))
            if line.get("demonstration_score") is not None:
                means[line["game"], line["variant"], "demonstration"].append(line["demonstration_score"])
        return cls(means)

    def shown(self, game: str, variant: str, field: str) -> str:
        """The mean over the seeds with the least and the greatest."""
        return with_range(self.means.get((game, variant, field), []))


def with_range(means: list[float]) -> str:
    """The mean of the means of seeds, with the least and the greatest.

    Example:
        >>> with_range([1.0, 2.0, 6.0])
        '3.0 (1.0 to 6.0)'
    """
    if not means:
        return ""
    digits = 1 if max(map(abs, means)) < 100 else 0
    spread = f" ({min(means):,.{digits}f} to {max(means):,.{digits}f})" if len(set(means)) > 1 else ""
    return f"{fmean(means):,.{digits}f}{spread}"


def difference(first: list[float], second: list[float], seed: int = 0) -> Interval:
    """The difference of two means, with its interval from a bootstrap of the seeds of each.

    Example:
        >>> difference([3.0, 3.0], [1.0, 1.0])
        Interval(mean=2.0, low=2.0, high=2.0)
    """
    rng = np.random.default_rng(seed)

    def drawn(means: list[float]) -> npt.NDArray[np.float64]:
        return np.asarray(rng.choice(np.array(means), (SAMPLES, len(means))).mean(axis=1))

    low, high = np.quantile(drawn(first) - drawn(second), [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return Interval(fmean(first) - fmean(second), float(low), float(high))


def with_interval(gap: Interval) -> str:
    """A difference with its interval, as a field of a table."""
    return f"{gap.mean:,.1f} ({gap.low:,.1f} to {gap.high:,.1f})"


def count_row(name: str, gaps: Sequence[Interval]) -> str:
    """A row: in how many games a difference is above 0, is so with its whole interval, and is below 0."""
    return row(
        [name, sum(gap.mean > 0 for gap in gaps), sum(gap.low > 0 for gap in gaps), sum(gap.mean < 0 for gap in gaps)]
    )


def row(fields: list[Any]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, fields))} |"
