"""The rows of a classical suite: which instances they count, and their entries in the paper's table."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from widthwise.classical.collection import problems_in
from widthwise.classical.examples import EXAMPLES, paper_instances
from widthwise.core.errors import InputError, UsageError

_WHERE = "the folder of the benchmarks is not known: give it with --benchmarks DIR or in WIDTHWISE_BENCHMARKS"


@dataclass(frozen=True, slots=True)
class Instance:
    """One problem: a file, or the texts themselves."""

    name: str
    weight: float  # roughly how long it takes compared with others
    path: str = ""
    domain_text: str | None = None
    problem_text: str | None = None
    domain_name: str = "<domain>"
    problem_name: str = "<problem>"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the suite's table."""

    name: str
    folder: str
    instances: list[Instance] = field(repr=False)
    source: str = "files"  # or "generated", by our own generators
    goals: int | None = None  # how many the paper counts
    note: str = ""

    def describe(self) -> dict[str, Any]:
        """The fields of a row that the report needs."""
        names = ("name", "folder", "source", "goals", "note")
        return {**{name: getattr(self, name) for name in names}, "instances": len(self.instances)}

    def parts(
        self, instance: Instance, planners: Collection[tuple[str, str]], seeds: Sequence[int | None]
    ) -> list[dict[str, Any]]:
        """The names of an instance's lines, one for each seed and planner (its name and widths)."""
        here = {"row": self.name, "folder": self.folder, "instance": instance.name}
        return [{**here, "planner": name, "width": width, "seed": seed} for seed in seeds for name, width in planners]


def suite_rows(
    suite: str,
    benchmarks: Path | None,
    domains: Sequence[str] = (),
    first: int | None = None,
    numbers: Sequence[int] = (),
) -> list[Row]:
    """The rows of a suite: `paper`, the name of a folder of the benchmarks, or `all` folders (`whole`: the same).

    `first` leaves the first instances of each row, `numbers` those at these places, counted from 1.
    """
    if benchmarks is not None:
        _refuse_no_folder(benchmarks)
    if suite == "paper":
        rows = paper_rows(benchmarks)
    else:
        folders = _folders(benchmarks)
        if suite not in ("all", "whole") and suite not in folders:
            raise UsageError(
                f"there is no suite {suite!r}: give paper, whole, all, or a folder of {benchmarks}"
                f"{_near(suite, folders)}"
            )
        rows = [_folder_row(name, path) for name, path in folders.items() if suite in ("all", "whole", name)]
    if domains:
        rows = _chosen(rows, domains)
    if first is not None:
        if first < 1:
            raise UsageError(f"--first must be at least 1, not {first}")
        rows = [replace(row, instances=row.instances[:first]) for row in rows]
    if numbers:
        if min(numbers) < 1 or first is not None:
            raise UsageError(
                "--instances takes places such as 3,10,20, counted from 1, and cannot be combined with --first"
            )
        rows = [replace(row, instances=_at(row.instances, numbers)) for row in rows]
    if not any(row.instances for row in rows):
        raise InputError(f"there is nothing to run: no problem files for the suite {suite} in {benchmarks}")
    return rows


def paper_rows(benchmarks: Path | None) -> list[Row]:
    """The rows of the paper's table, in its order, with the instances that are available."""
    rows = []
    for entry in read_table("paper_rows.csv"):
        if entry["source"] == "generated":
            instances = generated_instances(entry["folder"])
        else:
            if benchmarks is None:
                raise UsageError(_WHERE)
            count = int(entry["first"]) if entry["first"] else None
            instances = [_instance(path) for path in problems_in(benchmarks / entry["folder"])][:count]
        note = entry["note"]
        if len(instances) < int(entry["instances"]):
            missing = f"{len(instances)} of the paper's {entry['instances']} instances are present"
            note = f"{note}; {missing}" if note else missing
        rows.append(Row(entry["row"], entry["folder"], instances, entry["source"], int(entry["goals"]), note))
    return rows


def paper_table() -> dict[str, dict[str, dict[str, float | None]]]:
    """The paper's table: coverage in percent, mean nodes and seconds of the solved, by row and planner."""
    columns = {"IW(1)": "iw1", "IW(2)": "iw2", "IHIW(1,1)": "ihiw11"}
    return {
        line["domain"]: {
            planner: {
                "coverage": _number(line[f"{column}_solved_pct"]),
                "nodes": _number(line[f"{column}_nodes"]),
                "seconds": _number(line[f"{column}_seconds"]),
            }
            for planner, column in columns.items()
        }
        for line in read_table("paper_classical.csv")
    }


def read_table(name: str) -> list[dict[str, str]]:
    """A table that comes with the package."""
    text = resources.files(__package__).joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _number(text: str) -> float | None:
    return float(text) if text else None


def _folders(benchmarks: Path | None) -> dict[str, Path]:
    if benchmarks is None:
        raise UsageError(_WHERE)
    _refuse_no_folder(benchmarks)
    if problems_in(benchmarks):  # a folder of problems is as good as a folder of such folders
        return {benchmarks.resolve().name: benchmarks}
    return {path.name: path for path in sorted(benchmarks.iterdir()) if path.is_dir() and problems_in(path)}


def _refuse_no_folder(benchmarks: Path) -> None:
    if not benchmarks.is_dir():
        what = (
            "this is a file, not a folder of benchmarks"
            if benchmarks.exists()
            else "there is no such folder of benchmarks"
        )
        raise InputError(f"{benchmarks}: {what}")


def _folder_row(name: str, path: Path) -> Row:
    return Row(name, name, [_instance(problem) for problem in problems_in(path)])


def _at(instances: Sequence[Instance], numbers: Sequence[int]) -> list[Instance]:
    return [instances[number - 1] for number in sorted(set(numbers)) if number <= len(instances)]


def _instance(path: Path) -> Instance:
    # Big files have many goals or many objects: their jobs take longest.
    return Instance(path.stem, float(path.stat().st_size), str(path.resolve()))


def generated_instances(name: str) -> list[Instance]:
    """The paper's instances of a domain that the package generates; none for another name."""
    if name not in EXAMPLES:
        return []
    domain = EXAMPLES[name].domain()
    return [
        Instance(f"{name}-{number}", float(len(text)), "", domain, text, f"<{name} domain>", f"<{name}-{number}>")
        for number, text in enumerate(paper_instances(name), 1)
    ]


def _chosen(rows: list[Row], names: Sequence[str]) -> list[Row]:
    known = {name.lower(): row for row in rows for name in (row.folder, row.name)}
    for name in names:
        if name.lower() not in known:
            raise UsageError(f"the suite has no row {name!r}{_near(name.lower(), known)}")
    wanted = {known[name.lower()].name for name in names}
    return [row for row in rows if row.name in wanted]


def _near(name: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(names), 1)
    return f" (did you mean {close[0]}?)" if close else ""
