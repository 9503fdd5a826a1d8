"""The table of a classical suite compared with the published one, and what differs by more than noise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev

from widthwise.reports.records import Records

NOISE = 4.0  # points of coverage that a change of seed explains
SCHEDULE = "auto"  # the column that has to be as good as the best of all others, in every row


@dataclass(frozen=True, slots=True)
class Published:
    """The figures of a published table for a row and a planner."""

    coverage: float | None
    nodes: float | None
    seconds: float | None


@dataclass(slots=True)
class Cell:
    """A row and a planner: over seeds, the coverage in percent, and mean nodes and seconds of the solved."""

    coverages: list[float] = field(default_factory=list)  # one per seed
    nodes: float | None = None
    seconds: float | None = None
    failures: int = 0
    published: Published | None = None
    strict: bool = False  # no difference is noise, as far as the table shows it

    @property
    def coverage(self) -> float | None:
        """The mean over seeds."""
        return fmean(self.coverages) if self.coverages else None

    @property
    def spread(self) -> float | None:
        """The standard deviation over seeds."""
        return stdev(self.coverages) if len(self.coverages) > 1 else None

    @property
    def mark(self) -> str:
        """`+` or `-` where the coverage differs from the published one by more than noise."""
        ours, theirs = self.coverage, self.published.coverage if self.published else None
        if ours is None or theirs is None:
            return ""
        difference = ours - theirs
        if abs(difference) <= (0.05 if self.strict else max(NOISE, 2 * (self.spread or 0.0))):
            return ""
        return "+" if difference > 0 else "-"


@dataclass(slots=True)
class Line:
    """One row of the table."""

    name: str
    goals: int
    at_start: int
    cells: dict[str, Cell]
    note: str = ""


@dataclass(slots=True)
class Table:
    """The whole table; `total` is over all goals, and `missing` are published rows that were not run."""

    columns: list[str]
    lines: list[Line]
    total: Line
    means: dict[str, float | None]  # the coverage by column, every row weighted equally
    published_means: dict[str, float | None]  # of the published table, over the same rows
    missing: list[str]
    seeds: int


@dataclass(slots=True)
class _Sums:
    """What a planner did on a row, or on all, with one seed."""

    instances: set[str] = field(default_factory=set)
    goals: int = 0  # of these instances, those of failed lines included
    solved: int = 0
    nodes: int = 0
    seconds: float = 0.0
    failures: int = 0

    def add(self, other: _Sums) -> None:
        """Take another one's numbers along."""
        self.goals += other.goals
        self.solved += other.solved
        self.nodes += other.nodes
        self.seconds += other.seconds
        self.failures += other.failures


def make_table(records: Records) -> Table:
    """Count the lines of some runs into a table."""
    goals: dict[tuple[str, str], int] = {}
    at_start: dict[tuple[str, str], int] = {}
    sums: dict[tuple[str, str, int], _Sums] = defaultdict(_Sums)
    for column, line in records.lines:
        own = sums[line["row"], column, line["seed"]]
        own.instances.add(line["instance"])
        if line["failure"] is not None:
            own.failures += 1
            continue
        task = (line["row"], line["instance"])
        goals[task] = len(line["goal"])
        at_start[task] = max(at_start.get(task, 0), sum(line["true_at_start"]))
        for status, nodes, seconds in zip(line["status"], line["generated"], line["seconds"], strict=True):
            if status == "solved":
                own.solved += 1
                own.nodes += nodes
                own.seconds += seconds
    totals: dict[tuple[str, int], _Sums] = defaultdict(_Sums)
    for (row, column, seed), own in sums.items():
        # A run that is still going has a part of the row: its share is of the goals it has tried.
        own.goals = sum(goals.get((row, instance), 0) for instance in own.instances)
        totals[column, seed].add(own)

    seeds = sorted({seed for _, _, seed in sums})
    published = records.published
    lines = []
    for entry in records.rows:
        name = entry["name"]
        cells = {}
        for column in records.columns:
            theirs = published.get(name, {}).get(column)
            cells[column] = _cell(
                [sums[name, column, seed] for seed in seeds if (name, column, seed) in sums],
                Published(**theirs) if theirs else None,
            )
        if SCHEDULE in cells:
            best = _best([cell for column, cell in cells.items() if column != SCHEDULE], published.get(name, {}))
            cells[SCHEDULE].published, cells[SCHEDULE].strict = best, True
        count = sum(number for (row, _), number in goals.items() if row == name)
        start = sum(number for (row, _), number in at_start.items() if row == name)
        lines.append(Line(name, count, start, cells, str(entry.get("note") or "")))
    everything = {
        column: _cell([totals[column, seed] for seed in seeds if (column, seed) in totals], None)
        for column in records.columns
    }
    return Table(
        columns=records.columns,
        lines=lines,
        total=Line("all goals", sum(goals.values()), sum(at_start.values()), everything),
        means={column: _mean([line.cells[column].coverage for line in lines]) for column in records.columns},
        published_means={
            column: _mean([other.coverage for line in lines if (other := line.cells[column].published)])
            for column in records.columns
        },
        missing=[name for name in published if name not in {line.name for line in lines}],
        seeds=len(seeds),
    )


def _cell(seeds: Sequence[_Sums], published: Published | None) -> Cell:
    """A cell from the sums of each seed."""
    solved = [sums for sums in seeds if sums.solved]
    return Cell(
        [100.0 * sums.solved / sums.goals for sums in seeds if sums.goals],
        fmean([sums.nodes / sums.solved for sums in solved]) if solved else None,
        fmean([sums.seconds / sums.solved for sums in solved]) if solved else None,
        sum(sums.failures for sums in seeds),
        published,
    )


def _best(others: Sequence[Cell], published: Mapping[str, Mapping[str, float | None]]) -> Published | None:
    """The best coverage of a row, ours or published: what a schedule of those planners is measured by."""
    known = [cell.coverage for cell in others] + [entry["coverage"] for entry in published.values()]
    coverages = [coverage for coverage in known if coverage is not None]
    return Published(max(coverages), None, None) if coverages else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
