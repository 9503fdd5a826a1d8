"""Reading run folders for a report: complete or still running, plain or compressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from widthwise.core import run_shapes
from widthwise.core.errors import InputError, UsageError
from widthwise.core.json_files import Record, read_json, read_lines

__all__ = ["Record", "Records", "SuiteRun", "column_of", "mixtures", "place_of", "read_run", "read_runs"]


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The records of one run folder."""

    folder: Path
    config: Record
    lines: list[Record]
    finished: bool


def run_folders(folder: Path) -> list[Path]:
    """The run folders that a folder stands for: itself, or those in it."""
    if (folder / "config.json").exists():
        return [folder]
    if not folder.is_dir():
        what = "this is a file, not a run folder" if folder.exists() else "the folder does not exist"
        raise InputError(f"{folder}: {what}")
    inside = sorted(path.parent for path in folder.glob("*/config.json"))
    if not inside:
        raise InputError(f"{folder}: this is not a run folder and contains none (a run folder has a config.json)")
    return inside


def _config(folder: Path) -> Record:
    config: Record = read_json(folder / "config.json", run_shapes.config)
    if config.get("kind") not in ("classical", "whole"):
        raise InputError(f"{folder}: this is not a run of `bench classical`")
    return config


def read_run(folder: Path) -> SuiteRun:
    """Read a run folder; the lines may be compressed (`results.jsonl.gz`), and the last one may be incomplete."""
    kind = _config(folder)["kind"]
    config = read_json(folder / "config.json", run_shapes.SUITES[kind])
    plain, packed = folder / "results.jsonl", folder / "results.jsonl.gz"
    path = packed if packed.exists() and not plain.exists() else plain
    lines, torn = read_lines(path, run_shapes.LINES[kind])
    return SuiteRun(folder, config, lines, (folder / "result.json").exists() and not torn)


@dataclass(frozen=True, slots=True)
class Records:
    """The combined lines of several run folders; `columns` are the planners in order."""

    runs: list[SuiteRun]
    columns: list[str]
    explained: Mapping[str, str] = field(default_factory=dict)  # explanations of failures by `row instance`

    @property
    def lines(self) -> Iterator[tuple[str, Record]]:
        """Every line with the name of its column."""
        for run in self.runs:
            for line in run.lines:
                yield column_of(line), line

    @property
    def failures(self) -> list[tuple[str, Record]]:
        """The lines that have a failure instead of results, those of one cause together."""
        failed = [(column, line) for column, line in self.lines if line["failure"] is not None]
        return sorted(failed, key=lambda pair: (pair[1]["row"], pair[1]["instance"], pair[0], pair[1]["seed"]))

    @property
    def rows(self) -> list[Record]:
        """The rows of all runs, in order."""
        by_name: dict[str, Record] = {}
        for run in self.runs:
            for row in run.config["rows"]:
                by_name.setdefault(row["name"], row)
        return list(by_name.values())

    @property
    def published(self) -> Record:
        """The published table by row and column, where there is one."""
        table: Record = {}
        for run in self.runs:
            table |= run.config.get("published", {}).get("rows", {})
        return table

    @property
    def budget(self) -> int | None:
        """The largest budget of nodes of the runs."""
        nodes = [run.config["settings"]["budget"].get("nodes") for run in self.runs]
        return max((count for count in nodes if count is not None), default=None)


def mixtures(runs: Sequence[SuiteRun]) -> list[str]:
    """The runs whose lines were made by several commits or versions, each in a sentence."""
    sentences = []
    for run in runs:
        versions = dict.fromkeys(
            f"{line.get('versions', {}).get('widthwise', 'unknown')} at {line.get('commit') or 'an unknown commit'}"
            for line in run.lines
        )
        if len(versions) > 1:
            sentences.append(f"{run.folder}: the lines were written by several versions: {', '.join(versions)}")
    return sentences


def read_runs(folders: Sequence[Path], explanations: Sequence[str] = ()) -> Records:
    """Read and combine run folders; the same line in two of them is an error.

    An explanation of failures is written `ROW INSTANCE: sentence`.
    """
    runs = [read_run(folder) for folder in folders]
    seen: dict[tuple[Any, ...], Path] = {}
    columns: dict[str, None] = {}
    for run in runs:
        settings = run.config["settings"]
        for text in settings["planners"]:
            name, _, width = text.partition(":")
            columns[column_of({"planner": name, "width": width, "relevance": settings["relevance"]})] = None
        for line in run.lines:
            column = column_of(line)
            columns[column] = None
            key = (line["row"], line["instance"], column, line["seed"])
            if key in seen:
                where = f"{seen[key]} and {run.folder}" if seen[key] != run.folder else f"{run.folder} twice"
                raise UsageError(f"{line['row']} {line['instance']} {column}, seed {line['seed']}, is in {where}")
            seen[key] = run.folder
    filled = {column_of(line) for run in runs for line in run.lines}
    records = Records(runs, [column for column in columns if column in filled], _explained(explanations))
    failed = {place_of(line) for _, line in records.failures}
    for place in records.explained:
        if place not in failed:
            raise UsageError(f"--explain: nothing failed in {place!r}")
    return records


def _explained(texts: Sequence[str]) -> dict[str, str]:
    reasons = {}
    for text in texts:
        place, colon, why = text.partition(":")
        if not colon or not why.strip():
            raise UsageError(f"--explain takes 'ROW INSTANCE: sentence', not {text!r}")
        reasons[place.strip()] = why.strip()
    return reasons


def place_of(line: Record) -> str:
    """The row and instance of a line."""
    return f"{line['row']} {line['instance']}"


def column_of(line: Record) -> str:
    """The name of a line's column: the planner as the paper writes it, and a relevance that is not its usual one."""
    name = line["planner"].upper() if line["width"] else line["planner"]
    name = f"{name}({line['width']})" if line["width"] else name
    usual = "goal" if line["planner"] == "auto" else "task"
    return name if line["relevance"] in (usual, "default") else f"{name}, relevance {line['relevance']}"
