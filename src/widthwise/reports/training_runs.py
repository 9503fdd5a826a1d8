"""What a report reads of training runs: episodes and evaluations, grouped by what was trained, over seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from widthwise.core import run_shapes
from widthwise.core.errors import InputError
from widthwise.core.json_files import Record, read_json, read_lines
from widthwise.core.shape import Shape, anything, table
from widthwise.core.showing import counted

BINS = 50  # points of a curve
LAST = 0.1  # the share of a run, at its end, that the table summarizes


@dataclass(frozen=True, slots=True)
class RunRecords:
    """The records of one training run."""

    folder: Path
    config: Record
    episodes: list[Record]  # from a reset
    evaluations: list[Record]
    finished: bool
    result: Record = field(default_factory=dict)  # of a finished run
    continued: list[Record] = field(default_factory=list)  # episodes that began at a state of the demonstration

    @property
    def group(self) -> tuple[str, str]:
        """The environment, and the algorithm with the settings that distinguish it from others."""
        return self.config["settings"]["environment"], self.config["label"]

    @property
    def size(self) -> tuple[int, int]:
        """The interactions that the run is to have, and the most steps of an evaluation episode; 0: not given."""
        settings = self.config["settings"]
        return settings.get("interactions") or 0, settings.get("evaluation_steps") or 0

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.config["settings"]["seed"])

    @property
    def reached(self) -> int:
        """The interactions up to the last thing that was written."""
        lines = [*self.episodes[-1:], *self.continued[-1:], *self.evaluations[-1:]]
        return max((line["interactions"] for line in lines), default=0)


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run of a suite that ended with an error: its name, and the kind and message of the error."""

    name: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: the mean over seeds, with the least and the greatest."""

    interactions: float
    mean: float
    low: float
    high: float


@dataclass(slots=True)
class Group:
    """The runs of one algorithm in one environment, usually one per seed."""

    environment: str
    label: str
    runs: list[RunRecords] = field(default_factory=list)

    @property
    def seeds(self) -> int:
        """The number of different seeds."""
        return len({run.seed for run in self.runs})

    @property
    def reached(self) -> int:
        """The interactions that every seed has reached."""
        return min(run.reached for run in self.runs)

    def episodes(self, name: str, bins: int = BINS) -> list[Point]:
        """The curve of a figure of the training episodes: means over stretches of interactions, then over seeds."""
        longest = max(run.reached for run in self.runs)
        curves = [_binned(run.episodes, name, longest, bins) for run in self.runs]
        points = []
        for index in range(bins):
            values = [curve[index] for curve in curves if curve[index] is not None]
            if values:
                points.append(_point((index + 1) * longest / bins, [value for value in values if value is not None]))
        return points

    def curve(self, name: str, bins: int = BINS) -> list[Point]:
        """The curve to draw: every episode of a single run that has few, else means over stretches."""
        own = [line for line in self.runs[0].episodes if line.get(name) is not None]
        if len(self.runs) == 1 and len(own) <= bins:
            return [_point(line["interactions"], [line[name]]) for line in own]
        return self.episodes(name, bins)

    def evaluation_cost(self) -> list[Point]:
        """The interactions that evaluations have taken up to each of them; none where that was not recorded."""
        costs = [[line.get("evaluation_interactions") for line in run.evaluations] for run in self.runs]
        points = []
        for number in range(max(map(len, costs), default=0)):
            sums = [_sum(own[: number + 1]) for own in costs if number < len(own)]
            known = [total for total in sums if total is not None]
            places = [run.evaluations[number]["interactions"] for run in self.runs if number < len(run.evaluations)]
            if len(known) == len(places):
                points.append(_point(fmean(places), known))
        return points

    def evaluation_total(self) -> Point | None:
        """The interactions of all evaluations of a run; None where that was not recorded."""
        totals = [_sum([line.get("evaluation_interactions") for line in run.evaluations]) for run in self.runs]
        known = [total for total in totals if total is not None]
        return _point(self.reached, known) if known and len(known) == len(totals) else None

    def evaluations(self, name: str) -> list[Point]:
        """The curve of a figure of the evaluations."""
        values_at: dict[int, list[float]] = defaultdict(list)
        for run in self.runs:
            for number, line in enumerate(run.evaluations):
                if line.get(name) is not None:
                    values_at[number].append(line[name])
        places = {
            n: [
                run.evaluations[n]["interactions"]
                for run in self.runs
                if n < len(run.evaluations) and run.evaluations[n].get(name) is not None
            ]
            for n in values_at
        }
        return [_point(fmean(places[number]), values) for number, values in sorted(values_at.items())]

    def last(self, name: str) -> Point | None:
        """A figure of the training episodes at the end of the runs."""
        values = []
        for run in self.runs:
            begin = (1 - LAST) * run.reached
            own = [line[name] for line in run.episodes if line["interactions"] >= begin]
            own = own or [line[name] for line in run.episodes[-1:]]
            if own:
                values.append(fmean(own))
        return _point(self.reached, values) if values else None

    def final(self, name: str) -> Point | None:
        """A figure of the last evaluations, one of each run."""
        values = [line[name] for run in self.runs for line in run.evaluations[-1:] if line.get(name) is not None]
        return _point(self.reached, values) if values else None

    def latest(self, name: str) -> Point | None:
        """A figure of the last evaluation of each run that has it; not every evaluation includes the planner."""
        values = [
            known[-1]
            for run in self.runs
            if (known := [line[name] for line in run.evaluations if line.get(name) is not None])
        ]
        return _point(self.reached, values) if values else None

    def best(self, name: str) -> Point | None:
        """A figure of the best evaluation of each run."""
        values = [
            max(known)
            for run in self.runs
            if (known := [line[name] for line in run.evaluations if line.get(name) is not None])
        ]
        return _point(self.reached, values) if values else None

    def solved_from(self, score: float, window: int = 10) -> Point | None:
        """The interactions from which the mean of this many episodes stays at a score; None if it does not.

        Nothing is solved where more than that can be scored, as in Atari games.
        """
        values: list[float] = []
        for run in self.runs:
            if any(line["score"] > score for line in run.episodes):
                return None
            since = None
            scores = [line["score"] for line in run.episodes]
            for index in range(window - 1, len(scores)):
                if fmean(scores[index - window + 1 : index + 1]) < score:
                    since = None
                elif since is None:
                    since = run.episodes[index]["interactions"]
            if since is None:
                return None
            values.append(since)
        return _point(self.reached, values)


def _binned(episodes: Sequence[Record], name: str, longest: int, bins: int) -> list[float | None]:
    """Means over equal stretches of interactions; a stretch in which no episode ends repeats the one before."""
    stretches: list[list[float]] = [[] for _ in range(bins)]
    for line in episodes:
        if line.get(name) is None:  # a loss before the first update
            continue
        stretches[min(bins - 1, int(line["interactions"] * bins / max(1, longest)))].append(line[name])
    last = max((index for index, values in enumerate(stretches) if values), default=-1)
    curve: list[float | None] = []
    for index, values in enumerate(stretches):
        before = curve[-1] if curve else None
        curve.append(fmean(values) if values else before if index <= last else None)
    return curve


def _sum(counts: Sequence[int | None]) -> int | None:
    """The sum of counts that are all known."""
    return None if not counts or None in counts else sum(count for count in counts if count is not None)


def _point(interactions: float, values: Sequence[float]) -> Point:
    return Point(interactions, fmean(values), min(values), max(values))


def read_training(folders: Sequence[Path]) -> list[Group]:
    """Read training runs, and benches of them, into groups.

    Runs of different lengths, or with different lengths of evaluation episodes, are in different groups.
    """
    groups: dict[tuple[str, str], dict[tuple[int, int], Group]] = {}
    for folder in folders:
        own = [folder] if (folder / "episodes.jsonl").exists() else sorted(folder.glob("runs/*/"))
        for path in own:
            if (path / "config.json").exists():
                run = _read(path)
                groups.setdefault(run.group, {}).setdefault(run.size, Group(*run.group)).runs.append(run)
    if not groups:
        raise InputError(f"{folders[0]}: no training run has been started in this folder")
    for by_size in groups.values():
        _distinguish(by_size)
    return [group for by_size in groups.values() for group in by_size.values()]


def _distinguish(groups: Mapping[tuple[int, int], Group]) -> None:
    """Add to the labels of groups of the same algorithm in what their runs differ."""
    lengths, steps = ({size[place] for size in groups} for place in (0, 1))
    for (interactions, evaluation_steps), group in groups.items():
        if len(lengths) > 1:
            group.label += f", {counted(interactions, 'interaction')}"
        if len(steps) > 1:
            limit = counted(evaluation_steps, "step") if evaluation_steps else "whole episodes"
            group.label += f", evaluations of {limit}"


def failed_runs(folders: Sequence[Path]) -> list[FailedRun]:
    """The runs of benches that ended with an error."""
    failed = []
    for folder in folders:
        if read_json(folder / "config.json", run_shapes.config).get("kind") != "learning":
            continue
        for line in _lines(folder / "results.jsonl", run_shapes.SUITE_LINE):
            if line["failure"] is not None:
                name = f"{line['environment']}, {line['algorithm']}, seed {line['seed']}"
                failed.append(FailedRun(name, line["failure"]["kind"], line["failure"]["reason"]))
    return failed


def published(folders: Sequence[Path]) -> dict[str, dict[str, float]]:
    """The published scores that run folders carry, by environment and algorithm."""
    scores: dict[str, dict[str, float]] = {}
    for folder in folders:
        scores |= read_json(folder / "config.json", run_shapes.config).get("published", {})
    return scores


def _read(folder: Path) -> RunRecords:
    path = folder / "config.json"
    if read_json(path, run_shapes.config).get("kind") != "training":
        raise InputError(f"{folder}: this is not the folder of a training run")
    config = read_json(path, run_shapes.REPORTED)
    episodes = _lines(folder / "episodes.jsonl", run_shapes.EPISODE)
    evaluations = _lines(folder / "evaluations.jsonl", run_shapes.EVALUATION)
    result = folder / "result.json"
    summary = read_json(result, table(anything)) if result.exists() else {}
    own = [line for line in episodes if not line.get("start")]
    continued = [line for line in episodes if line.get("start")]
    return RunRecords(folder, config, own, evaluations, result.exists(), summary, continued)


def _lines(path: Path, shape: Shape) -> list[Record]:
    return read_lines(path, shape)[0] if path.exists() else []
