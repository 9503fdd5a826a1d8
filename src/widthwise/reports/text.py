"""The table as text for a terminal and as Markdown for a page."""

from __future__ import annotations

from collections.abc import Sequence

from widthwise.reports.records import Record, Records, mixtures, place_of
from widthwise.reports.table import NOISE, Cell, Table

MARKS = {"+": "▲", "-": "▼", "": ""}
LEGEND = (
    "Each planner: goals solved in percent, mean generated nodes and mean search seconds of the solved, each "
    "with the published figure after the slash. ± is the standard deviation over seeds. "
    f"▲ better, ▼ worse than published by more than {NOISE:g} points and two standard deviations. "
    "Of auto the figure after the slash is the best coverage of all other columns, ours and published, and any "
    "difference is marked. "
    "Goals true at the start count as solved, as in the paper; the column `at start` says how many they are."
)
FIELDS = ("solved %", "nodes", "seconds")


def cells(cell: Cell) -> tuple[str, str, str]:
    """A cell as three texts: coverage, nodes, seconds; ours, then the published ones if there are any."""
    told = cell.published
    spread = f"±{cell.spread:.1f}" if cell.spread is not None else ""
    coverage = "-" if cell.coverage is None else f"{cell.coverage:.1f}{spread}"
    if told is None:
        return coverage, number(cell.nodes), seconds(cell.seconds)
    theirs = "-" if told.coverage is None else f"{told.coverage:.1f}"
    return (
        f"{coverage}/{theirs}{MARKS[cell.mark]}",
        number(cell.nodes) if cell.strict else f"{number(cell.nodes)}/{number(told.nodes)}",
        seconds(cell.seconds)
        if cell.strict
        else f"{seconds(cell.seconds)}/{'-' if told.seconds is None else f'{told.seconds:.2f}'}",
    )


def number(value: float | None) -> str:
    """A mean number of nodes."""
    return "-" if value is None else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """A mean time; most are far below a millisecond."""
    return "-" if value is None else f"{value:.5f}" if value < 0.01 else f"{value:.3f}"


def body(table: Table) -> list[list[str]]:
    """The lines of the table as texts."""
    found = []
    for line in [*table.lines, table.total]:
        texts = [line.name + ("*" if line.note else ""), str(line.goals), str(line.at_start)]
        for column in table.columns:
            texts.extend(cells(line.cells[column]))
        found.append(texts)
    means = ["mean of rows", "", ""]
    for column in table.columns:
        ours, theirs = table.means[column], table.published_means[column]
        told = "" if theirs is None else f"/{theirs:.1f}"
        means.extend(["-" if ours is None else f"{ours:.1f}{told}", "", ""])
    return [*found, means]


def notes(table: Table, records: Records) -> list[str]:
    """What the reader has to know about single rows."""
    found = [f"{line.name}*: {line.note}." for line in table.lines if line.note]
    if table.missing:
        found.append(f"Published, but not run here: {', '.join(table.missing)}.")
    found += [f"Failed, and explained: {place}: {why}" for place, why in records.explained.items()]
    return found + mixtures(records.runs)


def errors(records: Records) -> list[str]:
    """The failures nobody has explained, those of one instance and reason in one sentence, unfinished runs first."""
    found = [f"{run.folder}: this run is not finished" for run in records.runs if not run.finished]
    grouped: dict[tuple[str, str, str, str], list[str]] = {}
    for column, line in records.failures:
        if place_of(line) in records.explained:
            continue
        told: Record = line["failure"]
        key = (line["row"], line["instance"], told["kind"], told["reason"])
        grouped.setdefault(key, []).append(f"{column} seed {line['seed']}")
    for (row, instance, kind, reason), who in grouped.items():
        runs = who[0] if len(who) == 1 else f"{len(who)} runs"
        found.append(f"{row} {instance} ({runs}): {kind}: {reason}")
    return found


def text_table(table: Table, records: Records) -> str:
    """The table for a terminal."""
    top = ["", "", ""]
    for column in table.columns:
        top += [column, "", ""]
    head = ["row", "goals", "at start", *FIELDS * len(table.columns)]
    lines = [head, *body(table)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(head))]
    for n in range(3, len(head), 3):
        widths[n] = max(widths[n], len(top[n]) - widths[n + 1] - widths[n + 2] - 4)
    out = [_title(top, widths)]
    out += ["  ".join(_align(line, widths)).rstrip() for line in lines]
    return "\n".join(["", *out, "", LEGEND, *notes(table, records)]).lstrip("\n")


def _title(top: Sequence[str], widths: Sequence[int]) -> str:
    text = " " * (sum(widths[:3]) + 6)
    for n in range(3, len(top), 3):
        text += top[n].ljust(sum(widths[n : n + 3]) + 6)
    return text.rstrip()


def _align(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        text.ljust(width) if n == 0 else text.rjust(width)
        for n, (text, width) in enumerate(zip(line, widths, strict=True))
    ]


def markdown(table: Table, records: Records, plots: Sequence[str] = ()) -> str:
    """The table as a Markdown page; `plots` are links to pictures."""
    head = ["row", "goals", "at start"]
    for column in table.columns:
        head += [f"{column} solved %", "nodes", "seconds"]
    rule = [":--", *["--:"] * (len(head) - 1)]
    rows = [head, rule, *body(table)]
    parts = ["\n".join("| " + " | ".join(row) + " |" for row in rows), LEGEND]
    told = notes(table, records)
    if told:
        parts.append("\n".join(f"- {note}" for note in told))
    wrong = errors(records)
    if wrong:
        parts.insert(0, "Not explained yet:\n\n" + "\n".join(f"- {one.replace(chr(10), ' ')}" for one in wrong))
    parts += [f"![{name}]({name})" for name in plots]
    return "\n\n".join(parts) + "\n"
