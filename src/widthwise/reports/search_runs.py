"""What a report reads of long searches: the best score over the interactions, grouped by environment, over seeds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from widthwise.core import run_shapes
from widthwise.core.errors import InputError
from widthwise.core.json_files import Record, read_json, read_lines
from widthwise.core.showing import setting
from widthwise.reports.training_runs import Point

POINTS = 200  # places at most at which the runs of a group are compared


@dataclass(frozen=True, slots=True)
class SearchRecords:
    """The records of one search; `result` is its best trajectory so far."""

    folder: Path
    config: Record
    lines: list[Record]
    result: Record | None

    @property
    def finished(self) -> bool:
        """Whether the search used all of its interactions."""
        return self.result is not None and bool(self.result["finished"])

    @property
    def seed(self) -> int:
        """The seed of the search."""
        return int(self.config["settings"]["seed"])

    @property
    def reached(self) -> int:
        """The interactions up to the last thing that was written."""
        known = [line["interactions"] for line in self.lines[-1:]]
        return max([*known, *([] if self.result is None else [self.result["interactions"]])], default=0)

    @property
    def best(self) -> Record | None:
        """The best trajectory that was replayed: its score, steps, and when it was found; None if there is none."""
        replayed = self.result is not None and self.result.get("replayed", True)  # absent: every one was
        last = self.result if replayed else (self.lines[-1] if self.lines else None)
        return None if last is None or last["score"] is None else last

    def series(self, name: str) -> tuple[list[int], list[float]]:
        """A figure of the lines over the interactions; of a figure per level, the finest level."""
        xs, ys = [], []
        for line in self.lines:
            value = line[name]
            value = (value[-1] if value else None) if isinstance(value, list) else value
            if value is not None:
                xs.append(line["interactions"])
                ys.append(float(value))
        return xs, ys


@dataclass(slots=True)
class SearchGroup:
    """The searches in one environment with the same settings, one per seed; `settings` are those of the search."""

    environment: str
    settings: str
    runs: list[SearchRecords] = field(default_factory=list)

    def curve(self, name: str) -> list[Point]:
        """A figure over the interactions: the mean over the seeds that have one, each with its last value so far."""
        series = [run.series(name) for run in self.runs]
        places = sorted({place for xs, _ in series for place in xs} | {run.reached for run in self.runs if run.lines})
        every = -(-len(places) // POINTS) if places else 1
        points = []
        for place in dict.fromkeys([*places[::every], *places[-1:]]):
            values = [ys[index - 1] for xs, ys in series if (index := bisect_right(xs, place))]
            if values:
                points.append(Point(place, fmean(values), min(values), max(values)))
        return points


def read_searches(folders: Sequence[Path]) -> list[SearchGroup]:
    """Read searches into groups."""
    groups: dict[tuple[str, str], SearchGroup] = {}
    for folder in folders:
        run = _read(folder)
        settings = run.config["settings"]
        # The features are not part of the key: by default they are chosen for each seed.
        key = (settings["environment"], setting({name: settings.get(name) for name in ("options", "planner")}))
        groups.setdefault(key, SearchGroup(*key)).runs.append(run)
    if not any(run.lines or run.result for group in groups.values() for run in group.runs):
        raise InputError(f"{folders[0]}: the search has no results yet")
    return list(groups.values())


def _read(folder: Path) -> SearchRecords:
    config = read_json(folder / "config.json", run_shapes.SEARCH)
    lines, result = folder / "progress.jsonl", folder / "result.json"
    return SearchRecords(
        folder,
        config,
        read_lines(lines, run_shapes.SEARCH_LINE)[0] if lines.exists() else [],
        read_json(result, run_shapes.SEARCH_RESULT) if result.exists() else None,
    )
