"""The table of single goals as text for a terminal and as Markdown for a page."""

from __future__ import annotations

from collections.abc import Sequence

from widthwise.reports.records import Record, Records, mixtures, place_of
from widthwise.reports.table import NOISE, Cell, Table

MARKS = {"+": "▲", "-": "▼", "": ""}
LEGEND = (
    "For each planner: solved goals in percent, and mean generated nodes and mean search seconds of the solved goals, "
    "each followed by the published figure after a slash. ± is the standard deviation over seeds. "
    f"▲ better, ▼ worse than published by more than {NOISE:g} points and two standard deviations. "
    "For auto, the figure after the slash is the best coverage of all other columns, and every difference is marked. "
    "Goals that are true in the initial state count as solved, as in the paper; the column `at start` is their number."
)
FIELDS = ("solved %", "nodes", "seconds")


def without_backticks(text: str) -> str:
    """Prose for a terminal: names in quotation marks instead of backticks."""
    return text.replace("`", '"')


def cells(cell: Cell) -> tuple[str, str, str]:
    """A cell as three texts: coverage, nodes, seconds; ours, then the published ones if there are any."""
    published = cell.published
    spread = f"±{cell.spread:.1f}" if cell.spread is not None else ""
    coverage = "-" if cell.coverage is None else f"{cell.coverage:.1f}{spread}"
    if published is None:
        return coverage, number(cell.nodes), seconds(cell.seconds)
    theirs = "-" if published.coverage is None else f"{published.coverage:.1f}"
    return (
        f"{coverage}/{theirs}{MARKS[cell.mark]}",
        number(cell.nodes) if cell.strict else f"{number(cell.nodes)}/{number(published.nodes)}",
        seconds(cell.seconds)
        if cell.strict
        else f"{seconds(cell.seconds)}/{'-' if published.seconds is None else f'{published.seconds:.2f}'}",
    )


def number(value: float | None) -> str:
    """A mean number of nodes."""
    return "-" if value is None else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """A mean time; most are far below a millisecond."""
    return "-" if value is None else f"{value:.5f}" if value < 0.01 else f"{value:.3f}"


def body(table: Table) -> list[list[str]]:
    """The lines of the table as texts."""
    lines = []
    for line in [*table.lines, table.total]:
        texts = [line.name + ("*" if line.note else ""), str(line.goals), str(line.at_start)]
        for column in table.columns:
            texts.extend(cells(line.cells[column]))
        lines.append(texts)
    means = ["mean of rows", "", ""]
    for column in table.columns:
        ours, theirs = table.means[column], table.published_means[column]
        published = "" if theirs is None else f"/{theirs:.1f}"
        means.extend(["-" if ours is None else f"{ours:.1f}{published}", "", ""])
    return [*lines, means]


def notes(table: Table, records: Records) -> list[str]:
    """Notes about single rows."""
    lines = [f"{line.name}*: {line.note}." for line in table.lines if line.note]
    if table.missing:
        lines.append(f"Published, but not run here: {', '.join(table.missing)}.")
    lines += [f"Explained failure: {place}: {why}" for place, why in records.explained.items()]
    return lines + mixtures(records.runs)


def errors(records: Records) -> list[str]:
    """Unfinished runs, then failures without an explanation, one sentence per instance and reason."""
    lines = [f"{run.folder}: this run is not finished" for run in records.runs if not run.finished]
    grouped: dict[tuple[str, str, str, str], list[str]] = {}
    for column, line in records.failures:
        if place_of(line) in records.explained:
            continue
        failure: Record = line["failure"]
        key = (line["row"], line["instance"], failure["kind"], failure["reason"])
        grouped.setdefault(key, []).append(f"{column} seed {line['seed']}")
    for (row, instance, kind, reason), labels in grouped.items():
        runs = labels[0] if len(labels) == 1 else f"{len(labels)} runs"
        lines.append(f"{row} {instance} ({runs}): {kind}: {reason}")
    return lines


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
    return "\n".join(["", *out, "", without_backticks(LEGEND), *notes(table, records)]).lstrip("\n")


def aligned(lines: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Lines of texts as a table for a terminal; the columns `left` are texts, the others numbers."""
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if n in left else text.rjust(width)
            for n, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


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
    about_rows = notes(table, records)
    if about_rows:
        parts.append("\n".join(f"- {note}" for note in about_rows))
    wrong = errors(records)
    if wrong:
        parts.insert(
            0,
            "Failures without an explanation (--explain):\n\n"
            + "\n".join(f"- {line.replace(chr(10), ' ')}" for line in wrong),
        )
    parts += [f"![{name}]({name})" for name in plots]
    return "\n\n".join(parts) + "\n"
