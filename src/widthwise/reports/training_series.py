"""Further series of training runs: speed, the shares of time, and figures that this version does not know by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from widthwise.reports.training_runs import BINS, Group, Point, RunRecords

#: What other charts show, or what is only a count of lines.
_KNOWN = {"episode", "tree", "updates", "interactions", "score", "steps", "policy_loss", "value_loss", "seconds"}
_MOST = 24  # further charts at most
#: Figures of a result that the table of the report has.
_IN_TABLE = {"interactions", "evaluations", "evaluation_interactions", "recent_score", "recent_steps"}


def is_number(value: Any) -> bool:
    """Whether a value of a line can be drawn."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def other_names(groups: Sequence[Group]) -> list[str]:
    """The fields of episodes that are numbers and are not drawn elsewhere, in the order of the lines."""
    names: dict[str, None] = {}
    wrong: set[str] = set()
    for group in groups:
        for run in group.runs:
            for line in run.episodes:
                for name, value in line.items():
                    if is_number(value):
                        names[name] = None
                    elif value is not None:
                        wrong.add(name)
    return [name for name in names if name not in _KNOWN | wrong and "seconds" not in name][:_MOST]


def speed(group: Group) -> list[Point]:
    """Interactions per second over stretches of the run, from the clock that every line has."""
    curves = []
    longest = max(run.reached for run in group.runs)
    for run in group.runs:
        rates: list[dict[str, float]] = []
        lines = [line for line in run.episodes if is_number(line.get("seconds"))]
        for before, line in _spaced(lines, max(1, len(lines) // BINS)):
            seconds = line["seconds"] - before["seconds"]
            if seconds > 0:
                rate = (line["interactions"] - before["interactions"]) / seconds
                rates.append({"interactions": line["interactions"], "rate": rate})
        if rates:
            curves.append(RunRecords(run.folder, run.config, rates, [], run.finished))
    if not curves or not longest:
        return []
    return Group(group.environment, group.label, curves).curve("rate", min(BINS, 20))


def _spaced(lines: Sequence[dict[str, Any]], every: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    start = {"interactions": 0, "seconds": 0.0}
    return list(pairwise([start, *lines[every - 1 :: every]]))


def time_shares(group: Group, bins: int = 25) -> dict[str, tuple[list[float], list[float]]]:
    """The share of each part of the time, in percent, over stretches of interactions.

    Parts are the fields of episodes whose name contains `seconds`, except `seconds` itself. A field that never falls
    in any run counts the seconds since the start; another one counts those of its episode.
    """
    names = list(
        dict.fromkeys(
            name
            for run in group.runs
            for line in run.episodes
            for name, value in line.items()
            if "seconds" in name and name != "seconds" and is_number(value)
        )
    )
    longest = max(run.reached for run in group.runs)
    if not names or not longest:
        return {}
    totals = {name: [0.0] * bins for name in names}
    for name in names:
        since_start = all(
            before <= after for run in group.runs for before, after in pairwise(_values(run.episodes, name))
        )
        for run in group.runs:
            last = 0.0
            for line in run.episodes:
                if not is_number(line.get(name)):
                    continue
                value = float(line[name])
                place = min(bins - 1, int(line["interactions"] * bins / longest))
                totals[name][place] += max(0.0, value - last if since_start else value)
                last = value
    sums = [sum(totals[name][place] for name in names) for place in range(bins)]
    known = [place for place in range(bins) if sums[place] > 0]
    xs = [(place + 1) * longest / bins for place in known]
    return {_label(name): (xs, [100 * totals[name][place] / sums[place] for place in known]) for name in names}


def end_figures(group: Group) -> dict[str, float]:
    """The figures in the results of finished runs that no table has, each a mean over seeds."""
    names = dict.fromkeys(name for run in group.runs for name in run.result)
    known = {name: [run.result[name] for run in group.runs if is_number(run.result.get(name))] for name in names}
    return {name: fmean(values) for name, values in known.items() if values and name not in _IN_TABLE}


def end_times(group: Group) -> dict[str, float]:
    """Where the seconds of finished runs went, by part, a mean over seeds.

    Parts stand in a field of the result whose name contains `seconds`; `total` is not a part.
    """
    sums: dict[str, list[float]] = {}
    for run in group.runs:
        for name, parts in run.result.items():
            if "seconds" in name and isinstance(parts, dict):
                for part, value in parts.items():
                    if part != "total" and is_number(value) and value >= 0:
                        sums.setdefault(part, []).append(value)
    return {part: sum(values) / len(group.runs) for part, values in sums.items()}


def _values(lines: Sequence[dict[str, Any]], name: str) -> list[float]:
    return [line[name] for line in lines if is_number(line.get(name))]


def _label(name: str) -> str:
    return name.replace("_seconds", "").replace("seconds_", "").replace("_", " ")
