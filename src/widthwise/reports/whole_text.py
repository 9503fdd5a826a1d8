"""The report on whole problems as text for a terminal and as Markdown for a page."""

from __future__ import annotations

from collections.abc import Sequence

from widthwise.reports.records import mixtures
from widthwise.reports.whole_suite import (
    RowCounts,
    Totals,
    Whole,
    count_rows,
    count_totals,
    losses,
    reason_of,
    status_of,
)

LEGEND = (
    "Problems solved by each planner, with plans that the validator accepts. ▼ another planner solves more of the "
    "domain. Score: the best known cost divided by the planner's own, summed over problems. Length: mean plan length "
    "over the problems that all planners solve. CPU seconds count all processes of a planner; median: until its plan "
    "was there."
)
_KINDS = ("out-of-time", "out-of-memory", "failed", "invalid", "unchecked")


def number(value: float) -> str:
    """A count, which is a mean where there are several seeds."""
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def cell(row: RowCounts, column: str) -> str:
    """What a planner solves of a domain."""
    if not row.tried[column]:
        return "-"
    part = f" of {row.tried[column]}" if row.tried[column] < row.problems else ""
    return number(row.solved[column]) + part + ("▼" if row.lost(column) else "")


def coverage(whole: Whole) -> list[list[str]]:
    """The table by domain, with its head."""
    rows = count_rows(whole)
    totals = count_totals(whole)
    body = [[row.name, str(row.problems), *(cell(row, column) for column in whole.columns)] for row in rows]
    last = ["all", str(sum(row.problems for row in rows)), *(number(totals[name].solved) for name in whole.columns)]
    return [["domain", "problems", *whole.columns], *body, last]


def summary(whole: Whole) -> list[list[str]]:
    """The table by planner, with its head."""
    head = ["planner", "solved", "of", "score", "length", "CPU seconds", "median", *_KINDS, "other"]
    return [head, *([column, *_totals(one)] for column, one in count_totals(whole).items())]


def _totals(one: Totals) -> list[str]:
    other = sum(count for status, count in one.statuses.items() if status not in ("solved", *_KINDS))
    return [
        number(one.solved),
        str(one.tried),
        f"{one.score:.1f}",
        "-" if one.length is None else f"{one.length:.1f}",
        f"{one.cpu_seconds:.0f}",
        "-" if one.median_seconds is None else f"{one.median_seconds:.2f}",
        *(str(one.statuses[kind]) for kind in _KINDS),
        str(other),
    ]


def lost(whole: Whole, column: str) -> list[str]:
    """The domains a planner loses, in a sentence each."""
    found = []
    for loss in losses(whole, count_rows(whole), column):
        winners = ", ".join(f"{name} {number(count)}" for name, count in loss.winners.items())
        lacking = ", ".join(f"{instance} ({status})" for instance, status in loss.problems)
        found.append(f"{loss.row}: {column} {number(loss.solved)}, {winners}. It lacks {lacking}.")
    return found


def errors(whole: Whole) -> list[str]:
    """What is wrong with the runs: unfinished ones, and commands that failed or whose plans were refused."""
    found = [f"{run.folder}: this run is not finished" for run in whole.runs if not run.finished]
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for (column, row, instance), lines in whole.lines.items():
        for line in lines:
            if status_of(line) in ("failed", "invalid", "unchecked"):
                why = reason_of(line).splitlines() or [""]
                grouped.setdefault((column, row, why[0]), []).append(instance)
    for (column, row, reason), instances in grouped.items():
        what = instances[0] if len(set(instances)) == 1 else f"{len(set(instances))} problems"
        found.append(f"{column} on {row} ({what}): {reason}")
    return found + mixtures(whole.runs)


def text_report(whole: Whole) -> str:
    """The report for a terminal."""
    parts = [_plain(coverage(whole)), _plain(summary(whole)), LEGEND]
    wrong = errors(whole)
    if wrong:
        parts.insert(0, "Worth knowing:\n" + "\n".join(f"  {one}" for one in wrong))
    told = lost(whole, whole.columns[0]) if len(whole.columns) > 1 else []
    if told:
        parts.append(f"Domains that {whole.columns[0]} loses:\n" + "\n".join(f"  {one}" for one in told))
    return "\n\n".join(parts)


def markdown_report(whole: Whole, plots: Sequence[str] = ()) -> str:
    """The report as a Markdown page; `plots` are links to pictures."""
    parts = [_marked(coverage(whole)), LEGEND, _marked(summary(whole))]
    told = lost(whole, whole.columns[0]) if len(whole.columns) > 1 else []
    if told:
        parts.append(f"Domains that {whole.columns[0]} loses:\n\n" + "\n".join(f"- {one}" for one in told))
    wrong = errors(whole)
    if wrong:
        parts.append("Worth knowing:\n\n" + "\n".join(f"- {one}" for one in wrong))
    parts += [f"![{name}]({name})" for name in plots]
    return "\n\n".join(parts) + "\n"


def _plain(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    # The mark hangs behind the number, so that numbers stand in line.
    return "\n".join(
        "  ".join(
            text.ljust(width) if n == 0 else (text if text.endswith("▼") else f"{text} ").rjust(width + 1)
            for n, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _marked(rows: Sequence[Sequence[str]]) -> str:
    rule = [":--", *["--:"] * (len(rows[0]) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], rule, *rows[1:]])
